//! `morse-sim test`: scenarios with a verdict, run many times.
mod attempt;
mod parallel;
mod runs;
mod verdicts;

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
};

use clap::Args as ClapArgs;
use morse_diagnostics::{Diagnostic, Sources, printable_path, read_bytes, report::Report};
use morse_scene::{assets::Embedded, shipped::Shipped};
use morse_simulation_file::{FileLocation, Files, Scenario, Spanned, Term, read_scenario};

use self::verdicts::Verdicts;
pub(super) use self::{
    attempt::{Attempt, Outcome, attempt, try_out},
    parallel::{Event, run_all},
    runs::{Sweep, Values, Variant, seeds},
    verdicts::repeat,
};
use super::{
    check::Reading,
    exit,
    run::{self, signals},
    say, wall_time,
};
use crate::{
    run::guard::Guard,
    simulation::{Extensions, kinds, kinds::Kinds, load::shortened, most_threads},
};

/// Run scenarios, and report whether their conditions are met
#[derive(Clone, Debug, ClapArgs)]
pub struct Args {
    /// Scenarios (`.ron`): a simulation file, a duration, and conditions on data
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Runs of each scenario
    #[command(flatten)]
    pub sweep: Sweep,
    /// Number of simultaneous runs; by default the number of processors
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Threads for rays and images in each run; they do not change the results
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub threads: usize,
    /// Wall-clock time after which a run fails: 30s, 5min; reading its files included; instead of the scenario's own
    /// `timeout`
    #[arg(long, value_name = "TIME", value_parser = run::seconds)]
    pub timeout: Option<f64>,
    /// Write the results to this file as JUnit's XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Print one JSON object instead of lines
    #[arg(long)]
    pub json: bool,
    /// Keep logs and summaries of failed runs in this directory, a subdirectory each
    #[arg(long, value_name = "DIRECTORY", default_value = "out/failed")]
    pub keep: PathBuf,
    /// Options for reading the files
    #[command(flatten)]
    pub reading: Reading,
}

/// A scenario that was read.
pub(super) struct Loaded {
    /// File, as given in the arguments; the simulation file, if there are no conditions.
    pub(super) file: PathBuf,
    pub(super) scenario: Scenario,
    pub(super) simulation: PathBuf,
    /// Text of the scenario, for errors in its names.
    pub(super) sources: Arc<Sources>,
    /// Data to record at the end, by name.
    pub(super) record: Vec<(String, Spanned<Term>)>,
}

/// One run of a scenario.
pub(super) struct Case<'a> {
    /// Number among all runs: from 1, and in a batch from 0.
    pub(super) number: usize,
    pub(super) loaded: &'a Loaded,
    pub(super) variant: Variant,
}

impl Case<'_> {
    /// Wall-clock time of a run, s.
    fn timeout(&self, context: &Context<'_>) -> Option<f64> {
        context.args.timeout.or(self.loaded.scenario.timeout)
    }
}

/// State that all runs share.
pub(super) struct Context<'a> {
    pub(super) args: &'a Args,
    pub(super) kinds: &'a Kinds,
    pub(super) extensions: Extensions,
    /// Directory for the files of failed runs, if they are kept.
    pub(super) keep: Option<&'a Path>,
}

/// Runs the command and returns the exit code: 1 if a run failed.
pub fn run(args: &Args, extensions: Extensions, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let jobs = args.jobs.unwrap_or_else(|| {
        let processors = thread::available_parallelism();
        processors.map_or(1, std::num::NonZero::get)
    });
    if !(1..=most_threads()).contains(&jobs) {
        let text = format_args!(
            "error: `--jobs` is from 1 to {}, four times this machine's processors",
            most_threads()
        );
        say(err, text);
        return exit::INPUT;
    }
    let variants = match args.sweep.variants() {
        Ok(variants) => variants,
        Err(why) => {
            say(err, format_args!("error: {why}"));
            return exit::INPUT;
        }
    };
    let kinds = kinds(extensions);
    let context = Context {
        args,
        kinds: &kinds,
        extensions,
        keep: Some(&args.keep),
    };
    let loaded = match load(&context, variants.first().cloned().unwrap_or_default()) {
        Ok(loaded) => loaded,
        Err(report) => {
            write!(err, "{}", report.render(args.reading.style())).ok();
            say(err, "nothing was run");
            return exit::INPUT;
        }
    };
    let mut cases = Vec::new();
    for loaded in &loaded {
        for variant in &variants {
            cases.push(Case {
                number: cases.len() + 1,
                loaded,
                variant: variant.clone(),
            });
        }
    }
    let mut verdicts = Some(Verdicts::new(args));
    run_all(&context, &cases, jobs, &mut |event| match event {
        Event::Result(case, attempt) => {
            if let Some(verdicts) = &mut verdicts {
                verdicts.take(case, *attempt, out, err);
            }
        }
        Event::Stuck => {
            let code = verdicts
                .take()
                .map_or(exit::VERDICT, |all| all.end(out, err));
            out.flush().and_then(|()| err.flush()).ok();
            signal_hook::low_level::exit(code.into());
        }
    });
    verdicts.map_or(exit::VERDICT, |all| all.end(out, err))
}

