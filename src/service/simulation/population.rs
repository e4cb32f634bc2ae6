//! Services that add robots, and remove robots and bodies.
use std::collections::BTreeMap;

use bevy::prelude::*;
use morse_api::{
    prelude::{Deserialize, Reflect},
    service::{AddService as _, Outcome, Service, ServiceError},
};

use super::Itself;
use crate::simulation::{
    load::robots::{Change, Spawn},
    request_change,
};

pub(super) fn add(app: &mut App) {
    app.add_service::<Itself>(
        Service::new(
            "spawn",
            "Adds a robot before the next tick, and answers when it is there. Everything else continues.",
            |world, _, asked: Spawned| {
                let Spawned {
                    name,
                    definition,
                    files,
                } = asked;
                later(
                    world,
                    Change::Spawn(Spawn {
                        name,
                        definition,
                        files,
                    }),
                )
            },
        )
        .returns("true")
        .at_rest(),
    )
    .add_service::<Itself>(
        Service::new(
            "delete",
            "Removes a robot, or a body of the scene, with everything on it before the next tick, and answers when that is \
             done. Everything else continues.",
            |world, _, Deleted { name }| later(world, Change::Delete(name)),
        )
        .returns("true")
        .at_rest(),
    );
}

/// Arguments of `spawn`.
#[derive(Reflect, Deserialize)]
struct Spawned {
    /// Name of the robot.
    name: String,
    /// The robot in the form of a simulation file: `(model: "robots/atrv.robray", at: (translation: (1, 2, 0)))`.
    definition: String,
    /// Texts of files that the definition names, by name, for example of a robot description.
    #[serde(default)]
    files: BTreeMap<String, String>,
}

/// Arguments of `delete`.
#[derive(Reflect, Deserialize)]
struct Deleted {
    /// Name of the robot, or head frame of the body.
    name: String,
}

fn later(world: &mut World, change: Change) -> Result<Outcome, ServiceError> {
    request_change(world, change).map(Outcome::Later)
}
