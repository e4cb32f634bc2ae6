//! Schedules around those of a tick.
use std::{any::TypeId, mem};

use bevy::{
    app::{FixedMain, FixedMainScheduleOrder, Main, MainScheduleOrder, SpawnScene},
    ecs::{
        change_detection::Tick,
        message::message_update_system,
        schedule::{InternedScheduleLabel, ScheduleLabel, Schedules},
    },
    prelude::*,
    time::time_system,
};
use morse_api::turn;

/// Schedules that an update does not need to run, as they contain known systems only.
pub(super) struct KnownSchedules {
    /// Schedules around those of a tick, with the maximum number of known systems in them.
    own: [(InternedScheduleLabel, usize); 13],
    /// Label of the schedule of a tick.
    tick: InternedScheduleLabel,
    /// Types of the known systems in `First`.
    first: [TypeId; 3],
    /// Tick at which the table of schedules had last changed when it was found to contain known systems only.
    known: Option<Tick>,
}

impl Default for KnownSchedules {
    fn default() -> Self {
        fn own(label: impl ScheduleLabel, count: usize) -> (InternedScheduleLabel, usize) {
            (label.intern(), count)
        }
        fn of<M>(system: impl IntoSystem<(), (), M>) -> TypeId {
            IntoSystem::into_system(system).system_type()
        }
        Self {
            tick: FixedUpdate.intern(),
            first: [of(time_system), of(message_update_system), of(turn::begin)],
            own: [
                own(Main, 1),
                own(First, 3),
                own(PreUpdate, 1),
                own(RunFixedMainLoop, 1),
                own(Update, 0),
                own(SpawnScene, 0),
                own(PostUpdate, 0),
                own(Last, 1),
                own(FixedMain, 1),
                own(FixedFirst, 0),
                own(FixedPreUpdate, 0),
                own(FixedPostUpdate, 1),
                own(FixedLast, 0),
            ],
            known: None,
        }
    }
}

impl KnownSchedules {
    /// Returns true if the table of schedules is the one that was examined, by the tick of its last change.
    pub(super) fn are_known(&self, changed: Tick) -> bool {
        self.known == Some(changed)
    }

    /// Returns true if the schedules around a tick contain known systems only, and there are no others.
    pub(super) fn examine(&mut self, world: &World) -> bool {
        let changed = world.get_resource_ref::<Schedules>();
        let changed = changed.map(|schedules| schedules.last_changed());
        self.known = changed.filter(|_| self.has_known_only(world));
        self.known.is_some()
    }

    /// Exchanges the schedule of a tick in the table for another one. Changes that others made before remain unknown.
    pub(super) fn exchange(
        &mut self,
        schedules: &mut ResMut<'_, Schedules>,
        schedule: &mut Schedule,
    ) {
        let were_known = self.are_known(schedules.last_changed());
        let label = self.tick;
        match schedules.get_mut(label) {
            Some(slot) => mem::swap(slot, schedule),
            None => mem::swap(schedules.entry(label), schedule),
        }
        self.known = were_known.then(|| schedules.last_changed());
    }

    fn has_known_only(&self, world: &World) -> bool {
        let schedules = world.resource::<Schedules>();
        let orders = world
            .get_resource::<MainScheduleOrder>()
            .zip(world.get_resource::<FixedMainScheduleOrder>());
        let labels = orders.map(|(main, fixed)| main.labels.len() + fixed.labels.len());
        let is_first_known = schedules.get(First).is_none_or(|first| {
            let types = first.systems();
            first.systems_len() == count(first)
                && types.is_ok_and(|mut types| {
                    types.all(|(_, system)| self.first.contains(&system.system_type()))
                })
        });
        // `FixedUpdate` is in these orders; `Main`, `FixedMain` are not.
        labels == Some(self.own.len() - 1)
            && is_first_known
            && self
                .own
                .iter()
                .all(|(label, most)| schedules.get(*label).map_or(0, count) <= *most)
    }
}

/// Returns the number of systems in a schedule, with those that it has got since it ran.
fn count(schedule: &Schedule) -> usize {
    schedule.graph().systems.len()
}
