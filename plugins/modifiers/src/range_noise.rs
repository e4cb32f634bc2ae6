//! White noise and a constant error on the ranges of scanners.
use bevy::reflect::structs::Struct;
use morse_api::{fields::at_mut, modifier::Site, prelude::*};

/// Adds errors to the ranges of the rays of a scanner that hit a surface. Points move along their rays by the same errors, and
/// rays without a hit stay without one.
///
/// Fits the levels `raw` and `rssi`. A modifier such as `gaussian` changes all numbers independently: also ranges without a hit,
/// half of which then are echoes just below `laser_range`, and ranges and points of the same ray by different errors.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RangeNoise {
    /// Standard deviation of an independent error of each ray in each measurement.
    #[reflect(@Unit("m"), @ValueRange(0.0, 1e6))]
    pub sigma: f64,
    /// Constant error of all rays.
    #[reflect(@Unit("m"), @ValueRange(-1e6, 1e6))]
    pub bias: f64,
    /// Standard deviation of a constant error of all rays, which is drawn at the first measurement.
    #[reflect(@Unit("m"), @ValueRange(0.0, 1e6))]
    pub bias_sigma: f64,
}

impl Default for RangeNoise {
    fn default() -> Self {
        Self {
            sigma: 0.01,
            bias: 0.0,
            bias_sigma: 0.0,
        }
    }
}

impl Modifier for RangeNoise {
    const KIND: &'static str = "range_noise";

    fn bind(&self, fields: &Fields, _: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        let index_of = |field: Option<&morse_api::fields::Field>| field.map(|field| field.index);
        let points = index_of(fields.of_kind::<Vec<[f64; 3]>>("point_list"));
        let ranges = index_of(fields.of_kind::<Vec<f64>>("range_list"));
        let (Some(points), Some(ranges)) = (points, ranges) else {
            return Err(BindError::needs(
                "ranges of rays: `point_list` and `range_list`",
            ));
        };
        let settings = self.clone();
        Ok(Box::new(
            move |data: &mut dyn Struct, state: &mut ModifierState, _: &Clock| {
                if state.values.is_empty() {
                    let bias = settings.bias + state.random.gauss(settings.bias_sigma);
                    state.values.push(bias);
                }
                // Both lists are changed together, without a copy.
                let Some(mut hits) = at_mut::<Vec<[f64; 3]>>(data, points).map(std::mem::take)
                else {
                    return;
                };
                if let Some(ranges) = at_mut::<Vec<f64>>(data, ranges) {
                    for (point, range) in hits.iter_mut().zip(ranges) {
                        settings.shift(point, range, state);
                    }
                }
                if let Some(points) = at_mut(data, points) {
                    *points = hits;
                }
            },
        ))
    }
}

impl RangeNoise {
    /// Adds the error of a ray to its point and its range, unless it hit nothing.
    fn shift(&self, point: &mut [f64; 3], range: &mut f64, state: &mut ModifierState) {
        let distance = Vector3::from(*point).norm();
        if distance == 0.0 || !distance.is_finite() {
            return;
        }
        let bias = state.values.first().copied().unwrap_or_default();
        let error = bias + state.random.gauss(self.sigma);
        *range = (*range + error).max(0.0);
        let stretch = ((distance + error) / distance).max(0.0);
        *point = point.map(|value| value * stretch);
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<RangeNoise>();
}

#[cfg(test)]
mod tests {
    use morse_sensors::{laser_scanner::LaserScannerData, pose::PoseData};
    use morse_testing::{TestModifier, settings, spread};

    use super::*;

    /// A scan of rays that all hit a surface at (3, 0, 4), and a last one that hits nothing within 10 m.
    fn scan(rays: usize) -> LaserScannerData {
        let mut data = LaserScannerData {
            point_list: vec![[3.0, 0.0, 4.0]; rays],
            range_list: vec![5.0; rays],
            ..LaserScannerData::default()
        };
        data.point_list.push([0.0; 3]);
        data.range_list.push(10.0);
        data
    }

    #[test]
    fn points_and_ranges_have_the_same_error_and_misses_have_none() {
        let noise: RangeNoise = settings("(sigma: 0.02, bias: 0.1)");
        let mut noisy = TestModifier::new(&noise, Some("raw"), World::new());
        let mut data = noisy.measure(scan(20_000));
        assert_eq!(data.range_list.pop(), Some(10.0));
        assert_eq!(data.point_list.pop(), Some([0.0; 3]));
        spread(data.range_list.iter().map(|range| range - 5.0)).assert_gauss(0.1, 0.02);
        for ([x, y, z], range) in data.point_list.iter().zip(&data.range_list) {
            assert!(
                (x - 0.6 * range).abs() < 1e-12 && *y == 0.0 && (z - 0.8 * range).abs() < 1e-12
            );
        }
    }

    #[test]
    fn the_constant_error_is_drawn_once_for_all_rays() {
        let noise: RangeNoise = settings("(sigma: 0, bias: -1, bias_sigma: 0.5)");
        let drawn = (0..5000).map(|seed| {
            let mut noisy = TestModifier::with_seed(seed, &noise, Some("rssi"), World::new());
            let [first, later] = [(); 2].map(|()| noisy.measure(scan(2)).range_list);
            assert!(
                first == later && first[0] == first[1],
                "{first:?} {later:?}"
            );
            first[0] - 5.0
        });
        spread(drawn).assert_gauss(-1.0, 0.5);
    }

    #[test]
    fn a_range_is_not_negative_and_other_data_have_none() {
        let noise: RangeNoise = settings("(sigma: 0, bias: -7)");
        let mut noisy = TestModifier::new(&noise, Some("raw"), World::new());
        let data = noisy.measure(scan(1));
        assert_eq!((data.range_list[0], data.point_list[0]), (0.0, [0.0; 3]));
        let world = World::new();
        let site = Site {
            world: &world,
            side: morse_api::modifier::Side::Measurement,
            path: "rover.sensor",
        };
        for fields in [
            Fields::of_type::<LaserScannerData>(Some("range")),
            Fields::of_type::<PoseData>(None),
        ] {
            assert!(noise.bind(&fields, &site).is_err());
        }
    }
}
