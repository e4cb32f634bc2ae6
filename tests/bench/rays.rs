//! Rate of rays of the caster, 1/s: a fleet of cylinders with planar scanners among a hundred boxes.

use std::f64::consts::{PI, TAU};

use bevy::prelude::*;
use criterion::{Criterion, Throughput};
use morse_api::{
    body::{BodyKind, BodyState},
    lighting::Lighting,
    rays::{Hit, PlanarFan, Rays, ScanBuffer},
    render::UsesRenderer,
    threads::Threads,
};
use morse_sim::{
    geometry::{GeometryOf, rays},
    render,
    scene::model::{Geometry, Shape},
};
use nalgebra::{Isometry3, Vector3};

/// Rays of a scan, one each degree.
const RAYS: usize = 360;
/// Range of the scanners, m.
const RANGE: f64 = 30.0;
/// Ticks between two scans.
const PERIOD: u32 = 6;
/// Length of a tick, s.
const DT: f64 = 1.0 / 60.0;

/// Linear congruential generator, easy to repeat in any language.
struct Lcg(u64);

impl Lcg {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * ((self.0 >> 11) as f64 / (1_u64 << 53) as f64)
    }
}

/// A robot that drives a circle, clockwise or counterclockwise.
struct Robot {
    entity: Entity,
    x: f64,
    y: f64,
    yaw: f64,
    turn: f64,
}

/// Measures fleets of 10, 100 and 1000: six ticks of driving and one scan of every robot.
pub(crate) fn fleet(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("rays/fleet");
    for count in [10, 100, 1000] {
        let mut arena = Arena::new(count, 1);
        group.throughput(Throughput::Elements((RAYS * count) as u64));
        for (is_planar, name) in [(true, "planar"), (false, "ray by ray")] {
            group.bench_function(format!("{count}, {name}"), |bencher| {
                bencher.iter(|| arena.round(is_planar));
            });
        }
    }
    group.finish();
}

/// The arena with its boxes and robots.
pub(crate) struct Arena {
    pub(crate) app: App,
    robots: Vec<Robot>,
    /// Directions of the rays in the frame of a scanner.
    scanner: Vec<Vector3<f64>>,
    fan: PlanarFan,
    buffer: ScanBuffer,
    /// Directions of the rays in the world.
    directions: Vec<Vector3<f64>>,
    hits: Vec<Option<Hit>>,
}

/// Returns a world with rays and a renderer.
fn app(threads: usize) -> App {
    let mut app = App::new();
    app.insert_resource(Threads::new(threads));
    rays::plugin(&mut app);
    render::plugin(&mut app, &Lighting::default());
    app.world_mut().spawn(UsesRenderer);
    app
}

impl Arena {
    pub(crate) fn new(count: usize, threads: usize) -> Self {
        let mut app = app(threads);
        let world = app.world_mut();
        let mut boxes = Lcg(12345);
        for (x, y, hx, hy) in [
            (20.1, 0.0, 0.1, 20.2),
            (-20.1, 0.0, 0.1, 20.2),
            (0.0, 20.1, 20.2, 0.1),
            (0.0, -20.1, 20.2, 0.1),
        ] {
            spawn_robot(
                world,
                Shape::Box {
                    dimension: [2.0 * hx, 2.0 * hy, 1.0],
                },
                pose(x, y, 0.5, 0.0),
                BodyKind::Fixed,
            );
        }
        spawn_robot(
            world,
            Shape::Box {
                dimension: [100.0, 100.0, 1.0],
            },
            pose(0.0, 0.0, -0.5, 0.0),
            BodyKind::Fixed,
        );
        let mut taken = Vec::new();
        for (row, column) in (0..100).map(|index| (f64::from(index / 10), f64::from(index % 10))) {
            let x = -17.1 + 3.8 * column + boxes.between(-0.8, 0.8);
            let y = -17.1 + 3.8 * row + boxes.between(-0.8, 0.8);
            let (hx, hy) = (boxes.between(0.2, 0.8), boxes.between(0.2, 0.8));
            let shape = Shape::Box {
                dimension: [2.0 * hx, 2.0 * hy, 1.0],
            };
            spawn_robot(
                world,
                shape,
                pose(x, y, 0.5, boxes.between(0.0, PI)),
                BodyKind::Fixed,
            );
            taken.push((x, y, libm::hypot(hx, hy) + 0.3));
        }
        let robots = robots(world, count, &taken);
        let scanner: Vec<Vector3<f64>> = (0..RAYS)
            .map(|degree| {
                let (sine, cosine) = libm::sincos(degree as f64 * PI / 180.0);
                Vector3::new(cosine, sine, 0.0)
            })
            .collect();
        let mut arena = Self {
            app,
            robots,
            fan: PlanarFan::new(&scanner).expect("a plane"),
            buffer: ScanBuffer::default(),
            directions: scanner.clone(),
            scanner,
            hits: vec![None; RAYS],
        };
        arena.app.world_mut().run_schedule(PostStartup);
        arena
    }

