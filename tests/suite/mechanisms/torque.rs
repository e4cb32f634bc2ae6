//! Computed torque of the actuator `armature`.
use std::f64::consts::TAU;

use serde_json::json;

use super::touching::Test;

/// Returns an arm of three joints that start on the paths of [`path`], with an armature of these settings.
fn arm(joint: &str, armature: &str) -> Result<Test, String> {
    let scene = "class link { mass 1.5; center_of_mass [0.2, 0, 0.03]; inertia [0.01, 0.02, 0.02, 0, 0, 0]; type revolute;
            armature 0.05; damping 0.3; dry_friction 0.2; }
        frame stand { frame one { isa link; axis [0, 0, 1]; variable a;
            frame two { isa link; axis [0, -1, 0]; variable b; translation [0.4, 0, 0];
                frame three { isa link; axis [0, -1, 0]; variable c; translation [0.4, 0, 0]; } } } }";
    let starts: Vec<String> = ["a", "b", "c"]
        .iter()
        .enumerate()
        .map(|(at, name)| format!("\"{name}\": (position: {}, {joint})", path(at, 0.0)))
        .collect();
    let settings = format!(
        r#"robots: {{ "robot": (frame: "stand", base: fixed,
            actuators: {{ "arm": (kind: "armature", {armature}) }}, joints: {{ {} }}) }}"#,
        starts.join(", ")
    );
    Test::parse(scene, &settings)
}

/// Returns a sinusoid of 1 Hz for each joint, rad. It starts at rest.
fn path(joint: usize, time: f64) -> f64 {
    0.4 * libm::cos(TAU * time) - 0.3 * joint as f64
}

/// Returns the maximum error on the sinusoids, rad, from 0.5 s on.
fn greatest_error(joint: &str, armature: &str) -> f64 {
    let mut test = arm(joint, armature).expect("an arm");
    let points: Vec<_> = (1..=80)
        .map(|at| {
            let time = f64::from(at) * 0.025;
            let speed = -0.4 * TAU * libm::sin(TAU * time);
            let positions = [0, 1, 2].map(|joint| path(joint, time));
            json!({ "positions": positions, "velocities": [speed, speed, speed], "time_from_start": time })
        })
        .collect();
    let call = test
        .0
        .call("robot.arm", "trajectory", &json!([{ "points": points }]));
    let mut greatest: f64 = 0.0;
    for tick in 1..=480 {
        test.run(1.0 / 240.0);
        let time = f64::from(tick) / 240.0;
        for (joint, name) in ["a", "b", "c"].iter().enumerate().filter(|_| time > 0.5) {
            let error = test.joint(name).position - path(joint, time);
            greatest = greatest.max(error.abs());
        }
    }
    assert!(
        call.reply()
            .is_none_or(|reply| reply.status == morse_api::service::Status::Success)
    );
    greatest
}

#[test]
fn computed_torque_follows_fast_sinusoids() {
    let plain = greatest_error("stiffness: 400, damping: 40", "");
    let computed = greatest_error("", "control: computed_torque");
    println!("plain {plain} rad, computed torque {computed} rad");
    assert!(plain > 0.02, "{plain}");
    assert!(computed < 1.5e-4, "{computed}");
    assert!(computed < plain / 500.0);
}

#[test]
fn computed_torque_holds_where_it_is_and_where_it_is_told() {
    let mut test = arm("", "control: computed_torque").expect("an arm");
    test.run(2.0);
    for (index, name) in ["a", "b", "c"].iter().enumerate() {
        let off = test.joint(name).position - path(index, 0.0);
        assert!(off.abs() < 1e-6, "{name}: {off}");
    }
    test.0.call("robot.arm", "rotate", &json!(["b", 0.9]));
    test.run(3.0);
    let bend = test.joint("b");
    assert!((bend.position - 0.9).abs() < 1e-4, "{bend:?}");
    // A motor with too small a maximum effort sags, and no motor exceeds its maximum effort.
    let mut test = arm("max_effort: 1", "control: computed_torque").expect("an arm");
    test.run(1.0);
    let bend = test.joint("b");
    assert!(bend.position < path(1, 0.0) - 0.1, "{bend:?}");
    assert!(bend.effort <= 1.0);
}

#[test]
fn what_computed_torque_needs_is_said() {
    for (joint, armature, wanted) in [
        ("mode: kinematic", "", "make it `mode: dynamic`"),
        (
            "gravity_compensation: true",
            "",
            "remove `gravity_compensation`",
        ),
        ("", ", convention: morse", "needs `convention: tip`"),
    ] {
        let armature = format!("control: computed_torque{armature}");
        let error = arm(joint, &armature).err().expect("an error");
        assert!(error.contains(wanted), "{error}");
    }
    let error = arm("", "control: torque").err().expect("an error");
    assert!(error.contains("computed_torque"), "{error}");
}
