//! Impulses and velocities to return to.
use super::row::ConstraintRow;

/// Stored impulses of all rows, and velocities of the island.
#[derive(Clone, Debug, Default)]
pub(super) struct Checkpoint {
    impulses: Vec<f64>,
    velocities: Vec<f64>,
}

impl Checkpoint {
    /// Stores impulses and velocities.
    pub(super) fn save(&mut self, rows: &[ConstraintRow], velocities: &[f64]) {
        self.impulses.clear();
        self.impulses.extend(rows.iter().map(|row| row.impulse));
        self.velocities.clear();
        self.velocities.extend_from_slice(velocities);
    }

    /// Restores the stored impulses and velocities.
    pub(super) fn restore(&self, rows: &mut [ConstraintRow], velocities: &mut [f64]) {
        for (row, impulse) in rows.iter_mut().zip(&self.impulses) {
            row.impulse = *impulse;
        }
        velocities.copy_from_slice(&self.velocities);
    }
}
