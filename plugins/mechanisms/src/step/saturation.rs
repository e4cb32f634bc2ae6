//! Motors whose effort is limited: in which steps they have their maximum effort.
use super::Integrator;
use crate::tree::Tree;

/// Part of its maximum effort by which a motor may exceed it: solving again for less is not worth the time.
const EXCESS: f64 = 1e-3;

impl Integrator {
    /// Determines the motors that exceed their maximum effort, and, if `releases` is true, those that no longer do, which are
    /// then solved without it. Returns true if the set has changed.
    pub(crate) fn saturate(&mut self, tree: &Tree, releases: bool, dt: f64) -> bool {
        let mut is_changed = false;
        for (index, variable) in tree.variables().iter().enumerate() {
            let most = self.motors[index].max_effort;
            let wanted = self.effort(index, variable, self.velocities[variable.speed]);
            let effort = wanted.clamp(-most, most);
            let saturated = match self.saturated[index] {
                Some(given) if !releases => Some(given),
                // Not saturated in the other direction at once: a stiff motor would overshoot from one to the other.
                Some(given) if given != effort => None,
                _ => (effort != wanted).then_some(effort),
            };
            is_changed |= saturated.is_some() != self.saturated[index].is_some();
            self.saturated[index] = saturated;
            self.efforts[index] = effort;
        }
        self.limit_efforts.fill(0.0);
        for row in self.rows.iter().filter(|row| row.is_limit) {
            self.limit_efforts[row.variable] += row.impulse / dt;
        }
        is_changed
    }

    /// Determines further motors that exceed their maximum effort by more than [`EXCESS`] at these velocities. Returns true
    /// if there are any.
    pub(crate) fn saturate_more(&mut self, tree: &Tree, velocities: &[f64]) -> bool {
        let mut has_more = false;
        for (index, variable) in tree.variables().iter().enumerate() {
            if self.saturated[index].is_some() {
                continue;
            }
            let most = self.motors[index].max_effort;
            let wanted = self.effort(index, variable, velocities[variable.speed]);
            if wanted.abs() > most * (1.0 + EXCESS) {
                self.saturated[index] = Some(most.copysign(wanted));
                has_more = true;
            }
        }
        has_more
    }
}
