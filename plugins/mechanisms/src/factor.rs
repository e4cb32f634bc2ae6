//! Mass matrix and its sparse LTDL factorisation `M = LᵀDL`, without fill-in between branches of the tree. O(n·depth²) to
//! factor, O(n·depth) to solve.
//!
//! R. Featherstone, "Rigid Body Dynamics Algorithms", section 6.5. If variables are shared between branches, the parent
//! array makes the matrix dense; the algorithm is the same.

/// A symmetric positive definite matrix over the velocities of a tree: filled, factored in place, then used to solve.
#[derive(Clone, Debug, Default)]
pub struct MassMatrix {
    /// Lower triangle, row by row.
    pub(crate) lower: Vec<f64>,
    /// Parent of each row (λ): the previous row with a coupling.
    parents: Vec<Option<usize>>,
}

impl MassMatrix {
    /// Returns an empty matrix with the sparsity pattern of a tree.
    pub(crate) fn new(parents: Vec<Option<usize>>) -> Self {
        Self {
            lower: Vec::new(),
            parents,
        }
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn order(&self) -> usize {
        self.parents.len()
    }

    /// Returns an element of the symmetric matrix. Valid before the factorisation.
    #[must_use]
    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.lower[index(row.max(column), row.min(column))]
    }

    /// Sets all elements to zero.
    pub(crate) fn clear(&mut self) {
        let order = self.order();
        self.lower.clear();
        self.lower.resize(order * (order + 1) / 2, 0.0);
    }

    pub(crate) fn add(&mut self, row: usize, column: usize, number: f64) {
        self.lower[index(row.max(column), row.min(column))] += number;
    }

    /// Adds a number to a diagonal element: armature, or implicit spring and damper terms.
    pub fn add_diagonal(&mut self, row: usize, number: f64) {
        self.lower[index(row, row)] += number;
    }

    /// Factors the matrix in place. A row without inertia gets an infinite pivot, so that its velocity stays constant.
    pub fn factor(&mut self) {
        for row in (0..self.order()).rev() {
            let diagonal = index(row, row);
            if self.lower[diagonal] <= f64::MIN_POSITIVE {
                self.lower[diagonal] = f64::MAX.sqrt();
            }
            let pivot = self.lower[diagonal];
            let mut at = self.parents[row];
            while let Some(left) = at {
                let share = self.lower[index(row, left)] / pivot;
                let mut other = Some(left);
                while let Some(column) = other {
                    let by = share * self.lower[index(row, column)];
                    self.lower[index(left, column)] -= by;
                    other = self.parents[column];
                }
                self.lower[index(row, left)] = share;
                at = self.parents[left];
            }
        }
    }

    /// Multiplies a vector with the inverse matrix. Requires [`factor`](Self::factor).
    pub fn solve(&self, vector: &mut [f64]) {
        for row in (0..self.order()).rev() {
            let mut at = self.parents[row];
            while let Some(left) = at {
                vector[left] -= self.lower[index(row, left)] * vector[row];
                at = self.parents[left];
            }
        }
        for (row, number) in vector.iter_mut().enumerate() {
            *number /= self.lower[index(row, row)];
        }
        for row in 0..self.order() {
            let mut at = self.parents[row];
            while let Some(left) = at {
                vector[row] -= self.lower[index(row, left)] * vector[left];
                at = self.parents[left];
            }
        }
    }
}

/// Returns the index of an element in the lower triangle.
const fn index(row: usize, column: usize) -> usize {
    row * (row + 1) / 2 + column
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_solve_with_and_without_branches() {
        // Rows 1 and 2 are children of 0, row 3 of 2.
        for before in [
            vec![None, Some(0), Some(0), Some(2)],
            vec![None, Some(0), Some(1), Some(2)],
        ] {
            let mut matrix = MassMatrix::new(before);
            matrix.clear();
            for (row, column, number) in [
                (0, 0, 9.0),
                (1, 1, 4.0),
                (2, 2, 5.0),
                (3, 3, 2.0),
                (1, 0, 1.0),
                (2, 0, -1.5),
                (3, 0, 0.5),
                (3, 2, 1.25),
            ] {
                matrix.add(row, column, number);
            }
            let wanted = [1.0, -2.0, 3.0, 0.5];
            let mut vector = [0.0; 4];
            for (row, sum) in vector.iter_mut().enumerate() {
                *sum = (0..4).map(|at| matrix.at(row, at) * wanted[at]).sum();
            }
            matrix.factor();
            matrix.solve(&mut vector);
            for (found, wanted) in vector.iter().zip(wanted) {
                assert!((found - wanted).abs() < 1e-13, "{vector:?}");
            }
        }
    }

    #[test]
    fn what_weighs_nothing_does_not_move() {
        let mut matrix = MassMatrix::new(vec![None]);
        matrix.clear();
        matrix.factor();
        let mut vector = [1.0];
        matrix.solve(&mut vector);
        assert!(vector[0].abs() < 1e-100);
    }
}
