//! Conversion of positions to easting and northing of the universal transverse Mercator projection.
use morse_api::{
    modifier::{Direction, Site},
    prelude::*,
};
use morse_geodesy::{
    Geodetic, OnEarth, Origin,
    utm::{Projected, Zone},
};

use crate::coordinates::{self, Coordinates};

/// Converts the position to easting (`x`), northing (`y`) and altitude above the WGS 84 ellipsoid (`z`), in metres, of the
/// universal transverse Mercator projection. Angles and velocities keep the scene's axes.
///
/// One zone and one hemisphere serve the whole scene, so that coordinates do not jump at a border. MORSE's modifier of this
/// name adds constants, and does not project; that is `utm_offset`.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[reflect(@Example(r#"environment: (origin: (latitude: 43.6, longitude: 1.4333, altitude: 135)),
robots: { "rover": (model: "robots/atrv.robray", sensors: { "pose": (kind: "pose", modifiers: [(kind: "utm")]) }) }"#))]
pub struct Utm {
    /// Zone, 1 to 60; by default, that of the scene's origin.
    #[reflect(@ValueRange(1.0, 60.0))]
    pub zone: Option<u8>,
    /// Hemisphere, which defines the origin of northings: the equator, or 10,000 km south of it. By default, that of the
    /// scene's origin.
    pub hemisphere: Option<Hemisphere>,
    /// `to`: from the scene to the Earth; `from`: back. By default, measurements are converted to it, and commands from it.
    pub direction: Option<Direction>,
}

/// Hemisphere of the Earth.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hemisphere {
    /// North of the equator.
    North,
    /// South of the equator.
    South,
}

impl Utm {
    /// Returns the zone of the settings, or that of the scene's origin.
    fn zone(&self, world: &World) -> Option<Zone> {
        let position = world
            .get_resource::<Origin>()
            .copied()
            .unwrap_or_default()
            .geodetic();
        let own = Zone::of(position);
        Some(Zone {
            number: self.zone.or(own.map(|zone| zone.number))?,
            is_north: match self.hemisphere {
                Some(hemisphere) => hemisphere == Hemisphere::North,
                None => position.latitude >= 0.0,
            },
        })
    }
}

impl Modifier for Utm {
    const KIND: &'static str = "utm";

    fn bind(&self, fields: &Fields, site: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        let zone = self.zone(site.world).unwrap_or(Zone {
            number: 31,
            is_north: true,
        });
        let projection = Projection {
            on_earth: OnEarth::of(site.world),
            zone,
        };
        coordinates::bind(projection, fields, site, self.direction)
    }

    fn check(&self, world: &World) -> Result<(), CheckError> {
        morse_geodesy::required(world)?;
        match self.zone(world) {
            Some(zone) if (1..=60).contains(&zone.number) => Ok(()),
            Some(zone) => Err(CheckError::setting(format!(
                "there is no zone {}: say one of 1 to 60",
                zone.number
            ))),
            None => Err(CheckError::unmet(
                "the scene lies beyond 84° north or 80° south, where there are no zones: set one by \
                 `zone: …`, or take `ecef` or `geodetic`",
            )),
        }
    }
}

struct Projection {
    on_earth: OnEarth,
    zone: Zone,
}

impl Coordinates for Projection {
    const UNITS: [&'static str; 3] = ["m"; 3];

    fn to(&self, point: [f64; 3]) -> [f64; 3] {
        let position = self.on_earth.geodetic(&point.into());
        let Projected { easting, northing } = self.zone.project(position);
        [easting, northing, position.altitude]
    }

    fn from(&self, [easting, northing, altitude]: [f64; 3]) -> [f64; 3] {
        let [latitude, longitude] = self.zone.unproject(Projected { easting, northing });
        let position = Geodetic {
            latitude,
            longitude,
            altitude,
        };
        self.on_earth.scene(&position.to_ecef()).into()
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<Utm>();
}
