//! Limited ranges.
use bevy::reflect::structs::Struct;
use morse_api::{modifier::Site, numbers::Numbers, prelude::*};

/// Clamps each number to a range, as a saturated sensor does.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[reflect(@Example(r#"modifiers: [(kind: "saturation", min: -20, max: 20)]"#))]
pub struct Saturation {
    /// Fields to change, such as `["x", "velocity.0"]`; all numbers by default.
    pub fields: Vec<String>,
    /// Minimum, in the unit of the field; none by default.
    #[reflect(@Unit("field's"), @ValueRange(-1e12, 1e12))]
    pub min: Option<f64>,
    /// Maximum, in the unit of the field; none by default.
    #[reflect(@Unit("field's"), @ValueRange(-1e12, 1e12))]
    pub max: Option<f64>,
}

impl Modifier for Saturation {
    const KIND: &'static str = "saturation";

    fn bind(&self, fields: &Fields, _: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        let numbers = Numbers::of(fields, &self.fields)?;
        let min = self.min.unwrap_or(f64::NEG_INFINITY);
        let max = self.max.unwrap_or(f64::INFINITY);
        Ok(Box::new(
            move |data: &mut dyn Struct, _: &mut ModifierState, _: &Clock| {
                numbers.each(data, |_, number| {
                    // NaN stays NaN.
                    if *number < min {
                        *number = min;
                    }
                    if *number > max {
                        *number = max;
                    }
                });
            },
        ))
    }

    fn check(&self, _: &World) -> Result<(), CheckError> {
        match (self.min, self.max) {
            (None, None) => Err(CheckError::setting("say `min: …`, `max: …` or both")),
            (Some(min), Some(max)) if min > max => {
                Err(CheckError::setting("`min` must not be greater than `max`"))
            }
            _ => Ok(()),
        }
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<Saturation>();
}

#[cfg(test)]
mod tests {
    use morse_sensors::imu::ImuData;
    use morse_testing::{TestModifier, settings};

    use super::*;

    #[test]
    fn an_imu_driven_past_its_range() {
        let settings: Saturation =
            settings("(min: -20, max: 20, fields: [\"linear_acceleration\"])");
        let mut noisy = TestModifier::<ImuData>::new(&settings, None, World::new());
        let data = noisy.measure(ImuData {
            angular_velocity: [50.0, 0.0, 0.0],
            linear_acceleration: [35.0, -1e300, 9.81],
            ..ImuData::default()
        });
        assert_eq!(data.linear_acceleration, [20.0, -20.0, 9.81]);
        assert_eq!(data.angular_velocity[0], 50.0);
        let odd = noisy.measure(ImuData {
            linear_acceleration: [f64::INFINITY, f64::NAN, 0.0],
            ..ImuData::default()
        });
        assert_eq!(odd.linear_acceleration[0], 20.0);
        assert!(odd.linear_acceleration[1].is_nan());
    }

    #[test]
    fn limits_must_make_sense() {
        let check = |text| settings::<Saturation>(text).check(&World::new());
        assert!(check("(max: 1)").is_ok() && check("(min: 1, max: 1)").is_ok());
        for text in ["()", "(min: 2, max: 1)"] {
            assert!(check(text).is_err(), "{text}");
        }
    }
}
