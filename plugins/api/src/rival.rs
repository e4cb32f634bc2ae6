//! Rivals: several actuators that set the velocity or the pose of one robot, and which of them drives.
use std::cmp::Reverse;

use bevy::{ecs::system::SystemParam, prelude::*};
use serde::{Deserialize, Serialize};

use crate::{
    component::{Active, Mount},
    motion::MotionMode,
    state::Stateful,
};

/// Commands that an actuator with rivals got. On those alone: who has no rival drives as it is. It is state.
///
/// Of rivals the one that was commanded last drives, and one that never was commanded drives nothing; in
/// MORSE's motion the one that was [`Created`] first drives, until it is deactivated, and as long as none was
/// commanded, it does what it does alone. Wheels of which no rival was commanded stand.
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

/// Right of an actuator to drive: of several the one of the greatest rank does, and of equal ones the last in path
/// order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    /// Tick of the newest command, as far as it counts; 0 without any.
    since: u64,
    created: Reverse<Option<Created>>,
}

impl Rank {
    /// The rank of an actuator.
    #[must_use]
    pub fn of(rival: Option<&Rival>, created: Option<Created>, motion: MotionMode) -> Self {
        let since = rival.map_or(0, |rival| if rival.is_new { u64::MAX } else { rival.since });
        match motion {
            MotionMode::Default => Self {
                since,
                created: Reverse(None),
            },
            // There each actuator acted in each tick, the first one last.
            MotionMode::Morse => Self {
                since: u64::from(since > 0),
                created: Reverse(created),
            },
        }
    }

    /// True if it ever was commanded.
    #[must_use]
    pub fn is_commanded(&self) -> bool {
        self.since > 0
    }
}

/// Actuators with rivals, for those that set something else than a [`Drive`](crate::body::Drive), such as wheels.
#[derive(SystemParam)]
pub struct Rivals<'w, 's> {
    all: Query<
        'w,
        's,
        (
            Entity,
            &'static Mount,
            &'static Active,
            &'static Rival,
            Option<&'static Created>,
        ),
    >,
    motion: Option<Res<'w, MotionMode>>,
}

impl Rivals<'_, '_> {
    /// Tells whether an actuator leaves it to another one of its robot to set what both set. `sets` tells who sets it.
    #[must_use]
    pub fn yields(&self, actuator: Entity, sets: impl Fn(Entity) -> bool) -> bool {
        let Ok((_, own, _, rival, created)) = self.all.get(actuator) else {
            return false;
        };
        let motion = self.motion.as_deref().copied().unwrap_or_default();
        let rank = Rank::of(Some(rival), created.copied(), motion);
        self.all
            .iter()
            .any(|(other, mount, active, rival, created)| {
                let other_rank = Rank::of(Some(rival), created.copied(), motion);
                // One that was commanded leaves nothing to one that never was, also while it does not act.
                let goes_before = if active.0 {
                    other_rank > rank
                } else {
                    other_rank.is_commanded() && !rank.is_commanded()
                };
                other != actuator && mount.robot == own.robot && goes_before && sets(other)
            })
    }
}
