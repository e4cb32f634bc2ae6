//! Images in JPEG files: baseline, extended and progressive, grey, colour and CMYK.
use std::io::Cursor;

use jpeg_decoder::{Decoder, Error, PixelFormat};
use morse_api::paint::Image;

use super::{ImageError, check_size};

/// First bytes of a JPEG file: the markers of the start of the image and of the next segment.
pub(super) const MARK: [u8; 3] = [0xff, 0xd8, 0xff];

/// Bytes per pixel that the decoder needs at most: CMYK, or 16 bits of grey.
const BYTES: u64 = 4;

/// Decodes a JPEG image of at most `most` pixels. A rotation that a camera has noted beside the pixels is ignored, as by
/// other readers of textures.
///
/// # Errors
///
/// Returns an error if the bytes are no JPEG image, are corrupt, or contain more pixels.
pub fn jpeg(bytes: &[u8], most: u64) -> Result<Image, ImageError> {
    let mut decoder = Decoder::new(Cursor::new(bytes));
    decoder.read_info().map_err(broken)?;
    let info = decoder.info();
    let info = info.ok_or_else(|| ImageError::Broken("it has no frame".to_owned()))?;
    let (width, height) = (u32::from(info.width), u32::from(info.height));
    check_size(width, height, most)?;
    let largest = usize::try_from(most.saturating_mul(BYTES)).unwrap_or(usize::MAX);
    decoder.set_max_decoding_buffer_size(largest);
    let packed = decoder.decode().map_err(broken)?;
    let pixels = rgba(&packed, info.pixel_format);
    if pixels.len() as u64 != 4 * u64::from(width) * u64::from(height) {
        return Err(ImageError::Broken("pixels are missing".to_owned()));
    }
    Ok(Image {
        width,
        height,
        pixels: pixels.into(),
    })
}

fn broken(error: Error) -> ImageError {
    ImageError::Broken(format!(
        "it is no valid JPEG image: {error}; export it again, or as PNG"
    ))
}

/// Converts pixels of any format to RGBA, four bytes per pixel.
fn rgba(packed: &[u8], format: PixelFormat) -> Vec<u8> {
    match format {
        PixelFormat::L8 => packed.iter().flat_map(|&g| [g, g, g, 255]).collect(),
        PixelFormat::L16 => {
            let pixels = packed.as_chunks::<2>().0.iter();
            let high = pixels.map(|&pixel| (u16::from_ne_bytes(pixel) >> 8) as u8);
            high.flat_map(|g| [g, g, g, 255]).collect()
        }
        PixelFormat::RGB24 => {
            let pixels = packed.as_chunks::<3>().0.iter();
            pixels.flat_map(|&[r, g, b]| [r, g, b, 255]).collect()
        }
        PixelFormat::CMYK32 => {
            let pixels = packed.as_chunks::<4>().0.iter();
            pixels
                .flat_map(|&[c, m, y, k]| {
                    let [red, green, blue] = [c, m, y].map(|ink| remaining(ink, k));
                    [red, green, blue, 255]
                })
                .collect()
        }
    }
}

/// Returns the light that two inks leave, of 255.
fn remaining(ink: u8, black: u8) -> u8 {
    let light = (255 - u32::from(ink)) * (255 - u32::from(black));
    ((light + 127) / 255) as u8
}

#[cfg(test)]
mod tests {
    use jpeg_encoder::{ColorType, Encoder, SamplingFactor};

    use super::*;

    const SIDE: u16 = 32;

    /// Returns a JPEG file of the colours of a function of column and row, from an encoder of other authors.
    fn packed<const N: usize>(
        color: ColorType,
        is_progressive: bool,
        colors: impl Fn(u16, u16) -> [u8; N],
    ) -> Vec<u8> {
        let pixels: Vec<u8> = (0..SIDE)
            .flat_map(|row| (0..SIDE).map(move |column| (column, row)))
            .flat_map(|(column, row)| colors(column, row))
            .collect();
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, 100);
        encoder.set_progressive(is_progressive);
        encoder.set_sampling_factor(SamplingFactor::F_1_1);
        encoder.encode(&pixels, SIDE, SIDE, color).unwrap();
        bytes
    }

    /// Asserts that all pixels are those of a function, but for rounding.
    fn assert_pixels(bytes: &[u8], expected: impl Fn(u16, u16) -> [u8; 3]) {
        let image = jpeg(bytes, 1024).unwrap();
        assert_eq!((image.width, image.height), (32, 32));
        for (index, pixel) in image.pixels.as_chunks::<4>().0.iter().enumerate() {
            let index = u16::try_from(index).unwrap();
            let [red, green, blue] = expected(index % SIDE, index / SIDE);
            for (own, other) in pixel.iter().zip([red, green, blue, 255]) {
                assert!(own.abs_diff(other) <= 3, "pixel {index}: {own} for {other}");
            }
        }
    }

    fn ramp(column: u16, row: u16) -> [u8; 3] {
        [
            8 * column as u8,
            8 * row as u8,
            255 - 4 * (column + row) as u8,
        ]
    }

    #[test]
    fn images_of_another_encoder_are_read() {
        assert_pixels(&packed(ColorType::Rgb, false, ramp), ramp);
        assert_pixels(&packed(ColorType::Rgb, true, ramp), ramp);
        let grey = |column: u16, row: u16| [(4 * (column + row)) as u8];
        assert_pixels(&packed(ColorType::Luma, false, grey), |column, row| {
            [grey(column, row)[0]; 3]
        });
        // Half of the light through cyan, then through grey of 80 %.
        let inks = |_, _| [128, 0, 0, 51];
        assert_pixels(&packed(ColorType::Cmyk, false, inks), |_, _| {
            [102, 204, 204]
        });
    }

    #[test]
    fn large_and_broken_images_are_refused() {
        let whole = packed(ColorType::Rgb, false, ramp);
        let why = jpeg(&whole, 1023).unwrap_err().to_string();
        assert!(why.contains("32 by 32 pixels are too many"), "{why}");
        let why = jpeg(&whole[..40], 1024).unwrap_err().to_string();
        assert!(why.contains("no valid JPEG image"), "{why}");
        assert!(jpeg(b"\xff\xd8\xff\xe0 and more", 1024).is_err());
        // The height of the frame, after the start of the frame and the precision.
        let frame = whole
            .windows(2)
            .position(|two| two == [0xff, 0xc0])
            .unwrap();
        let mut tall = whole;
        tall[frame + 5..frame + 7].copy_from_slice(&[0xff, 0xff]);
        assert!(jpeg(&tall, u64::MAX).is_err());
    }
}
