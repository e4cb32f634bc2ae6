//! Conversion of lengths to metres: the inverse of `feet`.
use morse_api::{
    modifier::{Direction, Site},
    prelude::*,
};

use crate::coordinates;

/// Converts the lengths `x`, `y` and `z`, if present, from international feet to metres.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Meters {
    /// `to`: feet become metres; `from`: metres become feet. By default, measurements become metres, and commands are taken
    /// as metres and become feet.
    pub direction: Option<Direction>,
}

impl Modifier for Meters {
    const KIND: &'static str = "meters";

    fn bind(&self, fields: &Fields, site: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        coordinates::feet(fields, site.direction(self.direction).opposite())
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<Meters>();
}

#[cfg(test)]
mod tests {
    use morse_actuators::teleport::TeleportCommand;
    use morse_sensors::pose::PoseData;
    use morse_testing::{TestModifier, settings};

    use super::*;

    /// Feet and metres, by PROJ 9.5.1: `+proj=unitconvert +xy_in=ft +xy_out=m +z_in=ft +z_out=m`.
    const SAME: [([f64; 3], [f64; 3]); 2] = [
        ([100.0, -250.5, 3.28], [30.48, -76.3524, 0.999744]),
        ([1.0, 0.3048, 8848.86], [0.3048, 0.09290304, 2697.132528]),
    ];

    fn pose([x, y, z]: [f64; 3]) -> PoseData {
        PoseData {
            x,
            y,
            z,
            yaw: 0.5,
            ..PoseData::default()
        }
    }

    #[track_caller]
    fn assert_near(actual: [f64; 3], expected: [f64; 3]) {
        for (actual, expected) in actual.into_iter().zip(expected) {
            assert!(
                (actual / expected - 1.0).abs() < 1e-14,
                "{actual} instead of {expected}"
            );
        }
    }

    #[test]
    fn measurements_become_metres_or_feet() {
        let modified = |text: &str, truth| {
            let mut noisy =
                TestModifier::<PoseData>::new(&settings::<Meters>(text), None, World::new());
            let data = noisy.measure(pose(truth));
            assert_eq!((data.yaw, data.pitch), (0.5, 0.0), "angles stay");
            [data.x, data.y, data.z]
        };
        for (feet, meters) in SAME {
            assert_near(modified("()", feet), meters);
            assert_near(modified("(direction: to)", feet), meters);
            assert_near(modified("(direction: from)", meters), feet);
        }
    }

    #[test]
    fn commands_in_metres_become_feet() {
        let mut noisy =
            TestModifier::<TeleportCommand>::command(&settings::<Meters>("()"), World::new());
        for (feet, [x, y, z]) in SAME {
            let command = noisy.measure(TeleportCommand {
                x,
                y,
                z,
                ..TeleportCommand::default()
            });
            assert_near([command.x, command.y, command.z], feet);
        }
    }
}
