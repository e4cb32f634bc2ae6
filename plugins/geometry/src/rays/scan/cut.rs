//! Cuts of solids by the plane of a scanner, as inverse ranges of the rays in the plane.
use morse_api::rays::planar::GROUP;

use super::{Lanes, Plane};
use crate::rays::Vec3;
use crate::rays::packet::{max, min};
use crate::rays::solid::{Placed, Solid};

/// Relative distance from an edge within which a ray is doubtful. Far above rounding errors, and far below the angle between
/// two rays.
const EDGE: f64 = 1e-7;

/// Inverse range that stands for "no hit": a billion metres.
const NEVER: f64 = 1e-9;

/// Cosine between a tube and the normal of the plane below which the cut is long and ill-conditioned.
const SLANTED: f64 = 0.1;

/// Sine of the angle between a side of a box and the normal of the plane below which the box is upright: far above rounding
/// errors, and far below the angle between two rays.
const UPRIGHT: f64 = 1e-12;

/// Angle beyond the corners of a box within which rays may be doubtful, rad.
const RIM: f64 = 10.0 * EDGE;

/// Intersection of a solid and the plane.
pub(super) enum Cut {
    /// The plane misses the solid.
    Nothing,
    Slabs(Slabs),
    Tube(Tube),
    /// There is no closed form, or it is ill-conditioned here.
    Unknown,
}

/// Linear function of a ray's direction in the plane.
type Linear = [f64; 2];

/// A box: a ray is inside after it has entered the last face towards the origin, until it leaves the first other face.
pub(super) struct Slabs {
    /// Inverse ranges of the faces towards the origin; the first one is repeated if there are fewer, unless the box is upright
    /// with one or two of them.
    enter: [Linear; 3],
    /// Inverse ranges of the other faces in question, of which the first one is repeated in the same way.
    leave: [Linear; 6],
    /// Numbers of distinct faces.
    pub(super) faces: [usize; 2],
}

/// An ellipse: a tube without ends in view, seen from outside, or a sphere.
pub(super) struct Tube {
    /// Component of the ray along the axis of the tube.
    along: Linear,
    /// Distance, times the ray's component across the axis, at which the ray passes the axis.
    aside: Linear,
    /// Displacement to the axis perpendicular to it, along the ray.
    toward: Linear,
    /// Square of the radius.
    square: f64,
    /// Inverse of the product of the distances to the nearest and to the farthest point.
    over: f64,
}

/// Hits of the rays of a group.
pub(super) struct Met {
    /// Inverse ranges, negative without a hit.
    pub(super) inverse_range: Lanes,
    /// Measure of the distance to the edge; a ray is doubtful if it is at most `edge`.
    gap: Lanes,
    edge: Lanes,
}

impl Cut {
    #[inline]
    pub(super) fn of(placed: &Placed, plane: &Plane) -> Self {
        match &placed.solid {
            Solid::Box { half } => Slabs::cut(placed, half, plane),
            &Solid::Sphere { radius } => Tube::cut_ball(placed, radius, plane),
            &Solid::Cylinder { radius, low, high } => Tube::cut(placed, [radius, low, high], plane),
            _ => Self::Unknown,
        }
    }
}

impl Slabs {
    fn cut(placed: &Placed, half: &Vec3, plane: &Plane) -> Cut {
        let from_solid = minus(plane.origin, placed.position);
        let mut slabs = Self {
            enter: [[0.0; 2]; 3],
            leave: [[0.0; 2]; 6],
            faces: [0; 2],
        };
        let [mut enters, mut leaves] = [0; 2];
        for (row, half) in placed.local_from_world.iter().zip(half) {
            let origin = dot(row, &from_solid);
            let direction = [dot(row, &plane.axes[0]), dot(row, &plane.axes[1])];
            let (low, high) = (-half - origin, half - origin);
            let touches = EDGE * (half + origin.abs());
            if *half <= touches || low.abs() <= touches || high.abs() <= touches {
                return Cut::Unknown;
            }
            let [low, high] = [low, high].map(|face| direction.map(|share| share / face));
            let far = match (origin < -half, origin > *half) {
                (true, _) => (low, [high, high]),
                (_, true) => (high, [low, low]),
                _ => {
                    let extent = |face: Linear| face[0].abs() + face[1].abs();
                    if max(extent(low), extent(high)) > NEVER {
                        slabs.leave[leaves] = low;
                        slabs.leave[leaves + 1] = high;
                        leaves += 2;
                    }
                    continue;
                }
            };
            slabs.enter[enters] = far.0;
            slabs.leave[leaves] = far.1[0];
            enters += 1;
            leaves += 1;
        }
        slabs.faces = [enters, leaves];
        if !matches!(slabs.faces, [1, 3] | [2, 2]) {
            for spare in enters..3 {
                slabs.enter[spare] = slabs.enter[0];
            }
            for spare in leaves..6 {
                slabs.leave[spare] = slabs.leave[0];
            }
        }
        Cut::Slabs(slabs)
    }

