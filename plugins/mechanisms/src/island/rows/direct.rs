//! All impulses of an island, found at once, for the contacts that hold, stick and slide now.
//!
//! Sweeps come near slowly where many rows tell of few speeds: three wheels with three points each, a box on its four
//! corners. Which bodies touch, and which slide, is known after a few; what is left is nearly linear. This is a step of
//! Newton's method on the conditions that the sweeps come to (Alart and Curnier 1991), and a guess: a sweep tells whether
//! it is nearer.
use super::{
    Touch,
    row::{Row, Sliding},
};

/// Most rows that are solved at once.
const MOST: usize = 96;

/// Most rows of which is remembered what an impulse of one does to the others.
const REMEMBERED: usize = 2 * MOST;

/// Part of each row that is added to it: there are more rows than speeds.
const SHARE: f64 = 1e-9;

/// Memory for a guess.
#[derive(Clone, Debug, Default)]
pub(super) struct Direct {
    /// Rows whose impulses are sought.
    free: Vec<Free>,
    /// Equations, row by row, each with what is lacking at its end.
    matrix: Vec<f64>,
    couplings: Couplings,
    /// As they were before.
    impulses: Vec<f64>,
    speeds: Vec<f64>,
}

/// Speed of each row that an impulse of 1 of another one brings, row by row; not a number until it is asked for.
#[derive(Clone, Debug, Default)]
struct Couplings {
    known: Vec<f64>,
    /// Number of rows; zero for more than are remembered.
    count: usize,
}

/// A row whose impulse is sought.
#[derive(Clone, Copy, Debug)]
struct Free {
    row: usize,
    /// Of the first tangent of a contact that slides; the second follows it, the normal stands before it.
    slide: Option<Slide>,
}

/// Friction of a contact that slides.
#[derive(Clone, Copy, Debug)]
struct Slide {
    friction: f64,
    sliding: Sliding,
    /// Impulses that the tangents lack, N·s.
    lacks: [f64; 2],
}

impl Direct {
    /// The rows tell of other speeds now, or weigh something else.
    pub(super) fn forget(&mut self, rows: usize) {
        self.couplings.forget(rows);
    }

    /// Gives the rows the impulses that seem to keep them. False if there is nothing to do.
    pub(super) fn guess(
        &mut self,
        rows: &mut [Row],
        contacts: &[Touch],
        numbers: [&[f64]; 2],
        speeds: &mut [f64],
    ) -> bool {
        self.choose(rows, contacts, numbers[0], speeds);
        let count = self.free.len();
        if !(2..=MOST).contains(&count) {
            return false;
        }
        self.impulses.clear();
        self.impulses.extend(rows.iter().map(|row| row.impulse));
        self.speeds.clear();
        self.speeds.extend_from_slice(speeds);
        // But for friction that slides, what one row does to another the other does to the one.
        let slides = self.free.iter().any(|free| free.slide.is_some());
        self.fill(rows, numbers, speeds, slides);
        let solve = if slides { solve } else { solve_symmetric };
        if !solve(&mut self.matrix, count) {
            return false;
        }
        for (place, free) in self.free.iter().enumerate() {
            let more = self.matrix[(place + 1) * (count + 1) - 1];
            let row = &mut rows[free.row];
            row.impulse += more;
            row.act(numbers[1], more, speeds);
        }
        true
    }

    /// Goes back to what was before the guess.
    pub(super) fn take_back(&self, rows: &mut [Row], speeds: &mut [f64]) {
        for (row, impulse) in rows.iter_mut().zip(&self.impulses) {
            row.impulse = *impulse;
        }
        speeds.copy_from_slice(&self.speeds);
    }

