//! S2: robots that drive in circles, each with a scanner of 360 rays at 10 Hz. Measures the cost of rays, motion and
//! reading.
use std::fmt::Write as _;

use bevy::prelude::Entity;
use morse_api::{angles::normalized, rays::Rays};
use morse_sensors::{laser::LaserScannerData, odometry::OdometryData, pose::PoseData};
use nalgebra::Vector3;

use super::{
    Failed, Setup,
    arena::{Arena, CIRCLE},
    outcome::{Check, Outcome, rounded},
    stopwatch::Stopwatch,
    world::World,
};

/// Ticks per second.
const RATE: f64 = 60.0;
/// Rays per scan, one per degree.
const RAYS: usize = 360;
/// Range of a scanner, m.
const RANGE: f64 = 30.0;
/// Height of the scanners, m.
const HEIGHT: f64 = 0.25;
/// Number of robots whose first scan is checked.
const CHECKED: usize = 10;
/// Maximum error of a range against the exact one, m, unless the ray grazes an edge.
const RANGE_ERROR: f64 = 0.02;
/// Maximum difference between a range of a scan and the range of the same ray cast alone, m.
const RAY_ERROR: f64 = 1e-6;
/// Maximum distance of a robot from its circle at the end, m.
const POSE_ERROR: f64 = 0.01;

/// Runs the scene.
pub(super) fn run(setup: &Setup<'_>) -> Result<Outcome, Failed> {
    let arena = Arena::new(setup.n);
    let substeps = setup.substeps.unwrap_or(1);
    let mut world = World::new(setup, "S2", &arena.scene(), &simulation(&arena, substeps))?;
    let mut fleet = Fleet::new(&world, &arena)?;
    // The first scan is checked, and not measured.
    world.step()?;
    fleet.read(&world)?;
    let check = scan_check(&arena, &fleet).and(fleet.ray_check(&world)?);
    let ticks = setup.ticks(RATE);
    let mut rays = 0;
    let watch = Stopwatch::start();
    for _ in 0..ticks {
        world.step()?;
        rays += fleet.read(&world)?;
    }
    let time = watch.elapsed();
    Ok(Outcome {
        ticks,
        rate: RATE,
        bodies: setup.n,
        rays,
        substeps,
        load_seconds: world.load_seconds,
        time,
        check: check.and(pose_check(&arena, &fleet, (ticks + 1) as f64 / RATE)),
        ..Outcome::default()
    })
}

fn simulation(arena: &Arena, substeps: u32) -> String {
    let mut text = format!(
        "// Each robot drives a circle and looks around it.\nSimulation(\n    scene: \"S2.robray\",\n    environment: (rate: {RATE}, substeps: {substeps}),\n    robots: {{\n"
    );
    // The first ray of the scanner, at the right end of its window, points ahead.
    let window = ((RAYS - 1) as f64).to_radians();
    let left = window / 2.0;
    for (index, robot) in arena.robots.iter().enumerate() {
        let (name, turn) = (Arena::robot(index), robot.turn);
        writeln!(
            text,
            "        \"{name}\": (frame: \"{name}\", base: kinematic,\n            \
             sensors: {{\n                \
             \"pose\": (kind: \"pose\"),\n                \
             \"odometry\": (kind: \"odometry\", level: differential),\n                \
             \"scan\": (kind: \"laser_scanner\", frequency: 10, scan_window: {window}, laser_range: {RANGE}, \
             mount: (translation: (0, 0, {HEIGHT}), rpy: (0, 0, {left}))),\n            \
             }},\n            \
             actuators: {{ \"motion\": (kind: \"v_omega\", start: (v: {CIRCLE}, w: {turn})) }}),"
        )
        .ok();
    }
    text + "    },\n)\n"
}

/// Handles of the robots, and their measurements, in reused memory.
struct Fleet {
    bodies: Vec<Entity>,
    poses: Vec<Entity>,
    odometers: Vec<Entity>,
    scanners: Vec<Entity>,
    /// Position and orientation of each robot: x, y, z, yaw, pitch, roll.
    pose: Vec<[f64; 6]>,
    /// Displacement of each robot in the last tick, ahead and to the left (m), and its rotation (rad).
    odometry: Vec<[f64; 3]>,
    /// Heading of each robot at the start, rad.
    start: Vec<f64>,
    /// Ranges of the latest scan of each robot.
    ranges: Vec<[f32; RAYS]>,
}

