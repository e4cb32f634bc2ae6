//! Rays and the laser scanner in a running world: hits, distances, and the tick from which on bodies are included.
use std::f64::consts::PI;

use bevy::prelude::*;
use morse_api::{
    body::{BodyKind, BodyState},
    component::{Level, Mount, UpdateRate},
    rays::{Hit, Rays, Surface},
    service::Services,
    threads::Threads,
    tick::Tick,
};
use morse_sim::{
    geometry::{GeometryOf, rays},
    physics,
    scene::model::{Geometry, Shape},
    sensor::{
        self, infrared::Infrared, laser::LaserScannerData, laser_scanner::LaserScanner,
        sick_ldmrs::SickLdmrs, velodyne::Velodyne,
    },
    tick,
};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

const DEGREE: f64 = PI / 180.0;

fn world(threads: usize) -> App {
    let mut app = App::new();
    app.init_resource::<Services>();
    tick::plugin(&mut app, 60.0);
    physics::plugin(&mut app, physics::PhysicsSettings::default());
    sensor::plugin(&mut app);
    app.insert_resource(Threads::new(threads));
    rays::plugin(&mut app);
    // The first update only starts the clock.
    app.update();
    app
}

fn at(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}

fn body(app: &mut App, pose: Isometry3<f64>, kind: BodyKind) -> Entity {
    app.world_mut()
        .spawn((
            BodyState {
                pose,
                ..BodyState::default()
            },
            kind,
        ))
        .id()
}

fn put(
    app: &mut App,
    body: Entity,
    robot: Option<Entity>,
    pose: Isometry3<f64>,
    geometry: Geometry,
) -> Entity {
    let frame = "frame".to_owned();
    app.world_mut()
        .spawn(GeometryOf {
            body,
            robot,
            frame,
            body_from_frame: pose,
            geometry,
        })
        .id()
}

/// Adds a fixed body of one shape at a pose.
fn stand(app: &mut App, pose: Isometry3<f64>, shape: Shape) -> Entity {
    let body = body(app, pose, BodyKind::Fixed);
    put(app, body, None, Isometry3::identity(), Geometry::new(shape))
}

fn scanner(app: &mut App, settings: LaserScanner, body: Entity, mount: Isometry3<f64>) -> Entity {
    let mount = Mount {
        body,
        robot: body,
        frame: body,
        body_from_component: mount,
        robot_from_component: mount,
    };
    app.world_mut()
        .spawn((settings, mount, UpdateRate { frequency: 60.0 }))
        .id()
}

fn ranges(app: &App, scanner: Entity) -> Vec<f64> {
    let data = app.world().get::<LaserScannerData>(scanner);
    data.map(|data| data.range_list.clone()).unwrap_or_default()
}

fn look(app: &App, origin: [f64; 3], direction: [f64; 3]) -> Option<Hit> {
    app.world()
        .resource::<Rays>()
        .cast(Point3::from(origin), direction.into(), 1e3, None)
}

/// Returns the distance at which a ray from the origin of the plane at `angle` meets a circle around (x, y).
fn circle(angle: f64, [x, y]: [f64; 2], radius: f64) -> f64 {
    let (sine, cosine) = libm::sincos(angle);
    let (along, aside) = (x * cosine + y * sine, y * cosine - x * sine);
    if along > 0.0 && aside.abs() <= radius {
        along - (radius * radius - aside * aside).sqrt()
    } else {
        f64::INFINITY
    }
}

/// Adds columns, and the walls of a hall of |x|, |y| < 95 m.
fn hall(app: &mut App, columns: &[([f64; 2], f64)]) {
    for &([x, y], radius) in columns {
        stand(
            app,
            at(x, y, 0.0),
            Shape::Cylinder {
                radius,
                height: 3.0,
            },
        );
    }
    for (x, y) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let dimension = if x == 0.0 {
            [191.0, 0.5, 3.0]
        } else {
            [0.5, 191.0, 3.0]
        };
        stand(app, at(x * 95.25, y * 95.25, 1.5), Shape::Box { dimension });
    }
}

