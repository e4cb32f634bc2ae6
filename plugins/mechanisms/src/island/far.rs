//! Contacts with gaps that do not close in a step: they are left out of it.
//!
//! The engine predicts contacts within two centimetres, so that boxes that stand side by side on a tray have more gaps than
//! contacts. Rows of gaps that stay open change nothing, and take most of the time. If all contacts of two bodies are gaps
//! that their velocities before the step do not close, they are left out. The velocities after the step decide whether that
//! was right: if one of the gaps closes, the step is solved again with all contacts. A gap closes if its row would act: beyond
//! the slop.
use nalgebra::Vector3;

use super::{Contact, FreeBody, Island, Member, Motion, Side, motion, rows::CONTACT_SLOP};

/// Depth of contacts that always belong to a step, and the least gap beyond it and twice the approach of its sides before the
/// step that does not close, m.
const DEEP: f64 = CONTACT_SLOP / 2.0;

/// Two free bodies whose contacts are gaps that stay open unless their velocities change much in a step: only how near they may
/// come is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// Indices of the bodies.
    pub bodies: [usize; 2],
    /// Direction from the first to the second one, world axes.
    pub normal: Vector3<f64>,
    /// Least distance of their surfaces in the middle of the step along the normal, m.
    pub distance: f64,
    /// Greatest distance of a contact from the centre of mass of either body, m.
    pub extents: [f64; 2],
}

impl Gap {
    /// Returns true if the gap stays open in a step of `dt` seconds in which the bodies move as before it. The velocities are those
    /// of the centres of mass.
    #[must_use]
    pub fn stays_open(&self, before: [Motion; 2], dt: f64) -> bool {
        self.distance + DEEP > 2.0 * dt * self.approach(before)
    }

    /// Returns the greatest velocity with which contacts of the bodies may approach each other, m/s.
    fn approach(&self, [one, two]: [Motion; 2]) -> f64 {
        let turning = one.angular.norm() * self.extents[0] + two.angular.norm() * self.extents[1];
        (one.linear - two.linear).dot(&self.normal) + turning
    }
}

