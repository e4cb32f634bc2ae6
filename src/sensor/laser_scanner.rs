//! Distances in many directions, in one plane or in several layers: lidars and range finders.
use std::f64::consts::PI;

use bevy::prelude::{Changed, IntoScheduleConfigs as _};
use morse_api::{
    component::Mount,
    prelude::*,
    rays::{Hit, Rays},
};
use serde::{Deserializer, de::Error as _};

/// One degree, rad.
const DEGREE: f64 = PI / 180.0;

/// Most rays of a layer. What would have more gets these, from the right on.
const MOST_RAYS: f64 = 1e6;

/// Most layers.
const MOST_LAYERS: u32 = 1024;

/// Casts one ray for each direction and reports what it meets first. The robot that carries the scanner
/// is never met.
///
/// x points forward, z up. In each layer the rays go from the right, at minus half the window, to the
/// left; the layers follow each other from the top one down. As in MORSE, a ray at angle a of a layer at
/// angle v goes along (cos a, sin a, sin v), so its elevation is atan(sin v). Unlike there, angles are
/// multiples of the resolution without accumulated error, and a scanner of one layer is not shifted by
/// `layer_offset`.
#[derive(Component, Reflect, Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Beams)]
pub struct LaserScanner {
    /// Angle between the first and the last ray of a layer.
    #[reflect(@Unit("rad"))]
    #[serde(deserialize_with = "not_negative")]
    pub scan_window: f64,
    /// Angle between neighbouring rays.
    #[reflect(@Unit("rad"))]
    #[serde(deserialize_with = "positive")]
    pub resolution: f64,
    /// How far the rays reach.
    #[reflect(@Unit("m"))]
    #[serde(deserialize_with = "positive")]
    pub laser_range: f64,
    /// Number of layers, one above the other.
    pub layers: u32,
    /// Angle between neighbouring layers.
    #[reflect(@Unit("rad"))]
    pub layer_separation: f64,
    /// By how much the first, third, … of several layers are turned to the left.
    #[reflect(@Unit("rad"))]
    pub layer_offset: f64,
}

impl Default for LaserScanner {
    fn default() -> Self {
        Self {
            scan_window: PI,
            resolution: DEGREE,
            laser_range: 30.0,
            layers: 1,
            layer_separation: 0.8 * DEGREE,
            layer_offset: 0.125 * DEGREE,
        }
    }
}

/// What the rays met, one entry a ray, from right to left, top layer first.
#[derive(Component, Reflect, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LaserScannerData {
    /// Where each ray met something, in the frame of the sensor; (0, 0, 0) where it met nothing.
    #[reflect(@Unit("m"))]
    pub point_list: Vec<[f64; 3]>,
    /// How far each ray went; `laser_range` where it met nothing.
    #[reflect(@Unit("m"))]
    pub range_list: Vec<f64>,
}

impl Clone for LaserScannerData {
    fn clone(&self) -> Self {
        Self {
            point_list: self.point_list.clone(),
            range_list: self.range_list.clone(),
        }
    }

    // Into the memory that is there: data are copied at every measurement.
    fn clone_from(&mut self, source: &Self) {
        self.point_list.clone_from(&source.point_list);
        self.range_list.clone_from(&source.range_list);
    }
}

/// The directions of the rays, and room for a measurement. All of it follows from the settings.
#[derive(Component, Default)]
struct Beams {
    /// Unit vectors in the frame of the sensor.
    directions: Vec<Vector3<f64>>,
    /// The same in the world.
    world_directions: Vec<Vector3<f64>>,
    hits: Vec<Option<Hit>>,
}

impl Sensor for LaserScanner {
    const KIND: &'static str = "laser_scanner";
    type Data = LaserScannerData;
}

pub(super) fn plugin(app: &mut App) {
    app.add_sensor::<LaserScanner, _>((aim, default_action).chain());
}

/// Works out the directions once the settings are there.
fn aim(mut scanners: Query<(&LaserScanner, &mut Beams), Changed<LaserScanner>>) {
    for (scanner, mut beams) in &mut scanners {
        let directions = scanner.directions();
        beams.world_directions.clone_from(&directions);
        beams.hits = vec![None; directions.len()];
        beams.directions = directions;
    }
}

