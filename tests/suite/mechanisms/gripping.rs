//! A gripper that lifts and shakes an object by friction.
use nalgebra::Vector3;

use super::touching::{JOINTS, Test};

/// Two fingers on slides that close along y, below a hand that rises, on a table with a box of 0.5 kg.
pub(crate) const GRIPPER: &str = "
frame table { translation [0, 0, 0.2]; geometry { shape box; dimension [0.6, 0.6, 0.4]; friction 0.6; } }
frame thing { translation [0, 0, 0.43]; mass 0.5; geometry { shape box; dimension [0.06, 0.06, 0.06]; friction 0.6; } }
frame rail { translation [0, 0, 0.8];
  frame lift { type prismatic; axis [0, 0, 1]; variable lift; mass 2; inertia [0.02, 0.02, 0.02, 0, 0, 0];
    frame cross { type prismatic; axis [1, 0, 0]; variable cross; mass 1; inertia [0.01, 0.01, 0.01, 0, 0, 0];
      frame left { translation [0, 0.06, -0.37]; type prismatic; axis [0, -1, 0]; variable left; limit_effort 15;
        mass 0.1; geometry { shape box; dimension [0.04, 0.02, 0.06]; friction 0.6; } }
      frame right { translation [0, -0.06, -0.37]; type prismatic; axis [0, 1, 0]; variable right; limit_effort 15;
        mass 0.1; geometry { shape box; dimension [0.04, 0.02, 0.06]; friction 0.6; } }
    } } }
";

const NAMES: [&str; 4] = ["lift", "cross", "left", "right"];

/// Set point of the closed fingers, m: beyond the object, so that both press with their maximum effort.
const CLOSED: f64 = 0.1;

/// A gripper that has closed around the object for 1 s. `joints` are further settings of the robot.
fn grasp(rate: u32, model: &str, joints: &str) -> Test {
    let settings = format!(
        r#"bodies: {{ "thing": (kind: dynamic) }}, robots: {{ "robot": (frame: "rail", base: fixed, {JOINTS}, {joints}) }}"#
    );
    let mut test = Test::at(rate, model, &settings);
    test.order(&NAMES, &[0.0, 0.0, CLOSED, CLOSED]);
    test.run(1.0);
    test
}

/// Position of the object in the frame of a finger, m.
fn in_hand(test: &Test) -> Vector3<f64> {
    let finger = test.0.body("left").expect("a finger").pose;
    finger
        .inverse_transform_point(&test.position("thing").into())
        .coords
}

#[test]
fn a_gripper_lifts_and_shakes_what_it_holds() {
    let mut test = grasp(240, GRIPPER, "");
    let before = in_hand(&test);
    let grip = test.joint("left").effort;
    assert!((grip - 15.0).abs() < 1e-6, "{grip} N");
    let mut slipped: f64 = 0.0;
    for tick in 0..2400 {
        let time = f64::from(tick) / 240.0;
        let rise = (time / 2.0).min(1.0);
        let smooth = rise * rise * (3.0 - 2.0 * rise);
        // Up to 5 m/s² sideways.
        let shake = 0.03 * libm::sin(12.9 * time) * smooth;
        test.order(&NAMES, &[0.3 * smooth, shake, CLOSED, CLOSED]);
        test.run(1.0 / 240.0);
        slipped = slipped.max((in_hand(&test) - before).norm());
    }
    let height = test.position("thing").z;
    assert!((height - 0.73).abs() < 2e-3, "lifted to {height}");
    println!("slipped by {slipped} m");
    assert!(slipped < 1e-3, "slipped by {slipped} m");
}

/// Set points in every tick, and 20 m/s² sideways: the object slips no more than with velocity commands.
#[test]
fn set_points_tick_by_tick_do_not_shake_what_is_held() {
    for rate in [60, 240, 1000] {
        let [slipped, missed] = shaken_by_set_points(rate, "");
        println!("{rate} Hz: slipped by {slipped} m, {missed} m off");
        assert!(slipped < 1e-4, "{rate} Hz: slipped by {slipped} m");
        // At 60 Hz the acceleration changes by a third from one set point to the next.
        assert!(missed < 2e-4, "{rate} Hz: {missed} m off");
    }
}

#[test]
fn set_points_are_steps_where_they_are_not_interpolated() {
    let joints = r#"joints: { "cross": (interpolate: false) }"#;
    let [_, missed] = shaken_by_set_points(240, joints);
    // The joint approaches at 100 s⁻¹, and lags correspondingly at 0.77 m/s.
    println!("{missed} m off");
    assert!((missed - 0.0077).abs() < 1e-3, "{missed} m off");
}

/// Shakes an object in a gripper with 20 m/s² by positions. Returns its slip and the error of the joint, m.
fn shaken_by_set_points(rate: u32, joints: &str) -> [f64; 2] {
    let mut test = grasp(rate, GRIPPER, joints);
    let before = in_hand(&test);
    let (mut slipped, mut missed): (f64, f64) = (0.0, 0.0);
    for tick in 1..=3 * rate {
        let time = f64::from(tick) / f64::from(rate);
        let rise = time.min(1.0);
        let smooth = rise * rise * (3.0 - 2.0 * rise);
        let shake = 0.03 * libm::sin(25.8 * time) * smooth;
        test.order(&NAMES, &[0.3 * smooth, shake, CLOSED, CLOSED]);
        test.run(1.0 / f64::from(rate));
        slipped = slipped.max((in_hand(&test) - before).norm());
        missed = missed.max((test.joint("cross").position - shake).abs());
    }
    [slipped, missed]
}

#[test]
fn what_is_too_heavy_slips_out_of_a_gripper() {
    let heavy = GRIPPER.replace("mass 0.5;", "mass 4;");
    let mut test = grasp(240, &heavy, "");
    // 2 · 0.6 · 15 N hold 1.8 kg.
    for tick in 0..480 {
        test.order(
            &NAMES,
            &[0.3 * f64::from(tick) / 480.0, 0.0, CLOSED, CLOSED],
        );
        test.run(1.0 / 240.0);
    }
    assert!(
        test.position("thing").z < 0.45,
        "{}",
        test.position("thing")
    );
}
