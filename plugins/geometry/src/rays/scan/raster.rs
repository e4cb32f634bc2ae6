//! One-dimensional z-buffer: the object that each ray hits, and its inverse range.
use std::cell::Cell;

use morse_api::rays::{PlanarFan, ScanBuffer, planar::GROUP};
use wide::{CmpGe as _, CmpGt as _, CmpLt as _, f64x2};

use super::cut::{Cut, Met, Slabs, Tube, choose, dot, mask};
use super::{Lanes, Plane};
use crate::rays::Vec3;
use crate::rays::box_pair::BoxPair;
use crate::rays::packet::{NOTHING, Packet, max, min};
use crate::rays::world::Object;

/// Object of a ray without a hit.
const NONE: f64 = -1.0;
/// Object of a ray that hits two objects at one distance, or an object at a distance that is not finite.
pub(super) const DOUBTFUL: f64 = -2.0;

/// Relative difference of two distances that count as equal. Far above rounding errors.
const TIE: f64 = 1e-9;

/// Number of groups beyond which a window is narrowed: for fewer, drawing them costs less.
const WIDE: u32 = 8;

/// Groups of rays that an object may cover: from `first` to before `end`. Indices beyond the last group wrap around.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Window {
    first: u32,
    end: u32,
}

/// The buffer during a scan.
pub(super) struct Raster<'a> {
    fan: &'a PlanarFan,
    plane: Plane,
    /// Coordinates of the origin along the plane's axes.
    origin: Vec3,
    buffer: &'a mut ScanBuffer,
    max_distance: f64,
    /// True if the origin is on the surface of an object. Its rays are doubtful for all later objects in their window.
    touches: bool,
}

impl<'a> Raster<'a> {
    /// Returns a buffer without hits.
    pub(super) fn new(
        fan: &'a PlanarFan,
        plane: Plane,
        max_distance: f64,
        buffer: &'a mut ScanBuffer,
    ) -> Self {
        let groups = fan.cosines().len();
        let empty = 1.0 / max_distance;
        buffer.inverse_range.clear();
        buffer.inverse_range.resize(groups, [empty; GROUP]);
        buffer.objects.clear();
        buffer.objects.resize(groups, [NONE; GROUP]);
        buffer.farthest.clear();
        buffer.farthest.resize(groups, empty);
        buffer.doubtful.clear();
        // The padding of the last group must not hide objects from its rays.
        let fill = buffer.inverse_range.as_flattened_mut().iter_mut();
        fill.skip(fan.len())
            .for_each(|inverse_range| *inverse_range = f64::INFINITY);
        let [x, y, z] = &plane.axes;
        Self {
            fan,
            origin: [
                dot(x, &plane.origin),
                dot(y, &plane.origin),
                dot(z, &plane.origin),
            ],
            plane,
            buffer,
            max_distance,
            touches: false,
        }
    }

    /// Returns, for each of two boxes, its squared distance in the plane, and the rays that may hit it; an infinite distance
    /// if no ray does.
    #[inline]
    pub(super) fn windows(&self, pair: &BoxPair) -> [(f64, Window); 2] {
        let [x, y, z] = [0, 1, 2].map(|axis| self.sides(axis, pair));
        let zero = f64x2::ZERO;
        let aside = |ends: [f64x2; 2]| ends[0].fast_max(-ends[1]).fast_max(zero);
        let [aside_x, aside_y] = [aside(x), aside(y)];
        let near = aside_x * aside_x + aside_y * aside_y;
        let misses = z[0].cmp_gt(zero)
            | z[1].cmp_lt(zero)
            | near.cmp_gt(f64x2::splat(self.max_distance * self.max_distance));
        let bound = misses.blend(f64x2::splat(f64::INFINITY), near);
        // The corner that is seen at the right of each box, and the one at its left.
        let [before_x, before_y] = [x, y].map(|ends| ends[1].cmp_lt(zero));
        let [beyond_x, beyond_y] = [x, y].map(|ends| ends[0].cmp_gt(zero));
        let corner = |is_high_x: f64x2, is_high_y: f64x2| {
            [is_high_x.blend(x[1], x[0]), is_high_y.blend(y[1], y[0])]
        };
        let right = corner(
            beyond_y | before_x & !before_y,
            before_x | before_y & !beyond_x,
        );
        let left = corner(
            before_y | before_x & !beyond_y,
            beyond_x | before_y & !before_x,
        );
        let [from, to] = [right, left].map(|[x, y]| pseudo_angles(x, y).to_array());
        // Across the positive x axis, the first rays come after the last ones.
        let wraps = (right[1].cmp_lt(zero) & left[1].cmp_ge(zero)).move_mask();
        let wraps = wraps.cast_unsigned();
        let groups = self.fan.cosines().len() as u32;
        let [near, bound] = [near, bound].map(f64x2::to_array);
        [0, 1].map(|side| {
            if near[side] == 0.0 {
                let all = Window {
                    first: 0,
                    end: groups,
                };
                return (bound[side], all);
            }
            let window = self.window([from[side], to[side]], wraps >> side & 1);
            let is_empty = window.first >= window.end;
            (if is_empty { f64::INFINITY } else { bound[side] }, window)
        })
    }