#[test]
fn a_scan_of_a_hall_with_columns_is_right_to_a_tenth_of_a_millimetre() {
    let mut app = world(1);
    let columns = [
        ([60.0, 20.0], 0.15),
        ([-30.0, 8.0], 0.5),
        ([3.0, -4.0], 1.0),
        ([0.0, 90.0], 2.0),
    ];
    hall(&mut app, &columns);
    // The robot is rotated, and its own hull surrounds the scanner.
    let turned = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.3);
    let robot = body(
        &mut app,
        Isometry3::from_parts(at(0.0, 0.0, 0.2).translation, turned),
        BodyKind::Kinematic,
    );
    put(
        &mut app,
        robot,
        Some(robot),
        at(0.0, 0.0, 0.0),
        Geometry::new(Shape::Sphere { radius: 1.5 }),
    );
    let settings = LaserScanner {
        scan_window: 2.0 * PI,
        resolution: 0.25 * DEGREE,
        laser_range: 100.0,
        ..LaserScanner::default()
    };
    let scanner = scanner(&mut app, settings, robot, at(0.0, 0.0, 1.0));
    app.update();

    let ranges = ranges(&app, scanner);
    assert_eq!(ranges.len(), 1441);
    for (index, range) in ranges.iter().enumerate() {
        let angle = 0.3 - PI + 0.25 * DEGREE * index as f64;
        let (sine, cosine) = libm::sincos(angle);
        let wall = 95.0 / sine.abs().max(cosine.abs());
        let column = columns
            .iter()
            .map(|(center, radius)| circle(angle, *center, *radius))
            .fold(100.0, f64::min);
        let expected = wall.min(column);
        assert!(
            (range - expected).abs() < 1e-4,
            "ray {index}: {range}, expected {expected}"
        );
    }
}

#[test]
fn the_number_of_threads_changes_no_bit_of_a_scan() {
    let scan = |threads| {
        let mut app = world(threads);
        for index in 0..60_i32 {
            let turned = UnitQuaternion::from_scaled_axis(Vector3::repeat(f64::from(index)));
            let position = at(
                f64::from(index % 8) * 3.0 - 10.0,
                f64::from(index / 8) * 3.0 - 10.0,
                0.5,
            );
            let pose = Isometry3::from_parts(position.translation, turned);
            let shape = Shape::Cone {
                start_radius: 1.0,
                end_radius: 0.2,
                height: 1.0,
            };
            stand(
                &mut app,
                pose,
                if index % 2 == 0 {
                    shape
                } else {
                    Shape::Capsule {
                        radius: 0.4,
                        height: 1.0,
                    }
                },
            );
        }
        let robot = body(&mut app, at(0.3, 0.4, 0.0), BodyKind::Dynamic);
        let settings = LaserScanner {
            layers: 16,
            scan_window: 2.0 * PI,
            ..LaserScanner::default()
        };
        let scanner = scanner(&mut app, settings, robot, at(0.0, 0.0, 0.5));
        app.update();
        ranges(&app, scanner)
            .iter()
            .map(|range| range.to_bits())
            .collect::<Vec<_>>()
    };
    let alone = scan(1);
    assert_eq!(alone.len(), 16 * 361);
    assert!(alone.iter().any(|bits| f64::from_bits(*bits) < 30.0));
    assert!([2, 4].into_iter().all(|threads| scan(threads) == alone));
}

#[test]
fn what_moves_is_seen_where_it_is_after_the_tick() {
    #[derive(Component)]
    struct Moves;
    let mut app = world(1);
    let drive = |mut bodies: Query<&mut BodyState, With<Moves>>| {
        bodies
            .iter_mut()
            .for_each(|mut body| body.pose.translation.x += 1.0);
    };
    app.add_systems(FixedUpdate, drive.in_set(Tick::Physics));
    let ball = body(&mut app, at(5.0, 0.0, 0.0), BodyKind::Dynamic);
    app.world_mut().entity_mut(ball).insert(Moves);
    put(
        &mut app,
        ball,
        None,
        Isometry3::identity(),
        Geometry::new(Shape::Sphere { radius: 1.0 }),
    );
    let robot = body(&mut app, Isometry3::identity(), BodyKind::Fixed);
    let settings = LaserScanner {
        scan_window: 0.0,
        ..LaserScanner::default()
    };
    let scanner = scanner(&mut app, settings, robot, Isometry3::identity());
    for tick in 1..10 {
        app.update();
        assert!((ranges(&app, scanner)[0] - (4.0 + f64::from(tick))).abs() < 1e-9);
    }
}

