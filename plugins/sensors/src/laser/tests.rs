//! Directions of the rays of each kind, and data for known hits.
use bevy::prelude::*;
use morse_api::{
    component::{Level, Mount, UpdateRate},
    rays::{CastRays, Hit, Rays, Surface},
    tick::Clock,
};
use morse_testing::out_of_range;

use super::*;
use crate::{
    hokuyo::Hokuyo, infrared::Infrared, laser_scanner::LaserScanner, sick::Sick,
    sick_ldmrs::SickLdmrs, velodyne::Velodyne,
};

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
    let count = |laser: &dyn Fn() -> Vec<Vector3<f64>>| laser().len();
    assert_eq!(count(&|| Sick::default().directions()), 181);
    assert_eq!(count(&|| Hokuyo::default().directions()), 1081);
    assert_eq!(count(&|| SickLdmrs::default().directions()), 4 * 401);
    assert_eq!(count(&|| Infrared::default().directions()), 21);
    assert_eq!(count(&|| Velodyne::default().directions()), 64);
    assert_eq!(count(&|| LaserScanner::default().directions()), 181);
    let count = |window, resolution, layers| scanner(window, resolution, layers).directions().len();
    assert_eq!(count(0.0, 1.0, 1), 1);
    assert_eq!(count(10.0, 3.0, 1), 4);
    assert_eq!(count(10.0, 1.0, 0), 0);
}

#[test]
fn morse_models_have_their_ranges_and_frequencies() {
    assert_eq!(
        (Sick::default().range_max(), Sick::FREQUENCY),
        (30.0, Some(10.0))
    );
    assert_eq!(
        (Hokuyo::default().range_max(), Hokuyo::FREQUENCY),
        (30.0, Some(10.0))
    );
    assert_eq!(
        (SickLdmrs::default().range_max(), SickLdmrs::FREQUENCY),
        (30.0, Some(4.0))
    );
    assert_eq!(
        (Infrared::default().range_max(), Infrared::FREQUENCY),
        (2.0, Some(10.0))
    );
    assert_eq!(
        (Velodyne::default().range_max(), Velodyne::FREQUENCY),
        (50.0, Some(60.0))
    );
}

#[test]
fn a_velodyne_looks_from_27_75_degrees_below_to_3_75_above() {
    let fan = Velodyne::default().directions();
    for (index, direction) in fan.iter().enumerate() {
        let elevation = (-27.75 + 0.5 * index as f64) * DEGREE;
        let expected = Vector3::new(libm::cos(elevation), 0.0, libm::sin(elevation));
        assert!(
            (direction - expected).norm() < 1e-12,
            "{index}: {direction}"
        );
    }
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
        let azimuth_and_elevation = angles(direction);
        assert!((direction.norm() - 1.0).abs() < 1e-12);
        assert!(
            (azimuth_and_elevation[0] - azimuth).abs() < 1e-9
                && (azimuth_and_elevation[1] - elevation).abs() < 1e-9,
            "{azimuth_and_elevation:?}"
        );
    }
}

#[test]
fn spherical_layers_have_the_elevations_of_their_angles() {
    let layers = LaserScanner {
        layer_separation: 20.0 * DEGREE,
        layer_offset: 0.0,
        layer_middle: 15.0 * DEGREE,
        convention: LayerConvention::Spherical,
        ..scanner(180.0, 45.0, 4)
    };
    let directions = layers.directions();
    let expected = [45.0, 25.0, 5.0, -15.0]
        .into_iter()
        .flat_map(|elevation| [-90.0, -45.0, 0.0, 45.0, 90.0].map(|azimuth| [azimuth, elevation]));
    assert_eq!(directions.len(), 20);
    for (direction, angles) in directions.iter().zip(expected) {
        let [azimuth, elevation] = angles.map(|angle| angle * DEGREE);
        let expected = Vector3::new(
            libm::cos(elevation) * libm::cos(azimuth),
            libm::cos(elevation) * libm::sin(azimuth),
            libm::sin(elevation),
        );
        assert!(
            (direction - expected).norm() < 1e-12,
            "{angles:?}: {direction}"
        );
    }
}

#[test]
fn settings_out_of_range_are_reported() {
    assert!(out_of_range::<LaserScanner>("()").is_empty());
    assert!(out_of_range::<LaserScanner>("(resolution: 0.5)").is_empty());
    for (text, field) in [
        ("(resolution: 0)", "resolution"),
        ("(resolution: 1e-9)", "resolution"),
        ("(resolution: NaN)", "resolution"),
        ("(laser_range: inf)", "laser_range"),
        ("(scan_window: -1)", "scan_window"),
        ("(scan_window: 1e6)", "scan_window"),
        ("(layers: 0)", "layers"),
    ] {
        assert_eq!(out_of_range::<LaserScanner>(text), [field]);
    }
}

