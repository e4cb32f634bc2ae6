//! Images and lenses of cameras, in optical frames (z forward, x right, y down).
use crate::{
    data::Sample,
    messages::{Bytes, CameraInfo, CompressedImage, Image, RegionOfInterest},
    names,
};

/// Quality of JPEG files, 1 to 100: that of ROS's `image_transport`.
const JPEG_QUALITY: u8 = 95;

/// Eyes of a Kinect, in the names of their optical frames.
pub(crate) const RGB: &str = "_rgb";
pub(crate) const DEPTH: &str = "_depth";

/// Returns the optical frame of a camera, or of an eye of a Kinect.
pub(crate) fn frame(path: &str, eye: &str) -> String {
    format!("{}{eye}_optical_frame", names::frame(path))
}

pub(crate) fn color(sample: &Sample<'_>) -> Image {
    image((sample, ""), "image", "rgba8", 4)
}

/// Returns a colour image as a PNG file.
pub(crate) fn compressed(sample: &Sample<'_>) -> CompressedImage {
    png_of(color(sample))
}

pub(crate) fn kinect_compressed(sample: &Sample<'_>) -> CompressedImage {
    png_of(kinect_color(sample))
}

/// Returns a colour image as a JPEG file.
pub(crate) fn jpeg(sample: &Sample<'_>) -> CompressedImage {
    jpeg_of(color(sample))
}

pub(crate) fn kinect_jpeg(sample: &Sample<'_>) -> CompressedImage {
    jpeg_of(kinect_color(sample))
}

/// Returns the red, green and blue channels of the pixels of a colour image.
fn colors(image: &Image) -> Vec<u8> {
    let (pixels, _) = image.data.0.as_chunks::<4>();
    let colors = pixels.iter().flat_map(|[r, g, b, _]| [*r, *g, *b]);
    colors.collect()
}

/// Returns a colour image as a JPEG file; empty if there are no pixels yet, or if the image is too large for the format.
fn jpeg_of(image: Image) -> CompressedImage {
    let mut data = Vec::new();
    if let (Ok(width), Ok(height)) = (u16::try_from(image.width), u16::try_from(image.height)) {
        let encoder = jpeg_encoder::Encoder::new(&mut data, JPEG_QUALITY);
        let colors = colors(&image);
        let written = encoder.encode(&colors, width, height, jpeg_encoder::ColorType::Rgb);
        if written.is_err() {
            data.clear();
        }
    }
    CompressedImage {
        header: image.header,
        // The colours of the image, and the order of those of the file, as `image_transport` writes them.
        format: "rgb8; jpeg compressed bgr8".to_owned(),
        data: Bytes(data),
    }
}

/// Returns a colour image as a PNG file without opacity, as decoders of ROS expect it; empty if there are no pixels yet.
fn png_of(image: Image) -> CompressedImage {
    let colors = colors(&image);
    let mut data = Vec::new();
    let mut encoder = png::Encoder::new(&mut data, image.width, image.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    let written = encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(&colors));
    if written.is_err() {
        data.clear();
    }
    CompressedImage {
        header: image.header,
        format: "png".to_owned(),
        data: Bytes(data),
    }
}

pub(crate) fn kinect_color(sample: &Sample<'_>) -> Image {
    image((sample, RGB), "image", "rgba8", 4)
}

pub(crate) fn kinect_depth(sample: &Sample<'_>) -> Image {
    image((sample, DEPTH), "depth", "32FC1", 4)
}

pub(crate) fn kinect_millimetres(sample: &Sample<'_>) -> Image {
    image((sample, DEPTH), "raw", "16UC1", 2)
}

/// Returns a depth image as in REP 118: floating-point numbers, +∞ where no surface is visible.
pub(crate) fn depth(sample: &Sample<'_>) -> Image {
    let mut image = image((sample, ""), "image", "32FC1", 4);
    // Without `values: ros`, pixels without a visible surface have the depth `far`.
    let far = sample.setting("far").unwrap_or(f64::INFINITY) as f32;
    let (numbers, _) = image.data.0.as_chunks_mut::<4>();
    for number in numbers {
        if f32::from_le_bytes(*number) >= far {
            *number = f32::INFINITY.to_le_bytes();
        }
    }
    image
}

/// Returns a depth image in whole millimetres; 0 where no surface is visible.
pub(crate) fn millimetres(sample: &Sample<'_>) -> Image {
    image((sample, ""), "raw", "16UC1", 2)
}

fn image((sample, eye): (&Sample<'_>, &str), field: &str, encoding: &str, bytes: u32) -> Image {
    let (height, width) = (sample.count("height"), sample.count("width"));
    let step = width * bytes;
    let pixels = sample
        .samples(field)
        .map_or(&[][..], |samples| samples.bytes());
    let is_top_first = sample
        .info
        .settings
        .get("vertical_flip")
        .and_then(serde_json::Value::as_bool);
    let data = if is_top_first.unwrap_or(true) {
        pixels.to_vec()
    } else {
        let rows = pixels.chunks_exact(step.max(1) as usize).rev();
        rows.flatten().copied().collect()
    };
    Image {
        header: sample.header(frame(&sample.info.path, eye)),
        height,
        width,
        encoding: encoding.to_owned(),
        is_bigendian: 0,
        step,
        data: Bytes(data),
    }
}

pub(crate) fn lens(sample: &Sample<'_>) -> CameraInfo {
    lens_of(sample, "")
}

pub(crate) fn kinect_color_lens(sample: &Sample<'_>) -> CameraInfo {
    lens_of(sample, RGB)
}

pub(crate) fn kinect_depth_lens(sample: &Sample<'_>) -> CameraInfo {
    lens_of(sample, DEPTH)
}

fn lens_of(sample: &Sample<'_>, eye: &str) -> CameraInfo {
    let rows = sample.triples("intrinsic_matrix");
    let mut k = [0.0; 9];
    for (to, from) in k.iter_mut().zip(rows.as_flattened()) {
        *to = *from;
    }
    let [a, b, c, d, e, f, g, h, i] = k;
    CameraInfo {
        header: sample.header(frame(&sample.info.path, eye)),
        height: sample.count("height"),
        width: sample.count("width"),
        distortion_model: "plumb_bob".to_owned(),
        d: sample.distortion(),
        k,
        r: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        p: [a, b, c, 0.0, d, e, f, 0.0, g, h, i, 0.0],
        binning_x: 0,
        binning_y: 0,
        roi: RegionOfInterest::default(),
    }
}
