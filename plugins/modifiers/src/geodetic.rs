//! Conversion of positions to longitude, latitude and altitude.
use morse_api::{
    modifier::{Direction, Site},
    prelude::*,
};
use morse_geodesy::{Geodetic, OnEarth};

use crate::coordinates::{self, Coordinates};

/// Converts the position to longitude (`x`, degrees), latitude (`y`, degrees) and altitude above the WGS 84 ellipsoid (`z`,
/// m), in the fields of the position as in MORSE. Angles and velocities keep the scene's axes.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[reflect(@Example(r#"environment: (origin: (latitude: 43.6, longitude: 1.4333, altitude: 135)),
robots: { "rover": (model: "robots/atrv.robray", sensors: { "pose": (kind: "pose", modifiers: [(kind: "geodetic")]) }) }"#))]
pub struct ToGeodetic {
    /// `to`: from the scene to the Earth; `from`: back. By default, measurements are converted to it, and commands from it.
    pub direction: Option<Direction>,
}

impl Modifier for ToGeodetic {
    const KIND: &'static str = "geodetic";

    fn bind(&self, fields: &Fields, site: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        coordinates::bind(
            OnEllipsoid(OnEarth::of(site.world)),
            fields,
            site,
            self.direction,
        )
    }

    fn check(&self, world: &World) -> Result<(), CheckError> {
        morse_geodesy::required(world)
    }
}

struct OnEllipsoid(OnEarth);

impl Coordinates for OnEllipsoid {
    const UNITS: [&'static str; 3] = ["deg", "deg", "m"];

    fn to(&self, point: [f64; 3]) -> [f64; 3] {
        let position = self.0.geodetic(&point.into());
        [position.longitude, position.latitude, position.altitude]
    }

    fn from(&self, [longitude, latitude, altitude]: [f64; 3]) -> [f64; 3] {
        let position = Geodetic {
            latitude,
            longitude,
            altitude,
        };
        self.0.scene(&position.to_ecef()).into()
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<ToGeodetic>();
}
