//! Mass, centre of mass and inertia: of geometry by its density, of frames by the scene, of a body as the sum. In f64, in
//! the frame of the object.
use bevy_rapier3d::rapier::prelude::MassProperties;
use morse_scene::model::Frame;
use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, SymmetricEigen, UnitQuaternion, Vector3};

use super::{convert, shapes::Solid};

/// Default density, kg/m³: that of water.
pub const DEFAULT_DENSITY: f64 = 1000.0;

/// Minimum mass of a moving body, kg; the engine takes zero for infinite.
const SMALLEST_MASS: f64 = 0.1;

/// Radius of the sphere that replaces a point mass, m.
const POINT_RADIUS: f64 = 0.05;

/// Mass, centre of mass, and inertia about it (kg·m²).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mass {
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass, m.
    pub center: Vector3<f64>,
    /// Inertia about the centre of mass, kg·m².
    pub inertia: Matrix3<f64>,
}

/// Source of a body's mass, for warnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The scene defines it.
    Given,
    /// At least one geometry has the default density.
    Assumed,
    /// There is no geometry to compute it from.
    Missing,
}

impl Mass {
    /// Returns the mass in another frame.
    #[must_use]
    pub fn moved(&self, outer_from_inner: &Isometry3<f64>) -> Self {
        let turn = outer_from_inner.rotation.to_rotation_matrix();
        let turn = turn.matrix();
        Self {
            mass: self.mass,
            center: outer_from_inner
                .transform_point(&Point3::from(self.center))
                .coords,
            inertia: turn * self.inertia * turn.transpose(),
        }
    }

    /// Returns the sum of two masses, by the parallel axis theorem.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let mass = self.mass + other.mass;
        if mass <= 0.0 {
            return *self;
        }
        let center = (self.center * self.mass + other.center * other.mass) / mass;
        Self {
            mass,
            center,
            inertia: self.inertia_about(&center) + other.inertia_about(&center),
        }
    }

    /// Returns the inertia about a point, in the same axes.
    #[must_use]
    pub fn inertia_about(&self, point: &Vector3<f64>) -> Matrix3<f64> {
        let arm = self.center - point;
        let spread = Matrix3::identity() * arm.norm_squared() - arm * arm.transpose();
        self.inertia + spread * self.mass
    }

    /// Returns the same distribution with another mass.
    #[must_use]
    pub fn scaled_to(&self, mass: f64) -> Self {
        if self.mass > 0.0 {
            let inertia = self.inertia * (mass / self.mass);
            return Self {
                mass,
                inertia,
                ..*self
            };
        }
        let ball = 0.4 * mass * POINT_RADIUS * POINT_RADIUS;
        Self {
            mass,
            center: self.center,
            inertia: Matrix3::identity() * ball,
        }
    }

    /// Converts to the engine's type.
    pub(super) fn properties(&self) -> MassProperties {
        let (principal, axes) = self.principal();
        MassProperties::with_principal_inertia_frame(
            convert::vec3(&self.center),
            self.mass as f32,
            convert::vec3(&principal),
            convert::quat(&axes),
        )
    }

    /// Returns the principal moments and the rotation from their axes.
    fn principal(&self) -> (Vector3<f64>, UnitQuaternion<f64>) {
        let diagonal = self.inertia.diagonal();
        let rest = self.inertia - Matrix3::from_diagonal(&diagonal);
        if rest.amax() <= 1e-9 * diagonal.amax() {
            return (diagonal, UnitQuaternion::identity());
        }
        let eigen = SymmetricEigen::new(self.inertia);
        let mut axes = eigen.eigenvectors;
        if axes.determinant() < 0.0 {
            axes.column_mut(2).neg_mut();
        }
        let axes = Rotation3::from_matrix_unchecked(axes);
        let moments = eigen.eigenvalues.map(|moment| moment.max(0.0));
        (moments, UnitQuaternion::from_rotation_matrix(&axes))
    }
}

