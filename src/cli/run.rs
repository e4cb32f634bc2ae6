//! `morse-sim run`: run a scene.
use std::{
    cell::RefCell,
    io::{IsTerminal as _, Write},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize},
    },
};

use clap::{Args as ClapArgs, CommandFactory as _};
use morse_api::{middleware::Failure, render::RendererKind, whole_file::write_whole};
use morse_scene::{
    bounds::Bounds,
    diagnostic::{Diagnostic, Style, nearest, printable},
    report::Report,
};
use serde_json::json;
use signal_hook::consts::{SIGINT, SIGTERM};

use super::{
    Cli,
    camera_arguments::CameraArguments,
    exit,
    memory::MemoryArgument,
    messages::{Loudness, Messages},
    output,
    pictures::{PictureRequest, Pictures},
    progress::{self, Display},
    render::{renderer, size},
    say, serve,
    summary::{Hashing, Subject, ending, error, failure_json, to_json, to_text},
    wall_time,
};
use crate::{
    run::{End, Limits, Pace, Progress, Watch, run_watched},
    service::time::PACES,
    simulation::{
        BuildError, Extensions, Simulation, kinds,
        load::{self, Options, Plan},
    },
};

/// Run a scene (`.robray`) or a simulation file (`.ron`)
#[derive(Clone, Debug, ClapArgs)]
pub struct Args {
    /// The scene; `scenes/table.robray` also loads `scenes/table.ron`, where that exists
    #[arg(value_name = "FILE", required = true)]
    pub file: Option<PathBuf>,
    /// End after so many ticks
    #[arg(long, value_name = "N", alias = "iterations", conflicts_with = "until")]
    pub steps: Option<u64>,
    /// End after so much simulated time: 30s, 500ms, 2min
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub until: Option<f64>,
    /// Simulated seconds a second: max, 1, 0.5; default max when there is an end and no window, else 1
    #[arg(long, value_name = "FACTOR", value_parser = pace)]
    pub rtf: Option<Pace>,
    /// Instead of the seed in the file
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Threads for rays and images; the results do not depend on it
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub threads: usize,
    /// Renderer of pictures: software, or gpu (needs a program built with `--features viewer`)
    #[arg(long, value_name = "NAME", value_parser = renderer, default_value = "software")]
    pub renderer: RendererKind,
    /// Memory that sensors may take
    #[command(flatten)]
    pub memory: MemoryArgument,
    /// Put a value into the simulation file: environment.rate=120
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Write the readings of all sensors: text:DIRECTORY or csv:DIRECTORY
    #[arg(long, value_name = "KIND:WHERE")]
    pub output: Vec<String>,
    /// Show the simulation in a browser, at 127.0.0.1:8080 unless told otherwise
    #[arg(long, value_name = "ADDR:PORT", num_args = 0..=1, value_parser = serve::address)]
    #[arg(default_missing_value = serve::DEFAULT)]
    pub serve: Option<std::net::SocketAddr>,
    /// Token that browsers have to know; needed at addresses that other machines reach. Other users of this machine see what
    /// stands here: see `--token-file`, or set `MORSE_TOKEN`
    #[arg(long, value_name = "TEXT", requires = "serve")]
    pub token: Option<String>,
    /// Read the token from this file
    #[arg(
        long,
        value_name = "FILE",
        requires = "serve",
        conflicts_with = "token"
    )]
    pub token_file: Option<PathBuf>,
    /// Show the simulation in a window (needs a program built with `--features viewer`)
    #[arg(long, conflicts_with_all = ["screenshot", "video"])]
    pub view: bool,
    /// Take a picture of the window: t=5s:out.png; without a time, at the end
    #[arg(long, value_name = "[t=TIME:]FILE", requires = "view", value_parser = whole)]
    pub view_screenshot: Vec<PictureRequest>,
    /// Take a picture: t=5s:out.png, or t=5s:rover.video:out.png of a camera; without a time, at the end
    #[arg(long, value_name = "[t=TIME:][CAMERA:]FILE")]
    pub screenshot: Vec<PictureRequest>,
    /// Take a film: out.gif, out.mp4 (needs ffmpeg), or rover.video:out.gif of a camera
    #[arg(long, value_name = "[CAMERA:]FILE")]
    pub video: Vec<PictureRequest>,
    /// Viewpoint of pictures and films of the whole
    #[command(flatten)]
    pub from: CameraArguments,
    /// Go along with a robot or a body in pictures and films of the whole
    #[arg(long, value_name = "NAME")]
    pub follow: Option<String>,
    /// Columns and rows of pictures and films of the whole
    #[arg(long, value_name = "WxH", value_parser = size, default_value = "640x480")]
    pub size: (u32, u32),
    /// Give up after so much time by the wall clock: 30s, 5min; the exit code is then 124
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub timeout: Option<f64>,
    /// State that is hashed: the final one, or a chain of all, which takes time
    #[arg(long, value_name = "WHEN", value_enum, default_value = "final")]
    pub hash: Hashing,
    /// Print the summary as one JSON object, or what kept the run from beginning
    #[arg(long)]
    pub json: bool,
    /// Tell on stderr how far the run is
    #[arg(long, value_name = "FORM", value_enum, default_value = "auto")]
    pub progress: progress::Form,
    /// Messages that are wanted
    #[command(flatten)]
    pub loudness: Loudness,
    /// Take warnings for errors, and end the run when the physics loses a body
    #[arg(long)]
    pub strict: bool,
    /// Refuse the extensions of the scene language that amino does not know
    #[arg(long)]
    pub strict_amino: bool,
    /// Write the open ports to this file, as JSON, when the simulation is ready to begin
    #[arg(long, value_name = "FILE")]
    pub port_file: Option<PathBuf>,
    /// Trust the files in this directory too
    #[arg(long = "allow-path", value_name = "DIRECTORY")]
    pub allow_paths: Vec<PathBuf>,
}

