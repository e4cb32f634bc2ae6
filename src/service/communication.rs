//! Services under the name `communication`.
use bevy::prelude::*;
use morse_api::{
    body::BodyState,
    prelude::{Deserialize, Reflect},
    rays::Rays,
    service::{AddService as _, Outcome, Service, ServiceError},
};
use morse_geometry::GeometryOf;
use serde_json::json;

use crate::spawn::Spawned;

/// Service about the visibility between robots.
#[derive(Component)]
pub struct Communication;

pub(super) fn add(app: &mut App) {
    app.add_global("communication", Communication)
        .add_service::<Communication>(
            Service::new(
                "distance_and_view",
                "Returns the distance between two robots and whether the first sees the second, which is the case if the ray from the centre of mass of the first to that of the second hits the second before anything else.",
                distance_and_view,
            )
            .returns("distance, m; whether the first sees the second")
            .read_only(),
        );
}

/// Arguments of `distance_and_view`.
#[derive(Reflect, Deserialize)]
struct Pair {
    /// The observing robot.
    robot1: String,
    /// The observed robot.
    robot2: String,
}

fn distance_and_view(
    world: &mut World,
    _: Entity,
    Pair { robot1, robot2 }: Pair,
) -> Result<Outcome, ServiceError> {
    let (from, first) = robot(world, &robot1)?;
    let (to, second) = robot(world, &robot2)?;
    let displacement = second.center_of_mass - first.center_of_mass;
    let distance = displacement.norm();
    let hit = world
        .get_resource::<Rays>()
        .filter(|_| distance > 0.0)
        .and_then(|rays| {
            let direction = displacement / distance;
            rays.cast(first.center_of_mass, direction, distance, Some(from))
        });
    let met = hit.and_then(|hit| world.get::<GeometryOf>(hit.entity)?.robot);
    Ok(Outcome::Done(json!([distance, met == Some(to)])))
}

/// Returns the base of a robot.
fn robot(world: &World, name: &str) -> Result<(Entity, BodyState), ServiceError> {
    let spawned = world.get_resource::<Spawned>();
    let entity = spawned.and_then(|spawned| spawned.robots.get(name).copied());
    let robot = entity.and_then(|entity| Some((entity, *world.get::<BodyState>(entity)?)));
    robot.ok_or_else(|| ServiceError::Failed(format!("{name} does not exist in the simulation ")))
}
