//! Maximum velocities of joints, of a robot that is shipped.
use super::touching::{JOINTS, Test};

/// Joints of the KUKA LWR, their maximum velocities, rad/s, and efforts, N·m.
const KUKA: [(&str, f64, f64); 7] = [
    ("kuka_1", 1.92, 176.0),
    ("kuka_2", 1.92, 176.0),
    ("kuka_3", 2.23, 100.0),
    ("kuka_4", 2.23, 100.0),
    ("kuka_5", 3.56, 100.0),
    ("kuka_6", 3.21, 38.0),
    ("kuka_7", 3.21, 38.0),
];

/// Target position of a joint, rad, given its index and the time, s.
type Target = fn(f64, f64) -> f64;

/// Positions that jump farther than a joint moves until the next jump, by little and often, and along waves that are too fast
/// for the joints.
const TARGETS: [Target; 3] = [
    |joint, time| 1.2 * libm::sin(1.7 * (joint + 1.0) * (2.0 * time).floor()),
    |joint, time| 0.03 * libm::sin(2.3 * (joint + 1.0) * (10.0 * time).floor()),
    |joint, time| 0.9 * libm::sin(3.0 * time + joint),
];

/// A motor that lags behind its set point, since its effort is limited, catches up no faster than the joint may turn. A joint
/// that the others drag turns faster while its motor brakes with its full effort.
#[test]
fn no_motor_turns_a_joint_faster_than_its_maximum() {
    let settings =
        format!(r#"robots: {{ "robot": (model: "arms/kuka_lwr.robray", base: fixed, {JOINTS}) }}"#);
    let names = KUKA.map(|(name, ..)| name);
    for rate in [60, 240, 1000] {
        for (number, target) in TARGETS.iter().enumerate() {
            let mut test = Test::at(rate, "", &settings);
            let at = |time: f64| [0, 1, 2, 3, 4, 5, 6].map(|joint| target(f64::from(joint), time));
            let mut fastest: f64 = 0.0;
            for tick in 0..5 * rate {
                test.order(&names, &at(f64::from(tick) / f64::from(rate)));
                test.run(1.0 / f64::from(rate));
                let shares = KUKA.map(|(name, most, effort)| {
                    let joint = test.joint(&format!("robot.{name}"));
                    let brakes = joint.effort * joint.velocity.signum() < -0.999 * effort;
                    if brakes {
                        0.0
                    } else {
                        joint.velocity.abs() / most
                    }
                });
                fastest = shares.into_iter().fold(fastest, f64::max);
            }
            assert!(fastest < 1.03, "{rate} Hz, target {number}: {fastest}");
            test.run(3.0);
            for (name, wanted) in names.iter().zip(at(5.0 - 1.0 / f64::from(rate))) {
                let reached = test.joint(&format!("robot.{name}")).position;
                assert!(
                    (reached - wanted).abs() < 1e-4,
                    "{name}: {reached}, not {wanted}"
                );
            }
        }
    }
}

/// A motor that turns round catches up with its set point within a tick.
#[test]
fn no_motor_that_turns_round_is_too_fast() {
    let scene = "frame stand { frame link { type revolute; axis [0, 1, 0]; variable bend; limit_velocity 1; limit_effort 6;
        mass 1; center_of_mass [0.25, 0, 0]; inertia [0.01, 0.02, 0.02, 0, 0, 0]; } }";
    let settings = format!(r#"robots: {{ "robot": (frame: "stand", base: fixed, {JOINTS}) }}"#);
    for rate in [30, 60, 100, 240, 1000] {
        let mut test = Test::at(rate, scene, &settings);
        for tick in 0..6 * rate {
            let is_odd = (tick * 10 / (3 * rate)) % 2 == 1;
            test.order(&["bend"], &[if is_odd { 1.0 } else { -1.0 }]);
            test.run(1.0 / f64::from(rate));
            let speed = test.joint("bend").velocity;
            assert!(speed.abs() < 1.03, "{rate} Hz, tick {tick}: {speed}");
        }
    }
}
