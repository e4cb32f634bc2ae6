//! One run of a scenario: its verdicts and, if it failed, the files that are kept.
use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicUsize},
    time::Duration,
};

use morse_api::middleware::Failure;
use morse_diagnostics::{Diagnostic, Sources, Span, Style, report::Report};
use morse_simulation_file::Drawn;
use serde_json::Value as Json;

use super::{Case, Context, Loaded, verdicts};
use crate::{
    cli::{
        exit, output,
        summary::{ending, error},
        wall_time,
    },
    run::{
        End, Limits, Pace, Summary, Watch,
        guard::{Guard, SharedStage, Stage},
        run_watched,
    },
    scenario::{Commands, MisfitCommand, Monitor, Record, Unbound, Verdict},
    simulation::{
        BuildError, Simulation,
        load::{self, Options, Plan},
    },
};

/// End of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All conditions were met.
    Passed,
    /// A condition was not met, or the run did not reach its end.
    Failed,
    /// The run could not be made; with the exit code.
    Error(u8),
}

/// A completed run.
#[derive(Debug)]
pub(crate) struct Attempt {
    pub(crate) outcome: Outcome,
    /// Verdicts on the conditions that were decided.
    pub(crate) verdicts: Vec<Verdict>,
    /// Recorded data, by name, if the run was made to its end.
    pub(crate) recorded: Vec<(String, Json)>,
    /// Reason for an end that is not the scenario's.
    pub(crate) error: Option<String>,
    pub(crate) seed: Option<u64>,
    /// Values that were drawn from ranges of the simulation file.
    pub(crate) drawn: Vec<Drawn>,
    pub(crate) summary: Option<Summary>,
    pub(crate) warnings: Vec<String>,
    /// Directory of the files that were kept.
    pub(crate) kept: Option<PathBuf>,
    /// Reason why they could not be kept.
    pub(crate) lost: Option<String>,
}

/// Reads and builds a case without running it. Returns the texts of its files.
pub(crate) fn try_out(case: &Case<'_>, context: &Context<'_>) -> Result<Arc<Sources>, Box<Report>> {
    let plan = plan(case, context)?;
    let sources = Arc::clone(&plan.sources);
    match ready(case, plan, context) {
        // A resource that a middleware lacks may be available when the run starts.
        Ok(_) | Err(Unready::Build(BuildError::Middleware(_))) => Ok(sources),
        Err(Unready::Build(BuildError::Scene(report))) => Err(report),
        Err(Unready::Condition(unbound)) => {
            let problem = Diagnostic::error("simulation::condition", unbound.to_string());
            let problem = match unbound.span {
                Some(span) => problem.at(span, ""),
                None => problem,
            };
            Err(report(case.loaded, problem))
        }
        Err(Unready::Record { why, span }) => {
            let problem = Diagnostic::error("simulation::condition", why);
            let problem = match span {
                Some(span) => problem.at(span, ""),
                None => problem,
            };
            Err(report(case.loaded, problem))
        }
        Err(Unready::Command(misfit)) => {
            let problem = Diagnostic::error("simulation::command", misfit.message);
            let problem = match misfit.span {
                Some(span) => problem.at(span, ""),
                None => problem,
            };
            Err(report(case.loaded, problem))
        }
    }
}

fn report(loaded: &Loaded, problem: Diagnostic) -> Box<Report> {
    let mut report = Report::default();
    report.add([problem], &loaded.sources);
    Box::new(report)
}

/// Makes the run and, if it failed and its files are kept, repeats it with logs. The repetition has the same results, so runs that pass have no
/// cost of logging. `cut_off` is called with the result of a run that does not end although its time is up.
pub(crate) fn attempt(
    case: &Case<'_>,
    context: &Context<'_>,
    cut_off: impl Fn(Attempt) + Send + 'static,
) -> Attempt {
    let timeout = case.timeout(context).map(wall_time);
    let cut_off = move |_, stage| cut_off(Attempt::cut_off(timeout, stage));
    let guard = timeout.map(|_| Guard::start(Arc::default(), timeout, cut_off));
    let guard = match guard.transpose() {
        Ok(guard) => guard,
        Err(error) => {
            let why = format!("the system cannot start a thread: {error}");
            return Attempt::failed(exit::ENVIRONMENT, why);
        }
    };
    let made = catch_unwind(AssertUnwindSafe(|| make(case, context, guard.as_ref())));
    drop(guard);
    let mut attempt = made.unwrap_or_else(|_| Attempt {
        outcome: Outcome::Failed,
        ..Attempt::failed(exit::SIMULATION, "a part of the program panicked".into())
    });
    if attempt.outcome != Outcome::Passed
        && let Some(keep_in) = context.keep
    {
        let directory = verdicts::folder(case, keep_in);
        let kept = catch_unwind(AssertUnwindSafe(|| {
            keep(case, context, &attempt, &directory)
        }));
        // If the panic is repeated, the log up to then is kept.
        match kept.unwrap_or(Ok(())) {
            Ok(()) => attempt.kept = Some(directory),
            Err(why) => attempt.lost = Some(why),
        }
    }
    attempt
}

