//! One time step of an island: trees and free bodies that are connected by contacts and welds.
//!
//! Contacts, welds, limits and dry friction are constraints on the velocities at the end of the step, `v = v_free + M⁻¹Jᵀλ`.
//! For a tree, `M` is its mass matrix with the implicit terms of motors and dampers, so that a contact couples to the
//! stiffness of the motors. The impulses `λ` are found by Newton steps on the contact constraints (Alart & Curnier 1991) and
//! projected Gauss–Seidel (PGS), with warm start. Penetrations are corrected by split impulses: the impulses
//! are solved once with the correcting velocities, which move the positions, and once without them, for the velocities that
//! are kept; so the correction adds no energy.
//!
//! The step is the implicit midpoint rule of [`crate::step`]: contacts and mass matrices are evaluated at the middle of the
//! step, and the velocities before and after the step are symmetric about it. The remaining gap bounds the approach of two
//! bodies (speculative contacts), and resting contacts keep a slop of 0.1 mm: surfaces that rotate apart within a step come
//! back without a loss of energy.
mod anchors;
mod carried;
mod contact;
mod far;
mod free_body;
mod impact;
mod kept;
mod rows;
mod saturation;
mod substeps;

use nalgebra::Vector3;

use crate::{
    spatial::{Force, Motion, Pose},
    state::{State, vector},
    step::{Integrator, MAX_SATURATION_ROUNDS, MAX_SUBSTEPS, MAX_TURN, substep_count},
    tree::Tree,
    workspace::Base,
};
use anchors::Anchors;
pub use contact::{Contact, Side, Weld};
pub use far::Gap;
pub use free_body::FreeBody;
use rows::Rows;

/// A tree during one step.
pub struct Member<'a> {
    /// Links and joints.
    pub tree: &'a Tree,
    /// Motors, joint dynamics and workspace.
    pub integrator: &'a mut Integrator,
    /// Positions and velocities, before and after the step.
    pub state: &'a mut State,
    /// Gravity, and the motion of the base.
    pub base: Base,
    /// Pose of the base in the world.
    pub pose: Pose,
    /// External forces on the links, each in its frame; or an empty slice.
    pub external_forces: &'a [Force],
}

/// Threshold of the product of a velocity and its change in a step, (rad/s)² or (m/s)², above which Coriolis and centrifugal
/// forces are evaluated again at the mean velocities.
const BIAS_TOLERANCE: f64 = 1e-7;

/// The same threshold for trees whose motors control all joints, which correct the error of the forces, so that it does not
/// accumulate. In an arm of seven joints that follows sine waves, positions deviate by less than 1e-6 rad and efforts by
/// less than 2e-3 N·m.
const CONTROLLED_BIAS_TOLERANCE: f64 = 1e-2;

/// Workspace for steps of islands.
#[derive(Clone, Debug)]
pub struct Island {
    /// Natural frequency of contacts, Hz: higher is stiffer.
    pub contact_frequency: f64,
    /// Velocities of members and free bodies, concatenated.
    velocities: Vec<f64>,
    /// Mean velocities of a member in a step.
    means: Vec<f64>,
    /// Velocities that move the positions in a step, in the order of `velocities`.
    moving: Vec<f64>,
    /// Velocities without restitution.
    kept: Vec<f64>,
    /// Velocities before a step in which contacts may add energy.
    before: Vec<f64>,
    /// Impulses of the contacts, summed over the substeps so far, N·s.
    impulses: Vec<Vector3<f64>>,
    /// Velocity changes of free bodies per substep without constraints.
    gained: Vec<Motion>,
    /// Gap of each contact, m.
    gaps: Vec<f64>,
    /// Indices of the contacts that are solved, in ascending order.
    near: Vec<usize>,
    /// True for each free body that friction has held on links in the last step, false for one that it has not; `None` without
    /// contacts.
    carried: Vec<Option<bool>>,
    /// Points of the welds, for steps in substeps.
    anchors: Vec<Anchors>,
    /// Index of the first velocity of each member, then of each free body, and the total count.
    starts: Vec<usize>,
    rows: Rows,
}

impl Default for Island {
    fn default() -> Self {
        Self::new(120.0)
    }
}

impl Island {
    /// Returns a workspace; contacts have this natural frequency, Hz.
    #[must_use]
    pub fn new(contact_frequency: f64) -> Self {
        Self {
            contact_frequency,
            velocities: Vec::new(),
            means: Vec::new(),
            moving: Vec::new(),
            kept: Vec::new(),
            before: Vec::new(),
            impulses: Vec::new(),
            gained: Vec::new(),
            gaps: Vec::new(),
            near: Vec::new(),
            carried: Vec::new(),
            anchors: Vec::new(),
            starts: Vec::new(),
            rows: Rows::default(),
        }
    }

