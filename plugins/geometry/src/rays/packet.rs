//! Packets: rays from one point in similar directions, which traverse a tree together.
use super::Vec3;
use super::aabb::Aabb;

/// Replacement for the reciprocal of zero. Finite, so that zero times it is zero and no NaN arises.
const HUGE: f64 = 1e300;

/// Object of a ray without a hit; greater than every object's index.
pub const NOTHING: u32 = u32::MAX;

/// `W` rays from one origin, with the nearest hit of each so far.
///
/// Rays do not influence each other's results: content that is culled for the packet would have been missed by each of its
/// rays. So the results do not depend on how rays are grouped.
pub struct Packet<const W: usize> {
    pub(super) origin: Vec3,
    /// x, y and z of all directions.
    pub(super) directions: [[f64; W]; 3],
    /// Distance of the nearest hit, or the range of the ray; −1 for an unused lane.
    pub(super) distance: [f64; W],
    /// Object of the nearest hit, or [`NOTHING`].
    pub(super) object: [u32; W],
    /// Greatest of the distances.
    limit: f64,
    bounds: [AxisBounds; 3],
}

/// Bounds of one component of all directions, as the four factors of the slab test.
#[derive(Clone, Copy)]
struct AxisBounds {
    /// Factor of the distance to the low face: where the first ray passes it upwards.
    enter_low: f64,
    /// Factor of the distance to the high face: where the first ray passes it downwards.
    enter_high: f64,
    /// Factor of the distance to the low face: where the last ray has passed it downwards.
    leave_low: f64,
    /// Factor of the distance to the high face: where the last ray has passed it upwards.
    leave_high: f64,
}

impl<const W: usize> Packet<W> {
    /// Returns a packet of rays with ranges of `distance` times the length of their direction.
    pub fn new(origin: Vec3, directions: [[f64; W]; 3], distance: [f64; W]) -> Self {
        let bounds = [0, 1, 2].map(|axis| AxisBounds::of(&directions[axis]));
        let limit = greatest(&distance);
        Self {
            origin,
            directions,
            distance,
            object: [NOTHING; W],
            limit,
            bounds,
        }
    }

    /// Returns a lower bound of the distance at which any ray enters a box; infinite if no ray enters it before its nearest
    /// hit.
    #[inline]
    pub(super) fn enter(&self, aabb: &Aabb) -> f64 {
        let mut enter = 0.0;
        let mut leave = self.limit;
        for axis in 0..3 {
            let bounds = &self.bounds[axis];
            let low = aabb.low[axis] - self.origin[axis];
            let high = aabb.high[axis] - self.origin[axis];
            enter = max(enter, max(low * bounds.enter_low, high * bounds.enter_high));
            leave = min(leave, max(low * bounds.leave_low, high * bounds.leave_high));
        }
        if enter <= leave { enter } else { f64::INFINITY }
    }

    /// Returns true if a hit at this distance could still be the nearest hit of a ray.
    #[inline]
    pub(super) fn reaches(&self, distance: f64) -> bool {
        distance <= self.limit
    }

    /// Updates the nearest hits with the distances of an object (infinite: no hit). Of two objects at the same distance,
    /// that with the lower index is kept, so that the order of objects does not matter.
    #[inline]
    pub(super) fn offer(&mut self, object: u32, distances: &[f64; W]) {
        for (lane, &new) in distances.iter().enumerate() {
            let old = self.distance[lane];
            let is_nearer = (new < old) | ((new == old) & (object < self.object[lane]));
            self.distance[lane] = if is_nearer { new } else { old };
            self.object[lane] = if is_nearer { object } else { self.object[lane] };
        }
        self.limit = greatest(&self.distance);
    }
}

impl AxisBounds {
    fn of(components: &[f64]) -> Self {
        let low = components
            .iter()
            .fold(f64::INFINITY, |low, &component| min(component, low));
        let high = components
            .iter()
            .fold(f64::NEG_INFINITY, |high, &component| max(component, high));
        let (below, above) = (1.0 / low, 1.0 / high);
        let (leave_low, leave_high) = match (low > 0.0, high < 0.0) {
            (true, _) => (0.0, below.min(HUGE)),
            (_, true) => (above.max(-HUGE), 0.0),
            // Some ray may run along the slab and never leave it.
            _ => (-HUGE, HUGE),
        };
        Self {
            enter_low: if high > 0.0 { above.min(HUGE) } else { HUGE },
            enter_high: if low < 0.0 { below.max(-HUGE) } else { -HUGE },
            leave_low,
            leave_high,
        }
    }
}

fn greatest(distances: &[f64]) -> f64 {
    distances
        .iter()
        .fold(f64::NEG_INFINITY, |greatest, &distance| {
            max(distance, greatest)
        })
}

/// Returns 1 / `component`, finite also for zero.
#[inline]
pub(super) fn reciprocal(component: f64) -> f64 {
    if component.abs() > 1.0 / HUGE {
        1.0 / component
    } else {
        HUGE.copysign(component)
    }
}

/// Returns the greater number; `right` if either is NaN. One instruction, unlike `f64::max`.
#[inline]
pub(super) fn max(left: f64, right: f64) -> f64 {
    if left > right { left } else { right }
}

/// Returns the smaller number; `right` if either is NaN. One instruction, unlike `f64::min`.
#[inline]
pub(super) fn min(left: f64, right: f64) -> f64 {
    if left < right { left } else { right }
}
