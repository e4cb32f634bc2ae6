//! Further sensors: their messages have the numbers of the simulation.
#![cfg(test)]
use serde_json::{Value as Json, json};

use crate::peer::{Program, domain, python, run_peer};

/// A rover that drives against the x axis towards a red box, whose side is seven metres away, and an arm.
const WORLD: &str = r#"Simulation(
    scene: "environments/boxes.robray",
    environment: (origin: (latitude: 43.6, longitude: 1.45, altitude: 150)),
    robots: {
        "rover": (
            model: "robots/atrv.robray", base: kinematic, at: (rpy: (0, 0, 3.141592653589793)),
            sensors: {
                "gps": (kind: "gps", level: "raw"),
                "imu": (kind: "imu"),
                "bumper": (kind: "collision"),
                "kinect": (kind: "kinect", frequency: 5, width: 16, height: 8, mount: (translation: (0.5, 0, 0.7))),
                "whole": (kind: "depth_video_camera", level: "raw", frequency: 5, width: 16, height: 8, mount: (translation: (0.5, 0, 0.7))),
                "cloud": (kind: "depth_camera", frequency: 5, width: 16, height: 8, mount: (translation: (0.5, 0, 0.7))),
                "odometry": (kind: "odometry"),
            },
            actuators: { "motion": (kind: "v_omega", MOTION) },
        ),
        "arm": (
            model: "arms/kuka_lwr.robray", base: fixed, at: (translation: (0, 5, 0)),
            sensors: { "joints": (kind: "joint_state"), "pose": (kind: "armature_pose") },
            actuators: { "armature": (kind: "armature", start: (names: ["kuka_2"], positions: [0.5])) },
        ),
    },
    middlewares: { "ros": (kind: "ros2") },
)"#;

fn messages<'a>(report: &'a Json, topic: &str) -> &'a [Json] {
    let messages = report["messages"][topic].as_array();
    messages.map_or(&[], Vec::as_slice)
}

#[track_caller]
fn last<'a>(report: &'a Json, topic: &str) -> &'a Json {
    let last = messages(report, topic).last();
    last.unwrap_or_else(|| panic!("{topic} has no messages"))
}

/// Returns the bytes of an image or a cloud.
fn bytes(message: &Json) -> Vec<u8> {
    let bytes = message["data"].as_array().unwrap().iter();
    bytes.map(|byte| byte.as_u64().unwrap() as u8).collect()
}

#[track_caller]
fn near(value: &Json, expected: f64, tolerance: f64) {
    let value = value.as_f64().unwrap();
    assert!(
        (value - expected).abs() < tolerance,
        "{value}, not {expected}"
    );
}

#[test]
fn depths_are_those_of_the_scene_in_every_form() {
    let Some(python) = python() else { return };
    let domain = domain();
    let _program = Program::start(&WORLD.replace("MOTION", ""), domain);
    let image = json!(["sensor_msgs/msg/Image", "sensor_data"]);
    let info = json!(["sensor_msgs/msg/CameraInfo", "sensor_data"]);
    let wanted = json!({ "subscribe": {
        "/rover/kinect/rgb/image": image, "/rover/kinect/depth/image": image, "/rover/whole/image": image,
        "/rover/kinect/rgb/camera_info": info, "/rover/kinect/depth/camera_info": info,
        "/rover/cloud": ["sensor_msgs/msg/PointCloud2", "sensor_data"],
        "/rover/bumper": ["std_msgs/msg/String", "reliable"],
    } });
    let report = run_peer(&python, domain, &wanted);
    let middle = 16 * 4 + 8;
    // The camera is 0.5 m before the origin, and the depth camera of a Kinect 6 cm before the other one.
    let depth = last(&report, "/rover/kinect/depth/image");
    let data = bytes(depth);
    let metres = f32::from_le_bytes(data[4 * middle..][..4].try_into().unwrap());
    assert!((metres - 6.44).abs() < 1e-3, "{metres}");
    assert_eq!(
        depth["header"]["frame_id"],
        "rover/kinect_depth_optical_frame"
    );
    let whole = last(&report, "/rover/whole/image");
    assert_eq!(whole["encoding"], "16UC1");
    let data = bytes(whole);
    let millimetres = u16::from_le_bytes(data[2 * middle..][..2].try_into().unwrap());
    assert!(millimetres.abs_diff(6500) <= 1, "{millimetres}");
    let color = bytes(last(&report, "/rover/kinect/rgb/image"));
    let pixel = &color[4 * middle..][..3];
    assert!(pixel[0] > 2 * pixel[1], "the box is red: {pixel:?}");
    for eye in ["rgb", "depth"] {
        let info = last(&report, &format!("/rover/kinect/{eye}/camera_info"));
        let frame = format!("rover/kinect_{eye}_optical_frame");
        assert_eq!(info["header"]["frame_id"], frame.as_str());
        assert_eq!((&info["width"], &info["height"]), (&json!(16), &json!(8)));
    }
    let cloud = last(&report, "/rover/cloud");
    let step = cloud["point_step"].as_u64().unwrap() as usize;
    let nearest = bytes(cloud)
        .chunks_exact(step)
        .map(|point| {
            let number =
                |offset: usize| f32::from_le_bytes(point[offset..offset + 4].try_into().unwrap());
            libm::sqrtf(
                [0, 4, 8]
                    .map(number)
                    .iter()
                    .map(|value| value * value)
                    .sum(),
            )
        })
        .filter(|distance| distance.is_finite() && *distance > 0.5)
        .fold(f32::INFINITY, |nearest, distance| {
            // The floor is nearer; the box is straight ahead.
            let is_box = (distance - 6.5).abs() < (nearest - 6.5).abs();
            if is_box { distance } else { nearest }
        });
    assert!((nearest - 6.5).abs() < 0.02, "{nearest}");
    let bumper = last(&report, "/rover/bumper")["data"].as_str().unwrap();
    let bumper: Json = serde_json::from_str(bumper).unwrap();
    assert_eq!(bumper["collision"], false, "{bumper}");
}

