//! Steps in which something is hit.
use super::{Contact, FreeBody, Island, Member};
use crate::step::substep_count;

impl Island {
    /// Returns the number of substeps of a step that has been solved, given that for the velocities before it. What turns much
    /// faster after the step has met something: then it needs as many as the velocities after it. Otherwise it would turn
    /// far in the half of the step after the impact, with the inertia of the middle of the step, and gain energy.
    pub(super) fn after_impact(
        &self,
        members: &[Member<'_>],
        contacts: &[Contact],
        before: u32,
        dt: f64,
    ) -> u32 {
        if contacts.is_empty() {
            return before;
        }
        let members = members.iter().zip(&self.starts);
        let counts = members
            .map(|(member, start)| substep_count(member.tree, &self.velocities[*start..], dt));
        let after = counts.max().unwrap_or(1);
        if after > 2 * before { after } else { before }
    }

    /// Adds the bounces to the velocities at the end of a step or a substep. Returns true if there are any.
    pub(super) fn bounce(&mut self, members: &[Member<'_>], bodies: &[FreeBody]) -> bool {
        if !self.rows.may_bounce() {
            return false;
        }
        self.find_before(members, bodies);
        let known = [&self.before[..], &self.kept];
        self.rows.bounce(&mut self.velocities, known)
    }
}
