//! Planar scans against intersecting every solid with every ray.
use std::f64::consts::TAU;

use morse_api::rays::{PlanarFan, ScanBuffer};
use nalgebra::{Isometry3, Quaternion, UnitQuaternion, Vector3};
use proptest::prelude::*;

use super::agreement::{poses, solids, vectors};
use crate::rays::scan::Scan;
use crate::rays::solid::Solid;
use crate::rays::world::{Fan, ObjectHit, World};

/// Rays from one angle over some window.
fn rays(from: f64, window: f64, count: usize) -> Vec<Vector3<f64>> {
    let ray = |index: usize| {
        let (sine, cosine) = libm::sincos(from + window * index as f64 / count as f64);
        Vector3::new(cosine, sine, 0.0)
    };
    (0..count).map(ray).collect()
}

fn scan(world: &World, rays: &[Vector3<f64>], scan: &ScanOf) -> Vec<Option<ObjectHit>> {
    let fan = PlanarFan::new(rays).unwrap();
    let mut hits = vec![None; rays.len()];
    let scan = Scan {
        fan: &fan,
        world_from_scanner: &scan.pose,
        max_distance: scan.max_distance,
        without: scan.without,
    };
    world.scan(&scan, &mut ScanBuffer::default(), &mut hits, |hit| hit);
    hits
}

struct ScanOf {
    pose: Isometry3<f64>,
    max_distance: f64,
    without: Option<u64>,
}

impl ScanOf {
    fn from(pose: Isometry3<f64>) -> Self {
        Self {
            pose,
            max_distance: 30.0,
            without: None,
        }
    }
}

/// Errors of a scan, ray by ray.
fn wrong(world: &World, rays: &[Vector3<f64>], from: &ScanOf) -> Vec<String> {
    let hits = scan(world, rays, from);
    let wrong = |(index, ray): (usize, &Vector3<f64>)| {
        // As in scanners: on a surface, and along an edge, the last bit decides.
        let direction = from.pose.rotation.to_rotation_matrix() * ray;
        let fan = Fan {
            origin: from.pose.translation.vector.into(),
            directions: &[direction],
            max_distance: from.max_distance,
            without: from.without,
        };
        let exact = world.cast_brute(&fan, &direction);
        let same = match (hits[index], exact) {
            (None, None) => true,
            (Some(hit), Some(exact)) => {
                (hit.distance - exact.distance).abs() < 1e-6 && hit.object == exact.object
            }
            _ => false,
        };
        (!same).then(|| format!("ray {index}: {:?} instead of {exact:?}", hits[index]))
    };
    rays.iter().enumerate().filter_map(wrong).collect()
}

/// Poses upright and tilted, some of them on a grid of whole metres, where objects touch and rays hit edges.
fn scanners() -> impl Strategy<Value = Isometry3<f64>> {
    let whole = (-5..5_i32, -5..5_i32, -2..2_i32, -4..4_i32).prop_map(|(x, y, z, quarter)| {
        let at = Vector3::new(f64::from(x), f64::from(y), f64::from(z) / 2.0);
        Isometry3::new(at, Vector3::z() * (TAU / 8.0 * f64::from(quarter)))
    });
    let upright =
        (vectors(6.0), -3.2..3.2).prop_map(|(at, yaw)| Isometry3::new(at, Vector3::z() * yaw));
    let tilted_a_little =
        (vectors(6.0), vectors(0.01)).prop_map(|(at, turn)| Isometry3::new(at, turn));
    prop_oneof![whole, upright, tilted_a_little, poses(6.0)]
}

/// Solids at whole metres and half metres: touching, overlapping, nested.
fn blocks() -> impl Strategy<Value = (Solid, Isometry3<f64>)> {
    let size = || (1..4_i32).prop_map(|half| f64::from(half) * 0.5);
    let solid = prop_oneof![
        3 => (size(), size(), size()).prop_map(|(x, y, z)| Solid::Box { half: [x, y, z] }),
        1 => size().prop_map(|radius| Solid::Sphere { radius }),
        2 => (size(), size()).prop_map(|(radius, high)| Solid::Cylinder { radius, low: 0.0, high }),
        1 => (size(), size()).prop_map(|(radius, high)| Solid::Capsule { radius, low: 0.0, high }),
    ];
    let turn = prop_oneof![
        4 => Just(Vector3::zeros()),
        1 => Just(Vector3::z() * (TAU / 8.0)),
        1 => Just(Vector3::x() * (TAU / 8.0)),
        1 => Just(Vector3::y() * (TAU / 4.0)),
    ];
    let pose = (-8..8_i32, -8..8_i32, -2..2_i32, turn).prop_map(|(x, y, z, turn)| {
        Isometry3::new(Vector3::new(x.into(), y.into(), z.into()) * 0.5, turn)
    });
    (solid, pose)
}

/// Upright boxes, spheres and cylinders, as in robots and buildings, some of them flat.
fn things() -> impl Strategy<Value = (Solid, Isometry3<f64>)> {
    let length = || prop_oneof![5 => 0.05..2.0, 1 => Just(0.0), 1 => 1e-6..1e-3];
    let solid = prop_oneof![
        2 => (length(), length(), length()).prop_map(|(x, y, z)| Solid::Box { half: [x, y, z] }),
        1 => length().prop_map(|radius| Solid::Sphere { radius }),
        2 => (length(), length()).prop_map(|(radius, high)| Solid::Cylinder { radius, low: -high, high }),
    ];
    let pose = (vectors(8.0), vectors(0.02), -3.2..3.2).prop_map(|(at, tilt, yaw)| {
        let turn = Isometry3::rotation(tilt) * Isometry3::rotation(Vector3::z() * yaw);
        Isometry3::translation(at.x, at.y, at.z / 8.0) * turn
    });
    (solid, pose)
}

