//! One constraint row: a target velocity, and the impulse that enforces it.

use std::ops::Range;

/// Damping ratio of contacts.
const CONTACT_DAMPING: f64 = 5.0;

/// Maximum depth to which a load presses a contact, m, regardless of its mass.
const MAX_CONTACT_DEPTH: f64 = 1e-3;

/// Compliance of friction against changes of its impulse, relative to the row's own compliance.
const FRICTION_REGULARISATION: f64 = 0.05;

/// Relative regularisation of the diagonal of linear systems, since there are more rows than velocities.
pub(super) const DIAGONAL_REGULARISATION: f64 = 1e-9;

/// Maximum velocity of the correction of penetrations, m/s.
const MAX_DEPENETRATION_VELOCITY: f64 = 2.0;

/// One scalar constraint on the velocity `J·v + offset`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ConstraintRow {
    pub blocks: [Block; 2],
    /// Velocity of sides with prescribed motion.
    pub offset: f64,
    pub target: f64,
    /// Target without correction of positions.
    pub relaxed: f64,
    pub kind: Kind,
    /// Compliance: velocity per unit of impulse by which the row gives way, so that several rows share a load.
    pub compliance: f64,
    /// Minimum and maximum impulse.
    pub bounds: [f64; 2],
    /// Effective mass: inverse of `J·M⁻¹·Jᵀ` plus the compliance; zero for an immovable row.
    pub mass: f64,
    pub impulse: f64,
}

/// Type of a row.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Kind {
    /// Normal velocity of a contact.
    Normal {
        /// Gap, m.
        distance: f64,
        /// Fraction of the penetration that arose in this step, m.
        entered: f64,
        /// Impulse of the last step, N·s.
        before: f64,
        /// Normal separation velocity in the middle of the step, m/s, due to rotation of the surfaces, as in a bowl.
        parting: f64,
    },
    /// Tangential velocity of a contact.
    Tangent {
        /// Impulse of the last step, N·s.
        before: f64,
    },
    /// A weld that holds all the time.
    Closure,
    /// Another weld, or a joint.
    #[default]
    Other,
}

/// Data of the contacts of two bodies that determine their stiffness.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shared {
    /// Mean effective mass, kg.
    pub mass: f64,
    /// Greatest impulse of the last step, N·s.
    pub impulse: f64,
    /// True if the island has several contacts.
    pub is_shared: bool,
}

/// Entries of a row for one member or free body.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Block {
    /// Index of the member, or of the free body plus the number of members.
    pub participant: usize,
    /// Index of its first velocity.
    pub start: usize,
    pub count: usize,
    /// Index of its first entry in the array of Jacobians.
    pub offset: usize,
}

impl Block {
    const fn range(&self) -> Range<usize> {
        self.offset..self.offset + self.count
    }
}

impl ConstraintRow {
    /// Adds entries for a member or free body.
    pub(super) fn add(
        &mut self,
        (participant, start): (usize, usize),
        numbers: impl ExactSizeIterator<Item = f64>,
        jacobians: &mut Vec<f64>,
    ) {
        // Both sides may be links of one tree.
        if let Some(own) = self
            .blocks
            .iter()
            .find(|own| own.count > 0 && own.participant == participant)
        {
            let known = &mut jacobians[own.offset..own.offset + own.count];
            for (known, number) in known.iter_mut().zip(numbers) {
                *known += number;
            }
            return;
        }
        let Some(block) = self.blocks.iter_mut().find(|block| block.count == 0) else {
            return;
        };
        *block = Block {
            participant,
            start,
            count: numbers.len(),
            offset: jacobians.len(),
        };
        jacobians.extend(numbers);
    }

    #[inline]
    pub(super) fn speed(&self, jacobians: &[f64], velocities: &[f64]) -> f64 {
        let mut sum = self.offset;
        for block in self.blocks.iter().take_while(|block| block.count > 0) {
            let velocities = &velocities[block.start..block.start + block.count];
            sum += dot(&jacobians[block.range()], velocities);
        }
        sum
    }

    /// Returns the change of this row's velocity per unit of impulse of another row.
    pub(super) fn coupling(&self, other: &Self, jacobians: &[f64], responses: &[f64]) -> f64 {
        let own = self.blocks.iter().filter(|block| block.count > 0);
        let products = own.flat_map(|own| {
            let same = other.blocks.iter();
            let same = same.filter(|block| block.count > 0 && block.participant == own.participant);
            same.map(|block| dot(&jacobians[own.range()], &responses[block.range()]))
        });
        products.sum()
    }

    #[inline]
    pub(super) fn act(&self, responses: &[f64], impulse: f64, velocities: &mut [f64]) {
        for block in self.blocks.iter().take_while(|block| block.count > 0) {
            let numbers = &responses[block.offset..block.offset + block.count];
            let velocities = &mut velocities[block.start..block.start + block.count];
            for (speed, number) in velocities.iter_mut().zip(numbers) {
                *speed += number * impulse;
            }
        }
    }

    /// Returns the impulse that satisfies the row without bounds, with all other impulses unchanged.
    pub(super) fn unbounded_impulse(&self, jacobians: &[f64], velocities: &[f64]) -> f64 {
        let given = self.compliance * self.impulse;
        self.impulse + (self.target - self.speed(jacobians, velocities) - given) * self.mass
    }

