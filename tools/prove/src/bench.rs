//! Common parts of all checks: scenes, a directory, and worlds with or without planted defects.
use std::{
    env, fs,
    path::{Path, PathBuf},
};

use super::{Args, exit, plant::Plant, sizes::Size};
use morse_sim::simulation::{
    Extensions, Simulation, keep, kinds,
    kinds::Kinds,
    load::{self, Options, Plan},
};

/// An included scene: its name, its purpose, and its files.
struct Own {
    name: &'static str,
    files: &'static [(&'static str, &'static str)],
}

/// Default scenes: contacts and joints; two hundred robots with noise; a flight with a scanner and a camera.
const OWN: [Own; 3] = [
    Own {
        name: "ground.ron",
        files: &[
            (
                "ground.ron",
                include_str!("../../../scenes/gallery/ground.ron"),
            ),
            (
                "car.robray",
                include_str!("../../../scenes/gallery/car.robray"),
            ),
        ],
    },
    Own {
        name: "swarm.ron",
        files: &[
            ("swarm.ron", include_str!("../../../scenes/swarm.ron")),
            ("swarm.robray", include_str!("../../../scenes/swarm.robray")),
        ],
    },
    Own {
        name: "inspection.ron",
        files: &[(
            "inspection.ron",
            include_str!("../../../scenes/inspection.ron"),
        )],
    },
];

/// A scene to run.
pub(super) struct Scene {
    /// Name for users.
    pub(super) name: String,
    /// Absolute path of its file.
    pub(super) path: PathBuf,
    /// Ticks per second.
    rate: f64,
}

impl Scene {
    /// Returns the number of ticks in a simulated time, s.
    pub(super) fn ticks(&self, seconds: f64) -> u64 {
        ((seconds * self.rate).round() as u64).max(6)
    }

    /// Returns the simulated time of a number of ticks, s.
    pub(super) fn seconds(&self, ticks: u64) -> f64 {
        ticks as f64 / self.rate
    }
}

/// A directory that is removed at the end.
pub(super) struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        let name = format!("morse-sim-prove-{}", std::process::id());
        let path = env::temp_dir().join(name);
        fs::create_dir_all(&path)?;
        // Absolute path, independent of the working directory.
        Ok(Self(path.canonicalize()?))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Creates a subdirectory.
    pub(super) fn inner(&self, name: &str) -> Result<PathBuf, String> {
        let path = self.0.join(name);
        let made = fs::create_dir_all(&path);
        made.map_err(|error| format!("`{}`: {error}", path.display()))?;
        Ok(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A directory that cannot be removed remains among the temporary files.
        fs::remove_dir_all(&self.0).ok();
    }
}

/// Common parts of all checks.
pub(super) struct Bench {
    pub(super) size: &'static Size,
    pub(super) scenes: Vec<Scene>,
    pub(super) plants: Vec<Plant>,
    pub(super) kinds: Kinds,
    pub(super) folder: Folder,
    /// Path of this program.
    pub(super) program: PathBuf,
    extensions: Extensions,
}

impl Bench {
    /// Prepares the scenes.
    ///
    /// # Errors
    ///
    /// A scene cannot be read, or no directory can be created: the reason, and the exit code.
    pub(super) fn new(args: &Args, extensions: Extensions) -> Result<Self, (String, u8)> {
        let environment = |error: std::io::Error| (error.to_string(), exit::ENVIRONMENT);
        let folder = Folder::new().map_err(environment)?;
        let mut bench = Self {
            size: args.size(),
            scenes: Vec::new(),
            plants: args.plant.clone(),
            kinds: kinds(extensions),
            folder,
            program: env::current_exe().map_err(environment)?,
            extensions,
        };
        let mut paths = args.scenes.clone();
        if paths.is_empty() {
            for own in OWN {
                for (name, text) in own.files {
                    fs::write(bench.folder.path().join(name), text).map_err(environment)?;
                }
                paths.push(bench.folder.path().join(own.name));
            }
        }
        for path in paths {
            let shown = path.display().to_string();
            let unreadable = |error| (format!("`{shown}`: {error}"), exit::INPUT);
            let path = path.canonicalize().map_err(unreadable)?;
            let plan = bench.read(&path, 1).map_err(|why| (why, exit::INPUT))?;
            let name = path
                .file_name()
                .map_or(shown, |name| name.to_string_lossy().into_owned());
            bench.scenes.push(Scene {
                name,
                rate: plan.simulation.environment.rate.value,
                path,
            });
        }
        Ok(bench)
    }

    fn read(&self, path: &Path, threads: usize) -> Result<Plan, String> {
        let options = Options {
            threads,
            ..Options::default()
        };
        let plan = load::load(path, &options, &self.kinds);
        let mut plan = plan.map_err(|report| report.to_string())?;
        plan.simulation.disconnect();
        self.spoil(&mut plan);
        Ok(plan)
    }

    /// Returns the plan of a scene without its middlewares.
    pub(super) fn plan(&self, scene: &Scene, threads: usize) -> Result<Plan, String> {
        self.read(&scene.path, threads)
    }

    /// Returns the plan of a world from its text.
    pub(super) fn parse(&self, text: &str, seed: u64) -> Result<Plan, String> {
        let options = Options {
            seed: Some(seed),
            ..Options::default()
        };
        let plan = load::parse(text, self.folder.path(), &options, &self.kinds);
        let mut plan = plan.map_err(|report| report.to_string())?;
        self.spoil(&mut plan);
        Ok(plan)
    }

    /// Plants defects in the reading of files.
    fn spoil(&self, plan: &mut Plan) {
        self.plants.iter().for_each(|plant| plant.spoil(plan));
    }

    /// Builds the world of a plan, whose hash is chained over all ticks.
    pub(super) fn build(&self, plan: Plan) -> Result<Simulation, String> {
        let threads = plan.threads;
        let (others, plants) = (self.extensions, self.plants.clone());
        let extensions = keep(move |app| {
            others(app);
            for plant in &plants {
                plant.plugin(app, threads);
            }
        });
        let simulation = Simulation::build(plan, extensions);
        let mut simulation = simulation.map_err(|error| error.to_string())?;
        simulation.hash_every_tick();
        Ok(simulation)
    }

    /// Builds the world of a scene.
    pub(super) fn open(&self, scene: &Scene) -> Result<Simulation, String> {
        self.build(self.plan(scene, 1)?)
    }

    /// Returns the hashes of a reference run, before the first tick and after each.
    pub(super) fn undisturbed(&self, scene: &Scene, ticks: u64) -> Result<Vec<u128>, String> {
        let mut simulation = self.open(scene)?;
        let mut hashes = vec![simulation.state_hash()];
        for _ in 0..ticks {
            step(&mut simulation)?;
            hashes.push(simulation.state_hash());
        }
        Ok(hashes)
    }
}

/// Advances by one tick.
pub(super) fn step(simulation: &mut Simulation) -> Result<(), String> {
    simulation.step().map_err(|lost| lost.to_string())
}