#[test]
fn only_what_collides_is_seen_and_only_while_it_is_there() {
    let mut app = world(1);
    let fixed = body(&mut app, Isometry3::identity(), BodyKind::Fixed);
    let ghost = Geometry {
        collision: false,
        ..Geometry::new(Shape::Sphere { radius: 1.0 })
    };
    put(&mut app, fixed, None, at(3.0, 0.0, 0.0), ghost);
    let grid = Shape::Grid {
        dimension: [9.0; 2],
        delta: [0.1; 2],
        thickness: 0.1,
    };
    put(
        &mut app,
        fixed,
        None,
        at(0.0, 0.0, 4.0),
        Geometry::new(grid),
    );
    let scaled = Geometry {
        scale: 2.0,
        ..Geometry::new(Shape::Cylinder {
            radius: 1.0,
            height: -1.0,
        })
    };
    let cylinder = put(&mut app, fixed, None, at(8.0, 0.0, 1.0), scaled);
    app.update();
    // From z = 1 down to z = −1, twice as wide.
    let hit = look(&app, [0.0, 0.0, -0.9], [1.0, 0.0, 0.0]).unwrap();
    assert!((hit.distance - 6.0).abs() < 1e-9);
    assert_eq!(hit.entity, cylinder);
    assert_eq!(look(&app, [0.0, 0.0, 1.1], [1.0, 0.0, 0.0]), None);
    assert_eq!(look(&app, [0.0, 0.0, 5.0], [0.0, 0.0, -1.0]), None);

    app.world_mut().despawn(cylinder);
    app.update();
    assert_eq!(look(&app, [0.0, 0.0, -0.9], [1.0, 0.0, 0.0]), None);
}

/// Adds a ball of radius 1 at (4, 0, 0) with highlights, on a matt floor at z = −1.
fn ball_on_floor(app: &mut App) {
    let ball = stand(app, at(4.0, 0.0, 0.0), Shape::Sphere { radius: 1.0 });
    let surface = Surface {
        specular: [0.5, 0.7, 0.9],
    };
    app.world_mut().entity_mut(ball).insert(surface);
    let dimension = [400.0, 400.0, 1.0];
    stand(app, at(0.0, 0.0, -1.5), Shape::Box { dimension });
}

/// Returns the distance of the ball or the floor from the origin along a direction, and true if it is the ball.
fn ball_or_floor(direction: &Vector3<f64>) -> (f64, bool) {
    let along = 4.0 * direction.x;
    let ball =
        (along > 0.0 && 15.0 <= along * along).then(|| along - (along * along - 15.0).sqrt());
    let floor = if direction.z < 0.0 {
        -1.0 / direction.z
    } else {
        f64::INFINITY
    };
    ball.map_or((floor, false), |ball| (ball.min(floor), ball < floor))
}

fn mounted<S: Component>(
    app: &mut App,
    settings: S,
    level: &'static str,
    pose: Isometry3<f64>,
) -> Entity {
    let robot = body(app, pose, BodyKind::Kinematic);
    let mount = Mount {
        body: robot,
        robot,
        frame: robot,
        body_from_component: Isometry3::identity(),
        robot_from_component: Isometry3::identity(),
    };
    app.world_mut()
        .spawn((
            settings,
            Level(level),
            mount,
            UpdateRate { frequency: 60.0 },
        ))
        .id()
}

