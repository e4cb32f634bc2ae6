//! Lost pixels.
use bevy::reflect::structs::Struct;
use morse_api::{fields, modifier::Site, prelude::*, samples::Samples};

/// Sets random pixels of an image to white or black, independently in every frame; of an image of depths, to infinity or 0;
/// of integer depths in millimetres, to 0.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SaltAndPepper {
    /// Fraction of lost pixels.
    #[reflect(@Unit(""), @ValueRange(0.0, 1.0))]
    pub share: f64,
}

impl Default for SaltAndPepper {
    fn default() -> Self {
        Self { share: 0.01 }
    }
}

/// Value of a lost pixel.
#[derive(Clone, Copy)]
enum Grain {
    Salt,
    Pepper,
}

impl SaltAndPepper {
    fn grain(share: f64, state: &mut ModifierState) -> Option<Grain> {
        let drawn = state.random.uniform();
        match drawn {
            _ if drawn < share / 2.0 => Some(Grain::Salt),
            _ if drawn < share => Some(Grain::Pepper),
            _ => None,
        }
    }
}

impl Modifier for SaltAndPepper {
    const KIND: &'static str = "salt_and_pepper";

    fn bind(&self, fields: &Fields, _: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        let colors = fields
            .of_kind::<Samples<u8>>("image")
            .map(|field| field.index);
        let of_depths = ["image", "depth"].into_iter();
        let depths = of_depths.filter_map(|name| fields.of_kind::<Samples<f32>>(name));
        let depths: Vec<usize> = depths.map(|field| field.index).collect();
        let raw = fields
            .of_kind::<Samples<u16>>("raw")
            .map(|field| field.index);
        if colors.is_none() && depths.is_empty() && raw.is_none() {
            return Err(BindError::needs("an `image`, `depth` or `raw`"));
        }
        let share = self.share;
        Ok(Box::new(
            move |data: &mut dyn Struct, state: &mut ModifierState, _: &Clock| {
                let image = colors.and_then(|index| fields::at_mut::<Samples<u8>>(data, index));
                if let Some(image) = image {
                    image.edit(|image| {
                        for [color @ .., _alpha] in image.as_chunks_mut::<4>().0 {
                            match Self::grain(share, state) {
                                Some(Grain::Salt) => *color = [u8::MAX; 3],
                                Some(Grain::Pepper) => *color = [0; 3],
                                None => {}
                            }
                        }
                    });
                }
                let raw = raw.and_then(|index| fields::at_mut::<Samples<u16>>(data, index));
                if let Some(raw) = raw {
                    raw.edit(|raw| {
                        for depth in raw {
                            if Self::grain(share, state).is_some() {
                                *depth = 0;
                            }
                        }
                    });
                }
                for &index in &depths {
                    let Some(image) = fields::at_mut::<Samples<f32>>(data, index) else {
                        continue;
                    };
                    image.edit(|image| {
                        for depth in image {
                            match Self::grain(share, state) {
                                Some(Grain::Salt) => *depth = f32::INFINITY,
                                Some(Grain::Pepper) => *depth = 0.0,
                                None => {}
                            }
                        }
                    });
                }
            },
        ))
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<SaltAndPepper>();
}

#[cfg(test)]
mod tests {
    use morse_sensors::{depth_video_camera::DepthVideoCameraData, video_camera::VideoCameraData};
    use morse_testing::{TestModifier, settings};

    use super::*;

    #[test]
    fn so_many_pixels_are_lost() {
        let noise: SaltAndPepper = settings("(share: 0.2)");
        let mut noisy = TestModifier::<VideoCameraData>::new(&noise, Some("rgb"), World::new());
        let grey = VideoCameraData {
            image: vec![100; 4 * 20_000].into(),
            ..VideoCameraData::default()
        };
        let reading = noisy.measure(grey);
        let count = |code: u8| {
            let pixels = reading.image.values().as_chunks::<4>().0.iter();
            pixels
                .filter(|pixel| **pixel == [code, code, code, 100])
                .count() as f64
        };
        // Binomial: four standard deviations are 4 · √(20 000 · 0.1 · 0.9) = 170.
        for (code, expected) in [(255, 2000.0), (0, 2000.0), (100, 16_000.0)] {
            assert!(
                (count(code) - expected).abs() < 230.0,
                "{code}: {}",
                count(code)
            );
        }
        let mut noisy =
            TestModifier::<DepthVideoCameraData>::new(&noise, Some("depth"), World::new());
        let flat = DepthVideoCameraData {
            image: vec![2.0; 20_000].into(),
            ..DepthVideoCameraData::default()
        };
        let reading = noisy.measure(flat);
        let zeros = reading
            .image
            .values()
            .iter()
            .filter(|depth| **depth == 0.0)
            .count() as f64;
        assert!((zeros - 2000.0).abs() < 170.0, "{zeros}");
    }
}
