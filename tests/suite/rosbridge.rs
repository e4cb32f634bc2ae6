//! Clients of rosbridge: topics with their types and values, commands, services, frames, and misbehaving clients.
#![cfg(test)]
pub(crate) mod client;
mod clients;
mod descriptions;
mod earth;
mod listening;
mod moving;
mod queries;
mod roslib;

use std::time::Duration;

use morse_sim::{run::Pace, simulation::no_extensions};
use serde_json::{Value as Json, json};

use crate::web::client::Served;
use client::Bridge;

/// A rover that faces a red box, whose side is seven metres away, and an arm.
const WORLD: &str = r#"Simulation(
    scene: "boxes.robray",
    environment: (origin: (latitude: 43.6, longitude: 1.45, altitude: 150)),
    robots: {
        "rover": (
            model: "robots/atrv.robray", base: kinematic, at: (rpy: (0, 0, 3.141592653589793)),
            sensors: {
                "pose": (kind: "pose"), "odometry": (kind: "odometry"), "imu": (kind: "imu"),
                "gps": (kind: "gps", level: "raw"), "place": (kind: "gps"), "compass": (kind: "magnetometer"),
                "barometer": (kind: "barometer"), "thermometer": (kind: "thermometer"),
                "battery": (kind: "battery"), "speed": (kind: "velocity"),
                "scan": (kind: "laser_scanner", laser_range: 8, mount: (translation: (0, 0, 0.7))),
                "layers": (kind: "sick_ldmrs", mount: (translation: (0, 0, 0.7))),
                "near": (kind: "infrared", level: "range", mount: (translation: (0, 0, 0.7))),
                "eye": (kind: "video_camera", frequency: 2, width: 16, height: 8, mount: (translation: (0.5, 0, 0.7))),
                "depth": (kind: "depth_video_camera", frequency: 2, width: 16, height: 8, mount: (translation: (0.5, 0, 0.7))),
            },
            actuators: { "motion": (kind: "v_omega", services: ["bridge"]) },
        ),
        "arm": (
            model: "arms/kuka_lwr.robray", base: fixed, at: (translation: (0, 5, 0)),
            sensors: { "joints": (kind: "joint_state") },
            actuators: { "motors": (kind: "joints") },
        ),
    },
    middlewares: { "bridge": (kind: "rosbridge", port: 0) },
)"#;

fn serve() -> Served {
    Served::new(WORLD, Pace::RealTime(1.0))
}

#[test]
fn every_sensor_and_actuator_is_a_topic_of_the_usual_type() {
    let served = serve();
    let mut bridge = Bridge::new(&served);
    let answer = bridge.call("/rosapi/topics", json!({}));
    let (topics, types) = (&answer["values"]["topics"], &answer["values"]["types"]);
    let pairs = topics
        .as_array()
        .unwrap()
        .iter()
        .zip(types.as_array().unwrap());
    let lines: Vec<String> = pairs
        .map(|(name, message)| format!("{name} {message}").replace('"', ""))
        .collect();
    let expected = "\
/arm/joints sensor_msgs/msg/JointState
/arm/motors sensor_msgs/msg/JointState
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
/tf tf2_msgs/msg/TFMessage
/tf_static tf2_msgs/msg/TFMessage";
    assert_eq!(lines.join("\n"), expected);
    let of_type = bridge.call(
        "/rosapi/topics_for_type",
        json!({ "type": "sensor_msgs/Imu" }),
    );
    assert_eq!(of_type["values"]["topics"], json!(["/rover/imu"]));
    served.end();
}

fn is_near(value: &Json, expected: f64) -> bool {
    value
        .as_f64()
        .is_some_and(|value| (value - expected).abs() < 1e-3)
}

fn near(value: &Json, expected: f64, tolerance: f64) {
    let value = value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"));
    assert!(
        (value - expected).abs() <= tolerance,
        "{value}, not {expected}"
    );
}

