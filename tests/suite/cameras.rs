//! Cameras against closed forms: pixel coordinates of points, their depths, their names, and the times of frames.
#![cfg(test)]
mod bent;
mod gltf;
mod lighting;
mod painted;

use morse_sim::{
    Simulation,
    sensor::{
        depth_camera::DepthCameraData, depth_camera_aggregator::DepthCameraAggregatorData,
        depth_video_camera::DepthVideoCameraData, kinect::KinectData,
        segmentation_camera::SegmentationCameraData, velodyne_zb::VelodyneZbData,
        video_camera::VideoCameraData,
    },
    simulation::no_extensions,
};
use nalgebra::{Matrix3, Vector3};
use serde_json::json;

/// Walls at x = ±8 and y = ±6, inside; the floor at z = 0; a red ball and a blue block with a top of glass.
const SCENE: &str = r#"
    class wall { shape box; color [0.7, 0.7, 0.6]; }
    class toy { color [0.9, 0.1, 0.1]; }
    frame floor { translation [0, 0, -0.5]; geometry { shape box; dimension [40, 40, 1]; color [0.4, 0.5, 0.4]; } }
    frame east { translation [8.5, 0, 5]; geometry { isa wall; dimension [1, 14, 10]; } }
    frame west { translation [-8.5, 0, 5]; geometry { isa wall; dimension [1, 14, 10]; } }
    frame north { translation [0, 6.5, 5]; geometry { isa wall; dimension [18, 1, 10]; } }
    frame south { translation [0, -6.5, 5]; geometry { isa wall; dimension [18, 1, 10]; } }
    frame ball { translation [4, 1, 1]; geometry { isa toy; shape sphere; radius 0.25; } }
    frame block { translation [5, -1, 0.5]; geometry { shape box; dimension [0.5, 0.5, 1]; color [0.1, 0.2, 0.9]; } }
    frame eye { translation [0, 0, 1]; }
"#;

/// Returns a robot without a body of its own, with these sensors, in the scene.
fn world(sensors: &str) -> Simulation {
    world_with(sensors, "")
}

fn world_with(sensors: &str, rest: &str) -> Simulation {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("scene.robray"), SCENE).unwrap();
    let text = format!(
        r#"Simulation(scene: "scene.robray", {rest}
            robots: {{ "r": (frame: "eye", base: kinematic, sensors: {{ {sensors} }}) }})"#
    );
    Simulation::parse(&text, folder.path(), &no_extensions)
        .unwrap_or_else(|error| panic!("{error}"))
}

fn points(values: &[f32]) -> Vec<Vector3<f64>> {
    let points = values.as_chunks::<3>().0.iter();
    points
        .map(|point| Vector3::from(point.map(f64::from)))
        .collect()
}

/// Converts points of a camera that looks along x from (0, 0, 1) to the world.
fn in_world(camera: Vector3<f64>) -> Vector3<f64> {
    Vector3::new(camera.z, -camera.x, 1.0 - camera.y)
}

/// Returns the distance of a point from the surfaces of the scene, m.
fn off(at: &Vector3<f64>) -> f64 {
    let ball = ((at - Vector3::new(4.0, 1.0, 1.0)).norm() - 0.25).abs();
    let block = (at - Vector3::new(5.0, -1.0, 0.5)).abs() - Vector3::new(0.25, 0.25, 0.5);
    let block = (block.sup(&Vector3::zeros()).norm() + block.max().min(0.0)).abs();
    let walls = (8.0 - at.x.abs())
        .abs()
        .min((6.0 - at.y.abs()).abs())
        .min(at.z.abs());
    walls.min(ball).min(block)
}

