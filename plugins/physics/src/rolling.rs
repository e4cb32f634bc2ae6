//! Even rolling of round shapes.
//!
//! The engine keeps the points of a contact until they have moved by a millimetre. On a wheel they turn with it:
//! beside the axle, they drive or brake it, and a cylinder that lies on a level floor begins to roll by itself. Points on the
//! mantle of a cylinder or of a capsule are therefore put back to where they belong: into the plane of the axis
//! and the normal. The normal is kept as long on one of the two, and has to be the other's.

use bevy::math::Vec3;
use bevy_rapier3d::{
    parry::shape::ShapeType,
    rapier::{
        pipeline::ContactModificationContext,
        prelude::{ColliderHandle, ColliderSet, SharedShape},
    },
};

/// Cosine of the angle between axis and normal up to which the mantle is touched, and not a flat end.
const MANTLE: f32 = 0.5;

/// Tells whether a shape has a mantle to roll on.
pub(super) fn rolls(shape: &SharedShape) -> bool {
    matches!(shape.shape_type(), ShapeType::Cylinder | ShapeType::Capsule)
}

/// Puts the points of a contact back below the axles of what rolls on them.
pub(super) fn put_below_axles(context: &mut ContactModificationContext<'_>) {
    keep_normal(context);
    for handle in [context.collider1, context.collider2] {
        let Some((center, axis)) = axle(context.colliders, handle) else {
            continue;
        };
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

/// The engine keeps the normal on the first collider, as it was when its points were new; if that one
/// has turned since, the second has it.
fn keep_normal(context: &mut ContactModificationContext<'_>) {
    let is_round = |handle| axle(context.colliders, handle).is_some();
    if !is_round(context.collider1) || is_round(context.collider2) {
        return;
    }
    if let Some(second) = context.colliders.get(context.collider2) {
        *context.normal = -(second.position().rotation * context.manifold.local_n2);
    }
}

/// A point on the axis of what can roll, and the direction of the axis.
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
