//! Readings in messages: topics, types, and values that are compared with the log of the same run.
#![cfg(test)]
use std::{collections::BTreeMap, path::Path};

use serde_json::{Value as Json, json};

use crate::peer::{Program, domain, python, run_peer};

/// A rover that faces a red box, whose side is seven metres away, and an arm.
const WORLD: &str = r#"Simulation(
    scene: "environments/boxes.robray",
    environment: (origin: (latitude: 43.6, longitude: 1.45, altitude: 150)),
    robots: {
        "rover": (
            model: "robots/atrv.robray", base: kinematic, at: (rpy: (0, 0, 3.141592653589793)),
            sensors: {
                "pose": (kind: "pose", outputs: { "log": (format: csv) }),
                "odometry": (kind: "odometry", outputs: { "log": (format: csv) }),
                "imu": (kind: "imu", outputs: { "log": (format: csv) }),
                "gps": (kind: "gps", level: "raw", outputs: { "log": (format: csv) }),
                "place": (kind: "gps", outputs: { "log": (format: csv) }),
                "compass": (kind: "magnetometer", outputs: { "log": (format: csv) }),
                "barometer": (kind: "barometer", outputs: { "log": (format: csv) }),
                "thermometer": (kind: "thermometer", outputs: { "log": (format: csv) }),
                "battery": (kind: "battery", outputs: { "log": (format: csv) }),
                "speed": (kind: "velocity"),
                "scan": (kind: "laser_scanner", laser_range: 8, mount: (translation: (0, 0, 0.7))),
                "layers": (kind: "sick_ldmrs", mount: (translation: (0, 0, 0.7))),
                "near": (kind: "infrared", level: "range", mount: (translation: (0, 0, 0.7))),
                "eye": (kind: "video_camera", frequency: 5, width: 16, height: 8, mount: (translation: (0.5, 0, 0.7))),
                "depth": (kind: "depth_video_camera", frequency: 5, width: 16, height: 8, mount: (translation: (0.5, 0, 0.7))),
            },
            actuators: { "motion": (kind: "v_omega") },
        ),
        "arm": (
            model: "arms/kuka_lwr.robray", base: fixed, at: (translation: (0, 5, 0)),
            sensors: { "joints": (kind: "joint_state", outputs: { "log": (format: csv) }) },
            actuators: { "motors": (kind: "joints") },
        ),
    },
    middlewares: { "ros": (kind: "ros2"), "log": (kind: "text", directory: "out") },
)"#;

