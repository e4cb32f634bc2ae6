//! Elimination of the blocks of a system with a symmetric pattern, in the order of minimum degree.
use std::ops::Range;

use super::super::blocks::add_multiple;

/// Number of velocities of a node.
pub(super) const SIZE: usize = 6;

/// A block: rows of the node that is eliminated earlier, columns of the other one.
pub(super) type Block = [[f64; SIZE]; SIZE];

/// Zeros.
pub(super) const EMPTY: Block = [[0.0; SIZE]; SIZE];

/// Entry of the table for two nodes that share no block, and for two that do while their block has no index yet.
const ZERO: u32 = u32::MAX;
const SHARED: u32 = u32::MAX - 1;

/// Order of elimination, and the blocks that it needs: first those of each node with itself, then those of each node with the
/// nodes that are eliminated later.
#[derive(Clone, Debug, Default)]
pub(super) struct Elimination {
    /// Nodes, in the order of their elimination.
    order: Vec<usize>,
    /// Position of each node in the order.
    positions: Vec<usize>,
    /// Nodes with which each node shares a block and that are not eliminated before it. Entries beyond the count are kept as
    /// buffers.
    neighbours: Vec<Vec<usize>>,
    /// Index of the block of two nodes, by node.
    table: Vec<u32>,
    /// Columns of the blocks, by position; and those of each position.
    later: Vec<usize>,
    columns: Vec<Range<usize>>,
    /// Blocks that are changed by the elimination, in its sequence.
    targets: Vec<u32>,
    /// Number of velocities of each node, by position.
    sizes: Vec<usize>,
}

impl Elimination {
    /// Resets it to some nodes that share no blocks.
    pub(super) fn clear(&mut self, nodes: usize) {
        self.order.clear();
        self.positions.clear();
        self.positions.resize(nodes, usize::MAX);
        self.table.clear();
        self.table.resize(nodes * nodes, ZERO);
        if self.neighbours.len() < nodes {
            self.neighbours.resize(nodes, Vec::new());
        }
        for own in &mut self.neighbours[..nodes] {
            own.clear();
        }
    }

    /// Returns the number of nodes.
    pub(super) fn count(&self) -> usize {
        self.positions.len()
    }

    /// Adds a block of two nodes.
    pub(super) fn connect(&mut self, [one, other]: [usize; 2]) {
        let count = self.count();
        let known = &mut self.table[one * count + other];
        if *known == ZERO {
            *known = SHARED;
            self.table[other * count + one] = SHARED;
            self.neighbours[one].push(other);
            self.neighbours[other].push(one);
        }
    }

    /// Returns the position of a node in the order.
    #[inline(always)]
    pub(super) fn position_of(&self, node: usize) -> usize {
        self.positions[node]
    }

    /// Returns the index of the block of two positions, if there is one.
    pub(super) fn block_of(&self, positions: [usize; 2]) -> Option<u32> {
        let [one, other] = positions.map(|position| self.order[position]);
        let block = self.table[one * self.count() + other];
        (block < SHARED).then_some(block)
    }

    /// Returns the number of blocks.
    pub(super) fn block_count(&self) -> usize {
        self.count() + self.later.len()
    }

    /// Determines the order, given the number of velocities of each node. Returns false if the elimination takes more
    /// multiplications than `most`.
    pub(super) fn find_order(&mut self, size: impl Fn(usize) -> usize, most: usize) -> bool {
        let mut work = 0;
        while let Some(next) = self.next() {
            self.positions[next] = self.order.len();
            self.order.push(next);
            let own = std::mem::take(&mut self.neighbours[next]);
            for (index, one) in own.iter().enumerate() {
                self.neighbours[*one].retain(|other| *other != next);
                for other in &own[index + 1..] {
                    self.connect([*one, *other]);
                }
            }
            let around = SIZE * (own.len() + 1);
            work += SIZE * around * around;
            self.neighbours[next] = own;
            if work > most {
                return false;
            }
        }
        self.sizes.clear();
        self.sizes.extend(self.order.iter().map(|node| size(*node)));
        self.assign_blocks();
        true
    }

    /// Returns the remaining node with the fewest neighbours.
    fn next(&self) -> Option<usize> {
        let remaining = (0..self.count()).filter(|node| self.positions[*node] == usize::MAX);
        remaining.min_by_key(|node| (self.neighbours[*node].len(), *node))
    }

