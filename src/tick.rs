//! The order of a tick. This is the only file that orders phases; every other file names one.
use std::time::Duration;

use bevy::{
    prelude::*,
    time::{TimePlugin, TimeUpdateStrategy},
};
pub use morse_api::tick::{Actuate, Clock, Inputs, Look, Tick};
use morse_api::{
    actuator::IsActuator,
    body::BodyState,
    carrier::{self, Bind, Carried, CarriedOrder, Sway},
    component::{Active, Due, Mount, UpdateRate, WorldPose, WorldVelocity, stamp},
    motion::MotionMode,
    sensor::IsSensor,
    service, turn,
};

/// Declares the tick: one fixed chain, run once by each update of the app.
pub fn plugin(app: &mut App, rate: f64) {
    plugin_in(app, rate, MotionMode::Default);
}

/// Declares the tick with the order of the rules of motion.
pub fn plugin_in(app: &mut App, rate: f64, motion: MotionMode) {
    app.add_plugins(TimePlugin)
        .insert_resource(Time::<Fixed>::from_hz(rate))
        // Bevy would split ticks that are longer than a quarter of a second.
        .insert_resource(Time::<Virtual>::from_max_delta(Duration::MAX))
        // One update is one tick, independent of the wall clock. Nothing else reads `Time<Fixed>`.
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .insert_resource(Clock::new(rate))
        .init_resource::<service::Services>()
        .init_resource::<CarriedOrder>()
        .add_systems(
            PreStartup,
            (carrier::hand_over, carrier::follow, carrier::set_poses)
                .chain()
                .after(Bind),
        );
    match motion {
        MotionMode::Default => order(app),
        MotionMode::Morse => order_of_morse(app),
    }
    app.configure_sets(
        FixedUpdate,
        (Actuate::Action, Actuate::DefaultAction, Actuate::Drives)
            .chain()
            .in_set(Tick::Actuate),
    )
    .configure_sets(
        FixedUpdate,
        (Look::Shapes, Look::Stamp).chain().in_set(Tick::Action),
    )
    .add_systems(
        FixedUpdate,
        (
            begin.before(Tick::Inputs),
            action::<IsActuator>.in_set(Actuate::Action),
            action::<IsSensor>.in_set(Look::Stamp),
            service::complete.in_set(Tick::Export),
        ),
    );
    // Also before the first phase: a restored state may have moved the carriers.
    let follow = || {
        let before = carrier::follow.after(begin).before(Tick::Inputs);
        let after = carrier::follow
            .in_set(Look::Stamp)
            .before(action::<IsSensor>);
        (before, after).into_configs()
    };
    turn::add_waiting(app, "carriers", follow);
    turn::wait_for::<Carried>(app, "carriers", |world, _| {
        turn::require_turn(world, "carriers");
    });
}

/// The default order of a tick: sensors measure the result of its physics.
fn order(app: &mut App) {
    app.configure_sets(
        FixedUpdate,
        (
            Tick::Inputs,
            Tick::Actuate,
            Tick::Physics,
            Tick::Action,
            Tick::DefaultAction,
            Tick::Modifiers,
            Tick::Merge,
            Tick::Outputs,
            Tick::Export,
        )
            .chain(),
    )
    .configure_sets(
        FixedUpdate,
        (Inputs::Commands, Inputs::Requests)
            .chain()
            .in_set(Tick::Inputs),
    );
}

/// MORSE's order of a tick: sensors measure between actuators and physics, and requests are served after them. Sensors see
/// poses that were set in this tick, and the motion of the previous tick.
fn order_of_morse(app: &mut App) {
    app.configure_sets(
        FixedUpdate,
        (
            Tick::Inputs,
            Tick::Actuate,
            Tick::Action,
            Tick::DefaultAction,
            Tick::Modifiers,
            Tick::Merge,
            Tick::Outputs,
            Inputs::Requests,
            Tick::Physics,
            Tick::Export,
        )
            .chain(),
    )
    .configure_sets(FixedUpdate, Inputs::Commands.in_set(Tick::Inputs));
}

/// Begins a new tick.
fn begin(mut clock: ResMut<Clock>) {
    clock.tick += 1;
}

/// Selects the sensors (or actuators) that are due, and stamps their poses and velocities.
fn action<Kind: Component>(
    clock: Res<Clock>,
    bodies: Query<&BodyState>,
    mut components: Query<
        (
            &UpdateRate,
            &Active,
            &Mount,
            &mut Due,
            &mut WorldPose,
            &mut WorldVelocity,
            Option<&Sway>,
        ),
        With<Kind>,
    >,
) {
    for (rate, active, mount, mut due, mut pose, mut velocity, sway) in &mut components {
        due.0 = active.0 && clock.is_due(rate.frequency);
        if due.0
            && let Ok(body) = bodies.get(mount.body)
        {
            stamp(body, mount, &mut pose, &mut velocity);
            if let Some(sway) = sway {
                sway.add_to(body, &mut velocity);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps that ran in a tick, in order.
    #[derive(Resource, Default)]
    struct Ran(Vec<String>);

    fn note<Step: SystemSet + Clone>(app: &mut App, step: Step) {
        let name = format!("{step:?}");
        let system = move |mut ran: ResMut<Ran>| ran.0.push(name.clone());
        app.add_systems(FixedUpdate, system.in_set(step));
    }

    /// Returns the steps of a tick, as they ran.
    fn steps(declare: impl Fn(&mut App)) -> Vec<String> {
        let mut app = App::new();
        declare(&mut app);
        app.init_resource::<Ran>();
        for phase in [
            Tick::Export,
            Tick::Outputs,
            Tick::Merge,
            Tick::Modifiers,
            Tick::DefaultAction,
            Tick::Physics,
        ] {
            note(&mut app, phase);
        }
        note(&mut app, Look::Stamp);
        note(&mut app, Look::Shapes);
        for step in [Actuate::Drives, Actuate::DefaultAction, Actuate::Action] {
            note(&mut app, step);
        }
        for step in [Inputs::Requests, Inputs::Commands] {
            note(&mut app, step);
        }
        app.world_mut().run_schedule(FixedUpdate);
        std::mem::take(&mut app.world_mut().resource_mut::<Ran>().0)
    }

    #[test]
    fn phases_and_their_steps_run_in_the_order_of_their_declaration() {
        assert_eq!(
            steps(|app| plugin(app, 60.0)),
            [
                "Commands",
                "Requests",
                "Action",
                "DefaultAction",
                "Drives",
                "Physics",
                "Shapes",
                "Stamp",
                "DefaultAction",
                "Modifiers",
                "Merge",
                "Outputs",
                "Export",
            ]
        );
    }

    #[test]
    fn in_the_motion_of_morse_sensors_look_before_physics_and_requests_follow_them() {
        assert_eq!(
            steps(|app| plugin_in(app, 60.0, MotionMode::Morse)),
            [
                "Commands",
                "Action",
                "DefaultAction",
                "Drives",
                "Shapes",
                "Stamp",
                "DefaultAction",
                "Modifiers",
                "Merge",
                "Outputs",
                "Requests",
                "Physics",
                "Export",
            ]
        );
    }
}
