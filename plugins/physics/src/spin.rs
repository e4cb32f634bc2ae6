//! Rotation of a free rigid body, in double precision: its angular momentum is constant, its energy does not drift.
//!
//! With the momentum m in principal axes, the energy is |m|² / 2B plus (1/A - 1/B) m₁² / 2 and (1/C - 1/B) m₃² / 2, where B
//! is the middle moment of inertia. Each of these terms alone rotates the body at a constant rate: the first one about the
//! momentum, the others about their own axes, by which they turn the momentum in the body. The first one commutes with the
//! others, so a symmetric body rotates exactly; the other two alternate (Strang splitting), which is of second order,
//! symplectic and reversible.
use bevy_rapier3d::rapier::prelude::RigidBody;
use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

use super::convert;

/// Inertia of a body about its centre of mass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spin {
    /// Principal moments, kg·m²; all greater than zero.
    moments: Vector3<f64>,
    /// Rotation from the principal axes to those of the body.
    frame: UnitQuaternion<f64>,
    /// Axis of the middle moment.
    middle: usize,
}

/// Angular velocity in world axes, rad/s, and orientation of a body.
pub(super) type Turning = (Vector3<f64>, UnitQuaternion<f64>);

impl Spin {
    /// Returns `None` for a body that cannot rotate about every axis.
    pub(super) fn new(moments: Vector3<f64>, frame: UnitQuaternion<f64>) -> Option<Self> {
        let is_between = |axis: &usize| {
            (moments[*axis] - moments.min()) * (moments[*axis] - moments.max()) < 0.0
        };
        let middle = (0..3).find(is_between);
        // Of two equal moments, one is the middle one.
        let [a, b, c] = [moments.x, moments.y, moments.z];
        let middle = middle.unwrap_or(if a == b || a == c { 0 } else { 1 });
        (moments.min() > 0.0 && (a + b + c).is_finite()).then_some(Self {
            moments,
            frame,
            middle,
        })
    }

    /// Returns the inertia of a body of the engine.
    pub(super) fn of(body: &RigidBody) -> Option<Self> {
        let properties = &body.mass_properties().local_mprops;
        // Not the engine's moments: their rounding would change the speed by 1e-7 per step.
        let moments =
            convert::vector(properties.inv_principal_inertia).map(|inverse| 1.0 / inverse);
        Self::new(
            moments,
            convert::rotation(properties.principal_inertia_local_frame),
        )
    }

    /// Returns the inertia in world axes, kg·m².
    pub(super) fn inertia(&self, rotation: &UnitQuaternion<f64>) -> Matrix3<f64> {
        let axes = (rotation * self.frame).to_rotation_matrix();
        axes.matrix() * Matrix3::from_diagonal(&self.moments) * axes.matrix().transpose()
    }

    /// Rotates a body for a time (s). `kick` is added to its angular momentum at first, N·m·s.
    pub(super) fn turn(
        &self,
        (velocity, rotation): Turning,
        kick: &Vector3<f64>,
        dt: f64,
    ) -> Turning {
        let axes = rotation * self.frame;
        let moment =
            self.moments.component_mul(&(axes.inverse() * velocity)) + axes.inverse() * kick;
        let mut motion = (moment, axes);
        let [one, two] = [(self.middle + 1) % 3, (self.middle + 2) % 3];
        self.about(one, &mut motion, dt / 2.0);
        self.about(two, &mut motion, dt);
        self.about(one, &mut motion, dt / 2.0);
        let (moment, axes) = motion;
        let total = axes * moment;
        let mut axes = turn(&(total * (dt / self.moments[self.middle]))) * axes;
        axes.renormalize();
        let velocity = axes * moment.component_div(&self.moments);
        (velocity, axes * self.frame.inverse())
    }

    /// Rotates by the term of the energy that belongs to a principal axis.
    fn about(&self, axis: usize, (moment, axes): &mut Turning, dt: f64) {
        let excess = 1.0 / self.moments[axis] - 1.0 / self.moments[self.middle];
        let mut by = Vector3::zeros();
        by[axis] = excess * moment[axis] * dt;
        let by = turn(&by);
        *moment = by.inverse() * *moment;
        *axes *= by;
    }
}

/// Returns the rotation by a rotation vector, rad.
pub(super) fn turn(by: &Vector3<f64>) -> UnitQuaternion<f64> {
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
    use super::*;

    fn spin(moments: [f64; 3]) -> Spin {
        let frame = UnitQuaternion::from_euler_angles(0.3, -0.2, 0.5);
        Spin::new(moments.into(), frame).expect("positive moments")
    }

    fn energy(spin: &Spin, (velocity, rotation): &Turning) -> f64 {
        velocity.dot(&(spin.inertia(rotation) * velocity)) / 2.0
    }

    /// A spinning disc precesses about its momentum at L / A, and spins relative to that at ω₃ (1 - C / A), A and C being
    /// the moments across and along its axis.
    #[test]
    fn a_symmetric_body_precesses_as_the_formula_says() {
        for moments in [[0.02, 0.01, 0.01], [0.01, 0.01, 0.02], [0.01, 0.03, 0.01]] {
            let spin = spin(moments);
            let axis = Vector3::from(moments).map(|moment| f64::from(u8::from(moment != 0.01)));
            let start = UnitQuaternion::from_euler_angles(0.1, 0.7, -0.4);
            let axes = start * spin.frame;
            let along = moments.iter().copied().fold(0.0, f64::max);
            let across = axes * Vector3::new(axis.y, axis.z, axis.x);
            let velocity = axes * axis * 20.0 + across * 3.0;
            let total = spin.inertia(&start) * velocity;
            let mut motion = (velocity, start);
            for _ in 0..4800 {
                motion = spin.turn(motion, &Vector3::zeros(), 1.0 / 480.0);
            }
            let relative = axis * (20.0 * (1.0 - along / 0.01) * 10.0);
            let expected = turn(&(total / 0.01 * 10.0)) * axes * turn(&relative);
            let actual = motion.1 * spin.frame;
            assert!(actual.angle_to(&expected) < 1e-9, "{moments:?}");
            assert!(
                (energy(&spin, &motion) / energy(&spin, &(velocity, start)) - 1.0).abs() < 1e-12
            );
        }
    }

    /// A body with three different moments tumbles about its middle axis for 100 s.
    #[test]
    fn tumbling_keeps_momentum_and_energy() {
        let spin = spin([0.3, 0.5, 0.7]);
        let start = (Vector3::new(0.01, 6.0, 0.02), spin.frame.inverse());
        let total = |(velocity, rotation): &Turning| spin.inertia(rotation) * velocity;
        let mut motion = start;
        let mut lowest = f64::INFINITY;
        for _ in 0..48_000 {
            motion = spin.turn(motion, &Vector3::zeros(), 1.0 / 480.0);
            let axis = motion.1 * spin.frame * Vector3::y();
            lowest = lowest.min(axis.dot(&total(&motion)));
            assert!((energy(&spin, &motion) / energy(&spin, &start) - 1.0).abs() < 1e-5);
        }
        assert!(lowest < 0.0, "it turns over: {lowest}");
        assert!((total(&motion) - total(&start)).norm() < 1e-9 * total(&start).norm());
    }

    #[test]
    fn a_torque_changes_the_momentum() {
        let spin = spin([0.3, 0.5, 0.7]);
        let kick = Vector3::new(0.01, -0.02, 0.03);
        let (velocity, rotation) =
            spin.turn((Vector3::zeros(), UnitQuaternion::identity()), &kick, 1e-9);
        assert!((spin.inertia(&rotation) * velocity - kick).norm() < 1e-9);
    }
}
