//! Spatial vectors: velocities, forces and inertias of rigid bodies, expressed in the axes and about the origin of a frame.
//!
//! R. Featherstone, "Rigid Body Dynamics Algorithms", Springer 2008, chapter 2; angular components come first.
use std::ops::{Add, AddAssign, Mul, Neg, Sub};

use nalgebra::{Isometry3, Matrix3, Vector3};

use crate::{
    linear::{
        cross, diagonal, difference, dot, matrix, matrix_difference, matrix_scaled, matrix_sum,
        outer, product, scaled, sum, times, transposed, vector, zero,
    },
    number::Number,
};

/// Spatial velocity of a rigid body, or its derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion<T = f64> {
    /// Angular velocity, rad/s, or acceleration, rad/s².
    pub angular: Vector3<T>,
    /// Velocity of the body's point at the origin, m/s, or its derivative, m/s².
    pub linear: Vector3<T>,
}

/// Spatial force on a rigid body, or its momentum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Force<T = f64> {
    /// Moment about the origin, N·m.
    pub moment: Vector3<T>,
    /// Force, N.
    pub force: Vector3<T>,
}

/// Spatial inertia of a rigid body, or of several that are fixed to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia<T = f64> {
    /// Mass, kg.
    pub mass: T,
    /// Mass times the centre of mass, kg·m.
    pub first_moment: Vector3<T>,
    /// Rotational inertia about the origin, kg·m².
    pub rotational: Matrix3<T>,
}

/// Pose of a frame in another, with its rotation as a matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose<T = f64> {
    /// Rotation from the frame's axes to those of the other.
    pub rotation: Matrix3<T>,
    /// Origin of the frame in the other, m.
    pub position: Vector3<T>,
}

impl Motion {
    /// No motion.
    pub const ZERO: Self = Self {
        angular: Vector3::new(0.0, 0.0, 0.0),
        linear: Vector3::new(0.0, 0.0, 0.0),
    };
}

impl<T: Number> Motion<T> {
    /// Returns no motion.
    #[must_use]
    #[inline(always)]
    pub fn zero() -> Self {
        Self {
            angular: zero(),
            linear: zero(),
        }
    }

    /// Returns the motion, for all trees.
    #[inline(always)]
    pub(crate) fn of(motion: &Motion) -> Self {
        Self {
            angular: vector(&motion.angular),
            linear: vector(&motion.linear),
        }
    }

    /// Spatial cross product: derivative of another motion vector that is fixed to a body with this velocity.
    #[must_use]
    #[inline(always)]
    pub fn cross(&self, other: &Self) -> Self {
        Self {
            angular: cross(&self.angular, &other.angular),
            linear: sum(
                &cross(&self.angular, &other.linear),
                &cross(&self.linear, &other.angular),
            ),
        }
    }

    /// Dual cross product: derivative of a force vector that is fixed to a body with this velocity.
    #[must_use]
    #[inline(always)]
    pub fn cross_force(&self, force: &Force<T>) -> Force<T> {
        Force {
            moment: sum(
                &cross(&self.angular, &force.moment),
                &cross(&self.linear, &force.force),
            ),
            force: cross(&self.angular, &force.force),
        }
    }

    /// Returns the power of a force, W.
    #[must_use]
    #[inline(always)]
    pub fn dot(&self, force: &Force<T>) -> T {
        dot(&self.angular, &force.moment) + dot(&self.linear, &force.force)
    }

    /// Returns the velocity of a point of the body, m/s.
    #[must_use]
    #[inline(always)]
    pub fn at(&self, point: &Vector3<T>) -> Vector3<T> {
        sum(&self.linear, &cross(&self.angular, point))
    }
}

impl<T: Number> Add for Motion<T> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self {
            angular: sum(&self.angular, &other.angular),
            linear: sum(&self.linear, &other.linear),
        }
    }
}

impl<T: Number> AddAssign for Motion<T> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<T: Number> Sub for Motion<T> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl<T: Number> Neg for Motion<T> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self {
            angular: Vector3::new(-self.angular.x, -self.angular.y, -self.angular.z),
            linear: Vector3::new(-self.linear.x, -self.linear.y, -self.linear.z),
        }
    }
}

impl<T: Number> Mul<T> for Motion<T> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, factor: T) -> Self {
        Self {
            angular: scaled(&self.angular, factor),
            linear: scaled(&self.linear, factor),
        }
    }
}

impl<T: Number> Add for Force<T> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self {
            moment: sum(&self.moment, &other.moment),
            force: sum(&self.force, &other.force),
        }
    }
}

