//! Lens distortion of cameras: the reported coefficients, and the pixel coordinates of points.
use morse_sim::{
    Simulation,
    sensor::{
        depth_camera::DepthCameraData, segmentation_camera::SegmentationCameraData,
        video_camera::VideoCameraData,
    },
    simulation::no_extensions,
};
use nalgebra::Vector3;

use super::{in_world, off, points, world};

/// k1, k2, p1, p2 and k3.
const LENS: [f64; 5] = [-0.25, 0.06, 0.001, -0.002, 0.001];

const SETTINGS: &str =
    "width: 64, height: 48, fov: 1.5, near: 0.1, distortion: (-0.25, 0.06, 0.001, -0.002, 0.001)";

#[test]
fn points_of_a_bent_lens_lie_on_what_is_seen() {
    let mut simulation = world(&format!(r#""depth": (kind: "depth_camera", {SETTINGS})"#));
    simulation.step().unwrap();
    let data = simulation.read::<DepthCameraData>("r.depth").unwrap();
    assert_eq!(data.distortion, LENS);
    let points = points(data.points.values());
    assert_eq!(points.len(), 64 * 48, "a closed room");
    let [k1, k2, p1, p2, k3] = LENS;
    let [[focal, _, center_u], [_, _, center_v], _] = data.intrinsic_matrix;
    for (number, point) in points.iter().enumerate() {
        assert!(off(&in_world(*point)) < 1e-4, "{point}");
        // By the formula of the lens, each point is in its own pixel: line by line from the bottom.
        let (x, y) = (point.x / point.z, point.y / point.z);
        let r2 = x * x + y * y;
        let radial = 1.0 + k1 * r2 + k2 * r2 * r2 + k3 * r2 * r2 * r2;
        let u = center_u + focal * (x * radial + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x));
        let v = center_v + focal * (y * radial + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y);
        let expected = ((number % 64) as f64, 47.0 - (number / 64) as f64);
        assert!(
            (u - expected.0).abs() < 1e-3 && (v - expected.1).abs() < 1e-3,
            "{u} {v}"
        );
    }
    // The viewing direction of the corner is farther from the axis than that of an ideal lens.
    let aside = |point: &Vector3<f64>| point.xy().norm() / point.z;
    let ideal = libm::hypot(32.0, 24.0) / focal;
    assert!(
        aside(&points[47 * 64]) > 1.1 * ideal,
        "{}",
        aside(&points[47 * 64])
    );
}

#[test]
fn all_cameras_see_through_the_same_lens() {
    let mut simulation = world(&format!(
        r#""video": (kind: "video_camera", level: rgbd, {SETTINGS}),
           "names": (kind: "segmentation_camera", {SETTINGS})"#
    ));
    simulation.step().unwrap();
    let video = simulation.read::<VideoCameraData>("r.video").unwrap();
    let names = simulation
        .read::<SegmentationCameraData>("r.names")
        .unwrap();
    assert_eq!((video.distortion, names.distortion), (LENS, LENS));
    let toy = names.class_names.iter().position(|name| name == "toy");
    let toy = u16::try_from(toy.unwrap() + 1).unwrap();
    let pixels = video.image.values().as_chunks::<4>().0;
    let mut count = 0;
    for ((class, [red, green, ..]), depth) in names
        .classes
        .values()
        .iter()
        .zip(pixels)
        .zip(video.depth.values())
    {
        if *class == toy {
            assert!(
                red / 2 > *green && (3.7..4.1).contains(depth),
                "{red} {green} {depth}"
            );
            count += 1;
        }
    }
    assert!(count > 10, "{count}");
}

#[test]
fn a_lens_that_folds_the_picture_is_refused() {
    let text = r#"Simulation(robots: { "r": (model: "robots/atrv.robray", sensors: {
        "video": (kind: "video_camera", fov: 2.2, distortion: (-0.3, 0, 0, 0, 0)) }) })"#;
    let refused = Simulation::parse(text, ".", &no_extensions)
        .map(drop)
        .unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("`distortion`: a lens with these coefficients folds"),
        "{refused}"
    );
}
