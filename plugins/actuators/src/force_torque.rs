//! Force and torque on a robot.
use morse_api::{prelude::*, state::Stateful};

/// Applies a force and a torque to the body that carries the actuator, until the next command.
///
/// In the axes of the actuator, the force acts at its mount point, so that it also rotates a body whose centre of mass is
/// elsewhere; in the axes of the body, it acts at the centre of mass.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ForceTorque {
    /// True if force and torque are in the axes of the body, at its centre of mass.
    #[reflect(@Property("RobotFrame"))]
    pub robot_frame: bool,
}

/// Force and torque, kept until the next command.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[doc(alias("Wrench", "xfrc_applied"))]
pub struct ForceTorqueCommand {
    /// Force along the x, y and z axes.
    #[reflect(@Unit("N"))]
    pub force: [f64; 3],
    /// Torque about the x, y and z axes.
    #[reflect(@Unit("N·m"))]
    pub torque: [f64; 3],
}

impl Stateful for ForceTorqueCommand {}

impl Actuator for ForceTorque {
    const KIND: &'static str = "force_torque";
    const MORSE_CLASS: Option<&'static str> = Some("ForceTorque");
    type Command = ForceTorqueCommand;
}

pub(super) fn plugin(app: &mut App) {
    app.add_actuator::<ForceTorque, _>(default_action);
}

fn default_action(
    bodies: Query<&BodyState>,
    mut actuators: Query<(
        &ForceTorque,
        &Due,
        &Mount,
        &WorldPose,
        &ForceTorqueCommand,
        &mut Drive,
    )>,
) {
    for (settings, due, mount, pose, command, mut drive) in &mut actuators {
        *drive = match bodies.get(mount.body) {
            Ok(robot) if due.0 => wrench(settings, robot, &pose.0, command),
            _ => drive.between_actions(),
        };
    }
}

/// Returns the wrench at the centre of mass of the body that carries the actuator, world axes.
fn wrench(
    settings: &ForceTorque,
    robot: &BodyState,
    pose: &Isometry3<f64>,
    command: &ForceTorqueCommand,
) -> Drive {
    let (force, torque) = (Vector3::from(command.force), Vector3::from(command.torque));
    if settings.robot_frame {
        let axes = robot.pose.rotation;
        return Drive::Wrench {
            force: axes * force,
            torque: axes * torque,
        };
    }
    let force = pose.rotation * force;
    let arm = pose.translation.vector - robot.center_of_mass.coords;
    Drive::Wrench {
        force,
        torque: pose.rotation * torque + arm.cross(&force),
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use morse_testing::{TestWorld, moving};
    use nalgebra::Point3;

    use super::*;

    /// Returns the wrench on a robot that heads north, with its centre of mass 0.1 m above its origin.
    fn wrench(text: &str) -> [Vector3<f64>; 2] {
        let mut state = moving([5.0, 5.0, 0.0], FRAC_PI_2, [0.0; 3], [0.0; 3]);
        state.center_of_mass = Point3::new(5.0, 5.0, 0.1);
        let mut test = TestWorld::new(60.0, plugin, state);
        // On the left side, looking left.
        let mount = Isometry3::new(Vector3::new(0.0, 0.5, 0.3), Vector3::z() * FRAC_PI_2);
        let actuator = test.actuator::<ForceTorque>("rover.thruster", text, mount);
        test.send(
            actuator,
            ForceTorqueCommand {
                force: [2.0, 0.0, 1.0],
                torque: [0.0, 0.0, 3.0],
            },
        );
        test.step(state);
        let Drive::Wrench { force, torque } = *test.get::<Drive>(actuator) else {
            panic!("no wrench")
        };
        [force, torque]
    }

    #[test]
    fn off_the_centre_of_mass_a_force_turns() {
        let [force, torque] = wrench("()");
        // The actuator's x axis points west; its position relative to the centre of mass is (-0.5, 0, 0.2).
        assert!((force - Vector3::new(-2.0, 0.0, 1.0)).norm() < 1e-12);
        assert!((torque - Vector3::new(0.0, 0.2 * -2.0 - -0.5 * 1.0, 3.0)).norm() < 1e-12);
    }

    #[test]
    fn in_the_robots_frame_it_does_not() {
        let [force, torque] = wrench("(robot_frame: true)");
        assert!((force - Vector3::new(0.0, 2.0, 1.0)).norm() < 1e-12);
        assert!((torque - Vector3::new(0.0, 0.0, 3.0)).norm() < 1e-12);
    }
}
