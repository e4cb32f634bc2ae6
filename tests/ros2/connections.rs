//! Connections of nodes: settings of topics, peers that do not fit, domains, restarts, and nodes that stop reading.
#![cfg(test)]
use serde_json::json;

use crate::peer::{Peer, Program, domain, python, run_peer};

const ROVER: &str = r#"Simulation(
    scene: "environments/boxes.robray",
    robots: { "rover": (
        model: "robots/atrv.robray", base: kinematic,
        sensors: { "odometry": (kind: "odometry"), "scan": (kind: "laser_scanner", SCAN) },
        actuators: { "motion": (kind: "v_omega", MOTION) },
    ) },
    middlewares: { "ros": (kind: "ros2", SETTINGS) },
)"#;

/// Returns the world with settings of an output, of an input and of the middleware.
fn world(scan: &str, motion: &str, settings: &str) -> String {
    let file = ROVER.replace("SCAN", scan).replace("MOTION", motion);
    file.replace("SETTINGS", settings)
}

#[test]
fn topics_frames_types_and_qualities_are_settings() {
    let Some(python) = python() else { return };
    let domain = domain();
    let file = world(
        r#"outputs: { "ros": (topic: "scan", frame_id: "laser", qos: reliable) }"#,
        r#"inputs: { "ros": (topic: "cmd_vel", type: "TwistStamped") }"#,
        r#"namespace: "lab""#,
    );
    let _program = Program::start(&file, domain);
    let twist = json!({ "twist": { "linear": { "x": 0.5 } } });
    let wanted = json!({
        "subscribe": {
            "/lab/scan": ["sensor_msgs/msg/LaserScan", "reliable"],
            "/lab/rover/odometry": ["nav_msgs/msg/Odometry", "sensor_data"],
        },
        "publish": { "/lab/cmd_vel": ["geometry_msgs/msg/TwistStamped", twist] },
        "count": 60,
    });
    let report = run_peer(&python, domain, &wanted);
    let messages = &report["messages"];
    assert_eq!(messages["/lab/scan"][59]["header"]["frame_id"], "laser");
    let velocity = &messages["/lab/rover/odometry"][59]["twist"]["twist"]["linear"]["x"];
    assert_eq!(velocity, &json!(0.5));
    assert_eq!(report["nodes"], json!(["/lab/morse_sim", "/peer"]));
}

#[test]
fn readings_of_each_tick_are_published() {
    let Some(python) = python() else { return };
    let domain = domain();
    let _program = Program::start(&world("", "", ""), domain);
    let wanted = json!({
        "subscribe": { "/rover/odometry": ["nav_msgs/msg/Odometry", "reliable"] },
        "count": 91,
    });
    let report = run_peer(&python, domain, &wanted);
    let seconds = |number: usize| {
        let stamp = &report["messages"]["/rover/odometry"][number]["header"]["stamp"];
        stamp["sec"].as_f64().unwrap() + 1e-9 * stamp["nanosec"].as_f64().unwrap()
    };
    let took = seconds(90) - seconds(0);
    // 60 ticks a second; some may be lost on a busy machine.
    assert!(took < 2.5, "90 periods of 1/60 s took {took} s");
}

#[test]
fn peers_that_do_not_fit_are_named() {
    let Some(python) = python() else { return };
    let domain = domain();
    let mut program = Program::start(&world("", "", ""), domain);
    let twist = json!({ "twist": { "linear": { "x": 0.5 } } });
    let wanted = json!({
        "subscribe": { "/rover/scan": ["sensor_msgs/msg/LaserScan", "reliable"] },
        "publish": { "/rover/motion": ["geometry_msgs/msg/TwistStamped", twist] },
        "seconds": 8,
    });
    let report = run_peer(&python, domain, &wanted);
    assert_eq!(report["messages"]["/rover/scan"], json!([]));
    let (_, stderr) = program.end();
    let quality = "a node subscribes to `/rover/scan` and receives nothing: reliable messages are requested, and best effort \
                   is offered; subscribe with best effort (qos_profile_sensor_data), or set `qos: reliable`";
    assert!(stderr.contains(quality), "{stderr}");
    let kind = "a node publishes on `/rover/motion` with the type `geometry_msgs/msg/TwistStamped`; the type of the topic is \
                `geometry_msgs/msg/Twist`";
    assert!(stderr.contains(kind), "{stderr}");
}

