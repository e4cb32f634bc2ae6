//! One constraint row: a target velocity, and the impulse that enforces it.

use std::ops::Range;

/// Damping ratio of contacts.
const CONTACT_DAMPING: f64 = 5.0;

/// Maximum depth to which a load presses a contact, m, regardless of its mass.
pub(super) const MAX_CONTACT_DEPTH: f64 = 1e-3;

/// Compliance of friction against changes of its impulse, relative to the row's own compliance.
const FRICTION_REGULARISATION: f64 = 0.05;

/// Relative regularisation of the diagonal of linear systems, since there are more rows than velocities.
pub(super) const DIAGONAL_REGULARISATION: f64 = 1e-9;

/// Maximum velocity of the correction of penetrations, m/s.
pub(super) const MAX_DEPENETRATION_VELOCITY: f64 = 2.0;

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

impl Kind {
    /// Returns the impulse with which a solution begins: that of the last step, of a contact.
    pub(super) const fn impulse_before(self) -> f64 {
        match self {
            Self::Normal { before, .. } | Self::Tangent { before } => before,
            Self::Closure | Self::Other => 0.0,
        }
    }
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
    /// Returns the index of the first entry for a member or free body, given its index, that of its first velocity, and the
    /// number of its velocities. New entries are zero. `home` is the index of the row's first entry if it has one for each
    /// velocity. Both sides of a row may be links of one tree.
    pub(super) fn block(
        &mut self,
        (participant, start, count): (usize, usize, usize),
        jacobians: &mut Vec<f64>,
        home: Option<usize>,
    ) -> usize {
        let [one, two] = &mut self.blocks;
        let block = if one.count == 0 || one.participant == participant {
            one
        } else {
            two
        };
        if block.count == 0 {
            let offset = home.map_or(jacobians.len(), |home| home + start);
            *block = Block {
                participant,
                start,
                count,
                offset,
            };
            if home.is_none() {
                jacobians.resize(offset + count, 0.0);
            }
        }
        block.offset
    }

    #[inline(always)]
    pub(super) fn speed(&self, jacobians: &[f64], velocities: &[f64]) -> f64 {
        let mut sum = self.offset;
        for block in self.blocks.iter().take_while(|block| block.count > 0) {
            let velocities = &velocities[block.start..block.start + block.count];
            let jacobian = &jacobians[block.range()];
            // A free body: the constant length saves half of the time.
            sum += match (<&[f64; 6]>::try_from(jacobian), velocities.try_into()) {
                (Ok(one), Ok(other)) => dot_of_six(one, other),
                _ => dot(jacobian, velocities),
            };
        }
        sum
    }

    /// Iterates over the blocks that have entries.
    pub(super) fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(|block| block.count > 0)
    }

    /// Returns the change of this row's velocity for changes of the velocities.
    pub(super) fn change(&self, jacobians: &[f64], changes: &[f64]) -> f64 {
        let products = self.blocks().map(|block| {
            let changes = &changes[block.start..block.start + block.count];
            dot(&jacobians[block.range()], changes)
        });
        products.sum()
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

    #[inline(always)]
    pub(super) fn act(&self, responses: &[f64], impulse: f64, velocities: &mut [f64]) {
        for block in self.blocks.iter().take_while(|block| block.count > 0) {
            let numbers = &responses[block.offset..block.offset + block.count];
            let velocities = &mut velocities[block.start..block.start + block.count];
            if let Ok(velocities) = <&mut [f64; 6]>::try_from(&mut *velocities)
                && let Ok(numbers) = <&[f64; 6]>::try_from(numbers)
            {
                // All at once: what is stored one by one is slow to load by twos.
                let mut speeds = *velocities;
                for (speed, number) in speeds.iter_mut().zip(numbers) {
                    *speed += number * impulse;
                }
                *velocities = speeds;
                continue;
            }
            for (speed, number) in velocities.iter_mut().zip(numbers) {
                *speed += number * impulse;
            }
        }
    }

    /// Returns the greatest change of a velocity, of the row or of a joint or body, per unit of impulse; zero for an immovable row.
    /// Where the lever of a contact is short, an impulse that hardly changes the velocity of its row turns a joint fast.
    pub(super) fn reach(&self, responses: &[f64]) -> f64 {
        if self.mass == 0.0 {
            return 0.0;
        }
        let numbers = self.blocks().flat_map(|block| &responses[block.range()]);
        numbers.fold(1.0 / self.mass, |most, number| most.max(number.abs()))
    }

    /// Sets the effective mass, given the row's response to its own impulse.
    #[inline]
    pub(super) fn set_mass(&mut self, response: f64) {
        self.mass = if response > f64::MIN_POSITIVE {
            1.0 / response
        } else {
            0.0
        };
    }

    /// Returns true if the row is movable, and its impulse is at none of its bounds.
    #[inline(always)]
    pub(super) fn is_within_bounds(&self) -> bool {
        self.mass > 0.0 && self.bounds[0] < self.impulse && self.impulse < self.bounds[1]
    }

    /// Returns the velocity that the row lacks with its impulse.
    #[inline(always)]
    pub(super) fn lack(&self, jacobians: &[f64], velocities: &[f64]) -> f64 {
        let given = self.compliance * self.impulse;
        self.target - self.speed(jacobians, velocities) - given
    }

    /// Returns the impulse that satisfies the row without bounds, with all other impulses unchanged, given the velocity that it
    /// lacks.
    #[inline(always)]
    pub(super) fn impulse_for(&self, lack: f64) -> f64 {
        self.impulse + lack * self.mass
    }

    /// Returns the impulse that satisfies the row without bounds, with all other impulses unchanged.
    #[inline(always)]
    pub(super) fn unbounded_impulse(&self, jacobians: &[f64], velocities: &[f64]) -> f64 {
        self.impulse_for(self.lack(jacobians, velocities))
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
    #[inline(always)]
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
    #[inline(always)]
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

/// Returns the dot product of two slices of equal length. Four partial sums do not wait for each other.
#[inline(always)]
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

/// Does what [`dot`] does, for the velocities of a free body.
#[inline(always)]
fn dot_of_six(one: &[f64; 6], other: &[f64; 6]) -> f64 {
    let mut sums = [0.0; 4];
    for lane in 0..4 {
        sums[lane] += one[lane] * other[lane];
    }
    for lane in 0..2 {
        sums[lane] += one[lane + 4] * other[lane + 4];
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3])
}
