//! Force–torque sensor: the wrench through a joint, or between two parts of a robot.
use bevy::prelude::{Entity, World};
use morse_api::{
    body::{BodyKind, Inertia},
    contact::Wrench,
    prelude::*,
};

/// Measures force and torque between two parts of a robot, as a six-axis sensor at the wrist, in a foot or under a bumper.
///
/// The sensor is at the frame of its `mount`, for example `mount: (frame: "tool")`. The part beyond is that frame with all
/// frames and joints on it; the part before carries it. Weight and inertia of the part beyond are measured, as by a real
/// sensor, with all forces of contacts and grasps on it: the mean over the last tick. At a joint (the frame of a joint's
/// child), the component along the joint's axis is the effort of motor, friction and limit together.
///
/// Bodies behind joints with the mode `kinematic` have no share in the wrench. Water, air and forces of other components
/// count for bodies that are beyond as a whole.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[reflect(@Example(r#"model: "arms/kuka_lwr.robray", base: fixed,
actuators: { "joints": (kind: "joints") },
sensors: { "force_torque": (kind: "force_torque", mount: (frame: "kuka_7")) }"#))]
#[require(Wrench)]
pub struct ForceTorque {
    /// Sign: the wrench that the part beyond exerts on the part before (`child_to_parent`, as in Gazebo), or its opposite
    /// (`parent_to_child`, as in MuJoCo).
    pub direction: Direction,
}

/// Direction in which a wrench is measured.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// From the part beyond the sensor to the part before it.
    #[default]
    ChildToParent,
    /// From the part before the sensor to the part beyond it.
    ParentToChild,
}

/// One measurement.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ForceTorqueData {
    /// Force along the sensor's x, y and z axes.
    #[reflect(@Unit("N"))]
    pub force: [f64; 3],
    /// Torque about the sensor's x, y and z axes through its origin.
    #[reflect(@Unit("N·m"))]
    pub torque: [f64; 3],
}

impl Sensor for ForceTorque {
    const KIND: &'static str = "force_torque";
    const ROS: &'static [&'static [RosMessage]] = &[&[RosMessage::Wrench]];
    type Data = ForceTorqueData;

    fn check(&self, world: &World, sensor: Entity) -> Result<(), CheckError> {
        let Some(mount) = world.get::<Mount>(sensor) else {
            return Ok(());
        };
        if world.get::<BodyKind>(mount.body) == Some(&BodyKind::Kinematic) {
            return Err(CheckError::unmet(
                "it is mounted on a body that moves as commanded, regardless of forces: set `base: dynamic` or \
                 `base: fixed`, and the mode `dynamic` for the joint",
            ));
        }
        let moves = world.get::<Inertia>(mount.body).is_some();
        if moves && mount.body == mount.robot && mount.frame == mount.body {
            return Err(CheckError::unmet(
                "it is mounted on the base of a robot that moves freely, which no other part carries: name a frame \
                 beyond it, `mount: (frame: \"…\")`",
            ));
        }
        Ok(())
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_sensor::<ForceTorque, _>(default_action);
}

fn default_action(mut sensors: Query<(&ForceTorque, &Due, &Wrench, &mut ForceTorqueData)>) {
    for (settings, due, wrench, mut data) in &mut sensors {
        if due.0 {
            let sign = match settings.direction {
                Direction::ChildToParent => 1.0,
                Direction::ParentToChild => -1.0,
            };
            data.force = (wrench.force * sign).into();
            data.torque = (wrench.torque * sign).into();
        }
    }
}
