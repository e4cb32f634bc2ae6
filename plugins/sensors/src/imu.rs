//! Inertial measurement unit: angular velocity, specific force and magnetic field.
use morse_api::{motion::MotionMode, prelude::*};
use morse_geodesy::{
    OnEarth, Origin,
    geomagnetism::{DEFAULT_DATE, Field, MagneticModel},
};

use crate::motion::{ComputationMode, Moment, Motion, track};

/// Gyroscope, accelerometer and magnetometer in the sensor's axes, without error (see `imu_noise`).
///
/// The accelerometer measures the specific force a - g: (0, 0, +g) when level and at rest, zero in free fall. a is the
/// acceleration of the mount point between two measurements, lever arm included, as for `accelerometer`: exact for constant
/// velocity and angular velocity, at every frequency.
///
/// The magnetic field is that of `magnetometer` if the environment has an origin on Earth; otherwise it is zero (MORSE does
/// not run then).
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Motion, Field)]
pub struct Imu {
    /// Source of velocity and angular velocity: `automatic`, `velocity` (live) or `position` (from poses).
    #[reflect(@Property("ComputationMode"), @Form::COMPUTATION)]
    pub computation_mode: ComputationMode,
    /// Date of the magnetic field as a decimal year, from 2015 to 2030.
    #[reflect(@Unit("a"), @ValueRange(2015.0, 2030.0), @AtLoad)]
    pub date: f64,
    /// Coefficients of the magnetic field: `automatic` (selected by the date), or `wmm2015`, `wmm2020`, `wmm2025`.
    #[reflect(@AtLoad)]
    pub model: MagneticModel,
}

impl Default for Imu {
    fn default() -> Self {
        Self {
            computation_mode: ComputationMode::Automatic,
            date: DEFAULT_DATE,
            model: MagneticModel::Automatic,
        }
    }
}

/// One measurement.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[doc(alias("Imu", "gyro", "accelerometer"))]
pub struct ImuData {
    /// Angular velocity about the sensor's x, y and z axes.
    #[reflect(@Unit("rad/s"))]
    pub angular_velocity: [f64; 3],
    /// Specific force along the sensor's x, y and z axes.
    #[reflect(@Unit("m/s²"))]
    pub linear_acceleration: [f64; 3],
    /// Magnetic field along the sensor's x, y and z axes; zero in a scene without an origin on Earth.
    #[reflect(@Unit("nT"))]
    pub magnetic_field: [f64; 3],
}

impl Sensor for Imu {
    const KIND: &'static str = "imu";
    const ROS: &'static [&'static [RosMessage]] = &[&[RosMessage::Imu]];
    const MORSE_CLASSES: &'static [&'static str] = &["IMU"];
    type Data = ImuData;

    fn check(&self, _: &World, _: Entity) -> Result<(), CheckError> {
        self.model.at(self.date)?;
        Ok(())
    }
}

pub(super) fn plugin(app: &mut App) {
    track(app);
    app.init_resource::<MotionMode>()
        .add_sensor::<Imu, _>(default_action)
        .add_systems(Startup, begin);
}

/// Computes the coefficients of the field for the date, which the load has checked.
fn begin(mut sensors: Query<(&Imu, &mut Field)>) {
    for (settings, mut field) in &mut sensors {
        *field = settings.model.at(settings.date).unwrap_or_default();
    }
}