#[test]
fn every_sensor_and_actuator_is_a_topic_of_the_usual_type() {
    let Some(python) = python() else { return };
    let domain = domain();
    let _program = Program::start(WORLD, domain);
    let report = run_peer(&python, domain, &json!({ "graph": true }));
    assert_eq!(report["nodes"], json!(["/morse_sim", "/peer"]));
    let topics = report["topics"].as_object().unwrap();
    let lines = topics
        .iter()
        .filter(|(topic, _)| !["/rosout", "/parameter_events"].contains(&topic.as_str()))
        .map(|(topic, kinds)| {
            let kinds = kinds.as_array().unwrap();
            let kinds = kinds.iter().filter_map(Json::as_str);
            format!("{topic} {}", kinds.collect::<Vec<_>>().join(" "))
        });
    let mut lines: Vec<String> = lines.collect();
    lines.sort();
    let expected = "\
/arm/joints sensor_msgs/msg/JointState
/arm/motors sensor_msgs/msg/JointState
/arm/motors/follow_joint_trajectory/_action/feedback control_msgs/action/FollowJointTrajectory_FeedbackMessage
/arm/motors/follow_joint_trajectory/_action/status action_msgs/msg/GoalStatusArray
/arm/motors/joint_trajectory trajectory_msgs/msg/JointTrajectory
/arm/robot_description std_msgs/msg/String
/clock rosgraph_msgs/msg/Clock
/rover/barometer sensor_msgs/msg/FluidPressure
/rover/battery sensor_msgs/msg/BatteryState
/rover/compass sensor_msgs/msg/MagneticField
/rover/depth/camera_info sensor_msgs/msg/CameraInfo
/rover/depth/image sensor_msgs/msg/Image
/rover/eye/camera_info sensor_msgs/msg/CameraInfo
/rover/eye/image sensor_msgs/msg/Image
/rover/eye/image/compressed sensor_msgs/msg/CompressedImage
/rover/gps sensor_msgs/msg/NavSatFix
/rover/gps/velocity geometry_msgs/msg/TwistStamped
/rover/imu sensor_msgs/msg/Imu
/rover/layers sensor_msgs/msg/PointCloud2
/rover/motion geometry_msgs/msg/Twist
/rover/near sensor_msgs/msg/Range
/rover/odometry nav_msgs/msg/Odometry
/rover/place geometry_msgs/msg/PointStamped
/rover/pose geometry_msgs/msg/PoseStamped
/rover/robot_description std_msgs/msg/String
/rover/scan sensor_msgs/msg/LaserScan
/rover/speed std_msgs/msg/String
/rover/thermometer sensor_msgs/msg/Temperature
/simulate_steps/_action/feedback simulation_interfaces/action/SimulateSteps_FeedbackMessage
/simulate_steps/_action/status action_msgs/msg/GoalStatusArray
/tf tf2_msgs/msg/TFMessage
/tf_static tf2_msgs/msg/TFMessage";
    assert_eq!(lines.join("\n"), expected);
}

/// Returns the rows of a sensor's log by time in nanoseconds, with the fields by name.
pub(crate) fn rows(directory: &Path, sensor: &str) -> BTreeMap<i64, BTreeMap<String, Json>> {
    let text = std::fs::read_to_string(directory.join(format!("out/{sensor}.csv"))).unwrap();
    let mut lines = text.lines();
    let names: Vec<String> = lines
        .next()
        .unwrap()
        .split(';')
        .map(str::to_owned)
        .collect();
    let rows = lines.map(|line| {
        let values = line
            .split(';')
            .map(|value| serde_json::from_str(value).unwrap_or_else(|_| Json::from(value)));
        let row: BTreeMap<String, Json> = names.iter().cloned().zip(values).collect();
        (
            (row["timestamp"].as_f64().unwrap() * 1e9).round() as i64,
            row,
        )
    });
    rows.collect()
}

/// Returns the time in the header of a message, ns.
pub(crate) fn stamp(message: &Json) -> i64 {
    let stamp = &message["header"]["stamp"];
    stamp["sec"].as_i64().unwrap() * 1_000_000_000 + stamp["nanosec"].as_i64().unwrap()
}

/// Compares a number of a message with a number of the log, times a factor.
#[track_caller]
pub(crate) fn same(message: &Json, pointer: &str, logged: &Json, factor: f64) {
    let value = message.pointer(pointer).and_then(Json::as_f64);
    let value = value.unwrap_or_else(|| panic!("{pointer} is no number in {message}"));
    let expected = logged.as_f64().unwrap() * factor;
    // Some fields of messages are single precision.
    let tolerance = 1e-6 * expected.abs().max(1e-6);
    assert!(
        (value - expected).abs() <= tolerance,
        "{pointer}: {value}, not {expected}"
    );
}

/// Fields of a message that are equal to a field of the log times a factor: the sensor, its type, the quality of service to
/// subscribe with, and pairs of fields with the factor.
type Same = (
    &'static str,
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str, f64)],
);

