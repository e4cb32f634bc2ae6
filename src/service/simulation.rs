//! Services under the name `simulation`.
mod bounds;
mod discovery;
mod lookup;
mod objects;
mod pauses;
mod population;
mod watcher;

use bevy::prelude::{App, Component as Marker, World};
use morse_api::{
    component::Active,
    prelude::{Deserialize, Reflect},
    service::{AddService as _, NEVER, NoArguments, Outcome, Service, ServiceError, find},
    warning::Warnings,
};
use morse_physics::Suspended;

pub use discovery::{ComponentWiring, RobotWiring, Wiring};
pub use watcher::View;

use super::{Reset, RunRequests};

/// The simulation as a whole, as a service.
#[derive(Marker)]
pub struct Itself;

pub(super) fn add(app: &mut App) {
    app.add_global("simulation", Itself)
        .add_service::<Itself>(
            Service::new(
                "reset_objects",
                "Moves all bodies and joints to their initial state, before the next tick. The time and the states of components are kept.",
                |world, _, _: NoArguments| {
                    world.resource_mut::<RunRequests>().reset = Some(Reset::Bodies);
                    Ok(Outcome::Done("Objects restored to initial position".into()))
                },
            )
            .returns("`Objects restored to initial position`")
            .at_rest(),
        )
        .add_service::<Itself>(
            Service::new(
                "reset",
                "Resets the whole simulation, including the time, before the next tick. Answers when that is done.",
                |world, _, _: NoArguments| {
                    world.resource_mut::<RunRequests>().reset = Some(Reset::All);
                    Ok(Outcome::Until(NEVER))
                },
            )
            .at_rest(),
        )
        .add_service::<Itself>(
            Service::new(
                "quit",
                "Ends the run after this tick.",
                |world, _, _: NoArguments| end(world),
            )
            .at_rest(),
        )
        .add_service::<Itself>(
            Service::new(
                "terminate",
                "Same as `quit`: all outputs are written completely.",
                |world, _, _: NoArguments| end(world),
            )
            .at_rest(),
        );
    app.add_service::<Itself>(
        Service::new(
            "get_warnings",
            "Returns the warnings of the run so far: of components about their input, and of the physics about lost bodies.",
            |world, _, _: NoArguments| {
                let history = world.get_resource::<Warnings>().map(Warnings::history);
                let warnings = history.map_or(Vec::new(), |history| history.since(0));
                Ok(Outcome::Done(warnings.iter().map(|text| &**text).collect()))
            },
        )
        .returns("a list of texts, the oldest one first; only the first few dozen are kept")
        .read_only(),
    );
    switches(app);
    pauses::add(app);
    population::add(app);
    discovery::add(app);
    objects::add(app);
    bounds::add(app);
    watcher::add(app);
}

/// Adds the services that activate components and release bodies.
fn switches(app: &mut App) {
    app.add_service::<Itself>(Service::new(
        "activate",
        "Activates a component.",
        |world, _, Component { component }| set_active(world, &component, true),
    ))
    .add_service::<Itself>(Service::new(
        "deactivate",
        "Deactivates a component: it makes no actions until it is activated.",
        |world, _, Component { component }| set_active(world, &component, false),
    ))
    .add_service::<Itself>(
        Service::new(
            "suspend_dynamics",
            "Stops the motion of all bodies from this tick on. The time advances, and sensors measure.",
            |world, _, _: NoArguments| {
                world.resource_mut::<Suspended>().0 = true;
                Ok(Outcome::Done("Physics is suspended".into()))
            },
        )
        .returns("`Physics is suspended`"),
    )
    .add_service::<Itself>(
        Service::new(
            "restore_dynamics",
            "Resumes the motion of all bodies with their previous velocities.",
            |world, _, _: NoArguments| {
                world.resource_mut::<Suspended>().0 = false;
                Ok(Outcome::Done("Physics is resumed".into()))
            },
        )
        .returns("`Physics is resumed`"),
    )
    .add_service::<Itself>(Service::new(
        "set_log_level",
        "Accepts MORSE's names of levels, without effect: there are no loggers, and all warnings are reported.",
        |_, _, LogLevel { component: _, level }| {
            if LEVELS.contains(&level.as_str()) {
                return Ok(Outcome::NOTHING);
            }
            Err(ServiceError::Failed(format!(
                "Unknown level: '{level}'; known: {}",
                LEVELS.join(", ")
            )))
        },
    ));
}

/// Levels of Python's loggers.
const LEVELS: [&str; 8] = [
    "CRITICAL", "FATAL", "ERROR", "WARNING", "WARN", "INFO", "DEBUG", "NOTSET",
];

/// Arguments of `set_log_level`.
#[derive(Reflect, Deserialize)]
struct LogLevel {
    /// Name of a logger.
    component: String,
    /// Level, for example `DEBUG`.
    level: String,
}

/// Arguments of `activate` and `deactivate`.
#[derive(Reflect, Deserialize)]
struct Component {
    /// Path, such as `rover.gps`.
    component: String,
}

fn end(world: &mut World) -> Result<Outcome, ServiceError> {
    world.resource_mut::<RunRequests>().end = true;
    Ok(Outcome::NOTHING)
}

fn set_active(world: &mut World, path: &str, active: bool) -> Result<Outcome, ServiceError> {
    let entity = find(world, path).filter(|entity| world.get::<Active>(*entity).is_some());
    let Some(entity) = entity else {
        let word = if active { "activate" } else { "deactivate" };
        return Err(ServiceError::Failed(format!(
            "Component '{path}' not found. Can't {word}"
        )));
    };
    super::set_active(world, entity, active)
}
