//! Signals and `--timeout`: a run ends after its tick, or the program ends at once.
use std::{
    fs::File,
    io::{self, Write as _},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize},
    },
};

use serde_json::json;
#[cfg(unix)]
use signal_hook::consts::SIGHUP;
use signal_hook::consts::{SIGINT, SIGTERM};

use super::{
    super::{exit, wall_time},
    Args,
};
use crate::run::guard::{Due, Guard, Stage};

/// Registers handlers of signals; the returned number is set to the first signal.
///
/// # Errors
///
/// The system does not allow it.
pub(super) fn listen() -> io::Result<Arc<AtomicUsize>> {
    let signal = Arc::new(AtomicUsize::new(0));
    let is_second = Arc::new(AtomicBool::new(false));
    for number in ending() {
        // A second signal ends the program at once. Its handler is registered first, so that it does not see the flag of the
        // same signal.
        signal_hook::flag::register_conditional_shutdown(number, 128 + number, is_second.clone())?;
        signal_hook::flag::register(number, is_second.clone())?;
        signal_hook::flag::register_usize(number, signal.clone(), number.unsigned_abs() as usize)?;
    }
    Ok(signal)
}

/// Returns the signals that end a run. The end of the terminal is one of them, unless it is ignored (`nohup`).
fn ending() -> Vec<i32> {
    let mut signals = vec![SIGINT, SIGTERM];
    #[cfg(unix)]
    if !is_ignored(SIGHUP) {
        signals.push(SIGHUP);
    }
    signals
}

/// Returns true if the program was started with a signal ignored, as far as the system reports it.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Starts a thread that ends the program if the run does not end.
///
/// # Errors
///
/// The system cannot create a thread.
pub(super) fn guard(args: &Args, signal: Arc<AtomicUsize>) -> io::Result<Guard> {
    let is_json = args.json;
    let cut_off = move |due, stage| cut_off(due, stage, is_json);
    Guard::start(signal, args.timeout.map(wall_time), cut_off)
}

/// Ends the program at once. Other threads may hold the locks of stdout and stderr for ever, so they are not waited for.
fn cut_off(due: Due, stage: Stage, is_json: bool) {
    let (word, code, why) = match due {
        Due::Signal(number) => {
            let code = usize::from(exit::SIGNAL) + number;
            ("signal", code, format!("signal {number}"))
        }
        Due::Timeout(limit) => {
            let seconds = limit.as_secs_f64();
            let why = format!("timeout after {seconds} s (`--timeout`)");
            ("timeout", exit::TIMEOUT.into(), why)
        }
    };
    let (word, progress) = match stage {
        Stage::Loading => (
            "not_begun",
            "the run had not begun: nothing was run".to_owned(),
        ),
        Stage::Ticking(made) => (
            word,
            format!(
                "tick {} took too long: the run was aborted, logs end before it, and videos are incomplete",
                made.saturating_add(1)
            ),
        ),
        Stage::Closing => (
            word,
            "the outputs took too long to close: they may be incomplete".to_owned(),
        ),
    };
    let error = format!("{why}; {progress}");
    if is_json {
        let object = json!({ "end": word, "exit_code": code, "error": error });
        write_to(unlocked(&io::stdout()), &object.to_string());
    }
    last_words(&format!("error: {error}"));
    signal_hook::low_level::exit(i32::try_from(code).unwrap_or(1));
}

/// Writes a line to stderr, whose lock another thread may hold.
pub(in crate::cli) fn last_words(text: &str) {
    write_to(unlocked(&io::stderr()), text);
}

/// Returns the same output by another handle, which is not locked.
#[cfg(unix)]
fn unlocked(output: &impl std::os::fd::AsFd) -> Option<File> {
    output.as_fd().try_clone_to_owned().ok().map(File::from)
}

/// Returns the same output by another handle, which is not locked.
#[cfg(windows)]
fn unlocked(output: &impl std::os::windows::io::AsHandle) -> Option<File> {
    output.as_handle().try_clone_to_owned().ok().map(File::from)
}

fn write_to(output: Option<File>, text: &str) {
    if let Some(mut output) = output {
        // The output may be closed.
        writeln!(output, "{text}").ok();
    }
}
