//! Rays against closed forms.
use std::sync::Arc;

use nalgebra::{Isometry3, Vector3};

use super::{assert_near, cast, distance, fan, octahedron, one, sphere_of_directions};
use crate::rays::mesh::Mesh;
use crate::rays::solid::Solid;
use crate::rays::world::{Fan, World};

#[test]
fn a_box_is_centred() {
    let world = one(
        Solid::Box {
            half: [1.0, 2.0, 3.0],
        },
        Isometry3::identity(),
    );
    assert_near(distance(&world, [-5.0, 0.0, 0.0], [1.0, 0.0, 0.0]), 4.0);
    assert_near(distance(&world, [0.5, 1.0, 9.0], [0.0, 0.0, -2.0]), 3.0);
    assert_near(
        distance(&world, [-5.0, 2.1, 0.0], [1.0, 0.0, 0.0]),
        f64::INFINITY,
    );
    assert_near(
        distance(&world, [-5.0, 0.0, 0.0], [-1.0, 0.0, 0.0]),
        f64::INFINITY,
    );
    assert_near(distance(&world, [-3.0, 0.0, 0.0], [1.0, 1.0, 0.0]), 2.0);
}

#[test]
fn a_ray_that_begins_inside_meets_the_surface_from_within() {
    let inside = [0.2, 0.0, 0.5];
    let round = |solid| distance(&one(solid, Isometry3::identity()), inside, [1.0, 0.0, 0.0]);
    assert_near(round(Solid::Box { half: [1.0; 3] }), 0.8);
    assert_near(
        round(Solid::Cylinder {
            radius: 1.0,
            low: 0.0,
            high: 2.0,
        }),
        0.8,
    );
    assert_near(round(Solid::Sphere { radius: 1.0 }), 0.75_f64.sqrt() - 0.2);
    assert_near(
        round(Solid::Capsule {
            radius: 1.0,
            low: 0.0,
            high: 2.0,
        }),
        0.8,
    );
    assert_near(
        round(Solid::Cone {
            start_radius: 1.0,
            end_radius: 0.0,
            height: 2.0,
        }),
        0.75 - 0.2,
    );
}

#[test]
fn a_cylinder_is_met_exactly_also_from_far_away() {
    let radius = 0.15;
    let world = one(
        Solid::Cylinder {
            radius,
            low: 0.0,
            high: 0.3,
        },
        Isometry3::identity(),
    );
    // Past the axis at `aside`: the half chord is √(r² − aside²).
    for aside in [0.0, 0.05, 0.1, 0.149, 0.1499999, 0.15 - 1e-12] {
        let expected = 100.0 - (radius * radius - aside * aside).sqrt();
        let range = distance(&world, [-100.0, aside, 0.2], [1.0, 0.0, 0.0]);
        assert!(
            (range - expected).abs() < 1e-8,
            "{aside}: {range}, not {expected}"
        );
    }
    assert_near(
        distance(&world, [-100.0, 0.1500001, 0.2], [1.0, 0.0, 0.0]),
        f64::INFINITY,
    );
    assert_near(
        distance(&world, [-100.0, 0.0, 0.31], [1.0, 0.0, 0.0]),
        f64::INFINITY,
    );
    assert_near(distance(&world, [0.1, 0.0, 5.0], [0.0, 0.0, -1.0]), 4.7);
    assert_near(distance(&world, [0.1, 0.0, -5.0], [0.0, 0.0, 1.0]), 5.0);
    assert_near(
        distance(&world, [0.2, 0.0, 5.0], [0.0, 0.0, -1.0]),
        f64::INFINITY,
    );
}

#[test]
fn a_cone_has_flanks_and_two_ends() {
    let world = one(
        Solid::Cone {
            start_radius: 2.0,
            end_radius: 1.0,
            height: 2.0,
        },
        Isometry3::identity(),
    );
    assert_near(distance(&world, [-5.0, 0.0, 1.0], [1.0, 0.0, 0.0]), 3.5);
    assert_near(distance(&world, [0.9, 0.0, 5.0], [0.0, 0.0, -1.0]), 3.0);
    assert_near(distance(&world, [1.5, 0.0, 5.0], [0.0, 0.0, -1.0]), 4.0);
    assert_near(distance(&world, [0.0, 1.9, -5.0], [0.0, 0.0, 1.0]), 5.0);
    // Parallel to a flank, which widens downwards by one for every two.
    assert_near(
        distance(&world, [-3.0, 0.0, 0.0], [0.5, 0.0, 1.0]),
        f64::INFINITY,
    );
    assert_near(distance(&world, [3.0, 0.0, 0.0], [-1.0, 0.0, 0.0]), 1.0);
    // Its mirror image beyond the apex at z = 4 is not there.
    assert_near(
        distance(&world, [-5.0, 0.0, 6.0], [1.0, 0.0, 0.0]),
        f64::INFINITY,
    );
    let hanging = one(
        Solid::Cone {
            start_radius: 0.0,
            end_radius: 1.0,
            height: -2.0,
        },
        Isometry3::identity(),
    );
    assert_near(distance(&hanging, [-5.0, 0.0, -1.0], [1.0, 0.0, 0.0]), 4.5);
    assert_near(distance(&hanging, [0.0, 0.0, 5.0], [0.0, 0.0, -1.0]), 5.0);
}

#[test]
fn the_caps_of_a_capsule_stick_out() {
    let world = one(
        Solid::Capsule {
            radius: 0.5,
            low: 0.0,
            high: 2.0,
        },
        Isometry3::identity(),
    );
    assert_near(distance(&world, [0.0, 0.0, 5.0], [0.0, 0.0, -1.0]), 2.5);
    assert_near(distance(&world, [0.0, 0.0, -5.0], [0.0, 0.0, 1.0]), 4.5);
    assert_near(distance(&world, [-5.0, 0.0, 1.0], [1.0, 0.0, 0.0]), 4.5);
    assert_near(distance(&world, [-5.0, 0.0, 2.3], [1.0, 0.0, 0.0]), 4.6);
}

