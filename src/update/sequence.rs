//! Executor of the schedule of a tick.
use std::{
    any::TypeId,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
};

use bevy::{
    ecs::{
        error::{ErrorContext, ErrorHandler},
        schedule::{
            ApplyDeferred, FixedBitSet, SingleThreadedExecutor, SystemExecutor, SystemSchedule,
            SystemWithAccess,
        },
        system::RunSystemError,
    },
    prelude::*,
    utils::prelude::DebugName,
};

/// Selects the executor of a schedule: [`Sequence`] as long as no system and no set has a condition, else Bevy's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ExecutorChoice {
    /// The schedule was not seen yet.
    #[default]
    Open,
    /// [`Sequence`].
    Sequence,
    /// Bevy's single-threaded executor.
    Bevy,
}

impl ExecutorChoice {
    /// Sets the executor of a schedule that has got new systems.
    pub(super) fn apply(&mut self, schedule: &mut Schedule) {
        if !schedule.is_changed() {
            return;
        }
        // Once a schedule has run, conditions of its systems are in the executor's list, which is closed.
        let has_run = schedule.systems().is_ok();
        match *self {
            Self::Open if !has_run && !has_conditions(schedule) => {
                *self = Self::Sequence;
                schedule.set_executor(Sequence::default());
            }
            Self::Open => *self = Self::Bevy,
            Self::Sequence if has_conditions(schedule) => {
                *self = Self::Bevy;
                schedule.set_executor(SingleThreadedExecutor::new());
            }
            Self::Sequence | Self::Bevy => {}
        }
    }
}

/// Returns true if a system or a set that was added since the schedule ran has a condition.
fn has_conditions(schedule: &Schedule) -> bool {
    let graph = schedule.graph();
    let mut systems = graph.systems.iter();
    let mut sets = graph.system_sets.iter();
    systems.any(|(_, _, conditions)| !conditions.is_empty())
        || sets.any(|(_, _, conditions)| !conditions.is_empty())
}

/// Runs systems one after the other, without regard to conditions. Bevy's single-threaded executor spends three to five times
/// as long on a system with little to do: it looks for conditions, and for commands of systems that have none.
struct Sequence {
    /// Kinds of the systems; empty until the first run of a schedule.
    kinds: Vec<Kind>,
    /// Indices of the systems that ran and whose commands have not been applied.
    unapplied: Vec<usize>,
    applies_at_end: bool,
}

impl Default for Sequence {
    fn default() -> Self {
        Self {
            kinds: Vec::new(),
            unapplied: Vec::new(),
            applies_at_end: true,
        }
    }
}

/// Kind of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// It makes its changes at once.
    Immediate,
    /// It leaves commands for a later point in the schedule.
    Deferred,
    /// A point at which commands are applied.
    Apply,
}

impl Kind {
    fn of(system: &SystemWithAccess) -> Self {
        if system.system_type() == TypeId::of::<ApplyDeferred>() {
            Self::Apply
        } else if system.has_deferred() {
            Self::Deferred
        } else {
            Self::Immediate
        }
    }
}

impl SystemExecutor for Sequence {
    fn init(&mut self, _: &SystemSchedule) {
        self.kinds.clear();
    }

    fn run(
        &mut self,
        schedule: &mut SystemSchedule,
        world: &mut World,
        skipped: Option<&FixedBitSet>,
        error_handler: ErrorHandler,
    ) {
        #[expect(unsafe_code, reason = "Bevy hands out systems in this way only")]
        // SAFETY: the systems are not replaced; only methods of `System` are called on them.
        let systems = unsafe { schedule.systems_mut() };
        if self.kinds.len() != systems.len() {
            self.kinds = systems.iter().map(Kind::of).collect();
        }
        let mut index = 0;
        let ended = catch_unwind(AssertUnwindSafe(|| {
            while index < systems.len() {
                if skipped.is_none_or(|skipped| !skipped.contains(index)) {
                    self.run_one(systems, index, world, error_handler);
                }
                index += 1;
            }
            if self.applies_at_end {
                self.apply(systems, world);
            }
        }));
        if let Err(payload) = ended {
            if let Some(system) = systems.get(index) {
                report_panic(&system.name());
            }
            resume_unwind(payload);
        }
    }

    fn set_apply_final_deferred(&mut self, value: bool) {
        self.applies_at_end = value;
    }
}

impl Sequence {
    #[inline]
    fn run_one(
        &mut self,
        systems: &mut [SystemWithAccess],
        index: usize,
        world: &mut World,
        error_handler: ErrorHandler,
    ) {
        let (Some(system), Some(kind)) = (systems.get_mut(index), self.kinds.get(index)) else {
            return;
        };
        match kind {
            Kind::Apply => {
                self.apply(systems, world);
                return;
            }
            Kind::Deferred => self.unapplied.push(index),
            Kind::Immediate => {}
        }
        if let Err(RunSystemError::Failed(error)) = system.run_without_applying_deferred((), world)
        {
            let (name, last_run) = (system.name(), system.get_last_run());
            error_handler(error, ErrorContext::System { name, last_run });
        }
    }

