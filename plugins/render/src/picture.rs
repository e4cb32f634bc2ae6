//! Output of pictures as PNG files, and of films as GIF or, with ffmpeg, MP4 files.
mod film;
mod gif;
mod palette;

use std::{io, path::Path};

use morse_api::whole_file::write_whole;

pub use film::{Film, Format};

/// An image of red, green, blue and alpha, row by row from the top left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RgbaImage {
    /// Width, pixels.
    pub width: u32,
    /// Height, pixels.
    pub height: u32,
    /// Pixels, four bytes each.
    pub pixels: Vec<u8>,
}

impl RgbaImage {
    /// Returns the image reduced by an integer factor: each pixel is the mean of the pixels that it replaces, which smooths
    /// edges.
    #[must_use]
    pub fn shrunk(&self, factor: u32) -> Self {
        let (width, height) = (self.width / factor, self.height / factor);
        let mut small = Self {
            width,
            height,
            pixels: vec![0; 4 * width as usize * height as usize],
        };
        small.shrink_from(&self.pixels, factor, [0, 0, width, height]);
        small
    }

    /// Sets the pixels of an area (first column and row, column and row after the last) to the means of the pixels of an
    /// image that is larger by an integer factor.
    pub fn shrink_from(&mut self, large: &[u8], factor: u32, area: [u32; 4]) {
        let row = 4 * (self.width * factor) as usize;
        let count = factor * factor;
        let [left, top, right, bottom] = area.map(|bound| bound as usize);
        let (width, factor) = (self.width as usize, factor as usize);
        for (u, v) in (top..bottom).flat_map(|v| (left..right).map(move |u| (u, v))) {
            let mut sum = [0_u32; 4];
            for inner in 0..factor {
                let start = (v * factor + inner) * row + 4 * u * factor;
                let codes = large.get(start..start + 4 * factor);
                for pixel in codes.unwrap_or_default().as_chunks::<4>().0 {
                    for (sum, code) in sum.iter_mut().zip(pixel) {
                        *sum += u32::from(*code);
                    }
                }
            }
            let mean = |sum: u32| u8::try_from((sum + count / 2) / count).unwrap_or(u8::MAX);
            let start = 4 * (v * width + u);
            if let Some(pixel) = self.pixels.get_mut(start..start + 4) {
                pixel.copy_from_slice(&sum.map(mean));
            }
        }
    }

    /// Writes a PNG file. On failure no partial file remains.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written.
    pub fn write_png(&self, path: &Path) -> io::Result<()> {
        write_whole(path, |file| {
            let mut encoder = png::Encoder::new(file, self.width, self.height);
            encoder.set_color(png::ColorType::Rgba);
            encoder.set_depth(png::BitDepth::Eight);
            let mut writer = encoder.write_header()?;
            writer.write_image_data(&self.pixels)?;
            Ok(writer.finish()?)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn shrinking_takes_means() {
        let pixel = |code: u8| [code, 0, 255, 255];
        let image = RgbaImage {
            width: 4,
            height: 2,
            pixels: [0, 100, 7, 7, 100, 201, 7, 7].map(pixel).concat(),
        };
        let small = image.shrunk(2);
        assert_eq!((small.width, small.height), (2, 1));
        assert_eq!(small.pixels, [pixel(100), pixel(7)].concat());
        assert_eq!(image.shrunk(1), image);
        // Only an area of the image.
        let mut partial = small.clone();
        partial.pixels.fill(9);
        partial.shrink_from(&image.pixels, 2, [1, 0, 2, 1]);
        assert_eq!(partial.pixels, [[9; 4], pixel(7)].concat());
    }

    #[test]
    fn a_png_holds_the_pixels() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        let image = RgbaImage {
            width: 3,
            height: 2,
            pixels: (0..24).collect(),
        };
        image.write_png(&path).unwrap();
        let decoder = png::Decoder::new(io::BufReader::new(File::open(&path).unwrap()));
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; 24];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height, pixels), (3, 2, image.pixels));
    }
}
