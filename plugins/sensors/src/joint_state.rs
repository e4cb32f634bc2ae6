//! Positions, velocities and efforts of a robot's joints, without error, as in ROS's `JointState`.
use morse_api::{
    joint::{JointState as State, JointVariable, RobotJoints},
    names::fits_any,
    prelude::*,
};

/// Measures positions, velocities and efforts of the robot's joints, in the order of the model. In a robot description
/// (URDF), each joint comes before its descendants, and siblings have the order of the file.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Joints)]
pub struct JointState {
    /// Names of the joints to report; `*` stands for any text. By default all joints of the robot.
    pub joints: Vec<String>,
}

/// One measurement: lists of the same length, as in ROS's `JointState`.
#[derive(Component, Reflect, Debug, Default, PartialEq, Serialize, Deserialize)]
#[doc(alias("sensor_msgs", "jointpos", "jointvel"))]
pub struct JointStateData {
    /// Names of the joints within the robot (without the robot's own name).
    #[reflect(@Unit(""))]
    pub names: Vec<String>,
    /// Positions: angles or lengths, without the joints' offsets.
    #[reflect(@Unit("rad or m"))]
    #[doc(alias("qpos", "position"))]
    pub positions: Vec<f64>,
    /// Velocities.
    #[reflect(@Unit("rad/s or m/s"))]
    #[doc(alias("qvel", "velocity"))]
    pub velocities: Vec<f64>,
    /// Efforts of the actuators.
    #[reflect(@Unit("N·m or N"))]
    #[doc(alias("effort", "actuator_force", "qfrc_actuator"))]
    pub efforts: Vec<f64>,
}

impl Clone for JointStateData {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, source: &Self) {
        self.names.clone_from(&source.names);
        self.positions.clone_from(&source.positions);
        self.velocities.clone_from(&source.velocities);
        self.efforts.clone_from(&source.efforts);
    }
}

/// Reported joint variables. Derived from the scene and the settings, so not state.
#[derive(Component, Default)]
struct Joints(Vec<Entity>);

impl Sensor for JointState {
    const KIND: &'static str = "joint_state";
    const ROS: &'static [&'static [RosMessage]] = &[&[RosMessage::JointState]];
    type Data = JointStateData;

    fn check(&self, world: &World, sensor: Entity) -> Result<(), CheckError> {
        let Some(mount) = world.get::<Mount>(sensor) else {
            return Ok(());
        };
        let robot = world.get::<ComponentPath>(mount.robot);
        let variables = world.get::<RobotJoints>(mount.robot);
        let names: Vec<&str> = variables
            .iter()
            .flat_map(|variables| &variables.0)
            .filter_map(|&variable| Some(world.get::<JointVariable>(variable)?.short_name(robot)))
            .collect();
        let is_known = |pattern: &String| {
            names
                .iter()
                .any(|name| fits_any(std::slice::from_ref(pattern), name))
        };
        match self.joints.iter().find(|pattern| !is_known(pattern)) {
            Some(pattern) => Err(CheckError::unmet(format!(
                "the robot has no joint `{pattern}`; it has: {}",
                if names.is_empty() {
                    "none".to_owned()
                } else {
                    names.join(", ")
                }
            ))),
            None => Ok(()),
        }
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_sensor::<JointState, _>(default_action)
        .add_systems(Startup, bind);
}

/// Looks up the joints once.
fn bind(
    variables: Query<&JointVariable>,
    robots: Query<(Option<&ComponentPath>, &RobotJoints)>,
    mut sensors: Query<(&JointState, &Mount, &mut Joints, &mut JointStateData)>,
) {
    for (settings, mount, mut joints, mut data) in &mut sensors {
        let Ok((robot, own)) = robots.get(mount.robot) else {
            continue;
        };
        joints.0.clear();
        data.names.clear();
        for &entity in &own.0 {
            let Ok(variable) = variables.get(entity) else {
                continue;
            };
            let name = variable.short_name(robot);
            if settings.joints.is_empty() || fits_any(&settings.joints, name) {
                joints.0.push(entity);
                data.names.push(name.to_owned());
            }
        }
    }
}

fn default_action(
    states: Query<&State>,
    mut sensors: Query<(&Due, &Joints, &mut JointStateData), With<JointState>>,
) {
    for (due, joints, mut data) in &mut sensors {
        if !due.0 {
            continue;
        }
        data.positions.clear();
        data.velocities.clear();
        data.efforts.clear();
        for &joint in &joints.0 {
            let state = states.get(joint).copied().unwrap_or_default();
            data.positions.push(state.position);
            data.velocities.push(state.velocity);
            data.efforts.push(state.effort);
        }
    }
}

#[cfg(test)]
mod tests {
    use morse_testing::TestWorld;

    use super::*;

    fn test_world() -> TestWorld {
        let mut test = TestWorld::new(60.0, plugin, BodyState::default());
        test.joints(&["rover.pan", "rover.tilt", "rover.lift"]);
        test
    }

    fn turn(test: &mut TestWorld, joint: usize, position: f64) {
        let joint = test.get::<RobotJoints>(test.robot).0[joint];
        let state = State {
            position,
            velocity: 0.1,
            effort: -2.0,
        };
        test.app.world_mut().entity_mut(joint).insert(state);
    }

    #[test]
    fn all_joints_in_the_scenes_order() {
        let mut test = test_world();
        let sensor = test.sensor::<JointState>("rover.joints", "()", 60.0, Isometry3::identity());
        test.step(BodyState::default());
        turn(&mut test, 1, 0.7);
        test.step(BodyState::default());
        let data: JointStateData = test.read(sensor);
        assert_eq!(data.names, ["pan", "tilt", "lift"]);
        assert_eq!(data.positions, [0.0, 0.7, 0.0]);
        assert_eq!(data.velocities, [0.0, 0.1, 0.0]);
        assert_eq!(data.efforts, [0.0, -2.0, 0.0]);
    }

    #[test]
    fn only_the_joints_that_are_asked_for() {
        let mut test = test_world();
        let text = r#"(joints: ["*t*"])"#;
        let sensor = test.sensor::<JointState>("rover.joints", text, 60.0, Isometry3::identity());
        test.step(BodyState::default());
        assert_eq!(test.read::<JointStateData>(sensor).names, ["tilt", "lift"]);
        let check = |pattern: &str| {
            let settings = JointState {
                joints: vec![pattern.to_owned()],
            };
            settings.check(test.app.world(), sensor)
        };
        assert!(check("pan").is_ok());
        assert!(
            check("turn")
                .unwrap_err()
                .to_string()
                .contains("pan, tilt, lift")
        );
    }
}
