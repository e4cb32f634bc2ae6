//! Products of the vectors of groups on all processors, four at a time.
use bevy::math::{Quat, Vec3, Vec4};

use super::Group;

/// Does what [`Groups::farthest`](super::Groups::farthest) does.
pub(super) fn farthest(groups: &[Group], direction: Vec3) -> usize {
    let [x, y, z] = direction.to_array().map(Vec4::splat);
    let mut best = Vec4::NEG_INFINITY;
    // Indices of vectors are exact as numbers of 32 bits up to 2^24.
    let mut at = Vec4::ZERO;
    let mut index = Vec4::new(0.0, 1.0, 2.0, 3.0);
    for [px, py, pz] in groups.iter().flat_map(halves) {
        let product = px * x + py * y + pz * z;
        let is_better = product.cmpgt(best);
        best = Vec4::select(is_better, product, best);
        at = Vec4::select(is_better, index, at);
        index += 4.0;
    }
    let lanes = best.to_array().into_iter().zip(at.to_array());
    let first = lanes.reduce(|one, other| {
        let is_first = other.0 > one.0 || other.0 >= one.0 && other.1 < one.1;
        if is_first { other } else { one }
    });
    first.map_or(0, |(_, at)| at as usize)
}

/// Returns the least and the greatest coordinates of the vectors after a rotation.
pub(super) fn turned_bounds(groups: &[Group], rotation: Quat) -> [Vec3; 2] {
    let [x, y, z, w] = rotation.to_array();
    let square = x * x + y * y + z * z;
    let scale = Vec4::splat(w * w - square);
    let twice = Vec4::splat(w * 2.0);
    let [x, y, z] = [x, y, z].map(Vec4::splat);
    let mut least = [Vec4::INFINITY; 3];
    let mut greatest = [Vec4::NEG_INFINITY; 3];
    for [px, py, pz] in groups.iter().flat_map(halves) {
        // The formula of glam, in its order: v (w² - b²) + b 2 (v·b) + (b × v) 2 w.
        let along = (px * x + py * y + pz * z) * 2.0;
        let cross = [y * pz - z * py, z * px - x * pz, x * py - y * px];
        let turned = [
            px * scale + x * along + cross[0] * twice,
            py * scale + y * along + cross[1] * twice,
            pz * scale + z * along + cross[2] * twice,
        ];
        for axis in 0..3 {
            least[axis] = least[axis].min(turned[axis]);
            greatest[axis] = greatest[axis].max(turned[axis]);
        }
    }
    [
        Vec3::from(least.map(Vec4::min_element)),
        Vec3::from(greatest.map(Vec4::max_element)),
    ]
}

/// Returns the two halves of a group.
fn halves(group: &Group) -> [[Vec4; 3]; 2] {
    [0, 4].map(|first| {
        group.map(|line| Vec4::from_array(std::array::from_fn(|lane| line[first + lane])))
    })
}
