//! A robot on two wheels that balances as an inverted pendulum, by the efforts of a user's controller.
use nalgebra::{Matrix2, Matrix4, RowVector4, Vector2, Vector4};

use super::touching::{FLOOR, G, Test};

/// Mass (kg), height above the axle (m) and moment of inertia (kg·m²) of the body.
const BODY: (f64, f64, f64) = (20.0, 0.6, 2.0);
/// Mass (kg), radius (m) and moment of inertia (kg·m²) of a wheel; half of the track width, m.
const WHEEL: (f64, f64, f64) = (2.0, 0.2, 0.04);
const TRACK: f64 = 0.3;
/// Length of a tick, s.
const DT: f64 = 1.0 / 240.0;

fn robot() -> Test {
    let ((mass, height, inertia), (wheel, radius, moment)) = (BODY, WHEEL);
    let scene = format!(
        "{FLOOR} class wheel {{ type revolute; axis [0, 1, 0]; mass {wheel};
            inertia [{moment}, {moment}, {moment}, 0, 0, 0]; shape sphere; radius {radius}; friction 1; }}
        frame robot {{
            mass {mass}; center_of_mass [0, 0, {height}]; inertia [{inertia}, {inertia}, 0.5, 0, 0, 0];
            frame left {{ isa wheel; translation [0, {TRACK}, 0]; geometry {{ isa wheel; }} }}
            frame right {{ isa wheel; translation [0, -{TRACK}, 0]; geometry {{ isa wheel; }} }} }}"
    );
    let settings = format!(
        r#"robots: {{ "robot": (frame: "robot", base: dynamic, at: (translation: (0, 0, {radius}), rpy: (0, 0.1, 0)),
            actuators: {{ "joints": (kind: "joints") }}) }}"#
    );
    Test::new(&scene, &settings)
}

/// Returns the optimal gains (LQR) of the linearised pendulum, from displacement, velocity, lean and its rate (m, m/s, rad,
/// rad/s) to the torque of both wheels, N·m.
fn gains() -> RowVector4<f64> {
    let ((mass, height, inertia), (wheel, radius, moment)) = (BODY, WHEEL);
    let rolling = mass + 2.0 * wheel + 2.0 * moment / (radius * radius);
    let masses = Matrix2::new(
        rolling,
        mass * height,
        mass * height,
        mass * height * height + inertia,
    );
    let inverse = masses.try_inverse().expect("bodies have mass");
    let leaning = inverse * Vector2::new(0.0, mass * G * height);
    let pushed = inverse * Vector2::new(1.0 / radius, -1.0);
    let mut along = Matrix4::identity();
    (along[(0, 1)], along[(2, 3)]) = (DT, DT);
    (along[(1, 2)], along[(3, 2)]) = (leaning[0] * DT, leaning[1] * DT);
    let by = Vector4::new(0.0, pushed[0], 0.0, pushed[1]) * DT;
    // Riccati equation, by iteration.
    let cost = Matrix4::from_diagonal(&Vector4::new(20.0, 20.0, 10.0, 1.0));
    let (mut value, mut gains) = (cost, RowVector4::zeros());
    for _ in 0..5000 {
        let weight = 0.01 + (by.transpose() * value * by)[0];
        gains = by.transpose() * value * along / weight;
        value = cost + along.transpose() * value * (along - by * gains);
    }
    gains
}

#[test]
fn a_robot_on_two_wheels_balances_drives_and_turns_as_it_is_told() {
    let gains = gains();
    let mut test = robot();
    let (mut way, mut wanted, mut turned) = (0.0, 0.0, 0.0);
    let (mut lowest_lean, mut from) = (f64::MAX, (0.0, 0.0, 0.0));
    for tick in 0..(16.0 / DT) as u32 {
        // The robot stands, then drives, then drives on a circle.
        let time = f64::from(tick) * DT;
        let speed = if time < 4.0 { 0.0 } else { 0.5 };
        let rate = if time < 8.0 { 0.0 } else { 0.5 };
        let base = *test.0.body("robot").expect("a body");
        let turn = base.pose.rotation;
        let up = turn * nalgebra::Vector3::z();
        let yaw_axes = turn * nalgebra::Vector3::x();
        let ahead = nalgebra::Vector3::new(yaw_axes.x, yaw_axes.y, 0.0).normalize();
        let lean = libm::atan2(up.dot(&ahead), up.z);
        let side = nalgebra::Vector3::z().cross(&ahead);
        let leaning = base.angular_velocity.dot(&side);
        let axle = base.velocity_at(&base.pose.translation.vector.into());
        let velocity = axle.dot(&ahead);
        let off = Vector4::new(way - wanted, velocity - speed, lean, leaning);
        let torque = -(gains * off)[0];
        let twist = 20.0 * (rate - base.angular_velocity.z) + 40.0 * turned;
        test.exert(
            &["left", "right"],
            &[torque / 2.0 - twist, torque / 2.0 + twist],
        );
        test.run(DT);
        way += velocity * DT;
        wanted += speed * DT;
        turned += (rate - base.angular_velocity.z) * DT;
        lowest_lean = lowest_lean.min(up.z);
        if tick == (12.0 / DT) as u32 {
            from = (way, base.angular_velocity.z, time);
        }
        if (2.0..4.0).contains(&time) {
            assert!(
                lean.abs() < 0.02 && velocity.abs() < 0.1,
                "{time} s: {lean} rad"
            );
        }
        if time > 12.0 {
            let turning = base.angular_velocity.z;
            assert!(
                (turning / rate - 1.0).abs() < 0.01,
                "{time} s: {turning} rad/s"
            );
        }
    }
    let driven = (way - from.0) / (16.0 - from.2 - DT);
    println!("leans to {lowest_lean}, drives {driven} m/s");
    assert!(lowest_lean > 0.9, "{lowest_lean}");
    assert!((driven / 0.5 - 1.0).abs() < 0.01, "{driven} m/s");
    // Without the controller the robot falls.
    let mut test = robot();
    let mut lowest: f64 = 1.0;
    for _ in 0..720 {
        test.run(DT);
        let turn = test.0.body("robot").expect("a body").pose.rotation;
        lowest = lowest.min((turn * nalgebra::Vector3::z()).z);
    }
    assert!(lowest < 0.0, "it falls without: {lowest}");
}
