//! Many, large and impossible requests: each is answered, with the code of its cause.
#![cfg(test)]
use serde_json::{Value as Json, json};

use crate::{actions::steps_with, peer::python};

const WORLD: &str = r#"Simulation(
    scene: "environments/boxes.robray",
    robots: { "rover": (
        model: "robots/atrv.robray", base: kinematic, at: (translation: (0, 20, 0)),
        repeat: (count: 30, pattern: grid(columns: 10, spacing: (3, 3))),
    ) },
    middlewares: { "ros": (kind: "ros2") },
)"#;

#[test]
fn every_request_is_answered() {
    let Some(python) = python() else { return };
    let (steps, warnings) = steps_with(&python, ["limits.py", "requests"], WORLD, &[]);
    let states = &steps["states"];
    // RESULT_OPERATION_FAILED, unless the machine has no network.
    if states["code"] != 1 {
        assert_eq!((&states["code"], &states["count"]), (&json!(4), &json!(0)));
        let why = states["why"].as_str().unwrap();
        assert!(
            why.contains("at most 1100") && why.contains("examples/ros2_loopback.xml"),
            "{why}"
        );
    }
    assert_eq!(steps["names"]["count"], 30);
    assert_eq!(steps["steps"]["answered"], 40, "{warnings}");
    check_spawned(&steps["spawn"]);
    let code = &steps["box"]["code"];
    assert_eq!(code, &json!([4, "the corners of the box are not finite"]));
    // Names of ROS have no two underscores in a row.
    let name = &steps["name"];
    assert_eq!(name["code"], 1);
    assert_eq!(name["topics"], json!(["/scout_2/robot_description"]));
}

fn check_spawned(spawn: &Json) {
    let errors = spawn["errors"][1].as_str().unwrap();
    assert_eq!(spawn["errors"][0], 106);
    assert!(errors.starts_with("error[urdf::out-of-range]"), "{errors}");
    assert!(errors.ends_with('…') && errors.len() < 1000, "{errors}");
    for (case, code, text) in [
        ("taken", 101, "there is already a frame `RedBox`"),
        ("missing", 104, "there is no file `/nothing/there.urdf`"),
        ("outside", 104, "outside the allowed directories"),
        ("mesh", 107, "package://nothing/x.stl"),
        ("far", 109, "from -1e8 to 1e8"),
        ("repeat", 106, "call the service for each"),
    ] {
        let answer = &spawn[case];
        assert_eq!(answer[0], code, "{case}: {answer}");
        assert!(
            answer[1].as_str().unwrap().contains(text),
            "{case}: {answer}"
        );
    }
    assert_eq!(spawn["renamed"], "RedBox_1");
}

#[test]
fn large_responses_reach_nodes_on_loopback() {
    let Some(python) = python() else { return };
    let profile = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/ros2_loopback.xml");
    // `LOCALHOST` would replace the networks of the profile by all.
    let variables = [
        ("FASTRTPS_DEFAULT_PROFILES_FILE", profile),
        ("ROS_AUTOMATIC_DISCOVERY_RANGE", "SYSTEM_DEFAULT"),
    ];
    let (steps, warnings) = steps_with(&python, ["limits.py", "states"], WORLD, &variables);
    let states = &steps["states"];
    assert_eq!(
        (&states["code"], &states["count"], &states["entities"]),
        (&json!(1), &json!(30), &json!(30)),
        "{states}; {warnings}"
    );
}
