//! Reads and checks files: returns a [`Plan`] with everything that is needed to build a world. [`robots`]: changes of a plan
//! while its simulation runs.
mod descriptions;
mod floor;
pub mod robots;

use std::{
    collections::BTreeSet,
    mem::take,
    path::{Path, PathBuf},
    sync::Arc,
};

use morse_api::{memory::MemoryBudget, render::RendererKind};
use morse_description::urdf::{self, Asset, Root};
use morse_diagnostics::{
    Diagnostic, Failed, Overlay, Sources, nearest_file, printable_path, report::Report,
};
use morse_scene::{
    assembly::Assembly,
    assets::{self, Embedded},
    formats::Format,
    model::Scene,
    shipped::Shipped,
};
use morse_simulation_file::{
    self as simulation, Assets as _, FileLocation, Files, Simulation, Spanned, assemble,
    model::Form,
};

pub use descriptions::Descriptions;
pub use floor::{Contacts, Floor};

use crate::{
    scene::known::KnownScenes,
    scene::load::{LoadOptions, Loaded},
    simulation::{
        crowd,
        kinds::{AnyKinds, Words},
    },
};

/// Options for reading a simulation.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Values that replace those of the simulation file: `path=value`.
    pub set: Vec<String>,
    /// Seed that replaces that of the simulation file.
    pub seed: Option<u64>,
    /// Directories whose files may be read, besides those of the given files and the current directory.
    pub allow_paths: Vec<PathBuf>,
    /// Texts that replace those of files on the disk.
    pub overlay: Overlay,
    /// True to treat warnings as errors.
    pub strict: bool,
    /// True to refuse extensions of the scene language.
    pub strict_amino: bool,
    /// Options for robot descriptions.
    pub descriptions: Descriptions,
    /// Number of threads for rays and images; results do not depend on it. 0 and 1 stand for the calling thread only.
    pub threads: usize,
    /// Renderer of images, unless a camera selects another one.
    pub renderer: RendererKind,
    /// Maximum memory of all robots and sensors together.
    pub memory: MemoryBudget,
    /// Scenes that need not be read again.
    pub scenes: KnownScenes,
}

/// A simulation that was read and can be built.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Contents of the simulation file.
    pub simulation: Simulation,
    /// Directory of the simulation file: its paths are relative to it.
    pub directory: PathBuf,
    /// File that the user named, if the simulation does not come from a text.
    pub file: Option<PathBuf>,
    /// The scene with its robots.
    pub assembly: Assembly,
    /// Floor under a robot description that runs by itself.
    pub floor: Option<Floor>,
    /// Texts of all files, for errors that the building detects.
    pub sources: Arc<Sources>,
    /// Warnings about probable mistakes.
    pub warnings: Report,
    /// Meshes and images of robot descriptions.
    pub assets: Vec<Asset>,
    /// Number of threads for rays and images.
    pub threads: usize,
    /// Renderer of images, unless a camera selects another one.
    pub renderer: RendererKind,
    /// Maximum memory of all robots and sensors together.
    pub memory: MemoryBudget,
    /// True to treat warnings of the building as errors.
    pub strict: bool,
    /// Options with which the files were read; robots that are added later are read with them as well.
    pub options: Options,
}

/// Reads a scene (`.robray` or `.urdf`, with its simulation file beside it, if there is one) or a simulation file (`.ron`).
///
/// `table.ron` is the simulation file of `table.robray`, unless it names another scene, or a robot in it is a
/// `table.robray`.
///
/// # Errors
///
/// All errors of the files, in one pass.
pub fn load(path: &Path, options: &Options, kinds: &AnyKinds) -> Result<Plan, Box<Report>> {
    let mut loader = Loader::new(options, kinds);
    let plan = match path.extension().and_then(|extension| extension.to_str()) {
        Some("ron") => loader.simulation(path, None),
        _ => {
            let beside = path.with_extension("ron");
            if options.overlay.has_file(&beside) {
                loader.simulation(&beside, Some(path))
            } else {
                loader.scene_alone(path)
            }
        }
    };
    let plan = plan.map(|plan| Plan {
        file: Some(path.to_owned()),
        ..plan
    });
    loader.finish(plan)
}