/// Times of a run: some thirty years, or anything down to nothing.
const SECONDS: Bounds = Bounds::between(0.0, 1e9);

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches(char::is_alphabetic);
    let factor = match text.get(number.len()..).unwrap_or_default() {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "min" => 60.0,
        "h" => 3600.0,
        unit => return Err(format!("unknown unit `{unit}`; known: ms, s, min, h")),
    };
    match number.parse::<f64>() {
        Ok(value) if SECONDS.contains(value * factor) => Ok(value * factor),
        Ok(value) if value.is_finite() => Err(format!("a time is {SECONDS} seconds")),
        _ => Err("a time is a number and a unit, such as 30s".to_owned()),
    }
}

/// A picture of the whole.
fn whole(text: &str) -> Result<PictureRequest, String> {
    match text.parse()? {
        shot @ PictureRequest { camera: None, .. } => Ok(shot),
        PictureRequest { .. } => {
            Err("write it as t=5s:out.png; images of cameras are for `--screenshot`".to_owned())
        }
    }
}

fn pace(text: &str) -> Result<Pace, String> {
    match text.parse::<f64>() {
        _ if text == "max" => Ok(Pace::Max),
        Ok(factor) if PACES.contains(factor) => Ok(Pace::RealTime(factor)),
        _ => Err(format!(
            "a factor is `max` or a number from {PACES}, such as 1 or 0.5"
        )),
    }
}

/// Runs the command. `extend` adds to what was read from the files.
pub fn run(
    args: &Args,
    extensions: Extensions<'_>,
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
    let code = match prepare(args, extensions, extend, &messages) {
        Ok(prepared) => carry_out(args, prepared, &messages, out),
        Err(refusal) => refused(args, &refusal, &messages, out),
    };
    messages.into_inner().code(code)
}

/// Everything that a run needs.
struct Prepared {
    simulation: Simulation,
    subject: Subject,
    limits: Limits,
    pictures: Pictures,
}

/// Reason for which a run did not begin.
enum Refusal {
    Build(BuildError),
    /// Wrong arguments.
    Usage(String),
    Signals(std::io::Error),
}

fn prepare(
    args: &Args,
    extensions: Extensions<'_>,
    extend: &dyn Fn(&mut Plan),
    messages: &RefCell<Messages<'_>>,
) -> Result<Prepared, Refusal> {
    let (mut simulation, subject) = build(args, extensions, extend).map_err(Refusal::Build)?;
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
    let limits = limits(args, &simulation).map_err(Refusal::Signals)?;
    if limits.ticks.is_none() && std::io::stderr().is_terminal() {
        messages.notice(format_args!(
            "running {rate} ticks a second; end it with ctrl-C"
        ));
    }
    let pictures = Pictures::new(&simulation, args).map_err(Refusal::Usage)?;
    Ok(Prepared {
        simulation,
        subject,
        limits,
        pictures,
    })
}

/// Says why nothing was run.
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
            messages.tell_always(&text);
            (Some(report.as_ref()), text, exit::INPUT)
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

