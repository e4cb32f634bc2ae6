//! Mass matrix and its sparse LTDL factorisation `M = LᵀDL`, without fill-in between branches of the tree. O(n·depth²) to
//! factor, O(n·depth) to solve.
//!
//! R. Featherstone, "Rigid Body Dynamics Algorithms", section 6.5. If variables are shared between branches, the parent
//! array makes the matrix dense; the algorithm is the same.
use crate::number::Number;

/// A symmetric positive definite matrix over the velocities of a tree: filled, factored in place, then used to solve.
#[derive(Clone, Debug, Default)]
pub struct MassMatrix<T = f64> {
    /// Lower triangle, row by row.
    pub(crate) lower: Vec<T>,
    /// Parent of each row (λ): the previous row with a coupling.
    parents: Vec<Option<usize>>,
    /// True if each row is coupled to all rows above it, as those of a chain.
    is_dense: bool,
    /// Rows above each row to which it is coupled (its ancestors in the tree of λ), from the nearest on, concatenated. Empty
    /// before the first factorisation, which deep trees never need, and if the matrix is dense.
    ancestors: Vec<usize>,
    /// End of the ancestors of each row.
    ends: Vec<usize>,
}

impl<T: Number> MassMatrix<T> {
    /// Returns an empty matrix with the sparsity pattern of a tree.
    pub(crate) fn new(parents: Vec<Option<usize>>) -> Self {
        let mut rows = parents.iter().enumerate();
        Self {
            lower: Vec::new(),
            is_dense: rows.all(|(row, parent)| *parent == row.checked_sub(1)),
            parents,
            ancestors: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Returns the number of rows.
    #[must_use]
    #[inline(always)]
    pub fn order(&self) -> usize {
        self.parents.len()
    }

    /// Sets all elements to zero.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        let order = self.order();
        self.lower.clear();
        self.lower.resize(order * (order + 1) / 2, T::new(0.0));
    }

    /// Returns the elements of a row up to the diagonal.
    #[inline(always)]
    pub(crate) fn row_mut(&mut self, row: usize) -> &mut [T] {
        &mut self.lower[index(row, 0)..][..=row]
    }

    #[inline(always)]
    pub(crate) fn add(&mut self, row: usize, column: usize, number: T) {
        let entry = &mut self.lower[index(row.max(column), row.min(column))];
        *entry = *entry + number;
    }

    /// Collects the ancestors of all rows, if that was not done yet and the matrix is not dense.
    fn find_ancestors(&mut self) {
        if self.is_dense || !self.ends.is_empty() {
            return;
        }
        for parent in &self.parents {
            let mut ancestor = *parent;
            while let Some(left) = ancestor {
                self.ancestors.push(left);
                ancestor = self.parents[left];
            }
            self.ends.push(self.ancestors.len());
        }
    }

    /// Returns the rows above a row to which it is coupled, from the nearest on.
    fn ancestors_of(&self, row: usize) -> &[usize] {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.ancestors[start..self.ends[row]]
    }

    /// Does what [`factor`](MassMatrix::factor) does.
    #[inline(always)]
    pub(crate) fn factor_numbers(&mut self) {
        self.find_ancestors();
        for row in (0..self.order()).rev() {
            let start = index(row, 0);
            let (above, own) = self.lower.split_at_mut(start);
            let own = &mut own[..=row];
            own[row] = own[row].or_huge();
            let inverse = T::new(1.0) / own[row];
            if self.is_dense {
                for left in (0..row).rev() {
                    let share = own[left] * inverse;
                    let target = &mut above[index(left, 0)..][..=left];
                    for (number, own) in target.iter_mut().zip(&*own) {
                        *number = *number - share * *own;
                    }
                    own[left] = share;
                }
                continue;
            }
            let first = row.checked_sub(1).map_or(0, |before| self.ends[before]);
            let ancestors = &self.ancestors[first..self.ends[row]];
            for (number, &left) in ancestors.iter().enumerate() {
                let share = own[left] * inverse;
                let target = &mut above[index(left, 0)..][..=left];
                for &column in &ancestors[number..] {
                    target[column] = target[column] - share * own[column];
                }
                own[left] = share;
            }
        }
    }

    /// Sets the lower triangle, row by row, of the factors that [`factor`](MassMatrix::factor) of an equal tree has computed.
    pub(crate) fn set_factors(&mut self, factors: &Vec<T>) {
        self.find_ancestors();
        self.lower.clone_from(factors);
    }

    /// Does what [`solve`](MassMatrix::solve) does.
    #[inline(always)]
    pub(crate) fn solve_numbers(&self, vector: &mut [T]) {
        let vector = &mut vector[..self.order()];
        if self.is_dense {
            self.solve_dense(vector);
            return;
        }
        for row in (0..self.order()).rev() {
            let own = &self.lower[index(row, 0)..][..=row];
            let number = vector[row];
            for &left in self.ancestors_of(row) {
                vector[left] = vector[left] - own[left] * number;
            }
        }
        for row in 0..self.order() {
            let own = &self.lower[index(row, 0)..][..=row];
            let mut number = vector[row] / own[row];
            for &left in self.ancestors_of(row) {
                number = number - own[left] * vector[left];
            }
            vector[row] = number;
        }
    }

    /// Does what [`solve`](MassMatrix::solve) does if each row is coupled to all rows above it.
    #[inline(always)]
    fn solve_dense(&self, vector: &mut [T]) {
        for row in (0..self.order()).rev() {
            let own = &self.lower[index(row, 0)..][..row];
            let number = vector[row];
            for (other, own) in vector.iter_mut().zip(own) {
                *other = *other - *own * number;
            }
        }
        for row in 0..self.order() {
            let own = &self.lower[index(row, 0)..][..=row];
            let mut number = vector[row] / own[row];
            for (own, other) in own.iter().zip(&vector[..row]) {
                number = number - *own * *other;
            }
            vector[row] = number;
        }
    }
}

impl MassMatrix {
    /// Returns an element of the symmetric matrix. Valid before the factorisation.
    #[must_use]
    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.lower[index(row.max(column), row.min(column))]
    }

