//! `morse-bench`: nine scenes that other simulators can run as well; measures their times, and checks their results.
//!
//! - `stack`, `fleet`, `arms`, `meshes`, `load`, `camera`, `tray`, `sweep`, `chain`: the scenes S1 to S9; `arena`, `iiwa` and `generator`: their
//!   contents;
//! - `world`: builds a world from files, as for users; `steps`: physics steps of a tick; `stopwatch` and `outcome`: measurements, and their output.
mod arena;
mod arms;
mod camera;
mod chain;
mod fleet;
mod generator;
mod iiwa;
mod load;
mod meshes;
mod outcome;
mod stack;
mod steps;
mod stopwatch;
mod sweep;
mod tray;
mod world;

use std::{
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Parser, ValueEnum};
use morse_scene::bounds::Bounds;
use morse_sim::{
    cli::{self, exit, say, usage::UsageError},
    simulation::{BuildError, Extensions, no_extensions},
};
use outcome::Outcome;

/// The program.
#[must_use]
pub fn main() -> ExitCode {
    cli::program(|args: Args, out, err| run(&args, &no_extensions, out, err))
}

/// Measure the speed of nine scenes, and check their results
#[derive(Clone, Debug, Parser)]
#[command(
    name = "morse-bench",
    version,
    after_help = "Exit codes: 0 all checks passed, 1 a check failed, 2 usage error, 3 environment, 4 simulation fault."
)]
struct Args {
    /// Scene to measure, or all scenes one after the other
    #[arg(value_name = "SCENE", default_value = "all", ignore_case = true)]
    scene: Choice,
    /// Number of cubes, robots, arms, bodies or boxes; by default 100, but 1000 in S5, 10 in S6 and S8, 5000 in S9
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    n: Option<u32>,
    /// Simulated time to measure; in S6 wall-clock time. Not for S5 and S9
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    seconds: Option<f64>,
    /// Threads for rays and images
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// Physics steps per tick, instead of the scene's own; not for S5 and S9
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    substeps: Option<u32>,
    /// Measure S1 or S4 with the fewest steps and iterations of the solver with which the check passes
    #[arg(long, conflicts_with = "substeps")]
    fewest: bool,
    /// Print one JSON object per scene, each on a line
    #[arg(long)]
    json: bool,
    /// Keep the files of the scenes in this directory
    #[arg(long, value_name = "DIRECTORY")]
    keep: Option<PathBuf>,
}

/// Scene to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Choice {
    /// Columns of ten cubes that stand
    #[value(name = "S1", alias = "stack")]
    Stack,
    /// Robots that drive in circles, each with a scanner of 360 rays at 10 Hz
    #[value(name = "S2", alias = "lidar_fleet")]
    LidarFleet,
    /// Arms with seven joints that follow sine waves at 240 Hz
    #[value(name = "S3", alias = "arm")]
    Arm,
    /// Convex meshes that fall into a box
    #[value(name = "S4", alias = "falling_meshes")]
    FallingMeshes,
    /// Static boxes: from the file to the end of the first tick
    #[value(name = "S5", alias = "load")]
    Load,
    /// Images of 640 by 480, colour and depth, among boxes
    #[value(name = "S6", alias = "camera")]
    Camera,
    /// Boxes on the tray of an arm that turns
    #[value(name = "S7", alias = "tray")]
    Tray,
    /// Boxes that an arm sweeps aside
    #[value(name = "S8", alias = "sweep")]
    Sweep,
    /// A chain of many links: its first tick
    #[value(name = "S9", alias = "chain")]
    Chain,
    /// All scenes
    All,
}