    /// Drives until the next scan is due, and scans: as a planar scanner, or ray by ray.
    fn round(&mut self, is_planar: bool) {
        for _ in 0..PERIOD {
            self.drive();
        }
        let caster = self.app.world().resource::<Rays>();
        for robot in &self.robots {
            let pose = pose(robot.x, robot.y, 0.25, robot.yaw);
            let (robot, hits) = (Some(robot.entity), &mut self.hits);
            if is_planar {
                caster.cast_planar(&self.fan, &pose, RANGE, robot, &mut self.buffer, hits);
                continue;
            }
            let rotation = pose.rotation.to_rotation_matrix();
            for (world, local) in self.directions.iter_mut().zip(&self.scanner) {
                *world = rotation * local;
            }
            let origin = pose.translation.vector.into();
            caster.cast_fan(origin, &self.directions, RANGE, robot, hits);
        }
    }

    /// Runs one tick: each robot advances along its circle.
    fn drive(&mut self) {
        let world = self.app.world_mut();
        for robot in &mut self.robots {
            let middle = robot.yaw + robot.turn * DT / 2.0;
            robot.x += 0.1 * DT * libm::cos(middle);
            robot.y += 0.1 * DT * libm::sin(middle);
            robot.yaw += robot.turn * DT;
            if let Some(mut state) = world.get_mut::<BodyState>(robot.entity) {
                state.pose = pose(robot.x, robot.y, 0.0, robot.yaw);
            }
        }
        world.run_schedule(First);
        world.run_schedule(FixedUpdate);
    }
}

fn robots(world: &mut World, count: usize, taken: &[(f64, f64, f64)]) -> Vec<Robot> {
    let mut random = Lcg(777);
    let mut robots: Vec<Robot> = Vec::new();
    while robots.len() < count {
        let (x, y) = (random.between(-19.0, 19.0), random.between(-19.0, 19.0));
        let yaw = random.between(0.0, TAU);
        if taken
            .iter()
            .any(|(bx, by, distance)| libm::hypot(bx - x, by - y) < *distance)
        {
            continue;
        }
        let shape = Shape::Cylinder {
            radius: 0.15,
            height: 0.3,
        };
        let entity = spawn_robot(world, shape, pose(x, y, 0.0, yaw), BodyKind::Kinematic);
        let turn = if robots.len().is_multiple_of(2) {
            1.0
        } else {
            -1.0
        };
        robots.push(Robot {
            entity,
            x,
            y,
            yaw,
            turn,
        });
    }
    robots
}

/// Spawns a body of one shape, which is its own robot.
fn spawn_robot(world: &mut World, shape: Shape, pose: Isometry3<f64>, kind: BodyKind) -> Entity {
    let body = world
        .spawn((
            BodyState {
                pose,
                ..BodyState::default()
            },
            kind,
        ))
        .id();
    world.spawn(GeometryOf {
        body,
        robot: Some(body),
        frame: String::new(),
        body_from_frame: Isometry3::identity(),
        geometry: Geometry::new(shape),
    });
    body
}

fn pose(x: f64, y: f64, z: f64, yaw: f64) -> Isometry3<f64> {
    Isometry3::new(Vector3::new(x, y, z), Vector3::z() * yaw)
}