#[test]
fn points_lie_on_what_is_seen() {
    let mut simulation = world(r#""depth": (kind: "depth_camera", near: 0.5)"#);
    simulation.step().unwrap();
    let data = simulation.read::<DepthCameraData>("r.depth").unwrap();
    assert_eq!(
        (data.width, data.height, data.nb_points),
        (256, 256, 256 * 256)
    );
    let points = points(data.points.values());
    assert_eq!(points.len(), 256 * 256, "a closed room");
    let worst = points
        .iter()
        .map(|point| off(&in_world(*point)))
        .fold(0.0, f64::max);
    assert!(worst < 1e-4, "{worst} m");
    // The wall is straight ahead; the rest follows from the matrix, line by line from the bottom.
    let lens = Matrix3::from_row_slice(data.intrinsic_matrix.as_flattened());
    for (number, point) in points.iter().enumerate() {
        let pixel = lens * point / point.z;
        let expected = ((number % 256) as f64, 255.0 - (number / 256) as f64);
        assert!((pixel.x - expected.0).abs() < 1e-3 && (pixel.y - expected.1).abs() < 1e-3);
    }
    assert!((points[127 * 256 + 128] - Vector3::new(0.0, 0.0, 8.0)).norm() < 1e-5);
}

#[test]
fn lines_are_kept_and_blanks_filled() {
    let all = r#""all": (kind: "depth_camera", near: 0.5, far: 5),
        "some": (kind: "depth_camera", near: 0.5, far: 5, keep_list: [1, 128, 256]),
        "full": (kind: "depth_camera", near: 0.5, far: 5, keep_resolution: true),
        "ros": (kind: "depth_camera", near: 0.5, far: 5, keep_resolution: true, ros: true, vertical_flip: true)"#;
    let mut simulation = world(all);
    simulation.step().unwrap();
    let read = |name: &str| simulation.read::<DepthCameraData>(name).unwrap().clone();
    let (full, ros) = (read("r.full"), read("r.ros"));
    assert_eq!((full.nb_points, ros.nb_points), (256 * 256, 256 * 256));
    let full = points(full.points.values());
    let seen: Vec<_> = full.iter().filter(|point| point.z > 0.0).copied().collect();
    assert_eq!(seen, points(read("r.all").points.values()));
    assert!(seen.len() > 5000 && seen.len() < 60_000, "{}", seen.len());
    let lines = [0, 127, 255]
        .map(|line| &full[line * 256..(line + 1) * 256])
        .concat();
    let lines: Vec<_> = lines.into_iter().filter(|point| point.z > 0.0).collect();
    assert_eq!(lines, points(read("r.some").points.values()));
    let ros = points(ros.points.values());
    for (line, other) in ros.chunks(256).zip(full.rchunks(256)) {
        for (one, other) in line.iter().zip(other) {
            assert!(one == other || one.x.is_nan() && one.z.is_nan() && other.z == 0.0);
        }
    }
}

#[test]
fn pictures_of_depths_have_three_conventions() {
    let camera = |name: &str, values: &str| {
        format!(
            r#""{name}": (kind: "depth_video_camera", near: 4.5, far: 7.9, values: {values}, vertical_flip: true)"#
        )
    };
    let cameras = [
        camera("morse", "depth"),
        camera("ros", "ros"),
        camera("z", "zbuffer"),
    ];
    let mut simulation = world(&cameras.join(", "));
    simulation.step().unwrap();
    let value = |name: &str, u: usize, v: usize| {
        let data = simulation.read::<DepthVideoCameraData>(name).unwrap();
        f64::from(data.image.values()[v * 256 + u])
    };
    // The ball (u = 128 − 280 / 4), the block, and the wall beyond `far`.
    let pixels = [(58, 128), (184, 156), (128, 128)];
    let [ball, block, sky] = pixels.map(|(u, v)| value("r.ros", u, v));
    assert_eq!((ball, sky), (f64::NEG_INFINITY, f64::INFINITY));
    assert!((block - 4.75).abs() < 1e-4, "{block}");
    let [ball, block, sky] = pixels.map(|(u, v)| value("r.morse", u, v));
    // The ball is clipped at `near`: the wall behind it is beyond `far`.
    assert!((ball, sky) == (f64::from(7.9_f32), f64::from(7.9_f32)) && (block - 4.75).abs() < 1e-4);
    let expected = (1.0 / 4.5 - 1.0 / 4.75) / (1.0 / 4.5 - 1.0 / 7.9);
    assert!((value("r.z", 184, 156) - expected).abs() < 1e-5);
    assert_eq!(value("r.z", 128, 128), 1.0);
}

#[test]
fn raw_depths_are_millimetres() {
    let mut simulation = world(
        r#""raw": (kind: "depth_video_camera", level: raw, near: 4.5, far: 7.9, vertical_flip: true),
           "kinect": (kind: "kinect", level: raw, width: 64, height: 64, depth_at: (0, -1, -0.5))"#,
    );
    simulation.step().unwrap();
    let data = simulation.read::<DepthVideoCameraData>("r.raw").unwrap();
    assert!(data.image.values().is_empty());
    let value = |u: usize, v: usize| data.raw.values()[v * 256 + u];
    // The ball is nearer than `near`, the wall beyond `far`; the block is 4.75 m away.
    assert_eq!(
        (value(58, 128), value(128, 128), value(184, 156)),
        (0, 0, 4750)
    );
    let kinect = simulation.read::<KinectData>("r.kinect").unwrap();
    assert!(kinect.depth.values().is_empty());
    assert_eq!(kinect.raw.values()[32 * 64 + 32], 4750);
}

#[test]
fn a_picture_shows_things_where_they_are() {
    let mut simulation = world(
        r#""video": (kind: "video_camera", level: rgbd),
           "upside": (kind: "video_camera", vertical_flip: false)"#,
    );
    simulation.step().unwrap();
    let data = simulation.read::<VideoCameraData>("r.video").unwrap();
    assert_eq!(
        data.intrinsic_matrix,
        [[280.0, 0.0, 128.0], [0.0, 280.0, 128.0], [0.0, 0.0, 1.0]]
    );
    assert_eq!(data.image.values().len(), 4 * 256 * 256);
    let pixels = data.image.values().as_chunks::<4>().0;
    let (mut sum, mut count) = ([0.0; 2], 0.0);
    for (index, [red, green, _, alpha]) in pixels.iter().enumerate() {
        assert_eq!(*alpha, 255);
        if *red / 2 > *green {
            sum = [sum[0] + (index % 256) as f64, sum[1] + (index / 256) as f64];
            count += 1.0;
        }
    }
    // The outline of a ball is a little wider than its radius, and its middle a little farther out.
    assert!(count > 900.0 && count < 1200.0, "{count}");
    let (u, v) = (sum[0] / count, sum[1] / count);
    assert!(
        (u - (128.0 - 280.0 / 4.0)).abs() < 0.5 && (v - 128.0).abs() < 0.5,
        "{u} {v}"
    );
    let depth = data.depth.values()[128 * 256 + 58];
    assert!((depth - 3.7575).abs() < 0.02, "{depth}");
    let upside = simulation.read::<VideoCameraData>("r.upside").unwrap();
    assert!(upside.depth.values().is_empty());
    let rows = data
        .image
        .values()
        .chunks(1024)
        .zip(upside.image.values().rchunks(1024));
    assert!(rows.into_iter().all(|(one, other)| one == other));
}

#[test]
fn pixels_have_names() {
    let cameras = r#""all": (kind: "segmentation_camera"),
        "toys": (kind: "segmentation_camera", classes: ["toy", "Furniture"])"#;
    let mut simulation = world_with(cameras, r#"objects: { "block": (type: "Furniture") },"#);
    simulation.step().unwrap();
    let data = simulation.read::<SegmentationCameraData>("r.all").unwrap();
    let name = |numbers: &[u16], names: &[String], (u, v): (usize, usize)| {
        let number = usize::from(numbers[v * 256 + u]);
        number
            .checked_sub(1)
            .map_or_else(String::new, |index| names[index].clone())
    };
    let instance = |pixel| name(data.instances.values(), &data.instance_names, pixel);
    let class = |pixel| name(data.classes.values(), &data.class_names, pixel);
    for (pixel, expected) in [
        ((58, 128), ("ball", "toy")),
        ((184, 156), ("block", "Furniture")),
        ((128, 100), ("east", "wall")),
        ((128, 255), ("floor", "")),
    ] {
        assert_eq!(
            (instance(pixel).as_str(), class(pixel).as_str()),
            expected,
            "{pixel:?}"
        );
    }
    assert_eq!(data.class_names, ["Furniture", "toy", "wall"]);
    let toys = simulation.read::<SegmentationCameraData>("r.toys").unwrap();
    assert_eq!(toys.class_names, ["toy", "Furniture"]);
    let classes: std::collections::BTreeSet<u16> = toys.classes.values().iter().copied().collect();
    assert_eq!(classes.into_iter().collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn cameras_turn_with_their_mounts() {
    let camera = |name: &str, rpy: &str| {
        format!(r#""{name}": (kind: "video_camera", level: rgbd, mount: (rpy: ({rpy})))"#)
    };
    let cameras = [
        camera("left", "0, 0, 1.5707963267948966"),
        camera("down", "0, 1.5707963267948966, 0"),
        camera("back", "0, 0, 3.141592653589793"),
    ];
    let mut simulation = world(&cameras.join(", "));
    simulation.step().unwrap();
    for (name, expected) in [("r.left", 6.0), ("r.down", 1.0), ("r.back", 8.0)] {
        let data = simulation.read::<VideoCameraData>(name).unwrap();
        let depth = data.depth.values()[128 * 256 + 128];
        assert!((depth - expected).abs() < 1e-4, "{name}: {depth}");
    }
}

#[test]
fn a_kinect_sees_from_two_positions() {
    let mut simulation =
        world(r#""kinect": (kind: "kinect", rgb_at: (0, 1, 0), depth_at: (0, -1, -0.5))"#);
    simulation.step().unwrap();
    let data = simulation.read::<KinectData>("r.kinect").unwrap();
    assert_eq!((data.width, data.height), (128, 128));
    // The camera is in front of the ball, the depth camera in front of the block.
    let [red, green, _, _] = data.image.values().as_chunks::<4>().0[64 * 128 + 64];
    assert!(red / 2 > green, "{red} {green}");
    let depth = data.depth.values()[64 * 128 + 64];
    assert!((depth - 4.75).abs() < 1e-5, "{depth}");
}

#[test]
fn a_turning_camera_sees_all_around() {
    // Four frames of 90°.
    let mut simulation =
        world(r#""all": (kind: "velodyne_zb", near: 0.1, fov: 1.5707963267948966, frequency: 60)"#);
    let mut seen = [false; 36];
    for _ in 0..4 {
        simulation.step().unwrap();
        let data = simulation.read::<VelodyneZbData>("r.all").unwrap();
        assert_eq!(data.nb_points, 256 * 256);
        for point in points(data.points.values()) {
            let at = in_world(point);
            assert!(off(&at) < 1e-4, "{at}");
            let bearing = libm::atan2(at.y, at.x).to_degrees().rem_euclid(360.0);
            seen[(bearing / 10.0) as usize % 36] = true;
        }
    }
    assert_eq!(seen, [true; 36]);
}

#[test]
fn three_cameras_make_one_cloud() {
    let mut simulation = world(r#""vlp": (kind: "depth_camera_aggregator", near: 0.1)"#);
    simulation.step().unwrap();
    let data = simulation
        .read::<DepthCameraAggregatorData>("r.vlp")
        .unwrap();
    assert_eq!(data.nb_points, 3 * 16 * 512);
    let cloud = points(data.points.values());
    let worst = cloud
        .iter()
        .map(|point| off(&in_world(*point)))
        .fold(0.0, f64::max);
    assert!(worst < 1e-4, "{worst}");
    let bearing = |point: &Vector3<f64>| {
        let at = in_world(*point);
        libm::atan2(at.y, at.x).to_degrees()
    };
    let (right, left) = cloud
        .iter()
        .map(bearing)
        .fold((0.0, 0.0), |(low, high), angle| {
            (f64::min(low, angle), f64::max(high, angle))
        });
    assert!(
        (-91.0..=-89.0).contains(&right) && (89.0..=91.0).contains(&left),
        "{right} {left}"
    );
}

fn due(simulation: &mut Simulation, path: &str, ticks: u32) -> u32 {
    let observer = simulation
        .observe(path, morse_api::port::Policy::Queue(1000))
        .unwrap();
    observer.stay_ready();
    simulation.run(u64::from(ticks)).unwrap();
    std::iter::from_fn(|| observer.try_recv())
        .map(drop)
        .fold(0, |count, ()| count + 1)
}

#[test]
fn frames_are_taken_on_request() {
    let mut simulation = world(
        r#""video": (kind: "video_camera", width: 16, height: 16),
           "blind": (kind: "video_camera", width: 16, height: 16, capturing: false)"#,
    );
    assert_eq!(
        due(&mut simulation, "r.video", 60),
        20,
        "20 a second without end"
    );
    assert_eq!(due(&mut simulation, "r.blind", 60), 0);
    let call = simulation.call("r.video", "capture", &json!([3]));
    assert_eq!(due(&mut simulation, "r.video", 60), 3);
    assert_eq!(
        call.reply().unwrap().status,
        morse_api::service::Status::Success
    );
    assert_eq!(
        due(&mut simulation, "r.video", 60),
        0,
        "it waits for the next request"
    );
    let first = simulation.call("r.video", "capture", &json!([1000]));
    let second = simulation.call("r.video", "capture", &json!([2]));
    assert_eq!(
        second.reply().unwrap().error,
        Some(morse_api::service::ServiceError::Busy {
            component: "r.video".to_owned(),
            service: "capture".to_owned(),
        })
    );
    assert_eq!(due(&mut simulation, "r.video", 60), 20);
    simulation.cancel(&first);
    assert_eq!(
        first.reply().unwrap().status,
        morse_api::service::Status::Preempted
    );
    let third = simulation.call("r.video", "capture", &json!([2]));
    assert_eq!(due(&mut simulation, "r.video", 60), 2);
    assert_eq!(
        third.reply().unwrap().status,
        morse_api::service::Status::Success
    );
    let endless = simulation.call("r.video", "capture", &json!([-1]));
    assert_eq!(due(&mut simulation, "r.video", 60), 20);
    assert!(endless.reply().is_none());
    simulation.cancel(&endless);
    assert_eq!(
        endless.reply().unwrap().status,
        morse_api::service::Status::Preempted
    );
    assert_eq!(due(&mut simulation, "r.video", 60), 0);
}

#[test]
fn a_stereo_unit_captures_with_all_its_cameras() {
    let mut simulation = world(
        r#""left": (kind: "video_camera", width: 8, height: 8),
           "right": (kind: "video_camera", width: 8, height: 8, frequency: 10),
           "unit": (kind: "stereo_unit", cameras: ["left", "r.right"])"#,
    );
    simulation.step().unwrap();
    let call = simulation.call("r.unit", "capture", &json!([2]));
    simulation.run(8).unwrap();
    assert!(call.reply().is_none(), "the right one has taken one");
    simulation.run(12).unwrap();
    assert_eq!(
        call.reply().unwrap().status,
        morse_api::service::Status::Success
    );
    assert_eq!(due(&mut simulation, "r.left", 60), 0);
    let call = simulation.call("r.unit", "capture", &json!([5000]));
    simulation.cancel(&call);
    assert_eq!(
        call.reply().unwrap().status,
        morse_api::service::Status::Preempted
    );
    assert_eq!(due(&mut simulation, "r.right", 60), 0);
    // A camera that is busy with another request keeps it, and so do the others.
    let own = simulation.call("r.right", "capture", &json!([1000]));
    let refused = simulation.call("r.unit", "capture", &json!([1])).reply();
    let why = refused.unwrap().value.to_string();
    assert!(
        why.contains("A service (capture of `r.right`) is already running"),
        "{why}"
    );
    assert_eq!(due(&mut simulation, "r.left", 60), 0);
    assert_eq!(due(&mut simulation, "r.right", 60), 10);
    assert!(own.reply().is_none());
}

#[test]
fn images_are_state() {
    let build = || {
        let mut simulation = world(
            r#""video": (kind: "video_camera", level: rgbd, width: 64, height: 48,
                    modifiers: [(kind: "image_noise"), (kind: "salt_and_pepper")]),
               "depth": (kind: "velodyne_zb", width: 64, height: 48, modifiers: [(kind: "depth_noise")])"#,
        );
        simulation.hash_every_tick();
        simulation
    };
    let (mut one, mut other) = (build(), build());
    one.run(10).unwrap();
    let snapshot = one.snapshot().unwrap();
    one.run(10).unwrap();
    other.run(20).unwrap();
    assert_eq!(one.state_hash(), other.state_hash());
    other.restore(&snapshot).unwrap();
    other.run(10).unwrap();
    assert_eq!(one.state_hash(), other.state_hash());
    let image = |simulation: &Simulation| {
        simulation
            .read::<VideoCameraData>("r.video")
            .unwrap()
            .image
            .clone()
    };
    assert_eq!(image(&one), image(&other));
}
