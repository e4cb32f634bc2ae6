//! The engine's sets as state: hash, save and restore.

use std::collections::BTreeMap;

use bevy::{ecs::system::SystemState, prelude::*};
use bevy_rapier3d::{
    plugin::context::RapierContextSimulation,
    rapier::{
        dynamics::{CCDSolver, ImpulseJointSet, IslandManager, MultibodyJointSet, RigidBodySet},
        geometry::{ColliderSet, DefaultBroadPhase, NarrowPhase},
        prelude::PhysicsPipeline,
    },
};
use morse_api::{
    body::BodyState,
    joint::JointState,
    state::{StateEntry, StateError, StateHasher},
};
use serde::{Deserialize, Serialize};

use super::{
    convert,
    drives::{Command, Commanded},
    engine::{Engine, EngineItem, Tables},
    joints::JointMotion,
    lost_body::LostBodies,
    posed::{self, PosedMotions},
    step,
};

/// The state of the engine, as the register of state knows it.
pub(super) const ENTRY: StateEntry = StateEntry {
    name: "morse_sim::physics",
    hash,
    save,
    restore,
};

/// All that the engine carries from one step to the next.
#[derive(Serialize)]
struct Saved<'a> {
    bodies: &'a RigidBodySet,
    colliders: &'a ColliderSet,
    impulse_joints: &'a ImpulseJointSet,
    multibody_joints: &'a MultibodyJointSet,
    islands: &'a IslandManager,
    broad_phase: &'a DefaultBroadPhase,
    narrow_phase: &'a NarrowPhase,
    ccd_solver: &'a CCDSolver,
    motion: &'a JointMotion,
    commands: &'a BTreeMap<usize, Command>,
    posed: &'a PosedMotions,
    lost: &'a LostBodies,
}

/// As [`Saved`], on the way back.
#[derive(Deserialize)]
struct Restored {
    bodies: RigidBodySet,
    colliders: ColliderSet,
    impulse_joints: ImpulseJointSet,
    multibody_joints: MultibodyJointSet,
    islands: IslandManager,
    broad_phase: DefaultBroadPhase,
    narrow_phase: NarrowPhase,
    ccd_solver: CCDSolver,
    motion: JointMotion,
    commands: BTreeMap<usize, Command>,
    posed: PosedMotions,
    lost: LostBodies,
}

/// Poses, velocities and sleep of all bodies, and all joint coordinates, in path order; velocities of what was put
/// from pose to pose, and what was lost, where there is any.
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
        for position in &variable.positions {
            hasher.f64(*position);
        }
        hasher.f64(variable.velocity);
        hasher.f64(variable.effort);
    }
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
        Res<Tables>,
        ResMut<JointMotion>,
        (ResMut<Commanded>, ResMut<LostBodies>),
        (Query<&mut BodyState>, Query<&mut Transform>),
        Query<&mut JointState>,
    )> = SystemState::new(world);
    let Ok((mut engine, tables, mut motion, kept, (mut bodies, mut transforms), mut joints)) =
        state.get_mut(world)
    else {
        return Err(encoding("there is no physics in this world"));
    };
    let (mut commanded, mut lost) = kept;
    (*motion, commanded.velocities, commanded.posed, *lost) = put(&mut engine, restored);
    for row in &tables.bodies {
        if let (Ok(mut state), Ok(mut transform)) =
            (bodies.get_mut(row.entity), transforms.get_mut(row.entity))
        {
            step::copy(&engine, row, &mut state);
            *transform = convert::transform(&state.pose);
        }
    }
    posed::tell(&commanded.posed, &tables, &mut bodies);
    for (variable, motion) in tables.variables.iter().zip(&motion.0) {
        if let Ok(mut state) = joints.get_mut(variable.entity) {
            *state = JointState {
                position: motion.position(),
                velocity: motion.velocity,
                effort: motion.effort,
            };
        }
    }
    Ok(())
}

fn put(
    engine: &mut EngineItem<'_, '_>,
    restored: Restored,
) -> (
    JointMotion,
    BTreeMap<usize, Command>,
    PosedMotions,
    LostBodies,
) {
    engine.bodies.bodies = restored.bodies;
    engine.colliders.colliders = restored.colliders;
    engine.joints.impulse_joints = restored.impulse_joints;
    engine.joints.multibody_joints = restored.multibody_joints;
    engine.simulation.islands = restored.islands;
    engine.simulation.broad_phase = restored.broad_phase;
    engine.simulation.narrow_phase = restored.narrow_phase;
    engine.simulation.ccd_solver = restored.ccd_solver;
    // The pipeline holds nothing but buffers, some of which belong to the sets that are gone.
    engine.simulation.pipeline = PhysicsPipeline::new();
    (
        restored.motion,
        restored.commands,
        restored.posed,
        restored.lost,
    )
}

fn parts(world: &World) -> (Option<&Tables>, Option<Saved<'_>>, Option<&JointMotion>) {
    let motion = world.get_resource::<JointMotion>();
    (
        world.get_resource::<Tables>(),
        motion
            .zip(world.get_resource::<Commanded>())
            .zip(world.get_resource::<LostBodies>())
            .and_then(|((motion, commanded), lost)| sets(world, motion, commanded, lost)),
        motion,
    )
}

fn sets<'w>(
    world: &'w World,
    motion: &'w JointMotion,
    commanded: &'w Commanded,
    lost: &'w LostBodies,
) -> Option<Saved<'w>> {
    use bevy_rapier3d::plugin::context::{
        RapierContextColliders, RapierContextJoints, RapierRigidBodySet,
    };
    let entity = world.get_resource::<Tables>()?.engine?;
    let simulation = world.get::<RapierContextSimulation>(entity)?;
    let joints = world.get::<RapierContextJoints>(entity)?;
    Some(Saved {
        bodies: &world.get::<RapierRigidBodySet>(entity)?.bodies,
        colliders: &world.get::<RapierContextColliders>(entity)?.colliders,
        impulse_joints: &joints.impulse_joints,
        multibody_joints: &joints.multibody_joints,
        islands: &simulation.islands,
        broad_phase: &simulation.broad_phase,
        narrow_phase: &simulation.narrow_phase,
        ccd_solver: &simulation.ccd_solver,
        motion,
        commands: &commanded.velocities,
        posed: &commanded.posed,
        lost,
    })
}

fn encoding(cause: impl ToString) -> StateError {
    StateError::Encoding {
        name: ENTRY.name,
        cause: cause.to_string(),
    }
}
