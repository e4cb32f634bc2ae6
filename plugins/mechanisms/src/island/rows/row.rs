//! One condition: a number that is to be reached, and the impulse that brings it there.

use std::ops::Range;

/// Damping of contacts, as a share of the critical one.
const CONTACT_DAMPING: f64 = 5.0;

/// Depth to which a load presses a contact, m, however heavy it is.
const DEEPEST: f64 = 1e-3;

/// Softness of friction against a change of its load, as a part of what the row itself gives.
const LAG: f64 = 0.05;

/// Greatest speed with which bodies are moved apart, m/s.
const FASTEST_RETURN: f64 = 2.0;

/// One number that is to be reached: `J·v + offset`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Row {
    pub blocks: [Block; 2],
    /// Part that nothing here changes.
    pub offset: f64,
    pub target: f64,
    /// Target for the speeds that are kept.
    pub relaxed: f64,
    pub kind: Kind,
    /// Speed that an impulse of 1 takes off the target: contacts give way a little, so that several share a load.
    pub softness: f64,
    /// Least and greatest impulse.
    pub bounds: [f64; 2],
    /// Inverse of `J·M⁻¹·Jᵀ`; zero where nothing moves.
    pub mass: f64,
    pub impulse: f64,
}

/// Meaning of a row.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Kind {
    /// The speed with which a contact parts.
    Normal {
        /// Way between the two, m.
        distance: f64,
        /// Part of the way inside each other that they went in this step, m.
        entered: f64,
        /// Impulse of the step before, N·s.
        before: f64,
        /// Speed with which the two part in the direction of the normal in the middle of the step, m/s: as with much as they
        /// met, where a body slides in a bowl.
        parting: f64,
    },
    /// The speed with which a contact slips.
    Tangent {
        /// Impulse of the step before.
        before: f64,
    },
    /// A weld, or a joint.
    #[default]
    Other,
}

/// The numbers of a row that belong to one member or free body.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Block {
    /// Place among members, then free bodies.
    pub who: usize,
    /// Place of its first speed.
    pub start: usize,
    pub count: usize,
    /// Place of its first number.
    pub at: usize,
}

impl Block {
    const fn place(&self) -> Range<usize> {
        self.at..self.at + self.count
    }
}

impl Row {
    /// Adds numbers of a member or free body.
    pub(super) fn add(
        &mut self,
        (who, start): (usize, usize),
        numbers: impl ExactSizeIterator<Item = f64>,
        jacobians: &mut Vec<f64>,
    ) {
        // Both sides may be links of one tree.
        if let Some(own) = self
            .blocks
            .iter()
            .find(|own| own.count > 0 && own.who == who)
        {
            let known = &mut jacobians[own.at..own.at + own.count];
            for (known, number) in known.iter_mut().zip(numbers) {
                *known += number;
            }
            return;
        }
        let Some(block) = self.blocks.iter_mut().find(|block| block.count == 0) else {
            return;
        };
        *block = Block {
            who,
            start,
            count: numbers.len(),
            at: jacobians.len(),
        };
        jacobians.extend(numbers);
    }

    pub(super) fn speed(&self, jacobians: &[f64], speeds: &[f64]) -> f64 {
        let mut sum = self.offset;
        for block in &self.blocks {
            let speeds = &speeds[block.start..block.start + block.count];
            sum += dot(&jacobians[block.place()], speeds);
        }
        sum
    }

    /// Speed of this row that an impulse of 1 of another one brings.
    pub(super) fn coupling(&self, other: &Self, jacobians: &[f64], responses: &[f64]) -> f64 {
        let own = self.blocks.iter().filter(|block| block.count > 0);
        let parts = own.flat_map(|own| {
            let same = other.blocks.iter();
            let same = same.filter(|block| block.count > 0 && block.who == own.who);
            same.map(|block| dot(&jacobians[own.place()], &responses[block.place()]))
        });
        parts.sum()
    }

