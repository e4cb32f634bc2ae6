//! Forces for one step of the engine, in addition to those for a whole tick.

use bevy::prelude::Vec3;

use super::engine::{EngineItem, Tables};

/// Forces and torques that act on some bodies throughout a tick.
#[derive(Default)]
pub(super) struct Loads {
    bodies: Vec<usize>,
    loads: Vec<Load>,
}

struct Load {
    body: usize,
    force: Vec3,
    torque: Vec3,
}

impl Loads {
    /// Collects the forces and torques that act on these bodies now.
    pub(super) fn collect(
        &mut self,
        bodies: impl Iterator<Item = usize>,
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
    ) {
        self.bodies.clear();
        self.bodies.extend(bodies);
        self.bodies.sort_unstable();
        self.bodies.dedup();
        let load = |&body: &usize| {
            let row = tables.bodies.get(body)?;
            let rigid = engine.bodies.bodies.get(row.handle)?;
            let (force, torque) = (rigid.user_force(), rigid.user_torque());
            Some(Load {
                body,
                force,
                torque,
            })
        };
        self.loads.clear();
        self.loads.extend(self.bodies.iter().filter_map(load));
    }

    /// Restores these forces and torques, and removes those of the last step.
    pub(super) fn restore(&self, engine: &mut EngineItem<'_, '_>, tables: &Tables) {
        for load in &self.loads {
            let row = tables.bodies.get(load.body);
            if let Some(body) = row.and_then(|row| engine.bodies.bodies.get_mut(row.handle)) {
                body.reset_forces(false);
                body.reset_torques(false);
                body.add_force(load.force, false);
                body.add_torque(load.torque, false);
            }
        }
    }

    /// Removes all forces and torques.
    pub(super) fn release(&self, engine: &mut EngineItem<'_, '_>, tables: &Tables) {
        for load in &self.loads {
            let row = tables.bodies.get(load.body);
            if let Some(body) = row.and_then(|row| engine.bodies.bodies.get_mut(row.handle)) {
                body.reset_forces(false);
                body.reset_torques(false);
            }
        }
    }
}
