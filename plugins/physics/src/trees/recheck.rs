//! Verification of the engine's contact normals.
//!
//! For a small convex shape that penetrates a large one by very little, such as a wheel on a floor of a hundred metres, the
//! expanding polytope algorithm (EPA) in single precision sometimes returns the wrong face: the normal is tilted or
//! reversed. The separation of two convex shapes along the right normal, by their support functions, equals the reported
//! distance; along a wrong one it is far less. Contacts that fail this test are computed again with the shapes moved apart
//! along the best known normal: separate shapes need no EPA.
use bevy::math::Vec3;
use bevy_rapier3d::{
    parry::{
        query::{DefaultQueryDispatcher, PersistentQueryDispatcher as _},
        shape::SupportMap,
    },
    rapier::{
        geometry::{ContactData, ContactManifold, ContactManifoldData, ContactPair},
        prelude::{Collider, ColliderHandle},
    },
};
use nalgebra::Vector3;

use super::contact_point::Key;
use crate::{convert, engine::EngineItem};

/// Tolerance between distance and separation, m, and relative to the size of the larger shape, which scales the effect of a
/// small tilt of its normal.
const SLACK: [f32; 2] = [2e-3, 1e-2];

/// Distance by which shapes are moved apart, m.
const APART: f32 = 5e-3;

/// A recomputed contact point.
pub(super) struct Point {
    pub key: Key,
    /// Vectors from the centre of mass of either body to the point, world axes, m.
    pub arms: [Vector3<f64>; 2],
    pub normal: Vector3<f64>,
    pub distance: f64,
}

/// Two convex shapes.
struct Shapes<'a> {
    colliders: [&'a Collider; 2],
    maps: [&'a dyn SupportMap; 2],
}

impl<'a> Shapes<'a> {
    /// Returns `None` for shapes that are not convex.
    fn new(engine: &'a EngineItem<'_, '_>, handles: [ColliderHandle; 2]) -> Option<Self> {
        let [one, two] = handles.map(|handle| engine.colliders.colliders.get(handle));
        let colliders = [one?, two?];
        let [one, two] = colliders.map(|collider| collider.shape().as_support_map());
        Some(Self {
            colliders,
            maps: [one?, two?],
        })
    }

    /// Returns the separation of the shapes along a direction from the first to the second, m.
    fn separation(&self, normal: Vec3) -> f32 {
        let [one, two] = [0, 1].map(|side| {
            let along = if side == 0 { normal } else { -normal };
            self.maps[side].support_point(self.colliders[side].position(), along)
        });
        (two - one).dot(normal)
    }

    fn size(&self) -> f32 {
        let sizes = self.colliders.map(|collider| {
            let bounds = collider.shape().compute_local_aabb();
            bounds.half_extents().length()
        });
        sizes[0].max(sizes[1])
    }

    /// Returns the direction of least penetration among the normals of boxes, the impulse of the last step and the line
    /// between the centres.
    fn best_normal(&self, pushed: &Vector3<f64>) -> Vec3 {
        let [one, two] = self.colliders;
        let between = two.position().translation - one.position().translation;
        let mut candidates = [Vec3::ZERO; 14];
        candidates[0] = convert::vec3(pushed).normalize_or_zero();
        candidates[1] = between.normalize_or_zero();
        for (collider, faces) in self.colliders.iter().zip(candidates[2..].chunks_mut(6)) {
            if collider.shape().as_cuboid().is_some() {
                let axes =
                    [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| collider.position().rotation * axis);
                for (face, axis) in faces.chunks_mut(2).zip(axes) {
                    face.copy_from_slice(&[axis, -axis]);
                }
            }
        }
        let known = candidates
            .into_iter()
            .filter(|normal| *normal != Vec3::ZERO);
        known
            .max_by(|a, b| self.separation(*a).total_cmp(&self.separation(*b)))
            .unwrap_or(Vec3::Z)
    }
}

/// Returns the recomputed points of a pair with a wrong normal; `pushed` returns the impulse (N·s) on the second shape in
/// the last step. `None` if the normals are right.
pub(super) fn points(
    engine: &EngineItem<'_, '_>,
    handles: [ColliderHandle; 2],
    geometry: [u32; 2],
    pair: &ContactPair,
    pushed: impl Fn() -> Vector3<f64>,
) -> Option<Vec<Point>> {
    let shapes = Shapes::new(engine, handles)?;
    let wrong = |manifold: &Manifold| {
        let contacts = manifold.data.solver_contacts.iter();
        let distance = contacts.map(|contact| contact.dist).reduce(f32::min);
        distance.is_some_and(|distance| {
            let less = distance.min(0.0) - shapes.separation(manifold.data.normal);
            less > SLACK[0] && less > SLACK[0] + SLACK[1] * shapes.size()
        })
    };
    if !pair.solver_manifolds().iter().any(wrong) {
        return None;
    }
    let best = shapes.best_normal(&pushed());
    Some(find(engine, &shapes, geometry, best))
}

/// Returns the points of a pair with the shapes moved apart along a normal.
fn find(
    engine: &EngineItem<'_, '_>,
    shapes: &Shapes<'_>,
    geometry: [u32; 2],
    along: Vec3,
) -> Vec<Point> {
    let [one, two] = shapes.colliders;
    let apart = APART - shapes.separation(along).min(0.0);
    let mut moved = *two.position();
    moved.translation += along * apart;
    let mut manifolds: Vec<ContactManifold> = Vec::new();
    let looked = DefaultQueryDispatcher.contact_manifolds(
        &one.position().inv_mul(&moved),
        one.shape(),
        two.shape(),
        2.0 * APART,
        &mut manifolds,
        &mut None,
    );
    if looked.is_err() {
        return Vec::new();
    }
    let along = [convert::vector(along), Vector3::repeat(f64::from(apart))];
    let points = manifolds.iter().flat_map(|manifold| {
        let points = 0..manifold.points.len();
        points.map(move |index| point(engine, [one, two], geometry, (manifold, index), &along))
    });
    points.collect()
}

type Manifold = bevy_rapier3d::parry::query::ContactManifold<ContactManifoldData, ContactData>;

fn point(
    engine: &EngineItem<'_, '_>,
    colliders: [&Collider; 2],
    geometry: [u32; 2],
    (manifold, index): (&Manifold, usize),
    [along, apart]: &[Vector3<f64>; 2],
) -> Point {
    let known = &manifold.points[index];
    let pose = colliders[0].position();
    let normal = convert::vector(pose.rotation * manifold.local_n1).normalize();
    let positions = [
        pose * known.local_p1,
        colliders[1].position() * known.local_p2,
    ];
    let middle = (positions[0] + positions[1]) / 2.0;
    let arms = colliders.map(|collider| {
        let body = collider
            .parent()
            .and_then(|body| engine.bodies.bodies.get(body));
        body.map_or_else(Vector3::zeros, |body| {
            convert::vector(middle - body.center_of_mass())
        })
    });
    Point {
        key: Key::new(geometry, manifold, index),
        arms,
        normal,
        distance: f64::from(known.dist) - apart.x * normal.dot(along),
    }
}