impl Attempt {
    /// The result of a run that does not end.
    fn cut_off(timeout: Option<Duration>, stage: Stage) -> Self {
        let progress = match stage {
            Stage::Loading => "reading its files took too long".to_owned(),
            Stage::Ticking(made) => format!("tick {} took too long", made.saturating_add(1)),
            Stage::Closing => "its outputs took too long to close".to_owned(),
        };
        let seconds = timeout.unwrap_or_default().as_secs_f64();
        Self {
            outcome: Outcome::Failed,
            ..Self::failed(
                exit::TIMEOUT,
                format!("the time was up ({seconds} s): {progress}; nothing is kept"),
            )
        }
    }

    fn failed(code: u8, error: String) -> Self {
        Self {
            outcome: Outcome::Error(code),
            verdicts: Vec::new(),
            recorded: Vec::new(),
            error: Some(error),
            seed: None,
            drawn: Vec::new(),
            summary: None,
            warnings: Vec::new(),
            kept: None,
            lost: None,
        }
    }
}

fn plan(case: &Case<'_>, context: &Context<'_>) -> Result<Plan, Box<Report>> {
    let args = context.args;
    let mut set = case.loaded.scenario.set.clone();
    set.extend(args.sweep.set.iter().cloned());
    set.extend(case.variant.swept.iter().cloned());
    let options = Options {
        set,
        seed: case.variant.seed,
        threads: args.threads,
        ..args.reading.load_options()
    };
    let mut plan = load::load(&case.loaded.simulation, &options, context.kinds)?;
    // Simultaneous runs cannot use the same ports and files.
    plan.simulation.disconnect();
    Ok(plan)
}

/// Reason why a run cannot begin.
enum Unready {
    Build(BuildError),
    Condition(Unbound),
    Command(MisfitCommand),
    /// Data to record that the simulation does not have.
    Record {
        why: String,
        span: Option<Span>,
    },
}

/// Observer of a run that evaluates the conditions.
struct Judge {
    monitor: Option<Monitor>,
    commands: Commands,
    /// Verdicts that were decided before the end.
    decided: Vec<Verdict>,
    verdicts: Vec<Verdict>,
    records: Vec<Record>,
    recorded: Vec<(String, Json)>,
    /// False if there is no condition that could be decided.
    has_conditions: bool,
    refused: Option<String>,
    stage: SharedStage,
}

impl Watch for Judge {
    fn tick(&mut self, simulation: &mut Simulation) -> Result<(), Failure> {
        self.stage.set(Stage::Ticking(simulation.tick()));
        if let Some(monitor) = &mut self.monitor
            && simulation.tick() > 0
        {
            monitor.look(simulation);
        }
        if let Err(misfit) = self.commands.give(simulation) {
            self.refused = Some(misfit.to_string());
        }
        Ok(())
    }

    fn end(&mut self, simulation: &mut Simulation) -> Result<(), Failure> {
        self.stage.set(Stage::Closing);
        if let Some(monitor) = self.monitor.take() {
            self.decided = monitor.decided();
            self.verdicts = monitor.end(simulation);
        }
        let records = self.records.iter();
        self.recorded = records.map(|record| record.read(simulation)).collect();
        Ok(())
    }

    fn is_done(&self) -> bool {
        let is_decided = self.monitor.as_ref().is_some_and(Monitor::is_decided);
        (self.has_conditions && is_decided) || self.refused.is_some()
    }
}

fn ready(
    case: &Case<'_>,
    plan: Plan,
    context: &Context<'_>,
) -> Result<(Simulation, Judge), Unready> {
    let simulation = Simulation::build(plan, context.extensions).map_err(Unready::Build)?;
    let scenario = &case.loaded.scenario;
    let conditions = scenario.conditions.iter();
    let conditions = conditions.map(|(name, condition)| (name.value.clone(), condition.clone()));
    let monitor = Monitor::new(&simulation, conditions).map_err(Unready::Condition)?;
    let commands =
        Commands::new(&simulation, scenario.commands.clone()).map_err(Unready::Command)?;
    let records = case.loaded.record.iter();
    let records = records.map(|(name, term)| {
        Record::new(&simulation, name, &term.value).map_err(|error| Unready::Record {
            why: format!("record `{name}`: {error}"),
            span: term.span,
        })
    });
    let judge = Judge {
        monitor: Some(monitor),
        commands,
        decided: Vec::new(),
        verdicts: Vec::new(),
        records: records.collect::<Result<_, _>>()?,
        recorded: Vec::new(),
        has_conditions: !scenario.conditions.is_empty(),
        refused: None,
        stage: SharedStage::default(),
    };
    Ok((simulation, judge))
}

