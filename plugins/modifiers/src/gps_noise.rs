//! Error of satellite positioning: white noise, and a slow random walk.
use bevy::reflect::structs::Struct;
use morse_api::{fields::at_mut, modifier::Site, prelude::*};
use morse_geodesy::{Geodetic, Origin};
use nalgebra::Rotation3;

/// Adds white noise and a random walk to a position.
///
/// On latitude, longitude and altitude the same errors in metres are converted at the measured position.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GpsNoise {
    /// Standard deviation along the scene's x, y and z axes.
    #[reflect(@Unit("m"), @ValueRange(0.0, 1e6))]
    pub sigma: [f64; 3],
    /// Standard deviation of the random walk along each axis after one second.
    #[reflect(@Unit("m/√s"), @ValueRange(0.0, 1e6))]
    pub random_walk: [f64; 3],
}

impl Default for GpsNoise {
    fn default() -> Self {
        Self {
            sigma: [0.5, 0.5, 1.0],
            random_walk: [0.0; 3],
        }
    }
}

/// Fields of the position.
#[derive(Clone, Copy)]
enum Position {
    /// `x`, `y` and `z`.
    Scene([usize; 3]),
    /// `latitude`, `longitude` and `altitude`, and the rotation from scene axes to east, north and up.
    Earth([usize; 3], Rotation3<f64>),
}

impl Modifier for GpsNoise {
    const KIND: &'static str = "gps_noise";

    fn bind(&self, fields: &Fields, site: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        let position = if let Ok(xyz) = fields.lengths(["x", "y", "z"]) {
            Position::Scene(xyz)
        } else if let Ok(earth) = fields.numbers(["latitude", "longitude", "altitude"]) {
            let origin = site.world.get_resource::<Origin>();
            Position::Earth(earth, origin.copied().unwrap_or_default().enu_from_scene())
        } else {
            return Err(BindError::needs(
                "numbers `x`, `y` and `z`, or `latitude`, `longitude` and `altitude`",
            ));
        };
        let settings = self.clone();
        Ok(Box::new(
            move |data: &mut dyn Struct, state: &mut ModifierState, clock: &Clock| {
                let error = settings.error(state, clock.seconds());
                position.shift(data, error.into());
            },
        ))
    }
}

impl GpsNoise {
    /// Returns the error at a time (s), along the scene's axes, m. The memory contains the random walk and its time.
    fn error(&self, state: &mut ModifierState, now: f64) -> [f64; 3] {
        state.values.resize(4, 0.0);
        let elapsed = state.values.get(3).map_or(0.0, |before| now - before);
        let root = libm::sqrt(elapsed.max(0.0));
        let mut error = [0.0; 3];
        for (axis, error) in error.iter_mut().enumerate() {
            let white = state.random.gauss(self.sigma[axis]);
            // Always drawn, so that enabling one axis does not change the noise of the others.
            let step = state.random.gauss(self.random_walk[axis] * root);
            if let Some(walk) = state.values.get_mut(axis) {
                *walk += step;
                *error = white + *walk;
            }
        }
        if let Some(before) = state.values.get_mut(3) {
            *before = now;
        }
        error
    }
}

impl Position {
    /// Adds an error along the scene's axes (m) to the position.
    fn shift(self, data: &mut dyn Struct, error: Vector3<f64>) {
        let (Self::Scene(indices) | Self::Earth(indices, _)) = self;
        let mut read = |index| at_mut::<f64>(data, index).map_or(0.0, |value| *value);
        let values = indices.map(&mut read);
        let shifted = match self {
            Self::Scene(_) => (Vector3::from(values) + error).into(),
            Self::Earth(_, enu_from_scene) => {
                let [latitude, longitude, altitude] = values;
                let here = Geodetic {
                    latitude,
                    longitude,
                    altitude,
                };
                // Not by the length of a degree, which is zero at the poles.
                let by = here.ecef_from_enu() * (enu_from_scene * error);
                let there = Geodetic::from_ecef(&(here.to_ecef() + by));
                [there.latitude, there.longitude, there.altitude]
            }
        };
        for (index, shifted) in indices.into_iter().zip::<[f64; 3]>(shifted) {
            if let Some(value) = at_mut::<f64>(data, index) {
                *value = shifted;
            }
        }
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<GpsNoise>();
}

#[cfg(test)]
mod tests {
    use morse_api::modifier::Side;
    use morse_sensors::gps::GpsData;
    use morse_testing::{TestModifier, settings, spread};

