//! Damped Newton steps for contacts whose friction has given limits.
//!
//! Coulomb friction is not convex, since its limit follows from the load: Newton steps may circulate, and sweeps may even
//! diverge, as for boxes that are wedged between an arm and a wall. With given limits the velocities minimise a convex
//! function, and Newton steps with a line search converge from anywhere (as in Castro et al. 2022, "An Unconstrained Convex
//! Formulation of Compliant Contact", which has cones instead of limits). Rounds of such steps alternate with new limits
//! from the loads, a few times: friction acts against the slip whatever its limit is, so that bodies gain no energy from a
//! limit that is still wrong.
//!
//! Rows that are too stiff for such steps give way a little, relative to their impulses of the last round: when these no
//! longer change, the rows are as stiff as they should be (method of multipliers).
mod laws;

use super::{
    super::{ContactData, dense::MAX_VELOCITIES, row::ConstraintRow},
    Group, VelocitySolver,
    system::BlockSystem,
};
use crate::lanes;
use laws::{contact_impulses, contact_law, row_impulse, row_law};

/// Minimum compliance of a row in a round, relative to the response of the bodies.
const LEAST_COMPLIANCE: f64 = 2e-3;

/// Maximum number of rounds for at most [`MAX_VELOCITIES`], whose steps are cheap, and for more; and of steps in a round.
const MAX_ROUNDS: [usize; 2] = [20, 4];
const MAX_STEPS: usize = 30;

/// Change of velocity between two rounds below which they end, m/s or rad/s.
const ROUND_TOLERANCE: f64 = 1e-6;

/// Residual below which the steps of a round end, m/s or rad/s: a fraction of the change between the last two rounds, within
/// these bounds.
const RESIDUAL_FRACTION: f64 = 0.1;
const RESIDUALS: [f64; 2] = [1e-8, 1e-4];

/// Maximum number of points of a line search, and the fraction of its first slope below which it ends.
const MAX_POINTS: usize = 10;
const FLAT: f64 = 0.1;

/// A row during the steps.
#[derive(Clone, Copy, Debug, Default)]
struct RowState {
    /// Velocity.
    speed: f64,
    /// Impulse that has led to the velocities.
    impulse: f64,
    /// Impulse that the row should have at this velocity.
    law: f64,
    /// Compliance in the rounds; zero for a row that nothing moves.
    compliance: f64,
    /// Velocity without an impulse in this round.
    target: f64,
    /// Greatest change of a velocity, of the row or of a joint or body, per unit of impulse; zero if nothing moves it.
    reach: f64,
    /// Changes of velocity and impulse in an undamped step.
    step: f64,
    change: f64,
}

/// Workspace of the steps.
#[derive(Clone, Debug, Default)]
pub(super) struct DampedSteps {
    rows: Vec<RowState>,
    /// Maximum friction impulse of each contact, N·s.
    limits: Vec<f64>,
    /// True if the rows hold their velocities without correction of positions and without compliance.
    is_relaxed: bool,
}

