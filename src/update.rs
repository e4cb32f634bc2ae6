//! One update of an app: a tick.
//!
//! Around the systems of a tick, Bevy runs nine schedules. Without a window they contain only systems of Bevy, most of which
//! have nothing to do, and three in `First`: for the time, for messages and for new kinds of components. To take a schedule
//! out of its table, to run it and to put it back costs as much as a sensor. Only `FixedUpdate` is run then, and the work of
//! `First` is done here.
mod known;
mod sequence;

use std::mem;

use bevy::{
    app::SubApps,
    ecs::{
        change_detection::Tick,
        message::{MessageRegistry, ShouldUpdateMessages},
        schedule::Schedules,
        system::SystemState,
        world::WorldId,
    },
    prelude::*,
    time::{Real, TimeUpdateStrategy, Virtual, update_virtual_time},
};
use morse_api::{turn, warning::Warnings};

use known::KnownSchedules;
use sequence::ExecutorChoice;

/// Updates apps.
#[derive(Default)]
pub(crate) struct Updater(Option<Box<Ticks>>);

impl Updater {
    /// Runs one update of apps that have made their first one.
    pub(crate) fn update(&mut self, apps: &mut SubApps) {
        if !self.update_bare(apps) {
            apps.update();
        }
    }

    /// Runs an update without the schedules around a tick. Returns false, and does nothing, if it needs them.
    fn update_bare(&mut self, apps: &mut SubApps) -> bool {
        if !apps.sub_apps.is_empty() {
            return false;
        }
        let world = apps.main.world_mut();
        let ticks = match &mut self.0 {
            Some(ticks) if ticks.world == world.id() => ticks,
            ticks => ticks.insert(Box::new(Ticks::new(world))),
        };
        let time = ticks.begin(world);
        if let Some(time) = time {
            ticks.run(world, time);
        }
        time.is_some()
    }
}

/// Resources at the beginning of an update.
type Beginning = (
    Res<'static, TimeUpdateStrategy>,
    Res<'static, Schedules>,
    ResMut<'static, Time<Real>>,
    ResMut<'static, Time<Virtual>>,
    ResMut<'static, Time<Fixed>>,
    Option<ResMut<'static, MessageRegistry>>,
);

/// Resources before and after a tick.
type Between = (
    ResMut<'static, Schedules>,
    ResMut<'static, Time<Fixed>>,
    ResMut<'static, Time>,
    Option<ResMut<'static, MessageRegistry>>,
);

/// Warning about systems that are lost.
const LATE: &str =
    "systems that are added to `FixedUpdate` within a tick never run: add them between two ticks";

/// Makes the ticks of a world.
struct Ticks {
    world: WorldId,
    beginning: SystemState<Beginning>,
    between: SystemState<Between>,
    schedules: KnownSchedules,
    executor: ExecutorChoice,
    /// The schedule of a tick while it runs; else an empty one, which is in its place meanwhile.
    schedule: Schedule,
    /// True while the schedule of a tick is here.
    is_out: bool,
    /// Messages of the world, while they are updated.
    messages: Option<MessageRegistry>,
    /// Change tick of the world after the last update of the messages.
    last_messages: Tick,
}

impl Ticks {
    fn new(world: &mut World) -> Self {
        Self {
            world: world.id(),
            beginning: SystemState::new(world),
            between: SystemState::new(world),
            schedules: KnownSchedules::default(),
            executor: ExecutorChoice::default(),
            schedule: Schedule::new(FixedUpdate),
            is_out: false,
            messages: None,
            last_messages: Tick::new(0),
        }
    }

    /// Advances the time and the messages, as the systems in `First` do. Returns the virtual time; `None`, and does nothing,
    /// if an update is not one tick or the schedules around it contain other systems.
    fn begin(&mut self, world: &mut World) -> Option<Time> {
        let (strategy, schedules, mut real, mut virtual_time, mut fixed, registry) =
            self.beginning.get_mut(world).ok()?;
        if !matches!(*strategy, TimeUpdateStrategy::FixedTimesteps(1)) {
            return None;
        }
        if !self.schedules.are_known(schedules.last_changed()) {
            let are_known = self.schedules.examine(world);
            return are_known.then(|| self.begin(world)).flatten();
        }
        real.update_with_duration(fixed.timestep());
        let mut time = Time::default();
        update_virtual_time(&mut time, &mut virtual_time, &real);
        fixed.accumulate_overstep(virtual_time.delta());
        self.messages = registry.and_then(|mut registry| {
            let is_due = registry.should_update != ShouldUpdateMessages::Waiting;
            is_due.then(|| mem::take(&mut *registry))
        });
        self.update_messages(world);
        turn::begin(world);
        Some(time)
    }

