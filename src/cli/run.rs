//! `morse-sim run`: runs a scene.
mod arguments;
mod reloading;
pub(super) mod signals;

use std::{
    cell::RefCell,
    io::{IsTerminal as _, Write},
    path::Path,
    sync::{Arc, atomic::AtomicUsize},
};

use clap::CommandFactory as _;
use morse_api::{middleware::Failure, whole_file::write_whole};
use morse_diagnostics::{Diagnostic, Overlay, Style, nearest, printable, report::Report};
use serde_json::json;

pub use arguments::{Args, seconds};
use reloading::Reloading;

use super::{
    Cli, exit,
    messages::Messages,
    output,
    pictures::Pictures,
    profile,
    progress::Display,
    say, serve,
    summary::{Hashing, Subject, ending, error, failure_json, to_json, to_text},
    wall_time,
};
use crate::{
    run::{
        End, Limits, Pace, Progress, Watch,
        clock::Moment,
        guard::{Guard, SharedStage, Stage},
        profile::{Measured, Profiler},
        run_watched,
    },
    scene::known::KnownScenes,
    simulation::{
        BuildError, Extensions, Simulation, kinds,
        load::{self, Options, Plan},
    },
};

/// Runs the command. `extend` modifies the plan from the files.
pub fn run(
    args: &Args,
    extensions: Extensions,
    extend: &dyn Fn(&mut Plan),
    color: bool,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let style = if color { Style::Colored } else { Style::Plain };
    let messages = match Messages::new(&args.loudness, style, err) {
        Ok(messages) => RefCell::new(messages),
        Err(why) => {
            if args.json {
                say(out, failure_json(None, Some(&why), exit::ENVIRONMENT));
            }
            say(err, format_args!("error: {why}"));
            return exit::ENVIRONMENT;
        }
    };
    let guarded =
        signals::listen().and_then(|signal| Ok((signals::guard(args, signal.clone())?, signal)));
    let guarded = guarded.map_err(Refusal::Signals);
    let prepared = guarded.and_then(|(guard, signal)| {
        let prepared = prepare(args, extensions, extend, &messages, signal)?;
        Ok((prepared, guard))
    });
    let code = match prepared {
        Ok((prepared, guard)) => carry_out(args, prepared, &guard, &messages, out),
        Err(refusal) => refused(args, &refusal, &messages, out),
    };
    messages.into_inner().code(code)
}

/// Everything that a run requires.
struct Prepared<'a> {
    simulation: Simulation,
    reloading: Option<Reloading<'a>>,
    subject: Subject,
    limits: Limits,
    pictures: Pictures,
}

/// Reason why a run did not begin.
enum Refusal {
    Build(BuildError),
    /// Wrong arguments.
    Usage(String),
    Signals(std::io::Error),
    /// No thread can be started that watches the files.
    Watching(std::io::Error),
}

fn prepare<'a>(
    args: &'a Args,
    extensions: Extensions,
    extend: &'a dyn Fn(&mut Plan),
    messages: &RefCell<Messages<'_>>,
    signal: Arc<AtomicUsize>,
) -> Result<Prepared<'a>, Refusal> {
    let since = Moment::now();
    let plan = load_plan(args, extensions, extend).map_err(Refusal::Build)?;
    let watched = args.watch.then(|| plan.clone());
    let (mut simulation, subject) = build(args, extensions, plan).map_err(Refusal::Build)?;
    if let Some(why) = fixed_population(args) {
        simulation.refuse_changes(why);
    }
    let reloading = watched.map(|plan| Reloading::new(args, extensions, extend, plan, since));
    let reloading = reloading.transpose().map_err(Refusal::Watching)?;
    let messages = &mut *messages.borrow_mut();
    messages.report(simulation.warnings(), false);
    for notice in simulation.notices() {
        messages.notice(notice);
    }
    messages.detail(format_args!("files: {}", subject.files.join(", ")));
    let rate = simulation.clock().rate;
    messages.detail(format_args!(
        "seed {}, {rate} ticks a second, {} bodies and components",
        subject.seed,
        simulation.paths().len()
    ));
    for (middleware, what, port) in simulation.ports() {
        messages.detail(format_args!("port {port}: {middleware}, {what}"));
    }
    if args.hash == Hashing::Every {
        simulation.hash_every_tick();
    }
    let limits = limits(args, &simulation, signal);
    if limits.ticks.is_none() && std::io::stderr().is_terminal() {
        messages.notice(format_args!(
            "running {rate} ticks a second; end it with ctrl-C"
        ));
    }
    let pictures = Pictures::new(&simulation, args);
    let pictures = pictures.map_err(|error| Refusal::Usage(error.to_string()))?;
    Ok(Prepared {
        simulation,
        reloading,
        subject,
        limits,
        pictures,
    })
}