/// Upright walls, whose surrounding boxes are far greater.
fn walls() -> impl Strategy<Value = (Solid, Isometry3<f64>)> {
    let solid = (2.0..30.0, 0.01..0.2).prop_map(|(half, thin)| Solid::Box {
        half: [half, thin, 1.0],
    });
    let pose = (vectors(8.0), -3.2..3.2)
        .prop_map(|(at, yaw)| Isometry3::new(Vector3::new(at.x, at.y, 0.0), Vector3::z() * yaw));
    (solid, pose)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_scan_finds_what_single_rays_find(
        all in proptest::collection::vec(
            (prop_oneof![(solids(), poses(8.0)), blocks(), things(), things(), walls()], any::<bool>()), 0..60,
        ),
        pose in scanners(), from in -3.2..3.2, window in 0.5..TAU, count in 80..400_usize,
        max_distance in prop_oneof![0.5..40.0, Just(f64::INFINITY)],
        without in prop_oneof![Just(None), Just(Some(1))],
    ) {
        let mut world = World::default();
        for (index, ((solid, pose), moves)) in all.iter().enumerate() {
            let body = world.add_body(*pose, *moves);
            world.add(solid.clone(), body, Isometry3::identity(), Some(index as u64 % 3));
        }
        world.refresh();
        let from_pose = ScanOf { pose, max_distance, without };
        prop_assert_eq!(wrong(&world, &rays(from, window, count), &from_pose), Vec::<String>::new());
    }

    #[test]
    fn a_scan_of_whole_degrees_finds_what_is_met_at_corners(
        all in proptest::collection::vec(blocks(), 0..40), pose in scanners(),
    ) {
        let mut world = World::default();
        for (solid, pose) in all {
            let body = world.add_body(pose, true);
            world.add(solid, body, Isometry3::identity(), None);
        }
        world.refresh();
        prop_assert_eq!(wrong(&world, &rays(-TAU / 2.0, TAU, 360), &ScanOf::from(pose)), Vec::<String>::new());
    }
}

/// Distances of an ellipse, of a rectangle and of a circle, computed by hand.
#[test]
fn the_plane_cuts_ellipses_circles_and_polygons() {
    let one = |solid: Solid, pose: Isometry3<f64>| super::one(solid, pose);
    let ahead = |world: &World, pose: Isometry3<f64>| {
        scan(world, &rays(0.0, TAU, 360), &ScanOf::from(pose))[0].map(|hit| hit.distance)
    };
    let at = |x: f64| Isometry3::translation(x, 0.0, 0.0);
    let tube = Solid::Cylinder {
        radius: 1.0,
        low: -9.0,
        high: 9.0,
    };
    let lean = Isometry3::rotation(Vector3::y() * TAU / 8.0);
    let near = |actual: Option<f64>, expected: f64| {
        assert!((actual.unwrap() - expected).abs() < 1e-12, "{actual:?}");
    };
    // The ellipse is longer by the square root of 2.
    near(
        ahead(&one(tube, at(5.0) * lean), Isometry3::identity()),
        5.0 - std::f64::consts::SQRT_2,
    );
    near(
        ahead(
            &one(
                Solid::Sphere { radius: 1.0 },
                Isometry3::translation(5.0, 0.0, 0.6),
            ),
            Isometry3::identity(),
        ),
        4.2,
    );
    near(
        ahead(
            &one(Solid::Box { half: [1.0; 3] }, at(5.0)),
            Isometry3::identity(),
        ),
        4.0,
    );
    // From within.
    near(
        ahead(
            &one(Solid::Box { half: [1.0; 3] }, Isometry3::identity()),
            at(0.25),
        ),
        0.75,
    );
}

#[test]
fn a_scan_meets_nothing_where_it_is_told_no_sound_pose() {
    let world = super::one(Solid::Sphere { radius: 1.0 }, Isometry3::identity());
    let nowhere = Isometry3::translation(f64::NAN, 0.0, 0.0);
    assert!(
        scan(&world, &rays(0.0, TAU, 120), &ScanOf::from(nowhere))
            .iter()
            .all(Option::is_none)
    );
}

/// Rounding of the scanner's position decides whether it sees a line or a point on which it stands.
#[test]
fn a_scan_from_on_a_line_finds_what_single_rays_find() {
    let line = Solid::Cylinder {
        radius: 0.0,
        low: -1.3156910157598194,
        high: 1.3156910157598194,
    };
    let rotation = [0.0, 0.0, 0.9448037437531952, 0.3276368199545749];
    let turn = UnitQuaternion::new_normalize(Quaternion::from_vector(rotation.into()));
    let world = super::one(line, Isometry3::from_parts(Vector3::zeros().into(), turn));
    let from = ScanOf::from(Isometry3::translation(0.0, 0.0, 0.280916903623915));
    assert_eq!(wrong(&world, &rays(0.0, 0.5, 90), &from), [""; 0]);
}
