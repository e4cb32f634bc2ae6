//! Drives a robot by keys, whatever their source: a window, a client, a recorded run, a test.
use morse_api::{actuator::Steers, prelude::*, state::Stateful, warning::Warnings};

/// Moves the robot while keys are pressed (MORSE's `Keyboard`).
///
/// `up` and `down` drive forwards and backwards, `left` and `right` turn; `t` and `g` climb and sink, `u` and `o` move to
/// the left and to the right, `i` and `k` pitch the nose down and up, `j` and `l` roll to the left and to the right. The
/// angular velocity in rad/s is half the speed. When the last key is released the robot is stopped once; then other
/// actuators may drive it. If several drive at the same time, the one that was commanded last takes precedence. Unlike in
/// MORSE, opposite keys cancel each other, and keys come as commands.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Steers)]
pub struct Keyboard {
    /// Control: the robot is moved directly, or the velocity is passed to physics.
    #[reflect(@Property("ControlType"), @Form::CONTROL)]
    pub control: Control,
    /// Linear speed; half of it in rad/s is the angular speed.
    #[reflect(@Unit("m/s"), @ValueRange(0.0, 1e4), @Property("Speed"))]
    pub speed: f64,
}

impl Default for Keyboard {
    fn default() -> Self {
        Self {
            control: Control::Position,
            speed: 1.0,
        }
    }
}

/// The keys that are pressed.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KeyboardCommand {
    /// `up`, `down`, `left`, `right`, `t`, `g`, `u`, `o`, `i`, `k`, `j`, `l`, in any order.
    #[reflect(@Unit(""))]
    pub keys: Vec<String>,
}

impl Stateful for KeyboardCommand {}

impl Actuator for Keyboard {
    const KIND: &'static str = "keyboard";
    const MOVES_ROBOT: bool = true;
    const MORSE_CLASS: Option<&'static str> = Some("Keyboard");
    type Command = KeyboardCommand;
}

pub(super) fn plugin(app: &mut App) {
    app.init_resource::<Warnings>()
        .register_state::<Steers>()
        .add_actuator::<Keyboard, _>(default_action);
}

fn default_action(
    mut warnings: ResMut<Warnings>,
    mut actuators: Query<(
        &Keyboard,
        &Due,
        &UpdateRate,
        &ComponentPath,
        &KeyboardCommand,
        &mut Steers,
        &mut Drive,
    )>,
) {
    for (settings, due, rate, path, command, mut steers, mut drive) in &mut actuators {
        if !due.0 {
            *drive = drive.between_actions();
            continue;
        }
        let mut velocity = None;
        for key in &command.keys {
            let Some((linear, angular)) = direction(key) else {
                warnings.add(path, &format!("unknown key {key:?}"));
                continue;
            };
            let sum: &mut (Vector3<f64>, Vector3<f64>) = velocity.get_or_insert_default();
            sum.0 += linear * settings.speed;
            sum.1 += angular * (settings.speed / 2.0);
        }
        *drive = steers.drive(settings.control, velocity, rate.period());
    }
}

/// Returns the direction in which a key drives the robot, and the axis about which it turns the robot.
fn direction(key: &str) -> Option<(Vector3<f64>, Vector3<f64>)> {
    let (linear, angular) = match key {
        "up" => ([1.0, 0.0, 0.0], [0.0; 3]),
        "down" => ([-1.0, 0.0, 0.0], [0.0; 3]),
        "u" => ([0.0, 1.0, 0.0], [0.0; 3]),
        "o" => ([0.0, -1.0, 0.0], [0.0; 3]),
        "t" => ([0.0, 0.0, 1.0], [0.0; 3]),
        "g" => ([0.0, 0.0, -1.0], [0.0; 3]),
        "l" => ([0.0; 3], [1.0, 0.0, 0.0]),
        "j" => ([0.0; 3], [-1.0, 0.0, 0.0]),
        "i" => ([0.0; 3], [0.0, 1.0, 0.0]),
        "k" => ([0.0; 3], [0.0, -1.0, 0.0]),
        "left" => ([0.0; 3], [0.0, 0.0, 1.0]),
        "right" => ([0.0; 3], [0.0, 0.0, -1.0]),
        _ => return None,
    };
    Some((linear.into(), angular.into()))
}

#[cfg(test)]
mod tests {
    use morse_testing::TestWorld;

    use super::*;

    fn pressed(keys: &[&str]) -> KeyboardCommand {
        KeyboardCommand {
            keys: keys.iter().map(|&key| key.to_owned()).collect(),
        }
    }

    /// Returns the drive after each of some commands, one per tick.
    fn drives(text: &str, commands: &[&[&str]]) -> Vec<Drive> {
        let mut test = TestWorld::new(50.0, plugin, BodyState::default());
        let keyboard = test.actuator::<Keyboard>("rover.keys", text, Isometry3::identity());
        commands
            .iter()
            .map(|keys| {
                test.send(keyboard, pressed(keys));
                test.step(BodyState::default());
                *test.get::<Drive>(keyboard)
            })
            .collect()
    }

    fn velocity(linear: [f64; 3], angular: [f64; 3]) -> Drive {
        Drive::Velocity {
            linear: linear.into(),
            angular: angular.into(),
        }
    }

    #[test]
    fn keys_are_velocities_and_the_last_release_stops_once() {
        let actual = drives(
            "(control: velocity, speed: 3)",
            &[
                &[],
                &["up", "left"],
                &["up", "down", "right"],
                &["t", "u", "l", "k"],
                &[],
                &[],
                &["o"],
            ],
        );
        let expected = [
            Drive::None,
            velocity([3.0, 0.0, 0.0], [0.0, 0.0, 1.5]),
            velocity([0.0; 3], [0.0, 0.0, -1.5]),
            velocity([0.0, 3.0, 3.0], [1.5, -1.5, 0.0]),
            velocity([0.0; 3], [0.0; 3]),
            Drive::None,
            velocity([0.0, -3.0, 0.0], [0.0; 3]),
        ];
        assert_eq!(actual, expected);
    }

    #[test]
    fn by_default_it_moves_past_physics_by_a_metre_a_second() {
        let actual = drives("()", &[&["down"], &["j", "nonsense"]]);
        let step = Isometry3::new(Vector3::new(-0.02, 0.0, 0.0), Vector3::zeros());
        assert_eq!(actual[0], Drive::Displacement(step));
        let Drive::Displacement(turn) = actual[1] else {
            panic!("{:?}", actual[1])
        };
        // 0.5 rad/s for 1/50 s, about −x.
        assert!((turn.rotation.scaled_axis() - Vector3::new(-0.01, 0.0, 0.0)).norm() < 1e-12);
    }
}
