//! Arbitration between several actuators that set the velocity or the pose of one robot.
use std::cmp::Reverse;

use bevy::{ecs::system::SystemParam, prelude::*};
use serde::{Deserialize, Serialize};

use crate::{
    component::{Active, Mount},
    motion::MotionMode,
    state::Stateful,
};

/// Commands that an actuator with competitors received. Only on actuators that have competitors. It is state.
///
/// The actuator that received a command last drives; an actuator that never received a command drives nothing. In MORSE's
/// motion the actuator that was [`Created`] first drives until it is deactivated, and while none has received a command, it
/// behaves as if it were alone. Wheels without any command stand still.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contender {
    /// True from a command on until drives are applied.
    pub is_new: bool,
    /// Tick in which the newest command took effect; 0 before the first one.
    pub since: u64,
}

impl Stateful for Contender {}

impl Contender {
    /// Records a command of an actuator, if it has competitors.
    pub fn note(contender: Option<Mut<'_, Self>>) {
        if let Some(mut contender) = contender {
            contender.is_new = true;
        }
    }
}

/// Index of a component in the order of creation, which is that of the simulation file. Used in MORSE's motion only.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Created(pub u32);

/// Priority of an actuator: the greatest rank drives, and among equal ranks the last in path order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    /// Tick of the newest command, if it counts; 0 without one.
    since: u64,
    created: Reverse<Option<Created>>,
}

impl Rank {
    /// Returns the rank of an actuator.
    #[must_use]
    pub fn of(contender: Option<&Contender>, created: Option<Created>, motion: MotionMode) -> Self {
        let since = contender.map_or(0, |contender| {
            if contender.is_new {
                u64::MAX
            } else {
                contender.since
            }
        });
        match motion {
            MotionMode::Default => Self {
                since,
                created: Reverse(None),
            },
            // In MORSE each actuator acted in each tick, the first one last.
            MotionMode::Morse => Self {
                since: u64::from(since > 0),
                created: Reverse(created),
            },
        }
    }

    /// Returns true if the actuator ever received a command.
    #[must_use]
    pub fn is_commanded(&self) -> bool {
        self.since > 0
    }
}

/// Actuators with competitors, for those that set something other than a [`Drive`](crate::body::Drive), such as wheels.
#[derive(SystemParam)]
pub struct Contenders<'w, 's> {
    all: Query<
        'w,
        's,
        (
            Entity,
            &'static Mount,
            &'static Active,
            &'static Contender,
            Option<&'static Created>,
        ),
    >,
    motion: Option<Res<'w, MotionMode>>,
}

impl Contenders<'_, '_> {
    /// Returns true if another actuator of the robot has priority for values that both set. `sets` returns true for
    /// actuators that set them.
    #[must_use]
    pub fn yields(&self, actuator: Entity, sets: impl Fn(Entity) -> bool) -> bool {
        let Ok((_, own, _, contender, created)) = self.all.get(actuator) else {
            return false;
        };
        let motion = self.motion.as_deref().copied().unwrap_or_default();
        let rank = Rank::of(Some(contender), created.copied(), motion);
        self.all
            .iter()
            .any(|(other, mount, active, contender, created)| {
                let other_rank = Rank::of(Some(contender), created.copied(), motion);
                // A commanded actuator has priority over one that never was, also while it does not act.
                let goes_before = if active.0 {
                    other_rank > rank
                } else {
                    other_rank.is_commanded() && !rank.is_commanded()
                };
                other != actuator && mount.robot == own.robot && goes_before && sets(other)
            })
    }
}
