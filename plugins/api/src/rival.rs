//! Rivals: several actuators that set the velocity or the pose of one robot, and which of them drives.
use bevy::prelude::*;
use serde::{Deserialize, Serialize};

use crate::state::Stateful;

/// Commands that an actuator with rivals got. On those alone: who has no rival drives as it is. It is state.
///
/// Of rivals the one that was commanded last drives, and one that never was commanded drives nothing; in
/// MORSE's motion the one that was [`Created`] first drives, until it is deactivated. As long as none was
/// commanded, the last one in path order (MORSE's: the first one created) does what it does alone.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rival {
    /// True from a command on, until drives are applied.
    pub is_new: bool,
    /// Tick in which the newest command began to drive; 0 before the first one.
    pub since: u64,
}

impl Stateful for Rival {}

impl Rival {
    /// Notes a command of an actuator, if it has rivals.
    pub fn note(rival: Option<Mut<'_, Self>>) {
        if let Some(mut rival) = rival {
            rival.is_new = true;
        }
    }
}

/// Place of a component in the order of creation, which is that of the simulation file. In MORSE's motion only:
/// elsewhere nothing depends on it.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Created(pub u32);
