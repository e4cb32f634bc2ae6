//! Conversion of lengths to feet.
use morse_api::{
    modifier::{Direction, Site},
    prelude::*,
};

use crate::coordinates;

/// Converts the lengths `x`, `y` and `z`, if present, to international feet of 0.3048 m.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Feet {
    /// `to`: metres become feet; `from`: feet become metres. By default, measurements become feet, and commands are taken as
    /// feet.
    pub direction: Option<Direction>,
}

impl Modifier for Feet {
    const KIND: &'static str = "feet";

    fn bind(&self, fields: &Fields, site: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        coordinates::feet(fields, site.direction(self.direction))
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<Feet>();
}
