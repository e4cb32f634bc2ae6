//! Shapes of geometries.

/// Shape of a geometry, in metres. All shapes but spheres, boxes and meshes extend along z from z = 0 to z = `height`.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// A centred box; full side lengths.
    Box([f64; 3]),
    /// A centred sphere.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// A cone, a truncated cone, or a cylinder.
    Cone {
        /// Radius at z = 0.
        start_radius: f64,
        /// Radius at z = `height`.
        end_radius: f64,
        /// Signed length.
        height: f64,
    },
    /// A capsule; the centres of its caps are at z = 0 and z = `height`.
    Capsule {
        /// Radius of the cylinder and of the caps.
        radius: f64,
        /// Distance between the centres of the caps.
        height: f64,
    },
    /// Lines in the xy plane.
    Grid {
        /// Half extents.
        dimension: [f64; 2],
        /// Distance between adjacent lines.
        delta: [f64; 2],
        /// Width of the lines.
        thickness: f64,
    },
    /// A triangle mesh.
    Mesh {
        /// Index in [`Scenery::meshes`](crate::world_view::Scenery::meshes).
        mesh: usize,
        /// Uniform scale.
        scale: f64,
    },
}
