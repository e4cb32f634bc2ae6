//! Scene files of all formats: each is read by its own reader, and what one includes by the other.

use std::path::{Path, PathBuf};

use morse_description::{
    mjcf,
    packages::Finder,
    sdf,
    urdf::{self, Asset, Root},
};
use morse_diagnostics::{Diagnostic, Failed, Overlay, Sources, printable_path};
use morse_geometry::mesh::Triangles;
use morse_robray::{self as robray, Included, Inclusions, NotFound};
use morse_scene::{
    formats::Format,
    model::{Scene, Shape, stretched, turn_upright},
    shipped::Shipped,
};

/// Options for reading a scene.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Take warnings for errors.
    pub strict: bool,
    /// Refuse what amino, the language's first implementation, does not know: joint limits, mass,
    /// friction and the like.
    pub strict_amino: bool,
    /// Directories whose files may be shown in messages and used as meshes, besides the directory of
    /// the scene and the current one.
    pub allow_paths: Vec<PathBuf>,
    /// Files embedded in the program. They are searched after the disk.
    pub shipped: Shipped,
    /// Do not look whether meshes exist.
    pub skip_mesh_check: bool,
    /// The scene is to be simulated: what the language allows and no simulation can bear, such as a negative
    /// radius or a missing mesh, is an error instead of a warning.
    pub simulated: bool,
    /// Files that were read before and may be shown together with these.
    pub sources: Sources,
    /// Texts that replace those of files on the disk.
    pub overlay: Overlay,
    /// Options for robot descriptions, which a scene can include.
    pub urdf: urdf::Options,
    /// True if a description runs by itself: its sensors become a simulation file. Otherwise a warning has their entries.
    pub is_alone: bool,
    /// Maximum number of convex parts into which collision meshes of robot descriptions are divided; `None` for hulls.
    pub convex_parts: Option<u32>,
    /// True to turn Collada meshes by the upward axes of their files.
    pub collada_up_axis: bool,
}

impl LoadOptions {
    /// Options that readers of all formats share.
    #[must_use]
    pub fn circumstances(&self) -> urdf::Circumstances<'_> {
        urdf::Circumstances {
            strict: self.strict,
            simulated: self.simulated,
            allow_paths: &self.allow_paths,
            overlay: &self.overlay,
        }
    }

    fn robray(&self) -> robray::Options<'_> {
        robray::Options {
            strict: self.strict,
            strict_amino: self.strict_amino,
            allow_paths: &self.allow_paths,
            shipped: self.shipped,
            skip_mesh_check: self.skip_mesh_check,
            simulated: self.simulated,
            sources: &self.sources,
            overlay: &self.overlay,
        }
    }
}

/// A scene that was read.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Content of the file and all it includes.
    pub scene: Scene,
    /// Warnings about valid text that is probably a mistake.
    pub warnings: Vec<Diagnostic>,
    /// The files, for showing the warnings.
    pub sources: Sources,
    /// Meshes and images of robot descriptions.
    pub assets: Vec<Asset>,
    /// Simulation file with the sensors of the scene; empty if there are none.
    pub components: String,
    /// True unless the file is the description of a robot.
    pub is_world: bool,
}

