//! Definitions of messages: their type hashes (REP 2016) are those of the packages of ROS.
#![cfg(test)]
use std::{
    collections::BTreeMap,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use morse_ros::{definitions, messages};

use crate::peer::{kilted, python};

/// Returns the definitions of all messages, by type, without those of the types of their fields.
fn own_definitions() -> BTreeMap<&'static str, String> {
    let all = messages::definitions().map(|definition| definition.name);
    let all = all.filter(|name| name.contains("/msg/"));
    all.map(|name| {
        let text = definitions::text(name);
        let own = text.split("====").next().unwrap_or_default();
        (name, own.to_owned())
    })
    .collect()
}

/// Returns the hash of each definition by ROS's generators, and that of the installed package.
fn hashes(python: &Path) -> BTreeMap<String, [String; 2]> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ros2/hashes.py");
    let mut child = Command::new(python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let request = serde_json::to_vec(&own_definitions()).unwrap();
    child.stdin.take().unwrap().write_all(&request).unwrap();
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn check(python: &Path) {
    let hashes = hashes(python);
    for name in [
        "sensor_msgs/msg/Imu",
        "nav_msgs/msg/Odometry",
        "trajectory_msgs/msg/JointTrajectory",
    ] {
        assert!(hashes.contains_key(name), "{name} is not installed");
    }
    assert!(hashes.len() > 40, "{} types", hashes.len());
    for (name, [own, installed]) in hashes {
        assert!(installed.starts_with("RIHS01_"), "{name}: {installed}");
        assert_eq!(own, installed, "{name}");
    }
}

#[test]
fn hashes_of_messages_are_those_of_jazzy() {
    if let Some(python) = python() {
        check(&python);
    }
}

#[test]
fn hashes_of_messages_are_those_of_kilted() {
    if let Some(python) = kilted() {
        check(&python);
    }
}
