//! roslib, from npm, and roslibpy, from PyPI, drive robots through their public classes.
#![cfg(test)]
use std::{collections::BTreeMap, path::Path, path::PathBuf, process::Command};

use morse_sim::run::Pace;
use serde_json::{Value as Json, json};

use super::{near, roslib::roslib};
use crate::{
    python::{NO_PYTHON, has_python},
    require,
    web::client::Served,
};

/// Version of roslib that npm installs.
const ROSLIB: &str = "roslib@2.1.0";

/// Packages of Foxglove's connection to rosbridge, and the socket that they find in a browser.
const FOXGLOVE: [&str; 5] = [
    "@foxglove/roslibjs@0.0.3",
    "@foxglove/rosmsg@5.0.5",
    "@foxglove/rosmsg2-serialization@3.1.0",
    "@foxglove/rosmsg-msgs-common@3.2.3",
    "ws@8.18.3",
];

/// A rover that faces a red box, and an arm whose gripper reaches it.
const WORLD: &str = r#"Simulation(
    scene: "boxes.robray",
    bodies: { "RedBox": (kind: dynamic) },
    objects: { "RedBox": (graspable: true) },
    robots: {
        "rover": (
            model: "robots/atrv.robray", base: kinematic, at: (rpy: (0, 0, 3.141592653589793)),
            sensors: {
                "odometry": (kind: "odometry"),
                "scan": (kind: "laser_scanner", laser_range: 8, mount: (translation: (0, 0, 0.7))),
                "eye": (kind: "video_camera", frequency: 5, width: 16, height: 8, mount: (translation: (0.5, 0, 0.7))),
            },
            actuators: { "motion": (kind: "v_omega", services: ["bridge"]), "goal": (kind: "waypoint") },
        ),
        "arm": (
            model: "arms/kuka_lwr.robray", base: fixed, at: (translation: (0, 5, 0)),
            sensors: { "joints": (kind: "joint_state") },
            actuators: {
                "armature": (kind: "armature"),
                "hand": (kind: "gripper", distance: 100, angle: 3.14, mount: (translation: (0, 0, -50))),
            },
        ),
    },
    middlewares: { "bridge": (kind: "rosbridge", port: 0) },
)"#;

/// Further sensors of the rover, for their types.
const MORE: &str = r#"
    "imu": (kind: "imu"), "gps": (kind: "gps", level: "raw"), "compass": (kind: "magnetometer"), "pose": (kind: "pose"),
    "barometer": (kind: "barometer"), "thermometer": (kind: "thermometer"), "battery": (kind: "battery"),
    "near": (kind: "infrared", level: "range"), "layers": (kind: "sick_ldmrs"), "speed": (kind: "velocity"),
"#;
/// Position on Earth.
const EARTH: &str = "environment: (origin: (latitude: 43.6, longitude: 1.45, altitude: 150)), ";
/// Sensor of the arm.
const WRIST: &str = r#""wrist": (kind: "force_torque", mount: (frame: "kuka_7")), "#;

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/suite/rosbridge")
        .join(name)
}

/// Runs a client beside the simulation, and returns its reports, by step.
fn report(command: Command) -> BTreeMap<String, Json> {
    report_of(WORLD, command)
}

/// Runs a client beside a simulation, and returns its reports, by step.
fn report_of(world: &str, mut command: Command) -> BTreeMap<String, Json> {
    let served = Served::new(world, Pace::RealTime(1.0));
    let output = command.arg(served.port.to_string()).output().unwrap();
    served.end();
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{stdout}{stderr}");
    let lines = stdout.lines().filter_map(|line| {
        let line: Json = serde_json::from_str(line).ok()?;
        Some((line["step"].as_str()?.to_owned(), line))
    });
    lines.collect()
}

