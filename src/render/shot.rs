//! What an eye has before it: everything that may be in its picture, in its own axes, and which tiles of the
//! picture each thing may be in.
use morse_api::render::Eye;
use nalgebra::{Matrix3, Point3, Vector3};

use super::light::{Rgb, plus, times};
use super::shadow::Shadows;
use super::stage::{Form, Stage, Thing};
use super::tile::SIDE;
use crate::rays::solid::Solid;

/// A picture that is about to be taken.
pub(super) struct Shot<'a> {
    pub(super) eye: &'a Eye,
    pub(super) stage: &'a Stage,
    /// What may be seen, the nearest first.
    pub(super) casts: Vec<Cast>,
    /// For each tile, where its list begins in `list`; one more for the end.
    starts: Vec<u32>,
    /// The casts of each tile, in their order.
    list: Vec<u32>,
    /// From the eye's axes to the world's.
    pub(super) rotation: Matrix3<f64>,
    pub(super) position: Vector3<f64>,
    pub(super) shadows: Option<Shadows>,
}

/// A thing that may be seen.
pub(super) struct Cast {
    /// Its number on the stage.
    pub(super) thing: usize,
    pub(super) is_clear: bool,
    /// No point of it has a greater nearness (1 / depth).
    pub(super) most: f64,
    /// From the eye's axes to its own.
    pub(super) local: Local,
    /// If it is a box.
    pub(super) faces: Option<Faces>,
    /// The light that each face of a box sends back, where it is the same all over.
    pub(super) flat: Option<[Rgb; 6]>,
}

/// The axes of a thing, seen from the eye.
pub(super) struct Local {
    pub(super) rows: [[f64; 3]; 3],
    /// Where the eye is in them.
    pub(super) origin: [f64; 3],
}

/// The six planes of a box, seen from outside.
///
/// A ray is in the box from the last plane that it enters by to the first one that it leaves by. In nearness
/// (1 / depth), each of these is linear over the picture, so that no pixel needs a division.
#[derive(Default)]
pub(super) struct Faces {
    /// Planes that the eye is before, and the faces that they are.
    pub(super) front: Vec<(Plane, usize)>,
    /// Planes that the eye is behind.
    pub(super) back: Vec<Plane>,
}

/// The nearness of a plane at column u and row v: a·u + b·v + c.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    pub(super) a: f64,
    pub(super) b: f64,
    pub(super) c: f64,
}

impl<'a> Shot<'a> {
    pub(super) fn new(eye: &'a Eye, stage: &'a Stage) -> Self {
        let rotation = eye
            .world_from_eye
            .rotation
            .to_rotation_matrix()
            .into_inner();
        let mut shot = Self {
            eye,
            stage,
            casts: Vec::new(),
            starts: Vec::new(),
            list: Vec::new(),
            rotation,
            position: eye.world_from_eye.translation.vector,
            shadows: (eye.shadows && eye.wants.color).then(|| Shadows::new(stage)),
        };
        let mut places = Vec::new();
        for (number, thing) in stage.things.iter().enumerate() {
            if let Some((cast, place)) = shot.cast(number, thing) {
                shot.casts.push(cast);
                places.push(place);
            }
        }
        let mut order: Vec<usize> = (0..places.len()).collect();
        let most = |cast: &usize| shot.casts.get(*cast).map_or(0.0, |cast| cast.most);
        order.sort_by(|one, other| most(other).total_cmp(&most(one)));
        shot.bin(&places, &order);
        shot
    }

    /// Columns of tiles.
    fn columns(&self) -> usize {
        (self.eye.width as usize).div_ceil(SIDE)
    }

    /// What may be in a tile, the nearest first.
    pub(super) fn in_tile(&self, column: usize, row: usize) -> impl Iterator<Item = (u64, &Cast)> {
        let tile = row * self.columns() + column;
        let bounds = (self.starts.get(tile), self.starts.get(tile + 1));
        let list = match bounds {
            (Some(&start), Some(&end)) => self.list.get(start as usize..end as usize),
            _ => None,
        };
        let casts = list.unwrap_or_default().iter();
        casts.filter_map(|&cast| Some((u64::from(cast), self.casts.get(cast as usize)?)))
    }

    /// What is behind nothing in direction `ray` (in the eye's axes).
    pub(super) fn sky(&self, ray: &Vector3<f64>) -> Rgb {
        let up = self.rotation.row(2).transpose().dot(ray);
        self.stage.look.sky(up / ray.norm())
    }

