//! Things that can be seen, and their poses.
use bevy::prelude::Entity;
use morse_api::{paint::Wrap, world_view::Gloss};
use morse_geometry::rays::solid::Solid;
use nalgebra::{Isometry3, Vector3};
use std::sync::Arc;

use super::appearance::Paint;
use super::light::{Illumination, Lamp, Rgb};
use super::mesh::VisualMesh;

/// Things that let more light through than this are not there for depths and names, and cast no shadow.
pub(super) const OPAQUE: f32 = 0.5;

/// Everything that is drawn.
#[derive(Default)]
pub(super) struct RenderScene {
    pub(super) things: Vec<Thing>,
    /// Those that hang somewhere, and then those of robots.
    pub(super) lamps: Vec<Lamp>,
    /// Number of those that hang somewhere.
    pub(super) hanging: usize,
    pub(super) illumination: Illumination,
    /// Number of times that the things were collected anew.
    pub(super) generation: u64,
}

/// A geometry.
pub(super) struct Thing {
    /// Its entity.
    pub(super) entity: Entity,
    /// Its body, and where it is on it.
    pub(super) body: Entity,
    pub(super) body_from_thing: Isometry3<f64>,
    /// Pose in the world now.
    pub(super) world_from_thing: Isometry3<f64>,
    pub(super) form: Form,
    /// The light that it sends back, linear, where nothing is painted on it.
    pub(super) color: Rgb,
    pub(super) paint: Option<Paint>,
    pub(super) gloss: Gloss,
    /// 0 lets all light through, 1 none.
    pub(super) alpha: f32,
    /// True if it casts shadows.
    pub(super) casts: bool,
}

/// A shape, its scale applied, in its own frame.
pub(super) enum Form {
    /// A box or a round shape.
    Solid(Solid),
    /// Triangles.
    Mesh { mesh: Arc<VisualMesh>, scale: f64 },
    /// Lines in the xy plane.
    Grid(Grid),
}

/// Lines in the xy plane from −`half` to `half`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    pub(super) half: [f64; 2],
    pub(super) delta: [f64; 2],
    pub(super) thickness: f64,
}

impl Thing {
    /// Tells whether light passes through it, or between its lines.
    pub(super) fn is_clear(&self) -> bool {
        self.alpha < 1.0 || matches!(self.form, Form::Grid(_))
    }

    /// Tells whether it is of one colour that does not shine.
    pub(super) fn is_plain(&self) -> bool {
        self.paint.is_none() && self.gloss.color == [0.0; 3]
    }

    /// Tells whether depths and names tell of it.
    pub(super) fn is_solid(&self) -> bool {
        self.alpha >= OPAQUE && !matches!(self.form, Form::Grid(_))
    }

    /// The corners of the box around it in its own axes, in the world.
    pub(super) fn corners(&self) -> [Vector3<f64>; 8] {
        self.corners_at(&self.world_from_thing)
    }

    /// The same if it stood elsewhere.
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
    /// The lowest and the highest corner of the box around it.
    fn bounds(&self) -> [[f64; 3]; 2] {
        match self {
            Self::Solid(solid) => solid.bounds(),
            Self::Mesh { mesh, scale } => Solid::Mesh {
                mesh: mesh.triangles.clone(),
                scale: *scale,
            }
            .bounds(),
            Self::Grid(grid) => {
                let reach = [0, 1].map(|axis| grid.half[axis] + grid.thickness);
                [[-reach[0], -reach[1], 0.0], [reach[0], reach[1], 0.0]]
            }
        }
    }

    /// Scale relative to what it is made of.
    pub(super) fn scale(&self) -> f64 {
        match self {
            Self::Mesh { scale, .. } => *scale,
            Self::Solid(_) | Self::Grid(_) => 1.0,
        }
    }

    /// Wrapping into what is painted on it.
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

    /// Tells whether a point, in its own axes, is inside: nothing is seen of it from there.
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

    /// The outward normal at a point of the surface, in its own axes. `part` is the triangle of a mesh.
    pub(super) fn normal(&self, at: &Vector3<f64>, part: u32) -> Vector3<f64> {
        match self {
            Self::Solid(solid) => normal(solid, at),
            Self::Mesh { mesh, .. } => mesh.normal(part, at),
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
                // The flank leans by its slope; at the very tip it has no direction.
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
            let found = Form::Solid(solid.clone()).normal(&at.into(), 0).normalize();
            let expected = Vector3::from(expected).normalize();
            assert!(
                (found - expected).norm() < 1e-9,
                "{solid:?} at {at:?}: {found}"
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
