//! Images and point clouds in base64, as in MORSE.
use bevy::reflect::Reflect;
use morse_api::samples::{AnySamples, base64};
use serde::Deserialize;

/// Encoding of colour images.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageEncoding {
    /// Red, green, blue and alpha, a byte each.
    #[default]
    Rgba,
    /// One byte per pixel, its luminance (MORSE's `Video8uPublisher`).
    Grey,
}

impl ImageEncoding {
    /// Writes samples as text; colour images in this encoding.
    pub fn write(self, out: &mut Vec<u8>, samples: &dyn AnySamples) {
        if self == Self::Rgba || samples.number() != "u8" {
            return write(out, samples);
        }
        let pixels = samples.bytes().as_chunks::<4>().0.iter();
        let grey: Vec<u8> = pixels.map(luminance).collect();
        out.push(b'"');
        base64(out, &grey);
        out.push(b'"');
    }
}

/// Returns the luminance after ITU-R BT.709, computed from the sRGB codes and truncated, as in MORSE.
fn luminance(&[red, green, blue, _]: &[u8; 4]) -> u8 {
    let [red, green, blue] = [red, green, blue].map(f64::from);
    (0.2126 * red + 0.7152 * green + 0.0722 * blue) as u8
}

/// Writes samples as text: the raw bits in base64, little-endian.
pub fn write(out: &mut Vec<u8>, samples: &dyn AnySamples) {
    out.push(b'"');
    base64(out, samples.bytes());
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use morse_api::samples::Samples;

    use super::*;

    fn written(image: ImageEncoding, samples: &dyn AnySamples) -> String {
        let mut out = Vec::new();
        image.write(&mut out, samples);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn images_are_base64() {
        let pixels = Samples::from(vec![255_u8, 0, 0, 255, 0, 255, 0, 255, 10, 20, 30, 255]);
        assert_eq!(
            written(ImageEncoding::Rgba, &pixels),
            "\"/wAA/wD/AP8KFB7/\""
        );
        // Expected: int(0.2126 * 255), int(0.7152 * 255) and int(18.596): 54, 182 and 18.
        assert_eq!(written(ImageEncoding::Grey, &pixels), "\"NrYS\"");
        // Expected: struct.pack("<ff", 1.5, -2) in Python.
        let points = Samples::from(vec![1.5_f32, -2.0]);
        assert_eq!(written(ImageEncoding::Grey, &points), "\"AADAPwAAAMA=\"");
    }
}
