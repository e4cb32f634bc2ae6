//! Services of a waypoint actuator.
use morse_api::{
    command::{BadCommand, give},
    prelude::*,
    service::NoArguments,
};

use super::{Journey, Progress, TOLERANCE, Waypoint, WaypointCommand};

/// Adds the services.
pub(super) fn add(app: &mut App) {
    app.add_service::<Waypoint>(
        Service::new(
            "setdest",
            "Sets the goal; returns true if it is not reached yet.",
            setdest,
        )
        .returns("true or false"),
    )
    .add_service::<Waypoint>(
        Service::new(
            "goto",
            "Goes to a goal, and answers `Arrived` when it is reached.",
            goto,
        )
        .returns("`Arrived`")
        .interruptible(interrupt),
    )
    .add_service::<Waypoint>(
        Service::new(
            "stop",
            "Stops on the way; a `goto` waits until it is resumed.",
            stop,
        )
        .returns("`Stop`"),
    )
    .add_service::<Waypoint>(
        Service::new(
            "resume",
            "Resumes after a stop, at the previous speed.",
            resume,
        )
        .returns("`Transit`"),
    )
    .add_service::<Waypoint>(
        Service::new("get_status", "Returns the status.", get_status)
            .returns("`Transit`, `Arrived` or `Stop`")
            .read_only(),
    );
}

/// Arguments of `setdest` and `goto`.
#[derive(Reflect, Deserialize)]
struct Goal {
    /// Position of the goal along the world's x axis, m.
    x: f64,
    /// Position of the goal along the world's y axis, m.
    y: f64,
    /// Position of the goal along the world's z axis, m.
    z: f64,
    /// Distance within which the goal is reached, m; 0.5 by default.
    #[serde(default)]
    tolerance: Option<f64>,
    /// Speed, m/s; by default that of the settings.
    #[serde(default)]
    speed: Option<f64>,
}

fn setdest(world: &mut World, entity: Entity, goal: Goal) -> Result<Outcome, ServiceError> {
    let is_away = set(world, entity, &goal)?;
    Ok(Outcome::Done(is_away.into()))
}

fn goto(world: &mut World, entity: Entity, goal: Goal) -> Result<Outcome, ServiceError> {
    set(world, entity, &goal)?;
    Ok(Outcome::Pending)
}

/// Sets the goal, also if it is unchanged: a robot that was moved away returns. Returns true if the goal is not reached yet.
fn set(world: &mut World, entity: Entity, goal: &Goal) -> Result<bool, BadCommand> {
    let settings = world.get::<Waypoint>(entity);
    let (speed, free_z) =
        settings.map_or((1.0, false), |settings| (settings.speed, settings.free_z));
    let command = WaypointCommand {
        x: goal.x,
        y: goal.y,
        z: goal.z,
        tolerance: goal.tolerance.unwrap_or(TOLERANCE),
        speed: goal.speed.unwrap_or(speed),
    };
    give(world, entity, command)?;
    change(world, entity, |journey| {
        journey.progress = Progress::Transit;
        journey.leg = None;
    });
    let mut offset = Vector3::new(goal.x, goal.y, goal.z) - position(world, entity);
    if !free_z {
        offset.z = 0.0;
    }
    Ok(offset.norm() > command.tolerance)
}

/// Returns the position of the actuator, at its last action or at the start.
fn position(world: &World, entity: Entity) -> Vector3<f64> {
    let now = world.get::<Mount>(entity).and_then(|mount| {
        let body = world.get::<BodyState>(mount.body)?;
        Some((body.pose * mount.body_from_component).translation.vector)
    });
    now.unwrap_or_default()
}

fn change(world: &mut World, entity: Entity, change: impl FnOnce(&mut Journey)) {
    if let Some(mut journey) = world.get_mut::<Journey>(entity) {
        change(&mut journey);
    }
}

/// Ends a `goto` early: the robot keeps its current position.
fn interrupt(world: &mut World, entity: Entity) {
    let [x, y, z] = position(world, entity).into();
    let old = world
        .get::<WaypointCommand>(entity)
        .copied()
        .unwrap_or_default();
    let stay = WaypointCommand {
        x,
        y,
        z,
        speed: 0.0,
        ..old
    };
    // The current position is always valid.
    give(world, entity, stay).ok();
    change(world, entity, |journey| journey.progress = Progress::Stop);
}

fn stop(world: &mut World, entity: Entity, _: NoArguments) -> Result<Outcome, ServiceError> {
    let command = world
        .get::<WaypointCommand>(entity)
        .copied()
        .unwrap_or_default();
    give(
        world,
        entity,
        WaypointCommand {
            speed: 0.0,
            ..command
        },
    )?;
    change(world, entity, |journey| {
        journey.progress = Progress::Stop;
        // A second stop must not overwrite the stored speed.
        if command.speed > 0.0 {
            journey.speed_to_resume = command.speed;
        }
    });
    Ok(Outcome::Done(Progress::Stop.word().into()))
}

fn resume(world: &mut World, entity: Entity, _: NoArguments) -> Result<Outcome, ServiceError> {
    let journey = world.get::<Journey>(entity).copied().unwrap_or_default();
    let command = world
        .get::<WaypointCommand>(entity)
        .copied()
        .unwrap_or_default();
    let speed = if command.speed > 0.0 {
        command.speed
    } else {
        journey.speed_to_resume
    };
    give(world, entity, WaypointCommand { speed, ..command })?;
    change(world, entity, |journey| {
        journey.progress = Progress::Transit;
    });
    Ok(Outcome::Done(Progress::Transit.word().into()))
}

fn get_status(world: &mut World, entity: Entity, _: NoArguments) -> Result<Outcome, ServiceError> {
    let progress = world
        .get::<Journey>(entity)
        .copied()
        .unwrap_or_default()
        .progress;
    Ok(Outcome::Done(progress.word().into()))
}
