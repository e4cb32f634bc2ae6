//! Arms on moving bases: as in MORSE, poses on an arm are relative to its base, and the targets of inverse kinematics are upright.
use std::{f64::consts::FRAC_PI_2, path::Path};

use morse_sim::{Simulation, sensor::pose::PoseData, simulation::no_extensions};
use nalgebra::Vector3;
use serde_json::json;

use super::{at, finish, parse};

fn kuka(sensors: &str) -> String {
    let joints: Vec<String> = (1..=7)
        .map(|n| format!(r#""kuka_{n}": (mode: kinematic)"#))
        .collect();
    format!(
        r#"Simulation(robots: {{ "kuka": (
            model: "arms/kuka_lwr.robray", base: fixed, at: (translation: (0, 0, 0.5)),
            joints: {{ {} }},
            sensors: {{ {sensors} }},
            actuators: {{ "motors": (kind: "armature", convention: morse) }},
        ) }})"#,
        joints.join(", ")
    )
}

fn near(position: Vector3<f64>, expected: [f64; 3], tolerance: f64) {
    let error = (position - Vector3::from(expected)).amax();
    assert!(error < tolerance, "{position} instead of {expected:?}");
}

fn turn(simulation: &mut Simulation, angles: [f64; 7]) {
    finish(
        simulation,
        "kuka.motors",
        "set_rotations",
        json!([angles.to_vec()]),
    );
    simulation.run(2).expect("two ticks");
}

#[test]
fn a_pose_that_counts_from_the_base_follows_the_end() {
    let sensors = r#"
        "foot": (kind: "pose", on: (component: "motors", from: base)),
        "side": (kind: "pose", on: (component: "motors", from: base), mount: (translation: (0.1, 0, 1.3105))),
        "tool": (kind: "pose", on: (component: "motors", from: tip), mount: (translation: (0.1, 0, 0))),
        "plain": (kind: "pose", on: "motors", mount: (translation: (0.1, 0, 0))),
    "#;
    let mut simulation = parse(&kuka(sensors), Path::new("."));
    simulation.step().unwrap();
    near(at(&simulation, "kuka.foot"), [0.0, 0.0, 0.5], 1e-6);
    for same in ["kuka.side", "kuka.tool", "kuka.plain"] {
        near(at(&simulation, same), [0.1, 0.0, 1.8105], 1e-6);
    }
    // The end is 1 m ahead of the shoulder, which is 0.3105 m above the base.
    turn(&mut simulation, [0.0, -FRAC_PI_2, 0.0, 0.0, 0.0, 0.0, 0.0]);
    near(
        at(&simulation, "kuka.foot"),
        [1.0 - 1.3105, 0.0, 0.8105],
        1e-5,
    );
    for same in ["kuka.side", "kuka.tool", "kuka.plain"] {
        near(at(&simulation, same), [1.0, 0.0, 0.7105], 1e-5);
    }
    let snapshot = simulation.snapshot().unwrap();
    turn(&mut simulation, [1.0; 7]);
    simulation.restore(&snapshot).unwrap();
    simulation.step().unwrap();
    near(at(&simulation, "kuka.tool"), [1.0, 0.0, 0.7105], 1e-5);
}

#[test]
fn also_on_an_arm_of_six_joints_wherever_it_stands() {
    let text = r#"Simulation(robots: { "arm": (
        model: "arms/pa10.robray", base: fixed, at: (translation: (2, 0, 0), rpy: (0, 0, 1.5707963267948966)),
        sensors: { "tool": (kind: "pose", on: (component: "motors", from: base), mount: (translation: (0, 0, 1.4))) },
        actuators: { "motors": (kind: "pa_10", speed: 10, start: (seg1: 1.5)) },
        joints: { "seg0": (mode: kinematic), "seg1": (mode: kinematic), "seg2": (mode: kinematic),
            "seg3": (mode: kinematic), "seg4": (mode: kinematic), "seg5": (mode: kinematic) },
    ) })"#;
    let mut simulation = parse(text, Path::new("."));
    simulation.run(120).unwrap();
    // The shoulder is 0.317 m high, and forward is y.
    let (sine, cosine) = libm::sincos(1.5);
    let reach = 1.4 - 0.317;
    near(
        at(&simulation, "arm.tool"),
        [2.0, reach * sine, 0.317 + reach * cosine],
        1e-4,
    );
}

