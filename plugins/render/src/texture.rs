//! Filtered sampling of patterns: the mean over the footprint of a pixel, by mipmaps with anisotropic filtering.
//!
//! An image is stored at several levels (mipmap), each half as large as the previous one. For a distant or oblique surface,
//! the result is the mean of a few samples along the footprint, each at the level whose pixels are as large as the footprint
//! is narrow.
use std::sync::Arc;

use morse_api::{lighting::linear, paint::Image};

use super::light::encode;

/// Red, green and blue times opacity, and opacity; linear.
type Rgba = [f32; 4];

/// Maximum number of samples.
const MOST_SAMPLES: f64 = 8.0;

/// An image at all levels.
pub(super) struct Texture {
    /// Levels, from the largest to a single pixel.
    levels: Vec<Level>,
    /// Linear light of each sRGB code.
    light: [f32; 256],
}

struct Level {
    width: usize,
    height: usize,
    pixels: Arc<[u8]>,
}

/// Footprint of a pixel on a pattern: its position, and the displacements to the positions of the neighbouring pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Footprint {
    pub(super) at: [f64; 2],
    pub(super) right: [f64; 2],
    pub(super) below: [f64; 2],
}

impl Footprint {
    /// Returns the footprint with each axis scaled.
    pub(super) fn scaled(&self, by: [f64; 2]) -> Self {
        let scaled = |vector: [f64; 2]| [vector[0] * by[0], vector[1] * by[1]];
        Self {
            at: scaled(self.at),
            right: scaled(self.right),
            below: scaled(self.below),
        }
    }
}

impl Texture {
    pub(super) fn new(image: &Image) -> Self {
        let mut texture = Self {
            levels: vec![Level {
                width: image.width as usize,
                height: image.height as usize,
                pixels: image.pixels.clone(),
            }],
            light: std::array::from_fn(|code| linear([code as f64 / 255.0; 3])[0]),
        };
        while let Some(level) = texture
            .levels
            .last()
            .filter(|level| level.width.max(level.height) > 1)
        {
            let half = texture.half(level);
            texture.levels.push(half);
        }
        texture
    }

    /// Returns the ratio of height to width.
    pub(super) fn shape(&self) -> f64 {
        let level = self.levels.first();
        level.map_or(1.0, |level| level.height as f64 / level.width as f64)
    }

    /// Returns the mean over a footprint. Coordinates are in units of the image, to the right and up from its lower left
    /// corner. Beyond the edges the image repeats where `goes_on` is true; elsewhere the pixels of the edge continue.
    pub(super) fn mean(&self, footprint: &Footprint, goes_on: [bool; 2]) -> Rgba {
        let [width, height] = match self.levels.first() {
            Some(level) => [level.width as f64, level.height as f64],
            None => return [0.0; 4],
        };
        // From here on in pixels, with y downwards.
        let covers = footprint.scaled([width, -height]);
        let at = [covers.at[0], height + covers.at[1]];
        let length = |vector: [f64; 2]| libm::hypot(vector[0], vector[1]);
        let (mut long, mut short) = (covers.right, covers.below);
        if length(long) < length(short) {
            (long, short) = (short, long);
        }
        let most = length(long);
        if !(most.is_finite() && at.iter().all(|value| value.is_finite())) {
            return self
                .levels
                .last()
                .map_or([0.0; 4], |level| self.pixel(level, 0, 0));
        }
        let each = length(short).max(most / MOST_SAMPLES).max(1.0);
        let count = (most / each).ceil().clamp(1.0, MOST_SAMPLES);
        let size = libm::log2(each).min((self.levels.len() - 1) as f64);
        let mut sum = [0.0; 4];
        for sample in 0..count as usize {
            let share = (sample as f64 + 0.5) / count - 0.5;
            let at = [at[0] + share * long[0], at[1] + share * long[1]];
            let color = self.between(size, at, goes_on);
            for (sum, value) in sum.iter_mut().zip(color) {
                *sum += value / count as f32;
            }
        }
        sum
    }

