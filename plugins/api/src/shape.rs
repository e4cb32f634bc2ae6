//! Shapes of geometries.
use serde::{Deserialize, Serialize};

/// A primitive shape, or a mesh of type `M`; lengths in m.
///
/// Boxes, spheres and grids are centred on the frame. Cylinders, cones and capsules extend along z from z = 0 to z =
/// `height`, which may be negative.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shape<M> {
    /// Box.
    Box {
        /// Full side lengths.
        dimension: [f64; 3],
    },
    /// Sphere.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// Cylinder.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Signed length.
        height: f64,
    },
    /// Cone, or truncated cone.
    Cone {
        /// Radius at z = 0.
        start_radius: f64,
        /// Radius at z = `height`.
        end_radius: f64,
        /// Signed length.
        height: f64,
    },
    /// Capsule: a sphere swept along z; the centres of its caps are at z = 0 and z = `height`.
    Capsule {
        /// Radius of cylinder and caps.
        radius: f64,
        /// Signed distance of the centres of the caps.
        height: f64,
    },
    /// Grid of lines in the xy plane. Drawn, without collisions.
    Grid {
        /// Half extents: lines extend from −d to +d.
        dimension: [f64; 2],
        /// Distance of adjacent lines.
        delta: [f64; 2],
        /// Width of a line.
        thickness: f64,
    },
    /// Triangle mesh.
    Mesh(M),
}

/// Mesh of a [`Scenery`](crate::world_view::Scenery), and its size.
#[derive(Clone, Debug, PartialEq)]
pub struct ScaledMesh {
    /// Index in [`Scenery::meshes`](crate::world_view::Scenery::meshes).
    pub mesh: usize,
    /// Uniform scale.
    pub scale: f64,
}

impl<M> Shape<M> {
    /// Returns the keyword of the shape in scene files.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Box { .. } => "box",
            Self::Sphere { .. } => "sphere",
            Self::Cylinder { .. } => "cylinder",
            Self::Cone { .. } => "cone",
            Self::Capsule { .. } => "capsule",
            Self::Grid { .. } => "grid",
            Self::Mesh(_) => "mesh",
        }
    }

    /// Returns true for a shape without volume, which has no contacts.
    #[must_use]
    pub fn is_flat(&self) -> bool {
        match *self {
            Self::Box { dimension } => dimension.iter().any(|side| side.abs() <= 0.0),
            Self::Sphere { radius } | Self::Capsule { radius, .. } => radius.abs() <= 0.0,
            Self::Cylinder { radius, height } => radius.abs().min(height.abs()) <= 0.0,
            Self::Cone {
                start_radius,
                end_radius,
                height,
            } => start_radius.abs().max(end_radius.abs()).min(height.abs()) <= 0.0,
            Self::Grid { .. } | Self::Mesh(_) => false,
        }
    }

    /// Returns the shape with all lengths multiplied by a factor, and its mesh converted; `None` if there is no mesh for it.
    pub fn scaled<N>(&self, scale: f64, mesh: impl FnOnce(&M) -> Option<N>) -> Option<Shape<N>> {
        Some(match self {
            Self::Box { dimension } => Shape::Box {
                dimension: dimension.map(|side| side * scale),
            },
            Self::Sphere { radius } => Shape::Sphere {
                radius: radius * scale,
            },
            Self::Cylinder { radius, height } => Shape::Cylinder {
                radius: radius * scale,
                height: height * scale,
            },
            Self::Cone {
                start_radius,
                end_radius,
                height,
            } => Shape::Cone {
                start_radius: start_radius * scale,
                end_radius: end_radius * scale,
                height: height * scale,
            },
            Self::Capsule { radius, height } => Shape::Capsule {
                radius: radius * scale,
                height: height * scale,
            },
            Self::Grid {
                dimension,
                delta,
                thickness,
            } => Shape::Grid {
                dimension: dimension.map(|side| side * scale),
                delta: delta.map(|step| step * scale),
                thickness: thickness * scale,
            },
            Self::Mesh(own) => Shape::Mesh(mesh(own)?),
        })
    }
}
