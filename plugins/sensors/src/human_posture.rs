//! Pose and joint positions of a human (MORSE's `HumanPosture`).
use morse_api::{
    angles::yaw_pitch_roll,
    joint::{JointState, JointVariable, RobotJoints},
    prelude::*,
};

/// Measures the pose of a human's base and the joints of torso, head, arms and legs.
///
/// MORSE filled `dof_12` to `dof_45` in an order that differed from its documentation, and never wrote `dof_46` to `dof_49`.
/// Here each field is documented with its joint, and those four stay zero, as do `empty1` to `empty6`. The value of a joint
/// that the human lacks is zero. As in MORSE, yaw is rotated by -π/2 against the body.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[reflect(@Example(r#"model: "robots/human.robray", base: kinematic,
sensors: { "human_posture": (kind: "human_posture") }"#))]
#[require(Body)]
pub struct HumanPosture {
    /// Names of the joints from `dof_12` on, instead of the default ones.
    pub joints: Vec<String>,
}

/// Joints in the order of the fields; `None` where the human lacks the joint. Not state.
#[derive(Component, Default)]
struct Body(Vec<Option<Entity>>);

macro_rules! posture {
    ($($(#[$docs:meta])* $field:ident $joint:literal,)+) => {
        /// One measurement.
        #[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
        pub struct HumanPostureData {
            /// Position along the world's x axis.
            #[reflect(@Unit("m"))]
            pub x: f64,
            /// Position along the world's y axis.
            #[reflect(@Unit("m"))]
            pub y: f64,
            /// Position along the world's z axis.
            #[reflect(@Unit("m"))]
            pub z: f64,
            /// Rotation about z, minus π/2.
            #[reflect(@Unit("rad"))]
            pub yaw: f64,
            /// Rotation about y.
            #[reflect(@Unit("rad"))]
            pub pitch: f64,
            /// Rotation about x.
            #[reflect(@Unit("rad"))]
            pub roll: f64,
            /// Always zero.
            #[reflect(@Unit(""))]
            pub empty1: f64,
            /// Always zero.
            #[reflect(@Unit(""))]
            pub empty2: f64,
            /// Always zero.
            #[reflect(@Unit(""))]
            pub empty3: f64,
            /// Always zero.
            #[reflect(@Unit(""))]
            pub empty4: f64,
            /// Always zero.
            #[reflect(@Unit(""))]
            pub empty5: f64,
            /// Always zero.
            #[reflect(@Unit(""))]
            pub empty6: f64,
            $($(#[$docs])* #[reflect(@Unit("rad"))] pub $field: f64,)+
            /// Always zero.
            #[reflect(@Unit("rad"))]
            pub dof_46: f64,
            /// Always zero.
            #[reflect(@Unit("rad"))]
            pub dof_47: f64,
            /// Always zero.
            #[reflect(@Unit("rad"))]
            pub dof_48: f64,
            /// Always zero.
            #[reflect(@Unit("rad"))]
            pub dof_49: f64,
        }

        /// Default names of the joints, in the order of the fields.
        pub const JOINTS: &[&str] = &[$($joint),+];

        impl HumanPostureData {
            /// Sets the joint positions.
            fn bend(&mut self, mut angles: impl Iterator<Item = f64>) {
                $(self.$field = angles.next().unwrap_or(0.0);)+
            }
        }
    };
}

posture! {
    /// Position of the torso about x: joint `spine_roll`.
    dof_12 "spine_roll",
    /// Position of the torso about y: joint `spine_pitch`.
    dof_13 "spine_pitch",
    /// Position of the torso about z: joint `spine_yaw`.
    dof_14 "spine_yaw",
    /// Position of the head about x: joint `neck_roll`.
    dof_15 "neck_roll",
    /// Position of the head about y: joint `neck_pitch`.
    dof_16 "neck_pitch",
    /// Position of the head about z: joint `neck_yaw`.
    dof_17 "neck_yaw",
    /// Position of the right shoulder about x: joint `shoulder_roll_right`.
    dof_18 "shoulder_roll_right",
    /// Position of the right shoulder about y: joint `shoulder_pitch_right`.
    dof_19 "shoulder_pitch_right",
    /// Position of the right shoulder about z: joint `shoulder_yaw_right`.
    dof_20 "shoulder_yaw_right",
    /// Position of the right elbow: joint `elbow_right`.
    dof_21 "elbow_right",
    /// Position of the right wrist about x: joint `wrist_roll_right`.
    dof_22 "wrist_roll_right",
    /// Position of the right wrist about y: joint `wrist_right`.
    dof_23 "wrist_right",
    /// Position of the right wrist about z: joint `wrist_yaw_right`.
    dof_24 "wrist_yaw_right",
    /// Position of the left shoulder about x: joint `shoulder_roll_left`.
    dof_25 "shoulder_roll_left",
    /// Position of the left shoulder about y: joint `shoulder_pitch_left`.
    dof_26 "shoulder_pitch_left",
    /// Position of the left shoulder about z: joint `shoulder_yaw_left`.
    dof_27 "shoulder_yaw_left",
    /// Position of the left elbow: joint `elbow_left`.
    dof_28 "elbow_left",
    /// Position of the left wrist about x: joint `wrist_roll_left`.
    dof_29 "wrist_roll_left",
    /// Position of the left wrist about y: joint `wrist_left`.
    dof_30 "wrist_left",
    /// Position of the left wrist about z: joint `wrist_yaw_left`.
    dof_31 "wrist_yaw_left",
    /// Position of the right hip about x: joint `hip_roll_right`.
    dof_32 "hip_roll_right",
    /// Position of the right hip about y: joint `hip_pitch_right`.
    dof_33 "hip_pitch_right",
    /// Position of the right hip about z: joint `hip_yaw_right`.
    dof_34 "hip_yaw_right",
    /// Position of the right knee: joint `knee_right`.
    dof_35 "knee_right",
    /// Position of the right ankle about x: joint `ankle_roll_right`.
    dof_36 "ankle_roll_right",
    /// Position of the right ankle about y: joint `ankle_right`.
    dof_37 "ankle_right",
    /// Position of the right ankle about z: joint `ankle_yaw_right`.
    dof_38 "ankle_yaw_right",
    /// Position of the left hip about x: joint `hip_roll_left`.
    dof_39 "hip_roll_left",
    /// Position of the left hip about y: joint `hip_pitch_left`.
    dof_40 "hip_pitch_left",
    /// Position of the left hip about z: joint `hip_yaw_left`.
    dof_41 "hip_yaw_left",
    /// Position of the left knee: joint `knee_left`.
    dof_42 "knee_left",
    /// Position of the left ankle about x: joint `ankle_roll_left`.
    dof_43 "ankle_roll_left",
    /// Position of the left ankle about y: joint `ankle_left`.
    dof_44 "ankle_left",
    /// Position of the left ankle about z: joint `ankle_yaw_left`.
    dof_45 "ankle_yaw_left",
}

impl HumanPosture {
    fn find(&self, world: &World, sensor: Entity) -> Vec<Option<Entity>> {
        let robot = world.get::<Mount>(sensor).map(|mount| mount.robot);
        let own = robot.and_then(|robot| world.get::<RobotJoints>(robot));
        let own = own.map_or(&[][..], |own| own.0.as_slice());
        let path = robot.and_then(|robot| world.get::<ComponentPath>(robot));
        let find = |name: &str| {
            let is_it = |&&joint: &&Entity| {
                let variable = world.get::<JointVariable>(joint);
                variable.is_some_and(|variable| variable.short_name(path) == name)
            };
            own.iter().find(is_it).copied()
        };
        if self.joints.is_empty() {
            JOINTS.iter().map(|name| find(name)).collect()
        } else {
            self.joints.iter().map(|name| find(name)).collect()
        }
    }
}

impl Sensor for HumanPosture {
    const KIND: &'static str = "human_posture";
    const MORSE_CLASSES: &'static [&'static str] = &["HumanPosture"];
    type Data = HumanPostureData;

    fn check(&self, world: &World, sensor: Entity) -> Result<(), CheckError> {
        if self.joints.len() > JOINTS.len() {
            return Err(CheckError::setting(format!(
                "there are {} joints at most",
                JOINTS.len()
            )));
        }
        if self.find(world, sensor).iter().any(Option::is_some) {
            return Ok(());
        }
        Err(CheckError::unmet(format!(
            "the robot is not a human: it has none of the joints {}",
            if self.joints.is_empty() {
                JOINTS.join(", ")
            } else {
                self.joints.join(", ")
            }
        )))
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_sensor::<HumanPosture, _>(default_action)
        .add_systems(Startup, begin);
}

/// Looks up the joints once.
fn begin(world: &mut World) {
    let mut all = world.query::<(Entity, &HumanPosture)>();
    let all: Vec<(Entity, HumanPosture)> = all
        .iter(world)
        .map(|(entity, settings)| (entity, settings.clone()))
        .collect();
    for (entity, settings) in all {
        let body = Body(settings.find(world, entity));
        world.entity_mut(entity).insert(body);
    }
}

fn default_action(
    states: Query<&JointState>,
    robots: Query<&BodyState>,
    mut sensors: Query<(&Due, &Mount, &Body, &mut HumanPostureData), With<HumanPosture>>,
) {
    for (due, mount, body, mut data) in &mut sensors {
        let (true, Ok(robot)) = (due.0, robots.get(mount.robot)) else {
            continue;
        };
        let [x, y, z] = robot.pose.translation.vector.into();
        let [yaw, pitch, roll] = yaw_pitch_roll(&robot.pose.rotation);
        *data = HumanPostureData {
            x,
            y,
            z,
            yaw: yaw - std::f64::consts::FRAC_PI_2,
            pitch,
            roll,
            ..*data
        };
        let angle = |joint: &Option<Entity>| {
            let state = joint.and_then(|joint| states.get(joint).ok());
            state.map_or(0.0, |state| state.position)
        };
        data.bend(body.0.iter().map(angle));
    }
}

#[cfg(test)]
mod tests {
    use morse_testing::{TestWorld, moving};

    use super::*;

    #[test]
    fn joints_are_where_the_fields_say() {
        assert_eq!(JOINTS.len(), 34, "dof_12 to dof_45");
        let mut test = TestWorld::new(60.0, plugin, BodyState::default());
        test.joints(&["rover.neck_yaw", "rover.knee_left", "rover.tail"]);
        let sensor = test.sensor::<HumanPosture>("rover.human", "()", 60.0, Isometry3::identity());
        test.step(BodyState::default());
        let joints = test.get::<RobotJoints>(test.robot).0.clone();
        for (joint, position) in joints.into_iter().zip([0.3, 0.9, 0.5]) {
            let state = JointState {
                position,
                ..JointState::default()
            };
            test.app.world_mut().entity_mut(joint).insert(state);
        }
        test.step(moving([1.0, 2.0, 3.0], 0.5, [0.0; 3], [0.0; 3]));
        let data: HumanPostureData = test.read(sensor);
        assert_eq!([data.x, data.y, data.z], [1.0, 2.0, 3.0]);
        assert!((data.yaw - (0.5 - std::f64::consts::FRAC_PI_2)).abs() < 1e-12);
        // Torso: 12 to 14, head: 15 to 17, arms: seven each up to 31, right leg: up to 38, left hip: 39 to 41.
        assert_eq!((data.dof_17, data.dof_42), (0.3, 0.9));
        assert_eq!(
            (data.dof_12, data.dof_16, data.dof_41, data.dof_49),
            (0.0, 0.0, 0.0, 0.0)
        );
    }

    #[test]
    fn a_rover_is_no_human() {
        let mut test = TestWorld::new(60.0, plugin, BodyState::default());
        test.joints(&["rover.tail"]);
        let sensor = test.sensor::<HumanPosture>("rover.human", "()", 60.0, Isometry3::identity());
        assert!(
            HumanPosture::default()
                .check(test.app.world(), sensor)
                .is_err()
        );
    }
}
