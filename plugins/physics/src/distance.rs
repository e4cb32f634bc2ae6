//! Distances of solids, without a world.
use bevy_rapier3d::parry::query;
use nalgebra::Isometry3;

use super::{convert, shapes::Solid};

/// Returns the distance of two solids, each with the pose of its frame, m. Where they overlap it is negative: the depth of the
/// penetration. It has the precision of the engine, about 1e-6 of the distances. `None` if the engine cannot compare the
/// shapes.
#[must_use]
pub fn distance(
    one: &Solid,
    root_from_one: &Isometry3<f64>,
    other: &Solid,
    root_from_other: &Isometry3<f64>,
) -> Option<f64> {
    // Relative to the first solid, where the numbers of the engine are most precise.
    let one_from_root = (root_from_one * one.frame_from_shape).inverse();
    let relative = one_from_root * root_from_other * other.frame_from_shape;
    let (here, there) = (
        convert::pose(&Isometry3::identity()),
        convert::pose(&relative),
    );
    let (one, other) = (one.shape.as_ref(), other.shape.as_ref());
    let apart = query::distance(&here, one, &there, other).ok()?;
    if apart > 0.0 {
        return Some(f64::from(apart));
    }
    let contact = query::contact(&here, one, &there, other, 0.0).ok()?;
    Some(contact.map_or(0.0, |contact| f64::from(contact.dist.min(0.0))))
}

/// Returns the centre of a sphere around a solid in the frame of its geometry, and its radius, m.
#[must_use]
pub fn sphere(solid: &Solid) -> (nalgebra::Point3<f64>, f64) {
    let sphere = solid.shape.compute_local_bounding_sphere();
    let center = convert::vector(sphere.center());
    (
        solid.frame_from_shape * nalgebra::Point3::from(center),
        f64::from(sphere.radius()),
    )
}
