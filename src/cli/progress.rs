//! `--progress`: progress of a run.
use std::{cell::RefCell, io::IsTerminal as _};

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::messages::Messages;
use crate::run::Progress;

/// Form of progress messages on stderr.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// A bar on a terminal, otherwise nothing
    Auto,
    /// One line per second
    Plain,
    /// One JSON object per second, each on a line
    Json,
    /// Nothing
    None,
}

/// Output of progress to the user.
pub(super) enum Display {
    Bar(ProgressBar),
    Lines {
        is_json: bool,
        /// Progress of the last message.
        last: Option<Progress>,
    },
    Nothing,
}

/// Interval of lines, s.
const PERIOD: f64 = 1.0;

impl Display {
    /// Starts the output; a bar is shown below the messages.
    pub(super) fn new(
        form: Form,
        is_quiet: bool,
        ticks: Option<u64>,
        messages: &RefCell<Messages<'_>>,
    ) -> Self {
        let is_json = match form {
            Form::Auto if !is_quiet && std::io::stderr().is_terminal() => {
                let bar = bar(ticks);
                messages.borrow_mut().bar = Some(bar.clone());
                return Self::Bar(bar);
            }
            Form::Auto | Form::None => return Self::Nothing,
            Form::Plain => false,
            Form::Json => true,
        };
        Self::Lines {
            is_json,
            last: None,
        }
    }

    /// Reports the progress.
    pub(super) fn show(&mut self, progress: &Progress, messages: &RefCell<Messages<'_>>) {
        match self {
            Self::Nothing => {}
            Self::Bar(bar) => {
                bar.set_position(progress.steps);
                bar.set_message(text(progress, speed(progress, None)));
                bar.tick();
            }
            Self::Lines { is_json, last } => {
                let before = last.map_or(0.0, |last| last.wall_seconds);
                if progress.wall_seconds - before < PERIOD {
                    return;
                }
                let speed = speed(progress, *last);
                *last = Some(*progress);
                let line = if *is_json {
                    json!({
                        "steps": progress.steps,
                        "sim_seconds": progress.sim_seconds,
                        "wall_seconds": progress.wall_seconds,
                        "rtf": speed,
                        "of_steps": progress.of,
                        "wall_seconds_left": left(progress),
                    })
                    .to_string()
                } else {
                    text(progress, speed)
                };
                messages.borrow_mut().show(line);
            }
        }
    }

    /// Removes the bar.
    pub(super) fn end(&self, messages: &RefCell<Messages<'_>>) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
            messages.borrow_mut().bar = None;
        }
    }
}

fn bar(ticks: Option<u64>) -> ProgressBar {
    let (bar, template) = match ticks {
        Some(ticks) => (ProgressBar::new(ticks), "{bar:24} {percent:>3}%  {msg}"),
        None => (ProgressBar::new_spinner(), "{spinner} {msg}"),
    };
    let style = ProgressStyle::with_template(template);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// Returns the simulated seconds per second since `last`; 0 before any time has passed.
fn speed(progress: &Progress, last: Option<Progress>) -> f64 {
    let (sim, wall) = last.map_or((0.0, 0.0), |last| (last.sim_seconds, last.wall_seconds));
    let wall = progress.wall_seconds - wall;
    if wall > 0.0 {
        (progress.sim_seconds - sim) / wall
    } else {
        0.0
    }
}

/// Returns the remaining wall-clock time, s, if the run has an end and continues at the same speed.
fn left(progress: &Progress) -> Option<f64> {
    let of = progress.of?;
    let mean = progress.steps as f64 / progress.wall_seconds;
    (mean > 0.0).then(|| of.saturating_sub(progress.steps) as f64 / mean)
}

fn text(progress: &Progress, speed: f64) -> String {
    let mut text = format!("{:.1} s", progress.sim_seconds);
    if let Some(of) = progress.of
        && progress.steps > 0
    {
        let all = progress.sim_seconds * of as f64 / progress.steps as f64;
        text += &format!(" of {all:.1} s");
    }
    text += &format!(" simulated, {speed:.1} times real time");
    if let Some(left) = left(progress) {
        text += &format!(", {left:.0} s left");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_told_in_words() {
        let mut progress = Progress {
            steps: 120,
            of: Some(600),
            sim_seconds: 2.0,
            wall_seconds: 0.5,
        };
        assert_eq!(
            text(&progress, speed(&progress, None)),
            "2.0 s of 10.0 s simulated, 4.0 times real time, 2 s left"
        );
        progress.of = None;
        let before = Progress {
            sim_seconds: 1.9,
            wall_seconds: 0.3,
            ..progress
        };
        assert_eq!(
            text(&progress, speed(&progress, Some(before))),
            "2.0 s simulated, 0.5 times real time"
        );
    }
}
