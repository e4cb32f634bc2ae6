//! Commands: each type of message moves its robot.
#![cfg(test)]
use serde_json::{Value as Json, json};

use crate::peer::{Program, domain, python, run_peer};

/// A car whose wheelbase is 0.8 m on the ground, robots that float above it, and arms.
fn world() -> String {
    let car = concat!(env!("CARGO_MANIFEST_DIR"), "/scenes/gallery/car.robray");
    let rover = |name: &str, y: f64, actuator: &str| {
        format!(
            r#""{name}": (
                model: "robots/atrv.robray", base: kinematic, at: (translation: (0, {y:?}, 0)),
                sensors: {{ "pose": (kind: "pose"), "odometry": (kind: "odometry") }},
                actuators: {{ "motion": ({actuator}) }},
            ),"#
        )
    };
    let arm = |name: &str, y: f64, actuator: &str| {
        format!(
            r#""{name}": (
                model: "arms/kuka_lwr.robray", base: fixed, at: (translation: (5, {y:?}, 0)),
                sensors: {{ "joints": (kind: "joint_state") }},
                actuators: {{ "motors": ({actuator}) }},
            ),"#
        )
    };
    let robots = [
        rover("twist", 10.0, r#"kind: "v_omega""#),
        rover(
            "stamped",
            20.0,
            r#"kind: "v_omega", inputs: { "ros": (type: "TwistStamped") }"#,
        ),
        rover(
            "text",
            30.0,
            r#"kind: "v_omega", inputs: { "ros": (type: "String") }"#,
        ),
        rover("sideways", 40.0, r#"kind: "xy_omega""#),
        rover("teleport", 50.0, r#"kind: "teleport""#),
        arm("states", 60.0, r#"kind: "joints""#),
        arm(
            "numbers",
            70.0,
            r#"kind: "joints", inputs: { "ros": (type: "Float64MultiArray") }"#,
        ),
        arm("armature", 80.0, r#"kind: "armature""#),
    ];
    format!(
        r#"Simulation(
            scene: "environments/boxes.robray",
            robots: {{
                "car": (
                    model: "{car}", base: dynamic, at: (translation: (0, -3, 0)),
                    sensors: {{ "odometry": (kind: "odometry") }},
                    actuators: {{ "motion": (kind: "ackermann", inputs: {{ "ros": (type: "AckermannDriveStamped") }}) }},
                ),
                {}
            }},
            middlewares: {{ "ros": (kind: "ros2") }},
        )"#,
        robots.concat()
    )
}

/// Topics with their messages.
fn published() -> Json {
    let speed = json!({ "linear": { "x": 0.5 }, "angular": { "z": 0.25 } });
    let goal = json!({ "pose": { "position": { "x": 3.0, "y": 50.5, "z": 1.0 }, "orientation": { "z": 1.0, "w": 0.0 } } });
    json!({
        "/twist/motion": ["geometry_msgs/msg/Twist", speed],
        "/stamped/motion": ["geometry_msgs/msg/TwistStamped", { "twist": speed }],
        "/text/motion": ["std_msgs/msg/String", { "data": r#"{"v": 0.5, "w": 0.25}"# }],
        "/sideways/motion": ["geometry_msgs/msg/Twist", { "linear": { "x": 0.25, "y": -0.5 }, "angular": { "z": 0.25 } }],
        "/teleport/motion": ["geometry_msgs/msg/PoseStamped", goal],
        "/states/motors": ["sensor_msgs/msg/JointState", { "name": ["kuka_4", "kuka_2"], "position": [0.4, -0.3] }],
        "/numbers/motors": ["std_msgs/msg/Float64MultiArray", { "data": [0.1, 0.2, 0.1, 0.3, 0.1, 0.2, 0.1] }],
        "/armature/motors": ["sensor_msgs/msg/JointState", { "name": ["kuka_2"], "position": [0.2] }],
        "/car/motion": ["ackermann_msgs/msg/AckermannDriveStamped", { "drive": { "speed": 0.5, "steering_angle": 0.25 } }],
    })
}

/// Returns topics with their types.
fn subscribed() -> Json {
    let odometry = |name: &str| {
        (
            format!("/{name}/odometry"),
            json!(["nav_msgs/msg/Odometry", "reliable"]),
        )
    };
    let joints = |name: &str| {
        (
            format!("/{name}/joints"),
            json!(["sensor_msgs/msg/JointState", "reliable"]),
        )
    };
    let mut topics: serde_json::Map<String, Json> = ["twist", "stamped", "text", "sideways", "car"]
        .map(odometry)
        .into_iter()
        .chain(["states", "numbers", "armature"].map(joints))
        .collect();
    let pose = json!(["geometry_msgs/msg/PoseStamped", "reliable"]);
    topics.insert("/teleport/pose".to_owned(), pose);
    topics.into()
}

#[test]
fn each_type_of_command_moves_its_robot() {
    let Some(python) = python() else { return };
    let domain = domain();
    let mut program = Program::start(&world(), domain);
    let topics = subscribed();
    let wanted =
        json!({ "subscribe": topics, "publish": published(), "count": 400, "seconds": 30 });
    let report = run_peer(&python, domain, &wanted);
    let (_, stderr) = program.end();
    let last = |topic: &str| {
        let messages = report["messages"][topic].as_array().unwrap();
        let last = messages.last().cloned();
        last.unwrap_or_else(|| panic!("{topic} has no messages: {stderr}"))
    };
    let near = |value: &Json, expected: f64, tolerance: f64| {
        let value = value.as_f64().unwrap();
        assert!(
            (value - expected).abs() < tolerance,
            "{value}, not {expected}; {stderr}"
        );
    };
    for name in ["twist", "stamped", "text"] {
        let twist = &last(&format!("/{name}/odometry"))["twist"]["twist"];
        near(&twist["linear"]["x"], 0.5, 1e-6);
        near(&twist["angular"]["z"], 0.25, 1e-6);
    }
    let sideways = &last("/sideways/odometry")["twist"]["twist"];
    near(&sideways["linear"]["x"], 0.25, 1e-6);
    near(&sideways["linear"]["y"], -0.5, 1e-6);
    let pose = &last("/teleport/pose")["pose"];
    near(&pose["position"]["x"], 3.0, 1e-6);
    near(&pose["position"]["y"], 50.5, 1e-6);
    near(&pose["orientation"]["z"], 1.0, 1e-6);
    let position = |name: &str, joint: &str| {
        let state = last(&format!("/{name}/joints"));
        let names = state["name"].as_array().unwrap();
        let index = names.iter().position(|name| name == joint).unwrap();
        state["position"][index].clone()
    };
    near(&position("states", "kuka_4"), 0.4, 0.03);
    near(&position("states", "kuka_2"), -0.3, 0.03);
    near(&position("numbers", "kuka_1"), 0.1, 0.03);
    near(&position("armature", "kuka_2"), 0.2, 0.03);
    // The turning rate is v·tan(angle)/L; the tyres slip a little.
    let twist = &last("/car/odometry")["twist"]["twist"];
    let expected = 0.5 * libm::tan(0.25) / 0.8;
    near(&twist["linear"]["x"], 0.5, 0.05);
    near(&twist["angular"]["z"], expected, 0.15 * expected);
}
