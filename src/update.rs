//! One update of an app: a tick.
//!
//! Around the systems of a tick, Bevy runs eight schedules. Without a window they contain only systems of Bevy that have
//! nothing to do, and to take a schedule out of its table, to run it and to put it back costs as much as a sensor. They are
//! left out then: `First` and `FixedUpdate` remain.
use bevy::{
    app::{FixedMain, FixedMainScheduleOrder, Main, MainScheduleOrder, SpawnScene},
    ecs::{
        message::{MessageRegistry, ShouldUpdateMessages},
        schedule::{InternedScheduleLabel, ScheduleLabel, Schedules},
    },
    prelude::*,
    time::Virtual,
};

/// Runs one update of an app that has made its first one.
pub(crate) fn update(app: &mut App) {
    app.init_resource::<Frame>();
    let has_sub_apps = !app.sub_apps().sub_apps.is_empty();
    if has_sub_apps || !is_bare(app.world()) {
        app.update();
        return;
    }
    let world = app.world_mut();
    world.run_schedule(First);
    run_ticks(world);
    world.clear_trackers();
}

/// Schedules of an update around those of a tick, and the number of Bevy's own systems in them.
#[derive(Resource)]
struct Frame([(InternedScheduleLabel, usize); 12]);

impl Default for Frame {
    fn default() -> Self {
        fn own(label: impl ScheduleLabel, count: usize) -> (InternedScheduleLabel, usize) {
            (label.intern(), count)
        }
        Self([
            own(Main, 1),
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
        ])
    }
}

/// Returns true if these schedules contain Bevy's own systems only, and there are no others.
fn is_bare(world: &World) -> bool {
    let (schedules, frame) = (world.resource::<Schedules>(), world.resource::<Frame>());
    let orders = world
        .get_resource::<MainScheduleOrder>()
        .zip(world.get_resource::<FixedMainScheduleOrder>());
    let labels = orders.map(|(main, fixed)| main.labels.len() + fixed.labels.len());
    // `First` and `FixedUpdate` are in these orders; `Main`, `FixedMain` are not.
    labels == Some(frame.0.len())
        && frame.0.iter().all(|(label, count)| {
            let schedule = schedules.get(*label);
            schedule.map_or(0, Schedule::systems_len) <= *count
        })
}

/// Makes the ticks for the time since the last update, as Bevy's `run_fixed_main_schedule` does.
fn run_ticks(world: &mut World) {
    let passed = world.resource::<Time<Virtual>>().delta();
    world
        .resource_mut::<Time<Fixed>>()
        .accumulate_overstep(passed);
    while expend(&mut world.resource_mut::<Time<Fixed>>()) {
        let time = world.resource::<Time<Fixed>>().as_generic();
        *world.resource_mut::<Time>() = time;
        world.run_schedule(FixedUpdate);
        if let Some(mut registry) = world.get_resource_mut::<MessageRegistry>() {
            registry.should_update = ShouldUpdateMessages::Ready;
        }
    }
    let time = world.resource::<Time<Virtual>>().as_generic();
    *world.resource_mut::<Time>() = time;
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
        assert!(is_bare(one.world()));
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
        assert!(is_bare(simulation.world()));
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
