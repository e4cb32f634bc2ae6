//! Services of a pan-tilt unit.
use morse_api::{
    command::{BadCommand, give},
    frame::pose_of,
    joint::{JointState, PanTilt},
    prelude::*,
    service::NoArguments,
};

use super::{Driven, Head, Ptu, PtuCommand, goals};

/// Adds the services.
pub(super) fn add(app: &mut App) {
    app.add_service::<Ptu>(
        Service::new(
            "set_pan_tilt",
            "Rotates to these angles; answered when they are reached.",
            set_pan_tilt,
        )
        .interruptible(interrupt),
    )
    .add_service::<Ptu>(
        Service::new(
            "get_pan_tilt",
            "Returns the current angles: [pan, tilt], rad.",
            get_pan_tilt,
        )
        .read_only(),
    )
    .add_service::<Ptu>(
        Service::new(
            "look_at_point",
            "Rotates towards a point of the world, from the current pose of the unit.",
            look_at_point,
        )
        .interruptible(interrupt),
    )
    .add_service::<Ptu>(
        Service::new(
            "look_at_object",
            "Rotates towards the current position of a robot, a frame of the scene or a component.",
            look_at_object,
        )
        .interruptible(interrupt),
    );
}

/// Arguments of `set_pan_tilt`.
#[derive(Reflect, Deserialize)]
struct Angles {
    /// Angle to the left, rad.
    pan: f64,
    /// Angle downwards, rad.
    tilt: f64,
}

/// Arguments of `look_at_point`.
#[derive(Reflect, Deserialize)]
struct PointAt {
    /// Position along the world's x axis, m.
    x: f64,
    /// Position along the world's y axis, m.
    y: f64,
    /// Position along the world's z axis, m.
    z: f64,
}

/// Arguments of `look_at_object`.
#[derive(Reflect, Deserialize)]
struct Object {
    /// Name of a robot, a frame or a component.
    name: String,
}

fn set_pan_tilt(world: &mut World, unit: Entity, angles: Angles) -> Result<Outcome, ServiceError> {
    if !(angles.pan.is_finite() && angles.tilt.is_finite()) {
        return Err(ServiceError::Failed(
            "pan and tilt must be finite numbers".to_owned(),
        ));
    }
    turn(world, unit, [angles.pan, angles.tilt])?;
    Ok(Outcome::Pending)
}

fn turn(world: &mut World, unit: Entity, [pan, tilt]: [f64; 2]) -> Result<(), BadCommand> {
    let command = PtuCommand { pan, tilt };
    let goals = goals(&command, world.get::<Driven>(unit));
    give(world, unit, command)?;
    // A manual unit ignores its command.
    if let Some(mut head) = world.get_mut::<Head>(unit) {
        head.goals = goals;
    }
    Ok(())
}

fn get_pan_tilt(world: &mut World, unit: Entity, _: NoArguments) -> Result<Outcome, ServiceError> {
    Ok(Outcome::Done(angles(world, unit).to_vec().into()))
}

/// Returns the current angles.
fn angles(world: &World, unit: Entity) -> [f64; 2] {
    let angle = |joint| {
        let state = world.get::<JointState>(joint);
        state.map_or(0.0, |state| state.position)
    };
    let now = world.get::<PanTilt>(unit).copied().unwrap_or_default();
    let driven = world.get::<Driven>(unit);
    driven.map_or([now.pan, now.tilt], |driven| driven.joints.map(angle))
}

fn look_at_point(world: &mut World, unit: Entity, at: PointAt) -> Result<Outcome, ServiceError> {
    let point = Vector3::new(at.x, at.y, at.z);
    if !point.iter().all(|number| number.is_finite()) {
        return Err(ServiceError::Failed(
            "x, y and z must be finite numbers".to_owned(),
        ));
    }
    look_at(world, unit, point)
}

fn look_at_object(
    world: &mut World,
    unit: Entity,
    object: Object,
) -> Result<Outcome, ServiceError> {
    let pose = pose_of(world, &object.name);
    let pose = pose.ok_or_else(|| {
        ServiceError::Failed(format!(
            "there is no robot, frame or component `{}` to look at",
            object.name
        ))
    })?;
    look_at(world, unit, pose.translation.vector)
}

fn look_at(world: &mut World, unit: Entity, point: Vector3<f64>) -> Result<Outcome, ServiceError> {
    let refuse = || ServiceError::Failed("the unit is nowhere".to_owned());
    let driven = world.get::<Driven>(unit);
    let mount = world.get::<Mount>(unit).ok_or_else(refuse)?;
    let settings = world.get::<Ptu>(unit).ok_or_else(refuse)?;
    let (body, body_from_base) = driven.map_or((mount.body, mount.body_from_component), |driven| {
        (driven.base, Isometry3::identity())
    });
    let axes = driven.map_or_else(|| settings.virtual_axes(), |driven| driven.axes);
    let body = world.get::<BodyState>(body).ok_or_else(refuse)?;
    let base = body.pose * body_from_base;
    let at = base.inverse_transform_point(&point.into()).coords;
    let angles = axes.look_at(&at, angles(world, unit));
    turn(world, unit, angles)?;
    Ok(Outcome::Pending)
}

/// Ends a request early: the unit keeps its current angles.
fn interrupt(world: &mut World, unit: Entity) {
    let now = world.get::<Head>(unit).copied().unwrap_or_default();
    // The current angles are always valid.
    turn(world, unit, now.set_points).ok();
}