impl Fleet {
    fn new(world: &World, arena: &Arena) -> Result<Self, Failed> {
        let count = arena.robots.len();
        let paths = |name: &'static str| {
            (0..count).map(move |index| format!("{}.{name}", Arena::robot(index)))
        };
        Ok(Self {
            bodies: world.bodies((0..count).map(Arena::robot))?,
            poses: world.components(paths("pose"))?,
            odometers: world.components(paths("odometry"))?,
            scanners: world.components(paths("scan"))?,
            pose: vec![[0.0; 6]; count],
            odometry: vec![[0.0; 3]; count],
            start: arena.robots.iter().map(|robot| robot.yaw).collect(),
            ranges: vec![[0.0; RAYS]; count],
        })
    }

    /// Copies the measurements of this tick; returns the number of rays.
    fn read(&mut self, world: &World) -> Result<u64, Failed> {
        for (index, start) in self.start.iter().enumerate() {
            let odometry = world.data::<OdometryData>(self.odometers[index])?;
            // Differences are in the axes of the start, and are converted to the axes of the robot.
            let (sine, cosine) = libm::sincos(self.pose[index][3] - start);
            self.odometry[index] = [
                cosine * odometry.dx + sine * odometry.dy,
                cosine * odometry.dy - sine * odometry.dx,
                odometry.dyaw,
            ];
            let pose = world.data::<PoseData>(self.poses[index])?;
            self.pose[index] = [pose.x, pose.y, pose.z, pose.yaw, pose.pitch, pose.roll];
        }
        let mut rays = 0;
        for (&scanner, copy) in self.scanners.iter().zip(&mut self.ranges) {
            if !world.is_fresh(scanner) {
                continue;
            }
            let scan = &world.data::<LaserScannerData>(scanner)?.range_list;
            for (copy, range) in copy.iter_mut().zip(scan) {
                *copy = *range as f32;
            }
            rays += scan.len() as u64;
        }
        Ok(rays)
    }

    /// Returns origin and direction of a ray of a robot.
    fn ray(&self, robot: usize, ray: usize) -> ([f64; 3], [f64; 3]) {
        let [x, y, z, yaw, ..] = self.pose[robot];
        let (sine, cosine) = libm::sincos(yaw + (ray as f64).to_radians());
        ([x, y, z + HEIGHT], [cosine, sine, 0.0])
    }

    /// Compares scans with the ranges of their rays cast alone.
    fn ray_check(&self, world: &World) -> Result<Check, Failed> {
        let caster = world.simulation.world().resource::<Rays>();
        let (mut bad, mut count) = (0, 0);
        for robot in 0..self.ranges.len().min(CHECKED) {
            for (ray, range) in self.ranges[robot].iter().enumerate() {
                let (origin, direction) = self.ray(robot, ray);
                let own = Some(self.bodies[robot]);
                let hit = caster.cast(origin.into(), Vector3::from(direction), RANGE, own);
                let alone = hit.map_or(RANGE, |hit| hit.distance);
                // Ranges were rounded to 32 bits when they were copied.
                let error = (f64::from(*range) - alone).abs() - alone * f64::from(f32::EPSILON);
                bad += u64::from(error.is_nan() || error > RAY_ERROR);
                count += 1;
            }
        }
        // The same ray may pass on the other side of an edge, since its angle is rounded.
        Ok(Check::new(count > 0 && bad * 1_000 <= count).with("scan_ray_mismatches", bad))
    }
}

/// Compares scans with the exact ranges.
fn scan_check(arena: &Arena, fleet: &Fleet) -> Check {
    let (mut bad, mut count) = (0, 0);
    let mut errors = Vec::new();
    for robot in 0..fleet.ranges.len().min(CHECKED) {
        for (ray, range) in fleet.ranges[robot].iter().enumerate() {
            let (origin, direction) = fleet.ray(robot, ray);
            let others = fleet.pose.iter().enumerate();
            let others = others.filter(|(index, _)| *index != robot);
            let others = others.map(|(_, [x, y, ..])| [*x, *y]);
            let exact = arena.distance(origin, direction, others).min(RANGE);
            let error = (f64::from(*range) - exact).abs();
            bad += u64::from(error.is_nan() || error > RANGE_ERROR);
            count += 1;
            errors.push(error);
        }
    }
    errors.sort_by(f64::total_cmp);
    let median = errors.get(errors.len() / 2).copied().unwrap_or(f64::NAN);
    // Rays that graze an edge may pass it: a few per thousand.
    Check::new(count > 0 && bad * 300 <= count && median < 1e-4)
        .with("scan_bad_beams", bad)
        .with("scan_beams_checked", count)
        .with("scan_median_err", rounded(median, 9))
}

