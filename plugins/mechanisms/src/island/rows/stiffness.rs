//! Responses of the rows, and their compliances.
use std::ops::Range;

use super::{
    Rows,
    row::{Block, Kind, Shared},
};
use crate::{
    island::{FreeBody, Member},
    state::vector,
};

/// Least ratio of the velocity that an impulse gives a contact to that which it gives a joint or body, m.
const LEAST_LEVER: f64 = 1e-5;

impl Rows {
    /// Computes the responses `M⁻¹Jᵀ`, effective masses and compliances of all rows.
    pub(in crate::island) fn compute_responses(
        &mut self,
        members: &mut [Member<'_>],
        bodies: &[FreeBody],
        dt: f64,
    ) {
        self.responses.resize(self.jacobians.len(), 0.0);
        if self.stride > 0 {
            let (system, numbers) = (
                (&*members, bodies),
                (&self.jacobians[..], &mut self.responses[..]),
            );
            self.dense
                .compute_responses(self.stride, system, &mut self.rows, numbers);
        } else {
            self.compute_responses_by_block(members, bodies);
        }
        for row in &mut self.rows {
            if let Kind::Tangent { before } = row.kind {
                row.regularise_tangent(before);
            }
        }
        self.release_immovable_normals();
        self.set_normal_compliances(dt);
        self.regularise_welds();
        if self.joints > 0 {
            self.newton.primal.set_masses(members, bodies);
        } else {
            self.newton.primal.clear_masses();
        }
        if self.stride > 0 {
            let joints = self.rows[self.joints..].iter().zip(&self.joint_velocities);
            let joints = joints.map(|(row, (_, velocity))| row.blocks[0].start + velocity);
            let rows = (&self.rows[..], self.contacts.len());
            self.dense
                .prepare(self.stride, (members, bodies), rows, joints);
        } else {
            self.dense.invalidate();
        }
        if self.dense.stride() == 0 {
            self.newton.invalidate(self.rows.len());
        }
    }

    /// Computes the responses and the effective masses of all rows that contain only blocks.
    fn compute_responses_by_block(&mut self, members: &mut [Member<'_>], bodies: &[FreeBody]) {
        self.responses.copy_from_slice(&self.jacobians);
        for side in 0..2 {
            for four in 0..self.rows.len().div_ceil(4) {
                let own = 4 * four..(4 * four + 4).min(self.rows.len());
                if !self.respond_together(own.clone(), side, members) {
                    for row in own {
                        self.respond(row, side, members, bodies);
                    }
                }
            }
        }
        for row in &mut self.rows {
            let mut weight = 0.0;
            for block in row.blocks.iter().filter(|block| block.count > 0) {
                let range = block.offset..block.offset + block.count;
                let response = &self.responses[range.clone()];
                let numbers = self.jacobians[range].iter().zip(response);
                weight += numbers.map(|(one, other)| one * other).sum::<f64>();
            }
            row.set_mass(weight);
        }
    }

    /// Computes the response of a block of a row.
    fn respond(
        &mut self,
        row: usize,
        side: usize,
        members: &mut [Member<'_>],
        bodies: &[FreeBody],
    ) {
        let block = &self.rows[row].blocks[side];
        if block.count == 0 {
            return;
        }
        let response = &mut self.responses[block.offset..block.offset + block.count];
        if let Some(member) = members.get_mut(block.participant) {
            member.integrator.workspace.solve(member.tree, response);
        } else if let Some(body) = bodies.get(block.participant - members.len()) {
            let angular = body.inverse_inertia * vector(&response[3..]);
            for (value, inverse) in response[..3].iter_mut().zip(&body.inverse_mass) {
                *value *= inverse;
            }
            response[3..].copy_from_slice(angular.as_slice());
        }
    }

    /// Computes the responses of four rows that have a member in common, which takes the time of one. Returns false if they
    /// have none.
    fn respond_together(
        &mut self,
        rows: Range<usize>,
        side: usize,
        members: &[Member<'_>],
    ) -> bool {
        let [one, two, three, four] = &self.rows[rows] else {
            return false;
        };
        let blocks = [one, two, three, four].map(|row| &row.blocks[side]);
        let (participant, count) = (blocks[0].participant, blocks[0].count);
        let is_same = |block: &&Block| (block.participant, block.count) == (participant, count);
        let Some(member) = members.get(participant).filter(|member| {
            count > 0
                && blocks.iter().all(is_same)
                && member.integrator.workspace.articulated.is_none()
        }) else {
            return false;
        };
        self.four.clear();
        self.four.extend(
            (0..count).map(|index| blocks.map(|block| self.responses[block.offset + index])),
        );
        member
            .integrator
            .workspace
            .matrix
            .solve_four(&mut self.four);
        for (index, numbers) in self.four.iter().enumerate() {
            for (block, number) in blocks.iter().zip(numbers) {
                self.responses[block.offset + index] = *number;
            }
        }
        true
    }

    /// Removes the impulses of contacts whose normals pass through the axes of all joints that could move them, up to rounding
    /// errors: nothing separates them, and impulses of any size would be applied.
    fn release_immovable_normals(&mut self) {
        for row in self.rows.iter_mut().step_by(3).take(self.contacts.len()) {
            if 1.0 < row.mass * LEAST_LEVER * row.reach(&self.responses)
                && let Kind::Normal { before, .. } = &mut row.kind
            {
                (row.mass, row.impulse, *before) = (0.0, 0.0, 0.0);
            }
        }
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
}
