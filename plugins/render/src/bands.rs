//! Drawing of pictures, one band of tiles at a time, in parallel.
use morse_api::render::{CameraView, Picture};
use rayon::{ThreadPool, prelude::*};

use super::{
    projection::{Projection, Tiles},
    render_scene::RenderScene,
    shadow::Bounds,
    tile::{self, SIDE, Shown},
};

/// Draws a picture of a scene.
pub(super) fn draw_picture(
    scene: &RenderScene,
    camera: &CameraView,
    picture: &mut Picture,
    pool: Option<&ThreadPool>,
) {
    picture.fit(camera);
    let tiles = Tiles::new(camera);
    let projection = Projection::new(camera, scene, &tiles);
    draw(&projection, &|_| true, picture, &mut [], pool);
}

/// Draws the tiles of a projection whose indices are `wanted`. Bounds of the points that each tile shows, in the sun's axes,
/// are written to `bounds` if it is not empty.
pub(super) fn draw(
    projection: &Projection<'_>,
    is_wanted: &(dyn Fn(usize) -> bool + Sync),
    picture: &mut Picture,
    bounds: &mut [Bounds],
    pool: Option<&ThreadPool>,
) {
    let width = projection.camera.width as usize;
    let columns = width.div_ceil(SIDE);
    let count = (projection.camera.height as usize).div_ceil(SIDE);
    // Each band is a row of tiles, so that no two bands write to the same pixels.
    let mut bands: Vec<_> = (0..count).map(Band::new).collect();
    let each = SIDE * width;
    for (band, color) in bands.iter_mut().zip(picture.color.chunks_mut(4 * each)) {
        band.color = color;
    }
    for (band, depth) in bands.iter_mut().zip(picture.depth.chunks_mut(each)) {
        band.depth = depth;
    }
    for (band, things) in bands.iter_mut().zip(picture.things.chunks_mut(each)) {
        band.things = things;
    }
    for (band, bounds) in bands.iter_mut().zip(bounds.chunks_mut(columns)) {
        band.bounds = bounds;
    }
    let draw = |mut band: Band<'_>| {
        let mut shown = Shown::NOTHING;
        for column in 0..columns {
            if is_wanted(band.number * columns + column) {
                tile::draw(projection, column, band.number, &mut shown);
                band.show(&shown, column, width);
            }
        }
    };
    match pool {
        Some(pool) => pool.install(|| bands.into_par_iter().for_each(draw)),
        None => bands.into_iter().for_each(draw),
    }
}

/// A band of a picture: a row of tiles.
struct Band<'a> {
    number: usize,
    color: &'a mut [u8],
    depth: &'a mut [f32],
    things: &'a mut [u16],
    bounds: &'a mut [Bounds],
}

impl Band<'_> {
    fn new(number: usize) -> Self {
        Self {
            number,
            color: &mut [],
            depth: &mut [],
            things: &mut [],
            bounds: &mut [],
        }
    }

    /// Copies the picture of a tile into the whole picture.
    fn show(&mut self, shown: &Shown, column: usize, width: usize) {
        let first = column * SIDE;
        let count = SIDE.min(width - first);
        for row in 0..SIDE {
            let start = row * width + first;
            if let Some(to) = self.color.get_mut(4 * start..4 * (start + count)) {
                to.copy_from_slice(shown.color[row][..count].as_flattened());
            }
            if let Some(to) = self.depth.get_mut(start..start + count) {
                to.copy_from_slice(&shown.depth[row][..count]);
            }
            if let Some(to) = self.things.get_mut(start..start + count) {
                to.copy_from_slice(&shown.things[row][..count]);
            }
        }
        if let Some(bounds) = self.bounds.get_mut(column) {
            *bounds = shown.bounds;
        }
    }
}
