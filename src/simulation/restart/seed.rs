//! Random streams of another seed.
use bevy::prelude::*;
use morse_api::{modifier::ModifierStates, random::Random};
use morse_simulation_file::{Instance, Simulation, model::Component};

use crate::simulation::{
    install::{MEASUREMENT, purposes},
    reload::components,
};

/// Sets all random streams to their beginning with the seed of a simulation file.
pub(super) fn draw_again(world: &mut World, simulation: &Simulation) {
    let seed = simulation.environment.seed;
    let entities = components(world);
    let mut of = |path: &str, common: &Component| {
        let Some(entity) = entities.get(path) else {
            return;
        };
        let mut entity = world.entity_mut(*entity);
        if let Some(mut random) = entity.get_mut::<Random>() {
            *random = Random::new(seed, path, MEASUREMENT);
        }
        if let Some(mut states) = entity.get_mut::<ModifierStates>() {
            for (state, purpose) in states.0.iter_mut().zip(purposes(&common.modifiers)) {
                state.random = Random::new(seed, path, &purpose);
            }
        }
    };
    for Instance { name, robot, .. } in simulation.expand() {
        for (own, sensor) in &robot.sensors {
            of(&format!("{name}.{}", own.value), &sensor.component);
        }
        for (own, actuator) in &robot.actuators {
            of(&format!("{name}.{}", own.value), &actuator.component);
        }
    }
}
