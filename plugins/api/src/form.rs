//! Forms of shapes.

/// Form of a shape, m. All but spheres, boxes and meshes run along z from z = 0 to z = `height`.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// Centred; full side lengths.
    Box([f64; 3]),
    /// Centred.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// A cone, a part of one, or a cylinder.
    Cone {
        /// Radius at z = 0.
        start_radius: f64,
        /// Radius at z = `height`.
        end_radius: f64,
        /// Its signed length.
        height: f64,
    },
    /// The centres of its caps are at z = 0 and z = `height`.
    Capsule {
        /// Radius of cylinder and caps.
        radius: f64,
        /// Between the centres of the caps.
        height: f64,
    },
    /// Lines in the xy plane.
    Grid {
        /// Half extents.
        dimension: [f64; 2],
        /// Distance between lines.
        delta: [f64; 2],
        /// Width of a line.
        thickness: f64,
    },
    /// Triangles.
    Mesh {
        /// Their place in [`Scenery::meshes`](crate::world_view::Scenery::meshes).
        mesh: usize,
        /// Uniform.
        scale: f64,
    },
}
