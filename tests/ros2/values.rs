//! Forces, contacts, ranges, clouds and calibrations: their messages have the numbers of the simulation.
#![cfg(test)]
use std::{collections::BTreeMap, f64::consts::PI};

use serde_json::{Value as Json, json};

use crate::{
    peer::{Program, domain, python, run_peer},
    readings::{rows, same, stamp},
};

/// A box of 2 kg on the floor, and an arm that holds a posture.
const FORCES: &str = r#"Simulation(
    scene: "environments/boxes.robray",
    robots: {
        "weight": (
            model: "MODEL", base: dynamic, at: (translation: (3, 0, 0.21)),
            sensors: {
                "touch": (kind: "contact", outputs: { "log": (format: csv) }),
                "switch": (kind: "foot_switch", threshold: 10, outputs: { "log": (format: csv) }),
                "heavy": (kind: "foot_switch", threshold: 30),
            },
        ),
        "arm": (
            model: "arms/kuka_lwr.robray", base: fixed, at: (translation: (0, 5, 0)),
            sensors: {
                "joints": (kind: "joint_state", outputs: { "log": (format: csv) }),
                "wrist": (kind: "force_torque", mount: (frame: "kuka_7"), outputs: { "log": (format: csv) }),
            },
            actuators: { "motors": (kind: "joints") },
        ),
    },
    middlewares: { "ros": (kind: "ros2"), "log": (kind: "text", directory: "out") },
)"#;

const WEIGHT: &str = r#"<robot name="weight"><link name="base_link">
  <inertial><mass value="2"/><inertia ixx="0.06" iyy="0.06" izz="0.06" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><box size="0.4 0.4 0.4"/></geometry></collision>
</link></robot>"#;

fn messages<'a>(report: &'a Json, topic: &str) -> &'a [Json] {
    let messages = report["messages"][topic].as_array();
    messages.map_or(&[], Vec::as_slice)
}

#[track_caller]
fn last<'a>(report: &'a Json, topic: &str) -> &'a Json {
    let last = messages(report, topic).last();
    last.unwrap_or_else(|| panic!("{topic} has no messages"))
}

#[track_caller]
fn near(value: f64, expected: f64, tolerance: f64) {
    assert!(
        (value - expected).abs() < tolerance,
        "{value}, not {expected}"
    );
}

#[test]
fn forces_and_contacts_are_those_of_the_simulation() {
    let Some(python) = python() else { return };
    let domain = domain();
    let model = tempfile::tempdir().unwrap();
    let path = model.path().join("weight.urdf");
    std::fs::write(&path, WEIGHT).unwrap();
    let file = FORCES.replace("MODEL", &path.display().to_string());
    let allowed = model.path().display().to_string();
    let mut program = Program::with(&file, domain, &["--rtf", "1", "--allow-path", &allowed]);
    let command = json!({ "name": ["kuka_2", "kuka_4"], "position": [-0.8, 1.2] });
    let wanted = json!({
        "subscribe": {
            "/weight/touch": ["gazebo_msgs/msg/ContactsState", "reliable"],
            "/weight/switch": ["std_msgs/msg/Bool", "reliable"],
            "/weight/heavy": ["std_msgs/msg/Bool", "reliable"],
            "/arm/wrist": ["geometry_msgs/msg/WrenchStamped", "reliable"],
            "/arm/joints": ["sensor_msgs/msg/JointState", "reliable"],
        },
        "publish": { "/arm/motors": ["sensor_msgs/msg/JointState", command] },
        "count": 120, "seconds": 30,
    });
    let report = run_peer(&python, domain, &wanted);
    let (_, stderr) = program.end();
    let directory = program.directory.path();
    let wrists = rows(directory, "arm.wrist");
    let wrenches = messages(&report, "/arm/wrist");
    assert!(wrenches.len() >= 120, "{stderr}");
    for message in wrenches {
        let row = &wrists[&stamp(message)];
        for (axis, index) in [("x", 0), ("y", 1), ("z", 2)] {
            for name in ["force", "torque"] {
                let pointer = format!("/wrench/{name}/{axis}");
                let column = format!("{name}[{index}]");
                same(message, &pointer, &row[&column], 1.0);
            }
        }
    }
    let moves = states_are_logged(&report, &rows(directory, "arm.joints"));
    assert!(moves, "some joint moves faster than 0.1 rad/s");
    contacts_are_logged(&report, &rows(directory, "weight.touch"));
    // 2 kg weigh 19.62 N: more than one threshold and less than the other.
    assert_eq!(last(&report, "/weight/switch")["data"], true);
    assert_eq!(last(&report, "/weight/heavy")["data"], false);
}

