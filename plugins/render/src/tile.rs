//! Ray casting of a tile of a picture: nearest thing in each pixel, transparent things before it, and the resulting light.
use morse_api::render::CameraView;
use morse_geometry::rays::{self, packet::Packet};
use nalgebra::Vector3;

use super::light::mix;
use super::pixels::Pixels;
use super::projection::{Cast, Faces, Plane, Projection};
use super::render_scene::{Form, Grid};
use super::shade::Shading;
use super::shadow::Bounds;

/// Width and height of a tile, pixels.
pub(super) const SIDE: usize = 16;

/// Value of a pixel without a thing.
pub(super) const NONE: u64 = u64::MAX;

/// One number for each pixel of a row.
pub(super) type Row = [f64; SIDE];

/// Nearest thing in each pixel of a tile.
pub(super) struct Nearest {
    /// Inverse depth, 1 / depth.
    pub(super) inverse_depth: [Row; SIDE],
    /// Index of the cast and, for a mesh, of its triangle; or [`NONE`].
    pub(super) what: [[u64; SIDE]; SIDE],
}

/// A transparent surface in a pixel.
pub(super) struct Pane {
    pub(super) row: usize,
    pub(super) lane: usize,
    pub(super) inverse_depth: f64,
    what: u64,
    /// Fraction of the light behind the surface that it blocks.
    cover: f64,
}

/// Picture of a tile.
pub(super) struct Shown {
    pub(super) color: [[[u8; 4]; SIDE]; SIDE],
    pub(super) depth: [[f32; SIDE]; SIDE],
    pub(super) things: [[u16; SIDE]; SIDE],
    /// Bounds of the surfaces that the tile shows, in the sun's axes, if there are shadows.
    pub(super) bounds: Bounds,
}

impl Shown {
    pub(super) const NOTHING: Self = Self {
        color: [[[0; 4]; SIDE]; SIDE],
        depth: [[f32::INFINITY; SIDE]; SIDE],
        things: [[0; SIDE]; SIDE],
        bounds: Bounds::NOTHING,
    };
}

fn pack(cast: u64, face: u32) -> u64 {
    cast << 32 | u64::from(face)
}

pub(super) fn unpack(what: u64) -> (usize, u32) {
    ((what >> 32) as usize, what as u32)
}

/// Draws the tile in a column and row of tiles.
pub(super) fn draw(projection: &Projection<'_>, column: usize, row: usize, shown: &mut Shown) {
    let tile = Tile::new(projection, column, row);
    let mut nearest = tile.nearest();
    let panes = tile.panes(&nearest);
    if projection.camera.channels.color {
        tile.paint(&nearest, &panes, shown);
    }
    for pane in &panes {
        let before = &mut nearest.inverse_depth[pane.row][pane.lane];
        let is_solid = tile.cast(pane.what).is_some_and(|cast| tile.is_solid(cast));
        if is_solid && pane.inverse_depth > *before {
            *before = pane.inverse_depth;
            nearest.what[pane.row][pane.lane] = pane.what;
        }
    }
    for row in 0..SIDE {
        for lane in 0..SIDE {
            let what = nearest.what[row][lane];
            let (depth, thing) = match tile.cast(what) {
                Some(cast) => (
                    (1.0 / nearest.inverse_depth[row][lane]) as f32,
                    u16::try_from(cast.thing + 1).unwrap_or(u16::MAX),
                ),
                None => (f32::INFINITY, 0),
            };
            shown.depth[row][lane] = depth;
            shown.things[row][lane] = thing;
        }
    }
}

pub(super) struct Tile<'s> {
    pub(super) projection: &'s Projection<'s>,
    indices: [usize; 2],
    pub(super) pixels: Pixels,
}

impl<'s> Tile<'s> {
    fn new(projection: &'s Projection<'s>, column: usize, row: usize) -> Self {
        Self {
            projection,
            indices: [column, row],
            pixels: Pixels::new(projection.camera, column, row),
        }
    }

    fn cast(&self, what: u64) -> Option<&Cast> {
        if what == NONE {
            return None;
        }
        self.projection.casts.get(unpack(what).0)
    }

    fn is_solid(&self, cast: &Cast) -> bool {
        let thing = self.projection.scene.things.get(cast.thing);
        thing.is_some_and(super::render_scene::Thing::is_solid)
    }

    fn casts(&self) -> impl Iterator<Item = (u64, &Cast)> {
        self.projection.in_tile(self.indices[0], self.indices[1])
    }