/// Reads the text of a simulation file. The files that it names are searched in `directory`, in the current directory, and
/// among the embedded assets.
///
/// # Errors
///
/// All errors of the text, in one pass.
pub fn parse(
    text: &str,
    directory: &Path,
    options: &Options,
    kinds: &AnyKinds,
) -> Result<Plan, Box<Report>> {
    let mut loader = Loader::new(options, kinds);
    let plan = loader.text("<text>", text.as_bytes(), directory, None);
    loader.finish(plan)
}

struct Loader<'a> {
    options: &'a Options,
    kinds: &'a AnyKinds,
    report: Report,
    /// Texts of all files so far.
    sources: Arc<Sources>,
    assets: Vec<Asset>,
    /// True if the scene is a robot description.
    is_description: bool,
}

impl<'a> Loader<'a> {
    fn new(options: &'a Options, kinds: &'a AnyKinds) -> Self {
        Self {
            options,
            kinds,
            report: Report::default(),
            sources: Arc::default(),
            assets: Vec::new(),
            is_description: false,
        }
    }

    fn finish(mut self, plan: Option<Plan>) -> Result<Plan, Box<Report>> {
        if plan.is_some() {
            let unused = self
                .options
                .descriptions
                .without_effect(self.is_description);
            self.report.add(unused, &Arc::default());
        }
        let is_refused = self.options.strict && !self.report.is_empty();
        match plan {
            Some(mut plan) if !self.report.has_errors() && !is_refused => {
                if let Some(seed) = self.options.seed {
                    plan.simulation.environment.seed = seed;
                }
                plan.warnings = self.report;
                plan.sources = self.sources;
                plan.assets = self.assets;
                plan.threads = self.options.threads;
                plan.renderer = self.options.renderer;
                plan.memory = self.options.memory;
                plan.strict = self.options.strict;
                plan.options = self.options.clone();
                Ok(plan)
            }
            _ if is_refused => Err(Box::new(self.report.into_errors())),
            _ => Err(Box::new(self.report)),
        }
    }

    fn scene_alone(&mut self, path: &Path) -> Option<Plan> {
        let directory = path.parent().unwrap_or(Path::new(""));
        if is_description(path) {
            return self.description_alone(path, directory);
        }
        if !self.options.set.is_empty() {
            // The values are applied to the shortest simulation file.
            return self.text("--set", b"Simulation()", directory, Some(path));
        }
        let scene = self.scene(path)?;
        self.assemble(Simulation::default(), scene, directory)
    }

    /// Reads a description; its sensors, actuators and plugins become a simulation file.
    fn description_alone(&mut self, path: &Path, directory: &Path) -> Option<Plan> {
        self.is_description = true;
        let mut options = self.scene_options();
        options.is_alone = true;
        let mut loaded = self.options.scenes.read(path, &options);
        let made = loaded.as_mut().map(|loaded| take(&mut loaded.components));
        let text = made.unwrap_or_default();
        let is_world = loaded.as_ref().is_ok_and(|loaded| loaded.is_world);
        let scene = self.take(loaded)?;
        let text = match text.is_empty() {
            true => "Simulation()".to_owned(),
            false => text,
        };
        let name = format!("<components of {}>", path.display());
        let mut sources = Sources::clone(&self.sources);
        let (set, words) = (&self.options.set, Words(self.kinds));
        let loaded = simulation::load_seeded(
            &name,
            text.as_bytes(),
            set,
            &words,
            &mut sources,
            self.options.seed,
        );
        self.sources = Arc::new(sources);
        let is_fine = loaded.is_fine();
        self.report.add(loaded.diagnostics, &self.sources);
        if !is_fine {
            return None;
        }
        let mut plan = self.assemble(loaded.simulation, scene, directory)?;
        let gravity = &plan.simulation.environment.gravity;
        let falls = gravity.xy().norm() <= 0.0 && gravity.z < 0.0;
        if falls && !is_world && !self.options.descriptions.no_floor {
            plan.floor = floor::add(&mut plan.assembly);
        }
        Some(plan)
    }

