//! Contacts of cylinders with faces of boxes, in double precision: tyres on floors.
//!
//! The engine computes the contacts of a cylinder in single precision, relative to the vertices of the other shape: on a
//! floor of a hundred metres depths have errors of 1e-5 m, a tenth of the depth of a resting contact, which at a step of 1
//! ms accelerates a robot noticeably; one normal in twenty is wrong, and one contact in fifty is not found. For a cylinder
//! along a face, both ends of the contact line are computed from the two poses, whatever the engine finds.
use bevy_rapier3d::{
    parry::shape::TypedShape,
    rapier::prelude::{Collider, ColliderHandle},
};
use nalgebra::{Isometry3, Vector3};

use super::contact_point::{ContactPoint, Key, Pair};
use crate::{convert, engine::EngineItem};

/// Maximum sine of the angle between axis and face; beyond it the contact is on a cap.
const LYING: f64 = 0.3;

/// Distance of an end of the line from the face beyond which it is no contact, m.
const APART: f64 = 2e-3;

/// Distance below which a cylinder is in contact whether the engine finds one or not, m.
const NEAR: f64 = 1e-3;

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
        let pose = |index: usize| -> Option<Isometry3<f64>> {
            let body = || engine.bodies.bodies.get(colliders[index].parent()?);
            let body = poses[index].or_else(|| Some(engine.body_poses.of(body()?)))?;
            Some(body * on_body(colliders[index]))
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

    /// Returns true if a pair is a cylinder and a box, and the cylinder lies on a face of the box.
    pub(super) fn touches(engine: &EngineItem<'_, '_>, handles: [ColliderHandle; 2]) -> bool {
        let line = Self::new(engine, handles, [None; 2]).and_then(|flat| flat.line());
        line.is_some_and(|line| line.is_near())
    }

    /// Returns the line along which the cylinder is nearest to a face, if that line is above it.
    pub(super) fn line(&self) -> Option<Line> {
        let (up, height) = self.face()?;
        let axis = self.cylinder.rotation * Vector3::y();
        let slope = axis.dot(&up);
        if slope.abs() > LYING {
            return None;
        }
        let down = (axis * slope - up) * (self.radius / (1.0 - slope * slope).sqrt());
        let ends = [-self.half_height, self.half_height]
            .map(|along| self.cylinder.translation.vector + axis * along + down);
        let distances = ends.map(|end| up.dot(&(end - self.floor.translation.vector)) - height);
        ends.iter()
            .all(|end| self.is_over(end, &up))
            .then_some(Line {
                ends,
                distances,
                up,
                is_first: self.is_first,
            })
    }

    /// Returns the normal of the face beyond which the middle of the cylinder is, and its distance from the centre of the
    /// box; `None` inside the box.
    fn face(&self) -> Option<(Vector3<f64>, f64)> {
        let middle = self.cylinder.translation.vector.into();
        let local = self.floor.inverse_transform_point(&middle);
        let beyond = |axis: &usize| local[*axis].abs() - self.half_extents[*axis];
        let axis = (0..3).max_by(|a, b| beyond(a).total_cmp(&beyond(b)))?;
        let mut face = Vector3::zeros();
        face[axis] = 1.0_f64.copysign(local[axis]);
        (beyond(&axis) > 0.0).then(|| (self.floor.rotation * face, self.half_extents[axis]))
    }

    /// Returns true for a point above or below the face with this normal.
    fn is_over(&self, point: &Vector3<f64>, up: &Vector3<f64>) -> bool {
        let local = self.floor.inverse_transform_point(&(*point).into());
        let normal = self.floor.rotation.inverse() * up;
        (0..3).all(|axis| normal[axis].abs() > 0.5 || local[axis].abs() <= self.half_extents[axis])
    }
}

/// The line of a cylinder that is nearest to a face of a box.
pub(super) struct Line {
    ends: [Vector3<f64>; 2],
    /// Distances of the ends from the face, m.
    distances: [f64; 2],
    /// Normal of the face.
    up: Vector3<f64>,
    /// True if the cylinder is the first side of the contacts.
    is_first: bool,
}

impl Line {
    /// Returns true if one end is a contact whatever its speed.
    pub(super) fn is_near(&self) -> bool {
        self.distances.iter().any(|distance| *distance < NEAR)
    }

    /// Returns both ends, and their distances from the face, m.
    pub(super) const fn ends(&self) -> ([Vector3<f64>; 2], [f64; 2]) {
        (self.ends, self.distances)
    }

    /// Returns the unit normal of the contacts, from the first side to the second.
    pub(super) fn normal(&self) -> Vector3<f64> {
        if self.is_first { -self.up } else { self.up }
    }

    /// Iterates over the contacts of the ends, given friction and restitution.
    pub(super) fn points(
        &self,
        pair: &Pair,
        material: [f32; 2],
    ) -> impl Iterator<Item = ContactPoint> {
        let normal = self.normal();
        let nearest = self.distances[0].min(self.distances[1]);
        let ends = self.ends.iter().zip(&self.distances);
        let near = ends.filter(move |(_, distance)| **distance <= nearest.max(APART));
        near.map(move |(end, distance)| {
            let middle = end - self.up * (distance / 2.0);
            let geometry = [middle, normal];
            ContactPoint::new(
                (Key::between(pair.geometry), pair.bodies),
                geometry,
                *distance,
                material,
            )
        })
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

    use morse_mechanisms::island::Contact;
    use nalgebra::UnitQuaternion;

    use super::*;

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

    /// Returns the contacts of the line.
    fn contacts(flat: &Flat) -> Vec<Contact> {
        let pair = Pair {
            colliders: [ColliderHandle::invalid(); 2],
            geometry: [0, 1],
            bodies: [0, 1],
            near: None,
        };
        let line = flat.line().expect("it lies on the floor");
        let points = line.points(&pair, [0.5, 0.0]);
        points.map(|touch| touch.contact).collect()
    }

    #[test]
    fn both_ends_of_the_line_are_found_exactly() {
        let actual = contacts(&flat([3.0, 4.0, 0.0], 1e-4, 0.0));
        assert_eq!(actual.len(), 2);
        for (contact, y) in actual.iter().zip([3.98, 4.02]) {
            assert!((contact.distance + 1e-4).abs() < 1e-14, "{contact:?}");
            assert!((contact.point - Vector3::new(3.0, y, -5e-5)).norm() < 1e-12);
            assert!((contact.normal - Vector3::z()).norm() < 1e-14);
        }
        // The upper end of a leaning tyre is 0.04 m · sin 0.2 above the lower one: it does not touch.
        let leaning = contacts(&flat([0.0; 3], 0.0, 0.2));
        assert_eq!(leaning.len(), 1);
        let [sin, cos] = [libm::sin(0.2), libm::cos(0.2)];
        let expected = 0.1 - 0.1 * cos - 0.02 * sin;
        assert!(
            (leaning[0].distance - expected).abs() < 1e-14,
            "{leaning:?}"
        );
    }

    #[test]
    fn edges_and_caps_have_no_line() {
        let has_line = |flat: &Flat| flat.line().is_some();
        assert!(has_line(&flat([49.9, 0.0, 0.0], 1e-4, 0.0)));
        assert!(
            !has_line(&flat([50.05, 0.0, 0.0], 1e-4, 0.0)),
            "beside the edge"
        );
        assert!(!has_line(&flat([0.0; 3], 1e-4, FRAC_PI_2)), "on a cap");
        assert!(
            !has_line(&flat([0.0, 49.99, 0.0], 1e-4, 0.0)),
            "half beyond the edge"
        );
    }
}
