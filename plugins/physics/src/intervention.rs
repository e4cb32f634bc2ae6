//! Acts of the simulation itself on bodies, past all actuators: setting poses, impulses and holding.

use bevy::{ecs::system::SystemState, prelude::*};
use bevy_rapier3d::rapier::prelude::RigidBodyType;
use morse_api::body::{BodyKind, BodyState};
use nalgebra::{Isometry3, Point3, Vector3};

use super::{
    PhysicsSettings,
    commanded::Commanded,
    convert,
    engine::{BodyIndex, BodyRow, Engine, EngineItem, Tables},
    lost_body::is_bearable,
    posed,
    trees::Trees,
};

/// Reason why a body is not moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unmoved {
    /// The entity is no body.
    #[error("is no body")]
    NoBody,
    /// The body is fixed in the world.
    #[error("is fixed: give it another `kind` in the simulation file")]
    Fixed,
    /// A joint holds the body.
    #[error("is the child of a joint: move the root of its tree")]
    Jointed,
    /// The body is kinematic: only commands move it.
    #[error("is not moved by forces")]
    Kinematic,
    /// The physics lost the body.
    #[error("was lost by the physics: reset the simulation")]
    Lost,
    /// The pose is not finite, or out of the range of the physics.
    #[error("cannot be there: positions are numbers of at most 10⁹ m")]
    TooFar,
}

type InterventionParams<'w, 's> = SystemState<(
    Single<'static, 'static, Engine>,
    Res<'static, Tables>,
    Query<'static, 'static, &'static BodyIndex>,
    Query<'static, 'static, (&'static mut BodyState, &'static mut Transform)>,
    (
        Res<'static, PhysicsSettings>,
        ResMut<'static, Commanded>,
        ResMut<'static, Trees>,
    ),
)>;

/// Puts a body at a pose in the world, at rest. A kinematic body that receives poses within a quarter of a second of each
/// other has the velocity of its poses.
///
/// # Errors
///
/// The body does not move, or the pose is out of range.
pub fn set_pose(world: &mut World, entity: Entity, pose: &Isometry3<f64>) -> Result<(), Unmoved> {
    let mut state: InterventionParams<'_, '_> = SystemState::new(world);
    let Ok((mut engine, tables, indices, mut states, (settings, mut commanded, mut trees))) =
        state.get_mut(world)
    else {
        return Err(Unmoved::NoBody);
    };
    let row = tables.row(indices.get(entity).ok());
    let (body_index, row) = row.ok_or(Unmoved::NoBody)?;
    if !is_bearable(pose) {
        return Err(Unmoved::TooFar);
    }
    if engine.is_lost(row) {
        return Err(Unmoved::Lost);
    }
    if row.kind == BodyKind::Fixed {
        return Err(Unmoved::Fixed);
    }
    if row.attachment.is_some() {
        return Err(Unmoved::Jointed);
    }
    trees.surface(body_index, &mut engine, &tables);
    engine.put(row.handle, pose, true);
    if let Some(body) = engine.bodies.bodies.get_mut(row.handle) {
        body.set_linvel(default(), true);
        body.set_angvel(default(), true);
    }
    if let Ok((mut state, mut transform)) = states.get_mut(entity) {
        let from = state.pose;
        if row.kind == BodyKind::Kinematic {
            posed::put(&mut commanded.posed, body_index, &from, pose, &settings);
        } else {
            commanded.posed.remove(&body_index);
        }
        posed::carry(&mut engine, &tables, body_index, &from, pose);
        let center = from.inverse() * state.center_of_mass;
        *state = BodyState {
            pose: *pose,
            center_of_mass: pose * center,
            linear_velocity: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
            ..*state
        };
        *transform = convert::transform(pose);
    }
    Ok(())
}

