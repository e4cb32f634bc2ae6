//! Sets the pose of a robot directly, without physics (MORSE's `Teleport`).
use morse_api::{
    angles::{from_yaw_pitch_roll, yaw_pitch_roll},
    command::{Received, give},
    prelude::*,
    state::Stateful,
};

/// Holds the robot at a pose, initially its own. The pose is set at every action, so that a robot with a teleport stands
/// still until the teleport is deactivated, as in MORSE.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Teleport {}

/// Pose of the actuator in the world, kept until the next command; R = Rz(yaw) · Ry(pitch) · Rx(roll).
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[doc(alias("PoseStamped", "mocap_pos"))]
pub struct TeleportCommand {
    /// Position along the world's x axis.
    #[reflect(@Unit("m"))]
    pub x: f64,
    /// Position along the world's y axis.
    #[reflect(@Unit("m"))]
    pub y: f64,
    /// Position along the world's z axis.
    #[reflect(@Unit("m"))]
    pub z: f64,
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

impl Stateful for TeleportCommand {}

impl From<&Isometry3<f64>> for TeleportCommand {
    fn from(pose: &Isometry3<f64>) -> Self {
        let [x, y, z] = pose.translation.vector.into();
        let [yaw, pitch, roll] = yaw_pitch_roll(&pose.rotation);
        Self {
            x,
            y,
            z,
            yaw,
            pitch,
            roll,
        }
    }
}

impl TeleportCommand {
    fn pose(&self) -> Isometry3<f64> {
        Isometry3::from_parts(
            Vector3::new(self.x, self.y, self.z).into(),
            from_yaw_pitch_roll([self.yaw, self.pitch, self.roll]),
        )
    }
}

impl Actuator for Teleport {
    const KIND: &'static str = "teleport";
    const MOVES_ROBOT: bool = true;
    const MORSE_CLASS: Option<&'static str> = Some("Teleport");
    type Command = TeleportCommand;
}

pub(super) fn plugin(app: &mut App) {
    app.add_actuator::<Teleport, _>(default_action)
        .add_systems(Startup, begin)
        .add_service::<Teleport>(Service::new(
            "translate",
            "Moves the pose by a vector in the world's axes.",
            translate,
        ))
        .add_service::<Teleport>(Service::new(
            "rotate",
            "Adds angles to the pose's roll, pitch and yaw.",
            rotate,
        ));
}

/// The initial pose is the actuator's own, also for the missing fields of incomplete commands.
fn begin(
    mut actuators: Query<
        (
            &WorldPose,
            &mut TeleportCommand,
            &mut Received<TeleportCommand>,
        ),
        With<Teleport>,
    >,
) {
    for (pose, mut command, mut received) in &mut actuators {
        if received.0 != TeleportCommand::default() {
            // The simulation file gives a first pose.
            continue;
        }
        *command = TeleportCommand::from(&pose.0);
        received.0 = *command;
    }
}

fn default_action(
    mut actuators: Query<(&Due, &Mount, &TeleportCommand, &mut Drive), With<Teleport>>,
) {
    for (due, mount, command, mut drive) in &mut actuators {
        *drive = if due.0 {
            Drive::Pose(command.pose() * mount.robot_from_component.inverse())
        } else {
            drive.between_actions()
        };
    }
}

/// Arguments of `translate`.
#[derive(Reflect, Deserialize)]
struct Translate {
    /// Translation along the world's x axis, m.
    x: f64,
    /// Translation along the world's y axis, m.
    #[serde(default)]
    y: f64,
    /// Translation along the world's z axis, m.
    #[serde(default)]
    z: f64,
}

fn translate(
    world: &mut World,
    entity: Entity,
    Translate { x, y, z }: Translate,
) -> Result<Outcome, ServiceError> {
    change(world, entity, |command| {
        command.x += x;
        command.y += y;
        command.z += z;
    })
}

/// Arguments of `rotate`.
#[derive(Reflect, Deserialize)]
struct Rotate {
    /// Added to roll, rad.
    roll: f64,
    /// Added to pitch, rad.
    #[serde(default)]
    pitch: f64,
    /// Added to yaw, rad.
    #[serde(default)]
    yaw: f64,
}

fn rotate(
    world: &mut World,
    entity: Entity,
    Rotate { roll, pitch, yaw }: Rotate,
) -> Result<Outcome, ServiceError> {
    change(world, entity, |command| {
        command.roll += roll;
        command.pitch += pitch;
        command.yaw += yaw;
    })
}

fn change(
    world: &mut World,
    entity: Entity,
    change: impl FnOnce(&mut TeleportCommand),
) -> Result<Outcome, ServiceError> {
    let mut command = world
        .get::<TeleportCommand>(entity)
        .copied()
        .unwrap_or_default();
    change(&mut command);
    give(world, entity, command)?;
    Ok(Outcome::NOTHING)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use morse_testing::{TestWorld, moving};

    use super::*;

    fn test_world() -> (TestWorld, Entity) {
        let start = moving([1.0, 2.0, 0.0], 0.3, [0.0; 3], [0.0; 3]);
        let mut test = TestWorld::new(60.0, plugin, start);
        let mount = Isometry3::new(Vector3::new(0.2, 0.0, 0.1), Vector3::z() * FRAC_PI_2);
        let teleport = test.actuator::<Teleport>("rover.teleport", "()", mount);
        test.step(start);
        (test, teleport)
    }

    #[track_caller]
    fn assert_near(test: &TestWorld, expected: &BodyState) {
        let pose = test.body().pose;
        assert!(
            (pose.to_homogeneous() - expected.pose.to_homogeneous()).norm() < 1e-9,
            "{pose}"
        );
    }

    #[test]
    fn it_starts_where_the_robot_is_and_goes_where_it_is_told() {
        let (mut test, teleport) = test_world();
        test.drive(teleport, 2);
        assert_near(&test, &moving([1.0, 2.0, 0.0], 0.3, [0.0; 3], [0.0; 3]));
        test.send(
            teleport,
            TeleportCommand {
                x: 5.0,
                z: 1.1,
                yaw: FRAC_PI_2,
                ..TeleportCommand::default()
            },
        );
        test.drive(teleport, 2);
        // The actuator looks to the left of the robot: the robot's x axis is the world's.
        assert_near(&test, &moving([4.8, 0.0, 1.0], 0.0, [0.0; 3], [0.0; 3]));
    }

    #[test]
    fn services_change_single_coordinates_of_the_pose() {
        let (mut test, teleport) = test_world();
        drop(test.call("rover.teleport", "translate", serde_json::json!([1.0, 0.5])));
        drop(test.call(
            "rover.teleport",
            "rotate",
            serde_json::json!({"roll": 0.0, "yaw": -0.3}),
        ));
        let own = Isometry3::translation(0.2, 0.0, 0.1).translation.vector;
        test.drive(teleport, 2);
        let turned = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.3) * own;
        let actuator = Vector3::new(2.0, 2.5, 0.0) + turned;
        let robot = actuator - own;
        assert_near(&test, &moving(robot.into(), 0.0, [0.0; 3], [0.0; 3]));
    }
}
