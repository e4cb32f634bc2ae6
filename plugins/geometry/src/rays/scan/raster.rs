//! One-dimensional z-buffer: the object that each ray hits, and its inverse range.
use morse_api::rays::{PlanarFan, ScanBuffer, planar::GROUP};

use super::cut::{Cut, Slabs, Tube, dot};
use super::{Lanes, Plane};
use crate::rays::Vec3;
use crate::rays::aabb::Aabb;
use crate::rays::packet::{NOTHING, Packet, max, min};
use crate::rays::world::Object;

/// Object of a ray without a hit.
const NONE: f64 = -1.0;
/// Object of a ray that hits two objects at one distance, or an object at a distance that is not finite.
pub(super) const DOUBTFUL: f64 = -2.0;

/// Relative difference of two distances that count as equal. Far above rounding errors.
const TIE: f64 = 1e-9;

/// For a rectangle in the plane, the ends in x and in y of the corner that is seen at its right, and of the one at its left;
/// by its position in x and in y.
const ENDS: [[usize; 4]; 9] = [
    [0, 1, 1, 0],
    [1, 1, 1, 0],
    [1, 1, 0, 0],
    [0, 1, 1, 1],
    // Around the origin: all rays hit it.
    [0, 0, 0, 0],
    [1, 0, 0, 0],
    [0, 0, 1, 1],
    [0, 0, 0, 1],
    [1, 0, 0, 1],
];

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
        }
    }

    /// Returns the squared distance of a box in the plane, and the rays that may hit it; `None` if no ray does.
    #[inline(always)]
    pub(super) fn window(&self, aabb: &Aabb) -> Option<(f64, Window)> {
        let z = self.side(2, aabb);
        if z[0] > 0.0 || z[1] < 0.0 {
            return None;
        }
        let (x, y) = (self.side(0, aabb), self.side(1, aabb));
        let aside_x = max(max(x[0], -x[1]), 0.0);
        let aside_y = max(max(y[0], -y[1]), 0.0);
        let near = aside_x * aside_x + aside_y * aside_y;
        if near > self.max_distance * self.max_distance {
            return None;
        }
        let groups = self.fan.cosines().len() as u32;
        if near == 0.0 {
            let all = Window {
                first: 0,
                end: groups,
            };
            return Some((near, all));
        }
        // Position: on the negative side, on both, on the positive side.
        let side = |ends: [f64; 2]| usize::from(ends[0] > 0.0) + usize::from(ends[1] >= 0.0);
        let [right_x, right_y, left_x, left_y] = ENDS[3 * side(x) + side(y)];
        let (right, left) = ([x[right_x], y[right_y]], [x[left_x], y[left_y]]);
        let pseudo_angles =
            [right, left].map(|corner| PlanarFan::pseudo_angle(corner[0], corner[1]));
        let [first, end] = self.fan.between(pseudo_angles[0], pseudo_angles[1]);
        // Across the positive x axis, the first rays come after the last ones.
        let wraps = u32::from(right[1] < 0.0 && left[1] >= 0.0);
        let first = (first / GROUP) as u32;
        let end = (end.div_ceil(GROUP) as u32 + wraps * groups).min(first + groups);
        (first < end).then_some((near, Window { first, end }))
    }

    /// Returns the interval of a box along an axis of the plane, relative to the origin.
    #[inline(always)]
    fn side(&self, axis: usize, Aabb { low, high }: &Aabb) -> [f64; 2] {
        let [x, y, z] = self.plane.axes[axis];
        let along = x * (low[0] + high[0]) + y * (low[1] + high[1]) + z * (low[2] + high[2]);
        let extent = x.abs() * (high[0] - low[0])
            + y.abs() * (high[1] - low[1])
            + z.abs() * (high[2] - low[2]);
        let from_origin = 0.5 * along - self.origin[axis];
        [from_origin - 0.5 * extent, from_origin + 0.5 * extent]
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
            Cut::Slabs(slabs) => self.draw_slabs(&slabs, object.number, window),
            Cut::Tube(tube) => self.draw_tube(&tube, object.number, window),
            Cut::Unknown => self.draw_exactly(object, window),
        }
    }

    fn draw_slabs(&mut self, slabs: &Slabs, object: u32, window: Window) {
        // An upright box has one or two faces towards the origin, and two or three others in question.
        match slabs.faces {
            [0, _] => self.draw_groups(object, window, |x, y, _| slabs.inverse_range::<0, 6>(x, y)),
            [..=2, ..=3] => {
                self.draw_groups(object, window, |x, y, _| slabs.inverse_range::<2, 3>(x, y));
            }
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
            let met = |lane: usize| packet.object[lane] != NOTHING;
            let new = |lane: usize| {
                if met(lane) {
                    1.0 / packet.distance[lane].abs()
                } else {
                    -1.0
                }
            };
            (std::array::from_fn(new), [false; GROUP])
        });
    }

    /// Updates the groups of a window with an object. `meet` returns the inverse ranges of the rays of a group (negative for
    /// no hit), and true for doubtful rays.
    #[inline]
    fn draw_groups(
        &mut self,
        object: u32,
        window: Window,
        meet: impl Fn(&Lanes, &Lanes, &Lanes) -> (Lanes, [bool; GROUP]),
    ) {
        let object = f64::from(object);
        for groups in window.ranges(self.buffer.farthest.len()) {
            let rows = self.buffer.inverse_range[groups.clone()].iter_mut();
            let rows = rows.zip(&mut self.buffer.objects[groups.clone()]);
            let rows = rows.zip(&mut self.buffer.farthest[groups.clone()]);
            let rays = self.fan.cosines()[groups.clone()].iter();
            let rays = rays.zip(&self.fan.sines()[groups.clone()]);
            for (group, ((x, y), ((inverse_range, objects), farthest))) in
                groups.zip(rays.zip(rows))
            {
                let (new, unsure) = meet(x, y, inverse_range);
                for lane in 0..GROUP {
                    let ahead = new[lane] - inverse_range[lane];
                    let tie = inverse_range[lane] * TIE;
                    let kept = if ahead < -tie {
                        objects[lane]
                    } else {
                        DOUBTFUL
                    };
                    objects[lane] = if ahead > tie { object } else { kept };
                    inverse_range[lane] = max(new[lane], inverse_range[lane]);
                }
                *farthest = min(
                    min(inverse_range[0], inverse_range[1]),
                    min(inverse_range[2], inverse_range[3]),
                );
                if unsure.iter().any(|unsure| *unsure) {
                    let first = (group * GROUP) as u32;
                    let unsure = (first..).zip(unsure).filter(|(_, unsure)| *unsure);
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