impl<T: Number> AddAssign for Force<T> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<T: Number> Sub for Force<T> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self {
            moment: difference(&self.moment, &other.moment),
            force: difference(&self.force, &other.force),
        }
    }
}

impl<T: Number> Default for Force<T> {
    fn default() -> Self {
        Self {
            moment: zero(),
            force: zero(),
        }
    }
}

impl<T: Number> Default for Motion<T> {
    fn default() -> Self {
        Self::zero()
    }
}

impl<T: Number> Default for Inertia<T> {
    fn default() -> Self {
        Self {
            mass: T::new(0.0),
            first_moment: zero(),
            rotational: diagonal(T::new(0.0)),
        }
    }
}

impl<T: Number> Inertia<T> {
    /// Returns the inertia, for all trees.
    #[inline(always)]
    pub(crate) fn of(inertia: &Inertia) -> Self {
        Self {
            mass: T::new(inertia.mass),
            first_moment: vector(&inertia.first_moment),
            rotational: matrix(&inertia.rotational),
        }
    }
}

impl Inertia {
    /// Returns the inertia for a mass (kg), centre of mass (m) and inertia about the centre of mass (kg·m²).
    #[must_use]
    #[inline]
    pub fn new(mass: f64, center: Vector3<f64>, about_center: Matrix3<f64>) -> Self {
        Self {
            mass,
            first_moment: center * mass,
            rotational: about_center + parallel(mass, &center),
        }
    }

    /// Returns the inertia of a point mass, kg and m.
    #[must_use]
    #[inline]
    pub fn point(mass: f64, center: Vector3<f64>) -> Self {
        Self::new(mass, center, Matrix3::zeros())
    }

    /// Returns the centre of mass, m; the origin without mass.
    #[must_use]
    #[inline]
    pub fn center(&self) -> Vector3<f64> {
        if self.mass > 0.0 {
            self.first_moment / self.mass
        } else {
            Vector3::zeros()
        }
    }

    /// Returns the inertia about the centre of mass, kg·m².
    #[must_use]
    #[inline]
    pub fn about_center(&self) -> Matrix3<f64> {
        self.rotational - parallel(self.mass, &self.center())
    }
}

/// Returns the term of the parallel axis theorem.
#[inline(always)]
fn parallel<T: Number>(mass: T, by: &Vector3<T>) -> Matrix3<T> {
    matrix_scaled(
        &matrix_difference(&diagonal(dot(by, by)), &outer(by, by)),
        mass,
    )
}

impl<T: Number> Mul<Motion<T>> for Inertia<T> {
    type Output = Force<T>;

    #[inline(always)]
    fn mul(self, motion: Motion<T>) -> Force<T> {
        Force {
            moment: sum(
                &times(&self.rotational, &motion.angular),
                &cross(&self.first_moment, &motion.linear),
            ),
            force: difference(
                &scaled(&motion.linear, self.mass),
                &cross(&self.first_moment, &motion.angular),
            ),
        }
    }
}

impl<T: Number> AddAssign for Inertia<T> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        self.mass = self.mass + other.mass;
        self.first_moment = sum(&self.first_moment, &other.first_moment);
        self.rotational = matrix_sum(&self.rotational, &other.rotational);
    }
}

impl<T: Number> Pose<T> {
    /// Returns the identity.
    #[must_use]
    #[inline(always)]
    pub fn identity() -> Self {
        Self {
            rotation: diagonal(T::new(1.0)),
            position: zero(),
        }
    }

    /// Returns the pose, for all trees.
    #[inline(always)]
    pub(crate) fn of(pose: &Pose) -> Self {
        Self {
            rotation: matrix(&pose.rotation),
            position: vector(&pose.position),
        }
    }

    /// Converts a velocity from this frame to the other.
    #[must_use]
    #[inline(always)]
    pub fn motion_to_outer(&self, motion: &Motion<T>) -> Motion<T> {
        let angular = times(&self.rotation, &motion.angular);
        let linear = times(&self.rotation, &motion.linear);
        Motion {
            angular,
            linear: difference(&linear, &cross(&angular, &self.position)),
        }
    }

    /// Converts a force from this frame to the other.
    #[must_use]
    #[inline(always)]
    pub fn force_to_outer(&self, force: &Force<T>) -> Force<T> {
        let turned = times(&self.rotation, &force.force);
        let moment = times(&self.rotation, &force.moment);
        Force {
            moment: sum(&moment, &cross(&self.position, &turned)),
            force: turned,
        }
    }