    /// Interpolates between the two levels nearest to a size.
    fn between(&self, size: f64, at: [f64; 2], goes_on: [bool; 2]) -> Rgba {
        let lower = size.floor();
        let share = (size - lower) as f32;
        let fine = self.smooth(lower as usize, at, goes_on);
        if share == 0.0 {
            return fine;
        }
        let coarse = self.smooth(lower as usize + 1, at, goes_on);
        std::array::from_fn(|channel| fine[channel] + (coarse[channel] - fine[channel]) * share)
    }

    /// Interpolates bilinearly between four pixels of a level; `at` is in pixels of the largest level.
    fn smooth(&self, size: usize, at: [f64; 2], goes_on: [bool; 2]) -> Rgba {
        let (Some(level), Some(largest)) = (self.levels.get(size), self.levels.first()) else {
            return [0.0; 4];
        };
        let counts = [level.width, level.height];
        let of = [largest.width, largest.height];
        let mut pixels = [[0; 2]; 2];
        let mut shares = [0.0; 2];
        for axis in 0..2 {
            let position = at[axis] * counts[axis] as f64 / of[axis] as f64 - 0.5;
            let first = position.floor();
            shares[axis] = (position - first) as f32;
            let count = counts[axis] as f64;
            pixels[axis] = [first, first + 1.0].map(|pixel| {
                if goes_on[axis] {
                    // The addition of zero pixels may round up to the end.
                    (pixel.rem_euclid(count) as usize).min(counts[axis] - 1)
                } else {
                    pixel.clamp(0.0, count - 1.0) as usize
                }
            });
        }
        let row = |v: usize| {
            let [left, right] = pixels[0].map(|u| self.pixel(level, u, v));
            std::array::from_fn(|channel| {
                left[channel] + (right[channel] - left[channel]) * shares[0]
            })
        };
        let [upper, lower]: [Rgba; 2] = pixels[1].map(row);
        std::array::from_fn(|channel| {
            upper[channel] + (lower[channel] - upper[channel]) * shares[1]
        })
    }

    fn pixel(&self, level: &Level, u: usize, v: usize) -> Rgba {
        let start = 4 * (v * level.width + u);
        let Some(&[red, green, blue, alpha]) =
            level.pixels.get(start..).and_then(<[u8]>::first_chunk)
        else {
            return [0.0; 4];
        };
        let opacity = f32::from(alpha) / 255.0;
        let [red, green, blue] =
            [red, green, blue].map(|code| self.light[usize::from(code)] * opacity);
        [red, green, blue, opacity]
    }

    /// Returns the next smaller level: each pixel is the mean of the pixels that it covers.
    fn half(&self, level: &Level) -> Level {
        let (width, height) = ((level.width / 2).max(1), (level.height / 2).max(1));
        let (columns, rows) = (covered(level.width, width), covered(level.height, height));
        let mut pixels = Vec::with_capacity(4 * width * height);
        for row in &rows {
            for column in &columns {
                let mut sum = [0.0; 4];
                for (v, down) in row {
                    for (u, across) in column {
                        let pixel = self.pixel(level, *u, *v);
                        for (sum, value) in sum.iter_mut().zip(pixel) {
                            *sum += value * across * down;
                        }
                    }
                }
                let [red, green, blue, opacity] = sum;
                let code = |light: f32| encode(f64::from(light / opacity.max(1e-6)).min(1.0));
                pixels.extend([red, green, blue].map(code));
                pixels.push((opacity * 255.0 + 0.5) as u8);
            }
        }
        Level {
            width,
            height,
            pixels: pixels.into(),
        }
    }
}

/// Returns for each of `fewer` pixels the indices and weights of those of the `many` pixels that it covers.
fn covered(many: usize, fewer: usize) -> Vec<Vec<(usize, f32)>> {
    let length = many as f64 / fewer as f64;
    let of = |pixel: usize| {
        let (start, end) = (pixel as f64 * length, (pixel + 1) as f64 * length);
        let each = start as usize..many.min(end.ceil() as usize);
        each.map(|old| {
            let overlap = end.min((old + 1) as f64) - start.max(old as f64);
            (old, (overlap / length) as f32)
        })
        .collect()
    };
    (0..fewer).map(of).collect()
}

