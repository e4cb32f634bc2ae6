//! Linear systems of Newton steps: `(M + JᵀKJ)·Δv = Jᵀ·λ₀`.
//!
//! Velocities are divided into nodes of up to six: one per free body, one or more per member. Blocks are six by six; a node of
//! fewer velocities has ones on the rest of its diagonal. The set of blocks and the order of their elimination follow from
//! the rows that have acted since the last change of the mass matrices, and most steps add none. (With all rows, boxes side by
//! side on a tray would share blocks, although most of their contacts are gaps that do not close.) Pivots are not searched for: with symmetric
//! `K`, as in damped steps, the system is positive definite, and only half of the blocks is needed.
mod law;

use super::{
    super::{blocks::add_multiple, dense::write_body, row::ConstraintRow},
    Group, MAX_PARTICIPANTS, MAX_WORK,
    elimination::{Block, EMPTY, Elimination, SIZE, product},
};
use crate::island::{FreeBody, Member};
pub(super) use law::law_of;
use law::{Entry, Law};

/// Up to six velocities of a member or free body.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// Index of its first velocity, and their number.
    start: usize,
    size: usize,
    mass: Block,
}

/// Pattern of a system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Pattern {
    sizes: Vec<usize>,
    pairs: Vec<[usize; 2]>,
}

/// Workspace of the systems.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockSystem {
    nodes: Vec<Node>,
    /// Index of the first node of each participant, and the number of nodes.
    firsts: Vec<usize>,
    /// Mass matrices between two nodes of a member, with the nodes in ascending order.
    couplings: Vec<([usize; 2], Block)>,
    /// Mass matrix of a member.
    lines: Vec<f64>,
    /// True if the mass matrices are known.
    has_masses: bool,
    /// True if there is a law for each row or contact since the last change of the mass matrices.
    has_laws: bool,
    /// True if the blocks are those of this system.
    is_laid_out: bool,
    elimination: Elimination,
    /// Sizes of the nodes, and pairs of them that share a block, from which the order of the elimination follows.
    pattern: Pattern,
    /// Those of the present order.
    known: Pattern,
    /// Nodes of a law.
    touched: Vec<usize>,
    laws: Vec<Law>,
    entries: Vec<Entry>,
    /// Index of the block of each pair of a law's entries.
    pairs: Vec<u32>,
    /// Mass matrices in the order of `blocks`.
    masses: Vec<Block>,
    /// Groups whose system has been factorised; their impulses are not used.
    factored: Vec<Group>,
    /// True if that system was symmetric; `None` without factors.
    symmetry: Option<bool>,
    /// The system, then its factors.
    blocks: Vec<Block>,
    /// Transposed blocks of the other triangle, of a system that is not symmetric.
    transposed: Vec<Block>,
    /// Right-hand side, then the solution, by position.
    right: Vec<[f64; SIZE]>,
}

impl BlockSystem {
    /// Forgets the mass matrices.
    pub(super) const fn clear_masses(&mut self) {
        self.has_masses = false;
    }

