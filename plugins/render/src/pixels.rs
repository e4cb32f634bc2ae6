//! Rays of the pixels of a tile, with and without lens distortion.
use morse_api::render::CameraView;
use nalgebra::Vector3;

use super::projection::{Faces, Local};
use super::tile::{Row, SIDE};

/// Rays of a tile. Without lens distortion all pixels of a column share x, and all pixels of a row share y; with distortion
/// each pixel has its own ray.
pub(super) struct Pixels {
    /// Columns and rows in the undistorted picture.
    columns: Row,
    rows: Row,
    /// Columns and rows as components of ray directions.
    x: Row,
    y: Row,
    bent: Option<Box<Bent>>,
}

/// Positions and directions of each pixel, row by row, with lens distortion.
struct Bent {
    columns: [Row; SIDE],
    rows: [Row; SIDE],
    x: [Row; SIDE],
    y: [Row; SIDE],
}

/// A number for each pixel of a row: one number each, or one for all.
trait Lanes {
    fn at(&self, lane: usize) -> f64;
}

impl Lanes for f64 {
    #[inline]
    fn at(&self, _: usize) -> f64 {
        *self
    }
}

impl Lanes for Row {
    #[inline]
    fn at(&self, lane: usize) -> f64 {
        self[lane]
    }
}

impl Pixels {
    /// Returns the rays of the tile in a column and row of tiles.
    pub(super) fn new(camera: &CameraView, column: usize, row: usize) -> Self {
        let numbers = |first: usize| std::array::from_fn(|lane| (first * SIDE + lane) as f64);
        let (columns, rows): (Row, Row) = (numbers(column), numbers(row));
        let bent = camera.lens.as_ref().map(|lens| {
            let rays: [[[f64; 2]; SIDE]; SIDE] = std::array::from_fn(|v| {
                std::array::from_fn(|u| lens.ray(column * SIDE + u, row * SIDE + v))
            });
            let coordinates = |axis: usize| rays.map(|row| row.map(|ray| ray[axis]));
            let pixel = |axis: usize| {
                coordinates(axis).map(|row| {
                    row.map(|coordinate| coordinate * camera.focal + camera.center[axis])
                })
            };
            Box::new(Bent {
                columns: pixel(0),
                rows: pixel(1),
                x: coordinates(0),
                y: coordinates(1),
            })
        });
        Self {
            columns,
            rows,
            x: columns.map(|u| (u - camera.center[0]) / camera.focal),
            y: rows.map(|v| (v - camera.center[1]) / camera.focal),
            bent,
        }
    }

    /// Returns column and row of a pixel in the undistorted picture.
    pub(super) fn undistorted(&self, (row, lane): (usize, usize)) -> [f64; 2] {
        match &self.bent {
            None => [self.columns[lane], self.rows[row]],
            Some(bent) => [bent.columns[row][lane], bent.rows[row][lane]],
        }
    }

    /// Returns the point that a pixel shows at a depth of 1, in the axes of the camera.
    pub(super) fn ray(&self, (row, lane): (usize, usize)) -> Vector3<f64> {
        match &self.bent {
            None => Vector3::new(self.x[lane], self.y[row], 1.0),
            Some(bent) => Vector3::new(bent.x[row][lane], bent.y[row][lane], 1.0),
        }
    }

    /// Returns the minimum and maximum column, and the minimum and maximum row, in the undistorted picture.
    pub(super) fn ends(&self) -> [[f64; 2]; 2] {
        let Some(bent) = &self.bent else {
            return [&self.columns, &self.rows].map(|of| [of[0], of[SIDE - 1]]);
        };
        [&bent.columns, &bent.rows].map(|of| {
            let all = of.as_flattened().iter();
            all.fold(
                [f64::INFINITY, f64::NEG_INFINITY],
                |[low, high], &number| [low.min(number), high.max(number)],
            )
        })
    }

    /// Returns the ray directions of a row of pixels in the axes of a thing.
    pub(super) fn directions(&self, local: &Local, row: usize) -> [Row; 3] {
        match &self.bent {
            None => directions(local, &self.x, &self.y[row]),
            Some(bent) => directions(local, &bent.x[row], &bent.y[row]),
        }
    }

    /// Returns the inverse depth at which the rays of a row enter a box, 0 for rays that miss it.
    pub(super) fn enter(&self, faces: &Faces, row: usize) -> Row {
        match &self.bent {
            None => enter(faces, &self.columns, &self.rows[row]),
            Some(bent) => enter(faces, &bent.columns[row], &bent.rows[row]),
        }
    }
}

#[inline]
fn directions(local: &Local, x: &Row, y: &impl Lanes) -> [Row; 3] {
    local.rows.map(|[across, down, ahead]| {
        std::array::from_fn(|lane| across * x[lane] + (down * y.at(lane) + ahead))
    })
}

#[inline]
fn enter(faces: &Faces, columns: &Row, rows: &impl Lanes) -> Row {
    let mut enter = [f64::INFINITY; SIDE];
    for (plane, _) in &faces.front {
        for lane in 0..SIDE {
            let inverse_depth = plane.at(columns[lane], rows.at(lane));
            enter[lane] = if inverse_depth < enter[lane] {
                inverse_depth
            } else {
                enter[lane]
            };
        }
    }
    let mut leave = [0.0; SIDE];
    for plane in &faces.back {
        for lane in 0..SIDE {
            let inverse_depth = plane.at(columns[lane], rows.at(lane));
            leave[lane] = if inverse_depth > leave[lane] {
                inverse_depth
            } else {
                leave[lane]
            };
        }
    }
    for lane in 0..SIDE {
        enter[lane] = if enter[lane] >= leave[lane] {
            enter[lane]
        } else {
            0.0
        };
    }
    enter
}
