//! Contacts of cylinders with faces of boxes, in double precision: tyres on floors.
//!
//! The engine computes the contacts of a cylinder in single precision, relative to the vertices of the other shape: on a
//! floor of a hundred metres depths have errors of 1e-5 m, a tenth of the depth of a resting contact, which at a step of 1
//! ms accelerates a robot noticeably. For a cylinder along a face, both ends of the contact line are computed from the two
//! poses.
use bevy_rapier3d::{
    parry::shape::TypedShape,
    rapier::prelude::{Collider, ColliderHandle},
};
use nalgebra::{Isometry3, Vector3};

use super::contact_point::ContactPoint;
use crate::{convert, engine::EngineItem};

/// Maximum sine of the angle between the engine's normal and that of the face, and between axis and face; beyond it the
/// contact is on an edge, or on a cap.
const SAME: f64 = 0.02;
const LYING: f64 = 0.3;

/// Distance of an end of the line from the face beyond which it is no contact, m.
const APART: f64 = 2e-3;

/// A cylinder and a face of a box.
pub(super) struct Flat {
    cylinder: Isometry3<f64>,
    radius: f64,
    half_height: f64,
    floor: Isometry3<f64>,
    half_extents: Vector3<f64>,
    /// True if the cylinder is the first side of the contacts.
    is_first: bool,
}

impl Flat {
    /// Returns `None` for other shapes. The poses are those of the bodies.
    pub(super) fn new(
        engine: &EngineItem<'_, '_>,
        handles: [ColliderHandle; 2],
        poses: [Option<Isometry3<f64>>; 2],
    ) -> Option<Self> {
        let [one, two] = handles.map(|handle| engine.colliders.colliders.get(handle));
        let colliders = [one?, two?];
        let is_first = matches!(
            colliders[0].shape().as_typed_shape(),
            TypedShape::Cylinder(_)
        );
        let [round, flat] = if is_first { [0, 1] } else { [1, 0] };
        let TypedShape::Cylinder(cylinder) = colliders[round].shape().as_typed_shape() else {
            return None;
        };
        let floor = colliders[flat].shape().as_cuboid()?;
        let pose = |at: usize| -> Option<Isometry3<f64>> {
            let body = || engine.bodies.bodies.get(colliders[at].parent()?);
            let body = poses[at].or_else(|| Some(engine.body_poses.of(body()?)))?;
            Some(body * on_body(colliders[at]))
        };
        Some(Self {
            cylinder: pose(round)?,
            radius: f64::from(cylinder.radius),
            half_height: f64::from(cylinder.half_height),
            floor: pose(flat)?,
            half_extents: convert::vector(floor.half_extents),
            is_first,
        })
    }

    /// Replaces the points of the engine, from an index on, by the ends of the contact line, if there is one.
    pub(super) fn refine(&self, contacts: &mut Vec<ContactPoint>, from: usize) {
        let Some(&first) = contacts.get(from) else {
            return;
        };
        let sign = if self.is_first { -1.0 } else { 1.0 };
        let Some((up, height)) = self.face(&(first.contact.normal * sign)) else {
            return;
        };
        let axis = self.cylinder.rotation * Vector3::y();
        let slope = axis.dot(&up);
        if slope.abs() > LYING {
            return;
        }
        let down = (axis * slope - up) * (self.radius / (1.0 - slope * slope).sqrt());
        let ends = [-self.half_height, self.half_height]
            .map(|along| self.cylinder.translation.vector + axis * along + down);
        if !ends.iter().all(|end| self.is_over(end, &up)) {
            return;
        }
        let distances = ends.map(|end| up.dot(&(end - self.floor.translation.vector)) - height);
        let nearest = distances[0].min(distances[1]);
        contacts.truncate(from);
        for (end, distance) in ends.into_iter().zip(distances) {
            if distance <= nearest.max(APART) {
                let mut touch = first;
                touch.contact.point = end - up * (distance / 2.0);
                touch.contact.normal = up * sign;
                touch.contact.distance = distance;
                contacts.push(touch);
            }
        }
    }

