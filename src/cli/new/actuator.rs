//! A force along the robot's x axis: an actuator for morse-sim. Replace this by the description of yours.
use morse_api::prelude::*;

/// Drives the robot forward, up to a maximum speed.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NewComponent {
    /// Maximum speed, forwards and backwards.
    #[reflect(@Unit("m/s"), @ValueRange(0.0, 100.0))]
    pub most: f64,
}

impl Default for NewComponent {
    fn default() -> Self {
        Self { most: 1.0 }
    }
}

/// One command.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NewComponentCommand {
    /// Forward velocity.
    #[reflect(@Unit("m/s"), @ValueRange(-100.0, 100.0))]
    pub speed: f64,
}

impl Stateful for NewComponentCommand {}

impl Actuator for NewComponent {
    const KIND: &'static str = "new_component";
    const MOVES_ROBOT: bool = true;
    type Command = NewComponentCommand;
}

/// Registers the kind `new_component`.
pub fn plugin(app: &mut App) {
    app.add_actuator::<NewComponent, _>(default_action);
}

fn default_action(mut actuators: Query<(&NewComponent, &Due, &NewComponentCommand, &mut Drive)>) {
    for (settings, due, command, mut drive) in &mut actuators {
        if due.0 {
            let speed = command.speed.clamp(-settings.most, settings.most);
            *drive = Drive::Velocity {
                linear: Vector3::new(speed, 0.0, 0.0),
                angular: Vector3::zeros(),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use morse_testing::{TestWorld, moving};

    use super::*;

    /// Returns the distance that a robot covers in a second.
    fn driven(settings: &str, speed: f64) -> f64 {
        let start = moving([0.0; 3], 0.0, [0.0; 3], [0.0; 3]);
        let mut world = TestWorld::new(60.0, plugin, start);
        let mount = Isometry3::identity();
        let actuator = world.actuator::<NewComponent>("rover.new_component", settings, mount);
        world.send(actuator, NewComponentCommand { speed });
        world.drive(actuator, 60);
        world.body().pose.translation.x
    }

    #[test]
    fn it_drives_as_fast_as_it_is_told() {
        assert!((driven("()", 0.5) - 0.5).abs() < 1e-9);
        assert!((driven("()", -0.5) + 0.5).abs() < 1e-9);
    }

    #[test]
    fn it_drives_no_faster_than_it_may() {
        assert!((driven("(most: 0.25)", 3.0) - 0.25).abs() < 1e-9);
    }
}
