//! Controls an arm with six revolute joints (MORSE's `PA10`).
use bevy::prelude::{IntoScheduleConfigs as _, PreStartup};
use morse_api::{
    carrier::{Bind, CarrierBody, RestingPlate},
    command::{Received, give},
    component::Active,
    joint::{JointState, JointTarget},
    prelude::*,
    state::Stateful,
};
use morse_kinematics::{
    Chain, approach,
    chain::{self, Choice, OnJoints},
};

/// Rotates the six segments of an arm to angles, each at the same speed, within the joints' limits.
///
/// MORSE's arm moved by whole steps of speed / frequency until it was within the tolerance of 5°, and stayed there; here the
/// last step ends at the goal, and the tolerance only selects the errors that are ignored. There is no sound. The segments
/// are the first six of the selected joints from the root on, which on MORSE's arm rotate about z, y, y, z, y, z. Components
/// `on` the arm with `from: base` follow its tip.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[reflect(@Example(r#"model: "arms/pa10.robray", base: fixed,
actuators: { "pa_10": (kind: "pa_10") }"#))]
#[require(Chain, RestingPlate, Segments)]
pub struct Pa10 {
    /// Speed of all segments.
    #[reflect(@Unit("rad/s"), @ValueRange(0.0, 1e4), @Property("Speed"))]
    pub speed: f64,
    /// A new goal is ignored if it differs from the old one by less than this.
    #[reflect(@Unit("rad"), @ValueRange(0.0, 6.3), @Property("Tolerance"))]
    pub tolerance: f64,
    /// Names of the joints; `*` stands for any text. By default all joints of the robot.
    pub joints: Vec<String>,
    /// Frame below which joints are controlled, itself included; no limit if empty. If the frame belongs to a component of
    /// the robot, such as `left.pa10_base`, joints have their names within that component.
    pub root: String,
}

impl Default for Pa10 {
    fn default() -> Self {
        Self {
            speed: 1.0,
            tolerance: 5.0_f64.to_radians(),
            joints: Vec::new(),
            root: String::new(),
        }
    }
}

/// Angles of the segments, kept until the next command.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pa10Command {
    /// Angle of the segment at the root.
    #[reflect(@Unit("rad"))]
    pub seg0: f64,
    /// Angle of the second segment.
    #[reflect(@Unit("rad"))]
    pub seg1: f64,
    /// Angle of the third segment.
    #[reflect(@Unit("rad"))]
    pub seg2: f64,
    /// Angle of the fourth segment.
    #[reflect(@Unit("rad"))]
    pub seg3: f64,
    /// Angle of the fifth segment.
    #[reflect(@Unit("rad"))]
    pub seg4: f64,
    /// Angle of the segment at the tip.
    #[reflect(@Unit("rad"))]
    pub seg5: f64,
}

impl Stateful for Pa10Command {}

impl Pa10Command {
    fn angles(&self) -> [f64; 6] {
        [
            self.seg0, self.seg1, self.seg2, self.seg3, self.seg4, self.seg5,
        ]
    }

    fn of([seg0, seg1, seg2, seg3, seg4, seg5]: [f64; 6]) -> Self {
        Self {
            seg0,
            seg1,
            seg2,
            seg3,
            seg4,
            seg5,
        }
    }
}

/// Goals and set points of the segments, rad. Part of the state.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Segments {
    goals: [f64; 6],
    set_points: [f64; 6],
}

impl Stateful for Segments {}

impl OnJoints for Pa10 {
    fn chain(&self, world: &World, actuator: Entity) -> Result<Chain, CheckError> {
        let choice = Choice {
            joints: &self.joints,
            root: &self.root,
            tip: "",
        };
        let mut chain = Chain::around(world, actuator, choice)?;
        chain.joints.truncate(6);
        if chain.joints.len() < 6 || !chain.joints.iter().all(|joint| joint.is_angle) {
            return Err(CheckError::unmet(format!(
                "six revolute joints are required; found: {}",
                chain.names().join(", ")
            )));
        }
        Ok(chain)
    }
}

impl Actuator for Pa10 {
    const KIND: &'static str = "pa_10";
    const HAS_DRIVE: bool = false;
    const MORSE_CLASS: Option<&'static str> = Some("PA10");
    type Command = Pa10Command;

