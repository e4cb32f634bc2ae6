//! Gaussian noise on a position.
use bevy::reflect::structs::Struct;
use morse_api::{fields::at_mut, modifier::Site, prelude::*};

/// Adds independent errors to `x`, `y` and `z` at every measurement.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PositionNoise {
    /// Standard deviation along x, y and z.
    #[reflect(@Unit("m"), @ValueRange(0.0, 1e6))]
    pub sigma: [f64; 3],
    /// True to leave `z` unchanged; it may then be missing.
    pub planar: bool,
}

impl Default for PositionNoise {
    fn default() -> Self {
        Self {
            sigma: [0.05; 3],
            planar: false,
        }
    }
}

impl Modifier for PositionNoise {
    const KIND: &'static str = "position_noise";

    fn bind(&self, fields: &Fields, _: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        let sigma = self.sigma;
        let indices: Vec<usize> = if self.planar {
            fields.lengths(["x", "y"])?.into()
        } else {
            fields.lengths(["x", "y", "z"])?.into()
        };
        Ok(Box::new(
            move |data: &mut dyn Struct, state: &mut ModifierState, _: &Clock| {
                for (&index, sigma) in indices.iter().zip(sigma) {
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
    app.add_modifier::<PositionNoise>();
}

#[cfg(test)]
mod tests {
    use morse_sensors::pose::PoseData;
    use morse_testing::{TestModifier, settings, spread};

    use super::*;

    #[test]
    fn each_axis_has_its_sigma() {
        let noise: PositionNoise = settings("(sigma: (0.1, 0.2, 0.3))");
        let mut noisy = TestModifier::<PoseData>::new(&noise, None, World::new());
        let draws: Vec<PoseData> = (0..20_000)
            .map(|_| {
                noisy.measure(PoseData {
                    y: 4.0,
                    yaw: 1.0,
                    ..PoseData::default()
                })
            })
            .collect();
        spread(draws.iter().map(|data| data.x)).assert_gauss(0.0, 0.1);
        spread(draws.iter().map(|data| data.y)).assert_gauss(4.0, 0.2);
        spread(draws.iter().map(|data| data.z)).assert_gauss(0.0, 0.3);
        assert!(draws.iter().all(|data| data.yaw == 1.0));
    }

    #[test]
    fn in_the_plane_height_is_exact() {
        let noise: PositionNoise = settings("(planar: true)");
        let mut noisy = TestModifier::<PoseData>::new(&noise, None, World::new());
        let data = noisy.measure(PoseData::default());
        assert!(data.x != 0.0 && data.y != 0.0 && data.z == 0.0);
    }
}
