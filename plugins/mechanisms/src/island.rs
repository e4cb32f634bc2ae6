//! Trees and free bodies that touch or hold each other: one step of all of them together.
//!
//! Contacts, welds, limits and dry friction are conditions on the speeds at the end of the step, `v = v_free + M⁻¹Jᵀλ`. For a
//! tree `M` is its mass matrix with what motors and dampers weigh, so that what a gripper holds feels the stiffness of its
//! motors. The impulses `λ` are found by projected Gauss–Seidel, from those of the step before, and by steps of Newton's
//! method in between. Bodies that are inside each other are moved apart by speeds that are not kept: the impulses are found
//! once with them, for the way, and once more without, for the speeds; so nothing gains energy by it.
mod rows;

use nalgebra::{Matrix3, Vector3};

use crate::{
    spatial::{Force, Motion, Pose},
    state::{State, vector},
    step::{Mover, ROUNDS},
    tree::Tree,
    work::Base,
};
use rows::Rows;

/// A tree, for one step.
pub struct Member<'a> {
    /// Links and joints.
    pub tree: &'a Tree,
    /// Motors and the rest, and the memory.
    pub mover: &'a mut Mover,
    /// Positions and speeds, before and after.
    pub state: &'a mut State,
    /// Gravity, and how the base moves.
    pub base: Base,
    /// Of the base, in the world.
    pub place: Pose,
    /// On the links, each in its frame; or none at all.
    pub pushes: &'a [Force],
}

/// A rigid body without joints, in the world's axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeBody {
    /// Along each axis, 1/kg; zero for what no force moves there.
    pub inverse_mass: Vector3<f64>,
    /// About the centre of mass, 1/(kg·m²).
    pub inverse_inertia: Matrix3<f64>,
    /// Centre of mass, m.
    pub center: Vector3<f64>,
    /// Of the centre of mass: before, what it would have after the step if nothing touched it; then, what it has, m/s.
    pub linear: Vector3<f64>,
    /// As well, rad/s.
    pub angular: Vector3<f64>,
    /// Velocity with which it is moved in this step: what is inside another body is moved apart. m/s and rad/s.
    pub moving: Motion,
}

/// One side of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Side {
    /// Something that nothing here moves, with its velocity at the point, m/s.
    Given(Vector3<f64>),
    /// A link of a member.
    Link {
        /// Place among the members.
        member: usize,
        /// Place in its tree.
        link: usize,
    },
    /// A place among the free bodies.
    Body(usize),
}

/// A point where two sides touch, or nearly do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Parties that touch.
    pub sides: [Side; 2],
    /// Parties on which friction acts: the same, but for a driven robot its base instead of a wheel.
    pub friction_sides: [Side; 2],
    /// In the world, m.
    pub point: Vector3<f64>,
    /// From the first side to the second.
    pub normal: Vector3<f64>,
    /// Way that is left between the two, m; negative where they are inside each other.
    pub distance: f64,
    /// Coulomb coefficient.
    pub friction: f64,
    /// Part of the speed with which they meet that they part with.
    pub restitution: f64,
    /// Velocity of the second side against the first that friction brings about, m/s.
    pub tangent_velocity: Vector3<f64>,
    /// On the second side, world axes, N·s: before, that of the step before; then, of this one.
    pub impulse: Vector3<f64>,
}

/// Two sides that do not move against each other, or not in all directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weld {
    /// Holder and held. A given side stands.
    pub sides: [Side; 2],
    /// In the world, m.
    pub point: Vector3<f64>,
    /// Way and turn of the second side from where it should be, m and rad.
    pub error: Motion,
    /// Those of the three ways and the three turns along world axes that are held.
    pub holds: [bool; 6],
}

/// Change of a speed in a step that is abrupt, rad/s or m/s.
const ABRUPT: f64 = 0.5;

/// Memory for steps of islands.
#[derive(Clone, Debug)]
pub struct Island {
    /// Natural frequency of contacts, Hz: the higher, the stiffer.
    pub contact_frequency: f64,
    /// Of members and free bodies, one after the other.
    speeds: Vec<f64>,
    /// Mean speeds of a member in a step.
    means: Vec<f64>,
    /// Place of the first speed of each member, then of each free body, and of the end.
    starts: Vec<usize>,
    rows: Rows,
}

impl Default for Island {
    fn default() -> Self {
        Self::new(120.0)
    }
}

impl Island {
    /// Memory; contacts have this natural frequency, Hz.
    #[must_use]
    pub fn new(contact_frequency: f64) -> Self {
        Self {
            contact_frequency,
            speeds: Vec::new(),
            means: Vec::new(),
            starts: Vec::new(),
            rows: Rows::default(),
        }
    }

