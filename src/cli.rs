//! The command line: arguments, their meaning, and exit codes. One file per command.
pub mod batch;
mod cache;
mod camera_arguments;
pub mod check;
pub mod compile;
pub mod convert;
pub mod describe;
pub mod fmt;
pub mod inspect;
pub mod list;
pub mod lsp;
pub mod memory;
pub mod messages;
pub mod new;
pub mod output;
pub mod pictures;
mod profile;
pub mod progress;
pub mod render;
mod results;
pub mod robot_arguments;
pub mod run;
pub mod serve;
pub mod shell;
mod summary;
pub mod test;
pub mod usage;
#[cfg(feature = "viewer")]
pub mod view;

use std::{
    ffi::OsString,
    io::{ErrorKind, IsTerminal as _, Write},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use bevy::prelude::App;
use clap::{Parser, Subcommand};

use crate::simulation::{Extensions, keep, no_extensions};
use results::Results;

/// Exit codes of the program.
pub mod exit {
    /// All is well.
    pub const FINE: u8 = 0;
    /// A verdict failed: `fmt --check` found something to tidy, a condition of `test` was not met.
    pub const VERDICT: u8 = 1;
    /// Wrong usage, an error in a scene, or an input file that cannot be read.
    pub const INPUT: u8 = 2;
    /// The environment: an output, a port, the disk.
    pub const ENVIRONMENT: u8 = 3;
    /// The simulation itself failed.
    pub const SIMULATION: u8 = 4;
    /// A peer was lost, or a lockstep observer did not answer in time.
    pub const PEER: u8 = 5;
    /// The time by the wall clock was up: as `timeout` of the shell says it.
    pub const TIMEOUT: u8 = 124;
    /// A signal ended the run: this plus the signal's number.
    pub const SIGNAL: u8 = 128;
}

/// A headless, deterministic robot simulator.
#[derive(Parser)]
#[command(
    name = "morse-sim",
    version,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
#[command(
    after_help = "Exit codes: 0 fine, 1 verdict failed, 2 usage or scene error, 3 environment, 4 simulation fault, \
    5 peer lost, 124 out of time, 130, 143 and 129 after SIGINT, SIGTERM and SIGHUP."
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    run: run::Args,
    /// Compute the convex hulls of meshes again, and store none in the user's cache directory
    #[arg(long, global = true)]
    no_cache: bool,
}

#[derive(Subcommand)]
enum Command {
    Run(Box<run::Args>),
    Test(Box<test::Args>),
    Batch(Box<batch::Args>),
    Check(check::Args),
    Compile(compile::Args),
    Convert(convert::Args),
    Inspect(inspect::Args),
    Render(render::Args),
    List(list::Args),
    Describe(describe::Args),
    Fmt(fmt::Args),
    Lsp(lsp::Args),
    New(new::Args),
    Completions(shell::Completions),
    Man(shell::Man),
}

/// The whole command line with the built-in components and middlewares.
#[must_use]
pub fn main() -> ExitCode {
    main_with(no_extensions)
}

/// The whole command line with extensions of one's own: sensors, actuators, modifiers, middlewares.
///
/// ```no_run
/// # mod my_sensor { pub fn plugin(_: &mut bevy::prelude::App) {} }
/// fn main() -> std::process::ExitCode {
///     morse_sim::cli::main_with(|app| {
///         app.add_plugins(my_sensor::plugin);
///     })
/// }
/// ```
#[must_use]
pub fn main_with(extensions: impl Fn(&mut App) + Sync + 'static) -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    main_from(&arguments, extensions).into()
}

/// The whole command line with given arguments, of which the first one is the program's name, for a host such as an
/// interpreter. Returns the exit code.
#[must_use]
pub fn main_from(arguments: &[OsString], extensions: impl Fn(&mut App) + Sync + 'static) -> u8 {
    let extensions = keep(extensions);
    heed_file_limits();
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => return help(&error, arguments.get(1).cloned()),
    };
    if let (false, Some(cache)) = (cli.no_cache, cache::directory()) {
        morse_physics::hull_cache::enable(cache.join("hulls"));
    }
    let command = cli
        .command
        .unwrap_or_else(|| Command::Run(Box::new(cli.run)));
    if let Command::Run(args) = &command
        && args.view
    {
        return show(args, extensions);
    }
    // The server writes to stdout itself.
    if let Command::Lsp(args) = &command {
        return lsp::run(args, extensions);
    }
    with_results(|out, err| dispatch(command, extensions, out, err))
}

