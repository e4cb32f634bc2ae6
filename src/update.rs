//! One update of an app: a tick.
//!
//! Around the systems of a tick, Bevy runs nine schedules. Without a window they contain only systems of Bevy, most of which
//! have nothing to do, and three in `First`: for the time, for messages and for new kinds of components. To take a schedule
//! out of its table, to run it and to put it back costs as much as a sensor. Only `FixedUpdate` is run then, and the work of
//! `First` is done here.
use std::any::TypeId;

use bevy::{
    app::{FixedMain, FixedMainScheduleOrder, Main, MainScheduleOrder, SpawnScene},
    ecs::{
        change_detection::Tick,
        message::{MessageRegistry, ShouldUpdateMessages, message_update_system},
        schedule::{InternedScheduleLabel, ScheduleLabel, Schedules},
    },
    prelude::*,
    time::{Real, TimeUpdateStrategy, Virtual, time_system, update_virtual_time},
};
use morse_api::turn;

/// Runs one update of an app that has made its first one.
pub(crate) fn update(app: &mut App) {
    let has_sub_apps = !app.sub_apps().sub_apps.is_empty();
    if has_sub_apps || !is_bare(app.world_mut()) {
        app.update();
        return;
    }
    let world = app.world_mut();
    let time = advance_time(world);
    update_messages(world);
    turn::begin(world);
    run_ticks(world, &time);
    world.clear_trackers();
}

/// Schedules of an update around those of a tick.
#[derive(Resource)]
struct Frame {
    /// Schedules with the maximum number of known systems in them.
    own: [(InternedScheduleLabel, usize); 13],
    /// Types of the systems in `First` whose work is done here.
    first: [TypeId; 3],
    /// Number of systems in all schedules but those of a tick, when they were last found to be known.
    known_systems: Option<usize>,
    /// Change tick of the world after the last update of the messages.
    last_messages: Tick,
}

impl Default for Frame {
    fn default() -> Self {
        fn own(label: impl ScheduleLabel, count: usize) -> (InternedScheduleLabel, usize) {
            (label.intern(), count)
        }
        fn of<M>(system: impl IntoSystem<(), (), M>) -> TypeId {
            IntoSystem::into_system(system).system_type()
        }
        Self {
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
            known_systems: None,
            last_messages: Tick::new(0),
        }
    }
}

/// Returns true if the schedules around a tick contain known systems only, there are no others, and an update is one tick.
fn is_bare(world: &mut World) -> bool {
    let is_one_tick = matches!(
        world.get_resource(),
        Some(TimeUpdateStrategy::FixedTimesteps(1))
    );
    if !is_one_tick {
        return false;
    }
    if !world.contains_resource::<Frame>() {
        world.init_resource::<Frame>();
    }
    let count = count_systems(world);
    if world.resource::<Frame>().known_systems == Some(count) {
        return true;
    }
    let is_bare = has_known_only(world);
    world.resource_mut::<Frame>().known_systems = is_bare.then_some(count);
    is_bare
}

/// Returns the number of systems in all schedules but those of a tick.
fn count_systems(world: &World) -> usize {
    let schedules = world.resource::<Schedules>().iter();
    let ticks = FixedUpdate.intern();
    let others = schedules.filter(|(_, schedule)| schedule.label() != ticks);
    others.map(|(_, schedule)| count(schedule)).sum()
}

/// Returns the number of systems in a schedule, with those that it has got since it ran.
fn count(schedule: &Schedule) -> usize {
    schedule.graph().systems.len()
}

/// Returns true if the schedules of an update contain known systems only, and there are no other schedules.
fn has_known_only(world: &World) -> bool {
    let (schedules, frame) = (world.resource::<Schedules>(), world.resource::<Frame>());
    let orders = world
        .get_resource::<MainScheduleOrder>()
        .zip(world.get_resource::<FixedMainScheduleOrder>());
    let labels = orders.map(|(main, fixed)| main.labels.len() + fixed.labels.len());
    let is_first_known = schedules.get(First).is_none_or(|first| {
        let types = first.systems();
        first.systems_len() == count(first)
            && types.is_ok_and(|mut types| {
                types.all(|(_, system)| frame.first.contains(&system.system_type()))
            })
    });
    // `FixedUpdate` is in these orders; `Main`, `FixedMain` are not.
    labels == Some(frame.own.len() - 1)
        && is_first_known
        && frame
            .own
            .iter()
            .all(|(label, most)| schedules.get(*label).map_or(0, count) <= *most)
}

/// Advances real and virtual time by a tick, as Bevy's `time_system` does. Returns the virtual time.
fn advance_time(world: &mut World) -> Time<Virtual> {
    let step = world.resource::<Time<Fixed>>().timestep();
    let mut real = world.resource_mut::<Time<Real>>();
    real.update_with_duration(step);
    let real = *real;
    let mut virtual_time = world.resource_mut::<Time<Virtual>>();
    update_virtual_time(&mut Time::default(), &mut virtual_time, &real);
    *virtual_time
}

