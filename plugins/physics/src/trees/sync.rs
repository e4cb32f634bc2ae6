//! Synchronisation of trees with the engine: reads changes of links, and writes their poses.
use std::mem;

use bevy::{math::Vec3, prelude::Entity};
use bevy_rapier3d::rapier::prelude::{RigidBody, RigidBodyType};
use morse_mechanisms::{Base, Force, Motion, Pose};
use nalgebra::Vector3;

use super::{
    TreeState, Trees,
    bodies::{carried, rigid, show, show_pose},
    isometry,
    link_state::{LinkState, velocity},
    put, set_base,
};
use crate::{
    body_poses::STILL,
    commanded::Commanded,
    convert,
    engine::{EngineItem, Tables},
};

impl Trees {
    /// Reads changes in the engine since the last step: bodies that were moved, pushed, woken or lost.
    pub(super) fn read_engine(
        &mut self,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        commanded: &Commanded,
        dt: f64,
    ) {
        self.arrived.fill(false);
        let are_read = mem::replace(&mut self.are_read, true);
        for index in 0..self.rows.len() {
            self.awake[index] = if are_read && engine.rests() && self.stays_clear(index) {
                true
            } else {
                self.read_tree(index, engine, tables, commanded)
            };
            if self.awake[index] {
                self.show_ahead(index, engine, tables, dt / 2.0);
            }
            self.wake_requests[index] = false;
        }
        if self.measuring.contains(&true) {
            self.measure_others(engine, tables);
        }
        for index in 0..self.rows.len() {
            if !self.is_clear(index) || self.measuring[index] {
                self.lift(index, engine, tables);
            }
        }
    }

    /// Measures the clearances of the trees with it that would soon be measured: the engine has to make a step for it, which
    /// costs almost as much for one tree as for several.
    fn measure_others(&mut self, engine: &mut EngineItem<'_, '_>, tables: &Tables) {
        for index in 0..self.rows.len() {
            if !self.awake[index] || !self.is_clear(index) || self.measuring[index] {
                continue;
            }
            let (base, base_pose) = self.base(index, engine, tables);
            if self.is_halfway(index, &(base, base_pose), engine, tables) {
                self.measuring[index] = true;
                self.show_links(index, &base_pose, engine, tables);
            }
        }
    }

    /// Replaces gravity on a floating base in the engine by that of its tree, for one step.
    fn lift(&mut self, index: usize, engine: &mut EngineItem<'_, '_>, tables: &Tables) {
        let row = &self.rows[index];
        let base = tables.bodies.get(row.base).filter(|_| row.floats);
        if let Some(body) = base.and_then(|base| engine.movable(base)) {
            self.lifted[index] = Some(body.gravity_scale() == 0.0);
            body.set_gravity_scale(0.0, false);
        }
    }

    /// Restores gravity on a floating base in the engine.
    fn set_down(&mut self, index: usize, engine: &mut EngineItem<'_, '_>, tables: &Tables) {
        let Some(is_lifted) = self.lifted[index].take() else {
            return;
        };
        let base = tables.bodies.get(self.rows[index].base);
        if let Some(body) = base.and_then(|base| engine.movable(base)) {
            body.set_gravity_scale(if is_lifted { 0.0 } else { 1.0 }, false);
        }
    }

    /// Returns true for a tree with nothing near it, of which nothing is to be read as long as no body has changed in the
    /// engine: its base is fixed, or its first link.
    fn stays_clear(&self, index: usize) -> bool {
        self.is_clear(index) && !self.casts_rays
    }

    /// Reads the changes of a tree. Returns true if it is awake.
    fn read_tree(
        &mut self,
        index: usize,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        commanded: &Commanded,
    ) -> bool {
        if self.is_clear(index) {
            if !self.is_disturbed(index, engine, tables) {
                (self.bases[index], self.base_poses[index]) = self.base(index, engine, tables);
                return true;
            }
            self.end_clearance(index, engine, tables);
        }
        self.forget_near(index);
        let row = &self.rows[index];
        let bodies = || row.links.iter().filter_map(|body| tables.bodies.get(*body));
        let bodies = || bodies().filter_map(|row| engine.bodies.bodies.get(row.handle));
        let is_stopped =
            |body: &RigidBody| !body.is_enabled() || body.body_type() != RigidBodyType::Dynamic;
        if bodies().any(is_stopped) {
            self.stop(index, engine, tables);
            return false;
        }
        let is_carried = self.is_carried(index, engine, tables);
        let is_awake =
            self.wake_requests[index] || is_carried || bodies().any(|body| !body.is_sleeping());
        if !is_awake {
            self.stop(index, engine, tables);
            return false;
        }
        if self.wake_requests[index] || is_carried {
            for row in row.links.iter().filter_map(|body| tables.bodies.get(*body)) {
                engine
                    .simulation
                    .islands
                    .wake_up(&mut engine.bodies.bodies, row.handle, true);
            }
        }
        self.read_motion(index, engine, tables, commanded);
        true
    }

