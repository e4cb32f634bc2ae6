//! Motion of bodies without contacts and joints, in double precision.
//!
//! # Rotation
//!
//! In each of its substeps the engine adds the change by torques to the angular velocity, adds the gyroscopic term, and
//! restores the magnitude of the angular momentum, each with rounding in single precision. These operations are repeated
//! here to detect other changes of the angular velocity, such as contacts. Without any, the result is that of [`Spin`].
use bevy::math::{Quat, Vec3};
use bevy_rapier3d::rapier::prelude::RigidBody;
use nalgebra::{UnitQuaternion, Vector3};

use super::{Before, Known, Step};
use crate::{
    convert,
    spin::{Spin, Turning, turn},
};

/// Motion of a body in a step by gravity and forces only.
#[derive(Clone, Copy)]
pub(super) struct Free {
    pub linear: Option<Falling>,
    pub rotated: Option<Rotated>,
}

/// Velocities of a centre of mass that only gravity and forces change, m/s.
#[derive(Clone, Copy)]
pub(super) struct Falling {
    pub mean: Vector3<f64>,
    pub after: Vector3<f64>,
}

/// Result of a step of free rotation.
#[derive(Clone, Copy)]
pub(super) struct Rotated {
    /// Angular velocity in world axes, rad/s.
    pub velocity: Vector3<f64>,
    pub rotation: UnitQuaternion<f64>,
    /// Rotation by the engine's operations.
    pub engine: Quat,
}

impl Before {
    pub(super) fn free(&self, known: &Known, body: &RigidBody, step: &Step) -> Free {
        Free {
            linear: self.falling(known.linear.exact, body, step),
            rotated: self.rotated(known, body, step),
        }
    }

    /// Returns the motion of a body if gravity and forces alone changed its velocity, except for rounding.
    fn falling(&self, exact: Vector3<f64>, body: &RigidBody, step: &Step) -> Option<Falling> {
        let gravity = convert::vector(step.gravity?);
        if !body.is_dynamic() || body.linear_damping() != 0.0 {
            return None;
        }
        let inverse = convert::vector(body.mass_properties().effective_inv_mass);
        let allowed = inverse.map(|value| if value > 0.0 { 1.0 } else { 0.0 });
        let falling = gravity * f64::from(body.gravity_scale());
        let pushed = convert::vector(body.user_force()).component_mul(&inverse);
        let change = (falling.component_mul(&allowed) + pushed) * step.dt;
        let [before, after] = [self.linear, body.linvel()].map(convert::vector);
        let rounding = f64::from(step.moves + 2) * f64::from(f32::EPSILON);
        let is_free = (0..3).all(|axis| {
            let most = before[axis].abs().max(after[axis].abs());
            (after[axis] - before[axis] - change[axis]).abs() <= rounding * most
        });
        // For forces that depend on position, such as buoyancy, the mean would amplify oscillations.
        let share = match body.user_force() == Vec3::ZERO {
            true => 0.5,
            false => step.share(),
        };
        is_free.then(|| Falling {
            mean: exact + change * share,
            after: exact + change,
        })
    }

    /// Returns the rotation of a body if torques and the gyroscopic term alone changed its angular velocity.
    fn rotated(&self, known: &Known, body: &RigidBody, step: &Step) -> Option<Rotated> {
        step.gravity?;
        let rests = self.angular == Vec3::ZERO && self.spin_up == Vec3::ZERO;
        if !body.is_dynamic() || rests {
            return None;
        }
        let properties = &body.mass_properties().local_mprops;
        let inertia = Inertia {
            moments: properties.principal_inertia(),
            inverse: properties.inv_principal_inertia,
            frame: properties.principal_inertia_local_frame,
            change: self.spin_up * (step.dt as f32 / step.moves as f32),
            has_gyroscopic_term: body.gyroscopic_forces_enabled(),
        };
        let (velocity, engine) = inertia.rounded((self.angular, self.pose.rotation), step);
        let damping = body.angular_damping();
        if body.angvel() != velocity * (1.0 / (1.0 + step.dt as f32 * damping)) {
            return None;
        }
        let start = (known.angular.exact, known.exact.rotation);
        let (velocity, rotation) = inertia.exact(start, step);
        Some(Rotated {
            velocity: velocity / (1.0 + step.dt * f64::from(damping)),
            rotation,
            engine,
        })
    }
}

/// Causes of the change of an angular velocity.
struct Inertia {
    /// Principal moments of inertia, kg·m².
    moments: Vec3,
    inverse: Vec3,
    /// Principal axes in the axes of the body.
    frame: Quat,
    /// Change of the angular velocity by torques per substep, world axes, rad/s.
    change: Vec3,
    has_gyroscopic_term: bool,
}

impl Inertia {
    /// Makes a step with the engine's operations and rounding.
    fn rounded(&self, start: (Vec3, Quat), step: &Step) -> (Vec3, Quat) {
        let (mut velocity, mut rotation) = start;
        let dt = step.dt as f32 / step.moves as f32;
        for _ in 0..step.moves {
            velocity += self.change;
            if self.has_gyroscopic_term {
                velocity = self.rounded_gyroscopic(velocity, rotation * self.frame, dt);
            }
            let half = velocity * (dt * 0.5);
            let turn = Quat::from_xyzw(half.x, half.y, half.z, 1.0);
            rotation = (turn * rotation).normalize();
        }
        (velocity, rotation)
    }

    fn rounded_gyroscopic(&self, velocity: Vec3, axes: Quat, dt: f32) -> Vec3 {
        let local = axes.inverse() * velocity;
        let momentum = self.moments * local;
        let total = momentum + -local.cross(momentum) * dt;
        let square = total.length_squared();
        if square == 0.0 {
            return velocity;
        }
        // The square root is exact on every machine.
        let total = total * (momentum.length_squared() / square).sqrt();
        axes * (self.inverse * total)
    }

    /// Makes the step in double precision, without the errors of the engine's operations: they raise the energy of a body
    /// that spins about its axis of greatest inertia, until it tumbles.
    fn exact(&self, start: Turning, step: &Step) -> Turning {
        let dt = step.dt / f64::from(step.moves);
        let change = convert::vector(self.change);
        // Not the engine's moments: their rounding would change the speed by 1e-7 per substep.
        let moments = convert::vector(self.inverse).map(|value| 1.0 / value);
        let spin = Spin::new(moments, convert::rotation(self.frame));
        let Some(spin) = spin.filter(|_| self.has_gyroscopic_term) else {
            return (0..step.moves).fold(start, |(velocity, rotation), _| {
                let velocity = velocity + change;
                (velocity, turn(&(velocity * dt)) * rotation)
            });
        };
        let kick = match change == Vector3::zeros() {
            true => change,
            false => spin.inertia(&start.1) * change,
        };
        (0..step.moves).fold(start, |motion, _| spin.turn(motion, &kick, dt))
    }
}
