//! Newton steps on the contact constraints after Alart & Curnier (1991): all active rows are solved at once by Gaussian
//! elimination, O(n³) for n active rows.
//!
//! PGS converges slowly if many rows depend on few velocities, as for three wheels with three contact points each, or a box
//! on its four corners. After a few sweeps the sets of active, sticking and sliding contacts hardly change, and the rest of
//! the problem is nearly linear. A sweep after each Newton step decides whether it is accepted.
//!
//! More rows are solved for the velocities, see [`primal`](super::primal).
use super::{
    ContactData,
    checkpoint::Checkpoint,
    primal::VelocitySolver,
    row::{ConstraintRow, DIAGONAL_REGULARISATION},
    sliding::Sliding,
};

/// Maximum number of rows that are solved for their impulses.
pub(super) const MAX_ROWS: usize = 96;

/// Maximum number of rows for which the coupling matrix is cached.
const MAX_CACHED_ROWS: usize = 2 * MAX_ROWS;

/// Workspace of a Newton step.
#[derive(Clone, Debug, Default)]
pub(super) struct NewtonSolver {
    /// Active rows.
    free: Vec<Free>,
    /// Linear system, row by row, each with its right-hand side at the end.
    matrix: Vec<f64>,
    /// Rows whose symmetric system `matrix` contains, factorised; empty if there is none.
    factored: Vec<usize>,
    couplings: Couplings,
    /// Impulses and velocities before the step.
    pub(super) checkpoint: Checkpoint,
    /// Solver for more rows.
    pub(super) primal: VelocitySolver,
}

/// Coupling matrix `J·M⁻¹·Jᵀ`, row by row; NaN for entries that were not computed yet.
#[derive(Clone, Debug, Default)]
struct Couplings {
    known: Vec<f64>,
    /// Number of rows; zero for more than are cached.
    count: usize,
}

/// An active row.
#[derive(Clone, Copy, Debug)]
struct Free {
    row: usize,
    /// Set for the first tangent of a sliding contact; the second tangent follows it, and the normal precedes it.
    slide: Option<Slide>,
}

/// Friction of a sliding contact.
#[derive(Clone, Copy, Debug)]
struct Slide {
    friction: f64,
    sliding: Sliding,
    /// Residuals of the tangents, N·s.
    lacks: [f64; 2],
}

impl NewtonSolver {
    /// Invalidates the cache, since rows or masses have changed.
    pub(super) fn invalidate(&mut self, rows: usize) {
        self.couplings.invalidate(rows);
        self.forget_factors();
    }

    /// Invalidates the factors, since compliances have changed.
    pub(super) fn forget_factors(&mut self) {
        self.factored.clear();
    }

    /// Makes a Newton step. Returns false if there is nothing to do.
    pub(super) fn newton_step(
        &mut self,
        rows: &mut [ConstraintRow],
        contacts: &[ContactData],
        numbers: [&[f64]; 2],
        velocities: &mut [f64],
    ) -> bool {
        let count = count_active(rows, contacts);
        if count < 2 {
            return false;
        }
        if count > MAX_ROWS {
            return self.primal.newton_step(rows, contacts, numbers, velocities);
        }
        self.select_active(rows, contacts, numbers[0], velocities);
        if !self.solve(rows, numbers, velocities) {
            return false;
        }
        for (index, free) in self.free.iter().enumerate() {
            let more = self.matrix[(index + 1) * (count + 1) - 1];
            let row = &mut rows[free.row];
            row.impulse += more;
            row.act(numbers[1], more, velocities);
        }
        true
    }

    /// Solves the linear system of the active rows. Returns false if it is singular.
    fn solve(&mut self, rows: &[ConstraintRow], numbers: [&[f64]; 2], velocities: &[f64]) -> bool {
        let count = self.free.len();
        // The system is symmetric without sliding friction.
        let slides = self.free.iter().any(|free| free.slide.is_some());
        let indices = || self.free.iter().map(|free| free.row);
        if !slides && indices().eq(self.factored.iter().copied()) {
            self.write_residuals(rows, numbers[0], velocities);
            solve_factored(&mut self.matrix, count);
            return true;
        }
        self.factored.clear();
        self.assemble(rows, numbers, velocities, slides);
        if slides {
            return solve(&mut self.matrix, count);
        }
        let is_solved = solve_symmetric(&mut self.matrix, count);
        if is_solved {
            self.factored.extend(self.free.iter().map(|free| free.row));
        }
        is_solved
    }

