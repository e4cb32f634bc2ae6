//! Large messages, and many robots.
#![cfg(test)]

use serde_json::{Value as Json, json};

use crate::{
    peer::{Peer, Program, domain, python, run_peer},
    require::say,
};

/// Receive buffer that the profile for large messages requests, bytes.
const BUFFER: u64 = 4 << 20;

const CAMERA: &str = r#"Simulation(
    scene: "environments/boxes.robray",
    robots: { "rover": (
        model: "robots/atrv.robray", base: kinematic,
        sensors: { "eye": (kind: "video_camera", frequency: 5, width: 640, height: 480, mount: (translation: (0.5, 0, 0.7))) },
    ) },
    middlewares: { "ros": (kind: "ros2") },
)"#;

const CLOUD: &str = r#"Simulation(
    scene: "environments/boxes.robray",
    robots: { "rover": (
        model: "robots/atrv.robray", base: kinematic,
        sensors: { "eye": (kind: "depth_camera", frequency: 5, width: 300, height: 192, mount: (translation: (0.5, 0, 0.7))) },
    ) },
    middlewares: { "ros": (kind: "ros2") },
)"#;

/// Receives 15 messages of 5 Hz with the profile of the guide; their data have at least a number of bytes.
fn receive_large(file: &str, topic: &str, kind: &str, bytes: u64) {
    let Some(python) = python() else { return };
    let most = std::fs::read_to_string("/proc/sys/net/core/rmem_max");
    let most = most.ok().and_then(|text| text.trim().parse::<u64>().ok());
    if most < Some(BUFFER) {
        say("net.core.rmem_max is below 4 MiB: large messages of the middleware `ros2`");
        return;
    }
    let domain = domain();
    let _program = Program::start(file, domain);
    let wanted = json!({
        "subscribe": { topic: [kind, "sensor_data"] },
        "count": 15, "longest_list": 1000,
    });
    let profile = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/examples/ros2_large_messages.xml"
    );
    let peer = Peer::with(
        &python,
        domain,
        &wanted,
        &[("FASTRTPS_DEFAULT_PROFILES_FILE", profile)],
    );
    let report = peer.report();
    let messages = report["messages"][topic].as_array().unwrap();
    let times = messages.iter().map(|message| {
        assert!(
            message["data"].as_u64() >= Some(bytes),
            "{}",
            message["data"]
        );
        let stamp = &message["header"]["stamp"];
        stamp["sec"].as_f64().unwrap() + 1e-9 * stamp["nanosec"].as_f64().unwrap()
    });
    let times: Vec<f64> = times.collect();
    assert!(times.len() >= 15, "{} messages", times.len());
    // At most one of six may be lost on a busy machine.
    let seconds = times[14] - times[0];
    assert!(seconds < 14.0 / 5.0 * 1.2, "15 messages in {seconds} s");
}

#[test]
fn large_images_arrive_with_the_profile_of_the_guide() {
    let (topic, kind) = ("/rover/eye/image", "sensor_msgs/msg/Image");
    receive_large(CAMERA, topic, kind, 640 * 480 * 4);
}

#[test]
fn large_point_clouds_arrive_with_the_profile_of_the_guide() {
    let (topic, kind) = ("/rover/eye", "sensor_msgs/msg/PointCloud2");
    receive_large(CLOUD, topic, kind, 280_000);
}

#[test]
fn lost_messages_are_named() {
    let Some(python) = python() else { return };
    let domain = domain();
    let reliable = r#"mount: (translation: (0.5, 0, 0.7)), outputs: { "ros": (qos: reliable) }"#;
    let file = CAMERA.replace("mount: (translation: (0.5, 0, 0.7))", reliable);
    assert_ne!(file, CAMERA);
    let arguments = ["--rtf", "1", "--until", "12s", "--json"];
    let mut program = Program::with(&file, domain, &arguments);
    let wanted = json!({
        "subscribe": { "/rover/eye/image": ["sensor_msgs/msg/Image", "reliable"] },
        "count": 100_000, "seconds": 60, "longest_list": 10,
    });
    let peer = Peer::start(&python, domain, &wanted);
    std::thread::sleep(std::time::Duration::from_secs(4));
    peer.halt();
    let (stdout, stderr) = program.wait();
    let summary: Json = serde_json::from_str(&stdout).unwrap();
    let sent = |name: &str| summary["middlewares"]["ros"][name].as_u64();
    assert!(
        sent("published") > Some(0) && sent("refused") > Some(0),
        "{summary}"
    );
    let why = "messages of `/rover/eye/image` are lost: a node that subscribes reliably does not confirm the earlier ones";
    assert!(stderr.contains(why), "{stderr}");
    assert_eq!(stderr.matches("are lost").count(), 1, "once: {stderr}");
}

