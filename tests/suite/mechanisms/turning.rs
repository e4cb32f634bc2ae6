//! Bodies on turning links, and turning robots: friction, welds and locked axes.
use morse_sim::actuator::{
    external_force::{ExternalForce, ExternalForceCommand},
    joints::{Joints, JointsCommand},
};
use nalgebra::Vector3;

use super::touching::{JOINTS, Test};

fn position(test: &Test, body: &str) -> Vector3<f64> {
    test.0.body(body).expect("a body").pose.translation.vector
}

fn turn(test: &Test, velocity: f64) {
    let command = JointsCommand {
        velocities: vec![velocity],
        ..JointsCommand::default()
    };
    test.0
        .command::<Joints>("robot.joints", command)
        .expect("joints");
}

/// A box on a turntable, 1 m from its axis, which needs less than a quarter of its friction, stays where it is.
#[test]
fn friction_holds_a_box_on_a_turntable() {
    let scene = "
frame stand {
  translation [0, 0, 1];
  frame table {
    type revolute; axis [0, 0, 1]; variable turn; mass 50; geometry { shape box; dimension [6, 6, 0.1]; friction 1; }
  }
}
frame box { translation [1, 0, 1.1]; mass 2; geometry { shape box; dimension [0.3, 0.3, 0.1]; friction 1; } }
";
    let settings = format!(
        r#"bodies: {{ "box": (kind: dynamic) }}, robots: {{ "robot": (frame: "stand", base: fixed, {JOINTS}) }}"#
    );
    for rate in [60, 240] {
        let mut test = Test::at(rate, scene, &settings);
        for tick in 0..rate {
            turn(&test, 1.5 * f64::from(tick + 1) / f64::from(rate));
            test.run(1.0 / f64::from(rate));
        }
        let before = position(&test, "box").xy().norm();
        test.run(5.0);
        let drift = (position(&test, "box").xy().norm() - before) / 5.0;
        assert!(drift.abs() < 3e-4, "{rate} Hz: {drift} m/s");
    }
}

/// A free body that is welded to an arm keeps its place at the arm, which turns on at the same speed.
#[test]
fn a_weld_holds_a_body_on_a_fast_arm() {
    let scene = "
frame stand {
  translation [0, 0, 2];
  frame arm {
    type revolute; axis [0, 0, 1]; variable turn; mass 0.5; center_of_mass [0.25, 0, 0];
    inertia [0.01, 0.01, 0.01, 0, 0, 0];
    frame tip { translation [0.5, 0, 0]; }
  }
}
frame body {
  translation [0.6, 0, 2]; mass 1; geometry { shape box; dimension [0.2, 0.2, 0.2]; }
  frame grip { translation [-0.1, 0, 0]; }
}
";
    let settings = format!(
        r#"bodies: {{ "body": (kind: dynamic, gravity: false) }}, closures: {{ "weld": (kind: weld, frames: ("tip", "grip")) }},
        robots: {{ "robot": (frame: "stand", base: fixed, {JOINTS}) }}"#
    );
    for speed in [3.0, 10.0, 20.0] {
        let mut test = Test::at(60, scene, &settings);
        for tick in 0..60 {
            turn(&test, speed * f64::from(tick + 1) / 60.0);
            test.run(1.0 / 60.0);
        }
        let mut gap: f64 = 0.0;
        for _ in 0..60 {
            test.run(1.0 / 60.0);
            let angle = test.joint("turn").position;
            let expected = Vector3::new(0.6 * libm::cos(angle), 0.6 * libm::sin(angle), 2.0);
            gap = gap.max((position(&test, "body") - expected).norm());
        }
        assert!(gap < 1e-3, "{speed} rad/s: {gap} m");
    }
}

/// A robot with a joint that may move along x and turn about z goes straight on while it turns.
#[test]
fn locked_axes_of_a_robot_hold_while_it_turns() {
    let scene = "
frame base {
  mass 2; inertia [0.1, 0.1, 0.1, 0, 0, 0]; center_of_mass [0, 0, 0];
  frame link {
    type revolute; axis [0, 0, 1]; variable turn; mass 0.001; inertia [1e-5, 1e-5, 1e-5, 0, 0, 0];
    center_of_mass [0, 0, 0];
  }
}
";
    let settings = r#"robots: { "robot": (frame: "base", locked: [y, z, rotation_x, rotation_y],
        actuators: { "push": (kind: "external_force") }) }"#;
    for (rate, speed) in [(60, 2.0), (60, 10.0), (240, 10.0)] {
        let mut test = Test::at(rate, scene, settings);
        let push = |test: &Test, force, torque| {
            let command = ExternalForceCommand { force, torque };
            test.0
                .command::<ExternalForce>("robot.push", command)
                .expect("finite numbers");
        };
        push(&test, [4.0, 3.0, 0.0], [0.0, 0.0, 0.2 * speed]);
        test.run(0.5);
        push(&test, [0.0; 3], [0.0; 3]);
        test.run(0.1);
        let start = position(&test, "base");
        test.run(2.0);
        let way = position(&test, "base") - start;
        assert!(
            (way.x - 2.0).abs() < 5e-3,
            "{rate} Hz, {speed} rad/s: {way}"
        );
        assert!(way.yz().norm() < 1e-3, "{rate} Hz, {speed} rad/s: {way}");
        assert!(position(&test, "base").y.abs() < 1e-3);
    }
}