/// Returns the reason why robots cannot be added to a run or removed from it.
fn fixed_population(args: &Args) -> Option<&'static str> {
    if args.view {
        Some(
            "robots cannot be added or removed while a window shows the simulation; use the page of `--serve` instead",
        )
    } else if !(args.screenshot.is_empty() && args.video.is_empty()) {
        Some("robots cannot be added or removed in a run with `--screenshot` or `--video`")
    } else if args.profile {
        Some("robots cannot be added or removed in a run with `--profile`")
    } else {
        None
    }
}

/// Reports why nothing was run.
fn refused(
    args: &Args,
    refusal: &Refusal,
    messages: &RefCell<Messages<'_>>,
    out: &mut dyn Write,
) -> u8 {
    let messages = &mut *messages.borrow_mut();
    let (report, error, code) = match refusal {
        Refusal::Build(BuildError::Scene(report)) => {
            messages.report(report, true);
            let (errors, _) = report.counts();
            let noun = if errors == 1 { "error" } else { "errors" };
            let text = format!("{errors} {noun} found; nothing was run");
            messages.print_always(&text);
            (Some(report.as_ref()), text, code_of(report))
        }
        Refusal::Build(BuildError::Middleware(failure)) => {
            messages.error(failure);
            let (_, code) = ending(&End::Failure(failure.clone()));
            (None, failure.to_string(), code)
        }
        Refusal::Usage(why) => {
            messages.error(why);
            (None, why.clone(), exit::INPUT)
        }
        Refusal::Watching(error) => {
            let text = format!("the files cannot be watched: {error}");
            messages.error(&text);
            (None, text, exit::ENVIRONMENT)
        }
        Refusal::Signals(error) => {
            let text = format!("signals cannot be caught: {error}");
            messages.error(&text);
            (None, text, exit::ENVIRONMENT)
        }
    };
    if args.json {
        say(out, failure_json(report, Some(&error), code));
    }
    code
}

/// Returns the exit code of errors: a missing file of a middleware is an error of the environment.
fn code_of(report: &Report) -> u8 {
    let mut codes = report.error_codes();
    let is_any = report.has_errors();
    match is_any && codes.all(|code| code == "simulation::middleware-files") {
        true => exit::ENVIRONMENT,
        false => exit::INPUT,
    }
}

/// Runs to the end; returns the exit code.
fn carry_out(
    args: &Args,
    prepared: Prepared<'_>,
    guard: &Guard,
    messages: &RefCell<Messages<'_>>,
    out: &mut dyn Write,
) -> u8 {
    let Prepared {
        mut simulation,
        reloading,
        subject,
        mut limits,
        pictures,
    } = prepared;
    // Reading the files took some of the time.
    limits.timeout = limits
        .timeout
        .map(|all| all.saturating_sub(guard.elapsed()));
    let is_quiet = args.loudness.quiet;
    let mut watch = Onlooker {
        pictures,
        reloading,
        display: Display::new(args.progress, is_quiet, limits.ticks, messages),
        messages,
        stage: &guard.stage,
        profiler: args.profile.then(|| Profiler::attach(&mut simulation)),
        measured: None,
    };
    let rate = simulation.clock().rate;
    let (summary, mut end) = run_watched(simulation, &limits, &mut watch, &mut |warning| {
        messages.borrow_mut().warning(warning);
    });
    if let (End::TimedOut(seconds), Some(all)) = (&mut end, args.timeout) {
        *seconds = all;
    }
    watch.display.end(messages);
    let measured = watch.measured.take();
    let profile =
        measured.map(|all| all.profile(&summary, rate, profile::requested_pace(limits.pace)));
    let mut text = to_text(&summary, &end, &subject);
    if let Some(profile) = &profile {
        text = text + "\n" + &profile::to_text(profile);
        if let Some(warning) = profile::warning(profile, &summary, limits.pace) {
            messages.borrow_mut().warning(warning);
        }
    }
    if args.json {
        let mut object = to_json(&summary, &end, &subject);
        if let Some(profile) = profile {
            object["profile"] = json!(profile);
        }
        say(out, object);
    } else if !is_quiet {
        say(out, &text);
    }
    let messages = &mut *messages.borrow_mut();
    messages.time = None;
    messages.note(&text);
    if let Some(error) = error(&end) {
        messages.error(error);
    }
    ending(&end).1
}

/// Observes a run for the user: images, progress, and the time of messages.
struct Onlooker<'a, 'w> {
    pictures: Pictures,
    reloading: Option<Reloading<'a>>,
    display: Display,
    messages: &'a RefCell<Messages<'w>>,
    stage: &'a SharedStage,
    profiler: Option<Profiler>,
    measured: Option<Measured>,
}

impl Watch for Onlooker<'_, '_> {
    fn tick(&mut self, simulation: &mut Simulation) -> Result<(), Failure> {
        self.messages.borrow_mut().time = Some(simulation.seconds());
        self.stage.set(Stage::Ticking(simulation.tick()));
        match &mut self.profiler {
            Some(profiler) => profiler.picture(|| self.pictures.tick(simulation)),
            None => self.pictures.tick(simulation),
        }
    }

