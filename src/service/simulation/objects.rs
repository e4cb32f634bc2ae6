//! Objects of the scene, and services that change them.
use std::collections::BTreeMap;

use bevy::prelude::*;
use morse_api::{
    angles::from_yaw_pitch_roll,
    body::BodyState,
    prelude::{Deserialize, Reflect, ValueRange},
    service::{AddService as _, NoArguments, Outcome, Service, ServiceError},
};
use morse_physics::intervention::{Unmoved, hold, move_at, push, set_pose};
use nalgebra::{Isometry3, Point3};
use serde_json::{Map, Value as Json, json};

use super::{
    Itself, bounds,
    lookup::{body, pose},
};
use crate::spawn::{Frame, Spawned};

/// Maximum depth of nested frames in replies; deeper frames are siblings of the deepest. JSON readers have such limits, too.
const MOST_LEVELS: usize = 40;

pub(super) fn add(app: &mut App) {
    add_queries(app);
    app.add_service::<Itself>(
        Service::new(
            "get_scene_objects",
            "Returns all frames of the scene as a tree.",
            get_scene_objects,
        )
        .returns("for each name: the frames on it, the position in the world, m, and the rotation as a quaternion (x, y, z, w)")
        .read_only(),
    )
    .add_service::<Itself>(Service::new(
        "set_object_position",
        "Moves a body to a pose in the world, at rest or with velocities.",
        set_object_position,
    ))
    .add_service::<Itself>(Service::new(
        "push_object",
        "Applies an impulse to a body.",
        push_object,
    ))
    .add_service::<Itself>(
        Service::new(
            "set_object_dynamics",
            "Sets whether forces move a body; otherwise it is held at its pose.",
            set_object_dynamics,
        )
        .returns("the new state"),
    )
    .add_service::<Itself>(
        Service::new(
            "set_object_visibility",
            "Accepts MORSE's arguments, without effect on images; rays hit invisible objects, as in MORSE.",
            |world, _, asked: Visibility| {
                let Visibility {
                    name,
                    visible,
                    do_children: _,
                } = asked;
                body(world, &name)?;
                Ok(Outcome::Done(visible.into()))
            },
        )
        .returns("whether it is visible"),
    );
}

fn add_queries(app: &mut App) {
    app.add_service::<Itself>(
        Service::new(
            "get_object_state",
            "Returns the pose and the velocities of a robot, or of any frame of the scene.",
            get_object_state,
        )
        .returns("in the world: `position`, m, `orientation` as a quaternion (x, y, z, w), `linear_velocity`, m/s, and `angular_velocity`, rad/s")
        .read_only(),
    )
    .add_service::<Itself>(
        Service::new(
            "get_object_states",
            "Returns the poses and the velocities of several robots, or frames of the scene.",
            |world, _, Several { names }: Several| {
                let states = names.iter().map(|name| state(world, name));
                Ok(Outcome::Done(Json::Array(states.collect::<Result<_, _>>()?)))
            },
        )
        .returns("a list of what `get_object_state` returns")
        .read_only(),
    )
    .add_service::<Itself>(
        Service::new(
            "list_objects",
            "Returns the names of all robots, and of all bodies that are no part of a robot, or of those within a box.",
            list_objects,
        )
        .returns("`robots` and `bodies`, each a list of names")
        .read_only(),
    );
}

/// Arguments of `set_object_visibility`.
#[derive(Reflect, Deserialize)]
struct Visibility {
    /// Head frame of the body.
    name: String,
    /// True to show it.
    visible: bool,
    /// True to include its descendants.
    do_children: bool,
}

fn get_scene_objects(
    world: &mut World,
    _: Entity,
    _: NoArguments,
) -> Result<Outcome, ServiceError> {
    let Some(spawned) = world.get_resource::<Spawned>() else {
        return Ok(Outcome::Done(json!({})));
    };
    let mut children: BTreeMap<Entity, Vec<(&str, Entity)>> = BTreeMap::new();
    let mut open = Vec::new();
    for (name, &entity) in &spawned.frames {
        match world.get::<Frame>(entity).and_then(|frame| frame.parent) {
            Some(parent) => children.entry(parent).or_default().push((name, entity)),
            None => open.push((name.as_str(), entity)),
        }
    }
    let mut all = Map::new();
    while let Some((name, entity)) = open.pop() {
        let object = object(world, entity, &children, MOST_LEVELS, &mut open);
        all.insert(name.to_owned(), object);
    }
    Ok(Outcome::Done(all.into()))
}