    pub(super) fn act(&self, responses: &[f64], impulse: f64, speeds: &mut [f64]) {
        for block in &self.blocks {
            let numbers = &responses[block.at..block.at + block.count];
            let speeds = &mut speeds[block.start..block.start + block.count];
            for (speed, number) in speeds.iter_mut().zip(numbers) {
                *speed += number * impulse;
            }
        }
    }

    /// The impulse that the row is to have, were it alone and without bounds.
    pub(super) fn wanted(&self, jacobians: &[f64], speeds: &[f64]) -> f64 {
        let given = self.softness * self.impulse;
        self.impulse + (self.target - self.speed(jacobians, speeds) - given) * self.mass
    }

    /// Makes a contact a stiff spring with a damper, as it is at the end of the step. Until there is contact, the two come no
    /// nearer than that.
    ///
    /// Where several contacts share a load (`is_shared`), one that pressed in the step before gives way on either side of the
    /// distance at which it begins to. If it were rigid beyond, it could rest there, and bear any part of what the others share by
    /// their depths.
    pub(super) fn press(
        &mut self,
        [distance, entered, before, parting]: [f64; 4],
        is_shared: bool,
        rate: f64,
        dt: f64,
    ) {
        let both = 2.0 * CONTACT_DAMPING + rate;
        if distance > 0.0 {
            (self.target, self.relaxed) = (-distance / dt, -distance / dt);
            if before <= 0.0 || !is_shared {
                return;
            }
        } else {
            // A surface that turns is met there in the middle of the step.
            let within = if parting == 0.0 {
                entered
            } else {
                parting * dt / 4.0
            };
            let back = -(distance + within) / dt * (rate / both);
            (self.target, self.relaxed) = (back.min(FASTEST_RETURN) + entered / dt, parting);
        }
        if self.mass > 0.0 {
            // As stiff as its own mass asks for, and under what is much heavier, so stiff that it does not give way further.
            let mass = self.mass.max(before * dt / (rate * rate * DEEPEST));
            self.softness = 1.0 / (mass * rate * both);
            self.mass = 1.0 / (1.0 / self.mass + self.softness);
        }
    }

    /// Lets a change of friction act as through a damper. Bodies that stick slip by nothing while their load stays, and what
    /// several points share is shared in one way only.
    pub(super) fn lag(&mut self, before: f64) {
        if self.mass > 0.0 {
            self.softness = LAG / self.mass;
            self.mass /= 1.0 + LAG;
        }
        self.target = self.relaxed + self.softness * before;
    }

    /// Takes away softness but for a part.
    pub(super) fn stiffen(&mut self, part: f64) {
        if self.mass > 0.0 {
            let less = self.softness * (1.0 - part);
            self.mass /= 1.0 - self.mass * less;
            self.softness -= less;
        }
    }

    /// Gives the row another impulse. Returns the change of its speed.
    pub(super) fn set(&mut self, impulse: f64, responses: &[f64], speeds: &mut [f64]) -> f64 {
        let more = impulse - self.impulse;
        self.impulse = impulse;
        if more == 0.0 || self.mass == 0.0 {
            return 0.0;
        }
        self.act(responses, more, speeds);
        (more / self.mass).abs()
    }

    /// Keeps the row within its bounds.
    pub(super) fn keep(&mut self, jacobians: &[f64], responses: &[f64], speeds: &mut [f64]) -> f64 {
        let impulse = self.wanted(jacobians, speeds);
        self.set(
            impulse.clamp(self.bounds[0], self.bounds[1]),
            responses,
            speeds,
        )
    }
}

