//! What answers under the name `time`.
use bevy::prelude::*;
use morse_api::{
    prelude::{Deserialize, Reflect},
    service::{AddService as _, NoArguments, Outcome, Refused, Service},
    tick::Clock,
};
use serde_json::json;

use super::Wishes;

/// The clock, as a service.
#[derive(Component)]
pub struct Time;

/// How a run keeps up with the wall clock; whoever runs the simulation writes it. No state of the world.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
pub struct Lag {
    /// Wall-clock time since the start, less the simulated time, s.
    pub seconds: f64,
}

pub(super) fn add(app: &mut App) {
    app.init_resource::<Lag>()
        .add_global("time", Time)
        .add_service::<Time>(
            Service::new("now", "The simulated time.", |world, _, _: NoArguments| {
                Ok(Outcome::Done(world.resource::<Clock>().seconds().into()))
            })
            .returns("s")
            .read_only(),
        )
        .add_service::<Time>(
            Service::new("mode", "How time passes.", |_, _, _: NoArguments| {
                // Every tick is as long as the others; there is no other way.
                Ok(Outcome::Done("Fixed Simulation Step".into()))
            })
            .returns("`Fixed Simulation Step`, always")
            .read_only(),
        )
        .add_service::<Time>(
            Service::new("statistics", "The length of ticks.", statistics)
                .returns("`mean_time` and `variance_time` of ticks, s and s²; `diff_real_time`: how far the run is behind the wall clock, s")
                .read_only(),
        )
        .add_service::<Time>(
            Service::new(
                "set_time_scale",
                "Lets so many simulated seconds pass in a second, from the next tick on.",
                set_time_scale,
            )
            .returns("true")
            .read_only(),
        )
        .add_service::<Time>(
            Service::new(
                "run_freely",
                "Lets simulated time pass as fast as the machine can.",
                |world, _, _: NoArguments| {
                    world.resource_mut::<Wishes>().pace = Some(f64::INFINITY);
                    Ok(Outcome::NOTHING)
                },
            )
            .read_only(),
        )
        .add_service::<Time>(
            Service::new(
                "sleep",
                "Answers when so much simulated time has passed; any number of clients may sleep.",
                sleep,
            )
            .asynchronous()
            .read_only(),
        );
}

fn statistics(world: &mut World, _: Entity, _: NoArguments) -> Result<Outcome, Refused> {
    let (dt, lag) = (
        world.resource::<Clock>().dt(),
        world.resource::<Lag>().seconds,
    );
    Ok(Outcome::Done(json!({
        "mean_time": dt, "variance_time": 0.0, "diff_real_time": lag
    })))
}

/// Arguments of `set_time_scale`.
#[derive(Reflect, Deserialize)]
struct Scale {
    /// Simulated seconds a second.
    value: f64,
}

fn set_time_scale(
    world: &mut World,
    _: Entity,
    Scale { value }: Scale,
) -> Result<Outcome, Refused> {
    if !(value > 0.0 && value.is_finite()) {
        return Err(Refused(format!(
            "`time`, value: {value} is no time scale; it must be greater than 0"
        )));
    }
    world.resource_mut::<Wishes>().pace = Some(value);
    Ok(Outcome::Done(true.into()))
}

/// Arguments of `sleep`.
#[derive(Reflect, Deserialize)]
struct Nap {
    /// How long, s of simulated time.
    seconds: f64,
}

fn sleep(world: &mut World, _: Entity, Nap { seconds }: Nap) -> Result<Outcome, Refused> {
    if !seconds.is_finite() {
        return Err(Refused(format!(
            "`time`, seconds: nobody can sleep for {seconds} s"
        )));
    }
    let clock = world.resource::<Clock>();
    // Of a whole number of ticks not one more, whatever the rounding.
    let ticks = (seconds * clock.rate * (1.0 - 1e-12)).ceil().max(0.0);
    Ok(Outcome::Until(clock.tick.saturating_add(ticks as u64)))
}
