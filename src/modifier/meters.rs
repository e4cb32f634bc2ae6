//! Metres instead of feet: the opposite of `feet`.
use morse_api::{
    modifier::{Direction, Site},
    prelude::*,
};

use crate::coordinates;

/// Gives the lengths `x`, `y` and `z`, as many as there are, in metres where they are in international feet.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Meters {
    /// `to`: feet become metres; `from`: metres become feet. Where nothing is said, measurements become
    /// metres, and commands are taken to be in metres and become feet.
    pub direction: Option<Direction>,
}

impl Modifier for Meters {
    const KIND: &'static str = "meters";

    fn bind(&self, fields: &Fields, site: &Site<'_>) -> Result<Box<dyn Modify>, Misfit> {
        coordinates::feet(fields, site.direction(self.direction).opposite())
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<Meters>();
}