#[test]
fn messages_hold_what_there_is() {
    let served = serve();
    let mut bridge = Bridge::new(&served);
    let pose = bridge.one("/rover/pose");
    assert_eq!(pose["header"]["frame_id"], "map");
    near(&pose["pose"]["position"]["x"], 0.0, 1e-9);
    near(&pose["pose"]["orientation"]["z"], 1.0, 1e-9);

    let imu = bridge.one("/rover/imu");
    near(&imu["linear_acceleration"]["z"], 9.81, 0.01);
    near(&imu["orientation_covariance"][0], -1.0, 0.0);
    assert_eq!(imu["header"]["frame_id"], "rover/imu");

    let fix = bridge.one("/rover/gps");
    near(&fix["latitude"], 43.6, 1e-6);
    near(&fix["longitude"], 1.45, 1e-6);

    // The field at Toulouse has a magnitude of some 47 µT.
    let field = bridge.one("/rover/compass")["magnetic_field"].clone();
    let square = ["x", "y", "z"].map(|axis| field[axis].as_f64().unwrap().powi(2));
    near(&json!(square.iter().sum::<f64>().sqrt()), 47e-6, 2e-6);

    near(
        &bridge.one("/rover/barometer")["fluid_pressure"],
        101_325.0,
        1.0,
    );
    let battery = bridge.one("/rover/battery");
    near(&battery["percentage"], 1.0, 0.01);
    assert_eq!(
        (&battery["power_supply_status"], &battery["voltage"]),
        (&json!(2), &Json::Null)
    );

    let speed: Json =
        serde_json::from_str(bridge.one("/rover/speed")["data"].as_str().unwrap()).unwrap();
    near(&speed["linear_velocity"][0], 0.0, 1e-9);

    let joints = bridge.one("/arm/joints");
    assert_eq!(joints["name"].as_array().unwrap().len(), 7, "{joints}");
    assert_eq!(joints["position"].as_array().unwrap().len(), 7);
    served.end();
}

#[test]
fn scans_and_pictures_are_as_ros_has_them() {
    let served = serve();
    let mut bridge = Bridge::new(&served);
    let scan = bridge.one("/rover/scan");
    let ranges = scan["ranges"].as_array().unwrap();
    assert_eq!(ranges.len(), 181);
    near(&scan["angle_min"], -std::f64::consts::FRAC_PI_2, 1e-6);
    near(&scan["angle_max"], std::f64::consts::FRAC_PI_2, 1e-6);
    near(&scan["range_max"], 8.0, 1e-6);
    // The side of the box, 1 m wide, 7 m ahead; JSON has no infinity.
    near(&ranges[90], 7.0, 1e-6);
    near(&ranges[93], 7.0 / libm::cos(3_f64.to_radians()), 1e-5);
    assert_eq!(ranges[45], Json::Null);

    let range = bridge.one("/rover/near");
    assert_eq!(range["range"], Json::Null, "nothing within two metres");

    let cloud = bridge.one("/rover/layers");
    let bytes = base64(&cloud["data"]);
    let (points, _) = bytes.as_chunks::<20>();
    assert_eq!(json!(points.len()), cloud["width"]);
    let numbers = |point: &[u8; 20]| {
        let number =
            |offset: usize| f32::from_le_bytes(point[offset..offset + 4].try_into().unwrap());
        ([number(0), number(4), number(8)], point[12])
    };
    let on_box: Vec<_> = points
        .iter()
        .map(numbers)
        .filter(|([x, y, _], _)| (x - 7.0).abs() < 0.01 && y.abs() < 0.5)
        .collect();
    assert!(!on_box.is_empty());
    assert!(on_box.iter().all(|(_, ring)| *ring < 4));
    // Higher layers hit higher points.
    let height = |ring| {
        on_box
            .iter()
            .filter(|(_, own)| *own == ring)
            .map(|([_, _, z], _)| *z)
            .fold(f32::MIN, f32::max)
    };
    assert!(height(3) > height(0), "{on_box:?}");

    let image = bridge.one("/rover/eye/image");
    assert_eq!(
        (&image["encoding"], &image["step"]),
        (&json!("rgba8"), &json!(64))
    );
    let pixels = base64(&image["data"]);
    assert_eq!(pixels.len(), 16 * 8 * 4);
    // The box is straight ahead, and red.
    let middle = &pixels[4 * (16 * 4 + 8)..][..3];
    assert!(
        middle[0] > 2 * middle[1] && middle[0] > 2 * middle[2],
        "{middle:?}"
    );
    let depth = bridge.one("/rover/depth/image");
    let pixels = base64(&depth["data"]);
    let middle = f32::from_le_bytes(pixels[4 * (16 * 4 + 8)..][..4].try_into().unwrap());
    near(&json!(middle), 6.5, 1e-3);
    assert_eq!(depth["header"]["frame_id"], "rover/depth_optical_frame");
    let lens = bridge.one("/rover/eye/camera_info");
    // Focal length 35 mm, chip 32 mm, 16 columns.
    near(&lens["k"][0], 35.0 / 32.0 * 16.0, 1e-9);
    assert_eq!(lens["p"].as_array().unwrap().len(), 12);
    served.end();
}

