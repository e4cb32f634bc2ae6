//! roslibpy, from PyPI, drives a rover to a goal by its odometry and its scan.
use std::{
    path::{Path, PathBuf},
    process::Command,
};

use morse_sim::run::Pace;
use serde_json::Value as Json;

use super::WORLD;
use crate::{
    python::{NO_PYTHON, has_python},
    require,
    web::client::Served,
};

const ROSLIBPY: &str = "roslibpy==2.1.0";

/// Returns a Python with roslibpy, in a folder of the tests.
pub(super) fn roslib() -> Option<PathBuf> {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("roslibpy");
    let python = home.join("bin/python3");
    let has_it = || {
        let output = Command::new(&python)
            .args(["-c", "import roslibpy"])
            .output();
        output.is_ok_and(|output| output.status.success())
    };
    let run = |command: &mut Command| command.output().is_ok_and(|done| done.status.success());
    let is_there = has_it()
        || run(Command::new("python3").args(["-m", "venv"]).arg(&home))
            && run(Command::new(&python).args(["-m", "pip", "install", "--quiet", ROSLIBPY]))
            && has_it();
    is_there.then_some(python)
}

#[test]
fn roslibpy_drives_a_rover_to_a_goal() {
    if !has_python() {
        require::left_out("python", NO_PYTHON);
        return;
    }
    let Some(python) = roslib() else {
        require::left_out("python", "roslibpy cannot be installed from PyPI");
        return;
    };
    let served = Served::new(WORLD, Pace::RealTime(2.0));
    let output = Command::new(python)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/rosbridge_drive.py"))
        .arg(served.port.to_string())
        .output()
        .expect("Python runs");
    let (said, why) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    served.end();
    let last = said.lines().last().unwrap_or_default();
    let result: Json =
        serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {said} {why}"));
    // The goal is four metres before the red box, whose side is seven metres ahead.
    let x = result["x"].as_f64().unwrap_or_default();
    assert!((x - 3.0).abs() < 0.15, "{result} {why}");
    assert!(
        result["nearest"]
            .as_f64()
            .is_some_and(|range| (range - 4.0).abs() < 0.15),
        "{result}"
    );
    assert_eq!(result["stopped"], true, "{result}");
}
