//! Smooth rolling of round shapes.
//!
//! The engine keeps the points of a contact until they have moved by a millimetre. On a wheel they turn with it: beside the
//! axle, they drive or brake it, and a cylinder on a level floor begins to roll by itself. Points on the lateral surface of
//! a cylinder or capsule are therefore projected into the plane of the axis and the normal. The normal is fixed to one of
//! the two bodies at a time.

use bevy::math::Vec3;
use bevy_rapier3d::{
    parry::shape::{Shape, ShapeType},
    rapier::{math::Pose, pipeline::ContactModificationContext, prelude::SharedShape},
};

/// Maximum cosine between axis and normal of a contact on the lateral surface, and not on a flat end.
const MANTLE: f32 = 0.5;

/// Returns true if a shape has a lateral surface on which it can roll.
pub(super) fn rolls(shape: &SharedShape) -> bool {
    matches!(shape.shape_type(), ShapeType::Cylinder | ShapeType::Capsule)
}

/// A shape at a pose.
type Posed<'a> = (&'a dyn Shape, Pose);

/// Projects the points of the engine's contact below the axles of rolling shapes.
pub(super) fn put_below_axles(context: &mut ContactModificationContext<'_>) {
    // Most of the pairs that the engine considers are apart.
    if context.solver_contacts.is_empty() {
        return;
    }
    let shapes = [context.collider1, context.collider2].map(|handle| {
        let collider = context.colliders.get(handle)?;
        Some((collider.shape(), *collider.position()))
    });
    let contacts = context.solver_contacts.iter_mut();
    let anchors = contacts.map(|contact| [&mut contact.anchor1, &mut contact.anchor2]);
    put_anchors_below_axles(shapes, context.manifold.local_n2, context.normal, anchors);
}

/// Projects the points of a contact below the axles of rolling shapes, given its normal in the axes of the second shape, its
/// normal, and the points on both shapes.
pub(super) fn put_anchors_below_axles<'a>(
    shapes: [Option<Posed<'_>>; 2],
    local_n2: Vec3,
    normal: &mut Vec3,
    anchors: impl Iterator<Item = [&'a mut Vec3; 2]>,
) {
    let axles = shapes.map(|shape| axle(shape?));
    // The engine fixes the normal to the first shape, which may have rotated since, if it alone is round: so that the second
    // one determines it.
    if let ([Some(_), None], [_, Some((_, second))]) = (axles, shapes) {
        *normal = -(second.rotation * local_n2);
    }
    let ahead = axles.map(|axle| {
        let (center, axis) = axle?;
        let across = || axis.cross(*normal).normalize_or_zero();
        (axis.dot(*normal).abs() <= MANTLE).then(|| (center, across()))
    });
    for [one, two] in anchors {
        for (center, ahead) in ahead.iter().flatten() {
            let middle = (*one + *two) / 2.0;
            let beside = *ahead * ahead.dot(middle - *center);
            *one -= beside;
            *two -= beside;
        }
    }
}

/// Returns a point on the axis of a rolling shape, and the direction of the axis.
fn axle((shape, pose): Posed<'_>) -> Option<(Vec3, Vec3)> {
    if shape.shape_type() == ShapeType::Cylinder {
        return Some((pose.translation, pose.rotation * Vec3::Y));
    }
    let capsule = shape.as_capsule()?;
    let along = (capsule.segment.b - capsule.segment.a).try_normalize()?;
    let center = pose.translation + pose.rotation * capsule.segment.a;
    Some((center, pose.rotation * along))
}
