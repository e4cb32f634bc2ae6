//! White noise on angular velocities and accelerations.
use bevy::reflect::structs::Struct;
use morse_api::{fields::at_mut, modifier::Site, prelude::*};

/// Adds independent errors to `angular_velocity` and `linear_acceleration` at every measurement.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ImuNoise {
    /// Standard deviation of the angular velocity about each axis.
    #[reflect(@Unit("rad/s"), @ValueRange(0.0, 1e5))]
    pub gyro_sigma: f64,
    /// Standard deviation of the acceleration along each axis.
    #[reflect(@Unit("m/s²"), @ValueRange(0.0, 1e5))]
    pub accel_sigma: f64,
}

impl Default for ImuNoise {
    /// Defaults of MORSE, which are far worse than any real unit.
    fn default() -> Self {
        Self {
            gyro_sigma: 0.5,
            accel_sigma: 0.5,
        }
    }
}

impl Modifier for ImuNoise {
    const KIND: &'static str = "imu_noise";

    fn bind(&self, fields: &Fields, _: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        let indices = fields.vectors(["angular_velocity", "linear_acceleration"])?;
        let sigmas = [self.gyro_sigma, self.accel_sigma];
        Ok(Box::new(
            move |data: &mut dyn Struct, state: &mut ModifierState, _: &Clock| {
                for (index, sigma) in indices.into_iter().zip(sigmas) {
                    for value in at_mut::<[f64; 3]>(data, index).into_iter().flatten() {
                        *value += state.random.gauss(sigma);
                    }
                }
            },
        ))
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<ImuNoise>();
}

#[cfg(test)]
mod tests {
    use morse_sensors::imu::ImuData;
    use morse_testing::{TestModifier, settings, spread};

    use super::*;

    #[test]
    fn each_axis_has_its_sigma() {
        let noise: ImuNoise = settings("(gyro_sigma: 0.1, accel_sigma: 2)");
        let mut noisy = TestModifier::<ImuData>::new(&noise, None, World::new());
        let draws: Vec<ImuData> = (0..20_000)
            .map(|_| {
                noisy.measure(ImuData {
                    linear_acceleration: [0.0, 0.0, 9.81],
                    ..ImuData::default()
                })
            })
            .collect();
        for axis in 0..3 {
            let truth = [0.0, 0.0, 9.81][axis];
            spread(draws.iter().map(|data| data.angular_velocity[axis])).assert_gauss(0.0, 0.1);
            spread(draws.iter().map(|data| data.linear_acceleration[axis]))
                .assert_gauss(truth, 2.0);
        }
    }
}