impl Unready {
    fn attempt(self) -> Attempt {
        let (code, error) = match self {
            Self::Build(BuildError::Scene(report)) => (exit::INPUT, report.render(Style::Plain)),
            Self::Build(BuildError::Middleware(failure)) => {
                (exit::ENVIRONMENT, failure.to_string())
            }
            Self::Condition(unbound) => (exit::INPUT, unbound.to_string()),
            Self::Command(misfit) => (exit::INPUT, misfit.to_string()),
            Self::Record { why, .. } => (exit::INPUT, why),
        };
        Attempt::failed(code, error)
    }
}

fn make(case: &Case<'_>, context: &Context<'_>, guard: Option<&Guard>) -> Attempt {
    let plan = match plan(case, context) {
        Ok(plan) => plan,
        Err(report) => return Attempt::failed(exit::INPUT, report.render(Style::Plain)),
    };
    let seed = plan.simulation.environment.seed;
    let drawn = plan.simulation.drawn.clone();
    let (simulation, mut judge) = match ready(case, plan, context) {
        Ok(ready) => ready,
        Err(unready) => {
            return Attempt {
                seed: Some(seed),
                drawn,
                ..unready.attempt()
            };
        }
    };
    let scenario = &case.loaded.scenario;
    let ticks = (scenario.length * simulation.clock().rate).round() as u64;
    let timeout = case.timeout(context);
    let mut limits = limits(ticks, timeout);
    if let (Some(guard), Some(all)) = (guard, &mut limits.timeout) {
        // Reading the files took some of the time.
        *all = all.saturating_sub(guard.elapsed());
        judge.stage = guard.stage.clone();
    }
    let mut warnings = Vec::new();
    let (summary, mut end) = run_watched(simulation, &limits, &mut judge, &mut |warning| {
        warnings.push(warning.to_owned());
    });
    if let (End::TimedOut(seconds), Some(all)) = (&mut end, timeout) {
        *seconds = all;
    }
    let error = judge.refused.take().or_else(|| error(&end));
    let is_whole = error.is_none() && end == End::Done;
    // Conditions that were not decided before the end of an aborted run are unknown.
    let verdicts = if is_whole {
        judge.verdicts
    } else {
        judge.decided
    };
    let outcome = match &end {
        _ if is_whole && verdicts.iter().all(|verdict| verdict.passed) => Outcome::Passed,
        End::Failure(_) | End::LockstepLost(_) => Outcome::Error(ending(&end).1),
        _ => Outcome::Failed,
    };
    Attempt {
        outcome,
        verdicts,
        recorded: judge.recorded,
        error,
        seed: Some(seed),
        drawn,
        summary: Some(summary),
        warnings,
        kept: None,
        lost: None,
    }
}

fn limits(ticks: u64, timeout: Option<f64>) -> Limits {
    Limits {
        ticks: Some(ticks),
        pace: Pace::Max,
        timeout: timeout.map(wall_time),
        signal: Arc::new(AtomicUsize::new(0)),
        // After the physics has lost a body, the data are no basis for a verdict.
        strict: true,
    }
}

/// Writes the logs of all sensors, the summary, and the messages to a directory.
fn keep(
    case: &Case<'_>,
    context: &Context<'_>,
    attempt: &Attempt,
    directory: &Path,
) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("`{}`: {error}", directory.display());
    // Files of an earlier test are removed.
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    fs::create_dir_all(directory).map_err(failed)?;
    let mut object = verdicts::to_json(case, context.args, attempt);
    object["kept"] = directory.display().to_string().into();
    let text = format!("{object:#}\n");
    fs::write(directory.join("summary.json"), text).map_err(failed)?;
    let text = verdicts::to_text(case, context.args, attempt);
    fs::write(directory.join("messages.txt"), text).map_err(failed)?;
    match &attempt.summary {
        Some(summary) => log(case, context, summary.steps, directory),
        None => Ok(()),
    }
}

/// Repeats the run, with logs.
fn log(case: &Case<'_>, context: &Context<'_>, ticks: u64, directory: &Path) -> Result<(), String> {
    let mut plan = plan(case, context).map_err(|report| report.to_string())?;
    let output = format!("csv:{}", directory.join("log").display());
    output::add(&mut plan, &[output], context.kinds).map_err(|report| report.to_string())?;
    let (simulation, mut judge) = match ready(case, plan, context) {
        Ok(ready) => ready,
        Err(Unready::Build(error)) => return Err(error.to_string()),
        Err(Unready::Condition(error)) => return Err(error.to_string()),
        Err(Unready::Command(error)) => return Err(error.to_string()),
        Err(Unready::Record { why, .. }) => return Err(why),
    };
    // Everything until the same tick, whatever the conditions.
    judge.monitor = None;
    match run_watched(simulation, &limits(ticks, None), &mut judge, &mut |_| {}) {
        (_, End::Failure(failure)) => Err(failure.to_string()),
        _ => Ok(()),
    }
}
