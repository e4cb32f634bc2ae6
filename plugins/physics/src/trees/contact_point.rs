//! Contact points and their keys.
use bevy_rapier3d::rapier::geometry::ContactManifold;
use morse_mechanisms::island::Contact;
use serde::{Deserialize, Serialize};

/// Key of a contact point: two geometries, their sub-shapes, and the features in contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Key {
    geometry: [u32; 2],
    parts: [u32; 2],
    pub features: [u32; 2],
}

impl Key {
    /// Returns the indices of the geometries.
    pub(crate) const fn geometry(&self) -> [u32; 2] {
        self.geometry
    }

    /// Returns the key of a point of a manifold.
    pub(crate) fn new(geometry: [u32; 2], manifold: &ContactManifold, point: usize) -> Self {
        let features = manifold.points.get(point);
        Self {
            geometry,
            parts: [manifold.subshape1, manifold.subshape2],
            features: features.map_or([0; 2], |point| [point.fid1.0, point.fid2.0]),
        }
    }
}

/// A contact point.
#[derive(Clone, Copy)]
pub(super) struct ContactPoint {
    pub key: Key,
    pub bodies: [usize; 2],
    /// For a supporting contact of a driven robot: the robot's side, and its base.
    pub driven: Option<(usize, usize)>,
    pub contact: Contact,
}