    /// Reads a simulation file; `scene` is the scene beside it, if the user named that.
    fn simulation(&mut self, path: &Path, scene: Option<&Path>) -> Option<Plan> {
        let name = path.display().to_string();
        let bytes = match self.options.overlay.read_bytes(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                let shown = printable_path(&name);
                let message = format!("cannot read `{shown}`: {error}");
                let near = nearest_file(path, &name).filter(|_| !path.exists());
                let help = match near {
                    Some(near) => format!("did you mean `{}`?", printable_path(&near)),
                    None => "check the path, and that it is a file you may read".to_owned(),
                };
                let problem = Diagnostic::error("load::unreadable", message).help(help);
                self.report.add([problem], &Arc::default());
                return None;
            }
        };
        let directory = path.parent().unwrap_or(Path::new(""));
        self.text(&name, &bytes, directory, scene)
    }

    fn text(
        &mut self,
        name: &str,
        bytes: &[u8],
        directory: &Path,
        scene: Option<&Path>,
    ) -> Option<Plan> {
        let mut sources = Sources::clone(&self.sources);
        let loaded = simulation::load_seeded(
            name,
            bytes,
            &self.options.set,
            &Words(self.kinds),
            &mut sources,
            self.options.seed,
        );
        if let Some(scene) = scene
            && !is_simulation_of(&loaded.simulation, directory, scene)
        {
            return self.scene_alone(scene);
        }
        self.sources = Arc::new(sources);
        let is_fine = loaded.is_fine();
        self.report.add(loaded.diagnostics, &self.sources);
        if !is_fine {
            // Further errors are reported in the same pass.
            self.report.add(
                simulation::check_alone(&loaded.simulation, &Words(self.kinds)),
                &self.sources,
            );
            if let Some(scene) = scene {
                self.scene(scene);
            }
            return None;
        }
        let scene = match (scene, &loaded.simulation.scene) {
            (Some(scene), _) => self.scene(scene),
            (None, Some(named)) => self.named_scene(named, directory),
            (None, None) => match Path::new(name).with_extension("robray") {
                beside if self.options.overlay.has_file(&beside) => self.scene(&beside),
                _ => Some(Scene::default()),
            },
        };
        let Some(scene) = scene else {
            self.try_models(&loaded.simulation, directory);
            return None;
        };
        self.assemble(loaded.simulation, scene, directory)
    }

    fn named_scene(&mut self, named: &Spanned<String>, directory: &Path) -> Option<Scene> {
        self.is_description |= is_description(Path::new(&named.value));
        let options = self.scene_options();
        match self.model(named, directory, &options) {
            Ok(scene) => Some(scene),
            Err(problem) => {
                self.report.add([*problem], &self.sources);
                None
            }
        }
    }

    /// Checks the models although the scene cannot be read, to report their errors as well.
    fn try_models(&mut self, simulation: &Simulation, directory: &Path) {
        let mut tried = BTreeSet::new();
        for robot in simulation.robots.values() {
            if let Form::Model(model) = &robot.form
                && tried.insert(&model.value)
            {
                self.named_scene(model, directory);
            }
        }
    }

    fn scene(&mut self, path: &Path) -> Option<Scene> {
        self.is_description |= is_description(path);
        self.take(self.options.scenes.read(path, &self.scene_options()))
    }

    /// Returns the scene that was read; warnings and errors go into the report.
    fn take(&mut self, loaded: Result<Loaded, Box<Failed>>) -> Option<Scene> {
        match loaded {
            Ok(loaded) => {
                self.sources = Arc::new(loaded.sources);
                self.report.add(loaded.warnings, &self.sources);
                self.assets.extend(loaded.assets);
                Some(loaded.scene)
            }
            Err(failed) => {
                self.sources = Arc::new(failed.sources);
                self.report.add(failed.diagnostics, &self.sources);
                None
            }
        }
    }

    fn assemble(&mut self, simulation: Simulation, scene: Scene, directory: &Path) -> Option<Plan> {
        let budget = self.options.memory;
        if let Some(problem) = crowd::check(&simulation, None, budget) {
            self.report.add([problem], &self.sources);
            return None;
        }
        let mut options = self.scene_options();
        // The root link is fixed to the robot.
        options.urdf.root = Root::Fixed;
        let assembled = assemble(&simulation, scene, &mut |model| {
            options.sources = Sources::clone(&self.sources);
            self.model(model, directory, &options)
        });
        let mut assembly = match assembled {
            Ok(assembly) => assembly,
            Err(problems) => {
                self.report.add(problems, &self.sources);
                return None;
            }
        };
        if let Some(problem) = crowd::check(&simulation, Some(&assembly.scene), budget) {
            self.report.add([problem], &self.sources);
            return None;
        }
        if self.options.descriptions.hold {
            assembly.hold();
        }
        let problems = simulation::check(&simulation, &assembly.scene, &Words(self.kinds));
        self.report.add(problems, &self.sources);
        Some(Plan {
            simulation,
            directory: directory.to_owned(),
            assembly,
            ..Plan::default()
        })
    }

    /// Finds and reads a scene file that a simulation file names.
    fn model(
        &mut self,
        named: &Spanned<String>,
        directory: &Path,
        options: &LoadOptions,
    ) -> Result<Scene, Box<Diagnostic>> {
        let mut roots = vec![PathBuf::from(".")];
        roots.extend(self.options.allow_paths.iter().cloned());
        let files = Files {
            directory,
            roots: &roots,
            assets: &Embedded,
        };
        // Texts of robots that are added later need not be on the disk.
        let open = self.options.overlay.get(&directory.join(&named.value));
        let file = match open {
            Some((path, _)) if !path.exists() => FileLocation::Disk(path),
            _ => files.find(named)?,
        };
        let loaded = match file {
            FileLocation::Disk(path) => self.options.scenes.read(&shortened(path), options),
            FileLocation::Asset(path) => self.options.scenes.read(&Shipped::path(&path), options),
        };
        self.take(loaded).ok_or_else(|| {
            let message = format!("`{}` cannot be used: see the errors above", named.value);
            let problem = Diagnostic::error("load::scene", message);
            Box::new(match named.span {
                Some(span) => problem.at(span, "named here"),
                None => problem,
            })
        })
    }

    fn scene_options(&self) -> LoadOptions {
        let options = self.options;
        LoadOptions {
            strict: options.strict,
            strict_amino: options.strict_amino,
            allow_paths: options.allow_paths.clone(),
            simulated: true,
            skip_mesh_check: false,
            sources: Sources::clone(&self.sources),
            overlay: options.overlay.clone(),
            shipped: assets::SHIPPED,
            urdf: urdf::Options {
                root: options.descriptions.root,
                packages: options.descriptions.packages.clone(),
                xacro: options.descriptions.xacro.clone(),
                joint_frames: false,
                is_alone: false,
            },
            is_alone: false,
            convex_parts: options.descriptions.convex_parts,
            collada_up_axis: options.descriptions.collada_up_axis,
        }
    }
}

