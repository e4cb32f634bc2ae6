//! Smooth rolling of round shapes.
//!
//! The engine keeps the points of a contact until they have moved by a millimetre. On a wheel they turn with it: beside the
//! axle, they drive or brake it, and a cylinder on a level floor begins to roll by itself. Points on the lateral surface of
//! a cylinder or capsule are therefore projected into the plane of the axis and the normal. The normal is fixed to one of
//! the two bodies at a time.

use bevy::math::Vec3;
use bevy_rapier3d::{
    parry::shape::ShapeType,
    rapier::{
        pipeline::ContactModificationContext,
        prelude::{ColliderHandle, ColliderSet, SharedShape},
    },
};

/// Maximum cosine between axis and normal of a contact on the lateral surface, and not on a flat end.
const MANTLE: f32 = 0.5;

/// Returns true if a shape has a lateral surface on which it can roll.
pub(super) fn rolls(shape: &SharedShape) -> bool {
    matches!(shape.shape_type(), ShapeType::Cylinder | ShapeType::Capsule)
}

/// Projects the points of a contact below the axles of rolling shapes.
pub(super) fn put_below_axles(context: &mut ContactModificationContext<'_>) {
    // Most of the pairs that the engine considers are apart.
    if context.solver_contacts.is_empty() {
        return;
    }
    let handles = [context.collider1, context.collider2];
    let axles = handles.map(|handle| axle(context.colliders, handle));
    if let [Some(_), None] = axles {
        keep_normal(context);
    }
    for (center, axis) in axles.into_iter().flatten() {
        if axis.dot(*context.normal).abs() > MANTLE {
            continue;
        }
        let ahead = axis.cross(*context.normal).normalize_or_zero();
        for contact in context.solver_contacts.iter_mut() {
            let middle = (contact.anchor1 + contact.anchor2) / 2.0;
            let beside = ahead * ahead.dot(middle - center);
            contact.anchor1 -= beside;
            contact.anchor2 -= beside;
        }
    }
}

/// Restores the normal of a contact whose first collider alone is round: the engine fixes it to that one, which may have
/// rotated since, so that the second one determines it.
fn keep_normal(context: &mut ContactModificationContext<'_>) {
    if let Some(second) = context.colliders.get(context.collider2) {
        *context.normal = -(second.position().rotation * context.manifold.local_n2);
    }
}

/// Returns a point on the axis of a rolling shape, and the direction of the axis.
fn axle(colliders: &ColliderSet, handle: ColliderHandle) -> Option<(Vec3, Vec3)> {
    let collider = colliders.get(handle)?;
    let pose = collider.position();
    if collider.shape().shape_type() == ShapeType::Cylinder {
        return Some((pose.translation, pose.rotation * Vec3::Y));
    }
    let capsule = collider.shape().as_capsule()?;
    let along = (capsule.segment.b - capsule.segment.a).try_normalize()?;
    let center = pose.translation + pose.rotation * capsule.segment.a;
    Some((center, pose.rotation * along))
}
