//! Newton steps on the contact constraints of islands with few velocities, such as a wheeled robot at a wall.
//!
//! With `Δλ = λ₀ − K·J·Δv` for the impulses of each contact, a step solves `(M + JᵀKJ)·Δv = Jᵀ·λ₀`: as many equations as
//! there are velocities, whatever the number of contact points. A joint's row holds its velocity exactly, and its impulse is
//! the rest of its equation. Instead of a sweep, the laws of all rows at the new velocities determine whether the step has
//! found the solution; the next step starts from them.
//!
//! Rows have all velocities of the island as entries, so that loops have a constant number of turns. The loops are compiled
//! a second time for processors with AVX, with the same results to the last bit.
mod factors;
mod law;
mod responses;

use super::{ContactData, row::ConstraintRow, sweeps::TOLERANCE};
use crate::{
    island::{FreeBody, Member},
    lanes,
};
pub(super) use factors::Factors;
use factors::{act, product};
use law::{Law, State};
use responses::InverseMass;

/// Maximum number of velocities of an island that is solved here.
pub(super) const MAX_VELOCITIES: usize = 32;

/// Maximum number of steps, and of those without progress in sequence.
const MAX_STEPS: usize = 10;
const MAX_ATTEMPTS: usize = 3;

/// Inverse mass or inertia of a locked axis, 1/kg or 1/(kg·m²): so little that nothing moves it.
const LOCKED: f64 = 1e-100;

/// Workspace of the steps.
#[derive(Clone, Debug, Default)]
pub(super) struct DenseSolver {
    /// Entries of a row: the number of velocities, rounded up; zero without a mass matrix.
    stride: usize,
    count: usize,
    /// Mass matrix, row by row, and its inverse.
    mass: Vec<f64>,
    inverse_mass: InverseMass,
    /// Laws of the contacts.
    laws: Vec<Law>,
    /// Index of the velocity of each joint's row.
    joints: Vec<usize>,
    /// Changes of the joints' rows: of the velocity of those that hold, of the impulse of others.
    given: Vec<(bool, f64)>,
    /// True if `factors` belong to the present laws.
    is_factored: bool,
    /// `M + JᵀKJ`.
    system: Vec<f64>,
    factors: Factors,
    /// Best impulses and velocities so far.
    impulses: Vec<f64>,
    velocities: Vec<f64>,
}

impl DenseSolver {
    /// Forgets the mass matrix.
    pub(super) fn invalidate(&mut self) {
        self.stride = 0;
        self.forget_factors();
    }

    /// Returns the number of entries of a row, or zero if there is nothing to solve.
    pub(super) const fn stride(&self) -> usize {
        self.stride
    }

    /// Forgets the factors, since compliances have changed.
    pub(super) fn forget_factors(&mut self) {
        self.is_factored = false;
    }

