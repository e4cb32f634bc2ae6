//! Bounces: Newton's restitution along the normals, with the friction of the whole impulse.
//!
//! Newton's law with Coulomb friction may add energy to bodies that tumble while they slide (Kane 1984). A bounce is
//! therefore limited: of the solutions between the one without a bounce and the whole one, it is the greatest with which the
//! contacts add no energy. That includes the contacts that do not bounce: one that held a body which parts from it before the
//! step would hand the velocity of the bounce on to it.
use super::Rows;

/// Energy that counts as zero, relative to the energy that passes through the contacts.
const ROUNDING: f64 = 1e-9;

impl Rows {
    /// Returns true if bodies meet in a contact fast enough for a bounce.
    pub(in crate::island) fn may_bounce(&self) -> bool {
        self.contacts.iter().any(|touch| touch.bounce > 0.0)
    }

    /// Solves with the separation velocities of bouncing contacts; `before` are the velocities before the step, and `kept` those
    /// after it without a bounce. Returns true if a contact bounces.
    pub(in crate::island) fn bounce(
        &mut self,
        velocities: &mut [f64],
        [before, kept]: [&[f64]; 2],
    ) -> bool {
        let mut bounces = false;
        for (rows, touch) in self.rows.chunks_exact_mut(3).zip(&self.contacts) {
            if touch.bounce > 0.0 && rows[0].impulse > 0.0 {
                rows[0].relaxed = touch.bounce;
                bounces = true;
            }
        }
        if !bounces {
            return false;
        }
        self.without_bounce.clear();
        self.without_bounce
            .extend(self.rows.iter().map(|row| row.impulse));
        self.relax_further(velocities);
        let fraction = self.lossless_fraction(velocities, [before, kept]);
        if fraction < 1.0 {
            for (velocity, kept) in velocities.iter_mut().zip(kept) {
                *velocity = kept + fraction * (*velocity - kept);
            }
            for (row, kept) in self.rows.iter_mut().zip(&self.without_bounce) {
                row.impulse = kept + fraction * (row.impulse - kept);
            }
        }
        true
    }

    /// Returns the greatest fraction of a bounce, from 0 to 1, with which the contacts add no energy. The energy that a contact
    /// adds is its impulse times the mean of its velocities before and after; friction without a bounce adds none.
    fn lossless_fraction(&self, velocities: &[f64], [start, kept]: [&[f64]; 2]) -> f64 {
        // Energy with the fraction s: c + b s + a s².
        let [mut a, mut b, mut c, mut passed] = [0.0; 4];
        let rows = self
            .rows
            .chunks_exact(3)
            .zip(self.without_bounce.chunks_exact(3));
        for ((rows, impulses), touch) in rows.zip(&self.contacts) {
            let (known, count) = if touch.bounce > 0.0 {
                (touch.before, 3)
            } else {
                ([rows[0].speed(&self.jacobians, start), 0.0, 0.0], 1)
            };
            let rows = rows.iter().zip(impulses).zip(known);
            for ((row, plain), before) in rows.take(count) {
                let more = row.impulse - plain;
                let without = row.speed(&self.jacobians, kept);
                let change = row.speed(&self.jacobians, velocities) - without;
                let mean = (before + without) / 2.0;
                a += more * change / 2.0;
                b += plain * change / 2.0 + more * mean;
                c += plain * mean;
                passed += (row.impulse * before).abs();
            }
        }
        if a + b + c <= ROUNDING * passed {
            return 1.0;
        }
        if c >= 0.0 || a <= 0.0 {
            return 0.0;
        }
        // The positive root, in the form without cancellation.
        let root = libm::sqrt((b * b - 4.0 * a * c).max(0.0));
        let fraction = if b > 0.0 {
            -2.0 * c / (b + root)
        } else {
            (root - b) / (2.0 * a)
        };
        fraction.clamp(0.0, 1.0)
    }
}