/// Returns a directory with packages, which npm installs once, and the script of the directory's name.
fn npm(name: &str, packages: &[&str]) -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let is_installed = || {
        let mut names = packages
            .iter()
            .filter_map(|package| package.rsplit_once('@'));
        names.all(|(name, _)| folder.join("node_modules").join(name).is_dir())
    };
    std::fs::create_dir_all(&folder).ok()?;
    if !is_installed() {
        std::fs::write(folder.join("package.json"), "{}").ok()?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--silent", "--no-audit", "--no-fund"]);
        npm.args(packages).current_dir(&folder).output().ok()?;
    }
    let program = format!("{name}.mjs");
    std::fs::copy(script(&program), folder.join(program)).ok()?;
    is_installed().then_some(folder)
}

fn has(list: &Json, name: &str) -> bool {
    list.as_array()
        .is_some_and(|list| list.contains(&json!(name)))
}

fn contains(value: &Json, excerpt: &str) -> bool {
    value.as_str().is_some_and(|text| text.contains(excerpt))
}

#[test]
fn roslib_drives_robots() {
    let Some(folder) = npm("roslib", &[ROSLIB]) else {
        require::left_out("editors", "npm cannot install roslib");
        return;
    };
    let mut node = Command::new("node");
    node.arg("roslib.mjs").current_dir(folder);
    let steps = report(node);
    check_topics(&steps["topics"]);
    check_services(&steps);
    let frames = &steps["frames"];
    near(&frames["mount"]["z"], 0.7, 1e-9);
    assert!(frames["moved"].as_f64() > Some(0.25), "{frames}");
    // The arm stands upright, its seventh joint 1.178 m above its base.
    near(&frames["tip"]["x"], 0.0, 1e-3);
    assert!(frames["tip"]["z"].as_f64() > Some(1.0), "{frames}");
    check_topic_actions(&steps["topic_actions"]);
    check_actions(&steps["actions"]);
    near(&steps["trajectories"]["position"], 0.4, 0.011);
    assert!(contains(&steps["trajectories"]["refused"], "`knee`"));
    check_queries(&steps["queries"]);
}

fn check_topics(topics: &Json) {
    near(&topics["speed"], 0.5, 1e-6);
    assert_eq!(
        [&topics["base64"], &topics["cbor"]],
        [&json!(512), &json!(512)]
    );
    let [red, green] = [0, 1].map(|channel| topics["middle"][channel].as_f64().unwrap());
    assert!(red > 2.0 * green, "the box is red: {topics}");
    assert_eq!(topics["infinite"], true);
    near(&topics["png"], 0.5, 1e-6);
    assert_eq!(topics["header"], json!([0, 1, 0, 0]));
    assert_eq!(topics["seconds"][0], topics["seconds"][1]);
    assert_eq!(topics["nanos"][0], topics["nanos"][1]);
}

fn check_services(steps: &BTreeMap<String, Json>) {
    let services = &steps["services"];
    assert_eq!(services["stopped"], json!({}));
    assert!(contains(&services["unknown"], "fly"), "{services}");
    assert_eq!(services["kind"], "example_interfaces/AddTwoInts");
    assert_eq!(services["sum"]["sum"], 42);
    assert!(contains(&services["withdrawn"], "there is no service"));
    let parameters = &steps["parameters"];
    assert_eq!(parameters["value"], json!({ "x": [1, 2] }));
    assert!(has(&parameters["names"], "/goal"));
    assert!(contains(&parameters["gone"], "there is no parameter"));
    assert_eq!(parameters["clock"], true);
    assert!(has(&parameters["links"], "kuka_7"), "{parameters}");
    assert!(contains(&parameters["own"], "belongs to the simulation"));
}

fn check_topic_actions(actions: &Json) {
    let followed = &actions["followed"];
    assert_eq!(followed["status"], 3, "{followed}");
    assert_eq!(followed["result"]["error_code"], 0);
    assert!(followed["count"].as_u64() >= Some(4), "{followed}");
    near(&actions["positions"][0], 0.3, 0.02);
    near(&actions["positions"][1], -0.2, 0.02);
    assert_eq!(actions["cancelled"]["status"], 2, "{actions}");
    assert_eq!(actions["refused"]["status"], 5, "{actions}");
    assert!(contains(&actions["refused"]["text"], "`knee`"), "{actions}");
    assert_eq!(actions["statuses"], json!([3, 2, 5]));
}

