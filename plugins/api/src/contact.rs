//! Contacts between bodies, for components that feel them.
use bevy::prelude::*;
use nalgebra::{Point3, Vector3};

/// Two geometries that touch, as one of their bodies sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The geometry's entity.
    pub geometry: Entity,
    /// The body that was asked about.
    pub body: Entity,
    /// The geometry that it touches.
    pub other_geometry: Entity,
    /// The body of that geometry.
    pub other_body: Entity,
    /// Force of the other one along the normals, without friction, world axes, N. The mean over the last step
    /// of the engine.
    pub force: Vector3<f64>,
    /// The middle of the points of contact, weighted by their forces, in the world, m.
    pub point: Point3<f64>,
}

/// The contacts of the body that carries a component, ordered by the paths of the geometries. Physics fills it
/// whenever the component is due, before its `default_action`.
#[derive(Component, Clone, Debug, Default)]
pub struct Touching(pub Vec<Contact>);
