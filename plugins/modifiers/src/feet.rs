//! Feet instead of metres.
use morse_api::{
    modifier::{Direction, Site},
    prelude::*,
};

use crate::coordinates;

/// Gives the lengths `x`, `y` and `z`, as many as there are, in international feet of 0.3048 m.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Feet {
    /// `to`: metres become feet; `from`: feet become metres. Where nothing is said, measurements become feet,
    /// and commands are taken to be in feet.
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