/// Compares the positions of the robots, and their last motion, with their circles.
fn pose_check(arena: &Arena, fleet: &Fleet, seconds: f64) -> Check {
    let mut worst = 0.0_f64;
    for ((robot, pose), odometry) in arena.robots.iter().zip(&fleet.pose).zip(&fleet.odometry) {
        let (sine, cosine) = libm::sincos(robot.yaw);
        let middle = [
            robot.at[0] - CIRCLE * robot.turn * sine,
            robot.at[1] + CIRCLE * robot.turn * cosine,
        ];
        let yaw = robot.yaw + robot.turn * seconds;
        let (sine, cosine) = libm::sincos(yaw);
        let x = middle[0] + CIRCLE * robot.turn * sine;
        let y = middle[1] - CIRCLE * robot.turn * cosine;
        let turned = normalized(pose[3] - yaw).abs();
        let moved = libm::hypot(odometry[0] - CIRCLE / RATE, odometry[1])
            + (odometry[2] - robot.turn / RATE).abs();
        for error in [libm::hypot(pose[0] - x, pose[1] - y), turned, moved] {
            worst = if error.is_nan() {
                f64::INFINITY
            } else {
                worst.max(error)
            };
        }
    }
    Check::new(worst < POSE_ERROR).with("pose_error", rounded(worst, 6))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a fleet with exact measurements.
    fn exact(arena: &Arena) -> Fleet {
        let pose = |robot: &crate::arena::Robot| {
            let [x, y] = robot.at;
            [x, y, 0.0, robot.yaw, 0.0, 0.0]
        };
        let mut fleet = Fleet {
            bodies: Vec::new(),
            poses: Vec::new(),
            odometers: Vec::new(),
            scanners: Vec::new(),
            pose: arena.robots.iter().map(pose).collect(),
            odometry: arena
                .robots
                .iter()
                .map(|robot| [CIRCLE / RATE, 0.0, robot.turn / RATE])
                .collect(),
            start: Vec::new(),
            ranges: vec![[0.0; RAYS]; arena.robots.len()],
        };
        for robot in 0..arena.robots.len() {
            for ray in 0..RAYS {
                let (origin, direction) = fleet.ray(robot, ray);
                let others = arena.robots.iter().enumerate();
                let others = others.filter(|(index, _)| *index != robot);
                let range = arena.distance(origin, direction, others.map(|(_, robot)| robot.at));
                fleet.ranges[robot][ray] = range.min(RANGE) as f32;
            }
        }
        fleet
    }

    #[test]
    fn wrong_ranges_fail() {
        let arena = Arena::new(3);
        let mut fleet = exact(&arena);
        assert!(scan_check(&arena, &fleet).passed);
        // Simulates an error: each ray has the angle of its neighbour.
        for ranges in &mut fleet.ranges {
            ranges.rotate_left(1);
        }
        assert!(!scan_check(&arena, &fleet).passed);
        let mut fleet = exact(&arena);
        for range in &mut fleet.ranges[1][..10] {
            *range = f32::NAN;
        }
        assert!(!scan_check(&arena, &fleet).passed);
    }

    #[test]
    fn robots_beside_their_circles_fail() {
        let arena = Arena::new(3);
        let mut fleet = exact(&arena);
        assert!(pose_check(&arena, &fleet, 0.0).passed);
        assert!(!pose_check(&arena, &fleet, 1.0).passed, "it has not moved");
        fleet.pose[2][1] += 0.02;
        assert!(!pose_check(&arena, &fleet, 0.0).passed);
        fleet.pose[2][1] -= 0.02;
        fleet.odometry[0][1] += 0.02;
        assert!(!pose_check(&arena, &fleet, 0.0).passed);
    }
}