    /// Returns the normal of the face that points along a direction, and its distance from the centre of the box; `None`
    /// without one.
    fn face(&self, direction: &Vector3<f64>) -> Option<(Vector3<f64>, f64)> {
        let local = self.floor.rotation.inverse() * direction;
        let axis = local.iamax();
        let mut face = Vector3::zeros();
        face[axis] = 1.0_f64.copysign(local[axis]);
        let is_it = (local - face).norm() <= SAME;
        is_it.then(|| (self.floor.rotation * face, self.half_extents[axis]))
    }

    /// Returns true for a point above or below the face with this normal.
    fn is_over(&self, point: &Vector3<f64>, up: &Vector3<f64>) -> bool {
        let local = self.floor.inverse_transform_point(&(*point).into());
        let normal = self.floor.rotation.inverse() * up;
        (0..3).all(|at| normal[at].abs() > 0.5 || local[at].abs() <= self.half_extents[at])
    }
}

/// Returns the pose of a geometry on its body.
fn on_body(collider: &Collider) -> Isometry3<f64> {
    let pose = collider.position_wrt_parent();
    pose.map_or_else(Isometry3::identity, convert::isometry)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use morse_mechanisms::island::{Contact, Side};
    use nalgebra::UnitQuaternion;

    use super::*;
    use crate::trees::contact_point::Key;

    /// A tyre with a radius of 0.1 m and a width of 0.04 m, with a depth in the floor and a lean angle.
    fn flat(at: [f64; 3], depth: f64, lean: f64) -> Flat {
        let turn = UnitQuaternion::from_euler_angles(lean, 0.0, 0.0);
        Flat {
            cylinder: Isometry3::from_parts(Vector3::new(at[0], at[1], 0.1 - depth).into(), turn),
            radius: 0.1,
            half_height: 0.02,
            floor: Isometry3::translation(0.0, 0.0, -0.5),
            half_extents: Vector3::new(50.0, 50.0, 0.5),
            is_first: false,
        }
    }

    /// Returns the contacts that replace one point of the engine with this normal.
    fn refined(flat: &Flat, normal: Vector3<f64>) -> Vec<Contact> {
        let mut contacts = vec![ContactPoint {
            key: Key::default(),
            bodies: [0, 1],
            driven: None,
            contact: Contact {
                sides: [Side::Prescribed(Vector3::zeros()); 2],
                friction_sides: [Side::Prescribed(Vector3::zeros()); 2],
                point: Vector3::zeros(),
                normal,
                distance: 7.0,
                friction: 0.5,
                restitution: 0.0,
                tangent_velocity: Vector3::zeros(),
                impulse: Vector3::zeros(),
                separation_velocity: None,
            },
        }];
        flat.refine(&mut contacts, 0);
        contacts.iter().map(|touch| touch.contact).collect()
    }

    #[test]
    fn both_ends_of_the_line_are_found_exactly() {
        let tilted = Vector3::new(1e-3, 0.0, 1.0).normalize();
        let found = refined(&flat([3.0, 4.0, 0.0], 1e-4, 0.0), tilted);
        assert_eq!(found.len(), 2);
        for (contact, y) in found.iter().zip([3.98, 4.02]) {
            assert!((contact.distance + 1e-4).abs() < 1e-14, "{contact:?}");
            assert!((contact.point - Vector3::new(3.0, y, -5e-5)).norm() < 1e-12);
            assert!((contact.normal - Vector3::z()).norm() < 1e-14);
        }
        // The upper end of a leaning tyre is 0.04 m · sin 0.2 above the lower one: it does not touch.
        let leaning = refined(&flat([0.0; 3], 0.0, 0.2), Vector3::z());
        assert_eq!(leaning.len(), 1);
        let [sin, cos] = [libm::sin(0.2), libm::cos(0.2)];
        let expected = 0.1 - 0.1 * cos - 0.02 * sin;
        assert!(
            (leaning[0].distance - expected).abs() < 1e-14,
            "{leaning:?}"
        );
    }

    #[test]
    fn edges_and_caps_stay_as_they_are() {
        let stays = |flat: &Flat, normal| refined(flat, normal)[0].distance == 7.0;
        let middle = flat([0.0; 3], 1e-4, 0.0);
        assert!(stays(&middle, Vector3::new(0.3, 0.0, 1.0).normalize()));
        assert!(stays(&flat([0.0; 3], 1e-4, FRAC_PI_2), Vector3::z()));
        assert!(stays(&flat([0.0, 49.99, 0.0], 1e-4, 0.0), Vector3::z()));
    }
}
