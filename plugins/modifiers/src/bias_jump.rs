//! A fault: a constant error that appears suddenly.
use bevy::reflect::structs::Struct;
use morse_api::{modifier::Site, numbers::Numbers, prelude::*};

use crate::faults;

/// Adds the same error to each number from a time on: to coordinates, ranges and depths, to numbers with names, and to red,
/// green and blue of each pixel. Pixels without a depth stay unchanged in images of integer depths.
///
/// On a command it acts on the commands that are received in that time.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BiasJump {
    /// Fields to change, such as `["x", "velocity.0"]`; all numbers by default.
    pub fields: Vec<String>,
    /// Start time.
    #[reflect(@Unit("s"), @ValueRange(0.0, 1e9))]
    pub at: f64,
    /// End time; never by default.
    #[reflect(@Unit("s"), @ValueRange(0.0, 1e9))]
    pub until: Option<f64>,
    /// Error that is added, in the unit of the field.
    #[reflect(@Unit("field's"), @ValueRange(-1e12, 1e12))]
    pub size: f64,
}

impl Default for BiasJump {
    fn default() -> Self {
        Self {
            fields: Vec::new(),
            at: 0.0,
            until: None,
            size: 1.0,
        }
    }
}

impl Modifier for BiasJump {
    const KIND: &'static str = "bias_jump";

    fn bind(&self, fields: &Fields, _: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        let numbers = Numbers::with_loose(fields, &self.fields)?;
        let (at, until, size) = (self.at, self.until, self.size);
        Ok(Box::new(
            move |data: &mut dyn Struct, _: &mut ModifierState, clock: &Clock| {
                if faults::lasts(at, until, clock.seconds()) {
                    numbers.each(data, |_, number| *number += size);
                }
            },
        ))
    }

    fn check(&self, _: &World) -> Result<(), CheckError> {
        faults::check_span("at", self.at, self.until)
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<BiasJump>();
}

#[cfg(test)]
mod tests {
    use morse_sensors::pose::PoseData;
    use morse_testing::{TestModifier, settings};

    use super::*;

    #[test]
    fn it_comes_and_goes() {
        let settings: BiasJump = settings("(fields: [\"y\"], at: 0.3, until: 0.5, size: -2)");
        let mut noisy = TestModifier::<PoseData>::new(&settings, None, World::new());
        let data: Vec<PoseData> = (0..6).map(|_| noisy.measure(PoseData::default())).collect();
        let y: Vec<f64> = data.iter().map(|data| data.y).collect();
        assert_eq!(y, [0.0, 0.0, -2.0, -2.0, 0.0, 0.0]);
        assert!(data.iter().all(|data| data.x == 0.0 && data.yaw == 0.0));
    }
}