    fn check(&self, world: &World, actuator: Entity) -> Result<(), CheckError> {
        self.chain(world, actuator).map(drop)
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_actuator::<Pa10, _>(default_action)
        .register_state::<Segments>()
        .add_systems(PreStartup, bind.in_set(Bind))
        .add_systems(Startup, begin)
        .add_service::<Pa10>(Service::new(
            "set_rotation_array",
            "Rotates the six segments to angles.",
            set_rotation_array,
        ));
}

/// Sets the body and pose that components on the arm follow.
fn bind(world: &mut World) {
    for (entity, _, chain) in chain::all::<Pa10>(world) {
        if let [tip, ..] = chain.tips.as_slice() {
            let on = CarrierBody {
                body: tip.body,
                body_from_plate: tip.body_from_tip,
            };
            let rest = RestingPlate(tip.root_from_tip_at_rest());
            world.entity_mut(entity).insert((on, rest));
        }
    }
}

/// Looks up the joints once; without a first command they keep their positions.
fn begin(world: &mut World) {
    for (entity, _, chain) in chain::all::<Pa10>(world) {
        let mut stands = [0.0; 6];
        for (angle, joint) in stands.iter_mut().zip(&chain.joints) {
            let state = world.get::<JointState>(joint.variable);
            *angle = state.map_or(0.0, |state| state.position);
        }
        if world.get::<Pa10Command>(entity) == Some(&Pa10Command::default()) {
            let command = Pa10Command::of(stands);
            world
                .entity_mut(entity)
                .insert((Received(command), command));
        }
        let segments = Segments {
            goals: stands,
            set_points: stands,
        };
        world.entity_mut(entity).insert((chain, segments));
    }
}

fn default_action(
    clock: Res<Clock>,
    mut targets: Query<&mut JointTarget>,
    mut arms: Query<(&Pa10, (&Due, &Active), &Chain, &Pa10Command, &mut Segments)>,
) {
    for (settings, (due, active), chain, command, mut segments) in &mut arms {
        if !active.0 {
            continue;
        }
        let Segments { goals, set_points } = &mut *segments;
        let joints = chain.joints.iter().zip(command.angles());
        for ((joint, angle), (goal, point)) in
            joints.zip(goals.iter_mut().zip(set_points.iter_mut()))
        {
            let wanted = joint.limited(angle);
            if due.0 && (wanted - *goal).abs() >= settings.tolerance {
                *goal = wanted;
            }
            *point = approach(*point, *goal, settings.speed * clock.dt());
            if let Ok(mut target) = targets.get_mut(joint.variable) {
                *target = JointTarget::Position(*point);
            }
        }
    }
}

/// Arguments of `set_rotation_array`.
#[derive(Reflect, Default, Deserialize)]
#[serde(default)]
struct Angles {
    /// Angle of the segment at the root, rad.
    seg0: f64,
    /// Angle of the second segment, rad.
    seg1: f64,
    /// Angle of the third segment, rad.
    seg2: f64,
    /// Angle of the fourth segment, rad.
    seg3: f64,
    /// Angle of the fifth segment, rad.
    seg4: f64,
    /// Angle of the segment at the tip, rad.
    seg5: f64,
}

fn set_rotation_array(world: &mut World, arm: Entity, to: Angles) -> Result<Outcome, ServiceError> {
    let angles = [to.seg0, to.seg1, to.seg2, to.seg3, to.seg4, to.seg5];
    if !angles.iter().all(|angle| angle.is_finite()) {
        return Err(ServiceError::Failed(
            "the angles must be finite numbers".to_owned(),
        ));
    }
    give(world, arm, Pa10Command::of(angles))?;
    Ok(Outcome::NOTHING)
}

#[cfg(test)]
mod tests {
    use morse_testing::TestWorld;
    use serde_json::json;

    use super::*;

    const NAMES: [&str; 6] = [
        "rover.a", "rover.b", "rover.c", "rover.d", "rover.e", "rover.f",
    ];

    fn test_world() -> (TestWorld, Entity) {
        let mut test = TestWorld::new(50.0, plugin, BodyState::default());
        test.joints(&NAMES);
        let arm = test.actuator::<Pa10>("rover.arm", "()", Isometry3::identity());
        test.step(BodyState::default());
        (test, arm)
    }

    fn targets(test: &TestWorld) -> Vec<f64> {
        let joints = &test.get::<morse_api::joint::RobotJoints>(test.robot).0;
        let angle = |&joint: &Entity| match test.get::<JointTarget>(joint) {
            JointTarget::Position(angle) => *angle,
            other => panic!("{other:?}"),
        };
        joints.iter().map(angle).collect()
    }

    #[test]
    fn segments_turn_at_the_speed_and_stop_at_the_goal() {
        let (mut test, arm) = test_world();
        let command = Pa10Command {
            seg1: 0.5,
            seg5: -9.0,
            ..Pa10Command::default()
        };
        test.send(arm, command);
        for _ in 0..20 {
            test.step(BodyState::default());
        }
        // Twenty ticks of 20 ms at 1 rad/s.
        let expected = [0.0, 0.4, 0.0, 0.0, 0.0, -0.4];
        for (angle, expected) in targets(&test).iter().zip(expected) {
            assert!((angle - expected).abs() < 1e-12, "{angle}");
        }
        for _ in 0..100 {
            test.step(BodyState::default());
        }
        // The last one is at its limit.
        assert_eq!(targets(&test), [0.0, 0.5, 0.0, 0.0, 0.0, -2.0]);
    }

    #[test]
    fn the_service_takes_up_to_six_angles() {
        let (mut test, _) = test_world();
        let reply = test
            .call("rover.arm", "set_rotation_array", json!([0.1, 0.2]))
            .reply();
        assert_eq!(reply.unwrap().value, serde_json::Value::Null);
        for _ in 0..20 {
            test.step(BodyState::default());
        }
        assert_eq!(targets(&test), [0.1, 0.2, 0.0, 0.0, 0.0, 0.0]);
        // Half a degree is within the tolerance.
        test.call("rover.arm", "set_rotation_array", json!([0.109, 0.2]));
        test.step(BodyState::default());
        assert_eq!(targets(&test), [0.1, 0.2, 0.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn five_joints_are_too_few() {
        let mut test = TestWorld::new(50.0, plugin, BodyState::default());
        test.joints(&NAMES[..5]);
        let arm = test.actuator::<Pa10>("rover.arm", "()", Isometry3::identity());
        let result = Pa10::default().check(test.app.world(), arm);
        assert!(
            result.is_err_and(|why| why.to_string().contains("six revolute joints are required"))
        );
    }
}
