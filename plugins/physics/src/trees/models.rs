//! Sets of equal trees, which share their constants and a workspace: both stay in the processor's cache.
use morse_mechanisms::Tree;

use super::Trees;

impl Trees {
    /// Returns the number of the set of equal trees to which the next tree belongs, and shares their constants.
    pub(super) fn model_of(&mut self, tree: &mut Tree) -> usize {
        let mut models = self.models.iter();
        let known = models.position(|first| tree.share(&self.rows[*first].tree));
        known.unwrap_or_else(|| {
            self.models.push(self.rows.len());
            self.models.len() - 1
        })
    }
}
