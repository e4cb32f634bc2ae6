//! Projection of a scene: the things that may be visible, in the camera's axes, and the tiles of the picture in which each
//! of them may be.
use morse_api::render::CameraView;
use morse_geometry::rays::solid::Solid;
use nalgebra::{Matrix3, Point3, Vector3};

use super::light::{Rgb, plus, times};
use super::pixels::Pixels;
use super::render_scene::{Form, RenderScene, Thing};
use super::shadow::Shadows;
use super::tile::SIDE;

/// Projection of a scene for one picture.
pub(super) struct Projection<'a> {
    pub(super) camera: &'a CameraView,
    pub(super) scene: &'a RenderScene,
    /// Things that may be visible, the nearest first.
    pub(super) casts: Vec<Cast>,
    /// Start of each tile's list in `list`, with an additional entry for the end.
    starts: Vec<u32>,
    /// Indices in `casts` for each tile, the nearest first.
    list: Vec<u32>,
    /// Rotation from the camera's axes to the world's.
    pub(super) rotation: Matrix3<f64>,
    pub(super) position: Vector3<f64>,
    pub(super) shadows: Option<Shadows>,
}

/// A rectangle of the undistorted picture: minimum and maximum column, and minimum and maximum row.
pub(super) type Rectangle = [[f64; 2]; 2];

/// A thing that may be visible.
pub(super) struct Cast {
    /// Index of the thing in the scene.
    pub(super) thing: usize,
    pub(super) is_clear: bool,
    /// Upper bound of the inverse depth (1 / depth) of its points.
    pub(super) most: f64,
    /// Transform from the camera's axes to the thing's.
    pub(super) local: Local,
    /// Faces, if the thing is a box.
    pub(super) faces: Option<Faces>,
    /// Reflected light of each face of a box, if it is uniform.
    pub(super) flat: Option<[Flat; 6]>,
}

/// A face with uniform colour.
pub(super) struct Flat {
    /// Outward normal in the world.
    pub(super) normal: Vector3<f64>,
    /// Reflected light in the shade and in the sun.
    pub(super) shade: Rgb,
    pub(super) lit: Rgb,
    /// True if the face points towards the sun.
    pub(super) is_sunny: bool,
}

/// Transform from the camera's axes to those of a thing.
pub(super) struct Local {
    pub(super) rows: [[f64; 3]; 3],
    /// Position of the camera in the thing's axes.
    pub(super) origin: [f64; 3],
}

/// The six planes of a box, seen from outside.
///
/// A ray is inside the box between its last entry through a front plane and its first exit through a back plane (slab
/// method). The inverse depth (1 / depth) of a plane is linear over the picture, so that no pixel requires a division.
#[derive(Default)]
pub(super) struct Faces {
    /// Planes that face the camera, with the indices of their faces.
    pub(super) front: Vec<(Plane, usize)>,
    /// Planes that face away from the camera.
    pub(super) back: Vec<Plane>,
}

/// Inverse depth of a plane at column u and row v: a·u + b·v + c.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    pub(super) a: f64,
    pub(super) b: f64,
    pub(super) c: f64,
}

impl<'a> Projection<'a> {
    pub(super) fn new(camera: &'a CameraView, scene: &'a RenderScene, tiles: &Tiles) -> Self {
        let rotation = camera
            .world_from_camera
            .rotation
            .to_rotation_matrix()
            .into_inner();
        let mut projection = Self {
            camera,
            scene,
            casts: Vec::new(),
            starts: Vec::new(),
            list: Vec::new(),
            rotation,
            position: camera.world_from_camera.translation.vector,
            shadows: (camera.shadows && camera.channels.color).then(|| Shadows::new(scene)),
        };
        let mut rectangles = Vec::new();
        for (number, thing) in scene.things.iter().enumerate() {
            if let Some((cast, rectangle)) = projection.cast(number, thing, tiles) {
                projection.casts.push(cast);
                rectangles.push(rectangle);
            }
        }
        let mut order: Vec<usize> = (0..rectangles.len()).collect();
        let most = |cast: &usize| projection.casts.get(*cast).map_or(0.0, |cast| cast.most);
        order.sort_by(|one, other| most(other).total_cmp(&most(one)));
        projection.bin(tiles, &rectangles, &order);
        projection
    }

    /// Returns the number of columns of tiles.
    fn columns(&self) -> usize {
        (self.camera.width as usize).div_ceil(SIDE)
    }

    /// Returns the things that may be visible in a tile, the nearest first.
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