/// A program with other arguments, such as `morse-prove`: parses them, runs the command with stdout and stderr, and returns
/// its exit code. Results that cannot be written are an error.
#[must_use]
pub fn program<A: Parser>(
    command: impl FnOnce(A, &mut dyn Write, &mut dyn Write) -> u8,
) -> ExitCode {
    heed_file_limits();
    match A::try_parse() {
        Ok(arguments) => with_results(|out, err| command(arguments, out, err)).into(),
        Err(error) => help(&error, None).into(),
    }
}

/// Runs a command with stdout and stderr. Neither is locked: components on other threads may print, and the message of a panic
/// there would wait for ever.
fn with_results(command: impl FnOnce(&mut dyn Write, &mut dyn Write) -> u8) -> u8 {
    let (out, mut err) = (std::io::stdout(), std::io::stderr());
    let mut out = Results::new(out);
    let code = command(&mut out, &mut err);
    out.code(code, &mut err)
}

/// A file that may not grow any more (`ulimit -f`) is an error, as a full disk is, rather than the end of the
/// program.
fn heed_file_limits() {
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default()).ok();
}

/// Prints help, or the errors of the arguments.
fn help(error: &clap::Error, first: Option<OsString>) -> u8 {
    if error.use_stderr() {
        let first = first.unwrap_or_default();
        // The second word has no place where the first one is no command.
        match run::mistyped_command(first.as_ref()) {
            Some(report) => say(&mut std::io::stderr(), report.to_string().trim_end()),
            // Nothing can be said where nothing can be printed.
            None => drop(error.print()),
        }
        return exit::INPUT;
    }
    match error.print() {
        Err(lost) if lost.kind() != ErrorKind::BrokenPipe => {
            let text = format_args!("error: the help cannot be written: {lost}");
            say(&mut std::io::stderr(), text);
            exit::ENVIRONMENT
        }
        _ => exit::FINE,
    }
}

/// Runs a scene in a window.
#[cfg(feature = "viewer")]
fn show(args: &run::Args, extensions: Extensions) -> u8 {
    view::run(args, extensions, has_color())
}

/// Says that there is none.
#[cfg(not(feature = "viewer"))]
fn show(_: &run::Args, _: Extensions) -> u8 {
    let why = "error: this program was built without the window: build it with `cargo build --release --features viewer`, \
        or look on in a browser with `--serve`";
    say(&mut std::io::stderr(), why);
    exit::INPUT
}

fn dispatch(
    command: Command,
    extensions: Extensions,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let color = has_color();
    match command {
        Command::Run(args) => run::run(&args, extensions, &|_| {}, color, out, err),
        Command::Test(mut args) => {
            args.reading.color = color;
            test::run(&args, extensions, out, err)
        }
        Command::Batch(mut args) => {
            args.reading.color = color;
            batch::run(&args, extensions, out, err)
        }
        Command::Check(mut args) => {
            args.reading.color = color;
            check::run(&args, extensions, out, err)
        }
        Command::Compile(mut args) => {
            args.reading.color = color;
            compile::run(&args, out, err)
        }
        Command::Convert(mut args) => {
            args.reading.color = color;
            convert::run(&args, out, err)
        }
        Command::Inspect(mut args) => {
            args.reading.color = color;
            inspect::run(&args, extensions, out, err)
        }
        Command::Render(mut args) => {
            args.reading.color = color;
            render::run(&args, extensions, err)
        }
        Command::List(args) => list::run(&args, extensions, out),
        Command::Describe(args) => describe::run(&args, extensions, out, err),
        Command::New(args) => new::run(&args, extensions, out, err),
        Command::Fmt(mut args) => {
            args.color = color;
            fmt::run(&args, out, err)
        }
        Command::Lsp(args) => lsp::run(&args, extensions),
        Command::Completions(args) => shell::completions(&args, out),
        Command::Man(args) => shell::man(&args, out, err),
    }
}

/// Colours are for people: on a terminal, unless they said no (<https://no-color.org>).
fn has_color() -> bool {
    std::io::stderr().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Prints text, and ignores a closed pipe.
pub fn say(out: &mut dyn Write, text: impl std::fmt::Display) {
    writeln!(out, "{text}").ok();
}

/// Time by the wall clock; more than fits is no limit.
fn wall_time(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use std::{
        io::Write as _,
        sync::mpsc::{RecvTimeoutError, channel},
        thread,
        time::Duration,
    };

    use super::*;

    #[test]
    fn threads_can_print_while_a_command_runs() {
        let code = with_results(|_out, _err| {
            let (sender, printed) = channel();
            let print = move || {
                let written = std::io::stdout().flush().and(std::io::stderr().flush());
                sender.send(written.is_ok()).ok();
            };
            thread::Builder::new().spawn(print).expect("a thread");
            match printed.recv_timeout(Duration::from_secs(60)) {
                Ok(true) => exit::FINE,
                Ok(false) | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => 1,
            }
        });
        assert_eq!(code, exit::FINE);
    }
}