type Rows = BTreeMap<i64, BTreeMap<String, Json>>;

/// Compares states of joints with the log. Returns true if a joint moves.
fn states_are_logged(report: &Json, logged: &Rows) -> bool {
    let mut moves = false;
    for message in messages(report, "/arm/joints") {
        let row = &logged[&stamp(message)];
        for (field, column) in [
            ("name", "names"),
            ("position", "positions"),
            ("velocity", "velocities"),
            ("effort", "efforts"),
        ] {
            assert_eq!(message[field], row[column], "{field}");
        }
        let mut velocities = message["velocity"].as_array().unwrap().iter();
        moves |= velocities.any(|velocity| velocity.as_f64().unwrap().abs() > 0.1);
    }
    moves
}

/// Compares contacts with the log, and their sum with the weight.
fn contacts_are_logged(report: &Json, logged: &Rows) {
    for message in messages(report, "/weight/touch") {
        let row = &logged[&stamp(message)];
        let mut points = Vec::new();
        let mut forces = Vec::new();
        for state in message["states"].as_array().unwrap() {
            assert_eq!(state["collision2_name"], "ground");
            points.extend(state["contact_positions"].as_array().unwrap());
            let wrenches = state["wrenches"].as_array().unwrap();
            forces.extend(wrenches.iter().map(|wrench| &wrench["force"]));
        }
        let count = row["points"].as_array().map_or(0, Vec::len);
        assert_eq!((points.len(), forces.len()), (count, count));
        for (index, (point, force)) in points.iter().zip(&forces).enumerate() {
            for (axis, number) in ["x", "y", "z"].iter().zip(0..) {
                assert_eq!(point[axis], row["points"][index][number]);
                assert_eq!(force[axis], row["forces"][index][number]);
            }
        }
    }
    let states = &last(report, "/weight/touch")["states"];
    let state = &states[0];
    assert_eq!(state["collision1_name"], "base_link");
    let total = |name: &str, axis: &str| state["total_wrench"][name][axis].as_f64().unwrap();
    near(total("force", "z"), 2.0 * 9.81, 0.2);
    near(total("force", "x"), 0.0, 0.2);
    near(total("torque", "y"), 0.0, 0.1);
    for normal in state["contact_normals"].as_array().unwrap() {
        near(normal["z"].as_f64().unwrap(), 1.0, 1e-3);
    }
    let points = state["contact_positions"].as_array().unwrap();
    for point in points {
        near(point["z"].as_f64().unwrap(), -0.2, 0.01);
    }
}

/// A rover that faces the side of a red box, whose distance is seven metres, with scanners at its origin and cameras 0.5 m
/// before it.
const VIEWS: &str = r#"Simulation(
    scene: "environments/boxes.robray",
    robots: { "rover": (
        model: "robots/atrv.robray", base: kinematic, at: (rpy: (0, 0, 3.141592653589793)),
        sensors: {
            "near": (kind: "infrared", level: "range", laser_range: 10, mount: (translation: (0, 0, 0.7))),
            "layers": (
                kind: "laser_scanner", frequency: 10, laser_range: 20, layers: 16, layer_separation: 0.03490658503988659,
                layer_offset: 0, mount: (translation: (0, 0, 0.7)),
            ),
            "fan": (kind: "velodyne", frequency: 10, scan_window: 0.5235987755982988, tilt: 0, turn: 0, mount: (translation: (0, 0, 0.7))),
            "depth": (kind: "depth_video_camera", frequency: 5, width: 16, height: 8, mount: (translation: (0.5, 0, 0.7))),
            "kinect": (kind: "kinect", level: "raw", frequency: 5, width: 16, height: 8, mount: (translation: (0.5, 0, 0.7))),
            "turning": (kind: "velodyne_zb", frequency: 5, width: 16, height: 8, rotation: 0, mount: (translation: (0.5, 0, 0.7))),
            "around": (
                kind: "depth_camera_aggregator", frequency: 5, width: 16, height: 8, keep_list: [4], yaws: [-1, 0, 1], far: 10,
                mount: (translation: (0.5, 0, 0.7)),
            ),
        },
    ) },
    middlewares: { "ros": (kind: "ros2") },
)"#;