impl VelocitySolver {
    /// Solves all rows, from any impulses; with `is_relaxed` for their velocities without correction of positions, and
    /// without compliance. Returns the number of steps, or `None`, with nothing changed, if a step is too much work.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(unused_unsafe, reason = "no function for AVX on these processors")
    )]
    pub(in crate::island::rows) fn solve_damped(
        &mut self,
        rows: &mut [ConstraintRow],
        contacts: &[ContactData],
        numbers: [&[f64]; 2],
        velocities: &mut [f64],
        is_relaxed: bool,
    ) -> Option<usize> {
        if lanes::is_supported() {
            #[expect(unsafe_code, reason = "a function for AVX")]
            // SAFETY: AVX is supported.
            unsafe {
                self.solve_damped_by_avx(rows, contacts, numbers, velocities, is_relaxed)
            }
        } else {
            self.solve_damped_plainly(rows, contacts, numbers, velocities, is_relaxed)
        }
    }

    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx"))]
    fn solve_damped_by_avx(
        &mut self,
        rows: &mut [ConstraintRow],
        contacts: &[ContactData],
        numbers: [&[f64]; 2],
        velocities: &mut [f64],
        is_relaxed: bool,
    ) -> Option<usize> {
        self.solve_damped_plainly(rows, contacts, numbers, velocities, is_relaxed)
    }

    #[inline(always)]
    pub(super) fn solve_damped_plainly(
        &mut self,
        rows: &mut [ConstraintRow],
        contacts: &[ContactData],
        numbers: [&[f64]; 2],
        velocities: &mut [f64],
        is_relaxed: bool,
    ) -> Option<usize> {
        let mut damped = std::mem::take(&mut self.damped);
        damped.is_relaxed = is_relaxed;
        damped.begin(rows, contacts, numbers, velocities);
        let [least, most] = RESIDUALS;
        let (mut residual, mut change, mut count) = (f64::INFINITY, f64::INFINITY, 0);
        let rounds = MAX_ROUNDS[usize::from(velocities.len() > MAX_VELOCITIES)];
        let is_read = self.system.begin(rows, contacts.len());
        if is_read {
            self.system.read_all(rows, contacts.len(), numbers[0]);
        }
        'rounds: for _ in 0..rounds {
            let tolerance = (RESIDUAL_FRACTION * change).clamp(least, most);
            for step in 0..=MAX_STEPS {
                residual = damped.linearize(rows, contacts.len(), &mut self.groups);
                if residual < tolerance || step == MAX_STEPS {
                    break;
                }
                if is_read {
                    if !self.system.solve::<true>(&self.groups, contacts.len()) {
                        break 'rounds;
                    }
                    damped.set_steps(contacts.len(), &self.system);
                } else {
                    if !self.assemble(rows, numbers, velocities.len()) || !self.eliminate() {
                        break 'rounds;
                    }
                    self.back_substitute();
                    damped.set_steps_of_rows(rows, numbers[0], &self.right);
                }
                count += 1;
                damped.set_changes(&self.groups);
                let fraction = damped.search(rows, contacts.len());
                damped.advance(fraction);
                if is_read {
                    self.system.advance(fraction, velocities);
                } else {
                    for (velocity, change) in velocities.iter_mut().zip(&self.right) {
                        *velocity += fraction * change;
                    }
                }
            }
            change = damped.next_round(rows, contacts);
            if change < ROUND_TOLERANCE {
                break;
            }
        }
        let is_done = count > 0 || residual < most;
        if is_done {
            damped.finish(rows, numbers[1], velocities, residual < most);
        }
        self.damped = damped;
        is_done.then_some(count)
    }
}

impl DampedSteps {
    fn begin(
        &mut self,
        rows: &[ConstraintRow],
        contacts: &[ContactData],
        [jacobians, responses]: [&[f64]; 2],
        velocities: &[f64],
    ) {
        self.rows.clear();
        self.rows.extend(rows.iter().map(|row| RowState {
            speed: row.speed(jacobians, velocities),
            impulse: row.impulse,
            law: row.impulse,
            compliance: compliance(row),
            reach: row.reach(responses),
            ..RowState::default()
        }));
        self.limits.clear();
        let touching = self.rows.as_chunks_mut::<3>().0.iter_mut();
        for ([normal, one, two], contact) in touching.zip(contacts) {
            self.limits.push(contact.friction * normal.impulse.max(0.0));
            // Friction is opposite to the slip if both tangents are equally compliant.
            let common = one.compliance.max(two.compliance);
            (one.compliance, two.compliance) = (common, common);
        }
        let is_relaxed = self.is_relaxed;
        for (state, row) in self.rows.iter_mut().zip(rows) {
            state.target = state.target_of(row, is_relaxed);
        }
    }

