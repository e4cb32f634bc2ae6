//! Missing measurements.
use bevy::reflect::structs::Struct;
use morse_api::{
    modifier::{ModifierOutcome, Side, Site},
    numbers::Numbers,
    prelude::*,
};

use crate::faults;

/// Drops measurements, at random or for a span of time, as a receiver in a tunnel or a lossy line does.
///
/// A missing measurement is not exported at all, as with most real sensors: no observer receives it, and `get_local_data`
/// returns the previous one, if there is one. Later modifiers do not receive it either; a modifier that delays still
/// delivers earlier data. Alternatively its numbers become NaN, or keep their last values. A missing command has no effect.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dropout {
    /// Fields that are missing with `missing: nan` or `last`, such as `["x", "velocity.0"]`; all numbers by default.
    pub fields: Vec<String>,
    /// Probability that a burst of missing measurements begins, for each measurement outside of a burst; 1 for all of them.
    #[reflect(@Unit(""), @ValueRange(0.0, 1.0))]
    pub probability: f64,
    /// Number of measurements of a burst. The next burst may follow directly: of all measurements, the fraction
    /// `burst·probability / (1 − probability + burst·probability)` is missing.
    #[reflect(@ValueRange(1.0, 1e9))]
    pub burst: u32,
    /// Form of a missing measurement.
    pub missing: Missing,
    /// Start time.
    #[reflect(@Unit("s"), @ValueRange(0.0, 1e9))]
    pub from: f64,
    /// End time; never by default.
    #[reflect(@Unit("s"), @ValueRange(0.0, 1e9))]
    pub until: Option<f64>,
}

impl Default for Dropout {
    fn default() -> Self {
        Self {
            fields: Vec::new(),
            probability: 0.1,
            burst: 1,
            missing: Missing::Silent,
            from: 0.0,
            until: None,
        }
    }
}

/// Form of a missing measurement.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// The measurement is not exported.
    #[default]
    Silent,
    /// The numbers are NaN. Not allowed for commands.
    Nan,
    /// The numbers are those of the last measurement that was not missing; before the first one, nothing is exported.
    Last,
}

impl Modifier for Dropout {
    const KIND: &'static str = "dropout";

    fn bind(&self, fields: &Fields, site: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        let numbers = match self.missing {
            Missing::Silent => None,
            Missing::Nan if site.side == Side::Command => {
                return Err(BindError::needs(
                    "`missing: silent` or `last` here, as no command may be NaN",
                ));
            }
            Missing::Nan | Missing::Last => Some(Numbers::of(fields, &self.fields)?),
        };
        Ok(Box::new(Bound {
            numbers,
            settings: self.clone(),
        }))
    }

    fn check(&self, _: &World) -> Result<(), CheckError> {
        faults::check_span("from", self.from, self.until)?;
        if self.missing == Missing::Silent && !self.fields.is_empty() {
            return Err(CheckError::setting(
                "what is silent is silent as a whole: leave out `fields`, or say `missing: nan` or `last`",
            ));
        }
        Ok(())
    }
}

struct Bound {
    /// `None` if the whole measurement is missing.
    numbers: Option<Numbers>,
    settings: Dropout,
}

impl Modify for Bound {
    fn modify(&self, data: &mut dyn Struct, state: &mut ModifierState, clock: &Clock) {
        // Number of measurements that are still to be dropped, and the numbers of the last one that was not.
        state.values.resize(state.values.len().max(1), 0.0);
        let is_missing = self.is_missing(state, clock);
        let values = &mut state.values;
        match (&self.numbers, self.settings.missing) {
            (Some(numbers), Missing::Nan) => {
                if is_missing {
                    numbers.each(data, |_, number| *number = f64::NAN);
                }
            }
            (Some(numbers), _) if !is_missing => {
                values.truncate(1);
                numbers.each(data, |_, number| values.push(*number));
            }
            (Some(numbers), _) if values.len() > 1 => numbers.each(data, |index, number| {
                if let Some(last) = values.get(index + 1) {
                    *number = *last;
                }
            }),
            _ => {
                if is_missing {
                    state.outcome = ModifierOutcome::Lost;
                }
            }
        }
    }
}

impl Bound {
    fn is_missing(&self, state: &mut ModifierState, clock: &Clock) -> bool {
        let settings = &self.settings;
        // Always drawn, so that a change of the span does not change the noise at other times.
        let is_drawn = state.random.uniform() < settings.probability;
        let Some(left) = state.values.first_mut() else {
            return false;
        };
        if *left > 0.0 {
            *left -= 1.0;
            return true;
        }
        let begins = is_drawn && faults::lasts(settings.from, settings.until, clock.seconds());
        if begins {
            *left = f64::from(settings.burst) - 1.0;
        }
        begins
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<Dropout>();
}

#[cfg(test)]
mod tests {
    use morse_actuators::v_omega::VOmegaCommand;
    use morse_sensors::pose::PoseData;
    use morse_testing::{TestModifier, out_of_range, settings};

    use super::*;

