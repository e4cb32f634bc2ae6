//! Copies the state of the engine to the entities, after it was set.

use bevy::{ecs::system::SystemState, prelude::*};
use morse_api::{body::BodyState, joint::JointState};

use super::{
    commanded::Commanded,
    convert,
    engine::{Engine, Tables},
    joint_motion::JointMotion,
    posed, step,
    trees::Trees,
};

/// Copies the state of the engine to the entities.
pub(super) fn show_all(world: &mut World) {
    let mut state: SystemState<(
        Single<Engine>,
        Res<Tables>,
        (Res<JointMotion>, ResMut<Trees>),
        Res<Commanded>,
        Query<(&mut BodyState, &mut Transform)>,
        Query<&mut JointState>,
    )> = SystemState::new(world);
    let Ok((engine, tables, (motion, mut trees), commanded, mut bodies, mut states)) =
        state.get_mut(world)
    else {
        return;
    };
    trees.forward_kinematics(&engine, &tables);
    for row in &tables.bodies {
        if let Ok((mut state, mut transform)) = bodies.get_mut(row.entity) {
            step::copy(&engine, row, &mut state);
            *transform = convert::transform(&state.pose);
        }
    }
    trees.visit_states(&engine, &tables, |body, link| {
        if let Ok((mut state, mut transform)) = bodies.get_mut(body) {
            link.write(&mut state);
            *transform = convert::transform(&state.pose);
        }
    });
    posed::rewrite_states(&commanded.posed, &tables, &mut bodies);
    for (variable, motion) in tables.variables.iter().zip(&motion.0) {
        if let Ok(mut state) = states.get_mut(variable.entity) {
            *state = JointState {
                position: motion.position,
                velocity: motion.velocity,
                effort: motion.effort,
            };
        }
    }
}
