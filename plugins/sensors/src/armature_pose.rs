//! Joint positions of an arm (MORSE's `ArmaturePose`).
use morse_api::{carrier::On, joint::JointState, named::Named, prelude::*, service::NoArguments};
use morse_kinematics::{
    Chain,
    chain::{self, Choice, OnJoints},
};
use serde_json::{Map, Value as Json};

/// Measures the position of each joint of the armature that the sensor is mounted `on`, or of the joints that its settings
/// select. Each joint is a field, in the order from root to tip: `{"kuka_1": 0.1, "kuka_2": 0.0}`.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[reflect(@Example(r#"model: "arms/kuka_lwr.robray", base: fixed,
actuators: { "arm": (kind: "armature") },
sensors: { "armature_pose": (kind: "armature_pose", on: "arm") }"#))]
#[require(Joints)]
pub struct ArmaturePose {
    /// Names of the joints; `*` stands for any text. By default all joints of the armature, or of the robot if there is no
    /// armature.
    pub joints: Vec<String>,
    /// Frame below which joints are measured, itself included; no limit if empty. If the frame belongs to a component of the
    /// robot, such as `left.kuka_base`, joints have their names within that component.
    pub root: String,
}

/// One measurement.
#[derive(Component, Reflect, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ArmaturePoseData {
    /// Position of each joint under its name, without the joint's offset.
    #[reflect(@Unit("rad or m"))]
    pub joints: Named,
}

impl Clone for ArmaturePoseData {
    fn clone(&self) -> Self {
        Self {
            joints: self.joints.clone(),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.joints.clone_from(&source.joints);
    }
}

/// Joints that are measured. Derived from the scene and the settings, so not state.
#[derive(Component, Default)]
struct Joints(Chain);

impl OnJoints for ArmaturePose {
    fn chain(&self, world: &World, sensor: Entity) -> Result<Chain, CheckError> {
        let on = world.get::<On>(sensor);
        let armature = on.and_then(|on| world.get::<Chain>(on.0));
        if let Some(chain) = armature.filter(|chain| !chain.joints.is_empty())
            && self.joints.is_empty()
            && self.root.is_empty()
        {
            return Ok(chain.clone());
        }
        let choice = Choice {
            joints: &self.joints,
            root: &self.root,
            tip: "",
        };
        Chain::around(world, sensor, choice)
    }
}

impl Sensor for ArmaturePose {
    const KIND: &'static str = "armature_pose";
    const ROS: &'static [&'static [RosMessage]] = &[&[RosMessage::JointPositions]];
    const MORSE_CLASSES: &'static [&'static str] = &["ArmaturePose"];
    type Data = ArmaturePoseData;

    fn check(&self, world: &World, sensor: Entity) -> Result<(), CheckError> {
        self.chain(world, sensor).map(drop)
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_sensor::<ArmaturePose, _>(default_action)
        .add_systems(Startup, begin);
    let services: [(_, _, fn(&mut World, Entity, NoArguments) -> _); 3] = [
        (
            "get_joints",
            "The names of the joints, from root to tip.",
            get_joints,
        ),
        (
            "get_state",
            "The position of each joint by its name, rad or m.",
            get_state,
        ),
        (
            "get_joints_length",
            "By the name of each joint, the distance to the next one or to the tip, m.",
            get_joints_length,
        ),
    ];
    for (name, docs, handler) in services {
        app.add_service::<ArmaturePose>(Service::new(name, docs, handler).read_only());
    }
    app.add_service::<ArmaturePose>(
        Service::new(
            "get_joint",
            "The position of one joint, rad or m.",
            get_joint,
        )
        .read_only(),
    );
}

/// Looks up the joints once.
fn begin(world: &mut World) {
    for (entity, _, chain) in chain::all::<ArmaturePose>(world) {
        let data = ArmaturePoseData {
            joints: Named::zero(chain.names()),
        };
        world.entity_mut(entity).insert((
            morse_api::sensor::Modified(data.clone()),
            data,
            Joints(chain),
        ));
    }
}

