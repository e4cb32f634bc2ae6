//! Order of kinds within a phase. The systems of a kind run only in worlds that have one of its components.
//!
//! A world has a few of the hundred kinds; the systems of the others would have no work, two hundred times per tick. Other
//! systems can wait for a component as well: see [`add_waiting`].
use std::{
    collections::{BTreeMap, BTreeSet},
    marker::PhantomData,
};

use bevy::{
    ecs::{
        lifecycle::ComponentHook,
        schedule::{IntoScheduleConfigs, ScheduleConfigs},
        system::ScheduleSystem,
        world::DeferredWorld,
    },
    prelude::*,
};

use crate::tick::{Actuate, Inputs, Tick};

/// Slot of one kind in a phase. Kinds run one after the other, in the order of registration, so that the schedule has a
/// single order.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Turn(pub Tick, pub &'static str);

/// Slots of each phase, in the order of registration; true for those that are in the schedule.
#[derive(Resource, Default)]
struct Order(BTreeMap<Tick, Vec<(Turn, bool)>>);

impl Order {
    /// Registers a slot after those before it.
    fn add(&mut self, turn: Turn) {
        let phase = self.0.entry(turn.0).or_default();
        if phase.iter().all(|(known, _)| *known != turn) {
            phase.push((turn, false));
        }
    }

    /// Adds a slot to the schedule; returns its neighbours in the schedule, before and after. `None` if it is in the
    /// schedule already.
    fn enter(&mut self, turn: Turn) -> Option<[Option<Turn>; 2]> {
        let phase = self.0.get_mut(&turn.0)?;
        let index = phase.iter().position(|(known, _)| *known == turn)?;
        let (before, rest) = phase.split_at_mut(index);
        let ((_, is_there), after) = rest.split_first_mut()?;
        if std::mem::replace(is_there, true) {
            return None;
        }
        let there = |(turn, is_there): &(Turn, bool)| is_there.then_some(*turn);
        let previous = before.iter().rev().find_map(there);
        Some([previous, after.iter().find_map(there)])
    }
}

/// Returns systems of a kind.
type Make = Box<dyn FnOnce() -> ScheduleConfigs<ScheduleSystem> + Send + Sync>;

/// Systems of the kinds that are not in the schedule yet, with their slots if they have one.
#[derive(Resource, Default)]
struct Waiting(BTreeMap<&'static str, Vec<(Option<Turn>, Make)>>);

/// Kinds of which the world got a first component since the last tick.
#[derive(Resource, Default)]
struct Wanted(BTreeSet<&'static str>);

/// Systems of a kind: systems, as `add_systems` accepts them, or a function that returns configured systems, such as
/// `|| (aim, measure).chain()`. Bevy's configurations of systems cannot leave their thread, and a world can.
///
/// `M` is a marker that the compiler finds.
#[diagnostic::on_unimplemented(
    message = "these are no systems of a kind",
    note = "configured systems are returned by a function: `|| (first, second).chain()`"
)]
pub trait Systems<M>: Send + Sync + 'static {
    /// Returns the systems.
    fn configured(self) -> ScheduleConfigs<ScheduleSystem>;
}

/// Marker of systems without configuration.
pub struct Plain<M>(PhantomData<M>);

/// Marker of a function that returns systems.
pub struct Made;

impl<M, S> Systems<Plain<M>> for S
where
    S: IntoScheduleConfigs<ScheduleSystem, M> + Send + Sync + 'static,
{
    fn configured(self) -> ScheduleConfigs<ScheduleSystem> {
        self.into_configs()
    }
}

impl<F> Systems<Made> for F
where
    F: FnOnce() -> ScheduleConfigs<ScheduleSystem> + Send + Sync + 'static,
{
    fn configured(self) -> ScheduleConfigs<ScheduleSystem> {
        self()
    }
}

/// Assigns a kind to a slot in a phase, after the kinds before it. Its systems enter the schedule with the first component
/// of the kind: see [`wait_for`].
pub(crate) fn add_in_turn<M>(
    app: &mut App,
    phase: Tick,
    kind: &'static str,
    systems: impl Systems<M>,
) {
    let turn = Turn(phase, kind);
    let world = app.world_mut();
    world.get_resource_or_init::<Order>().add(turn);
    push_waiting(app, kind, Some(turn), move || {
        systems.configured().in_set(turn)
    });
}

/// Adds systems to [`FixedUpdate`] once the world has got a component that needs them. [`wait_for`] states which: the systems
/// wait for any of them. Until then they take no time.
///
/// `kind` is a name of their own; all systems with that name enter the schedule together.
pub fn add_waiting<M>(app: &mut App, kind: &'static str, systems: impl Systems<M>) {
    push_waiting(app, kind, None, || systems.configured());
}

fn push_waiting(
    app: &mut App,
    kind: &'static str,
    turn: Option<Turn>,
    systems: impl FnOnce() -> ScheduleConfigs<ScheduleSystem> + Send + Sync + 'static,
) {
    let mut waiting = app.world_mut().get_resource_or_init::<Waiting>();
    let of_kind = waiting.0.entry(kind).or_default();
    of_kind.push((turn, Box::new(systems)));
}

/// Delays the systems of a kind until the first component `C` exists. `hook` is called when a component `C` is added, and
/// must call [`require_turn`] with the kind.
///
/// A component has one such hook: a second one is not set, and the systems are in the schedule from the start.
pub fn wait_for<C: Component>(app: &mut App, kind: &'static str, hook: ComponentHook) {
    if !app.is_plugin_added::<Turns>() {
        app.add_plugins(Turns);
    }
    let hooks = app.world_mut().register_component_hooks::<C>();
    if hooks.try_on_add(hook).is_none() {
        // `C` has another hook: the systems are in the schedule from the start.
        let mut wanted = app.world_mut().get_resource_or_init::<Wanted>();
        wanted.0.insert(kind);
    }
}

