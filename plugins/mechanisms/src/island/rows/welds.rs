//! Rows of welds: bilateral constraints on the relative velocity of two points.
use nalgebra::Vector3;

use super::{Rows, row::Kind};
use crate::{
    island::{FreeBody, Member, Weld},
    spatial::{Force, Motion},
};

/// Baumgarte factor of welds: the fraction of the position error that is corrected per step.
const BAUMGARTE: f64 = 0.2;

/// Fraction of the deviation from the circular arc of the last step that is reversed in a step, instead of stopped. At 1 a weld
/// does no work, and never forgets a disturbance.
const SYMMETRY: f64 = 0.8;

/// Maximum velocity of the correction of a closure, m/s and rad/s.
const MAX_CLOSING_VELOCITY: f64 = 2.0;

/// Compliance of a closure relative to its greatest response.
const CLOSURE_REGULARISATION: f64 = 1e-6;

/// Response of a row of a weld, relative to that along the other axes, below which it is a rounding error.
const IMMOVABLE: f64 = 1e-12;

impl Rows {
    /// Adds the rows of a weld.
    pub(in crate::island) fn add_weld(
        &mut self,
        weld: &Weld,
        members: &[Member<'_>],
        bodies: &[FreeBody],
        starts: &[usize],
        dt: f64,
    ) {
        let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
        let first = self.rows.len();
        let system = (members, bodies, starts);
        self.add_point_rows::<3, false>(&weld.sides, &weld.point, axes, system);
        self.add_point_rows::<3, true>(&weld.sides, &weld.point, axes, system);
        for (row, turning) in self.rows[first + 3..].iter_mut().zip(&weld.turning) {
            row.offset += turning;
        }
        for axis in (0..6).filter(|axis| weld.holds[*axis]) {
            let mut error = component(&weld.error, axis);
            let mut relaxed = 0.0;
            if let Some(velocity) = &weld.velocity {
                // Change of the relative velocity since the last step by rotation of the sides. On a circular arc it is
                // distributed evenly about the middle of the step, where the extrapolated position is beyond the arc.
                let before = self.speed_before(first + axis, members, bodies);
                let turned = before - component(velocity, axis);
                let deviation = component(velocity, axis) + turned / 2.0;
                relaxed = -turned / 2.0 - SYMMETRY * deviation;
                // Locked axes have no position from which they deviate.
                if error != 0.0 {
                    error -= turned * dt / 8.0;
                }
            }
            let row = &mut self.rows[first + axis];
            row.relaxed = relaxed;
            let back = -error * BAUMGARTE / dt;
            row.target = relaxed + back;
            if weld.velocity.is_some() {
                row.kind = Kind::Closure;
                row.target = relaxed + back.clamp(-MAX_CLOSING_VELOCITY, MAX_CLOSING_VELOCITY);
            }
            row.bounds = [f64::NEG_INFINITY, f64::INFINITY];
        }
    }

    /// Leaves out the rows of welds along which the sides do not move relative to each other, as across the plane of a planar
    /// linkage: their responses are rounding errors. Makes the other rows of closures slightly compliant, so that linkages that
    /// are stretched out, or held twice, are neither accelerated without limit nor undetermined.
    pub(super) fn regularise_welds(&mut self) {
        let first = 3 * self.contacts.len();
        for rows in self.rows[first..self.joints].chunks_exact_mut(3) {
            let masses = rows.iter().filter(|row| row.mass > 0.0);
            let least = masses.map(|row| row.mass).fold(f64::INFINITY, f64::min);
            for row in rows {
                if row.mass * IMMOVABLE > least {
                    row.mass = 0.0;
                } else if matches!(row.kind, Kind::Closure) && row.mass > 0.0 {
                    row.compliance = CLOSURE_REGULARISATION / least;
                    row.mass = 1.0 / (1.0 / row.mass + row.compliance);
                }
            }
        }
    }

    /// Returns the relative velocity of the sides of a weld at its point, world axes, m/s and rad/s.
    pub(in crate::island) fn weld_velocity_of(&self, weld: usize, velocities: &[f64]) -> Motion {
        let first = 3 * self.contacts.len() + 6 * weld;
        let speed = |axis: usize| self.rows[first + axis].speed(&self.jacobians, velocities);
        Motion {
            linear: Vector3::new(speed(0), speed(1), speed(2)),
            angular: Vector3::new(speed(3), speed(4), speed(5)),
        }
    }

    /// Returns the impulse of a weld on its second side about its point, world axes, N·s and N·m·s.
    pub(in crate::island) fn weld_impulse_of(&self, weld: usize) -> Force {
        let first = 3 * self.contacts.len() + 6 * weld;
        let impulse = |axis: usize| self.rows[first + axis].impulse;
        Force {
            force: Vector3::new(impulse(0), impulse(1), impulse(2)),
            moment: Vector3::new(impulse(3), impulse(4), impulse(5)),
        }
    }
}

/// Returns a coordinate of a motion: the first three are linear, the others angular.
fn component(motion: &Motion, axis: usize) -> f64 {
    if axis < 3 {
        motion.linear[axis]
    } else {
        motion.angular[axis - 3]
    }
}
