//! Compressed images, detected objects, covariances, and joysticks.
#![cfg(test)]
use serde_json::{Value as Json, json};

use crate::peer::{Program, domain, python, run_peer};

/// A rover that faces a red box.
const WORLD: &str = r#"Simulation(
    scene: "environments/boxes.robray",
    environment: (origin: (latitude: 43.6, longitude: 1.45, altitude: 150)),
    objects: { "RedBox": (label: "Crate", type: "Furniture") },
    robots: { "rover": (
        model: "robots/atrv.robray", base: kinematic, at: (rpy: (0, 0, 3.141592653589793)),
        sensors: {
            "eye": (kind: "video_camera", frequency: 5, width: 16, height: 8, mount: (translation: (0.5, 0, 0.7))),
            "spotter": (kind: "semantic_camera", tag: "Furniture", mount: (translation: (0.5, 0, 0.7))),
            "photo": (
                kind: "video_camera", frequency: 5, width: 16, height: 8, mount: (translation: (0.5, 0, 0.7)),
                outputs: { "ros": (compressed: jpeg) },
            ),
            "odometry": (kind: "odometry"),
            "wheels": (
                kind: "odometry", frequency: 10,
                modifiers: [(kind: "odometry_noise", factor_sigma: 0.1, gyro_drift_sigma: 0.01)],
            ),
            "imu": (kind: "imu", modifiers: [(kind: "imu_noise", gyro_sigma: 0.5, accel_sigma: 2)]),
            "gps": (kind: "gps", level: "raw", modifiers: [(kind: "gps_noise", sigma: (0.5, 0.5, 1.5))]),
        },
        actuators: { "stick": (kind: "joystick") },
    ) },
    middlewares: { "ros": (kind: "ros2") },
)"#;

fn last(report: &Json, topic: &str) -> Json {
    let messages = report["messages"][topic].as_array().unwrap();
    let last = messages.last().cloned();
    last.unwrap_or_else(|| panic!("{topic} has no messages"))
}

/// Returns the bytes of a field.
fn bytes(message: &Json) -> Vec<u8> {
    let bytes = message["data"].as_array().unwrap().iter();
    bytes.map(|byte| byte.as_u64().unwrap() as u8).collect()
}

#[test]
fn compressed_images_have_the_pixels_of_images() {
    let Some(python) = python() else { return };
    let domain = domain();
    let _program = Program::start(WORLD, domain);
    let report = run_peer(
        &python,
        domain,
        &json!({ "subscribe": {
            "/rover/eye/image": ["sensor_msgs/msg/Image", "sensor_data"],
            "/rover/eye/image/compressed": ["sensor_msgs/msg/CompressedImage", "sensor_data"],
        } }),
    );
    let (image, compressed) = (
        last(&report, "/rover/eye/image"),
        last(&report, "/rover/eye/image/compressed"),
    );
    assert_eq!(compressed["format"], "png");
    assert_eq!(compressed["header"]["frame_id"], "rover/eye_optical_frame");
    let file = bytes(&compressed);
    let mut reader = png::Decoder::new(std::io::Cursor::new(file))
        .read_info()
        .unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (16, 8));
    let image = bytes(&image);
    let expected = image.chunks(4).flat_map(|pixel| &pixel[..3]);
    assert!(pixels.iter().eq(expected));
}

#[test]
fn compressed_images_may_be_jpeg_files() {
    let Some(python) = python() else { return };
    let domain = domain();
    let _program = Program::start(WORLD, domain);
    let topic = "/rover/photo/image/compressed";
    let wanted =
        json!({ "subscribe": { topic: ["sensor_msgs/msg/CompressedImage", "sensor_data"] } });
    let compressed = last(&run_peer(&python, domain, &wanted), topic);
    assert_eq!(compressed["format"], "rgb8; jpeg compressed bgr8");
    let file = bytes(&compressed);
    assert_eq!(file[..3], [0xff, 0xd8, 0xff], "a JPEG file");
    assert_eq!(file[file.len() - 2..], [0xff, 0xd9]);
    // The header of the frame has the height and the width.
    let frame = file.windows(9).find(|window| window[..2] == [0xff, 0xc0]);
    assert_eq!(frame.unwrap()[5..], [0, 8, 0, 16]);
}