/// Records that a component of a kind exists. Its systems enter the schedule before the next tick.
pub fn require_turn(mut world: DeferredWorld<'_>, kind: &'static str) {
    if let Some(mut wanted) = world.get_resource_mut::<Wanted>() {
        wanted.0.insert(kind);
    }
}

/// Set of the system that adds new kinds before each tick.
struct Turns;

impl Plugin for Turns {
    fn build(&self, app: &mut App) {
        app.init_resource::<Wanted>()
            .init_schedule(FixedUpdate)
            .add_systems(First, begin);
    }
}

/// Adds the systems of kinds of which the world got a first component since the last tick to the schedule. It is a system
/// in [`First`], and has to run before [`FixedUpdate`] if that schedule does not.
pub fn begin(world: &mut World) {
    let wanted = world.get_resource_mut::<Wanted>();
    let Some(mut wanted) = wanted.filter(|wanted| !wanted.0.is_empty()) else {
        return;
    };
    let wanted = std::mem::take(&mut wanted.0);
    let Some(mut waiting) = world.get_resource_mut::<Waiting>() else {
        return;
    };
    let came = wanted.iter().filter_map(|kind| waiting.0.remove(kind));
    let came: Vec<_> = came.flatten().collect();
    world.init_resource::<Order>();
    world.resource_scope(|world, mut order: Mut<'_, Order>| {
        let mut schedules = world.resource_mut::<Schedules>();
        for (turn, systems) in came {
            if let Some((turn, neighbours)) = turn.and_then(|it| Some((it, order.enter(it)?))) {
                insert(&mut schedules, turn, neighbours);
            }
            schedules.add_systems(FixedUpdate, systems());
        }
    });
}

/// Inserts a slot into its phase, between its neighbours. A schedule with the slots of all kinds takes long to sort.
fn insert(schedules: &mut Schedules, turn: Turn, [previous, next]: [Option<Turn>; 2]) {
    match turn.0 {
        Tick::Inputs => schedules.configure_sets(FixedUpdate, turn.in_set(Inputs::Commands)),
        Tick::Actuate => schedules.configure_sets(FixedUpdate, turn.in_set(Actuate::DefaultAction)),
        phase => schedules.configure_sets(FixedUpdate, turn.in_set(phase)),
    };
    if let Some(previous) = previous {
        schedules.configure_sets(FixedUpdate, turn.after(previous));
    }
    if let Some(next) = next {
        schedules.configure_sets(FixedUpdate, turn.before(next));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Systems that ran, in their order.
    #[derive(Resource, Default)]
    struct Ran(Vec<&'static str>);

    #[derive(Component)]
    struct Thing<const N: usize>;

    const KINDS: [&str; 3] = ["velocity", "pose", "clock"];

    fn world() -> App {
        let mut app = App::new();
        app.init_resource::<Ran>();
        for kind in KINDS {
            let note = move |mut ran: ResMut<Ran>| ran.0.push(kind);
            add_in_turn(&mut app, Tick::Outputs, kind, note);
        }
        wait_for::<Thing<0>>(&mut app, KINDS[0], |world, _| require_turn(world, KINDS[0]));
        wait_for::<Thing<1>>(&mut app, KINDS[1], |world, _| require_turn(world, KINDS[1]));
        wait_for::<Thing<2>>(&mut app, KINDS[2], |world, _| require_turn(world, KINDS[2]));
        app
    }

    fn tick(app: &mut App) -> Vec<&'static str> {
        app.world_mut().run_schedule(First);
        app.world_mut().run_schedule(FixedUpdate);
        std::mem::take(&mut app.world_mut().resource_mut::<Ran>().0)
    }

    #[test]
    fn kinds_run_in_the_order_of_their_registration_however_they_come() {
        let mut app = world();
        assert!(tick(&mut app).is_empty());
        app.world_mut().spawn(Thing::<2>);
        assert_eq!(tick(&mut app), ["clock"]);
        app.world_mut().spawn(Thing::<0>);
        assert_eq!(tick(&mut app), ["velocity", "clock"]);
        app.world_mut().spawn((Thing::<1>, Thing::<0>));
        assert_eq!(tick(&mut app), KINDS);
        assert_eq!(tick(&mut app), KINDS);
    }

    #[test]
    fn the_schedule_has_no_turns_of_kinds_that_are_not_there() {
        let mut app = world();
        app.world_mut().spawn(Thing::<1>);
        assert_eq!(tick(&mut app), ["pose"]);
        let schedules = app.world().resource::<Schedules>();
        let sets = &schedules.get(FixedUpdate).unwrap().graph().system_sets;
        let there = KINDS.map(|kind| sets.contains(Turn(Tick::Outputs, kind)));
        assert_eq!(there, [false, true, false]);
    }

    #[test]
    fn a_kind_with_a_hook_of_its_own_is_there_from_the_start() {
        let mut app = App::new();
        app.init_resource::<Ran>();
        let note = |mut ran: ResMut<Ran>| ran.0.push("own");
        add_in_turn(&mut app, Tick::Action, "own", note);
        let hooks = app.world_mut().register_component_hooks::<Thing<9>>();
        hooks.on_add(|_, _| ());
        wait_for::<Thing<9>>(&mut app, "own", |world, _| require_turn(world, "own"));
        assert_eq!(tick(&mut app), ["own"]);
    }
}
