//! Updates of f64 poses after the engine's steps, and of the engine's origin.

use morse_api::body::BodyKind;

use super::{
    body_poses::Step,
    engine::{BodyRow, EngineItem, Tables},
};

impl EngineItem<'_, '_> {
    /// Stores the motion of those of these bodies that the engine is about to move.
    pub(super) fn remember(&mut self, tables: &Tables, bodies: &[usize]) {
        let body_poses = &mut *self.body_poses;
        body_poses.prepare(tables.bodies.len());
        for (index, row) in rows(tables, bodies) {
            if row.kind != BodyKind::Fixed
                && !row.is_posed
                && let Some(body) = self.bodies.bodies.get(row.handle)
            {
                body_poses.remember(index, body);
            }
        }
    }

    /// Applies the result of the engine's step to the f64 poses of these bodies.
    pub(super) fn integrate_poses(&mut self, tables: &Tables, step: &Step, bodies: &[usize]) {
        for (index, row) in rows(tables, bodies) {
            if row.kind == BodyKind::Fixed || row.is_posed {
                continue;
            }
            let body_poses = &mut *self.body_poses;
            let bodies = &mut self.bodies.bodies;
            let body = bodies.get(row.handle).filter(|body| body.is_enabled());
            let Some(wanted) = body.map(|body| body_poses.follow(index, body, step)) else {
                continue;
            };
            if wanted.is_any()
                && let Some(body) = bodies.get_mut(row.handle)
            {
                if let Some(pose) = wanted.pose {
                    body.set_position(pose, false);
                }
                if let Some(velocity) = wanted.linear {
                    body.set_linvel(velocity, false);
                }
                if let Some(velocity) = wanted.angular {
                    body.set_angvel(velocity, false);
                }
            }
        }
    }

    /// Moves the origin, and all bodies in the engine with it, if the moving bodies are far from it. Returns true if it did.
    pub(super) fn keep_near(&mut self, tables: &Tables) -> bool {
        let Some(origin) = self.body_poses.nearer(&tables.roaming) else {
            return false;
        };
        let bodies = &mut self.bodies.bodies;
        let body_poses = &mut *self.body_poses;
        let pose = |row: &BodyRow| Some((row.handle, body_poses.of(bodies.get(row.handle)?)));
        let poses: Vec<_> = tables.bodies.iter().filter_map(pose).collect();
        body_poses.origin = origin;
        for (handle, pose) in poses {
            if let Some(body) = bodies.get_mut(handle) {
                body_poses.put(body, &pose, false);
            }
        }
        true
    }
}

/// Iterates over the rows of some bodies, with their indices.
fn rows<'a>(tables: &'a Tables, bodies: &'a [usize]) -> impl Iterator<Item = (usize, &'a BodyRow)> {
    let rows = bodies.iter();
    rows.filter_map(|index| Some((*index, tables.bodies.get(*index)?)))
}
