//! Descriptions of robots in URDF, and their links in `/tf` and `/tf_static`.
#![cfg(test)]
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};

use crate::peer::{Program, domain, python, run_peer};

/// A robot description with a base, a turret that is at another angle than zero, and an antenna on it.
const URDF: &str = r#"<robot name="turret">
  <link name="base_link"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><box size="0.4 0.4 0.2"/></geometry></visual></link>
  <link name="turret"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="antenna"/>
  <joint name="pan" type="revolute"><parent link="base_link"/><child link="turret"/><origin xyz="0 0 0.1"/>
    <axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="100" velocity="5"/></joint>
  <joint name="mount" type="fixed"><parent link="turret"/><child link="antenna"/><origin xyz="0.25 0 0"/></joint>
</robot>"#;

const WORLD: &str = r#"Simulation(
    robots: { "guard": (
        model: "turret.urdf", base: fixed, at: (translation: (3, 0, 1)),
        joints: { "pan": (mode: kinematic, position: 0.5) },
        sensors: { "joints": (kind: "joint_state") },
    ) },
    middlewares: { "ros": (kind: "ros2") },
)"#;

/// Returns the values of an attribute of the elements of a name, in order.
fn attributes<'a>(urdf: &'a str, element: &str, name: &str) -> Vec<&'a str> {
    let marks = urdf
        .split('<')
        .filter(|mark| mark.split([' ', '>']).next() == Some(element));
    let values = marks.filter_map(|mark| mark.split_once(&format!(r#"{name}=""#)));
    values
        .filter_map(|(_, rest)| rest.split('"').next())
        .collect()
}

#[test]
fn descriptions_and_links_are_those_of_the_model() {
    let Some(python) = python() else { return };
    let domain = domain();
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("turret.urdf"), URDF).unwrap();
    let model = directory.path().join("turret.urdf");
    let file = WORLD.replace("turret.urdf", &model.display().to_string());
    let allowed = directory.path().display().to_string();
    let _program = Program::with(&file, domain, &["--rtf", "1", "--allow-path", &allowed]);
    let wanted = json!({ "subscribe": {
        "/guard/robot_description": ["std_msgs/msg/String", "latched"],
        "/guard/joints": ["sensor_msgs/msg/JointState", "reliable"],
        "/tf_static": ["tf2_msgs/msg/TFMessage", "latched"],
        "/tf": ["tf2_msgs/msg/TFMessage", "reliable"],
    } });
    // The first node makes the simulation run, the second one is late for everything that is published once.
    run_peer(&python, domain, &wanted);
    let report = run_peer(&python, domain, &wanted);
    let last = |topic: &str| {
        let messages = report["messages"][topic].as_array().unwrap();
        messages
            .last()
            .unwrap_or_else(|| panic!("{topic} has no messages"))
            .clone()
    };
    let description = last("/guard/robot_description");
    let urdf = description["data"].as_str().unwrap();
    let links = attributes(urdf, "link", "name");
    assert_eq!(links, ["base_link", "turret", "antenna"], "{urdf}");
    let joints: BTreeSet<&str> = attributes(urdf, "joint", "name").into_iter().collect();
    let state = last("/guard/joints");
    assert_eq!(state["name"], json!(["pan"]));
    assert!(joints.contains("pan"), "{urdf}");
    let fixed = transforms(&last("/tf_static"));
    assert_eq!(fixed["guard/antenna"].0, "guard/turret");
    assert_eq!(fixed["guard/antenna"].1["translation"]["x"], 0.25);
    let moving = transforms(&last("/tf"));
    let (parent, pose) = &moving["guard/turret"];
    assert_eq!(parent, "guard/base_link");
    assert!((pose["translation"]["z"].as_f64().unwrap() - 0.1).abs() < 1e-6);
    assert_eq!(state["position"], json!([0.5]));
    // The sine of half the angle.
    let half = pose["rotation"]["z"].as_f64().unwrap();
    assert!((half - 0.247_404).abs() < 1e-4, "{pose}");
}

/// Returns parent and pose of each frame of a message.
fn transforms(message: &Json) -> BTreeMap<String, (String, Json)> {
    let transforms = message["transforms"].as_array().unwrap().iter();
    let text = |value: &Json| value.as_str().unwrap().to_owned();
    let named = transforms.map(|one| {
        let parent = text(&one["header"]["frame_id"]);
        (
            text(&one["child_frame_id"]),
            (parent, one["transform"].clone()),
        )
    });
    named.collect()
}
