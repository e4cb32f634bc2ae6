//! The geometry of a scene: meshes from files, and what rays meet. No engine.
//!
//! - [`GeometryOf`]: a geometry on the entity that stands for it;
//! - [`files`]: files that other files name, which have to lie beside them;
//! - [`mesh`]: triangles from STL, OBJ and glTF;
//! - [`rays`]: the caster behind [`morse_api::rays::Rays`].
pub mod files;
pub mod mesh;
pub mod rays;

use bevy::prelude::{Component, Entity};
use morse_scene::model;
use nalgebra::Isometry3;

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