    /// One step of `dt` seconds.
    pub fn step(
        &mut self,
        members: &mut [Member<'_>],
        bodies: &mut [FreeBody],
        contacts: &mut [Contact],
        welds: &[Weld],
        dt: f64,
    ) {
        for member in &mut *members {
            let (tree, base, pushes) = (member.tree, &member.base, member.pushes);
            let mover = &mut *member.mover;
            mover.begin(tree, base, member.state, pushes, [0.0, dt], dt);
        }
        self.lay_out(members, bodies);
        self.rows
            .clear(std::f64::consts::TAU * self.contact_frequency * dt);
        for contact in &*contacts {
            self.rows.touch(contact, members, bodies, &self.starts);
        }
        for weld in welds {
            self.rows.hold(weld, members, bodies, &self.starts, dt);
        }
        self.rows.close();
        self.settle(members, bodies, dt);
        if self.rebias(members) {
            self.settle(members, bodies, dt);
        }
        self.move_on(members, bodies, dt);
        self.rows.relax(&mut self.speeds);
        self.end(members, bodies, contacts);
    }

    /// Finds the speeds at the end of the step.
    fn settle(&mut self, members: &mut [Member<'_>], bodies: &[FreeBody], dt: f64) {
        for _ in 0..ROUNDS {
            self.free_speeds(members, bodies, dt);
            self.rows.of_joints(members, &self.starts);
            self.rows.respond(members, bodies, dt);
            self.rows.begin(&mut self.speeds);
            self.rows.sweep(&mut self.speeds);
            if !self.saturate(members, dt) {
                break;
            }
        }
    }

    /// Takes Coriolis and centrifugal forces at the mean speeds where speeds change much in the step: else what starts at
    /// once would gain momentum. Tells whether there are such.
    fn rebias(&mut self, members: &mut [Member<'_>]) -> bool {
        let mut is_changed = false;
        for (member, start) in members.iter_mut().zip(&self.starts) {
            let speeds = &self.speeds[*start..start + member.tree.speed_count()];
            let pairs = speeds.iter().zip(&member.state.speeds);
            if pairs
                .clone()
                .any(|(end, begin)| (end - begin).abs() > ABRUPT)
            {
                self.means.clear();
                self.means
                    .extend(pairs.map(|(end, begin)| (end + begin) / 2.0));
                let (base, pushes) = (&member.base, member.pushes);
                member.mover.rebias(member.tree, base, &self.means, pushes);
                is_changed = true;
            }
        }
        is_changed
    }

    fn lay_out(&mut self, members: &[Member<'_>], bodies: &[FreeBody]) {
        self.starts.clear();
        let mut count = 0;
        for member in members {
            self.starts.push(count);
            count += member.tree.speed_count();
        }
        for _ in bodies {
            self.starts.push(count);
            count += 6;
        }
        self.starts.push(count);
        self.speeds.resize(count, 0.0);
    }

    /// Speeds at the end of the step, were there no conditions; and those of the joints that there are.
    fn free_speeds(&mut self, members: &mut [Member<'_>], bodies: &[FreeBody], dt: f64) {
        for (member, start) in members.iter_mut().zip(&self.starts) {
            member.mover.free_speeds(member.tree, member.state, dt);
            member.mover.conditions(member.tree, member.state, dt);
            let count = member.tree.speed_count();
            self.speeds[*start..start + count].copy_from_slice(&member.mover.speeds);
        }
        for (body, start) in bodies.iter().zip(&self.starts[members.len()..]) {
            self.speeds[*start..start + 3].copy_from_slice(body.linear.as_slice());
            self.speeds[start + 3..start + 6].copy_from_slice(body.angular.as_slice());
        }
    }

    /// Finds the motors that would give more than they can. Tells whether there are others than before.
    fn saturate(&self, members: &mut [Member<'_>], dt: f64) -> bool {
        self.rows.tell_joints(members);
        let mut is_changed = false;
        for (member, start) in members.iter_mut().zip(&self.starts) {
            let count = member.tree.speed_count();
            let speeds = &self.speeds[*start..start + count];
            member.mover.speeds.copy_from_slice(speeds);
            if member.mover.saturate(member.tree, dt) {
                member.mover.factor(member.tree, dt);
                is_changed = true;
            }
        }
        is_changed
    }

    /// Moves the joints, and tells the free bodies how they move.
    fn move_on(&self, members: &mut [Member<'_>], bodies: &mut [FreeBody], dt: f64) {
        for (member, start) in members.iter_mut().zip(&self.starts) {
            let speeds = &self.speeds[*start..start + member.tree.speed_count()];
            member
                .tree
                .integrate(&mut member.state.positions, speeds, dt);
        }
        for (body, start) in bodies.iter_mut().zip(&self.starts[members.len()..]) {
            body.moving = self.motion(*start);
        }
    }

    /// Gives all their speeds, and the contacts their impulses.
    fn end(&self, members: &mut [Member<'_>], bodies: &mut [FreeBody], contacts: &mut [Contact]) {
        for (member, start) in members.iter_mut().zip(&self.starts) {
            let speeds = &self.speeds[*start..start + member.tree.speed_count()];
            member.state.speeds.copy_from_slice(speeds);
            member.mover.speeds.copy_from_slice(speeds);
            member.mover.tell_efforts(member.tree);
        }
        for (body, start) in bodies.iter_mut().zip(&self.starts[members.len()..]) {
            let motion = self.motion(*start);
            (body.linear, body.angular) = (motion.linear, motion.angular);
        }
        for (at, contact) in contacts.iter_mut().enumerate() {
            contact.impulse = self.rows.impulse_of(at);
        }
    }

    fn motion(&self, start: usize) -> Motion {
        Motion {
            linear: vector(&self.speeds[start..]),
            angular: vector(&self.speeds[start + 3..]),
        }
    }
}

#[cfg(test)]
mod tests;
