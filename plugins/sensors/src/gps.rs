//! Satellite positioning receiver: position on Earth (WGS 84).
use morse_api::prelude::*;
use morse_geodesy::{Geodetic, OnEarth, Origin};

pub mod utc;

pub use utc::Utc;

/// Satellite positioning receiver: position in metres of the scene, or as latitude, longitude and altitude.
///
/// Unlike in MORSE, the velocity is that of the receiver at this moment and thus correct at the first measurement (MORSE
/// differentiates positions); heading and velocity refer to north at the receiver's position; and the heading is defined at
/// rest, too (in MORSE it is infinite then).
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Gps {
    /// Level of the data.
    pub level: GpsLevel,
    /// Date and time of the start of the simulation, such as `"2026-01-31T12:00:00Z"`.
    pub start_time: Utc,
}

/// Level of the data of a receiver.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GpsLevel {
    /// Position in the scene.
    #[default]
    Simple,
    /// Longitude, latitude, altitude and velocity; the environment needs an origin.
    Raw,
    /// Data of level `raw` with date, time and heading.
    Extended,
}

/// One measurement.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[doc(alias("NavSatFix"))]
pub struct GpsData {
    /// Position along the scene's x axis.
    #[reflect(@Unit("m"), @Levels(&["simple"]))]
    pub x: f64,
    /// Position along the scene's y axis.
    #[reflect(@Unit("m"), @Levels(&["simple"]))]
    pub y: f64,
    /// Height above the scene's origin.
    #[reflect(@Unit("m"), @Levels(&["simple"]))]
    pub z: f64,
    /// Longitude, positive east of Greenwich.
    #[reflect(@Unit("deg"), @Levels(&["raw", "extended"]))]
    pub longitude: f64,
    /// Latitude, positive north of the equator.
    #[reflect(@Unit("deg"), @Levels(&["raw", "extended"]))]
    pub latitude: f64,
    /// Altitude above the WGS 84 ellipsoid.
    #[reflect(@Unit("m"), @Levels(&["raw", "extended"]))]
    pub altitude: f64,
    /// Velocity to the east, to the north and up.
    #[reflect(@Unit("m/s"), @Levels(&["raw", "extended"]))]
    pub velocity: [f64; 3],
    /// Date in UTC, as DDMMYY.
    #[reflect(@Unit(""), @Levels(&["extended"]))]
    pub date: String,
    /// Time in UTC, as HHMMSS.
    #[reflect(@Unit(""), @Levels(&["extended"]))]
    pub time: String,
    /// Direction of the receiver's x axis, clockwise from north, in [0, 360), also at rest.
    #[reflect(@Unit("deg"), @Levels(&["extended"]))]
    pub heading: f64,
}

impl Sensor for Gps {
    const KIND: &'static str = "gps";
    const LEVELS: &'static [&'static str] = &["simple", "raw", "extended"];
    const ROS: &'static [&'static [RosMessage]] = &[
        &[RosMessage::Point],
        &[RosMessage::NavSatFix, RosMessage::Velocity],
        &[RosMessage::NavSatFix, RosMessage::Velocity],
    ];
    const MORSE_CLASSES: &'static [&'static str] = &["GPS", "RawGPS", "ExtendedGPS"];
    type Data = GpsData;

    fn check(&self, world: &World, _: Entity) -> Result<(), CheckError> {
        if self.level == GpsLevel::Simple || world.contains_resource::<Origin>() {
            return Ok(());
        }
        Err(CheckError::unmet(
            "latitude and longitude require the position of the scene: \
             `environment: (origin: (latitude: …, longitude: …, altitude: …))`, or `level: simple`",
        ))
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_sensor::<Gps, _>(default_action);
}

fn default_action(
    clock: Res<Clock>,
    origin: Option<Res<Origin>>,
    mut sensors: Query<(&Gps, &Due, &WorldPose, &WorldVelocity, &mut GpsData)>,
) {
    let on_earth = origin.map(|origin| OnEarth::from(&*origin));
    for (settings, due, pose, velocity, mut data) in &mut sensors {
        if !due.0 {
            continue;
        }
        match (settings.level, &on_earth) {
            (GpsLevel::Raw, Some(on_earth)) => {
                measure_position(on_earth, pose, velocity, &mut data);
            }
            (GpsLevel::Extended, Some(on_earth)) => {
                let position = measure_position(on_earth, pose, velocity, &mut data);
                data.heading = heading(on_earth, position, pose);
                let now = settings.start_time.after(clock.nanos() / 1_000_000_000);
                let GpsData { date, time, .. } = &mut *data;
                now.write(date, time);
            }
            _ => [data.x, data.y, data.z] = pose.0.translation.vector.into(),
        }
    }
}

fn measure_position(
    on_earth: &OnEarth,
    pose: &WorldPose,
    velocity: &WorldVelocity,
    data: &mut GpsData,
) -> Geodetic {
    let position = on_earth.geodetic(&pose.0.translation.vector.into());
    data.longitude = position.longitude;
    data.latitude = position.latitude;
    data.altitude = position.altitude;
    data.velocity = (on_earth.enu_from_scene(position) * velocity.linear).into();
    position
}