const ROBOTS: &str = r#"Simulation(
    robots: { "rover": (
        model: "robots/atrv.robray", base: kinematic,
        repeat: (count: 50, pattern: grid(columns: 10, spacing: (3, 3))),
        sensors: {
            "odometry": (kind: "odometry", frequency: 50),
            "scan": (kind: "laser_scanner", frequency: 10, mount: (translation: (0, 0, 0.7))),
        },
        actuators: { "motion": (kind: "v_omega") },
    ) },
    middlewares: { "ros": (kind: "ros2") },
)"#;

#[test]
fn fifty_robots_have_their_own_topics() {
    let Some(python) = python() else { return };
    let domain = domain();
    let mut program = Program::start(ROBOTS, domain);
    let names = (1..=50).map(|number| format!("rover_{number}"));
    let names: Vec<String> = names.collect();
    let odometries = names.iter().map(|name| {
        (
            format!("/{name}/odometry"),
            json!(["nav_msgs/msg/Odometry", "reliable"]),
        )
    });
    let scans = names.iter().map(|name| {
        (
            format!("/{name}/scan"),
            json!(["sensor_msgs/msg/LaserScan", "sensor_data"]),
        )
    });
    let topics: serde_json::Map<String, Json> = odometries.chain(scans).collect();
    // Every tenth robot turns.
    let publish = names.iter().step_by(10).map(|name| {
        let twist = json!({ "angular": { "z": 0.5 } });
        (
            format!("/{name}/motion"),
            json!(["geometry_msgs/msg/Twist", twist]),
        )
    });
    let publish: serde_json::Map<String, Json> = publish.collect();
    let wanted = json!({
        "subscribe": topics, "publish": publish, "count": 10, "seconds": 40, "longest_list": 100,
    });
    let report = run_peer(&python, domain, &wanted);
    let (_, stderr) = program.end();
    for (number, name) in names.iter().enumerate() {
        let messages = |topic: &str| report["messages"][format!("/{name}/{topic}")].as_array();
        let (odometry, scans) = (messages("odometry").unwrap(), messages("scan").unwrap());
        assert!(
            odometry.len() >= 10 && scans.len() >= 10,
            "{name}: {} odometries and {} scans; {stderr}",
            odometry.len(),
            scans.len()
        );
        let last = odometry.last().unwrap();
        assert_eq!(last["child_frame_id"], format!("{name}/base_link"));
        let turning = if number % 10 == 0 { 0.5 } else { 0.0 };
        assert_eq!(last["twist"]["twist"]["angular"]["z"], turning, "{name}");
    }
}

#[test]
fn nodes_that_read_do_not_change_the_state() {
    let Some(python) = python() else { return };
    let hash = |file: &str, has_node: bool| {
        let domain = domain();
        let arguments = ["--until", "5s", "--rtf", "1", "--json"];
        let mut program = Program::with(file, domain, &arguments);
        let wanted = json!({
            "subscribe": {
                "/rover_1/odometry": ["nav_msgs/msg/Odometry", "reliable"],
                "/rover_50/scan": ["sensor_msgs/msg/LaserScan", "sensor_data"],
            },
            "count": 10, "longest_list": 10,
        });
        if has_node {
            let report = run_peer(&python, domain, &wanted);
            let messages = report["messages"]["/rover_50/scan"].as_array();
            assert!(messages.is_some_and(|messages| messages.len() >= 10));
        }
        let (stdout, stderr) = program.wait();
        let summary: Json =
            serde_json::from_str(&stdout).unwrap_or_else(|why| panic!("{why}: {stdout}{stderr}"));
        summary["state_hash"].as_str().map(str::to_owned)
    };
    let without = ROBOTS.replace(r#""ros": (kind: "ros2")"#, "");
    assert_ne!(without, ROBOTS);
    assert_eq!(hash(ROBOTS, true), hash(&without, false));
}
