//! Displacement of a robot since the start, without error.
use morse_api::{
    angles::{normalized, yaw_pitch_roll},
    prelude::*,
    state::Stateful,
};

/// Measures the displacement of the sensor since the start or since the last measurement.
///
/// Positions are in the start frame: the frame of the sensor when the simulation started (as in MORSE 1.4 and its tests; its
/// last development state reports world poses). Velocities are those of the sensor at this moment, in its own axes, and thus
/// zero for a robot at rest; MORSE divides the last displacement by the period, which is wrong at the first measurement.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Travel)]
pub struct Odometry {
    /// Level of the data.
    pub level: OdometryLevel,
}

/// Level of the data of an odometer.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OdometryLevel {
    /// Pose in the start frame, and velocity.
    #[default]
    Integrated,
    /// Distance since the last measurement.
    Raw,
    /// Difference from the pose of the last measurement, both in the start frame.
    Differential,
}

/// One measurement.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[expect(non_snake_case, reason = "MORSE's name for it")]
#[doc(alias("nav_msgs", "Odometry"))]
pub struct OdometryData {
    /// Distance between the positions of this measurement and of the last one.
    #[reflect(@Unit("m"), @Levels(&["raw"]))]
    pub dS: f64,
    /// Difference of `x` since the last measurement.
    #[reflect(@Unit("m"), @Levels(&["differential"]))]
    pub dx: f64,
    /// Difference of `y` since the last measurement.
    #[reflect(@Unit("m"), @Levels(&["differential"]))]
    pub dy: f64,
    /// Difference of `z` since the last measurement.
    #[reflect(@Unit("m"), @Levels(&["differential"]))]
    pub dz: f64,
    /// Difference of `yaw` since the last measurement, in [-π, π).
    #[reflect(@Unit("rad"), @Levels(&["differential"]))]
    pub dyaw: f64,
    /// Difference of `pitch` since the last measurement.
    #[reflect(@Unit("rad"), @Levels(&["differential"]))]
    pub dpitch: f64,
    /// Difference of `roll` since the last measurement.
    #[reflect(@Unit("rad"), @Levels(&["differential"]))]
    pub droll: f64,
    /// Position ahead of the start.
    #[reflect(@Unit("m"), @Levels(&["integrated"]))]
    pub x: f64,
    /// Position to the left of the start.
    #[reflect(@Unit("m"), @Levels(&["integrated"]))]
    pub y: f64,
    /// Position above the start.
    #[reflect(@Unit("m"), @Levels(&["integrated"]))]
    pub z: f64,
    /// Rotation since the start, about the start frame's z axis.
    #[reflect(@Unit("rad"), @Levels(&["integrated"]))]
    pub yaw: f64,
    /// Rotation about the y axis, after yaw.
    #[reflect(@Unit("rad"), @Levels(&["integrated"]))]
    pub pitch: f64,
    /// Rotation about the x axis, after yaw and pitch.
    #[reflect(@Unit("rad"), @Levels(&["integrated"]))]
    pub roll: f64,
    /// Velocity of the sensor along its x axis.
    #[reflect(@Unit("m/s"), @Levels(&["integrated"]))]
    pub vx: f64,
    /// Velocity of the sensor along its y axis (left).
    #[reflect(@Unit("m/s"), @Levels(&["integrated"]))]
    pub vy: f64,
    /// Velocity of the sensor along its z axis.
    #[reflect(@Unit("m/s"), @Levels(&["integrated"]))]
    pub vz: f64,
    /// Angular velocity about the sensor's z axis.
    #[reflect(@Unit("rad/s"), @Levels(&["integrated"]))]
    pub wz: f64,
    /// Angular velocity about the sensor's y axis.
    #[reflect(@Unit("rad/s"), @Levels(&["integrated"]))]
    pub wy: f64,
    /// Angular velocity about the sensor's x axis.
    #[reflect(@Unit("rad/s"), @Levels(&["integrated"]))]
    pub wx: f64,
}

/// Poses of the sensor at the start and at the last measurement, in the world. Part of the state.
#[derive(Component, Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Travel {
    start: Isometry3<f64>,
    last: Isometry3<f64>,
}

impl Stateful for Travel {}

impl Sensor for Odometry {
    const KIND: &'static str = "odometry";
    const LEVELS: &'static [&'static str] = &["integrated", "raw", "differential"];
    const ROS: &'static [&'static [RosMessage]] = &[
        &[RosMessage::Odometry],
        &[RosMessage::Json],
        &[RosMessage::Json],
    ];
    const MORSE_CLASSES: &'static [&'static str] =
        &["IntegratedOdometry", "RawOdometry", "Odometry"];
    type Data = OdometryData;
}

/// Adds this sensor.
pub fn plugin(app: &mut App) {
    app.add_sensor::<Odometry, _>(default_action)
        .register_state::<Travel>()
        .add_systems(Startup, begin);
}

fn begin(mut sensors: Query<(&WorldPose, &mut Travel)>) {
    for (pose, mut travel) in &mut sensors {
        *travel = Travel {
            start: pose.0,
            last: pose.0,
        };
    }
}

fn default_action(
    mut sensors: Query<(
        &Odometry,
        &Due,
        &WorldPose,
        &WorldVelocity,
        &mut Travel,
        &mut OdometryData,
    )>,
) {
    for (settings, due, pose, velocity, mut travel, mut data) in &mut sensors {
        if !due.0 {
            continue;
        }
        match settings.level {
            OdometryLevel::Integrated => integrated(&travel, &pose.0, velocity, &mut data),
            OdometryLevel::Raw => {
                let step = pose.0.translation.vector - travel.last.translation.vector;
                data.dS = step.norm();
            }
            OdometryLevel::Differential => differential(&travel, &pose.0, &mut data),
        }
        travel.last = pose.0;
    }
}