#[test]
fn commands_that_are_no_numbers_are_refused() {
    let Some(python) = python() else { return };
    let domain = domain();
    let motion = r#"inputs: { "ros": (type: "String") }"#;
    let mut program = Program::start(&world("", motion, ""), domain);
    let wanted = json!({
        "publish": { "/rover/motion": ["std_msgs/msg/String", { "data": r#"{"speed": 1}"# }] },
        "seconds": 8,
    });
    run_peer(&python, domain, &wanted);
    let (_, stderr) = program.end();
    assert!(
        stderr.contains("a command was refused: `rover.motion` has no field `speed`; it has: v, w"),
        "{stderr}"
    );
}

#[test]
fn other_domains_are_other_networks() {
    let Some(python) = python() else { return };
    let domain = domain();
    let _program = Program::start(&world("", "", ""), domain);
    let wanted = json!({ "graph": true, "seconds": 3 });
    let report = run_peer(&python, domain + 20, &wanted);
    assert_eq!(report["nodes"], json!(["/peer"]));
}

#[test]
fn a_node_goes_on_with_a_program_that_was_started_again() {
    let Some(python) = python() else { return };
    let domain = domain();
    let mut program = Program::start(&world("", "", ""), domain);
    let wanted = json!({
        "subscribe": { "/rover/odometry": ["nav_msgs/msg/Odometry", "reliable"] },
        "count": 400, "seconds": 30,
    });
    let peer = Peer::start(&python, domain, &wanted);
    std::thread::sleep(std::time::Duration::from_secs(4));
    program.end();
    program.restart(&["--rtf", "1"]);
    let report = peer.report();
    let times = report["messages"]["/rover/odometry"].as_array().unwrap();
    let seconds = |message: &serde_json::Value| {
        let stamp = &message["header"]["stamp"];
        stamp["sec"].as_f64().unwrap() + 1e-9 * stamp["nanosec"].as_f64().unwrap()
    };
    assert!(times.len() >= 400, "{} messages", times.len());
    let restarts = times
        .windows(2)
        .filter(|two| seconds(&two[1]) < seconds(&two[0]));
    assert_eq!(restarts.count(), 1, "time begins again once");
}

#[test]
fn a_node_that_is_started_again_goes_on() {
    let Some(python) = python() else { return };
    let domain = domain();
    let _program = Program::start(&world("", "", ""), domain);
    let run = |speed: f64| {
        let twist = json!({ "linear": { "x": speed } });
        let wanted = json!({
            "subscribe": { "/rover/odometry": ["nav_msgs/msg/Odometry", "reliable"] },
            "publish": { "/rover/motion": ["geometry_msgs/msg/Twist", twist] },
            "count": 90,
        });
        let report = run_peer(&python, domain, &wanted);
        let messages = report["messages"]["/rover/odometry"].as_array().unwrap();
        let last = messages.last().unwrap();
        assert_eq!(last["twist"]["twist"]["linear"]["x"], speed);
        let x = |message: &serde_json::Value| {
            let x = &message["pose"]["pose"]["position"]["x"];
            x.as_f64().unwrap()
        };
        (x(&messages[0]), x(last))
    };
    let (_, end) = run(0.5);
    // The rover has driven on without a node.
    let (start, _) = run(-0.25);
    assert!(start > end, "{start} after {end}");
}

#[test]
fn a_node_that_stops_reading_delays_no_tick() {
    let Some(python) = python() else { return };
    let domain = domain();
    let scan = r#"outputs: { "ros": (qos: reliable) }"#;
    let arguments = ["--rtf", "1", "--until", "8s", "--json"];
    let mut program = Program::with(&world(scan, "", ""), domain, &arguments);
    let wanted = json!({
        "subscribe": { "/rover/scan": ["sensor_msgs/msg/LaserScan", "reliable"] },
        "count": 100_000, "seconds": 60,
    });
    let peer = Peer::start(&python, domain, &wanted);
    std::thread::sleep(std::time::Duration::from_secs(3));
    peer.halt();
    let (stdout, _) = program.wait();
    let summary: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let rtf = summary["rtf"].as_f64().unwrap();
    assert!(rtf > 0.95, "{summary}");
    assert!(
        summary["middlewares"]["ros"]["published"].as_u64() > Some(30),
        "{summary}"
    );
}

#[test]
fn nodes_keep_their_topics_when_robots_come_and_go() {
    let Some(python) = python() else { return };
    let domain = domain();
    let file = world("", "", "");
    let arguments = ["--rtf", "1", "--watch"];
    let mut program = Program::with(&file, domain, &arguments);
    let odometry = json!(["nav_msgs/msg/Odometry", "reliable"]);
    let twist = json!({ "linear": { "x": 0.5 } });
    let wanted = json!({
        "subscribe": { "/rover/odometry": odometry, "/second/odometry": odometry },
        "publish": {
            "/rover/motion": ["geometry_msgs/msg/Twist", twist],
            "/second/motion": ["geometry_msgs/msg/Twist", twist],
        },
        "count": 60, "seconds": 30,
    });
    let peer = Peer::start(&python, domain, &wanted);
    std::thread::sleep(std::time::Duration::from_secs(3));
    let second = r#"robots: { "second": (
        model: "robots/atrv.robray", base: kinematic, at: (translation: (0, 5, 0)),
        sensors: { "odometry": (kind: "odometry") }, actuators: { "motion": (kind: "v_omega") },
    ), "#;
    let path = program.directory.path().join("world.ron");
    std::fs::write(path, file.replacen("robots: { ", second, 1)).unwrap();
    let report = peer.report();
    let (_, stderr) = program.end();
    let messages = |topic: &str| report["messages"][topic].as_array().unwrap().clone();
    let [first, second] = ["/rover/odometry", "/second/odometry"].map(messages);
    assert!(second.len() >= 60, "{} messages; {stderr}", second.len());
    let last = |messages: &[serde_json::Value]| {
        let last = messages.last().unwrap();
        last["twist"]["twist"]["linear"]["x"].as_f64().unwrap()
    };
    assert_eq!((last(&first), last(&second)), (0.5, 0.5));
    let nanos = |message: &serde_json::Value| {
        let stamp = &message["header"]["stamp"];
        stamp["sec"].as_i64().unwrap() * 1_000_000_000 + stamp["nanosec"].as_i64().unwrap()
    };
    let is_later = first.windows(2).all(|two| nanos(&two[1]) > nanos(&two[0]));
    assert!(is_later, "the first rover's time goes on");
    assert_eq!(report["nodes"], json!(["/morse_sim", "/peer"]));
}