/// Returns the numbers of the points of a cloud at an offset.
fn column(cloud: &Json, offset: usize) -> Vec<f64> {
    let step = cloud["point_step"].as_u64().unwrap() as usize;
    let data = bytes(cloud);
    let numbers = data.chunks_exact(step).map(|point| {
        let number = point[offset..offset + 4].try_into().unwrap();
        f64::from(f32::from_le_bytes(number))
    });
    numbers.collect()
}

fn bytes(message: &Json) -> Vec<u8> {
    let bytes = message["data"].as_array().unwrap().iter();
    bytes.map(|byte| byte.as_u64().unwrap() as u8).collect()
}

/// Returns the rings of the points of a cloud.
fn rings(cloud: &Json) -> Vec<u16> {
    let fields = cloud["fields"].as_array().unwrap();
    let named = |name: &str| fields.iter().find(|field| field["name"] == name).unwrap();
    assert_eq!(
        (&named("ring")["offset"], &named("ring")["datatype"]),
        (&json!(12), &json!(4))
    );
    assert_eq!(
        (&named("time")["offset"], &named("time")["datatype"]),
        (&json!(16), &json!(7))
    );
    let data = bytes(cloud);
    let rings = data
        .chunks_exact(20)
        .map(|point| u16::from_le_bytes([point[12], point[13]]));
    rings.collect()
}

#[test]
fn ranges_and_clouds_are_those_of_the_scene() {
    let Some(python) = python() else { return };
    let domain = domain();
    let _program = Program::start(VIEWS, domain);
    let cloud = json!(["sensor_msgs/msg/PointCloud2", "sensor_data"]);
    let wanted = json!({ "subscribe": {
        "/rover/near": ["sensor_msgs/msg/Range", "sensor_data"],
        "/rover/layers": cloud, "/rover/fan": cloud, "/rover/turning": cloud, "/rover/around": cloud,
        "/tf_static": ["tf2_msgs/msg/TFMessage", "latched"],
    } });
    let report = run_peer(&python, domain, &wanted);
    let range = last(&report, "/rover/near");
    near(range["range"].as_f64().unwrap(), 7.0, 1e-4);
    near(range["max_range"].as_f64().unwrap(), 10.0, 1e-6);
    near(range["field_of_view"].as_f64().unwrap(), PI / 9.0, 1e-6);
    // Rings are counted from below. A ray straight ahead meets the box at x = 7, unless it passes above it or meets the floor.
    // Layers of a scanner rise by the sine of their angle, rays of a fan by its tangent.
    let fan = |ring: f64| libm::tan((-15.0 + 0.5 * ring) * PI / 180.0);
    let layers = |ring: f64| libm::sin((-15.0 + 2.0 * ring) * PI / 180.0);
    let on_box = |topic: &str, rise: &dyn Fn(f64) -> f64| {
        let cloud = last(&report, topic);
        let [x, y, z, time] = [0, 4, 8, 16].map(|offset| column(cloud, offset));
        assert!(
            time.iter().all(|seconds| *seconds == 0.0),
            "rays of one time"
        );
        let mut met = Vec::new();
        for (index, ring) in rings(cloud).into_iter().enumerate() {
            let height = 7.0 * rise(f64::from(ring));
            if y[index].abs() < 1e-3 && height > -0.7 && height < 1.1 {
                near(x[index], 7.0, 1e-3);
                near(z[index], height, 1e-3);
                met.push(ring);
            }
        }
        met
    };
    assert_eq!(
        on_box("/rover/fan", &fan),
        (19..=47).collect::<Vec<u16>>(),
        "rays that meet the box"
    );
    let mut met = on_box("/rover/layers", &layers);
    met.sort_unstable();
    assert_eq!(met, [5, 6, 7, 8, 9, 10, 11, 12]);
    // Points of cameras are in their optical frame: z is ahead.
    let turning = last(&report, "/rover/turning");
    assert_eq!(turning["header"]["frame_id"], "rover/turning_optical_frame");
    let ahead = column(turning, 8);
    let on_box = |depths: &[f64]| depths.iter().filter(|z| (**z - 6.5).abs() < 1e-3).count();
    assert!(on_box(&ahead) >= 2, "{ahead:?}");
    pixels_without_a_surface_are_no_points(last(&report, "/rover/around"));
    let transforms = last(&report, "/tf_static")["transforms"]
        .as_array()
        .unwrap();
    let mut mounts = transforms.iter();
    let mount = mounts.find(|one| one["child_frame_id"] == "rover/near");
    let mount = mount.expect("the mount of the sensor");
    assert_eq!(mount["header"]["frame_id"], "rover/base_link");
    near(
        mount["transform"]["translation"]["z"].as_f64().unwrap(),
        0.7,
        1e-9,
    );
}

