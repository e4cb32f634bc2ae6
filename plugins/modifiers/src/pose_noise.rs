//! Gaussian noise on a pose: position and Euler angles.
use bevy::reflect::structs::Struct;
use morse_api::{fields::at_mut, modifier::Site, prelude::*};

/// Adds independent errors to `x`, `y`, `z` and to `roll`, `pitch`, `yaw` at every measurement.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PoseNoise {
    /// Standard deviation along x, y and z.
    #[reflect(@Unit("m"), @ValueRange(0.0, 1e6))]
    pub position_sigma: [f64; 3],
    /// Standard deviation of roll, pitch and yaw.
    #[reflect(@Unit("rad"), @ValueRange(0.0, 6.3))]
    pub orientation_sigma: [f64; 3],
    /// True to leave `z`, `roll` and `pitch` unchanged.
    pub planar: bool,
}

impl Default for PoseNoise {
    /// 5 cm and 5°, as in MORSE.
    fn default() -> Self {
        Self {
            position_sigma: [0.05; 3],
            orientation_sigma: [std::f64::consts::PI / 36.0; 3],
            planar: false,
        }
    }
}

impl Modifier for PoseNoise {
    const KIND: &'static str = "pose_noise";

    fn bind(&self, fields: &Fields, _: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        let indices = fields.numbers(["x", "y", "z", "roll", "pitch", "yaw"])?;
        fields.lengths(["x", "y", "z"])?;
        let [x, y, z] = self.position_sigma;
        let [roll, pitch, yaw] = self.orientation_sigma;
        let sigma = if self.planar {
            [x, y, 0.0, 0.0, 0.0, yaw]
        } else {
            [x, y, z, roll, pitch, yaw]
        };
        Ok(Box::new(
            move |data: &mut dyn Struct, state: &mut ModifierState, _: &Clock| {
                for (index, sigma) in indices.into_iter().zip(sigma) {
                    let error = state.random.gauss(sigma);
                    if let Some(value) = at_mut::<f64>(data, index) {
                        *value += error;
                    }
                }
            },
        ))
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<PoseNoise>();
}

#[cfg(test)]
mod tests {
    use morse_sensors::pose::{self, PoseData};
    use morse_testing::{TestModifier, TestWorld, settings, spread};

    use super::*;

    #[test]
    fn every_coordinate_has_its_sigma() {
        let noise: PoseNoise =
            settings("(position_sigma: (0.1, 0.2, 0.3), orientation_sigma: (0.01, 0.02, 0.03))");
        let mut noisy = TestModifier::<PoseData>::new(&noise, None, World::new());
        let draws: Vec<PoseData> = (0..20_000)
            .map(|_| noisy.measure(PoseData::default()))
            .collect();
        let checks: [(fn(&PoseData) -> f64, f64); 6] = [
            (|data| data.x, 0.1),
            (|data| data.y, 0.2),
            (|data| data.z, 0.3),
            (|data| data.roll, 0.01),
            (|data| data.pitch, 0.02),
            (|data| data.yaw, 0.03),
        ];
        for (coordinate, sigma) in checks {
            spread(draws.iter().map(coordinate)).assert_gauss(0.0, sigma);
        }
    }

    /// Readings of `rover.pose` in ten ticks, on a robot with or without a second noisy sensor.
    fn readings(with_another: bool) -> Vec<PoseData> {
        let plugins = |app: &mut App| {
            app.add_plugins((pose::plugin, plugin));
        };
        let mut test = TestWorld::new(60.0, plugins, BodyState::default());
        let fields = Fields::of_type::<PoseData>(None);
        let paths: &[&str] = if with_another {
            &["rover.a", "rover.pose"]
        } else {
            &["rover.pose"]
        };
        let sensors: Vec<Entity> = paths
            .iter()
            .map(|path| {
                let sensor = test.sensor::<pose::Pose>(path, "()", 60.0, Isometry3::identity());
                test.modifier::<PoseNoise>(sensor, "()", &fields);
                sensor
            })
            .collect();
        let last = sensors[sensors.len() - 1];
        (0..10)
            .map(|_| {
                test.step(BodyState::default());
                test.read::<PoseData>(last)
            })
            .collect()
    }

    #[test]
    fn another_sensor_changes_nobodys_noise() {
        let alone = readings(false);
        assert_eq!(alone, readings(true));
        assert_ne!(alone[0], alone[1]);
    }
}
