//! Holding the run, and stepping it. Neither changes anything in the world, only when its ticks are made, so
//! both are answered between ticks.
use bevy::prelude::{App, World};
use morse_api::{
    prelude::{Deserialize, Reflect},
    service::{AddService as _, NEVER, NoArguments, Outcome, Service, ServiceError},
    tick::Clock,
};

use super::Itself;
use crate::service::{Hold, RunRequests};

pub(super) fn add(app: &mut App) {
    app.add_service::<Itself>(
        Service::new(
            "pause",
            "Pauses the run: no tick is executed until `resume` or `step`. Requests are answered as before.",
            |world, _, _: NoArguments| hold(world, Hold::After(0)),
        )
        .read_only(),
    )
    .add_service::<Itself>(
        Service::new(
            "resume",
            "Resumes a paused run.",
            |world, _, _: NoArguments| hold(world, Hold::Off),
        )
        .read_only(),
    )
    .add_service::<Itself>(
        Service::new(
            "step",
            "Executes a number of ticks as fast as the machine permits, and pauses the run. Answers after the last one.",
            step,
        )
        .read_only(),
    );
}

/// Arguments of `step`.
#[derive(Reflect, Deserialize)]
struct Steps {
    /// Number of ticks; one by default.
    #[serde(default = "one")]
    ticks: u64,
}

fn one() -> u64 {
    1
}

fn step(
    world: &mut World,
    _: bevy::prelude::Entity,
    Steps { ticks }: Steps,
) -> Result<Outcome, ServiceError> {
    let asked = match world.resource::<RunRequests>().hold {
        Some(Hold::After(before)) => before.saturating_add(ticks),
        _ => ticks,
    };
    hold(world, Hold::After(asked))?;
    match ticks {
        0 => Ok(Outcome::NOTHING),
        _ => Ok(Outcome::Until(
            world
                .resource::<Clock>()
                .tick
                .saturating_add(asked)
                .min(NEVER - 1),
        )),
    }
}

fn hold(world: &mut World, hold: Hold) -> Result<Outcome, ServiceError> {
    world.resource_mut::<RunRequests>().hold = Some(hold);
    Ok(Outcome::NOTHING)
}