    /// Evaluates and linearises the laws of all rows. Returns the greatest velocity that the impulses lack.
    #[inline(always)]
    fn linearize(
        &mut self,
        rows: &[ConstraintRow],
        contacts: usize,
        groups: &mut Vec<Group>,
    ) -> f64 {
        groups.clear();
        let mut residual: f64 = 0.0;
        let (touching, others) = self.rows.split_at_mut(3 * contacts);
        let touching = touching.as_chunks_mut().0.iter_mut().zip(&self.limits);
        for ((states, limit), first) in touching.zip((0..).step_by(3)) {
            let (laws, gain) = contact_law(states, *limit);
            let mut given = [0.0; 3];
            for (state, (given, law)) in states.iter_mut().zip(given.iter_mut().zip(laws)) {
                (state.law, *given) = (law, law - state.impulse);
            }
            for (given, state) in given.iter().zip(&*states) {
                residual = residual.max(given.abs() * state.reach);
            }
            if given != [0.0; 3] || gain != [[0.0; 3]; 3] {
                groups.push(Group {
                    first,
                    count: 3,
                    given,
                    gain,
                });
            }
        }
        for ((state, row), first) in others
            .iter_mut()
            .zip(&rows[3 * contacts..])
            .zip(3 * contacts..)
        {
            let (law, gain) = row_law(state, row.bounds);
            state.law = law;
            let given = law - state.impulse;
            residual = residual.max(given.abs() * state.reach);
            if given != 0.0 || gain != 0.0 {
                groups.push(Group {
                    first,
                    count: 1,
                    given: [given, 0.0, 0.0],
                    gain: [[gain, 0.0, 0.0], [0.0; 3], [0.0; 3]],
                });
            }
        }
        residual
    }

    /// Sets the changes of the velocities of all rows in an undamped step.
    #[inline(always)]
    fn set_steps(&mut self, contacts: usize, system: &BlockSystem) {
        let (touching, others) = self.rows.split_at_mut(3 * contacts);
        for (law, states) in touching.as_chunks_mut::<3>().0.iter_mut().enumerate() {
            for (state, change) in states.iter_mut().zip(system.changes_of(law)) {
                state.step = change;
            }
        }
        for (law, state) in (contacts..).zip(others) {
            [state.step, ..] = system.changes_of(law);
        }
    }

    /// Sets them from the changes of all velocities.
    fn set_steps_of_rows(&mut self, rows: &[ConstraintRow], jacobians: &[f64], changes: &[f64]) {
        for (state, row) in self.rows.iter_mut().zip(rows) {
            state.step = row.change(jacobians, changes);
        }
    }

    /// Sets the changes of all impulses in an undamped step.
    #[inline(always)]
    fn set_changes(&mut self, groups: &[Group]) {
        for state in &mut self.rows {
            state.change = 0.0;
        }
        for group in groups {
            let own = &mut self.rows[group.first..group.first + group.count];
            let mut steps = [0.0; 3];
            for (step, state) in steps.iter_mut().zip(&*own) {
                *step = state.step;
            }
            for (state, more) in own.iter_mut().zip(group.more(&steps)) {
                state.change = more;
            }
        }
    }

    /// Returns the fraction of the step, at most 1, after which the convex function no longer falls along the step.
    #[inline(always)]
    fn search(&self, rows: &[ConstraintRow], contacts: usize) -> f64 {
        let [mut low, mut high] = [0.0, 1.0];
        let present = self.rows.iter();
        let products = present.map(|state| state.step * (state.impulse - state.law));
        let first = products.sum::<f64>();
        let [mut below, mut above] = [first, self.slope(rows, contacts, high)];
        for _ in 0..MAX_POINTS {
            if above <= FLAT * first.abs() {
                break;
            }
            let margin = 0.1 * (high - low);
            let root = low - below * (high - low) / (above - below);
            let root = root.max(low + margin).min(high - margin);
            let slope = self.slope(rows, contacts, root);
            if slope > 0.0 {
                (high, above) = (root, slope);
            } else {
                (low, below) = (root, slope);
                if -slope <= FLAT * first.abs() {
                    return low;
                }
            }
        }
        high
    }