fn base64(text: &Json) -> Vec<u8> {
    data_encoding::BASE64
        .decode(text.as_str().unwrap().as_bytes())
        .unwrap()
}

#[test]
fn commands_move_robots_and_services_are_called() {
    let served = Served::new(WORLD, Pace::RealTime(4.0));
    let mut bridge = Bridge::new(&served);
    bridge
        .say(json!({ "op": "advertise", "topic": "/rover/motion", "type": "geometry_msgs/Twist" }));
    bridge.say(json!({ "op": "publish", "topic": "/rover/motion", "msg": { "linear": { "x": 0.5 }, "angular": { "z": 0.0 } } }));
    let way = bridge.until("/rover/odometry", |odometry| {
        odometry["pose"]["pose"]["position"]["x"].as_f64() > Some(1.0)
    });
    near(&way["twist"]["twist"]["linear"]["x"], 0.5, 1e-6);
    assert_eq!(
        (&way["header"]["frame_id"], &way["child_frame_id"]),
        (&json!("rover/odom"), &json!("rover/base_link"))
    );

    // The world's origin is behind the start, since the rover faces the other way.
    let pose = bridge.one("/rover/pose");
    assert!(
        pose["pose"]["position"]["x"].as_f64() < Some(-1.0),
        "{pose}"
    );
    let answer = bridge.call("/rover/motion/stop", json!({}));
    assert_eq!(answer["result"], true, "{answer}");
    bridge.until("/rover/odometry", |odometry| {
        is_near(&odometry["twist"]["twist"]["linear"]["x"], 0.0)
    });

    // By the stamped type, by text, and with arguments by name.
    bridge.say(json!({ "op": "advertise", "topic": "/rover/motion", "type": "geometry_msgs/msg/TwistStamped" }));
    bridge.say(json!({ "op": "publish", "topic": "/rover/motion", "msg": { "twist": { "angular": { "z": 0.25 } } } }));
    bridge.until("/rover/odometry", |odometry| {
        is_near(&odometry["twist"]["twist"]["angular"]["z"], 0.25)
    });
    bridge.say(json!({ "op": "advertise", "topic": "/rover/motion", "type": "std_msgs/String" }));
    bridge.say(
        json!({ "op": "publish", "topic": "/rover/motion", "msg": { "data": "{\"w\": -0.5}" } }),
    );
    bridge.until("/rover/odometry", |odometry| {
        is_near(&odometry["twist"]["twist"]["angular"]["z"], -0.5)
    });
    let answer = bridge.call("/rover/motion/set_speed", json!({ "v": 0.0, "w": 0.125 }));
    assert_eq!(answer["result"], true, "{answer}");
    bridge.until("/rover/odometry", |odometry| {
        is_near(&odometry["twist"]["twist"]["angular"]["z"], 0.125)
    });

    let names = bridge.one("/arm/joints")["name"].clone();
    bridge.say(json!({ "op": "publish", "topic": "/arm/motors", "msg": { "name": [names[1]], "position": [0.4] } }));
    bridge.until("/arm/joints", |joints| {
        (joints["position"][1].as_f64().unwrap() - 0.4).abs() < 0.02
    });
    served.end();
}