    /// Writes the predicted poses of the links after a time (s) at constant velocities: there the engine detects contacts.
    fn show_ahead(
        &mut self,
        index: usize,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        time: f64,
    ) {
        let (row, integrator) = (&self.rows[index], &mut self.integrators[index]);
        integrator.predict_positions(&row.tree, &self.state.trees[index].motion, time);
        self.unposed[index] = true;
        let is_near = self.is_clear(index) && self.is_near_last_check(index);
        if is_near && !self.has_near(index) {
            return;
        }
        let (base, base_pose) = self.base(index, engine, tables);
        if !self.is_clear(index) || self.has_near(index) {
            self.pose(index, &base);
        }
        if is_near {
            return;
        }
        if !self.needs_engine(index, &(base, base_pose), engine, tables) {
            return;
        }
        self.show_links(index, &base_pose, engine, tables);
    }

    /// Writes the predicted poses of the links of a tree to the engine.
    fn show_links(
        &mut self,
        index: usize,
        base_pose: &Pose,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
    ) {
        let (row, integrator) = (&self.rows[index], &self.integrators[index]);
        for (link, body) in row.links.iter().enumerate() {
            let Some(known) = tables.bodies.get(*body) else {
                continue;
            };
            let pose = isometry(&(*base_pose * integrator.workspace.pose_of(link)));
            let now = velocity(
                &integrator.workspace,
                link,
                base_pose,
                &self.masses[*body].center,
            );
            show_pose(engine, known, &pose, all_but_rests(&now));
            if let Some(rigid) = engine.bodies.bodies.get(known.handle) {
                self.seen[*body] = engine.body_poses.seen(rigid);
            }
        }
        if self.measuring[index] {
            self.enlarge(index, engine, tables);
        }
    }

    /// Sets the velocities of a tree to zero.
    fn stop(&mut self, index: usize, engine: &EngineItem<'_, '_>, tables: &Tables) {
        let (base, _) = self.base(index, engine, tables);
        let motion = &mut self.state.trees[index].motion;
        if motion.velocities.iter().any(|speed| *speed != 0.0) {
            motion.velocities.fill(0.0);
            let tree = &self.rows[index].tree;
            self.integrators[index]
                .workspace
                .forward_kinematics(tree, &base, motion);
        }
    }

    /// Returns true if the base of a tree moves.
    fn is_carried(&self, index: usize, engine: &EngineItem<'_, '_>, tables: &Tables) -> bool {
        let row = &self.rows[index];
        let base = tables
            .bodies
            .get(row.base)
            .filter(|base| !row.floats && base.still.is_none());
        let body = base.and_then(|base| engine.bodies.bodies.get(base.handle));
        body.is_some_and(|body| {
            body.position() != body.next_position()
                || body.linvel() != Vec3::ZERO
                || body.angvel() != Vec3::ZERO
        })
    }

    /// Reads poses and velocities that were set.
    fn read_motion(
        &mut self,
        index: usize,
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
        commanded: &Commanded,
    ) {
        let row = &self.rows[index];
        let (base, base_pose) = self.base(index, engine, tables);
        self.base_poses[index] = base_pose;
        let TreeState {
            motion,
            shown,
            at: known,
            ..
        } = &mut self.state.trees[index];
        let work = &mut self.integrators[index].workspace;
        let mut is_set = commanded.drives(row.base) || commanded.posed.contains_key(&row.base);
        if row.floats
            && let Some(body) = rigid(engine, tables, row.base)
            && engine.body_poses.of(body) != *known
        {
            put(motion, &engine.body_poses.of(body));
            work.forward_kinematics(&row.tree, &base, motion);
            is_set = true;
        }
        let mut is_hit = false;
        for ((link, body), shown) in row.links.iter().enumerate().zip(shown) {
            let Some(rigid) = rigid(engine, tables, *body) else {
                continue;
            };
            if rigid.is_sleeping() {
                continue;
            }
            let now = [rigid.linvel(), rigid.angvel()];
            let before = shown.map(Vec3::from);
            if now == before {
                continue;
            }
            let weight = &self.masses[*body];
            let turn = (base_pose * self.integrators[index].workspace.pose_of(link)).rotation;
            let [linear, angular] = now.map(|vector| turn.tr_mul(&convert::vector(vector)));
            if is_set && row.floats {
                if link == 0 {
                    let linear = linear - angular.cross(&weight.center);
                    set_base(motion, &Motion { angular, linear });
                    is_hit = true;
                }
                continue;
            }
            // An impulse: the change of momentum of the link is applied to the whole tree.
            let known = before.map(|vector| turn.tr_mul(&convert::vector(vector)));
            let force = (linear - known[0]) * weight.mass;
            let moment = weight.inertia * (angular - known[1]);
            let push = Force {
                moment: moment + weight.center.cross(&force),
                force,
            };
            self.integrators[index].apply_impulse(&row.tree, motion, link, &push);
            is_hit = true;
        }
        if is_hit {
            self.integrators[index]
                .workspace
                .forward_kinematics(&row.tree, &base, motion);
        }
    }