    /// Returns the nearest opaque thing in each pixel.
    fn nearest(&self) -> Nearest {
        let camera = self.projection.camera;
        let mut nearest = Nearest {
            inverse_depth: [[1.0 / camera.far; SIDE]; SIDE],
            what: [[NONE; SIDE]; SIDE],
        };
        let mut least = 1.0 / camera.far;
        for (number, cast) in self.casts().filter(|(_, cast)| !cast.is_clear) {
            if cast.most < least {
                break;
            }
            if let Some(faces) = &cast.faces {
                if !self.may_show(faces, least) {
                    continue;
                }
                self.meet_faces(faces, pack(number, 0), &mut nearest);
            } else {
                for row in 0..SIDE {
                    let (inverse_depths, hit_faces) = self.row(cast, row);
                    for lane in 0..SIDE {
                        let near = &mut nearest.inverse_depth[row][lane];
                        if inverse_depths[lane] > *near {
                            *near = inverse_depths[lane];
                            nearest.what[row][lane] = pack(number, hit_faces[lane]);
                        }
                    }
                }
            }
            least = nearest
                .inverse_depth
                .iter()
                .flatten()
                .fold(
                    f64::INFINITY,
                    |least, &near| if near < least { near } else { least },
                );
        }
        nearest
    }

    fn may_show(&self, faces: &Faces, least: f64) -> bool {
        let [columns, rows] = self.pixels.ends();
        faces.may_be_in(columns, rows, least)
    }

    fn meet_faces(&self, faces: &Faces, what: u64, nearest: &mut Nearest) {
        let most = 1.0 / self.projection.camera.near;
        for row in 0..SIDE {
            let inverse_depths = self.pixels.enter(faces, row);
            let (near, known) = (&mut nearest.inverse_depth[row], &mut nearest.what[row]);
            for lane in 0..SIDE {
                let is_nearer =
                    (inverse_depths[lane] > near[lane]) & (inverse_depths[lane] <= most);
                near[lane] = if is_nearer {
                    inverse_depths[lane]
                } else {
                    near[lane]
                };
                known[lane] = if is_nearer { what } else { known[lane] };
            }
        }
    }

    /// Returns the inverse depth of a thing in a row of pixels, 0 where it is absent, and the triangles of a mesh.
    fn row(&self, cast: &Cast, row: usize) -> (Row, [u32; SIDE]) {
        let camera = self.projection.camera;
        let form = self
            .projection
            .scene
            .things
            .get(cast.thing)
            .map(|thing| &thing.form);
        let directions = || self.pixels.directions(&cast.local, row);
        let mut hit_faces = [0; SIDE];
        let mut depths = match (&cast.faces, form) {
            (Some(faces), _) => self.pixels.enter(faces, row).map(|near| 1.0 / near),
            (None, Some(Form::Solid(solid))) => solid.distances(cast.local.origin, &directions()),
            (None, Some(Form::Mesh { mesh, .. })) => {
                let directions = directions();
                let packet = Packet::new(cast.local.origin, directions, [camera.far; SIDE]);
                let (mut depths, triangles) = mesh.triangles.nearest(packet);
                hit_faces = triangles;
                for lane in 0..SIDE {
                    if depths[lane] < camera.near {
                        // Triangles before the near plane do not hide those behind them.
                        let ray = [0, 1, 2].map(|axis| directions[axis][lane]);
                        (depths[lane], hit_faces[lane]) =
                            self.beyond_near(cast, &mesh.triangles, ray);
                    }
                }
                depths
            }
            (None, Some(Form::Grid(_)) | None) => [f64::INFINITY; SIDE],
        };
        for depth in &mut depths {
            let is_seen = (*depth >= camera.near) & (*depth <= camera.far);
            *depth = if is_seen { 1.0 / *depth } else { 0.0 };
        }
        (depths, hit_faces)
    }

    /// Returns the first triangle that a ray, in the axes of its mesh, intersects beyond the near plane, with its depth.
    fn beyond_near(&self, cast: &Cast, mesh: &rays::Mesh, ray: [f64; 3]) -> (f64, u32) {
        let CameraView { near, far, .. } = *self.projection.camera;
        let from = [0, 1, 2].map(|axis| cast.local.origin[axis] + near * ray[axis]);
        let packet = Packet::new(from, ray.map(|coordinate| [coordinate]), [far - near]);
        let ([depth], [triangle]) = mesh.nearest(packet);
        (near + depth, triangle)
    }

