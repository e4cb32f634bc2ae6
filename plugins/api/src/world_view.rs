//! View of a world, with the present poses of its bodies: for middlewares that look on.
//!
//! A kind of middleware that [looks on](crate::middleware::Middleware::VIEWS_WORLD) gets a [`WorldView`]: the
//! [`Scenery`], which never changes, the poses of all bodies whenever it asks for them, an observer of
//! every sensor, and the way to every actuator. Nothing is copied for who does not ask, and nobody who looks
//! on makes the tick wait.
mod poses;

use std::{
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use bevy::prelude::Resource;
use nalgebra::{Isometry3, Point3};

pub use crate::form::Form;
use crate::{
    body::BodyKind,
    command::CommandSender,
    lighting::Lighting,
    paint::{Image, Paint},
    port::Observer,
    warning::Told,
};
pub use poses::{ContactInfo, PoseObserver, PosePort, Poses, Viewers, pose_port, show};

/// Everything that looking on needs.
pub struct WorldView {
    /// Everything that can be seen.
    pub scenery: Arc<Scenery>,
    /// Poses of its bodies.
    pub poses: PoseObserver,
    /// Every sensor, in path order.
    pub sensors: Vec<Observer>,
    /// Every actuator, in path order.
    pub actuators: Vec<CommandSender>,
    /// Pace of time.
    pub pacing: Arc<Pacing>,
    /// Warnings of the run so far.
    pub warnings: Told,
    /// From where to look at first.
    pub view: LookAt,
    /// Lens to look through at first.
    pub lens: Lens,
    /// Path of the component that is selected at first, if one is.
    pub selected: Option<String>,
}

/// Lens of who looks on; what it leaves open is for the viewer to choose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lens {
    /// Angle that is seen from top to bottom, rad.
    pub angle: Option<f64>,
    /// Distance up to which nothing is drawn, m.
    pub near: Option<f64>,
    /// Distance beyond which nothing is drawn, m.
    pub far: Option<f64>,
}

/// A place from which robots are seen, in the world, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LookAt {
    /// Position of the eye.
    pub eye: Point3<f64>,
    /// Point in the middle of the picture.
    pub target: Point3<f64>,
}

/// Everything that can be seen. Follows from the files alone.
#[derive(Clone, Debug, Default)]
pub struct Scenery {
    /// Name of the scene.
    pub name: String,
    /// Ticks a second.
    pub rate: f64,
    /// The sun, and what else lights the scene.
    pub lighting: Lighting,
    /// All bodies. Shapes, frames and components name them by their place here.
    pub bodies: Vec<BodyInfo>,
    /// All shapes that are drawn.
    pub shapes: Vec<ShapeInfo>,
    /// Triangles, shared by shapes.
    pub meshes: Vec<Triangles>,
    /// Images, shared by shapes and by parts of meshes.
    pub images: Vec<Image>,
    /// The frames of the scene.
    pub frames: Vec<FrameInfo>,
    /// The robots.
    pub robots: Vec<RobotInfo>,
    /// Sensors and actuators, in path order.
    pub components: Vec<ComponentInfo>,
}

/// A body.
#[derive(Clone, Debug)]
pub struct BodyInfo {
    /// Its name.
    pub name: String,
    /// The robot that it is a part of.
    pub robot: Option<String>,
    /// Kind of the body: the way physics treats it.
    pub kind: BodyKind,
    /// Its mass, kg.
    pub mass: f64,
    /// Pose at the start.
    pub pose: Isometry3<f64>,
}

/// A shape on a body.
#[derive(Clone, Debug)]
pub struct ShapeInfo {
    /// The body that carries it.
    pub body: usize,
    /// Pose on the body.
    pub body_from_shape: Isometry3<f64>,
    /// Its form.
    pub form: Form,
    /// Red, green, blue and opacity, 0 to 1.
    pub color: [f64; 4],
    /// Paint on it, over its colour and instead of the materials of a mesh; how, [`Wrap`](crate::paint::Wrap)
    /// says. A mesh whose file says where on an image its corners lie goes by that, unless the paint has a
    /// size.
    pub paint: Option<Paint>,
    /// Highlights.
    pub gloss: Gloss,
}

/// The highlights of a surface: those of J. Blinn's half-way vector.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gloss {
    /// Red, green and blue: the share of the light that a highlight sends back in its middle.
    pub color: [f64; 3],
    /// Exponent that makes it small: the power of the cosine between the normal and the half-way vector.
    pub shininess: f64,
}

/// Triangles of a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triangles {
    /// Corners, m.
    pub vertices: Vec<[f32; 3]>,
    /// Three places in `vertices` each.
    pub faces: Vec<[u32; 3]>,
    /// The normal of the surface at each corner, where the file has them; else empty. Of any length.
    pub normals: Vec<[f32; 3]>,
    /// Place of each corner on an image, to the right and up, where the file has that; else empty.
    pub coordinates: Vec<[f32; 2]>,
    /// Runs of faces that have a look of their own, in order; other faces look as the shape says.
    pub parts: Vec<Part>,
}

/// Faces of a mesh to which its file gives a material.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Their places.
    pub faces: Range<usize>,
    /// Red, green and blue, 0 to 1.
    pub color: [f64; 3],
    /// Its image, by its place in [`Scenery::images`].
    pub image: Option<usize>,
    /// Highlights.
    pub gloss: Gloss,
}

/// A frame of the scene.
#[derive(Clone, Debug)]
pub struct FrameInfo {
    /// Its name.
    pub name: String,
    /// The body that it belongs to.
    pub body: usize,
    /// Pose on the body.
    pub body_from_frame: Isometry3<f64>,
}

/// A robot.
#[derive(Clone, Debug)]
pub struct RobotInfo {
    /// Its path.
    pub name: String,
    /// Its base.
    pub body: usize,
}

/// A sensor or actuator.
#[derive(Clone, Debug)]
pub struct ComponentInfo {
    /// Its path.
    pub path: String,
    /// The robot that it belongs to.
    pub robot: String,
    /// The kind's word.
    pub kind: &'static str,
    /// True if it measures; if not, it moves.
    pub is_sensor: bool,
    /// Frequency of its actions, Hz.
    pub frequency: f64,
    /// The body that carries it.
    pub body: usize,
    /// Pose on the body.
    pub body_from_component: Isometry3<f64>,
}

/// Pace of time, as who runs the simulation last said. No state of the world.
#[derive(Resource, Debug)]
pub struct Pacing {
    held: AtomicBool,
    factor: AtomicU64,
}

impl Default for Pacing {
    fn default() -> Self {
        Self {
            held: AtomicBool::new(false),
            factor: AtomicU64::new(f64::INFINITY.to_bits()),
        }
    }
}

impl Pacing {
    /// Says whether the run is held, and how many simulated seconds are to pass in a second: infinitely
    /// many are as many as the machine can.
    pub fn tell(&self, held: bool, factor: f64) {
        self.held.store(held, Ordering::Relaxed);
        self.factor.store(factor.to_bits(), Ordering::Relaxed);
    }

    /// Pace that was told last: whether the run is held, and the factor.
    #[must_use]
    pub fn get(&self) -> (bool, f64) {
        let factor = f64::from_bits(self.factor.load(Ordering::Relaxed));
        (self.held.load(Ordering::Relaxed), factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pacing_is_told() {
        let pacing = Pacing::default();
        assert_eq!(pacing.get(), (false, f64::INFINITY));
        pacing.tell(true, 0.5);
        assert_eq!(pacing.get(), (true, 0.5));
    }
}
