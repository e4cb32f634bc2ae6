//! Joints between bodies: their motors before a tick, their positions after it.
use bevy::prelude::*;
use morse_api::joint::{JointState, JointTarget};

use super::{
    PhysicsSettings,
    engine::{Engine, EngineItem, Tables, VariableIndex},
    joint_motion::JointMotion,
    lost_body::LostBodies,
    posing,
    suspension::Suspended,
    trees::Trees,
};

/// Converts the variables' targets to motors, and moves posed variables towards theirs.
pub(super) fn apply(
    (suspended, settings): (Res<Suspended>, Res<PhysicsSettings>),
    tables: Res<Tables>,
    mut motion: ResMut<JointMotion>,
    mut trees: ResMut<Trees>,
    (lost, engine): (Res<LostBodies>, Single<Engine>),
    targets: Query<(&VariableIndex, &JointTarget)>,
) {
    if suspended.0 {
        return;
    }
    let dt = settings.dt();
    let has_lost = |index: usize| {
        let variable = tables.variables.get(index).filter(|_| lost.is_any());
        variable.is_some_and(|variable| engine.has_lost(&tables, variable))
    };
    for (&VariableIndex(index), target) in &targets {
        let (Some(settings), Some(motion)) = (tables.motors.get(index), motion.0.get_mut(index))
        else {
            continue;
        };
        if settings.is_kinematic || has_lost(index) {
            continue;
        }
        let before = (motion.set_point, motion.set_speed);
        let (motor, set_point) =
            settings.motor(target, [motion.position, motion.velocity], before, dt);
        motion.set_speed = match (motion.set_point, set_point) {
            (Some(_), Some((_, velocities))) => velocities,
            _ => [0.0; 2],
        };
        motion.set_point = set_point.map(|(position, _)| position);
        trees.equip(index, &motor);
    }
    let target = |joint: Entity| targets.get(joint).map_or_else(|_| default(), |(_, it)| *it);
    posing::follow(&engine, (&settings, &tables), &mut motion, target);
}

/// Reads positions and velocities of the joints after the step.
pub(super) fn read(
    (engine, tables): (&EngineItem<'_, '_>, &Tables),
    (trees, lost): (&Trees, &LostBodies),
    motion: &mut JointMotion,
    states: &mut Query<(&VariableIndex, &mut JointState)>,
) {
    let has_lost = |index: usize| {
        let variable = tables.variables.get(index).filter(|_| lost.is_any());
        variable.is_some_and(|variable| engine.has_lost(tables, variable))
    };
    for (&VariableIndex(index), mut state) in states {
        let Some(motion) = motion.0.get_mut(index) else {
            continue;
        };
        if has_lost(index) {
            (motion.velocity, motion.effort) = (0.0, 0.0);
        } else if let Some(does) = trees.does(index) {
            motion.position = does.position;
            motion.velocity = does.velocity;
            // A sleeping joint exerts the same effort as when it fell asleep.
            motion.effort = does.effort.unwrap_or(motion.effort);
        }
        *state = JointState {
            position: motion.position,
            velocity: motion.velocity,
            effort: motion.effort,
        };
    }
}
