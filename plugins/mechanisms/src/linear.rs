//! Vectors and matrices of [`Number`]s, with the operations of nalgebra in the same order.
//!
//! All of these functions are inlined whatever their size: only within a function that is compiled for AVX are operations
//! with [`Lanes`](crate::lanes) single instructions, and those of nalgebra are not inlined into it.
use nalgebra::{Matrix3, Vector3};

use crate::number::Number;

/// Returns the vector, for all trees.
#[inline(always)]
pub(crate) fn vector<T: Number>(of: &Vector3<f64>) -> Vector3<T> {
    Vector3::new(T::new(of.x), T::new(of.y), T::new(of.z))
}

/// Returns the matrix, for all trees.
#[inline(always)]
pub(crate) fn matrix<T: Number>(of: &Matrix3<f64>) -> Matrix3<T> {
    elements(|row, column| T::new(of[(row, column)]))
}

#[inline(always)]
pub(crate) fn zero<T: Number>() -> Vector3<T> {
    vector(&Vector3::new(0.0, 0.0, 0.0))
}

#[inline(always)]
pub(crate) fn sum<T: Number>(a: &Vector3<T>, b: &Vector3<T>) -> Vector3<T> {
    Vector3::new(a.x + b.x, a.y + b.y, a.z + b.z)
}

#[inline(always)]
pub(crate) fn difference<T: Number>(a: &Vector3<T>, b: &Vector3<T>) -> Vector3<T> {
    Vector3::new(a.x - b.x, a.y - b.y, a.z - b.z)
}

#[inline(always)]
pub(crate) fn scaled<T: Number>(vector: &Vector3<T>, factor: T) -> Vector3<T> {
    Vector3::new(vector.x * factor, vector.y * factor, vector.z * factor)
}

#[inline(always)]
pub(crate) fn cross<T: Number>(a: &Vector3<T>, b: &Vector3<T>) -> Vector3<T> {
    Vector3::new(
        a.y * b.z - a.z * b.y,
        a.z * b.x - a.x * b.z,
        a.x * b.y - a.y * b.x,
    )
}

#[inline(always)]
pub(crate) fn dot<T: Number>(a: &Vector3<T>, b: &Vector3<T>) -> T {
    a.x * b.x + a.y * b.y + a.z * b.z
}

/// Returns the product of a matrix and a vector.
#[inline(always)]
pub(crate) fn times<T: Number>(matrix: &Matrix3<T>, vector: &Vector3<T>) -> Vector3<T> {
    let [x, y, z] = [vector.x, vector.y, vector.z];
    Vector3::new(
        matrix.m11 * x + matrix.m12 * y + matrix.m13 * z,
        matrix.m21 * x + matrix.m22 * y + matrix.m23 * z,
        matrix.m31 * x + matrix.m32 * y + matrix.m33 * z,
    )
}

/// Returns the product of two matrices.
#[inline(always)]
pub(crate) fn product<T: Number>(a: &Matrix3<T>, b: &Matrix3<T>) -> Matrix3<T> {
    elements(|row, column| {
        a[(row, 0)] * b[(0, column)] + a[(row, 1)] * b[(1, column)] + a[(row, 2)] * b[(2, column)]
    })
}

/// Returns the matrix of the products of the elements of two vectors.
#[inline(always)]
pub(crate) fn outer<T: Number>(a: &Vector3<T>, b: &Vector3<T>) -> Matrix3<T> {
    elements(|row, column| a[row] * b[column])
}

#[inline(always)]
pub(crate) fn transposed<T: Number>(matrix: &Matrix3<T>) -> Matrix3<T> {
    elements(|row, column| matrix[(column, row)])
}

/// Returns the identity matrix times a factor.
#[inline(always)]
pub(crate) fn diagonal<T: Number>(factor: T) -> Matrix3<T> {
    let none = T::new(0.0) * factor;
    elements(|row, column| if row == column { factor } else { none })
}

#[inline(always)]
pub(crate) fn matrix_sum<T: Number>(a: &Matrix3<T>, b: &Matrix3<T>) -> Matrix3<T> {
    elements(|row, column| a[(row, column)] + b[(row, column)])
}

#[inline(always)]
pub(crate) fn matrix_difference<T: Number>(a: &Matrix3<T>, b: &Matrix3<T>) -> Matrix3<T> {
    elements(|row, column| a[(row, column)] - b[(row, column)])
}

#[inline(always)]
pub(crate) fn matrix_scaled<T: Number>(matrix: &Matrix3<T>, factor: T) -> Matrix3<T> {
    elements(|row, column| matrix[(row, column)] * factor)
}

/// Returns the matrix with these elements, given their row and column.
#[inline(always)]
pub(crate) fn elements<T: Number>(at: impl Fn(usize, usize) -> T) -> Matrix3<T> {
    Matrix3::new(
        at(0, 0),
        at(0, 1),
        at(0, 2),
        at(1, 0),
        at(1, 1),
        at(1, 2),
        at(2, 0),
        at(2, 1),
        at(2, 2),
    )
}
