//! `morse-sim batch`: many runs of a scenario or simulation, whose results are one table.
mod plan;
mod table;

use std::{
    io::{IsTerminal as _, Write},
    path::{Path, PathBuf},
    thread,
};

use clap::Args as ClapArgs;
use indicatif::{ProgressBar, ProgressStyle};
use morse_diagnostics::printable_path;

pub use plan::{Batch, Settings};
pub use table::{Table, TableError};

use super::{
    check::Reading,
    exit, run, say,
    test::{Case, Event, run_all},
};
use crate::simulation::{Extensions, most_threads};

/// Run a batch: a grid or sample of runs, whose results are one table
#[derive(Clone, Debug, ClapArgs)]
pub struct Args {
    /// Batch file (`.ron`)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Table of the results, one JSON object per line; by default beside the batch file, with the extension `.jsonl`. Runs
    /// that it has already are not made again
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Make only the run with this number, from 0, and print its row
    #[arg(long, value_name = "N", conflicts_with = "output")]
    pub run: Option<usize>,
    /// Number of simultaneous runs; by default the number of processors
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Threads for rays and images in each run; they do not change the results
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub threads: usize,
    /// Wall-clock time after which a run fails: 30s, 5min; instead of the file's own `timeout`
    #[arg(long, value_name = "TIME", value_parser = run::seconds)]
    pub timeout: Option<f64>,
    /// Options for reading the files
    #[command(flatten)]
    pub reading: Reading,
}

/// Runs the command and returns the exit code: that of the worst error of a run, if one could not be made.
pub fn run(args: &Args, extensions: Extensions, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let jobs = args.jobs.unwrap_or_else(|| {
        let processors = thread::available_parallelism();
        processors.map_or(1, std::num::NonZero::get)
    });
    if !(1..=most_threads()).contains(&jobs) {
        let most = most_threads();
        let text = format_args!(
            "error: `--jobs` is from 1 to {most}, four times this machine's processors"
        );
        say(err, text);
        return exit::INPUT;
    }
    let settings = Settings {
        threads: args.threads,
        timeout: args.timeout,
        reading: args.reading.clone(),
    };
    let batch = match Batch::load(&args.file, &settings, extensions) {
        Ok(batch) => batch,
        Err(report) => {
            write!(err, "{}", report.render(args.reading.style())).ok();
            say(err, "nothing was run");
            return exit::INPUT;
        }
    };
    if let Some(run) = args.run {
        return one(&batch, run, extensions, (out, err));
    }
    let output = args.output.clone();
    let output = output.unwrap_or_else(|| args.file.with_extension("jsonl"));
    let table = match Table::open(&output, batch.digest(), batch.count()) {
        Ok(table) => table,
        Err(why) => {
            say(err, format_args!("error: {why}"));
            return exit::ENVIRONMENT;
        }
    };
    let mut progress = Progress::new(&batch, table, &output);
    if progress.table.is_torn() {
        let text = "warning: the last row of the table was incomplete; its run is made again";
        say(err, text);
    }
    rest(&batch, jobs, extensions, &mut progress, (out, err));
    progress.end(out, err)
}

/// Makes one run and prints its row.
fn one(
    batch: &Batch,
    run: usize,
    extensions: Extensions,
    (out, err): (&mut dyn Write, &mut dyn Write),
) -> u8 {
    if run >= batch.count() {
        let last = batch.count().saturating_sub(1);
        say(err, format_args!("error: `--run` is from 0 to {last}"));
        return exit::INPUT;
    }
    say(out, batch.run(run, extensions));
    exit::FINE
}

/// Makes all runs that the table does not have.
fn rest(
    batch: &Batch,
    jobs: usize,
    extensions: Extensions,
    progress: &mut Progress,
    (out, err): (&mut dyn Write, &mut dyn Write),
) {
    let missing = (0..batch.count()).filter(|run| !progress.table.done().contains(run));
    let cases: Vec<Case<'_>> = missing.map(|run| batch.case(run)).collect();
    run_all(
        &batch.context(extensions),
        &cases,
        jobs,
        &mut |event| match event {
            Event::Result(case, attempt) => {
                let row = batch.row(case, &attempt);
                progress.take(case.number, &row);
            }
            Event::Stuck => {
                let code = progress.end(out, err);
                out.flush().and_then(|()| err.flush()).ok();
                signal_hook::low_level::exit(code.into());
            }
        },
    );
}

/// Rows and counts so far.
struct Progress {
    table: Table,
    output: String,
    /// Number of runs that the table had before.
    before: usize,
    passed: usize,
    failed: usize,
    errors: usize,
    /// The first failure of the output.
    lost: Option<std::io::Error>,
    bar: ProgressBar,
}

impl Progress {
    fn new(batch: &Batch, table: Table, output: &Path) -> Self {
        let before = table.done().len();
        let bar = if std::io::stderr().is_terminal() {
            ProgressBar::new(batch.count() as u64)
        } else {
            ProgressBar::hidden()
        };
        let style = ProgressStyle::with_template("{bar:24} {pos} of {len} runs, {eta} left  {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_position(before as u64);
        bar.reset_eta();
        Self {
            table,
            output: printable_path(&output.to_string_lossy()).to_string(),
            before,
            passed: 0,
            failed: 0,
            errors: 0,
            lost: None,
            bar,
        }
    }

    fn take(&mut self, run: usize, row: &serde_json::Value) {
        match row["outcome"].as_str() {
            Some("passed") => self.passed += 1,
            Some("failed") => self.failed += 1,
            _ => self.errors += 1,
        }
        if let Err(error) = self.table.append(run, &row.to_string()) {
            self.lost.get_or_insert(error);
        }
        self.bar.inc(1);
        if self.failed + self.errors > 0 {
            let (failed, errors) = (self.failed, self.errors);
            self.bar
                .set_message(format!("{failed} failed, {errors} with an error"));
        }
    }

    /// Reports the counts, and returns the exit code.
    fn end(&self, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
        self.bar.finish_and_clear();
        let made = self.passed + self.failed + self.errors;
        let noun = if made == 1 { "run" } else { "runs" };
        let (passed, failed, errors) = (self.passed, self.failed, self.errors);
        let mut text = format!("{made} {noun}: {passed} passed, {failed} failed");
        if errors > 0 {
            text += &format!(", {errors} with an error");
        }
        if self.before > 0 {
            text += &format!("; {} were there already", self.before);
        }
        say(out, format_args!("{text}: {}", self.output));
        if let Some(error) = &self.lost {
            let output = &self.output;
            say(
                err,
                format_args!("error: `{output}` cannot be written: {error}"),
            );
            return exit::ENVIRONMENT;
        }
        if errors > 0 {
            exit::SIMULATION
        } else {
            exit::FINE
        }
    }
}
