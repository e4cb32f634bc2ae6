//! A fault: single measurements with large errors.
use bevy::reflect::structs::Struct;
use morse_api::{modifier::Site, numbers::Numbers, prelude::*};

/// Adds an error to single measurements: at given times, at random, or both.
///
/// All numbers get the error; but of pixels, points, and numbers with names, such as the distances of near objects, a single
/// random one does.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[reflect(@Example(r#"modifiers: [(kind: "spike", at: [1.5])]"#))]
pub struct Spike {
    /// Fields to change, such as `["x", "velocity.0"]`; all numbers by default.
    pub fields: Vec<String>,
    /// Times; the first measurement at or after each time gets the error.
    #[reflect(@Unit("s"), @ValueRange(0.0, 1e9))]
    pub at: Vec<f64>,
    /// Probability of the error at any other measurement.
    #[reflect(@Unit(""), @ValueRange(0.0, 1.0))]
    pub probability: f64,
    /// Error that is added, in the unit of the field.
    #[reflect(@Unit("field's"), @ValueRange(-1e12, 1e12))]
    pub size: f64,
}

impl Default for Spike {
    fn default() -> Self {
        Self {
            fields: Vec::new(),
            at: Vec::new(),
            probability: 0.0,
            size: 1.0,
        }
    }
}

impl Modifier for Spike {
    const KIND: &'static str = "spike";

    fn bind(&self, fields: &Fields, _: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        let numbers = Numbers::with_loose(fields, &self.fields)?;
        let settings = self.clone();
        Ok(Box::new(
            move |data: &mut dyn Struct, state: &mut ModifierState, clock: &Clock| {
                let now = clock.seconds();
                let before = state.values.first().copied();
                state.values.resize(1, now);
                state.values.fill(now);
                let is_new = |at: &f64| *at <= now && before.is_none_or(|before| before < *at);
                // Always drawn, so that an additional time does not change the other spikes.
                let is_random = state.random.uniform() < settings.probability;
                if settings.at.iter().any(is_new) || is_random {
                    let random = &mut state.random;
                    let choose = |count: usize| (random.uniform() * count as f64) as usize;
                    let hit = |number: &mut f64| *number += settings.size;
                    numbers.each_firm_and_one_loose(data, choose, hit);
                }
            },
        ))
    }

    fn check(&self, _: &World) -> Result<(), CheckError> {
        if self.at.is_empty() && self.probability == 0.0 {
            return Err(CheckError::setting(
                "say when: `at: [1.5, …]`, or `probability: …`",
            ));
        }
        Ok(())
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<Spike>();
}

#[cfg(test)]
mod tests {
    use morse_sensors::pose::PoseData;
    use morse_testing::{TestModifier, settings};

    use super::*;

    fn spikes(text: &str, count: usize) -> Vec<bool> {
        let settings: Spike = settings(text);
        let mut noisy = TestModifier::<PoseData>::new(&settings, None, World::new());
        let measure = |_| {
            let data = noisy.measure(PoseData::default());
            assert!(data.x == 0.0 || data.x == 5.0);
            data.x != 0.0
        };
        (0..count).map(measure).collect()
    }

    #[test]
    fn a_time_hits_one_measurement() {
        let hit = spikes("(at: [0.25, 0, 0.6], size: 5)", 7);
        assert_eq!(hit, [true, false, true, false, false, true, false]);
    }

    #[test]
    fn random_ones_are_as_frequent_as_they_should_be() {
        let n = 40_000;
        let count = spikes("(probability: 0.02, size: 5)", n)
            .into_iter()
            .filter(|&hit| hit)
            .count() as f64;
        // A binomial distribution.
        let (mean, sigma) = (n as f64 * 0.02, (n as f64 * 0.02 * 0.98).sqrt());
        assert!((count - mean).abs() < 3.0 * sigma, "{count}");
    }

    #[test]
    fn a_time_must_be_said() {
        assert!(settings::<Spike>("()").check(&World::new()).is_err());
        assert!(settings::<Spike>("(at: [1])").check(&World::new()).is_ok());
    }
}