#[test]
fn no_more_memory_is_taken_than_was_told() {
    for (level, layers) in [("raw", 1), ("rssi", 3), ("range", 1024)] {
        let scanner = scanner(6.3, 1e-3, layers);
        let directions = scanner.directions();
        assert_eq!(directions.len() as u64, scanner.count());
        assert_eq!(directions.capacity(), directions.len());
        let reported = scanner.memory(level);
        let hits = vec![None; directions.len()];
        let mut data = LaserScannerData::default();
        data.report(level, 30.0, &directions, &hits, |_| 0.0);
        let taken = size_of_val(&*data.point_list)
            + size_of_val(&*data.range_list)
            + size_of_val(&*data.remission_list);
        assert_eq!(reported.measurement, taken as u64, "{level}");
        let beams = 3 * size_of_val(&*directions) + size_of_val(&*hits);
        // Memory of a planar fan and its buffers per ray.
        let fan = (7 * size_of::<f64>() + 3 * size_of::<u32>()) * directions.len();
        assert_eq!(reported.workspace, (beams + fan) as u64);
    }
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
    app.add_plugins(add::<LaserScanner>)
        .insert_resource(Clock::new(60.0));
    let robot = app.world_mut().spawn_empty().id();
    // At x = 1, turned to the left, so that the wall is on the right.
    let turned = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), PI / 2.0);
    let pose = Isometry3::from_parts(Vector3::new(1.0, 2.0, 0.5).into(), turned);
    let identity = Isometry3::identity();
    let mount = Mount {
        body: robot,
        robot,
        frame: robot,
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
        UpdateRate { frequency: 60.0 },
        Due(true),
        WorldPose(pose),
    );
    let sensor = app.world_mut().spawn(sensor).id();
    app.insert_resource(Rays::new(Wall(robot)));
    tick(&mut app);

    let data = app.world().get::<LaserScannerData>(sensor).unwrap();
    for (index, (range, point)) in data.range_list.iter().zip(&data.point_list).enumerate() {
        // The wall is straight to the right; at 60° from that its distance is 8 m.
        let angle = index as f64 * DEGREE;
        if index <= 60 {
            assert!((range - 4.0 / libm::cos(angle)).abs() < 1e-9);
            assert!(
                (Vector3::from(*point) - Vector3::new(4.0 * libm::tan(angle), -4.0, 0.0)).norm()
                    < 1e-9
            );
        } else {
            assert_eq!((*range, *point), (8.001, [0.0; 3]));
        }
    }
    let address = |app: &App| {
        app.world()
            .get::<LaserScannerData>(sensor)
            .unwrap()
            .point_list
            .as_ptr()
    };
    let before = address(&app);
    tick(&mut app);
    assert_eq!(
        before,
        address(&app),
        "a measurement goes into the memory of the one before"
    );
}

/// Runs a tick with the systems of the test.
fn tick(app: &mut App) {
    app.world_mut().run_schedule(First);
    app.world_mut().run_schedule(FixedUpdate);
}

/// Returns the data of a scanner with three rays at 90° from each other, with and without a wall.
fn three_rays(level: &'static str) -> LaserScannerData {
    let mut app = App::new();
    app.add_plugins(add::<LaserScanner>)
        .insert_resource(Clock::new(60.0));
    let surface = Surface {
        specular: [0.9, 0.6, 0.3],
    };
    let robot = app.world_mut().spawn(surface).id();
    let mount = Mount {
        body: robot,
        robot,
        frame: robot,
        body_from_component: Isometry3::identity(),
        robot_from_component: Isometry3::identity(),
    };
    let sensor = (
        scanner(180.0, 90.0, 1),
        mount,
        UpdateRate { frequency: 60.0 },
        Due(true),
        Level(level),
        WorldPose(Isometry3::identity()),
    );
    let sensor = app.world_mut().spawn(sensor).id();
    app.insert_resource(Rays::new(Wall(robot)));
    tick(&mut app);
    app.world().get::<LaserScannerData>(sensor).unwrap().clone()
}

#[test]
fn echoes_are_as_strong_as_the_surface_shines() {
    let data = three_rays("rssi");
    assert_eq!(data.point_list[1], [5.0, 0.0, 0.0]);
    assert_eq!([data.range_list[0], data.range_list[1]], [30.0, 5.0]);
    assert_eq!(data.remission_list.len(), 3);
    assert_eq!([data.remission_list[0], data.remission_list[2]], [0.0; 2]);
    assert!((data.remission_list[1] - 0.6).abs() < 1e-12);
    assert!(three_rays("raw").remission_list.is_empty());
}

#[test]
fn a_range_finder_says_how_near_the_nearest_is() {
    let data = three_rays("range");
    assert_eq!(data.range, 5.0);
    assert!(data.point_list.is_empty() && data.range_list.is_empty());
}