    fn select_active(
        &mut self,
        rows: &[ConstraintRow],
        contacts: &[ContactData],
        jacobians: &[f64],
        velocities: &[f64],
    ) {
        self.free.clear();
        let free = |row| Free { row, slide: None };
        for (touch, first) in contacts.iter().zip((0..).step_by(3)) {
            let holds = active_rows(touch, &rows[first..first + 3]);
            if holds > 0 {
                self.free.push(free(first));
            }
            if holds < 3 {
                continue;
            }
            let most = touch.friction * rows[first].impulse;
            let across = [&rows[first + 1], &rows[first + 2]];
            let wanted = across.map(|row| row.unbounded_impulse(jacobians, velocities));
            let sliding = Sliding::new(wanted, across.map(|row| row.mass), most);
            let slide = |sliding: Sliding| Slide {
                friction: touch.friction,
                sliding,
                lacks: [0, 1].map(|tangent| sliding.impulses[tangent] - across[tangent].impulse),
            };
            self.free.push(Free {
                row: first + 1,
                slide: sliding.map(slide),
            });
            self.free.push(free(first + 2));
        }
        for (row_index, row) in rows.iter().enumerate().skip(3 * contacts.len()) {
            if row.is_within_bounds() {
                self.free.push(free(row_index));
            }
        }
    }

    /// Assembles the linear system: coupling matrix and residuals. Without sliding, the lower triangle is omitted.
    fn assemble(
        &mut self,
        rows: &[ConstraintRow],
        numbers: [&[f64]; 2],
        velocities: &[f64],
        slides: bool,
    ) {
        let count = self.free.len();
        let width = count + 1;
        self.matrix.clear();
        self.matrix.resize(count * width, 0.0);
        for (index, free) in self.free.iter().enumerate() {
            let row = &rows[free.row];
            let equation = &mut self.matrix[index * width..][..width];
            equation[index] = (1.0 + DIAGONAL_REGULARISATION) / row.mass;
            let later = equation[index + 1..]
                .iter_mut()
                .zip(&self.free[index + 1..]);
            for (entry, other) in later {
                *entry = self.couplings.of([free.row, other.row], rows, numbers);
            }
        }
        self.write_residuals(rows, numbers[0], velocities);
        if !slides {
            return;
        }
        for index in 1..count {
            for column in 0..index {
                self.matrix[index * width + column] = self.matrix[column * width + index];
            }
        }
        for (index, free) in self.free.iter().enumerate() {
            if let Some(slide) = &free.slide {
                let masses = [0, 1].map(|tangent| rows[free.row + tangent].mass);
                let tangents = &mut self.matrix[index * width..(index + 2) * width];
                slide.linearize_sliding(tangents, index, masses);
            }
        }
    }

    /// Writes the residuals of sticking rows to the ends of the equations.
    fn write_residuals(&mut self, rows: &[ConstraintRow], jacobians: &[f64], velocities: &[f64]) {
        let count = self.free.len();
        let equations = self.matrix.chunks_exact_mut(count + 1);
        for (equation, free) in equations.zip(&self.free) {
            let row = &rows[free.row];
            let given = row.compliance * row.impulse;
            equation[count] = row.target - row.speed(jacobians, velocities) - given;
        }
    }
}

impl Couplings {
    fn invalidate(&mut self, rows: usize) {
        self.count = if rows > MAX_CACHED_ROWS { 0 } else { rows };
        self.known.clear();
        self.known.resize(self.count * self.count, f64::NAN);
    }

    /// Returns an entry of the symmetric coupling matrix, for two rows in ascending order.
    fn of(
        &mut self,
        [one, other]: [usize; 2],
        rows: &[ConstraintRow],
        [jacobians, responses]: [&[f64]; 2],
    ) -> f64 {
        let find = || rows[one].coupling(&rows[other], jacobians, responses);
        let Some(known) = self.known.get_mut(one * self.count + other) else {
            return find();
        };
        if known.is_nan() {
            *known = find();
        }
        *known
    }
}

impl Slide {
    /// Replaces the equations of a sticking contact's tangents by the linearisation of sliding friction. They start at this
    /// index.
    fn linearize_sliding(&self, equations: &mut [f64], index: usize, masses: [f64; 2]) {
        let width = equations.len() / 2;
        let (one, two) = equations.split_at_mut(width);
        (one[index], two[index + 1]) = (0.0, 0.0);
        for (first, second) in one.iter_mut().zip(&mut *two) {
            let changes = [*first * masses[0], *second * masses[1]];
            let bent = self
                .sliding
                .turns
                .map(|turn| turn[0] * changes[0] + turn[1] * changes[1]);
            *first = bent[0] / masses[0];
            *second = bent[1] / masses[1];
        }
        for (tangent, row) in [one, two].into_iter().enumerate() {
            row[index + tangent] += 1.0 / masses[tangent];
            row[index - 1] -= self.friction * self.sliding.along[tangent] / masses[tangent];
            row[width - 1] = self.lacks[tangent] / masses[tangent];
        }
    }
}