#[test]
fn time_and_frames_are_told() {
    let served = serve();
    let mut bridge = Bridge::new(&served);
    let first = bridge.one("/clock")["clock"].clone();
    let later = bridge.until("/clock", |clock| clock["clock"] != first);
    let seconds =
        |time: &Json| time["sec"].as_f64().unwrap() + time["nanosec"].as_f64().unwrap() / 1e9;
    assert!(seconds(&later["clock"]) > seconds(&first));
    let parent = |message: &Json, child: &str| {
        let moving = message["transforms"].as_array().unwrap();
        let transform = moving.iter().find(|one| one["child_frame_id"] == child);
        transform.map(|one| one["header"]["frame_id"].clone())
    };
    let base = bridge.until("/tf", |message| {
        parent(message, "rover/base_link").is_some()
    });
    assert_eq!(parent(&base, "rover/base_link"), Some("rover/odom".into()));
    let links = bridge.until("/tf", |message| parent(message, "arm/kuka_2").is_some());
    assert_eq!(parent(&links, "arm/kuka_2"), Some("arm/kuka_1".into()));
    let fixed = bridge.one("/tf_static");
    let fixed = fixed["transforms"].as_array().unwrap();
    let of = |child: &str| {
        fixed
            .iter()
            .find(|one| one["child_frame_id"] == child)
            .unwrap_or_else(|| panic!("no {child}"))
    };
    assert_eq!(of("rover/scan")["header"]["frame_id"], "rover/base_link");
    near(
        &of("rover/scan")["transform"]["translation"]["z"],
        0.7,
        1e-9,
    );
    assert_eq!(
        of("rover/eye_optical_frame")["header"]["frame_id"],
        "rover/eye"
    );
    let half = of("rover/eye_optical_frame")["transform"]["rotation"]["w"].as_f64();
    near(&json!(half.unwrap().abs()), 0.5, 1e-9);
    // Each frame has one parent.
    let mut children: Vec<_> = fixed
        .iter()
        .map(|one| one["child_frame_id"].to_string())
        .collect();
    children.sort();
    let count = children.len();
    children.dedup();
    assert_eq!(children.len(), count);
    served.end();
}

