//! Things that the renderer draws, and their poses.
use bevy::prelude::Entity;
use morse_api::{paint::Wrap, world_view::Gloss};
use morse_geometry::rays::solid::Solid;
use nalgebra::{Isometry3, Vector3};
use std::sync::Arc;

use super::appearance::Paint;
use super::light::{Illumination, Lamp, Rgb};
use super::mesh::VisualMesh;

/// Minimum opacity of things that appear in depths and segmentation and that cast shadows.
pub(super) const OPAQUE: f32 = 0.5;

/// All things and lights.
#[derive(Default)]
pub(super) struct RenderScene {
    pub(super) things: Vec<Thing>,
    /// Lamps: first the fixed ones of the environment, then those of robots.
    pub(super) lamps: Vec<Lamp>,
    /// Number of fixed lamps.
    pub(super) hanging: usize,
    pub(super) illumination: Illumination,
    /// Number of times that the things were collected again.
    pub(super) generation: u64,
}

/// A geometry that is drawn.
pub(super) struct Thing {
    /// Entity of the geometry.
    pub(super) entity: Entity,
    /// Body, and pose on the body.
    pub(super) body: Entity,
    pub(super) body_from_thing: Isometry3<f64>,
    /// Current pose in the world.
    pub(super) world_from_thing: Isometry3<f64>,
    pub(super) form: Form,
    /// Diffuse reflectance without a pattern, linear.
    pub(super) color: Rgb,
    pub(super) paint: Option<Paint>,
    pub(super) gloss: Gloss,
    /// Opacity: 0 is transparent, 1 opaque.
    pub(super) alpha: f32,
    /// True if the thing casts shadows.
    pub(super) casts: bool,
}

/// A shape with its scale applied, in its own frame.
pub(super) enum Form {
    /// A box, sphere, cylinder, cone or capsule.
    Solid(Solid),
    /// A triangle mesh.
    Mesh { mesh: Arc<VisualMesh>, scale: f64 },
    /// Grid lines in the xy plane.
    Grid(Grid),
}

/// Grid lines in the xy plane from −`half` to `half`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    pub(super) half: [f64; 2],
    pub(super) delta: [f64; 2],
    pub(super) thickness: f64,
}

impl Thing {
    /// Returns true if light passes through the thing, or between its lines.
    pub(super) fn is_clear(&self) -> bool {
        self.alpha < 1.0 || matches!(self.form, Form::Grid(_))
    }

    /// Returns true if the thing has a uniform colour and no highlights.
    pub(super) fn is_plain(&self) -> bool {
        self.paint.is_none() && self.gloss.color == [0.0; 3]
    }

    /// Returns true if the thing appears in depths and segmentation.
    pub(super) fn is_solid(&self) -> bool {
        self.alpha >= OPAQUE && !matches!(self.form, Form::Grid(_))
    }

    /// Returns the corners, in the world, of the bounding box in the thing's axes.
    pub(super) fn corners(&self) -> [Vector3<f64>; 8] {
        self.corners_at(&self.world_from_thing)
    }

    /// Returns the corners of the bounding box with the thing at another pose.
    pub(super) fn corners_at(&self, pose: &Isometry3<f64>) -> [Vector3<f64>; 8] {
        let bounds = self.form.bounds();
        [0, 1, 2, 3, 4, 5, 6, 7].map(|corner: usize| {
            let side = |axis: usize| bounds[corner >> axis & 1][axis];
            let corner = Vector3::new(side(0), side(1), side(2));
            (pose * nalgebra::Point3::from(corner)).coords
        })
    }
}

impl Form {
    /// Returns the minimum and maximum corner of the bounding box.
    fn bounds(&self) -> [[f64; 3]; 2] {
        match self {
            Self::Solid(solid) => solid.bounds(),
            Self::Mesh { mesh, scale } => Solid::Mesh {
                mesh: mesh.triangles.clone(),
                scale: *scale,
            }
            .bounds(),
            Self::Grid(grid) => {
                let extent = [0, 1].map(|axis| grid.half[axis] + grid.thickness);
                [[-extent[0], -extent[1], 0.0], [extent[0], extent[1], 0.0]]
            }
        }
    }

    /// Returns the scale relative to the mesh.
    pub(super) fn scale(&self) -> f64 {
        match self {
            Self::Mesh { scale, .. } => *scale,
            Self::Solid(_) | Self::Grid(_) => 1.0,
        }
    }

    /// Returns the mapping of the surface to a pattern.
    pub(super) fn wrap(&self) -> Option<Wrap> {
        let Self::Solid(solid) = self else {
            let [low, high] = self.bounds();
            let has_sides = matches!(self, Self::Mesh { .. });
            return has_sides.then_some(Wrap::Sides { low, high });
        };
        Some(match *solid {
            Solid::Sphere { radius } => Wrap::Ball { radius },
            Solid::Cylinder { radius, low, high } => Wrap::Turned {
                radius,
                least: radius,
                low,
                high,
            },
            Solid::Cone {
                start_radius,
                end_radius,
                height,
            } => Wrap::Turned {
                radius: start_radius.max(end_radius),
                least: start_radius.min(end_radius),
                low: height.min(0.0),
                high: height.max(0.0),
            },
            Solid::Capsule { radius, low, high } => Wrap::Capsule { radius, low, high },
            Solid::Box { .. } | Solid::Mesh { .. } => {
                let [low, high] = self.bounds();
                Wrap::Sides { low, high }
            }
        })
    }