    /// Adds a number to a diagonal element: armature, or implicit spring and damper terms.
    pub fn add_diagonal(&mut self, row: usize, number: f64) {
        self.lower[index(row, row)] += number;
    }

    /// Factors the matrix in place. A row without inertia gets an infinite pivot, so that its velocity stays constant.
    pub fn factor(&mut self) {
        self.factor_numbers();
    }

    /// Multiplies a vector with the inverse matrix. Requires [`factor`](Self::factor).
    pub fn solve(&self, vector: &mut [f64]) {
        self.solve_numbers(vector);
    }

    /// Does for four vectors what [`solve`](Self::solve) does for each, with the same results: their numbers lie side by side.
    pub(crate) fn solve_four(&self, vectors: &mut [[f64; 4]]) {
        if self.is_dense {
            self.solve_four_by(vectors, |row| 0..row);
        } else {
            self.solve_four_by(vectors, |row| self.ancestors_of(row).iter().copied());
        }
    }

    /// Solves for four vectors, given the rows above each row to which it is coupled.
    fn solve_four_by<I: Iterator<Item = usize>>(
        &self,
        vectors: &mut [[f64; 4]],
        coupled: impl Fn(usize) -> I,
    ) {
        let vectors = &mut vectors[..self.order()];
        for row in (0..self.order()).rev() {
            let own = &self.lower[index(row, 0)..][..=row];
            let numbers = vectors[row];
            for left in coupled(row) {
                for (other, number) in vectors[left].iter_mut().zip(&numbers) {
                    *other -= own[left] * number;
                }
            }
        }
        for row in 0..self.order() {
            let own = &self.lower[index(row, 0)..][..=row];
            let mut numbers = vectors[row].map(|number| number / own[row]);
            for left in coupled(row) {
                for (number, other) in numbers.iter_mut().zip(&vectors[left]) {
                    *number -= own[left] * other;
                }
            }
            vectors[row] = numbers;
        }
    }

    /// Returns the elements of a row of `L`, and at the end the diagonal of `D`. Requires [`factor`](Self::factor).
    pub(crate) fn factors_of(&self, row: usize) -> &[f64] {
        &self.lower[index(row, 0)..][..=row]
    }
}

/// Returns the index of an element in the lower triangle.
const fn index(row: usize, column: usize) -> usize {
    row * (row + 1) / 2 + column
}

/// Returns the index of an element of the diagonal in the lower triangle.
pub(crate) const fn index_of_diagonal(row: usize) -> usize {
    index(row, row)
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
                *sum = (0..4)
                    .map(|other| matrix.at(row, other) * wanted[other])
                    .sum();
            }
            matrix.factor();
            matrix.solve(&mut vector);
            for (actual, wanted) in vector.iter().zip(wanted) {
                assert!((actual - wanted).abs() < 1e-13, "{vector:?}");
            }
            let each = [1.0, -0.3, 0.07, 11.0].map(|factor| wanted.map(|number| number * factor));
            let mut four = [0, 1, 2, 3].map(|row: usize| each.map(|vector| vector[row]));
            matrix.solve_four(&mut four);
            for (lane, mut alone) in each.into_iter().enumerate() {
                matrix.solve(&mut alone);
                assert_eq!(four.map(|row| row[lane]), alone);
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