    /// Returns the rays between two pseudo-angles; `wraps` is 1 if they are on both sides of the first ray, otherwise 0.
    #[inline(always)]
    fn window(&self, [from, to]: [f64; 2], wraps: u32) -> Window {
        let groups = self.fan.cosines().len() as u32;
        let [first, end] = self.fan.between(from, to);
        let first = (first / GROUP) as u32;
        let end = (end.div_ceil(GROUP) as u32 + wraps * groups).min(first + groups);
        Window { first, end }
    }

    /// Returns the rays of a wide window that may hit an object: the box around it may be far greater.
    fn narrowed(&self, object: &Object, window: Window) -> Window {
        let Some([right, left]) = Slabs::rim(&object.placed, &self.plane) else {
            return window;
        };
        let angles = [right, left].map(|[x, y]| PlanarFan::pseudo_angle(x, y));
        let wraps = right[1] < 0.0 && left[1] >= 0.0;
        let Window { first, end } = self.window(angles, u32::from(wraps));
        let end = end.max(first);
        Window { first, end }
    }

    /// Returns the intervals of two boxes along an axis of the plane, relative to the origin: the lower ends, and the upper
    /// ones.
    #[inline(always)]
    fn sides(&self, axis: usize, BoxPair { center, half }: &BoxPair) -> [f64x2; 2] {
        let [x, y, z] = self.plane.axes[axis].map(f64x2::splat);
        let along = x * center[0] + y * center[1] + z * center[2];
        let extent = x.abs() * half[0] + y.abs() * half[1] + z.abs() * half[2];
        let from_origin = along - f64x2::splat(self.origin[axis]);
        [from_origin - extent, from_origin + extent]
    }

    /// Returns true if all rays of a window have hits nearer than `near`, a squared distance.
    #[inline]
    pub(super) fn is_hidden(&self, near: f64, window: Window) -> bool {
        let is_nearer = |farthest: &f64| farthest * farthest * near > 1.0 + TIE;
        let [low, high] = window.ranges(self.buffer.farthest.len());
        let farthest = &self.buffer.farthest;
        farthest[low].iter().all(is_nearer)
            && (high.is_empty() || farthest[high].iter().all(is_nearer))
    }

    /// Draws an object into the rays of a window.
    #[inline]
    pub(super) fn draw(&mut self, object: &Object, window: Window) {
        match Cut::of(&object.placed, &self.plane) {
            Cut::Nothing => {}
            Cut::Slabs(slabs) => {
                let is_outside = slabs.faces[0] > 0;
                let is_apart = is_outside && !self.touches;
                let window = if is_apart && window.end - window.first > WIDE {
                    self.narrowed(object, window)
                } else {
                    window
                };
                self.draw_slabs(&slabs, object.number, window);
            }
            Cut::Tube(tube) => self.draw_tube(&tube, object.number, window),
            Cut::Unknown => self.draw_exactly(object, window),
        }
    }

    fn draw_slabs(&mut self, slabs: &Slabs, object: u32, window: Window) {
        match slabs.faces {
            [0, _] => self.draw_groups(object, window, |x, y, _| slabs.inverse_range::<0, 6>(x, y)),
            // An upright box has one or two faces towards the origin, and three or two others in question.
            [1, 3] => {
                self.draw_groups(object, window, |x, y, _| slabs.inverse_range::<1, 3>(x, y));
            }
            [2, 2] => self.draw_groups(object, window, |x, y, _| slabs.inverse_range::<2, 2>(x, y)),
            _ => self.draw_groups(object, window, |x, y, _| slabs.inverse_range::<3, 6>(x, y)),
        }
    }

    fn draw_tube(&mut self, tube: &Tube, object: u32, window: Window) {
        self.draw_groups(object, window, |x, y, _| tube.inverse_range(x, y));
    }