    fn end(&mut self, simulation: &mut Simulation) -> Result<(), Failure> {
        self.stage.set(Stage::Closing);
        let profiler = self.profiler.as_ref();
        self.measured = profiler.map(|profiler| profiler.read(simulation));
        self.pictures.end(simulation)
    }

    fn between_ticks(&mut self, simulation: &mut Simulation) -> bool {
        let reloading = self.reloading.as_mut();
        reloading.is_some_and(|reloading| reloading.look(simulation, self.messages))
    }

    fn progress(&mut self, progress: &Progress) {
        self.display.show(progress, self.messages);
    }
}

/// Reads the files and applies the arguments.
fn load_plan(
    args: &Args,
    extensions: Extensions,
    extend: &dyn Fn(&mut Plan),
) -> Result<Plan, BuildError> {
    let options = Options {
        set: args.set.clone(),
        seed: args.seed,
        allow_paths: args.allow_paths.clone(),
        overlay: Overlay::default(),
        strict: args.strict,
        strict_amino: args.strict_amino,
        descriptions: args.robots.descriptions(),
        threads: args.threads,
        renderer: args.renderer,
        memory: args.memory.budget(),
        scenes: KnownScenes::default(),
    };
    let kinds = kinds(extensions);
    let file = args.file.clone().unwrap_or_default();
    if let Some(report) = mistyped_command(&file) {
        return Err(BuildError::Scene(report));
    }
    let mut plan = load::load(&file, &options, &kinds)?;
    output::add(&mut plan, &args.output, &kinds)?;
    if let Some(address) = args.serve {
        let token = serve::token(args.token.as_deref(), args.token_file.as_deref())?;
        serve::add(&mut plan, address, token.as_deref(), &[], &kinds)?;
    }
    extend(&mut plan);
    Ok(plan)
}

fn build(
    args: &Args,
    extensions: Extensions,
    plan: Plan,
) -> Result<(Simulation, Subject), BuildError> {
    let subject = Subject {
        files: files(&plan),
        seed: plan.simulation.environment.seed,
        drawn: plan.simulation.drawn.clone(),
        floor: plan.floor.clone(),
    };
    let simulation = Simulation::build(plan, extensions)?;
    if let Some(path) = &args.port_file {
        write_ports(path, &simulation).map_err(|error| {
            let path = printable(&path.to_string_lossy());
            let text = format!("`{path}` cannot be written: {error}");
            BuildError::Middleware(Failure::Environment(text))
        })?;
    }
    Ok((simulation, subject))
}

/// Returns true for the name of a file, and false for an argument of the command line or a text that was made: `<text>`.
pub(super) fn is_file(name: &str) -> bool {
    !name.starts_with("--") && !name.starts_with('<')
}

/// Returns the files that were read, without the arguments of the command line.
pub(super) fn files(plan: &Plan) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for source in plan.sources.iter() {
        let name = source.name();
        if is_file(name) && !files.iter().any(|known| known == name) {
            files.push(name.to_owned());
        }
    }
    files
}

/// Returns a report if an argument is no file, but similar to a command.
pub(super) fn mistyped_command(file: &Path) -> Option<Box<Report>> {
    let word = file
        .to_str()
        .filter(|_| file.extension().is_none() && !file.exists())?;
    let mut line = Cli::command();
    line.build(); // it adds `help`
    let near = nearest(word, line.get_subcommands().map(clap::Command::get_name))?;
    let message = format!("there is no command and no file `{}`", printable(word));
    let problem = Diagnostic::error("usage::command", message);
    let mut report = Box::<Report>::default();
    report.add(
        [problem.help(format!("did you mean `morse-sim {near}`?"))],
        &Arc::default(),
    );
    Some(report)
}

/// Writes the ports.
fn write_ports(path: &Path, simulation: &Simulation) -> std::io::Result<()> {
    let ports: Vec<_> = simulation
        .ports()
        .into_iter()
        .map(|(middleware, what, port)| json!({ "middleware": middleware, "what": what, "port": port }))
        .collect();
    // In one operation, so that other programs never read an incomplete file.
    write_whole(path, |file| {
        writeln!(file, "{}", serde_json::Value::from(ports))
    })
}

fn limits(args: &Args, simulation: &Simulation, signal: Arc<AtomicUsize>) -> Limits {
    let rate = simulation.clock().rate;
    let ticks = args
        .steps
        .or(args.until.map(|seconds| (seconds * rate).round() as u64));
    let unlimited = if ticks.is_some() && !args.view {
        Pace::Max
    } else {
        Pace::RealTime(1.0)
    };
    Limits {
        ticks,
        pace: args.rtf.unwrap_or(unlimited),
        timeout: args.timeout.map(wall_time),
        signal,
        strict: args.strict,
    }
}