/// Reads all scenarios, and checks their names.
fn load(context: &Context<'_>, variant: Variant) -> Result<Vec<Loaded>, Box<Report>> {
    let mut all = Report::default();
    let mut loaded = Vec::new();
    for file in &context.args.files {
        match read(file, &context.args.reading.allow_paths, Sources::default()) {
            Ok(scenario) => loaded.push(scenario),
            Err(report) => all.extend(*report),
        }
    }
    for loaded in &loaded {
        let case = Case {
            number: 0,
            loaded,
            variant: variant.clone(),
        };
        // Without a thread for it the time is not limited.
        let _guard = case.timeout(context).map(|timeout| guard(loaded, timeout));
        if let Err(report) = try_out(&case, context) {
            all.extend(*report);
        }
    }
    if all.is_empty() {
        Ok(loaded)
    } else {
        Err(Box::new(all))
    }
}

/// Starts a thread that ends the program if the files of a scenario are read for longer than this time (s).
fn guard(loaded: &Loaded, timeout: f64) -> io::Result<Guard> {
    let file = printable_path(&loaded.file.display().to_string());
    Guard::start(Arc::default(), Some(wall_time(timeout)), move |_, _| {
        let why = format!("the time was up ({timeout} s) before its simulation was built");
        signals::last_words(&format!("error: `{file}`: {why}; nothing was run"));
        signal_hook::low_level::exit(exit::TIMEOUT.into());
    })
}

/// Reads a scenario; its text is added to `sources`.
pub(super) fn read(
    file: &Path,
    allow_paths: &[PathBuf],
    mut sources: Sources,
) -> Result<Loaded, Box<Report>> {
    let name = file.display().to_string();
    let failed = |problems: Vec<Diagnostic>, sources: Sources| {
        let mut report = Report::default();
        report.add(problems, &Arc::new(sources));
        Box::new(report)
    };
    let bytes = match read_bytes(file) {
        Ok(bytes) => bytes,
        Err(error) => {
            let shown = printable_path(&name);
            let message = format!("cannot read `{shown}`: {error}");
            let problem = Diagnostic::error("load::unreadable", message);
            return Err(failed(vec![problem], sources));
        }
    };
    let scenario = match read_scenario(&name, &bytes, &mut sources) {
        Ok(scenario) => scenario,
        Err(problems) => return Err(failed(problems, sources)),
    };
    let simulation = match simulation_of(file, &scenario, allow_paths) {
        Ok(simulation) => simulation,
        Err(problem) => return Err(failed(vec![*problem], sources)),
    };
    Ok(Loaded {
        file: file.to_owned(),
        scenario,
        simulation,
        sources: Arc::new(sources),
        record: Vec::new(),
    })
}

/// Returns the simulation file that a scenario refers to, or that it lies next to: `drop.ron` for `drop.test.ron`.
pub(super) fn simulation_of(
    file: &Path,
    scenario: &Scenario,
    allow_paths: &[PathBuf],
) -> Result<PathBuf, Box<Diagnostic>> {
    let directory = file.parent().unwrap_or(Path::new(""));
    if let Some(named) = &scenario.simulation {
        let mut roots = vec![PathBuf::from(".")];
        roots.extend(allow_paths.iter().cloned());
        // The directory of the simulation file is trusted, whatever the working directory; files of other types are not.
        let simulation = directory.join(named.as_str());
        let ending = simulation.extension().and_then(|ending| ending.to_str());
        if ending.is_some_and(|ending| {
            [
                "ron", "robray", "urdf", "xacro", "xml", "mjcf", "sdf", "world",
            ]
            .contains(&ending)
        }) {
            roots.extend(simulation.parent().map(Path::to_path_buf));
        }
        let files = Files {
            directory,
            roots: &roots,
            assets: &Embedded,
        };
        return Ok(match files.find(named)? {
            FileLocation::Disk(path) => shortened(path),
            FileLocation::Asset(path) => Shipped::path(&path),
        });
    }
    let name = file.file_name().and_then(|name| name.to_str());
    let stem = name.and_then(|name| name.strip_suffix(".test.ron"));
    let beside = stem
        .map(|stem| [".ron", ".robray"].map(|ending| directory.join(format!("{stem}{ending}"))));
    let scene = beside.into_iter().flatten().find(|path| path.is_file());
    scene.ok_or_else(|| {
        let shown = printable_path(&file.display().to_string());
        let message =
            format!("`{shown}` refers to no simulation file, and there is none next to it");
        let problem = Diagnostic::error("load::scenario", message)
            .note("`drop.test.ron` tests `drop.ron` or `drop.robray` in the same directory");
        Box::new(problem.help("add `simulation: \"drop.ron\"`"))
    })
}