    /// Assigns indices to the blocks.
    fn assign_blocks(&mut self) {
        let count = self.count();
        self.later.clear();
        self.columns.clear();
        self.targets.clear();
        for (position, node) in self.order.iter().enumerate() {
            self.table[node * count + node] = position as u32;
            let first = self.later.len();
            let later = self.neighbours[*node].iter();
            self.later.extend(later.map(|other| self.positions[*other]));
            self.later[first..].sort_unstable();
            for (index, position) in self.later.iter().enumerate().skip(first) {
                let (block, other) = ((count + index) as u32, self.order[*position]);
                self.table[node * count + other] = block;
                self.table[other * count + node] = block;
            }
            self.columns.push(first..self.later.len());
        }
        for columns in &self.columns {
            for index in columns.clone() {
                for other in index..columns.end {
                    let pair = [self.later[index], self.later[other]];
                    self.targets.extend(self.block_of(pair));
                }
            }
        }
    }

    /// Factorises a system with these blocks. One that is not symmetric also has the transposed blocks of the other triangle,
    /// without those of each node with itself. Returns false if a pivot is zero, or not positive in a symmetric system.
    #[inline(always)]
    pub(super) fn factor<const IS_SYMMETRIC: bool>(
        &self,
        blocks: &mut [Block],
        transposed: &mut [Block],
    ) -> bool {
        let (diagonals, blocks) = blocks.split_at_mut(self.count());
        let mut targets = self.targets.iter();
        for (position, columns) in self.columns.iter().enumerate() {
            let (own, diagonals) = diagonals[position..].split_at_mut(1);
            let (upper, rest) = blocks.split_at_mut(columns.end);
            let upper = &mut upper[columns.clone()];
            let split = if IS_SYMMETRIC { 0 } else { columns.end };
            let (lower, lower_rest) = transposed.split_at_mut(split);
            let lower = &mut lower[split.min(columns.start)..];
            if !eliminate::<IS_SYMMETRIC>(&mut own[0], [upper, lower]) {
                return false;
            }
            let inverses = inverse_pivots(&own[0]);
            let lower = if IS_SYMMETRIC { &*upper } else { &*lower };
            for (index, later) in self.later[columns.clone()].iter().enumerate() {
                let scaled = scale(&lower[index], &inverses);
                let other_scaled = scale(&upper[index], &inverses);
                let size = self.sizes[*later];
                for other in index..upper.len() {
                    let Some(target) = targets.next() else {
                        return false;
                    };
                    let target = *target as usize;
                    let Some(block) = target.checked_sub(self.count() + columns.end) else {
                        let own = &mut diagonals[target - position - 1];
                        add_product(own, size, &scaled, &upper[other]);
                        continue;
                    };
                    add_product(&mut rest[block], size, &scaled, &upper[other]);
                    if !IS_SYMMETRIC {
                        add_product(&mut lower_rest[block], size, &other_scaled, &lower[other]);
                    }
                }
            }
        }
        true
    }

    /// Replaces a right-hand side by the solution, given the results of [`factor`](Self::factor).
    #[inline(always)]
    pub(super) fn solve<const IS_SYMMETRIC: bool>(
        &self,
        blocks: &[Block],
        transposed: &[Block],
        right: &mut [[f64; SIZE]],
    ) {
        let (diagonals, blocks) = blocks.split_at(self.count());
        let lower = if IS_SYMMETRIC { blocks } else { transposed };
        for (position, columns) in self.columns.iter().enumerate() {
            let own = &diagonals[position];
            let mut given = right[position];
            for pivot in 0..SIZE {
                for row in pivot + 1..SIZE {
                    given[row] += own[row][pivot] * given[pivot];
                }
            }
            right[position] = given;
            let inverses = inverse_pivots(own);
            let later = self.later[columns.clone()].iter();
            for (block, later) in lower[columns.clone()].iter().zip(later) {
                // A copy stays in registers.
                let mut sum = right[*later];
                for ((line, inverse), given) in block.iter().zip(inverses).zip(given) {
                    add_multiple(&mut sum, &scale_line(line, inverse), given);
                }
                right[*later] = sum;
            }
        }
        self.back_substitute(diagonals, blocks, right);
    }