    /// Returns true if a point, in the form's axes, is inside. The form is invisible from there.
    pub(super) fn holds(&self, at: &Vector3<f64>) -> bool {
        let Self::Solid(solid) = self else {
            return false;
        };
        let across = (at.x * at.x + at.y * at.y).sqrt();
        match *solid {
            Solid::Box { half } => (0..3).all(|axis| at[axis].abs() <= half[axis]),
            Solid::Sphere { radius } => at.norm() <= radius,
            Solid::Cylinder { radius, low, high } => {
                across <= radius && (low..=high).contains(&at.z)
            }
            Solid::Cone {
                start_radius,
                end_radius,
                height,
            } => {
                let along = at.z / height;
                let radius = start_radius + (end_radius - start_radius) * along;
                (0.0..=1.0).contains(&along) && across <= radius
            }
            Solid::Capsule { radius, low, high } => {
                let nearest = Vector3::new(0.0, 0.0, at.z.clamp(low, high));
                (at - nearest).norm() <= radius
            }
            Solid::Mesh { .. } => false,
        }
    }

    /// Returns the outward normal at a point of the surface, in the form's axes. `face` is the index of the triangle of a
    /// mesh.
    pub(super) fn normal(&self, at: &Vector3<f64>, face: u32) -> Vector3<f64> {
        match self {
            Self::Solid(solid) => normal(solid, at),
            Self::Mesh { mesh, .. } => mesh.normal(face, at),
            Self::Grid(_) => Vector3::z(),
        }
    }
}

fn normal(solid: &Solid, at: &Vector3<f64>) -> Vector3<f64> {
    let around = Vector3::new(at.x, at.y, 0.0);
    let end = |side: f64| Vector3::new(0.0, 0.0, side);
    match *solid {
        Solid::Box { half } => {
            let out = |axis: usize| at[axis].abs() - half[axis];
            let axis = (0..3).fold(
                0,
                |best, axis| if out(axis) > out(best) { axis } else { best },
            );
            let mut normal = Vector3::zeros();
            normal[axis] = at[axis].signum();
            normal
        }
        Solid::Sphere { .. } | Solid::Mesh { .. } => *at,
        Solid::Cylinder { radius, low, high } => {
            let (top, bottom, side) = (at.z - high, low - at.z, around.norm() - radius);
            match top.max(bottom) > side {
                true if top > bottom => end(1.0),
                true => end(-1.0),
                false => around,
            }
        }
        Solid::Cone {
            start_radius,
            end_radius,
            height,
        } => {
            let slope = (end_radius - start_radius) / height;
            let length = around.norm();
            let side = (length - start_radius - slope * at.z) / (1.0 + slope * slope).sqrt();
            let (top, bottom) = (at.z - height.max(0.0), height.min(0.0) - at.z);
            match top.max(bottom) > side {
                true if top > bottom => end(1.0),
                true => end(-1.0),
                // The normal of the lateral surface is tilted by the slope; at the tip it is undefined.
                false if length > 0.0 => around / length - end(slope),
                false => end(height.signum()),
            }
        }
        Solid::Capsule { low, high, .. } => at - end(at.z.clamp(low, high)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_point_out_of_the_surface() {
        let cone = Solid::Cone {
            start_radius: 1.0,
            end_radius: 0.0,
            height: 1.0,
        };
        let tube = Solid::Cylinder {
            radius: 0.5,
            low: -1.0,
            high: 0.0,
        };
        let pill = Solid::Capsule {
            radius: 0.5,
            low: 0.0,
            high: 1.0,
        };
        let cube = Solid::Box {
            half: [1.0, 2.0, 3.0],
        };
        for (solid, at, expected) in [
            (&cube, [0.5, -2.0, 1.0], [0.0, -1.0, 0.0]),
            (&cube, [0.5, -1.0, 3.0], [0.0, 0.0, 1.0]),
            (&cone, [0.5, 0.0, 0.5], [1.0, 0.0, 1.0]),
            (&cone, [0.5, 0.0, 0.0], [0.0, 0.0, -1.0]),
            (&tube, [0.0, 0.5, -0.5], [0.0, 1.0, 0.0]),
            (&tube, [0.1, 0.1, 0.0], [0.0, 0.0, 1.0]),
            (&pill, [0.0, 0.3, 1.4], [0.0, 0.3, 0.4]),
            (&pill, [0.5, 0.0, 0.4], [1.0, 0.0, 0.0]),
        ] {
            let actual = Form::Solid(solid.clone()).normal(&at.into(), 0).normalize();
            let expected = Vector3::from(expected).normalize();
            assert!(
                (actual - expected).norm() < 1e-9,
                "{solid:?} at {at:?}: {actual}"
            );
        }
    }

    #[test]
    fn inside_is_inside() {
        let cone = Form::Solid(Solid::Cone {
            start_radius: 1.0,
            end_radius: 0.0,
            height: -2.0,
        });
        assert!(cone.holds(&Vector3::new(0.4, 0.0, -1.0)));
        assert!(!cone.holds(&Vector3::new(0.6, 0.0, -1.0)));
        assert!(!cone.holds(&Vector3::new(0.0, 0.0, 0.1)));
    }
}