    /// Intersects the object with each ray.
    fn draw_exactly(&mut self, object: &Object, window: Window) {
        let plane = self.plane;
        let max_distance = self.max_distance.min(f64::MAX);
        let touches = Cell::new(self.touches);
        self.draw_groups(object.number, window, |x, y, inverse_range| {
            let mut directions = [[0.0; GROUP]; 3];
            for lane in 0..GROUP {
                let [along, aside, up] = plane.direction(x[lane], y[lane]);
                (
                    directions[0][lane],
                    directions[1][lane],
                    directions[2][lane],
                ) = (along, aside, up);
            }
            // A little beyond the present hit, to detect two objects at one distance.
            let farthest = |lane: usize| min((1.0 + TIE) / inverse_range[lane], max_distance);
            let is_ray = |lane: usize| x[lane] != 0.0 || y[lane] != 0.0;
            let max_distance =
                std::array::from_fn(|lane| if is_ray(lane) { farthest(lane) } else { -1.0 });
            let mut packet = Packet::<GROUP>::new(plane.origin, directions, max_distance);
            object.placed.meet(object.number, &mut packet);
            if packet
                .distance
                .iter()
                .any(|at| at.abs() < f64::MIN_POSITIVE)
            {
                touches.set(true);
            }
            let met = |lane: usize| packet.object[lane] != NOTHING;
            let new = |lane: usize| {
                if met(lane) {
                    1.0 / packet.distance[lane].abs()
                } else {
                    -1.0
                }
            };
            Met::surely(std::array::from_fn(new))
        });
        self.touches = touches.get();
    }

    /// Updates the groups of a window with an object.
    #[inline]
    fn draw_groups(
        &mut self,
        object: u32,
        window: Window,
        meet: impl Fn(&Lanes, &Lanes, &Lanes) -> Met,
    ) {
        let object = f64::from(object);
        for groups in window.ranges(self.buffer.farthest.len()) {
            if groups.is_empty() {
                continue;
            }
            let rows = self.buffer.inverse_range[groups.clone()].iter_mut();
            let rows = rows.zip(&mut self.buffer.objects[groups.clone()]);
            let rows = rows.zip(&mut self.buffer.farthest[groups.clone()]);
            let rays = self.fan.cosines()[groups.clone()].iter();
            let rays = rays.zip(&self.fan.sines()[groups.clone()]);
            for (group, ((x, y), ((inverse_range, objects), farthest))) in
                groups.zip(rays.zip(rows))
            {
                let met = meet(x, y, inverse_range);
                (*inverse_range, *objects) =
                    nearest(*inverse_range, *objects, &met.inverse_range, object);
                *farthest = min(
                    min(inverse_range[0], inverse_range[1]),
                    min(inverse_range[2], inverse_range[3]),
                );
                if met.is_any_unsure() {
                    let first = (group * GROUP) as u32;
                    let unsure = (first..).zip(met.unsure()).filter(|(_, unsure)| *unsure);
                    self.buffer.doubtful.extend(unsure.map(|(ray, _)| ray));
                }
            }
        }
    }

    /// Collects the doubtful rays.
    pub(super) fn settle(&mut self) {
        for &ray in &self.buffer.doubtful {
            if let Some(object) = self.buffer.objects.as_flattened_mut().get_mut(ray as usize) {
                *object = DOUBTFUL;
            }
        }
    }
}

impl Window {
    /// Returns the groups as two ranges.
    #[inline]
    fn ranges(self, groups: usize) -> [std::ops::Range<usize>; 2] {
        let (first, end) = (self.first as usize, self.end as usize);
        [
            first.min(groups)..end.min(groups),
            0..end.saturating_sub(groups),
        ]
    }
}

/// Returns the pseudo-angles of two directions, see [`PlanarFan::pseudo_angle`].
#[inline(always)]
fn pseudo_angles(x: f64x2, y: f64x2) -> f64x2 {
    let along = x / (x.abs() + y.abs());
    let is_above = y.cmp_ge(f64x2::ZERO);
    is_above.blend(f64x2::ONE - along, f64x2::splat(3.0) + along)
}

/// Returns inverse ranges and objects of the rays of a group with another object at inverse ranges `new`.
#[inline(always)]
fn nearest(inverse_range: Lanes, objects: Lanes, new: &Lanes, object: f64) -> (Lanes, Lanes) {
    // Loops without branches, on copies: the compiler vectorises them.
    let [mut is_nearer, mut is_farther] = [[0; GROUP]; 2];
    for lane in 0..GROUP {
        let ahead = new[lane] - inverse_range[lane];
        let tie = inverse_range[lane] * TIE;
        is_nearer[lane] = mask(ahead > tie);
        is_farther[lane] = mask(ahead < -tie);
    }
    let [mut nearest, mut its_objects] = [[0.0; GROUP]; 2];
    for lane in 0..GROUP {
        nearest[lane] = max(new[lane], inverse_range[lane]);
        let kept = choose(is_farther[lane], objects[lane], DOUBTFUL);
        its_objects[lane] = choose(is_nearer[lane], object, kept);
    }
    (nearest, its_objects)
}
