//! Conversion of depths to points, in the order of MORSE's depth cameras.
use morse_api::prelude::*;
use nalgebra::Point3;

use super::{Lens, PictureBuffers};

/// Selection of the points of a depth camera.
pub struct Cloud<'a> {
    /// Rows that are kept, counted from 1 at the bottom; `None` for all.
    pub lines: Option<&'a [u32]>,
    /// Value of each coordinate for a pixel without a depth; `None` to leave out the point.
    pub blank: Option<f32>,
}

impl Cloud<'_> {
    /// Writes the points of all images of a camera, in the axes of the camera: row by row from the bottom, unless the top
    /// row comes first.
    pub fn write(&self, lens: &Lens, buffers: &PictureBuffers, points: &mut Vec<f32>) {
        points.clear();
        let height = lens.height;
        let width = lens.width as usize;
        let ([center_u, center_v], over) = (lens.center(), 1.0 / lens.pixels());
        for (picture, camera_from_view) in buffers.pictures.iter().zip(&buffers.camera_from_view) {
            let is_straight = *camera_from_view == Isometry3::identity();
            let mut line = |line: u32| {
                let row = (height - line) as usize;
                let depths = picture.depth.get(row * width..(row + 1) * width);
                for (u, &depth) in depths.unwrap_or_default().iter().enumerate() {
                    if depth.is_finite() {
                        let depth = f64::from(depth);
                        let across =
                            |pixel: usize, center: f64| depth * (pixel as f64 - center) * over;
                        let [x, y] = match &buffers.bend {
                            Some(bend) => bend.ray(u, row).map(|direction| direction * depth),
                            None => [across(u, center_u), across(row, center_v)],
                        };
                        let mut at = Point3::new(x, y, depth);
                        if !is_straight {
                            at = camera_from_view * at;
                        }
                        points.extend(at.iter().map(|&number| number as f32));
                    } else if let Some(blank) = self.blank {
                        points.extend([blank; 3]);
                    }
                }
            };
            match (self.lines, lens.vertical_flip) {
                (Some(lines), false) => lines.iter().copied().for_each(&mut line),
                (Some(lines), true) => lines.iter().rev().copied().for_each(&mut line),
                (None, false) => (1..=height).for_each(&mut line),
                (None, true) => (1..=height).rev().for_each(&mut line),
            }
        }
    }
}

/// Returns the maximum number of points of an image, of which these rows, or all, are kept.
#[must_use]
pub fn most_points(lines: Option<&[u32]>, lens: &Lens) -> u64 {
    let lines = lines.map_or(u64::from(lens.height), |lines| lines.len() as u64);
    lines * u64::from(lens.width)
}

/// Checks that all rows are within the image.
///
/// # Errors
///
/// A row is not.
pub fn check_lines(lines: Option<&[u32]>, lens: &Lens) -> Result<(), CheckError> {
    let mut lines = lines.unwrap_or_default().iter();
    match lines.find(|line| !(1..=lens.height).contains(*line)) {
        Some(line) => Err(CheckError::setting(format!(
            "`keep_list` contains row {line}, but the image has rows 1 (the lowest) to {}",
            lens.height
        ))),
        None => Ok(()),
    }
}