fn integrated(
    travel: &Travel,
    pose: &Isometry3<f64>,
    velocity: &WorldVelocity,
    data: &mut OdometryData,
) {
    let start_from_sensor = travel.start.inv_mul(pose);
    [data.x, data.y, data.z] = start_from_sensor.translation.vector.into();
    [data.yaw, data.pitch, data.roll] = yaw_pitch_roll(&start_from_sensor.rotation);
    [data.vx, data.vy, data.vz] = pose
        .rotation
        .inverse_transform_vector(&velocity.linear)
        .into();
    [data.wx, data.wy, data.wz] = pose
        .rotation
        .inverse_transform_vector(&velocity.angular)
        .into();
}

fn differential(travel: &Travel, pose: &Isometry3<f64>, data: &mut OdometryData) {
    let now = travel.start.inv_mul(pose);
    let before = travel.start.inv_mul(&travel.last);
    [data.dx, data.dy, data.dz] = (now.translation.vector - before.translation.vector).into();
    let angles = yaw_pitch_roll(&now.rotation);
    let angles_before = yaw_pitch_roll(&before.rotation);
    data.dyaw = normalized(angles[0] - angles_before[0]);
    data.dpitch = normalized(angles[1] - angles_before[1]);
    data.droll = normalized(angles[2] - angles_before[2]);
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use morse_testing::{TestWorld, circling, moving};

    use super::*;

    const RADIUS: f64 = 2.0;
    const OMEGA: f64 = 0.5;

    fn on_circle(tick: u32) -> BodyState {
        circling(RADIUS, OMEGA, OMEGA * f64::from(tick) / 60.0)
    }

    #[test]
    fn a_standing_robot_has_not_moved() {
        let start = moving([3.0, 4.0, 0.1], 1.0, [0.0; 3], [0.0; 3]);
        let mut test = TestWorld::new(60.0, plugin, start);
        let mount = Isometry3::translation(0.2, 0.0, 0.3);
        let odometry = test.sensor::<Odometry>("rover.odometry", "()", 60.0, mount);
        test.step(start);
        let OdometryData {
            x,
            y,
            yaw,
            vx,
            vy,
            wz,
            ..
        } = test.read(odometry);
        for value in [x, y, yaw, vx, vy, wz] {
            assert!(value.abs() < 1e-12, "{value}");
        }
    }

    #[test]
    fn a_circle_is_seen_from_its_start() {
        let mut test = TestWorld::new(60.0, plugin, on_circle(0));
        let odometry = test.sensor::<Odometry>("rover.odometry", "()", 60.0, Isometry3::identity());
        for tick in 1..=240 {
            test.step(on_circle(tick));
            let data: OdometryData = test.read(odometry);
            let turn = OMEGA * f64::from(tick) / 60.0;
            // Ahead at the start is the world's y axis, left is -x.
            assert!((data.x - RADIUS * libm::sin(turn)).abs() < 1e-9);
            assert!((data.y - RADIUS * (1.0 - libm::cos(turn))).abs() < 1e-9);
            assert!((data.yaw - turn).abs() < 1e-9);
            assert!((data.vx - RADIUS * OMEGA).abs() < 1e-9 && data.vy.abs() < 1e-9);
            assert!((data.wz - OMEGA).abs() < 1e-12);
        }
    }

    #[test]
    fn differences_add_up_to_the_whole_way() {
        let mut test = TestWorld::new(60.0, plugin, on_circle(0));
        let at = Isometry3::identity();
        let raw = test.sensor::<Odometry>("rover.raw", "(level: raw)", 60.0, at);
        let steps = test.sensor::<Odometry>("rover.steps", "(level: differential)", 10.0, at);
        let (mut distance, mut sum) = (0.0, [0.0; 3]);
        for tick in 1..=241 {
            test.step(on_circle(tick));
            distance += test.read::<OdometryData>(raw).dS;
            // At 10 Hz it measures in ticks 1, 7, …, 241.
            if tick % 6 == 1 {
                let data: OdometryData = test.read(steps);
                sum = [sum[0] + data.dx, sum[1] + data.dy, sum[2] + data.dyaw];
            }
        }
        let turn = OMEGA * 241.0 / 60.0;
        // A chord is shorter than its arc by the fraction (angle per step)² / 24.
        assert!((distance / (RADIUS * turn) - 1.0).abs() < 1e-5);
        assert!((sum[0] - RADIUS * libm::sin(turn)).abs() < 1e-9);
        assert!((sum[1] - RADIUS * (1.0 - libm::cos(turn))).abs() < 1e-9);
        assert!((sum[2] - turn).abs() < 1e-9);
    }

    #[test]
    fn an_odometer_off_the_axis_moves_on_a_turntable() {
        let turning = |yaw| moving([0.0; 3], yaw, [0.0; 3], [0.0, 0.0, OMEGA]);
        let mut test = TestWorld::new(60.0, plugin, turning(0.0));
        let mount = Isometry3::translation(0.4, 0.0, 0.0);
        let odometry = test.sensor::<Odometry>("rover.odometry", "()", 60.0, mount);
        test.step(turning(FRAC_PI_2));
        let data: OdometryData = test.read(odometry);
        assert!((data.x + 0.4).abs() < 1e-12 && (data.y - 0.4).abs() < 1e-12);
        assert!(data.vx.abs() < 1e-12 && (data.vy - 0.4 * OMEGA).abs() < 1e-12);
    }
}