/// Drops the messages of the update before the last one, as Bevy's `message_update_system` does.
fn update_messages(world: &mut World) {
    let since = world.resource::<Frame>().last_messages;
    world.try_resource_scope(|world, mut registry: Mut<'_, MessageRegistry>| {
        if registry.should_update == ShouldUpdateMessages::Waiting {
            return;
        }
        registry.run_updates(world, since);
        if registry.should_update == ShouldUpdateMessages::Ready {
            registry.should_update = ShouldUpdateMessages::Waiting;
        }
    });
    world.resource_mut::<Frame>().last_messages = world.increment_change_tick();
}

/// Makes the ticks for the virtual time since the last update, as Bevy's `run_fixed_main_schedule` does.
fn run_ticks(world: &mut World, time: &Time<Virtual>) {
    world
        .resource_mut::<Time<Fixed>>()
        .accumulate_overstep(time.delta());
    while expend(&mut world.resource_mut::<Time<Fixed>>()) {
        let time = world.resource::<Time<Fixed>>().as_generic();
        *world.resource_mut::<Time>() = time;
        world.run_schedule(FixedUpdate);
        if let Some(mut registry) = world.get_resource_mut::<MessageRegistry>() {
            registry.should_update = ShouldUpdateMessages::Ready;
        }
    }
    *world.resource_mut::<Time>() = time.as_generic();
}

/// Advances the time by a tick, if so much time has passed.
fn expend(time: &mut Time<Fixed>) -> bool {
    let step = time.timestep();
    let passes = time.overstep() >= step;
    if passes {
        time.discard_overstep(step);
        time.advance_by(step);
    }
    passes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Systems that ran, with the time of their schedule, s.
    #[derive(Resource, Default)]
    struct Ran(Vec<(&'static str, f64)>);

    fn note(name: &'static str) -> impl FnMut(ResMut<Ran>, Res<Time>) {
        move |mut ran: ResMut<Ran>, time: Res<Time>| ran.0.push((name, time.elapsed_secs_f64()))
    }

    fn app() -> App {
        let mut app = App::new();
        crate::tick::plugin(&mut app, 8.0);
        app.init_resource::<Ran>()
            .add_message::<AppExit>()
            .add_systems(FixedUpdate, note("tick"));
        // The first update makes no tick.
        app.update();
        app
    }

    #[test]
    fn an_update_makes_the_tick_that_bevy_makes() {
        let (mut one, mut other) = (app(), app());
        for _ in 0..3 {
            update(&mut one);
            other.update();
        }
        assert!(is_bare(one.world_mut()));
        let read = |app: &App| {
            let world = app.world();
            let times = [
                world.resource::<Time>().elapsed(),
                world.resource::<Time<Fixed>>().elapsed(),
                world.resource::<Time<Virtual>>().elapsed(),
            ];
            (world.resource::<Ran>().0.clone(), times)
        };
        assert_eq!(read(&one), read(&other));
        assert_eq!(
            read(&one).0,
            [("tick", 0.125), ("tick", 0.25), ("tick", 0.375)]
        );
    }

    #[test]
    fn a_simulation_needs_no_schedules_around_those_of_a_tick() {
        let text = r#"Simulation(robots: { "rover": (
            model: "robots/atrv.robray",
            sensors: { "pose": (kind: "pose"), "eye": (kind: "video_camera", width: 8, height: 6) },
            actuators: { "motion": (kind: "v_omega") },
        ) })"#;
        let simulation = crate::Simulation::parse(text, ".", &crate::simulation::no_extensions);
        let mut simulation = simulation.unwrap_or_else(|error| panic!("{error}"));
        simulation.step().expect("a tick");
        assert!(has_known_only(simulation.world()));
    }

    #[test]
    fn schedules_run_once_they_contain_a_system() {
        let mut app = app();
        update(&mut app);
        let mut schedules = app.world_mut().resource_mut::<Schedules>();
        schedules.add_systems(Update, note("after"));
        schedules.add_systems(FixedPreUpdate, note("before"));
        update(&mut app);
        let ran = app.world().resource::<Ran>().0.iter();
        let names: Vec<&str> = ran.map(|(name, _)| *name).collect();
        assert_eq!(names, ["tick", "before", "tick", "after"]);
    }

    #[test]
    fn schedules_with_known_systems_run_once_they_contain_another_one() {
        for label in [First.intern(), PreUpdate.intern(), Last.intern()] {
            let mut app = app();
            update(&mut app);
            app.add_systems(label, note("other"));
            update(&mut app);
            update(&mut app);
            let ran = app.world().resource::<Ran>().0.iter();
            let count = ran.filter(|(name, _)| *name == "other").count();
            assert_eq!(count, 2, "{label:?}");
        }
    }

    #[test]
    fn messages_last_as_long_as_in_updates_of_bevy() {
        let (mut one, mut other) = (app(), app());
        let count = |app: &App| app.world().resource::<Messages<AppExit>>().len();
        for tick in 0..6 {
            for app in [&mut one, &mut other] {
                if tick < 2 {
                    app.world_mut().write_message(AppExit::Success);
                }
            }
            update(&mut one);
            other.update();
            assert_eq!(count(&one), count(&other), "tick {tick}");
        }
        assert_eq!(count(&one), 0);
    }
}
