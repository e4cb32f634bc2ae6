//! Axis-aligned bounding boxes.
use super::Vec3;

/// Margin by which a box is grown, relative to 1 m plus its greatest coordinate. Far above the rounding error of any
/// intersection, so that a box never culls a ray that its content would stop; far below a millimetre, so that it costs
/// nothing.
const MARGIN: f64 = 1e-8;

/// An axis-aligned box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aabb {
    pub(super) low: Vec3,
    pub(super) high: Vec3,
}

impl Aabb {
    /// The empty box.
    pub(super) const EMPTY: Self = Self {
        low: [f64::INFINITY; 3],
        high: [f64::NEG_INFINITY; 3],
    };

    /// Returns the box with half side lengths `half` around `center`.
    pub(super) fn around(center: Vec3, half: Vec3) -> Self {
        Self {
            low: [
                center[0] - half[0],
                center[1] - half[1],
                center[2] - half[2],
            ],
            high: [
                center[0] + half[0],
                center[1] + half[1],
                center[2] + half[2],
            ],
        }
    }

    /// Returns the smallest box around both.
    pub(super) fn union(&self, other: &Self) -> Self {
        let mut union = *self;
        for axis in 0..3 {
            union.low[axis] = union.low[axis].min(other.low[axis]);
            union.high[axis] = union.high[axis].max(other.high[axis]);
        }
        union
    }

    /// Returns the smallest box around this one and a point.
    pub(super) fn with(&self, point: Vec3) -> Self {
        self.union(&Self {
            low: point,
            high: point,
        })
    }

    /// Returns the box grown by the safety margin of the intersections.
    pub(super) fn padded(&self) -> Self {
        let mut padded = *self;
        for axis in 0..3 {
            let margin = MARGIN * (1.0 + self.low[axis].abs().max(self.high[axis].abs()));
            padded.low[axis] -= margin;
            padded.high[axis] += margin;
        }
        padded
    }

    /// Returns the half side lengths.
    pub(super) fn half(&self) -> Vec3 {
        [0, 1, 2].map(|axis| (self.high[axis] - self.low[axis]) * 0.5)
    }

    /// Returns the centre.
    pub(super) fn center(&self) -> Vec3 {
        [0, 1, 2].map(|axis| (self.high[axis] + self.low[axis]) * 0.5)
    }

    /// Returns half of the surface area, the measure of how many rays hit a box. 0 if it is empty.
    pub(super) fn half_surface(&self) -> f64 {
        let [x, y, z] = self.half().map(|half| half.max(0.0) * 2.0);
        x * y + y * z + z * x
    }

    /// Returns true if it is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.low[0] > self.high[0]
    }

    /// Returns true if all coordinates are finite; those of invalid geometry are not.
    pub(super) fn is_finite(&self) -> bool {
        self.low
            .iter()
            .chain(&self.high)
            .all(|coordinate| coordinate.is_finite())
    }
}