    fn at(x: f64) -> PoseData {
        PoseData {
            x,
            yaw: x,
            ..PoseData::default()
        }
    }

    fn exported(text: &str, count: usize) -> Vec<Option<PoseData>> {
        let settings: Dropout = settings(text);
        let mut noisy = TestModifier::<PoseData>::new(&settings, None, World::new());
        (1..=count).map(|x| noisy.export(at(x as f64))).collect()
    }

    #[test]
    fn so_many_go_missing_and_independently() {
        let n = 40_000;
        let missing: Vec<bool> = exported("(probability: 0.2)", n)
            .iter()
            .map(Option::is_none)
            .collect();
        // Binomial distributions: of single measurements, and of overlapping pairs.
        let within = |count: usize, p: f64, factor: f64| {
            let sigma = (n as f64 * p * (1.0 - p) * factor).sqrt();
            assert!((count as f64 - n as f64 * p).abs() < 3.0 * sigma, "{count}");
        };
        within(missing.iter().filter(|&&is| is).count(), 0.2, 1.0);
        let pairs = missing.windows(2).filter(|pair| pair[0] && pair[1]);
        within(pairs.count(), 0.04, 1.5);
    }

    #[test]
    fn bursts_have_their_length() {
        let missing = exported("(probability: 0.02, burst: 5)", 5000);
        let mut length = 0;
        for data in &missing {
            if data.is_none() {
                length += 1;
            } else {
                // Bursts that follow each other directly are one run.
                assert!(length % 5 == 0, "{length}");
                length = 0;
            }
        }
        assert!(missing.iter().any(Option::is_none));
    }

    #[test]
    fn bursts_begin_independently_of_each_other() {
        let n = 40_000;
        for (p, burst) in [(0.1, 1_u32), (0.2, 4), (0.05, 20)] {
            let b = f64::from(burst);
            let missing = exported(&format!("(probability: {p}, burst: {burst})"), n);
            let count = missing.iter().filter(|data| data.is_none()).count() as f64;
            // A renewal process: with probability p, the next b measurements are missing, otherwise the next one is not.
            let fraction = b * p / (1.0 - p + b * p);
            let variance = p * (b * (1.0 - fraction)).powi(2) + (1.0 - p) * fraction.powi(2);
            let sigma = (n as f64 / (1.0 - p + b * p) * variance).sqrt();
            let error = count - n as f64 * fraction;
            assert!(error.abs() < 3.0 * sigma, "{p} {burst}: {error}, {sigma}");
            let is_begin = |pair: &&[Option<PoseData>]| pair[0].is_some() && pair[1].is_none();
            let runs = missing.windows(2).filter(is_begin).count() as f64;
            // A run has a geometric number of bursts: their mean is 1 / (1 − p).
            let mean = count / runs;
            assert!((mean / (b / (1.0 - p)) - 1.0).abs() < 0.03, "{mean}");
        }
    }

    #[test]
    fn a_span_of_time() {
        let x: Vec<Option<f64>> = exported("(probability: 1, from: 0.2, until: 0.4)", 5)
            .into_iter()
            .map(|data| Some(data?.x))
            .collect();
        assert_eq!(x, [Some(1.0), None, None, Some(4.0), Some(5.0)]);
    }

    #[test]
    fn numbers_may_be_nan_or_keep_their_last_values() {
        let lost = r#"(probability: 1, from: 0.2, until: 0.4, fields: ["x"], missing: nan)"#;
        let data = exported(lost, 3);
        let second = data[1].as_ref().unwrap();
        assert!(second.x.is_nan() && second.yaw == 2.0);
        let data = exported(&lost.replace("nan", "last"), 5);
        let x: Vec<f64> = data.iter().map(|data| data.as_ref().unwrap().x).collect();
        assert_eq!(x, [1.0, 1.0, 1.0, 4.0, 5.0]);
        let never = exported("(probability: 1, missing: last)", 2);
        assert!(never.iter().all(Option::is_none), "there is no last one");
    }

    #[test]
    fn commands_are_lost_but_never_nan() {
        let all: Dropout = settings("(probability: 1)");
        let mut noisy = TestModifier::<VOmegaCommand>::command(&all, World::new());
        assert!(noisy.export(VOmegaCommand { v: 1.0, w: 0.0 }).is_none());
        let nan: Dropout = settings("(missing: nan)");
        let world = World::new();
        let site = Site {
            world: &world,
            side: Side::Command,
            path: "rover.sensor",
        };
        assert!(
            nan.bind(&Fields::of_type::<VOmegaCommand>(None), &site)
                .is_err()
        );
    }

    #[test]
    fn settings_that_make_no_sense_are_refused() {
        for text in ["(fields: [\"x\"])", "(from: 2, until: 1)"] {
            let check = settings::<Dropout>(text).check(&World::new());
            assert!(check.is_err(), "{text}");
        }
        let problems = out_of_range::<Dropout>("(probability: 1.5, burst: 0)");
        assert_eq!(problems, ["probability", "burst"]);
    }
}