    fn choose(&mut self, rows: &[Row], contacts: &[Touch], jacobians: &[f64], speeds: &[f64]) {
        self.free.clear();
        let free = |row| Free { row, slide: None };
        for (touch, first) in contacts.iter().zip((0..).step_by(3)) {
            let most = touch.friction * rows[first].impulse;
            let holds = rows[first].impulse > 0.0 && rows[first].mass > 0.0;
            if holds {
                self.free.push(free(first));
            }
            let across = [&rows[first + 1], &rows[first + 2]];
            if !holds || most <= 0.0 || across.iter().any(|row| row.mass <= 0.0) {
                continue;
            }
            let wanted = across.map(|row| row.wanted(jacobians, speeds));
            let sliding = Sliding::new(wanted, across.map(|row| row.mass), most);
            let slide = |sliding: Sliding| Slide {
                friction: touch.friction,
                sliding,
                lacks: [0, 1].map(|at| sliding.impulses[at] - across[at].impulse),
            };
            self.free.push(Free {
                row: first + 1,
                slide: sliding.map(slide),
            });
            self.free.push(free(first + 2));
        }
        for (at, row) in rows.iter().enumerate().skip(3 * contacts.len()) {
            if row.mass > 0.0 && row.bounds[0] < row.impulse && row.impulse < row.bounds[1] {
                self.free.push(free(at));
            }
        }
    }

    /// Sets up the equations: what an impulse of each row does to the others, and what they lack.
    /// Where nothing slides, the lower half is left out.
    fn fill(&mut self, rows: &[Row], numbers: [&[f64]; 2], speeds: &[f64], slides: bool) {
        self.matrix.clear();
        for (place, free) in self.free.iter().enumerate() {
            let row = &rows[free.row];
            for (at, other) in self.free.iter().enumerate() {
                self.matrix.push(if at == place {
                    (1.0 + SHARE) / row.mass
                } else if at < place && !slides {
                    0.0
                } else {
                    self.couplings.of([free.row, other.row], rows, numbers)
                });
            }
            let given = row.softness * row.impulse;
            let lacks = row.target - row.speed(numbers[0], speeds) - given;
            self.matrix.push(lacks);
        }
        let width = self.free.len() + 1;
        for (place, free) in self.free.iter().enumerate() {
            if let Some(slide) = &free.slide {
                let masses = [0, 1].map(|at| rows[free.row + at].mass);
                let tangents = &mut self.matrix[place * width..(place + 2) * width];
                slide.bend(tangents, place, masses);
            }
        }
    }
}

impl Couplings {
    fn forget(&mut self, rows: usize) {
        self.count = if rows > REMEMBERED { 0 } else { rows };
        self.known.clear();
        self.known.resize(self.count * self.count, f64::NAN);
    }

