//! Magnetometer: the Earth's magnetic field at the sensor.
use bevy::prelude::{Changed, IntoScheduleConfigs as _};
use morse_api::{motion::MotionMode, prelude::*};
use morse_geodesy::{
    OnEarth, Origin,
    geomagnetism::{DEFAULT_DATE, Field, MagneticModel},
};

/// Three-axis magnetometer without error, in the field of the World Magnetic Model.
///
/// Requires an origin in the environment. The field is given in the sensor's own axes. With `motion: morse` it is MORSE's:
/// north, east and down are treated as the axes of the scene, and rotated into the sensor's axes. The field is evaluated at
/// each measurement; iron in the scene has no effect, and the date is constant during the run.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[reflect(@Example(r#"environment: (origin: (latitude: 43.6, longitude: 1.4333, altitude: 135)),
robots: { "rover": (model: "robots/atrv.robray", sensors: { "magnetometer": (kind: "magnetometer") }) }"#))]
#[require(Field)]
pub struct Magnetometer {
    /// Date as a decimal year, from 2015 to 2030: 2026.5 is the middle of 2026. MORSE uses the current day; here it is
    /// fixed, so that runs can be repeated.
    #[reflect(@Unit("a"), @ValueRange(2015.0, 2030.0), @Property("date"))]
    pub date: f64,
    /// Coefficients of the magnetic field: `automatic` (selected by the date), or `wmm2015`, `wmm2020`, `wmm2025`.
    pub model: MagneticModel,
}

impl Default for Magnetometer {
    fn default() -> Self {
        Self {
            date: DEFAULT_DATE,
            model: MagneticModel::Automatic,
        }
    }
}

/// One measurement.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[doc(alias("MagneticField", "magnetometer"))]
pub struct MagnetometerData {
    /// Magnetic field along the sensor's x axis.
    #[reflect(@Unit("nT"))]
    pub x: f64,
    /// Magnetic field along the sensor's y axis.
    #[reflect(@Unit("nT"))]
    pub y: f64,
    /// Magnetic field along the sensor's z axis.
    #[reflect(@Unit("nT"))]
    pub z: f64,
}

impl Sensor for Magnetometer {
    const KIND: &'static str = "magnetometer";
    const ROS: &'static [&'static [RosMessage]] = &[&[RosMessage::MagneticField]];
    const MORSE_CLASSES: &'static [&'static str] = &["Magnetometer"];
    type Data = MagnetometerData;

    fn check(&self, world: &World, _: Entity) -> Result<(), CheckError> {
        self.model.at(self.date)?;
        if world.contains_resource::<Origin>() {
            return Ok(());
        }
        Err(CheckError::unmet(
            "the magnetic field requires the position of the scene: \
             `environment: (origin: (latitude: …, longitude: …, altitude: …))`",
        ))
    }
}

pub(super) fn plugin(app: &mut App) {
    app.init_resource::<MotionMode>()
        .add_sensor::<Magnetometer, _>(|| (look_up, default_action).chain());
}

/// Computes the coefficients for the date, which has been checked before.
fn look_up(mut sensors: Query<(&Magnetometer, &mut Field), Changed<Magnetometer>>) {
    for (settings, mut field) in &mut sensors {
        *field = settings.model.at(settings.date).unwrap_or_default();
    }
}

