//! Bodies that hold others: joints that are made and removed while the simulation runs.

use bevy::{ecs::system::SystemState, prelude::*};
use bevy_rapier3d::rapier::{
    dynamics::{GenericJointBuilder, JointAxesMask},
    prelude::ImpulseJointHandle,
};
use morse_api::{
    body::BodyKind,
    grasp::{CannotHold, Holding},
    state::Stateful,
};
use serde::{Deserialize, Serialize};

use super::{
    convert,
    engine::{BodyIndex, Engine, Tables},
};

/// All grasps, each of one body by another; state.
#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
pub struct Grasps(Vec<Grasp>);

/// A body that holds another one.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Grasp {
    holder: usize,
    held: usize,
    joint: ImpulseJointHandle,
}

impl Stateful for Grasps {}

/// The way in for grippers and hands.
pub(super) const HOLDING: Holding = Holding {
    can_hold,
    hold,
    let_go,
};

/// Parameters from the world that a grasp needs.
type GraspParams = (
    Single<'static, 'static, Engine>,
    Res<'static, Tables>,
    ResMut<'static, Grasps>,
    Query<'static, 'static, &'static BodyIndex>,
);

/// Checks whether a body could be held by another one: it moves by forces, and nobody holds it.
///
/// # Errors
///
/// Reason why not.
fn can_hold(world: &World, holder: Entity, held: Entity) -> Result<(), CannotHold> {
    let tables = world.get_resource::<Tables>().ok_or(CannotHold::NoBodies)?;
    let place = |entity| world.get::<BodyIndex>(entity).map(|index| index.0);
    let (Some(holder), Some(held)) = (place(holder), place(held)) else {
        return Err(CannotHold::NoBodies);
    };
    let row = tables.bodies.get(held).ok_or(CannotHold::NoBodies)?;
    if holder == held {
        return Err(CannotHold::NoBodies);
    }
    if row.kind != BodyKind::Dynamic || row.is_posed {
        return Err(CannotHold::NotDynamic);
    }
    if super::place::is_lost(world, tables, holder) || super::place::is_lost(world, tables, held) {
        return Err(CannotHold::Lost);
    }
    let grasps = world.get_resource::<Grasps>();
    let is_held = grasps.is_some_and(|all| all.0.iter().any(|grasp| grasp.held == held));
    if is_held {
        return Err(CannotHold::Held);
    }
    Ok(())
}

/// Fixes a body to another one where they are now. Both keep their masses, and pass through each other.
///
/// # Errors
///
/// When it cannot be held.
fn hold(world: &mut World, holder: Entity, held: Entity) -> Result<(), CannotHold> {
    can_hold(world, holder, held)?;
    let mut state: SystemState<GraspParams> = SystemState::new(world);
    let Ok((mut engine, tables, mut grasps, places)) = state.get_mut(world) else {
        return Err(CannotHold::NoBodies);
    };
    let one = tables.row(places.get(holder).ok());
    let other = tables.row(places.get(held).ok());
    let (Some((holder, one)), Some((held, other))) = (one, other) else {
        return Err(CannotHold::NoBodies);
    };
    let bodies = &engine.bodies.bodies;
    let (Some(above), Some(below)) = (bodies.get(one.handle), bodies.get(other.handle)) else {
        return Err(CannotHold::NoBodies);
    };
    let apart = convert::isometry(above.position()).inverse() * convert::isometry(below.position());
    let joint = GenericJointBuilder::new(JointAxesMask::LOCKED_FIXED_AXES)
        .local_frame1(convert::pose(&apart))
        .contacts_enabled(false)
        .build();
    let joint = engine
        .joints
        .impulse_joints
        .insert(one.handle, other.handle, joint, true);
    grasps.0.push(Grasp {
        holder,
        held,
        joint,
    });
    Ok(())
}

/// Lets a body go, which keeps its velocity. Nothing happens if it is not held by that holder.
fn let_go(world: &mut World, holder: Entity, held: Entity) {
    let mut state: SystemState<GraspParams> = SystemState::new(world);
    let Ok((mut engine, _, mut grasps, places)) = state.get_mut(world) else {
        return;
    };
    let (Ok(holder), Ok(held)) = (places.get(holder), places.get(held)) else {
        return;
    };
    let is_this = |grasp: &Grasp| grasp.holder == holder.0 && grasp.held == held.0;
    let Some(at) = grasps.0.iter().position(is_this) else {
        return;
    };
    let grasp = grasps.0.remove(at);
    engine.joints.impulse_joints.remove(grasp.joint, true);
}
