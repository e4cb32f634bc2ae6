//! State of the engine's sets: hash, save and restore.

use std::{collections::BTreeMap, sync::Arc};

use bevy::{ecs::system::SystemState, prelude::*};
use bevy_rapier3d::{
    plugin::context::{RapierContextColliders, RapierContextSimulation, RapierRigidBodySet},
    rapier::{
        dynamics::{CCDSolver, IslandManager, RigidBodySet},
        geometry::{ColliderSet, DefaultBroadPhase, NarrowPhase},
        prelude::PhysicsPipeline,
    },
};
use morse_api::state::{StateCopy, StateEntry, StateError, StateHasher};
use serde::{Deserialize, Serialize};

use super::{
    body_poses::BodyPoses,
    carry,
    commanded::{Command, Commanded},
    engine::{Engine, Tables},
    idle,
    joint_motion::JointMotion,
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
    copy: Some(copy),
    carry: carry::carry,
};

/// Data that the engine carries from step to step. Its clones share the shapes of the colliders.
#[derive(Clone, Serialize, Deserialize)]
struct Saved {
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
    /// True if nothing has changed since the engine's last step.
    is_unchanged: bool,
}

/// The same data in a world.
struct EngineState<'a> {
    tables: &'a Tables,
    bodies: &'a RigidBodySet,
    colliders: &'a ColliderSet,
    simulation: &'a RapierContextSimulation,
    motion: &'a JointMotion,
    trees: &'a TreesState,
    commanded: &'a Commanded,
    lost: &'a LostBodies,
    body_poses: &'a BodyPoses,
    is_unchanged: bool,
}

/// Hashes poses, velocities and sleep flags of all bodies, and all joint coordinates, in path order; velocities of posed
/// bodies, and lost bodies, if there are any.
fn hash(world: &World, hasher: &mut StateHasher) {
    let Some(engine) = EngineState::of(world) else {
        return;
    };
    for row in &engine.tables.bodies {
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
    for variable in &engine.motion.0 {
        hasher.f64(variable.position);
        hasher.f64(variable.velocity);
        hasher.f64(variable.effort);
    }
    engine.trees.hash(hasher);
    engine.body_poses.hash(hasher);
    for (body_index, motion) in &engine.commanded.posed {
        if motion.velocities().is_some() {
            hasher.value(&(body_index, motion));
        }
    }
    if !engine.lost.0.is_empty() {
        hasher.value(engine.lost);
    }
}

fn save(world: &World) -> Result<Vec<u8>, StateError> {
    Saved::of(world)?.bytes()
}

fn restore(world: &mut World, bytes: &[u8]) -> Result<(), StateError> {
    let saved: Saved = postcard::from_bytes(bytes).map_err(encoding)?;
    saved.put(world)
}

fn copy(world: &World) -> Result<Arc<dyn StateCopy>, StateError> {
    Ok(Arc::new(Saved::of(world)?))
}

impl StateCopy for Saved {
    fn restore(&self, world: &mut World) -> Result<(), StateError> {
        self.check(world)?;
        self.clone().put(world)
    }

    fn bytes(&self) -> Result<Vec<u8>, StateError> {
        postcard::to_stdvec(self).map_err(encoding)
    }
}

impl Saved {
    fn of(world: &World) -> Result<Self, StateError> {
        let state = EngineState::of(world).ok_or_else(no_physics)?;
        let simulation = state.simulation;
        Ok(Self {
            bodies: state.bodies.clone(),
            colliders: state.colliders.clone(),
            islands: simulation.islands.clone(),
            broad_phase: simulation.broad_phase.clone(),
            narrow_phase: simulation.narrow_phase.clone(),
            ccd_solver: simulation.ccd_solver.clone(),
            motion: state.motion.clone(),
            trees: state.trees.clone(),
            commands: state.commanded.velocities.clone(),
            posed: state.commanded.posed.clone(),
            lost: state.lost.clone(),
            body_poses: state.body_poses.clone(),
            is_unchanged: state.is_unchanged,
        })
    }

    /// Refuses a world with another number of bodies.
    fn check(&self, world: &World) -> Result<(), StateError> {
        let here = world
            .get_resource::<Tables>()
            .map_or(0, |tables| tables.bodies.len());
        let saved = self.bodies.len();
        if saved == here {
            return Ok(());
        }
        Err(StateError::OtherWorld {
            name: ENTRY.name,
            saved,
            here,
        })
    }

    /// Replaces the data of a world.
    fn put(self, world: &mut World) -> Result<(), StateError> {
        self.check(world)?;
        let now = world.change_tick();
        let mut state: SystemState<(
            Single<Engine>,
            (ResMut<JointMotion>, ResMut<Trees>),
            (ResMut<Commanded>, ResMut<LostBodies>),
        )> = SystemState::new(world);
        let Ok((mut engine, (mut motion, mut trees), (mut commanded, mut lost))) =
            state.get_mut(world)
        else {
            return Err(no_physics());
        };
        (commanded.velocities, commanded.posed) = (self.commands, self.posed);
        (*motion, trees.state, *lost) = (self.motion, self.trees, self.lost);
        *engine.body_poses = self.body_poses;
        engine.bodies.bodies = self.bodies;
        engine.colliders.colliders = self.colliders;
        engine.simulation.islands = self.islands;
        engine.simulation.broad_phase = self.broad_phase;
        engine.simulation.narrow_phase = self.narrow_phase;
        engine.simulation.ccd_solver = self.ccd_solver;
        // The pipeline contains only buffers, some of which belong to the replaced sets.
        engine.simulation.pipeline = PhysicsPipeline::new();
        if self.is_unchanged {
            engine.mark_step(true, now);
        }
        show_all(world);
        Ok(())
    }
}

impl<'a> EngineState<'a> {
    fn of(world: &'a World) -> Option<Self> {
        let tables = world.get_resource::<Tables>()?;
        let entity = tables.engine?;
        Some(Self {
            tables,
            bodies: &world.get::<RapierRigidBodySet>(entity)?.bodies,
            colliders: &world.get::<RapierContextColliders>(entity)?.colliders,
            simulation: world.get(entity)?,
            motion: world.get_resource()?,
            trees: &world.get_resource::<Trees>()?.state,
            commanded: world.get_resource()?,
            lost: world.get_resource()?,
            body_poses: world.get(entity)?,
            is_unchanged: idle::is_unchanged(world, entity),
        })
    }
}

fn no_physics() -> StateError {
    encoding("there is no physics in this world")
}

fn encoding(cause: impl ToString) -> StateError {
    StateError::Encoding {
        name: ENTRY.name,
        cause: cause.to_string(),
    }
}
