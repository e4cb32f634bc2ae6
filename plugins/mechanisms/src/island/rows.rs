//! Constraint rows of an island, and their impulses.
mod blocks;
mod bounces;
mod checkpoint;
mod corrections;
mod dense;
mod gains;
mod joints;
mod newton;
mod points;
mod primal;
mod row;
mod sliding;
mod stiffness;
mod sweeps;
mod welds;

use nalgebra::Vector3;

use super::{Contact, FreeBody, Member, Side};
use checkpoint::Checkpoint;
use dense::{DenseSolver, MAX_VELOCITIES};
use newton::NewtonSolver;
use points::joined;
use row::{Block, ConstraintRow, Kind};

/// Slop of contacts, m: normals of rounded shapes are ill-conditioned near zero distance.
pub(super) const CONTACT_SLOP: f64 = 1e-4;

/// Largest rotation of a normal per step that is attributed to a curved surface, rad.
const MAX_CONTACT_TURN: f64 = 0.2;

/// Approach speed above which bodies bounce, m/s.
const RESTITUTION_THRESHOLD: f64 = 0.1;

/// All constraint rows of an island: three per contact (normal, then two tangents), up to six per weld, one per limit and
/// dry friction of a joint.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    rows: Vec<ConstraintRow>,
    /// Entries of `J`, by row if `stride` is set, else by block.
    jacobians: Vec<f64>,
    /// Entries of `M⁻¹Jᵀ`, in the same order.
    responses: Vec<f64>,
    /// Entries of four rows, side by side.
    four: Vec<[f64; 4]>,
    /// Number of entries of each row, one per velocity of the island and zeros; zero if rows contain only blocks.
    stride: usize,
    contacts: Vec<ContactData>,
    /// Sides of the last contact.
    last_sides: Option<[Moving; 2]>,
    newton: NewtonSolver,
    dense: DenseSolver,
    /// Natural frequency of contacts times the step, rad.
    contact_rate: f64,
    /// Index of the first row of a joint.
    joints: usize,
    /// Member and index of the velocity of each row of a joint.
    joint_velocities: Vec<(usize, usize)>,
    /// Impulses and velocities before an attempt to solve the rows.
    start: Checkpoint,
    /// True if the rows are solved by damped steps, since other ones have not converged.
    is_damped: bool,
    /// True if the changes of impulses have vanished in the last relaxations.
    has_settled: bool,
    /// Impulses before a bounce.
    without_bounce: Vec<f64>,
    /// Velocities that the impulses of contacts give.
    given: Vec<f64>,
}

/// Data of a contact for the sweeps.
#[derive(Clone, Copy, Debug)]
struct ContactData {
    /// Normal and two tangents.
    axes: [Vector3<f64>; 3],
    friction: f64,
    /// Separation velocity after a bounce, m/s; zero without one.
    bounce: f64,
    /// Velocities of the rows before the step, m/s; zero without a bounce.
    before: [f64; 3],
    /// True if the previous contact has the same sides.
    continues: bool,
    /// Stiffness relative to the other contacts of the same sides.
    share: f64,
    /// True if friction drives the sides.
    is_driven: bool,
}

/// A side of a contact, whatever its velocity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moving {
    /// A body with prescribed motion.
    Prescribed,
    /// Index of a member, and of a link in its tree.
    Link(usize, usize),
    /// Index of a free body.
    Body(usize),
}

impl Moving {
    const fn of(side: Side) -> Self {
        match side {
            Side::Prescribed(_) => Self::Prescribed,
            Side::Link { member, link } => Self::Link(member, link),
            Side::Body(body) => Self::Body(body),
        }
    }
}

impl Rows {
    /// Removes all rows; `contact_rate` is the natural frequency of contacts times the step, rad.
    pub(super) fn clear(&mut self, contact_rate: f64) {
        self.contact_rate = contact_rate;
        self.stride = 0;
        self.is_damped = false;
        self.rows.clear();
        self.jacobians.clear();
        self.contacts.clear();
        self.last_sides = None;
        self.joints = 0;
        self.joint_velocities.clear();
    }

    /// Returns true if [`DenseSolver`] is to solve all rows: for few velocities, contacts enough and no welds, which are rigid.
    pub(super) const fn are_dense(velocities: usize, [contacts, welds]: [usize; 2]) -> bool {
        velocities <= MAX_VELOCITIES && 2 * 3 * contacts >= velocities && welds == 0
    }