fn object<'a>(
    world: &World,
    entity: Entity,
    children: &BTreeMap<Entity, Vec<(&'a str, Entity)>>,
    levels: usize,
    open: &mut Vec<(&'a str, Entity)>,
) -> Json {
    let mut inside = Map::new();
    for &(name, child) in children.get(&entity).into_iter().flatten() {
        if levels == 0 {
            open.push((name, child));
        } else {
            let child = object(world, child, children, levels - 1, open);
            inside.insert(name.to_owned(), child);
        }
    }
    let pose = pose(world, entity).unwrap_or_default();
    let position: [f64; 3] = pose.translation.vector.into();
    let rotation: [f64; 4] = pose.rotation.coords.into();
    json!([inside, position, rotation])
}

/// Arguments of `get_object_state`.
#[derive(Reflect, Deserialize)]
struct Named {
    /// Name of the robot or frame.
    name: String,
}

fn get_object_state(
    world: &mut World,
    _: Entity,
    Named { name }: Named,
) -> Result<Outcome, ServiceError> {
    state(world, &name).map(Outcome::Done)
}

/// Arguments of `get_object_states`.
#[derive(Reflect, Deserialize)]
struct Several {
    /// Names of the robots or frames.
    names: Vec<String>,
}

/// Returns the pose and the velocities of a robot or frame.
fn state(world: &World, name: &str) -> Result<Json, ServiceError> {
    let entity = body(world, name)?;
    let pose = pose(world, entity).unwrap_or_default();
    let state = world
        .get::<Frame>(entity)
        .and_then(|frame| world.get::<BodyState>(frame.body))
        .copied()
        .unwrap_or_default();
    // The velocity of a body is that of its centre of mass.
    let arm = pose.translation.vector - state.center_of_mass.coords;
    let linear = state.linear_velocity + state.angular_velocity.cross(&arm);
    let list = |vector: nalgebra::Vector3<f64>| -> [f64; 3] { vector.into() };
    let rotation: [f64; 4] = pose.rotation.coords.into();
    Ok(json!({
        "position": list(pose.translation.vector),
        "orientation": rotation,
        "linear_velocity": list(linear),
        "angular_velocity": list(state.angular_velocity),
    }))
}

/// Arguments of `list_objects`.
#[derive(Reflect, Deserialize)]
struct Listed {
    /// Two opposite corners of a box along the axes of the world, m: only what reaches into it is listed. Everything by
    /// default.
    #[serde(default)]
    within: Option<[[f64; 3]; 2]>,
}

fn list_objects(
    world: &mut World,
    _: Entity,
    Listed { within }: Listed,
) -> Result<Outcome, ServiceError> {
    let (mut robots, mut bodies) = names(world);
    if let Some(corners) = within {
        check_range("list_objects", "within", "m", corners.as_flattened())?;
        for list in [&mut robots, &mut bodies] {
            list.retain(|name| bounds::reaches_into(world, name, corners));
        }
    }
    Ok(Outcome::Done(json!({ "robots": robots, "bodies": bodies })))
}

/// Returns the names of all robots, and of all bodies that are no part of a robot.
fn names(world: &World) -> (Vec<String>, Vec<String>) {
    let Some(spawned) = world.get_resource::<Spawned>() else {
        return (Vec::new(), Vec::new());
    };
    let is_base = |entity: &Entity| spawned.robots.values().any(|base| base == entity);
    let parent = |entity: &Entity| world.get::<Frame>(*entity)?.parent;
    let is_free = |entity: &Entity| {
        let mut chain = std::iter::successors(Some(*entity), parent);
        !chain.any(|above| is_base(&above))
    };
    let bodies = spawned.bodies.iter().filter(|(_, body)| is_free(body));
    let bodies = bodies.map(|(name, _)| name.clone());
    (spawned.robots.keys().cloned().collect(), bodies.collect())
}

/// Arguments of `set_object_position`.
#[derive(Reflect, Deserialize)]
struct Placement {
    /// Head frame of the body.
    name: String,
    /// New position in the world, m.
    position: [f64; 3],
    /// Roll, pitch and yaw in the world, rad; unchanged by default.
    #[serde(default)]
    orientation: Option<[f64; 3]>,
    /// Velocity of the origin of its frame in world axes, m/s; zero by default. A kinematic body can only be at rest.
    #[serde(default)]
    linear_velocity: [f64; 3],
    /// Angular velocity in world axes, rad/s; zero by default.
    #[serde(default)]
    angular_velocity: [f64; 3],
}

fn set_object_position(
    world: &mut World,
    _: Entity,
    Placement {
        name,
        position,
        orientation,
        linear_velocity,
        angular_velocity,
    }: Placement,
) -> Result<Outcome, ServiceError> {
    let body = body(world, &name)?;
    check_range(&name, "position", "m", &position)?;
    check_range(
        &name,
        "orientation",
        "rad",
        orientation.as_slice().as_flattened(),
    )?;
    let old = pose(world, body).unwrap_or_default();
    let rotation = orientation.map_or(old.rotation, |[roll, pitch, yaw]| {
        from_yaw_pitch_roll([yaw, pitch, roll])
    });
    let pose = Isometry3::from_parts(position.into(), rotation);
    check_range(&name, "linear_velocity", "m/s", &linear_velocity)?;
    check_range(&name, "angular_velocity", "rad/s", &angular_velocity)?;
    let is_moving = [linear_velocity, angular_velocity] != [[0.0; 3]; 2];
    if is_moving {
        let [linear, angular] = [linear_velocity, angular_velocity].map(Into::into);
        move_at(world, body, &pose, [linear, angular]).map_err(|why| unmoved(&name, why))?;
    } else {
        set_pose(world, body, &pose).map_err(|why| unmoved(&name, why))?;
    }
    Ok(Outcome::NOTHING)
}

/// Arguments of `push_object`.
#[derive(Reflect, Deserialize)]
struct Push {
    /// Head frame of the body.
    name: String,
    /// Impulse, in world axes, N·s: mass times the change of velocity.
    impulse: [f64; 3],
    /// Point of application, in the world, m; the centre of mass by default.
    #[serde(default)]
    point: Option<[f64; 3]>,
}

fn push_object(
    world: &mut World,
    _: Entity,
    Push {
        name,
        impulse,
        point,
    }: Push,
) -> Result<Outcome, ServiceError> {
    let body = body(world, &name)?;
    check_range(&name, "impulse", "N·s", &impulse)?;
    check_range(&name, "point", "m", point.as_slice().as_flattened())?;
    let point = point.map(Point3::from);
    push(world, body, &impulse.into(), point.as_ref()).map_err(|why| unmoved(&name, why))?;
    Ok(Outcome::NOTHING)
}

/// Arguments of `set_object_dynamics`.
#[derive(Reflect, Deserialize)]
struct Dynamics {
    /// Head frame of the body.
    name: String,
    /// True if forces move it.
    state: bool,
}

fn set_object_dynamics(
    world: &mut World,
    _: Entity,
    Dynamics { name, state }: Dynamics,
) -> Result<Outcome, ServiceError> {
    let body = body(world, &name)?;
    hold(world, body, !state).map_err(|why| unmoved(&name, why))?;
    Ok(Outcome::Done(state.into()))
}

/// Refuses numbers for which the physics is unstable.
fn check_range(name: &str, what: &str, unit: &str, numbers: &[f64]) -> Result<(), ServiceError> {
    let range = ValueRange::of_unit(unit);
    let wrong = numbers.iter().find(|number| !range.contains(**number));
    wrong.map_or(Ok(()), |number| {
        let number = ValueRange::shown(*number);
        let text = format!("`{name}`: {number} in `{what}` is out of range: {range} {unit}");
        Err(ServiceError::Failed(text))
    })
}

fn unmoved(name: &str, why: Unmoved) -> ServiceError {
    ServiceError::Failed(format!("`{name}` {why}"))
}