/// Number of cells along each side into which a footprint on a checker is divided.
const CELLS: usize = 3;

/// Returns the fraction of a footprint that squares with the colour of the lower left one cover; the footprint is in units
/// of squares. The footprint is divided into cells, since it may be oblique; each cell is treated as a rectangle along the
/// squares.
pub(super) fn checker(footprint: &Footprint) -> f64 {
    let Footprint { at, right, below } = footprint;
    let wide = [0, 1]
        .map(|axis| (right[axis] * right[axis] + below[axis] * below[axis]).sqrt() / CELLS as f64);
    if !wide.iter().chain(at).all(|number| number.is_finite()) {
        return 0.5;
    }
    let offset = |number: usize| (number as f64 + 0.5) / CELLS as f64 - 0.5;
    let mut sum = 0.0;
    for (i, j) in (0..CELLS).flat_map(|i| (0..CELLS).map(move |j| (i, j))) {
        let [across, down] = [0, 1].map(|axis| {
            let at = at[axis] + offset(i) * right[axis] + offset(j) * below[axis];
            balance(at, wide[axis])
        });
        sum += 0.5 + 0.5 * across * down;
    }
    sum / (CELLS * CELLS) as f64
}

/// Returns the mean, over an interval around a position, of a square wave that is 1 from 0 to 1, -1 from 1 to 2, and
/// periodic.
fn balance(at: f64, wide: f64) -> f64 {
    if wide < 1e-6 {
        let is_first = at - 2.0 * (at / 2.0).floor() < 1.0;
        return if is_first { 1.0 } else { -1.0 };
    }
    // The integral of a square wave is a triangle wave.
    let triangles = |position: f64| (position - 2.0 * (position / 2.0).floor() - 1.0).abs();
    (triangles(at - wide / 2.0) - triangles(at + wide / 2.0)) / wide
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(width: u32, pixels: &[[u8; 4]]) -> Texture {
        Texture::new(&Image {
            width,
            height: pixels.len() as u32 / width,
            pixels: pixels.as_flattened().into(),
        })
    }

    fn point(u: f64, v: f64) -> Footprint {
        Footprint {
            at: [u, v],
            right: [0.0; 2],
            below: [0.0; 2],
        }
    }

    const RED: [u8; 4] = [255, 0, 0, 255];
    const BLUE: [u8; 4] = [0, 0, 255, 255];
    const CLEAR: [u8; 4] = [0, 255, 0, 0];

    #[test]
    fn images_stand_upright_and_are_mixed_between_pixels() {
        // Red above, blue below.
        let texture = image(1, &[RED, BLUE]);
        assert_eq!(
            texture.mean(&point(0.5, 0.75), [false; 2]),
            [1.0, 0.0, 0.0, 1.0]
        );
        assert_eq!(
            texture.mean(&point(0.5, 0.25), [false; 2]),
            [0.0, 0.0, 1.0, 1.0]
        );
        assert_eq!(
            texture.mean(&point(0.5, 0.5), [false; 2]),
            [0.5, 0.0, 0.5, 1.0]
        );
        // At the edge the pixels continue, or the image repeats.
        assert_eq!(
            texture.mean(&point(0.5, 1.0), [false; 2]),
            [1.0, 0.0, 0.0, 1.0]
        );
        assert_eq!(
            texture.mean(&point(0.5, 1.0), [true; 2]),
            [0.5, 0.0, 0.5, 1.0]
        );
        assert_eq!(
            texture.mean(&point(7.5, -3.25), [true; 2]),
            [1.0, 0.0, 0.0, 1.0]
        );
        // Transparent pixels contribute no colour.
        let holes = image(2, &[RED, CLEAR]);
        assert_eq!(
            holes.mean(&point(0.5, 0.5), [false; 2]),
            [0.5, 0.0, 0.0, 0.5]
        );
    }

    #[test]
    fn from_afar_the_mean_is_seen() {
        // Alternating white and black pixels: half of the light.
        let pixels: Vec<[u8; 4]> = (0..48 * 48)
            .map(|index| {
                if (index / 48 + index % 48) % 2 == 0 {
                    [255; 4]
                } else {
                    [0, 0, 0, 255]
                }
            })
            .collect();
        let texture = image(48, &pixels);
        let far = Footprint {
            at: [0.3, 0.6],
            right: [0.3, 0.0],
            below: [0.0, 0.3],
        };
        let [red, _, _, opacity] = texture.mean(&far, [true; 2]);
        assert!((red - 0.5).abs() < 0.01 && opacity == 1.0, "{red}");
        // Oblique over stripes: the mean across them, a stripe along them.
        let pixels: Vec<[u8; 4]> = (0..64 * 64)
            .map(|index| {
                if index % 64 < 32 {
                    [255; 4]
                } else {
                    [0, 0, 0, 255]
                }
            })
            .collect();
        let texture = image(64, &pixels);
        let along = Footprint {
            at: [0.25, 0.5],
            right: [0.0, 1.0],
            below: [0.02, 0.0],
        };
        assert!(texture.mean(&along, [true; 2])[0] > 0.99);
        let endless = Footprint {
            right: [f64::INFINITY, 0.0],
            ..along
        };
        assert!((texture.mean(&endless, [true; 2])[0] - 0.5).abs() < 0.01);
    }

    #[test]
    fn every_size_has_the_same_mean() {
        let pixels: Vec<[u8; 4]> = (0..7 * 5)
            .map(|n| [(n * 7) as u8, 255 - (n * 5) as u8, 90, 255])
            .collect();
        let texture = image(7, &pixels);
        let sizes: Vec<_> = texture
            .levels
            .iter()
            .map(|level| (level.width, level.height))
            .collect();
        assert_eq!(sizes, [(7, 5), (3, 2), (1, 1)]);
        let mean = |level: &Level| {
            let mut sum = [0.0; 3];
            for (u, v) in (0..level.width).flat_map(|u| (0..level.height).map(move |v| (u, v))) {
                let pixel = texture.pixel(level, u, v);
                for (sum, value) in sum.iter_mut().zip(pixel) {
                    *sum += value / (level.width * level.height) as f32;
                }
            }
            sum
        };
        let first = mean(&texture.levels[0]);
        for level in &texture.levels {
            for (one, other) in mean(level).into_iter().zip(first) {
                assert!((one - other).abs() < 0.005, "{one} {other}");
            }
        }
    }

    #[test]
    fn a_checker_is_the_mean_over_squares() {
        let covers = |at: [f64; 2], size: f64| Footprint {
            at,
            right: [size, 0.0],
            below: [0.0, size],
        };
        for (at, colour) in [
            ([0.5, 0.5], 1.0),
            ([1.5, 0.5], 0.0),
            ([1.5, 1.5], 1.0),
            ([-0.5, 0.5], 0.0),
        ] {
            for size in [0.0, 1e-3, 0.9] {
                let mean = checker(&covers(at, size));
                assert!((mean - colour).abs() < 1e-9, "{at:?} {size}: {mean}");
            }
        }
        // A pixel of which a quarter lies beyond the line between two squares.
        let mean = checker(&covers([0.95, 0.5], 0.2));
        assert!((mean - 0.75).abs() < 1e-9, "{mean}");
        // Compared with counted samples.
        let (at, size) = ([0.7, 3.1], 1.7);
        let mut count = 0;
        for (u, v) in (0..1000).flat_map(|u| (0..1000).map(move |v| (u, v))) {
            let square = |sample: i32, axis: usize| {
                (at[axis] + size * ((f64::from(sample) + 0.5) / 1000.0 - 0.5)).floor()
            };
            count += i32::from((square(u, 0) + square(v, 1)).rem_euclid(2.0) == 0.0);
        }
        let mean = checker(&covers(at, size));
        assert!(
            (mean - f64::from(count) / 1e6).abs() < 2e-3,
            "{mean} {count}"
        );
        assert_eq!(checker(&covers([0.5, 0.5], f64::INFINITY)), 0.5);
    }
}
