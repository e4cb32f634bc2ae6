//! Contacts of a pair of geometries, detected by the engine or by trees.
use bevy::math::Vec3;
use bevy_rapier3d::rapier::geometry::ContactPair;
use nalgebra::Vector3;

use super::{contact_point::Key, near::NearPair};
use crate::convert;

/// Contacts of a pair.
pub(super) enum Detected<'a> {
    ByEngine(&'a ContactPair),
    Here(&'a NearPair),
}

/// A contact point.
pub(super) struct Point {
    pub key: Key,
    /// Vectors from the centre of mass of either body to the point, world axes, m.
    pub arms: [Vector3<f64>; 2],
    pub normal: Vector3<f64>,
    pub distance: f64,
}

impl Detected<'_> {
    /// Returns the friction of the pair.
    pub(super) fn friction(&self) -> f32 {
        match self {
            Self::ByEngine(pair) => {
                let first = pair.solver_manifolds().first();
                first.map_or(0.0, |first| first.data.friction)
            }
            Self::Here(pair) => pair.friction,
        }
    }

    /// Returns true if a condition holds for the normal and the least gap (m) of a face in contact.
    pub(super) fn any_face(&self, condition: impl Fn(Vec3, f32) -> bool) -> bool {
        let holds =
            |normal: Vec3, least: Option<f32>| least.is_some_and(|least| condition(normal, least));
        match self {
            Self::ByEngine(pair) => pair.solver_manifolds().iter().any(|manifold| {
                let contacts = manifold.data.solver_contacts.iter();
                let least = contacts.map(|contact| contact.dist).reduce(f32::min);
                holds(manifold.data.normal, least)
            }),
            Self::Here(pair) => pair.manifolds.iter().any(|manifold| {
                let touches = manifold.data.touches.iter();
                let least = touches.map(|touch| touch.distance).reduce(f32::min);
                holds(manifold.data.normal, least)
            }),
        }
    }

    /// Calls a function with the points of each face in contact, and the friction there.
    pub(super) fn each_face(
        &self,
        geometry: [u32; 2],
        mut take: impl FnMut(&mut dyn Iterator<Item = Point>, f32),
    ) {
        match self {
            Self::ByEngine(pair) => {
                for manifold in pair.solver_manifolds() {
                    let data = &manifold.data;
                    let mut points = data.solver_contacts.iter().filter_map(|contact| {
                        let id = (contact.contact_id[0] & !(1 << 31)) as usize;
                        let known = &manifold.points.get(id)?.data;
                        Some(Point {
                            key: Key::new(geometry, manifold, id),
                            arms: [known.solver_dp1, known.solver_dp2].map(convert::vector),
                            normal: convert::vector(data.normal).normalize(),
                            distance: f64::from(contact.dist),
                        })
                    });
                    take(&mut points, data.friction);
                }
            }
            Self::Here(pair) => {
                for manifold in &pair.manifolds {
                    let face = &manifold.data;
                    let mut points = face.touches.iter().map(|touch| Point {
                        key: Key::new(geometry, manifold, touch.point),
                        arms: touch.arms.map(convert::vector),
                        normal: convert::vector(face.normal).normalize(),
                        distance: f64::from(touch.distance),
                    });
                    take(&mut points, pair.friction);
                }
            }
        }
    }
}
