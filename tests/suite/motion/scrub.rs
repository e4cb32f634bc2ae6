//! Wheels that slide when a robot turns, against the balance of their friction; and robots whose wheels do not.
use std::f64::consts::TAU;

use morse_sim::sensor::imu::ImuData;
use nalgebra::{Matrix3, Vector3};

use super::{G, actuator, shipped_robots::on_floor};

/// Two driven wheels on one axle and casters without friction: nothing has to slide, at mixed commands and on a slope. The
/// wheels penetrate the ground by a twentieth of a percent of their radius.
#[test]
fn two_wheels_and_casters_do_not_scrub() {
    for (robot, axle, degrees) in [
        ("pioneer3dx", 0.045, 0.0),
        ("pioneer3dx", 0.045, 10.0),
        ("patrolbot", 0.0, 0.0),
    ] {
        for (rate, own_friction) in [(60.0, ""), (240.0, ""), (60.0, "friction: 1,")] {
            let wheels = actuator("v_omega_diff", "v: 0.2, w: 0.5");
            let model = format!("robots/{robot}.robray");
            let more = format!("{own_friction} {wheels}");
            let mut test = on_floor(&model, &more, (rate, 1.0, degrees));
            test.run(1.5);
            let [v, w] = test.mean_motion_of(axle, 2.0);
            let case = format!(
                "{robot}, {degrees} degrees, {rate} Hz, {own_friction}: {v} m/s, {w} rad/s"
            );
            assert!(
                (v / 0.2 - 1.0).abs() < 2e-3 && (w / 0.5 - 1.0).abs() < 2e-3,
                "{case}"
            );
        }
    }
}

/// A Segway RMP 400: half of the wheelbase and of the track, width of the tyres, radius of the wheels (m), mass of a wheel
/// and of the robot (kg), height of its centre of mass (m), and the track by which its wheels are driven.
const HALF_BASE: f64 = 0.295;
const HALF_TRACK: f64 = 0.291;
const TREAD: f64 = 0.178;
const RADIUS: f64 = 0.265;
const WHEEL: f64 = 11.0;
const MASS: f64 = 109.0;
const HEIGHT: f64 = (65.0 * 0.27 + 44.0 * RADIUS) / MASS;
const DRIVEN_TRACK: f64 = 1.206_525;

/// Points of its tyres, with the side on which they are (1 or -1), and their fractions of the load of a tyre.
fn points() -> impl Iterator<Item = (f64, f64, [f64; 2])> {
    let tyres = [
        (HALF_BASE, 1.0),
        (HALF_BASE, -1.0),
        (-HALF_BASE, 1.0),
        (-HALF_BASE, -1.0),
    ];
    tyres.into_iter().flat_map(|(x, side)| {
        let along = [(-0.5, 0.25), (0.0, 0.5), (0.5, 0.25)];
        along.map(|(at, fraction)| (x, side * HALF_TRACK + at * TREAD, [side, fraction]))
    })
}

/// Returns the force (N) and torque (N·m) that are missing for steady motion with velocities (vx, vy, w), when v and 0.5
/// rad/s are commanded. `pull` is gravity along x, along y, and into the ground, m/s².
///
/// Each of the twelve points of the tyres slides with its velocity minus that of its tyre's surface, and Coulomb friction of
/// 0.75 acts against that. The points carry the weight as springs do, twice as stiff in the middle of a tyre; centrifugal and gyroscopic torques (of solid
/// wheels) tilt the load outwards.
fn missing(motion: Vector3<f64>, v: f64, pull: Vector3<f64>) -> Vector3<f64> {
    let [vx, vy, w] = [motion.x, motion.y, motion.z];
    let [along, across] = [-vy * w - pull.x, vx * w - pull.y];
    let spin = 4.0 * (WHEEL * RADIUS * RADIUS / 2.0) * (v / RADIUS) * w;
    let [roll, pitch] = [MASS * across * HEIGHT + spin, MASS * along * HEIGHT];
    let [mut wide, mut long] = [0.0; 2];
    for (x, y, [_, fraction]) in points() {
        (long, wide) = (long + fraction * x * x, wide + fraction * y * y);
    }
    let mut sum = Vector3::new(-MASS * along, -MASS * across, 0.0);
    for (x, y, [side, fraction]) in points() {
        let load = fraction * (MASS * pull.z / 4.0 - y * roll / wide - x * pitch / long);
        let slip = [
            vx - w * y - (v - side * 0.5 * DRIVEN_TRACK / 2.0),
            vy + w * x,
        ];
        let share = -0.75 * load / (slip[0] * slip[0] + slip[1] * slip[1]).sqrt();
        let [fx, fy] = slip.map(|slip| share * slip);
        sum += Vector3::new(fx, fy, x * fy - y * fx);
    }
    sum
}

