//! Forces, torques and damping that act on links from outside.
use bevy::{ecs::change_detection::Tick, prelude::*};

use super::{Trees, bodies::rigid};
use crate::engine::{EngineItem, Tables};

/// Forces, torques and damping that act on links in a tick. Looked up only if the engine's bodies have changed.
#[derive(Default)]
pub(super) struct Acted {
    /// Links on which forces or torques act.
    loaded: Vec<usize>,
    /// True for each tree with such a link, or with one that is damped or weightless.
    trees: Vec<bool>,
    /// Change tick of the engine's bodies at the end of the last tick of the simulation; `None` before the first one.
    last_change: Option<Tick>,
}

impl Trees {
    /// Finds the links on which forces or torques act in this tick, and the trees that differ from a free motion by them.
    pub(crate) fn find_loads(&mut self, engine: &EngineItem<'_, '_>, tables: &Tables) {
        let acted = &self.acted;
        let is_known = acted.last_change == Some(engine.bodies.last_changed());
        if is_known && acted.loaded.is_empty() && acted.trees.len() == self.rows.len() {
            return;
        }
        let mut acted = std::mem::take(&mut self.acted);
        acted.loaded.clear();
        acted.trees.clear();
        for row in &self.rows {
            let mut is_acted = false;
            for link in &row.links {
                let Some(body) = rigid(engine, tables, *link) else {
                    continue;
                };
                if body.user_force() != Vec3::ZERO || body.user_torque() != Vec3::ZERO {
                    acted.loaded.push(*link);
                    is_acted = true;
                }
                is_acted |= body.linear_damping() != 0.0 || body.angular_damping() != 0.0;
                is_acted |= tables.bodies.get(*link).is_some_and(|known| !known.gravity);
            }
            acted.trees.push(is_acted);
        }
        self.acted = acted;
    }

    /// Returns the links on which forces or torques act in this tick, as indices of bodies.
    pub(crate) fn loaded_links(&self) -> &[usize] {
        &self.acted.loaded
    }

    /// Returns true if something may act on the links of a tree: anything but gravity on those of a tree with nothing near
    /// it, which fluids do not touch.
    pub(super) fn is_acted_on(&self, index: usize) -> bool {
        !self.is_clear(index) || self.acted.trees.get(index).copied().unwrap_or(true)
    }

    /// Ends a tick of the simulation: what changes in the engine from now on is looked up in the next one.
    pub(crate) fn end_tick(&mut self, engine: &EngineItem<'_, '_>) {
        self.acted.last_change = Some(engine.bodies.last_changed());
    }
}
