//! Motors whose effort is limited.
use super::{Island, Member};

impl Island {
    /// Finds the motors that exceed their maximum effort, and, if `releases` is true, those that no longer do. Returns true if
    /// the set has changed.
    pub(super) fn saturate(&self, members: &mut [Member<'_>], releases: bool, dt: f64) -> bool {
        self.rows.store_joint_impulses(members);
        let mut is_changed = false;
        for (member, start) in members.iter_mut().zip(&self.starts) {
            let count = member.tree.velocity_count();
            let velocities = &self.velocities[*start..start + count];
            member.integrator.velocities.copy_from_slice(velocities);
            if member.integrator.saturate(member.tree, releases, dt) {
                member.integrator.factor(member.tree, dt);
                is_changed = true;
            }
        }
        is_changed
    }

    /// Finds the motors that exceed their maximum effort only at the velocities that are kept, as in an impact that begins
    /// with a penetration. Returns true if there are any.
    pub(super) fn saturate_kept(&self, members: &mut [Member<'_>], dt: f64) -> bool {
        let mut is_changed = false;
        if self.velocities == self.moving {
            // They are those at which the motors were examined.
            return false;
        }
        for (member, start) in members.iter_mut().zip(&self.starts) {
            let velocities = &self.velocities[*start..start + member.tree.velocity_count()];
            if member.integrator.saturate_more(member.tree, velocities) {
                member.integrator.factor(member.tree, dt);
                is_changed = true;
            }
        }
        is_changed
    }
}