/// Reads a scene file with all it names.
///
/// # Errors
///
/// All that is wrong with the files, in one pass.
pub fn load(path: &Path, options: &LoadOptions) -> Result<Loaded, Box<Failed>> {
    match Format::of(path) {
        Format::Robray => {
            let mut descriptions = Descriptions::new(options);
            let read = robray::load(path, options.robray(), &mut descriptions)?;
            Ok(with_assets(read, descriptions.assets, options))
        }
        Format::Urdf | Format::Xacro => {
            let mut sources = Sources::clone(&options.sources);
            let own = urdf::Options {
                is_alone: options.is_alone,
                ..options.urdf.clone()
            };
            let read = urdf::load(path, &own, options.circumstances(), &mut sources);
            loaded(read, sources, options)
        }
        Format::Mjcf => {
            let mut sources = Sources::clone(&options.sources);
            let own = model_options(options.urdf.root, options.is_alone);
            let read = mjcf::load(path, own, options.circumstances(), &mut sources);
            loaded(read, sources, options)
        }
        Format::Sdf => {
            let mut sources = Sources::clone(&options.sources);
            let own = sdf::Options {
                root: options.urdf.root,
                packages: &options.urdf.packages,
                is_alone: options.is_alone,
                surface,
            };
            let read = sdf::load(path, own, options.circumstances(), &mut sources);
            loaded(read, sources, options)
        }
        Format::Compiled => {
            let mut sources = Sources::clone(&options.sources);
            match compiled(path, &mut sources) {
                Ok(scene) => Ok(Loaded {
                    scene,
                    warnings: Vec::new(),
                    sources,
                    assets: Vec::new(),
                    components: String::new(),
                    is_world: true,
                }),
                Err(problem) => Err(Box::new(Failed {
                    diagnostics: vec![*problem],
                    sources,
                })),
            }
        }
    }
}

/// Reads a scene file in the scene language for an editor: returns what can be used in spite of errors, and the positions of
/// all names and values.
#[must_use]
pub fn analyse(path: &Path, options: &LoadOptions) -> robray::Analysis {
    robray::analyse(path, options.robray(), &mut Descriptions::new(options))
}

/// Reads a text in the scene language. `name` is what messages call it; includes and meshes are looked for
/// from `directory`.
///
/// # Errors
///
/// All that is wrong with the text, in one pass.
pub fn parse_str(
    text: &str,
    name: &str,
    directory: &Path,
    options: &LoadOptions,
) -> Result<Loaded, Box<Failed>> {
    let mut descriptions = Descriptions::new(options);
    let read = robray::parse_str(text, name, directory, options.robray(), &mut descriptions)?;
    Ok(with_assets(read, descriptions.assets, options))
}

/// Robot descriptions that a scene includes. Their joints are frames too, as amino names them.
struct Descriptions<'a> {
    options: &'a LoadOptions,
    assets: Vec<Asset>,
}

impl<'a> Descriptions<'a> {
    fn new(options: &'a LoadOptions) -> Self {
        Self {
            options,
            assets: Vec::new(),
        }
    }
}

impl Inclusions for Descriptions<'_> {
    fn read(&mut self, path: &Path, sources: &mut Sources) -> Included {
        if Format::of(path) == Format::Compiled {
            return match compiled(path, sources) {
                Ok(scene) => Included {
                    scene: Some(scene),
                    diagnostics: Vec::new(),
                },
                Err(problem) => Included {
                    scene: None,
                    diagnostics: vec![*problem],
                },
            };
        }
        let circumstances = self.options.circumstances();
        let read = match Format::of(path) {
            Format::Mjcf => {
                let own = model_options(Root::Fixed, false);
                mjcf::load(path, own, circumstances, sources)
            }
            Format::Sdf => {
                let own = sdf::Options {
                    root: Root::Fixed,
                    packages: &self.options.urdf.packages,
                    is_alone: false,
                    surface,
                };
                sdf::load(path, own, circumstances, sources)
            }
            _ => {
                let options = urdf::Options {
                    root: Root::Fixed,
                    joint_frames: true,
                    ..self.options.urdf.clone()
                };
                urdf::load(path, &options, circumstances, sources)
            }
        };
        self.assets.extend(read.assets);
        Included {
            scene: read
                .scene
                .map(|scene| divided(scene, self.options.convex_parts)),
            diagnostics: read.diagnostics,
        }
    }

    fn find(&self, written: &str, directory: &Path) -> Result<PathBuf, NotFound> {
        let packages = &self.options.urdf.packages;
        let search = Finder::new(packages, directory, &self.options.allow_paths).find(written);
        search.path.ok_or_else(|| NotFound {
            reason: match (search.objection, search.outside) {
                (Some(objection), _) => objection,
                (None, Some(_)) => "it lies outside the allowed directories".to_owned(),
                (None, None) => "there is no such file".to_owned(),
            },
            looked: search.looked,
        })
    }
}