/// Keeps the two tangents of a contact, whose impulses together are no more than friction gives.
pub(super) fn rub(
    across: &mut [Row],
    most: f64,
    jacobians: &[f64],
    responses: &[f64],
    speeds: &mut [f64],
) -> f64 {
    let [one, other] = across else {
        return 0.0;
    };
    let wanted = [&*one, &*other].map(|row| row.wanted(jacobians, speeds));
    let masses = [one.mass, other.mass];
    let given = Sliding::new(wanted, masses, most).map_or(wanted, |sliding| sliding.impulses);
    let mut change: f64 = 0.0;
    for (given, row) in given.into_iter().zip([one, other]) {
        change = change.max(row.set(given, responses, speeds));
    }
    change
}

/// Friction of a contact that slides: as much as there can be, against the motion that is left.
///
/// Tangents that want the impulses `w` get `λ = (1 + μ·m)⁻¹·w`, with `μ` such that `|λ|` is what friction gives: the speed that the
/// tangents still lack, `(w − λ) / m`, is `μ·λ` then, along the friction, whatever the masses along the two are. (By the same share
/// of both, friction would lean towards the axis along which the contact is heavier, as along a wheel that its motor holds.)
#[derive(Clone, Copy, Debug)]
pub(super) struct Sliding {
    /// N·s.
    pub impulses: [f64; 2],
    /// Change of the impulses by a change of those that are wanted.
    pub turns: [[f64; 2]; 2],
    /// Change of the impulses by a change of the most that there can be.
    pub along: [f64; 2],
}

impl Sliding {
    /// Steps that find `μ`: from zero on they come nearer from one side, each with twice as many digits.
    const STEPS: usize = 24;

    /// Friction that is none, N·s, and least mass along a tangent, as a part of that along the other: no number overflows.
    const NONE: f64 = 1e-60;
    const LIGHTEST: f64 = 1e-9;

    /// None if the contact sticks.
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
        // Impulses in parts of the most, masses in parts of the heavier one.
        let wanted = wanted.map(|wanted| wanted / most);
        let masses = masses.map(|mass| (mass / heavier).max(Self::LIGHTEST));
        let mut mu = 0.0;
        let [mut parts, mut impulses, mut along] = [[1.0; 2], wanted, [0.0; 2]];
        for _ in 0..Self::STEPS {
            parts = masses.map(|mass| 1.0 / (1.0 + mu * mass));
            impulses = [parts[0] * wanted[0], parts[1] * wanted[1]];
            along = [0, 1].map(|at| parts[at] * masses[at] * impulses[at]);
            let over = length(impulses) - 1.0;
            if over <= 1e-14 {
                break;
            }
            mu += over * dot(&impulses, &impulses) / dot(&impulses, &along);
        }
        let most = most / length(impulses).max(1.0);
        let weight = dot(&impulses, &along);
        let turn = |one: usize, other: usize| {
            let straight = if one == other { parts[one] } else { 0.0 };
            straight - along[one] * parts[other] * impulses[other] / weight
        };
        Some(Self {
            impulses: impulses.map(|impulse| impulse * most),
            turns: [[turn(0, 0), turn(0, 1)], [turn(1, 0), turn(1, 1)]],
            along: along.map(|along| along / weight),
        })
    }
}

/// Length of what two tangents tell. Many times faster than without overflow.
fn length([one, other]: [f64; 2]) -> f64 {
    (one * one + other * other).sqrt()
}

pub(super) fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the masses are, the speed that is left is along the friction.
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
        let by = |two: [f64; 2], one: [f64; 2]| [0, 1].map(|at| (two[at] - one[at]) / STEP / 2.0);
        let [x, y] = wanted;
        let one = by(impulses([x + STEP, y], most), impulses([x - STEP, y], most));
        let two = by(impulses([x, y + STEP], most), impulses([x, y - STEP], most));
        let three = by(impulses(wanted, most + STEP), impulses(wanted, most - STEP));
        for at in 0..2 {
            let pairs = [
                (one[at], sliding.turns[at][0]),
                (two[at], sliding.turns[at][1]),
                (three[at], sliding.along[at]),
            ];
            assert!(pairs.iter().all(|(a, b)| (a - b).abs() < 1e-7), "{pairs:?}");
        }
    }
}
