//! A picture of one row: what each ray has met, and how near that is.
use morse_api::rays::{PlanarFan, ScanBuffer, planar::GROUP};

use super::cut::{Cut, Slabs, Tube, dot};
use super::{Lanes, Plane};
use crate::rays::Vec3;
use crate::rays::aabb::Aabb;
use crate::rays::packet::{NOTHING, Packet, max, min};
use crate::rays::world::Object;

/// The object of a ray that has met nothing.
const NONE: f64 = -1.0;
/// The object of a ray that met two things at one distance, or something at a distance that is no number.
pub(super) const DOUBTFUL: f64 = -2.0;

/// Share of two distances by which they may differ and be taken for one. Far above what rounding does to any.
const TIE: f64 = 1e-9;

/// Of a rectangle in the plane, the end in x and in y of the corner that is seen at its right, and of the one at its
/// left; by where it lies in x, and in y.
const ENDS: [[usize; 4]; 9] = [
    [0, 1, 1, 0],
    [1, 1, 1, 0],
    [1, 1, 0, 0],
    [0, 1, 1, 1],
    // Around the origin: all rays meet it.
    [0, 0, 0, 0],
    [1, 0, 0, 0],
    [0, 0, 1, 1],
    [0, 0, 0, 1],
    [1, 0, 0, 1],
];

/// Groups of rays that a thing may be in front of: from `first` to before `end`. Those beyond the last group are the
/// first ones again.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Window {
    first: u32,
    end: u32,
}

/// The row while it is drawn.
pub(super) struct Raster<'a> {
    fan: &'a PlanarFan,
    plane: Plane,
    /// Coordinates of the origin along the plane's axes.
    origin: Vec3,
    buffer: &'a mut ScanBuffer,
    max_distance: f64,
}

impl<'a> Raster<'a> {
    /// A row in which nothing was met.
    pub(super) fn new(
        fan: &'a PlanarFan,
        plane: Plane,
        max_distance: f64,
        buffer: &'a mut ScanBuffer,
    ) -> Self {
        let groups = fan.cosines().len();
        let empty = 1.0 / max_distance;
        buffer.nearness.clear();
        buffer.nearness.resize(groups, [empty; GROUP]);
        buffer.objects.clear();
        buffer.objects.resize(groups, [NONE; GROUP]);
        buffer.farthest.clear();
        buffer.farthest.resize(groups, empty);
        buffer.doubtful.clear();
        // What fills up the last group hides nothing from its rays.
        let fill = buffer.nearness.as_flattened_mut().iter_mut();
        fill.skip(fan.len())
            .for_each(|nearness| *nearness = f64::INFINITY);
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

    /// Square of the distance of a box in the plane, and the rays that may meet it; nothing, if none does.
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
        // Where it lies: on the negative side, on both, on the positive side.
        let side = |ends: [f64; 2]| usize::from(ends[0] > 0.0) + usize::from(ends[1] >= 0.0);
        let [right_x, right_y, left_x, left_y] = ENDS[3 * side(x) + side(y)];
        let (right, left) = ([x[right_x], y[right_y]], [x[left_x], y[left_y]]);
        let places = [right, left].map(|corner| PlanarFan::place(corner[0], corner[1]));
        let [first, end] = self.fan.between(places[0], places[1]);
        // From the right of x = 0 over it to the left: the first rays come after the last ones.
        let wraps = u32::from(right[1] < 0.0 && left[1] >= 0.0);
        let first = (first / GROUP) as u32;
        let end = (end.div_ceil(GROUP) as u32 + wraps * groups).min(first + groups);
        (first < end).then_some((near, Window { first, end }))
    }

    /// From where to where a box reaches along an axis of the plane, seen from the origin.
    #[inline(always)]
    fn side(&self, axis: usize, Aabb { low, high }: &Aabb) -> [f64; 2] {
        let [x, y, z] = self.plane.axes[axis];
        let along = x * (low[0] + high[0]) + y * (low[1] + high[1]) + z * (low[2] + high[2]);
        let reach = x.abs() * (high[0] - low[0])
            + y.abs() * (high[1] - low[1])
            + z.abs() * (high[2] - low[2]);
        let from_origin = 0.5 * along - self.origin[axis];
        [from_origin - 0.5 * reach, from_origin + 0.5 * reach]
    }

