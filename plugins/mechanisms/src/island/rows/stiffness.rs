//! Responses of the rows, and their compliances.
use super::{
    Rows,
    row::{Kind, Shared},
};
use crate::{
    island::{FreeBody, Member},
    state::vector,
};

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
        for row in &mut self.rows {
            let mut weight = 0.0;
            for block in row.blocks.iter().filter(|block| block.count > 0) {
                let range = block.offset..block.offset + block.count;
                let response = &mut self.responses[range.clone()];
                if let Some(member) = members.get_mut(block.participant) {
                    member.integrator.workspace.solve(member.tree, response);
                } else if let Some(body) = bodies.get(block.participant - members.len()) {
                    let angular = body.inverse_inertia * vector(&response[3..]);
                    for (value, inverse) in response[..3].iter_mut().zip(&body.inverse_mass) {
                        *value *= inverse;
                    }
                    response[3..].copy_from_slice(angular.as_slice());
                }
                let numbers = self.jacobians[range].iter().zip(&*response);
                weight += numbers.map(|(one, other)| one * other).sum::<f64>();
            }
            row.set_mass(weight);
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
