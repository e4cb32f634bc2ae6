//! Actions: goals of ROS's action clients are followed, refused, cancelled and replaced.
#![cfg(test)]
use std::{collections::BTreeMap, path::Path, process::Command};

use serde_json::{Value as Json, json};

use crate::peer::{Program, domain, python};

pub(crate) const WORLD: &str = r#"Simulation(
    robots: {
        "arm": (
            model: "arms/kuka_lwr.robray", base: fixed, at: (translation: (0, 5, 0)),
            sensors: { "joints": (kind: "joint_state") },
            actuators: { "armature": (kind: "armature") },
        ),
        "crane": (
            model: "arms/kuka_lwr.robray", base: fixed, at: (translation: (0, -5, 0)),
            sensors: { "joints": (kind: "joint_state") },
            actuators: { "motors": (kind: "joints") },
        ),
        "rover": (
            model: "robots/atrv.robray", base: kinematic,
            actuators: { "goal": (kind: "waypoint") },
        ),
    },
    middlewares: { "ros": (kind: "ros2") },
)"#;

/// Runs a section of `actions.py` beside a world, and returns its reports, by step.
fn report(section: &str, file: &str) -> Option<BTreeMap<String, Json>> {
    Some(report_of(&python()?, section, file))
}

/// Runs a section of `actions.py` with a Python beside a world, and returns its reports, by step.
pub(crate) fn report_of(python: &Path, section: &str, file: &str) -> BTreeMap<String, Json> {
    steps_of(python, ["actions.py", section], file).0
}

/// Runs a section of a script of rclpy beside a world, and returns its reports, by step, and the warnings of the run.
pub(crate) fn steps_of(
    python: &Path,
    script: [&str; 2],
    file: &str,
) -> (BTreeMap<String, Json>, String) {
    steps_with(python, script, file, &[])
}

/// Runs a section of a script of rclpy, with variables in its environment, beside a world, and returns its reports, by step, and
/// the warnings of the run.
pub(crate) fn steps_with(
    python: &Path,
    [script, section]: [&str; 2],
    file: &str,
    variables: &[(&str, &str)],
) -> (BTreeMap<String, Json>, String) {
    let domain = domain();
    let mut program = Program::start(file, domain);
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ros2");
    let called = Command::new(python)
        .arg(scripts.join(script))
        .arg(section)
        .env("ROS_DOMAIN_ID", domain.to_string())
        .env("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let (_, warnings) = program.end();
    let [stdout, stderr] =
        [called.stdout, called.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(called.status.success(), "{stdout}{stderr}{warnings}");
    let lines = stdout.lines().map(|line| {
        let line: Json = serde_json::from_str(line).unwrap();
        (line["step"].as_str().unwrap().to_owned(), line)
    });
    (lines.collect(), warnings)
}

#[test]
fn an_arm_follows_trajectories() {
    let Some(steps) = report("arm", WORLD) else {
        return;
    };
    let followed = &steps["followed"];
    assert_eq!(followed["accepted"], true);
    assert_eq!(followed["status"], "SUCCEEDED", "{followed}");
    assert_eq!(followed["code"], 0);
    assert_eq!(followed["position"], json!([0.4, -0.3]));
    assert_eq!(followed["names"], json!(["kuka_4", "kuka_2"]));
    assert!(followed["feedback"].as_u64() >= Some(4), "{followed}");
    assert!(followed["error"].as_f64().unwrap() < 0.2, "{followed}");
    assert_eq!(steps["refused"]["accepted"], false);
    let cancelled = &steps["cancelled"];
    assert_eq!(
        (&cancelled["code"], &cancelled["status"]),
        (&json!(0), &json!("CANCELED"))
    );
    // A tenth of the way, and not at the goal.
    let position = cancelled["position"][0].as_f64().unwrap();
    assert!(position > 0.2 && position < 0.39, "{cancelled}");
    let replaced = &steps["replaced"];
    assert_eq!(
        (&replaced["first"], &replaced["second"]),
        (&json!("CANCELED"), &json!("SUCCEEDED"))
    );
    let tolerances = &steps["tolerances"];
    for (which, code, text) in [
        ("path", -4, "path tolerance violated: joint `kuka_1`"),
        ("goal", -5, "goal tolerance violated: joint `kuka_1`"),
    ] {
        let ended = &tolerances[which];
        assert_eq!(
            (&ended[0], &ended[1]),
            (&json!("ABORTED"), &json!(code)),
            "{ended}"
        );
        assert!(ended[2].as_str().unwrap().starts_with(text), "{ended}");
    }
    let published = &steps["published"];
    assert_eq!(published["position"], json!([0.5, -0.5]));
    assert_eq!(
        published["late_cancel"], 3,
        "the goal was terminated: {published}"
    );
}

#[test]
fn motors_follow_trajectories() {
    let Some(steps) = report("motors", WORLD) else {
        return;
    };
    let followed = &steps["followed"];
    assert_eq!(
        (&followed["status"], &followed["code"]),
        (&json!("SUCCEEDED"), &json!(0)),
        "{followed}"
    );
    assert_eq!(followed["position"], 0.4);
    assert_eq!(followed["names"], json!(["kuka_2"]));
    assert_eq!(steps["published"]["position"], -0.3);
}

#[test]
fn a_rover_navigates_to_poses() {
    let Some(steps) = report("rover", WORLD) else {
        return;
    };
    assert_eq!(steps["refused"]["accepted"], false);
    let arrived = &steps["arrived"];
    assert_eq!(arrived["accepted"], true);
    assert_eq!(arrived["status"], "SUCCEEDED", "{arrived}");
    assert_eq!(arrived["code"], 0);
    let number = |name: &str| arrived[name].as_f64().unwrap();
    assert!(number("first") > 2.0 && number("last") < 1.0, "{arrived}");
    assert!(
        (number("x") - (3.0 - number("last"))).abs() < 0.1,
        "{arrived}"
    );
    assert!(number("time") > 1.0, "{arrived}");
    assert_eq!(steps["cancelled"]["status"], "CANCELED");
    let aborted = &steps["aborted"];
    assert_eq!(
        (&aborted["status"], &aborted["code"], &aborted["why"]),
        (&json!("ABORTED"), &json!(9000), &Json::Null),
        "{aborted}"
    );
}

/// A gripper below the ground, with a half-space above it.
const GRIPPER: &str = r#"Simulation(
    scene: "environments/boxes.robray",
    bodies: { "RedBox": (kind: dynamic) },
    objects: { "RedBox": (graspable: true) },
    robots: { "arm": (
        model: "arms/kuka_lwr.robray", base: fixed, at: (translation: (0, 5, 0)),
        actuators: { "hand": (kind: "gripper", distance: 100, angle: 3.14, mount: (translation: (0, 0, -50))) },
    ) },
    middlewares: { "ros": (kind: "ros2") },
)"#;

#[test]
fn a_gripper_closes_and_opens() {
    let Some(steps) = report("gripper", GRIPPER) else {
        return;
    };
    // The fingers stop at the box.
    let closed = &steps["closed"];
    assert_eq!(closed["status"], "SUCCEEDED");
    assert_eq!(
        (&closed["stalled"], &closed["reached"]),
        (&json!(true), &json!(false)),
        "{closed}"
    );
    assert_eq!(closed["effort"], 5.0);
    let opened = &steps["opened"];
    assert_eq!(
        (&opened["stalled"], &opened["reached"]),
        (&json!(false), &json!(true)),
        "{opened}"
    );
    assert_eq!(steps["refused"]["accepted"], false);
}