const SAME: &[Same] = &[
    (
        "pose",
        "geometry_msgs/msg/PoseStamped",
        "reliable",
        &[
            ("/pose/position/x", "x", 1.0),
            ("/pose/position/y", "y", 1.0),
            ("/pose/position/z", "z", 1.0),
        ],
    ),
    (
        "odometry",
        "nav_msgs/msg/Odometry",
        "reliable",
        &[
            ("/pose/pose/position/x", "x", 1.0),
            ("/pose/pose/position/y", "y", 1.0),
            ("/twist/twist/linear/x", "vx", 1.0),
            ("/twist/twist/angular/z", "wz", 1.0),
        ],
    ),
    (
        "place",
        "geometry_msgs/msg/PointStamped",
        "reliable",
        &[("/point/x", "x", 1.0), ("/point/y", "y", 1.0)],
    ),
    (
        "gps",
        "sensor_msgs/msg/NavSatFix",
        "sensor_data",
        &[
            ("/latitude", "latitude", 1.0),
            ("/longitude", "longitude", 1.0),
            ("/altitude", "altitude", 1.0),
        ],
    ),
    (
        "compass",
        "sensor_msgs/msg/MagneticField",
        "sensor_data",
        &[
            ("/magnetic_field/x", "x", 1e-9),
            ("/magnetic_field/z", "z", 1e-9),
        ],
    ),
    (
        "barometer",
        "sensor_msgs/msg/FluidPressure",
        "sensor_data",
        &[("/fluid_pressure", "pressure", 1.0)],
    ),
    (
        "thermometer",
        "sensor_msgs/msg/Temperature",
        "sensor_data",
        &[("/temperature", "temperature", 1.0)],
    ),
    (
        "battery",
        "sensor_msgs/msg/BatteryState",
        "reliable",
        &[("/percentage", "charge", 0.01)],
    ),
];

#[test]
fn numbers_of_messages_are_those_of_the_simulation() {
    let Some(python) = python() else { return };
    let domain = domain();
    let mut program = Program::start(WORLD, domain);
    let topics = SAME
        .iter()
        .map(|(sensor, kind, quality, _)| (format!("/rover/{sensor}"), json!([kind, quality])));
    let mut topics: serde_json::Map<String, Json> = topics.collect();
    topics.insert(
        "/arm/joints".to_owned(),
        json!(["sensor_msgs/msg/JointState", "reliable"]),
    );
    let twist = json!({ "linear": { "x": 0.5 }, "angular": { "z": 0.25 } });
    // The rover begins to move once the node's publisher is discovered.
    let wanted = json!({
        "subscribe": topics, "count": 80,
        "publish": { "/rover/motion": ["geometry_msgs/msg/Twist", twist] },
    });
    let report = run_peer(&python, domain, &wanted);
    let (_, stderr) = program.end();
    let directory = program.directory.path();
    for (sensor, _, _, pairs) in SAME {
        let logged = rows(directory, &format!("rover.{sensor}"));
        let messages = report["messages"][format!("/rover/{sensor}")].as_array();
        let messages = messages.unwrap();
        assert!(
            messages.len() >= 20,
            "{sensor}: {} messages; {stderr}",
            messages.len()
        );
        for message in messages {
            let time = stamp(message);
            let row = logged.get(&time);
            let row = row.unwrap_or_else(|| panic!("{sensor}: nothing was logged at {time}"));
            for (pointer, field, factor) in *pairs {
                same(message, pointer, &row[*field], *factor);
            }
        }
    }
    let odometry = report["messages"]["/rover/odometry"].as_array().unwrap();
    let last = odometry.last().unwrap();
    same(last, "/twist/twist/linear/x", &json!(0.5), 1.0);
    same(last, "/twist/twist/angular/z", &json!(0.25), 1.0);
    assert_eq!(last["header"]["frame_id"], "rover/odom");
    assert_eq!(last["child_frame_id"], "rover/base_link");
    let joints = rows(directory, "arm.joints");
    for message in report["messages"]["/arm/joints"].as_array().unwrap() {
        let row = &joints[&stamp(message)];
        assert_eq!(message["name"].as_array().unwrap().len(), 7);
        assert_eq!(message["position"], row["positions"]);
    }
}

