//! Services that control the simulation.
#![cfg(test)]
use std::{path::Path, process::Command};

use serde_json::Value as Json;

use crate::peer::{Program, domain, python};

const FALLING: &str = r#"Simulation(
    robots: { "rover": (model: "robots/atrv.robray", base: dynamic, sensors: { "pose": (kind: "pose") }) },
    middlewares: { "ros": (kind: "ros2") },
)"#;

#[test]
fn nodes_control_the_simulation() {
    let Some(python) = python() else { return };
    let domain = domain();
    let _program = Program::start(FALLING, domain);
    let called = Command::new(python)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ros2/services.py"))
        .args([
            "/simulation/suspend_dynamics",
            "/simulation/restore_dynamics",
            "/simulation/reset_objects",
            "/simulation/reset",
        ])
        .env("ROS_DOMAIN_ID", domain.to_string())
        .env("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&called.stderr);
    assert!(called.status.success(), "{stderr}");
    let stdout = String::from_utf8(called.stdout).unwrap();
    let answers = stdout.lines().map(serde_json::from_str);
    let answers: Vec<Json> = answers.collect::<Result<_, _>>().unwrap();
    assert!(
        answers.iter().all(|answer| answer["success"] == true),
        "{stdout}"
    );
    let texts = answers
        .iter()
        .take(3)
        .map(|answer| answer["message"].as_str());
    let expected = [
        "Physics is suspended",
        "Physics is resumed",
        "Objects restored to initial position",
    ];
    assert!(texts.eq(expected.map(Some)), "{stdout}");
    let time = |answer: usize, name: &str| answers[answer][name].as_f64().unwrap();
    assert!(time(2, "after") > time(2, "before"), "{stdout}");
    assert!(
        time(3, "before") > 2.0 && time(3, "after") < 1.5,
        "the time begins again: {stdout}"
    );
}
