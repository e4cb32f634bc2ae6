//! Corrections of penetrations, which move the positions and leave the velocities as they are.
//!
//! Contacts may push one body in opposite directions, as an arm that begins inside of a post. The impulses of such a
//! correction hold each other and say nothing about loads: relaxations that began with them would keep them, and as the
//! stiffness of a contact follows its load, they would grow from step to step. A correction may also need any velocity if its
//! lever is short.
use super::{
    Rows,
    row::{ConstraintRow, Kind, MAX_CONTACT_DEPTH, MAX_DEPENETRATION_VELOCITY},
};

/// Velocity of a correction above which it may exceed those of the bodies, m/s.
const FAST_CORRECTION: f64 = 0.1;

/// Maximum change of a position by a correction in a step, rad or m.
const MAX_CORRECTION: f64 = 0.1;

impl Rows {
    /// Returns true if a correction may be faster than the bodies, or if something resists it, given the velocities with it.
    pub(in crate::island) fn has_own_impulses(&self, moving: &[f64]) -> bool {
        let mut pushed = self.normals().filter(|row| row.impulse > 0.0);
        pushed.any(|row| row.target - row.relaxed > FAST_CORRECTION || self.is_held(row, moving))
    }

    /// Returns true if a contact is deeper than loads press it, and stays so: its correction meets a limit of a joint, or another
    /// contact.
    fn is_held(&self, row: &ConstraintRow, moving: &[f64]) -> bool {
        let Kind::Normal { distance, .. } = row.kind else {
            return false;
        };
        distance < -MAX_CONTACT_DEPTH
            && 2.0 * row.speed(&self.jacobians, moving) < row.target + row.relaxed
    }

    /// Solves for the velocities that are kept, and slows the correction down if necessary: `moving` are the velocities with
    /// it.
    pub(in crate::island) fn keep(
        &mut self,
        velocities: &mut [f64],
        moving: &mut [f64],
        kept: &mut Vec<f64>,
        dt: f64,
    ) {
        let is_fast = self.has_own_impulses(moving);
        let is_squeezed = is_fast && self.are_squeezed(moving);
        if is_fast || (self.is_damped && self.slides_along_a_line()) {
            self.discard_correction(velocities);
        }
        self.relax(velocities);
        kept.clear();
        kept.extend_from_slice(velocities);
        // What is held pulls back from afar as fast as it has to.
        if !self.contacts.is_empty() {
            self.limit_correction(moving, kept, is_squeezed, dt);
        }
    }

    fn normals(&self) -> impl Iterator<Item = &ConstraintRow> {
        self.rows.iter().step_by(3).take(self.contacts.len())
    }

    /// Returns true if nothing moves a contact along one of its tangents. In the plane that is left, friction can resist a correction
    /// that acts by a short lever, and damped steps make it give way: such impulses hold each other as well.
    fn slides_along_a_line(&self) -> bool {
        let mut touching = self.rows.as_chunks::<3>().0.iter().zip(&self.contacts);
        touching.any(|([normal, one, two], _)| {
            normal.impulse > 0.0 && (one.mass == 0.0) != (two.mass == 0.0)
        })
    }

    /// Returns true if a contact is pushed apart much more slowly than it should be, whatever its load.
    fn are_squeezed(&self, moving: &[f64]) -> bool {
        let mut pushed = self.normals().filter(|row| row.impulse > 0.0);
        pushed.any(|row| {
            let lacks = row.target - row.speed(&self.jacobians, moving);
            row.target > 0.0 && lacks > MAX_DEPENETRATION_VELOCITY / 2.0
        })
    }

    /// Resets the impulses to those of the last step, which are loads: also those of limits that held against the correction.
    fn discard_correction(&mut self, velocities: &mut [f64]) {
        for row in &mut self.rows {
            row.set(row.kind.impulse_before(), &self.responses, velocities);
        }
    }

    /// Slows a correction down until it turns nothing too far; of bodies that are squeezed, until no contact moves faster by
    /// it than penetrations are corrected.
    fn limit_correction(&self, moving: &mut [f64], kept: &[f64], is_squeezed: bool, dt: f64) {
        let pairs = moving.iter().zip(kept);
        let greatest = pairs.fold(0.0, |most: f64, (moving, kept)| {
            most.max((moving - kept).abs())
        });
        let mut fraction = (MAX_CORRECTION / (greatest * dt)).min(1.0);
        if is_squeezed {
            let speeds = self.normals().map(|row| {
                let speed = |velocities| row.speed(&self.jacobians, velocities);
                (speed(moving) - speed(kept)).abs()
            });
            let fastest = speeds.fold(MAX_DEPENETRATION_VELOCITY, f64::max);
            fraction = fraction.min(MAX_DEPENETRATION_VELOCITY / fastest);
        }
        if fraction < 1.0 {
            for (moving, kept) in moving.iter_mut().zip(kept) {
                *moving = kept + fraction * (*moving - kept);
            }
        }
    }
}