    /// Gives each row an entry for each velocity if [`DenseSolver`] is to solve them. The contacts are all of the island, even
    /// those without rows. Requires [`clear`](Self::clear).
    pub(super) fn lay_out(&mut self, velocities: usize, counts: [usize; 2]) {
        if Self::are_dense(velocities, counts) {
            self.stride = velocities.next_multiple_of(8);
        }
    }

    /// Ends the rows of contacts and welds; rows of joints follow.
    pub(super) fn close(&mut self) {
        self.joints = self.rows.len();
    }

    /// Adds the rows of a contact with its gap. `turns` is true if friction carries a free body along; `early` is how much earlier
    /// than its detection the contact is evaluated, s.
    pub(super) fn add_contact(
        &mut self,
        (contact, gap, turns, [early, dt]): (&Contact, &mut f64, bool, [f64; 2]),
        members: &[Member<'_>],
        bodies: &[FreeBody],
        starts: &[usize],
    ) {
        let axes = axes(&contact.normal);
        let first = self.rows.len();
        let (system, point) = ((members, bodies, starts), &contact.point);
        if contact.friction_sides == contact.sides {
            self.add_point_rows::<3, false>(&contact.sides, point, axes, system);
        } else {
            let [normal, across @ ..] = axes;
            self.add_point_rows::<1, false>(&contact.sides, point, [normal], system);
            self.add_point_rows::<2, false>(&contact.friction_sides, point, across, system);
        }
        let most = self.most_turned(first, (contact, turns), members, bodies);
        let wanted = self.wanted_slip(first, (contact, turns, most), &axes, members, bodies);
        let speed = self.speed_before(first, members, bodies);
        *gap += early * speed;
        let distance = *gap + CONTACT_SLOP;
        // On a circular arc, the approach velocity before the middle of the step equals the separation velocity after it:
        // the chord is tangential there. At most the rotation since the last step is attributed to that.
        let turned = turned(speed, contact.separation_velocity, most);
        let parting = (-speed).clamp((-turned).min(0.0), (-turned).max(0.0));
        // The penetration since the beginning of the step is corrected completely.
        let entered = if parting == 0.0 {
            (-distance).min(-speed * dt / 2.0).max(0.0)
        } else {
            (parting - speed) * dt / 2.0
        };
        for (index, row) in self.rows[first..].iter_mut().enumerate() {
            row.impulse = axes[index].dot(&contact.impulse);
            if index == 0 {
                row.kind = Kind::Normal {
                    distance,
                    entered,
                    before: row.impulse,
                    parting,
                };
                row.bounds = [0.0, f64::INFINITY];
            } else {
                row.kind = Kind::Tangent {
                    before: row.impulse,
                };
                row.relaxed = wanted[index];
            }
        }
        let meeting = turned - speed;
        let sides = contact.sides.map(Moving::of);
        let continues = self.last_sides.replace(sides) == Some(sides);
        let bounces = contact.restitution > 0.0 && meeting > RESTITUTION_THRESHOLD;
        let before = bounces
            .then(|| [0, 1, 2].map(|index| self.speed_before(first + index, members, bodies)));
        self.contacts.push(ContactData {
            before: before.unwrap_or_default(),
            continues,
            share: contact.share,
            is_driven: contact.tangent_velocity != Vector3::zeros()
                || contact.friction_sides != contact.sides,
            axes,
            friction: contact.friction,
            bounce: if bounces {
                contact.restitution * meeting
            } else {
                0.0
            },
        });
    }

    /// Returns the target velocities of a contact's rows without correction of positions, m/s. If friction carries a free body
    /// along, its velocities before and after the step are symmetric about the middle. `most` is the result of
    /// [`most_turned`](Self::most_turned).
    fn wanted_slip(
        &self,
        first: usize,
        (contact, turns, most): (&Contact, bool, f64),
        axes: &[Vector3<f64>; 3],
        members: &[Member<'_>],
        bodies: &[FreeBody],
    ) -> [f64; 3] {
        let mut wanted = axes.map(|axis| axis.dot(&contact.tangent_velocity));
        if !turns {
            return wanted;
        }
        let slip = contact.slip.unwrap_or_default();
        for (index, wanted) in wanted.iter_mut().enumerate().skip(1) {
            let before = self.speed_before(first + index, members, bodies);
            let turned = before - axes[index].dot(&slip);
            if turned * turned <= most {
                *wanted -= turned / 2.0;
            }
        }
        wanted
    }

    /// Returns the square of the greatest change of a contact's velocity since the last step that the rotation of its surfaces
    /// may explain, (m/s)²; zero if it does not matter.
    fn most_turned(
        &self,
        first: usize,
        (contact, turns): (&Contact, bool),
        members: &[Member<'_>],
        bodies: &[FreeBody],
    ) -> f64 {
        if !turns && contact.separation_velocity.is_none() {
            return 0.0;
        }
        let mut fastest: f64 = 0.0;
        for side in 0..2 {
            let rows = self.rows[first..first + 3].iter();
            let along = rows.map(|row| self.block_before(&row.blocks[side], members, bodies));
            fastest = fastest.max(along.map(|speed| speed * speed).sum());
        }
        MAX_CONTACT_TURN * MAX_CONTACT_TURN * fastest
    }

    /// Returns the velocity of a row before the step.
    fn speed_before(&self, row: usize, members: &[Member<'_>], bodies: &[FreeBody]) -> f64 {
        let row = &self.rows[row];
        let blocks = row.blocks.iter();
        let velocities = blocks.map(|block| self.block_before(block, members, bodies));
        row.offset + velocities.sum::<f64>()
    }

    /// Returns the contribution of one member or body to the velocity of a row before the step.
    fn block_before(&self, block: &Block, members: &[Member<'_>], bodies: &[FreeBody]) -> f64 {
        let numbers = self.jacobians[block.offset..block.offset + block.count].iter();
        if let Some(member) = members.get(block.participant) {
            numbers
                .zip(&member.state.velocities)
                .map(|(a, b)| a * b)
                .sum()
        } else if let Some(body) = bodies.get(block.participant - members.len()) {
            let own = joined(&body.before.linear, &body.before.angular);
            numbers.zip(&own).map(|(a, b)| a * b).sum()
        } else {
            0.0
        }
    }

    /// Adds the displacements of a step to the gaps of the contacts, m, given the indices of those with rows.
    pub(super) fn advance_gaps(
        &self,
        gaps: &mut [f64],
        near: &[usize],
        velocities: &[f64],
        dt: f64,
    ) {
        for (&index, row) in near.iter().zip(self.rows.iter().step_by(3)) {
            gaps[index] += row.speed(&self.jacobians, velocities) * dt;
        }
    }

    /// Returns the normal velocity of an active contact, m/s.
    pub(super) fn separation_of(&self, contact: usize, velocities: &[f64]) -> Option<f64> {
        let row = &self.rows[3 * contact];
        (row.impulse > 0.0).then(|| row.speed(&self.jacobians, velocities))
    }

    /// Returns the tangential velocity of a contact, world axes, m/s.
    pub(super) fn slip_of(&self, contact: usize, velocities: &[f64]) -> Vector3<f64> {
        let rows = self.rows[3 * contact..].iter().skip(1);
        let axes = &self.contacts[contact].axes[1..];
        let along = rows.zip(axes);
        along
            .map(|(row, axis)| axis * row.speed(&self.jacobians, velocities))
            .sum()
    }

    /// Returns the impulse of a contact on its second side, world axes, N·s.
    pub(super) fn impulse_of(&self, contact: usize) -> Vector3<f64> {
        let rows = self.rows[3 * contact..].iter();
        let axes = self.contacts[contact].axes;
        rows.zip(axes).map(|(row, axis)| axis * row.impulse).sum()
    }
}

/// Returns the change of a contact's normal velocity since the last step by rotation of the surfaces, m/s, at equal velocities.
/// Zero if its square is more than `most`, which rotation explains.
fn turned(speed: f64, separation_velocity: Option<f64>, most: f64) -> f64 {
    let turned = speed - separation_velocity.unwrap_or(speed);
    if turned * turned <= most { turned } else { 0.0 }
}

/// Returns an orthonormal basis with a given first axis; deterministic.
fn axes(normal: &Vector3<f64>) -> [Vector3<f64>; 3] {
    let other = if normal.x.abs() < 0.7 {
        Vector3::x()
    } else {
        Vector3::y()
    };
    let across = normal.cross(&other).normalize();
    [*normal, across, normal.cross(&across)]
}

#[cfg(test)]
mod correction_tests;
#[cfg(test)]
mod dense_tests;
#[cfg(test)]
mod primal_tests;
#[cfg(test)]
mod rover_tests;
