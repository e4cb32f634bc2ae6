//! Conditions on the speeds of an island, and the impulses that keep them.
mod direct;
mod row;
mod sweeps;

use nalgebra::Vector3;

use super::{Contact, FreeBody, Member, Side, Weld};
use crate::{spatial::Motion, state::vector};
use direct::Direct;
use row::{Block, Kind, Row};

/// Part of what a weld is off that it comes back in a step.
const RETURN: f64 = 0.2;

/// Depth in which bodies touch, m: where they are just apart, or just not, nobody can tell the normal of a round one well.
const TOUCHING: f64 = 1e-4;

/// Greatest turn of a normal in a step that is that of a curved surface, rad.
const FARTHEST_TURN: f64 = 0.2;

/// Speed from which bodies bounce, m/s.
const BOUNCE: f64 = 0.1;

/// All conditions of an island: three rows for each contact (normal, then two tangents), six for each weld, one for each
/// limit and dry friction of a joint.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    rows: Vec<Row>,
    /// Of `J`, by block.
    jacobians: Vec<f64>,
    /// Of `M⁻¹Jᵀ`, by block.
    responses: Vec<f64>,
    /// Motion of a point for each speed of a tree.
    columns: Vec<Motion>,
    contacts: Vec<Touch>,
    direct: Direct,
    /// Natural frequency of contacts, radians a step.
    contact_rate: f64,
    /// Place of the first row of a joint.
    joints: usize,
}

/// A contact, as the sweeps need it.
#[derive(Clone, Copy, Debug)]
struct Touch {
    /// Normal and two tangents.
    axes: [Vector3<f64>; 3],
    friction: f64,
    /// Speed with which the two part, m/s.
    bounce: f64,
}

impl Rows {
    /// Begins anew; contacts have a natural frequency of so many radians a step.
    pub(super) fn clear(&mut self, contact_rate: f64) {
        self.contact_rate = contact_rate;
        self.rows.clear();
        self.jacobians.clear();
        self.contacts.clear();
        self.joints = 0;
    }

    /// Contacts and welds are complete.
    pub(super) fn close(&mut self) {
        self.joints = self.rows.len();
    }

