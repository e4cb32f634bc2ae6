//! The arc of a body that moves and turns at constant rates.

use morse_api::body::BodyKind;
use nalgebra::Vector3;

use super::{Commanded, EngineItem, PhysicsSettings, Tables, convert, held};

impl Commanded {
    /// Sets the velocity of bodies that followed their arc to that at its end, instead of the mean of the step, after the
    /// last step of a tick.
    pub(in super::super) fn settle(
        &self,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        settings: &PhysicsSettings,
    ) {
        for (body_index, command) in &self.velocities {
            let row = tables.bodies.get(*body_index);
            let Some(row) = row.filter(|row| command.is_alone(row)) else {
                continue;
            };
            let body = engine.bodies.bodies.get(row.handle);
            let Some(body) = body.filter(|body| body.is_enabled() && !body.is_sleeping()) else {
                continue;
            };
            let (linear, angular) = command.start(body, &engine.body_poses.of(body), row);
            let turn = angular.norm() * settings.substep();
            let off = convert::vector(body.linvel()) - held::allowed(row, linear);
            if row.kind == BodyKind::Kinematic || off.norm() <= turn * linear.norm() {
                command.impose(engine, row, None);
            }
        }
    }
}

/// Returns the mean velocity of the centre of mass over a time (s), for a body whose axes and velocity turn together:
/// `linear` is the initial velocity, `angular` the turning rate; world axes.
///
/// With θ = |angular| · seconds, the velocity component across the axis is multiplied by sin θ / θ, and (1 - cos θ) / θ of
/// it points along axis × velocity.
pub(super) fn mean(linear: &Vector3<f64>, angular: &Vector3<f64>, seconds: f64) -> Vector3<f64> {
    let rate = angular.norm();
    let angle = rate * seconds;
    if angle <= 0.0 {
        return *linear;
    }
    let axis = angular / rate;
    let along = axis * axis.dot(linear);
    let half = libm::sin(angle / 2.0);
    along
        + (linear - along) * (libm::sin(angle) / angle)
        + axis.cross(linear) * (2.0 * half * half / angle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_of_a_circle_and_a_screw() {
        let quarter = std::f64::consts::FRAC_PI_2;
        // 1 m/s on a circle of 1 m: from the start to (1, 1), and up at 0.5 m/s.
        let actual = mean(&Vector3::new(1.0, 0.0, 0.5), &Vector3::z(), quarter);
        let expected = Vector3::new(1.0 / quarter, 1.0 / quarter, 0.5);
        assert!((actual - expected).norm() < 1e-12, "{actual}");
        let straight = Vector3::new(1.0, -2.0, 3.0);
        assert_eq!(mean(&straight, &Vector3::zeros(), 0.1), straight);
        let slow = mean(&straight, &Vector3::new(1e-9, 0.0, 0.0), 0.1);
        assert!((slow - straight).norm() < 1e-9, "{slow}");
    }
}