    /// Returns the transparent surfaces before the nearest opaque thing, from far to near in each pixel.
    fn panes(&self, nearest: &Nearest) -> Vec<Pane> {
        let mut panes = Vec::new();
        for (number, cast) in self.casts().filter(|(_, cast)| cast.is_clear) {
            let Some(thing) = self.projection.scene.things.get(cast.thing) else {
                continue;
            };
            for row in 0..SIDE {
                let (inverse_depths, hit_faces) = match &thing.form {
                    Form::Grid(_) => (self.plane(cast, row), [0; SIDE]),
                    _ => self.row(cast, row),
                };
                for lane in 0..SIDE {
                    if inverse_depths[lane] <= nearest.inverse_depth[row][lane] {
                        continue;
                    }
                    let cover = match &thing.form {
                        Form::Grid(grid) => {
                            self.lines(cast, grid, (row, lane), inverse_depths[lane])
                        }
                        _ => 1.0,
                    };
                    panes.push(Pane {
                        row,
                        lane,
                        inverse_depth: inverse_depths[lane],
                        what: pack(number, hit_faces[lane]),
                        cover: cover * f64::from(thing.alpha),
                    });
                }
            }
        }
        let pixel = |pane: &Pane| (pane.row, pane.lane);
        panes.sort_by(|one, other| {
            let inverse_depth = one.inverse_depth.total_cmp(&other.inverse_depth);
            pixel(one).cmp(&pixel(other)).then(inverse_depth)
        });
        panes
    }

    /// Returns the inverse depth of the plane of a grid, 0 where it is invisible.
    fn plane(&self, cast: &Cast, row: usize) -> Row {
        let camera = self.projection.camera;
        let plane = Plane::new(camera, cast.local.rows[2], -1.0 / cast.local.origin[2]);
        let range = 1.0 / camera.far..=1.0 / camera.near;
        std::array::from_fn(|lane| {
            let [u, v] = self.pixels.undistorted((row, lane));
            let inverse_depth = plane.at(u, v);
            if range.contains(&inverse_depth) {
                inverse_depth
            } else {
                0.0
            }
        })
    }

    /// Returns the fraction of a pixel that the lines of a grid cover, so that lines thinner than a pixel do not vanish.
    fn lines(&self, cast: &Cast, grid: &Grid, pixel: (usize, usize), inverse_depth: f64) -> f64 {
        let at = |ray: Vector3<f64>, inverse_depth: f64| cast.local.point(&(ray / inverse_depth));
        let ray = self.pixels.ray(pixel);
        let here = at(ray, inverse_depth);
        // Distances to the neighbouring pixels, on the grid.
        let plane = Plane::new(
            self.projection.camera,
            cast.local.rows[2],
            -1.0 / cast.local.origin[2],
        );
        let step = 1.0 / self.projection.camera.focal;
        let right = at(
            ray + Vector3::x() * step,
            (inverse_depth + plane.a).max(inverse_depth * 0.5),
        );
        let below = at(
            ray + Vector3::y() * step,
            (inverse_depth + plane.b).max(inverse_depth * 0.5),
        );
        let mut open = 1.0;
        for axis in 0..2 {
            let other = 1 - axis;
            let (half, delta) = (grid.half[axis], grid.delta[axis]);
            if here[axis].abs() > half + grid.thickness / 2.0
                || here[other].abs() > grid.half[other] + grid.thickness / 2.0
                || delta <= 0.0
            {
                continue;
            }
            let pixel = (right[axis] - here[axis])
                .abs()
                .max((below[axis] - here[axis]).abs());
            let line = ((here[axis] + half) / delta).round() * delta - half;
            let away = (here[axis] - line).abs();
            let covered =
                (grid.thickness / 2.0 + pixel / 2.0 - away).clamp(0.0, pixel.min(grid.thickness));
            open *= 1.0 - covered / pixel.max(1e-12);
        }
        1.0 - open
    }

    /// Computes the colours of all pixels.
    fn paint(&self, nearest: &Nearest, panes: &[Pane], shown: &mut Shown) {
        let shading = Shading::new(self, nearest, panes);
        shown.bounds = shading.bounds;
        let mut panes = panes.iter().peekable();
        for row in 0..SIDE {
            for lane in 0..SIDE {
                let what = nearest.what[row][lane];
                let mut color = match self.cast(what) {
                    Some(cast) => {
                        shading.color(cast, what, (row, lane), nearest.inverse_depth[row][lane])
                    }
                    None => self.projection.sky(&self.pixels.ray((row, lane))),
                };
                while let Some(pane) = panes.next_if(|pane| (pane.row, pane.lane) == (row, lane)) {
                    if let Some(cast) = self.cast(pane.what).filter(|_| pane.cover > 0.0) {
                        let own = shading.color(cast, pane.what, (row, lane), pane.inverse_depth);
                        color = mix(color, own, pane.cover);
                    }
                }
                shown.color[row][lane] = self.projection.scene.illumination.code(color);
            }
        }
    }
}

impl Tile<'_> {
    /// Returns the position in the world of the point that a pixel shows.
    pub(super) fn in_world(&self, pixel: (usize, usize), inverse_depth: f64) -> Vector3<f64> {
        self.projection.rotation * (self.pixels.ray(pixel) / inverse_depth)
            + self.projection.position
    }
}
