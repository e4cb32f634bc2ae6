//! Conversion of the scene's shapes to solids.
use std::sync::Arc;

use morse_scene::model::{Geometry, Shape};

use super::MeshOf;
use super::mesh::Mesh;
use super::solid::Solid;

/// Returns the solid of a geometry for rays, with its scale applied; `None` if rays do not hit it.
pub(super) fn solid(geometry: &Geometry, mesh: Option<&MeshOf>) -> Option<Solid> {
    geometry
        .collision
        .then(|| visual(geometry, mesh.map(|mesh| &mesh.0)))?
}

/// Returns the solid of a geometry, whether it collides or not; `None` for a grid, and for a mesh without triangles.
pub fn visual(geometry: &Geometry, mesh: Option<&Arc<Mesh>>) -> Option<Solid> {
    let scale = geometry.scale;
    if scale == 0.0 || !scale.is_finite() {
        return None;
    }
    let length = |length: f64| (length * scale).abs();
    // From z = 0 to a height that may be negative.
    let low = |height: f64| (height * scale).min(0.0);
    let high = |height: f64| (height * scale).max(0.0);
    let solid = match geometry.shape {
        Shape::Box { dimension } => Solid::Box {
            half: dimension.map(|side| length(side) * 0.5),
        },
        Shape::Sphere { radius } => Solid::Sphere {
            radius: length(radius),
        },
        Shape::Cylinder { radius, height } => Solid::Cylinder {
            radius: length(radius),
            low: low(height),
            high: high(height),
        },
        Shape::Cone {
            start_radius,
            end_radius,
            height: 0.0,
        } => {
            let radius = length(start_radius).max(length(end_radius));
            Solid::Cylinder {
                radius,
                low: 0.0,
                high: 0.0,
            }
        }
        Shape::Cone {
            start_radius,
            end_radius,
            height,
        } => Solid::Cone {
            start_radius: length(start_radius),
            end_radius: length(end_radius),
            height: height * scale,
        },
        Shape::Capsule { radius, height } => Solid::Capsule {
            radius: length(radius),
            low: low(height),
            high: high(height),
        },
        Shape::Grid { .. } => return None,
        Shape::Mesh(_) => Solid::Mesh {
            mesh: mesh?.clone(),
            scale,
        },
    };
    Some(solid)
}
