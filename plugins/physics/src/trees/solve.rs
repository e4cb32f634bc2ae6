//! One step of all trees, in islands with their coupled bodies.
use std::mem;

use bevy::math::Vec3;
use morse_api::threads::Threads;
use morse_mechanisms::{
    Base, Force, Motion,
    island::{Contact, FreeBody, Side, Weld},
};
use nalgebra::{Point3, Vector3};

use super::{
    Trees,
    bodies::{allowed, carried, rigid},
    collect::{ConstraintSet, WeldPoint},
    contact_point::{ContactPoint, Touched},
    groups::Group,
    isometry,
    job::Job,
    link_state::{LinkState, velocity},
    taken::Taken,
};
use crate::{
    convert,
    engine::{EngineItem, Tables},
};

/// Buffers of a tree between two steps.
#[derive(Default)]
pub(super) struct Spare {
    external_forces: Vec<Force>,
    /// States of the links after the last step, if the tree has arrived there.
    links: Vec<LinkState>,
}

impl Spare {
    /// Returns the states of the links after the last step, of a tree that has arrived there.
    pub(super) fn links(&self) -> &[LinkState] {
        &self.links
    }

    /// Returns the external forces of the last step on each link, in its frame; empty without forces.
    pub(super) fn external_forces(&self) -> &[Force] {
        &self.external_forces
    }
}

/// Context of a step.
pub(super) struct Scene<'a, 'w, 's> {
    pub engine: &'a EngineItem<'w, 's>,
    pub tables: &'a Tables,
    pub threads: &'a Threads,
    pub dt: f64,
}

/// Number of islands from which on they are distributed among threads.
const MIN_ISLANDS: usize = 4;

/// The same number of trees that nothing touches, which take about a microsecond each: to wake a thread takes up to a
/// hundred.
const MIN_LONE_TREES: usize = 256;

/// Number of jobs per thread into which trees that nothing touches are divided.
const JOBS_PER_THREAD: usize = 2;

impl Trees {
    /// Integrates all awake trees and coupled bodies by one step.
    pub(super) fn solve(&mut self, scene: &Scene<'_, '_, '_>) {
        let mut constraints = mem::take(&mut self.constraints);
        self.broken.clear();
        self.lock(&mut constraints, scene);
        for of_pair in constraints.contacts.chunk_by_mut(ContactPoint::has_pair_of) {
            let known = self.state.touched_by(of_pair[0].key.geometry());
            for touch in of_pair {
                let index = known.binary_search_by(|known| known.key.cmp(&touch.key));
                if let Some(known) = index.ok().and_then(|index| known.get(index)) {
                    touch.contact.impulse = known.impulse.into();
                    touch.contact.separation_velocity = known.separation_velocity;
                    touch.contact.slip = known.slip.map(Into::into);
                }
            }
        }
        self.remember_cut_trees(scene);
        self.drive(&mut constraints, scene);
        let mut groups = mem::take(&mut self.groups);
        self.group(&mut groups, &constraints);
        self.solve_islands(groups.all(), &mut constraints, scene);
        self.groups = groups;
        self.measure_cuts(&constraints, scene);
        self.keep_impulses(&constraints, scene.tables);
        self.keep_closing(&constraints);
        self.constraints = constraints;
    }

    /// Integrates islands by a step: one after the other, or on all threads.
    fn solve_islands(
        &mut self,
        groups: &mut [Group],
        constraints: &mut ConstraintSet,
        scene: &Scene<'_, '_, '_>,
    ) {
        self.solve_lone_trees(groups, scene);
        let is_island = |group: &Group| group.lone_tree().is_none();
        let count = groups.iter().filter(|group| is_island(group)).count();
        let islands = groups.iter_mut().filter(|group| is_island(group));
        let is_parallel = scene.threads.pool().is_some() && count >= MIN_ISLANDS;
        let width = if is_parallel { count } else { 1 };
        let mut jobs = mem::take(&mut self.jobs);
        let frequency = self.contact_frequency;
        jobs.resize_with(width.max(jobs.len()), || Job::new(frequency));
        if is_parallel {
            let islands: Vec<&mut Group> = islands.collect();
            for (job, group) in jobs.iter_mut().zip(&islands) {
                self.begin_island(job, group, constraints, scene);
            }
            let rows = &self.rows;
            let work = |job: &mut Job| job.step(rows, scene.dt);
            scene.threads.each(&mut jobs[..count], work);
            for (job, group) in jobs.iter_mut().zip(islands) {
                self.close_gaps(job, group, constraints, scene);
                self.end_island(job, group, constraints);
            }
        } else {
            let job = &mut jobs[0];
            for group in islands {
                self.begin_island(job, group, constraints, scene);
                job.step(&self.rows, scene.dt);
                self.close_gaps(job, group, constraints, scene);
                self.end_island(job, group, constraints);
            }
        }
        self.jobs = jobs;
    }

