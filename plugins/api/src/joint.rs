//! Joints as components see them: one entity a configuration variable.
use bevy::prelude::*;
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

/// The variables that belong to a robot, in the scene's order. On the robot's base body.
#[derive(Component, Clone, Debug, Default)]
pub struct RobotJoints(pub Vec<Entity>);
