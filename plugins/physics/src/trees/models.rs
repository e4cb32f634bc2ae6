//! Sets of equal trees, which share their constants and a workspace: both stay in the processor's cache.
use morse_mechanisms::Tree;
use nalgebra::Vector3;

use super::Trees;

impl Trees {
    /// Returns the number of the set of equal trees to which the next tree belongs, and shares their constants.
    pub(super) fn model_of(&mut self, tree: &mut Tree, centers: &[Vector3<f64>]) -> usize {
        let mut models = self.models.iter();
        let known = models.position(|first| {
            let row = &self.rows[*first];
            row.centers == centers && tree.share(&row.tree)
        });
        known.unwrap_or_else(|| {
            self.models.push(self.rows.len());
            self.models.len() - 1
        })
    }
}