fn default_action(
    rays: Res<Rays>,
    mut scanners: Query<(
        &LaserScanner,
        &Due,
        &WorldPose,
        &Mount,
        &mut Beams,
        &mut LaserScannerData,
    )>,
) {
    for (scanner, due, pose, mount, mut beams, mut data) in &mut scanners {
        if !due.0 {
            continue;
        }
        let Beams {
            directions,
            world_directions,
            hits,
        } = &mut *beams;
        let rotation = pose.0.rotation.to_rotation_matrix();
        for (world, direction) in world_directions.iter_mut().zip(&*directions) {
            *world = rotation * direction;
        }
        let origin = pose.0.translation.vector.into();
        rays.0.cast_fan(
            origin,
            world_directions,
            scanner.laser_range,
            Some(mount.robot),
            hits,
        );
        data.report(scanner.laser_range, directions, hits);
    }
}

impl LaserScanner {
    /// Unit vectors in the frame of the sensor, in the order of the data.
    fn directions(&self) -> Vec<Vector3<f64>> {
        let layers = self.layers.min(MOST_LAYERS);
        // A window of whole multiples of the resolution has its last ray, whatever the rounding.
        let last = (self.scan_window / self.resolution * (1.0 + 1e-9)).min(MOST_RAYS - 1.0) as u32;
        let top = self.layer_separation * f64::from(layers.saturating_sub(1)) / 2.0;
        let mut directions = Vec::new();
        for layer in 0..layers {
            let elevation = libm::sin(top - self.layer_separation * f64::from(layer));
            let is_shifted = layers > 1 && layer % 2 == 0;
            let right = if is_shifted { self.layer_offset } else { 0.0 } - self.scan_window / 2.0;
            directions.extend((0..=last).map(|index| {
                let (sine, cosine) = libm::sincos(right + self.resolution * f64::from(index));
                Vector3::new(cosine, sine, elevation).normalize()
            }));
        }
        directions
    }
}

impl LaserScannerData {
    fn report(&mut self, range: f64, directions: &[Vector3<f64>], hits: &[Option<Hit>]) {
        self.point_list.clear();
        self.point_list.extend(
            directions.iter().zip(hits).map(|(direction, hit)| {
                hit.map_or([0.0; 3], |hit| (direction * hit.distance).into())
            }),
        );
        self.range_list.clear();
        self.range_list
            .extend(hits.iter().map(|hit| hit.map_or(range, |hit| hit.distance)));
    }
}

fn positive<'de, D: Deserializer<'de>>(source: D) -> Result<f64, D::Error> {
    let number = f64::deserialize(source)?;
    let is_positive = number > 0.0 && number.is_finite();
    is_positive
        .then_some(number)
        .ok_or_else(|| D::Error::custom("must be greater than 0"))
}

fn not_negative<'de, D: Deserializer<'de>>(source: D) -> Result<f64, D::Error> {
    let number = f64::deserialize(source)?;
    let is_fine = number >= 0.0 && number.is_finite();
    is_fine
        .then_some(number)
        .ok_or_else(|| D::Error::custom("must not be negative"))
}

#[cfg(test)]
mod tests {
    use bevy::prelude::*;
    use morse_api::{component::Period, rays::CastRays, tick::Clock};
    use nalgebra::Point3;

    use super::*;

    fn scanner(scan_window: f64, resolution: f64, layers: u32) -> LaserScanner {
        LaserScanner {
            scan_window: scan_window * DEGREE,
            resolution: resolution * DEGREE,
            layers,
            ..LaserScanner::default()
        }
    }

    #[test]
    fn morse_models_have_their_numbers_of_rays() {
        let count =
            |window, resolution, layers| scanner(window, resolution, layers).directions().len();
        assert_eq!(LaserScanner::default().directions().len(), 181);
        assert_eq!(count(270.0, 0.25, 1), 1081);
        assert_eq!(count(100.0, 0.25, 4), 4 * 401);
        assert_eq!(count(20.0, 1.0, 1), 21);
        assert_eq!(count(31.5, 0.5, 1), 64);
        assert_eq!(count(0.0, 1.0, 1), 1);
        assert_eq!(count(10.0, 3.0, 1), 4);
        assert_eq!(count(10.0, 1.0, 0), 0);
    }