/// Checks the cloud of a camera that keeps the number of its points: pixels that show nothing are not at the camera.
fn pixels_without_a_surface_are_no_points(cloud: &Json) {
    assert_eq!(cloud["width"], 48);
    let [x, y, z] = [0, 4, 8].map(|offset| column(cloud, offset));
    let blank = |index: &usize| {
        [x[*index], y[*index], z[*index]]
            .iter()
            .all(|one| one.is_nan())
    };
    let blanks = (0..48).filter(blank).count();
    let hits = (0..48).filter(|index| z[*index].is_finite()).count();
    assert_eq!(blanks + hits, 48, "{x:?} {y:?} {z:?}");
    // The walls are farther than 10 m; the box is not.
    assert!(blanks > 10 && hits >= 2, "{z:?}");
    assert_eq!(cloud["is_dense"], false);
    let middle = &z[16..32];
    assert!(middle.iter().any(|z| (z - 6.5).abs() < 1e-3), "{z:?}");
    assert!(z.iter().all(|z| z.is_nan() || *z > 0.9), "{z:?}");
}

#[test]
fn calibrations_and_depths_are_those_of_the_cameras() {
    let Some(python) = python() else { return };
    let domain = domain();
    let _program = Program::start(VIEWS, domain);
    let image = json!(["sensor_msgs/msg/Image", "sensor_data"]);
    let wanted = json!({ "subscribe": {
        "/rover/depth/image": image, "/rover/kinect/depth/image": image,
        "/rover/depth/camera_info": ["sensor_msgs/msg/CameraInfo", "sensor_data"],
        "/clock": ["rosgraph_msgs/msg/Clock", "sensor_data"],
    }, "count": 5 });
    let report = run_peer(&python, domain, &wanted);
    let middle = 16 * 4 + 8;
    let depth = last(&report, "/rover/depth/image");
    assert_eq!(
        (&depth["encoding"], &depth["step"]),
        (&json!("32FC1"), &json!(64))
    );
    let metres: [u8; 4] = bytes(depth)[4 * middle..][..4].try_into().unwrap();
    near(f64::from(f32::from_le_bytes(metres)), 6.5, 1e-3);
    // The depth camera of a Kinect is 6 cm before its origin.
    let kinect = last(&report, "/rover/kinect/depth/image");
    assert_eq!(
        (&kinect["encoding"], &kinect["step"]),
        (&json!("16UC1"), &json!(32))
    );
    let millimetres: [u8; 2] = bytes(kinect)[2 * middle..][..2].try_into().unwrap();
    assert!(u16::from_le_bytes(millimetres).abs_diff(6440) <= 1);
    // A focal length of 35 mm behind a chip of 32 mm with 16 columns, and the axis in the middle.
    let info = last(&report, "/rover/depth/camera_info");
    let focal = 0.035 / 0.032 * 16.0;
    assert_eq!(
        info["k"],
        json!([focal, 0.0, 8.0, 0.0, focal, 4.0, 0.0, 0.0, 1.0])
    );
    assert_eq!(
        info["p"],
        json!([
            focal, 0.0, 8.0, 0.0, 0.0, focal, 4.0, 0.0, 0.0, 0.0, 1.0, 0.0
        ])
    );
    assert_eq!(info["d"], json!([0.0, 0.0, 0.0, 0.0, 0.0]));
    assert_eq!(info["header"]["frame_id"], depth["header"]["frame_id"]);
    clock_is_simulated_time(&report, stamp(depth));
}

/// Checks that the times of `/clock` are those of ticks, that they go on, and that the stamp of a message is not after them.
fn clock_is_simulated_time(report: &Json, stamp: i64) {
    let times = messages(report, "/clock").iter().map(|message| {
        let clock = &message["clock"];
        clock["sec"].as_i64().unwrap() * 1_000_000_000 + clock["nanosec"].as_i64().unwrap()
    });
    let times: Vec<i64> = times.collect();
    let ticks = times.windows(2).all(|two| two[1] >= two[0]);
    assert!(ticks, "{times:?}");
    for time in &times {
        // 60 ticks a second.
        let ticks = *time as f64 * 60.0 / 1e9;
        near(ticks, ticks.round(), 1e-3);
    }
    let behind = times.last().unwrap() - stamp;
    assert!(
        (-20_000_000..600_000_000).contains(&behind),
        "{behind} ns between the clock and a message"
    );
}