fn check_actions(actions: &Json) {
    assert_eq!(actions["followed"]["error_code"], 0, "{actions}");
    let hasty = &actions["hasty"];
    assert!(contains(hasty, "Action was aborted"), "{hasty}");
    assert!(
        contains(hasty, r#""error_code":-4"#) && contains(hasty, "path tolerance violated"),
        "{hasty}"
    );
    assert_eq!(actions["arrived"]["error_code"], 0);
    assert!(actions["first"].as_f64() > Some(1.0), "{actions}");
    assert!(actions["last"].as_f64() < Some(1.0), "{actions}");
    assert!(contains(&actions["cancelled"], "Action was canceled"));
    assert!(contains(&actions["frame"], "poses in `map`"), "{actions}");
    assert!(contains(&actions["field"], "unknown field `position`"));
    assert_eq!(actions["closed"]["stalled"], true, "{actions}");
    assert_eq!(actions["opened"]["reached_goal"], true, "{actions}");
    assert!(contains(&actions["unknown"], "there is no action `/fly`"));
    assert_eq!(actions["walked"], json!({ "steps": 4 }));
    assert_eq!(actions["steps"], json!([3]));
}

fn check_queries(queries: &Json) {
    assert!(has(&queries["topics"], "/rover/scan"));
    for service in [
        "/rover/motion/stop",
        "/simulation/reset",
        "/rosapi/topics",
        "/republish_tfs",
    ] {
        assert!(has(&queries["services"], service), "{service}");
    }
    assert_eq!(queries["kind"], "sensor_msgs/msg/LaserScan");
    assert_eq!(queries["service"], "morse_sim/Json");
    assert_eq!(queries["of_kind"], json!(["/rosapi/topics"]));
    assert_eq!(queries["details"]["linear"]["x"], "float64");
    assert_eq!(queries["nodes"], json!(["/morse_sim"]));
    let actions = &queries["actions"];
    for action in [
        "/arm/armature/follow_joint_trajectory",
        "/arm/hand/gripper_cmd",
        "/rover/goal/navigate_to_pose",
    ] {
        assert!(has(actions, action), "{actions}");
    }
    assert!(has(
        &queries["subscribing"],
        "/arm/armature/joint_trajectory"
    ));
    assert_eq!(
        queries["request"]["typedefs"][0]["type"],
        "morse_sim/JsonRequest"
    );
    assert_eq!(queries["laser"], "std_msgs/Header header");
}

#[test]
fn foxglove_reads_topics_and_their_definitions() {
    let Some(folder) = npm("foxglove", &FOXGLOVE) else {
        require::left_out("editors", "npm cannot install the packages of Foxglove");
        return;
    };
    let mut node = Command::new("node");
    node.arg("foxglove.mjs").current_dir(folder);
    let world = [
        (r#""eye": "#, MORE),
        ("bodies: ", EARTH),
        (r#""joints": "#, WRIST),
    ]
    .iter()
    .fold(WORLD.to_owned(), |world, (before, more)| {
        world.replacen(before, &format!("{more}{before}"), 1)
    });
    let steps = report_of(&world, node);
    check_definitions(&steps["definitions"]);
    let messages = &steps["messages"];
    assert_eq!(messages["silent"], json!([]), "{messages}");
    assert_eq!(messages["unequal"], json!([]), "{messages}");
    for topic in ["/clock", "/rover/eye/camera_info", "/tf", "/tf_static"] {
        assert!(has(&messages["names"], topic), "{messages}");
    }
    near(&messages["speed"], 0.5, 1e-6);
    assert_eq!(
        (&messages["ranges"], &messages["infinite"]),
        (&json!(181), &json!(true))
    );
    assert!(messages["range"].as_f64() < Some(7.0), "{messages}");
    assert_eq!(messages["joints"], 7);
    assert!(messages["frames"][0].is_string(), "{messages}");
    let [red, green] = [0, 1].map(|channel| messages["middle"][channel].as_f64().unwrap());
    assert!(red > 2.0 * green, "the box is red: {messages}");
    let graph = &steps["graph"];
    assert_eq!(graph["nodes"], json!(["/morse_sim"]));
    assert_eq!(graph["stopped"], json!({}));
    for list in ["publishes", "subscribes", "serves"] {
        assert_eq!(graph[list], true, "{graph}");
    }
}

/// Checks that the definitions of the messages are those of Foxglove.
fn check_definitions(definitions: &Json) {
    assert_eq!(definitions["differences"], json!([]));
    for name in [
        "BatteryState",
        "CameraInfo",
        "CompressedImage",
        "FluidPressure",
        "Image",
        "Imu",
        "JointState",
        "LaserScan",
        "MagneticField",
        "NavSatFix",
        "PointCloud2",
        "Range",
        "Temperature",
    ] {
        let name = format!("sensor_msgs/{name}");
        assert!(has(&definitions["compared"], &name), "{definitions}");
    }
    for name in [
        "geometry_msgs/WrenchStamped",
        "nav_msgs/Odometry",
        "tf2_msgs/TFMessage",
    ] {
        assert!(has(&definitions["compared"], name), "{definitions}");
    }
}

#[test]
fn roslibpy_drives_robots() {
    if !has_python() {
        require::left_out("python", NO_PYTHON);
        return;
    }
    let Some(python) = roslib() else {
        require::left_out("python", "roslibpy cannot be installed from PyPI");
        return;
    };
    let mut command = Command::new(python);
    command.arg(script("roslibpy_client.py"));
    let steps = report(command);
    let topics = &steps["topics"];
    near(&topics["speed"], 0.5, 1e-6);
    assert!(topics["time"].as_f64() > Some(0.5), "{topics}");
    assert_eq!(topics["kind"], "sensor_msgs/msg/LaserScan");
    let services = &steps["services"];
    assert_eq!(services["kind"], "example_interfaces/AddTwoInts");
    assert_eq!(services["sum"], 42);
    assert!(has(&services["names"], "/add") && has(&services["names"], "/rover/motion/stop"));
    assert_eq!(services["stopped"], json!({}));
    assert!(contains(&services["withdrawn"], "there is no service"));
    assert_eq!(services["of_kind"], json!(["/rosapi/get_param"]));
    assert_eq!(services["details"], "morse_sim/JsonRequest");
    let parameters = &steps["parameters"];
    assert_eq!(parameters["value"], json!({ "x": [1, 2] }));
    assert!(has(&parameters["names"], "/goal") && has(&parameters["names"], "/use_sim_time"));
    assert_eq!(
        (&parameters["gone"], &parameters["clock"]),
        (&Json::Null, &json!(true))
    );
    near(&steps["frames"]["mount"]["z"], 0.7, 1e-9);
    let action = &steps["topic_actions"];
    assert_eq!(action["result"]["error_code"], 0, "{action}");
    assert_eq!(action["feedback"], json!(["kuka_2"]));
    near(&action["position"], 0.3, 0.02);
    let actions = &steps["actions"];
    let followed = &actions["followed"];
    assert_eq!(
        (&followed[0], &followed[1]),
        (&json!("result"), &json!("SUCCEEDED"))
    );
    assert_eq!(followed[2]["error_code"], 0);
    assert!(followed[3].as_u64() >= Some(4), "{followed}");
    assert_eq!(actions["cancelled"][1], "CANCELED", "{actions}");
    assert_eq!(actions["refused"][0], "error", "{actions}");
    assert!(contains(&actions["refused"][2], "`knee`"), "{actions}");
}
