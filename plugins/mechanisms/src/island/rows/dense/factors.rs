//! LU factors of a matrix with rows of a constant length.

/// Returns the dot product of two rows. Four partial sums do not wait for each other.
#[inline(always)]
pub(super) fn product<const S: usize>(one: &[f64; S], other: &[f64; S]) -> f64 {
    let mut sums = [0.0; 4];
    for (ones, others) in one.as_chunks::<4>().0.iter().zip(other.as_chunks::<4>().0) {
        for lane in 0..4 {
            sums[lane] += ones[lane] * others[lane];
        }
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3])
}

/// Adds a multiple of a row to another one.
#[inline(always)]
pub(super) fn act<const S: usize>(row: &[f64; S], factor: f64, sum: &mut [f64; S]) {
    for (sum, number) in sum.iter_mut().zip(row) {
        *sum += number * factor;
    }
}

/// Factors `P·A = L·U`.
#[derive(Clone, Debug, Default)]
pub(in crate::island::rows) struct Factors {
    /// Rows of `U`.
    upper: Vec<f64>,
    /// Columns of `L`, without the diagonal.
    lower: Vec<f64>,
    /// Inverse diagonal of `U`, and the row with which each row was exchanged before its elimination.
    pivots: Vec<(f64, usize)>,
}

impl Factors {
    /// Factors a matrix, in which the rows and columns of fixed variables are replaced by those of the unit matrix. A
    /// symmetric, positive definite matrix needs no pivoting. Returns false for a singular one.
    #[inline(always)]
    pub(in crate::island::rows) fn factor<const S: usize>(
        &mut self,
        matrix: &[[f64; S]],
        fixed: &[bool; S],
        is_symmetric: bool,
    ) -> bool {
        let count = matrix.len();
        self.upper.clear();
        self.upper.extend_from_slice(matrix.as_flattened());
        self.lower.clear();
        self.lower.resize(count * S, 0.0);
        self.pivots.clear();
        let (upper, _) = self.upper.as_chunks_mut::<S>();
        let (lower, _) = self.lower.as_chunks_mut::<S>();
        for index in (0..count).filter(|index| fixed[*index]) {
            for row in &mut *upper {
                row[index] = 0.0;
            }
            upper[index] = [0.0; S];
            upper[index][index] = 1.0;
        }
        for diagonal in 0..count {
            let mut best = diagonal;
            if !is_symmetric {
                for row in diagonal + 1..count {
                    if upper[row][diagonal].abs() > upper[best][diagonal].abs() {
                        best = row;
                    }
                }
                upper.swap(diagonal, best);
            }
            let (above, below) = upper.split_at_mut(diagonal + 1);
            let pivot = &above[diagonal];
            let size = pivot[diagonal].abs();
            if size <= f64::MIN_POSITIVE || !size.is_finite() {
                return false;
            }
            let inverse = 1.0 / pivot[diagonal];
            self.pivots.push((inverse, best));
            let factors = &mut lower[diagonal][diagonal + 1..count];
            for (row, kept) in below.iter_mut().zip(factors) {
                let factor = row[diagonal] * inverse;
                if factor != 0.0 {
                    act(pivot, -factor, row);
                    row[diagonal] = 0.0;
                    *kept = factor;
                }
            }
        }
        true
    }

    /// Returns the solution for a right-hand side.
    #[inline(always)]
    pub(in crate::island::rows) fn solve<const S: usize>(&self, mut right: [f64; S]) -> [f64; S] {
        let (upper, _) = self.upper.as_chunks::<S>();
        let (lower, _) = self.lower.as_chunks::<S>();
        for (index, (column, (_, other))) in lower.iter().zip(&self.pivots).enumerate() {
            right.swap(index, *other);
            act(column, -right[index], &mut right);
        }
        let mut solution = [0.0; S];
        for (index, (row, (inverse, _))) in upper.iter().zip(&self.pivots).enumerate().rev() {
            solution[index] = (right[index] - product(row, &solution)) * inverse;
        }
        solution
    }
}