    /// Tells whether all rays of a window have met something nearer than `near`, the square of a distance.
    #[inline]
    pub(super) fn is_hidden(&self, near: f64, window: Window) -> bool {
        let is_nearer = |farthest: &f64| farthest * farthest * near > 1.0 + TIE;
        let [low, high] = window.ranges(self.buffer.farthest.len());
        let farthest = &self.buffer.farthest;
        farthest[low].iter().all(is_nearer)
            && (high.is_empty() || farthest[high].iter().all(is_nearer))
    }

    /// Lets the rays of a window meet an object.
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
        // An upright box has one or two faces towards the origin, and two or three others to be looked at.
        match slabs.faces {
            [0, _] => self.draw_groups(object, window, |x, y, _| slabs.nearness::<0, 6>(x, y)),
            [..=2, ..=3] => {
                self.draw_groups(object, window, |x, y, _| slabs.nearness::<2, 3>(x, y));
            }
            _ => self.draw_groups(object, window, |x, y, _| slabs.nearness::<3, 6>(x, y)),
        }
    }

    fn draw_tube(&mut self, tube: &Tube, object: u32, window: Window) {
        self.draw_groups(object, window, |x, y, _| tube.nearness(x, y));
    }

    /// Asks the object for each ray.
    fn draw_exactly(&mut self, object: &Object, window: Window) {
        let plane = self.plane;
        let reach = self.max_distance.min(f64::MAX);
        self.draw_groups(object.number, window, |x, y, nearness| {
            let mut directions = [[0.0; GROUP]; 3];
            for lane in 0..GROUP {
                let [along, aside, up] = plane.direction(x[lane], y[lane]);
                (
                    directions[0][lane],
                    directions[1][lane],
                    directions[2][lane],
                ) = (along, aside, up);
            }
            // A little farther than what was met, to find out about two at one distance.
            let farthest = |lane: usize| min((1.0 + TIE) / nearness[lane], reach);
            let is_ray = |lane: usize| x[lane] != 0.0 || y[lane] != 0.0;
            let reach =
                std::array::from_fn(|lane| if is_ray(lane) { farthest(lane) } else { -1.0 });
            let mut packet = Packet::<GROUP>::new(plane.origin, directions, reach);
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

    /// Lets the groups of a window meet an object, whose nearness to the rays of a group and doubts of it `meet`
    /// tells; a negative nearness, if they do not meet it.
    #[inline]
    fn draw_groups(
        &mut self,
        object: u32,
        window: Window,
        meet: impl Fn(&Lanes, &Lanes, &Lanes) -> (Lanes, [bool; GROUP]),
    ) {
        let object = f64::from(object);
        for groups in window.ranges(self.buffer.farthest.len()) {
            let rows = self.buffer.nearness[groups.clone()].iter_mut();
            let rows = rows.zip(&mut self.buffer.objects[groups.clone()]);
            let rows = rows.zip(&mut self.buffer.farthest[groups.clone()]);
            let rays = self.fan.cosines()[groups.clone()].iter();
            let rays = rays.zip(&self.fan.sines()[groups.clone()]);
            for (group, ((x, y), ((nearness, objects), farthest))) in groups.zip(rays.zip(rows)) {
                let (new, unsure) = meet(x, y, nearness);
                for lane in 0..GROUP {
                    let ahead = new[lane] - nearness[lane];
                    let tie = nearness[lane] * TIE;
                    let kept = if ahead < -tie {
                        objects[lane]
                    } else {
                        DOUBTFUL
                    };
                    objects[lane] = if ahead > tie { object } else { kept };
                    nearness[lane] = max(new[lane], nearness[lane]);
                }
                *farthest = min(min(nearness[0], nearness[1]), min(nearness[2], nearness[3]));
                if unsure.iter().any(|unsure| *unsure) {
                    let first = (group * GROUP) as u32;
                    let unsure = (first..).zip(unsure).filter(|(_, unsure)| *unsure);
                    self.buffer.doubtful.extend(unsure.map(|(ray, _)| ray));
                }
            }
        }
    }

    /// Marks the rays that were in doubt.
    pub(super) fn settle(&mut self) {
        for &ray in &self.buffer.doubtful {
            if let Some(object) = self.buffer.objects.as_flattened_mut().get_mut(ray as usize) {
                *object = DOUBTFUL;
            }
        }
    }
}

impl Window {
    /// The groups, in two parts.
    #[inline]
    fn ranges(self, groups: usize) -> [std::ops::Range<usize>; 2] {
        let (first, end) = (self.first as usize, self.end as usize);
        [
            first.min(groups)..end.min(groups),
            0..end.saturating_sub(groups),
        ]
    }
}
