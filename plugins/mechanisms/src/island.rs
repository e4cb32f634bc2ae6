//! One time step of an island: trees and free bodies that are connected by contacts and welds.
//!
//! Contacts, welds, limits and dry friction are constraints on the velocities at the end of the step, `v = v_free + M⁻¹Jᵀλ`.
//! For a tree, `M` is its mass matrix with the implicit terms of motors and dampers, so that a contact couples to the
//! stiffness of the motors. The impulses `λ` are found by projected Gauss–Seidel (PGS) with warm start, accelerated by
//! Newton steps on the contact conditions (Alart & Curnier 1991). Penetrations are corrected by split impulses: the impulses
//! are solved once with the correcting velocities, which move the positions, and once without them, for the velocities that
//! are kept; so the correction adds no energy.
//!
//! The step is the implicit midpoint rule of [`crate::step`]: contacts and mass matrices are evaluated at the middle of the
//! step, and the velocities before and after the step are symmetric about it. The remaining gap bounds the approach of two
//! bodies (speculative contacts), and resting contacts keep a slop of 0.1 mm: surfaces that rotate apart within a step come
//! back without a loss of energy.
mod rows;

use nalgebra::{Matrix3, Vector3};

use crate::{
    spatial::{Force, Motion, Pose},
    state::{State, vector},
    step::{Mover, ROUNDS, parts_of},
    tree::Tree,
    work::Base,
};
use rows::Rows;

/// A tree during one step.
pub struct Member<'a> {
    /// Links and joints.
    pub tree: &'a Tree,
    /// Motors, joint dynamics and workspace.
    pub mover: &'a mut Mover,
    /// Positions and velocities, before and after the step.
    pub state: &'a mut State,
    /// Gravity, and the motion of the base.
    pub base: Base,
    /// Pose of the base in the world.
    pub place: Pose,
    /// External forces on the links, each in its frame; or an empty slice.
    pub pushes: &'a [Force],
}

/// A rigid body without joints, in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeBody {
    /// Inverse mass along each axis, 1/kg; zero for locked axes.
    pub inverse_mass: Vector3<f64>,
    /// Inverse inertia about the centre of mass, 1/(kg·m²).
    pub inverse_inertia: Matrix3<f64>,
    /// Centre of mass in the middle of the step, m. Undefined after the step.
    pub center: Vector3<f64>,
    /// Velocity of the centre of mass before the step, m/s and rad/s.
    pub before: Motion,
    /// Linear velocity of the centre of mass after the step, m/s: on entry without constraints, on return with them.
    pub linear: Vector3<f64>,
    /// Angular velocity after the step, rad/s: on entry without constraints, on return with them.
    pub angular: Vector3<f64>,
    /// Mean velocity over the step including the correction of penetrations, m/s and rad/s.
    pub moving: Motion,
}

/// One side of a contact or weld.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Side {
    /// A body with prescribed motion; its velocity at the point, m/s.
    Given(Vector3<f64>),
    /// A link of a member.
    Link {
        /// Index of the member.
        member: usize,
        /// Index of the link in its tree.
        link: usize,
    },
    /// Index of a free body.
    Body(usize),
}

/// A contact point, or a point where two surfaces are close.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The sides in contact.
    pub sides: [Side; 2],
    /// The sides on which friction acts: equal to `sides`, except for a driven robot, where it acts on its base instead of a
    /// wheel.
    pub friction_sides: [Side; 2],
    /// Position in the world in the middle of the step, m.
    pub point: Vector3<f64>,
    /// Unit normal from the first side to the second.
    pub normal: Vector3<f64>,
    /// Normal velocity at the end of the step, m/s, if the contact was active: on entry that of the last step, on return
    /// that of this step.
    pub parted: Option<f64>,
    /// Gap along the normal in the middle of the step, m; negative for a penetration.
    pub distance: f64,
    /// Coefficient of Coulomb friction.
    pub friction: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
    /// Target of the tangential velocity of the second side relative to the first, m/s.
    pub tangent_velocity: Vector3<f64>,
    /// Impulse on the second side, world axes, N·s: on entry that of the last step (warm start), on return that of this
    /// step.
    pub impulse: Vector3<f64>,
}

/// A constraint that fixes two sides to each other, in some or all directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weld {
    /// Holder and held side. A prescribed side has velocity zero.
    pub sides: [Side; 2],
    /// Position in the world, m.
    pub point: Vector3<f64>,
    /// Deviation of the second side from its target, m and rad.
    pub error: Motion,
    /// True for each translation and rotation along world axes that is constrained.
    pub holds: [bool; 6],
}

