//! Unique names of the frames of one description.

use std::collections::{BTreeMap, BTreeSet};

/// Names that are taken.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    taken: BTreeSet<String>,
    /// Last number that was appended to a name.
    numbers: BTreeMap<String, usize>,
}

impl Names {
    /// Returns true if a name is taken.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.taken.contains(name)
    }

    /// Takes a name; returns false if it is taken already.
    pub(crate) fn insert(&mut self, name: &str) -> bool {
        self.taken.insert(name.to_owned())
    }

    /// Takes a name, or the name with the next free number: `NAME-2`.
    pub(crate) fn free(&mut self, name: &str) -> String {
        if self.insert(name) {
            return name.to_owned();
        }
        // Numbers continue, so that many elements without names take a time in proportion to their number.
        let number = self.numbers.entry(name.to_owned()).or_insert(1);
        loop {
            *number += 1;
            let free = format!("{name}-{number}");
            if self.taken.insert(free.clone()) {
                return free;
            }
        }
    }
}