    use super::*;

    const SCENE: Origin = Origin {
        latitude: 60.0,
        longitude: 25.0,
        altitude: 30.0,
        angle_against_north: 0.0,
    };

    #[test]
    fn white_noise_has_the_sigma_of_each_axis() {
        let noise: GpsNoise = settings("(sigma: (0.5, 1.0, 2.0))");
        let mut noisy = TestModifier::<GpsData>::new(&noise, Some("simple"), World::new());
        let draws: Vec<[f64; 3]> = (0..20_000)
            .map(|_| {
                let data = noisy.measure(GpsData {
                    x: 10.0,
                    ..GpsData::default()
                });
                [data.x - 10.0, data.y, data.z]
            })
            .collect();
        for (axis, sigma) in [0.5, 1.0, 2.0].into_iter().enumerate() {
            spread(draws.iter().map(|draw| draw[axis])).assert_gauss(0.0, sigma);
        }
    }

    #[test]
    fn on_earth_it_is_as_large_as_in_the_scene() {
        let noise: GpsNoise = settings("(sigma: (1, 3, 2))");
        let mut world = World::new();
        world.insert_resource(SCENE);
        let mut noisy = TestModifier::<GpsData>::new(&noise, Some("raw"), world);
        let truth = Geodetic {
            latitude: 60.0,
            longitude: 25.0,
            altitude: 30.0,
        };
        // Lengths of a degree at 60° north from tables of the WGS 84 ellipsoid, m.
        let (of_latitude, of_longitude) = (111_412.0, 55_800.0);
        let draws: Vec<[f64; 3]> = (0..20_000)
            .map(|_| {
                let data = noisy.measure(GpsData {
                    latitude: truth.latitude,
                    longitude: truth.longitude,
                    altitude: truth.altitude,
                    ..GpsData::default()
                });
                [
                    (data.longitude - truth.longitude) * of_longitude,
                    (data.latitude - truth.latitude) * of_latitude,
                    data.altitude - truth.altitude,
                ]
            })
            .collect();
        // The scene's x axis points north here, and y west.
        spread(draws.iter().map(|draw| draw[0])).assert_gauss(0.0, 3.0);
        spread(draws.iter().map(|draw| draw[1])).assert_gauss(0.0, 1.0);
        spread(draws.iter().map(|draw| draw[2])).assert_gauss(0.0, 2.0);
    }

    #[test]
    fn a_random_walk_grows_with_the_root_of_time() {
        let noise: GpsNoise = settings("(sigma: (0, 0, 0), random_walk: (0.2, 0, 0))");
        let walked = |seconds: u32| {
            let ends = (0..3000).map(|seed| {
                let mut noisy =
                    TestModifier::<GpsData>::with_seed(seed, &noise, Some("simple"), World::new());
                let mut last = GpsData::default();
                for _ in 0..10 * seconds {
                    last = noisy.measure(GpsData::default());
                }
                assert_eq!(last.y, 0.0);
                last.x
            });
            spread(ends.collect::<Vec<f64>>().into_iter())
        };
        // The test modifier measures at 10 Hz.
        walked(1).assert_gauss(0.0, 0.2);
        walked(4).assert_gauss(0.0, 0.4);
    }

    #[test]
    fn data_without_a_position_is_refused() {
        let noise = GpsNoise::default();
        let fields = Fields::of_type::<morse_sensors::imu::ImuData>(None);
        let world = World::new();
        assert!(
            noise
                .bind(
                    &fields,
                    &Site {
                        world: &world,
                        side: Side::Measurement,
                        path: "rover.sensor",
                    }
                )
                .is_err()
        );
    }
}