/// Returns the triangles of a mesh, or the surface of a height map.
fn surface(path: &Path) -> Result<mjcf::Surface, String> {
    let mesh = morse_geometry::mesh::read(path).map_err(|error| error.to_string())?;
    let vertices = mesh.vertices.iter();
    let faces = mesh.faces.iter();
    Ok(mjcf::Surface {
        vertices: vertices.map(|vertex| vertex.map(f64::from)).collect(),
        faces: faces.map(|face| face.map(|index| index as usize)).collect(),
    })
}

/// Returns options for a model of MuJoCo.
fn model_options(root: Root, is_alone: bool) -> mjcf::Options {
    mjcf::Options {
        root,
        is_alone,
        surface,
        hull: |points| {
            let points = Triangles {
                vertices: points
                    .iter()
                    .map(|point| point.map(|number| number as f32))
                    .collect(),
                ..Triangles::default()
            };
            let hull = morse_physics::shapes::hull(&points, 1.0)?;
            Some(mjcf::Surface {
                vertices: hull
                    .vertices
                    .iter()
                    .map(|vertex| vertex.map(f64::from))
                    .collect(),
                faces: hull
                    .faces
                    .iter()
                    .map(|face| face.map(|index| index as usize))
                    .collect(),
            })
        },
    }
}

fn with_assets(read: robray::Loaded, assets: Vec<Asset>, options: &LoadOptions) -> Loaded {
    Loaded {
        scene: turned(read.scene, options),
        warnings: read.warnings,
        sources: read.sources,
        assets,
        components: String::new(),
        is_world: true,
    }
}

fn loaded(
    read: urdf::Read,
    sources: Sources,
    options: &LoadOptions,
) -> Result<Loaded, Box<Failed>> {
    match read.scene {
        Some(scene) => Ok(Loaded {
            scene: turned(divided(scene, options.convex_parts), options),
            warnings: read.diagnostics,
            sources,
            assets: read.assets,
            components: read.components,
            is_world: read.is_world,
        }),
        None => Err(Box::new(Failed {
            diagnostics: read.diagnostics,
            sources,
        })),
    }
}

/// Sets the maximum number of convex parts of collision meshes that set none.
fn divided(mut scene: Scene, convex_parts: Option<u32>) -> Scene {
    let Some(most) = convex_parts.map(f64::from) else {
        return scene;
    };
    for frame in scene.frames().to_vec() {
        let mut frame = frame;
        for geometry in &mut frame.geometry {
            if geometry.collision && matches!(geometry.shape, Shape::Mesh(_)) {
                geometry.convex_parts.get_or_insert(most);
            }
        }
        // The frame belongs to the scene, so that it can be replaced.
        scene.replace_frame(frame).ok();
    }
    scene
}

/// Turns the Collada meshes of a scene by the upward axes of their files, if that is set.
fn turned(mut scene: Scene, options: &LoadOptions) -> Scene {
    if !options.collada_up_axis {
        return scene;
    }
    for mut frame in scene.frames().to_vec() {
        for geometry in &mut frame.geometry {
            if let Shape::Mesh(mesh) = &mut geometry.shape {
                let (file, _) = stretched(&mesh.resolved);
                let ending = file.extension().unwrap_or_default();
                if ending.eq_ignore_ascii_case("dae") {
                    mesh.resolved = turn_upright(&mesh.resolved);
                }
            }
        }
        // The frame belongs to the scene, so that it can be replaced.
        scene.replace_frame(frame).ok();
    }
    scene
}

/// Opens a compiled scene.
fn compiled(path: &Path, sources: &mut Sources) -> Result<Scene, Box<Diagnostic>> {
    let shown = printable_path(&path.display().to_string());
    let opened = morse_compiled::open(path).map_err(|error| {
        let message = format!("the compiled scene `{shown}` cannot be used: {error}");
        let problem = Diagnostic::error("load::compiled", message);
        Box::new(problem.help("`morse-sim compile SCENE -o FILE.msc` compiles a scene"))
    })?;
    sources.add(path.display().to_string(), "");
    Ok(opened.scene)
}
