//! Contact points and their keys.
use bevy_rapier3d::{parry::query::ContactManifold, rapier::prelude::ColliderHandle};
use morse_mechanisms::island::{Contact, Gap, Side};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// Key of a contact point: two geometries, their sub-shapes, and the features in contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Key {
    geometry: [u32; 2],
    subshapes: [u32; 2],
    pub features: [u32; 2],
}

impl Key {
    /// Returns the indices of the geometries.
    pub(crate) const fn geometry(&self) -> [u32; 2] {
        self.geometry
    }

    /// Returns a key of two geometries without sub-shapes.
    pub(super) fn between(geometry: [u32; 2]) -> Self {
        Self {
            geometry,
            ..Self::default()
        }
    }

    /// Returns the key of a point of a manifold.
    pub(crate) fn new<M, P>(
        geometry: [u32; 2],
        manifold: &ContactManifold<M, P>,
        point: usize,
    ) -> Self {
        let features = manifold.points.get(point);
        Self {
            geometry,
            subshapes: [manifold.subshape1, manifold.subshape2],
            features: features.map_or([0; 2], |point| [point.fid1.0, point.fid2.0]),
        }
    }
}

/// Two geometries in contact.
pub(super) struct Pair {
    /// Colliders in the engine's order.
    pub colliders: [ColliderHandle; 2],
    /// Indices of the geometries in the tables.
    pub geometry: [u32; 2],
    pub bodies: [usize; 2],
    /// Tree and number of the pair, if its contacts are detected here.
    pub near: Option<[usize; 2]>,
}

/// A pair of coupled bodies whose contacts are left out, since their gaps stay open.
pub(super) struct OpenGap {
    /// Index of the pair.
    pub pair: usize,
    /// Indices of the bodies among the coupled ones.
    pub bodies: [usize; 2],
    pub gap: Gap,
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

impl ContactPoint {
    /// Returns true if another contact is between the same geometries.
    pub(super) fn has_pair_of(&self, other: &Self) -> bool {
        self.key.geometry() == other.key.geometry()
    }

    /// Returns a contact of two bodies, without an impulse: its position, its normal from the first to the second, the
    /// gap (m), and the coefficients of friction and restitution.
    pub(super) fn new(
        (key, bodies): (Key, [usize; 2]),
        [point, normal]: [Vector3<f64>; 2],
        distance: f64,
        [friction, restitution]: [f32; 2],
    ) -> Self {
        Self {
            key,
            bodies,
            driven: None,
            contact: Contact {
                sides: [Side::Prescribed(Vector3::zeros()); 2],
                friction_sides: [Side::Prescribed(Vector3::zeros()); 2],
                point,
                normal,
                separation_velocity: None,
                slip: None,
                distance,
                friction: f64::from(friction),
                restitution: f64::from(restitution),
                tangent_velocity: Vector3::zeros(),
                share: 1.0,
                impulse: Vector3::zeros(),
            },
        }
    }
}

/// A contact of the last step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Touched {
    pub key: Key,
    /// Position in the middle of the step, in the world, m.
    pub point: [f64; 3],
    /// Unit vector from the first geometry to the second.
    pub normal: [f64; 3],
    /// Impulse, N·s.
    pub impulse: [f64; 3],
    /// Normal separation velocity at the end of the step, m/s, if the contact was active.
    pub separation_velocity: Option<f64>,
    /// Tangential velocity at the end of the last step, world axes, m/s.
    pub slip: Option<[f64; 3]>,
}
