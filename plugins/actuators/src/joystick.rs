//! Drives a robot by the axes of a joystick, wherever it is: a window, a client, a recorded run, a test.
use morse_api::{actuator::Steers, prelude::*, state::Stateful};

/// Moves the robot while the stick is not at rest (MORSE's `Joystick`).
///
/// The second axis drives forward and back, the first one turns, at full deflection by half the speed in
/// rad/s. When the stick comes to rest the robot is stopped once; then other actuators may drive it. Of
/// several that drive at once the one that was commanded last wins. Unlike in MORSE, the axes come as commands and count
/// from -1 to 1, forward and left positive; the device's own numbers are -32767 times these.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Steers)]
pub struct Joystick {
    /// Kind of control: the speed is given to physics, or the robot is moved past it.
    #[reflect(@Property("ControlType"), @Form::CONTROL)]
    pub control: Control,
    /// Speed at full deflection.
    #[reflect(@Unit("m/s"), @Range(0.0, 1e4), @Property("Speed"))]
    pub speed: f64,
}

impl Default for Joystick {
    fn default() -> Self {
        Self {
            control: Control::Velocity,
            speed: 1.0,
        }
    }
}

/// The deflection of the stick.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JoystickCommand {
    /// From -1 to 1 each: to the left, forward, and whatever else the device has. What is missing is at
    /// rest.
    #[reflect(@Unit(""))]
    pub axes: Vec<f64>,
}

impl Stateful for JoystickCommand {}

impl Actuator for Joystick {
    const KIND: &'static str = "joystick";
    const MOVES_ROBOT: bool = true;
    type Command = JoystickCommand;
}

pub(super) fn plugin(app: &mut App) {
    app.register_state::<Steers>()
        .add_actuator::<Joystick, _>(default_action);
}

fn default_action(
    mut actuators: Query<(
        &Joystick,
        &Due,
        &UpdateRate,
        &JoystickCommand,
        &mut Steers,
        &mut Drive,
    )>,
) {
    for (settings, due, rate, command, mut steers, mut drive) in &mut actuators {
        if !due.0 {
            *drive = drive.between_actions();
            continue;
        }
        let axis = |at: usize| {
            let axis = command.axes.get(at).copied().unwrap_or_default();
            axis.clamp(-1.0, 1.0) * settings.speed
        };
        let (turn, forward) = (axis(0) / 2.0, axis(1));
        let is_deflected = turn != 0.0 || forward != 0.0;
        let velocity = is_deflected.then(|| (Vector3::x() * forward, Vector3::z() * turn));
        *drive = steers.drive(settings.control, velocity, rate.period());
    }
}

#[cfg(test)]
mod tests {
    use morse_testing::TestWorld;

    use super::*;

    #[test]
    fn axes_are_speeds_and_rest_stops_once() {
        let mut test = TestWorld::new(60.0, plugin, BodyState::default());
        let joystick =
            test.actuator::<Joystick>("rover.stick", "(speed: 2)", Isometry3::identity());
        let cases: [(&[f64], Option<[f64; 2]>); 7] = [
            (&[], None),
            (&[0.0, 0.5], Some([1.0, 0.0])),
            (&[0.25, -1.0, 0.7], Some([-2.0, 0.25])),
            // A device that is not calibrated.
            (&[-3.0], Some([0.0, -1.0])),
            (&[0.0, 0.0, 1.0], Some([0.0, 0.0])),
            (&[0.0], None),
            (&[1.0], Some([0.0, 1.0])),
        ];
        for (axes, expected) in cases {
            let axes = axes.to_vec();
            test.send(joystick, JoystickCommand { axes });
            test.step(BodyState::default());
            let expected = expected.map_or(Drive::None, |[v, w]| Drive::Velocity {
                linear: Vector3::x() * v,
                angular: Vector3::z() * w,
            });
            assert_eq!(*test.get::<Drive>(joystick), expected);
        }
    }
}