    /// Drops the messages of the update before the last one, as Bevy's `message_update_system` does.
    fn update_messages(&mut self, world: &mut World) {
        if let Some(registry) = &mut self.messages {
            registry.run_updates(world, self.last_messages);
            if registry.should_update == ShouldUpdateMessages::Ready {
                registry.should_update = ShouldUpdateMessages::Waiting;
            }
        }
        self.last_messages = world.increment_change_tick();
    }

    /// Makes the ticks for the virtual time since the last update, as Bevy's `run_fixed_main_schedule` does.
    fn run(&mut self, world: &mut World, time: Time) {
        while self.enter_tick(world, time) {
            self.schedule.run(world);
        }
        if !self.is_out && self.schedule.is_changed() {
            self.drop_late_systems(world);
        }
        world.clear_trackers();
    }

    /// Reports systems that were added to the schedule of a tick while it ran, and so to the one in its place. In Bevy they
    /// are lost as well.
    fn drop_late_systems(&mut self, world: &mut World) {
        self.schedule = Schedule::new(FixedUpdate);
        if let Some(mut warnings) = world.get_resource_mut::<Warnings>() {
            warnings.say(LATE.to_owned());
        }
    }

    /// Enters the next tick if it is due, with its schedule and its time. If it is not, puts them back and returns false.
    fn enter_tick(&mut self, world: &mut World, virtual_time: Time) -> bool {
        let Ok((mut schedules, mut fixed, mut time, mut registry)) = self.between.get_mut(world)
        else {
            return false;
        };
        let is_due = expend(&mut fixed);
        *time = if is_due {
            fixed.as_generic()
        } else {
            virtual_time
        };
        if let Some(registry) = &mut registry {
            if let Some(messages) = self.messages.take() {
                **registry = messages;
            }
            if is_due {
                registry.should_update = ShouldUpdateMessages::Ready;
            }
        }
        if is_due != self.is_out {
            self.schedules.exchange(&mut schedules, &mut self.schedule);
            self.is_out = is_due;
        }
        if is_due {
            self.executor.apply(&mut self.schedule);
        }
        is_due
    }
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
    use bevy::ecs::schedule::ScheduleLabel as _;

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
        let mut updater = Updater::default();
        for _ in 0..3 {
            assert!(updater.update_bare(one.sub_apps_mut()));
            other.update();
        }
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
        assert!(KnownSchedules::default().examine(simulation.world()));
    }

    #[test]
    fn schedules_run_once_they_contain_a_system() {
        let (mut app, mut updater) = (app(), Updater::default());
        updater.update(app.sub_apps_mut());
        let mut schedules = app.world_mut().resource_mut::<Schedules>();
        schedules.add_systems(Update, note("after"));
        schedules.add_systems(FixedPreUpdate, note("before"));
        updater.update(app.sub_apps_mut());
        let ran = app.world().resource::<Ran>().0.iter();
        let names: Vec<&str> = ran.map(|(name, _)| *name).collect();
        assert_eq!(names, ["tick", "before", "tick", "after"]);
    }

    #[test]
    fn schedules_with_known_systems_run_once_they_contain_another_one() {
        for label in [First.intern(), PreUpdate.intern(), Last.intern()] {
            let (mut app, mut updater) = (app(), Updater::default());
            updater.update(app.sub_apps_mut());
            app.add_systems(label, note("other"));
            updater.update(app.sub_apps_mut());
            updater.update(app.sub_apps_mut());
            let ran = app.world().resource::<Ran>().0.iter();
            let count = ran.filter(|(name, _)| *name == "other").count();
            assert_eq!(count, 2, "{label:?}");
        }
    }

    #[test]
    fn systems_that_are_added_within_a_tick_are_reported() {
        let (mut app, mut updater) = (app(), Updater::default());
        app.init_resource::<Warnings>();
        let mut is_first = true;
        app.add_systems(FixedUpdate, move |mut schedules: ResMut<Schedules>| {
            if mem::take(&mut is_first) {
                schedules.add_systems(FixedUpdate, note("late"));
            }
        });
        for _ in 0..3 {
            assert!(updater.update_bare(app.sub_apps_mut()));
        }
        let ran = &app.world().resource::<Ran>().0;
        assert!(ran.iter().all(|(name, _)| *name == "tick"), "{ran:?}");
        let warnings = app.world_mut().resource_mut::<Warnings>().take();
        assert_eq!(warnings.len(), 1, "{warnings:?}");
    }

    #[test]
    fn messages_last_as_long_as_in_updates_of_bevy() {
        let (mut one, mut other) = (app(), app());
        let mut updater = Updater::default();
        let count = |app: &App| app.world().resource::<Messages<AppExit>>().len();
        for tick in 0..6 {
            for app in [&mut one, &mut other] {
                if tick < 2 {
                    app.world_mut().write_message(AppExit::Success);
                }
            }
            updater.update(one.sub_apps_mut());
            other.update();
            assert_eq!(count(&one), count(&other), "tick {tick}");
        }
        assert_eq!(count(&one), 0);
    }
}