    /// Adds the rows of a contact, with the way that is left there, how much earlier that is looked at than it was
    /// found, and the length of the step, s.
    pub(super) fn touch(
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
            self.point(&contact.sides, point, axes.map(along), system);
        } else {
            let [normal, across @ ..] = axes.map(along);
            self.point(&contact.sides, point, [normal], system);
            self.point(&contact.friction_sides, point, across, system);
        }
        let speed = self.speed_before(first, members, bodies);
        *gap += early * speed;
        let distance = *gap + TOUCHING;
        // What goes on an arc meets the normal in the middle of the step as fast as it parts from it: the chord is level there. No
        // more than the turn since the step before is taken for that.
        let turned = self.turned(first, speed, contact, members, bodies);
        let parting = (-speed).clamp((-turned).min(0.0), (-turned).max(0.0));
        // What has gone in since the beginning of the step comes out at once.
        let entered = if parting == 0.0 {
            (-distance).min(-speed * dt / 2.0).max(0.0)
        } else {
            (parting - speed) * dt / 2.0
        };
        for (at, row) in self.rows[first..].iter_mut().enumerate() {
            row.impulse = axes[at].dot(&contact.impulse);
            if at == 0 {
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
                row.relaxed = wanted[at];
            }
        }
        let meeting = turned - speed;
        self.contacts.push(Touch {
            axes,
            friction: contact.friction,
            bounce: if meeting > BOUNCE {
                contact.restitution * meeting
            } else {
                0.0
            },
        });
    }

    /// Adds the rows of a weld.
    pub(super) fn hold(
        &mut self,
        weld: &Weld,
        members: &[Member<'_>],
        bodies: &[FreeBody],
        starts: &[usize],
        dt: f64,
    ) {
        let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
        let first = self.rows.len();
        let system = (members, bodies, starts);
        self.point(&weld.sides, &weld.point, axes.map(along), system);
        self.point(&weld.sides, &weld.point, axes.map(about), system);
        let errors = weld.error.linear.iter().chain(&weld.error.angular);
        let rows = self.rows[first..].iter_mut().zip(weld.holds);
        for ((row, _), error) in rows.zip(errors).filter(|((_, holds), _)| *holds) {
            row.target = -error * RETURN / dt;
            row.bounds = [f64::NEG_INFINITY, f64::INFINITY];
        }
    }

    /// Adds rows for the motion of the second side relative to the first at a point, one for each direction.
    fn point<const COUNT: usize>(
        &mut self,
        sides: &[Side; 2],
        point: &Vector3<f64>,
        directions: [Motion; COUNT],
        (members, bodies, starts): (&[Member<'_>], &[FreeBody], &[usize]),
    ) {
        let first = self.rows.len();
        self.rows.extend([Row::default(); COUNT]);
        for (side, sign) in sides.iter().zip([-1.0, 1.0]) {
            match *side {
                Side::Given(velocity) => {
                    for (row, direction) in self.rows[first..].iter_mut().zip(&directions) {
                        row.offset += sign * direction.linear.dot(&velocity);
                    }
                }
                Side::Link { member, link } => {
                    let Some(of) = members.get(member) else {
                        continue;
                    };
                    let target = of.place.rotation.tr_mul(&(point - of.place.position));
                    self.columns.resize(of.tree.speed_count(), Motion::ZERO);
                    let work = &of.mover.work;
                    work.jacobian_at(of.tree, link, &target, &mut self.columns);
                    let carried = of.base.velocity;
                    for (at, direction) in directions.iter().enumerate() {
                        let turn = |axis| of.place.rotation.tr_mul(axis) * sign;
                        let (along, about) = (turn(&direction.linear), turn(&direction.angular));
                        let number = |motion: &Motion| {
                            along.dot(&motion.linear) + about.dot(&motion.angular)
                        };
                        self.rows[first + at].offset +=
                            along.dot(&carried.at(&target)) + about.dot(&carried.angular);
                        let numbers = self.columns.iter().map(number);
                        let row = &mut self.rows[first + at];
                        row.add((member, starts[member]), numbers, &mut self.jacobians);
                    }
                }
                Side::Body(place) => {
                    let Some(body) = bodies.get(place) else {
                        continue;
                    };
                    let who = members.len() + place;
                    for (at, direction) in directions.iter().enumerate() {
                        let along = direction.linear;
                        let angular = (point - body.center).cross(&along) + direction.angular;
                        let [one, two] = [along * sign, angular * sign];
                        let numbers = [one.x, one.y, one.z, two.x, two.y, two.z];
                        let row = &mut self.rows[first + at];
                        row.add((who, starts[who]), numbers.into_iter(), &mut self.jacobians);
                    }
                }
            }
        }
    }

    /// Change of the speed with which a contact parts since the step before, m/s, for the same speeds of all: by the turn of what
    /// touches. None where it is more than a turn gives.
    fn turned(
        &self,
        first: usize,
        speed: f64,
        contact: &Contact,
        members: &[Member<'_>],
        bodies: &[FreeBody],
    ) -> f64 {
        let Some(parted) = contact.parted else {
            return 0.0;
        };
        let turned = speed - parted;
        let mut fastest: f64 = 0.0;
        for side in 0..2 {
            let rows = self.rows[first..first + 3].iter();
            let along = rows.map(|row| self.block_before(&row.blocks[side], members, bodies));
            fastest = fastest.max(along.map(|speed| speed * speed).sum());
        }
        if turned * turned > FARTHEST_TURN * FARTHEST_TURN * fastest {
            return 0.0;
        }
        turned
    }

    /// The speed of a row before the step.
    fn speed_before(&self, row: usize, members: &[Member<'_>], bodies: &[FreeBody]) -> f64 {
        let row = &self.rows[row];
        let blocks = row.blocks.iter();
        let speeds = blocks.map(|block| self.block_before(block, members, bodies));
        row.offset + speeds.sum::<f64>()
    }

    /// Part of the speed of a row before the step that one member or body has.
    fn block_before(&self, block: &Block, members: &[Member<'_>], bodies: &[FreeBody]) -> f64 {
        let numbers = self.jacobians[block.at..block.at + block.count].iter();
        if let Some(member) = members.get(block.who) {
            numbers.zip(&member.state.speeds).map(|(a, b)| a * b).sum()
        } else if let Some(body) = bodies.get(block.who - members.len()) {
            let own = body.before.linear.iter().chain(&body.before.angular);
            numbers.zip(own).map(|(a, b)| a * b).sum()
        } else {
            0.0
        }
    }

    /// Adds the rows of limits and dry frictions, in place of those there were.
    pub(super) fn of_joints(&mut self, members: &[Member<'_>], starts: &[usize]) {
        if let Some(row) = self.rows.get(self.joints) {
            self.jacobians.truncate(row.blocks[0].at);
            self.rows.truncate(self.joints);
        }
        for (who, member) in members.iter().enumerate() {
            let count = member.tree.speed_count();
            for condition in &member.mover.rows {
                let mut row = Row {
                    target: condition.target,
                    relaxed: condition.target,
                    bounds: condition.bounds,
                    ..Row::default()
                };
                let numbers = (0..count).map(|at| f64::from(u8::from(at == condition.speed)));
                row.add((who, starts[who]), numbers, &mut self.jacobians);
                self.rows.push(row);
            }
        }
    }

    /// Finds what an impulse of each row does.
    pub(super) fn respond(&mut self, members: &[Member<'_>], bodies: &[FreeBody], dt: f64) {
        self.responses.clone_from(&self.jacobians);
        self.direct.forget(self.rows.len());
        let is_shared = self.contacts.len() > 1;
        for row in &mut self.rows {
            let mut weight = 0.0;
            for block in row.blocks.iter().filter(|block| block.count > 0) {
                let place = block.at..block.at + block.count;
                let response = &mut self.responses[place.clone()];
                if let Some(member) = members.get(block.who) {
                    member.mover.work.matrix.solve(response);
                } else if let Some(body) = bodies.get(block.who - members.len()) {
                    let angular = body.inverse_inertia * vector(&response[3..]);
                    for (part, inverse) in response[..3].iter_mut().zip(&body.inverse_mass) {
                        *part *= inverse;
                    }
                    response[3..].copy_from_slice(angular.as_slice());
                }
                let numbers = self.jacobians[place].iter().zip(&*response);
                weight += numbers.map(|(one, other)| one * other).sum::<f64>();
            }
            row.mass = if weight > f64::MIN_POSITIVE {
                1.0 / weight
            } else {
                0.0
            };
            match row.kind {
                Kind::Normal {
                    distance,
                    entered,
                    before,
                    parting,
                } => {
                    let numbers = [distance, entered, before, parting];
                    row.press(numbers, is_shared, self.contact_rate, dt);
                }
                Kind::Tangent { before } => row.lag(before),
                Kind::Other => {}
            }
        }
    }

    /// Adds the ways that the speeds make in a time to the gaps of the contacts, m.
    pub(super) fn add_ways(&self, gaps: &mut [f64], speeds: &[f64], dt: f64) {
        for (gap, row) in gaps.iter_mut().zip(self.rows.iter().step_by(3)) {
            *gap += row.speed(&self.jacobians, speeds) * dt;
        }
    }

    /// Tells the members the impulses of their joints.
    pub(super) fn tell_joints(&self, members: &mut [Member<'_>]) {
        let conditions = members.iter_mut().flat_map(|member| &mut member.mover.rows);
        for (condition, row) in conditions.zip(&self.rows[self.joints..]) {
            condition.impulse = row.impulse;
        }
    }

    /// Speed with which a contact parts, if it presses, m/s.
    pub(super) fn parting_of(&self, contact: usize, speeds: &[f64]) -> Option<f64> {
        let row = &self.rows[3 * contact];
        (row.impulse > 0.0).then(|| row.speed(&self.jacobians, speeds))
    }

    /// The impulse of a contact on its second side, world axes, N·s.
    pub(super) fn impulse_of(&self, contact: usize) -> Vector3<f64> {
        let rows = self.rows[3 * contact..].iter();
        let axes = self.contacts[contact].axes;
        rows.zip(axes).map(|(row, axis)| axis * row.impulse).sum()
    }
}

/// The direction of a translation along an axis.
fn along(axis: Vector3<f64>) -> Motion {
    Motion {
        angular: Vector3::zeros(),
        linear: axis,
    }
}

/// The direction of a rotation about an axis.
fn about(axis: Vector3<f64>) -> Motion {
    Motion {
        angular: axis,
        linear: Vector3::zeros(),
    }
}

/// Three axes, the first of which is given; the same ones for the same axis.
fn axes(normal: &Vector3<f64>) -> [Vector3<f64>; 3] {
    let other = if normal.x.abs() < 0.7 {
        Vector3::x()
    } else {
        Vector3::y()
    };
    let across = normal.cross(&other).normalize();
    [*normal, across, normal.cross(&across)]
}