/// Runs to the end; returns the exit code.
fn carry_out(
    args: &Args,
    prepared: Prepared,
    messages: &RefCell<Messages<'_>>,
    out: &mut dyn Write,
) -> u8 {
    let Prepared {
        simulation,
        subject,
        limits,
        pictures,
    } = prepared;
    let is_quiet = args.loudness.quiet;
    let mut watch = Onlooker {
        pictures,
        display: Display::new(args.progress, is_quiet, limits.ticks, messages),
        messages,
    };
    let (summary, end) = run_watched(simulation, &limits, &mut watch, &mut |warning| {
        messages.borrow_mut().warning(warning);
    });
    watch.display.end(messages);
    let text = to_text(&summary, &end, &subject);
    if args.json {
        say(out, to_json(&summary, &end, &subject));
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

/// Looks at a run for the user: pictures, progress, and the time of messages.
struct Onlooker<'a, 'w> {
    pictures: Pictures,
    display: Display,
    messages: &'a RefCell<Messages<'w>>,
}

impl Watch for Onlooker<'_, '_> {
    fn tick(&mut self, simulation: &mut Simulation) -> Result<(), Failure> {
        self.messages.borrow_mut().time = Some(simulation.seconds());
        self.pictures.tick(simulation)
    }

    fn end(&mut self, simulation: &mut Simulation) -> Result<(), Failure> {
        self.pictures.end(simulation)
    }

    fn progress(&mut self, progress: &Progress) {
        self.display.tell(progress, self.messages);
    }
}

fn build(
    args: &Args,
    extensions: Extensions<'_>,
    extend: &dyn Fn(&mut Plan),
) -> Result<(Simulation, Subject), BuildError> {
    let options = Options {
        set: args.set.clone(),
        seed: args.seed,
        allow_paths: args.allow_paths.clone(),
        strict: args.strict,
        strict_amino: args.strict_amino,
        threads: args.threads,
        renderer: args.renderer,
        memory: args.memory.budget(),
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
        serve::add(&mut plan, address, token.as_deref(), &kinds)?;
    }
    extend(&mut plan);
    let subject = Subject {
        files: files(&plan),
        seed: plan.simulation.environment.seed,
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

/// Files that were read, without the arguments of the command line.
pub(super) fn files(plan: &Plan) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for source in plan.sources.iter() {
        let name = source.name();
        if !name.starts_with("--") && !files.iter().any(|known| known == name) {
            files.push(name.to_owned());
        }
    }
    files
}

/// A word that is no file, but nearly a command.
fn mistyped_command(file: &Path) -> Option<Box<Report>> {
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
    // In one go, so that nobody finds half of the file.
    write_whole(path, |file| {
        writeln!(file, "{}", serde_json::Value::from(ports))
    })
}

fn limits(args: &Args, simulation: &Simulation) -> std::io::Result<Limits> {
    let rate = simulation.clock().rate;
    let ticks = args
        .steps
        .or(args.until.map(|seconds| (seconds * rate).round() as u64));
    let unlimited = if ticks.is_some() && !args.view {
        Pace::Max
    } else {
        Pace::RealTime(1.0)
    };
    let signal = Arc::new(AtomicUsize::new(0));
    let is_second = Arc::new(AtomicBool::new(false));
    for number in [SIGINT, SIGTERM] {
        // A second signal ends the program at once: it is registered first, so that it sees the first one.
        signal_hook::flag::register_conditional_shutdown(number, 128 + number, is_second.clone())?;
        signal_hook::flag::register(number, is_second.clone())?;
        signal_hook::flag::register_usize(number, signal.clone(), number.unsigned_abs() as usize)?;
    }
    Ok(Limits {
        ticks,
        pace: args.rtf.unwrap_or(unlimited),
        timeout: args.timeout.map(wall_time),
        signal,
        strict: args.strict,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(seconds("30s"), Ok(30.0));
        assert_eq!(seconds("500ms"), Ok(0.5));
        assert_eq!(seconds("2min"), Ok(120.0));
        assert_eq!(seconds("1.5"), Ok(1.5));
        for bad in ["", "s", "-1s", "5 parsecs", "nan", "infs", "1e300h"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn paces() {
        assert_eq!(pace("max"), Ok(Pace::Max));
        assert_eq!(pace("0.5"), Ok(Pace::RealTime(0.5)));
        for bad in ["0", "fast", "inf", "1e-300", "1e300", "-1"] {
            assert!(pace(bad).is_err(), "{bad}");
        }
    }
}
