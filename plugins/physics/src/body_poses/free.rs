//! Motion of bodies without contacts and joints, in double precision.
//!
//! # Rotation
//!
//! In each of its substeps the engine adds the change by torques to the angular velocity, adds the gyroscopic term, and
//! restores the magnitude of the angular momentum, each with rounding in single precision. An accelerometer off the axis
//! shows that rounding divided by the length of a step. The same operations are repeated here twice: in single precision as
//! in the engine, to detect other changes of the angular velocity, and in double precision for the result.
use bevy::math::{Quat, Vec3};
use bevy_rapier3d::rapier::prelude::RigidBody;
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use super::{Before, Known, Step};
use crate::convert;

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
        let allowed = inverse.map(|part| if part > 0.0 { 1.0 } else { 0.0 });
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

    /// Makes the step in double precision. The orientation turns by the whole angle of each substep.
    fn exact(
        &self,
        start: (Vector3<f64>, UnitQuaternion<f64>),
        step: &Step,
    ) -> (Vector3<f64>, UnitQuaternion<f64>) {
        let (mut velocity, mut rotation) = start;
        let dt = step.dt / f64::from(step.moves);
        let frame = convert::rotation(self.frame);
        let inverse = convert::vector(self.inverse);
        // Not the engine's reciprocals: their rounding would change the speed by 1e-7 per substep.
        let moments = inverse.map(|part| if part > 0.0 { 1.0 / part } else { 0.0 });
        let change = convert::vector(self.change);
        for _ in 0..step.moves {
            velocity += change;
            let axes = rotation * frame;
            let local = axes.inverse() * velocity;
            let momentum = moments.component_mul(&local);
            let total = momentum - local.cross(&momentum) * dt;
            let square = total.norm_squared();
            if self.has_gyroscopic_term && square > 0.0 {
                let total = total * (momentum.norm_squared() / square).sqrt();
                velocity = axes * inverse.component_mul(&total);
            }
            rotation = turn(&(velocity * dt)) * rotation;
        }
        rotation.renormalize();
        (velocity, rotation)
    }
}

/// Returns the rotation by a rotation vector, rad.
fn turn(by: &Vector3<f64>) -> UnitQuaternion<f64> {
    let angle = by.norm();
    if angle <= 0.0 {
        return UnitQuaternion::identity();
    }
    let (sin, cos) = libm::sincos(angle / 2.0);
    let turn = Quaternion::from_parts(cos, by * (sin / angle));
    UnitQuaternion::new_unchecked(turn)
}

#[cfg(test)]
mod tests {
    use bevy_rapier3d::rapier::prelude::{MassProperties, RigidBodyBuilder};

    use super::*;

    /// A body with three different moments of inertia rotates freely for ten seconds: its angular momentum is conserved.
    #[test]
    fn free_rotation_keeps_the_angular_momentum() {
        let step = Step {
            dt: 1.0 / 20_000.0,
            moves: 4,
            gravity: Some(Vec3::ZERO),
        };
        let properties = MassProperties::new(Vec3::ZERO, 2.0, Vec3::new(0.3, 0.5, 0.7));
        let builder = RigidBodyBuilder::dynamic().additional_mass_properties(properties);
        let body = builder.build();
        let inverse = Vec3::new(1.0 / 0.3, 1.0 / 0.5, 1.0 / 0.7);
        let inertia = Inertia {
            moments: Vec3::new(0.3, 0.5, 0.7),
            inverse,
            frame: Quat::IDENTITY,
            change: Vec3::ZERO,
            has_gyroscopic_term: body.gyroscopic_forces_enabled(),
        };
        let moments = convert::vector(inverse).map(|part| 1.0 / part);
        let mut state = (Vector3::new(0.5, -1.0, 6.0), UnitQuaternion::identity());
        let momentum = |(velocity, rotation): (Vector3<f64>, UnitQuaternion<f64>)| {
            rotation * moments.component_mul(&(rotation.inverse() * velocity))
        };
        let before = momentum(state);
        for _ in 0..200_000 {
            state = inertia.exact(state, &step);
        }
        let after = momentum(state);
        assert!((after.norm() / before.norm() - 1.0).abs() < 1e-9);
        // The operations are of first order: the axis of the momentum drifts by a fraction of the step.
        assert!(
            (after - before).norm() < 2e-3 * before.norm(),
            "{after} {before}"
        );
    }
}
