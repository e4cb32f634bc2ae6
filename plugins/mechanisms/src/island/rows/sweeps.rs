//! Projected Gauss–Seidel over all rows, with Newton steps in between.
use super::{
    ContactData, Rows, newton::MAX_ROWS, row::ConstraintRow, sliding::project_onto_friction_cone,
};
use crate::lanes;

/// Maximum number of sweeps, and change of velocity below which the rows have converged, rad/s or m/s.
const MAX_SWEEPS: usize = 100;
pub(super) const TOLERANCE: f64 = 1e-10;

/// Maximum number of sweeps and Newton steps before those of given friction limits, for few and for many velocities: steps
/// for few of them are cheap.
const MAX_UNDAMPED: [usize; 2] = [48, 12];

/// Number of sweeps before the first Newton step; doubled after each rejected one.
const FIRST_NEWTON_STEP: usize = 1;

/// Number of Newton steps without progress after which the last one with progress is restored: the sets of sticking and
/// sliding contacts may change in a few of them.
const MAX_ATTEMPTS: usize = 3;

/// Fraction of the compliance of a row without correction of positions.
const RELAXED_COMPLIANCE: f64 = 0.1;

/// Maximum number of relaxations, and the change of target below which they end, m/s or rad/s. More rows than are solved for
/// their impulses end them at the tolerance of the sweeps: rounding leaves changes of that size.
const MAX_RELAXATIONS: usize = 6;
const RELAXATION_TOLERANCE: f64 = 1e-13;

/// Change of target in the last relaxation from which on loads have not settled, m/s or rad/s.
const SETTLED: f64 = 1e-8;

impl Rows {
    /// Applies the warm-start impulses.
    pub(in crate::island) fn apply_warm_start(&self, velocities: &mut [f64]) {
        for row in self.rows.iter().filter(|row| row.mass > 0.0) {
            row.act(&self.responses, row.impulse, velocities);
        }
    }

    /// Resets the impulses to those of the last step.
    pub(in crate::island) fn restart(&mut self) {
        for row in &mut self.rows {
            row.impulse = row.kind.impulse_before();
        }
    }

    /// Solves all rows. `is_near` is true if the impulses are close to the solution. Returns the number of sweeps and Newton
    /// steps.
    ///
    /// If the rows do not converge soon, friction has given limits from there on, until the rows are cleared: see
    /// [`damped`](super::primal::damped).
    pub(in crate::island) fn sweep(&mut self, velocities: &mut [f64], is_near: bool) -> usize {
        let mut count = 0;
        if !self.is_damped {
            self.start.save(&self.rows, velocities);
            let [few, many] = MAX_UNDAMPED;
            let most = if self.dense.stride() > 0 { few } else { many };
            let (steps, has_converged) = self.solve(velocities, is_near, most);
            if has_converged {
                return steps;
            }
            count += steps;
            self.start.restore(&mut self.rows, velocities);
        }
        let Some(steps) = self.solve_damped(velocities, false) else {
            return count + self.solve(velocities, is_near, MAX_SWEEPS).0;
        };
        self.is_damped = true;
        count + steps
    }

    fn solve_damped(&mut self, velocities: &mut [f64], is_relaxed: bool) -> Option<usize> {
        let numbers = [&self.jacobians[..], &self.responses[..]];
        let (rows, contacts) = (&mut self.rows, &self.contacts);
        let solver = &mut self.newton.primal;
        solver.solve_damped(rows, contacts, numbers, velocities, is_relaxed)
    }

    /// Solves all rows with Coulomb friction. Returns the number of sweeps and Newton steps, and whether they have converged.
    fn solve(&mut self, velocities: &mut [f64], is_near: bool, most: usize) -> (usize, bool) {
        match self.dense.stride() {
            8 => self.solve_densely::<8>(velocities, most),
            16 => self.solve_densely::<16>(velocities, most),
            24 => self.solve_densely::<24>(velocities, most),
            32 => self.solve_densely::<32>(velocities, most),
            _ => self.sweep_until_converged(velocities, is_near, most),
        }
    }

    /// Makes Newton steps for all velocities until the rows converge, with sweeps in between if they do not.
    fn solve_densely<const S: usize>(
        &mut self,
        velocities: &mut [f64],
        most: usize,
    ) -> (usize, bool) {
        let Self {
            rows,
            jacobians,
            responses,
            contacts,
            dense,
            ..
        } = self;
        let numbers = [&jacobians[..], &responses[..]];
        let (mut count, mut sweeps) = (0, 1);
        while count < most {
            let (steps, has_converged) = dense.solve::<S>(rows, contacts, numbers, velocities);
            count += steps;
            if has_converged {
                return (count, true);
            }
            for _ in 0..sweeps {
                count += 1;
                if sweep(rows, contacts, numbers, velocities) < TOLERANCE {
                    return (count, true);
                }
            }
            sweeps *= 2;
        }
        (count, false)
    }

