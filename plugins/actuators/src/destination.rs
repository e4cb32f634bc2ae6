//! Moves a robot straight to a point (MORSE's `Destination`).
use morse_api::{body::Robot, command::Received, prelude::*, state::Stateful};

/// Moves the robot in a straight line to a point of the world, without turning it.
///
/// As in MORSE, with two differences: the direction to the goal is in the world, regardless of the robot's heading (MORSE
/// used one of the robot's axes); and the robot slows down in the last step instead of passing the goal. For a robot on the
/// ground the height of the goal is ignored. Within the tolerance the robot is stopped once, and then released until there
/// is a new goal.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Journey)]
pub struct Destination {
    /// Speed on the way.
    #[reflect(@Unit("m/s"), @ValueRange(0.0, 1e4), @Property("Speed"))]
    pub speed: f64,
    /// Distance from the goal at which it is reached.
    #[reflect(@Unit("m"), @ValueRange(0.0, 1e6), @Property("Tolerance"))]
    pub tolerance: f64,
    /// True if the robot is held at the goal; otherwise another actuator may move it.
    #[reflect(@Property("RemainAtDestination"))]
    pub remain_at_destination: bool,
    /// Control mode: the velocity is applied by physics, or the robot is displaced past it.
    #[reflect(@Property("ControlType"), @Form::CONTROL)]
    pub control: Control,
}

impl Default for Destination {
    fn default() -> Self {
        Self {
            speed: 5.0,
            tolerance: 0.5,
            remain_at_destination: false,
            control: Control::default(),
        }
    }
}

/// A goal in the world, for the actuator itself; initially its own position.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DestinationCommand {
    /// Along the world's x axis.
    #[reflect(@Unit("m"))]
    pub x: f64,
    /// Along the world's y axis.
    #[reflect(@Unit("m"))]
    pub y: f64,
    /// Along the world's z axis.
    #[reflect(@Unit("m"))]
    pub z: f64,
}

impl Stateful for DestinationCommand {}

impl DestinationCommand {
    fn point(&self) -> Vector3<f64> {
        Vector3::new(self.x, self.y, self.z)
    }
}

/// Progress towards the goal.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Journey {
    goal: [f64; 3],
    has_arrived: bool,
}

impl Stateful for Journey {}

impl Actuator for Destination {
    const KIND: &'static str = "destination";
    const MOVES_ROBOT: bool = true;
    const MORSE_CLASS: Option<&'static str> = Some("Destination");
    type Command = DestinationCommand;
}

pub(super) fn plugin(app: &mut App) {
    app.add_actuator::<Destination, _>(default_action)
        .register_state::<Journey>()
        .add_systems(Startup, begin);
}

/// Sets the first goal to the position of the actuator, also for partial commands.
fn begin(
    mut actuators: Query<
        (
            &WorldPose,
            &mut Journey,
            &mut DestinationCommand,
            &mut Received<DestinationCommand>,
        ),
        With<Destination>,
    >,
) {
    for (pose, mut journey, mut command, mut received) in &mut actuators {
        if received.0 == DestinationCommand::default() {
            let [x, y, z] = pose.0.translation.vector.into();
            *command = DestinationCommand { x, y, z };
            received.0 = *command;
            journey.has_arrived = true;
        }
        journey.goal = command.point().into();
    }
}

fn default_action(
    robots: Query<(&BodyState, &Robot)>,
    mut actuators: Query<(
        &Destination,
        (&Due, &UpdateRate, &Mount, &WorldPose),
        &DestinationCommand,
        &mut Journey,
        &mut Drive,
    )>,
) {
    for (settings, (due, rate, mount, pose), command, mut journey, mut drive) in &mut actuators {
        let Ok((body, robot)) = robots.get(mount.robot) else {
            continue;
        };
        if !due.0 {
            *drive = drive.between_actions();
            continue;
        }
        let goal = command.point();
        if goal != Vector3::from(journey.goal) {
            *journey = Journey {
                goal: goal.into(),
                has_arrived: false,
            };
        }
        if journey.has_arrived && !settings.remain_at_destination {
            *drive = Drive::None;
            continue;
        }
        let mut displacement = goal - pose.0.translation.vector;
        if robot.is_ground_robot {
            displacement.z = 0.0;
        }
        let velocity = settings.velocity(&displacement, rate.period());
        journey.has_arrived = velocity == Vector3::zeros();
        let in_robot = body.pose.rotation.inverse() * velocity;
        *drive = settings
            .control
            .drive(in_robot, Vector3::zeros(), rate.period());
    }
}

impl Destination {
    /// Velocity in world axes, m/s; zero at the goal.
    fn velocity(&self, displacement: &Vector3<f64>, period: f64) -> Vector3<f64> {
        let distance = displacement.norm();
        if distance.is_nan() || distance <= self.tolerance {
            return Vector3::zeros();
        }
        displacement / distance * self.speed.min(distance / period)
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use morse_testing::{TestWorld, moving};

    use super::*;

    fn test_world(text: &str, is_ground_robot: bool) -> (TestWorld, Entity) {
        let start = moving([1.0, 2.0, 0.5], FRAC_PI_2, [0.0; 3], [0.0; 3]);
        let mut test = TestWorld::new(60.0, plugin, start);
        let robot = test.robot;
        let mut robot = test.app.world_mut().entity_mut(robot);
        robot.insert(Robot { is_ground_robot });
        let actuator = test.actuator::<Destination>("rover.goal", text, Isometry3::identity());
        test.step(start);
        (test, actuator)
    }

    fn position(test: &TestWorld) -> [f64; 3] {
        test.body().pose.translation.vector.into()
    }

    fn to(x: f64, y: f64, z: f64) -> DestinationCommand {
        DestinationCommand { x, y, z }
    }

    #[test]
    fn a_robot_that_heads_north_goes_where_the_world_says() {
        let (mut test, actuator) = test_world("(speed: 3, tolerance: 0.01)", false);
        test.drive(actuator, 5);
        assert_eq!(*test.get::<Drive>(actuator), Drive::None, "at its goal");
        test.send(actuator, to(1.0, 6.0, 3.5));
        test.drive(actuator, 60);
        // 3 m of the 5 m to (0, 4, 3) from the start.
        let [x, y, z] = position(&test);
        let off = Vector3::new(x - 1.0, y - 4.4, z - 2.3).norm();
        assert!(off < 1e-6, "{x} {y} {z}");
        test.drive(actuator, 60);
        let [x, y, z] = position(&test);
        assert!(Vector3::new(x - 1.0, y - 6.0, z - 3.5).norm() < 1e-9);
        assert_eq!(*test.get::<Drive>(actuator), Drive::None, "it has arrived");
    }

    #[test]
    fn on_the_ground_the_height_of_the_goal_does_not_count() {
        let (mut test, actuator) =
            test_world("(tolerance: 0.1, remain_at_destination: true)", true);
        test.send(actuator, to(-3.0, 2.0, 0.0));
        test.drive(actuator, 30);
        let [x, y, z] = position(&test);
        assert!((x + 1.5).abs() < 1e-9 && (y - 2.0).abs() < 1e-9 && z == 0.5);
        test.drive(actuator, 60);
        assert!((position(&test)[0] + 3.0).abs() <= 0.1);
        let still = Drive::Velocity {
            linear: Vector3::zeros(),
            angular: Vector3::zeros(),
        };
        assert_eq!(*test.get::<Drive>(actuator), still);
    }
}
