//! Four numbers in a register of AVX.
#![expect(
    unsafe_code,
    reason = "instructions of AVX; these numbers exist only where it is supported"
)]
use std::{
    arch::x86_64::{
        __m256d, _CMP_LE_OQ, _mm256_add_pd, _mm256_blendv_pd, _mm256_cmp_pd, _mm256_div_pd,
        _mm256_loadu_pd, _mm256_mul_pd, _mm256_set1_pd, _mm256_storeu_pd, _mm256_sub_pd,
        _mm256_xor_pd,
    },
    ops::{Add, Div, Mul, Neg, Sub},
};

use super::LANE_COUNT;
use crate::number::Number;

/// Returns true if this processor has AVX.
pub(crate) fn is_supported() -> bool {
    is_x86_feature_detected!("avx")
}

/// Four numbers. They exist only where AVX is [supported](is_supported).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lanes(__m256d);

impl Lanes {
    #[inline(always)]
    pub(super) fn from_array(numbers: [f64; LANE_COUNT]) -> Self {
        // SAFETY: the array has as many numbers, and AVX is supported.
        Self(unsafe { _mm256_loadu_pd(numbers.as_ptr()) })
    }

    #[inline(always)]
    pub(super) fn to_array(self) -> [f64; LANE_COUNT] {
        let mut numbers = [0.0; LANE_COUNT];
        // SAFETY: the array has as many numbers, and AVX is supported.
        unsafe { _mm256_storeu_pd(numbers.as_mut_ptr(), self.0) };
        numbers
    }
}

impl Number for Lanes {
    #[inline(always)]
    fn new(number: f64) -> Self {
        // SAFETY: AVX is supported.
        Self(unsafe { _mm256_set1_pd(number) })
    }

    #[inline(always)]
    fn or_huge(self) -> Self {
        let (least, huge) = (Self::new(f64::MIN_POSITIVE), Self::new(f64::MAX.sqrt()));
        // SAFETY: AVX is supported.
        Self(unsafe {
            let is_too_small = _mm256_cmp_pd::<_CMP_LE_OQ>(self.0, least.0);
            _mm256_blendv_pd(self.0, huge.0, is_too_small)
        })
    }

    #[inline(always)]
    fn sincos(self) -> (Self, Self) {
        let each = self.to_array().map(libm::sincos);
        let [sine, cosine] = [each.map(|(sine, _)| sine), each.map(|(_, cosine)| cosine)];
        (Self::from_array(sine), Self::from_array(cosine))
    }
}

impl Add for Lanes {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: AVX is supported.
        Self(unsafe { _mm256_add_pd(self.0, other.0) })
    }
}

impl Sub for Lanes {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: AVX is supported.
        Self(unsafe { _mm256_sub_pd(self.0, other.0) })
    }
}

impl Mul for Lanes {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: AVX is supported.
        Self(unsafe { _mm256_mul_pd(self.0, other.0) })
    }
}

impl Div for Lanes {
    type Output = Self;

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        // SAFETY: AVX is supported.
        Self(unsafe { _mm256_div_pd(self.0, other.0) })
    }
}

impl Neg for Lanes {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: AVX is supported.
        Self(unsafe { _mm256_xor_pd(self.0, _mm256_set1_pd(-0.0)) })
    }
}

impl PartialEq for Lanes {
    fn eq(&self, other: &Self) -> bool {
        self.to_array() == other.to_array()
    }
}