fn default_action(
    states: Query<&JointState>,
    mut sensors: Query<(&Due, &Joints, &mut ArmaturePoseData), With<ArmaturePose>>,
) {
    for (due, joints, mut data) in &mut sensors {
        if !due.0 {
            continue;
        }
        for (value, joint) in data.joints.values.iter_mut().zip(&joints.0.joints) {
            *value = states
                .get(joint.variable)
                .map_or(0.0, |state| state.position);
        }
    }
}

/// Returns the name and the current position of each joint.
fn state(world: &World, sensor: Entity) -> Vec<(String, f64)> {
    let joints = world.get::<Joints>(sensor);
    let joints = joints.iter().flat_map(|joints| &joints.0.joints);
    let position = |variable| {
        let state = world.get::<JointState>(variable);
        state.map_or(0.0, |state| state.position)
    };
    joints
        .map(|joint| (joint.name.clone(), position(joint.variable)))
        .collect()
}

fn get_joints(world: &mut World, sensor: Entity, _: NoArguments) -> Result<Outcome, ServiceError> {
    let names: Vec<String> = state(world, sensor)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    Ok(Outcome::Done(names.into()))
}

fn get_state(world: &mut World, sensor: Entity, _: NoArguments) -> Result<Outcome, ServiceError> {
    let all = state(world, sensor).into_iter();
    let all: Map<String, Json> = all.map(|(name, at)| (name, at.into())).collect();
    Ok(Outcome::Done(Json::Object(all)))
}

/// Arguments of `get_joint`.
#[derive(Reflect, Deserialize)]
struct Name {
    /// Name of the joint.
    joint: String,
}

fn get_joint(world: &mut World, sensor: Entity, name: Name) -> Result<Outcome, ServiceError> {
    let all = state(world, sensor);
    let entry = all.iter().find(|(known, _)| *known == name.joint);
    let (_, position) = entry.ok_or_else(|| {
        let known: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        ServiceError::Failed(format!(
            "there is no joint `{}`; there are: {}",
            name.joint,
            known.join(", ")
        ))
    })?;
    Ok(Outcome::Done((*position).into()))
}

fn get_joints_length(
    world: &mut World,
    sensor: Entity,
    _: NoArguments,
) -> Result<Outcome, ServiceError> {
    let joints = world.get::<Joints>(sensor);
    let joints = joints.iter().flat_map(|joints| &joints.0.joints);
    let lengths: Map<String, Json> = joints
        .map(|joint| (joint.name.clone(), joint.length.into()))
        .collect();
    Ok(Outcome::Done(Json::Object(lengths)))
}

#[cfg(test)]
mod tests {
    use morse_testing::TestWorld;
    use serde_json::json;

    use super::*;

    #[test]
    fn each_joint_is_a_field_of_its_own() {
        let mut test = TestWorld::new(60.0, plugin, BodyState::default());
        test.joints(&["rover.pan", "rover.tilt", "rover.lift"]);
        let text = r#"(joints: ["pan", "tilt"])"#;
        let sensor = test.sensor::<ArmaturePose>("rover.arm", text, 60.0, Isometry3::identity());
        test.step(BodyState::default());
        let joint = test.get::<morse_api::joint::RobotJoints>(test.robot).0[1];
        test.app.world_mut().entity_mut(joint).insert(JointState {
            position: 0.7,
            ..JointState::default()
        });
        test.step(BodyState::default());
        let data: ArmaturePoseData = test.read(sensor);
        let fields = Fields::of_type::<ArmaturePoseData>(None);
        let exported = morse_api::fields::data_to_json(&fields, &data);
        assert_eq!(exported, json!({"pan": 0.0, "tilt": 0.7}));
        let mut call = |service: &str, arguments| {
            test.call("rover.arm", service, arguments)
                .reply()
                .unwrap()
                .value
        };
        assert_eq!(call("get_joints", json!([])), json!(["pan", "tilt"]));
        assert_eq!(call("get_state", json!([])), exported);
        assert_eq!(call("get_joint", json!(["tilt"])), json!(0.7));
        let refused = call("get_joint", json!(["lift"]));
        assert_eq!(
            refused,
            json!("there is no joint `lift`; there are: pan, tilt")
        );
    }
}