/// A scene.
struct Benchmark {
    choice: Choice,
    code: &'static str,
    name: &'static str,
    /// Default number of objects.
    count: u32,
    /// Default simulated time, s: for a few hundred objects, and for more.
    seconds: [f64; 2],
    run: fn(&Setup<'_>) -> Result<Outcome, Failed>,
}

const BENCHMARKS: [Benchmark; 9] = [
    Benchmark {
        choice: Choice::Stack,
        code: "S1",
        name: "stack",
        count: 100,
        seconds: [10.0, 3.0],
        run: stack::run,
    },
    Benchmark {
        choice: Choice::LidarFleet,
        code: "S2",
        name: "lidar_fleet",
        count: 100,
        seconds: [10.0, 2.0],
        run: fleet::run,
    },
    Benchmark {
        choice: Choice::Arm,
        code: "S3",
        name: "arm",
        count: 100,
        seconds: [10.0, 2.0],
        run: arms::run,
    },
    Benchmark {
        choice: Choice::FallingMeshes,
        code: "S4",
        name: "falling_meshes",
        count: 100,
        seconds: [5.0, 0.5],
        run: meshes::run,
    },
    Benchmark {
        choice: Choice::Load,
        code: "S5",
        name: "load",
        count: 1_000,
        seconds: [0.0, 0.0],
        run: load::run,
    },
    Benchmark {
        choice: Choice::Camera,
        code: "S6",
        name: "camera",
        count: 10,
        seconds: [2.0, 2.0],
        run: camera::run,
    },
    Benchmark {
        choice: Choice::Tray,
        code: "S7",
        name: "tray",
        count: 100,
        seconds: [3.0, 1.0],
        run: tray::run,
    },
    Benchmark {
        choice: Choice::Sweep,
        code: "S8",
        name: "sweep",
        count: 10,
        seconds: [4.0, 1.0],
        run: sweep::run,
    },
    Benchmark {
        choice: Choice::Chain,
        code: "S9",
        name: "chain",
        count: 5_000,
        seconds: [0.0, 0.0],
        run: chain::run,
    },
];

/// Number of objects from which the shorter time is measured.
const MANY: u32 = 500;

/// Maximum number of robots in the arena of S2 and S6, which has room for few more.
const ROBOTS: u32 = 1_500;

/// Valid times: from a tick up to an hour.
const SECONDS: Bounds = Bounds::between(0.001, 3600.0);

fn seconds(text: &str) -> Result<f64, UsageError> {
    match cli::run::seconds(text)? {
        value if SECONDS.contains(value) => Ok(value),
        _ => Err(format!("a measured time is {SECONDS} seconds").into()),
    }
}

/// Settings of a measurement.
struct Setup<'a> {
    /// Number of objects.
    n: usize,
    /// Measured time, s.
    seconds: f64,
    /// Threads for rays and images.
    threads: usize,
    /// Physics steps per tick, instead of the scene's own.
    substeps: Option<u32>,
    /// Fewest physics steps with which the check passes.
    fewest: bool,
    /// Directory of the scene's files.
    folder: &'a Path,
    extensions: Extensions,
}

impl Setup<'_> {
    /// Returns the number of measured ticks.
    fn ticks(&self, rate: f64) -> u64 {
        ((self.seconds * rate).round() as u64).max(1)
    }
}

/// Reason why a scene could not be measured.
#[derive(Debug, thiserror::Error)]
enum Failed {
    #[error("`{}` cannot be written: {}", .0.display(), .1)]
    Unwritable(PathBuf, std::io::Error),
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error("the world lacks {0}")]
    Lacks(String),
    #[error("a tick failed: {0}")]
    Step(String),
}

impl Failed {
    fn code(&self) -> u8 {
        match self {
            Self::Unwritable(..) => exit::ENVIRONMENT,
            Self::Build(_) => exit::INPUT,
            Self::Lacks(_) | Self::Step(_) => exit::SIMULATION,
        }
    }
}

/// Measures the scenes, one after the other; returns the exit code: 1 if a check failed.
fn run(args: &Args, extensions: Extensions, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    if let Err(why) = check_arguments(args) {
        say(err, format_args!("error: {why}"));
        return exit::INPUT;
    }
    let folder = match Folder::new(args.keep.as_deref()) {
        Ok(folder) => folder,
        Err(failed) => {
            say(err, format_args!("error: {failed}"));
            return failed.code();
        }
    };
    let mut code = exit::FINE;
    for benchmark in BENCHMARKS {
        if ![Choice::All, benchmark.choice].contains(&args.scene) {
            continue;
        }
        let setup = benchmark.setup(args, &folder.path, extensions);
        match (benchmark.run)(&setup) {
            Ok(outcome) => code = code.max(report(&benchmark, &setup, &outcome, args.json, out)),
            Err(failed) => {
                say(err, format_args!("error: {}: {failed}", benchmark.code));
                return failed.code();
            }
        }
    }
    code
}

