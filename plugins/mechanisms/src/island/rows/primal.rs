//! Newton steps for many rows on few velocities each: the linearised constraints are solved for the velocities instead of
//! the impulses.
//!
//! Each group of rows, a contact or a single row, changes its impulses by `Δλ = λ₀ − K·J·Δv`. With `M·Δv = Jᵀ·Δλ` follows
//! `(M + JᵀKJ)·Δv = Jᵀ·λ₀`, see [`system`], or `(I + M⁻¹JᵀKJ)·Δv = M⁻¹Jᵀ·λ₀` where deep trees have no mass matrix. The blocks
//! are those of members and free bodies that share a group. They are eliminated in the order of minimum degree: a tray with a
//! hundred boxes takes a hundred times the work of one box. The steps are compiled a second time for processors with AVX, with
//! the same results to the last bit.
pub(super) mod damped;
mod elimination;
mod group;
mod system;

use super::{
    ContactData,
    blocks::{add_multiple, invert, multiply},
    row::{Block, ConstraintRow, dot},
};
use crate::{
    island::{FreeBody, Member},
    lanes,
};
use damped::DampedSteps;
use group::Group;
use system::{BlockSystem, law_of};

/// Maximum number of participants: the table of blocks grows with its square.
const MAX_PARTICIPANTS: usize = 512;

/// Maximum number of multiplications of an elimination; sweeps are faster than a longer one.
const MAX_WORK: usize = 4_000_000;

/// Entry of the table for a block that is zero.
const ZERO: u32 = u32::MAX;

/// Workspace of a Newton step for velocities.
#[derive(Clone, Debug, Default)]
pub(super) struct VelocitySolver {
    pub(super) groups: Vec<Group>,
    participants: Vec<Participant>,
    /// Number of participants of this step; later ones are left from larger islands.
    count: usize,
    /// Index of the first entry of the block of two participants, by row and column.
    table: Vec<u32>,
    /// Entries of the blocks, row by row.
    entries: Vec<f64>,
    /// Right-hand side, then the solution, by velocity.
    right: Vec<f64>,
    /// Participants in the order of their elimination.
    order: Vec<usize>,
    inverse: Vec<f64>,
    column: Vec<f64>,
    /// Entries of a block, summed over the rows of a group.
    combined: Vec<f64>,
    damped: DampedSteps,
    system: BlockSystem,
}

/// A member or free body.
#[derive(Clone, Debug, Default)]
struct Participant {
    /// Index of its first velocity, and their number; zero without an active row.
    start: usize,
    count: usize,
    /// Participants with which it shares a block and that are not eliminated yet, without itself.
    neighbours: Vec<usize>,
    is_eliminated: bool,
}

impl VelocitySolver {
    /// Forgets the mass matrices, which are not worth their time for limits and friction of joints alone.
    pub(super) const fn clear_masses(&mut self) {
        self.system.clear_masses();
    }

