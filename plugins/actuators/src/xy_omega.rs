//! Drives an omnidirectional robot (MORSE's `MotionXYW`).
use morse_api::{prelude::*, state::Stateful};

/// Sets the robot's velocity along its x and y axes and about its z axis.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct XyOmega {
    /// Control: the velocity is passed to physics, or the robot is moved directly.
    #[reflect(@Property("ControlType"), @Form::CONTROL)]
    pub control: Control,
}

/// Linear and angular velocity, kept until the next command.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[doc(alias("Twist", "cmd_vel", "MotionXYW"))]
pub struct XyOmegaCommand {
    /// Forward velocity.
    #[reflect(@Unit("m/s"))]
    pub x: f64,
    /// Velocity to the left.
    #[reflect(@Unit("m/s"))]
    pub y: f64,
    /// Angular velocity, to the left.
    #[reflect(@Unit("rad/s"))]
    pub w: f64,
}

impl Stateful for XyOmegaCommand {}

impl Actuator for XyOmega {
    const KIND: &'static str = "xy_omega";
    const MOVES_ROBOT: bool = true;
    const MORSE_CLASS: Option<&'static str> = Some("MotionXYW");
    type Command = XyOmegaCommand;
}

pub(super) fn plugin(app: &mut App) {
    app.add_actuator::<XyOmega, _>(default_action);
}

fn default_action(
    mut actuators: Query<(&XyOmega, &Due, &UpdateRate, &XyOmegaCommand, &mut Drive)>,
) {
    for (settings, due, rate, command, mut drive) in &mut actuators {
        *drive = if due.0 {
            settings.control.drive(
                Vector3::new(command.x, command.y, 0.0),
                Vector3::z() * command.w,
                rate.period(),
            )
        } else {
            drive.between_actions()
        };
    }
}

#[cfg(test)]
mod tests {
    use morse_testing::TestWorld;

    use super::*;

    #[test]
    fn sideways_and_turning() {
        let mut test = TestWorld::new(60.0, plugin, BodyState::default());
        let motion = test.actuator::<XyOmega>("rover.motion", "()", Isometry3::identity());
        test.step(BodyState::default());
        test.send(
            motion,
            XyOmegaCommand {
                x: 1.0,
                y: -2.0,
                w: 0.5,
            },
        );
        test.step(BodyState::default());
        let expected = Drive::Velocity {
            linear: Vector3::new(1.0, -2.0, 0.0),
            angular: Vector3::new(0.0, 0.0, 0.5),
        };
        assert_eq!(*test.get::<Drive>(motion), expected);
    }

    #[test]
    fn past_physics_it_moves_by_the_period() {
        let mut test = TestWorld::new(60.0, plugin, BodyState::default());
        let text = "(control: position)";
        let motion = test.actuator::<XyOmega>("rover.motion", text, Isometry3::identity());
        test.send(
            motion,
            XyOmegaCommand {
                x: 3.0,
                y: 0.0,
                w: 0.0,
            },
        );
        test.drive(motion, 60);
        assert!((test.body().pose.translation.x - 3.0).abs() < 1e-9);
    }
}
