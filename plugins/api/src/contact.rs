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

/// A point of contact, seen from one of its two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TouchPoint {
    /// The frame of the geometry that is touched, on the body whose contacts were queried.
    pub frame: Entity,
    /// The frame of the geometry that touches it.
    pub other_frame: Entity,
    /// The body of the other frame.
    pub other_body: Entity,
    /// Position in the world, m.
    pub point: Point3<f64>,
    /// Unit normal, world axes: from the other body to the own one.
    pub normal: Vector3<f64>,
    /// Force on the own body, with friction, world axes, N. The mean over the last step of the engine.
    pub force: Vector3<f64>,
    /// Depth of the penetration, m; zero for surfaces that only touch.
    pub depth: f64,
}

/// Points of contact of the body on which a component is mounted, in a reproducible order. Physics writes them before
/// `default_action` whenever the component is due, and solves the contacts of such a body itself, with friction.
#[derive(Component, Clone, Debug, Default)]
pub struct Touches(pub Vec<TouchPoint>);

/// Force and torque that the part of a robot beyond the frame of a component exerts on the part that carries it. Physics
/// writes them before `default_action` whenever the component is due.
///
/// The part beyond is the frame on which the component is mounted with all its descendants: other frames of the same body,
/// and bodies behind joints. By Newton's second law, the wrench is minus the change of momentum of the part beyond per time,
/// plus its weight and all forces of contacts and grasps on it; the mean over the last tick.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// Force in the component's axes, N.
    pub force: Vector3<f64>,
    /// Torque about the component's origin, in its axes, N·m.
    pub torque: Vector3<f64>,
}

/// Contacts of the body on which a component is mounted, ordered by the paths of the geometries. Physics writes them before
/// `default_action` whenever the component is due.
#[derive(Component, Clone, Debug, Default)]
pub struct Touching(pub Vec<Contact>);
