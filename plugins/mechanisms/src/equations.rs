//! Linear equations `(H + A)·x = b` of one tree, with its mass matrix `H` and a diagonal matrix `A` of armatures and implicit
//! terms. Trees of usual depth use the LTDL factorisation of the matrix, deep ones the articulated-body factorisation.
use crate::{
    articulated::{ArticulatedFactors, diagonal},
    factor::index_of_diagonal,
    number::Number,
    tree::Tree,
    workspace::Workspace,
};

/// Depth (joint velocities on a path from the base) from which on the articulated-body factorisation is faster.
const DEEP: usize = 64;

impl Tree {
    /// Returns true if the articulated-body factorisation is faster.
    pub(crate) const fn is_deep(&self) -> bool {
        self.depth > DEEP && !self.shares_variables
    }
}

impl<T: Number> Workspace<T> {
    /// Returns the factors for a tree, if it is deep.
    pub(crate) fn articulated_factors(tree: &Tree) -> Option<ArticulatedFactors> {
        tree.is_deep().then(ArticulatedFactors::default)
    }
}

impl Workspace {
    /// Computes `H` at the poses of the last [`forward_kinematics`](Self::forward_kinematics), as far as it is needed.
    pub(crate) fn assemble(&mut self, tree: &Tree) {
        if self.articulated.is_some() {
            self.composite_inertias_of_links(tree);
            self.assembled.resize(tree.velocity_count(), 0.0);
            diagonal(tree, &self.composites, &mut self.assembled);
        } else {
            self.mass_matrix(tree);
            self.assembled.clone_from(&self.matrix.lower);
        }
    }

    /// Writes `H` into lines of this length, from a column on. Requires [`assemble`](Self::assemble), and a tree that is not
    /// deep.
    pub(crate) fn write_assembled(&self, lines: &mut [f64], stride: usize, first: usize) {
        let mut rest = &self.assembled[..];
        for row in 0..self.matrix.order() {
            let (own, later) = rest.split_at(row + 1);
            lines[row * stride + first..][..=row].copy_from_slice(own);
            for (column, entry) in own.iter().enumerate() {
                lines[column * stride + first + row] = *entry;
            }
            rest = later;
        }
    }

    /// Returns a diagonal element of `H`. Requires [`assemble`](Self::assemble).
    pub(crate) fn joint_inertia(&self, speed: usize) -> f64 {
        let index = match self.articulated {
            Some(_) => speed,
            None => index_of_diagonal(speed),
        };
        self.assembled[index]
    }

    /// Factors `H + A`, given the diagonal of `A`. Requires [`assemble`](Self::assemble).
    pub(crate) fn factor(&mut self, tree: &Tree, added: &[f64]) {
        if let Some(factors) = &mut self.articulated {
            factors.factor(tree, &self.local_poses, added);
            return;
        }
        self.matrix.lower.clone_from(&self.assembled);
        for (speed, added) in added.iter().enumerate() {
            self.matrix.add_diagonal(speed, *added);
        }
        self.matrix.factor();
    }

    /// Multiplies a vector with the inverse of `H + A`. Requires [`factor`](Self::factor).
    pub(crate) fn solve(&mut self, tree: &Tree, vector: &mut [f64]) {
        match &mut self.articulated {
            Some(factors) => factors.solve(tree, &self.local_poses, vector),
            None => self.matrix.solve(vector),
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use crate::{Base, Tree, Workspace, test_run::rod};

    #[test]
    fn deep_chains_accelerate_by_their_efforts() {
        let axes = [Vector3::x(), Vector3::y(), Vector3::new(0.3, 0.2, 1.0)];
        let links = (0..200).map(|index: usize| {
            let parent = index.checked_sub(1);
            rod(parent, [0.0, 0.0, -0.1], axes[index % 3], [0.2, 0.1], index)
        });
        let tree = Tree::new(&links.collect::<Vec<_>>()).unwrap();
        let mut workspace = Workspace::new(&tree);
        assert!(workspace.articulated.is_some());
        let mut state = tree.at_zero();
        for (index, position) in state.positions.iter_mut().enumerate() {
            *position = 0.1 * libm::sin(index as f64);
        }
        let base = Base::at_rest(Vector3::zeros());
        workspace.forward_kinematics(&tree, &base, &state);
        workspace.assemble(&tree);
        workspace.factor(&tree, &[0.0; 200]);
        let efforts: Vec<f64> = (0..200)
            .map(|index| libm::cos(0.3 * f64::from(index)))
            .collect();
        let mut accelerations = efforts.clone();
        workspace.solve(&tree, &mut accelerations);
        let mut actual = vec![0.0; 200];
        workspace.inverse_dynamics(&tree, &base, Some(&accelerations), &[], &mut actual);
        for (actual, effort) in actual.iter().zip(&efforts) {
            assert!((actual - effort).abs() < 1e-6, "{actual}, not {effort}");
        }
    }
}