#[test]
fn what_has_no_base_and_words_that_are_none_are_refused() {
    let refused = |on: &str| {
        let text = kuka(&format!(
            r#""joints": (kind: "armature_pose", on: "motors"), "eye": (kind: "pose", on: {on})"#
        ));
        match Simulation::parse(&text, ".", &no_extensions) {
            Ok(_) => panic!("`{on}` was taken"),
            Err(error) => error.to_string(),
        }
    };
    for (on, said) in [
        (
            r#"(component: "joints", from: base)"#,
            "`joints` is a `armature_pose`, which is no arm",
        ),
        (
            r#"(component: "motor", from: base)"#,
            "`motor`, which does not exist",
        ),
        (r#"(component: "motors", from: bottom)"#, "known: tip, base"),
        ("(from: base)", "missing its field `component`"),
        (
            r#"(component: "motors", off: 1)"#,
            "unknown field `off` of `on`",
        ),
        ("3", "`on` must be"),
    ] {
        let error = refused(on);
        assert!(error.contains(said), "{on}: {error}");
    }
}

/// Position in a plane and pitch of the end of an upright arm whose target is beyond its reach, by MORSE's weights: the
/// wrist is 0.79 m from the shoulder at most, and the end 0.21 m above the wrist if that is upright.
fn best(target: [f64; 2]) -> [f64; 3] {
    let mut best = ([0.0; 3], f64::INFINITY);
    for step in 0..2000 {
        let lean = 0.001 * f64::from(step);
        for step in -100..=100 {
            let pitch = 0.001 * f64::from(step);
            let x = 0.79 * libm::sin(lean) + 0.21 * libm::sin(pitch);
            let z = 0.3105 + 0.79 * libm::cos(lean) + 0.21 * libm::cos(pitch);
            let away = libm::hypot(x - target[0], z - target[1]);
            let error = libm::hypot(away, 1.5 * pitch);
            if error < best.1 {
                best = ([x, z, pitch], error);
            }
        }
    }
    best.0
}

#[test]
fn a_target_without_an_orientation_is_upright_and_a_radian_counts_as_much_as_one_and_a_half_metres()
{
    let sensors = r#""tip": (kind: "pose", on: "motors")"#;
    let mut simulation = parse(&kuka(sensors), Path::new("."));
    simulation.step().unwrap();
    let target = "ik_target.kuka.motors.kuka_7";
    let reach = |simulation: &mut Simulation, to: [f64; 3]| {
        let arguments = json!([target, to, null, false]);
        finish(simulation, "kuka.motors", "place_IK_target", arguments);
        simulation.run(10).unwrap();
        simulation.read::<PoseData>("kuka.tip").unwrap().clone()
    };
    let [x, z, pitch] = best([1.0, 0.3105]);
    assert!((x - 0.78).abs() < 0.005 && (z - 0.36).abs() < 0.005 && (pitch - 0.02).abs() < 0.005);
    // The base is 0.5 m high.
    let tip = reach(&mut simulation, [1.0, 0.0, 0.8105]);
    near(Vector3::new(tip.x, tip.y, tip.z), [x, 0.0, 0.5 + z], 2e-3);
    assert!((tip.pitch - pitch).abs() < 2e-3, "{tip:?}");
    // Within reach it is upright again, also after joint commands.
    turn(&mut simulation, [0.4, -1.2, 0.3, 0.5, 0.0, 0.7, 0.0]);
    let tip = reach(&mut simulation, [0.3, -0.4, 1.2]);
    near(Vector3::new(tip.x, tip.y, tip.z), [0.3, -0.4, 1.2], 1e-3);
    assert!(tip.pitch.abs() < 1e-3 && tip.roll.abs() < 1e-3, "{tip:?}");
    // A step is relative to the target's pose, not to the end's.
    turn(&mut simulation, [0.0; 7]);
    let arguments = json!([target, [0.0, 0.1, 0.0]]);
    finish(&mut simulation, "kuka.motors", "place_IK_target", arguments);
    simulation.run(10).unwrap();
    near(at(&simulation, "kuka.tip"), [0.3, -0.3, 1.2], 1e-3);
    // At the start the target is at the end of an arm that stands in the origin of the world.
    simulation.reset().unwrap();
    let arguments = json!([target, [0.45, 0.0, -0.2]]);
    finish(&mut simulation, "kuka.motors", "place_IK_target", arguments);
    simulation.run(10).unwrap();
    near(at(&simulation, "kuka.tip"), [0.45, 0.0, 1.1105], 1e-3);
}
