//! Return of a tree with clearances to the engine.
use std::mem;

use bevy_rapier3d::rapier::prelude::RigidBody;

use super::{Trees, bodies::rigid, clearance::PREDICTION, isometry, link_state::velocity};
use crate::{
    convert,
    engine::{EngineItem, Tables},
};

impl Trees {
    /// Wakes the links of a tree in the engine, at their poses.
    pub(super) fn end_clearance(
        &mut self,
        index: usize,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
    ) {
        self.last_checks[index].forget();
        self.state.trees[index].clearance.end();
        let (base, base_pose) = self.base(index, engine, tables);
        if mem::take(&mut self.outdated[index]) {
            let motion = &self.state.trees[index].motion;
            let workspace = &mut self.integrators[index].workspace;
            workspace.forward_kinematics(&self.rows[index].tree, &base, motion);
        }
        // A base that another system has moved is where that has put it.
        let is_moved = |body: &RigidBody| {
            self.rows[index].floats && engine.body_poses.of(body) != self.state.trees[index].at
        };
        let first = self.rows[index].links.first().copied();
        let is_moved = first
            .and_then(|base| rigid(engine, tables, base))
            .is_some_and(is_moved);
        for (link, body) in self.rows[index].links.iter().enumerate() {
            let Some(row) = tables.bodies.get(*body) else {
                continue;
            };
            if link > 0 || !is_moved {
                let pose = isometry(&(base_pose * self.integrators[index].workspace.pose_of(link)));
                engine.put(row.handle, &pose, false);
                if link == 0 {
                    self.state.trees[index].at = pose;
                }
            }
            engine.wake(row.handle);
        }
        // In large boxes the engine would find more pairs.
        self.set_boxes(index, PREDICTION, engine, tables);
    }

    /// Ends the clearances of a floating robot whose pose or velocity is going to be set: the engine gets its motion.
    pub(crate) fn surface(
        &mut self,
        body: usize,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
    ) {
        let Some((index, _)) = self.of_body.get(body).copied().flatten() else {
            return;
        };
        if !self.is_clear(index) || !self.rows[index].floats {
            return;
        }
        self.end_clearance(index, engine, tables);
        let (_, base_pose) = self.base(index, engine, tables);
        let workspace = &self.integrators[index].workspace;
        let shown = &mut self.state.trees[index].shown;
        for ((link, body), shown) in self.rows[index].links.iter().enumerate().zip(shown) {
            let now = velocity(workspace, link, &base_pose, &self.masses[*body].center);
            let [linear, angular] = now.map(|vector| convert::vec3(&vector));
            let row = tables.bodies.get(*body);
            if let Some(body) = row.and_then(|row| engine.movable(row)) {
                body.set_linvel(linear, false);
                body.set_angvel(angular, false);
                *shown = [linear.to_array(), angular.to_array()];
            }
        }
    }
}