#[test]
fn velocities_and_joints_are_those_of_the_simulation() {
    let Some(python) = python() else { return };
    let domain = domain();
    let _program = Program::start(&WORLD.replace("MOTION", "start: (v: 0.5, w: 0)"), domain);
    let joints = json!(["sensor_msgs/msg/JointState", "reliable"]);
    let wanted = json!({ "subscribe": {
        "/rover/gps/velocity": ["geometry_msgs/msg/TwistStamped", "reliable"],
        "/rover/gps": ["sensor_msgs/msg/NavSatFix", "sensor_data"],
        "/rover/odometry": ["nav_msgs/msg/Odometry", "reliable"],
        "/rover/imu": ["sensor_msgs/msg/Imu", "sensor_data"],
        "/tf": ["tf2_msgs/msg/TFMessage", "reliable"],
        "/arm/joints": joints, "/arm/pose": joints,
    }, "count": 60 });
    let report = run_peer(&python, domain, &wanted);
    // To the west.
    let velocity = &last(&report, "/rover/gps/velocity")["twist"]["linear"];
    near(&velocity["x"], -0.5, 1e-6);
    near(&velocity["y"], 0.0, 1e-6);
    let longitude = last(&report, "/rover/gps")["longitude"].as_f64().unwrap();
    assert!(longitude < 1.45, "{longitude}");
    near(
        &last(&report, "/rover/imu")["angular_velocity"]["z"],
        0.0,
        1e-6,
    );
    // The pose of the base in `/tf` is that of the odometry of the same time.
    let odometries = messages(&report, "/rover/odometry");
    let transforms = messages(&report, "/tf").iter();
    let transforms = transforms.flat_map(|message| message["transforms"].as_array().unwrap());
    let bases = transforms.filter(|one| one["child_frame_id"] == "rover/base_link");
    let mut count = 0;
    for base in bases {
        let mut same = odometries.iter();
        let same = same.find(|one| one["header"]["stamp"] == base["header"]["stamp"]);
        if let Some(odometry) = same {
            let x = &odometry["pose"]["pose"]["position"]["x"];
            assert_eq!(&base["transform"]["translation"]["x"], x);
            count += 1;
        }
    }
    assert!(count > 20, "{count} of the same time");
    let states = messages(&report, "/arm/joints");
    let mut count = 0;
    for pose in messages(&report, "/arm/pose") {
        let mut same = states.iter();
        let same = same.find(|one| one["header"]["stamp"] == pose["header"]["stamp"]);
        if let Some(state) = same {
            let position = |of: &Json, joint: &str| {
                let names = of["name"].as_array().unwrap();
                let index = names.iter().position(|name| name == joint).unwrap();
                of["position"][index].as_f64().unwrap()
            };
            assert_eq!(position(pose, "kuka_2"), position(state, "kuka_2"));
            count += 1;
        }
    }
    assert!(count > 20, "{count} of the same time");
}
