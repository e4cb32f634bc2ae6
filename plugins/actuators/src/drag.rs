//! Quadratic drag of a robot in air or water (MORSE's `Drag`).
use morse_api::{prelude::*, state::Stateful};

/// Applies a drag force to the body that carries the actuator: along each of its axes, the coefficient times the square of
/// the velocity along that axis. It accepts no commands.
///
/// As in MORSE, except that the force never reverses the velocity within a tick, so that a light robot slows down instead of
/// being thrown back. See `drag_area` of a robot for drag from the density of air or water.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Drag {
    /// Drag coefficient along the body's x axis.
    #[reflect(@Unit("N·s²/m²"), @ValueRange(0.0, 1e6), @Property("DragCoeffX"))]
    pub drag_coeff_x: f64,
    /// Drag coefficient along the body's y axis.
    #[reflect(@Unit("N·s²/m²"), @ValueRange(0.0, 1e6), @Property("DragCoeffY"))]
    pub drag_coeff_y: f64,
    /// Drag coefficient along the body's z axis.
    #[reflect(@Unit("N·s²/m²"), @ValueRange(0.0, 1e6), @Property("DragCoeffZ"))]
    pub drag_coeff_z: f64,
}

impl Default for Drag {
    fn default() -> Self {
        Self {
            drag_coeff_x: 0.09,
            drag_coeff_y: 0.09,
            drag_coeff_z: 0.5,
        }
    }
}

/// Command without fields: the drag follows from the motion.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DragCommand {}

impl Stateful for DragCommand {}

impl Actuator for Drag {
    const KIND: &'static str = "drag";
    const MORSE_CLASS: Option<&'static str> = Some("Drag");
    type Command = DragCommand;
}

pub(super) fn plugin(app: &mut App) {
    app.add_actuator::<Drag, _>(default_action);
}

fn default_action(
    clock: Res<Clock>,
    bodies: Query<&BodyState>,
    mut actuators: Query<(&Drag, &Due, &Mount, &mut Drive)>,
) {
    for (settings, due, mount, mut drive) in &mut actuators {
        *drive = match bodies.get(mount.body) {
            Ok(body) if due.0 => Drive::Wrench {
                force: settings.force(body, clock.dt()),
                torque: Vector3::zeros(),
            },
            _ => drive.between_actions(),
        };
    }
}

impl Drag {
    /// Returns the force in world axes, N.
    fn force(&self, body: &BodyState, dt: f64) -> Vector3<f64> {
        let axes = body.pose.rotation;
        let speeds = axes.inverse() * body.linear_velocity;
        let coefficients = Vector3::new(self.drag_coeff_x, self.drag_coeff_y, self.drag_coeff_z);
        let most = body.mass / dt;
        let force = speeds.zip_map(&coefficients, |speed, coefficient| {
            -speed * (coefficient * speed.abs()).min(most)
        });
        axes * force
    }
}

#[cfg(test)]
mod tests {
    use morse_testing::{TestWorld, moving};

    use super::*;

    fn force(text: &str, state: BodyState) -> Vector3<f64> {
        let mut test = TestWorld::new(60.0, plugin, state);
        let drag = test.actuator::<Drag>("rover.drag", text, Isometry3::identity());
        test.step(state);
        let Drive::Wrench { force, torque } = *test.get::<Drive>(drag) else {
            panic!("no wrench")
        };
        assert_eq!(torque, Vector3::zeros());
        force
    }

    #[test]
    fn the_square_of_each_speed_against_it_along_the_bodys_axes() {
        // Heading north, a velocity to the west is to the left.
        let north = std::f64::consts::FRAC_PI_2;
        let state = moving([0.0; 3], north, [-3.0, 2.0, -4.0], [0.0; 3]);
        let drag = force("()", state);
        let expected = Vector3::new(0.09 * 9.0, -0.09 * 4.0, 0.5 * 16.0);
        assert!((drag - expected).norm() < 1e-12, "{drag}");
    }

    #[test]
    fn it_stops_and_does_not_reverse() {
        let state = moving([0.0; 3], 0.0, [100.0, 0.0, 0.0], [0.0; 3]);
        // 10 kg at 100 m/s within a tick of 1/60 s.
        let drag = force("(drag_coeff_x: 1000)", state);
        assert!((drag.x + 10.0 * 100.0 * 60.0).abs() < 1e-9, "{drag}");
    }
}
