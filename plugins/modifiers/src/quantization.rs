//! Limited resolution.
use bevy::reflect::structs::Struct;
use morse_api::{modifier::Site, numbers::Numbers, prelude::*};

/// Rounds each number to a multiple of a step, as a converter with few bits or a display with few digits does.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Quantization {
    /// Fields to change, such as `["x", "velocity.0"]`; all numbers by default.
    pub fields: Vec<String>,
    /// Step, in the unit of the field.
    #[reflect(@Unit("field's"), @ValueRange(1e-12, 1e12))]
    pub step: f64,
    /// Rounding rule.
    pub rounding: Rounding,
}

/// Rounding rule.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rounding {
    /// To the nearest multiple.
    #[default]
    Nearest,
    /// To the next multiple below, as counters do.
    Down,
}

impl Default for Quantization {
    fn default() -> Self {
        Self {
            fields: Vec::new(),
            step: 0.01,
            rounding: Rounding::Nearest,
        }
    }
}

impl Modifier for Quantization {
    const KIND: &'static str = "quantization";

    fn bind(&self, fields: &Fields, _: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        let numbers = Numbers::of(fields, &self.fields)?;
        let (step, rounding) = (self.step, self.rounding);
        Ok(Box::new(
            move |data: &mut dyn Struct, _: &mut ModifierState, _: &Clock| {
                numbers.each(data, |_, number| {
                    let steps = match rounding {
                        Rounding::Nearest => libm::round(*number / step),
                        Rounding::Down => libm::floor(*number / step),
                    };
                    // The resolution of larger numbers is coarser than the step.
                    if steps.is_finite() {
                        *number = steps * step;
                    }
                });
            },
        ))
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<Quantization>();
}

#[cfg(test)]
mod tests {
    use morse_sensors::{laser_scanner::LaserScannerData, pose::PoseData};
    use morse_testing::{TestModifier, settings, spread};

    use super::*;

    fn rounded(text: &str, x: f64) -> f64 {
        let settings: Quantization = settings(text);
        let mut noisy = TestModifier::new(&settings, None, World::new());
        noisy
            .measure(PoseData {
                x,
                ..PoseData::default()
            })
            .x
    }

    #[test]
    fn multiples_of_the_step() {
        for (x, nearest, down) in [
            (0.6, 0.5, 0.5),
            (0.8, 1.0, 0.5),
            (-0.3, -0.5, -0.5),
            (-0.2, 0.0, -0.5),
        ] {
            assert_eq!(rounded("(step: 0.5)", x), nearest, "{x}");
            assert_eq!(rounded("(step: 0.5, rounding: down)", x), down, "{x}");
        }
        assert_eq!(rounded("(step: 1e-300)", 1e300), 1e300);
        assert_eq!(rounded("(step: 0.5)", f64::INFINITY), f64::INFINITY);
        assert!(rounded("(step: 0.5)", f64::NAN).is_nan());
    }

    #[test]
    fn its_error_is_that_of_a_uniform_distribution() {
        let settings: Quantization = settings("(step: 0.3)");
        let mut noisy = TestModifier::<PoseData>::new(&settings, None, World::new());
        let errors: Vec<f64> = (0..20_000)
            .map(|index| {
                // Uniformly distributed over many steps by the golden ratio.
                let x = f64::from(index) * 0.618_033_988_749_895 * 7.0 % 30.0;
                let data = noisy.measure(PoseData {
                    x,
                    ..PoseData::default()
                });
                data.x - x
            })
            .collect();
        spread(errors.iter().copied()).assert_gauss(0.0, 0.3 / 12.0_f64.sqrt());
        assert!(errors.iter().all(|error| error.abs() <= 0.15 + 1e-12));
    }

    #[test]
    fn a_list_is_rounded_too() {
        let settings: Quantization = settings("(step: 0.5, fields: [\"range_list\"])");
        let mut noisy = TestModifier::<LaserScannerData>::new(&settings, None, World::new());
        let data = noisy.measure(LaserScannerData {
            range_list: vec![1.2, 3.9, f64::INFINITY],
            ..LaserScannerData::default()
        });
        assert_eq!(data.range_list, [1.0, 4.0, f64::INFINITY]);
    }
}
