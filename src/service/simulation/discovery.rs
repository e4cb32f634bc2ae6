//! Discovery of robots, components and their middlewares.
use std::{collections::BTreeMap, path::PathBuf};

use bevy::prelude::*;
use morse_api::{
    kind::{Described, Kinds},
    service::{
        AddService as _, NoArguments, Outcome, Service, ServiceError, Services, find, services_of,
    },
};
use serde_json::{Map, Value as Json, json};

use super::Itself;
use crate::spawn::Spawned;

/// Robots, components and their middlewares, from the simulation file.
#[derive(Resource, Clone, Debug, Default)]
pub struct Wiring {
    /// Name of the scene.
    pub environment: String,
    /// Path of the file that runs, unless it is a text.
    pub file: Option<PathBuf>,
    /// Robots by name.
    pub robots: BTreeMap<String, RobotWiring>,
}

/// A robot.
#[derive(Clone, Debug, Default)]
pub struct RobotWiring {
    /// Name of its model.
    pub model: String,
    /// Kinds of the middlewares that offer its services.
    pub services: Vec<String>,
    /// Components by path.
    pub components: BTreeMap<String, ComponentWiring>,
}

/// A sensor, actuator or overlay.
#[derive(Clone, Debug, Default)]
pub struct ComponentWiring {
    /// Kind.
    pub kind: String,
    /// Kinds of the middlewares that offer its services.
    pub services: Vec<String>,
    /// Kinds of the middlewares that exchange its data, each with `OUT` or `IN`.
    pub streams: Vec<(String, &'static str)>,
}

pub(super) fn add(app: &mut App) {
    app.init_resource::<Wiring>()
        .add_service::<Itself>(
            Service::new(
                "list_robots",
                "Returns the names of all robots.",
                |world, _, _: NoArguments| {
                    let spawned = world.get_resource::<Spawned>();
                    let names = spawned.into_iter().flat_map(|spawned| spawned.robots.keys());
                    Ok(Outcome::Done(names.cloned().collect()))
                },
            )
            .returns("a list of names")
            .read_only(),
        )
        .add_service::<Itself>(
            Service::new(
                "list_streams",
                "Returns the paths of all components that are connected to a middleware.",
                list_streams,
            )
            .returns("a list of paths")
            .read_only(),
        )
        .add_service::<Itself>(
            Service::new(
                "list_services",
                "Returns the services of all robots and components, and of the simulation itself.",
                list_services,
            )
            .returns("for each path a list of names")
            .read_only(),
        )
        .add_service::<Itself>(
            Service::new(
                "details",
                "Returns all robots and components, with their services and the kinds of their middlewares.",
                details,
            )
            .returns("`robots`: for each its `name`, `type` and `components`, for each of these its `type`, its `level` where it has levels, and its `morse_class` where MORSE has it; `environment`")
            .read_only(),
        )
        .add_service::<Itself>(
            Service::new(
                "current_world",
                "Returns the name of the scene, or of the file that runs, and the path of this file.",
                current_world,
            )
            .returns("`name`, and `file`, which is null if the simulation is a text")
            .read_only(),
        );
}

fn current_world(world: &mut World, _: Entity, _: NoArguments) -> Result<Outcome, ServiceError> {
    let wiring = world.resource::<Wiring>();
    let file = wiring.file.as_deref();
    let stem = file.and_then(|file| file.file_stem());
    let name = match &*wiring.environment {
        "" => stem.unwrap_or_default().to_string_lossy(),
        name => name.into(),
    };
    let file = file.map(|file| file.to_string_lossy());
    Ok(Outcome::Done(json!({ "name": name, "file": file })))
}

fn list_streams(world: &mut World, _: Entity, _: NoArguments) -> Result<Outcome, ServiceError> {
    let robots = world.resource::<Wiring>().robots.values();
    let components = robots.flat_map(|robot| &robot.components);
    let streaming = components.filter(|(_, component)| !component.streams.is_empty());
    Ok(Outcome::Done(
        streaming.map(|(path, _)| path.clone()).collect(),
    ))
}

fn list_services(world: &mut World, _: Entity, _: NoArguments) -> Result<Outcome, ServiceError> {
    let robots = &world.resource::<Wiring>().robots;
    let paths = robots.iter().flat_map(|(name, robot)| {
        let components = robot.components.keys();
        std::iter::once(name).chain(components)
    });
    let paths = paths.filter_map(|path| Some((path.clone(), find(world, path)?)));
    let globals = world.get_resource::<Services>();
    let globals = globals.into_iter().flat_map(Services::globals);
    let globals = globals.map(|(name, entity)| (name.to_owned(), entity));
    let all = paths.chain(globals);
    let all = all.map(|(path, entity)| (path, Json::from(names(world, entity))));
    Ok(Outcome::Done(Json::Object(all.collect())))
}

fn details(world: &mut World, _: Entity, _: NoArguments) -> Result<Outcome, ServiceError> {
    let wiring = world.resource::<Wiring>();
    let robots: Vec<Json> = wiring
        .robots
        .iter()
        .map(|(name, robot)| of_robot(world, name, robot))
        .collect();
    Ok(Outcome::Done(
        json!({ "robots": robots, "environment": wiring.environment }),
    ))
}

fn of_robot(world: &World, name: &str, robot: &RobotWiring) -> Json {
    let components: Map<String, Json> = robot
        .components
        .iter()
        .map(|(path, component)| (path.clone(), of_component(world, path, component)))
        .collect();
    let mut details = json!({ "name": name, "type": robot.model, "components": components });
    if let (Some(details), false) = (details.as_object_mut(), robot.services.is_empty()) {
        let spawned = world.get_resource::<Spawned>();
        let base = spawned.and_then(|spawned| spawned.robots.get(name));
        let names = base.map_or(Vec::new(), |base| names(world, *base));
        details.insert("services".to_owned(), names.into());
        details.insert(
            "services_interfaces".to_owned(),
            robot.services.clone().into(),
        );
    }
    details
}

fn of_component(world: &World, path: &str, component: &ComponentWiring) -> Json {
    let mut details = json!({ "type": component.kind });
    let Some(fields) = details.as_object_mut() else {
        return details;
    };
    let entity = find(world, path);
    let described = entity.and_then(|entity| world.get::<Described>(entity));
    if let Some(level) = described.and_then(|described| described.0.level) {
        fields.insert("level".to_owned(), level.into());
    }
    if let Some(class) = morse_class(world, component, described) {
        fields.insert("morse_class".to_owned(), class.into());
    }
    if !component.services.is_empty() {
        let names = entity.map_or(Vec::new(), |entity| names(world, entity));
        fields.insert("services".to_owned(), names.into());
        fields.insert(
            "service_interfaces".to_owned(),
            component.services.clone().into(),
        );
    }
    if !component.streams.is_empty() {
        fields.insert("stream_interfaces".to_owned(), json!(component.streams));
    }
    details
}

/// Returns the name of a component's class in MORSE, if MORSE has it.
fn morse_class(
    world: &World,
    component: &ComponentWiring,
    described: Option<&Described>,
) -> Option<&'static str> {
    let kinds = world.get_resource::<Kinds>()?;
    let kind = component.kind.as_str();
    match described {
        Some(sensor) => kinds.sensors.get(kind)?.morse_class(sensor.0.level),
        None => kinds.actuators.get(kind)?.morse_class,
    }
}

fn names(world: &World, entity: Entity) -> Vec<String> {
    services_of(world, entity)
        .into_iter()
        .map(|service| service.name.clone().into_owned())
        .collect()
}
