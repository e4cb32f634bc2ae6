//! Spatial vectors: velocities, forces and inertias of rigid bodies, expressed in the axes and about the origin of a frame.
//!
//! R. Featherstone, "Rigid Body Dynamics Algorithms", Springer 2008, chapter 2; angular components come first.
use std::ops::{Add, AddAssign, Mul, Neg, Sub};

use nalgebra::{Isometry3, Matrix3, Vector3};

/// Spatial velocity of a rigid body, or its derivative.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion {
    /// Angular velocity, rad/s, or acceleration, rad/s².
    pub angular: Vector3<f64>,
    /// Velocity of the body's point at the origin, m/s, or its derivative, m/s².
    pub linear: Vector3<f64>,
}

/// Spatial force on a rigid body, or its momentum.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Force {
    /// Moment about the origin, N·m.
    pub moment: Vector3<f64>,
    /// Force, N.
    pub force: Vector3<f64>,
}

/// Spatial inertia of a rigid body, or of several that are fixed to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Inertia {
    /// Mass, kg.
    pub mass: f64,
    /// Mass times the centre of mass, kg·m.
    pub first_moment: Vector3<f64>,
    /// Rotational inertia about the origin, kg·m².
    pub rotational: Matrix3<f64>,
}

/// Pose of a frame in another, with its rotation as a matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Rotation from the frame's axes to those of the other.
    pub rotation: Matrix3<f64>,
    /// Origin of the frame in the other, m.
    pub position: Vector3<f64>,
}

impl Motion {
    /// No motion.
    pub const ZERO: Self = Self {
        angular: Vector3::new(0.0, 0.0, 0.0),
        linear: Vector3::new(0.0, 0.0, 0.0),
    };

    /// Spatial cross product: derivative of another motion vector that is fixed to a body with this velocity.
    #[must_use]
    #[inline]
    pub fn cross(&self, other: &Self) -> Self {
        Self {
            angular: self.angular.cross(&other.angular),
            linear: self.angular.cross(&other.linear) + self.linear.cross(&other.angular),
        }
    }

    /// Dual cross product: derivative of a force vector that is fixed to a body with this velocity.
    #[must_use]
    #[inline]
    pub fn cross_force(&self, force: &Force) -> Force {
        Force {
            moment: self.angular.cross(&force.moment) + self.linear.cross(&force.force),
            force: self.angular.cross(&force.force),
        }
    }

    /// Returns the power of a force, W.
    #[must_use]
    #[inline]
    pub fn dot(&self, force: &Force) -> f64 {
        self.angular.dot(&force.moment) + self.linear.dot(&force.force)
    }

    /// Returns the velocity of a point of the body, m/s.
    #[must_use]
    #[inline]
    pub fn at(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.linear + self.angular.cross(point)
    }
}

impl Add for Motion {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self {
            angular: self.angular + other.angular,
            linear: self.linear + other.linear,
        }
    }
}

impl AddAssign for Motion {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Motion {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Neg for Motion {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        self * -1.0
    }
}

impl Mul<f64> for Motion {
    type Output = Self;

    #[inline]
    fn mul(self, factor: f64) -> Self {
        Self {
            angular: self.angular * factor,
            linear: self.linear * factor,
        }
    }
}

impl Add for Force {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self {
            moment: self.moment + other.moment,
            force: self.force + other.force,
        }
    }
}

impl AddAssign for Force {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Force {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self {
            moment: self.moment - other.moment,
            force: self.force - other.force,
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
fn parallel(mass: f64, by: &Vector3<f64>) -> Matrix3<f64> {
    (Matrix3::identity() * by.norm_squared() - by * by.transpose()) * mass
}

impl Mul<Motion> for Inertia {
    type Output = Force;

    #[inline]
    fn mul(self, motion: Motion) -> Force {
        Force {
            moment: self.rotational * motion.angular + self.first_moment.cross(&motion.linear),
            force: motion.linear * self.mass - self.first_moment.cross(&motion.angular),
        }
    }
}

impl AddAssign for Inertia {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.mass += other.mass;
        self.first_moment += other.first_moment;
        self.rotational += other.rotational;
    }
}

impl Pose {
    /// Returns the identity.
    #[must_use]
    #[inline]
    pub fn identity() -> Self {
        Self {
            rotation: Matrix3::identity(),
            position: Vector3::zeros(),
        }
    }

    /// Converts a velocity from the other frame to this one.
    #[must_use]
    #[inline]
    pub fn motion_from_outer(&self, motion: &Motion) -> Motion {
        Motion {
            angular: self.rotation.tr_mul(&motion.angular),
            linear: self.rotation.tr_mul(&motion.at(&self.position)),
        }
    }

    /// Converts a velocity from this frame to the other.
    #[must_use]
    #[inline]
    pub fn motion_to_outer(&self, motion: &Motion) -> Motion {
        let angular = self.rotation * motion.angular;
        Motion {
            angular,
            linear: self.rotation * motion.linear - angular.cross(&self.position),
        }
    }

    /// Converts a force from this frame to the other.
    #[must_use]
    #[inline]
    pub fn force_to_outer(&self, force: &Force) -> Force {
        let turned = self.rotation * force.force;
        Force {
            moment: self.rotation * force.moment + self.position.cross(&turned),
            force: turned,
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

    /// Converts an inertia from this frame to the other.
    #[must_use]
    #[inline]
    pub fn inertia_to_outer(&self, inertia: &Inertia) -> Inertia {
        let moment = self.rotation * inertia.first_moment;
        let turned = self.rotation * inertia.rotational * self.rotation.transpose();
        let by = &self.position;
        let mixed = moment * by.transpose();
        let shifted = Matrix3::identity() * (2.0 * moment.dot(by)) - mixed - mixed.transpose();
        Inertia {
            mass: inertia.mass,
            first_moment: moment + by * inertia.mass,
            rotational: turned + shifted + parallel(inertia.mass, by),
        }
    }

    /// Converts a point from this frame to the other.
    #[must_use]
    #[inline]
    pub fn point(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.rotation * point + self.position
    }
}

impl Mul for Pose {
    type Output = Self;

    #[inline]
    fn mul(self, inner: Self) -> Self {
        Self {
            rotation: self.rotation * inner.rotation,
            position: self.point(&inner.position),
        }
    }
}

impl From<Isometry3<f64>> for Pose {
    #[inline]
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
