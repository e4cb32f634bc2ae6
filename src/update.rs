//! One update of an app, without those of Bevy's schedules that contain no system.
use bevy::{
    app::{FixedMainScheduleOrder, MainScheduleOrder},
    ecs::schedule::{InternedScheduleLabel, Schedules},
    prelude::*,
};

/// Runs one update of an app: one tick.
///
/// Bevy takes an empty schedule out of its table, runs it and puts it back, which costs as much as a small sensor, a dozen
/// times per update. Schedules that are empty before an update are therefore left out of it.
pub(crate) fn update(app: &mut App) {
    app.init_resource::<Order>();
    leave_out_empty(app.world_mut());
    app.update();
}

/// Bevy's schedules of an update, in their order, with the empty ones.
#[derive(Resource)]
struct Order {
    main: Vec<InternedScheduleLabel>,
    fixed: Vec<InternedScheduleLabel>,
    /// True for each schedule of `main`, then of `fixed`, that contained systems in the last update.
    filled: Vec<bool>,
}

impl FromWorld for Order {
    fn from_world(world: &mut World) -> Self {
        let main = world.get_resource::<MainScheduleOrder>();
        let fixed = world.get_resource::<FixedMainScheduleOrder>();
        let main = main.map_or_else(Vec::new, |order| order.labels.clone());
        let fixed = fixed.map_or_else(Vec::new, |order| order.labels.clone());
        Self {
            filled: vec![true; main.len() + fixed.len()],
            main,
            fixed,
        }
    }
}

/// Updates Bevy's lists of schedules, if another one contains systems.
fn leave_out_empty(world: &mut World) {
    let (schedules, order) = (world.resource::<Schedules>(), world.resource::<Order>());
    let has_systems = |label: &InternedScheduleLabel| {
        let schedule = schedules.get(*label);
        schedule.is_some_and(|schedule| schedule.systems_len() > 0)
    };
    let filled = || order.main.iter().chain(&order.fixed).map(has_systems);
    if filled().eq(order.filled.iter().copied()) {
        return;
    }
    let filled = filled().collect();
    let only_filled = |labels: &[InternedScheduleLabel]| {
        let labels = labels.iter().copied();
        labels.filter(has_systems).collect::<Vec<_>>()
    };
    let (main, fixed) = (only_filled(&order.main), only_filled(&order.fixed));
    world.resource_mut::<Order>().filled = filled;
    world.resource_mut::<MainScheduleOrder>().labels = main;
    world.resource_mut::<FixedMainScheduleOrder>().labels = fixed;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Resource, Default)]
    struct Ran(Vec<&'static str>);

    fn note(name: &'static str) -> impl FnMut(ResMut<Ran>) {
        move |mut ran: ResMut<Ran>| ran.0.push(name)
    }

    #[test]
    fn schedules_run_in_their_order_once_they_contain_a_system() {
        let mut app = App::new();
        crate::tick::plugin(&mut app, 60.0);
        app.init_resource::<Ran>()
            .add_systems(FixedUpdate, note("tick"));
        // The first update makes no tick.
        update(&mut app);
        update(&mut app);
        let lengths = |app: &App| {
            let world = app.world();
            let main = world.resource::<MainScheduleOrder>().labels.len();
            (
                main,
                world.resource::<FixedMainScheduleOrder>().labels.len(),
            )
        };
        let (main, fixed) = lengths(&app);
        assert!(main < 7 && fixed < 5, "{main} and {fixed} contain systems");
        let mut schedules = app.world_mut().resource_mut::<Schedules>();
        schedules.add_systems(Update, note("after"));
        schedules.add_systems(FixedPreUpdate, note("before"));
        update(&mut app);
        assert_eq!(lengths(&app), (main + 1, fixed + 1));
        let ran = &app.world().resource::<Ran>().0;
        assert_eq!(*ran, ["tick", "before", "tick", "after"]);
    }
}