    #[test]
    fn rays_go_from_right_to_left_and_from_the_top_down() {
        let single = scanner(180.0, 90.0, 1).directions();
        for (direction, expected) in single
            .iter()
            .zip([-Vector3::y(), Vector3::x(), Vector3::y()])
        {
            assert!((direction - expected).norm() < 1e-12);
        }
        let layers = scanner(0.0, 1.0, 4).directions();
        let angles = |direction: &Vector3<f64>| {
            let azimuth = libm::atan2(direction.y, direction.x);
            [
                azimuth / DEGREE,
                libm::asin(libm::tan(libm::asin(direction.z))) / DEGREE,
            ]
        };
        let expected = [[0.125, 1.2], [0.0, 0.4], [0.125, -0.4], [0.0, -1.2]];
        for (direction, [azimuth, elevation]) in layers.iter().zip(expected) {
            let found = angles(direction);
            assert!((direction.norm() - 1.0).abs() < 1e-12);
            assert!(
                (found[0] - azimuth).abs() < 1e-9 && (found[1] - elevation).abs() < 1e-9,
                "{found:?}"
            );
        }
    }

    #[test]
    fn settings_out_of_range_are_refused_where_they_stand() {
        let read = |text: &str| ron::from_str::<LaserScanner>(text);
        assert_eq!(read("()").unwrap(), LaserScanner::default());
        assert_eq!(read("(resolution: 0.5)").unwrap().resolution, 0.5);
        for text in [
            "(resolution: 0)",
            "(resolution: NaN)",
            "(laser_range: inf)",
            "(scan_window: -1)",
            "(range: 3)",
        ] {
            let error = read(text).unwrap_err();
            assert_eq!(error.span.start.line, 1, "{error}");
        }
        assert!(
            read("(resolution: -1)")
                .unwrap_err()
                .to_string()
                .contains("greater than 0")
        );
    }

    /// A wall at x = 5, and a robot around the scanner.
    struct Wall(Entity);

    impl CastRays for Wall {
        fn cast_fan(
            &self,
            origin: Point3<f64>,
            directions: &[Vector3<f64>],
            max_distance: f64,
            without: Option<Entity>,
            hits: &mut [Option<Hit>],
        ) {
            for (hit, direction) in hits.iter_mut().zip(directions) {
                let distance = if without == Some(self.0) {
                    (5.0 - origin.x) / direction.x
                } else {
                    0.1
                };
                let is_met = (0.0..=max_distance).contains(&distance);
                *hit = is_met.then_some(Hit {
                    distance,
                    entity: self.0,
                });
            }
        }
    }

    #[test]
    fn a_wall_is_seen_where_it_is() {
        let mut app = App::new();
        app.add_plugins(plugin).insert_resource(Clock::new(60.0));
        let robot = app.world_mut().spawn_empty().id();
        // At x = 1, turned to the left, so that the wall is on the right.
        let turned = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), PI / 2.0);
        let pose = Isometry3::from_parts(Vector3::new(1.0, 2.0, 0.5).into(), turned);
        let identity = Isometry3::identity();
        let mount = Mount {
            body: robot,
            robot,
            body_from_component: identity,
            robot_from_component: identity,
        };
        let settings = LaserScanner {
            laser_range: 8.001,
            ..LaserScanner::default()
        };
        let sensor = (
            settings,
            mount,
            Period { frequency: 60.0 },
            Due(true),
            WorldPose(pose),
        );
        let sensor = app.world_mut().spawn(sensor).id();
        app.insert_resource(Rays(Box::new(Wall(robot))));
        app.world_mut().run_schedule(FixedUpdate);

        let data = app.world().get::<LaserScannerData>(sensor).unwrap();
        for (index, (range, point)) in data.range_list.iter().zip(&data.point_list).enumerate() {
            // The wall is straight to the right; 8 m is where it is seen at 60° from that.
            let angle = index as f64 * DEGREE;
            if index <= 60 {
                assert!((range - 4.0 / libm::cos(angle)).abs() < 1e-9);
                assert!(
                    (Vector3::from(*point) - Vector3::new(4.0 * libm::tan(angle), -4.0, 0.0))
                        .norm()
                        < 1e-9
                );
            } else {
                assert_eq!((*range, *point), (8.001, [0.0; 3]));
            }
        }
        let place = |app: &App| {
            app.world()
                .get::<LaserScannerData>(sensor)
                .unwrap()
                .point_list
                .as_ptr()
        };
        let before = place(&app);
        app.world_mut().run_schedule(FixedUpdate);
        assert_eq!(
            before,
            place(&app),
            "a measurement goes into the memory of the one before"
        );
    }
}
