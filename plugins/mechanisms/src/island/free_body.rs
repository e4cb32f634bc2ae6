//! Rigid bodies without joints.
use nalgebra::{Matrix3, Vector3};

use crate::spatial::Motion;

/// A rigid body without joints, in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeBody {
    /// Inverse mass along each axis, 1/kg; zero for locked axes.
    pub inverse_mass: Vector3<f64>,
    /// Inverse inertia about the centre of mass, 1/(kg·m²).
    pub inverse_inertia: Matrix3<f64>,
    /// Centre of mass in the middle of the step, m. Undefined after the step.
    pub center: Vector3<f64>,
    /// Velocity of the centre of mass before the step, m/s and rad/s.
    pub before: Motion,
    /// Linear velocity of the centre of mass after the step, m/s: on entry without constraints, on return with them.
    pub linear: Vector3<f64>,
    /// Angular velocity after the step, rad/s: on entry without constraints, on return with them.
    pub angular: Vector3<f64>,
    /// Mean velocity over the step including the correction of penetrations, m/s and rad/s.
    pub moving: Motion,
}

impl FreeBody {
    /// Returns the velocity change per substep without constraints.
    pub(super) fn gained(&self) -> Motion {
        Motion {
            angular: self.angular - self.before.angular,
            linear: self.linear - self.before.linear,
        }
    }
}
