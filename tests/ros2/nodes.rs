//! The nodes of `examples/`: lockstep, and navigation among boxes.
#![cfg(test)]

use std::{
    path::Path,
    process::{Child, Command, Output, Stdio},
};

use serde_json::Value as Json;

use crate::peer::{Program, domain, python};

/// Starts an example beside a simulation.
fn example(python: &Path, name: &str, arguments: &[&str], domain: u16) -> Node {
    let child = Command::new(python)
        .arg(
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("examples")
                .join(name),
        )
        .args(arguments)
        .env("ROS_DOMAIN_ID", domain.to_string())
        .env("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    Node(Some(child.unwrap()))
}

struct Node(Option<Child>);

impl Node {
    fn wait(mut self) -> Output {
        self.0.take().unwrap().wait_with_output().unwrap()
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            child.kill().ok();
            child.wait().ok();
        }
    }
}

const LOCKSTEP: &str = r#"Simulation(
    robots: { "rover": (
        model: "robots/atrv.robray", base: dynamic,
        sensors: { "odometry": (kind: "odometry", frequency: 20, outputs: { "ros": (lockstep: "motion") }) },
        actuators: { "motion": (kind: "v_omega", inputs: { "ros": (type: "TwistStamped") }) },
    ) },
    middlewares: { "ros": (kind: "ros2", lockstep_timeout: LIMIT) },
)"#;

/// Runs a rover in lockstep with a node that delays its answers, and returns the summary.
fn lockstep(python: &Path, delay: &str) -> Json {
    let domain = domain();
    let _node = example(python, "ros2_lockstep.py", &[delay], domain);
    let file = LOCKSTEP.replace("LIMIT", "20");
    let arguments = ["--until", "4s", "--rtf", "max", "--json"];
    let (stdout, stderr) = Program::with(&file, domain, &arguments).wait();
    serde_json::from_str(&stdout).unwrap_or_else(|why| panic!("{why}: {stdout}{stderr}"))
}

#[test]
fn runs_in_lockstep_are_the_same_however_slow_the_node_is() {
    let Some(python) = python() else { return };
    let [quick, slow] = ["0", "0.02"].map(|delay| lockstep(&python, delay));
    assert_eq!(quick["state_hash"], slow["state_hash"]);
    let commands = |summary: &Json| summary["middlewares"]["ros"]["commands"].as_u64();
    assert!(commands(&quick) >= Some(80), "{quick}");
    assert!(commands(&slow) >= Some(80), "{slow}");
}

#[test]
fn a_missing_node_ends_a_run_in_lockstep() {
    if python().is_none() {
        return;
    }
    let file = LOCKSTEP.replace("LIMIT", "1");
    let mut program = Program::with(&file, domain(), &["--until", "4s", "--json"]);
    let (stdout, stderr) = program.wait();
    let summary: Json = serde_json::from_str(&stdout).unwrap();
    assert_eq!(summary["exit_code"], 5, "{summary}");
    let why = "lockstep of `rover.odometry` and `rover.motion`: no node subscribes within 1 s";
    assert!(stderr.contains(why), "{stderr}");
}

#[test]
fn lockstep_with_an_actuator_that_does_not_exist_is_an_error() {
    if python().is_none() {
        return;
    }
    let file = LOCKSTEP.replace("lockstep: \"motion\"", "lockstep: \"wheels\"");
    let mut program = Program::with(&file.replace("LIMIT", "1"), domain(), &["--until", "4s"]);
    let (_, stderr) = program.wait();
    let why =
        "`rover.odometry` waits for commands of `rover.wheels`, which is no actuator with a topic";
    assert!(stderr.contains(why), "{stderr}");
}

const BOXES: &str = r#"Simulation(
    scene: "environments/boxes.robray",
    robots: { "rover": (
        model: "robots/atrv.robray", base: dynamic, at: (rpy: (0, 0, 3.141592653589793)),
        sensors: {
            "odometry": (kind: "odometry"),
            "scan": (kind: "laser_scanner", frequency: 10, laser_range: 8, mount: (translation: (0, 0, 0.7)), OUTPUT),
        },
        actuators: { "motion": (kind: "v_omega") },
    ) },
    middlewares: { "ros": (kind: "ros2") },
)"#;

/// Lets the navigator drive behind the red box, and checks that it arrived without touching it.
fn navigate(python: &Path, output: &str, pace: &str) {
    let domain = domain();
    let file = BOXES.replace("OUTPUT", output);
    let mut program = Program::with(&file, domain, &["--rtf", pace]);
    let node = example(python, "ros2_navigate.py", &["11", "0"], domain);
    let Output {
        stdout,
        stderr,
        status,
    } = node.wait();
    let [stdout, stderr] = [stdout, stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    let (_, warnings) = program.end();
    assert!(status.success(), "{stderr}{warnings}");
    let numbers = stdout.split(' ').filter_map(|word| word.parse().ok());
    let [distance, seconds, nearest] = numbers.collect::<Vec<f64>>()[..] else {
        panic!("{stdout}");
    };
    // The distance is rounded.
    assert!(
        distance <= 0.3 && seconds > 10.0 && seconds < 60.0,
        "{stdout}"
    );
    assert!(nearest > 0.5, "{stdout}");
}

#[test]
fn a_node_navigates_among_boxes_in_real_time() {
    if let Some(python) = python() {
        navigate(&python, "", "1");
    }
}

#[test]
fn a_node_navigates_among_boxes_at_full_speed_in_lockstep() {
    if let Some(python) = python() {
        let output = r#"outputs: { "ros": (lockstep: "motion") }"#;
        navigate(&python, output, "max");
    }
}