    /// Sweeps over all rows until they converge. `is_near` is true if the impulses are close to the solution: then a Newton
    /// step comes first. Returns the number of sweeps, and whether the rows have converged.
    fn sweep_until_converged(
        &mut self,
        velocities: &mut [f64],
        is_near: bool,
        most: usize,
    ) -> (usize, bool) {
        let Self {
            rows,
            jacobians,
            responses,
            contacts,
            newton,
            ..
        } = self;
        let numbers = [&jacobians[..], &responses[..]];
        let mut next = FIRST_NEWTON_STEP;
        let mut count = 0;
        if is_near {
            newton.newton_step(rows, contacts, numbers, velocities);
            count += 1;
        }
        while count < most {
            count += 1;
            let mut change = sweep(rows, contacts, numbers, velocities);
            if change < TOLERANCE {
                return (count, true);
            }
            if count < next {
                continue;
            }
            newton.checkpoint.save(rows, velocities);
            let mut attempts = 0;
            while attempts < MAX_ATTEMPTS && newton.newton_step(rows, contacts, numbers, velocities)
            {
                count += 1;
                let after = sweep(rows, contacts, numbers, velocities);
                if after < TOLERANCE {
                    return (count, true);
                }
                attempts += 1;
                if after < change {
                    (change, attempts) = (after, 0);
                    newton.checkpoint.save(rows, velocities);
                }
            }
            if attempts > 0 {
                newton.checkpoint.restore(rows, velocities);
            }
            next = 2 * count;
        }
        (count, false)
    }

    /// Solves for the velocities that are kept: without correction of positions.
    pub(super) fn relax(&mut self, velocities: &mut [f64]) {
        self.relax_compliances();
        self.relax_further(velocities);
    }

    /// Reduces the compliances of all rows for relaxations.
    pub(super) fn relax_compliances(&mut self) {
        for row in &mut self.rows {
            row.reduce_compliance(RELAXED_COMPLIANCE);
        }
        self.newton.forget_factors();
        self.dense.forget_factors();
    }

    pub(super) fn relax_further(&mut self, velocities: &mut [f64]) {
        // The present impulses act without compliance, and changes of them with it, so that loads stay shared uniquely. That
        // is repeated until the changes vanish.
        let mut before = f64::INFINITY;
        self.has_settled = false;
        if self.is_damped {
            self.solve_damped(velocities, true);
            return;
        }
        let least = if self.dense.stride() == 0 && self.rows.len() > MAX_ROWS {
            TOLERANCE
        } else {
            RELAXATION_TOLERANCE
        };
        for _ in 0..MAX_RELAXATIONS {
            let mut change: f64 = 0.0;
            for row in &mut self.rows {
                let target = row.relaxed + row.compliance * row.impulse;
                change = change.max((target - row.target).abs());
                row.target = target;
            }
            self.has_settled = change < SETTLED;
            // On bodies that slide on many points, loads may circulate without convergence.
            if change < least || change > before / 2.0 {
                break;
            }
            before = change;
            self.sweep(velocities, true);
            if self.is_damped {
                self.solve_damped(velocities, true);
                return;
            }
        }
    }
}

/// Makes one PGS sweep. Returns the greatest change of a row's velocity.
#[cfg_attr(
    not(target_arch = "x86_64"),
    expect(unused_unsafe, reason = "no function for AVX on these processors")
)]
fn sweep(
    rows: &mut [ConstraintRow],
    contacts: &[ContactData],
    numbers: [&[f64]; 2],
    velocities: &mut [f64],
) -> f64 {
    if lanes::is_supported() {
        #[expect(unsafe_code, reason = "a function for AVX")]
        // SAFETY: AVX is supported.
        unsafe {
            sweep_by_avx(rows, contacts, numbers, velocities)
        }
    } else {
        sweep_plainly(rows, contacts, numbers, velocities)
    }
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx"))]
fn sweep_by_avx(
    rows: &mut [ConstraintRow],
    contacts: &[ContactData],
    numbers: [&[f64]; 2],
    velocities: &mut [f64],
) -> f64 {
    sweep_plainly(rows, contacts, numbers, velocities)
}

#[inline(always)]
fn sweep_plainly(
    rows: &mut [ConstraintRow],
    contacts: &[ContactData],
    [jacobians, responses]: [&[f64]; 2],
    velocities: &mut [f64],
) -> f64 {
    let (touching, others) = rows.split_at_mut(3 * contacts.len());
    let mut change: f64 = 0.0;
    for (rows, touch) in touching.chunks_exact_mut(3).zip(contacts) {
        let [normal, across @ ..] = rows else {
            continue;
        };
        change = change.max(normal.project(jacobians, responses, velocities));
        let most = touch.friction * normal.impulse;
        if most == 0.0 && across.iter().all(|row| row.impulse == 0.0) {
            continue;
        }
        change = change.max(project_onto_friction_cone(
            across, most, jacobians, responses, velocities,
        ));
    }
    for row in others {
        change = change.max(row.project(jacobians, responses, velocities));
    }
    change
}

#[cfg(test)]
mod tests {
    use super::{super::primal_tests::row_of_bodies_in, *};

    /// The processor of this test may have AVX.
    #[test]
    fn sweeps_are_the_same_on_all_processors() {
        let [own, plain] = [false, true].map(|is_plain| {
            let (mut rows, mut velocities) = row_of_bodies_in(Rows::default(), 8, false);
            let numbers = [&rows.jacobians[..], &rows.responses[..]];
            for _ in 0..3 {
                let of = (&mut rows.rows, &rows.contacts, numbers, &mut velocities);
                let change = if is_plain {
                    sweep_plainly(of.0, of.1, of.2, of.3)
                } else {
                    sweep(of.0, of.1, of.2, of.3)
                };
                assert!(change > 0.0);
            }
            velocities
        });
        assert_eq!(own, plain);
    }
}
