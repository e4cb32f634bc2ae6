//! Gaussian noise on a position.
use bevy::reflect::structs::Struct;
use morse_api::{fields::at_mut, modifier::Site, prelude::*};

/// Adds to each of `x`, `y` and `z` an error of its own, fresh at every measurement.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PositionNoise {
    /// Standard deviation along x, y and z.
    #[reflect(@Unit("m"))]
    pub sigma: [f64; 3],
}

impl Default for PositionNoise {
    fn default() -> Self {
        Self { sigma: [0.05; 3] }
    }
}

impl Modifier for PositionNoise {
    const KIND: &'static str = "position_noise";

    fn bind(&self, fields: &Fields, _: &Site<'_>) -> Result<Box<dyn Modify>, Misfit> {
        let sigma = self.sigma;
        let xyz = fields.numbers(["x", "y", "z"])?;
        Ok(Box::new(
            move |data: &mut dyn Struct, memory: &mut Memory, _: &Clock| {
                for (index, sigma) in xyz.into_iter().zip(sigma) {
                    let error = memory.random.gauss(sigma);
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
