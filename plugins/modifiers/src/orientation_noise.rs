//! Gaussian noise on an orientation.
use bevy::reflect::structs::Struct;
use morse_api::{fields::at_mut, modifier::Site, prelude::*};
use nalgebra::Quaternion;

/// Adds errors to `yaw`, `pitch` and `roll`, or rotates a quaternion `orientation` (x, y, z, w) by small angles about its
/// frame's axes; independent at every measurement.
///
/// MORSE puts the planar yaw error of a quaternion on the x axis; here it is on z.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OrientationNoise {
    /// Standard deviation of roll, pitch and yaw (about x, y and z).
    #[reflect(@Unit("rad"), @ValueRange(0.0, 6.3))]
    pub sigma: [f64; 3],
    /// True to leave roll and pitch unchanged; they may then be missing.
    pub planar: bool,
}

impl Default for OrientationNoise {
    /// 5°, as in MORSE.
    fn default() -> Self {
        Self {
            sigma: [std::f64::consts::PI / 36.0; 3],
            planar: false,
        }
    }
}

impl Modifier for OrientationNoise {
    const KIND: &'static str = "orientation_noise";

    fn bind(&self, fields: &Fields, _: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        // Always drawn, so that the yaw noise is the same in both cases.
        let sigma = if self.planar {
            [0.0, 0.0, self.sigma[2]]
        } else {
            self.sigma
        };
        if let Some(field) = fields.of_kind::<[f64; 4]>("orientation") {
            let index = field.index;
            return Ok(Box::new(
                move |data: &mut dyn Struct, state: &mut ModifierState, _: &Clock| {
                    let error = sigma.map(|sigma| state.random.gauss(sigma));
                    if let Some(quaternion) = at_mut::<[f64; 4]>(data, index) {
                        turn(quaternion, error);
                    }
                },
            ));
        }
        let indices: [Option<usize>; 3] = if self.planar {
            let [yaw] = fields.numbers(["yaw"])?;
            [None, None, Some(yaw)]
        } else {
            let Ok(angles) = fields.numbers(["roll", "pitch", "yaw"]) else {
                return Err(BindError::needs(
                    "numbers `yaw`, `pitch` and `roll`, or a quaternion `orientation`",
                ));
            };
            angles.map(Some)
        };
        Ok(Box::new(
            move |data: &mut dyn Struct, state: &mut ModifierState, _: &Clock| {
                for (index, sigma) in indices.into_iter().zip(sigma) {
                    let error = state.random.gauss(sigma);
                    if let Some(value) = index.and_then(|index| at_mut::<f64>(data, index)) {
                        *value += error;
                    }
                }
            },
        ))
    }
}

/// Rotates a quaternion (x, y, z, w) by a rotation vector in the reference frame.
fn turn(quaternion: &mut [f64; 4], by: [f64; 3]) {
    let [x, y, z, w] = *quaternion;
    let rotation = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
    let turned = UnitQuaternion::from_scaled_axis(Vector3::from(by)) * rotation;
    *quaternion = turned.coords.into();
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<OrientationNoise>();
}

#[cfg(test)]
mod tests {
    use morse_sensors::pose::PoseData;
    use morse_testing::{TestModifier, settings, spread};

    use super::*;

    #[derive(Component, Reflect, Clone, Debug, Default, Serialize, Deserialize)]
    struct Quaternions {
        orientation: [f64; 4],
    }

    #[test]
    fn each_angle_has_its_sigma() {
        let noise: OrientationNoise = settings("(sigma: (0.01, 0.02, 0.03))");
        let mut noisy = TestModifier::<PoseData>::new(&noise, None, World::new());
        let draws: Vec<PoseData> = (0..20_000)
            .map(|_| {
                noisy.measure(PoseData {
                    yaw: 1.0,
                    ..PoseData::default()
                })
            })
            .collect();
        spread(draws.iter().map(|data| data.roll)).assert_gauss(0.0, 0.01);
        spread(draws.iter().map(|data| data.pitch)).assert_gauss(0.0, 0.02);
        spread(draws.iter().map(|data| data.yaw)).assert_gauss(1.0, 0.03);
    }

    #[test]
    fn a_quaternion_turns_about_each_axis() {
        let noise: OrientationNoise = settings("(sigma: (0.01, 0.02, 0.03))");
        let mut noisy = TestModifier::<Quaternions>::new(&noise, None, World::new());
        let truth = UnitQuaternion::from_euler_angles(0.3, -0.4, 2.0);
        let draws: Vec<Vector3<f64>> = (0..20_000)
            .map(|_| {
                let [x, y, z, w] = noisy
                    .measure(Quaternions {
                        orientation: truth.coords.into(),
                    })
                    .orientation;
                let actual = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
                (actual * truth.inverse()).scaled_axis()
            })
            .collect();
        for (axis, sigma) in [0.01, 0.02, 0.03].into_iter().enumerate() {
            spread(draws.iter().map(|draw| draw[axis])).assert_gauss(0.0, sigma);
        }
    }

    #[test]
    fn in_the_plane_only_yaw_is_uncertain() {
        let noise: OrientationNoise = settings("(planar: true)");
        let mut noisy = TestModifier::<PoseData>::new(&noise, None, World::new());
        let data = noisy.measure(PoseData::default());
        assert!(data.yaw != 0.0 && data.pitch == 0.0 && data.roll == 0.0);
    }
}
