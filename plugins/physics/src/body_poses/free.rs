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
        let damping = body.angular_damping();
        let undamped = body.angvel() * (1.0 + step.dt as f32 * damping);
        // The engine's operations take time, and most bodies that touch others change by more.
        let change = (undamped - self.angular).length();
        if change > inertia.greatest_change(self.angular.length(), step) {
            return None;
        }
        let (velocity, engine) = inertia.rounded((self.angular, self.pose.rotation), step);
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

/// Relative rounding of a velocity in all operations of a substep, at most.
const ROUNDING: f32 = 4e-6;

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
    /// Returns an upper bound of the change of an angular velocity in a step, rad/s, given its magnitude before it.
    ///
    /// In a substep of h, the gyroscopic term adds `h·|ω × Iω|` to the angular momentum, whose magnitude is restored by as
    /// much at most: `|Δω| ≤ 2h·κ·|ω|²`, where κ is the ratio of the greatest moment of inertia to the least. Since only torques
    /// change the magnitude of the momentum, `|ω| ≤ κ·(|ω₀| + torques)`. Twice that is more than all rounding.
    fn greatest_change(&self, speed: f32, step: &Step) -> f32 {
        let by_torques = step.moves as f32 * self.change.length();
        let rounding = step.moves as f32 * ROUNDING;
        if !self.has_gyroscopic_term {
            return 2.0 * by_torques + rounding * speed;
        }
        let ratio = self.moments.max_element() / self.moments.min_element();
        let fastest = ratio * (speed + by_torques);
        let gyroscopic = 2.0 * step.dt as f32 * ratio * fastest * fastest;
        2.0 * (by_torques + gyroscopic) + rounding * fastest
    }

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

#[cfg(test)]
mod tests {
    use morse_api::random::Random;

    use super::*;

    #[test]
    fn free_rotation_changes_velocities_within_its_bound() {
        let mut random = Random::new(7, "bodies", "rotation");
        let mut number = |most: f64| (random.uniform() * most) as f32;
        let mut closest = 0.0_f32;
        for case in 0..20_000 {
            let least = 0.01 + number(1.0);
            let mut any = |most| Vec3::new(number(most), number(most), number(most));
            let moments = any(2.0) + Vec3::splat(least);
            let axis = any(1.0) + Vec3::splat(1e-3);
            let velocity = any(1.0) * 10.0_f32.powi(case % 5 - 2);
            let change = any(1e-3) * (case % 3) as f32;
            let inertia = Inertia {
                moments,
                inverse: Vec3::ONE / moments,
                frame: Quat::from_axis_angle(axis.normalize(), 0.7),
                change,
                has_gyroscopic_term: case % 7 != 0,
            };
            let step = Step {
                dt: [1.0 / 60.0, 1.0 / 240.0, 1e-3][case as usize % 3],
                moves: [1, 4, 8, 60][case as usize % 4],
                gravity: None,
            };
            let (after, _) = inertia.rounded((velocity, Quat::IDENTITY), &step);
            let bound = inertia.greatest_change(velocity.length(), &step);
            let part = (after - velocity).length() / bound;
            assert!(
                part < 0.9,
                "{part}: {velocity} became {after} in case {case}"
            );
            closest = closest.max(part);
        }
        // The bound is no useless one.
        assert!(closest > 0.3, "{closest}");
    }
}
