//! Points of contact, and their names.
use bevy_rapier3d::rapier::geometry::ContactManifold;
use morse_mechanisms::island::Contact;
use serde::{Deserialize, Serialize};

/// Name of a point of contact: two geometries, their parts, and the features of these that touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Key {
    geometry: [u32; 2],
    parts: [u32; 2],
    pub features: [u32; 2],
}

impl Key {
    /// Places of the geometries.
    pub(crate) const fn geometry(&self) -> [u32; 2] {
        self.geometry
    }

    /// The name of a point of a manifold.
    pub(crate) fn new(geometry: [u32; 2], manifold: &ContactManifold, point: usize) -> Self {
        let features = manifold.points.get(point);
        Self {
            geometry,
            parts: [manifold.subshape1, manifold.subshape2],
            features: features.map_or([0; 2], |point| [point.fid1.0, point.fid2.0]),
        }
    }
}

/// A point of contact.
#[derive(Clone, Copy)]
pub(super) struct Touch {
    pub key: Key,
    pub bodies: [usize; 2],
    /// Of a contact that supports a driven robot: the side that is the robot's, and the robot's base.
    pub driven: Option<(usize, usize)>,
    pub contact: Contact,
}