    /// Integrates the trees that nothing touches by a step: one after the other, or many of them on each thread.
    fn solve_lone_trees(&mut self, groups: &[Group], scene: &Scene<'_, '_, '_>) {
        let lone = groups.iter().filter_map(Group::lone_tree);
        let count = lone.clone().count();
        let threads = scene.threads.count();
        if threads == 1 || count < MIN_LONE_TREES {
            let mut done = mem::take(&mut self.taken);
            for index in lone {
                let one = self.take(index, scene);
                self.lone.step(one, &self.rows, scene.dt, &mut done);
                done.drain(..).for_each(|one| self.put_back(one));
            }
            self.lone.finish(&self.rows, scene.dt, &mut done);
            done.drain(..).for_each(|one| self.put_back(one));
            self.taken = done;
            return;
        }
        let mut jobs = mem::take(&mut self.lone_jobs);
        let frequency = self.contact_frequency;
        jobs.resize_with(JOBS_PER_THREAD * threads, || Job::new(frequency));
        let share = count.div_ceil(jobs.len());
        for (number, index) in lone.enumerate() {
            jobs[number / share].taken.push(self.take(index, scene));
        }
        let rows = &self.rows;
        let work = |job: &mut Job| job.step_apart(rows, scene.dt);
        scene.threads.each(&mut jobs, work);
        for one in jobs.iter_mut().flat_map(|job| job.taken.drain(..)) {
            self.put_back(one);
        }
        self.lone_jobs = jobs;
    }

    /// Puts a tree back into the state after a step.
    fn put_back(&mut self, mut one: Box<Taken>) {
        self.exchange(&mut one);
        self.arrived[one.index] = one.arrives;
        self.outdated[one.index] = one.is_outdated;
        self.finish(one.index, &one.base, &one.before);
        self.blank.push(one);
    }

    /// Exchanges motion, integrator and buffers of a tree with those of a blank one.
    fn exchange(&mut self, one: &mut Taken) {
        let index = one.index;
        mem::swap(&mut one.motion, &mut self.state.trees[index].motion);
        mem::swap(&mut one.integrator, &mut self.integrators[index]);
        let spare = &mut self.spare[index];
        mem::swap(&mut one.external_forces, &mut spare.external_forces);
        mem::swap(&mut one.links, &mut spare.links);
    }

    /// Stores the state of a tree after a step.
    fn finish(&mut self, index: usize, base: &Base, before: &[f64]) {
        let state = &mut self.state.trees[index];
        state
            .saturated
            .clone_from(&self.integrators[index].saturated);
        self.recover_non_finite(index, before);
        let carried = base.velocity;
        self.state.trees[index].carried = [carried.angular.into(), carried.linear.into()];
    }

    /// Restores the positions of a tree whose state became non-finite; its links are lost.
    fn recover_non_finite(&mut self, index: usize, before: &[f64]) {
        let state = &mut self.state.trees[index].motion;
        let mut numbers = state.positions.iter().chain(&state.velocities);
        if !numbers.all(|number| number.is_finite()) {
            state.positions.copy_from_slice(before);
            state.velocities.fill(0.0);
            self.state.trees[index].saturated.fill(None);
            self.integrators[index].saturated.fill(None);
            self.broken.push(index);
        }
    }

    /// Takes the trees of an island out of the state, and collects its bodies, contacts and welds.
    fn begin_island(
        &mut self,
        job: &mut Job,
        group: &Group,
        constraints: &ConstraintSet,
        scene: &Scene<'_, '_, '_>,
    ) {
        let trees = group.trees.iter();
        job.taken
            .extend(trees.map(|index| self.take(*index, scene)));
        self.put_together(job, group, constraints, scene);
    }

    /// Puts the trees of an island back into the state, and stores the results of its step.
    fn end_island(&mut self, job: &mut Job, group: &Group, constraints: &mut ConstraintSet) {
        for (index, contact) in group.contacts.iter().zip(&job.contacts) {
            let known = &mut constraints.contacts[*index].contact;
            (known.impulse, known.slip) = (contact.impulse, contact.slip);
            known.separation_velocity = contact.separation_velocity;
        }
        for (index, weld) in group.welds.iter().zip(&job.welds) {
            let known = &mut constraints.welds[*index].weld;
            (known.impulse, known.velocity) = (weld.impulse, weld.velocity);
        }
        for (index, body) in group.free.iter().zip(&job.bodies) {
            let coupled = self.coupled.at_mut(*index);
            (coupled.linear, coupled.angular) = (body.linear, body.angular);
            coupled.moving = body.moving;
        }
        for one in job.taken.drain(..) {
            self.put_back(one);
        }
    }

