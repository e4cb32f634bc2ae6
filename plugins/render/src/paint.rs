//! Images and the materials of meshes, read from files.
//!
//! Files are untrusted: their size is limited before decompression, and files that a mesh names must be in its directory or
//! its package.
mod jpeg;
mod material;
mod pbr;
mod source;

use std::{collections::BTreeMap, io::Cursor, sync::Arc};

pub use jpeg::jpeg;
pub use material::Material;
use morse_api::paint::Image;
use morse_geometry::files::FileError;
pub use source::{Inside, Source};

/// Maximum size of an image file, bytes.
const LARGEST_FILE: u64 = 64 << 20;

/// Maximum width and height of an image, pixels.
const LONGEST_SIDE: u32 = 8192;

/// Maximum number of pixels of an image.
const MOST_PIXELS: u64 = 1 << 24;

/// Maximum number of pixels of all images of a world together.
const MOST_PIXELS_IN_ALL: u64 = 1 << 26;

/// Reason why an image cannot be read.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file has another format.
    #[error("it is neither a PNG nor a JPEG image: convert it to one of these formats")]
    UnknownFormat,
    /// The image has too many pixels.
    #[error(
        "{width} by {height} pixels are too many: an image has sides of at most {LONGEST_SIDE} and \
         {MOST_PIXELS} pixels, all together have {MOST_PIXELS_IN_ALL}"
    )]
    TooLarge {
        /// Width, pixels.
        width: u32,
        /// Height, pixels.
        height: u32,
    },
    /// The file is corrupt.
    #[error("{0}")]
    Broken(String),
}

/// Images of a world; each is read once.
#[derive(Default)]
pub struct Images {
    known: BTreeMap<Source, Result<Arc<Image>, ImageError>>,
    pixels: u64,
}

impl Images {
    /// Returns an image from the disk, from the embedded files, or from inside a mesh file.
    ///
    /// # Errors
    ///
    /// Returns the reason why the image cannot be read, in one line.
    pub fn read(&mut self, source: &Source) -> Result<Arc<Image>, ImageError> {
        if let Some(known) = self.known.get(source) {
            return known.clone();
        }
        let left = MOST_PIXELS.min(MOST_PIXELS_IN_ALL - self.pixels);
        let read = source.bytes(LARGEST_FILE).map_err(ImageError::from);
        let read = read.and_then(|bytes| Ok(source.painted(decode(&bytes, left)?)));
        if let Ok(image) = &read {
            self.pixels += u64::from(image.width) * u64::from(image.height);
        }
        let read = read.map(Arc::new);
        self.known.insert(source.clone(), read.clone());
        read
    }
}

/// Decodes a PNG or JPEG image of at most `most` pixels.
///
/// # Errors
///
/// Returns an error if the bytes have another format, are corrupt, or contain more pixels.
pub fn decode(bytes: &[u8], most: u64) -> Result<Image, ImageError> {
    if bytes.starts_with(&jpeg::MARK) {
        jpeg(bytes, most)
    } else {
        png(bytes, most)
    }
}

/// Checks the size of an image of at most `most` pixels.
fn check_size(width: u32, height: u32, most: u64) -> Result<(), ImageError> {
    let pixels = u64::from(width) * u64::from(height);
    if width.max(height) > LONGEST_SIDE || pixels > most {
        return Err(ImageError::TooLarge { width, height });
    }
    Ok(())
}

/// Maximum number of colours of a palette.
const MOST_COLORS: usize = 256;

/// Decodes a PNG image of at most `most` pixels.
///
/// # Errors
///
/// Returns an error if the bytes are no PNG image, are corrupt, or contain more pixels.
pub fn png(bytes: &[u8], most: u64) -> Result<Image, ImageError> {
    let limits = png::Limits {
        bytes: 256 << 20, // of a few rows, and of what is packed beside the pixels
    };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let info = decoder.read_header_info().map_err(|error| match error {
        png::DecodingError::Format(_) => ImageError::UnknownFormat,
        error => ImageError::Broken(error.to_string()),
    })?;
    let (width, height) = (info.width, info.height);
    check_size(width, height, most)?;
    let broken = |error: png::DecodingError| ImageError::Broken(error.to_string());
    let mut reader = decoder.read_info().map_err(broken)?;
    // The decoder assumes a valid palette: whole colours, and at most 256 of them.
    let palette = reader.info().palette.as_deref().unwrap_or_default();
    if palette.len() % 3 != 0 || palette.len() > MOST_COLORS * 3 {
        return Err(ImageError::Broken("its palette is invalid".to_owned()));
    }
    let (color, _) = reader.output_color_type();
    let size = reader.output_buffer_size();
    let size = size.ok_or_else(|| ImageError::Broken("it is too large".to_owned()))?;
    let mut packed = vec![0; size];
    reader.next_frame(&mut packed).map_err(broken)?;
    Ok(Image {
        width,
        height,
        pixels: rgba(&packed, color).into(),
    })
}

