//! S6: a camera above the arena of S2. Measures the cost of colour and depth images, without shadows.
use std::f64::consts::FRAC_PI_4;

use bevy::prelude::Entity;
use morse_api::body::BodyState;
use morse_sensors::{camera::mount_from_camera, video_camera::VideoCameraData};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use super::{
    Failed, Setup,
    arena::Arena,
    outcome::{Check, Outcome, rounded},
    stopwatch::Stopwatch,
    world::World,
};

/// Ticks per second, each with an image.
const RATE: f64 = 60.0;
/// Columns and rows.
const SIZE: [usize; 2] = [640, 480];
/// Vertical field of view, rad.
const ANGLE: f64 = 60.0 * std::f64::consts::PI / 180.0;
/// Position of the camera at the start, m; it looks at the origin.
const EYE: [f64; 3] = [-18.5, -18.5, 3.0];
/// Displacement along x between images, m.
const WAY: f64 = 0.01;
/// Maximum depth, m.
const FAR: f64 = 100.0;
/// Spacing of the checked pixels, in columns and rows.
const APART: usize = 16;

/// Renders images for the measured wall-clock time.
pub(super) fn run(setup: &Setup<'_>) -> Result<Outcome, Failed> {
    let arena = Arena::new(setup.n);
    let substeps = setup.substeps.unwrap_or(1);
    let scene = arena.scene() + &eye();
    let mut world = World::new(setup, "S6", &scene, &simulation(&arena, substeps))?;
    let mut picture = Picture::new(&world)?;
    world.step()?;
    picture.read(&world)?;
    let mut ticks = 0;
    let watch = Stopwatch::start();
    while ticks == 0 || watch.elapsed_wall() < setup.seconds {
        world.step()?;
        ticks += u64::from(picture.read(&world)?);
    }
    let time = watch.elapsed();
    Ok(Outcome {
        ticks,
        rate: RATE,
        bodies: setup.n,
        frames: ticks,
        substeps,
        load_seconds: world.load_seconds,
        time,
        check: picture.check(&world, &arena)?,
        ..Outcome::default()
    })
}

fn eye() -> String {
    let [x, y, z] = EYE;
    format!("frame eye {{ translation [{x}, {y}, {z}]; }}\n")
}

/// Returns the angle by which the camera looks down, rad; it looks equally to the left and ahead.
fn pitch() -> f64 {
    libm::atan2(EYE[2], libm::hypot(EYE[0], EYE[1]))
}

fn simulation(arena: &Arena, substeps: u32) -> String {
    let robots = (0..arena.robots.len())
        .map(|index| format!("        \"{}\": (kind: kinematic),\n", Arena::robot(index)));
    let robots: String = robots.collect();
    let [width, height] = SIZE;
    let angle = 2.0 * libm::atan(libm::tan(ANGLE / 2.0) * width as f64 / height as f64);
    let (pitch, speed) = (pitch(), WAY * RATE);
    format!(
        "// A camera goes along the arena.\nSimulation(\n    scene: \"S6.robray\",\n    \
         environment: (rate: {RATE}, substeps: {substeps}),\n    bodies: {{\n{robots}    }},\n    robots: {{\n        \
         \"eye\": (frame: \"eye\", base: kinematic, locomotion: free,\n            \
         sensors: {{ \"camera\": (kind: \"video_camera\", level: rgbd, frequency: {RATE}, width: {width}, height: {height}, \
         fov: {angle}, near: 0.05, far: {FAR}, mount: (rpy: (0, {pitch}, {FRAC_PI_4}))) }},\n            \
         actuators: {{ \"motion\": (kind: \"v_omega\", start: (v: {speed}, w: 0)) }}),\n    }},\n)\n"
    )
}

/// Latest image, in reused memory.
struct Picture {
    camera: Entity,
    eye: Entity,
    /// Red, green, blue and 255.
    color: Vec<u8>,
    /// Depths along the camera's z axis, m.
    depth: Vec<f32>,
}

impl Picture {
    fn new(world: &World) -> Result<Self, Failed> {
        let lacks = |name: &str| Failed::Lacks(name.to_owned());
        let camera = world.components(["eye.camera".to_owned()])?;
        let eye = world.bodies(["eye".to_owned()])?;
        let pixels = SIZE[0] * SIZE[1];
        Ok(Self {
            camera: *camera.first().ok_or_else(|| lacks("eye.camera"))?,
            eye: *eye.first().ok_or_else(|| lacks("eye"))?,
            color: vec![0; 4 * pixels],
            depth: vec![0.0; pixels],
        })
    }

