//! Display of the last image of a camera.
use bevy::prelude::Resource;
use bevy_egui::egui;
use morse_api::{
    fields::{Value, view},
    reading::{Reading, SensorInfo},
    samples::AnySamples,
};

/// Texture of the image, and the reading that it shows.
#[derive(Resource, Default)]
pub(crate) struct CameraImage {
    shown: Option<(usize, u64, egui::TextureHandle)>,
}

impl CameraImage {
    /// Draws the image in a reading, if the reading contains one.
    pub(crate) fn draw(
        &mut self,
        ui: &mut egui::Ui,
        sensor: usize,
        info: &SensorInfo,
        reading: &Reading,
    ) {
        let is_shown = |shown: &(usize, u64, _)| (shown.0, shown.1) == (sensor, reading.tick);
        if !self.shown.as_ref().is_some_and(is_shown) {
            let Some(image) = image(info, reading) else {
                return;
            };
            let options = egui::TextureOptions::NEAREST;
            match &mut self.shown {
                Some((of, tick, texture)) => {
                    texture.set(image, options);
                    (*of, *tick) = (sensor, reading.tick);
                }
                None => {
                    self.shown = Some((
                        sensor,
                        reading.tick,
                        ui.ctx().load_texture("photo", image, options),
                    ));
                }
            }
        }
        if let Some((.., texture)) = &self.shown {
            ui.add(
                egui::Image::new(texture)
                    .max_width(ui.available_width())
                    .shrink_to_fit(),
            );
            ui.add_space(4.0);
        }
    }
}

/// Returns a field of a reading.
fn field<'a>(info: &SensorInfo, reading: &'a Reading, name: &str) -> Option<Value<'a>> {
    let index = info.fields.get(name)?.index;
    reading.data().field_at(index).map(view)
}

/// Returns an integer field of a reading.
pub(crate) fn whole(info: &SensorInfo, reading: &Reading, name: &str) -> Option<usize> {
    match field(info, reading, name)? {
        Value::Integer(value) => usize::try_from(value).ok(),
        _ => None,
    }
}

/// Returns the intrinsic matrix of a camera.
pub(crate) fn intrinsic(info: &SensorInfo, reading: &Reading) -> Option<[[f64; 3]; 3]> {
    match field(info, reading, "intrinsic_matrix")? {
        Value::Triples(rows) => rows.try_into().ok(),
        _ => None,
    }
}

/// Returns the image in a reading: its first array with one, three or four samples per pixel.
fn image(info: &SensorInfo, reading: &Reading) -> Option<egui::ColorImage> {
    let size = [
        whole(info, reading, "width")?,
        whole(info, reading, "height")?,
    ];
    let pixels = size[0] * size[1];
    info.fields.0.iter().find_map(
        |field| match reading.data().field_at(field.index).map(view)? {
            Value::Samples(samples) if pixels > 0 => paint(size, pixels, samples),
            _ => None,
        },
    )
}

fn paint(size: [usize; 2], pixels: usize, samples: &dyn AnySamples) -> Option<egui::ColorImage> {
    if !samples.count().is_multiple_of(pixels) {
        return None;
    }
    let bytes = samples.bytes();
    match (samples.number(), samples.count().checked_div(pixels)?) {
        ("u8", 4) => Some(egui::ColorImage::from_rgba_unmultiplied(size, bytes)),
        ("u8", 3) => Some(egui::ColorImage::from_rgb(size, bytes)),
        ("u8", 1) => Some(egui::ColorImage::from_gray(size, bytes)),
        ("u16", 1) => Some(ids(size, bytes)),
        ("f32", 1) => Some(distances(size, bytes)),
        _ => None,
    }
}

/// Colours a segmentation image, with a colour per number; 0, the background, is black.
fn ids(size: [usize; 2], bytes: &[u8]) -> egui::ColorImage {
    let (ids, _) = bytes.as_chunks::<2>();
    let color = |id: u16| {
        if id == 0 {
            return egui::Color32::BLACK;
        }
        // Steps of the golden ratio give consecutive numbers very different hues.
        let hue = (f32::from(id) * 0.618_034).fract();
        egui::epaint::Hsva::new(hue, 0.65, 0.95, 1.0).into()
    };
    let colors = ids
        .iter()
        .map(|id| color(u16::from_ne_bytes(*id)))
        .collect();
    egui::ColorImage::new(size, colors)
}

/// Converts a depth image to grey: near is bright, infinity is black.
fn distances(size: [usize; 2], bytes: &[u8]) -> egui::ColorImage {
    let (numbers, _) = bytes.as_chunks::<4>();
    let values: Vec<f32> = numbers
        .iter()
        .map(|number| f32::from_ne_bytes(*number))
        .collect();
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let (low, high) = (
        finite().fold(f32::MAX, f32::min),
        finite().fold(f32::MIN, f32::max),
    );
    let span = (high - low).max(1e-6);
    let grey = |value: &f32| {
        if value.is_finite() {
            255 - ((value - low) / span * 215.0) as u8
        } else {
            0
        }
    };
    let greys: Vec<u8> = values.iter().map(grey).collect();
    egui::ColorImage::from_gray(size, &greys)
}

#[cfg(test)]
mod tests {
    use morse_api::samples::Samples;

    use super::*;

    #[test]
    fn near_is_bright_and_nothing_is_black() {
        let mut depth = Samples::<f32>::default();
        depth.rewrite(|values| *values = vec![1.0, 3.0, f32::INFINITY, 2.0]);
        let image = paint([2, 2], 4, &depth).unwrap();
        let greys: Vec<u8> = image.pixels.iter().map(egui::Color32::r).collect();
        assert_eq!(greys, [255, 40, 0, 148]);
    }

    #[test]
    fn things_differ_in_colour() {
        let mut things = Samples::<u16>::default();
        things.rewrite(|values| *values = vec![0, 1, 2, 1]);
        let image = paint([2, 2], 4, &things).unwrap();
        assert_eq!(image.pixels[0], egui::Color32::BLACK);
        assert_eq!(image.pixels[1], image.pixels[3]);
        assert_ne!(image.pixels[1], image.pixels[2]);
    }

    #[test]
    fn points_are_no_picture() {
        let mut points = Samples::<f32>::default();
        points.rewrite(|values| *values = vec![0.0; 12]);
        assert!(paint([2, 2], 4, &points).is_none());
        points.rewrite(|values| *values = vec![0.0; 5]);
        assert!(paint([2, 2], 4, &points).is_none());
    }
}