/// Returns true for a file of a robot description, and false for a scene.
pub(crate) fn is_description(path: &Path) -> bool {
    !matches!(Format::of(path), Format::Robray | Format::Compiled)
}

/// Returns true if a simulation file beside a scene simulates that scene: it names no other scene, and none of its robots
/// uses the file as its model.
fn is_simulation_of(simulation: &Simulation, directory: &Path, scene: &Path) -> bool {
    let file = scene.canonicalize().ok();
    let is_it = |named: &str| directory.join(named).canonicalize().ok() == file;
    let is_there =
        |named: &str| directory.join(named).exists() || Embedded.paths().contains(&named);
    let names_other = |named: &Spanned<String>| is_there(named) && !is_it(named);
    let mut models = simulation.robots.values().flat_map(|robot| {
        let own = match &robot.form {
            Form::Model(model) => Some(model),
            Form::Frame(_) => None,
        };
        own.into_iter()
            .chain(robot.parts.values().map(|attached| &attached.model))
    });
    !simulation.scene.as_ref().is_some_and(names_other) && !models.any(|model| is_it(model))
}

/// Returns a path relative to the current directory, if it is below it.
pub(crate) fn shortened(path: PathBuf) -> PathBuf {
    let here = std::env::current_dir()
        .and_then(|here| here.canonicalize())
        .unwrap_or_default();
    path.strip_prefix(&here)
        .map(Path::to_path_buf)
        .unwrap_or(path)
}
