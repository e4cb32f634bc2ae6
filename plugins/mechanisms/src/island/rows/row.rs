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
    pub(super) fn press(
        &mut self,
        [distance, entered, before, parting]: [f64; 4],
        rate: f64,
        dt: f64,
    ) {
        if distance > 0.0 {
            (self.target, self.relaxed) = (-distance / dt, -distance / dt);
            return;
        }
        let both = 2.0 * CONTACT_DAMPING + rate;
        // A surface that turns is met there in the middle of the step.
        let within = if parting == 0.0 {
            entered
        } else {
            parting * dt / 4.0
        };
        let back = -(distance + within) / dt * (rate / both);
        (self.target, self.relaxed) = (back.min(FASTEST_RETURN) + entered / dt, parting);
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
    let mut wanted = [0.0; 2];
    for (wanted, row) in wanted.iter_mut().zip(&*across) {
        *wanted = row.wanted(jacobians, speeds);
    }
    let length = length(wanted);
    let share = if length > most { most / length } else { 1.0 };
    let mut change: f64 = 0.0;
    for (wanted, row) in wanted.into_iter().zip(across) {
        change = change.max(row.set(wanted * share, responses, speeds));
    }
    change
}

/// Length of what two tangents tell. Many times faster than without overflow.
pub(super) fn length([one, other]: [f64; 2]) -> f64 {
    (one * one + other * other).sqrt()
}

pub(super) fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
