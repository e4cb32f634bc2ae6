//! Results of a scene and its check, as one JSON object and as a line of text.
use std::fmt::Write as _;

use serde_json::{Map, Value as Json, json};

use super::{
    Setup,
    stopwatch::{Elapsed, most_memory},
};

/// Measurement of one scene.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Number of ticks in the measured time.
    pub(super) ticks: u64,
    /// Ticks per second of simulated time.
    pub(super) rate: f64,
    /// Number of bodies that are moved and read.
    pub(super) bodies: usize,
    /// Number of rays that were cast.
    pub(super) rays: u64,
    /// Number of rendered images.
    pub(super) frames: u64,
    /// Physics steps per tick.
    pub(super) substeps: u32,
    /// Settings that differ between runs of the scene, as text.
    pub(super) variant: String,
    /// Time from the files to a world that can be stepped, s.
    pub(super) load_seconds: f64,
    /// Measured time.
    pub(super) time: Elapsed,
    /// Check of the results.
    pub(super) check: Check,
}

/// Result of a check, with the numbers that it is based on.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Check {
    /// True if the check passed.
    pub(super) passed: bool,
    facts: Map<String, Json>,
}

impl Check {
    /// Returns a check without numbers.
    pub(super) fn new(passed: bool) -> Self {
        Self {
            passed,
            facts: Map::new(),
        }
    }

    /// Adds a number.
    #[must_use]
    pub(super) fn with(mut self, name: &str, value: impl Into<Json>) -> Self {
        self.facts.insert(name.to_owned(), value.into());
        self
    }

    /// Adds another check; both have to pass.
    #[must_use]
    pub(super) fn and(mut self, other: Self) -> Self {
        self.passed &= other.passed;
        self.facts.extend(other.facts);
        self
    }

    fn to_json(&self) -> Json {
        let mut all = Map::new();
        all.insert("passed".to_owned(), self.passed.into());
        all.extend(self.facts.clone());
        Json::Object(all)
    }
}

impl Outcome {
    fn sim_seconds(&self) -> f64 {
        self.ticks as f64 / self.rate
    }

    fn per_second(&self, count: f64) -> f64 {
        count / self.time.wall.max(1e-9)
    }

    fn body_ticks(&self) -> f64 {
        self.bodies as f64 * self.ticks as f64
    }

    /// Returns all results as JSON, under the names that the programs for other simulators use.
    pub(super) fn to_json(&self, name: &str, setup: &Setup<'_>) -> Json {
        let body_ticks = self.per_second(self.body_ticks());
        json!({
            "peer": "morse-sim",
            "scene": name,
            "n": setup.n,
            "sim_seconds": rounded(self.sim_seconds(), 4),
            "wall_seconds": rounded(self.time.wall, 5),
            "rtf": rounded(self.per_second(self.sim_seconds()), 4),
            "steps": self.ticks * u64::from(self.substeps),
            "rays_per_s": self.per_second(self.rays as f64).round(),
            "body_steps_per_s": (body_ticks * f64::from(self.substeps)).round(),
            "version": env!("CARGO_PKG_VERSION"),
            "body_ticks_per_s": body_ticks.round(),
            "cpu_seconds": self.time.cpu.map(|cpu| rounded(cpu, 5)),
            "threads": setup.threads.max(1),
            "substeps": self.substeps,
            "sleep": 0,
            "variant": self.variant,
            "load_seconds": rounded(self.load_seconds, 5),
            "frames_per_s": rounded(self.per_second(self.frames as f64), 3),
            "check": self.check.to_json(),
            "max_rss_mb": most_memory(),
        })
    }

    /// Returns all results as text.
    pub(super) fn to_text(&self, title: &str, setup: &Setup<'_>) -> String {
        let mut text = format!("{title}, n {}: ", setup.n);
        let wall = self.time.wall;
        let written = if self.ticks > 1 {
            let (seconds, factor) = (self.sim_seconds(), self.per_second(self.sim_seconds()));
            write!(
                text,
                "{seconds:.3} s simulated in {wall:.3} s ({factor:.1} times real time)"
            )
        } else {
            write!(text, "{:.2} ms", 1e3 * wall)
        };
        written.ok();
        for (count, what) in [
            (self.body_ticks(), "body ticks"),
            (self.rays as f64, "rays"),
            (self.frames as f64, "pictures"),
        ] {
            if count > 0.0 && self.ticks > 1 {
                write!(text, ", {:.0} {what} a second", self.per_second(count)).ok();
            }
        }
        let verdict = if self.check.passed {
            "check passed"
        } else {
            "CHECK FAILED"
        };
        write!(text, "; {verdict}").ok();
        for (number, (name, value)) in self.check.facts.iter().enumerate() {
            let mark = if number == 0 { ":" } else { "," };
            write!(text, "{mark} {name} {value}").ok();
        }
        text
    }
}

/// Rounds a number to a number of decimals.
pub(super) fn rounded(number: f64, decimals: i32) -> f64 {
    let unit = 10_f64.powi(decimals);
    (number * unit).round() / unit
}

#[cfg(test)]
mod tests {
    use super::*;
    use morse_sim::simulation::no_extensions;

    fn setup() -> Setup<'static> {
        Setup {
            n: 10,
            seconds: 1.0,
            threads: 0,
            substeps: None,
            fewest: false,
            folder: "".as_ref(),
            extensions: &no_extensions,
        }
    }

    #[test]
    fn figures_are_counts_by_time() {
        let outcome = Outcome {
            ticks: 120,
            rate: 60.0,
            bodies: 10,
            rays: 7_200,
            substeps: 2,
            time: Elapsed {
                wall: 0.5,
                cpu: Some(0.4),
            },
            check: Check::new(true).with("standing", 1),
            ..Outcome::default()
        };
        let line = outcome.to_json("stack", &setup());
        for (name, value) in [
            ("sim_seconds", 2.0),
            ("rtf", 4.0),
            ("steps", 240.0),
            ("rays_per_s", 14_400.0),
            ("body_ticks_per_s", 2_400.0),
            ("body_steps_per_s", 4_800.0),
            ("cpu_seconds", 0.4),
            ("threads", 1.0),
        ] {
            assert_eq!(line[name].as_f64(), Some(value), "{name}");
        }
        assert_eq!(line["check"], json!({ "passed": true, "standing": 1 }));
        let text = outcome.to_text("S1 stack", &setup());
        let expected = "S1 stack, n 10: 2.000 s simulated in 0.500 s (4.0 times real time), 2400 body ticks a second, \
            14400 rays a second; check passed: standing 1";
        assert_eq!(text, expected);
    }

    #[test]
    fn one_failure_fails_the_whole() {
        let both = Check::new(true)
            .with("a", 1)
            .and(Check::new(false).with("b", 2));
        assert_eq!(both, Check::new(false).with("a", 1).with("b", 2));
    }
}
