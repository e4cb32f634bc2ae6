//! Numbers of the calculations: `f64` for one tree, or four of them for as many trees at the same time.
//!
//! A function of [`Number`]s does the same operations in the same order for both, so that each of the four results is equal
//! to the last bit to that of `f64`.
use std::ops::{Add, Div, Mul, Neg, Sub};

use nalgebra::Scalar;

/// `f64`, or four of them.
pub trait Number:
    Scalar
    + Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// Returns a number, or four times the same one.
    fn new(number: f64) -> Self;

    /// Returns a number, or a huge one in place of one that is not above the least normal one.
    #[must_use]
    fn or_huge(self) -> Self;

    /// Returns sine and cosine of an angle (rad), the same on all machines.
    #[must_use]
    fn sincos(self) -> (Self, Self);
}

impl Number for f64 {
    #[inline(always)]
    fn new(number: f64) -> Self {
        number
    }

    #[inline(always)]
    fn or_huge(self) -> Self {
        if self <= Self::MIN_POSITIVE {
            Self::MAX.sqrt()
        } else {
            self
        }
    }

    #[inline(always)]
    fn sincos(self) -> (Self, Self) {
        libm::sincos(self)
    }
}
