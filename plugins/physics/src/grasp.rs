//! Grasps: welds between bodies that are made and removed while the simulation runs.

use bevy::{ecs::system::SystemState, prelude::*};
use bevy_rapier3d::rapier::prelude::{ActiveHooks, Collider, RigidBodyHandle};
use morse_api::{
    body::BodyKind,
    grasp::{CannotHold, Holding},
    state::Stateful,
};
use nalgebra::Isometry3;
use serde::{Deserialize, Serialize};

use super::{
    engine::{self, BodyIndex, Engine, EngineItem, Tables},
    pairs::Pairs,
};

/// All grasps; state.
#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
pub struct Grasps(Vec<Grasp>);

/// A grasp of one body by another.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Grasp {
    pub holder: usize,
    pub held: usize,
    /// Index of the holder's frame.
    pub frame: Option<usize>,
    /// Pose of the held body in the frame of the holder.
    pub apart: Isometry3<f64>,
}

impl Grasps {
    /// Returns true if there are no grasps.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the grasps between kept bodies, with their indices in another world.
    pub(super) fn between(&self, pairs: &Pairs) -> Self {
        let grasps = self.0.iter().filter_map(|grasp| {
            let frame = grasp.frame.map(|frame| pairs.frames.get(&frame).copied());
            Some(Grasp {
                holder: *pairs.bodies.get(&grasp.holder)?,
                held: *pairs.bodies.get(&grasp.held)?,
                frame: match frame {
                    Some(frame) => Some(frame?),
                    None => None,
                },
                apart: grasp.apart,
            })
        });
        Self(grasps.collect())
    }

    /// Iterates over all grasps.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Grasp> {
        self.0.iter()
    }

    /// Returns true if one of two bodies holds the other.
    pub(super) fn connect(&self, (one, other): (usize, usize)) -> bool {
        let mut all = self.0.iter();
        all.any(|grasp| {
            (grasp.holder.min(grasp.held), grasp.holder.max(grasp.held)) == (one, other)
        })
    }
}

impl Stateful for Grasps {}

/// Functions for grippers and hands.
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

/// Checks whether a body could be held by another one: it moves by forces, and no body holds it.
///
/// # Errors
///
/// The reason why it cannot be held.
fn can_hold(world: &World, holder: Entity, held: Entity) -> Result<(), CannotHold> {
    let tables = world.get_resource::<Tables>().ok_or(CannotHold::NoBodies)?;
    let body_index = |entity| world.get::<BodyIndex>(entity).map(|index| index.0);
    let (Some(holder), Some(held)) = (body_index(holder), body_index(held)) else {
        return Err(CannotHold::NoBodies);
    };
    let row = tables.bodies.get(held).ok_or(CannotHold::NoBodies)?;
    if holder == held {
        return Err(CannotHold::NoBodies);
    }
    if row.kind != BodyKind::Dynamic || row.is_posed {
        return Err(CannotHold::NotDynamic);
    }
    if engine::is_lost(world, tables, holder) || engine::is_lost(world, tables, held) {
        return Err(CannotHold::Lost);
    }
    let grasps = world.get_resource::<Grasps>();
    let is_held = grasps.is_some_and(|all| all.0.iter().any(|grasp| grasp.held == held));
    if is_held {
        return Err(CannotHold::Held);
    }
    Ok(())
}

/// Fixes a body to another one at their present relative pose. Both keep their masses, and pass through each other.
///
/// # Errors
///
/// The body cannot be held.
fn hold(world: &mut World, holder: Entity, frame: Entity, held: Entity) -> Result<(), CannotHold> {
    can_hold(world, holder, held)?;
    let mut state: SystemState<GraspParams> = SystemState::new(world);
    let Ok((mut engine, tables, mut grasps, indices)) = state.get_mut(world) else {
        return Err(CannotHold::NoBodies);
    };
    let one = tables.row(indices.get(holder).ok());
    let other = tables.row(indices.get(held).ok());
    let (Some((holder, one)), Some((held, other))) = (one, other) else {
        return Err(CannotHold::NoBodies);
    };
    let bodies = &engine.bodies.bodies;
    let (Some(above), Some(below)) = (bodies.get(one.handle), bodies.get(other.handle)) else {
        return Err(CannotHold::NoBodies);
    };
    let poses = &engine.body_poses;
    let apart = poses.of(above).inverse() * poses.of(below);
    for handle in [one.handle, other.handle] {
        request_filter(&mut engine, handle);
        engine.wake(handle);
    }
    grasps.0.push(Grasp {
        holder,
        held,
        frame: tables.frames.iter().position(|row| row.entity == frame),
        apart,
    });
    Ok(())
}

const FILTER: ActiveHooks = ActiveHooks::FILTER_CONTACT_PAIRS;

/// Makes the engine call the contact filter for all pairs with this body. Costs nothing once it is set.
pub(super) fn request_filter(engine: &mut EngineItem<'_, '_>, body: RigidBodyHandle) {
    let Some(body) = engine.bodies.bodies.get(body) else {
        return;
    };
    let colliders = &mut engine.colliders.colliders;
    for handle in body.colliders() {
        let hooks = colliders.get(*handle).map(Collider::active_hooks);
        if let Some(hooks) = hooks.filter(|hooks| !hooks.contains(FILTER))
            && let Some(collider) = colliders.get_mut(*handle)
        {
            collider.set_active_hooks(hooks | FILTER);
        }
    }
}

/// Releases a body, which keeps its velocity. Does nothing if the holder does not hold it.
fn let_go(world: &mut World, holder: Entity, held: Entity) {
    let mut state: SystemState<GraspParams> = SystemState::new(world);
    let Ok((mut engine, tables, mut grasps, indices)) = state.get_mut(world) else {
        return;
    };
    let (Ok(holder), Ok(held)) = (indices.get(holder), indices.get(held)) else {
        return;
    };
    let is_this = |grasp: &Grasp| grasp.holder == holder.0 && grasp.held == held.0;
    let Some(index) = grasps.0.iter().position(is_this) else {
        return;
    };
    grasps.0.remove(index);
    for body in [holder.0, held.0] {
        if let Some(row) = tables.bodies.get(body) {
            engine.wake(row.handle);
        }
    }
}
