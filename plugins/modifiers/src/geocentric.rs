//! Conversion of positions to longitude, geocentric latitude and distance from the Earth's centre.
use morse_api::{
    modifier::{Direction, Site},
    prelude::*,
};
use morse_geodesy::{Geocentric, OnEarth};

use crate::coordinates::{self, Coordinates};

/// Converts the position to longitude (`x`, degrees), geocentric latitude (`y`, degrees: the angle at the Earth's centre,
/// which at 45° is 0.19° less than the geodetic latitude) and distance from the centre (`z`, m). Angles and velocities keep
/// the scene's axes.
///
/// The inverse undoes the rotation of the scene against north, which MORSE's applies twice.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[reflect(@Example(r#"environment: (origin: (latitude: 43.6, longitude: 1.4333, altitude: 135)),
robots: { "rover": (model: "robots/atrv.robray", sensors: { "pose": (kind: "pose", modifiers: [(kind: "geocentric")]) }) }"#))]
pub struct ToGeocentric {
    /// `to`: from the scene to the Earth; `from`: back. By default, measurements are converted to it, and commands from it.
    pub direction: Option<Direction>,
}

impl Modifier for ToGeocentric {
    const KIND: &'static str = "geocentric";

    fn bind(&self, fields: &Fields, site: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        coordinates::bind(
            FromCentre(OnEarth::of(site.world)),
            fields,
            site,
            self.direction,
        )
    }

    fn check(&self, world: &World) -> Result<(), CheckError> {
        morse_geodesy::required(world)
    }
}

struct FromCentre(OnEarth);

impl Coordinates for FromCentre {
    const UNITS: [&'static str; 3] = ["deg", "deg", "m"];

    fn to(&self, point: [f64; 3]) -> [f64; 3] {
        let position = Geocentric::from_ecef(&self.0.ecef(&point.into()));
        [position.longitude, position.latitude, position.radius]
    }

    fn from(&self, [longitude, latitude, radius]: [f64; 3]) -> [f64; 3] {
        let position = Geocentric {
            latitude,
            longitude,
            radius,
        };
        self.0.scene(&position.to_ecef()).into()
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<ToGeocentric>();
}