    /// Copies the image of this tick; returns true if there is one.
    fn read(&mut self, world: &World) -> Result<bool, Failed> {
        if !world.is_fresh(self.camera) {
            return Ok(false);
        }
        let data = world.data::<VideoCameraData>(self.camera)?;
        let (color, depth) = (data.image.values(), data.depth.values());
        if (color.len(), depth.len()) != (self.color.len(), self.depth.len()) {
            return Err(Failed::Lacks("all pixels".to_owned()));
        }
        self.color.copy_from_slice(color);
        self.depth.copy_from_slice(depth);
        Ok(true)
    }

    /// Compares depths with exact ones, and checks that there are colours.
    fn check(&self, world: &World, arena: &Arena) -> Result<Check, Failed> {
        let eye = world.get::<BodyState>(self.eye)?.pose;
        let turn = UnitQuaternion::from_euler_angles(0.0, pitch(), FRAC_PI_4);
        let mount = Isometry3::from_parts(Vector3::zeros().into(), turn);
        Ok(self.verdict(&(eye * mount * mount_from_camera()), arena))
    }

    fn verdict(&self, world_from_camera: &Isometry3<f64>, arena: &Arena) -> Check {
        let (mut wrong, mut count) = (0, 0);
        for [column, row] in checked() {
            let exact = depth(world_from_camera, arena, [column, row]);
            let seen = f64::from(self.depth[row * SIZE[0] + column]);
            let is_right = seen == exact || (seen - exact).abs() < 1e-3 * exact;
            wrong += u32::from(!is_right);
            count += 1;
        }
        let mut depths = self.depth.clone();
        depths.sort_by(f32::total_cmp);
        let middle = depths.get(depths.len() / 2).copied().unwrap_or(f32::NAN);
        let shades = self.color.chunks(4).map(|pixel| pixel.iter().take(3));
        let sum: f64 = shades.flatten().map(|shade| f64::from(*shade)).sum();
        let mean = sum / (3 * self.depth.len()) as f64;
        // A pixel at an edge may show either side.
        Check::new(count > 0 && wrong * 100 <= count && (20.0..235.0).contains(&mean))
            .with("wrong_depths", wrong)
            .with("depths_checked", count)
            .with("median_depth", rounded(f64::from(middle), 4))
            .with("rgb_mean", rounded(mean, 3))
    }
}

/// Returns columns and rows of the checked pixels.
fn checked() -> impl Iterator<Item = [usize; 2]> {
    let along = |size: usize| (APART / 2..size).step_by(APART);
    along(SIZE[1]).flat_map(move |row| along(SIZE[0]).map(move |column| [column, row]))
}

/// Returns the exact depth of a pixel, m; infinite without a hit.
fn depth(world_from_camera: &Isometry3<f64>, arena: &Arena, pixel: [usize; 2]) -> f64 {
    let focal = SIZE[1] as f64 / 2.0 / libm::tan(ANGLE / 2.0);
    let [x, y] = [0, 1].map(|axis| (pixel[axis] as f64 - SIZE[axis] as f64 / 2.0) / focal);
    let ray = Vector3::new(x, y, 1.0);
    let direction = world_from_camera.rotation * ray.normalize();
    let origin = world_from_camera.translation.vector;
    let robots = arena.robots.iter().map(|robot| robot.at);
    let distance = arena.distance(origin.into(), direction.into(), robots);
    let depth = distance / ray.norm();
    if depth > FAR { f64::INFINITY } else { depth }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_depths_and_black_pictures_fail() {
        let arena = Arena::new(2);
        let turn = UnitQuaternion::from_euler_angles(0.0, pitch(), FRAC_PI_4);
        let camera = Isometry3::from_parts(Vector3::from(EYE).into(), turn) * mount_from_camera();
        let mut picture = Picture {
            camera: Entity::PLACEHOLDER,
            eye: Entity::PLACEHOLDER,
            color: vec![128; 4 * SIZE[0] * SIZE[1]],
            depth: vec![0.0; SIZE[0] * SIZE[1]],
        };
        for [column, row] in checked() {
            let depth = depth(&camera, &arena, [column, row]);
            picture.depth[row * SIZE[0] + column] = depth as f32;
        }
        assert!(picture.verdict(&camera, &arena).passed);
        let moved = camera * nalgebra::Translation3::new(0.0, 0.0, 0.1);
        assert!(!picture.verdict(&moved, &arena).passed);
        picture.color.fill(0);
        assert!(!picture.verdict(&camera, &arena).passed);
    }
}
