//! Report of the checks: lines on the terminal, and a file.
use std::{
    fmt::{self, Display},
    fs,
    io::Write as _,
    path::Path,
    thread,
};

use chrono::{DateTime, SecondsFormat};
use morse_api::whole_file::write_whole;
use serde::Serialize;

use super::{Args, Check, Figure, bench::Bench};
use morse_sim::run::clock::{Stopwatch, unix_seconds};

/// One result in the report.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Finding {
    check: Check,
    figure: String,
    target: String,
    measured: String,
    /// True if the target was met; `None` if it could not be measured on this machine.
    met: Option<bool>,
    seconds: f64,
    notes: Vec<String>,
}

impl Finding {
    pub(super) fn new(check: Check, figure: Figure, seconds: f64) -> Self {
        let Figure {
            figure,
            target,
            measured,
            met,
            notes,
        } = figure;
        Self {
            check,
            figure,
            target,
            measured,
            met,
            seconds,
            notes,
        }
    }
}

impl Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match self.met {
            Some(true) => "met",
            Some(false) => "MISSED",
            None => "left out",
        };
        let check = format!("{:?}", self.check);
        write!(
            formatter,
            "{check:<4}{verdict:<9}{}: {} (target: {})",
            self.figure, self.measured, self.target
        )?;
        if self.met != Some(true) {
            for note in self.notes.iter().take(5) {
                write!(formatter, "\n             {note}")?;
            }
        }
        Ok(())
    }
}

/// The report.
#[derive(Debug, Serialize)]
pub(super) struct Proof {
    program: &'static str,
    version: &'static str,
    /// Commit of the source, if the program was built from a repository.
    commit: &'static str,
    build: &'static str,
    /// Date, UTC.
    date: String,
    cpu: String,
    processors: usize,
    system: String,
    command: Vec<String>,
    size: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    planted: Vec<String>,
    seconds: f64,
    met: bool,
    findings: Vec<Finding>,
    #[serde(skip)]
    watch: Stopwatch,
}

impl Proof {
    pub(super) fn new(bench: &Bench, args: &Args) -> Self {
        Self {
            program: "morse-sim",
            version: env!("CARGO_PKG_VERSION"),
            commit: env!("MORSE_SIM_COMMIT"),
            build: if cfg!(debug_assertions) {
                "debug"
            } else {
                "release"
            },
            date: date(unix_seconds()),
            cpu: cpu(),
            processors: thread::available_parallelism().map_or(1, std::num::NonZero::get),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            command: std::env::args().collect(),
            size: bench.size.name,
            planted: args.plant.iter().map(|plant| plant.word()).collect(),
            seconds: 0.0,
            met: true,
            findings: Vec::new(),
            watch: Stopwatch::start(),
        }
    }

    pub(super) fn add(&mut self, finding: Finding) {
        self.met &= finding.met != Some(false);
        self.findings.push(finding);
    }

    pub(super) fn end(&mut self) {
        self.seconds = self.watch.seconds();
    }

    pub(super) fn is_met(&self) -> bool {
        self.met
    }

    /// Returns the last line.
    pub(super) fn verdict(&self) -> String {
        let count = |verdict| {
            let of = self
                .findings
                .iter()
                .filter(|finding| finding.met == verdict);
            of.count()
        };
        let left_out = match count(None) {
            0 => String::new(),
            count => format!(", {count} left out"),
        };
        format!(
            "{} figures ({}): {} met, {} missed{left_out}; {:.0} s",
            self.findings.len(),
            self.size,
            count(Some(true)),
            count(Some(false)),
            self.seconds
        )
    }

    /// Writes the report to a file.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub(super) fn write(&self, path: &Path) -> Result<(), String> {
        let written = write_whole(path, |file| {
            serde_json::to_writer_pretty(&mut *file, self)?;
            writeln!(file)
        });
        written.map_err(|error| format!("`{}` cannot be written: {error}", path.display()))
    }
}

/// Returns the model of the processor, as reported by Linux.
fn cpu() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("model name"));
    let model = line.and_then(|line| line.split_once(':'));
    model.map_or_else(
        || "unknown".to_owned(),
        |(_, model)| model.trim().to_owned(),
    )
}

/// Formats a time, from seconds since 1970.
fn date(seconds: u64) -> String {
    let time = i64::try_from(seconds)
        .ok()
        .and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    time.map_or_else(
        || "unknown".to_owned(),
        |time| time.to_rfc3339_opts(SecondsFormat::Secs, true),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(date(0), "1970-01-01T00:00:00Z");
        assert_eq!(date(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(date(1_709_251_199), "2024-02-29T23:59:59Z");
        assert_eq!(date(4_102_444_800), "2100-01-01T00:00:00Z");
    }
}
