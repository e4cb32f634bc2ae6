//! Steps that are made in substeps, since something turns far in them.
use nalgebra::Vector3;

use super::{Contact, FreeBody, Island, Member, Weld};
use crate::{spatial::Motion, step::MAX_TURN};

/// Rotation of a joint in a substep, rad, and change of it by this substep, above which the substep is halved: what meets
/// something, or stretches as a whip does, may turn many times as fast as before.
const FAR: [f64; 2] = [1.5 * MAX_TURN, 0.5 * MAX_TURN];

/// Rotation of a joint in a step or substep, rad, and change of it by this step, above which the mean velocities are found in two
/// rounds: only in substeps that turn further than was expected.
const BENT: [f64; 2] = [MAX_TURN, 0.05 * MAX_TURN];

/// Maximum number of substeps that a step is halved into.
const MAX_HALVED: u32 = 64;

impl Island {
    /// Makes a step of `dt` seconds in substeps, with the contacts of its middle. They are equal until one has to be halved, with
    /// all after it.
    pub(super) fn step_in_substeps(
        &mut self,
        members: &mut [Member<'_>],
        bodies: &mut [FreeBody],
        contacts: &mut [Contact],
        welds: &mut [Weld],
        (dt, mut count): (f64, u32),
    ) {
        let mut substep = dt / f64::from(count);
        self.divide(bodies, contacts, [dt, f64::from(count)]);
        // The contacts belong to the middle of an interval of this length from the beginning of a substep on.
        let (mut length, mut left) = (dt, count);
        while left > 0 {
            for member in &mut *members {
                let (tree, base) = (member.tree, &member.base);
                member
                    .integrator
                    .predict(tree, base, member.state, substep / 2.0);
            }
            for (weld, anchors) in welds.iter_mut().zip(&self.anchors) {
                anchors.apply(weld, members, bodies, substep);
            }
            self.solve(members, bodies, contacts, welds, [length, substep]);
            length = substep;
            if 2 * count <= MAX_HALVED && self.turns_far(members, substep) {
                (count, left, substep) = (2 * count, 2 * left, substep / 2.0);
                self.halve(bodies, contacts, substep);
                continue;
            }
            self.finish_solution(members, bodies, contacts, welds, [length, substep]);
            self.finish(members, bodies, contacts, welds, substep);
            for (sum, contact) in self.impulses.iter_mut().zip(&*contacts) {
                *sum += contact.impulse;
            }
            left -= 1;
            if left > 0 {
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

    /// Divides what belongs to a step of `dt` seconds among its substeps.
    fn divide(
        &mut self,
        bodies: &mut [FreeBody],
        contacts: &mut [Contact],
        [dt, substeps]: [f64; 2],
    ) {
        let substep = dt / substeps;
        for body in &mut *bodies {
            // Velocity change per substep.
            body.linear = body.before.linear + (body.linear - body.before.linear) / substeps;
            body.angular = body.before.angular + (body.angular - body.before.angular) / substeps;
            // From the middle of the step to that of the first substep.
            body.center -= body.before.linear * ((dt - substep) / 2.0);
        }
        // The warm-start impulses are distributed evenly; the results are summed.
        for contact in &mut *contacts {
            contact.impulse /= substeps;
        }
        self.impulses.clear();
        self.impulses.resize(contacts.len(), Vector3::zeros());
        self.gained.clear();
        self.gained.extend(bodies.iter().map(FreeBody::gained));
    }

    /// Returns true if a joint turns too far in a substep of `dt` seconds that has been solved.
    fn turns_far(&self, members: &[Member<'_>], dt: f64) -> bool {
        let mut pairs = members.iter().zip(&self.starts);
        pairs.any(|(member, start)| {
            let mut turns = self.turns_of(member, *start, dt);
            turns.any(|[turn, change]| turn > FAR[0] || change > FAR[1])
        })
    }

    /// Returns true if a joint turns fast and gets much faster or slower in a step of `dt` seconds, except those that motors
    /// control: the mean velocities of one round, at which forces are evaluated, are not near enough to the means that follow
    /// from these forces.
    pub(super) fn bends(&self, members: &[Member<'_>], dt: f64) -> bool {
        let pairs = members.iter().zip(&self.starts);
        let mut free = pairs.filter(|(member, _)| !member.integrator.is_controlled(member.tree));
        free.any(|(member, start)| {
            let mut turns = self.turns_of(member, *start, dt);
            turns.any(|[turn, change]| turn > BENT[0] && change > BENT[1])
        })
    }

    /// Returns the rotation of each joint in `dt` seconds at the velocities after a step, rad, and the change of it by this step.
    fn turns_of<'a>(
        &'a self,
        member: &'a Member<'_>,
        start: usize,
        dt: f64,
    ) -> impl Iterator<Item = [f64; 2]> + 'a {
        member.tree.turns.iter().map(move |&speed| {
            let after = self.velocities[start + speed];
            let change = after - member.state.velocities[speed];
            [after, change].map(|speed| speed.abs() * dt)
        })
    }

    /// Halves what belongs to a substep, which has now a length of `dt` seconds.
    fn halve(&mut self, bodies: &mut [FreeBody], contacts: &mut [Contact], dt: f64) {
        for (body, gained) in bodies.iter_mut().zip(&mut self.gained) {
            *gained = *gained * 0.5;
            body.linear = body.before.linear + gained.linear;
            body.angular = body.before.angular + gained.angular;
            body.center -= body.before.linear * (dt / 2.0);
        }
        for contact in contacts {
            contact.impulse /= 2.0;
        }
    }
}
