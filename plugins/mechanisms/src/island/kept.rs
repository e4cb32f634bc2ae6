//! Velocities that are kept after a step, without correction of positions.
use super::{FreeBody, Island, Member};

impl Island {
    /// Solves for the velocities without correction of positions.
    pub(super) fn keep(&mut self, members: &[Member<'_>], bodies: &[FreeBody], dt: f64) {
        self.moving.clone_from(&self.velocities);
        self.rows
            .keep(&mut self.velocities, &mut self.moving, &mut self.kept, dt);
        if self.rows.may_add_energy() {
            self.find_before(members, bodies);
            self.rows.limit_energy(&mut self.velocities, &self.before);
            self.kept.clone_from(&self.velocities);
        }
    }

    /// Collects the velocities before a step or a substep.
    pub(super) fn find_before(&mut self, members: &[Member<'_>], bodies: &[FreeBody]) {
        self.before.clear();
        for member in members {
            self.before.extend(&member.state.velocities);
        }
        for FreeBody { before, .. } in bodies {
            self.before
                .extend(before.linear.iter().chain(&before.angular));
        }
    }
}
