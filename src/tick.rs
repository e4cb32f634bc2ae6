//! The order of a tick. This is the only file that orders phases; everything else names one.
use std::time::Duration;

use bevy::{
    prelude::*,
    time::{TimePlugin, TimeUpdateStrategy},
};
pub use morse_api::tick::{Actuate, Clock, Inputs, Tick};
use morse_api::{
    actuator::IsActuator,
    body::BodyState,
    carrier::{self, Bind, CarriedOrder, Sway},
    component::{Active, Due, Mount, UpdateRate, WorldPose, WorldVelocity, stamp},
    sensor::IsSensor,
    service,
};

/// Declares the tick: one fixed chain, run once by each update of the app.
pub fn plugin(app: &mut App, rate: f64) {
    app.add_plugins(TimePlugin)
        .insert_resource(Time::<Fixed>::from_hz(rate))
        // Bevy would cut ticks that are longer than a quarter of a second.
        .insert_resource(Time::<Virtual>::from_max_delta(Duration::MAX))
        // One update is one tick, whatever the wall clock says. Nothing else reads `Time<Fixed>`.
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .insert_resource(Clock::new(rate))
        .init_resource::<service::Services>()
        .init_resource::<CarriedOrder>()
        .add_systems(
            PreStartup,
            (carrier::follow, carrier::place).chain().after(Bind),
        )
        .configure_sets(
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
        )
        .configure_sets(
            FixedUpdate,
            (Actuate::Action, Actuate::DefaultAction, Actuate::Drives)
                .chain()
                .in_set(Tick::Actuate),
        )
        .add_systems(
            FixedUpdate,
            (
                // Also before the first phase: a restored state may have put the carriers elsewhere.
                (begin, carrier::follow).chain().before(Tick::Inputs),
                action::<IsActuator>.in_set(Actuate::Action),
                (carrier::follow, action::<IsSensor>)
                    .chain()
                    .in_set(Tick::Action),
                service::complete.in_set(Tick::Export),
            ),
        );
}

/// A new tick begins.
fn begin(mut clock: ResMut<Clock>) {
    clock.tick += 1;
}

/// Decides which sensors (or actuators) are due, and stamps the pose and velocity of those that are.
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

    /// Steps that ran in a tick, in their order.
    #[derive(Resource, Default)]
    struct Ran(Vec<String>);

    fn note<Step: SystemSet + Clone>(app: &mut App, step: Step) {
        let name = format!("{step:?}");
        let system = move |mut ran: ResMut<Ran>| ran.0.push(name.clone());
        app.add_systems(FixedUpdate, system.in_set(step));
    }

    #[test]
    fn phases_and_their_steps_run_in_the_order_of_their_declaration() {
        let mut app = App::new();
        plugin(&mut app, 60.0);
        app.init_resource::<Ran>();
        for phase in [
            Tick::Export,
            Tick::Outputs,
            Tick::Merge,
            Tick::Modifiers,
            Tick::DefaultAction,
            Tick::Action,
            Tick::Physics,
        ] {
            note(&mut app, phase);
        }
        for step in [Actuate::Drives, Actuate::DefaultAction, Actuate::Action] {
            note(&mut app, step);
        }
        for step in [Inputs::Requests, Inputs::Commands] {
            note(&mut app, step);
        }
        app.world_mut().run_schedule(FixedUpdate);
        assert_eq!(
            app.world().resource::<Ran>().0,
            [
                "Commands",
                "Requests",
                "Action",
                "DefaultAction",
                "Drives",
                "Physics",
                "Action",
                "DefaultAction",
                "Modifiers",
                "Merge",
                "Outputs",
                "Export",
            ]
        );
    }
}