    /// Returns the colour of the background in direction `ray` (in the camera's axes).
    pub(super) fn sky(&self, ray: &Vector3<f64>) -> Rgb {
        let up = self.rotation.row(2).transpose().dot(ray);
        self.scene.illumination.sky(up / ray.norm())
    }

    /// Fills the lists of the tiles.
    fn bin(&mut self, tiles: &Tiles, rectangles: &[Rectangle], order: &[usize]) {
        let mut ends = vec![0_u32; tiles.count() + 1];
        for rectangle in rectangles {
            tiles.with(rectangle, |tile| ends[tile + 1] += 1);
        }
        for tile in 1..ends.len() {
            ends[tile] += ends[tile - 1];
        }
        self.starts.clone_from(&ends);
        self.list = vec![0; ends.last().map_or(0, |&end| end as usize)];
        for &cast in order {
            tiles.with(&rectangles[cast], |tile| {
                self.list[ends[tile] as usize] = cast as u32;
                ends[tile] += 1;
            });
        }
    }

    /// Returns a thing in the camera's axes, and the rectangle in which it may be visible; `None` if it is invisible.
    fn cast(&self, number: usize, thing: &Thing, tiles: &Tiles) -> Option<(Cast, Rectangle)> {
        let channels = self.camera.channels;
        if !(channels.color || thing.is_solid()) {
            return None;
        }
        let (rectangle, nearest) = self.rectangle(&thing.corners(), tiles)?;
        let local = Local::new(self, thing);
        if thing.form.holds(&local.origin.into()) {
            return None;
        }
        let faces = match thing.form {
            Form::Solid(Solid::Box { half }) => Some(Faces::new(self.camera, &local, half)),
            _ => None,
        };
        let is_even = channels.color && self.scene.lamps.is_empty();
        let cast = Cast {
            thing: number,
            is_clear: thing.is_clear(),
            most: 1.0 / nearest,
            local,
            flat: (faces.is_some() && is_even && thing.is_plain()).then(|| self.flat(thing)),
            faces,
        };
        Some((cast, rectangle))
    }

    /// Returns the reflected light of the faces of a box.
    fn flat(&self, thing: &Thing) -> [Flat; 6] {
        [0, 1, 2, 3, 4, 5].map(|face: usize| {
            let mut normal = Vector3::zeros();
            normal[face / 2] = if face.is_multiple_of(2) { -1.0 } else { 1.0 };
            let normal = thing.world_from_thing.rotation * normal;
            let illumination = &self.scene.illumination;
            let ambient = illumination.ambient(&normal);
            Flat {
                normal,
                shade: times(thing.color, ambient),
                lit: times(thing.color, plus(ambient, illumination.sunlight(&normal))),
                is_sunny: normal.dot(&illumination.to_sun) > 0.0,
            }
        })
    }

    /// Returns the rectangle in which a thing may be visible, and the minimum depth of its bounding box with these corners.
    pub(super) fn rectangle(
        &self,
        corners: &[Vector3<f64>; 8],
        tiles: &Tiles,
    ) -> Option<(Rectangle, f64)> {
        let camera = self.camera;
        let corners = corners.map(|corner| self.rotation.tr_mul(&(corner - self.position)));
        let nearest = corners
            .iter()
            .fold(f64::INFINITY, |least, at| least.min(at.z));
        let farthest = corners
            .iter()
            .fold(f64::NEG_INFINITY, |most, at| most.max(at.z));
        if !(farthest >= camera.near && nearest <= camera.far) {
            return None;
        }
        let mut range = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
        let mut see = |at: &Vector3<f64>| {
            for (axis, range) in range.iter_mut().enumerate() {
                let pixel = camera.center[axis] + camera.focal * at[axis] / at.z;
                *range = [range[0].min(pixel), range[1].max(pixel)];
            }
        };
        // Nothing is visible before the near plane; the edges of the box are clipped there.
        let cut = 0.999 * camera.near;
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
        if !range.iter().flatten().all(|bound| bound.is_finite()) {
            return None;
        }
        // A margin of one pixel on each side absorbs rounding errors.
        let rectangle = range.map(|[low, high]| [low - 1.0, high + 1.0]);
        meet(&rectangle, &tiles.whole).then_some((rectangle, nearest.max(camera.near)))
    }
}

/// Tiles of a picture.
pub(super) struct Tiles {
    /// Numbers of columns and rows of tiles.
    pub(super) counts: [usize; 2],
    /// Rectangle of the whole picture.
    whole: Rectangle,
    /// Rectangle of each tile, with lens distortion; without it, the position determines the rectangle.
    bent: Option<Vec<Rectangle>>,
}