    /// Returns the directions of the corners that are seen at the right and at the left of an upright box, in the plane.
    /// `None` for other objects.
    pub(super) fn rim(placed: &Placed, plane: &Plane) -> Option<[Linear; 2]> {
        let Solid::Box { half } = &placed.solid else {
            return None;
        };
        let from_solid = minus(plane.origin, placed.position);
        let mut middle = [0.0; 2];
        let mut sides = [[0.0; 2]; 2];
        let mut count = 0;
        for (row, half) in placed.local_from_world.iter().zip(half) {
            let side = [dot(row, &plane.axes[0]), dot(row, &plane.axes[1])];
            if side[0].abs() + side[1].abs() < UPRIGHT {
                continue;
            }
            let origin = dot(row, &from_solid);
            *sides.get_mut(count)? = side.map(|share| share * half);
            middle = [0, 1].map(|axis| middle[axis] - side[axis] * origin);
            count += 1;
        }
        let corners = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]].map(|[a, b]| {
            [0, 1].map(|axis| middle[axis] + a * sides[0][axis] + b * sides[1][axis])
        });
        // Seen from outside, all corners are within half a circle.
        let turn = |from: &Linear, to: &Linear| from[0] * to[1] - from[1] * to[0];
        let [mut right, mut left] = [corners[0]; 2];
        for corner in &corners[1..] {
            if turn(&right, corner) < 0.0 {
                right = *corner;
            }
            if turn(&left, corner) > 0.0 {
                left = *corner;
            }
        }
        let turned = |[x, y]: Linear, angle: f64| [x - angle * y, y + angle * x];
        let [right, left] = [turned(right, -RIM), turned(left, RIM)];
        (turn(&right, &left) > 0.0).then_some([right, left])
    }

    /// Returns the inverse ranges of the box for the rays of a group. Doubtful rays pass too near to an edge. The const
    /// parameters are the numbers of distinct faces.
    #[inline(always)]
    pub(super) fn inverse_range<const ENTER: usize, const LEAVE: usize>(
        &self,
        x: &Lanes,
        y: &Lanes,
    ) -> Met {
        let at = |face: &Linear, lane: usize| face[0] * x[lane] + face[1] * y[lane];
        let mut enter: Lanes = std::array::from_fn(|lane| at(&self.enter[0], lane));
        let mut leave = [NEVER; GROUP];
        for face in &self.enter[1..ENTER.max(1)] {
            for (lane, enter) in enter.iter_mut().enumerate() {
                *enter = min(at(face, lane), *enter);
            }
        }
        for face in &self.leave[..LEAVE] {
            for (lane, leave) in leave.iter_mut().enumerate() {
                *leave = max(at(face, lane), *leave);
            }
        }
        // From within, a ray hits the box where it leaves it.
        if ENTER == 0 {
            return Met::surely(leave);
        }
        let [mut inverse_range, mut gap, mut edge] = [[0.0; GROUP]; 3];
        for lane in 0..GROUP {
            let width = enter[lane] - leave[lane];
            inverse_range[lane] = choose(mask(width >= 0.0), enter[lane], -1.0);
            gap[lane] = width.abs();
            edge[lane] = EDGE * leave[lane];
        }
        Met {
            inverse_range,
            gap,
            edge,
        }
    }
}

impl Tube {
    fn cut_ball(placed: &Placed, radius: f64, plane: &Plane) -> Cut {
        let center = minus(placed.position, plane.origin);
        let [x, y, height] = plane.axes.map(|axis| dot(&axis, &center));
        let margin = EDGE * (radius + length(&center));
        if height.abs() >= radius - margin {
            let misses = height.abs() > radius + margin;
            return if misses { Cut::Nothing } else { Cut::Unknown };
        }
        let square = (radius - height) * (radius + height);
        let distance = libm::hypot(x, y);
        Self::seen([0.0; 2], [-y, x], [x, y], square, [distance, margin])
    }

