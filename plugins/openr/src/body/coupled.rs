//! Coupled limits of the ERS-7's leg joints: the inward limit of J2 depends on J1. On the robot, programs have to respect
//! it; here a guard enforces it.

/// Maximum angle of J1 for which the row is valid, and minimum angle of J2, degrees.
type Row = (i32, i32);

/// Rows of the front legs. Where rows of the original table overlap, at -55 and -54, 29 and 30, 64 and 65, the stricter one
/// applies.
#[rustfmt::skip]
const FRONT: &[Row] = &[
    (-76, -1), (-54, -2), (-46, -3), (-36, -4), (-31, -5), (-26, -6), (-21, -7), (-16, -8), (-11, -9),
    (20, -10), (25, -9), (28, -8), (40, -7), (45, -6), (50, -5), (55, -4), (63, -3), (130, -2),
];

/// Rows of the rear legs.
#[rustfmt::skip]
const REAR: &[Row] = &[
    (-71, 0), (-56, -1), (-46, -2), (-41, -3), (-36, -4), (-31, -5), (-26, -6), (-21, -7), (-16, -8), (-11, -9),
    (15, -10), (20, -9), (25, -8), (30, -7), (35, -6), (40, -5), (45, -4), (50, -3), (60, -2), (70, -1), (115, 0),
];

/// Returns the minimum angle of a leg's J2 for an angle of its J1, both in degrees. Between rows the stricter one applies.
#[must_use]
pub fn least_j2(is_front: bool, j1: f64) -> i32 {
    let rows = if is_front { FRONT } else { REAR };
    let index = rows.partition_point(|row| f64::from(row.0) < j1);
    let row = |index: usize| rows[index.min(rows.len() - 1)].1;
    match index.checked_sub(1) {
        Some(before) if j1 < f64::from(rows[before].0 + 1) => row(index).max(row(before)),
        _ => row(index),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legs_that_swing_keep_off_the_body() {
        let front = [-115, -76, -75, -55, -53, -11, -10, 20, 21, 29, 64, 130];
        let least = [-1, -1, -2, -2, -3, -9, -10, -10, -9, -7, -2, -2];
        assert_eq!(front.map(|j1| least_j2(true, f64::from(j1))), least);
        let rear = [115, 71, 70, 51, 50, 16, 15, -10, -11, -55, -56, -71, -130];
        let least = [0, 0, -1, -2, -3, -9, -10, -10, -9, -2, -1, 0, 0];
        assert_eq!(rear.map(|j1| least_j2(false, f64::from(j1))), least);
        assert_eq!([20.5, -75.5].map(|j1| least_j2(true, j1)), [-9, -1]);
    }
}
