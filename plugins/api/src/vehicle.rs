//! Vehicles with raycast suspension: wheels are not bodies, but rays to the ground.
use bevy::prelude::*;
use nalgebra::Point3;
use serde::{Deserialize, Serialize};

use crate::state::Stateful;

/// A vehicle with raycast suspension, on the entity of the actuator that drives it. Physics supports the base of the
/// actuator's robot on these wheels, also while the actuator does not act.
#[derive(Component, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Vehicle {
    /// Wheels; the actuator writes their commands.
    pub wheels: Vec<VehicleWheel>,
}

impl Stateful for Vehicle {}

/// A wheel on a spring that is attached to a point of the robot's base.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VehicleWheel {
    /// Attachment point of the spring, in the frame of the base, m.
    pub at: Point3<f64>,
    /// Radius, m.
    pub radius: f64,
    /// Length of the unloaded spring, m.
    pub rest_length: f64,
    /// Stiffness of the spring per kilogram of the vehicle, N/(m·kg).
    pub stiffness: f64,
    /// Damping during compression per kilogram of the vehicle, N·s/(m·kg).
    pub compression: f64,
    /// Damping during extension per kilogram of the vehicle, N·s/(m·kg).
    pub relaxation: f64,
    /// Maximum force along the ground, as a multiple of the spring's force.
    pub friction: f64,
    /// Steering angle to the left, rad.
    pub steer: f64,
    /// Driving force, forward, N.
    pub force: f64,
    /// Maximum braking force, N; in MORSE's motion the maximum impulse per step of the engine, N·s. Not applied while a
    /// force drives.
    pub brake: f64,
}