/// Checks that options apply to the scene, unless all scenes are measured.
fn check_arguments(args: &Args) -> Result<(), String> {
    let has_robots = [Choice::LidarFleet, Choice::Camera, Choice::All].contains(&args.scene);
    if has_robots && args.n.is_some_and(|n| n > ROBOTS) {
        return Err(format!(
            "the arena of S2 and S6 has room for {ROBOTS} robots"
        ));
    }
    if [Choice::Chain, Choice::All].contains(&args.scene) && args.n == Some(1) {
        return Err("a chain of S9 has at least two links".to_owned());
    }
    let rests = [Choice::Stack, Choice::FallingMeshes].contains(&args.scene);
    if args.fewest && !rests {
        return Err("`--fewest` is for S1 and S4, whose results depend on the steps".to_owned());
    }
    let code = match args.scene {
        Choice::Load => "S5",
        Choice::Chain => "S9",
        _ => return Ok(()),
    };
    for (is_given, option) in [
        (args.seconds.is_some(), "--seconds"),
        (args.substeps.is_some(), "--substeps"),
    ] {
        if is_given {
            return Err(format!(
                "{code} makes a single tick: it has no use for `{option}`"
            ));
        }
    }
    Ok(())
}

impl Benchmark {
    fn setup<'a>(&self, args: &Args, folder: &'a Path, extensions: Extensions) -> Setup<'a> {
        let n = args.n.unwrap_or(self.count);
        let [few, many] = self.seconds;
        let usual = if n < MANY { few } else { many };
        Setup {
            n: n as usize,
            seconds: args.seconds.unwrap_or(usual),
            threads: args.threads,
            substeps: args.substeps,
            fewest: args.fewest,
            folder,
            extensions,
        }
    }
}

/// Prints the measurement; returns the exit code of the check.
fn report(
    benchmark: &Benchmark,
    setup: &Setup<'_>,
    outcome: &Outcome,
    as_json: bool,
    out: &mut dyn Write,
) -> u8 {
    if as_json {
        say(out, outcome.to_json(benchmark.name, setup));
    } else {
        let title = format!("{} {}", benchmark.code, benchmark.name);
        say(out, outcome.to_text(&title, setup));
    }
    if outcome.check.passed {
        exit::FINE
    } else {
        exit::VERDICT
    }
}

/// Directory of the scenes' files.
struct Folder {
    path: PathBuf,
    is_kept: bool,
}

impl Folder {
    /// Opens the directory to keep them in, or creates one that is removed at the end.
    fn new(kept: Option<&Path>) -> Result<Self, Failed> {
        let Some(kept) = kept else {
            return Self::of_its_own();
        };
        match std::fs::create_dir_all(kept) {
            Ok(()) => Ok(Self {
                path: kept.to_path_buf(),
                is_kept: true,
            }),
            Err(error) => Err(Failed::Unwritable(kept.to_path_buf(), error)),
        }
    }

    /// Creates a new directory. Existing entries with the same name are left alone.
    fn of_its_own() -> Result<Self, Failed> {
        let process = std::process::id();
        let mut number = 0;
        loop {
            let path = std::env::temp_dir().join(format!("morse-sim-bench-{process}-{number}"));
            match std::fs::create_dir(&path) {
                Ok(()) => {
                    return Ok(Self {
                        path,
                        is_kept: false,
                    });
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists && number < 1_000 => {
                    number += 1;
                }
                Err(error) => return Err(Failed::Unwritable(path, error)),
            }
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.is_kept {
            // A directory that cannot be removed remains among the temporary files.
            std::fs::remove_dir_all(&self.path).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outcome::Check;

    #[test]
    fn folders_of_its_own_are_new_and_go() {
        let [one, other] = [(); 2].map(|()| Folder::new(None).expect("a folder"));
        let paths = [&one, &other].map(|folder| folder.path.clone());
        assert!(paths[0] != paths[1] && paths.iter().all(|path| path.is_dir()));
        drop((one, other));
        assert!(paths.iter().all(|path| !path.exists()));
    }

    #[test]
    fn a_failed_check_is_said_and_fails_the_command() {
        let setup = Setup {
            n: 10,
            seconds: 1.0,
            threads: 1,
            substeps: None,
            fewest: false,
            folder: Path::new(""),
            extensions: &no_extensions,
        };
        for (passed, code, said) in [
            (true, exit::FINE, "\"check\":{\"passed\":true"),
            (false, exit::VERDICT, "\"check\":{\"passed\":false"),
        ] {
            let outcome = Outcome {
                ticks: 60,
                rate: 60.0,
                check: Check::new(passed),
                ..Outcome::default()
            };
            let mut out = Vec::new();
            assert_eq!(
                report(&BENCHMARKS[0], &setup, &outcome, true, &mut out),
                code
            );
            let line = String::from_utf8(out).unwrap();
            assert!(line.contains(said), "{line}");
            let mut out = Vec::new();
            report(&BENCHMARKS[0], &setup, &outcome, false, &mut out);
            let line = String::from_utf8(out).unwrap();
            assert_eq!(line.contains("CHECK FAILED"), !passed, "{line}");
        }
    }
}
