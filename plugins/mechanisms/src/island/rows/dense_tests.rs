//! Dense Newton steps beside sweeps.
use nalgebra::{DMatrix, DVector};

use super::{
    Rows,
    dense::{Factors, MAX_VELOCITIES},
    primal_tests::row_of_bodies_in,
};

/// Solves bodies in a row and returns the rows, the velocities and the number of steps.
fn solved(rows: Rows, count: usize, is_dense: bool) -> (Rows, Vec<f64>, usize) {
    let (mut rows, mut velocities) = row_of_bodies_in(rows, count, is_dense);
    let steps = rows.sweep(&mut velocities, false);
    rows.relax(&mut velocities);
    (rows, velocities, steps)
}

#[test]
fn the_solution_is_that_of_the_sweeps() {
    for count in 1..=5 {
        let (dense, actual, steps) = solved(Rows::default(), count, true);
        let (packed, expected, _) = solved(Rows::default(), count, false);
        assert_eq!(dense.stride, (6 * count).next_multiple_of(8));
        assert_eq!(packed.stride, 0);
        assert!(steps < 12, "{steps} steps for {count} bodies");
        for (one, other) in actual.iter().zip(&expected) {
            assert!((one - other).abs() < 1e-8, "{one} {other}");
        }
        for (one, other) in dense.rows.iter().zip(&packed.rows) {
            assert!(
                (one.impulse - other.impulse).abs() < 1e-8,
                "{one:?} {other:?}"
            );
            assert!((one.mass - other.mass).abs() < 1e-12 * one.mass);
        }
        let slides = dense
            .contacts
            .iter()
            .zip(dense.rows.chunks(3))
            .filter(|(contact, rows)| {
                let friction = (rows[1].impulse.powi(2) + rows[2].impulse.powi(2)).sqrt();
                rows[0].impulse > 0.0 && friction > 0.999 * contact.friction * rows[0].impulse
            });
        assert!(slides.count() > 1, "some contacts slide");
    }
}

/// Results must not depend on islands that were solved before: a copy of the simulation has not solved them.
#[test]
fn an_island_leaves_nothing_behind() {
    let (used, ..) = solved(Rows::default(), 5, true);
    let (_, again, _) = solved(used, 2, true);
    let (_, fresh, _) = solved(Rows::default(), 2, true);
    assert_eq!(again, fresh);
}

#[test]
fn islands_of_many_velocities_or_few_contacts_or_welds_keep_blocks() {
    let stride = |velocities, counts| {
        let mut rows = Rows::default();
        rows.clear(3.0);
        rows.lay_out(velocities, counts);
        rows.stride
    };
    assert_eq!(stride(MAX_VELOCITIES, [9, 0]), MAX_VELOCITIES);
    assert_eq!(stride(MAX_VELOCITIES + 1, [9, 0]), 0);
    assert_eq!(stride(13, [2, 0]), 0);
    assert_eq!(stride(6, [4, 1]), 0);
}

#[test]
fn factors_solve_as_a_library_does() {
    let numbers = [0.5, 2.0, 1.0, 4.0, 1.0, 0.5, 3.0, -1.0, -2.0];
    let right = [1.0, 2.0, 3.0];
    let mut matrix = [[0.0; 4]; 3];
    for (row, numbers) in matrix.iter_mut().zip(numbers.chunks(3)) {
        row[..3].copy_from_slice(numbers);
    }
    let mut factors = Factors::default();
    assert!(factors.factor(&matrix, &[false; 4], false));
    let actual = factors.solve([1.0, 2.0, 3.0, 0.0]);
    let whole = DMatrix::from_row_slice(3, 3, &numbers);
    let expected = whole
        .clone()
        .lu()
        .solve(&DVector::from_row_slice(&right))
        .unwrap();
    for (one, other) in actual.iter().zip(&expected) {
        assert!((one - other).abs() < 1e-14, "{actual:?}");
    }
    // A fixed variable is what the right-hand side says.
    assert!(factors.factor(&matrix, &[false, true, false, false], false));
    let actual = factors.solve([1.0, 7.0, 3.0, 0.0]);
    let rest = DMatrix::from_row_slice(2, 2, &[0.5, 1.0, 3.0, -2.0]);
    let expected = rest
        .lu()
        .solve(&DVector::from_row_slice(&[1.0, 3.0]))
        .unwrap();
    for (one, other) in actual.iter().zip([expected[0], 7.0, expected[1], 0.0]) {
        assert!((one - other).abs() < 1e-14, "{actual:?}");
    }
    let singular = [[1.0, 2.0, 0.0, 0.0], [2.0, 4.0, 0.0, 0.0]];
    assert!(!factors.factor(&singular, &[false; 4], true));
}