fn default_action(
    moment: Moment<'_>,
    gravity: Res<Gravity>,
    rules: Res<MotionMode>,
    origin: Option<Res<Origin>>,
    mut sensors: Query<(
        &Imu,
        &Due,
        &WorldPose,
        &WorldVelocity,
        &Field,
        &mut Motion,
        &mut ImuData,
    )>,
) {
    let gravity = gravity.0;
    let on_earth = origin.map(|origin| OnEarth::from(&*origin));
    for (settings, due, pose, velocity, field, mut motion, mut data) in &mut sensors {
        if !due.0 {
            continue;
        }
        let moved = motion.measure(settings.computation_mode, pose, velocity, &moment);
        let to_sensor = pose.0.rotation.inverse();
        data.angular_velocity = (to_sensor * moved.angular).into();
        data.linear_acceleration = (to_sensor * (moved.acceleration - gravity)).into();
        if let Some(on_earth) = &on_earth {
            data.magnetic_field = field.in_sensor(on_earth, &pose.0, *rules).into();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use morse_testing::{TestWorld, moving};

    use super::*;

    const G: f64 = 9.81;

    fn near(actual: [f64; 3], expected: [f64; 3], tolerance: f64) {
        let error = (Vector3::from(actual) - Vector3::from(expected)).norm();
        assert!(error < tolerance, "{actual:?} instead of {expected:?}");
    }

    #[test]
    fn at_rest_it_feels_the_ground() {
        let mut test = TestWorld::new(60.0, plugin, BodyState::default());
        let level = test.sensor::<Imu>("rover.level", "()", 60.0, Isometry3::identity());
        // Nose up: the sensor's x axis points up.
        let nose_up = Isometry3::rotation(Vector3::y() * -FRAC_PI_2);
        let tilted = test.sensor::<Imu>("rover.tilted", "()", 10.0, nose_up);
        test.step(moving([0.0; 3], 0.7, [0.0; 3], [0.0; 3]));
        near(
            test.read::<ImuData>(level).linear_acceleration,
            [0.0, 0.0, G],
            1e-12,
        );
        near(
            test.read::<ImuData>(tilted).linear_acceleration,
            [G, 0.0, 0.0],
            1e-12,
        );
    }

    #[test]
    fn in_free_fall_it_feels_nothing() {
        let falling = |time: f64| {
            moving(
                [0.0, 0.0, 100.0 - G * time * time / 2.0],
                0.0,
                [0.0, 0.0, -G * time],
                [0.0; 3],
            )
        };
        let mut test = TestWorld::new(60.0, plugin, falling(0.0));
        let imu = test.sensor::<Imu>("rover.imu", "()", 10.0, Isometry3::identity());
        for tick in 1..=30 {
            test.step(falling(f64::from(tick) / 60.0));
            near(
                test.read::<ImuData>(imu).linear_acceleration,
                [0.0; 3],
                1e-9,
            );
        }
    }

    #[test]
    fn on_a_turntable_it_feels_the_lever_arm() {
        let (omega, arm, rate) = (3.0, 0.5, 1000.0);
        let turning = |tick: u32| {
            moving(
                [0.0; 3],
                omega * f64::from(tick) / rate,
                [0.0; 3],
                [0.0, 0.0, omega],
            )
        };
        let mut test = TestWorld::new(rate, plugin, turning(0));
        let imu = test.sensor::<Imu>(
            "rover.imu",
            "()",
            rate,
            Isometry3::translation(arm, 0.0, 0.0),
        );
        for tick in 1..=10 {
            test.step(turning(tick));
            let data: ImuData = test.read(imu);
            near(data.angular_velocity, [0.0, 0.0, omega], 1e-12);
            // ω²r towards the axis of rotation.
            let centripetal = -omega * omega * arm;
            near(data.linear_acceleration, [centripetal, 0.0, G], 1e-9);
        }
    }

    #[test]
    fn a_table_that_spins_up_is_felt_sideways() {
        let (alpha, arm, rate) = (2.0, 0.5, 100.0);
        let spinning = |tick: u32| {
            let time = f64::from(tick) / rate;
            moving([0.0; 3], 0.0, [0.0; 3], [0.0, 0.0, alpha * time])
        };
        let mut test = TestWorld::new(rate, plugin, spinning(0));
        let imu = test.sensor::<Imu>(
            "rover.imu",
            "()",
            rate,
            Isometry3::translation(arm, 0.0, 0.0),
        );
        test.step(spinning(1));
        near(
            test.read::<ImuData>(imu).linear_acceleration,
            [-(alpha / rate) * (alpha / rate) * arm, alpha * arm, G],
            1e-9,
        );
    }

    #[test]
    fn uneven_ticks_do_not_change_a_steady_acceleration() {
        let speeding =
            |tick: u32| moving([0.0; 3], 0.0, [f64::from(tick) / 60.0, 0.0, 0.0], [0.0; 3]);
        let mut test = TestWorld::new(60.0, plugin, speeding(0));
        let imu = test.sensor::<Imu>("rover.imu", "()", 7.0, Isometry3::identity());
        for tick in 1..=60 {
            test.step(speeding(tick));
            near(
                test.read::<ImuData>(imu).linear_acceleration,
                [1.0, 0.0, G],
                1e-9,
            );
        }
    }

    #[test]
    fn poses_give_the_same_as_live_velocities() {
        let text = "(computation_mode: position)";
        // Thrown and spinning: on a parabola the specific force is zero.
        let thrown = |tick: u32| {
            let time = f64::from(tick) / 60.0;
            moving(
                [2.0 * time, 0.0, 20.0 * time - G * time * time / 2.0],
                -7.0 * time,
                [2.0, 0.0, 20.0 - G * time],
                [0.0, 0.0, -7.0],
            )
        };
        let mut test = TestWorld::new(60.0, plugin, thrown(0));
        let even = test.sensor::<Imu>("rover.even", text, 60.0, Isometry3::identity());
        let uneven = test.sensor::<Imu>("rover.uneven", text, 25.0, Isometry3::identity());
        for tick in 1..=120 {
            test.step(thrown(tick));
            for imu in [even, uneven] {
                let data: ImuData = test.read(imu);
                near(data.linear_acceleration, [0.0; 3], 1e-8);
                near(data.angular_velocity, [0.0, 0.0, -7.0], 1e-9);
            }
        }
    }

    #[test]
    fn it_feels_the_field_of_the_earth_where_there_is_one() {
        let read = |origin: Option<Origin>, text: &str| {
            let mut test = TestWorld::new(60.0, plugin, BodyState::default());
            if let Some(origin) = origin {
                test.app.insert_resource(origin);
            }
            // Rolled to the left: y is down and z to the left.
            let rolled = Isometry3::rotation(Vector3::x() * -FRAC_PI_2);
            let imu = test.sensor::<Imu>("rover.imu", text, 60.0, rolled);
            test.step(moving([0.0; 3], FRAC_PI_2, [0.0; 3], [0.0; 3]));
            test.read::<ImuData>(imu).magnetic_field
        };
        // Reference: north, east and down by pygeomag 1.1.0.
        let toulouse = Origin {
            latitude: 43.6,
            longitude: 1.4333,
            altitude: 135.0,
            angle_against_north: 90.0,
        };
        let [north, east, down] = [23_882.695_690, 763.769_461, 40_074.516_771];
        near(read(Some(toulouse), "()"), [north, down, -east], 1e-3);
        let [north, east, down] = [23_873.237_539, 707.828_295, 40_036.393_804];
        near(
            read(Some(toulouse), "(date: 2025)"),
            [north, down, -east],
            1e-3,
        );
        assert_eq!(read(None, "()"), [0.0; 3]);
        let mut test = TestWorld::new(60.0, plugin, BodyState::default());
        test.app
            .insert_resource(toulouse)
            .insert_resource(MotionMode::Morse);
        let imu = test.sensor::<Imu>("rover.imu", "()", 60.0, Isometry3::identity());
        test.step(moving([0.0; 3], FRAC_PI_2, [0.0; 3], [0.0; 3]));
        // MORSE treats north, east and down as the axes of the scene.
        let [north, east, down] = [23_882.695_690, 763.769_461, 40_074.516_771];
        near(
            test.read::<ImuData>(imu).magnetic_field,
            [east, -north, down],
            1e-3,
        );
        let refused = Imu {
            date: 1999.0,
            ..Imu::default()
        };
        let refused = refused.check(&World::new(), Entity::PLACEHOLDER);
        assert!(refused.unwrap_err().to_string().contains("1999"));
    }
}