    /// One of them; it is the same either way.
    fn of(
        &mut self,
        between: [usize; 2],
        rows: &[Row],
        [jacobians, responses]: [&[f64]; 2],
    ) -> f64 {
        let [one, other] = [between[0].min(between[1]), between[0].max(between[1])];
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
    /// Makes equations of tangents that stick into those of tangents that slide. They stand in these places.
    fn bend(&self, equations: &mut [f64], place: usize, masses: [f64; 2]) {
        let width = equations.len() / 2;
        let (one, two) = equations.split_at_mut(width);
        (one[place], two[place + 1]) = (0.0, 0.0);
        for (first, second) in one.iter_mut().zip(&mut *two) {
            let changes = [*first * masses[0], *second * masses[1]];
            let bent = self
                .sliding
                .turns
                .map(|turn| turn[0] * changes[0] + turn[1] * changes[1]);
            *first = bent[0] / masses[0];
            *second = bent[1] / masses[1];
        }
        for (at, row) in [one, two].into_iter().enumerate() {
            row[place + at] += 1.0 / masses[at];
            row[place - 1] -= self.friction * self.sliding.along[at] / masses[at];
            row[width - 1] = self.lacks[at] / masses[at];
        }
    }
}

/// Solves equations, each with its right side at its end, where the solution is put. False if they have none.
fn solve(matrix: &mut [f64], count: usize) -> bool {
    let width = count + 1;
    for at in 0..count {
        let size = |row: &usize| matrix[row * width + at].abs();
        let best = (at..count).max_by(|one, other| size(one).total_cmp(&size(other)));
        let best = best.unwrap_or(at);
        let (above, below) = matrix.split_at_mut((at + 1) * width);
        let pivot = &mut above[at * width..];
        if best > at {
            pivot.swap_with_slice(&mut below[(best - at - 1) * width..(best - at) * width]);
        }
        if pivot[at].abs() <= f64::MIN_POSITIVE || !pivot[at].is_finite() {
            return false;
        }
        let inverse = 1.0 / pivot[at];
        for row in below.chunks_exact_mut(width) {
            let factor = row[at] * inverse;
            if factor != 0.0 {
                let rest = row[at + 1..].iter_mut().zip(&pivot[at + 1..]);
                rest.for_each(|(number, other)| *number -= factor * other);
            }
        }
    }
    go_back(matrix, count);
    true
}

/// Likewise, of a symmetric and positive matrix: half of the work. What is left of the diagonal is not read.
fn solve_symmetric(matrix: &mut [f64], count: usize) -> bool {
    let width = count + 1;
    for at in 0..count {
        let (above, below) = matrix.split_at_mut((at + 1) * width);
        let pivot = &above[at * width..];
        if pivot[at] <= f64::MIN_POSITIVE || !pivot[at].is_finite() {
            return false;
        }
        let inverse = 1.0 / pivot[at];
        for (row, column) in below.chunks_exact_mut(width).zip(at + 1..) {
            let factor = pivot[column] * inverse;
            if factor != 0.0 {
                let rest = row[column..].iter_mut().zip(&pivot[column..]);
                rest.for_each(|(number, other)| *number -= factor * other);
            }
        }
    }
    go_back(matrix, count);
    true
}

/// Finds the numbers that belong to equations each of which has one more unknown than the one after it.
fn go_back(matrix: &mut [f64], count: usize) {
    let width = count + 1;
    for at in (0..count).rev() {
        let (above, below) = matrix.split_at_mut((at + 1) * width);
        let row = &mut above[at * width..];
        let known = below.chunks_exact(width).zip(&row[at + 1..count]);
        let sum: f64 = known.map(|(other, number)| other[count] * number).sum();
        row[count] = (row[count] - sum) / row[at];
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
    fn equations_without_a_solution_are_told() {
        assert!(!solve(&mut [1.0, 2.0, 1.0, 2.0, 4.0, 1.0], 2));
        assert!(!solve_symmetric(&mut [1.0, 2.0, 1.0, 2.0, 4.0, 1.0], 2));
    }

    /// A plate that turns on nine points, of which some slide: sweeps alone come near by a fifth of a percent each.
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
        for at in 0..9 {
            let place = Vector3::new(f64::from(at / 3) - 0.9, f64::from(at % 3) - 1.2, 0.0);
            let contact = Contact {
                sides: [Side::Given(Vector3::zeros()), Side::Body(0)],
                friction_sides: [Side::Given(Vector3::zeros()), Side::Body(0)],
                point: place * 0.1,
                normal: Vector3::z(),
                parted: None,
                distance: -1.2e-4,
                friction: 0.4,
                restitution: 0.0,
                tangent_velocity: Vector3::zeros(),
                impulse: Vector3::zeros(),
            };
            rows.touch(
                (&contact, &mut { contact.distance }, 0.0, 1.0 / 240.0),
                &[],
                &[body],
                &[0],
            );
        }
        rows.close();
        rows.respond(&[], &[body], 1.0 / 240.0);
        let mut speeds: Vec<f64> = body.linear.iter().chain(&body.angular).copied().collect();
        rows.begin(&mut speeds);
        let sweeps = rows.sweep(&mut speeds);
        assert!(sweeps <= 20, "{sweeps}");
        assert!(speeds[5] > 0.5, "it slides: {speeds:?}");
    }
}