    /// Reads the mass matrices.
    pub(super) fn set_masses(&mut self, members: &[Member<'_>], bodies: &[FreeBody]) {
        self.nodes.clear();
        self.firsts.clear();
        self.couplings.clear();
        (self.has_laws, self.has_masses) = (false, true);
        self.symmetry = None;
        let mut start = 0;
        for member in members {
            self.firsts.push(self.nodes.len());
            // Deep trees have none.
            self.has_masses &= member.integrator.workspace.articulated.is_none();
            let count = member.tree.velocity_count();
            if self.has_masses {
                self.add_member(member, start, count);
            }
            start += count;
        }
        for body in bodies {
            self.firsts.push(self.nodes.len());
            let mut mass = EMPTY;
            self.has_masses &= write_body(body, mass.as_flattened_mut(), SIZE, 0);
            self.nodes.push(Node {
                start,
                size: SIZE,
                mass,
            });
            start += SIZE;
        }
        self.firsts.push(self.nodes.len());
    }

    /// Adds the nodes of a member.
    fn add_member(&mut self, member: &Member<'_>, start: usize, count: usize) {
        self.lines.clear();
        self.lines.resize(count * count, 0.0);
        member
            .integrator
            .write_mass_matrix(&mut self.lines, count, 0);
        let first = self.nodes.len();
        let copy = |rows: usize, columns: usize| {
            let mut block = EMPTY;
            for (row, line) in block.iter_mut().enumerate().take(count - rows) {
                let columns = columns..(columns + SIZE).min(count);
                let own = &self.lines[(rows + row) * count..][columns];
                line[..own.len()].copy_from_slice(own);
            }
            block
        };
        for (index, row) in (0..count).step_by(SIZE).enumerate() {
            let size = (count - row).min(SIZE);
            let mut mass = copy(row, row);
            for (missing, line) in mass.iter_mut().enumerate().skip(size) {
                line[missing] = 1.0;
            }
            self.nodes.push(Node {
                start: start + row,
                size,
                mass,
            });
            for (other, column) in (0..row).step_by(SIZE).enumerate() {
                let pair = [first + other, first + index];
                self.couplings.push((pair, copy(column, row)));
            }
        }
    }

    /// Begins to read rows, of which the first ones are those of contacts. Returns false if no system can be solved here.
    pub(super) fn begin(&mut self, rows: &[ConstraintRow], contacts: usize) -> bool {
        if !self.has_masses || self.nodes.len() > MAX_PARTICIPANTS {
            return false;
        }
        if !self.has_laws {
            (self.has_laws, self.is_laid_out) = (true, false);
            self.laws.clear();
            self.laws.resize(rows.len() - 2 * contacts, Law::default());
            self.entries.clear();
        }
        true
    }

    /// Reads the rows of some groups that have not been read. Requires [`begin`](Self::begin).
    pub(super) fn read(
        &mut self,
        groups: &[Group],
        (rows, contacts, jacobians): (&[ConstraintRow], usize, &[f64]),
    ) {
        for group in groups {
            let law = law_of(group, contacts);
            self.read_law(law, (rows, contacts, jacobians));
        }
    }

    /// Reads all rows that have not been read. Requires [`begin`](Self::begin).
    pub(super) fn read_all(&mut self, rows: &[ConstraintRow], contacts: usize, jacobians: &[f64]) {
        for law in 0..self.laws.len() {
            self.read_law(law, (rows, contacts, jacobians));
        }
    }

    fn read_law(
        &mut self,
        law: usize,
        (rows, contacts, jacobians): (&[ConstraintRow], usize, &[f64]),
    ) {
        if self.laws[law].entries.is_empty() {
            let own = if law < contacts {
                &rows[3 * law..3 * law + 3]
            } else {
                &rows[law + 2 * contacts..][..1]
            };
            self.find_nodes(own);
            let first = self.entries.len();
            self.add_entries(own, jacobians);
            self.laws[law].entries = first..self.entries.len();
        }
    }

    /// Adds blocks for some groups as far as there are none. Returns false if their elimination would be too much work.
    fn cover(&mut self, groups: &[Group], contacts: usize) -> bool {
        for group in groups {
            let law = &mut self.laws[law_of(group, contacts)];
            if law.pairs.is_none() {
                law.pairs = Some(0);
                self.is_laid_out = self.is_laid_out
                    && law.add_pairs(&mut self.entries, &mut self.pairs, &self.elimination);
            }
        }
        self.is_laid_out || self.lay_out()
    }

    /// Determines the blocks for all laws that have pairs, and the order of their elimination. Returns false if that is too
    /// much work.
    fn lay_out(&mut self) -> bool {
        self.symmetry = None;
        self.find_pattern();
        if self.pattern != self.known && !self.find_order() {
            return false;
        }
        self.write_masses();
        self.pairs.clear();
        for law in self.laws.iter_mut().filter(|law| law.pairs.is_some()) {
            law.add_pairs(&mut self.entries, &mut self.pairs, &self.elimination);
        }
        self.is_laid_out = true;
        true
    }

    /// Determines which nodes share a block in the laws that have pairs.
    fn find_pattern(&mut self) {
        let Pattern { sizes, pairs } = &mut self.pattern;
        sizes.clear();
        sizes.extend(self.nodes.iter().map(|node| node.size));
        pairs.clear();
        pairs.extend(self.couplings.iter().map(|(pair, _)| *pair));
        for law in self.laws.iter().filter(|law| law.pairs.is_some()) {
            let own = &self.entries[law.entries.clone()];
            for (index, one) in own.iter().enumerate() {
                for other in &own[index + 1..] {
                    let pair = [one.node.min(other.node), one.node.max(other.node)];
                    // Contacts of the same two bodies follow one another.
                    if pairs.last() != Some(&pair) {
                        pairs.push(pair);
                    }
                }
            }
        }
    }

    /// Determines the order of elimination for the pattern. Returns false if it is too much work.
    fn find_order(&mut self) -> bool {
        self.elimination.clear(self.nodes.len());
        for pair in &self.pattern.pairs {
            self.elimination.connect(*pair);
        }
        let sizes = &self.pattern.sizes;
        if self.elimination.find_order(|node| sizes[node], MAX_WORK) {
            self.known.clone_from(&self.pattern);
            true
        } else {
            self.elimination.clear(0);
            self.known = Pattern::default();
            false
        }
    }

    /// Finds the nodes of some rows.
    fn find_nodes(&mut self, rows: &[ConstraintRow]) {
        self.touched.clear();
        for block in rows.iter().flat_map(ConstraintRow::blocks) {
            let own = self.firsts[block.participant]..self.firsts[block.participant + 1];
            for node in own {
                if !self.touched.contains(&node) {
                    self.touched.push(node);
                }
            }
        }
    }

    fn write_masses(&mut self) {
        self.masses.clear();
        self.masses.resize(self.elimination.block_count(), EMPTY);
        for (node, own) in self.nodes.iter().enumerate() {
            self.masses[self.elimination.position_of(node)] = own.mass;
        }
        for (pair, mass) in &self.couplings {
            let [one, other] = pair.map(|node| self.elimination.position_of(node));
            let Some(block) = self.elimination.block_of([one, other]) else {
                continue;
            };
            let block = &mut self.masses[block as usize];
            for (row, line) in mass.iter().enumerate() {
                for (column, number) in line.iter().enumerate() {
                    if one < other {
                        block[row][column] = *number;
                    } else {
                        block[column][row] = *number;
                    }
                }
            }
        }
    }

    /// Adds the entries of rows with a common law, whose nodes have been found.
    fn add_entries(&mut self, rows: &[ConstraintRow], jacobians: &[f64]) {
        for node in &self.touched {
            let own = &self.nodes[*node];
            let mut lines = [[0.0; SIZE]; 3];
            for (row, line) in rows.iter().zip(&mut lines) {
                for block in row.blocks() {
                    let end = own.start + own.size;
                    if block.start <= own.start && end <= block.start + block.count {
                        let from = block.offset + own.start - block.start;
                        copy(&jacobians[from..from + own.size], line);
                    }
                }
            }
            self.entries.push(Entry {
                node: *node,
                position: 0,
                size: own.size,
                lines,
            });
        }
    }

    /// Solves the system for the changes of velocity by some groups. Returns false if it is singular or too much work.
    #[inline(always)]
    pub(super) fn solve<const IS_SYMMETRIC: bool>(
        &mut self,
        groups: &[Group],
        contacts: usize,
    ) -> bool {
        if !self.cover(groups, contacts) {
            return false;
        }
        if !self.has_factors::<IS_SYMMETRIC>(groups)
            && !self.factor::<IS_SYMMETRIC>(groups, contacts)
        {
            return false;
        }
        self.right.clear();
        self.right.resize(self.nodes.len(), [0.0; SIZE]);
        for group in groups {
            for entry in &self.entries[self.laws[law_of(group, contacts)].entries.clone()] {
                let right = &mut self.right[entry.position];
                for (line, given) in entry.lines.iter().zip(&group.given) {
                    add_multiple(right, line, *given);
                }
            }
        }
        let (blocks, transposed, right) = (&self.blocks, &self.transposed, &mut self.right);
        self.elimination
            .solve::<IS_SYMMETRIC>(blocks, transposed, right);
        right.iter().flatten().all(|change| change.is_finite())
    }

    /// Returns true if the factors are those of the system of some groups: in relaxations contacts that stick stay as they are.
    #[inline(always)]
    fn has_factors<const IS_SYMMETRIC: bool>(&self, groups: &[Group]) -> bool {
        let mut pairs = groups.iter().zip(&self.factored);
        self.symmetry == Some(IS_SYMMETRIC)
            && groups.len() == self.factored.len()
            && pairs.all(|(group, known)| {
                (group.first, group.count, group.gain) == (known.first, known.count, known.gain)
            })
    }

    /// Assembles and factorises the system of some groups. Returns false if it is singular.
    #[inline(always)]
    fn factor<const IS_SYMMETRIC: bool>(&mut self, groups: &[Group], contacts: usize) -> bool {
        self.symmetry = None;
        self.blocks.clone_from(&self.masses);
        self.transposed.clear();
        let count = self.nodes.len();
        if !IS_SYMMETRIC {
            self.transposed.extend_from_slice(&self.masses[count..]);
        }
        for group in groups {
            self.add::<IS_SYMMETRIC>(law_of(group, contacts), group);
        }
        let (blocks, transposed) = (&mut self.blocks, &mut self.transposed);
        if !self.elimination.factor::<IS_SYMMETRIC>(blocks, transposed) {
            return false;
        }
        self.symmetry = Some(IS_SYMMETRIC);
        self.factored.clear();
        self.factored.extend_from_slice(groups);
        true
    }

    /// Adds `JᵀKJ` of a law.
    #[inline(always)]
    fn add<const IS_SYMMETRIC: bool>(&mut self, law: usize, group: &Group) {
        let law = &self.laws[law];
        let entries = &self.entries[law.entries.clone()];
        let mut pairs = self.pairs[law.pairs.unwrap_or_default()..].iter();
        let count = self.nodes.len();
        let is_diagonal = group.is_diagonal();
        for (index, later) in entries.iter().enumerate() {
            let gain = |row: usize, column: usize| group.gain[row][column];
            let (scaled, transposed);
            if is_diagonal {
                scaled = later.scaled_by([0, 1, 2].map(|row| gain(row, row)));
                transposed = scaled;
            } else {
                scaled = later.scaled(gain);
                transposed = later.scaled(|row, column| gain(column, row));
            }
            for (other, (earlier, block)) in entries[..=index].iter().zip(&mut pairs).enumerate() {
                let block = *block as usize;
                earlier.add_products(&mut self.blocks[block], &scaled);
                if !IS_SYMMETRIC && other < index {
                    earlier.add_products(&mut self.transposed[block - count], &transposed);
                }
            }
        }
    }

    /// Returns the changes of the velocities of a law's rows: of the one with this index, contacts first.
    #[inline(always)]
    pub(super) fn changes_of(&self, law: usize) -> [f64; 3] {
        let mut changes = [0.0; 3];
        for entry in &self.entries[self.laws[law].entries.clone()] {
            let own = &self.right[self.elimination.position_of(entry.node)];
            for (change, line) in changes.iter_mut().zip(&entry.lines) {
                *change += product(line, own);
            }
        }
        changes
    }

    /// Adds a fraction of the changes to the velocities.
    #[inline(always)]
    pub(super) fn advance(&self, fraction: f64, velocities: &mut [f64]) {
        for (node, own) in self.nodes.iter().enumerate() {
            let changes = &self.right[self.elimination.position_of(node)];
            let own = &mut velocities[own.start..own.start + own.size];
            for (velocity, change) in own.iter_mut().zip(changes) {
                *velocity += fraction * change;
            }
        }
    }
}

/// Copies the entries of a node, most of which have the same number.
fn copy(numbers: &[f64], line: &mut [f64; SIZE]) {
    if let Ok(numbers) = <&[f64; SIZE]>::try_from(numbers) {
        *line = *numbers;
    } else {
        line[..numbers.len()].copy_from_slice(numbers);
    }
}

#[cfg(test)]
mod tests;