    /// Collects the free bodies, contacts, gaps and welds of an island, with indices in it.
    pub(super) fn put_together(
        &self,
        job: &mut Job,
        group: &Group,
        constraints: &ConstraintSet,
        scene: &Scene<'_, '_, '_>,
    ) {
        job.gaps.clear();
        job.gaps.extend(group.gaps_of(&constraints.gaps));
        let Job {
            bodies,
            contacts,
            welds,
            ..
        } = job;
        bodies.clear();
        bodies.extend(group.free.iter().map(|index| self.free(*index, scene)));
        let side = |body: Option<usize>, point: &Vector3<f64>| {
            let Some(body) = body else {
                return Side::Prescribed(Vector3::zeros());
            };
            if let Some((tree, link)) = self.of_body[body]
                && let Ok(member) = group.trees.binary_search(&tree)
            {
                return Side::Link { member, link };
            }
            let is_this = |index: &usize| self.coupled[*index].body.cmp(&body);
            if let Ok(index) = group.free.binary_search_by(is_this) {
                return Side::Body(index);
            }
            Side::Prescribed(velocity_at(body, point, scene))
        };
        contacts.clear();
        contacts.extend(group.contacts.iter().map(|index| {
            let ContactPoint {
                bodies,
                driven,
                contact,
                ..
            } = &constraints.contacts[*index];
            let sides = bodies.map(|body| side(Some(body), &contact.point));
            let mut friction_sides = sides;
            if let Some((own, base)) = *driven {
                friction_sides[own] = side(Some(base), &contact.point);
            }
            Contact {
                sides,
                friction_sides,
                slip: contact.slip.filter(|_| driven.is_none()),
                ..*contact
            }
        }));
        welds.clear();
        welds.extend(group.welds.iter().map(|index| {
            let WeldPoint { bodies, weld, .. } = &constraints.welds[*index];
            let sides = bodies.map(|body| side(body, &weld.point));
            let turns = |side_index: usize| match (sides[side_index], bodies[side_index]) {
                (Side::Prescribed(_), Some(body)) => rigid_motion(body, &weld.point, scene).angular,
                _ => Vector3::zeros(),
            };
            Weld {
                sides,
                turning: turns(1) - turns(0),
                ..*weld
            }
        }));
    }

    /// Takes a tree out of the state, with the forces on it.
    fn take(&mut self, index: usize, scene: &Scene<'_, '_, '_>) -> Box<Taken> {
        // One base fewer to look up, of trees whose base is fixed.
        let base = if self.is_clear(index) {
            self.bases[index]
        } else {
            self.accelerated_base(index, scene)
        };
        self.lead_motors(index);
        let mut one = self.blank.pop().unwrap_or_default();
        one.index = index;
        self.exchange(&mut one);
        let Taken { before, motion, .. } = &mut *one;
        before.clone_from(&motion.positions);
        one.base = base;
        one.base_pose = self.base_poses[index];
        one.is_unposed = mem::take(&mut self.unposed[index]);
        one.arrives = self.is_clear(index) && !self.measuring[index];
        one.is_outdated = false;
        self.push(&mut one, scene);
        one
    }

    /// Returns gravity and motion of a tree's base, with its mean acceleration in this step.
    fn accelerated_base(&self, index: usize, scene: &Scene<'_, '_, '_>) -> Base {
        let (mut base, _) = self.base(index, scene.engine, scene.tables);
        let change = base.velocity - self.state.trees[index].carried();
        base.acceleration = change * (1.0 / scene.dt);
        base
    }