    /// Applies the commands of the systems that ran.
    fn apply(&mut self, systems: &mut [SystemWithAccess], world: &mut World) {
        for index in self.unapplied.drain(..) {
            if let Some(system) = systems.get_mut(index) {
                system.apply_deferred(world);
            }
        }
    }
}

/// Reports the system in which a panic occurred, as Bevy's executors do.
#[expect(clippy::print_stderr, reason = "so do Bevy's executors")]
fn report_panic(name: &DebugName) {
    eprintln!("Encountered a panic in system `{name}`!");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Systems that ran, and the number of entities that they saw.
    #[derive(Resource, Default)]
    struct Ran(Vec<(&'static str, usize)>);

    #[derive(Component)]
    struct Thing;

    fn see(name: &'static str) -> impl FnMut(ResMut<Ran>, Query<&Thing>) {
        move |mut ran: ResMut<Ran>, things: Query<&Thing>| ran.0.push((name, things.count()))
    }

    fn spawn(mut commands: Commands) {
        commands.spawn(Thing);
    }

    /// Runs a schedule once with each executor, and returns what its systems saw.
    fn run_with_both(add: impl Fn(&mut Schedule)) -> [Vec<(&'static str, usize)>; 2] {
        [true, false].map(|is_sequence| {
            let (mut world, mut schedule) = (World::new(), Schedule::new(FixedUpdate));
            world.init_resource::<Ran>();
            add(&mut schedule);
            if is_sequence {
                schedule.set_executor(Sequence::default());
            } else {
                schedule.set_executor(SingleThreadedExecutor::new());
            }
            for _ in 0..2 {
                schedule.run(&mut world);
            }
            std::mem::take(&mut world.resource_mut::<Ran>().0)
        })
    }

    #[test]
    fn commands_are_applied_where_bevy_applies_them() {
        let [own, bevy] = run_with_both(|schedule| {
            schedule.add_systems((see("before"), spawn, see("after")).chain());
        });
        assert_eq!(own, bevy);
        assert_eq!(own.first(), Some(&("before", 0)));
        assert!(own.contains(&("after", 1)), "{own:?}");
    }

    #[test]
    fn systems_whose_parameters_are_absent_are_skipped() {
        let [own, bevy] = run_with_both(|schedule| {
            let never = |_: Single<&Thing>, mut ran: ResMut<Ran>| ran.0.push(("never", 0));
            schedule.add_systems((see("first"), never, see("last")).chain());
        });
        assert_eq!(own, bevy);
        assert_eq!(own, [("first", 0), ("last", 0)].repeat(2));
    }

    #[test]
    fn a_panic_passes_on() {
        let (mut world, mut schedule) = (World::new(), Schedule::new(FixedUpdate));
        schedule.set_executor(Sequence::default());
        schedule.add_systems(|| panic!("a fault"));
        let ended = catch_unwind(AssertUnwindSafe(|| schedule.run(&mut world)));
        let payload = ended.expect_err("a panic");
        assert_eq!(payload.downcast_ref(), Some(&"a fault"));
    }

    #[test]
    fn schedules_with_conditions_keep_the_executor_of_bevy() {
        let mut world = World::new();
        world.init_resource::<Ran>();
        let (mut schedule, mut choice) = (Schedule::new(FixedUpdate), ExecutorChoice::Open);
        let mut run = |schedule: &mut Schedule| {
            choice.apply(schedule);
            schedule.run(&mut world);
            (choice, std::mem::take(&mut world.resource_mut::<Ran>().0))
        };
        schedule.add_systems(see("always"));
        let always = ("always", 0);
        assert_eq!(run(&mut schedule), (ExecutorChoice::Sequence, vec![always]));
        schedule.add_systems(see("never").run_if(|| false));
        assert_eq!(run(&mut schedule), (ExecutorChoice::Bevy, vec![always]));
        schedule.add_systems(see("also"));
        assert_eq!(run(&mut schedule).0, ExecutorChoice::Bevy);
    }

    #[test]
    fn conditions_of_sets_count() {
        #[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
        struct Group;
        let (mut schedule, mut choice) = (Schedule::new(FixedUpdate), ExecutorChoice::Open);
        schedule.configure_sets(Group.run_if(|| false));
        schedule.add_systems((|| {}).in_set(Group));
        choice.apply(&mut schedule);
        assert_eq!(choice, ExecutorChoice::Bevy);
    }
}
