//! Sliding friction of a contact.
use super::row::{ConstraintRow, dot};

/// Sliding friction: the maximum impulse against the remaining slip velocity.
///
/// For unbounded impulses `w`, the friction impulse is `λ = (1 + μ·m)⁻¹·w`, with `μ` such that `|λ|` is the maximum: then
/// the remaining slip velocity `(w − λ) / m` is `μ·λ`, parallel to the friction for any masses along the two tangents.
/// (Scaling both tangents equally would tilt the friction towards the axis with the greater mass, as along a wheel that its
/// motor holds.)
#[derive(Clone, Copy, Debug)]
pub(super) struct Sliding {
    /// Friction impulses, N·s.
    pub impulses: [f64; 2],
    /// Jacobian of the impulses with respect to the unbounded impulses.
    pub turns: [[f64; 2]; 2],
    /// Derivative of the impulses with respect to the maximum impulse.
    pub along: [f64; 2],
}

impl Sliding {
    /// Returns `None` if the contact sticks.
    #[inline(always)]
    pub(super) fn new(wanted: [f64; 2], masses: [f64; 2], most: f64) -> Option<Self> {
        let Scaled {
            factors,
            impulses,
            along,
        } = match Friction::new(wanted, masses, most) {
            Friction::Sticks => return None,
            Friction::None => {
                return Some(Self {
                    impulses: [0.0; 2],
                    turns: [[0.0; 2]; 2],
                    along: [0.0; 2],
                });
            }
            Friction::Slides(scaled) => scaled,
        };
        let most = most / length(impulses).max(1.0);
        let weight = dot(&impulses, &along);
        let turn = |one: usize, other: usize| {
            let straight = if one == other { factors[one] } else { 0.0 };
            straight - along[one] * factors[other] * impulses[other] / weight
        };
        Some(Self {
            impulses: impulses.map(|impulse| impulse * most),
            turns: [[turn(0, 0), turn(0, 1)], [turn(1, 0), turn(1, 1)]],
            along: along.map(|along| along / weight),
        })
    }

    /// Linearises the law of the tangents' impulses, which follow from their unbounded impulses, and these from the impulses
    /// by the compliance. The load changes by `more − gain·Jₙ·Δv` beyond the one of these impulses. Returns `None` if the law
    /// is singular.
    #[inline(always)]
    pub(super) fn law(
        &self,
        across: [&ConstraintRow; 2],
        friction: f64,
        [more, gain]: [f64; 2],
    ) -> Option<SlidingLaw> {
        let free = across.map(|row| 1.0 - row.mass * row.compliance);
        let turn = |one: usize, other: usize| self.turns[one][other];
        let [a, b] = [1.0 - turn(0, 0) * free[0], -turn(0, 1) * free[1]];
        let [c, d] = [-turn(1, 0) * free[0], 1.0 - turn(1, 1) * free[1]];
        let determinant = a * d - b * c;
        if determinant.abs() <= f64::MIN_POSITIVE {
            return None;
        }
        let solve = |[one, two]: [f64; 2]| {
            [
                (d * one - b * two) / determinant,
                (a * two - c * one) / determinant,
            ]
        };
        let along = self.along.map(|along| friction * along);
        let lacks = [0, 1].map(|tangent| {
            self.impulses[tangent] - across[tangent].impulse + along[tangent] * more
        });
        let columns = [
            solve(along.map(|along| along * gain)),
            solve([0, 1].map(|tangent| turn(tangent, 0) * across[0].mass)),
            solve([0, 1].map(|tangent| turn(tangent, 1) * across[1].mass)),
        ];
        Some(SlidingLaw {
            given: solve(lacks),
            gain: [0, 1].map(|tangent| columns.map(|column| column[tangent])),
        })
    }
}

/// State of a contact's friction.
enum Friction {
    /// The contact sticks.
    Sticks,
    /// It slides without friction.
    None,
    /// It slides.
    Slides(Scaled),
}

