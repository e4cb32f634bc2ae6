//! Contacts with gaps that do not close in a step: they are left out of it.
//!
//! The engine predicts contacts within two centimetres, so that boxes that stand side by side on a tray have more gaps than
//! contacts. Rows of gaps that stay open change nothing, and take most of the time. If all contacts of two bodies are gaps
//! that their velocities before the step do not close, they are left out. The velocities after the step decide whether that
//! was right: if one of the gaps closes, the step is solved again with all contacts.
use nalgebra::Vector3;

use super::{Contact, FreeBody, Island, Member, Side, motion, rows::Moving};

/// Gap beyond twice the approach of its sides before the step that does not close, m.
const WIDE: f64 = 1e-3;

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
        let is_far = |contact: &Contact| {
            contact.impulse == Vector3::zeros()
                && contact.separation_velocity.is_none()
                // Most contacts touch: their velocities need not be known.
                && contact.distance > WIDE
                && contact.distance > WIDE + 2.0 * dt * approach(contact, &self.kept, system)
        };
        let sides = |contact: &Contact| contact.sides.map(Moving::of);
        self.near.clear();
        let mut first = 0;
        for of_pair in contacts.chunk_by(|one, other| sides(one) == sides(other)) {
            let end = first + of_pair.len();
            if !of_pair.iter().all(is_far) {
                self.near.extend(first..end);
            }
            first = end;
        }
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
        let mut near = self.near.iter().copied().peekable();
        let mut contacts = contacts.iter().enumerate();
        contacts.any(|(index, contact)| {
            let is_left_out = near.next_if_eq(&index).is_none();
            let closes = |velocities| approach(contact, velocities, system) * dt > contact.distance;
            is_left_out && (closes(&self.moving) || closes(&self.velocities))
        })
    }
}

/// Returns the velocity with which the sides of a contact approach each other, m/s; zero if they part.
fn approach(
    contact: &Contact,
    velocities: &[f64],
    system: (&[Member<'_>], &[FreeBody], &[usize]),
) -> f64 {
    let [one, two] = contact
        .sides
        .map(|side| velocity(side, &contact.point, velocities, system));
    (one - two).dot(&contact.normal).max(0.0)
}

/// Returns the velocity of a side at a point of the world, m/s.
fn velocity(
    side: Side,
    point: &Vector3<f64>,
    velocities: &[f64],
    (members, bodies, starts): (&[Member<'_>], &[FreeBody], &[usize]),
) -> Vector3<f64> {
    match side {
        Side::Prescribed(velocity) => velocity,
        Side::Link { member, link } => members.get(member).map_or_else(Vector3::zeros, |of| {
            let target = of.pose.rotation.tr_mul(&(point - of.pose.position));
            let own = &velocities[starts[member]..];
            let mut sum = of.base.velocity.at(&target);
            let work = &of.integrator.workspace;
            work.columns_at(of.tree, link, &target, |speed, column| {
                sum += column.linear * own[speed];
            });
            of.pose.rotation * sum
        }),
        Side::Body(index) => bodies.get(index).map_or_else(Vector3::zeros, |body| {
            let own = motion(velocities, starts[members.len() + index]);
            own.linear + own.angular.cross(&(point - body.center))
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
                slip: Vector3::zeros(),
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
}
