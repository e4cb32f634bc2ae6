//! Addition of constant offsets, for maps with a distant origin.
use morse_api::{
    modifier::{Direction, Site},
    prelude::*,
};

use crate::coordinates::{self, Coordinates};

/// Adds an offset to the position `x`, `y`, `z`, as MORSE's modifier `UTM` does, which does not project.
///
/// Exact for scenes whose axes are parallel to those of the map. For the projection itself, from the scene's origin on
/// Earth, use `utm`.
#[derive(Reflect, Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UtmOffset {
    /// Easting of the scene's origin.
    #[reflect(@Unit("m"), @ValueRange(-1e12, 1e12))]
    pub x_offset: f64,
    /// Northing of the scene's origin.
    #[reflect(@Unit("m"), @ValueRange(-1e12, 1e12))]
    pub y_offset: f64,
    /// Height of the scene's origin.
    #[reflect(@Unit("m"), @ValueRange(-1e12, 1e12))]
    pub z_offset: f64,
    /// `to`: adds the offset; `from`: subtracts it. By default, it is added to measurements and subtracted from commands.
    pub direction: Option<Direction>,
}

impl Modifier for UtmOffset {
    const KIND: &'static str = "utm_offset";

    fn bind(&self, fields: &Fields, site: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        coordinates::bind(*self, fields, site, self.direction)
    }
}

impl Coordinates for UtmOffset {
    const UNITS: [&'static str; 3] = ["m"; 3];

    fn to(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        [x + self.x_offset, y + self.y_offset, z + self.z_offset]
    }

    fn from(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        [x - self.x_offset, y - self.y_offset, z - self.z_offset]
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<UtmOffset>();
}

#[cfg(test)]
mod tests {
    use morse_actuators::teleport::TeleportCommand;
    use morse_sensors::pose::PoseData;
    use morse_testing::{TestModifier, out_of_range, settings};

    use super::*;

    /// 43.6° N, 1.4333° E, 135 m in zone 31: PROJ 9.5.1, EPSG:4326 to EPSG:32631.
    const ORIGIN: &str =
        "(x_offset: 373549.6265930177, y_offset: 4828639.6739082355, z_offset: 135)";
    /// 43.561° N, 1.477° E, 251.5 m, in the same projection.
    const ON_THE_MAP: [f64; 3] = [376997.36288393644, 4824242.671214808, 251.5];
    /// The same position relative to that origin: PROJ, `+step +proj=utm +zone=31 +step +proj=affine` with these offsets.
    const IN_THE_SCENE: [f64; 3] = [3447.7362909187214, -4397.002693427727, 116.5];

    #[track_caller]
    fn assert_near(actual: [f64; 3], expected: [f64; 3]) {
        for (actual, expected) in actual.into_iter().zip(expected) {
            assert!(
                (actual - expected).abs() < 1e-6,
                "{actual} instead of {expected}"
            );
        }
    }

    fn measured(text: &str, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let settings: UtmOffset = settings(text);
        let mut noisy = TestModifier::<PoseData>::new(&settings, None, World::new());
        let data = noisy.measure(PoseData {
            x,
            y,
            z,
            yaw: 0.5,
            ..PoseData::default()
        });
        assert_eq!((data.yaw, data.pitch), (0.5, 0.0), "angles stay");
        [data.x, data.y, data.z]
    }

    #[test]
    fn positions_in_the_scene_become_positions_on_the_map_and_back() {
        assert_near(measured(ORIGIN, IN_THE_SCENE), ON_THE_MAP);
        let back = ORIGIN.replace(')', ", direction: from)");
        assert_near(measured(&back, ON_THE_MAP), IN_THE_SCENE);
        assert_eq!(measured("()", IN_THE_SCENE), IN_THE_SCENE);
    }

    #[test]
    fn commands_come_from_the_map() {
        let settings: UtmOffset = settings(ORIGIN);
        let mut noisy = TestModifier::<TeleportCommand>::command(&settings, World::new());
        let [x, y, z] = ON_THE_MAP;
        let command = noisy.measure(TeleportCommand {
            x,
            y,
            z,
            ..TeleportCommand::default()
        });
        assert_near([command.x, command.y, command.z], IN_THE_SCENE);
    }

    #[test]
    fn offsets_must_be_finite() {
        assert!(out_of_range::<UtmOffset>(ORIGIN).is_empty());
        let problems = out_of_range::<UtmOffset>("(z_offset: inf, x_offset: NaN)");
        assert_eq!(problems, ["x_offset", "z_offset"]);
    }
}