/// Sliding friction relative to its maximum.
struct Scaled {
    /// `1 / (1 + μ·m)`.
    factors: [f64; 2],
    /// Friction impulses.
    impulses: [f64; 2],
    /// Decrease of the impulses per change of `μ`.
    along: [f64; 2],
}

impl Friction {
    /// Maximum number of Newton steps for `μ`: from below they converge monotonically, with doubling digits.
    const STEPS: usize = 24;

    /// Impulse below which there is no friction, N·s, and minimum ratio of the tangents' masses, against overflow.
    const NONE: f64 = 1e-60;
    const LIGHTEST: f64 = 1e-9;

    /// Returns the state for the friction impulses without a limit, and their limit.
    #[inline(always)]
    fn new(wanted: [f64; 2], masses: [f64; 2], most: f64) -> Self {
        if is_within(wanted, most) {
            return Self::Sticks;
        }
        let heavier = masses[0].max(masses[1]);
        if most <= Self::NONE || heavier <= 0.0 {
            return Self::None;
        }
        // Impulses relative to the maximum, masses relative to the greater one.
        let wanted = wanted.map(|wanted| wanted / most);
        let masses = masses.map(|mass| (mass / heavier).max(Self::LIGHTEST));
        // Not more than the solution, and equal to it for equal masses.
        let mut mu = length(wanted) - 1.0;
        let [mut factors, mut impulses, mut along] = [[1.0; 2], wanted, [0.0; 2]];
        for _ in 0..Self::STEPS {
            factors = masses.map(|mass| 1.0 / (1.0 + mu * mass));
            impulses = [factors[0] * wanted[0], factors[1] * wanted[1]];
            along = [0, 1].map(|tangent| factors[tangent] * masses[tangent] * impulses[tangent]);
            let over = length(impulses) - 1.0;
            if over <= 1e-14 {
                break;
            }
            mu += over * dot(&impulses, &impulses) / dot(&impulses, &along);
        }
        Self::Slides(Scaled {
            factors,
            impulses,
            along,
        })
    }
}

/// Law of the tangents' impulses of a sliding contact: they change by `λ₀ − K·J·Δv`, with the rows of the normal and both
/// tangents in `J`.
pub(super) struct SlidingLaw {
    /// `λ₀` of the tangents.
    pub given: [f64; 2],
    /// Rows of `K` of the tangents.
    pub gain: [[f64; 3]; 2],
}

/// PGS update of the two tangents of a contact, with a projection on the friction disc.
#[inline(always)]
pub(super) fn project_onto_friction_cone(
    across: &mut [ConstraintRow],
    most: f64,
    jacobians: &[f64],
    responses: &[f64],
    velocities: &mut [f64],
) -> f64 {
    let [one, other] = across else {
        return 0.0;
    };
    // Not by `map`, which is a call.
    let wanted = [
        one.unbounded_impulse(jacobians, velocities),
        other.unbounded_impulse(jacobians, velocities),
    ];
    let masses = [one.mass, other.mass];
    let given = match Friction::new(wanted, masses, most) {
        Friction::Sticks => wanted,
        Friction::None => [0.0; 2],
        Friction::Slides(scaled) => {
            let most = most / length(scaled.impulses).max(1.0);
            scaled.impulses.map(|impulse| impulse * most)
        }
    };
    let mut change: f64 = 0.0;
    for (given, row) in given.into_iter().zip([one, other]) {
        change = change.max(row.set(given, responses, velocities));
    }
    change
}

/// Returns true if a vector is no longer than a limit. Squares decide that, except near the limit: the processor need not wait
/// for the root.
#[inline(always)]
pub(super) fn is_within([one, other]: [f64; 2], limit: f64) -> bool {
    let (square, most) = (one * one + other * other, limit * limit);
    square < most * (1.0 - 1e-12)
        || (square <= most * (1.0 + 1e-12) && length([one, other]) <= limit)
}