impl Tiles {
    pub(super) fn new(camera: &CameraView) -> Self {
        let counts = [camera.width, camera.height].map(|size| (size as usize).div_ceil(SIDE));
        let [columns, rows] = counts;
        let all = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
        let bent = camera.lens.as_ref().map(|_| {
            let ends = all.map(|(column, row)| Pixels::new(camera, column, row).ends());
            ends.collect::<Vec<Rectangle>>()
        });
        let whole = match &bent {
            None => [camera.width, camera.height].map(|size| [0.0, f64::from(size) - 1.0]),
            Some(tiles) => {
                let nothing = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
                tiles.iter().fold(nothing, |whole, tile| {
                    [0, 1].map(|axis: usize| {
                        [
                            whole[axis][0].min(tile[axis][0]),
                            whole[axis][1].max(tile[axis][1]),
                        ]
                    })
                })
            }
        };
        Self {
            counts,
            whole,
            bent,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.counts.iter().product()
    }

    /// Calls a function for each tile that overlaps a rectangle; the rectangle must overlap the picture.
    pub(super) fn with(&self, rectangle: &Rectangle, mut call: impl FnMut(usize)) {
        if let Some(tiles) = &self.bent {
            let tiles = tiles.iter().enumerate();
            tiles
                .filter(|(_, tile)| meet(rectangle, tile))
                .for_each(|(number, _)| call(number));
            return;
        }
        let range = |axis: usize| {
            let [low, high] = rectangle[axis];
            let last = self.counts[axis] - 1;
            low.max(0.0) as usize / SIDE..=(high as usize / SIDE).min(last)
        };
        for row in range(1) {
            for column in range(0) {
                call(row * self.counts[0] + column);
            }
        }
    }
}

/// Returns true if two rectangles overlap.
fn meet(one: &Rectangle, other: &Rectangle) -> bool {
    (0..2).all(|axis| one[axis][0] <= other[axis][1] && other[axis][0] <= one[axis][1])
}

impl Local {
    fn new(projection: &Projection<'_>, thing: &Thing) -> Self {
        let over = 1.0 / thing.form.scale();
        let rotation = thing.world_from_thing.rotation.to_rotation_matrix();
        let rows = rotation.matrix().transpose() * projection.rotation * over;
        let origin = thing.world_from_thing.inverse() * Point3::from(projection.position);
        Self {
            rows: [0, 1, 2].map(|row| [rows[(row, 0)], rows[(row, 1)], rows[(row, 2)]]),
            origin: (origin.coords * over).into(),
        }
    }

    /// Transforms a direction from the camera's axes to the thing's.
    pub(super) fn direction(&self, vector: &Vector3<f64>) -> Vector3<f64> {
        let turned = self
            .rows
            .map(|row| row[0] * vector.x + row[1] * vector.y + row[2] * vector.z);
        Vector3::from(turned)
    }

    /// Transforms a point from the camera's axes to the thing's.
    pub(super) fn point(&self, at: &Vector3<f64>) -> Vector3<f64> {
        self.direction(at) + Vector3::from(self.origin)
    }
}

impl Faces {
    fn new(camera: &CameraView, local: &Local, half: [f64; 3]) -> Self {
        let mut faces = Self::default();
        for (axis, half) in half.into_iter().enumerate() {
            for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
                let ahead = half - sign * local.origin[axis];
                // A camera exactly in the plane counts as in front of it.
                let ahead = if ahead == 0.0 { -1e-12 } else { ahead };
                let plane = Plane::new(camera, local.rows[axis], sign / ahead);
                if ahead < 0.0 {
                    faces.front.push((plane, 2 * axis + side));
                } else {
                    faces.back.push(plane);
                }
            }
        }
        faces
    }

    /// Returns true if a pixel within these columns and rows may show the box at an inverse depth above `least`.
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

    /// Returns the index of the face through which a ray enters.
    pub(super) fn entered(&self, u: f64, v: f64) -> usize {
        let mut best = (f64::INFINITY, 0);
        for (plane, face) in &self.front {
            let inverse_depth = plane.at(u, v);
            if inverse_depth < best.0 {
                best = (inverse_depth, *face);
            }
        }
        best.1
    }
}

impl Plane {
    /// Returns the plane whose inverse depth in direction (x, y, 1) is the dot product of that direction with `normal`,
    /// times `over`.
    pub(super) fn new(camera: &CameraView, normal: [f64; 3], over: f64) -> Self {
        let [u, v] = camera.center;
        let (a, b) = (normal[0] / camera.focal, normal[1] / camera.focal);
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