/// Puts a dynamic body at a pose in the world, with velocities in world axes: linear, of the origin, m/s, and angular, rad/s.
///
/// # Errors
///
/// Forces do not move the body, or the pose is out of range.
pub fn move_at(
    world: &mut World,
    entity: Entity,
    pose: &Isometry3<f64>,
    [linear, angular]: [Vector3<f64>; 2],
) -> Result<(), Unmoved> {
    let mut state: InterventionParams<'_, '_> = SystemState::new(world);
    let Ok((_, tables, indices, ..)) = state.get_mut(world) else {
        return Err(Unmoved::NoBody);
    };
    let row = tables.row(indices.get(entity).ok());
    if row.is_some_and(|(_, row)| row.kind == BodyKind::Kinematic) {
        return Err(Unmoved::Kinematic);
    }
    set_pose(world, entity, pose)?;
    let mut state: InterventionParams<'_, '_> = SystemState::new(world);
    let Ok((mut engine, tables, indices, mut states, _)) = state.get_mut(world) else {
        return Err(Unmoved::NoBody);
    };
    let row = tables.row(indices.get(entity).ok());
    let (_, row) = row.ok_or(Unmoved::NoBody)?;
    let Ok((mut state, _)) = states.get_mut(entity) else {
        return Err(Unmoved::NoBody);
    };
    // The velocity of a body is that of its centre of mass.
    let arm = state.center_of_mass.coords - pose.translation.vector;
    state.linear_velocity = linear + angular.cross(&arm);
    state.angular_velocity = angular;
    if let Some(body) = engine.bodies.bodies.get_mut(row.handle) {
        body.set_linvel(convert::vec3(&state.linear_velocity), true);
        body.set_angvel(convert::vec3(&state.angular_velocity), true);
    }
    Ok(())
}

/// Applies an impulse (N·s) to a dynamic body at a point, both in the world; at the centre of mass without a point.
///
/// # Errors
///
/// Forces do not move it.
pub fn push(
    world: &mut World,
    entity: Entity,
    impulse: &Vector3<f64>,
    point: Option<&Point3<f64>>,
) -> Result<(), Unmoved> {
    let mut state: InterventionParams<'_, '_> = SystemState::new(world);
    let Ok((mut engine, tables, indices, states, (.., mut trees))) = state.get_mut(world) else {
        return Err(Unmoved::NoBody);
    };
    let (body_index, row) = dynamic(&engine, &tables, indices.get(entity).ok())?;
    trees.surface(body_index, &mut engine, &tables);
    if row.hangs
        && let Ok((state, _)) = states.get(entity)
    {
        // The pose of a link with nothing near it is not up to date in the engine.
        engine.put(row.handle, &state.pose, true);
    }
    let origin = engine.body_poses.origin.vector();
    if let Some(body) = engine.bodies.bodies.get_mut(row.handle) {
        let impulse = convert::vec3(impulse);
        match point {
            Some(point) => {
                let point = convert::vec3(&(point.coords - origin));
                body.apply_impulse_at_point(impulse, point, true);
            }
            None => body.apply_impulse(impulse, true),
        }
    }
    Ok(())
}

/// Returns the body with this index, and its row, if forces move it.
fn dynamic<'t>(
    engine: &EngineItem<'_, '_>,
    tables: &'t Tables,
    index: Option<&BodyIndex>,
) -> Result<(usize, &'t BodyRow), Unmoved> {
    let (body_index, row) = tables.row(index).ok_or(Unmoved::NoBody)?;
    if engine.is_lost(row) {
        return Err(Unmoved::Lost);
    }
    match row.kind {
        BodyKind::Fixed => Err(Unmoved::Fixed),
        BodyKind::Kinematic => Err(Unmoved::Kinematic),
        BodyKind::Dynamic => Ok((body_index, row)),
    }
}

/// Holds a dynamic body at its pose, or releases it.
///
/// # Errors
///
/// Forces do not move it.
pub fn hold(world: &mut World, entity: Entity, is_held: bool) -> Result<(), Unmoved> {
    let mut state: InterventionParams<'_, '_> = SystemState::new(world);
    let Ok((mut engine, tables, indices, _, (.., mut trees))) = state.get_mut(world) else {
        return Err(Unmoved::NoBody);
    };
    let (body_index, row) = dynamic(&engine, &tables, indices.get(entity).ok())?;
    trees.surface(body_index, &mut engine, &tables);
    if let Some(body) = engine.bodies.bodies.get_mut(row.handle) {
        let kind = if is_held {
            RigidBodyType::KinematicPositionBased
        } else {
            RigidBodyType::Dynamic
        };
        body.set_linvel(default(), true);
        body.set_angvel(default(), true);
        body.set_body_type(kind, true);
    }
    Ok(())
}