    #[inline(always)]
    fn back_substitute(&self, diagonals: &[Block], blocks: &[Block], right: &mut [[f64; SIZE]]) {
        for (position, columns) in self.columns.iter().enumerate().rev() {
            let mut own = right[position];
            let pairs = blocks[columns.clone()]
                .iter()
                .zip(&self.later[columns.clone()]);
            for (block, later) in pairs {
                for (sum, line) in own.iter_mut().zip(block) {
                    *sum -= product(line, &right[*later]);
                }
            }
            let lines = &diagonals[position];
            for row in (0..SIZE).rev() {
                let mut sum = own[row];
                for column in row + 1..SIZE {
                    sum -= lines[row][column] * own[column];
                }
                own[row] = sum / lines[row][row];
            }
            right[position] = own;
        }
    }
}

/// Eliminates the velocities of a node from one another, in its own block, of which the lower triangle contains the factors
/// afterwards, and in those that it shares with later nodes (and the transposed ones). Returns false if a pivot is zero, or not
/// positive in a symmetric system.
#[inline(always)]
fn eliminate<const IS_SYMMETRIC: bool>(own: &mut Block, [upper, lower]: [&mut [Block]; 2]) -> bool {
    let [mut down, mut across] = [EMPTY; 2];
    for pivot in 0..SIZE {
        let line = own[pivot];
        let size = if IS_SYMMETRIC {
            line[pivot]
        } else {
            line[pivot].abs()
        };
        if size <= f64::MIN_POSITIVE || !size.is_finite() {
            return false;
        }
        let inverse = 1.0 / line[pivot];
        for row in pivot + 1..SIZE {
            across[pivot][row] = -line[row] * inverse;
            down[pivot][row] = if IS_SYMMETRIC {
                across[pivot][row]
            } else {
                -own[row][pivot] * inverse
            };
            add_multiple(&mut own[row], &line, down[pivot][row]);
        }
    }
    for (row, line) in own.iter_mut().enumerate() {
        for (number, factors) in line.iter_mut().zip(&down).take(row) {
            *number = factors[row];
        }
    }
    for (blocks, factors) in [(upper, down), (lower, across)] {
        for block in blocks {
            for row in 1..SIZE {
                let (above, rest) = block.split_at_mut(row);
                let mut own = rest[0];
                for (line, factors) in above.iter().zip(&factors) {
                    add_multiple(&mut own, line, factors[row]);
                }
                rest[0] = own;
            }
        }
    }
    true
}

/// Returns the inverse pivots of a node, given its own block after the elimination.
#[inline(always)]
fn inverse_pivots(own: &Block) -> [f64; SIZE] {
    std::array::from_fn(|pivot| 1.0 / own[pivot][pivot])
}

/// Returns a block divided by the pivots of its rows, with the opposite sign.
#[inline(always)]
fn scale(block: &Block, inverses: &[f64; SIZE]) -> Block {
    let mut scaled = EMPTY;
    for ((to, line), inverse) in scaled.iter_mut().zip(block).zip(inverses) {
        *to = scale_line(line, *inverse);
    }
    scaled
}

#[inline(always)]
fn scale_line(line: &[f64; SIZE], inverse: f64) -> [f64; SIZE] {
    let mut scaled = *line;
    for number in &mut scaled {
        *number *= -inverse;
    }
    scaled
}

/// Adds the product of a transposed block and another one to the first rows of a block.
#[inline(always)]
fn add_product(sum: &mut Block, rows: usize, transposed: &Block, other: &Block) {
    for (row, line) in sum.iter_mut().enumerate().take(rows) {
        // A copy stays in registers.
        let mut own = *line;
        for (factors, other) in transposed.iter().zip(other) {
            add_multiple(&mut own, other, factors[row]);
        }
        *line = own;
    }
}

/// Returns the scalar product of the entries of a node.
#[inline(always)]
pub(super) fn product(one: &[f64; SIZE], other: &[f64; SIZE]) -> f64 {
    let half = |first: usize| {
        one[first] * other[first]
            + one[first + 2] * other[first + 2]
            + one[first + 4] * other[first + 4]
    };
    half(0) + half(1)
}