fn heading(on_earth: &OnEarth, position: Geodetic, pose: &WorldPose) -> f64 {
    let ahead = on_earth.enu_from_scene(position) * (pose.0.rotation * Vector3::x());
    let degrees = libm::atan2(ahead.x, ahead.y).to_degrees();
    // A tiny negative angle would be rounded to 360.
    let positive = if degrees < 0.0 {
        degrees + 360.0
    } else {
        degrees
    };
    if positive < 360.0 { positive } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use morse_testing::{TestWorld, moving};

    use super::*;

    fn toulouse() -> Origin {
        Origin {
            latitude: 43.6,
            longitude: 1.4333,
            altitude: 135.0,
            angle_against_north: 90.0,
        }
    }

    fn antenna() -> Isometry3<f64> {
        Isometry3::translation(0.0, 0.0, 0.5)
    }

    #[test]
    fn simple_is_the_antennas_position_in_the_scene() {
        let mut test = TestWorld::new(60.0, plugin, BodyState::default());
        let mount = Isometry3::translation(1.0, 0.0, 0.5);
        let gps = test.sensor::<Gps>("rover.gps", "()", 60.0, mount);
        test.step(moving([10.0, 8.0, 0.0], FRAC_PI_2, [0.0; 3], [0.0; 3]));
        let data: GpsData = test.read(gps);
        assert!(
            (Vector3::new(data.x, data.y, data.z) - Vector3::new(10.0, 9.0, 0.5)).norm() < 1e-12
        );
        assert_eq!(data.longitude, 0.0, "only what the level needs is measured");
    }

    #[test]
    fn raw_is_the_position_on_earth() {
        let mut test = TestWorld::new(60.0, plugin, BodyState::default());
        test.app.insert_resource(toulouse());
        let gps = test.sensor::<Gps>("rover.gps", "(level: raw)", 60.0, antenna());
        // PROJ 9.5.1 for (1000, 2000, 50) m east, north and up of the origin.
        test.step(moving(
            [1000.0, 2000.0, 49.5],
            0.3,
            [2.0, 1.0, 0.5],
            [0.0; 3],
        ));
        let data: GpsData = test.read(gps);
        assert!((data.latitude - 43.617_999_858_234_406).abs() < 1e-11);
        assert!((data.longitude - 1.445_688_297_409_409_6).abs() < 1e-11);
        assert!((data.altitude - 185.392_434_230_074_3).abs() < 1e-6);
        // At a distance of two kilometres, east has rotated by 1.4e-4 rad.
        assert!((Vector3::from(data.velocity) - Vector3::new(2.0, 1.0, 0.5)).norm() < 2e-3);
        assert!((Vector3::from(data.velocity).norm() - 5.25_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn extended_knows_date_time_and_heading() {
        let mut test = TestWorld::new(4.0, plugin, BodyState::default());
        test.app.insert_resource(toulouse());
        let text = r#"(level: extended, start_time: "2027-12-31T23:59:58Z")"#;
        let gps = test.sensor::<Gps>("rover.gps", text, 4.0, antenna());
        let north_west = moving([0.0; 3], 1.5 * FRAC_PI_2, [-1.0, 1.0, 0.0], [0.0; 3]);
        for _ in 0..7 {
            test.step(north_west);
        }
        let data: GpsData = test.read(gps);
        assert_eq!(
            (data.date.as_str(), data.time.as_str()),
            ("311227", "235959")
        );
        assert!((data.heading - 315.0).abs() < 1e-6, "{}", data.heading);
        test.step(moving([0.0; 3], 1.0, [0.0; 3], [0.0; 3]));
        let data: GpsData = test.read(gps);
        assert_eq!(
            (data.date.as_str(), data.time.as_str()),
            ("010128", "000000")
        );
        // At rest, one radian north of east.
        let expected = 90.0 - 1.0_f64.to_degrees();
        assert!((data.heading - expected).abs() < 1e-6, "{}", data.heading);
    }

    #[test]
    fn x_pointing_north_turns_heading_and_velocity() {
        let mut test = TestWorld::new(60.0, plugin, BodyState::default());
        test.app.insert_resource(Origin {
            angle_against_north: 0.0,
            ..toulouse()
        });
        let gps = test.sensor::<Gps>("rover.gps", "(level: extended)", 60.0, antenna());
        test.step(moving([0.0; 3], 0.0, [3.0, 0.0, 0.0], [0.0; 3]));
        let data: GpsData = test.read(gps);
        assert!((Vector3::from(data.velocity) - Vector3::new(0.0, 3.0, 0.0)).norm() < 1e-9);
        assert!(
            data.heading < 1e-6 || data.heading > 360.0 - 1e-6,
            "{}",
            data.heading
        );
    }

    #[test]
    fn without_an_origin_only_the_simple_level_works() {
        let world = World::new();
        let with = |level| {
            Gps {
                level,
                ..Gps::default()
            }
            .check(&world, Entity::PLACEHOLDER)
        };
        assert!(with(GpsLevel::Simple).is_ok());
        assert!(
            with(GpsLevel::Raw)
                .unwrap_err()
                .to_string()
                .contains("origin")
        );
        assert!(with(GpsLevel::Extended).is_err());
    }
}
