//! Geometry of a scene: meshes from files, and ray casting. No engine.
//!
//! - [`archive`]: meshes and files within compiled scenes;
//! - [`GeometryOf`]: a geometry on the entity that stands for it;
//! - [`files`]: files that other files name, confined to their directory;
//! - [`mesh`]: triangles from STL, OBJ and glTF;
//! - [`rays`]: the caster behind [`morse_api::rays::Rays`].
pub mod archive;
pub mod files;
pub mod mesh;
pub mod rays;
mod triangles;

use bevy::prelude::{Component, Entity};
use morse_scene::model;
use nalgebra::Isometry3;

/// A geometry of the scene. Its entity is a child of its body's entity, with the pose on the body as `Transform`.
#[derive(Component, Clone, Debug)]
pub struct GeometryOf {
    /// The body to which it is fixed.
    pub body: Entity,
    /// Base of the robot to which it belongs.
    pub robot: Option<Entity>,
    /// Name of its frame.
    pub frame: String,
    /// Pose of that frame in the frame of the body.
    pub body_from_frame: Isometry3<f64>,
    /// Shape, colour and tags, as the scene has them.
    pub geometry: model::Geometry,
}