    /// Computes the responses and the effective masses of all rows, given the number of their entries.
    pub(super) fn compute_responses(
        &mut self,
        stride: usize,
        (members, bodies): (&[Member<'_>], &[FreeBody]),
        rows: &mut [ConstraintRow],
        numbers: (&[f64], &mut [f64]),
    ) {
        let system = (members, bodies);
        match stride {
            8 => self.respond::<8>(system, rows, numbers),
            16 => self.respond::<16>(system, rows, numbers),
            24 => self.respond::<24>(system, rows, numbers),
            _ => self.respond::<MAX_VELOCITIES>(system, rows, numbers),
        }
    }

    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(unused_unsafe, reason = "no function for AVX on these processors")
    )]
    fn respond<const S: usize>(
        &mut self,
        system: (&[Member<'_>], &[FreeBody]),
        rows: &mut [ConstraintRow],
        numbers: (&[f64], &mut [f64]),
    ) {
        if lanes::is_supported() {
            #[expect(unsafe_code, reason = "a function for AVX")]
            // SAFETY: AVX is supported.
            unsafe {
                self.respond_by_avx::<S>(system, rows, numbers);
            }
        } else {
            self.respond_plainly::<S>(system, rows, numbers);
        }
    }

    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx"))]
    fn respond_by_avx<const S: usize>(
        &mut self,
        system: (&[Member<'_>], &[FreeBody]),
        rows: &mut [ConstraintRow],
        numbers: (&[f64], &mut [f64]),
    ) {
        self.respond_plainly::<S>(system, rows, numbers);
    }

    #[inline(always)]
    fn respond_plainly<const S: usize>(
        &mut self,
        (members, bodies): (&[Member<'_>], &[FreeBody]),
        rows: &mut [ConstraintRow],
        (jacobians, responses): (&[f64], &mut [f64]),
    ) {
        self.inverse_mass.compute::<S>(members, bodies);
        let numbers = jacobians.as_chunks().0.iter();
        let numbers = numbers.zip(responses.as_chunks_mut().0);
        for (row, (jacobian, response)) in rows.iter_mut().zip(numbers) {
            *response = self.inverse_mass.response::<S>(jacobian);
            row.set_mass(product(jacobian, response));
        }
    }

    /// Copies the mass matrices of all members and bodies; `joints` are the indices of the velocities of the joints' rows.
    /// Rows of contacts along which some directions are immovable are left to the sweeps.
    pub(super) fn prepare(
        &mut self,
        stride: usize,
        (members, bodies): (&[Member<'_>], &[FreeBody]),
        (rows, contacts): (&[ConstraintRow], usize),
        joints: impl Iterator<Item = usize>,
    ) {
        self.invalidate();
        let is_movable = |rows: &[ConstraintRow]| {
            let immovable = rows.iter().filter(|row| row.mass <= 0.0).count();
            immovable == 0 || immovable == 3
        };
        if !rows[..3 * contacts].chunks_exact(3).all(is_movable) {
            return;
        }
        self.joints.clear();
        self.joints.extend(joints);
        let mut count = 0;
        self.mass.clear();
        for member in members {
            let own = member.tree.velocity_count();
            self.mass.resize((count + own) * stride, 0.0);
            let lines = &mut self.mass[count * stride..];
            member.integrator.write_mass_matrix(lines, stride, count);
            count += own;
        }
        for body in bodies {
            self.mass.resize((count + 6) * stride, 0.0);
            if !write_body(body, &mut self.mass[count * stride..], stride, count) {
                return;
            }
            count += 6;
        }
        (self.stride, self.count) = (stride, count);
    }

    /// Makes at least one Newton step, until the rows converge. Returns their number, and true if they have converged;
    /// otherwise impulses and velocities are those with the smallest errors.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(unused_unsafe, reason = "no function for AVX on these processors")
    )]
    pub(super) fn solve<const S: usize>(
        &mut self,
        rows: &mut [ConstraintRow],
        contacts: &[ContactData],
        numbers: [&[f64]; 2],
        velocities: &mut [f64],
    ) -> (usize, bool) {
        if lanes::is_supported() {
            #[expect(unsafe_code, reason = "a function for AVX")]
            // SAFETY: AVX is supported.
            unsafe {
                self.solve_by_avx::<S>(rows, contacts, numbers, velocities)
            }
        } else {
            self.solve_plainly::<S>(rows, contacts, numbers, velocities)
        }
    }

    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx"))]
    fn solve_by_avx<const S: usize>(
        &mut self,
        rows: &mut [ConstraintRow],
        contacts: &[ContactData],
        numbers: [&[f64]; 2],
        velocities: &mut [f64],
    ) -> (usize, bool) {
        self.solve_plainly::<S>(rows, contacts, numbers, velocities)
    }

    #[inline(always)]
    fn solve_plainly<const S: usize>(
        &mut self,
        rows: &mut [ConstraintRow],
        contacts: &[ContactData],
        numbers: [&[f64]; 2],
        velocities: &mut [f64],
    ) -> (usize, bool) {
        let mut present = [0.0; S];
        present[..self.count].copy_from_slice(velocities);
        self.laws.resize(contacts.len(), Law::default());
        let (mut least, mut attempts) = (f64::INFINITY, 0);
        for step in 0..=MAX_STEPS {
            let change = self.linearize::<S>(rows, contacts, numbers[0], &present);
            if change < TOLERANCE && step > 0 {
                velocities.copy_from_slice(&present[..self.count]);
                return (step, true);
            }
            if step == 0 || change < least {
                (least, attempts) = (change, 0);
                self.save(rows, &present);
            } else {
                attempts += 1;
            }
            if attempts > MAX_ATTEMPTS
                || step == MAX_STEPS
                || !self.step::<S>(rows, numbers, &mut present)
            {
                break;
            }
        }
        for (row, impulse) in rows.iter_mut().zip(&self.impulses) {
            row.impulse = *impulse;
        }
        velocities.copy_from_slice(&self.velocities[..self.count]);
        (MAX_STEPS, false)
    }

    #[inline(always)]
    fn save(&mut self, rows: &[ConstraintRow], velocities: &[f64]) {
        self.impulses.clear();
        self.impulses.extend(rows.iter().map(|row| row.impulse));
        self.velocities.clear();
        self.velocities.extend_from_slice(velocities);
    }

    /// Linearises the laws of all rows. Returns the greatest change of a row's velocity that they demand.
    #[inline(always)]
    fn linearize<const S: usize>(
        &mut self,
        rows: &[ConstraintRow],
        contacts: &[ContactData],
        jacobians: &[f64],
        velocities: &[f64; S],
    ) -> f64 {
        let mut change: f64 = 0.0;
        let (touching, joints) = rows.split_at(3 * contacts.len());
        let (jacobians, _) = jacobians.as_chunks::<S>();
        let numbers = touching.as_chunks().0.iter().zip(jacobians.as_chunks().0);
        let laws = self.laws.iter_mut().zip(contacts);
        for ((law, contact), (rows, jacobians)) in laws.zip(numbers) {
            let before = law.state;
            let demanded = law.linearize(rows, contact, jacobians, velocities);
            self.is_factored &= law.state == before && before != State::Slides;
            change = change.max(demanded);
        }
        self.given.resize(joints.len(), (false, 0.0));
        let joint_rows = joints.iter().zip(&self.joints).zip(&mut self.given);
        for ((row, velocity), given) in joint_rows {
            let lacks = row.target - row.offset - velocities[*velocity];
            let wanted = row.impulse + lacks * row.mass;
            let [least, most] = row.bounds;
            let holds = row.mass > 0.0 && least < wanted && wanted < most;
            self.is_factored &= given.0 == holds;
            *given = if holds {
                change = change.max(lacks.abs());
                (true, lacks)
            } else if row.mass > 0.0 {
                let more = wanted.clamp(least, most) - row.impulse;
                change = change.max((more / row.mass).abs());
                (false, more)
            } else {
                (false, 0.0)
            };
        }
        change
    }

    /// Makes a Newton step: changes impulses and velocities. Returns false, with nothing changed, if the system is singular.
    #[inline(always)]
    fn step<const S: usize>(
        &mut self,
        rows: &mut [ConstraintRow],
        [jacobians, responses]: [&[f64]; 2],
        velocities: &mut [f64; S],
    ) -> bool {
        let (jacobians, _) = jacobians.as_chunks::<S>();
        let (responses, _) = responses.as_chunks::<S>();
        if !self.is_factored && !self.factor::<S>(jacobians) {
            return false;
        }
        let contacts = 3 * self.laws.len();
        let mut right = [0.0; S];
        for (law, jacobians) in self.laws.iter().zip(jacobians.as_chunks().0) {
            law.add_given(jacobians, &mut right);
        }
        for (velocity, (holds, given)) in self.joints.iter().zip(&self.given) {
            if !holds {
                right[*velocity] += given;
            }
        }
        let (system, _) = self.system.as_chunks::<S>();
        let mut reduced = right;
        for (velocity, (holds, given)) in self.joints.iter().zip(&self.given) {
            if *holds {
                for (entry, line) in reduced.iter_mut().zip(system) {
                    *entry -= line[*velocity] * given;
                }
            }
        }
        for (velocity, (holds, given)) in self.joints.iter().zip(&self.given) {
            if *holds {
                reduced[*velocity] = *given;
            }
        }
        let changes = self.factors.solve(reduced);
        let (touching, joints) = rows.split_at_mut(contacts);
        let contact_rows = touching.as_chunks_mut().0.iter_mut();
        let numbers = jacobians.as_chunks().0.iter().zip(responses.as_chunks().0);
        for ((rows, law), (jacobians, responses)) in contact_rows.zip(&self.laws).zip(numbers) {
            law.apply(rows, [jacobians, responses], &changes, velocities);
        }
        let joints = joints.iter_mut().zip(&responses[contacts..]);
        let joint_rows = joints.zip(self.joints.iter().zip(&self.given));
        for ((row, response), (velocity, (holds, given))) in joint_rows {
            let more = if *holds {
                product(&system[*velocity], &changes) - right[*velocity]
            } else {
                *given
            };
            row.impulse += more;
            act(response, more, velocities);
        }
        true
    }

    /// Factors `M + JᵀKJ`, in which the velocities that joints hold are given. Returns false if it is singular or two rows
    /// hold the same velocity.
    #[inline(always)]
    fn factor<const S: usize>(&mut self, jacobians: &[[f64; S]]) -> bool {
        self.system.clone_from(&self.mass);
        let (system, _) = self.system.as_chunks_mut::<S>();
        for (law, jacobians) in self.laws.iter().zip(jacobians.as_chunks().0) {
            law.add_gain(jacobians, system);
        }
        let mut fixed = [false; S];
        for (velocity, (holds, _)) in self.joints.iter().zip(&self.given) {
            if *holds && std::mem::replace(&mut fixed[*velocity], true) {
                return false;
            }
        }
        let is_symmetric = self.laws.iter().all(|law| law.state != State::Slides);
        self.is_factored = self.factors.factor(system, &fixed, is_symmetric);
        self.is_factored
    }
}

/// Writes the mass matrix of a body into the lines of its velocities, of which the first has this index. Returns false if its
/// inertia is singular.
pub(super) fn write_body(body: &FreeBody, lines: &mut [f64], stride: usize, first: usize) -> bool {
    let mut inverse = body.inverse_inertia;
    for axis in 0..3 {
        lines[axis * (stride + 1) + first] = 1.0 / body.inverse_mass[axis].max(LOCKED);
        inverse[(axis, axis)] = inverse[(axis, axis)].max(LOCKED);
    }
    let Some(inertia) = inverse.try_inverse() else {
        return false;
    };
    for row in 0..3 {
        for column in 0..3 {
            lines[(3 + row) * stride + first + 3 + column] = inertia[(row, column)];
        }
    }
    true
}
