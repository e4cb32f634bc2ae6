//! Rotates a robot to an orientation (MORSE's `Orientation`).
use morse_api::{
    angles::{from_yaw_pitch_roll, normalized, yaw_pitch_roll},
    command::Received,
    motion::MotionMode,
    prelude::*,
    state::Stateful,
};

/// Rotates the robot to an orientation in the world, initially its own.
///
/// At infinite speed, the default, the robot has the orientation at once and keeps it against external torques; its position
/// is left to physics (with MORSE's motion rules it does not fall). At a finite speed, each of yaw, pitch and roll
/// approaches its goal at most at that speed, which is commanded as a velocity: the robot keeps its position, and a robot on
/// the ground changes its yaw alone. With MORSE's motion rules the rates of the three angles are used as rates about the
/// robot's x, y and z. MORSE lost the sign of the last step.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Orientation {
    /// Maximum speed of each of the three angles; infinite by default.
    #[reflect(@Unit("rad/s"), @ValueRange(0.0, f64::INFINITY), @Property("speed"))]
    pub speed: f64,
    /// Errors of an angle below this are ignored; has no effect at infinite speed.
    #[reflect(@Unit("rad"), @ValueRange(0.0, 6.3), @Property("tolerance"))]
    pub tolerance: f64,
    /// Control: a finite speed is passed to physics, or the robot is rotated directly.
    #[reflect(@Property("ControlType"), @Form::CONTROL)]
    pub control: Control,
}

impl Default for Orientation {
    fn default() -> Self {
        Self {
            speed: f64::INFINITY,
            tolerance: 0.02,
            control: Control::default(),
        }
    }
}

/// Orientation of the actuator in the world; R = Rz(yaw) · Ry(pitch) · Rx(roll).
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OrientationCommand {
    /// Rotation about the world's z axis.
    #[reflect(@Unit("rad"))]
    pub yaw: f64,
    /// Rotation about the y axis, after yaw.
    #[reflect(@Unit("rad"))]
    pub pitch: f64,
    /// Rotation about the x axis, after yaw and pitch.
    #[reflect(@Unit("rad"))]
    pub roll: f64,
}

impl Stateful for OrientationCommand {}

impl Actuator for Orientation {
    const KIND: &'static str = "orientation";
    const MOVES_ROBOT: bool = true;
    const MORSE_CLASS: Option<&'static str> = Some("Orientation");
    type Command = OrientationCommand;
}

pub(super) fn plugin(app: &mut App) {
    app.init_resource::<MotionMode>()
        .add_actuator::<Orientation, _>(default_action)
        .add_systems(Startup, begin);
}

/// The initial orientation is the actuator's own, also for the missing fields of incomplete commands.
fn begin(
    mut actuators: Query<
        (
            &WorldPose,
            &mut OrientationCommand,
            &mut Received<OrientationCommand>,
        ),
        With<Orientation>,
    >,
) {
    for (pose, mut command, mut received) in &mut actuators {
        if received.0 == OrientationCommand::default() {
            let [yaw, pitch, roll] = yaw_pitch_roll(&pose.0.rotation);
            *command = OrientationCommand { yaw, pitch, roll };
            received.0 = *command;
        }
    }
}

fn default_action(
    motion: Res<MotionMode>,
    robots: Query<&BodyState>,
    mut actuators: Query<(
        &Orientation,
        (&Due, &UpdateRate, &Mount),
        &OrientationCommand,
        &mut Drive,
    )>,
) {
    for (settings, (due, rate, mount), command, mut drive) in &mut actuators {
        let Ok(robot) = robots.get(mount.robot) else {
            continue;
        };
        if !due.0 {
            *drive = drive.between_actions();
            continue;
        }
        let actuator = from_yaw_pitch_roll([command.yaw, command.pitch, command.roll]);
        let wanted = actuator * mount.robot_from_component.rotation.inverse();
        *drive = if settings.speed.is_finite() {
            let rates = settings.rates(&robot.pose.rotation, &wanted, rate.period(), *motion);
            settings
                .control
                .drive(Vector3::zeros(), rates, rate.period())
        } else {
            Drive::Orientation(wanted)
        };
    }
}

