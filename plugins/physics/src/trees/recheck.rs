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
        math::Pose,
        prelude::{Collider, ColliderHandle, RigidBody},
    },
};
use nalgebra::Vector3;

use super::{
    contact_point::{Key, Pair},
    detected::{Detected, Point},
};
use crate::{convert, engine::EngineItem};

/// Tolerance between distance and separation, m, and relative to the size of the larger shape, which scales the effect of a
/// small tilt of its normal.
const SLACK: [f32; 2] = [2e-3, 1e-2];

/// Distance by which shapes are moved apart, m.
const APART: f32 = 5e-3;

/// Two convex shapes.
struct Shapes<'a> {
    colliders: [&'a Collider; 2],
    maps: [&'a dyn SupportMap; 2],
    /// Poses, in the engine's axes.
    poses: [Pose; 2],
    /// Centres of mass of the bodies; zero for bodies without one.
    centers: [Vec3; 2],
}

impl<'a> Shapes<'a> {
    /// Returns `None` for shapes that are not convex.
    fn new(
        engine: &'a EngineItem<'_, '_>,
        handles: [ColliderHandle; 2],
        detected: &Detected<'_>,
    ) -> Option<Self> {
        let [one, two] = handles.map(|handle| engine.colliders.colliders.get(handle));
        let colliders = [one?, two?];
        let [one, two] = colliders.map(|collider| collider.shape().as_support_map());
        let center = |collider: &Collider| {
            let body = collider
                .parent()
                .and_then(|body| engine.bodies.bodies.get(body));
            body.map_or(Vec3::ZERO, RigidBody::center_of_mass)
        };
        let (poses, centers) = match detected {
            Detected::ByEngine(_) => (colliders.map(|one| *one.position()), colliders.map(center)),
            Detected::Here(near) => (
                near.sides.map(|side| side.pose),
                near.sides.map(|side| side.center.unwrap_or_default()),
            ),
        };
        Some(Self {
            colliders,
            maps: [one?, two?],
            poses,
            centers,
        })
    }

    /// Returns the separation of the shapes along a direction from the first to the second, m.
    fn separation(&self, normal: Vec3) -> f32 {
        let [one, two] = [0, 1].map(|side| {
            let along = if side == 0 { normal } else { -normal };
            self.maps[side].support_point(&self.poses[side], along)
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
        let [one, two] = &self.poses;
        let between = two.translation - one.translation;
        let mut candidates = [Vec3::ZERO; 14];
        candidates[0] = convert::vec3(pushed).normalize_or_zero();
        candidates[1] = between.normalize_or_zero();
        let shapes = self.colliders.iter().zip(&self.poses);
        for ((collider, pose), faces) in shapes.zip(candidates[2..].chunks_mut(6)) {
            if collider.shape().as_cuboid().is_some() {
                let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| pose.rotation * axis);
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
    pair: &Pair,
    detected: &Detected<'_>,
    pushed: impl Fn() -> Vector3<f64>,
) -> Option<Vec<Point>> {
    let shapes = Shapes::new(engine, pair.colliders, detected)?;
    let is_wrong = |normal: Vec3, distance: f32| {
        let less = distance.min(0.0) - shapes.separation(normal);
        less > SLACK[0] && less > SLACK[0] + SLACK[1] * shapes.size()
    };
    if !detected.any_face(is_wrong) {
        return None;
    }
    let best = shapes.best_normal(&pushed());
    Some(find(&shapes, pair.geometry, best))
}

/// Returns the points of a pair with the shapes moved apart along a normal.
fn find(shapes: &Shapes<'_>, geometry: [u32; 2], along: Vec3) -> Vec<Point> {
    let [one, two] = shapes.colliders;
    let apart = APART - shapes.separation(along).min(0.0);
    let [at, mut moved] = shapes.poses;
    moved.translation += along * apart;
    let mut manifolds: Vec<Manifold> = Vec::new();
    let looked = DefaultQueryDispatcher.contact_manifolds(
        &at.inv_mul(&moved),
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
        points.map(move |index| point(shapes, geometry, (manifold, index), &along))
    });
    points.collect()
}

type Manifold = bevy_rapier3d::parry::query::ContactManifold<(), ()>;

fn point(
    shapes: &Shapes<'_>,
    geometry: [u32; 2],
    (manifold, index): (&Manifold, usize),
    [along, apart]: &[Vector3<f64>; 2],
) -> Point {
    let known = &manifold.points[index];
    let [one, two] = &shapes.poses;
    let normal = convert::vector(one.rotation * manifold.local_n1).normalize();
    let middle = (one * known.local_p1 + two * known.local_p2) / 2.0;
    Point {
        key: Key::new(geometry, manifold, index),
        arms: shapes
            .centers
            .map(|center| convert::vector(middle - center)),
        normal,
        distance: f64::from(known.dist) - apart.x * normal.dot(along),
    }
}
