//! Results of runs: a line each, JSON, JUnit's XML, and the command that repeats a run.
use std::{
    fmt::Write as _,
    io::Write,
    path::{Path, PathBuf},
    time::Duration,
};

use morse_api::whole_file::write_whole;
use morse_diagnostics::printable_path;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use serde_json::{Value as Json, json};

use super::{
    Args, Case,
    attempt::{Attempt, Outcome},
};
use crate::cli::{exit, say, wall_time};

/// Results so far.
pub(super) struct Verdicts<'a> {
    args: &'a Args,
    /// JUnit's suites, one per scenario.
    suites: Vec<TestSuite>,
    json: Vec<Json>,
    passed: usize,
    failed: usize,
    errors: usize,
    /// Exit code of the worst error.
    worst: u8,
    /// True if files of a failed run could not be kept.
    is_lost: bool,
}

impl<'a> Verdicts<'a> {
    pub(super) fn new(args: &'a Args) -> Self {
        Self {
            args,
            suites: Vec::new(),
            json: Vec::new(),
            passed: 0,
            failed: 0,
            errors: 0,
            worst: exit::FINE,
            is_lost: false,
        }
    }

    /// Takes the result of the next run, in the order of the runs.
    pub(super) fn take(
        &mut self,
        case: &Case<'_>,
        attempt: Attempt,
        out: &mut dyn Write,
        err: &mut dyn Write,
    ) {
        match attempt.outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::Failed => self.failed += 1,
            Outcome::Error(code) => {
                self.errors += 1;
                self.worst = self.worst.max(code);
            }
        }
        if let Some(lost) = &attempt.lost {
            self.is_lost = true;
            say(
                err,
                format_args!("error: the files of a failed run cannot be kept: {lost}"),
            );
        }
        if self.args.json {
            self.json.push(to_json(case, self.args, &attempt));
        } else {
            // Each line is written when its run is done.
            write!(out, "{}", to_text(case, self.args, &attempt))
                .and_then(|()| out.flush())
                .ok();
        }
        if self.args.junit.is_some() {
            self.add_to_junit(case, &attempt);
        }
    }

    fn add_to_junit(&mut self, case: &Case<'_>, attempt: &Attempt) {
        let name = case.loaded.file.display().to_string();
        let test = to_junit(case, self.args, attempt);
        match self.suites.last_mut() {
            Some(suite) if suite.name.as_str() == name => {
                suite.add_test_case(test);
            }
            _ => {
                let mut suite = TestSuite::new(name);
                suite.add_test_case(test);
                self.suites.push(suite);
            }
        }
    }

    /// Reports the number of passed runs, writes the files, and returns the exit code.
    pub(super) fn end(mut self, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
        let (passed, failed, errors) = (self.passed, self.failed, self.errors);
        let is_fine = failed + errors == 0;
        if self.args.json {
            let object = json!({
                "ok": is_fine,
                "passed": passed,
                "failed": failed,
                "errors": errors,
                "runs": std::mem::take(&mut self.json),
            });
            say(out, format_args!("{object:#}"));
        } else {
            let runs = passed + failed + errors;
            let noun = if runs == 1 { "run" } else { "runs" };
            let mut text = format!("{runs} {noun}: {passed} passed, {failed} failed");
            if errors > 0 {
                write!(text, ", {errors} with an error").ok();
            }
            say(out, text);
        }
        let written = self.write_junit();
        if let Err(why) = &written {
            say(err, format_args!("error: {why}"));
        }
        match (failed, errors) {
            (1.., _) => exit::VERDICT,
            (_, 1..) => self.worst,
            _ if self.is_lost || written.is_err() => exit::ENVIRONMENT,
            _ => exit::FINE,
        }
    }

    fn write_junit(&mut self) -> Result<(), String> {
        let Some(path) = &self.args.junit else {
            return Ok(());
        };
        let mut report = Report::new("morse-sim");
        report.add_test_suites(std::mem::take(&mut self.suites));
        let text = report.to_string().map_err(|error| error.to_string())?;
        write_whole(path, |file| file.write_all(text.as_bytes())).map_err(|error| {
            let path = printable_path(&path.to_string_lossy());
            format!("`{path}` cannot be written: {error}")
        })
    }
}

/// Returns the directory for the files of a run.
pub(super) fn folder(case: &Case<'_>, keep: &Path) -> PathBuf {
    let name = case.loaded.file.file_stem().unwrap_or_default();
    let name = name.to_string_lossy();
    let name = name.strip_suffix(".test").unwrap_or(&name);
    keep.join(format!("{}-{name}", case.number))
}

/// Returns seed and values that distinguish the runs of a scenario.
fn label(case: &Case<'_>, args: &Args, attempt: &Attempt) -> String {
    let mut values = Vec::new();
    if let Some(seed) = attempt.seed.or(case.variant.seed) {
        values.push(format!("seed {seed}"));
    }
    values.extend(args.sweep.set.iter().chain(&case.variant.swept).cloned());
    values.join(", ")
}