#[test]
fn what_makes_no_sense_is_answered_with_the_reason() {
    let served = serve();
    let mut bridge = Bridge::new(&served);
    for (said, expected) in [
        ("{", "invalid JSON"),
        (
            r#"{"op": "publish", "topic": "/rover/motion", "msg": {"linear": {"x": NaN}}}"#,
            "NaN is not a valid number in JSON",
        ),
        ("[]", "missing field `op`"),
        (r#"{"op": "dance"}"#, "unknown operation `dance`"),
        (r#"{"op": "subscribe"}"#, "`topic` is missing"),
        (
            r#"{"op": "subscribe", "topic": "/rover/imu", "type": "sensor_msgs/Image"}"#,
            "`/rover/imu` is of type sensor_msgs/msg/Imu",
        ),
        (
            r#"{"op": "subscribe", "topic": "/rover/imu", "compression": "zip"}"#,
            "unsupported compression `zip`",
        ),
        (
            r#"{"op": "advertise", "topic": "/rover/imu", "type": "sensor_msgs/Imu"}"#,
            "is published by the simulation only",
        ),
        (
            r#"{"op": "advertise", "topic": "/rover/motion", "type": "a/B"}"#,
            "takes geometry_msgs/msg/Twist, geometry_msgs/msg/TwistStamped, std_msgs/msg/String",
        ),
        (
            r#"{"op": "publish", "topic": "/rover/motion", "msg": {"linear": {"x": 1e308}}}"#,
            "out of range",
        ),
        (
            r#"{"op": "publish", "topic": "/rover/motion", "msg": {"linear": 5}}"#,
            "`rover.motion`: not a geometry_msgs/msg/Twist",
        ),
        (
            r#"{"op": "publish", "topic": "/rover/wings", "msg": {}}"#,
            "is no actuator's topic",
        ),
    ] {
        let reported = bridge.refused(said);
        assert!(reported.contains(expected), "{said}: {reported}");
    }
    for (service, expected) in [
        (
            "/rover/pose/get_local_data",
            "there is no service `/rover/pose/get_local_data`",
        ),
        ("/rover/motion/fly", "fly"),
        ("nothing", "there is no service"),
    ] {
        let answer = bridge.call(service, json!({}));
        assert_eq!(answer["result"], false);
        assert!(answer["values"].to_string().contains(expected), "{answer}");
    }
    // The subscription is still active.
    bridge.one("/rover/imu");
    served.end();
}

#[test]
fn clients_hear_each_other_and_only_what_they_ask_for() {
    let served = serve();
    let (mut one, mut other) = (Bridge::new(&served), Bridge::new(&served));
    other.say(json!({ "op": "subscribe", "topic": "/chatter", "type": "std_msgs/String" }));
    // A reply confirms that the previous messages have been processed.
    other.call("/rosapi/nodes", json!({}));
    one.say(json!({ "op": "advertise", "topic": "/chatter", "type": "std_msgs/String" }));
    one.say(json!({ "op": "publish", "topic": "/chatter", "msg": { "data": "hello" } }));
    assert_eq!(other.next("/chatter")["data"], "hello");

    // Two messages of a 60 Hz sensor that are a third of a simulated second apart.
    other.say(json!({ "op": "subscribe", "topic": "/rover/pose", "throttle_rate": 400 }));
    let stamps = [(); 2].map(|()| {
        let stamp = other.next("/rover/pose")["header"]["stamp"].clone();
        stamp["sec"].as_f64().unwrap() + stamp["nanosec"].as_f64().unwrap() / 1e9
    });
    assert!(stamps[1] - stamps[0] > 0.2, "{stamps:?}");
    other.say(json!({ "op": "unsubscribe", "topic": "/rover/pose" }));
    other.call("/rosapi/nodes", json!({}));
    other.forget();
    let answer = other.call("/rosapi/nodes", json!({}));
    assert_eq!(answer["values"]["nodes"], json!(["/morse_sim"]));
    served.end();
}

#[test]
fn who_does_not_read_changes_nothing_and_holds_nobody_up() {
    let run = |is_watched: bool| {
        let mut served = Served::with(WORLD, Pace::Max, Some(600), &no_extensions);
        let mut idle = Vec::new();
        if is_watched {
            for _ in 0..8 {
                let mut bridge = Bridge::new(&served);
                for topic in [
                    "/rover/eye/image",
                    "/rover/depth/image",
                    "/rover/scan",
                    "/rover/layers",
                    "/tf",
                    "/clock",
                ] {
                    bridge.say(json!({ "op": "subscribe", "topic": topic }));
                }
                idle.push(bridge);
            }
        }
        served.finish().0.state_hash
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn pages_of_strangers_and_strangers_without_the_token_stay_out() {
    let text = WORLD.replace("port: 0", r#"port: 0, token: "secret", max_clients: 2"#);
    let served = Served::new(&text, Pace::RealTime(1.0));
    assert_eq!(Bridge::status(&served, "/", None), 403);
    assert_eq!(
        Bridge::status(&served, "/?token=secret", Some("https://evil.example")),
        403
    );
    assert_eq!(
        Bridge::status(&served, "/?token=secret", Some("http://localhost:3000")),
        101
    );
    // An incomplete handshake, and a silent connection, are closed in the end; the program ends in spite of them.
    let _silent = served.stream();
    std::thread::sleep(Duration::from_millis(20));
    served.end();
}

#[test]
fn a_twist_beyond_the_limits_is_refused_with_the_reason() {
    let served = serve();
    let mut bridge = Bridge::new(&served);
    let twist = json!({ "op": "publish", "topic": "/rover/motion", "msg":
        { "linear": { "x": 10000.0, "y": 0.0, "z": 0.0 }, "angular": { "x": 0.0, "y": 0.0, "z": 100_000.0 } } });
    let why = bridge.refused(&twist.to_string());
    assert!(
        why.contains("rover.motion") && why.contains("-100 to 100"),
        "{why}"
    );
    let pose = bridge.one("/rover/pose");
    assert!(
        pose["pose"]["position"]["x"].as_f64().unwrap().abs() < 0.1,
        "{pose}"
    );
}