    /// Writes the lists of the tiles.
    fn bin(&mut self, places: &[[usize; 4]], order: &[usize]) {
        let columns = self.columns();
        let rows = (self.eye.height as usize).div_ceil(SIDE);
        let tiles_of = |&[left, top, right, bottom]: &[usize; 4]| {
            (top / SIDE..=bottom / SIDE).flat_map(move |row| {
                (left / SIDE..=right / SIDE).map(move |column| row * columns + column)
            })
        };
        let mut ends = vec![0_u32; columns * rows + 1];
        for tile in places.iter().flat_map(tiles_of) {
            ends[tile + 1] += 1;
        }
        for tile in 1..ends.len() {
            ends[tile] += ends[tile - 1];
        }
        self.starts.clone_from(&ends);
        self.list = vec![0; ends.last().map_or(0, |&end| end as usize)];
        for &cast in order {
            for tile in tiles_of(&places[cast]) {
                self.list[ends[tile] as usize] = cast as u32;
                ends[tile] += 1;
            }
        }
    }

    /// A thing in the eye's axes, and the pixels it may cover (left, top, right, bottom); `None` if it cannot
    /// be seen.
    fn cast(&self, number: usize, thing: &Thing) -> Option<(Cast, [usize; 4])> {
        let wants = self.eye.wants;
        if !(wants.color || thing.is_solid()) {
            return None;
        }
        let (place, nearest) = self.place(thing)?;
        let local = Local::new(self, thing);
        if thing.form.holds(&local.origin.into()) {
            return None;
        }
        let faces = match thing.form {
            Form::Solid(Solid::Box { half }) => Some(Faces::new(self.eye, &local, half)),
            _ => None,
        };
        let is_even = wants.color && self.shadows.is_none() && self.stage.lamps.is_empty();
        let cast = Cast {
            thing: number,
            is_clear: thing.is_clear(),
            most: 1.0 / nearest,
            local,
            flat: (faces.is_some() && is_even && thing.is_plain()).then(|| self.flat(thing)),
            faces,
        };
        Some((cast, place))
    }

    /// The light that the faces of a box send back.
    fn flat(&self, thing: &Thing) -> [Rgb; 6] {
        [0, 1, 2, 3, 4, 5].map(|face: usize| {
            let mut normal = Vector3::zeros();
            normal[face / 2] = if face.is_multiple_of(2) { -1.0 } else { 1.0 };
            let normal = thing.world_from_thing.rotation * normal;
            let look = &self.stage.look;
            times(
                thing.color,
                plus(look.ambient(&normal), look.sunlight(&normal)),
            )
        })
    }

    /// The pixels that a thing may cover, and the least depth of the box around it.
    fn place(&self, thing: &Thing) -> Option<([usize; 4], f64)> {
        let eye = self.eye;
        let corners = thing
            .corners()
            .map(|corner| self.rotation.tr_mul(&(corner - self.position)));
        let nearest = corners
            .iter()
            .fold(f64::INFINITY, |least, at| least.min(at.z));
        let farthest = corners
            .iter()
            .fold(f64::NEG_INFINITY, |most, at| most.max(at.z));
        if !(farthest >= eye.near && nearest <= eye.far) {
            return None;
        }
        let mut range = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
        let mut see = |at: &Vector3<f64>| {
            for (axis, range) in range.iter_mut().enumerate() {
                let pixel = eye.center[axis] + eye.focal * at[axis] / at.z;
                *range = [range[0].min(pixel), range[1].max(pixel)];
            }
        };
        // Before the near end nothing is seen; the edges of the box are cut there.
        let cut = 0.999 * eye.near;
        for (number, corner) in corners.iter().enumerate() {
            if corner.z >= cut {
                see(corner);
            }
            for axis in 0..3 {
                let other = &corners[number ^ (1 << axis)];
                if (corner.z < cut) && (other.z >= cut) {
                    let share = (cut - corner.z) / (other.z - corner.z);
                    see(&(corner + (other - corner) * share));
                }
            }
        }
        let [columns, rows] = [eye.width, eye.height].map(f64::from);
        let [[left, right], [top, bottom]] = range;
        let is_beside = left > columns || top > rows || right < -1.0 || bottom < -1.0;
        if is_beside || !range.iter().flatten().all(|bound| bound.is_finite()) {
            return None;
        }
        // A pixel more to each side: rounding does not matter then.
        let low = |bound: f64| (bound - 1.0).max(0.0) as usize;
        let high = |bound: f64, size: f64| (bound + 1.0).clamp(0.0, size - 1.0) as usize;
        let place = [
            low(left),
            low(top),
            high(right, columns),
            high(bottom, rows),
        ];
        (place[0] <= place[2] && place[1] <= place[3]).then_some((place, nearest.max(eye.near)))
    }
}