#[test]
fn objects_in_view_are_detections() {
    let Some(python) = python() else { return };
    let domain = domain();
    let _program = Program::start(WORLD, domain);
    let topic = "/rover/spotter/detections";
    let wanted =
        json!({ "subscribe": { topic: ["vision_msgs/msg/Detection3DArray", "reliable"] } });
    let array = last(&run_peer(&python, domain, &wanted), topic);
    assert_eq!(array["header"]["frame_id"], "map");
    let detections = array["detections"].as_array().unwrap();
    assert_eq!(detections.len(), 1, "{array}");
    let detection = &detections[0];
    assert_eq!(detection["id"], "Crate");
    assert_eq!(
        detection["results"][0]["hypothesis"]["class_id"],
        "Furniture"
    );
    assert_eq!(detection["results"][0]["hypothesis"]["score"], 1.0);
    let center = &detection["bbox"]["center"];
    assert_eq!(&detection["results"][0]["pose"]["pose"], center);
    // The side of the box is 7 m ahead of the rover, which looks against the x axis.
    assert!(center["position"]["x"].as_f64().unwrap() < -7.0, "{center}");
    assert_eq!(center["orientation"]["w"], 1.0);
}

#[test]
fn covariances_are_those_of_the_noise() {
    let Some(python) = python() else { return };
    let domain = domain();
    let _program = Program::start(WORLD, domain);
    let wanted = json!({ "subscribe": {
        "/rover/imu": ["sensor_msgs/msg/Imu", "sensor_data"],
        "/rover/gps": ["sensor_msgs/msg/NavSatFix", "sensor_data"],
        "/rover/wheels": ["nav_msgs/msg/Odometry", "reliable"],
    } });
    let report = run_peer(&python, domain, &wanted);
    let diagonal = |[x, y, z]: [f64; 3]| json!([x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z]);
    let imu = last(&report, "/rover/imu");
    assert_eq!(imu["angular_velocity_covariance"], diagonal([0.25; 3]));
    assert_eq!(imu["linear_acceleration_covariance"], diagonal([4.0; 3]));
    let fix = last(&report, "/rover/gps");
    assert_eq!(fix["position_covariance"], diagonal([0.25, 0.25, 2.25]));
    assert_eq!(fix["position_covariance_type"], 2);
    // At each of ten measurements a second the yaw drifts by 0.01 rad; the rover stands still.
    let odometry = last(&report, "/rover/wheels");
    let variance =
        |field: &str, index: usize| odometry[field]["covariance"][index].as_f64().unwrap();
    let stamp = &odometry["header"]["stamp"];
    let seconds = stamp["sec"].as_f64().unwrap() + 1e-9 * stamp["nanosec"].as_f64().unwrap();
    assert!((variance("pose", 35) - 1e-4 * 10.0 * seconds).abs() < 1e-9);
    assert!((variance("twist", 35) - 0.01).abs() < 1e-12);
    assert_eq!(variance("twist", 0), 0.0);
}

#[test]
fn joysticks_move_robots() {
    let Some(python) = python() else { return };
    let domain = domain();
    let _program = Program::start(WORLD, domain);
    let wanted = json!({
        "subscribe": { "/rover/odometry": ["nav_msgs/msg/Odometry", "reliable"] }, "count": 80,
        "publish": { "/rover/stick": ["sensor_msgs/msg/Joy", { "axes": [0.0, 0.5] }] },
    });
    let odometry = last(&run_peer(&python, domain, &wanted), "/rover/odometry");
    // Half of the speed of the actuator, 1 m/s.
    let speed = odometry["twist"]["twist"]["linear"]["x"].as_f64().unwrap();
    assert!((speed - 0.5).abs() < 1e-6, "{speed}");
}