    /// Makes one step of `dt` seconds. The members are [predicted by half of it](Integrator::predict).
    pub fn step(
        &mut self,
        members: &mut [Member<'_>],
        bodies: &mut [FreeBody],
        contacts: &mut [Contact],
        welds: &mut [Weld],
        dt: f64,
    ) {
        self.step_beside((members, bodies, contacts, welds), &[], dt);
    }

    /// Does what [`step`](Self::step) does, beside gaps between free bodies whose contacts are not among these. If the step may
    /// close one of the gaps, returns false; it is to be made again with these contacts then, and only workspaces and the
    /// [saturation](Integrator::saturated) of motors have changed.
    pub fn step_beside(
        &mut self,
        (members, bodies, contacts, welds): (
            &mut [Member<'_>],
            &mut [FreeBody],
            &mut [Contact],
            &mut [Weld],
        ),
        gaps: &[Gap],
        dt: f64,
    ) -> bool {
        for body in &mut *bodies {
            body.moving = Motion::ZERO;
        }
        for weld in &mut *welds {
            weld.impulse = Force::default();
        }
        self.gaps.clear();
        self.gaps
            .extend(contacts.iter().map(|contact| contact.distance));
        self.assign_indices(members, bodies);
        self.choose_all(contacts);
        let count = |member: &Member<'_>| substep_count(member.tree, &member.state.velocities, dt);
        let mut substeps = members.iter().map(count).max().unwrap_or(1);
        // Substeps have velocities of their own.
        let is_whole = |substeps: u32| substeps == 1 || gaps.is_empty();
        if !is_whole(substeps) {
            return false;
        }
        if substeps == 1 || 2 * substeps < MAX_SUBSTEPS && !contacts.is_empty() {
            let counts = [contacts.len(), welds.len()];
            if counts[0] > 1 && !Rows::are_dense(self.velocities.len(), counts) {
                self.choose_near(members, bodies, contacts, dt);
            }
            self.solve(members, bodies, contacts, welds, [dt, dt]);
            substeps = self.after_impact(members, contacts, substeps, dt);
        }
        if !is_whole(substeps) {
            return false;
        }
        self.anchors.clear();
        if substeps == 1 {
            self.finish_solution(members, bodies, contacts, welds, [dt, dt]);
            if self.may_close(gaps, members.len(), dt) {
                return false;
            }
            self.finish(members, bodies, contacts, welds, dt);
        } else {
            self.choose_all(contacts);
            let anchors = welds
                .iter()
                .map(|weld| Anchors::of(weld, members, bodies, dt));
            self.anchors.extend(anchors);
            self.step_in_substeps(members, bodies, contacts, welds, (dt, substeps));
        }
        for body in bodies {
            body.moving = body.moving * (1.0 / dt);
        }
        true
    }

    /// Adds the bounces to the velocities of a step or a substep that has been solved. If one of the gaps that were left out closes,
    /// solves it again with all contacts.
    fn finish_solution(
        &mut self,
        members: &mut [Member<'_>],
        bodies: &[FreeBody],
        contacts: &[Contact],
        welds: &[Weld],
        [length, dt]: [f64; 2],
    ) {
        if self.near.len() < contacts.len() && self.closes_gap(members, bodies, contacts, dt) {
            self.choose_all(contacts);
            self.solve(members, bodies, contacts, welds, [length, dt]);
        }
        if self.bounce(members, bodies)
            && self.near.len() < contacts.len()
            && self.closes_gap(members, bodies, contacts, dt)
        {
            self.choose_all(contacts);
            self.solve(members, bodies, contacts, welds, [length, dt]);
            self.bounce(members, bodies);
        }
    }

    /// Ends a step or a substep, whose velocities are known.
    fn finish(
        &mut self,
        members: &mut [Member<'_>],
        bodies: &mut [FreeBody],
        contacts: &mut [Contact],
        welds: &mut [Weld],
        dt: f64,
    ) {
        self.rows
            .advance_gaps(&mut self.gaps, &self.near, &self.moving, dt);
        for (index, anchors) in self.anchors.iter_mut().enumerate() {
            anchors.turn(self.rows.weld_velocity_of(index, &self.moving).angular * dt);
        }
        self.end(members, bodies, contacts, dt);
        for (index, weld) in welds.iter_mut().enumerate() {
            weld.impulse += self.rows.weld_impulse_of(index);
            if let Some(velocity) = &mut weld.velocity {
                *velocity = self.rows.weld_velocity_of(index, &self.velocities);
            }
        }
    }

    /// Solves for the velocities at the end of a step or a substep without restitution, in `velocities`, and for those that
    /// move the positions, in `moving`.
    fn solve(
        &mut self,
        members: &mut [Member<'_>],
        bodies: &[FreeBody],
        contacts: &[Contact],
        welds: &[Weld],
        [length, dt]: [f64; 2],
    ) {
        for member in &mut *members {
            let (tree, base, external_forces) = (member.tree, &member.base, member.external_forces);
            member
                .integrator
                .begin(tree, base, member.state, external_forces, dt);
        }
        self.rows
            .clear(std::f64::consts::TAU * self.contact_frequency * dt);
        let counts = [contacts.len(), welds.len()];
        self.rows.lay_out(self.velocities.len(), counts);
        self.find_carried(contacts, bodies.len());
        let early = (dt - length) / 2.0;
        for &index in &self.near {
            let contact = &contacts[index];
            let turns = self.is_carried(contact);
            let gap = &mut self.gaps[index];
            let all = (contact, gap, turns, [early, dt]);
            self.rows.add_contact(all, members, bodies, &self.starts);
        }
        for weld in welds {
            self.rows.add_weld(weld, members, bodies, &self.starts, dt);
        }
        self.rows.close();
        self.solve_velocities(members, bodies, false, MAX_SATURATION_ROUNDS, dt);
        // Velocities with a fast correction say nothing about Coriolis forces.
        let is_fast = self.rows.has_own_impulses(&self.velocities);
        if is_fast {
            self.keep(members, bodies, dt);
        }
        let is_changed = self.update_bias(members, dt);
        if is_changed {
            self.solve_velocities(members, bodies, !is_fast, MAX_SATURATION_ROUNDS, dt);
            if self.bends(members, dt) {
                if is_fast {
                    self.keep(members, bodies, dt);
                }
                if self.update_bias(members, dt) || is_fast {
                    self.solve_velocities(members, bodies, !is_fast, MAX_SATURATION_ROUNDS, dt);
                }
            }
        }
        if is_changed || !is_fast {
            self.keep(members, bodies, dt);
        }
        while self.saturate_kept(members, dt) {
            self.solve_velocities(members, bodies, false, 0, dt);
            self.keep(members, bodies, dt);
        }
    }

    /// Solves for the velocities at the end of the step. `has_responses` is true if the rows have those of the present mass
    /// matrices, and impulses near the solution.
    ///
    /// In the first `rounds` rounds, motors may become saturated and cease to be. Where that alternates, later rounds only
    /// add to those that are saturated: no motor exceeds its maximum effort, and one may have it that needs less.
    fn solve_velocities(
        &mut self,
        members: &mut [Member<'_>],
        bodies: &[FreeBody],
        mut has_responses: bool,
        rounds: usize,
        dt: f64,
    ) {
        for round in 0.. {
            self.free_velocities(members, bodies, dt);
            if !self.rows.add_joint_rows(members, &self.starts) || !has_responses {
                self.rows.compute_responses(members, bodies, dt);
            }
            self.rows.apply_warm_start(&mut self.velocities);
            self.rows.sweep(&mut self.velocities, has_responses);
            if !self.saturate(members, round < rounds, dt) {
                return;
            }
            has_responses = false;
            // Impulses against a motor of unlimited effort are no guess for those against its maximum.
            self.rows.restart();
        }
    }

    /// Evaluates Coriolis and centrifugal forces at the mean velocities, if that makes a difference. Returns true if it
    /// does.
    fn update_bias(&mut self, members: &mut [Member<'_>], dt: f64) -> bool {
        let mut is_changed = false;
        for (member, start) in members.iter_mut().zip(&self.starts) {
            let velocities = &self.velocities[*start..start + member.tree.velocity_count()];
            let pairs = velocities.iter().zip(&member.state.velocities);
            let [mut change, mut fastest] = [0.0_f64; 2];
            for (end, begin) in pairs.clone() {
                change = change.max((end - begin).abs());
                fastest = fastest.max(begin.abs()).max(end.abs());
            }
            let tolerance = if member.integrator.is_controlled(member.tree) {
                CONTROLLED_BIAS_TOLERANCE
            } else {
                BIAS_TOLERANCE
            };
            // Velocities after an impact say nothing about those before it.
            let is_impact = || {
                member.tree.turns.iter().any(|&speed| {
                    let change = velocities[speed] - member.state.velocities[speed];
                    change.abs() * dt > MAX_TURN
                })
            };
            if change * fastest > tolerance && !is_impact() {
                self.means.clear();
                self.means
                    .extend(pairs.map(|(end, begin)| (end + begin) / 2.0));
                let (base, external_forces) = (&member.base, member.external_forces);
                member
                    .integrator
                    .update_bias(member.tree, base, &self.means, external_forces);
                is_changed = true;
            }
        }
        is_changed
    }

    fn assign_indices(&mut self, members: &[Member<'_>], bodies: &[FreeBody]) {
        self.starts.clear();
        let mut count = 0;
        for member in members {
            self.starts.push(count);
            count += member.tree.velocity_count();
        }
        for _ in bodies {
            self.starts.push(count);
            count += 6;
        }
        self.starts.push(count);
        self.velocities.resize(count, 0.0);
    }

    /// Computes the velocities at the end of the step without constraints, and the constraints of the joints.
    fn free_velocities(&mut self, members: &mut [Member<'_>], bodies: &[FreeBody], dt: f64) {
        for (member, start) in members.iter_mut().zip(&self.starts) {
            member
                .integrator
                .free_velocities(member.tree, member.state, dt);
            member.integrator.constraints(member.tree, member.state, dt);
            let count = member.tree.velocity_count();
            self.velocities[*start..start + count].copy_from_slice(&member.integrator.velocities);
        }
        for (body, start) in bodies.iter().zip(&self.starts[members.len()..]) {
            self.velocities[*start..start + 3].copy_from_slice(body.linear.as_slice());
            self.velocities[start + 3..start + 6].copy_from_slice(body.angular.as_slice());
        }
    }

    /// Advances all positions to the end of the step, and writes velocities and impulses.
    fn end(
        &mut self,
        members: &mut [Member<'_>],
        bodies: &mut [FreeBody],
        contacts: &mut [Contact],
        dt: f64,
    ) {
        self.rows.store_joint_impulses(members);
        let are_apart = self.moving != self.velocities || self.kept != self.velocities;
        // The positions advance by half a step with the kept velocities, and by a whole step with the correcting velocities.
        // Bounces take effect at the end of the step.
        let numbers = self.moving.iter_mut().zip(&self.kept).zip(&self.velocities);
        for ((apart, kept), speed) in numbers {
            *apart += (kept - speed) / 2.0 - kept;
        }
        for (member, start) in members.iter_mut().zip(&self.starts) {
            let own = *start..start + member.tree.velocity_count();
            let integrator = &mut *member.integrator;
            integrator
                .velocities
                .copy_from_slice(&self.velocities[own.clone()]);
            integrator.store_efforts(member.tree);
            let apart = are_apart.then(|| &self.moving[own.clone()]);
            integrator.advance(member.tree, member.state, apart, dt);
            // A correction may have slowed them down.
            self.velocities[own].copy_from_slice(&integrator.velocities);
        }
        for (body, start) in bodies.iter_mut().zip(&self.starts[members.len()..]) {
            let apart = motion(&self.moving, *start);
            let motion = motion(&self.velocities, *start);
            let displacement = (body.before + motion) * (dt / 2.0) + apart * dt;
            body.moving += displacement;
            body.center += displacement.linear;
            (body.linear, body.angular) = (motion.linear, motion.angular);
        }
        for (row, &index) in self.near.iter().enumerate() {
            let contact = &mut contacts[index];
            contact.impulse = self.rows.impulse_of(row);
            contact.separation_velocity = self.rows.separation_of(row, &self.velocities);
            contact.slip = Some(self.rows.slip_of(row, &self.velocities));
        }
    }
}

/// Returns the velocity of a free body from the vector of all velocities.
fn motion(velocities: &[f64], start: usize) -> Motion {
    Motion {
        linear: vector(&velocities[start..]),
        angular: vector(&velocities[start + 3..]),
    }
}

#[cfg(test)]
mod ball_tests;
#[cfg(test)]
mod energy_tests;
#[cfg(test)]
mod impact_tests;
#[cfg(test)]
mod loop_tests;
#[cfg(test)]
mod motor_tests;
#[cfg(test)]
mod overlap_tests;
#[cfg(test)]
mod random_tests;
#[cfg(test)]
mod shares_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod weld_tests;