    /// Reads the mass matrices.
    pub(super) fn set_masses(&mut self, members: &[Member<'_>], bodies: &[FreeBody]) {
        self.system.set_masses(members, bodies);
    }

    /// Makes a Newton step: changes impulses and velocities. Returns false, with nothing changed, if that would be too much
    /// work, or the system is singular.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(unused_unsafe, reason = "no function for AVX on these processors")
    )]
    pub(super) fn newton_step(
        &mut self,
        rows: &mut [ConstraintRow],
        contacts: &[ContactData],
        numbers: [&[f64]; 2],
        velocities: &mut [f64],
    ) -> bool {
        if lanes::is_supported() {
            #[expect(unsafe_code, reason = "a function for AVX")]
            // SAFETY: AVX is supported.
            unsafe {
                self.newton_step_by_avx(rows, contacts, numbers, velocities)
            }
        } else {
            self.newton_step_plainly(rows, contacts, numbers, velocities)
        }
    }

    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx"))]
    fn newton_step_by_avx(
        &mut self,
        rows: &mut [ConstraintRow],
        contacts: &[ContactData],
        numbers: [&[f64]; 2],
        velocities: &mut [f64],
    ) -> bool {
        self.newton_step_plainly(rows, contacts, numbers, velocities)
    }

    #[inline(always)]
    fn newton_step_plainly(
        &mut self,
        rows: &mut [ConstraintRow],
        contacts: &[ContactData],
        numbers: [&[f64]; 2],
        velocities: &mut [f64],
    ) -> bool {
        self.linearize(rows, contacts, numbers[0], velocities);
        if self.system.begin(rows, contacts.len()) {
            let all = (&*rows, contacts.len(), numbers[0]);
            self.system.read(&self.groups, all);
            return self.system_step(rows, contacts.len(), numbers[1], velocities);
        }
        if !self.assemble(rows, numbers, velocities.len()) || !self.eliminate() {
            return false;
        }
        self.back_substitute();
        for group in &self.groups {
            let own = group.first..group.first + group.count;
            let mut speeds = [0.0; 3];
            for (speed, row) in speeds.iter_mut().zip(&rows[own.clone()]) {
                *speed = row.change(numbers[0], &self.right);
            }
            for (row, more) in rows[own].iter_mut().zip(group.more(&speeds)) {
                row.impulse += more;
                row.act(numbers[1], more, velocities);
            }
        }
        true
    }

    /// Makes a Newton step for the linearised laws. Returns false, with nothing changed, if the system is singular.
    #[inline(always)]
    fn system_step(
        &mut self,
        rows: &mut [ConstraintRow],
        contacts: usize,
        responses: &[f64],
        velocities: &mut [f64],
    ) -> bool {
        let is_symmetric = self.groups.iter().all(Group::is_diagonal);
        let has_solution = if is_symmetric {
            self.system.solve::<true>(&self.groups, contacts)
        } else {
            self.system.solve::<false>(&self.groups, contacts)
        };
        if !has_solution {
            return false;
        }
        for group in &self.groups {
            let own = &mut rows[group.first..group.first + group.count];
            let speeds = self.system.changes_of(law_of(group, contacts));
            for (row, more) in own.iter_mut().zip(group.more(&speeds)) {
                row.impulse += more;
                row.act(responses, more, velocities);
            }
        }
        true
    }

    /// Linearises the laws of all active rows.
    #[inline(always)]
    fn linearize(
        &mut self,
        rows: &[ConstraintRow],
        contacts: &[ContactData],
        jacobians: &[f64],
        velocities: &[f64],
    ) {
        self.groups.clear();
        for (contact, first) in contacts.iter().zip((0..).step_by(3)) {
            let normal = &rows[first];
            if normal.impulse > 0.0 && normal.mass > 0.0 {
                let own = [normal, &rows[first + 1], &rows[first + 2]];
                let group = Group::of_contact(first, own, contact, jacobians, velocities);
                self.groups.push(group);
            }
        }
        for (index, row) in rows.iter().enumerate().skip(3 * contacts.len()) {
            if row.is_within_bounds() {
                self.groups
                    .push(Group::of_row(index, row, jacobians, velocities));
            }
        }
    }

    /// Assembles the linear system. Returns false if there are too many participants.
    fn assemble(
        &mut self,
        rows: &[ConstraintRow],
        numbers: [&[f64]; 2],
        velocities: usize,
    ) -> bool {
        self.find_participants(rows);
        let count = self.count;
        if count > MAX_PARTICIPANTS {
            return false;
        }
        self.table.clear();
        self.table.resize(count * count, ZERO);
        self.entries.clear();
        self.right.clear();
        self.right.resize(velocities, 0.0);
        for index in 0..count {
            let size = self.participants[index].count;
            let first = self.block(index, index);
            for diagonal in 0..size {
                self.entries[first + diagonal * (size + 1)] = 1.0;
            }
        }
        let groups = std::mem::take(&mut self.groups);
        for group in &groups {
            self.add_group(group, rows, numbers);
        }
        self.groups = groups;
        true
    }

    fn find_participants(&mut self, rows: &[ConstraintRow]) {
        for participant in &mut self.participants {
            participant.count = 0;
            participant.neighbours.clear();
            participant.is_eliminated = false;
        }
        self.count = 0;
        for group in &self.groups {
            for row in &rows[group.first..group.first + group.count] {
                for block in row.blocks() {
                    self.count = self.count.max(block.participant + 1);
                    if self.participants.len() < self.count {
                        self.participants.resize(self.count, Participant::default());
                    }
                    let participant = &mut self.participants[block.participant];
                    (participant.start, participant.count) = (block.start, block.count);
                }
            }
        }
    }

    /// Adds `M⁻¹Jᵀ·K·J` and `M⁻¹Jᵀ·λ₀` of a group.
    fn add_group(
        &mut self,
        group: &Group,
        rows: &[ConstraintRow],
        [jacobians, responses]: [&[f64]; 2],
    ) {
        let own = &rows[group.first..group.first + group.count];
        for (row, (given, gains)) in own.iter().zip(group.given.iter().zip(&group.gain)) {
            for block in row.blocks() {
                let response = &responses[block.offset..block.offset + block.count];
                let right = &mut self.right[block.start..block.start + block.count];
                for (right, response) in right.iter_mut().zip(response) {
                    *right += response * given;
                }
            }
            // Rows of a contact differ in their sides only if friction acts on other ones.
            let is_alike = |other: &ConstraintRow| {
                let mut pairs = own[0].blocks.iter().zip(&other.blocks);
                pairs.all(|(one, other)| {
                    (one.count, one.participant) == (other.count, other.participant)
                })
            };
            if own.iter().all(is_alike) {
                for index in 0..2 {
                    self.combine(own, gains, index, jacobians);
                    self.add_products(row, &own[0].blocks[index], responses);
                }
                continue;
            }
            for (other, gain) in own.iter().zip(gains).filter(|(_, gain)| **gain != 0.0) {
                for column in other.blocks() {
                    let jacobian = &jacobians[column.offset..column.offset + column.count];
                    self.combined.clear();
                    self.combined
                        .extend(jacobian.iter().map(|number| number * gain));
                    self.add_products(row, column, responses);
                }
            }
        }
    }

    /// Writes the sum of the rows' entries in one of their blocks, times their gains.
    fn combine(
        &mut self,
        own: &[ConstraintRow],
        gains: &[f64; 3],
        index: usize,
        jacobians: &[f64],
    ) {
        self.combined.clear();
        self.combined.resize(own[0].blocks[index].count, 0.0);
        for (row, gain) in own.iter().zip(gains).filter(|(_, gain)| **gain != 0.0) {
            let block = &row.blocks[index];
            let jacobian = &jacobians[block.offset..block.offset + block.count];
            for (sum, number) in self.combined.iter_mut().zip(jacobian) {
                *sum += gain * number;
            }
        }
    }

    /// Adds the products of a row's responses with the combined entries of a block.
    fn add_products(&mut self, row: &ConstraintRow, column: &Block, responses: &[f64]) {
        if column.count == 0 {
            return;
        }
        for block in row.blocks() {
            let response = &responses[block.offset..block.offset + block.count];
            let first = self.block(block.participant, column.participant);
            let entries = &mut self.entries[first..first + block.count * column.count];
            if let Ok(combined) = <&[f64; 6]>::try_from(&self.combined[..]) {
                for (line, response) in entries.as_chunks_mut().0.iter_mut().zip(response) {
                    add_multiple(line, combined, *response);
                }
                continue;
            }
            for (line, response) in entries.chunks_exact_mut(column.count).zip(response) {
                for (entry, number) in line.iter_mut().zip(&self.combined) {
                    *entry += response * number;
                }
            }
        }
    }

    /// Returns the index of the first entry of a block, which is added if it was zero, with its transposed one.
    fn block(&mut self, row: usize, column: usize) -> usize {
        let count = self.count;
        let known = self.table[row * count + column];
        if known != ZERO {
            return known as usize;
        }
        let size = self.participants[row].count * self.participants[column].count;
        let first = self.entries.len();
        self.table[row * count + column] = first as u32;
        if row == column {
            self.entries.resize(first + size, 0.0);
        } else {
            self.table[column * count + row] = (first + size) as u32;
            self.entries.resize(first + 2 * size, 0.0);
            self.participants[row].neighbours.push(column);
            self.participants[column].neighbours.push(row);
        }
        first
    }

    /// Eliminates all participants. Returns false if that is too much work, or a pivot is singular.
    fn eliminate(&mut self) -> bool {
        self.order.clear();
        let mut work = 0;
        while let Some(next) = self.next() {
            self.order.push(next);
            self.participants[next].is_eliminated = true;
            let neighbours = std::mem::take(&mut self.participants[next].neighbours);
            for &neighbour in &neighbours {
                let others = &mut self.participants[neighbour].neighbours;
                others.retain(|other| *other != next);
            }
            let size = self.participants[next].count;
            let around = self.degree(&neighbours);
            work += size * (size + around) * (size + around);
            let is_solved = work <= MAX_WORK && self.eliminate_one(next, &neighbours);
            self.participants[next].neighbours = neighbours;
            if !is_solved {
                return false;
            }
        }
        true
    }

    /// Returns the remaining participant with the fewest velocities around it.
    fn next(&self) -> Option<usize> {
        let remaining = self.participants.iter().enumerate();
        let remaining = remaining.filter(|(_, one)| one.count > 0 && !one.is_eliminated);
        let degrees = remaining.map(|(index, one)| (self.degree(&one.neighbours), index));
        degrees.min().map(|(_, index)| index)
    }

    /// Returns the number of velocities of some participants.
    fn degree(&self, participants: &[usize]) -> usize {
        let counts = participants
            .iter()
            .map(|index| self.participants[*index].count);
        counts.sum()
    }

    /// Eliminates a participant from the equations of its neighbours. Returns false if its block is singular.
    fn eliminate_one(&mut self, one: usize, neighbours: &[usize]) -> bool {
        let size = self.participants[one].count;
        let diagonal = self.block(one, one);
        self.inverse.clear();
        self.inverse
            .extend_from_slice(&self.entries[diagonal..diagonal + size * size]);
        if !invert(&mut self.inverse, size, &mut self.column) {
            return false;
        }
        let start = self.participants[one].start;
        multiply(
            &self.inverse,
            &mut self.right[start..start + size],
            1,
            &mut self.column,
        );
        for &other in neighbours {
            let width = self.participants[other].count;
            let first = self.block(one, other);
            let block = &mut self.entries[first..first + size * width];
            multiply(&self.inverse, block, width, &mut self.column);
        }
        for &row in neighbours {
            let height = self.participants[row].count;
            let factors = self.block(row, one);
            for line in 0..height {
                let factors = &self.entries[factors + line * size..][..size];
                let own = dot(factors, &self.right[start..start + size]);
                self.right[self.participants[row].start + line] -= own;
            }
            for &column in neighbours {
                let width = self.participants[column].count;
                let target = self.block(row, column);
                let solved = self.block(one, column);
                self.subtract([target, factors, solved], [height, size, width]);
            }
        }
        true
    }

    /// Subtracts the product of two blocks from another one, given the first entries and the sizes.
    fn subtract(
        &mut self,
        [target, factors, solved]: [usize; 3],
        [height, size, width]: [usize; 3],
    ) {
        // Blocks do not overlap; the one that is changed is taken out to be written.
        self.column.clear();
        let range = target..target + height * width;
        self.column.extend_from_slice(&self.entries[range.clone()]);
        let factors = self.entries[factors..factors + height * size].chunks_exact(size);
        let solved = &self.entries[solved..solved + size * width];
        for (line, factors) in self.column.chunks_exact_mut(width).zip(factors) {
            if let (Ok(line), (solved, [])) =
                (<&mut [f64; 6]>::try_from(&mut *line), solved.as_chunks())
            {
                for (other, factor) in solved.iter().zip(factors) {
                    add_multiple(line, other, -factor);
                }
                continue;
            }
            for (other, factor) in solved.chunks_exact(width).zip(factors) {
                for (entry, number) in line.iter_mut().zip(other) {
                    *entry -= factor * number;
                }
            }
        }
        self.entries[range].copy_from_slice(&self.column);
    }

    /// Solves for the changes of velocity, in reverse order of the elimination.
    fn back_substitute(&mut self) {
        let count = self.count;
        for &one in self.order.iter().rev() {
            let own = &self.participants[one];
            for &other in &own.neighbours {
                let other_own = &self.participants[other];
                let first = self.table[one * count + other] as usize;
                for line in 0..own.count {
                    let factors =
                        &self.entries[first + line * other_own.count..][..other_own.count];
                    let known = &self.right[other_own.start..][..other_own.count];
                    let sum = dot(factors, known);
                    self.right[own.start + line] -= sum;
                }
            }
        }
    }
}
