//! Images and clouds of points: base64, as MORSE sends them.
use morse_api::samples::{AnySamples, base64};

/// Writes samples as text: the raw bits in base64. Numbers of several bytes begin with the lowest one.
pub fn write(out: &mut Vec<u8>, samples: &dyn AnySamples) {
    out.push(b'"');
    base64(out, samples.bytes());
    out.push(b'"');
}