impl Orientation {
    /// Returns the angular velocity in the robot's axes, rad/s.
    fn rates(
        &self,
        now: &UnitQuaternion<f64>,
        wanted: &UnitQuaternion<f64>,
        period: f64,
        motion: MotionMode,
    ) -> Vector3<f64> {
        let now = yaw_pitch_roll(now);
        let wanted = yaw_pitch_roll(wanted);
        let rate = |index: usize| {
            let error = normalized(wanted[index] - now[index]);
            if error.abs() < self.tolerance {
                0.0
            } else {
                (error / period).clamp(-self.speed, self.speed)
            }
        };
        let [yaw, pitch, roll] = [rate(0), rate(1), rate(2)];
        if motion.is_morse() {
            return Vector3::new(roll, pitch, yaw);
        }
        let (sin_pitch, cos_pitch) = libm::sincos(now[1]);
        let (sin_roll, cos_roll) = libm::sincos(now[2]);
        Vector3::new(
            roll - yaw * sin_pitch,
            pitch * cos_roll + yaw * cos_pitch * sin_roll,
            -pitch * sin_roll + yaw * cos_pitch * cos_roll,
        )
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use morse_testing::{TestWorld, moving};

    use super::*;

    fn test_world(text: &str, mount: Isometry3<f64>) -> (TestWorld, Entity) {
        let start = moving([1.0, 2.0, 3.0], 0.3, [0.0; 3], [0.0; 3]);
        let mut test = TestWorld::new(60.0, plugin, start);
        let actuator = test.actuator::<Orientation>("rover.turn", text, mount);
        test.step(start);
        (test, actuator)
    }

    fn angles(test: &TestWorld) -> [f64; 3] {
        yaw_pitch_roll(&test.body().pose.rotation)
    }

    #[track_caller]
    fn assert_near(actual: [f64; 3], expected: [f64; 3], tolerance: f64) {
        let off = (Vector3::from(actual) - Vector3::from(expected)).amax();
        assert!(off <= tolerance, "{actual:?} instead of {expected:?}");
    }

    #[test]
    fn at_once() {
        let mount = Isometry3::new(Vector3::x(), Vector3::z() * FRAC_PI_2);
        let (mut test, actuator) = test_world("()", mount);
        test.drive(actuator, 3);
        assert_near(angles(&test), [0.3, 0.0, 0.0], 1e-9);
        let (yaw, pitch, roll) = (FRAC_PI_2 + 1.0, 0.0, 0.0);
        test.send(actuator, OrientationCommand { yaw, pitch, roll });
        test.drive(actuator, 1);
        assert_near(angles(&test), [1.0, 0.0, 0.0], 1e-9);
        let position = test.body().pose.translation.vector;
        assert!((position - Vector3::new(1.0, 2.0, 3.0)).norm() < 1e-12);
    }

    #[test]
    fn at_a_finite_speed_either_way() {
        for (yaw, pitch) in [(-0.7, 0.4), (2.3, -0.4)] {
            let (mut test, actuator) = test_world("(speed: 0.5)", Isometry3::identity());
            let roll = 0.0;
            test.send(actuator, OrientationCommand { yaw, pitch, roll });
            test.drive(actuator, 30);
            let turned = 0.25_f64;
            let towards = |from: f64, to: f64| from + turned.copysign(to - from);
            let expected = [towards(0.3, yaw), towards(0.0, pitch), 0.0];
            assert_near(angles(&test), expected, 2e-3);
            test.drive(actuator, 240);
            assert_near(angles(&test), [yaw, pitch, roll], 0.02);
            let still = test.body().pose;
            test.drive(actuator, 10);
            assert_eq!(test.body().pose, still);
        }
    }

    #[test]
    fn the_shorter_way_over_half_a_turn() {
        let (mut test, actuator) = test_world("(speed: 1)", Isometry3::identity());
        let yaw = 0.3 - 3.0 + std::f64::consts::TAU;
        test.send(
            actuator,
            OrientationCommand {
                yaw,
                ..OrientationCommand::default()
            },
        );
        test.drive(actuator, 60);
        assert_near(angles(&test), [-0.7, 0.0, 0.0], 1e-6);
    }
}
