//! Drives a robot by the axes of a joystick, whatever their source: a window, a client, a recorded run, a test.
use morse_api::{actuator::Steers, prelude::*, state::Stateful};

/// Moves the robot while the stick is not at rest (MORSE's `Joystick`).
///
/// The second axis controls the forward velocity, the first one the angular velocity, in rad/s at most half the speed. When
/// the stick comes to rest the robot is stopped once; then other actuators may drive it. If several drive at the same time,
/// the one that was commanded last takes precedence. Unlike in MORSE, the axes come as commands from -1 to 1, forward and
/// left positive; the device's own numbers are -32767 times these.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Steers)]
pub struct Joystick {
    /// Control: the velocity is passed to physics, or the robot is moved directly.
    #[reflect(@Property("ControlType"), @Form::CONTROL)]
    pub control: Control,
    /// Speed at full deflection.
    #[reflect(@Unit("m/s"), @ValueRange(0.0, 1e4), @Property("Speed"))]
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

/// Deflection of the stick.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JoystickCommand {
    /// Deflections from -1 to 1: to the left, forward, and further axes of the device. Missing axes are at rest.
    #[reflect(@Unit(""))]
    pub axes: Vec<f64>,
}

impl Stateful for JoystickCommand {}

impl Actuator for Joystick {
    const KIND: &'static str = "joystick";
    const MOVES_ROBOT: bool = true;
    const MORSE_CLASS: Option<&'static str> = Some("Joystick");
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
        let axis = |index: usize| {
            let axis = command.axes.get(index).copied().unwrap_or_default();
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
