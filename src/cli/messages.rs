//! Messages of a run: to stderr according to the verbosity, and all of them to a log file.
use std::{
    fmt::Display,
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use clap::Args as ClapArgs;
use indicatif::ProgressBar;
use morse_diagnostics::{Style, printable_path, report::Report};

use super::{exit, say};

/// Verbosity of a run.
#[derive(Clone, Debug, Default, ClapArgs)]
pub struct Loudness {
    /// Print only errors, and no summary; requested results, such as `--json`, are still printed
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print details too: files, seed, ports, and the data that each port missed
    #[arg(short, long)]
    pub verbose: bool,
    /// Write all messages to this file too, also with `--quiet`
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
}

/// Output of messages to the user.
pub(super) struct Messages<'w> {
    err: &'w mut dyn Write,
    is_quiet: bool,
    is_verbose: bool,
    style: Style,
    log: Option<Log>,
    /// Progress bar on the terminal, above which messages are printed.
    pub(super) bar: Option<ProgressBar>,
    /// Simulated time, s, once the run has begun.
    pub(super) time: Option<f64>,
}

struct Log {
    path: PathBuf,
    file: BufWriter<File>,
    failure: Option<io::Error>,
}

impl<'w> Messages<'w> {
    /// Opens the log.
    ///
    /// # Errors
    ///
    /// The log cannot be written.
    pub(super) fn new(
        loudness: &Loudness,
        style: Style,
        err: &'w mut dyn Write,
    ) -> Result<Self, String> {
        let open = |path: &PathBuf| match File::create(path) {
            Ok(file) => Ok(Log {
                path: path.clone(),
                file: BufWriter::new(file),
                failure: None,
            }),
            Err(error) => Err(unwritable(path, &error)),
        };
        Ok(Self {
            err,
            is_quiet: loudness.quiet,
            is_verbose: loudness.verbose,
            style,
            log: loudness.log.as_ref().map(open).transpose()?,
            bar: None,
            time: None,
        })
    }

    /// Prints an error.
    pub(super) fn error(&mut self, text: impl Display) {
        self.print(true, &format!("error: {text}"));
    }

    /// Prints a warning.
    pub(super) fn warning(&mut self, text: impl Display) {
        self.print(!self.is_quiet, &format!("warning: {text}"));
    }

    /// Prints a notice.
    pub(super) fn notice(&mut self, text: impl Display) {
        self.print(!self.is_quiet, &text.to_string());
    }

    /// Prints a detail, with `--verbose` only.
    pub(super) fn detail(&mut self, text: impl Display) {
        self.print(self.is_verbose, &text.to_string());
    }

    /// Prints a line in any case, also with `--quiet`.
    pub(super) fn print_always(&mut self, text: &str) {
        self.print(true, text);
    }

    /// Prints requested output, such as progress; it is not logged.
    pub(super) fn show(&mut self, text: impl Display) {
        say(self.err, text);
    }

    /// Writes a line to the log only.
    pub(super) fn note(&mut self, text: impl Display) {
        self.print(false, &text.to_string());
    }

    /// Prints errors and warnings of files; with `--quiet` only if they prevent the run.
    pub(super) fn report(&mut self, report: &Report, is_refused: bool) {
        if is_refused || !self.is_quiet {
            write!(self.err, "{}", report.render(self.style)).ok();
        }
        if self.log.is_some() {
            let plain = report.render(Style::Plain);
            self.write_log(plain.trim_end());
        }
    }

    fn print(&mut self, is_said: bool, text: &str) {
        if is_said {
            match &self.bar {
                Some(bar) => bar.suspend(|| say(self.err, text)),
                None => say(self.err, text),
            }
        }
        match self.time {
            Some(time) => self.write_log(&format!("[{time:.3} s] {text}")),
            None => self.write_log(text),
        }
    }

    fn write_log(&mut self, text: &str) {
        let Some(log) = &mut self.log else {
            return;
        };
        if text.is_empty() || log.failure.is_some() {
            return;
        }
        // Few lines are written, so each can be flushed at once.
        let written = writeln!(log.file, "{text}").and_then(|()| log.file.flush());
        log.failure = written.err();
    }

    /// Closes the log, and returns the exit code of a run that ended with `code`.
    pub(super) fn code(self, code: u8) -> u8 {
        let Some(log) = self.log else {
            return code;
        };
        let Some(error) = log.failure else {
            return code;
        };
        say(
            self.err,
            format_args!("error: {}", unwritable(&log.path, &error)),
        );
        if code == exit::FINE {
            exit::ENVIRONMENT
        } else {
            code
        }
    }
}

fn unwritable(path: &Path, error: &io::Error) -> String {
    let path = printable_path(&path.to_string_lossy());
    format!("the log `{path}` cannot be written: {error}")
}