/// Threshold of the product of a velocity and its change in a step, (rad/s)² or (m/s)², above which Coriolis and centrifugal
/// forces are evaluated again at the mean velocities.
const CURVED: f64 = 1e-7;

/// Workspace for steps of islands.
#[derive(Clone, Debug)]
pub struct Island {
    /// Natural frequency of contacts, Hz: higher is stiffer.
    pub contact_frequency: f64,
    /// Velocities of members and free bodies, concatenated.
    speeds: Vec<f64>,
    /// Mean velocities of a member in a step.
    means: Vec<f64>,
    /// Velocities that move the positions in a step, in the order of `speeds`.
    moving: Vec<f64>,
    /// Velocities without restitution.
    kept: Vec<f64>,
    /// Impulses of the contacts, summed over the substeps so far, N·s.
    impulses: Vec<Vector3<f64>>,
    /// Velocity changes of free bodies per substep without constraints.
    gained: Vec<Motion>,
    /// Gap of each contact, m.
    gaps: Vec<f64>,
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
            speeds: Vec::new(),
            means: Vec::new(),
            moving: Vec::new(),
            kept: Vec::new(),
            impulses: Vec::new(),
            gained: Vec::new(),
            gaps: Vec::new(),
            starts: Vec::new(),
            rows: Rows::default(),
        }
    }

    /// Makes one step of `dt` seconds. The members are [predicted by half of it](Mover::place_ahead).
    pub fn step(
        &mut self,
        members: &mut [Member<'_>],
        bodies: &mut [FreeBody],
        contacts: &mut [Contact],
        welds: &[Weld],
        dt: f64,
    ) {
        let parts = members.iter();
        let parts = parts.map(|member| parts_of(member.tree, member.state, dt));
        let parts = parts.max().unwrap_or(1);
        for body in &mut *bodies {
            body.moving = Motion::ZERO;
        }
        self.gaps.clear();
        self.gaps
            .extend(contacts.iter().map(|contact| contact.distance));
        if parts == 1 {
            self.part(members, bodies, contacts, welds, [dt, dt]);
        } else {
            self.in_parts(members, bodies, contacts, welds, [dt, f64::from(parts)]);
        }
        for body in bodies {
            body.moving = body.moving * (1.0 / dt);
        }
    }

    /// Makes a step in equal substeps, with the contacts of its middle.
    fn in_parts(
        &mut self,
        members: &mut [Member<'_>],
        bodies: &mut [FreeBody],
        contacts: &mut [Contact],
        welds: &[Weld],
        [dt, parts]: [f64; 2],
    ) {
        let part = dt / parts;
        for body in &mut *bodies {
            // Velocity change per substep.
            body.linear = body.before.linear + (body.linear - body.before.linear) / parts;
            body.angular = body.before.angular + (body.angular - body.before.angular) / parts;
        }
        // The warm-start impulses are distributed evenly; the results are summed.
        for contact in &mut *contacts {
            contact.impulse /= parts;
        }
        self.impulses.clear();
        self.impulses.resize(contacts.len(), Vector3::zeros());
        self.gained.clear();
        self.gained.extend(bodies.iter().map(FreeBody::gained));
        for at in 0..parts as u32 {
            for member in &mut *members {
                let (tree, base) = (member.tree, &member.base);
                member
                    .mover
                    .place_ahead(tree, base, member.state, part / 2.0);
            }
            let length = if at == 0 { dt } else { part };
            self.part(members, bodies, contacts, welds, [length, part]);
            for (sum, contact) in self.impulses.iter_mut().zip(&*contacts) {
                *sum += contact.impulse;
            }
            if at + 1 < parts as u32 {
                for (body, gained) in bodies.iter_mut().zip(&self.gained) {
                    body.before = Motion {
                        angular: body.angular,
                        linear: body.linear,
                    };
                    body.linear += gained.linear;
                    body.angular += gained.angular;
                }
            }
        }
        for (contact, impulse) in contacts.iter_mut().zip(&self.impulses) {
            contact.impulse = *impulse;
        }
    }

    /// Makes a step or a substep. The contacts belong to the middle of an interval of `length` seconds from its beginning
    /// on.
    fn part(
        &mut self,
        members: &mut [Member<'_>],
        bodies: &mut [FreeBody],
        contacts: &mut [Contact],
        welds: &[Weld],
        [length, dt]: [f64; 2],
    ) {
        for member in &mut *members {
            let (tree, base, pushes) = (member.tree, &member.base, member.pushes);
            member.mover.begin(tree, base, member.state, pushes, dt);
        }
        self.lay_out(members, bodies);
        self.rows
            .clear(std::f64::consts::TAU * self.contact_frequency * dt);
        for (contact, gap) in contacts.iter().zip(&mut self.gaps) {
            let early = (dt - length) / 2.0;
            self.rows
                .touch((contact, gap, early, dt), members, bodies, &self.starts);
        }
        for weld in welds {
            self.rows.hold(weld, members, bodies, &self.starts, dt);
        }
        self.rows.close();
        self.settle(members, bodies, dt);
        if self.rebias(members) {
            self.settle(members, bodies, dt);
        }
        self.moving.clone_from(&self.speeds);
        self.rows.add_ways(&mut self.gaps, &self.moving, dt);
        self.rows.relax(&mut self.speeds);
        self.kept.clone_from(&self.speeds);
        self.rows.bounce(&mut self.speeds);
        self.end(members, bodies, contacts, dt);
    }

    /// Solves for the velocities at the end of the step.
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

    /// Evaluates Coriolis and centrifugal forces at the mean velocities, if that makes a difference. Returns true if it
    /// does.
    fn rebias(&mut self, members: &mut [Member<'_>]) -> bool {
        let mut is_changed = false;
        for (member, start) in members.iter_mut().zip(&self.starts) {
            let speeds = &self.speeds[*start..start + member.tree.speed_count()];
            let pairs = speeds.iter().zip(&member.state.speeds);
            let [mut change, mut fastest] = [0.0_f64; 2];
            for (end, begin) in pairs.clone() {
                change = change.max((end - begin).abs());
                fastest = fastest.max(begin.abs()).max(end.abs());
            }
            if change * fastest > CURVED {
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

    /// Computes the velocities at the end of the step without constraints, and the constraints of the joints.
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

    /// Finds the motors that exceed their maximum effort. Returns true if the set has changed.
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

    /// Advances all positions to the end of the step, and writes velocities and impulses.
    fn end(
        &mut self,
        members: &mut [Member<'_>],
        bodies: &mut [FreeBody],
        contacts: &mut [Contact],
        dt: f64,
    ) {
        self.rows.tell_joints(members);
        let are_apart = self.moving != self.speeds || self.kept != self.speeds;
        // The positions advance by half a step with the kept velocities, and by a whole step with the correcting velocities.
        // Bounces take effect at the end of the step.
        let numbers = self.moving.iter_mut().zip(&self.kept).zip(&self.speeds);
        for ((apart, kept), speed) in numbers {
            *apart += (kept - speed) / 2.0 - kept;
        }
        for (member, start) in members.iter_mut().zip(&self.starts) {
            let own = *start..start + member.tree.speed_count();
            let mover = &mut *member.mover;
            mover.speeds.copy_from_slice(&self.speeds[own.clone()]);
            mover.tell_efforts(member.tree);
            let apart = are_apart.then(|| &self.moving[own]);
            mover.advance(member.tree, member.state, apart, dt);
        }
        for (body, start) in bodies.iter_mut().zip(&self.starts[members.len()..]) {
            let (motion, apart) = (motion(&self.speeds, *start), motion(&self.moving, *start));
            let way = (body.before + motion) * (dt / 2.0) + apart * dt;
            body.moving += way;
            body.center += way.linear;
            (body.linear, body.angular) = (motion.linear, motion.angular);
        }
        for (at, contact) in contacts.iter_mut().enumerate() {
            contact.impulse = self.rows.impulse_of(at);
            contact.parted = self.rows.parting_of(at, &self.speeds);
        }
    }
}

impl FreeBody {
    /// Returns the velocity change per substep without constraints.
    fn gained(&self) -> Motion {
        Motion {
            angular: self.angular - self.before.angular,
            linear: self.linear - self.before.linear,
        }
    }
}

/// Returns the velocity of a free body from the vector of all velocities.
fn motion(speeds: &[f64], start: usize) -> Motion {
    Motion {
        linear: vector(&speeds[start..]),
        angular: vector(&speeds[start + 3..]),
    }
}

#[cfg(test)]
mod energy_tests;
#[cfg(test)]
mod random_tests;
#[cfg(test)]
mod tests;
