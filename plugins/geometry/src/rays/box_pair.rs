//! Boxes of two nodes side by side.
use wide::f64x2;

use super::Vec3;
use super::aabb::Aabb;

/// The boxes of two siblings in a tree.
#[derive(Clone, Copy)]
pub(super) struct BoxPair {
    /// x, y and z of the centres.
    pub(super) center: [f64x2; 3],
    /// Half side lengths along x, y and z.
    pub(super) half: [f64x2; 3],
}

impl BoxPair {
    /// Returns the pair of two boxes.
    pub(super) fn of(boxes: [&Aabb; 2]) -> Self {
        let each =
            |[left, right]: [Vec3; 2]| [0, 1, 2].map(|axis| f64x2::new([left[axis], right[axis]]));
        Self {
            center: each(boxes.map(Aabb::center)),
            half: each(boxes.map(Aabb::half)),
        }
    }
}