fn default_action(
    motion: Res<MotionMode>,
    origin: Option<Res<Origin>>,
    mut sensors: Query<(&Due, &WorldPose, &Field, &mut MagnetometerData), With<Magnetometer>>,
) {
    let Some(on_earth) = origin.map(|origin| OnEarth::from(&*origin)) else {
        return;
    };
    for (due, pose, field, mut data) in &mut sensors {
        if due.0 {
            [data.x, data.y, data.z] = field.in_sensor(&on_earth, &pose.0, *motion).into();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use morse_api::angles::from_yaw_pitch_roll;
    use morse_testing::{TestWorld, moving};

    use super::*;

    const TOULOUSE: Origin = Origin {
        latitude: 43.6,
        longitude: 1.4333,
        altitude: 135.0,
        angle_against_north: 90.0,
    };

    /// Reference: north, east and down at the origin by pygeomag 1.1.0, at 2026.0 and at 2025.0.
    const IN_2026: [f64; 3] = [23_882.695_690, 763.769_461, 40_074.516_771];
    const IN_2025: [f64; 3] = [23_873.237_539, 707.828_295, 40_036.393_804];

    fn measure(text: &str, origin: Origin, mount: Isometry3<f64>, yaw: f64) -> Vector3<f64> {
        measure_by(MotionMode::Default, text, origin, mount, yaw)
    }

    fn measure_by(
        motion: MotionMode,
        text: &str,
        origin: Origin,
        mount: Isometry3<f64>,
        yaw: f64,
    ) -> Vector3<f64> {
        let mut test = TestWorld::new(60.0, plugin, BodyState::default());
        test.app.insert_resource(origin).insert_resource(motion);
        let sensor = test.sensor::<Magnetometer>("rover.magnetometer", text, 60.0, mount);
        test.step(moving([0.0; 3], yaw, [0.0; 3], [0.0; 3]));
        let data: MagnetometerData = test.read(sensor);
        Vector3::new(data.x, data.y, data.z)
    }

    #[track_caller]
    fn near(actual: Vector3<f64>, expected: [f64; 3]) {
        let error = (actual - Vector3::from(expected)).amax();
        assert!(error < 1e-3, "{actual} instead of {expected:?}");
    }

    #[test]
    fn level_and_heading_along_the_axes() {
        let [north, east, down] = IN_2026;
        let at = Isometry3::identity();
        // Heading east, north, west.
        near(measure("()", TOULOUSE, at, 0.0), [east, north, -down]);
        near(
            measure("()", TOULOUSE, at, FRAC_PI_2),
            [north, -east, -down],
        );
        near(
            measure("()", TOULOUSE, at, 2.0 * FRAC_PI_2),
            [-east, -north, -down],
        );
        // A scene whose x axis points north.
        let turned = Origin {
            angle_against_north: 0.0,
            ..TOULOUSE
        };
        near(measure("()", turned, at, 0.0), [north, -east, -down]);
        let [north, east, down] = IN_2025;
        let field = measure("(date: 2025)", TOULOUSE, at, 0.0);
        near(field, [east, north, -down]);
    }

    #[test]
    fn turned_in_every_way() {
        let [north, east, down] = IN_2026;
        let about = |axis: Vector3<f64>| Isometry3::rotation(axis * FRAC_PI_2);
        // The robot heads north. Nose down, the sensor's x points down and its z ahead; rolled to the right, its y points up
        // and its z to the right.
        let field = measure("()", TOULOUSE, about(Vector3::y()), FRAC_PI_2);
        near(field, [down, -east, north]);
        let field = measure("()", TOULOUSE, about(Vector3::x()), FRAC_PI_2);
        near(field, [north, -down, east]);
        for angles in [[0.3, 1.0, -2.0], [3.0, -0.4, 0.9], [-1.0, 1.5, 3.0]] {
            let rotation = from_yaw_pitch_roll(angles);
            let mount = Isometry3::from_parts(Vector3::zeros().into(), rotation);
            let field = rotation * measure("()", TOULOUSE, mount, 0.0);
            near(field, [east, north, -down]);
        }
    }

    #[test]
    fn morse_takes_north_east_and_down_for_the_axes_of_the_scene() {
        let [north, east, down] = IN_2026;
        let of = |mount, yaw| measure_by(MotionMode::Morse, "()", TOULOUSE, mount, yaw);
        near(of(Isometry3::identity(), 0.0), IN_2026);
        // Heading along y: the sensor's x is "east", its y is minus "north".
        near(of(Isometry3::identity(), FRAC_PI_2), [east, -north, down]);
        // Nose down: the sensor's x is minus "down", its z is "north".
        let nose_down = Isometry3::rotation(Vector3::y() * FRAC_PI_2);
        near(of(nose_down, 0.0), [-down, east, north]);
        // For any orientation of the scene.
        let turned = Origin {
            angle_against_north: 0.0,
            ..TOULOUSE
        };
        let at = Isometry3::identity();
        near(
            measure_by(MotionMode::Morse, "()", turned, at, 0.0),
            IN_2026,
        );
    }

    #[test]
    fn what_it_needs_is_said() {
        let mut world = World::new();
        let check = |world: &World, date, model| {
            Magnetometer { date, model }.check(world, Entity::PLACEHOLDER)
        };
        let automatic = MagneticModel::Automatic;
        assert!(
            check(&world, 2026.0, automatic)
                .unwrap_err()
                .to_string()
                .contains("origin")
        );
        world.insert_resource(TOULOUSE);
        assert_eq!(check(&world, 2026.0, automatic), Ok(()));
        assert_eq!(check(&world, 2016.0, MagneticModel::Wmm2025), Ok(()));
        let refused = check(&world, 2031.0, automatic).unwrap_err().to_string();
        assert!(refused.contains("2031") && refused.contains("from 2015 to 2030"));
    }
}
