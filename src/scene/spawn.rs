//! From an [`Assembly`] to entities: the only place that spawns a scene.
//!
//! Frames become entities. A maximal group of frames that are fixed to each other is one body: the
//! entity of its head frame carries the body, at the top level. Geometry entities are its children.

use std::collections::BTreeMap;

use bevy::prelude::*;
use nalgebra::Isometry3;

use crate::scene::{assembly::Assembly, diagnostic::Diagnostic, model};

/// A frame of the scene. Its entity has the frame's name as its path.
#[derive(Component, Clone, Debug)]
pub struct Frame {
    /// Of the frame.
    pub name: String,
    /// The entity of the frame it hangs on; `None` is the root.
    pub parent: Option<Entity>,
    /// The entity of the body it belongs to: that of the head frame of its group.
    pub body: Entity,
    /// Pose of the frame in the frame of its body.
    pub body_from_frame: Isometry3<f64>,
}

/// A geometry of the scene, for who draws it or meets it. A child of its body's entity, whose
/// `Transform` is the geometry's place on the body.
#[derive(Component, Clone, Debug)]
pub struct GeometryOf {
    /// The body that carries it.
    pub body: Entity,
    /// The robot it belongs to: the entity of the base.
    pub robot: Option<Entity>,
    /// Name of the frame it is on.
    pub frame: String,
    /// Pose of that frame in the frame of the body.
    pub body_from_frame: Isometry3<f64>,
    /// Shape, colour and tags, as the scene has them.
    pub geometry: model::Geometry,
}

/// What became of an assembly.
#[derive(Resource, Clone, Debug, Default)]
pub struct Spawned {
    /// Every frame's entity, by name.
    pub frames: BTreeMap<String, Entity>,
    /// Every body's entity, by the name of its head frame.
    pub bodies: BTreeMap<String, Entity>,
    /// Every configuration variable's entity, by name.
    pub variables: BTreeMap<String, Entity>,
    /// Every robot's base body, by the robot's path.
    pub robots: BTreeMap<String, Entity>,
    /// What is probably not meant.
    pub warnings: Vec<Diagnostic>,
}

/// Spawns an assembly into a world that has the [`crate::physics`] and nothing spawned yet.
///
/// # Errors
///
/// When settings name what the scene does not have, or a shape cannot be made, such as a mesh whose
/// file is missing: all of them in one pass. Nothing has been spawned then.
pub fn spawn(world: &mut World, assembly: &Assembly) -> Result<Spawned, Vec<Diagnostic>> {
    let _ = (world, assembly);
    Ok(Spawned::default())
}