/// Returns the velocities of steady motion, from those of a similar one, by Newton's method.
fn steady(mut motion: Vector3<f64>, v: f64, pull: Vector3<f64>) -> Vector3<f64> {
    const STEP: f64 = 1e-7;
    for _ in 0..30 {
        let now = missing(motion, v, pull);
        let column = |index: usize| {
            let mut moved = motion;
            moved[index] += STEP;
            (missing(moved, v, pull) - now) / STEP
        };
        let slope = Matrix3::from_columns(&[column(0), column(1), column(2)]);
        motion -= slope.try_inverse().expect("friction everywhere") * now;
    }
    motion
}

#[test]
fn four_wheels_scrub_as_their_friction_balances() {
    for v in [0.2, 0.5] {
        let expected = steady(Vector3::new(v, 0.0, 0.5), v, Vector3::z() * G);
        for rate in [60.0, 240.0] {
            let wheels = actuator("v_omega_diff", &format!("v: {v}, w: 0.5"));
            let mut test = on_floor("robots/segway_rmp400.robray", &wheels, (rate, 1.0, 0.0));
            test.run(2.0);
            let [speed, w] = test.mean_motion_of(0.0, 2.0);
            let wanted = expected.xy().norm();
            println!(
                "{v} m/s, {rate} Hz: {speed}, {w}; expected {wanted}, {}",
                expected.z
            );
            assert!(
                (speed / wanted - 1.0).abs() < 3e-3,
                "{v}, {rate} Hz: {speed}, not {wanted}"
            );
            assert!(
                (w / expected.z - 1.0).abs() < 1e-3,
                "{v}, {rate} Hz: {w} rad/s"
            );
        }
    }
}

/// On a slope of 10 degrees the turning rate is a mean over all headings.
#[test]
fn four_wheels_turn_on_a_slope_as_their_friction_balances() {
    let (sin, cos) = libm::sincos(10_f64.to_radians());
    let mut motion = Vector3::new(0.0, 0.0, 0.5);
    let mut time = 0.0;
    for step in 0..72 {
        let (across, along) = libm::sincos(TAU * f64::from(step) / 72.0);
        let pull = Vector3::new(-sin * along, sin * across, cos) * G;
        motion = steady(motion, 0.0, pull);
        time += TAU / 72.0 / motion.z;
    }
    let wheels = actuator("v_omega_diff", "w: 0.5");
    let mut test = on_floor("robots/segway_rmp400.robray", &wheels, (60.0, 1.0, 10.0));
    test.run(2.0);
    let [_, w] = test.mean_motion_of(0.0, time);
    println!("{w} rad/s; expected {}", TAU / time);
    assert!(
        (w * time / TAU - 1.0).abs() < 4e-3,
        "{w}, not {}",
        TAU / time
    );
}

/// An IMU off the centre of a robot without joints that drives on a circle: a = v × ω - ω² r.
#[test]
fn an_imu_shows_the_circle_of_its_robot_at_every_rate() {
    for rate in [30.0, 60.0, 240.0] {
        let more = "actuators: { \"motion\": (kind: \"v_omega\", start: (v: 1, w: 0.8)) },
            sensors: { \"imu\": (kind: \"imu\", mount: (translation: (0.5, 0.2, 0.3))) }";
        let mut test = on_floor("robots/atrv.robray", more, (rate, 1.0, 0.0));
        test.run(3.0);
        let data = test.simulation.read::<ImuData>("rover.imu").expect("data");
        let acceleration = Vector3::from(data.linear_acceleration);
        let expected = Vector3::new(-0.64 * 0.5, 0.8 - 0.64 * 0.2, G);
        assert!(
            (acceleration - expected).norm() < 2e-3,
            "{rate} Hz: {acceleration}"
        );
    }
}
