//! Products and inverses of the blocks of members and free bodies.
use super::row::dot;

/// Adds a multiple of six entries, those of a free body, to others.
#[inline(always)]
pub(super) fn add_multiple(line: &mut [f64; 6], other: &[f64; 6], factor: f64) {
    // All at once: what is stored one by one is slow to load by twos.
    let mut sum = *line;
    for (entry, number) in sum.iter_mut().zip(other) {
        *entry += factor * number;
    }
    *line = sum;
}

/// Replaces a matrix by its inverse, by Gauss–Jordan elimination with partial pivoting. Returns false if it is singular.
pub(super) fn invert(matrix: &mut [f64], size: usize, swaps: &mut Vec<f64>) -> bool {
    if size == 6
        && let Ok(lines) = matrix.as_chunks_mut().0.try_into()
    {
        return invert_six(lines);
    }
    swaps.clear();
    for diagonal in 0..size {
        let entry = |row: &usize| matrix[row * size + diagonal].abs();
        let best = (diagonal..size).max_by(|one, other| entry(one).total_cmp(&entry(other)));
        let best = best.unwrap_or(diagonal);
        swaps.push(best as f64);
        for column in 0..size {
            matrix.swap(diagonal * size + column, best * size + column);
        }
        let pivot = matrix[diagonal * size + diagonal];
        if pivot.abs() <= f64::MIN_POSITIVE || !pivot.is_finite() {
            return false;
        }
        matrix[diagonal * size + diagonal] = 1.0;
        for column in 0..size {
            matrix[diagonal * size + column] /= pivot;
        }
        for row in (0..size).filter(|row| *row != diagonal) {
            let factor = std::mem::take(&mut matrix[row * size + diagonal]);
            for column in 0..size {
                matrix[row * size + column] -= factor * matrix[diagonal * size + column];
            }
        }
    }
    for diagonal in (0..size).rev() {
        let other = swaps[diagonal] as usize;
        for row in 0..size {
            matrix.swap(row * size + diagonal, row * size + other);
        }
    }
    true
}

/// Does what [`invert`] does for a free body.
fn invert_six(lines: &mut [[f64; 6]; 6]) -> bool {
    let mut swaps = [0; 6];
    for diagonal in 0..6 {
        let entry = |row: &usize| lines[*row][diagonal].abs();
        let best = (diagonal..6).max_by(|one, other| entry(one).total_cmp(&entry(other)));
        swaps[diagonal] = best.unwrap_or(diagonal);
        lines.swap(diagonal, swaps[diagonal]);
        let pivot = lines[diagonal][diagonal];
        if pivot.abs() <= f64::MIN_POSITIVE || !pivot.is_finite() {
            return false;
        }
        let mut own = lines[diagonal];
        own[diagonal] = 1.0;
        own = own.map(|number| number / pivot);
        lines[diagonal] = own;
        for row in (0..6).filter(|row| *row != diagonal) {
            let factor = std::mem::take(&mut lines[row][diagonal]);
            add_multiple(&mut lines[row], &own, -factor);
        }
    }
    for diagonal in (0..6).rev() {
        for line in &mut *lines {
            line.swap(diagonal, swaps[diagonal]);
        }
    }
    true
}

/// Replaces a matrix with some columns by its product with a square matrix from the left.
pub(super) fn multiply(square: &[f64], matrix: &mut [f64], width: usize, column: &mut Vec<f64>) {
    let size = matrix.len() / width;
    if size == 6
        && width == 6
        && let Ok(lines) = <&mut [[f64; 6]; 6]>::try_from(matrix.as_chunks_mut().0)
    {
        let before = *lines;
        for (line, factors) in lines.iter_mut().zip(square.chunks_exact(6)) {
            *line = [0.0; 6];
            for (other, factor) in before.iter().zip(factors) {
                add_multiple(line, other, *factor);
            }
        }
        return;
    }
    for column_index in 0..width {
        column.clear();
        column.extend((0..size).map(|row| matrix[row * width + column_index]));
        for row in 0..size {
            matrix[row * width + column_index] = dot(&square[row * size..(row + 1) * size], column);
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::*;

    /// Numbers without a pattern; the first one is zero, so that rows have to be swapped.
    fn numbers(count: usize) -> Vec<f64> {
        let number = |index: usize| libm::sin(7.0 * (index * index) as f64);
        (0..count).map(number).collect()
    }

    #[test]
    fn inverses_and_products_are_those_of_a_library() {
        for size in [1, 3, 6, 7] {
            let mut own = numbers(size * size);
            if size == 1 {
                own[0] = 4.0;
            }
            let square = DMatrix::from_row_slice(size, size, &own);
            for width in [1, 6, 7] {
                let mut columns = numbers(size * width);
                let expected = &square * DMatrix::from_row_slice(size, width, &columns);
                multiply(&own, &mut columns, width, &mut Vec::new());
                let product = DMatrix::from_row_slice(size, width, &columns);
                assert!((product - expected).amax() < 1e-13, "{size} by {width}");
            }
            assert!(invert(&mut own, size, &mut Vec::new()));
            let expected = square.try_inverse().unwrap();
            let inverse = DMatrix::from_row_slice(size, size, &own);
            assert!(
                (inverse - &expected).amax() < 1e-12 * expected.amax(),
                "{size}"
            );
        }
    }

    #[test]
    fn singular_blocks_have_no_inverse() {
        assert!(!invert(&mut [1.0, 2.0, 2.0, 4.0], 2, &mut Vec::new()));
        let mut lines = numbers(36);
        let (first, rest) = lines.split_at_mut(6);
        rest[24..].copy_from_slice(first);
        assert!(!invert(&mut [0.0; 36], 6, &mut Vec::new()));
        assert!(
            !invert(&mut lines, 6, &mut Vec::new())
                || lines.iter().any(|number| number.abs() > 1e12)
        );
    }
}
