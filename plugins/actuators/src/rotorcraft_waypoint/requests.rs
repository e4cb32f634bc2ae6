//! Services of a rotorcraft's waypoint actuator.
use morse_api::{prelude::*, service::NoArguments};

use super::{
    Journey, Progress, RotorcraftWaypoint, RotorcraftWaypointCommand, TOLERANCE, here, set_goal,
};

/// Adds the services.
pub(super) fn add(app: &mut App) {
    app.add_service::<RotorcraftWaypoint>(Service::new(
        "setdest",
        "Sets the goal; returns true if it is not reached yet.",
        setdest,
    ))
    .add_service::<RotorcraftWaypoint>(
        Service::new(
            "goto",
            "Flies to a goal, and answers `Arrived` when it is reached.",
            goto,
        )
        .interruptible(interrupt),
    )
    .add_service::<RotorcraftWaypoint>(
        Service::new("get_status", "`Transit` or `Arrived`.", get_status).read_only(),
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
    /// Heading, from the world's x axis to the left, rad.
    yaw: f64,
    /// Distance within which the goal is reached, m; 0.2 by default.
    #[serde(default)]
    tolerance: Option<f64>,
}

fn setdest(world: &mut World, entity: Entity, goal: Goal) -> Result<Outcome, ServiceError> {
    let command = set(world, entity, &goal)?;
    let goal = Vector3::new(command.x, command.y, command.z);
    let is_away = body(world, entity)
        .is_none_or(|body| (goal - body.pose.translation.vector).norm() > command.tolerance);
    Ok(Outcome::Done(is_away.into()))
}

fn goto(world: &mut World, entity: Entity, goal: Goal) -> Result<Outcome, ServiceError> {
    set(world, entity, &goal)?;
    Ok(Outcome::Pending)
}

fn set(
    world: &mut World,
    entity: Entity,
    goal: &Goal,
) -> Result<RotorcraftWaypointCommand, ServiceError> {
    let tolerance = goal.tolerance.unwrap_or(TOLERANCE);
    if tolerance.is_nan() || tolerance < 0.0 {
        let path = world
            .get::<ComponentPath>(entity)
            .cloned()
            .unwrap_or_default();
        return Err(ServiceError::Failed(format!(
            "`{path}`: invalid `tolerance` {tolerance} m: it must not be negative"
        )));
    }
    let command = RotorcraftWaypointCommand {
        x: goal.x,
        y: goal.y,
        z: goal.z,
        yaw: goal.yaw,
        tolerance,
    };
    set_goal(world, entity, command)?;
    Ok(command)
}

fn body(world: &World, entity: Entity) -> Option<&BodyState> {
    world.get::<BodyState>(world.get::<Mount>(entity)?.body)
}

/// Ends a `goto` early: the robot returns to its current position, and stays there.
fn interrupt(world: &mut World, entity: Entity) {
    let Some(here) = body(world, entity).map(here) else {
        return;
    };
    let tolerance = world
        .get::<RotorcraftWaypointCommand>(entity)
        .map_or(TOLERANCE, |command| command.tolerance);
    let stay = RotorcraftWaypointCommand { tolerance, ..here };
    // The current pose is always valid.
    set_goal(world, entity, stay).ok();
}

fn get_status(world: &mut World, entity: Entity, _: NoArguments) -> Result<Outcome, ServiceError> {
    let journey = world.get::<Journey>(entity).copied().unwrap_or_default();
    let progress: Progress = journey.progress;
    Ok(Outcome::Done(progress.word().into()))
}
