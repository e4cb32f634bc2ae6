//! Vehicles on springs: wheels that are not bodies of their own, but rays to the ground.
use bevy::prelude::*;
use nalgebra::Point3;
use serde::{Deserialize, Serialize};

use crate::state::Stateful;

/// A vehicle, on the entity of the actuator that drives it: the physics puts the base of the actuator's
/// robot on these wheels. They carry it as long as it is there, whether the actuator acts or not.
#[derive(Component, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Vehicle {
    /// Its wheels; what they are asked to do is written by the actuator.
    pub wheels: Vec<VehicleWheel>,
}

impl Stateful for Vehicle {}

/// A wheel on a spring that hangs down from a point of the robot's base.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VehicleWheel {
    /// Point from which the spring hangs, in the frame of the base, m.
    pub at: Point3<f64>,
    /// m.
    pub radius: f64,
    /// Length of the spring without load, m.
    pub rest_length: f64,
    /// Of the spring, for each kilogram of the vehicle, N/m.
    pub stiffness: f64,
    /// While the spring is pressed together, for each kilogram of the vehicle, N·s/m.
    pub compression: f64,
    /// While it stretches, for each kilogram of the vehicle, N·s/m.
    pub relaxation: f64,
    /// Greatest force along the ground, as a multiple of the spring's.
    pub friction: f64,
    /// Angle to the left, rad.
    pub steer: f64,
    /// Driving force, forward, N.
    pub force: f64,
    /// Greatest braking force, N; in MORSE's motion the greatest impulse of a step of the engine, N·s. Not while a force
    /// drives.
    pub brake: f64,
}
