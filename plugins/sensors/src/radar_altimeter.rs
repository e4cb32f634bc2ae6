//! Height of a sensor above the ground.
use morse_api::{prelude::*, rays::Rays};

/// Measures the distance to the first surface vertically below the sensor, whatever its orientation: one ray downwards in
/// the world. The robot that carries it is ignored.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RadarAltimeter {
    /// Range of the sensor.
    #[reflect(@Unit("m"), @ValueRange(0.001, 1e6), @Property("MaxRange"))]
    pub max_range: f64,
}

impl Default for RadarAltimeter {
    fn default() -> Self {
        Self { max_range: 30.0 }
    }
}

/// One measurement.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RadarAltimeterData {
    /// Height above the surface below; infinite if there is none within the range.
    #[reflect(@Unit("m"))]
    pub z: f64,
}

impl Sensor for RadarAltimeter {
    const KIND: &'static str = "radar_altimeter";
    const MORSE_CLASSES: &'static [&'static str] = &["RadarAltimeter"];
    type Data = RadarAltimeterData;
}

pub(super) fn plugin(app: &mut App) {
    app.add_sensor::<RadarAltimeter, _>(default_action);
}

fn default_action(
    rays: Res<Rays>,
    mut sensors: Query<(
        &RadarAltimeter,
        &Due,
        &WorldPose,
        &Mount,
        &mut RadarAltimeterData,
    )>,
) {
    for (settings, due, pose, mount, mut data) in &mut sensors {
        if due.0 {
            let origin = pose.0.translation.vector.into();
            let (range, own) = (settings.max_range, Some(mount.robot));
            let hit = rays.cast(origin, -Vector3::z(), range, own);
            data.z = hit.map_or(f64::INFINITY, |hit| hit.distance);
        }
    }
}

#[cfg(test)]
mod tests {
    use morse_api::rays::{CastRays, Hit};
    use morse_testing::{TestWorld, moving, out_of_range};

    use super::*;

    /// A ground that falls by 0.5 m per metre along x, and the robot's own underside, which is nearer.
    struct Slope {
        robot: Entity,
    }

    impl CastRays for Slope {
        fn cast_fan(
            &self,
            origin: Point3<f64>,
            directions: &[Vector3<f64>],
            max_distance: f64,
            without: Option<Entity>,
            hits: &mut [Option<Hit>],
        ) {
            for (hit, direction) in hits.iter_mut().zip(directions) {
                // z = -x / 2 along the ray.
                let height = origin.z + origin.x / 2.0;
                let to_ground = -height / (direction.z + direction.x / 2.0);
                let distance = if without == Some(self.robot) {
                    to_ground
                } else {
                    0.01
                };
                *hit = (0.0..=max_distance).contains(&distance).then_some(Hit {
                    distance,
                    entity: self.robot,
                });
            }
        }
    }

    #[test]
    fn straight_down_however_it_is_turned() {
        let mut test = TestWorld::new(60.0, plugin, BodyState::default());
        let robot = test.robot;
        test.app.insert_resource(Rays::new(Slope { robot }));
        // One metre ahead of the robot, and looking up to the left.
        let mount = Isometry3::new(Vector3::x(), Vector3::new(0.9, -1.2, 0.4));
        let near = test.sensor::<RadarAltimeter>("rover.near", "()", 60.0, mount);
        let far = test.sensor::<RadarAltimeter>("rover.far", "(max_range: 80)", 60.0, mount);
        for (height, [seen, seen_far]) in [
            (10.0, [12.5, 12.5]),
            (27.4, [29.9, 29.9]),
            (27.6, [f64::INFINITY, 30.1]),
            (90.0, [f64::INFINITY; 2]),
        ] {
            // The robot at x = 4: the sensor is at x = 5, where the ground is at -2.5.
            test.step(moving([4.0, 3.0, height], 0.0, [0.0; 3], [0.0; 3]));
            for (sensor, expected) in [(near, seen), (far, seen_far)] {
                let altitude = test.read::<RadarAltimeterData>(sensor).z;
                let is_right = altitude == expected || (altitude - expected).abs() < 1e-9;
                assert!(is_right, "{altitude} instead of {expected}");
            }
        }
    }

    #[test]
    fn a_range_is_positive() {
        for text in ["0", "-1", "inf", "NaN"] {
            let text = format!("(max_range: {text})");
            assert_eq!(out_of_range::<RadarAltimeter>(&text), ["max_range"]);
        }
    }
}
