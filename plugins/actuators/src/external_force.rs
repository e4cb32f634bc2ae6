//! Force and torque on a robot in the axes of the world (MORSE's `ExternalForce`), such as wind, a current or a rope.
use morse_api::{prelude::*, state::Stateful};

/// Applies a force and a torque to the body that carries the actuator, in the axes of the world, until the next command. The
/// force acts at the centre of mass, wherever the actuator is mounted.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExternalForce {}

/// Force and torque, kept until the next command.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExternalForceCommand {
    /// Force along the world's x, y and z axes.
    #[reflect(@Unit("N"))]
    pub force: [f64; 3],
    /// Torque about the world's x, y and z axes.
    #[reflect(@Unit("N·m"))]
    pub torque: [f64; 3],
}

impl Stateful for ExternalForceCommand {}

impl Actuator for ExternalForce {
    const KIND: &'static str = "external_force";
    const MORSE_CLASS: Option<&'static str> = Some("ExternalForce");
    type Command = ExternalForceCommand;
}

pub(super) fn plugin(app: &mut App) {
    app.add_actuator::<ExternalForce, _>(default_action);
}

fn default_action(
    mut actuators: Query<(&Due, &ExternalForceCommand, &mut Drive), With<ExternalForce>>,
) {
    for (due, command, mut drive) in &mut actuators {
        *drive = if due.0 {
            Drive::Wrench {
                force: command.force.into(),
                torque: command.torque.into(),
            }
        } else {
            drive.between_actions()
        };
    }
}

#[cfg(test)]
mod tests {
    use morse_testing::{TestWorld, moving};

    use super::*;

    #[test]
    fn the_axes_are_those_of_the_world_however_it_is_mounted() {
        let state = moving([1.0, 2.0, 3.0], 2.0, [0.0; 3], [0.0; 3]);
        let mut test = TestWorld::new(60.0, plugin, state);
        let mount = Isometry3::new(Vector3::new(1.0, 1.0, 1.0), Vector3::x());
        let wind = test.actuator::<ExternalForce>("rover.wind", "()", mount);
        let command = ExternalForceCommand {
            force: [1.0, 2.0, 3.0],
            torque: [4.0, 5.0, 6.0],
        };
        test.send(wind, command);
        test.step(state);
        let expected = Drive::Wrench {
            force: Vector3::new(1.0, 2.0, 3.0),
            torque: Vector3::new(4.0, 5.0, 6.0),
        };
        assert_eq!(*test.get::<Drive>(wind), expected);
    }
}