/// Returns the number of active rows of a contact.
fn active_rows(touch: &ContactData, rows: &[ConstraintRow]) -> usize {
    let [normal, across @ ..] = rows else {
        return 0;
    };
    let holds = normal.impulse > 0.0 && normal.mass > 0.0;
    if !holds {
        0
    } else if touch.friction * normal.impulse <= 0.0 || across.iter().any(|row| row.mass <= 0.0) {
        1
    } else {
        3
    }
}

/// Returns the number of all active rows.
fn count_active(rows: &[ConstraintRow], contacts: &[ContactData]) -> usize {
    let (touching, others) = rows.split_at(3 * contacts.len());
    let of_contacts = contacts.iter().zip(touching.chunks_exact(3));
    let of_contacts = of_contacts.map(|(touch, rows)| active_rows(touch, rows));
    let others = others.iter().filter(|row| row.is_within_bounds());
    of_contacts.sum::<usize>() + others.count()
}

/// Solves a linear system by Gaussian elimination with partial pivoting; each row has its right-hand side at its end, where
/// the solution is written. Returns false if it is singular.
fn solve(matrix: &mut [f64], count: usize) -> bool {
    let width = count + 1;
    for diagonal in 0..count {
        let size = |row: &usize| matrix[row * width + diagonal].abs();
        let best = (diagonal..count).max_by(|one, other| size(one).total_cmp(&size(other)));
        let best = best.unwrap_or(diagonal);
        let (above, below) = matrix.split_at_mut((diagonal + 1) * width);
        let pivot = &mut above[diagonal * width..];
        if best > diagonal {
            pivot.swap_with_slice(
                &mut below[(best - diagonal - 1) * width..(best - diagonal) * width],
            );
        }
        if pivot[diagonal].abs() <= f64::MIN_POSITIVE || !pivot[diagonal].is_finite() {
            return false;
        }
        let inverse = 1.0 / pivot[diagonal];
        for row in below.chunks_exact_mut(width) {
            let factor = row[diagonal] * inverse;
            if factor != 0.0 {
                let rest = row[diagonal + 1..].iter_mut().zip(&pivot[diagonal + 1..]);
                rest.for_each(|(number, other)| *number -= factor * other);
            }
        }
    }
    back_substitute(matrix, count);
    true
}

/// Solves a symmetric positive definite system: half of the work. The rest of the lower triangle is not read.
fn solve_symmetric(matrix: &mut [f64], count: usize) -> bool {
    let width = count + 1;
    for diagonal in 0..count {
        let (above, below) = matrix.split_at_mut((diagonal + 1) * width);
        let pivot = &above[diagonal * width..];
        if pivot[diagonal] <= f64::MIN_POSITIVE || !pivot[diagonal].is_finite() {
            return false;
        }
        let inverse = 1.0 / pivot[diagonal];
        for (row, column) in below.chunks_exact_mut(width).zip(diagonal + 1..) {
            let factor = pivot[column] * inverse;
            if factor != 0.0 {
                let rest = row[column..].iter_mut().zip(&pivot[column..]);
                rest.for_each(|(number, other)| *number -= factor * other);
            }
        }
    }
    back_substitute(matrix, count);
    true
}

/// Solves a system whose matrix [`solve_symmetric`] has factorised, with other right-hand sides.
fn solve_factored(matrix: &mut [f64], count: usize) {
    let width = count + 1;
    for diagonal in 0..count {
        let (above, below) = matrix.split_at_mut((diagonal + 1) * width);
        let pivot = &above[diagonal * width..];
        let inverse = 1.0 / pivot[diagonal];
        for (row, column) in below.chunks_exact_mut(width).zip(diagonal + 1..) {
            row[count] -= pivot[column] * inverse * pivot[count];
        }
    }
    back_substitute(matrix, count);
}

