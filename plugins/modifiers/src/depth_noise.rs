//! White noise on depths.
use bevy::reflect::structs::Struct;
use morse_api::{fields, modifier::Site, prelude::*, samples::Samples};

/// Adds an independent, normally distributed error to each depth in every frame. Points move along their ray. Pixels without
/// a depth stay unchanged.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DepthNoise {
    /// Standard deviation that does not depend on the depth.
    #[reflect(@Unit("m"), @ValueRange(0.0, 1e6))]
    pub sigma: f64,
    /// Additional standard deviation per squared depth, as stereo cameras have it.
    #[reflect(@Unit("1/m"), @ValueRange(0.0, 1e6))]
    pub growth: f64,
}

impl Default for DepthNoise {
    /// Noise of a Kinect: Khoshelham and Elberink (2012) measured 0.00143 z².
    fn default() -> Self {
        Self {
            sigma: 0.0,
            growth: 0.00143,
        }
    }
}

impl Modifier for DepthNoise {
    const KIND: &'static str = "depth_noise";

    fn bind(&self, fields: &Fields, _: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        let index_of = |name| {
            fields
                .of_kind::<Samples<f32>>(name)
                .map(|field| field.index)
        };
        let images: Vec<usize> = ["image", "depth"]
            .into_iter()
            .filter_map(index_of)
            .collect();
        let points = index_of("points");
        let raw = fields
            .of_kind::<Samples<u16>>("raw")
            .map(|field| field.index);
        if images.is_empty() && points.is_none() && raw.is_none() {
            return Err(BindError::needs(
                "depths: `image`, `depth`, `raw` or `points`",
            ));
        }
        let Self { sigma, growth } = *self;
        let error = move |depth: f32, state: &mut ModifierState| {
            let depth = f64::from(depth);
            state.random.gauss(sigma + growth * depth * depth)
        };
        Ok(Box::new(
            move |data: &mut dyn Struct, state: &mut ModifierState, _: &Clock| {
                for &index in &images {
                    let Some(image) = fields::at_mut::<Samples<f32>>(data, index) else {
                        continue;
                    };
                    image.edit(|image| {
                        for depth in image.iter_mut().filter(|depth| depth.is_finite()) {
                            *depth += error(*depth, state) as f32;
                        }
                    });
                }
                let raw = raw.and_then(|index| fields::at_mut::<Samples<u16>>(data, index));
                if let Some(raw) = raw {
                    raw.edit(|raw| {
                        for depth in raw.iter_mut().filter(|depth| **depth > 0) {
                            let error = error(f32::from(*depth) / 1000.0, state) * 1000.0;
                            let noisy_depth = (f64::from(*depth) + error).round();
                            // A depth that does not fit into 16 bits is no measurement.
                            let is_known = (1.0..=f64::from(u16::MAX)).contains(&noisy_depth);
                            *depth = if is_known { noisy_depth as u16 } else { 0 };
                        }
                    });
                }
                let points = points.and_then(|index| fields::at_mut::<Samples<f32>>(data, index));
                if let Some(points) = points {
                    points.edit(|points| {
                        let shown = points.as_chunks_mut::<3>().0.iter_mut();
                        for point in shown.filter(|point| point[2] != 0.0 && point[2].is_finite()) {
                            let depth = f64::from(point[2]);
                            let stretch = 1.0 + error(point[2], state) / depth;
                            *point = point.map(|value| (f64::from(value) * stretch) as f32);
                        }
                    });
                }
            },
        ))
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<DepthNoise>();
}

#[cfg(test)]
mod tests {
    use morse_sensors::{depth_camera::DepthCameraData, depth_video_camera::DepthVideoCameraData};
    use morse_testing::{TestModifier, settings, spread};

    use super::*;

    #[test]
    fn the_error_grows_with_the_depth() {
        let noise: DepthNoise = settings("(sigma: 0.01, growth: 0.002)");
        let mut noisy =
            TestModifier::<DepthVideoCameraData>::new(&noise, Some("depth"), World::new());
        for depth in [1.0_f32, 5.0] {
            let mut image = vec![depth; 20_000];
            image[0] = f32::INFINITY;
            let reading = noisy.measure(DepthVideoCameraData {
                image: image.into(),
                ..DepthVideoCameraData::default()
            });
            let (first, rest) = reading.image.values().split_first().unwrap();
            assert_eq!(*first, f32::INFINITY);
            let errors = rest.iter().map(|noisy| f64::from(noisy - depth));
            spread(errors).assert_gauss(0.0, 0.01 + 0.002 * f64::from(depth * depth));
        }
    }

    #[test]
    fn millimetres_stay_whole_and_nothing_stays_nothing() {
        let noise: DepthNoise = settings("(sigma: 0.02, growth: 0)");
        let mut noisy =
            TestModifier::<DepthVideoCameraData>::new(&noise, Some("raw"), World::new());
        let mut raw = vec![2500_u16; 20_000];
        (raw[0], raw[1]) = (0, 1);
        let reading = noisy.measure(DepthVideoCameraData {
            raw: raw.into(),
            ..DepthVideoCameraData::default()
        });
        let [nothing, least, rest @ ..] = reading.raw.values() else {
            panic!("an image");
        };
        assert!(*nothing == 0 && *least < 100, "{least}");
        spread(rest.iter().map(|depth| f64::from(*depth) - 2500.0)).assert_gauss(0.0, 20.0);
    }

    #[test]
    fn points_stay_on_their_rays() {
        let noise: DepthNoise = settings("(sigma: 0.1, growth: 0)");
        let mut noisy = TestModifier::<DepthCameraData>::new(&noise, None, World::new());
        let point = [1.0_f32, -2.0, 4.0];
        let reading = noisy.measure(DepthCameraData {
            points: [point; 5000].concat().into(),
            ..DepthCameraData::default()
        });
        let points = reading.points.values().as_chunks::<3>().0;
        spread(points.iter().map(|at| f64::from(at[2]) - 4.0)).assert_gauss(0.0, 0.1);
        for [x, y, z] in points {
            assert!((x / z - 0.25).abs() < 1e-6 && (y / z + 0.5).abs() < 1e-6);
        }
    }
}