    fn cut(placed: &Placed, [radius, low, high]: [f64; 3], plane: &Plane) -> Cut {
        let axis = placed.local_from_world[2];
        let center = minus(placed.position, plane.origin);
        let [x, y, _] = plane.axes;
        let upright = dot(&axis, &plane.axes[2]).abs();
        if upright < SLANTED {
            return Cut::Unknown;
        }
        let along = [dot(&axis, &x), dot(&axis, &y)];
        let up = dot(&axis, &center);
        let across = [0, 1, 2].map(|i| center[i] - axis[i] * up);
        let toward = [dot(&x, &across), dot(&y, &across)];
        // Centre of the ellipse on the axis, and half its length.
        let share = (along[0] * toward[0] + along[1] * toward[1]) / (upright * upright);
        let middle = share - up;
        let slope = (along[0] * along[0] + along[1] * along[1]).sqrt() / upright;
        let extent = radius * slope;
        let margin = EDGE * (extent + share.abs() + radius + length(&center));
        if middle + extent < low - margin || middle - extent > high + margin {
            return Cut::Nothing;
        }
        if middle - extent < low + margin || middle + extent > high - margin {
            return Cut::Unknown;
        }
        let normal = cross(&axis, &center);
        let aside = [dot(&x, &normal), dot(&y, &normal)];
        let seen = [length(&across), margin];
        Self::seen(along, aside, toward, radius * radius, seen)
    }

    /// Returns the ellipse if it is seen from outside at a well-conditioned distance, and if it is not so thin that rounding
    /// decides which rays hit it.
    fn seen(
        along: Linear,
        aside: Linear,
        toward: Linear,
        square: f64,
        [distance, margin]: [f64; 2],
    ) -> Cut {
        let radius = square.sqrt();
        if distance <= radius + margin || radius <= margin {
            return Cut::Unknown;
        }
        Cut::Tube(Self {
            along,
            aside,
            toward,
            square,
            over: 1.0 / ((distance - radius) * (distance + radius)),
        })
    }

    /// Returns the inverse ranges of the ellipse for the rays of a group. Doubtful rays pass too near to its edge.
    #[inline(always)]
    pub(super) fn inverse_range(&self, x: &Lanes, y: &Lanes) -> Met {
        let [mut inverse_range, mut gap, mut edge] = [[0.0; GROUP]; 3];
        let linear = |f: &Linear, lane: usize| f[0] * x[lane] + f[1] * y[lane];
        for lane in 0..GROUP {
            let (along, aside) = (linear(&self.along, lane), linear(&self.aside, lane));
            let toward = linear(&self.toward, lane);
            let depth = self.square * (1.0 - along * along) - aside * aside;
            let new = (toward + max(depth, 0.0).sqrt()) * self.over;
            let is_ahead = mask(toward > 0.0);
            inverse_range[lane] = choose(mask(depth >= 0.0) & is_ahead, new, -1.0);
            gap[lane] = depth.abs();
            edge[lane] = choose(is_ahead, EDGE * self.square, -1.0);
        }
        Met {
            inverse_range,
            gap,
            edge,
        }
    }
}

impl Met {
    /// Returns the inverse ranges of rays none of which is doubtful.
    #[inline(always)]
    pub(super) fn surely(inverse_range: Lanes) -> Self {
        Self {
            inverse_range,
            gap: [0.0; GROUP],
            edge: [-1.0; GROUP],
        }
    }

    /// Returns true if any ray is doubtful.
    #[inline(always)]
    pub(super) fn is_any_unsure(&self) -> bool {
        let mut any = 0;
        for lane in 0..GROUP {
            any |= mask(self.gap[lane] <= self.edge[lane]);
        }
        any != 0
    }

    /// Returns true for each doubtful ray.
    pub(super) fn unsure(&self) -> [bool; GROUP] {
        std::array::from_fn(|lane| self.gap[lane] <= self.edge[lane])
    }
}

/// Returns ones in all bits if the condition holds, otherwise zeros.
#[inline(always)]
pub(super) fn mask(condition: bool) -> u64 {
    u64::from(condition).wrapping_neg()
}

/// Returns a number by its [`mask`], without a branch.
#[inline(always)]
pub(super) fn choose(mask: u64, yes: f64, no: f64) -> f64 {
    f64::from_bits(yes.to_bits() & mask | no.to_bits() & !mask)
}

fn length(a: &Vec3) -> f64 {
    dot(a, a).sqrt()
}

fn minus(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline]
pub(super) fn dot(a: &Vec3, b: &Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: &Vec3, b: &Vec3) -> Vec3 {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}
