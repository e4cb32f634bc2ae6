//! Contacts between bodies, for components that sense them.
use bevy::prelude::*;
use nalgebra::{Point3, Vector3};

/// Two geometries in contact, seen from one of their bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The geometry's entity.
    pub geometry: Entity,
    /// The body whose contacts were queried.
    pub body: Entity,
    /// The geometry that it touches.
    pub other_geometry: Entity,
    /// The body of the other geometry.
    pub other_body: Entity,
    /// Force of the other body along the contact normals, without friction, world axes, N. The mean over the last step of
    /// the engine.
    pub force: Vector3<f64>,
    /// Mean of the contact points, weighted by their forces, in the world, m.
    pub point: Point3<f64>,
}

/// Contacts of the body on which a component is mounted, ordered by the paths of the geometries. Physics writes them before
/// `default_action` whenever the component is due.
#[derive(Component, Clone, Debug, Default)]
pub struct Touching(pub Vec<Contact>);
