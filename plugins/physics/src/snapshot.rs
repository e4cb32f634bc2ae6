//! State of the engine's sets: hash, save and restore.

use std::collections::BTreeMap;

use bevy::{ecs::system::SystemState, prelude::*};
use bevy_rapier3d::{
    plugin::context::RapierContextSimulation,
    rapier::{
        dynamics::{CCDSolver, IslandManager, RigidBodySet},
        geometry::{ColliderSet, DefaultBroadPhase, NarrowPhase},
        prelude::PhysicsPipeline,
    },
};
use morse_api::state::{StateEntry, StateError, StateHasher};
use serde::{Deserialize, Serialize};

use super::{
    body_poses::BodyPoses,
    carry,
    drives::{Command, Commanded},
    engine::{Engine, EngineItem, Tables},
    joints::JointMotion,
    lost_body::LostBodies,
    posed::PosedMotions,
    shown::show_all,
    trees::{Trees, TreesState},
};

/// Entry of the engine in the register of state.
pub(super) const ENTRY: StateEntry = StateEntry {
    name: "morse_sim::physics",
    hash,
    save,
    restore,
    carry: carry::carry,
};

/// Data that the engine carries from step to step.
#[derive(Serialize)]
struct Saved<'a> {
    bodies: &'a RigidBodySet,
    colliders: &'a ColliderSet,
    islands: &'a IslandManager,
    broad_phase: &'a DefaultBroadPhase,
    narrow_phase: &'a NarrowPhase,
    ccd_solver: &'a CCDSolver,
    motion: &'a JointMotion,
    trees: &'a TreesState,
    commands: &'a BTreeMap<usize, Command>,
    posed: &'a PosedMotions,
    lost: &'a LostBodies,
    body_poses: &'a BodyPoses,
}

/// Deserialised form of [`Saved`].
#[derive(Deserialize)]
struct Restored {
    bodies: RigidBodySet,
    colliders: ColliderSet,
    islands: IslandManager,
    broad_phase: DefaultBroadPhase,
    narrow_phase: NarrowPhase,
    ccd_solver: CCDSolver,
    motion: JointMotion,
    trees: TreesState,
    commands: BTreeMap<usize, Command>,
    posed: PosedMotions,
    lost: LostBodies,
    body_poses: BodyPoses,
}

/// Hashes poses, velocities and sleep flags of all bodies, and all joint coordinates, in path order; velocities of posed
/// bodies, and lost bodies, if there are any.
fn hash(world: &World, hasher: &mut StateHasher) {
    let (Some(tables), Some(engine), Some(motion)) = parts(world) else {
        return;
    };
    for row in &tables.bodies {
        let Some(body) = engine.bodies.get(row.handle) else {
            continue;
        };
        let pose = body.position();
        let numbers = [
            pose.translation.to_array(),
            body.linvel().to_array(),
            body.angvel().to_array(),
        ];
        for number in numbers
            .into_iter()
            .flatten()
            .chain(pose.rotation.to_array())
        {
            hasher.f32(number);
        }
        hasher.bytes(&[u8::from(body.is_sleeping())]);
    }
    for variable in &motion.0 {
        hasher.f64(variable.position);
        hasher.f64(variable.velocity);
        hasher.f64(variable.effort);
    }
    engine.trees.hash(hasher);
    engine.body_poses.hash(hasher);
    for (place, motion) in engine.posed {
        if motion.velocities().is_some() {
            hasher.value(&(place, motion));
        }
    }
    if !engine.lost.0.is_empty() {
        hasher.value(engine.lost);
    }
}

fn save(world: &World) -> Result<Vec<u8>, StateError> {
    let (_, Some(saved), _) = parts(world) else {
        return Err(encoding("there is no physics in this world"));
    };
    postcard::to_stdvec(&saved).map_err(encoding)
}

fn restore(world: &mut World, bytes: &[u8]) -> Result<(), StateError> {
    let restored: Restored = postcard::from_bytes(bytes).map_err(encoding)?;
    let here = world
        .get_resource::<Tables>()
        .map_or(0, |tables| tables.bodies.len());
    let saved = restored.bodies.len();
    if saved != here {
        return Err(StateError::OtherWorld {
            name: ENTRY.name,
            saved,
            here,
        });
    }
    let mut state: SystemState<(
        Single<Engine>,
        (ResMut<JointMotion>, ResMut<Trees>),
        (ResMut<Commanded>, ResMut<LostBodies>),
    )> = SystemState::new(world);
    let Ok((mut engine, (mut motion, mut trees), (mut commanded, mut lost))) = state.get_mut(world)
    else {
        return Err(encoding("there is no physics in this world"));
    };
    (commanded.velocities, commanded.posed) = (restored.commands.clone(), restored.posed.clone());
    (*motion, trees.state, *lost) = put(&mut engine, restored);
    show_all(world);
    Ok(())
}

fn put(
    engine: &mut EngineItem<'_, '_>,
    restored: Restored,
) -> (JointMotion, TreesState, LostBodies) {
    engine.bodies.bodies = restored.bodies;
    engine.colliders.colliders = restored.colliders;
    *engine.body_poses = restored.body_poses;
    engine.simulation.islands = restored.islands;
    engine.simulation.broad_phase = restored.broad_phase;
    engine.simulation.narrow_phase = restored.narrow_phase;
    engine.simulation.ccd_solver = restored.ccd_solver;
    // The pipeline contains only buffers, some of which belong to the replaced sets.
    engine.simulation.pipeline = PhysicsPipeline::new();
    (restored.motion, restored.trees, restored.lost)
}

fn parts(world: &World) -> (Option<&Tables>, Option<Saved<'_>>, Option<&JointMotion>) {
    let motion = world.get_resource::<JointMotion>();
    (world.get_resource::<Tables>(), sets(world), motion)
}

fn sets(world: &World) -> Option<Saved<'_>> {
    use bevy_rapier3d::plugin::context::{RapierContextColliders, RapierRigidBodySet};
    let entity = world.get_resource::<Tables>()?.engine?;
    let commanded = world.get_resource::<Commanded>()?;
    let simulation = world.get::<RapierContextSimulation>(entity)?;
    Some(Saved {
        bodies: &world.get::<RapierRigidBodySet>(entity)?.bodies,
        colliders: &world.get::<RapierContextColliders>(entity)?.colliders,
        islands: &simulation.islands,
        broad_phase: &simulation.broad_phase,
        narrow_phase: &simulation.narrow_phase,
        ccd_solver: &simulation.ccd_solver,
        motion: world.get_resource()?,
        trees: &world.get_resource::<Trees>()?.state,
        commands: &commanded.velocities,
        posed: &commanded.posed,
        lost: world.get_resource()?,
        body_poses: world.get(entity)?,
    })
}

fn encoding(cause: impl ToString) -> StateError {
    StateError::Encoding {
        name: ENTRY.name,
        cause: cause.to_string(),
    }
}
