//! Reader of `<image>`: walls where an image is dark, as Gazebo Classic makes them of floor plans.
//!
//! A pixel is a square of `scale` metres; the first one begins at the origin, columns run along x and rows along y. Pixels
//! whose grey value is not above `threshold` are walls of `height`.

use morse_scene::{bounds::Bounds, model::Shape};

use super::fields::{self, SIZE, Written};
use crate::{mjcf::Surface, outline::surface, problems::Problems, xml::Element};

/// Maximum number of boxes of an image.
const MOST_BOXES: usize = 20_000;

/// Walls as written.
#[derive(Clone, Debug)]
pub(super) struct Walls {
    pub(super) uri: Written,
    /// Side of a pixel, m.
    scale: f64,
    /// Largest grey value of a wall, 0 to 255.
    threshold: f64,
    /// Height, m.
    height: f64,
}

/// A box over pixels: first column and row, and those behind the last ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rectangle {
    columns: [usize; 2],
    rows: [usize; 2],
}

/// Reads the walls of an image.
pub(super) fn read(shape: &Element, problems: &mut Problems) -> Option<Walls> {
    let uri = fields::needed(shape, "uri", "<uri>rooms.png</uri>", problems)?;
    let uri = fields::written(uri);
    let grey = Bounds::between(0.0, 255.0);
    Some(Walls {
        uri,
        scale: fields::number(shape, "scale", SIZE, problems).unwrap_or(1.0),
        threshold: fields::number(shape, "threshold", grey, problems).unwrap_or(200.0),
        height: fields::number(shape, "height", SIZE, problems).unwrap_or(1.0),
    })
}

impl Walls {
    /// Returns the walls as one mesh. `image` has the grey values as heights from 0 to 1, row by row.
    pub(super) fn shape(&self, image: &Surface) -> Result<Shape, String> {
        let first = image.vertices.first().ok_or("it has no pixels")?;
        let is_first = |vertex: &&[f64; 3]| vertex[1] == first[1];
        let columns = image.vertices.iter().take_while(is_first).count();
        let dark: Vec<bool> = image
            .vertices
            .iter()
            .map(|[_, _, grey]| (grey * 255.0).round() <= self.threshold)
            .collect();
        let boxes = rectangles(&dark, columns)?;
        let (mut vertices, mut faces) = (Vec::new(), Vec::new());
        for Rectangle { columns, rows } in boxes {
            let [x, y] = [columns, rows].map(|ends| ends.map(|end| end as f64 * self.scale));
            let start = vertices.len();
            for z in [0.0, self.height] {
                vertices.extend([
                    [x[0], y[0], z],
                    [x[1], y[0], z],
                    [x[1], y[1], z],
                    [x[0], y[1], z],
                ]);
            }
            faces.extend(BOX.map(|face| face.map(|corner| start + corner)));
        }
        Ok(surface("walls", &vertices, &faces))
    }
}

/// Triangles of a box: corners 0 to 3 counterclockwise below, 4 to 7 above them.
const BOX: [[usize; 3]; 12] = [
    [0, 2, 1],
    [0, 3, 2],
    [4, 5, 6],
    [4, 6, 7],
    [0, 1, 5],
    [0, 5, 4],
    [1, 2, 6],
    [1, 6, 5],
    [2, 3, 7],
    [2, 7, 6],
    [3, 0, 4],
    [3, 4, 7],
];

/// Returns rectangles that cover the dark pixels, each once: runs of a row that continue in the next one are merged.
fn rectangles(dark: &[bool], columns: usize) -> Result<Vec<Rectangle>, String> {
    let mut boxes: Vec<Rectangle> = Vec::new();
    // Rectangles that end at the row before.
    let mut open: Vec<usize> = Vec::new();
    for (row, pixels) in dark.chunks(columns.max(1)).enumerate() {
        let mut next = Vec::new();
        for columns in runs(pixels) {
            let same = open.iter().copied().find(|index| {
                let above = boxes.get(*index);
                above.is_some_and(|above| above.columns == columns)
            });
            match same.and_then(|index| Some((index, boxes.get_mut(index)?))) {
                Some((index, above)) => {
                    above.rows[1] = row + 1;
                    next.push(index);
                }
                None => {
                    next.push(boxes.len());
                    let rows = [row, row + 1];
                    boxes.push(Rectangle { columns, rows });
                }
            }
        }
        if boxes.len() > MOST_BOXES {
            return Err(format!("its walls are more than {MOST_BOXES} boxes"));
        }
        open = next;
    }
    match boxes.is_empty() {
        true => Err("no pixel is dark enough for a wall".to_owned()),
        false => Ok(boxes),
    }
}

/// Returns the first column of each run of dark pixels, and the one behind its last.
fn runs(pixels: &[bool]) -> Vec<[usize; 2]> {
    let mut runs: Vec<[usize; 2]> = Vec::new();
    for (column, _) in pixels.iter().enumerate().filter(|(_, dark)| **dark) {
        match runs.last_mut() {
            Some(run) if run[1] == column => run[1] = column + 1,
            _ => runs.push([column, column + 1]),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_cover_each_dark_pixel_once() {
        let rows = ["##...#", "##..##", ".####.", ".####.", "......", "#....#"];
        let dark: Vec<bool> = rows.concat().chars().map(|pixel| pixel == '#').collect();
        let boxes = rectangles(&dark, 6).unwrap();
        assert_eq!(boxes.len(), 6);
        let mut covered = vec![0; dark.len()];
        for Rectangle { columns, rows } in boxes {
            for row in rows[0]..rows[1] {
                for column in columns[0]..columns[1] {
                    covered[row * 6 + column] += 1;
                }
            }
        }
        let expected: Vec<i32> = dark.iter().map(|dark| i32::from(*dark)).collect();
        assert_eq!(covered, expected);
    }

    #[test]
    fn images_without_walls_or_with_too_many_are_refused() {
        assert!(rectangles(&[false; 9], 3).is_err());
        let checker: Vec<bool> = (0..300 * 301).map(|index| index % 2 == 0).collect();
        assert!(rectangles(&checker, 301).is_err());
    }
}
