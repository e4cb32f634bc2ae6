//! Tolerances of trajectories, for the actuators that follow them.
use morse_api::{
    joint::{JointState, RobotJoints},
    prelude::*,
    service::{Call, Status},
};
use morse_testing::TestWorld;
use serde_json::{Value as Json, json};

use crate::{armature::Armature, joints::Joints};

/// Returns a world at 50 Hz with an actuator `rover.arm` of two joints that stay at 0, as if their motors were blocked.
fn blocked<A: Actuator>(plugin: fn(&mut App)) -> TestWorld {
    let mut test = TestWorld::new(50.0, plugin, BodyState::default());
    test.joints(&["rover.a", "rover.b"]);
    test.actuator::<A>("rover.arm", "()", Isometry3::identity());
    test.step(BodyState::default());
    test
}

/// Sets the measured positions of both joints, and makes ticks.
fn run(test: &mut TestWorld, positions: [f64; 2], ticks: u32) {
    let joints = test.get::<RobotJoints>(test.robot).0.clone();
    for (joint, position) in joints.into_iter().zip(positions) {
        let state = JointState {
            position,
            ..JointState::default()
        };
        test.app.world_mut().entity_mut(joint).insert(state);
    }
    (0..ticks).for_each(|_| test.step(BodyState::default()));
}

/// Requests a motion of joint `b` by 0.5 rad in 1 s.
fn follow(test: &mut TestWorld, tolerances: Json) -> Call {
    let mut wanted = json!({
        "joint_names": ["b"],
        "points": [{ "positions": [0.5], "time_from_start": 1.0 }],
    });
    for (name, value) in tolerances.as_object().unwrap() {
        wanted[name] = value.clone();
    }
    test.call("rover.arm", "trajectory", json!([wanted]))
}

/// Returns the status and the text of a reply that has arrived.
fn ended(call: &Call) -> (Status, String) {
    let reply = call.reply().expect("the motion has ended");
    let text = reply.value.as_str().unwrap_or_default().to_owned();
    (reply.status, text)
}

fn a_joint_that_leaves_the_path_fails(mut test: TestWorld) {
    let call = follow(&mut test, json!({ "path_tolerances": [0.1] }));
    // After 0.2 s the set point is 0.1 rad away; after 0.22 s it is farther, which the next tick measures.
    run(&mut test, [9.0, 0.0], 11);
    assert!(
        call.reply().is_none(),
        "a joint without tolerance may be anywhere"
    );
    run(&mut test, [9.0, 0.0], 1);
    let (status, why) = ended(&call);
    assert_eq!(status, Status::Failed);
    assert_eq!(
        why,
        "path tolerance violated: joint `b` is 0.110000 from its set point; 0.1 is allowed"
    );
    // The actuator is free again.
    let call = follow(&mut test, json!({ "goal_tolerances": [0.6] }));
    run(&mut test, [0.0, 0.0], 60);
    assert_eq!(ended(&call).0, Status::Success);
}

fn a_joint_that_is_late_fails(mut test: TestWorld) {
    let tolerances = json!({ "goal_tolerances": [0.2], "goal_time_tolerance": 0.5 });
    let call = follow(&mut test, tolerances.clone());
    run(&mut test, [0.0, 0.25], 75);
    assert!(call.reply().is_none());
    run(&mut test, [0.0, 0.25], 1);
    let (status, why) = ended(&call);
    assert_eq!(status, Status::Failed);
    assert_eq!(
        why,
        "goal tolerance violated: joint `b` is 0.250000 from its goal 0.5 s after the last point; 0.2 is allowed"
    );
    let call = follow(&mut test, tolerances);
    run(&mut test, [0.0, 0.25], 60);
    assert!(call.reply().is_none());
    run(&mut test, [0.0, 0.35], 1);
    assert_eq!(ended(&call).0, Status::Success);
    for (name, wrong) in [
        ("path_tolerances", json!([0.1, 0.1])),
        ("goal_tolerances", json!([-0.1])),
        ("goal_time_tolerance", json!(-1.0)),
    ] {
        let (status, why) = ended(&follow(&mut test, json!({ name: wrong })));
        assert_eq!(status, Status::Failed);
        assert!(why.contains(name), "{why}");
    }
}

#[test]
fn joints_that_leave_the_path_fail() {
    a_joint_that_leaves_the_path_fails(blocked::<Armature>(crate::armature::plugin));
    a_joint_that_leaves_the_path_fails(blocked::<Joints>(crate::joints::plugin));
}

#[test]
fn joints_that_are_late_fail() {
    a_joint_that_is_late_fails(blocked::<Armature>(crate::armature::plugin));
    a_joint_that_is_late_fails(blocked::<Joints>(crate::joints::plugin));
}

fn a_strict_trajectory_is_refused(mut test: TestWorld) {
    let why = |test: &mut TestWorld, start: f64| {
        let call = follow(test, json!({ "starttime": start, "strict": true }));
        run(test, [0.0, 0.0], 2);
        call.reply().map(|reply| {
            assert_eq!(reply.status, Status::Failed);
            reply.value.as_str().unwrap_or_default().to_owned()
        })
    };
    run(&mut test, [0.0, 0.0], 100);
    let over = why(&mut test, 0.5).unwrap();
    assert!(over.contains("it ends at 1.500 s"), "{over}");
    let other_clock = why(&mut test, 1.7e9).unwrap();
    assert!(
        other_clock.contains("it begins at 1700000000.000 s"),
        "{other_clock}"
    );
    assert_eq!(why(&mut test, 1.9), None, "it is under way");
}

#[test]
fn trajectories_of_another_time_are_refused() {
    a_strict_trajectory_is_refused(blocked::<Armature>(crate::armature::plugin));
    a_strict_trajectory_is_refused(blocked::<Joints>(crate::joints::plugin));
}
