//! Coordinates of the scene plus constants, as maps have them whose origin is far away.
use morse_api::{
    modifier::{Direction, Site},
    prelude::*,
};

use crate::coordinates::{self, Coordinates};

/// Adds an offset to the position `x`, `y`, `z`: MORSE's modifier `UTM`, which does not project.
///
/// It is right for scenes whose axes point along those of the map. For the projection itself, from the
/// scene's origin on Earth, there is `utm`.
#[derive(Reflect, Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UtmOffset {
    /// Easting of the scene's origin.
    #[reflect(@Unit("m"))]
    pub x_offset: f64,
    /// Northing of the scene's origin.
    #[reflect(@Unit("m"))]
    pub y_offset: f64,
    /// Height of the scene's origin.
    #[reflect(@Unit("m"))]
    pub z_offset: f64,
    /// `to`: adds the offset; `from`: subtracts it. Where nothing is said, it is added to measurements and
    /// subtracted from commands.
    pub direction: Option<Direction>,
}

impl Modifier for UtmOffset {
    const KIND: &'static str = "utm_offset";

    fn bind(&self, fields: &Fields, site: &Site<'_>) -> Result<Box<dyn Modify>, Misfit> {
        coordinates::bind(*self, fields, site, self.direction)
    }

    fn check(&self, _: &World) -> Result<(), String> {
        if [self.x_offset, self.y_offset, self.z_offset]
            .iter()
            .all(|offset| offset.is_finite())
        {
            return Ok(());
        }
        Err("the offsets must be finite".to_owned())
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
