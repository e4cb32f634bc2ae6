//! Constraint rows of an island, and their impulses.
mod bounces;
mod newton;
mod primal;
mod row;
mod sweeps;
mod welds;

use nalgebra::Vector3;

use super::{Contact, FreeBody, Member, Side};
use crate::{spatial::Motion, state::vector};
use newton::NewtonSolver;
use row::{Block, ConstraintRow, Kind, Shared};

/// Slop of contacts, m: normals of rounded shapes are ill-conditioned near zero distance.
const CONTACT_SLOP: f64 = 1e-4;

/// Largest rotation of a normal per step that is attributed to a curved surface, rad.
const MAX_CONTACT_TURN: f64 = 0.2;

/// Approach speed above which bodies bounce, m/s.
const RESTITUTION_THRESHOLD: f64 = 0.1;

/// All constraint rows of an island: three per contact (normal, then two tangents), up to six per weld, one per limit and
/// dry friction of a joint.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    rows: Vec<ConstraintRow>,
    /// Entries of `J`, by block.
    jacobians: Vec<f64>,
    /// Entries of `M⁻¹Jᵀ`, by block.
    responses: Vec<f64>,
    /// Motion of a point per unit of each velocity of a tree.
    columns: Vec<Motion>,
    contacts: Vec<ContactData>,
    /// Sides of the last contact.
    last_sides: Option<[Moving; 2]>,
    newton: NewtonSolver,
    /// Natural frequency of contacts times the step, rad.
    contact_rate: f64,
    /// Index of the first row of a joint.
    joints: usize,
    /// Member and index of the velocity of each row of a joint.
    joint_velocities: Vec<(usize, usize)>,
    /// Impulses before a bounce.
    without_bounce: Vec<f64>,
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
        self.rows.clear();
        self.jacobians.clear();
        self.contacts.clear();
        self.last_sides = None;
        self.joints = 0;
        self.joint_velocities.clear();
    }

    /// Ends the rows of contacts and welds; rows of joints follow.
    pub(super) fn close(&mut self) {
        self.joints = self.rows.len();
    }

    /// Adds the rows of a contact with its gap; `early` is how much earlier than its detection the contact is evaluated, s.
    pub(super) fn add_contact(
        &mut self,
        (contact, gap, early, dt): (&Contact, &mut f64, f64, f64),
        members: &[Member<'_>],
        bodies: &[FreeBody],
        starts: &[usize],
    ) {
        let axes = axes(&contact.normal);
        let wanted = axes.map(|axis| axis.dot(&contact.tangent_velocity));
        let first = self.rows.len();
        let (system, point) = ((members, bodies, starts), &contact.point);
        if contact.friction_sides == contact.sides {
            self.add_point_rows(&contact.sides, point, axes.map(along), system);
        } else {
            let [normal, across @ ..] = axes.map(along);
            self.add_point_rows(&contact.sides, point, [normal], system);
            self.add_point_rows(&contact.friction_sides, point, across, system);
        }
        let speed = self.speed_before(first, members, bodies);
        *gap += early * speed;
        let distance = *gap + CONTACT_SLOP;
        // On a circular arc, the approach velocity before the middle of the step equals the separation velocity after it:
        // the chord is tangential there. At most the rotation since the last step is attributed to that.
        let turned = self.turned(first, speed, contact, members, bodies);
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
        let continues = self.last_sides == Some(contact.sides.map(Moving::of));
        self.last_sides = Some(contact.sides.map(Moving::of));
        let bounces = contact.restitution > 0.0 && meeting > RESTITUTION_THRESHOLD;
        let before = bounces
            .then(|| [0, 1, 2].map(|index| self.speed_before(first + index, members, bodies)));
        self.contacts.push(ContactData {
            before: before.unwrap_or_default(),
            continues,
            share: contact.share,
            axes,
            friction: contact.friction,
            bounce: if bounces {
                contact.restitution * meeting
            } else {
                0.0
            },
        });
    }

    /// Adds rows for the velocity of the second side relative to the first at a point, one per direction.
    fn add_point_rows<const COUNT: usize>(
        &mut self,
        sides: &[Side; 2],
        point: &Vector3<f64>,
        directions: [Motion; COUNT],
        (members, bodies, starts): (&[Member<'_>], &[FreeBody], &[usize]),
    ) {
        let first = self.rows.len();
        self.rows.extend([ConstraintRow::default(); COUNT]);
        for (side, sign) in sides.iter().zip([-1.0, 1.0]) {
            match *side {
                Side::Prescribed(velocity) => {
                    for (row, direction) in self.rows[first..].iter_mut().zip(&directions) {
                        row.offset += sign * direction.linear.dot(&velocity);
                    }
                }
                Side::Link { member, link } => {
                    let Some(of) = members.get(member) else {
                        continue;
                    };
                    let target = of.pose.rotation.tr_mul(&(point - of.pose.position));
                    self.columns.resize(of.tree.velocity_count(), Motion::ZERO);
                    let work = &of.integrator.workspace;
                    work.jacobian_at(of.tree, link, &target, &mut self.columns);
                    let carried = of.base.velocity;
                    for (direction_index, direction) in directions.iter().enumerate() {
                        let turn = |axis| of.pose.rotation.tr_mul(axis) * sign;
                        let (along, about) = (turn(&direction.linear), turn(&direction.angular));
                        let number = |motion: &Motion| {
                            along.dot(&motion.linear) + about.dot(&motion.angular)
                        };
                        self.rows[first + direction_index].offset +=
                            along.dot(&carried.at(&target)) + about.dot(&carried.angular);
                        let numbers = self.columns.iter().map(number);
                        let row = &mut self.rows[first + direction_index];
                        row.add((member, starts[member]), numbers, &mut self.jacobians);
                    }
                }
                Side::Body(index) => {
                    let Some(body) = bodies.get(index) else {
                        continue;
                    };
                    let participant = members.len() + index;
                    for (direction_index, direction) in directions.iter().enumerate() {
                        let along = direction.linear;
                        let angular = (point - body.center).cross(&along) + direction.angular;
                        let [one, two] = [along * sign, angular * sign];
                        let numbers = [one.x, one.y, one.z, two.x, two.y, two.z];
                        let row = &mut self.rows[first + direction_index];
                        row.add(
                            (participant, starts[participant]),
                            numbers.into_iter(),
                            &mut self.jacobians,
                        );
                    }
                }
            }
        }
    }

    /// Returns the change of a contact's normal velocity since the last step by rotation of the surfaces, m/s, at equal
    /// velocities. Zero if it is more than a rotation explains.
    fn turned(
        &self,
        first: usize,
        speed: f64,
        contact: &Contact,
        members: &[Member<'_>],
        bodies: &[FreeBody],
    ) -> f64 {
        let Some(separation_velocity) = contact.separation_velocity else {
            return 0.0;
        };
        let turned = speed - separation_velocity;
        let mut fastest: f64 = 0.0;
        for side in 0..2 {
            let rows = self.rows[first..first + 3].iter();
            let along = rows.map(|row| self.block_before(&row.blocks[side], members, bodies));
            fastest = fastest.max(along.map(|speed| speed * speed).sum());
        }
        if turned * turned > MAX_CONTACT_TURN * MAX_CONTACT_TURN * fastest {
            return 0.0;
        }
        turned
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
            let own = body.before.linear.iter().chain(&body.before.angular);
            numbers.zip(own).map(|(a, b)| a * b).sum()
        } else {
            0.0
        }
    }

    /// Replaces the rows of limits and dry friction. Returns true if they constrain the same velocities as before.
    pub(super) fn add_joint_rows(&mut self, members: &[Member<'_>], starts: &[usize]) -> bool {
        let constraints = || {
            let members = members.iter().enumerate();
            members.flat_map(|(participant, member)| {
                let rows = member.integrator.rows.iter();
                rows.map(move |row| (participant, row))
            })
        };
        let velocities = constraints().map(|(participant, row)| (participant, row.speed));
        let is_same = velocities.eq(self.joint_velocities.iter().copied());
        if !is_same {
            self.rebuild_joint_rows(members, starts);
        }
        let rows = self.rows[self.joints..].iter_mut();
        for (row, (_, condition)) in rows.zip(constraints()) {
            row.target = condition.target;
            row.relaxed = condition.target;
            row.bounds = condition.bounds;
            row.impulse = 0.0;
        }
        is_same
    }

    /// Replaces the rows of joints by others, without targets and bounds.
    fn rebuild_joint_rows(&mut self, members: &[Member<'_>], starts: &[usize]) {
        if let Some(row) = self.rows.get(self.joints) {
            self.jacobians.truncate(row.blocks[0].offset);
            self.rows.truncate(self.joints);
        }
        self.joint_velocities.clear();
        for (participant, member) in members.iter().enumerate() {
            let count = member.tree.velocity_count();
            for condition in &member.integrator.rows {
                let mut row = ConstraintRow::default();
                let numbers = (0..count).map(|index| f64::from(u8::from(index == condition.speed)));
                row.add(
                    (participant, starts[participant]),
                    numbers,
                    &mut self.jacobians,
                );
                self.rows.push(row);
                self.joint_velocities.push((participant, condition.speed));
            }
        }
    }

    /// Computes the responses `M⁻¹Jᵀ`, effective masses and compliances of all rows.
    pub(super) fn compute_responses(
        &mut self,
        members: &mut [Member<'_>],
        bodies: &[FreeBody],
        dt: f64,
    ) {
        let count = members.len();
        self.responses.clone_from(&self.jacobians);
        self.newton.invalidate(self.rows.len());
        for row in &mut self.rows {
            let mut weight = 0.0;
            for block in row.blocks.iter().filter(|block| block.count > 0) {
                let range = block.offset..block.offset + block.count;
                let response = &mut self.responses[range.clone()];
                if let Some(member) = members.get_mut(block.participant) {
                    member.integrator.workspace.solve(member.tree, response);
                } else if let Some(body) = bodies.get(block.participant - count) {
                    let angular = body.inverse_inertia * vector(&response[3..]);
                    for (value, inverse) in response[..3].iter_mut().zip(&body.inverse_mass) {
                        *value *= inverse;
                    }
                    response[3..].copy_from_slice(angular.as_slice());
                }
                let numbers = self.jacobians[range].iter().zip(&*response);
                weight += numbers.map(|(one, other)| one * other).sum::<f64>();
            }
            row.mass = if weight > f64::MIN_POSITIVE {
                1.0 / weight
            } else {
                0.0
            };
            if let Kind::Tangent { before } = row.kind {
                row.regularise_tangent(before);
            }
        }
        self.set_normal_compliances(dt);
        self.regularise_welds();
    }

    /// Makes contacts compliant. All contacts of the same two bodies have the same stiffness, that of their mean effective
    /// mass and of the greatest impulse in the last step, times their shares: they share a load as such springs do, wherever
    /// the centre of mass is.
    fn set_normal_compliances(&mut self, dt: f64) {
        let is_shared = self.contacts.len() > 1;
        let mut from = 0;
        while from < self.contacts.len() {
            let more = self.contacts[from + 1..].iter();
            let count = 1 + more.take_while(|contact| contact.continues).count();
            let rows = &mut self.rows[3 * from..3 * (from + count)];
            let normals = || rows.iter().step_by(3).filter(|row| row.mass > 0.0);
            let inverse = normals().map(|row| 1.0 / row.mass).sum::<f64>();
            let mass = normals().count() as f64 / inverse;
            let impulses = normals().map(|row| match row.kind {
                Kind::Normal { before, .. } => before,
                Kind::Tangent { .. } | Kind::Closure | Kind::Other => 0.0,
            });
            let shared = Shared {
                mass,
                impulse: impulses.fold(0.0, f64::max),
                is_shared,
            };
            let contacts = &self.contacts[from..from + count];
            for (row, contact) in rows.iter_mut().step_by(3).zip(contacts) {
                row.set_normal_compliance(&shared, contact.share, self.contact_rate, dt);
            }
            from += count;
        }
    }

    /// Adds the displacements of a step to the gaps of the contacts, m.
    pub(super) fn advance_gaps(&self, gaps: &mut [f64], velocities: &[f64], dt: f64) {
        for (gap, row) in gaps.iter_mut().zip(self.rows.iter().step_by(3)) {
            *gap += row.speed(&self.jacobians, velocities) * dt;
        }
    }

    /// Stores the impulses of the joints' rows in the members.
    pub(super) fn store_joint_impulses(&self, members: &mut [Member<'_>]) {
        let constraints = members
            .iter_mut()
            .flat_map(|member| &mut member.integrator.rows);
        for (condition, row) in constraints.zip(&self.rows[self.joints..]) {
            condition.impulse = row.impulse;
        }
    }

    /// Returns the normal velocity of an active contact, m/s.
    pub(super) fn separation_of(&self, contact: usize, velocities: &[f64]) -> Option<f64> {
        let row = &self.rows[3 * contact];
        (row.impulse > 0.0).then(|| row.speed(&self.jacobians, velocities))
    }

    /// Returns the impulse of a contact on its second side, world axes, N·s.
    pub(super) fn impulse_of(&self, contact: usize) -> Vector3<f64> {
        let rows = self.rows[3 * contact..].iter();
        let axes = self.contacts[contact].axes;
        rows.zip(axes).map(|(row, axis)| axis * row.impulse).sum()
    }
}

/// Returns the unit translation along an axis.
fn along(axis: Vector3<f64>) -> Motion {
    Motion {
        angular: Vector3::zeros(),
        linear: axis,
    }
}

/// Returns the unit rotation about an axis.
fn about(axis: Vector3<f64>) -> Motion {
    Motion {
        angular: axis,
        linear: Vector3::zeros(),
    }
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
mod primal_tests;
