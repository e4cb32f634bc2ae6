//! Contacts that would add energy.
//!
//! Contacts may move apart in a relaxation. Surfaces that rotate do: their approach velocity before a step becomes a separation
//! velocity after it. And if friction along a short lever wedges two bodies, as links that overlap near their joints, impulses
//! are large, and the relaxations end before their changes vanish. Such contacts might add any amount of energy. Then they
//! are solved again as inelastic contacts that give way to their impulses, which add none.
use super::{Rows, row::Kind};

/// Energy that counts as zero, relative to the energy that passes through the contacts; to that of their impulses alone, since
/// piles at rest have no other; and to their impulses, m/s.
const ROUNDING: [f64; 3] = [1e-4, 1e-3, 1e-9];

/// Energy that counts as zero, relative to that of all impulses together: impulses that wedge two bodies hold each other, and the
/// energy of each of them alone may be a thousand times that of the bodies.
const TOGETHER: f64 = 3e-2;

impl Rows {
    /// Returns true if contacts move apart, or if their impulses are still changing.
    pub(in crate::island) fn may_add_energy(&self) -> bool {
        let mut normals = self.rows.iter().step_by(3).zip(&self.contacts);
        normals.any(|(row, touch)| {
            let opens = matches!(row.kind, Kind::Normal { parting, .. } if parting > 0.0);
            row.impulse > 0.0 && !touch.is_driven && (opens || !self.has_settled)
        })
    }

    /// Solves for inelastic contacts if contacts add energy with the kept velocities, given the velocities before the step.
    pub(in crate::island) fn limit_energy(&mut self, velocities: &mut [f64], before: &[f64]) {
        if !self.add_energy([before, velocities]) {
            return;
        }
        for row in self.rows.iter_mut().take(3 * self.contacts.len()) {
            if let Kind::Normal { .. } = row.kind {
                row.relaxed = row.relaxed.min(0.0);
            }
            row.target = row.relaxed;
        }
        self.relax_compliances();
        self.sweep(velocities, true);
    }

    /// Returns true if the contacts that do not drive add energy in a step, given the velocities before and after it. The energy
    /// that a contact adds is its impulse times the mean of its velocities before and after.
    fn add_energy(&mut self, speeds: [&[f64]; 2]) -> bool {
        let [mut added, mut allowed, mut apart] = [0.0; 3];
        let [of_passed, alone, of_impulses] = ROUNDING;
        for (rows, touch) in self.rows.chunks_exact(3).zip(&self.contacts) {
            if rows[0].impulse == 0.0 || touch.is_driven {
                continue;
            }
            for row in rows {
                let [before, after] = speeds.map(|all| row.speed(&self.jacobians, all));
                added += row.impulse * (before + after) / 2.0;
                allowed += (of_passed * before.abs() + of_impulses) * row.impulse.abs();
                if row.mass > 0.0 {
                    apart += row.impulse * row.impulse / row.mass / 2.0;
                }
            }
        }
        if added <= allowed {
            return false;
        }
        let together = self.energy_together(speeds[0].len());
        added > allowed + (alone * apart).min(TOGETHER * together)
    }

    /// Returns the energy of the velocities that the impulses of the contacts that do not drive give together, given the number of
    /// velocities.
    fn energy_together(&mut self, velocities: usize) -> f64 {
        let mut given = std::mem::take(&mut self.given);
        given.clear();
        given.resize(velocities, 0.0);
        let contacts = self.rows.chunks_exact(3).zip(&self.contacts);
        let rows = || {
            let own = contacts.clone().filter(|(_, touch)| !touch.is_driven);
            own.flat_map(|(rows, _)| rows.iter().filter(|row| row.mass > 0.0))
        };
        for row in rows() {
            row.act(&self.responses, row.impulse, &mut given);
        }
        let energies = rows().map(|row| row.impulse * row.change(&self.jacobians, &given) / 2.0);
        let sum = energies.sum();
        self.given = given;
        sum
    }
}
