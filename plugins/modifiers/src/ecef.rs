//! Conversion of positions to Earth-centred, Earth-fixed coordinates.
use morse_api::{
    modifier::{Direction, Site},
    prelude::*,
};
use morse_geodesy::OnEarth;

use crate::coordinates::{self, Coordinates};

/// Converts the position `x`, `y`, `z` to the Earth-centred, Earth-fixed frame of WGS 84, in metres: x towards latitude and
/// longitude 0, z towards the north pole. Angles and velocities keep the scene's axes.
///
/// The inverse undoes the rotation of the scene against north, which MORSE's applies twice.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[reflect(@Example(r#"environment: (origin: (latitude: 43.6, longitude: 1.4333, altitude: 135)),
robots: { "rover": (model: "robots/atrv.robray", sensors: { "pose": (kind: "pose", modifiers: [(kind: "ecef")]) }) }"#))]
pub struct Ecef {
    /// `to`: from the scene to the Earth; `from`: back. By default, measurements are converted to it, and commands from it.
    pub direction: Option<Direction>,
}

impl Modifier for Ecef {
    const KIND: &'static str = "ecef";

    fn bind(&self, fields: &Fields, site: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        coordinates::bind(
            EarthCentred(OnEarth::of(site.world)),
            fields,
            site,
            self.direction,
        )
    }

    fn check(&self, world: &World) -> Result<(), CheckError> {
        morse_geodesy::required(world)
    }
}

struct EarthCentred(OnEarth);

impl Coordinates for EarthCentred {
    const UNITS: [&'static str; 3] = ["m"; 3];

    fn to(&self, point: [f64; 3]) -> [f64; 3] {
        self.0.ecef(&point.into()).into()
    }

    fn from(&self, point: [f64; 3]) -> [f64; 3] {
        self.0.scene(&point.into()).into()
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<Ecef>();
}
