//! A fault: numbers that no longer change.
use bevy::reflect::structs::Struct;
use morse_api::{modifier::Site, numbers::Numbers, prelude::*};

use crate::faults;

/// Holds each number at its last value from a time on, as a sensor does that hangs.
///
/// Text and whole numbers go on. On a command it acts on what is received in that time.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Freeze {
    /// The fields to change, such as `["x", "velocity.0"]`; where none is named, every number.
    pub fields: Vec<String>,
    /// Time at which it begins; what was measured last before it stays.
    #[reflect(@Unit("s"), @Range(0.0, 1e9))]
    pub from: f64,
    /// Time at which it ends; without it, never.
    #[reflect(@Unit("s"), @Range(0.0, 1e9))]
    pub until: Option<f64>,
}

impl Modifier for Freeze {
    const KIND: &'static str = "freeze";

    fn bind(&self, fields: &Fields, _: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        let numbers = Numbers::of(fields, &self.fields)?;
        let (from, until) = (self.from, self.until);
        Ok(Box::new(
            move |data: &mut dyn Struct, state: &mut ModifierState, clock: &Clock| {
                let now = clock.seconds();
                let values = &mut state.values;
                if faults::lasts(from, until, now) && !values.is_empty() {
                    numbers.each(data, |place, number| {
                        if let Some(value) = values.get(place) {
                            *number = *value;
                        }
                    });
                } else if until.is_none_or(|until| now < until) {
                    values.clear();
                    numbers.each(data, |_, number| values.push(*number));
                }
            },
        ))
    }

    fn check(&self, _: &World) -> Result<(), CheckError> {
        faults::check_span("from", self.from, self.until)
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<Freeze>();
}

#[cfg(test)]
mod tests {
    use morse_sensors::pose::PoseData;
    use morse_testing::{TestModifier, settings};

    use super::*;

    /// `x` of a robot that moves by 1 in each measurement, at 10 Hz.
    fn moving(text: &str) -> Vec<f64> {
        let settings: Freeze = settings(text);
        let mut noisy = TestModifier::<PoseData>::new(&settings, None, World::new());
        let measure = |step: u32| {
            let truth = PoseData {
                x: f64::from(step),
                y: f64::from(step),
                ..PoseData::default()
            };
            let data = noisy.measure(truth);
            assert!(data.y == f64::from(step) || text.contains("[]"));
            data.x
        };
        (1..=8).map(measure).collect()
    }

    #[test]
    fn the_last_value_stays_for_its_time() {
        let held = moving("(fields: [\"x\"], from: 0.35, until: 0.6)");
        assert_eq!(held, [1.0, 2.0, 3.0, 3.0, 3.0, 6.0, 7.0, 8.0]);
        let for_ever = moving("(fields: [], from: 0.7)");
        assert_eq!(for_ever, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 6.0, 6.0]);
        let from_the_start = moving("(fields: [\"x\"])");
        assert_eq!(from_the_start, [1.0; 8]);
    }
}