    /// Converts an inertia from this frame to the other.
    #[must_use]
    #[inline(always)]
    pub fn inertia_to_outer(&self, inertia: &Inertia<T>) -> Inertia<T> {
        let moment = times(&self.rotation, &inertia.first_moment);
        let half = product(&self.rotation, &inertia.rotational);
        let turned = product(&half, &transposed(&self.rotation));
        let by = &self.position;
        let mixed = outer(&moment, by);
        let twice = diagonal(T::new(2.0) * dot(&moment, by));
        let shifted = matrix_difference(&matrix_difference(&twice, &mixed), &transposed(&mixed));
        Inertia {
            mass: inertia.mass,
            first_moment: sum(&moment, &scaled(by, inertia.mass)),
            rotational: matrix_sum(&matrix_sum(&turned, &shifted), &parallel(inertia.mass, by)),
        }
    }

    /// Converts a point from this frame to the other.
    #[must_use]
    #[inline(always)]
    pub fn point(&self, point: &Vector3<T>) -> Vector3<T> {
        sum(&times(&self.rotation, point), &self.position)
    }
}

impl Pose {
    /// Converts a velocity from the other frame to this one.
    #[must_use]
    #[inline]
    pub fn motion_from_outer(&self, motion: &Motion) -> Motion {
        Motion {
            angular: self.rotation.tr_mul(&motion.angular),
            linear: self.rotation.tr_mul(&motion.at(&self.position)),
        }
    }

    /// Converts a force from the other frame to this one.
    #[must_use]
    #[inline]
    pub fn force_from_outer(&self, force: &Force) -> Force {
        let moment = force.moment - self.position.cross(&force.force);
        Force {
            moment: self.rotation.tr_mul(&moment),
            force: self.rotation.tr_mul(&force.force),
        }
    }
}

impl<T: Number> Mul for Pose<T> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, inner: Self) -> Self {
        Self {
            rotation: product(&self.rotation, &inner.rotation),
            position: self.point(&inner.position),
        }
    }
}

impl From<Isometry3<f64>> for Pose {
    #[inline(always)]
    fn from(pose: Isometry3<f64>) -> Self {
        Self {
            rotation: pose.rotation.to_rotation_matrix().into_inner(),
            position: pose.translation.vector,
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Translation3, UnitQuaternion};

    use super::*;

    fn somewhere() -> Pose {
        let rotation = UnitQuaternion::from_euler_angles(0.3, -0.7, 1.1);
        Isometry3::from_parts(Translation3::new(0.5, -0.2, 0.9), rotation).into()
    }

    fn body() -> Inertia {
        let about_center = Matrix3::new(0.4, 0.02, 0.01, 0.02, 0.5, -0.03, 0.01, -0.03, 0.3);
        Inertia::new(2.0, Vector3::new(0.1, 0.2, -0.3), about_center)
    }

    const VELOCITY: Motion = Motion {
        angular: Vector3::new(0.2, -1.0, 0.5),
        linear: Vector3::new(1.0, 0.3, -0.4),
    };

    #[test]
    fn energy_and_power_are_the_same_in_every_frame() {
        let (pose, inner) = (somewhere(), body());
        let outer = pose.inertia_to_outer(&inner);
        let seen = pose.motion_to_outer(&VELOCITY);
        let energy = VELOCITY.dot(&(inner * VELOCITY));
        assert!((seen.dot(&(outer * seen)) - energy).abs() < 1e-12);
        let momentum = pose.force_to_outer(&(inner * VELOCITY));
        let same = outer * seen;
        assert!((momentum.moment - same.moment).norm() < 1e-12);
        assert!((momentum.force - same.force).norm() < 1e-12);
    }

    #[test]
    fn what_goes_out_comes_back() {
        let pose = somewhere();
        let back = pose.motion_from_outer(&pose.motion_to_outer(&VELOCITY));
        assert!((back - VELOCITY).angular.norm() < 1e-12);
        assert!((back - VELOCITY).linear.norm() < 1e-12);
        let force = body() * VELOCITY;
        let back = pose.force_from_outer(&pose.force_to_outer(&force));
        assert!((back - force).moment.norm() < 1e-12);
        assert!((back - force).force.norm() < 1e-12);
    }

    #[test]
    fn a_body_knows_its_centre() {
        let body = body();
        assert!((body.center() - Vector3::new(0.1, 0.2, -0.3)).norm() < 1e-15);
        assert!((body.about_center()[(0, 1)] - 0.02).abs() < 1e-15);
    }
}