    /// Returns gravity and motion of a tree's base, and its pose in the world.
    pub(super) fn base(
        &self,
        index: usize,
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
    ) -> (Base, Pose) {
        let gravity = convert::vector(engine.configuration.gravity);
        let row = &self.rows[index];
        if row.floats {
            return (Base::at_rest(gravity), Pose::identity());
        }
        let carrier = tables.bodies.get(row.base);
        let Some((carrier, body)) =
            carrier.and_then(|carrier| Some((carrier, engine.bodies.bodies.get(carrier.handle)?)))
        else {
            return (Base::at_rest(gravity), Pose::identity());
        };
        let pose = carrier.still.unwrap_or_else(|| engine.body_poses.of(body));
        let turn = pose.rotation.inverse();
        let mut base = Base::at_rest(turn * gravity);
        if !body.is_fixed() {
            base.velocity = carried(body, &pose);
        }
        (base, Pose::from(pose))
    }

    /// Writes the poses of the links to the engine, and returns the coupled bodies to it.
    pub(super) fn follow(&mut self, engine: &mut EngineItem<'_, '_>, tables: &Tables, dt: f64) {
        self.release_coupled(engine, tables, dt);
        for index in 0..self.rows.len() {
            self.set_down(index, engine, tables);
            if self.awake[index] {
                let is_clear = self.is_clear(index);
                if is_clear && self.arrived[index] {
                    self.note_arrival(index, engine);
                    continue;
                }
                let (base, base_pose) = self.base(index, engine, tables);
                let row = &self.rows[index];
                let integrator = &mut self.integrators[index];
                let TreeState {
                    motion,
                    shown,
                    at: known,
                    ..
                } = &mut self.state.trees[index];
                if !self.arrived[index] {
                    let work = &mut integrator.workspace;
                    work.forward_kinematics(&row.tree, &base, motion);
                    self.outdated[index] = false;
                }
                if is_clear {
                    self.note_poses(index, &base_pose, engine, tables);
                    continue;
                }
                for ((link, body), shown) in row.links.iter().enumerate().zip(shown) {
                    let pose = isometry(&(base_pose * integrator.workspace.pose_of(link)));
                    let center = &self.masses[*body].center;
                    let mut now = velocity(&integrator.workspace, link, &base_pose, center);
                    if self.broken.contains(&index) {
                        // A non-finite velocity marks the loss.
                        now[0].fill(f64::NAN);
                    }
                    let rests = all_but_rests(&now);
                    let body = tables.bodies.get(*body);
                    if let Some((body, rigid)) =
                        body.and_then(|body| Some((body, engine.movable(body)?)))
                    {
                        // The engine would integrate a body that is set again afterwards, at a cost. It detects the motion
                        // of a body with geometry by its pose.
                        let is_seen = !rigid.colliders().is_empty() && !row.floats;
                        let [linear, angular] = if is_seen && !self.broken.contains(&index) {
                            [Vec3::ZERO; 2]
                        } else {
                            now.map(|vector| convert::vec3(&vector))
                        };
                        *shown = [linear.to_array(), angular.to_array()];
                        show(engine, body, &pose, [linear, angular], rests);
                        if link == 0 {
                            *known = pose;
                        }
                    }
                }
            }
        }
    }

    /// Calls a function with the entities of all links, and their exact states.
    pub(crate) fn visit_states(
        &self,
        engine: &EngineItem<'_, '_>,
        tables: &Tables,
        mut state: impl FnMut(Entity, &LinkState),
    ) {
        for (index, row) in self.rows.iter().enumerate() {
            let mut visit = |body: usize, link: &LinkState| {
                if let Some(entity) = tables.entities.get(body) {
                    state(*entity, link);
                }
            };
            if self.arrived[index] {
                for (body, link) in row.links.iter().zip(self.spare[index].links()) {
                    visit(*body, link);
                }
                continue;
            }
            let (_, base_pose) = self.base(index, engine, tables);
            let work = &self.integrators[index].workspace;
            for (link, (body, center)) in row.links.iter().zip(&row.centers).enumerate() {
                visit(*body, &LinkState::of(work, link, &base_pose, center));
            }
        }
    }

    /// Updates the poses of all links after the state was set.
    pub(crate) fn forward_kinematics(&mut self, engine: &EngineItem<'_, '_>, tables: &Tables) {
        self.forget_checks();
        self.are_read = false;
        self.arrived.fill(false);
        self.outdated.fill(false);
        for index in 0..self.rows.len() {
            let (base, _) = self.base(index, engine, tables);
            let TreeState {
                motion,
                motors,
                saturated,
                ..
            } = &self.state.trees[index];
            let integrator = &mut self.integrators[index];
            integrator
                .workspace
                .forward_kinematics(&self.rows[index].tree, &base, motion);
            integrator.motors.clone_from(motors);
            integrator.saturated.clone_from(saturated);
        }
    }
}

/// Returns true if a velocity is low enough for sleeping.
fn all_but_rests(velocity: &[Vector3<f64>; 2]) -> bool {
    velocity
        .iter()
        .all(|vector| vector.norm() < f64::from(STILL))
}
