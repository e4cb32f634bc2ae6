//! Motion of joints.
use bevy::prelude::*;
use serde::{Deserialize, Serialize};

/// Motion of the joints of one variable; state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct VariableMotion {
    /// Position, rad or m; angles are continuous over full turns.
    pub position: f64,
    /// Velocity, rad/s or m/s.
    pub velocity: f64,
    /// Effort of the motor, N·m or N.
    pub effort: f64,
    /// Target position of the motor, if there is one.
    pub set_point: Option<f64>,
    /// Velocity of the target position in the last tick, and its change since the previous one, rad/s or m/s.
    pub set_speed: [f64; 2],
    /// Position of a posed variable before this tick.
    pub before: f64,
}

/// Motion of all variables, in the order of the tables; state.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct JointMotion(pub Vec<VariableMotion>);
