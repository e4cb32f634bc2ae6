//! Helpers that the tests of rays share; the tests themselves are in the files below.

mod agreement;
mod closed_forms;
mod scans;

use nalgebra::{Isometry3, Vector3};

use super::mesh::Mesh;
use super::solid::Solid;
use super::world::{Fan, ObjectHit, World};

fn one(solid: Solid, pose: Isometry3<f64>) -> World {
    let mut world = World::default();
    let body = world.add_body(pose, true);
    world.add(solid, body, Isometry3::identity(), None);
    world.refresh();
    world
}

fn fan<'a>(origin: [f64; 3], directions: &'a [Vector3<f64>]) -> Fan<'a> {
    Fan {
        origin: origin.into(),
        directions,
        max_distance: f64::INFINITY,
        without: None,
    }
}

fn cast(world: &World, fan: &Fan<'_>) -> Vec<Option<ObjectHit>> {
    let mut hits = vec![None; fan.directions.len()];
    world.cast_fan(fan, &mut hits, |hit| hit, None);
    hits
}

/// Distance of the hit of one ray; infinite without a hit.
fn distance(world: &World, origin: [f64; 3], direction: [f64; 3]) -> f64 {
    cast(world, &fan(origin, &[direction.into()]))[0].map_or(f64::INFINITY, |hit| hit.distance)
}

#[track_caller]
fn assert_near(actual: f64, expected: f64) {
    assert!(
        (actual - expected).abs() < 1e-9 || actual == expected,
        "found {actual}, expected {expected}"
    );
}

/// An octahedron with corners at distance 1, each face split `depth` times into four.
fn octahedron(depth: u32) -> Mesh {
    let mut vertices = Vec::new();
    let mut faces = Vec::new();
    for signs in 0..8 {
        let sign = |bit: u32| if signs >> bit & 1 == 0 { 1.0 } else { -1.0 };
        let corners = [
            Vector3::x() * sign(0),
            Vector3::y() * sign(1),
            Vector3::z() * sign(2),
        ];
        split(corners, depth, &mut |corner| {
            vertices.push(corner.cast::<f32>().into());
        });
    }
    faces.extend((0..vertices.len() as u32 / 3).map(|face| [3 * face, 3 * face + 1, 3 * face + 2]));
    Mesh::new(&vertices, &faces)
}

fn split([a, b, c]: [Vector3<f64>; 3], depth: u32, push: &mut impl FnMut(Vector3<f64>)) {
    if depth == 0 {
        return [a, b, c].into_iter().for_each(push);
    }
    let (ab, bc, ca) = ((a + b) / 2.0, (b + c) / 2.0, (c + a) / 2.0);
    for corners in [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]] {
        split(corners, depth - 1, push);
    }
}

fn sphere_of_directions(count: usize) -> Vec<Vector3<f64>> {
    let direction = |index: usize| {
        let z: f64 = 1.0 - (2 * index + 1) as f64 / count as f64;
        let (sine, cosine) = libm::sincos(index as f64 * 2.399_963);
        let radius = (1.0 - z * z).sqrt();
        Vector3::new(radius * cosine, radius * sine, z)
    };
    (0..count).map(direction).collect()
}
