//! Trees and free bodies that touch or hold each other: one step of all of them together.
//!
//! Contacts, welds, limits and dry friction are conditions on the speeds at the end of the step, `v = v_free + M⁻¹Jᵀλ`. For a
//! tree `M` is its mass matrix with what motors and dampers weigh, so that what a gripper holds feels the stiffness of its
//! motors. The impulses `λ` are found by projected Gauss–Seidel, from those of the step before, and by steps of Newton's
//! method in between. Bodies that are inside each other are moved apart by speeds that are not kept: the impulses are found
//! once with them, for the way, and once more without, for the speeds; so nothing gains energy by it.
//!
//! The step is the implicit midpoint rule of [`crate::step`]: contacts are those half a step ahead, where the mass matrices are
//! taken too, and velocities before and after the step lie symmetrically around them. The way that is left until two bodies touch
//! is the only bound of their approach, and contacts are 0.1 mm deep when they rest: surfaces that turn away from each other within
//! a step come back without a loss of energy.
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
    /// Centre of mass in the middle of the step, m. Afterwards it has no meaning.
    pub center: Vector3<f64>,
    /// Of the centre of mass before the step, m/s and rad/s.
    pub before: Motion,
    /// Of the centre of mass after the step: first, if nothing touched it; then, as it is, m/s.
    pub linear: Vector3<f64>,
    /// As well, rad/s.
    pub angular: Vector3<f64>,
    /// Mean velocity with which it is moved in this step: what is inside another body is moved apart. m/s and rad/s.
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
    /// In the world, in the middle of the step, m.
    pub point: Vector3<f64>,
    /// From the first side to the second.
    pub normal: Vector3<f64>,
    /// Speed with which the two parted at the end of the step before, if they touched; then, of this one, m/s.
    pub parted: Option<f64>,
    /// Way that is left between the two in the middle of the step, m; negative where they are inside each other.
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

/// Product of a speed and its change in a step from which Coriolis and centrifugal forces are calculated once more, with the
/// mean speeds: (rad/s)² or (m/s)².
const CURVED: f64 = 1e-7;

/// Memory for steps of islands.
#[derive(Clone, Debug)]
pub struct Island {
    /// Natural frequency of contacts, Hz: the higher, the stiffer.
    pub contact_frequency: f64,
    /// Of members and free bodies, one after the other.
    speeds: Vec<f64>,
    /// Mean speeds of a member in a step.
    means: Vec<f64>,
    /// Speeds that move everything in a step, in the order of `speeds`.
    moving: Vec<f64>,
    /// Speeds that would be kept if nothing bounced.
    kept: Vec<f64>,
    /// Impulses of the contacts in all parts of a step so far, N·s.
    impulses: Vec<Vector3<f64>>,
    /// Velocities that free bodies gain in a part of a step.
    gained: Vec<Motion>,
    /// Way that is left at each contact, m.
    gaps: Vec<f64>,
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
            moving: Vec::new(),
            kept: Vec::new(),
            impulses: Vec::new(),
            gained: Vec::new(),
            gaps: Vec::new(),
            starts: Vec::new(),
            rows: Rows::default(),
        }
    }

    /// One step of `dt` seconds. The members are [placed half of it ahead](Mover::place_ahead).
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

    /// A step in equal parts, with the contacts as they are in its middle.
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
            // What it gains in a part.
            body.linear = body.before.linear + (body.linear - body.before.linear) / parts;
            body.angular = body.before.angular + (body.angular - body.before.angular) / parts;
        }
        // Those of the whole step share out evenly to begin with, and add up.
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

    /// A step, or a part of one. The contacts are those in the middle of a time of `length` seconds from its beginning on.
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

    /// Takes Coriolis and centrifugal forces at the mean speeds, where that makes a difference. True if it does.
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

    /// Moves all to the end of the step, and gives them their speeds, and the contacts their impulses.
    fn end(
        &mut self,
        members: &mut [Member<'_>],
        bodies: &mut [FreeBody],
        contacts: &mut [Contact],
        dt: f64,
    ) {
        self.rows.tell_joints(members);
        let are_apart = self.moving != self.speeds || self.kept != self.speeds;
        // To the end by half a step with the speeds that are kept, and by a whole one with those that move apart. What
        // bounces does so there.
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
    /// Velocity that it gains in a part of a step if nothing touches it.
    fn gained(&self) -> Motion {
        Motion {
            angular: self.angular - self.before.angular,
            linear: self.linear - self.before.linear,
        }
    }
}

/// The motion of a free body among the speeds of all.
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