/// Members, free bodies, and the indices of their first velocities.
type System<'a> = (&'a [Member<'a>], &'a [FreeBody], &'a [usize]);

impl Island {
    /// Chooses all contacts to be solved.
    pub(super) fn choose_all(&mut self, contacts: &[Contact]) {
        self.near.clear();
        self.near.extend(0..contacts.len());
    }

    /// Chooses the contacts to be solved in a step of `dt` seconds: those of two bodies of which one may touch.
    pub(super) fn choose_near(
        &mut self,
        members: &[Member<'_>],
        bodies: &[FreeBody],
        contacts: &[Contact],
        dt: f64,
    ) {
        let before = &mut self.kept;
        before.clear();
        before.extend(members.iter().flat_map(|of| &of.state.velocities));
        for body in bodies {
            before.extend(body.before.linear.iter().chain(&body.before.angular));
        }
        let system = (members, bodies, &self.starts[..]);
        self.near.clear();
        let mut first = 0;
        for of_pair in contacts.chunk_by(have_same_sides) {
            let end = first + of_pair.len();
            if !stays_open(of_pair, &self.kept, system, dt) {
                self.near.extend(first..end);
            }
            first = end;
        }
    }

    /// Returns true if the step may close a gap without contacts, given the number of members.
    pub(super) fn may_close(&self, gaps: &[Gap], members: usize, dt: f64) -> bool {
        let closes = |gap: &Gap, velocities: &[f64]| {
            let of = gap
                .bodies
                .map(|body| motion(velocities, self.starts[members + body]));
            gap.approach(of) * dt > gap.distance + CONTACT_SLOP
        };
        let all = [&self.moving, &self.kept, &self.velocities];
        let closes = |gap: &Gap| all.iter().any(|velocities| closes(gap, velocities));
        gaps.iter().any(closes)
    }

    /// Returns true if one of the gaps that were left out closes in the step.
    pub(super) fn closes_gap(
        &self,
        members: &[Member<'_>],
        bodies: &[FreeBody],
        contacts: &[Contact],
        dt: f64,
    ) -> bool {
        let system = (members, bodies, &self.starts[..]);
        let [mut first, mut near] = [0; 2];
        contacts.chunk_by(have_same_sides).any(|of_pair| {
            let own = first..first + of_pair.len();
            first = own.end;
            if self.near.get(near) == Some(&own.start) {
                near += own.len();
                return false;
            }
            [&self.moving, &self.velocities].iter().any(|velocities| {
                let pair = Pair::of(&of_pair[0], velocities, system);
                let closes = |contact: &Contact| {
                    pair.approach(contact) * dt > contact.distance + CONTACT_SLOP
                };
                of_pair.iter().any(closes)
            })
        })
    }
}

fn have_same_sides(one: &Contact, other: &Contact) -> bool {
    let mut pairs = one.sides.iter().zip(&other.sides);
    pairs.all(|(one, other)| match (*one, *other) {
        (Side::Prescribed(_), Side::Prescribed(_)) => true,
        (Side::Body(one), Side::Body(other)) => one == other,
        (
            Side::Link { member, link },
            Side::Link {
                member: other,
                link: other_link,
            },
        ) => (member, link) == (other, other_link),
        _ => false,
    })
}

/// Returns true if all contacts of two bodies are gaps that velocities before a step do not close.
fn stays_open(of_pair: &[Contact], velocities: &[f64], system: System<'_>, dt: f64) -> bool {
    let is_gap = |contact: &Contact| {
        contact.impulse == Vector3::zeros()
            && contact.separation_velocity.is_none()
            && contact.distance > -DEEP
    };
    // Most contacts touch: their velocities need not be known.
    if !of_pair.iter().all(is_gap) {
        return false;
    }
    let pair = Pair::of(&of_pair[0], velocities, system);
    of_pair
        .iter()
        .all(|contact| contact.distance + DEEP > 2.0 * dt * pair.approach(contact))
}

/// Motion of the first of two bodies relative to the second one.
struct Pair {
    /// A point of the world, and the relative motion there. Sides with prescribed motion count as at rest.
    point: Vector3<f64>,
    motion: Motion,
}

impl Pair {
    /// Returns the relative motion of the sides of a contact.
    fn of(contact: &Contact, velocities: &[f64], system: System<'_>) -> Self {
        let [one, two] = contact
            .sides
            .map(|side| motion_at(side, &contact.point, velocities, system));
        Self {
            point: contact.point,
            motion: one - two,
        }
    }

    /// Returns the velocity with which the sides of one of their contacts approach each other, m/s.
    fn approach(&self, contact: &Contact) -> f64 {
        let mut relative = self.motion.at(&(contact.point - self.point));
        for (side, sign) in contact.sides.iter().zip([1.0, -1.0]) {
            if let Side::Prescribed(velocity) = side {
                relative += velocity * sign;
            }
        }
        relative.dot(&contact.normal)
    }
}

/// Returns the motion of a side, with the velocity at a point of the world, m/s.
fn motion_at(
    side: Side,
    point: &Vector3<f64>,
    velocities: &[f64],
    (members, bodies, starts): System<'_>,
) -> Motion {
    match side {
        Side::Prescribed(_) => Motion::ZERO,
        Side::Link { member, link } => members.get(member).map_or(Motion::ZERO, |of| {
            let target = of.pose.rotation.tr_mul(&(point - of.pose.position));
            let own = &velocities[starts[member]..];
            let base = &of.base.velocity;
            let (mut linear, mut angular) = (base.at(&target), base.angular);
            let work = &of.integrator.workspace;
            work.columns_at(of.tree, link, &target, |speed, column| {
                linear += column.linear * own[speed];
                angular += column.angular * own[speed];
            });
            Motion {
                angular: of.pose.rotation * angular,
                linear: of.pose.rotation * linear,
            }
        }),
        Side::Body(index) => bodies.get(index).map_or(Motion::ZERO, |body| {
            let own = motion(velocities, starts[members.len() + index]);
            Motion {
                angular: own.angular,
                linear: own.at(&(point - body.center)),
            }
        }),
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Matrix3;

    use super::*;
    use crate::spatial::Motion;

    const DT: f64 = 1.0 / 240.0;
    const GAP: f64 = 5e-3;

    /// Balls in a row along x: too many for a dense system.
    fn balls() -> Vec<FreeBody> {
        let ball = |index: u32| FreeBody {
            inverse_mass: Vector3::repeat(1.0),
            inverse_inertia: Matrix3::identity() * 250.0,
            center: Vector3::new(f64::from(index) * (0.2 + GAP), 0.0, 0.0),
            before: Motion::ZERO,
            linear: Vector3::zeros(),
            angular: Vector3::zeros(),
            moving: Motion::ZERO,
        };
        (0..8).map(ball).collect()
    }

    /// Gaps between neighbours.
    fn gaps(bodies: &[FreeBody]) -> Vec<Contact> {
        let contact = |index: usize| {
            let sides = [Side::Body(index), Side::Body(index + 1)];
            Contact {
                sides,
                friction_sides: sides,
                point: (bodies[index].center + bodies[index + 1].center) / 2.0,
                normal: Vector3::x(),
                separation_velocity: None,
                slip: None,
                distance: GAP,
                friction: 0.5,
                restitution: 0.0,
                tangent_velocity: Vector3::zeros(),
                share: 1.0,
                impulse: Vector3::zeros(),
            }
        };
        (0..bodies.len() - 1).map(contact).collect()
    }

    /// Makes a step in which a ball moves at this speed, before which it had another one. Returns the number of contacts that
    /// were solved at last, and the speeds of this ball and of the next one.
    fn step([before, speed]: [f64; 2]) -> (usize, [f64; 2]) {
        let mut bodies = balls();
        bodies[3].before.linear.x = before;
        bodies[3].linear.x = speed;
        let mut contacts = gaps(&bodies);
        let mut island = Island::default();
        island.step(&mut [], &mut bodies, &mut contacts, &mut [], DT);
        let speeds = [bodies[3].linear.x, bodies[4].linear.x];
        (island.near.len(), speeds)
    }

    #[test]
    fn gaps_that_stay_open_are_left_out() {
        assert_eq!(step([0.0, 0.0]).0, 0);
        let (count, [own, next]) = step([0.4, 0.4]);
        assert_eq!(count, 0);
        assert_eq!([own, next], [0.4, 0.0], "it does not reach the next ball");
    }

    #[test]
    fn bodies_side_by_side_are_carried_together() {
        let mut bodies = balls();
        for body in &mut bodies {
            body.linear = Vector3::new(20.0, 3.0, -1.0);
            body.before.linear = body.linear;
        }
        let mut contacts = gaps(&bodies);
        for (index, contact) in contacts.iter_mut().enumerate() {
            contact.distance = if index == 2 { -9e-5 } else { -1e-5 };
        }
        let mut island = Island::default();
        island.step(&mut [], &mut bodies, &mut contacts, &mut [], DT);
        assert_eq!(island.near, [2], "the one at the end of the slop is solved");
        assert!(bodies.iter().all(|body| body.linear.x == 20.0));
    }

    #[test]
    fn a_bounce_that_closes_a_gap_is_noticed() {
        let mut bodies = balls();
        bodies[3].before.linear.x = 2.0;
        bodies[3].linear.x = 2.0;
        let mut contacts = gaps(&bodies);
        contacts[3].distance = 0.0;
        contacts[3].restitution = 1.0;
        // Without a bounce, the ball between them moves by 4 mm.
        contacts[4].distance = 6e-3;
        let mut island = Island::default();
        island.step(&mut [], &mut bodies, &mut contacts, &mut [], DT);
        assert_eq!(island.near.len(), 7, "the step is solved again");
        let [own, next] = [4, 5].map(|index: usize| bodies[index].linear.x);
        assert!(next > 0.1 && own - next < 1.6, "{own} {next}");
    }

    #[test]
    fn a_gap_that_a_body_closes_is_solved() {
        let (count, [own, next]) = step([3.0, 3.0]);
        assert_eq!(count, 1);
        assert!(next > 0.1 && own - next < 1.3, "{own} {next}");
    }

    #[test]
    fn a_gap_that_a_force_closes_is_noticed_afterwards() {
        let (count, speeds) = step([0.0, 3.0]);
        assert_eq!(count, 7, "the step is solved again");
        let (_, expected) = step([3.0, 3.0]);
        assert_eq!(
            speeds.map(|speed| (speed * 1e9).round()),
            expected.map(|speed| (speed * 1e9).round())
        );
    }

    /// Makes a step in which a ball moves at this speed, before which it had another one, with a gap instead of the contact of balls
    /// 3 and 4. Returns false if the step was not made, and the speeds of these.
    fn step_beside_gap(
        contacts: impl FnOnce(&mut Vec<Contact>),
        (ball, [before, speed]): (usize, [f64; 2]),
    ) -> (bool, [f64; 2]) {
        let mut bodies = balls();
        bodies[ball].before.linear.x = before;
        bodies[ball].linear.x = speed;
        let mut known = gaps(&bodies);
        contacts(&mut known);
        let left_out = known.remove(3);
        let gap = Gap {
            bodies: [3, 4],
            normal: left_out.normal,
            distance: left_out.distance,
            extents: [0.1; 2],
        };
        let motions = [&bodies[3], &bodies[4]].map(|body| body.before);
        assert!(gap.stays_open(motions, DT), "as far as is known before");
        let (members, welds) = (&mut [][..], &mut [][..]);
        let of = (members, &mut bodies[..], &mut known[..], welds);
        let is_made = Island::default().step_beside(of, &[gap], DT);
        (is_made, [3, 4].map(|index: usize| bodies[index].linear.x))
    }

    #[test]
    fn a_step_beside_a_gap_is_one_without_it() {
        let (is_made, speeds) = step_beside_gap(|_| (), (3, [0.4, 0.4]));
        assert!(is_made);
        assert_eq!(speeds, step([0.4, 0.4]).1);
    }

    #[test]
    fn a_step_that_closes_a_gap_is_not_made() {
        let (is_made, speeds) = step_beside_gap(|_| (), (3, [0.0, 3.0]));
        assert!(!is_made);
        assert_eq!(speeds, [3.0, 0.0], "nothing has changed");
        // The ball before them hits the first one.
        let bounces = |contacts: &mut Vec<Contact>| {
            contacts[2].distance = 0.0;
            contacts[2].restitution = 1.0;
        };
        let (is_made, _) = step_beside_gap(bounces, (2, [2.0, 2.0]));
        assert!(!is_made, "the bounce closes it");
    }

    #[test]
    fn rotation_may_close_a_gap() {
        let gap = Gap {
            bodies: [0, 1],
            normal: Vector3::x(),
            distance: GAP,
            extents: [0.1, 0.2],
        };
        let turning = |speed: f64| Motion {
            angular: Vector3::z() * speed,
            linear: Vector3::y(),
        };
        let most = (GAP + DEEP) / (2.0 * DT);
        let stays_open = |motions| gap.stays_open(motions, DT);
        assert!(stays_open([turning(9.9 * most), Motion::ZERO]));
        assert!(!stays_open([turning(10.1 * most), Motion::ZERO]));
        assert!(!stays_open([turning(4.0 * most), turning(-3.1 * most)]));
    }
}