/// Returns the run as a line; for a failed run, followed by lines that help to repeat it.
pub(super) fn to_text(case: &Case<'_>, args: &Args, attempt: &Attempt) -> String {
    let word = match attempt.outcome {
        Outcome::Passed => "PASS",
        Outcome::Failed => "FAIL",
        Outcome::Error(_) => "ERROR",
    };
    let file = printable_path(&case.loaded.file.display().to_string());
    let label = label(case, args, attempt);
    let mut text = format!("{word} {file} {label}");
    if let Some(summary) = &attempt.summary {
        write!(text, ": {:.3} s", summary.sim_seconds).ok();
    }
    let reasons = reasons(attempt);
    if !reasons.is_empty() {
        write!(text, ": {}", reasons.join("; ")).ok();
    }
    text.push('\n');
    if attempt.outcome != Outcome::Passed {
        for warning in &attempt.warnings {
            writeln!(text, "  warning: {warning}").ok();
        }
        writeln!(text, "  repeat: {}", repeat(case, args)).ok();
    }
    if let Some(kept) = &attempt.kept {
        writeln!(text, "  kept: {}", kept.display()).ok();
    }
    text
}

/// Returns all reasons why a run failed.
fn reasons(attempt: &Attempt) -> Vec<String> {
    let missed = attempt.verdicts.iter().filter(|verdict| !verdict.passed);
    let mut reasons: Vec<String> = missed.map(ToString::to_string).collect();
    reasons.extend(
        attempt
            .error
            .as_ref()
            .map(|error| error.trim_end().to_owned()),
    );
    reasons
}

/// Returns the run as JSON.
pub(super) fn to_json(case: &Case<'_>, args: &Args, attempt: &Attempt) -> Json {
    let outcome = match attempt.outcome {
        Outcome::Passed => "passed",
        Outcome::Failed => "failed",
        Outcome::Error(_) => "error",
    };
    let mut object = json!({
        "scenario": case.loaded.file.display().to_string(),
        "outcome": outcome,
        "seed": attempt.seed.or(case.variant.seed),
        "set": args.sweep.set.iter().chain(&case.variant.swept).collect::<Vec<_>>(),
        "conditions": attempt.verdicts,
    });
    if let Some(summary) = &attempt.summary {
        object["summary"] = serde_json::to_value(summary).unwrap_or_default();
    }
    if let Some(error) = &attempt.error {
        object["error"] = error.as_str().into();
    }
    if !attempt.warnings.is_empty() {
        object["warnings"] = json!(attempt.warnings);
    }
    if attempt.outcome != Outcome::Passed {
        object["repeat"] = repeat(case, args).into();
    }
    if let Some(kept) = &attempt.kept {
        object["kept"] = kept.display().to_string().into();
    }
    object
}

fn to_junit(case: &Case<'_>, args: &Args, attempt: &Attempt) -> TestCase {
    let reasons = reasons(attempt).join("\n");
    let mut status = match attempt.outcome {
        Outcome::Passed => TestCaseStatus::success(),
        Outcome::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Outcome::Error(_) => TestCaseStatus::non_success(NonSuccessKind::Error),
    };
    if attempt.outcome != Outcome::Passed {
        let first = reasons.lines().next().unwrap_or_default();
        status.set_message(first);
        status.set_description(format!("{reasons}\nrepeat: {}", repeat(case, args)));
    }
    let mut test = TestCase::new(label(case, args, attempt), status);
    test.set_classname(case.loaded.file.display().to_string());
    let wall = attempt.summary.as_ref();
    test.set_time(wall.map_or(Duration::ZERO, |summary| wall_time(summary.wall_seconds)));
    test.set_system_out(to_text(case, args, attempt));
    test
}

/// Returns the command that repeats this run alone. A run without conditions is one of `morse-sim run`.
pub(crate) fn repeat(case: &Case<'_>, args: &Args) -> String {
    let scenario = &case.loaded.scenario;
    let command = if scenario.conditions.is_empty() {
        "run"
    } else {
        "test"
    };
    let mut words = vec!["morse-sim".to_owned(), command.to_owned()];
    words.push(case.loaded.file.display().to_string());
    if scenario.conditions.is_empty() {
        words.extend(["--until".to_owned(), format!("{}s", scenario.length)]);
    }
    if let Some(seed) = case.variant.seed {
        words.extend(["--seed".to_owned(), seed.to_string()]);
    }
    for set in args.sweep.set.iter().chain(&case.variant.swept) {
        words.extend(["--set".to_owned(), set.clone()]);
    }
    if let Some(timeout) = args.timeout {
        words.extend(["--timeout".to_owned(), format!("{timeout}s")]);
    }
    if args.threads != 1 {
        words.extend(["--threads".to_owned(), args.threads.to_string()]);
    }
    for path in &args.reading.allow_paths {
        words.extend(["--allow-path".to_owned(), path.display().to_string()]);
    }
    for (name, directory) in &args.reading.robots.packages {
        words.extend([
            "--package".to_owned(),
            format!("{name}={}", directory.display()),
        ]);
    }
    for (name, value) in &args.reading.robots.xacro {
        words.extend(["--xacro".to_owned(), format!("{name}:={value}")]);
    }
    for (is_on, word) in [
        (args.reading.robots.fixed, "--fixed"),
        (args.reading.robots.hold, "--hold"),
        (args.reading.strict, "--strict"),
        (args.reading.strict_amino, "--strict-amino"),
    ] {
        words.extend(is_on.then(|| word.to_owned()));
    }
    let words = words.iter().map(|word| quoted(word));
    words.collect::<Vec<_>>().join(" ")
}

/// Quotes an argument for a shell.
fn quoted(word: &str) -> String {
    let is_plain =
        |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '=' | ':' | ',' | '+');
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