    /// Makes a contact an implicit stiff spring and damper. A positive gap bounds the approach velocity instead.
    ///
    /// If several contacts share a load, a contact that was active in the last step is compliant on both sides of zero
    /// depth. A rigid bound there could carry any fraction of the load that the other contacts share by their depths.
    pub(super) fn set_normal_compliance(
        &mut self,
        shared: &Shared,
        share: f64,
        rate: f64,
        dt: f64,
    ) {
        let Kind::Normal {
            distance,
            entered,
            before,
            parting,
        } = self.kind
        else {
            return;
        };
        let both = 2.0 * CONTACT_DAMPING + rate;
        if distance > 0.0 {
            (self.target, self.relaxed) = (-distance / dt, -distance / dt);
            if before <= 0.0 || !shared.is_shared {
                return;
            }
        } else {
            // The rotation of the surface is evaluated in the middle of the step.
            let within = if parting == 0.0 {
                entered
            } else {
                parting * dt / 4.0
            };
            let back = -(distance + within) / dt * (rate / both);
            (self.target, self.relaxed) =
                (back.min(MAX_DEPENETRATION_VELOCITY) + entered / dt, parting);
        }
        if self.mass > 0.0 {
            // The stiffness follows the effective mass; under a heavier load, the maximum depth determines it.
            let least = shared.impulse * dt / (rate * rate * MAX_CONTACT_DEPTH);
            self.compliance = 1.0 / (shared.mass.max(least) * share * rate * both);
            self.mass = 1.0 / (1.0 / self.mass + self.compliance);
        }
    }

    /// Regularises a tangent: changes of the friction impulse act through a damper, so that sticking bodies do not creep
    /// under a constant load, and redundant points share a load uniquely.
    pub(super) fn regularise_tangent(&mut self, before: f64) {
        if self.mass > 0.0 {
            self.compliance = FRICTION_REGULARISATION / self.mass;
            self.mass /= 1.0 + FRICTION_REGULARISATION;
        }
        self.target = self.relaxed + self.compliance * before;
    }

    /// Reduces the compliance to a fraction.
    pub(super) fn reduce_compliance(&mut self, fraction: f64) {
        if self.mass > 0.0 {
            let less = self.compliance * (1.0 - fraction);
            self.mass /= 1.0 - self.mass * less;
            self.compliance -= less;
        }
    }

    /// Sets the impulse and updates the velocities. Returns the change of the row's velocity.
    pub(super) fn set(&mut self, impulse: f64, responses: &[f64], velocities: &mut [f64]) -> f64 {
        let more = impulse - self.impulse;
        self.impulse = impulse;
        if more == 0.0 || self.mass == 0.0 {
            return 0.0;
        }
        self.act(responses, more, velocities);
        (more / self.mass).abs()
    }

    /// PGS update: solves the row and projects its impulse on the bounds.
    pub(super) fn project(
        &mut self,
        jacobians: &[f64],
        responses: &[f64],
        velocities: &mut [f64],
    ) -> f64 {
        let impulse = self.unbounded_impulse(jacobians, velocities);
        self.set(
            impulse.clamp(self.bounds[0], self.bounds[1]),
            responses,
            velocities,
        )
    }
}

/// PGS update of the two tangents of a contact, with a projection on the friction disc.
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
    let wanted = [&*one, &*other].map(|row| row.unbounded_impulse(jacobians, velocities));
    let masses = [one.mass, other.mass];
    let given = Sliding::new(wanted, masses, most).map_or(wanted, |sliding| sliding.impulses);
    let mut change: f64 = 0.0;
    for (given, row) in given.into_iter().zip([one, other]) {
        change = change.max(row.set(given, responses, velocities));
    }
    change
}

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
    /// Maximum number of Newton steps for `μ`: from below they converge monotonically, with doubling digits.
    const STEPS: usize = 24;

    /// Impulse below which there is no friction, N·s, and minimum ratio of the tangents' masses, against overflow.
    const NONE: f64 = 1e-60;
    const LIGHTEST: f64 = 1e-9;

    /// Returns `None` if the contact sticks.
    pub(super) fn new(wanted: [f64; 2], masses: [f64; 2], most: f64) -> Option<Self> {
        if length(wanted) <= most {
            return None;
        }
        let heavier = masses[0].max(masses[1]);
        if most <= Self::NONE || heavier <= 0.0 {
            return Some(Self {
                impulses: [0.0; 2],
                turns: [[0.0; 2]; 2],
                along: [0.0; 2],
            });
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
}

/// Length of a two-dimensional vector. Faster than `hypot`, which guards against overflow.
fn length([one, other]: [f64; 2]) -> f64 {
    (one * one + other * other).sqrt()
}

/// Returns the dot product of two slices of equal length. Four partial sums do not wait for each other.
#[inline]
pub(super) fn dot(one: &[f64], other: &[f64]) -> f64 {
    let (ones, one_rest) = one.as_chunks::<4>();
    let (others, other_rest) = other.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (ones, others) in ones.iter().zip(others) {
        for lane in 0..4 {
            sums[lane] += ones[lane] * others[lane];
        }
    }
    let rest = one_rest.iter().zip(other_rest);
    for (sum, (one, other)) in sums.iter_mut().zip(rest) {
        *sum += one * other;
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3])
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
