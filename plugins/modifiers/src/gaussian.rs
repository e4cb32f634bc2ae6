//! White noise on selected numbers.
use bevy::reflect::structs::Struct;
use morse_api::{modifier::Site, numbers::Numbers, prelude::*};

/// Adds an independent, normally distributed error to each number at every measurement.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Gaussian {
    /// Fields to change, such as `["x", "velocity.0"]`; all numbers by default.
    pub fields: Vec<String>,
    /// Standard deviation, in the unit of the field.
    #[reflect(@Unit("field's"), @ValueRange(0.0, 1e12))]
    pub sigma: f64,
}

impl Default for Gaussian {
    fn default() -> Self {
        Self {
            fields: Vec::new(),
            sigma: 0.05,
        }
    }
}

impl Modifier for Gaussian {
    const KIND: &'static str = "gaussian";

    fn bind(&self, fields: &Fields, _: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        let numbers = Numbers::of(fields, &self.fields)?;
        let sigma = self.sigma;
        Ok(Box::new(
            move |data: &mut dyn Struct, state: &mut ModifierState, _: &Clock| {
                numbers.each(data, |_, number| *number += state.random.gauss(sigma));
            },
        ))
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<Gaussian>();
}

#[cfg(test)]
mod tests {
    use morse_sensors::{imu::ImuData, velocity::VelocityData, video_camera::VideoCameraData};
    use morse_testing::{TestModifier, allan_variance, settings, spread};

    use super::*;

    #[test]
    fn each_number_has_its_own_error() {
        let noise: Gaussian = settings("(sigma: 0.2, fields: [\"angular_velocity\"])");
        let mut noisy = TestModifier::<ImuData>::new(&noise, None, World::new());
        let draws: Vec<ImuData> = (0..20_000)
            .map(|_| noisy.measure(ImuData::default()))
            .collect();
        for axis in 0..3 {
            spread(draws.iter().map(|data| data.angular_velocity[axis])).assert_gauss(0.0, 0.2);
        }
        let both = draws
            .iter()
            .map(|data| data.angular_velocity[0] * data.angular_velocity[1]);
        // The product of two independent errors has the standard deviation sigma².
        spread(both).assert_mean(0.0, 0.04);
        assert!(
            draws
                .iter()
                .all(|data| data.linear_acceleration == [0.0; 3])
        );
    }

    #[test]
    fn what_is_not_measured_is_left_alone() {
        let world = World::new();
        let site = Site {
            world: &world,
            side: morse_api::modifier::Side::Measurement,
            path: "rover.sensor",
        };
        let fields = Fields::of_type::<VideoCameraData>(None);
        let bound = Gaussian::default().bind(&fields, &site);
        assert!(bound.is_err(), "a camera has no numbers but its matrix");
    }

    #[test]
    fn it_is_white() {
        let noise: Gaussian = settings("(sigma: 0.3, fields: [\"linear_velocity.1\"])");
        let mut noisy = TestModifier::<VelocityData>::new(&noise, None, World::new());
        let draws: Vec<f64> = (0..1 << 16)
            .map(|_| noisy.measure(VelocityData::default()).linear_velocity[1])
            .collect();
        // The Allan variance of white noise is sigma² / m over m measurements: the deviation has slope -1/2.
        for m in [1, 4, 16, 64, 256] {
            allan_variance(&draws, m).assert_is(0.09 / m as f64);
        }
        for lag in [1, 2, 17] {
            let products = draws.iter().zip(&draws[lag..]).map(|(a, b)| a * b);
            spread(products).assert_mean(0.0, 0.09);
        }
    }
}
