//! Products of the vectors of groups by AVX, eight at a time.
use std::arch::x86_64::{
    __m256, _CMP_EQ_OQ, _CMP_GT_OQ, _mm256_add_ps, _mm256_blendv_ps, _mm256_cmp_ps,
    _mm256_cvtss_f32, _mm256_max_ps, _mm256_min_ps, _mm256_mul_ps, _mm256_permute_ps,
    _mm256_permute2f128_ps, _mm256_set1_ps, _mm256_setr_ps, _mm256_setzero_ps, _mm256_sub_ps,
};

use bevy::math::{Quat, Vec3};

use super::{Group, LANE_COUNT};

/// Returns true if this processor has AVX.
pub(super) fn is_supported() -> bool {
    is_x86_feature_detected!("avx")
}

/// Does what [`Groups::farthest`](super::Groups::farthest) does.
#[target_feature(enable = "avx")]
pub(super) fn farthest(groups: &[Group], direction: Vec3) -> usize {
    let of = [direction.x, direction.y, direction.z].map(|number| _mm256_set1_ps(number));
    let mut best = _mm256_set1_ps(f32::NEG_INFINITY);
    // Indices of vectors are exact as numbers of 32 bits up to 2^24.
    let mut at = _mm256_setzero_ps();
    let mut index = _mm256_setr_ps(0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0);
    let step = _mm256_set1_ps(LANE_COUNT as f32);
    for group in groups {
        let product = dot(&lanes(group), &of);
        let is_better = _mm256_cmp_ps::<_CMP_GT_OQ>(product, best);
        best = _mm256_blendv_ps(best, product, is_better);
        at = _mm256_blendv_ps(at, index, is_better);
        index = _mm256_add_ps(index, step);
    }
    let most = all_of(best, |one, other| _mm256_max_ps(one, other));
    let is_most = _mm256_cmp_ps::<_CMP_EQ_OQ>(best, most);
    let at = _mm256_blendv_ps(_mm256_set1_ps(f32::INFINITY), at, is_most);
    let first = all_of(at, |one, other| _mm256_min_ps(one, other));
    _mm256_cvtss_f32(first) as usize
}

/// Returns the least and the greatest coordinates of the vectors after a rotation.
#[target_feature(enable = "avx")]
pub(super) fn turned_bounds(groups: &[Group], rotation: Quat) -> [Vec3; 2] {
    let [x, y, z, w] = rotation.to_array();
    let square = x * x + y * y + z * z;
    let scale = _mm256_set1_ps(w * w - square);
    let twice = _mm256_set1_ps(w * 2.0);
    let two = _mm256_set1_ps(2.0);
    let axis = [x, y, z].map(|number| _mm256_set1_ps(number));
    let mut least = [_mm256_set1_ps(f32::INFINITY); 3];
    let mut greatest = [_mm256_set1_ps(f32::NEG_INFINITY); 3];
    for group in groups {
        let point = lanes(group);
        // The formula of glam, in its order: v (w² - b²) + b 2 (v·b) + (b × v) 2 w.
        let along = _mm256_mul_ps(dot(&point, &axis), two);
        for (index, [next, after]) in [[1, 2], [2, 0], [0, 1]].into_iter().enumerate() {
            let cross = _mm256_sub_ps(
                _mm256_mul_ps(axis[next], point[after]),
                _mm256_mul_ps(axis[after], point[next]),
            );
            let turned = _mm256_add_ps(
                _mm256_add_ps(
                    _mm256_mul_ps(point[index], scale),
                    _mm256_mul_ps(axis[index], along),
                ),
                _mm256_mul_ps(cross, twice),
            );
            least[index] = _mm256_min_ps(least[index], turned);
            greatest[index] = _mm256_max_ps(greatest[index], turned);
        }
    }
    let least = least.map(|lanes| all_of(lanes, |one, other| _mm256_min_ps(one, other)));
    let greatest = greatest.map(|lanes| all_of(lanes, |one, other| _mm256_max_ps(one, other)));
    [least, greatest].map(|corner| Vec3::from(corner.map(|lanes| _mm256_cvtss_f32(lanes))))
}

#[target_feature(enable = "avx")]
#[inline]
fn lanes(group: &Group) -> [__m256; 3] {
    group.map(|[a, b, c, d, e, f, g, h]| _mm256_setr_ps(a, b, c, d, e, f, g, h))
}

/// Returns the scalar product of each lane.
#[target_feature(enable = "avx")]
#[inline]
fn dot(one: &[__m256; 3], other: &[__m256; 3]) -> __m256 {
    let [x, y, z] = [0, 1, 2].map(|axis| _mm256_mul_ps(one[axis], other[axis]));
    _mm256_add_ps(_mm256_add_ps(x, y), z)
}

/// Returns the combination of all lanes, in each lane.
#[target_feature(enable = "avx")]
#[inline]
fn all_of(lanes: __m256, both: impl Fn(__m256, __m256) -> __m256) -> __m256 {
    let halves = both(lanes, _mm256_permute2f128_ps::<1>(lanes, lanes));
    let pairs = both(halves, _mm256_permute_ps::<0b01_00_11_10>(halves));
    both(pairs, _mm256_permute_ps::<0b10_11_00_01>(pairs))
}
