//! Four numbers on processors without AVX, where they would take as long as one after the other.
use std::ops::{Add, Div, Mul, Neg, Sub};

use super::LANE_COUNT;
use crate::number::Number;

/// Returns false: nothing is calculated with these numbers.
pub(crate) const fn is_supported() -> bool {
    false
}

/// Four numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lanes([f64; LANE_COUNT]);

impl Lanes {
    pub(super) const fn from_array(numbers: [f64; LANE_COUNT]) -> Self {
        Self(numbers)
    }

    pub(super) const fn to_array(self) -> [f64; LANE_COUNT] {
        self.0
    }

    fn with(self, other: Self, each: impl Fn(f64, f64) -> f64) -> Self {
        Self(std::array::from_fn(|lane| {
            each(self.0[lane], other.0[lane])
        }))
    }
}

impl Number for Lanes {
    fn new(number: f64) -> Self {
        Self([number; LANE_COUNT])
    }

    fn or_huge(self) -> Self {
        Self(self.0.map(Number::or_huge))
    }

    fn sincos(self) -> (Self, Self) {
        let each = self.0.map(libm::sincos);
        (
            Self(each.map(|(sine, _)| sine)),
            Self(each.map(|(_, cosine)| cosine)),
        )
    }
}

impl Add for Lanes {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.with(other, Add::add)
    }
}

impl Sub for Lanes {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.with(other, Sub::sub)
    }
}

impl Mul for Lanes {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        self.with(other, Mul::mul)
    }
}

impl Div for Lanes {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        self.with(other, Div::div)
    }
}

impl Neg for Lanes {
    type Output = Self;

    fn neg(self) -> Self {
        Self(self.0.map(Neg::neg))
    }
}