#[test]
fn scans_have_their_sizes_and_ranges() {
    let Some(python) = python() else { return };
    let domain = domain();
    let _program = Program::start(WORLD, domain);
    let wanted = json!({ "subscribe": {
        "/rover/scan": ["sensor_msgs/msg/LaserScan", "sensor_data"],
        "/rover/layers": ["sensor_msgs/msg/PointCloud2", "sensor_data"],
        "/rover/near": ["sensor_msgs/msg/Range", "sensor_data"],
        "/rover/imu": ["sensor_msgs/msg/Imu", "sensor_data"],
        "/rover/speed": ["std_msgs/msg/String", "reliable"],
        "/clock": ["rosgraph_msgs/msg/Clock", "sensor_data"],
    } });
    let report = run_peer(&python, domain, &wanted);
    let last = |topic| last(&report, topic);
    let scan = last("/rover/scan");
    let ranges = scan["ranges"].as_array().unwrap();
    assert_eq!(ranges.len(), 181);
    // The side of the red box is at 7 m; beyond the range of 8 m there is no hit.
    same(&scan, "/ranges/90", &json!(7.0), 1.0);
    assert_eq!(
        (&ranges[180], &scan["range_max"]),
        (&json!("inf"), &json!(8.0))
    );
    let near = last("/rover/near");
    assert_eq!(
        (&near["range"], &near["radiation_type"]),
        (&json!("inf"), &json!(1))
    );
    let layers = last("/rover/layers");
    let size = |cloud: &Json, field: &str| cloud[field].as_u64().unwrap();
    assert_eq!(size(&layers, "point_step"), 20);
    assert!(size(&layers, "width") > 100, "{}", layers["width"]);
    let bytes = layers["data"].as_array().unwrap().len() as u64;
    assert_eq!(bytes, size(&layers, "width") * 20);
    let imu = last("/rover/imu");
    same(&imu, "/linear_acceleration/z", &json!(9.81), 1.0);
    assert_eq!(imu["orientation_covariance"][0], json!(-1.0));
    let speed = last("/rover/speed");
    let fields: Json = serde_json::from_str(speed["data"].as_str().unwrap()).unwrap();
    assert_eq!(fields["linear_velocity"], json!([0.0, 0.0, 0.0]));
    assert!(last("/clock")["clock"]["nanosec"].is_u64());
}

/// Returns the last message of a topic.
#[track_caller]
fn last(report: &Json, topic: &str) -> Json {
    let messages = report["messages"][topic].as_array().unwrap();
    let last = messages.last().cloned();
    last.unwrap_or_else(|| panic!("{topic} has no messages"))
}

#[test]
fn images_show_the_scene() {
    let Some(python) = python() else { return };
    let domain = domain();
    let _program = Program::start(WORLD, domain);
    let wanted = json!({ "subscribe": {
        "/rover/eye/image": ["sensor_msgs/msg/Image", "sensor_data"],
        "/rover/eye/camera_info": ["sensor_msgs/msg/CameraInfo", "sensor_data"],
        "/rover/depth/image": ["sensor_msgs/msg/Image", "sensor_data"],
    } });
    let report = run_peer(&python, domain, &wanted);
    let last = |topic| last(&report, topic);
    let image = last("/rover/eye/image");
    assert_eq!(image["encoding"], "rgba8");
    assert_eq!(image["header"]["frame_id"], "rover/eye_optical_frame");
    assert_eq!(image["data"].as_array().unwrap().len(), 16 * 8 * 4);
    let pixels = image["data"].as_array().unwrap().chunks(4);
    let red = pixels.filter(|pixel| pixel[0].as_u64() > Some(2 * pixel[1].as_u64().unwrap()));
    assert!(red.count() > 4, "the red box is in the image");
    assert_eq!(last("/rover/eye/camera_info")["width"], 16);
    let depth = last("/rover/depth/image");
    assert_eq!(
        (&depth["encoding"], &depth["step"]),
        (&json!("32FC1"), &json!(64))
    );
}