#[test]
fn tilted_layers_see_a_ball_and_the_floor_where_they_are() {
    let mut app = world(1);
    ball_on_floor(&mut app);
    let tilt = UnitQuaternion::from_euler_angles(0.2, 0.15, -0.1);
    let pose = Isometry3::from_parts(Vector3::zeros().into(), tilt);
    let scanner = mounted(&mut app, SickLdmrs::default(), "rssi", pose);
    app.update();
    let data = app.world().get::<LaserScannerData>(scanner).unwrap();
    assert_eq!(data.range_list.len(), 4 * 401);
    let mut balls = 0;
    for layer in 0..4_u32 {
        // From the top down; the first and the third are shifted to the left.
        let v = (1.2 - 0.8 * f64::from(layer)) * DEGREE;
        let shift = if layer % 2 == 0 { 0.125 } else { 0.0 };
        for index in 0..401_u32 {
            let a = (shift - 50.0 + 0.25 * f64::from(index)) * DEGREE;
            let own = Vector3::new(libm::cos(a), libm::sin(a), libm::sin(v)).normalize();
            let (distance, is_ball) = ball_or_floor(&(tilt * own));
            let ray = (layer * 401 + index) as usize;
            let hits = distance <= 30.0;
            let range = if hits { distance } else { 30.0 };
            let point = if hits {
                own * distance
            } else {
                Vector3::zeros()
            };
            let remission = if is_ball { 0.7 } else { 0.0 };
            assert!(
                (data.range_list[ray] - range).abs() < 1e-4,
                "{layer} {index}"
            );
            assert!((Vector3::from(data.point_list[ray]) - point).norm() < 1e-4);
            assert!((data.remission_list[ray] - remission).abs() < 1e-9);
            balls += u32::from(is_ball);
        }
    }
    assert!(balls > 50, "{balls}");
}

#[test]
fn a_velodyne_turns_by_a_degree_a_measurement_and_its_points_make_one_cloud() {
    let mut app = world(1);
    ball_on_floor(&mut app);
    let scanner = mounted(&mut app, Velodyne::default(), "rssi", Isometry3::identity());
    let mut balls = 0;
    for tick in 0..400_u32 {
        app.update();
        let data = app.world().get::<LaserScannerData>(scanner).unwrap();
        let (sine, cosine) = libm::sincos(0.01745 * f64::from(tick));
        for index in 0..64_u32 {
            let elevation = (-27.75 + 0.5 * f64::from(index)) * DEGREE;
            let level = libm::cos(elevation);
            let direction = Vector3::new(level * cosine, level * sine, libm::sin(elevation));
            let (distance, is_ball) = ball_or_floor(&direction);
            let range = distance.min(50.0);
            let actual = data.range_list[index as usize];
            assert!(
                (actual - range).abs() < 1e-4,
                "{tick} {index}: {actual} {range}"
            );
            if distance < 50.0 {
                let point = Vector3::from(data.point_list[index as usize]);
                assert!((point - direction * distance).norm() < 1e-4);
            }
            balls += u32::from(is_ball);
        }
    }
    assert!(balls > 500, "{balls}");
}

#[test]
fn an_infrared_sees_two_metres_far_and_may_tell_the_nearest_only() {
    let mut app = world(1);
    ball_on_floor(&mut app);
    let far = mounted(&mut app, Infrared::default(), "range", at(0.5, 0.0, 0.0));
    let near = mounted(&mut app, Infrared::default(), "range", at(1.5, 0.1, 0.0));
    app.update();
    let range = |entity| app.world().get::<LaserScannerData>(entity).unwrap().range;
    assert_eq!(range(far), 2.0, "the ball is 2.5 m away");
    // The ray that points nearest to the centre, from (1.5, 0.1): straight ahead is 2.3° off, so it is the ray at −2°.
    let a = -2.0 * DEGREE;
    let along = 2.5 * libm::cos(a) - 0.1 * libm::sin(a);
    let aside = 2.5 * libm::sin(a) + 0.1 * libm::cos(a);
    let expected = along - (1.0 - aside * aside).sqrt();
    assert!((range(near) - expected).abs() < 1e-4, "{}", range(near));
}
