//! Nodes of another distribution of ROS 2, Kilted: topics, commands, services and actions.
#![cfg(test)]
use serde_json::{Value as Json, json};

use crate::{
    actions::{WORLD, report_of},
    peer::{Program, domain, kilted, run_peer},
};

const ROVER: &str = r#"Simulation(
    scene: "environments/boxes.robray",
    robots: { "rover": (
        model: "robots/atrv.robray", base: kinematic, at: (rpy: (0, 0, 3.141592653589793)),
        sensors: {
            "odometry": (kind: "odometry"), "imu": (kind: "imu"),
            "scan": (kind: "laser_scanner", laser_range: 8, mount: (translation: (0, 0, 0.7))),
            "eye": (kind: "video_camera", frequency: 5, width: 16, height: 8, mount: (translation: (0.5, 0, 0.7))),
        },
        actuators: { "motion": (kind: "v_omega") },
    ) },
    middlewares: { "ros": (kind: "ros2") },
)"#;

#[test]
fn nodes_of_kilted_read_sensors_and_drive() {
    let Some(python) = kilted() else { return };
    let domain = domain();
    let _program = Program::start(ROVER, domain);
    let twist = json!({ "angular": { "z": 0.25 } });
    let wanted = json!({
        "subscribe": {
            "/rover/odometry": ["nav_msgs/msg/Odometry", "reliable"],
            "/rover/imu": ["sensor_msgs/msg/Imu", "sensor_data"],
            "/rover/scan": ["sensor_msgs/msg/LaserScan", "sensor_data"],
            "/rover/eye/image": ["sensor_msgs/msg/Image", "sensor_data"],
            "/rover/robot_description": ["std_msgs/msg/String", "latched"],
            "/clock": ["rosgraph_msgs/msg/Clock", "sensor_data"],
            "/tf": ["tf2_msgs/msg/TFMessage", "reliable"],
        },
        "publish": { "/rover/motion": ["geometry_msgs/msg/Twist", twist] },
        "seconds": 6, "count": 10_000,
    });
    let report = run_peer(&python, domain, &wanted);
    let last = |topic: &str| -> Json {
        let messages = report["messages"][topic].as_array().unwrap();
        let last = messages.last();
        last.unwrap_or_else(|| panic!("{topic} has no messages"))
            .clone()
    };
    assert_eq!(
        last("/rover/odometry")["twist"]["twist"]["angular"]["z"],
        0.25
    );
    let turning = last("/rover/imu")["angular_velocity"]["z"]
        .as_f64()
        .unwrap();
    assert!((turning - 0.25).abs() < 1e-6, "{turning}");
    let scans = report["messages"]["/rover/scan"].as_array().unwrap();
    let ahead = scans[0]["ranges"][90].as_f64().unwrap();
    assert!((ahead - 7.0).abs() < 0.3, "{ahead}");
    assert_eq!(
        last("/rover/eye/image")["data"].as_array().unwrap().len(),
        512
    );
    assert!(
        last("/rover/robot_description")["data"]
            .as_str()
            .unwrap()
            .contains("<robot")
    );
    let base = &last("/tf")["transforms"][0];
    assert_eq!(base["child_frame_id"], "rover/base_link");
    assert!(last("/clock")["clock"]["sec"].as_i64() >= Some(1));
    assert_eq!(report["nodes"], json!(["/morse_sim", "/peer"]));
    assert_eq!(
        report["topics"]["/rover/scan"],
        json!(["sensor_msgs/msg/LaserScan"])
    );
}

#[test]
fn nodes_of_kilted_have_goals_followed_cancelled_and_refused() {
    let Some(python) = kilted() else { return };
    let steps = report_of(&python, "arm", WORLD);
    assert_eq!(steps["followed"]["status"], "SUCCEEDED");
    assert_eq!(steps["followed"]["position"], json!([0.4, -0.3]));
    assert_eq!(steps["refused"]["accepted"], false);
    assert_eq!(steps["cancelled"]["status"], "CANCELED");
    assert_eq!(steps["tolerances"]["path"][1], -4);
}

#[test]
fn results_of_navigation_have_the_form_of_kilted() {
    let Some(python) = kilted() else { return };
    let file = WORLD.replace(
        r#"(kind: "ros2")"#,
        r#"(kind: "ros2", distribution: kilted)"#,
    );
    assert_ne!(file, WORLD);
    let steps = report_of(&python, "rover", &file);
    let arrived = &steps["arrived"];
    assert_eq!(
        (&arrived["status"], &arrived["code"]),
        (&json!("SUCCEEDED"), &json!(0)),
        "{arrived}"
    );
    assert_eq!(steps["cancelled"]["status"], "CANCELED");
    let aborted = &steps["aborted"];
    assert_eq!(
        (&aborted["status"], &aborted["code"], &aborted["why"]),
        (
            &json!("ABORTED"),
            &json!(9000),
            &json!("the simulation was set back to an earlier state")
        ),
        "{aborted}"
    );
}
