//! Joints as components see them: one entity a configuration variable.
use bevy::prelude::*;
use nalgebra::{Point3, Vector3};
use serde::{Deserialize, Serialize};

use crate::component::Path;

/// Name and kind of a configuration variable. Its entity also has [`JointState`] and [`JointTarget`].
#[derive(Component, Clone, Debug)]
pub struct JointVariable {
    /// The variable's full name, such as `arm.s0`.
    pub name: String,
    /// Whether it is an angle (rad) or a length (m).
    pub is_angle: bool,
    /// Lowest and highest position (rad or m); infinite where there is no limit.
    pub limits: [f64; 2],
    /// Greatest speed (rad/s or m/s); infinite where there is no limit.
    pub max_velocity: f64,
    /// Greatest effort (N·m or N); infinite where there is no limit.
    pub max_effort: f64,
}

impl JointVariable {
    /// The name that the robot has for it: without the robot's own name, where that is a prefix.
    #[must_use]
    pub fn short_name(&self, robot: Option<&Path>) -> &str {
        let stripped = robot.and_then(|robot| {
            let rest = self.name.strip_prefix(robot.as_str())?;
            rest.strip_prefix('.')
        });
        stripped.unwrap_or(&self.name)
    }
}

/// Where a variable is, after the last tick. Written by the physics alone.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub struct JointState {
    /// rad or m, without the joint's offset, continuous over full turns.
    pub position: f64,
    /// rad/s or m/s.
    pub velocity: f64,
    /// Effort of the motor in the last tick, N·m or N.
    pub effort: f64,
}

/// What a variable is asked to do, until it is asked otherwise. Written by actuators.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum JointTarget {
    /// No motor: the joint swings freely (damping aside).
    #[default]
    Free,
    /// Reach and hold a position, rad or m.
    Position(f64),
    /// Reach and hold a speed, rad/s or m/s.
    Velocity(f64),
    /// Exert an effort, N·m or N.
    Effort(f64),
}

/// Where a variable's first joint sits on its robot, and how far what it moves reaches. On the variable's
/// entity; measured once, as things stand at the start.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub struct JointPlace {
    /// The joint in the frame of the robot's base, or of the world without a robot, m.
    pub at: Point3<f64>,
    /// Direction of its axis there.
    pub axis: Vector3<f64>,
    /// How far the solids of the body below the joint reach from the axis, m: the radius of a wheel.
    pub reach: f64,
}

/// The variables that belong to a robot, in the scene's order. On the robot's base body.
#[derive(Component, Clone, Debug, Default)]
pub struct RobotJoints(pub Vec<Entity>);
