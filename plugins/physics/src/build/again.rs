//! Building of a scene in a world that has one already: the same bodies at other initial poses.
use bevy::prelude::*;
use bevy_rapier3d::rapier::{
    dynamics::{CCDSolver, ImpulseJointSet, IslandManager, MultibodyJointSet, RigidBodySet},
    geometry::{ColliderSet, DefaultBroadPhase, NarrowPhase},
    prelude::PhysicsPipeline,
};
use morse_scene::{assembly::Layout, model::Scene};

use super::{Built, Entities, build, is_still};
use crate::{
    commanded::Commanded,
    engine::{Engine, LastStep, Tables},
    lost_body::LostBodies,
    prepare::Prepared,
};

/// Returns true if the bodies of a layout are those of the world, and all that never move are at the same poses.
#[must_use]
pub fn has_bodies_of(world: &World, layout: &Layout) -> bool {
    let Some(tables) = world.get_resource::<Tables>() else {
        return false;
    };
    let mut pairs = tables.bodies.iter().zip(&layout.bodies);
    tables.bodies.len() == layout.bodies.len()
        && tables.frames.len() == layout.frames.len()
        && tables.variables.len() == layout.variables.len()
        && pairs.all(|(row, body)| {
            let still = is_still(body).then_some(body.pose);
            row.head == body.head && row.kind == body.kind && row.still == still
        })
}

/// Builds a scene in the engine in place of the present one, whose entities it keeps.
pub fn build_again(
    world: &mut World,
    layout: &Layout,
    scene: &Scene,
    prepared: &Prepared,
    entities: &Entities,
) -> Built {
    world.insert_resource(Commanded::default());
    world.insert_resource(LostBodies::default());
    let mut engines = world.query::<Engine>();
    if let Ok(mut engine) = engines.single_mut(world) {
        let simulation = &mut *engine.simulation;
        simulation.islands = IslandManager::new();
        simulation.broad_phase = DefaultBroadPhase::new();
        simulation.narrow_phase = NarrowPhase::new();
        simulation.ccd_solver = CCDSolver::new();
        simulation.pipeline = PhysicsPipeline::new();
        engine.joints.impulse_joints = ImpulseJointSet::new();
        engine.joints.multibody_joints = MultibodyJointSet::new();
        engine.colliders.colliders = ColliderSet::new();
        engine.bodies.bodies = RigidBodySet::new();
        *engine.last_step = LastStep::default();
    }
    build(world, layout, scene, prepared, entities)
}
