//! Laws of a system: the entries of their rows, and the blocks that they add to.
use std::ops::Range;

use super::super::{
    super::blocks::add_multiple,
    Group,
    elimination::{Block, Elimination, SIZE},
};

/// Rows that share a law: those of a contact, or a single one.
#[derive(Clone, Debug, Default)]
pub(super) struct Law {
    pub(super) entries: Range<usize>,
    /// Index of its first pair; `None` if the blocks are not for it.
    pub(super) pairs: Option<usize>,
}

/// Entries of a law's rows for one node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) node: usize,
    /// Position of the node in the order of elimination, of a law with pairs.
    pub(super) position: usize,
    pub(super) size: usize,
    /// Entries of each row.
    pub(super) lines: [[f64; SIZE]; 3],
}

impl Law {
    /// Adds the blocks of its pairs of nodes, and orders its entries as their nodes are eliminated. Returns false if a block is
    /// missing.
    pub(super) fn add_pairs(
        &mut self,
        entries: &mut [Entry],
        pairs: &mut Vec<u32>,
        elimination: &Elimination,
    ) -> bool {
        let own = &mut entries[self.entries.clone()];
        if own.iter().any(|entry| entry.node >= elimination.count()) {
            return false;
        }
        for entry in &mut *own {
            entry.position = elimination.position_of(entry.node);
        }
        own.sort_unstable_by_key(|entry| entry.position);
        self.pairs = Some(pairs.len());
        for (index, later) in own.iter().enumerate() {
            for earlier in &own[..=index] {
                let Some(block) = elimination.block_of([earlier.position, later.position]) else {
                    return false;
                };
                pairs.push(block);
            }
        }
        true
    }
}

impl Entry {
    /// Returns the products of its lines with a matrix from the left.
    #[inline(always)]
    pub(super) fn scaled(&self, gain: impl Fn(usize, usize) -> f64) -> [[f64; SIZE]; 3] {
        let mut scaled = [[0.0; SIZE]; 3];
        for (row, sum) in scaled.iter_mut().enumerate() {
            for (column, line) in self.lines.iter().enumerate() {
                add_multiple(sum, line, gain(row, column));
            }
        }
        scaled
    }

    /// Returns its lines times the elements of a diagonal matrix.
    #[inline(always)]
    pub(super) fn scaled_by(&self, gains: [f64; 3]) -> [[f64; SIZE]; 3] {
        let mut scaled = [[0.0; SIZE]; 3];
        for ((sum, line), gain) in scaled.iter_mut().zip(&self.lines).zip(gains) {
            add_multiple(sum, line, gain);
        }
        scaled
    }

    /// Adds the products of its transposed lines with others to a block.
    #[inline(always)]
    pub(super) fn add_products(&self, block: &mut Block, others: &[[f64; SIZE]; 3]) {
        for (row, sum) in block.iter_mut().enumerate().take(self.size) {
            // A copy stays in registers.
            let mut own = *sum;
            for (line, other) in self.lines.iter().zip(others) {
                add_multiple(&mut own, other, line[row]);
            }
            *sum = own;
        }
    }
}

/// Returns the index of the law of a group.
pub(in super::super) const fn law_of(group: &Group, contacts: usize) -> usize {
    if group.first < 3 * contacts {
        group.first / 3
    } else {
        group.first - 2 * contacts
    }
}