/// Back substitution in an upper triangular system.
fn back_substitute(matrix: &mut [f64], count: usize) {
    let width = count + 1;
    for diagonal in (0..count).rev() {
        let (above, below) = matrix.split_at_mut((diagonal + 1) * width);
        let row = &mut above[diagonal * width..];
        let known = below.chunks_exact(width).zip(&row[diagonal + 1..count]);
        let sum: f64 = known.map(|(other, number)| other[count] * number).sum();
        row[count] = (row[count] - sum) / row[diagonal];
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

    use super::{super::Rows, *};
    use crate::{
        island::{Contact, FreeBody, Side},
        spatial::Motion,
    };

    #[test]
    fn equations_are_solved() {
        let numbers = [0.0, 2.0, 1.0, 4.0, 1.0, 0.5, 3.0, -1.0, -2.0];
        let right = [1.0, 2.0, 3.0];
        let mut rows: Vec<f64> = Vec::new();
        for (row, right) in numbers.chunks(3).zip(right) {
            rows.extend(row.iter().chain([&right]));
        }
        assert!(solve(&mut rows, 3));
        let expected = DMatrix::from_row_slice(3, 3, &numbers)
            .lu()
            .solve(&DVector::from_row_slice(&right))
            .unwrap();
        for (row, expected) in rows.chunks(4).zip(&expected) {
            assert!((row[3] - expected).abs() < 1e-14, "{rows:?}");
        }
    }

    #[test]
    fn symmetric_equations_are_solved_by_half_of_them() {
        let whole = [4.0, 1.0, 0.5, 1.0, 1.0, 3.0, -1.0, 2.0, 0.5, -1.0, 2.0, 3.0];
        let (mut all, mut half) = (whole, whole);
        (half[4], half[8], half[9]) = (f64::NAN, f64::NAN, f64::NAN);
        assert!(solve(&mut all, 3) && solve_symmetric(&mut half, 3));
        for row in [3, 7, 11] {
            assert!((all[row] - half[row]).abs() < 1e-14, "{all:?}, {half:?}");
        }
    }

    #[test]
    fn factored_equations_are_solved_with_other_right_hand_sides() {
        let [mut first, mut second] = [
            [4.0, 1.0, 0.5, 1.0, 0.0, 3.0, -1.0, 2.0, 0.0, 0.0, 2.0, 3.0],
            [
                4.0, 1.0, 0.5, 7.0, 0.0, 3.0, -1.0, -5.0, 0.0, 0.0, 2.0, 0.25,
            ],
        ];
        assert!(solve_symmetric(&mut first, 3));
        for end in [3, 7, 11] {
            first[end] = second[end];
        }
        solve_factored(&mut first, 3);
        assert!(solve_symmetric(&mut second, 3));
        assert_eq!(
            [3, 7, 11].map(|end| first[end]),
            [3, 7, 11].map(|end| second[end])
        );
    }

    #[test]
    fn equations_without_a_solution_are_told() {
        assert!(!solve(&mut [1.0, 2.0, 1.0, 2.0, 4.0, 1.0], 2));
        assert!(!solve_symmetric(&mut [1.0, 2.0, 1.0, 2.0, 4.0, 1.0], 2));
    }

    /// A plate that rotates on nine points, of which some slide: sweeps alone converge by a fifth of a percent each.
    #[test]
    fn a_plate_that_turns_on_many_points_is_found_in_few_sweeps() {
        let body = FreeBody {
            inverse_mass: Vector3::repeat(1.0),
            inverse_inertia: Matrix3::identity() * 6.0,
            center: Vector3::new(0.0, 0.0, 0.1),
            before: Motion::ZERO,
            linear: Vector3::new(0.02, 0.01, -0.04),
            angular: Vector3::new(0.01, 0.0, 1.0),
            moving: Motion::ZERO,
        };
        let mut rows = Rows::default();
        rows.clear(3.0);
        for number in 0..9 {
            let cell = Vector3::new(
                f64::from(number / 3) - 0.9,
                f64::from(number % 3) - 1.2,
                0.0,
            );
            let contact = Contact {
                sides: [Side::Prescribed(Vector3::zeros()), Side::Body(0)],
                friction_sides: [Side::Prescribed(Vector3::zeros()), Side::Body(0)],
                point: cell * 0.1,
                normal: Vector3::z(),
                separation_velocity: None,
                slip: None,
                distance: -1.2e-4,
                friction: 0.4,
                restitution: 0.0,
                tangent_velocity: Vector3::zeros(),
                share: 1.0,
                impulse: Vector3::zeros(),
            };
            rows.add_contact(
                (
                    &contact,
                    &mut { contact.distance },
                    false,
                    [0.0, 1.0 / 240.0],
                ),
                &[],
                &[body],
                &[0],
            );
        }
        rows.close();
        rows.compute_responses(&mut [], &[body], 1.0 / 240.0);
        let mut velocities: Vec<f64> = body.linear.iter().chain(&body.angular).copied().collect();
        rows.apply_warm_start(&mut velocities);
        let sweeps = rows.sweep(&mut velocities, false);
        assert!(sweeps <= 20, "{sweeps}");
        assert!(velocities[5] > 0.5, "it slides: {velocities:?}");
    }
}