#[test]
fn nothing_is_met_beyond_the_range_or_without_a_direction() {
    let world = one(
        Solid::Sphere { radius: 1.0 },
        Isometry3::translation(10.0, 0.0, 0.0),
    );
    let ray = [Vector3::x()];
    let within = |max_distance| {
        cast(
            &world,
            &Fan {
                max_distance,
                ..fan([0.0; 3], &ray)
            },
        )[0]
        .is_some()
    };
    assert!(within(9.0) && within(f64::INFINITY));
    assert!(!within(8.999) && !within(-1.0) && !within(f64::NAN));
    for broken in [
        Vector3::zeros(),
        Vector3::repeat(f64::NAN),
        Vector3::repeat(f64::INFINITY),
    ] {
        assert_eq!(cast(&world, &fan([10.0, 0.0, 0.0], &[broken])), [None]);
    }
    assert_eq!(
        distance(&World::default(), [0.0; 3], [1.0, 0.0, 0.0]),
        f64::INFINITY
    );
}

#[test]
fn rays_pass_through_what_an_owner_has() {
    let mut world = World::default();
    let still = world.add_body(Isometry3::identity(), false);
    let moving = world.add_body(Isometry3::identity(), true);
    let wall = world.add(
        Solid::Box { half: [0.5; 3] },
        still,
        Isometry3::translation(5.0, 0.0, 0.0),
        None,
    );
    let own = world.add(
        Solid::Sphere { radius: 1.0 },
        moving,
        Isometry3::identity(),
        Some(7),
    );
    world.refresh();
    let ray = [Vector3::x()];
    let met = |without| {
        cast(
            &world,
            &Fan {
                without,
                ..fan([0.0; 3], &ray)
            },
        )[0]
        .map(|hit| hit.object)
    };
    assert_eq!(
        (met(Some(7)), met(Some(8)), met(None)),
        (Some(wall), Some(own), Some(own))
    );
}

#[test]
fn a_body_is_met_where_it_is_now_even_if_it_was_said_to_stand() {
    for moves in [true, false] {
        let mut world = World::default();
        let body = world.add_body(Isometry3::identity(), moves);
        world.add(
            Solid::Sphere { radius: 1.0 },
            body,
            Isometry3::translation(5.0, 0.0, 0.0),
            None,
        );
        world.refresh();
        assert_near(distance(&world, [0.0; 3], [1.0, 0.0, 0.0]), 4.0);
        world.move_body(body, &Isometry3::identity());
        assert!(!world.is_stale());
        world.move_body(body, &Isometry3::translation(100.0, 0.0, 0.0));
        assert!(world.is_stale());
        world.refresh();
        assert_near(distance(&world, [0.0; 3], [1.0, 0.0, 0.0]), 104.0);
    }
}

#[test]
fn of_two_at_the_same_distance_the_first_counts() {
    for numbers in [[true, false], [false, true]] {
        let mut world = World::default();
        for moves in numbers {
            let body = world.add_body(Isometry3::identity(), moves);
            world.add(
                Solid::Box { half: [1.0; 3] },
                body,
                Isometry3::identity(),
                None,
            );
        }
        world.refresh();
        assert_eq!(
            cast(&world, &fan([-5.0, 0.0, 0.0], &[Vector3::x()]))[0].map(|hit| hit.object),
            Some(0)
        );
    }
}

#[test]
fn no_ray_slips_through_between_triangles() {
    let mesh = Arc::new(octahedron(5));
    let world = one(
        Solid::Mesh { mesh, scale: 0.1 },
        Isometry3::translation(1.0, 2.0, 3.0),
    );
    let directions = sphere_of_directions(4000);
    for (hit, direction) in cast(&world, &fan([1.0, 2.0, 3.0], &directions))
        .iter()
        .zip(&directions)
    {
        // From the middle of |x| + |y| + |z| = 0.1.
        assert_near(
            hit.map_or(f64::INFINITY, |hit| hit.distance),
            0.1 / direction.lp_norm(1),
        );
    }
    // Along edges and through corners.
    assert_near(distance(&world, [1.0, 2.0, 9.0], [0.0, 0.0, -1.0]), 5.9);
    assert_near(distance(&world, [1.02, 2.0, 9.0], [0.0, 0.0, -1.0]), 5.92);
}

#[test]
fn a_mesh_without_triangles_is_no_trouble() {
    let broken = Mesh::new(
        &[[0.0; 3], [f32::NAN; 3]],
        &[[0, 0, 0], [0, 1, 0], [0, 1, 9]],
    );
    assert!(broken.is_empty());
    let world = one(
        Solid::Mesh {
            mesh: Arc::new(broken),
            scale: 1.0,
        },
        Isometry3::identity(),
    );
    assert_near(
        distance(&world, [-5.0, 0.0, 0.0], [1.0, 0.0, 0.0]),
        f64::INFINITY,
    );
}

#[test]
fn a_thousand_things_close_together_make_no_deep_tree() {
    let mut world = World::default();
    let body = world.add_body(Isometry3::identity(), false);
    for index in 0..1000 {
        // Ever closer to the origin, which drives a tree of equal bins deep.
        let x = 0.5_f64.powi(index);
        world.add(
            Solid::Sphere { radius: x * 0.1 },
            body,
            Isometry3::translation(x, 0.0, 0.0),
            None,
        );
    }
    world.refresh();
    assert_near(distance(&world, [5.0, 0.0, 0.0], [-1.0, 0.0, 0.0]), 3.9);
}