    /// Writes the external forces on the links of a tree, each in its frame; empty without forces.
    fn push(&self, one: &mut Taken, scene: &Scene<'_, '_, '_>) {
        let index = one.index;
        let row = &self.rows[index];
        let gravity = convert::vector(scene.engine.configuration.gravity);
        one.external_forces.clear();
        if !self.is_acted_on(index) {
            return;
        }
        for (link, body_index) in row.links.iter().enumerate() {
            let Some((known, body)) = scene
                .tables
                .bodies
                .get(*body_index)
                .and_then(|known| Some((known, scene.engine.bodies.bodies.get(known.handle)?)))
            else {
                continue;
            };
            let weight = &self.masses[*body_index];
            let is_lifted =
                !known.gravity || (*body_index == row.base && self.lifted[index] == Some(true));
            let damping = [body.linear_damping(), body.angular_damping()];
            let is_damped = damping != [0.0; 2];
            let (force, torque) = (body.user_force(), body.user_torque());
            if !is_lifted && !is_damped && force == Vec3::ZERO && torque == Vec3::ZERO {
                continue;
            }
            let (mut force, mut torque) = (convert::vector(force), convert::vector(torque));
            if is_lifted {
                force -= gravity * weight.mass;
            }
            one.pose(&self.rows);
            let work = &one.integrator.workspace;
            let turn = isometry(&(one.base_pose * work.pose_of(link))).rotation;
            let [linear, angular] = velocity(work, link, &one.base_pose, &weight.center);
            let slower = damping.map(|damping| {
                let damping = f64::from(damping);
                damping / (1.0 + damping * scene.dt)
            });
            force -= linear * (weight.mass * slower[0]);
            torque -= turn * (weight.inertia * (turn.inverse() * angular)) * slower[1];
            one.external_forces
                .resize(row.links.len(), Force::default());
            let force = turn.inverse() * force;
            one.external_forces[link] = Force {
                moment: turn.inverse() * torque + weight.center.cross(&force),
                force,
            };
        }
    }

    fn free(&self, index: usize, scene: &Scene<'_, '_, '_>) -> FreeBody {
        let coupled = &self.coupled[index];
        let weight = &self.masses[coupled.body];
        let mut body = FreeBody {
            inverse_mass: Vector3::repeat(1.0 / weight.mass),
            inverse_inertia: weight.inverse_inertia,
            center: Vector3::zeros(),
            before: Motion {
                angular: coupled.before[1],
                linear: coupled.before[0],
            },
            linear: coupled.linear,
            angular: coupled.angular,
            moving: Motion::ZERO,
        };
        if let Some(rigid) = rigid(scene.engine, scene.tables, coupled.body) {
            let turn = coupled.pose.rotation.to_rotation_matrix().into_inner();
            let [translations, rotations] = allowed(rigid.locked_axes());
            body.center = (coupled.pose * Point3::from(weight.center)).coords;
            body.inverse_mass.component_mul_assign(&translations);
            let inverse = turn * weight.inverse_inertia * turn.transpose();
            body.inverse_inertia = inverse.component_mul(&(rotations * rotations.transpose()));
        }
        body
    }

    /// Stores the impulses of this step, and keeps those of sleeping trees.
    fn keep_impulses(&mut self, constraints: &ConstraintSet, tables: &Tables) {
        let rests = |geometry: u32| {
            let row = tables.geometry.get(geometry as usize);
            let tree = row.and_then(|row| self.of_body[row.body]);
            tree.is_some_and(|(tree, _)| !self.awake[tree])
        };
        let mut kept = mem::take(&mut self.state.touched);
        kept.retain(|known| known.key.geometry().into_iter().any(rests));
        let new = constraints.contacts.iter();
        let first = kept.len();
        kept.extend(new.map(|ContactPoint { key, contact, .. }| Touched {
            key: *key,
            point: contact.point.into(),
            normal: contact.normal.into(),
            impulse: contact.impulse.into(),
            separation_velocity: contact.separation_velocity,
            slip: contact.slip.map(Into::into),
        }));
        // The pairs are in order already: then the whole takes no time.
        let is_same = |one: &Touched, other: &Touched| one.key.geometry() == other.key.geometry();
        for of_pair in kept[first..].chunk_by_mut(is_same) {
            of_pair.sort_unstable_by_key(|known| known.key);
        }
        kept.sort_unstable_by_key(|known| known.key);
        kept.dedup_by_key(|known| known.key);
        self.state.touched = kept;
    }
}

/// Returns the velocity of a body that is not moved here, at a point of the world, m/s.
fn velocity_at(body: usize, point: &Vector3<f64>, scene: &Scene<'_, '_, '_>) -> Vector3<f64> {
    rigid_motion(body, point, scene).linear
}

/// Returns the motion of a body that is not moved here, in world axes; the linear velocity is that at a point of the world.
pub(super) fn rigid_motion(body: usize, point: &Vector3<f64>, scene: &Scene<'_, '_, '_>) -> Motion {
    let Some(body) = rigid(scene.engine, scene.tables, body).filter(|body| !body.is_fixed()) else {
        return Motion::ZERO;
    };
    let pose = scene.engine.body_poses.of(body);
    let motion = carried(body, &pose);
    let local = pose.inverse_transform_point(&(*point).into());
    Motion {
        angular: pose.rotation * motion.angular,
        linear: pose.rotation * motion.at(&local.coords),
    }
}
