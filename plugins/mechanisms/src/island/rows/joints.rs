//! Rows of joints: limits, dry friction, and wheels that roll without slip.
use super::Rows;
use crate::island::Member;

impl Rows {
    /// Replaces the rows of limits and dry friction. Returns true if they constrain the same velocities as before.
    pub(in crate::island) fn add_joint_rows(
        &mut self,
        members: &[Member<'_>],
        starts: &[usize],
    ) -> bool {
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
            let first = self.home(self.joints).unwrap_or(row.blocks[0].offset);
            self.jacobians.truncate(first);
            self.rows.truncate(self.joints);
        }
        self.joint_velocities.clear();
        for (participant, member) in members.iter().enumerate() {
            let count = member.tree.velocity_count();
            for condition in &member.integrator.rows {
                let home = self.home(self.rows.len());
                self.begin_row();
                if let Some(row) = self.rows.last_mut() {
                    let own = (participant, starts[participant], count);
                    let first = row.block(own, &mut self.jacobians, home);
                    self.jacobians[first + condition.speed] = 1.0;
                }
                self.joint_velocities.push((participant, condition.speed));
            }
        }
    }

    /// Stores the impulses of the joints' rows in the members.
    pub(in crate::island) fn store_joint_impulses(&self, members: &mut [Member<'_>]) {
        let constraints = members
            .iter_mut()
            .flat_map(|member| &mut member.integrator.rows);
        for (condition, row) in constraints.zip(&self.rows[self.joints..]) {
            condition.impulse = row.impulse;
        }
    }
}