/// Returns the mass of one frame in its own axes: that of the scene, or else that of its solids. `solids` are paired with
/// their densities in the scene.
pub(super) fn of_frame(frame: &Frame, solids: &[(&Solid, Option<f64>)]) -> (Mass, Source) {
    let assumed = solids.iter().any(|(_, density)| density.is_none());
    let of_solids = solids
        .iter()
        .fold(Mass::default(), |sum, (solid, density)| {
            sum.plus(&solid.mass(density.unwrap_or(DEFAULT_DENSITY)))
        });
    let source = match (frame.mass, assumed, of_solids.mass > 0.0) {
        (Some(_), _, _) | (None, false, true) => Source::Given,
        (None, true, _) => Source::Assumed,
        (None, false, false) => Source::Missing,
    };
    let mut mass = frame
        .mass
        .map_or(of_solids, |mass| of_solids.scaled_to(mass));
    if let Some(center) = frame.center_of_mass {
        mass.center = center;
    }
    if let Some(inertia) = &frame.inertia {
        mass.inertia = symmetric(inertia);
    }
    (mass, source)
}

/// Returns the mass, raised to the minimum for the engine.
pub(super) fn at_least_some(mass: Mass) -> Mass {
    if mass.mass <= 0.0 {
        return mass.scaled_to(SMALLEST_MASS);
    }
    let ball = 0.4 * mass.mass * POINT_RADIUS * POINT_RADIUS;
    if mass.inertia.trace() <= 0.0 {
        return Mass {
            inertia: Matrix3::identity() * ball,
            ..mass
        };
    }
    mass
}

fn symmetric([xx, yy, zz, xy, xz, yz]: &[f64; 6]) -> Matrix3<f64> {
    Matrix3::new(*xx, *xy, *xz, *xy, *yy, *yz, *xz, *yz, *zz)
}

#[cfg(test)]
mod tests {
    use morse_scene::model::{Geometry, Shape};

    use super::*;
    use crate::shapes::{Meshes, solid};

    fn mass_of(shape: Shape) -> Mass {
        solid(&Geometry::new(shape), true, &mut Meshes::default())
            .unwrap()
            .unwrap()
            .mass(1000.0)
    }

    fn close(value: f64, expected: f64) {
        assert!(
            (value - expected).abs() <= 1e-5 * expected.abs().max(1.0),
            "{value} {expected}"
        );
    }

    #[test]
    fn a_cylinder_runs_along_z_from_zero() {
        let mass = mass_of(Shape::Cylinder {
            radius: 0.1,
            height: 0.4,
        });
        close(mass.mass, std::f64::consts::PI * 0.01 * 0.4 * 1000.0);
        close(mass.center.z, 0.2);
        close(mass.inertia[(2, 2)], mass.mass * 0.01 / 2.0);
        close(mass.inertia[(0, 0)], mass.mass * (3.0 * 0.01 + 0.16) / 12.0);
    }

    #[test]
    fn cones_point_where_they_are_narrow() {
        for (start, end, height, center) in [
            (0.1, 0.0, 0.4, 0.1),
            (0.0, 0.1, 0.4, 0.3),
            (0.1, 0.0, -0.4, -0.1),
        ] {
            let mass = mass_of(Shape::Cone {
                start_radius: start,
                end_radius: end,
                height,
            });
            close(mass.center.z, center);
        }
    }

    #[test]
    fn two_cubes_side_by_side_are_a_box() {
        let cube = mass_of(Shape::Box {
            dimension: [1.0; 3],
        });
        let pair = cube
            .moved(&Isometry3::translation(-0.5, 0.0, 0.0))
            .plus(&cube.moved(&Isometry3::translation(0.5, 0.0, 0.0)));
        let whole = mass_of(Shape::Box {
            dimension: [2.0, 1.0, 1.0],
        });
        close(pair.mass, whole.mass);
        assert!((pair.inertia - whole.inertia).amax() < 1e-3);
        assert!(pair.center.norm() < 1e-12);
    }

    #[test]
    fn principal_moments_survive_a_rotation() {
        let mass = mass_of(Shape::Box {
            dimension: [0.1, 0.2, 0.4],
        });
        let turn = Isometry3::rotation(Vector3::new(0.3, -0.5, 0.7));
        let (mut moments, _) = mass.moved(&turn).principal();
        moments.as_mut_slice().sort_by(f64::total_cmp);
        let mut expected = mass.inertia.diagonal();
        expected.as_mut_slice().sort_by(f64::total_cmp);
        assert!((moments - expected).amax() < 1e-9);
    }
}
