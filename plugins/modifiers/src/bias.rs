//! A constant error of selected numbers.
use bevy::reflect::structs::Struct;
use morse_api::{modifier::Site, numbers::Numbers, prelude::*};

/// Adds a constant error to each number: a common value, and a value that is drawn once per number.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Bias {
    /// Fields to change, such as `["x", "velocity.0"]`; all numbers by default.
    pub fields: Vec<String>,
    /// Error that is added to all numbers, in the unit of the field.
    #[reflect(@Unit("field's"), @ValueRange(-1e12, 1e12))]
    pub value: f64,
    /// Standard deviation of the error that is drawn at the first measurement, in the unit of the field.
    #[reflect(@Unit("field's"), @ValueRange(0.0, 1e12))]
    pub sigma: f64,
}

impl Default for Bias {
    fn default() -> Self {
        Self {
            fields: Vec::new(),
            value: 0.0,
            sigma: 0.05,
        }
    }
}

impl Modifier for Bias {
    const KIND: &'static str = "bias";

    fn bind(&self, fields: &Fields, _: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        let numbers = Numbers::of(fields, &self.fields)?;
        let (value, sigma) = (self.value, self.sigma);
        Ok(Box::new(
            move |data: &mut dyn Struct, state: &mut ModifierState, _: &Clock| {
                let ModifierState { random, values, .. } = state;
                numbers.each(data, |index, number| {
                    if index >= values.len() {
                        values.push(value + random.gauss(sigma));
                    }
                    if let Some(bias) = values.get(index) {
                        *number += bias;
                    }
                });
            },
        ))
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<Bias>();
}

#[cfg(test)]
mod tests {
    use morse_sensors::velocity::VelocityData;
    use morse_testing::{TestModifier, settings, spread};

    use super::*;

    #[test]
    fn a_value_alone_is_exact() {
        let bias: Bias = settings("(value: 0.5, sigma: 0, fields: [\"linear_velocity.0\"])");
        let mut noisy = TestModifier::<VelocityData>::new(&bias, None, World::new());
        for _ in 0..3 {
            let data = noisy.measure(VelocityData::default());
            assert_eq!(data.linear_velocity, [0.5, 0.0, 0.0]);
        }
    }

    #[test]
    fn it_is_drawn_once_for_each_number_and_seed() {
        let bias: Bias = settings("(value: 2, sigma: 0.3, fields: [\"linear_velocity\"])");
        let drawn: Vec<[f64; 3]> = (0..5000)
            .map(|seed| {
                let mut noisy = TestModifier::with_seed(seed, &bias, None, World::new());
                let first = noisy.measure(VelocityData::default()).linear_velocity;
                let later = noisy.measure(VelocityData::default()).linear_velocity;
                assert_eq!(first, later, "it stays");
                first
            })
            .collect();
        for axis in 0..3 {
            spread(drawn.iter().map(|draw| draw[axis])).assert_gauss(2.0, 0.3);
        }
        let both = drawn.iter().map(|draw| (draw[0] - 2.0) * (draw[1] - 2.0));
        spread(both).assert_mean(0.0, 0.09);
    }
}