/// Length of a two-dimensional vector. Faster than `hypot`, which guards against overflow.
#[inline(always)]
pub(super) fn length([one, other]: [f64; 2]) -> f64 {
    (one * one + other * other).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The remaining slip velocity is parallel to the friction for any masses.
    #[test]
    fn friction_acts_against_what_still_slides() {
        for masses in [[1.0, 1.0], [1.0, 40.0], [3.0, 1e-3], [1e-5, 2.0]] {
            let [wanted, most] = [[3.0, -4.0], [0.5, 0.5]];
            let sliding = Sliding::new(wanted, masses, most[0]).expect("it slides");
            let [x, y] = sliding.impulses;
            assert!((length([x, y]) - most[0]).abs() < 1e-12, "{x} {y}");
            let left = [(wanted[0] - x) / masses[0], (wanted[1] - y) / masses[1]];
            let across = (left[0] * y - left[1] * x) / (length(left) * most[0]);
            assert!(across.abs() < 1e-10, "{masses:?}: {left:?} beside {x} {y}");
            assert!(dot(&left, &[x, y]) > 0.0);
            assert!(Sliding::new(wanted, masses, 5.1).is_none(), "it sticks");
        }
    }

    #[test]
    fn squares_and_roots_decide_alike() {
        for limit in [0.0, 1e-3, 0.7, 3.0] {
            for steps in -5_i32..=5 {
                for size in [1e-16, 1e-13, 1e-11, 0.1] {
                    let length_wanted = limit * (1.0 + f64::from(steps) * size);
                    let wanted = [0.6 * length_wanted, -0.8 * length_wanted];
                    let expected = length(wanted) <= limit;
                    assert_eq!(is_within(wanted, limit), expected, "{wanted:?} {limit}");
                }
            }
        }
        assert!(is_within([1.0, 1e200], f64::INFINITY) && !is_within([f64::NAN, 0.0], 1.0));
    }

    #[test]
    fn friction_is_a_number_whatever_slides() {
        for masses in [[0.0, 0.0], [0.0, 1.0], [1e300, 1.0], [1e-300, 1e-290]] {
            for most in [0.0, 1e-300, 1e-70, 1e-20, 1.0] {
                let sliding = Sliding::new([3.0, 1e-9], masses, most).expect("it slides");
                let numbers = sliding.turns.iter().flatten().chain(&sliding.along);
                let mut numbers = numbers.chain(&sliding.impulses);
                assert!(
                    numbers.all(|number| number.is_finite()),
                    "{masses:?}, {most}: {sliding:?}"
                );
                assert!(length(sliding.impulses) <= most * (1.0 + 1e-12));
            }
        }
    }

    #[test]
    fn derivatives_of_friction_are_those_of_differences() {
        const STEP: f64 = 1e-6;
        let (wanted, masses, most) = ([0.7, 1.1], [0.2, 3.0], 0.4);
        let impulses = |wanted, most| {
            let sliding = Sliding::new(wanted, masses, most).expect("it slides");
            sliding.impulses
        };
        let sliding = Sliding::new(wanted, masses, most).expect("it slides");
        let by = |two: [f64; 2], one: [f64; 2]| {
            [0, 1].map(|index| (two[index] - one[index]) / STEP / 2.0)
        };
        let [x, y] = wanted;
        let one = by(impulses([x + STEP, y], most), impulses([x - STEP, y], most));
        let two = by(impulses([x, y + STEP], most), impulses([x, y - STEP], most));
        let three = by(impulses(wanted, most + STEP), impulses(wanted, most - STEP));
        for index in 0..2 {
            let pairs = [
                (one[index], sliding.turns[index][0]),
                (two[index], sliding.turns[index][1]),
                (three[index], sliding.along[index]),
            ];
            assert!(pairs.iter().all(|(a, b)| (a - b).abs() < 1e-7), "{pairs:?}");
        }
    }
}