impl Local {
    fn new(shot: &Shot<'_>, thing: &Thing) -> Self {
        let over = 1.0 / thing.form.scale();
        let rotation = thing.world_from_thing.rotation.to_rotation_matrix();
        let rows = rotation.matrix().transpose() * shot.rotation * over;
        let origin = thing.world_from_thing.inverse() * Point3::from(shot.position);
        Self {
            rows: [0, 1, 2].map(|row| [rows[(row, 0)], rows[(row, 1)], rows[(row, 2)]]),
            origin: (origin.coords * over).into(),
        }
    }

    /// The directions (x, y, 1) of a row of pixels in these axes.
    pub(super) fn directions<const W: usize>(&self, x: &[f64; W], y: f64) -> [[f64; W]; 3] {
        self.rows.map(|[across, down, ahead]| {
            let rest = down * y + ahead;
            x.map(|x| across * x + rest)
        })
    }

    /// A direction of the eye's axes in these.
    pub(super) fn direction(&self, way: &Vector3<f64>) -> Vector3<f64> {
        let turned = self
            .rows
            .map(|row| row[0] * way.x + row[1] * way.y + row[2] * way.z);
        Vector3::from(turned)
    }

    /// A point of the eye's axes in these.
    pub(super) fn point(&self, at: &Vector3<f64>) -> Vector3<f64> {
        self.direction(at) + Vector3::from(self.origin)
    }
}

impl Faces {
    fn new(eye: &Eye, local: &Local, half: [f64; 3]) -> Self {
        let mut faces = Self::default();
        for (axis, half) in half.into_iter().enumerate() {
            for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
                let ahead = half - sign * local.origin[axis];
                // An eye in the very plane is before it.
                let ahead = if ahead == 0.0 { -1e-12 } else { ahead };
                let plane = Plane::new(eye, local.rows[axis], sign / ahead);
                if ahead < 0.0 {
                    faces.front.push((plane, 2 * axis + side));
                } else {
                    faces.back.push(plane);
                }
            }
        }
        faces
    }

    /// Whether some pixel between these columns and rows may show it at a nearness above `least`.
    pub(super) fn may_be_in(&self, columns: [f64; 2], rows: [f64; 2], least: f64) -> bool {
        let ends = |plane: &Plane| {
            let across = [columns[0] * plane.a, columns[1] * plane.a];
            let down = [rows[0] * plane.b, rows[1] * plane.b];
            let low = across[0].min(across[1]) + down[0].min(down[1]) + plane.c;
            let high = across[0].max(across[1]) + down[0].max(down[1]) + plane.c;
            (low, high)
        };
        let enter = self
            .front
            .iter()
            .fold(f64::INFINITY, |enter, (plane, _)| enter.min(ends(plane).1));
        let leave = self
            .back
            .iter()
            .fold(f64::NEG_INFINITY, |leave, plane| leave.max(ends(plane).0));
        enter > least && enter >= leave
    }

    /// The face that a ray enters by.
    pub(super) fn entered(&self, u: f64, v: f64) -> usize {
        let mut best = (f64::INFINITY, 0);
        for (plane, face) in &self.front {
            let nearness = plane.at(u, v);
            if nearness < best.0 {
                best = (nearness, *face);
            }
        }
        best.1
    }
}

impl Plane {
    /// The plane whose nearness in direction (x, y, 1) is that direction's product with `normal`, times `over`.
    pub(super) fn new(eye: &Eye, normal: [f64; 3], over: f64) -> Self {
        let [u, v] = eye.center;
        let (a, b) = (normal[0] / eye.focal, normal[1] / eye.focal);
        Self {
            a: a * over,
            b: b * over,
            c: (normal[2] - a * u - b * v) * over,
        }
    }

    #[inline]
    pub(super) fn at(&self, u: f64, v: f64) -> f64 {
        self.a * u + (self.b * v + self.c)
    }
}
