//! Rays against definitions, against intersecting every solid, and grouped in different ways.
use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use super::{cast, distance, fan, octahedron, one, sphere_of_directions};
use crate::rays::packet::Packet;
use crate::rays::solid::Solid;
use crate::rays::world::{Fan, ObjectHit, World};

/// Depth of a point inside, from the definition of the shape, in metres or in a measure that grows with it; negative
/// outside.
fn depth(solid: &Solid, point: &Point3<f64>) -> f64 {
    let aside = libm::hypot(point.x, point.y);
    match solid {
        Solid::Box { half } => (0..3)
            .map(|i| half[i] - point[i].abs())
            .fold(f64::INFINITY, f64::min),
        Solid::Sphere { radius } => radius - point.coords.norm(),
        Solid::Cylinder { radius, low, high } => {
            (radius - aside).min(point.z - low).min(high - point.z)
        }
        Solid::Cone {
            start_radius,
            end_radius,
            height,
        } => {
            let radius = start_radius + (end_radius - start_radius) * point.z / height;
            (radius - aside)
                .min(point.z - height.min(0.0))
                .min(height.max(0.0) - point.z)
        }
        Solid::Capsule { radius, low, high } => {
            radius - (point - Point3::new(0.0, 0.0, point.z.clamp(*low, *high))).norm()
        }
        Solid::Mesh { scale, .. } => scale - point.coords.lp_norm(1),
    }
}

pub(super) fn solids() -> impl Strategy<Value = Solid> {
    let length = || 0.05..2.0;
    let mesh = Arc::new(octahedron(2));
    prop_oneof![
        (length(), length(), length()).prop_map(|(x, y, z)| Solid::Box { half: [x, y, z] }),
        length().prop_map(|radius| Solid::Sphere { radius }),
        (length(), length()).prop_map(|(radius, high)| Solid::Cylinder {
            radius,
            low: 0.0,
            high
        }),
        (length(), length(), prop_oneof![length(), -2.0..-0.05]).prop_map(
            |(start_radius, end_radius, height)| Solid::Cone {
                start_radius,
                end_radius,
                height
            }
        ),
        (length(), length()).prop_map(|(start_radius, height)| Solid::Cone {
            start_radius,
            end_radius: 0.0,
            height
        }),
        (length(), length()).prop_map(|(radius, high)| Solid::Capsule {
            radius,
            low: 0.0,
            high
        }),
        length().prop_map(move |scale| Solid::Mesh {
            mesh: mesh.clone(),
            scale
        }),
    ]
}

pub(super) fn vectors(limit: f64) -> impl Strategy<Value = Vector3<f64>> {
    let axis = || prop_oneof![3 => -limit..limit, 1 => Just(0.0)];
    (axis(), axis(), axis()).prop_map(|(x, y, z)| Vector3::new(x, y, z))
}

pub(super) fn poses(limit: f64) -> impl Strategy<Value = Isometry3<f64>> {
    let turns = prop_oneof![Just(Vector3::zeros()), vectors(3.0)];
    (vectors(limit), turns).prop_map(|(at, turn)| {
        Isometry3::from_parts(
            Translation3::from(at),
            UnitQuaternion::from_scaled_axis(turn),
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_hit_is_the_first_change_between_outside_and_inside(
        solid in solids(), pose in poses(3.0), origin in vectors(6.0), direction in vectors(1.0),
    ) {
        prop_assume!(direction.norm() > 0.01);
        let range = distance(&one(solid.clone(), pose), origin.into(), direction.into());
        let depth_at = |distance: f64| depth(&solid, &(pose.inverse() * Point3::from(origin + direction * distance)));
        if range.is_finite() {
            prop_assert!(depth_at(range).abs() < 1e-7, "not on the surface: {}", depth_at(range));
        }
        let begins_inside = depth_at(0.0) > 0.0;
        let end = if range.is_finite() { range } else { 20.0 / direction.norm() };
        for step in 0..200 {
            let depth = depth_at(end * f64::from(step) / 200.0);
            prop_assert!(depth.abs() < 1e-6 || (depth > 0.0) == begins_inside, "step {step}: {depth}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_trees_find_what_asking_everything_finds(
        things in proptest::collection::vec((solids(), poses(15.0), poses(2.0), any::<bool>()), 0..80),
        origin in vectors(20.0), toward in vectors(1.0), spread in 0.0..3.0, count in 1..100_usize,
        max_distance in prop_oneof![0.0..40.0, Just(f64::INFINITY)],
    ) {
        let mut world = World::default();
        for (index, (solid, pose, mount, moves)) in things.iter().enumerate() {
            let body = world.add_body(*pose, *moves);
            world.add(solid.clone(), body, *mount, Some(index as u64 % 5));
        }
        world.refresh();
        for pass in 0..2 {
            let directions: Vec<_> =
                sphere_of_directions(count).iter().map(|direction| toward + direction * spread).collect();
            let fan = Fan { max_distance, without: Some(pass), ..fan(origin.into(), &directions) };
            for (hit, direction) in cast(&world, &fan).iter().zip(&directions) {
                prop_assume!(direction.norm() > 0.0);
                prop_assert_eq!(*hit, world.cast_brute(&fan, direction));
            }
            // Then a little later, and then elsewhere: both refitted and rebuilt trees are used.
            for (body, (_, pose, ..)) in things.iter().enumerate() {
                world.move_body(body, &(*pose * Isometry3::translation(0.0, (body % 7) as f64 * 5.0, 0.3)));
            }
            world.refresh();
        }
    }

    #[test]
    fn a_mesh_and_its_tree_agree(origin in vectors(2.0), direction in vectors(1.0)) {
        let mesh = octahedron(3);
        let packet = || Packet::new(origin.into(), [0, 1, 2].map(|axis| [direction[axis]]), [f64::MAX]);
        prop_assert_eq!(mesh.distances(packet()), mesh.distances_without_tree(&packet()));
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let mut world = World::default();
    for index in 0..200_i32 {
        let body = world.add_body(
            Isometry3::translation(f64::from(index % 14), f64::from(index / 14), 0.0),
            index % 3 == 0,
        );
        let solid = if index % 2 == 0 {
            Solid::Sphere { radius: 0.3 }
        } else {
            Solid::Box { half: [0.3; 3] }
        };
        world.add(
            solid,
            body,
            Isometry3::rotation(Vector3::repeat(f64::from(index))),
            None,
        );
    }
    world.refresh();
    let directions = sphere_of_directions(20_000);
    let fan = fan([6.5, 7.5, 0.1], &directions);
    let alone = cast(&world, &fan);
    assert!(alone.iter().flatten().count() > 2000);
    for threads in [1, 2, 4] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let mut hits = vec![None; directions.len()];
        world.cast_fan(&fan, &mut hits, |hit| hit, Some(&pool));
        let same_bits = |(a, b): (&Option<ObjectHit>, &Option<ObjectHit>)| match (a, b) {
            (Some(a), Some(b)) => {
                a.distance.to_bits() == b.distance.to_bits() && a.object == b.object
            }
            (a, b) => a.is_none() && b.is_none(),
        };
        assert!(alone.iter().zip(&hits).all(same_bits), "{threads} threads");
    }
    // Cast one by one, the results are equal.
    for (direction, expected) in directions.iter().zip(&alone).step_by(17) {
        let single = Fan {
            directions: std::slice::from_ref(direction),
            ..fan
        };
        assert_eq!(cast(&world, &single)[0], *expected);
    }
}
