//! White noise on the colours of an image.
use bevy::reflect::structs::Struct;
use morse_api::{fields, modifier::Site, prelude::*, samples::Samples};

/// Adds an independent, normally distributed error to red, green and blue of each pixel in every frame.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ImageNoise {
    /// Standard deviation, as a fraction of full brightness.
    #[reflect(@Unit(""), @ValueRange(0.0, 1000.0))]
    pub sigma: f64,
}

impl Default for ImageNoise {
    fn default() -> Self {
        Self { sigma: 0.02 }
    }
}

impl Modifier for ImageNoise {
    const KIND: &'static str = "image_noise";

    fn bind(&self, fields: &Fields, _: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        let image = fields.of_kind::<Samples<u8>>("image");
        let index = image
            .ok_or_else(|| BindError::needs("an `image` in colour"))?
            .index;
        let sigma = self.sigma * 255.0;
        Ok(Box::new(
            move |data: &mut dyn Struct, state: &mut ModifierState, _: &Clock| {
                let Some(image) = fields::at_mut::<Samples<u8>>(data, index) else {
                    return;
                };
                image.edit(|image| {
                    for [color @ .., _alpha] in image.as_chunks_mut::<4>().0 {
                        for code in color {
                            let noisy = f64::from(*code) + state.random.gauss(sigma);
                            // Rounded, and clamped to the range.
                            *code = (noisy + 0.5) as u8;
                        }
                    }
                });
            },
        ))
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<ImageNoise>();
}

#[cfg(test)]
mod tests {
    use morse_sensors::video_camera::VideoCameraData;
    use morse_testing::{TestModifier, settings, spread};

    use super::*;

    #[test]
    fn each_colour_has_its_own_error() {
        let noise: ImageNoise = settings("(sigma: 0.04)");
        let mut noisy = TestModifier::<VideoCameraData>::new(&noise, Some("rgb"), World::new());
        let grey = VideoCameraData {
            image: vec![128; 4 * 5000].into(),
            ..VideoCameraData::default()
        };
        let reading = noisy.measure(grey.clone());
        assert!(
            reading
                .image
                .values()
                .iter()
                .skip(3)
                .step_by(4)
                .all(|&alpha| alpha == 128)
        );
        for color in 0..3 {
            let codes = reading.image.values().iter().skip(color).step_by(4);
            // Rounding to integers adds a variance of 1/12.
            let sigma = (10.2_f64 * 10.2 + 1.0 / 12.0).sqrt();
            spread(codes.map(|&code| f64::from(code) - 128.0)).assert_gauss(0.0, sigma);
        }
        assert!(
            grey.image.values().iter().all(|&code| code == 128),
            "a copy was changed"
        );
    }
}
