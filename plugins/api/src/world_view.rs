//! Views of a world with the present poses of its bodies, for middlewares that display it.
//!
//! A middleware that [views the world](crate::middleware::Middleware::VIEWS_WORLD) receives a [`WorldView`]: the
//! [`Scenery`], which is constant, the poses of all bodies on request, an observer of every sensor, and a sender for every
//! actuator. Nothing is copied without a request, and no viewer delays the tick.
mod description;
mod object_graph;
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

pub use crate::shape::{ScaledMesh, Shape};
use crate::{
    body::BodyKind,
    command::CommandSender,
    lighting::Lighting,
    paint::{Image, Paint},
    port::Observer,
    warning::WarningHistory,
};
pub use description::{LinkInfo, RobotDescription, RobotDescriptions};
pub use object_graph::{
    GraphExchange, GraphLayout, GraphLink, GraphNode, LinkState, NodeKind, NodeState, ObjectGraph,
    Readiness,
};
pub use poses::{
    ContactInfo, EntityStates, PoseObserver, PosePort, Poses, Shown, Viewers, pose_port, show,
};

/// View of a world.
pub struct WorldView {
    /// Everything that is visible.
    pub scenery: Arc<Scenery>,
    /// Poses of the bodies.
    pub poses: PoseObserver,
    /// Every sensor, in path order.
    pub sensors: Vec<Observer>,
    /// Every actuator, in path order.
    pub actuators: Vec<CommandSender>,
    /// Descriptions of the robots.
    pub descriptions: RobotDescriptions,
    /// Graphs of the middlewares that run objects, by name.
    pub graphs: Vec<(String, GraphExchange)>,
    /// Pace of time.
    pub pacing: Arc<Pacing>,
    /// Warnings of the run so far.
    pub warnings: WarningHistory,
    /// Initial viewpoint.
    pub view: LookAt,
    /// Initial lens.
    pub lens: Lens,
    /// Path of the component that is selected initially.
    pub selected: Option<String>,
}

/// Lens of a viewer; the viewer chooses values that are `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lens {
    /// Vertical field of view, rad.
    pub angle: Option<f64>,
    /// Near clipping distance, m.
    pub near: Option<f64>,
    /// Far clipping distance, m.
    pub far: Option<f64>,
}

/// A viewpoint in the world, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LookAt {
    /// Position of the eye.
    pub eye: Point3<f64>,
    /// Point in the centre of the image.
    pub target: Point3<f64>,
}

/// Everything that is visible. Computed from the files only.
#[derive(Clone, Debug, Default)]
pub struct Scenery {
    /// Name of the scene.
    pub name: String,
    /// Ticks per second.
    pub rate: f64,
    /// Light of the scene.
    pub lighting: Lighting,
    /// All bodies. Shapes, frames and components refer to them by index.
    pub bodies: Vec<BodyInfo>,
    /// All visible shapes.
    pub shapes: Vec<ShapeInfo>,
    /// Triangle meshes, shared by shapes.
    pub meshes: Vec<Triangles>,
    /// Images, shared by shapes and by parts of meshes.
    pub images: Vec<Image>,
    /// The frames of the scene.
    pub frames: Vec<FrameInfo>,
    /// The robots.
    pub robots: Vec<RobotInfo>,
    /// Sensors and actuators, in path order.
    pub components: Vec<ComponentInfo>,
    /// Lamps of robots, in path order, as indices of `components`.
    pub lamps: Vec<usize>,
}

/// A body.
#[derive(Clone, Debug)]
pub struct BodyInfo {
    /// Name.
    pub name: String,
    /// Robot to which it belongs.
    pub robot: Option<String>,
    /// Kind of the body: how physics treats it.
    pub kind: BodyKind,
    /// Mass, kg.
    pub mass: f64,
    /// Pose at the start.
    pub pose: Isometry3<f64>,
}

/// A shape on a body.
#[derive(Clone, Debug)]
pub struct ShapeInfo {
    /// Index of the body.
    pub body: usize,
    /// Pose on the body.
    pub body_from_shape: Isometry3<f64>,
    /// Shape.
    pub shape: Shape<ScaledMesh>,
    /// Red, green, blue and opacity, 0 to 1.
    pub color: [f64; 4],
    /// Texture, over the colour and instead of the materials of a mesh; [`Wrap`](crate::paint::Wrap) defines its
    /// coordinates. The texture coordinates of a mesh file are used instead, unless the texture has a size.
    pub paint: Option<Paint>,
    /// Highlights.
    pub gloss: Gloss,
}

/// Specular highlights of a surface, after J. Blinn's half-way vector.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gloss {
    /// Red, green and blue: the fraction of the light that is reflected in the centre of a highlight.
    pub color: [f64; 3],
    /// Exponent: the power of the cosine between the normal and the half-way vector.
    pub shininess: f64,
}

/// Triangles of a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triangles {
    /// Vertices, m.
    pub vertices: Vec<[f32; 3]>,
    /// Three indices of `vertices` per triangle.
    pub faces: Vec<[u32; 3]>,
    /// Normal of the surface at each vertex, if the file has them; else empty. Of any length.
    pub normals: Vec<[f32; 3]>,
    /// Texture coordinates of each vertex, to the right and up, if the file has them; else empty.
    pub coordinates: Vec<[f32; 2]>,
    /// Ranges of faces with a material of their own, in order; other faces have that of the shape.
    pub parts: Vec<Part>,
}

/// Faces of a mesh with a material.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Indices of the faces.
    pub faces: Range<usize>,
    /// Red, green and blue, 0 to 1.
    pub color: [f64; 3],
    /// Image, by its index in [`Scenery::images`].
    pub image: Option<usize>,
    /// Highlights.
    pub gloss: Gloss,
}

/// A frame of the scene.
#[derive(Clone, Debug)]
pub struct FrameInfo {
    /// Name.
    pub name: String,
    /// Index of its body.
    pub body: usize,
    /// Pose on the body.
    pub body_from_frame: Isometry3<f64>,
}

/// A robot.
#[derive(Clone, Debug)]
pub struct RobotInfo {
    /// Path.
    pub name: String,
    /// Index of its base.
    pub body: usize,
}

/// A sensor or actuator.
#[derive(Clone, Debug)]
pub struct ComponentInfo {
    /// Path.
    pub path: String,
    /// Robot to which it belongs.
    pub robot: String,
    /// Name of the kind.
    pub kind: &'static str,
    /// True for a sensor, false for an actuator.
    pub is_sensor: bool,
    /// Frequency of its actions, Hz.
    pub frequency: f64,
    /// Index of the body on which it is mounted.
    pub body: usize,
    /// Pose on the body.
    pub body_from_component: Isometry3<f64>,
}

/// Pace of time that was last set by the program that runs the simulation. No state of the world.
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
    /// Sets whether the run is held, and the factor of simulated to real time; infinity stands for as fast as possible.
    pub fn set(&self, held: bool, factor: f64) {
        self.held.store(held, Ordering::Relaxed);
        self.factor.store(factor.to_bits(), Ordering::Relaxed);
    }

    /// Returns whether the run is held, and the factor.
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
        pacing.set(true, 0.5);
        assert_eq!(pacing.get(), (true, 0.5));
    }
}