    /// Returns the slope of the convex function along the step, after this fraction of it.
    #[inline(always)]
    fn slope(&self, rows: &[ConstraintRow], contacts: usize, fraction: f64) -> f64 {
        let product = |state: &RowState, law: f64| {
            state.step * (state.impulse + fraction * state.change - law)
        };
        let (touching, others) = self.rows.split_at(3 * contacts);
        let mut sum = 0.0;
        for (states, limit) in touching.as_chunks().0.iter().zip(&self.limits) {
            let laws = contact_impulses(states, *limit, fraction);
            let products = states.iter().zip(laws);
            sum += products
                .map(|(state, law)| product(state, law))
                .sum::<f64>();
        }
        for (state, row) in others.iter().zip(&rows[3 * contacts..]) {
            sum += product(state, row_impulse(state, row.bounds, fraction));
        }
        sum
    }

    #[inline(always)]
    fn advance(&mut self, fraction: f64) {
        for state in &mut self.rows {
            state.speed += fraction * state.step;
            state.impulse += fraction * state.change;
        }
    }

    /// Begins a round with the limits and impulses of the laws. Returns the greatest change of velocity that they cause.
    fn next_round(&mut self, rows: &[ConstraintRow], contacts: &[ContactData]) -> f64 {
        let mut change: f64 = 0.0;
        let limits = self.limits.iter_mut().zip(contacts);
        for ((limit, contact), first) in limits.zip((0..).step_by(3)) {
            let next = contact.friction * self.rows[first].law;
            for row in rows[first + 1..first + 3]
                .iter()
                .filter(|row| row.mass > 0.0)
            {
                change = change.max((next - *limit).abs() / row.mass);
            }
            *limit = next;
        }
        let is_relaxed = self.is_relaxed;
        for (state, row) in self.rows.iter_mut().zip(rows) {
            let before = state.target;
            state.target = state.target_of(row, is_relaxed);
            change = change.max((state.target - before).abs());
        }
        change
    }

    /// Writes the impulses: those of the laws, or else those that have led to the velocities.
    fn finish(
        &self,
        rows: &mut [ConstraintRow],
        responses: &[f64],
        velocities: &mut [f64],
        has_converged: bool,
    ) {
        for (state, row) in self.rows.iter().zip(rows).filter(|(_, row)| row.mass > 0.0) {
            row.impulse = state.impulse;
            if has_converged {
                row.set(state.law, responses, velocities);
            }
        }
    }
}

impl RowState {
    /// Returns the target of the next round.
    fn target_of(&self, row: &ConstraintRow, is_relaxed: bool) -> f64 {
        if is_relaxed {
            row.relaxed + self.compliance * self.law
        } else {
            row.target + (self.compliance - row.compliance) * self.law
        }
    }

    /// Returns the impulse without bounds after a fraction of the step.
    #[inline(always)]
    fn unbounded(&self, fraction: f64) -> f64 {
        (self.target - self.speed - fraction * self.step) / self.compliance
    }

    /// Returns the impulse of a tangent without a limit: its present one if nothing moves it, as across the plane in which all links
    /// of a chain move.
    #[inline(always)]
    fn wanted(&self, fraction: f64) -> f64 {
        if self.reach > 0.0 {
            self.unbounded(fraction)
        } else {
            self.impulse
        }
    }
}

/// Returns the compliance of a row in the rounds; zero if nothing moves it.
fn compliance(row: &ConstraintRow) -> f64 {
    if row.mass > 0.0 {
        let response = 1.0 / row.mass - row.compliance;
        row.compliance.max(LEAST_COMPLIANCE * response)
    } else {
        0.0
    }
}
