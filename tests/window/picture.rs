//! Pictures, and the difference of two pictures.
#![cfg(test)]
use std::{fs::File, io::BufReader, path::Path};

/// A picture with three bytes per pixel.
pub(crate) struct Picture {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pixels: Vec<[u8; 3]>,
}

impl Picture {
    pub(crate) fn read(file: &Path) -> Self {
        let mut reader = png::Decoder::new(BufReader::new(File::open(file).unwrap()))
            .read_info()
            .unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        let pixels: Vec<[u8; 3]> = match info.color_type {
            png::ColorType::Rgb => bytes.as_chunks::<3>().0.to_vec(),
            png::ColorType::Rgba => {
                let (pixels, _) = bytes.as_chunks::<4>();
                pixels
                    .iter()
                    .map(|[red, green, blue, _]| [*red, *green, *blue])
                    .collect()
            }
            other => panic!("{other:?} in {}", file.display()),
        };
        let (width, height) = (info.width as usize, info.height as usize);
        Self {
            width,
            height,
            pixels: pixels[..width * height].to_vec(),
        }
    }

    pub(crate) fn at(&self, x: usize, y: usize) -> [u8; 3] {
        self.pixels[y * self.width + x]
    }

    /// Returns the mean difference of two pictures, 0 to 255, after averaging over squares of a number of pixels, so that
    /// small differences of edges and letters do not count.
    pub(crate) fn apart(&self, other: &Self, square: usize) -> f64 {
        assert_eq!((self.width, self.height), (other.width, other.height));
        let (columns, rows) = (self.width / square, self.height / square);
        let mut sum = 0.0;
        for row in 0..rows {
            for column in 0..columns {
                let (one, two) = (
                    self.mean(column, row, square),
                    other.mean(column, row, square),
                );
                sum += one
                    .iter()
                    .zip(two)
                    .map(|(one, two)| (one - two).abs())
                    .sum::<f64>()
                    / 3.0;
            }
        }
        sum / (columns * rows) as f64
    }

    fn mean(&self, column: usize, row: usize, square: usize) -> [f64; 3] {
        let mut sum = [0.0; 3];
        for y in row * square..(row + 1) * square {
            for x in column * square..(column + 1) * square {
                for (sum, channel) in sum.iter_mut().zip(self.at(x, y)) {
                    *sum += f64::from(channel);
                }
            }
        }
        sum.map(|sum| sum / (square * square) as f64)
    }

    /// Returns the number of different colours in a rectangle.
    pub(crate) fn colors(&self, left: usize, top: usize, right: usize, bottom: usize) -> usize {
        let rows = top..bottom;
        let pixels = rows.flat_map(|y| (left..right).map(move |x| (x, y)));
        let colors: std::collections::BTreeSet<_> = pixels.map(|(x, y)| self.at(x, y)).collect();
        colors.len()
    }
}
