//! `morse-prove`: checks whether runs are bit-identical, and writes a report.
//!
//! A program with kinds of its own proves its runs by [`main_with`].
//!
//! - `sizes`: amounts, from a minute to hours; `bench`: scenes, and common parts of all checks; `launch`: runs of the
//!   program as processes; `report`: results, as a file and as a table;
//! - `fresh`, `surroundings`, `observers`, `states`, `lockstep`, `independence`, `seeds`, `order`: one check each;
//! - `plant`: planted defects, which each check has to detect.
mod bench;
mod clients;
mod fresh;
mod independence;
mod launch;
mod lockstep;
mod observers;
mod order;
mod plant;
mod report;
mod seeds;
mod sizes;
mod states;
mod surroundings;

use std::{io::Write, path::PathBuf, process::ExitCode};

use bevy::prelude::App;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use morse_sim::{
    cli::{self, exit, say},
    run::clock::Stopwatch,
    simulation::{Extensions, keep, no_extensions},
};
use serde::Serialize;

use self::{
    bench::Bench,
    plant::Plant,
    report::{Finding, Proof},
    sizes::{QUICK, RELEASE, SMALLEST, STANDARD, Size},
};

/// Check whether runs are bit-identical on this machine, and write a report
#[derive(Parser)]
#[command(
    name = "morse-prove",
    version,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Exit codes: 0 all targets met, 1 a target missed, 2 usage or scene error, 3 environment."
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    args: Args,
}

#[derive(Subcommand)]
enum Command {
    /// Run a scene in a fresh process of a check
    #[command(hide = true)]
    Run(Box<launch::RunArgs>),
}

/// The program, with the built-in kinds.
#[must_use]
pub fn main() -> ExitCode {
    main_with(no_extensions)
}

/// The program, with kinds of one's own: it proves the runs of scenes that contain them.
///
/// ```no_run
/// # mod my_sensor { pub fn plugin(_: &mut bevy::prelude::App) {} }
/// fn main() -> std::process::ExitCode {
///     morse_prove::main_with(|app| {
///         app.add_plugins(my_sensor::plugin);
///     })
/// }
/// ```
#[must_use]
pub fn main_with(extensions: impl Fn(&mut App) + Sync + 'static) -> ExitCode {
    let extensions = keep(extensions);
    cli::program(|cli: Cli, out, err| match cli.command {
        Some(Command::Run(args)) => args.run(extensions, out, err),
        None => run(&cli.args, extensions, out, err),
    })
}

#[derive(Clone, Debug, ClapArgs)]
struct Args {
    /// Scenes and simulation files, instead of the three included ones
    #[arg(value_name = "SCENE")]
    scenes: Vec<PathBuf>,
    /// Take about two minutes (the default)
    #[arg(long, conflicts_with_all = ["standard", "release", "smallest"])]
    quick: bool,
    /// Take about ten minutes
    #[arg(long, conflicts_with_all = ["release", "smallest"])]
    standard: bool,
    /// Measure all promised figures, which takes an hour and more
    #[arg(long, conflicts_with = "smallest")]
    release: bool,
    /// Take seconds, for the program's own tests
    #[arg(long, hide = true)]
    smallest: bool,
    /// Run only these checks: D1,D6
    #[arg(long, value_name = "CHECK", value_delimiter = ',', ignore_case = true)]
    only: Vec<Check>,
    /// Write the report to this file
    #[arg(long, value_name = "FILE", default_value = "PROOF.json")]
    output: PathBuf,
    /// Plant defects, which have to be detected
    #[arg(long, value_name = "DEFECT", value_delimiter = ',', hide = true)]
    plant: Vec<Plant>,
}

impl Args {
    fn size(&self) -> &'static Size {
        match self {
            Self { smallest: true, .. } => &SMALLEST,
            Self { standard: true, .. } => &STANDARD,
            Self { release: true, .. } => &RELEASE,
            Self { .. } => &QUICK,
        }
    }
}

/// A check, by the number of its promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
enum Check {
    /// Fresh processes.
    #[value(name = "D1")]
    D1,
    /// Threads, load, environment.
    #[value(name = "D2")]
    D2,
    /// Observers.
    #[value(name = "D5")]
    D5,
    /// Reset, snapshot, fork.
    #[value(name = "D6")]
    D6,
    /// Clients that control the ticks.
    #[value(name = "D8")]
    D8,
    /// Noise of a sensor, whatever other components exist.
    #[value(name = "D9")]
    D9,
    /// Seeds.
    #[value(name = "D10")]
    D10,
    /// Order of the systems.
    #[value(name = "D11")]
    D11,
}

/// One result of a check.
struct Figure {
    /// Measured property.
    figure: String,
    target: String,
    measured: String,
    /// True if the target was met; `None` if it could not be measured on this machine.
    met: Option<bool>,
    /// Details: runs that differed, omitted measurements and their reasons.
    notes: Vec<String>,
}

impl Figure {
    /// Returns the result for runs that have to be equal.
    fn alike(
        figure: impl Into<String>,
        target: impl Into<String>,
        wrong: Vec<String>,
        of: usize,
    ) -> Self {
        let right = of - wrong.len();
        Self {
            figure: figure.into(),
            target: target.into(),
            measured: format!("{right} of {of}"),
            met: Some(wrong.is_empty() && of > 0),
            notes: wrong,
        }
    }
}

/// Results of a check, or the reason why there are none.
type Figures = Result<Vec<Figure>, String>;

impl Check {
    fn figures(self, bench: &Bench) -> Figures {
        match self {
            Self::D1 => fresh::check(bench),
            Self::D2 => surroundings::check(bench),
            Self::D5 => observers::check(bench),
            Self::D6 => states::check(bench),
            Self::D8 => lockstep::check(bench),
            Self::D9 => independence::check(bench),
            Self::D10 => seeds::check(bench),
            Self::D11 => order::check(bench),
        }
    }

    fn findings(self, bench: &Bench) -> Vec<Finding> {
        let watch = Stopwatch::start();
        let figures = self.figures(bench).unwrap_or_else(|why| {
            vec![Figure {
                figure: "the check as a whole".to_owned(),
                target: "it can be made".to_owned(),
                measured: "it failed".to_owned(),
                met: Some(false),
                notes: vec![why],
            }]
        });
        let seconds = watch.seconds() / figures.len().max(1) as f64;
        let figures = figures.into_iter();
        figures
            .map(|figure| Finding::new(self, figure, seconds))
            .collect()
    }
}

/// Runs the command and returns the exit code: 1 if a target was not met.
fn run(args: &Args, extensions: Extensions, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let bench = match Bench::new(args, extensions) {
        Ok(bench) => bench,
        Err((why, code)) => {
            say(err, format_args!("error: {why}"));
            return code;
        }
    };
    let checks = Check::value_variants().iter().copied();
    let checks = checks.filter(|check| args.only.is_empty() || args.only.contains(check));
    let mut proof = Proof::new(&bench, args);
    for check in checks {
        for finding in check.findings(&bench) {
            say(out, &finding);
            proof.add(finding);
        }
    }
    proof.end();
    say(out, proof.verdict());
    if let Err(why) = proof.write(&args.output) {
        say(err, format_args!("error: {why}"));
        return exit::ENVIRONMENT;
    }
    if proof.is_met() {
        exit::FINE
    } else {
        exit::VERDICT
    }
}