/// Converts pixels of any colour type to RGBA, four bytes per pixel.
fn rgba(packed: &[u8], color: png::ColorType) -> Vec<u8> {
    match color {
        png::ColorType::Grayscale => packed.iter().flat_map(|&g| [g, g, g, 255]).collect(),
        png::ColorType::GrayscaleAlpha => {
            let pixels = packed.as_chunks::<2>().0.iter();
            pixels.flat_map(|&[g, alpha]| [g, g, g, alpha]).collect()
        }
        png::ColorType::Rgb | png::ColorType::Indexed => {
            let pixels = packed.as_chunks::<3>().0.iter();
            pixels
                .flat_map(|&[red, green, blue]| [red, green, blue, 255])
                .collect()
        }
        png::ColorType::Rgba => packed.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    /// Returns one chunk of a PNG file, with its checksum.
    fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
        let body = [kind, data].concat();
        let mut sum = u32::MAX;
        for byte in &body {
            sum ^= u32::from(*byte);
            for _ in 0..8 {
                sum = (sum >> 1) ^ (0xEDB8_8320 * (sum & 1));
            }
        }
        let length = u32::try_from(data.len()).unwrap().to_be_bytes();
        [&length[..], &body, &(!sum).to_be_bytes()].concat()
    }

    #[test]
    fn a_palette_with_an_incomplete_colour_or_too_many_is_refused() {
        let whole = packed(png::ColorType::Grayscale, 2, &[0, 1, 1, 0]);
        let offset = whole.windows(4).position(|bytes| bytes == b"IDAT").unwrap() - 4;
        let header = chunk(b"IHDR", &[0, 0, 0, 2, 0, 0, 0, 2, 8, 3, 0, 0, 0]);
        let with = |colors: &[u8]| {
            let begin = [&whole[..8], &header, &chunk(b"PLTE", colors)].concat();
            png([&begin[..], &whole[offset..]].concat().as_slice(), 100)
        };
        let image = with(&[10, 20, 30, 40, 50, 60]).unwrap();
        assert_eq!(image.pixels[..8], [10, 20, 30, 255, 40, 50, 60, 255]);
        for length in [1, 5, 38, 257 * 3] {
            assert!(
                matches!(with(&vec![7; length]), Err(ImageError::Broken(_))),
                "{length}"
            );
        }
    }

    /// Returns a PNG file with these pixels.
    fn packed(color: png::ColorType, width: u32, pixels: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let rows = pixels.len() / color.samples() / width as usize;
        let mut encoder = png::Encoder::new(&mut bytes, width, u32::try_from(rows).unwrap());
        encoder.set_color(color);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(pixels).unwrap();
        writer.finish().unwrap();
        bytes
    }

    #[test]
    fn all_sorts_of_pixels_become_four_bytes() {
        use png::ColorType::{Grayscale, GrayscaleAlpha, Rgb, Rgba};
        for (color, pixels, expected) in [
            (Grayscale, vec![7, 9], [7, 7, 7, 255, 9, 9, 9, 255]),
            (GrayscaleAlpha, vec![7, 1, 9, 2], [7, 7, 7, 1, 9, 9, 9, 2]),
            (Rgb, vec![1, 2, 3, 4, 5, 6], [1, 2, 3, 255, 4, 5, 6, 255]),
            (Rgba, vec![1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8]),
        ] {
            let image = png(&packed(color, 2, &pixels), 100).unwrap();
            assert_eq!((image.width, image.height), (2, 1));
            assert_eq!(*image.pixels, expected, "{color:?}");
        }
    }

    #[test]
    fn what_is_too_large_is_not_unpacked() {
        // A black image has a compression ratio of about a thousand.
        let black = packed(png::ColorType::Grayscale, 4000, &vec![0; 4000 * 4000]);
        assert!(black.len() < 100_000, "{}", black.len());
        assert!(png(&black, MOST_PIXELS).is_ok());
        assert!(
            png(&black, 15_000_000)
                .unwrap_err()
                .to_string()
                .contains("too many")
        );
        // The header contains the size, even if no pixels follow.
        let mut header = packed(png::ColorType::Rgba, 1, &[0; 4]);
        header[16..24].copy_from_slice(&[0, 1, 0, 0, 0, 1, 0, 0]);
        assert!(png(&header, MOST_PIXELS).is_err());
        let long = packed(png::ColorType::Grayscale, 9000, &[0; 9000]);
        assert!(
            png(&long, MOST_PIXELS)
                .unwrap_err()
                .to_string()
                .contains("9000 by 1")
        );
    }

    #[test]
    fn all_images_together_are_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let black = packed(png::ColorType::Grayscale, 4000, &vec![0; 4000 * 4000]);
        let mut images = Images::default();
        let mut read = |name: &str| {
            let path = folder.path().join(name);
            fs::write(&path, &black).unwrap();
            images.read(&path.as_path().into())
        };
        let first = read("a.png").unwrap();
        assert!(
            Arc::ptr_eq(&first, &read("a.png").unwrap()),
            "read and counted once"
        );
        for name in ["b.png", "c.png", "d.png"] {
            assert!(read(name).is_ok());
        }
        assert!(read("e.png").unwrap_err().to_string().contains("too many"));
    }

    #[test]
    fn what_is_no_image_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gif");
        fs::write(&path, b"GIF89a and more").unwrap();
        let mut images = Images::default();
        let mut read = |path: &Path| images.read(&path.into()).unwrap_err().to_string();
        assert!(read(&path).contains("neither a PNG nor a JPEG image"));
        assert!(read(folder.path()).contains("regular file"));
        let mut broken = packed(png::ColorType::Rgb, 40, &[90; 40 * 40 * 3]);
        broken.truncate(60);
        assert!(png(&broken, MOST_PIXELS).is_err());
    }
}
