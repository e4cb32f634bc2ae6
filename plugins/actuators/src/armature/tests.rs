//! Commands, requests and trajectories compared with closed forms; the suite tests the arm itself.
use morse_api::{
    joint::RobotJoints,
    service::{Call, Reply, ServiceError},
};
use morse_testing::TestWorld;
use serde_json::{Value as Json, json};

use super::*;

/// Returns a world with three revolute joints between -2 and 2 rad, which are always at their set points.
fn test_world(text: &str) -> (TestWorld, Entity) {
    let mut test = TestWorld::new(50.0, plugin, BodyState::default());
    test.joints(&["rover.a", "rover.b", "rover.c"]);
    let arm = test.actuator::<Armature>("rover.arm", text, Isometry3::identity());
    run(&mut test, 1);
    (test, arm)
}

fn run(test: &mut TestWorld, ticks: u32) {
    for _ in 0..ticks {
        test.step(BodyState::default());
        for joint in test.get::<RobotJoints>(test.robot).0.clone() {
            let mut entity = test.app.world_mut().entity_mut(joint);
            if let Some(&(JointTarget::Position(at) | JointTarget::Jump(at))) =
                entity.get::<JointTarget>()
            {
                entity.insert(JointState {
                    position: at,
                    ..JointState::default()
                });
            }
        }
    }
}

fn joints(test: &TestWorld) -> Vec<f64> {
    let joints = &test.get::<RobotJoints>(test.robot).0;
    joints
        .iter()
        .map(|&joint| test.get::<JointState>(joint).position)
        .collect()
}

#[track_caller]
fn near(test: &TestWorld, expected: [f64; 3]) {
    let actual = joints(test);
    let off = actual.iter().zip(expected).map(|(a, b)| (a - b).abs());
    assert!(
        off.fold(0.0, f64::max) < 1e-9,
        "{actual:?}, not {expected:?}"
    );
}

fn call(test: &mut TestWorld, service: &str, arguments: Json) -> Call {
    test.call("rover.arm", service, arguments)
}

fn call_service(test: &mut TestWorld, service: &str, arguments: Json) -> Reply {
    call(test, service, arguments)
        .reply()
        .expect("an answer at once")
}

fn refusal(test: &mut TestWorld, service: &str, arguments: Json) -> String {
    let reply = call_service(test, service, arguments);
    assert_eq!(reply.status, Status::Failed);
    reply.value.as_str().unwrap().to_owned()
}

#[test]
fn commands_move_the_joints_they_name_at_the_speed() {
    let (mut test, arm) = test_world("(rotation_speed: 0.5)");
    let command = |names: &[&str], positions: &[f64]| ArmatureCommand {
        names: names.iter().map(|&name| name.to_owned()).collect(),
        positions: positions.to_vec(),
    };
    test.send(arm, command(&[], &[0.3, -0.05, 9.0]));
    run(&mut test, 10);
    near(&test, [0.1, -0.05, 0.1]);
    test.send(arm, command(&["b"], &[0.05]));
    run(&mut test, 400);
    near(&test, [0.3, 0.05, 2.0]);
    test.send(arm, command(&["b", "elbow"], &[0.0, 0.0]));
    run(&mut test, 10);
    near(&test, [0.3, 0.05, 2.0]);
    let said = test.app.world_mut().resource_mut::<Warnings>().take();
    assert_eq!(
        said,
        ["`rover.arm`: there is no joint `elbow`; there are: a, b, c"]
    );
}

#[test]
fn the_joints_are_told() {
    let (mut test, _) = test_world("()");
    assert_eq!(
        call_service(&mut test, "get_joints", json!([])).value,
        json!(["a", "b", "c"])
    );
    assert_eq!(
        call_service(&mut test, "get_IK_limits", json!(["b"])).value,
        json!([-2.0, 2.0])
    );
    assert_eq!(
        call_service(&mut test, "get_dofs", json!([])).value,
        json!({"a": [false, false, true], "b": [false, false, true], "c": [false, false, true]})
    );
    assert_eq!(
        call_service(&mut test, "list_IK_targets", json!([])).value,
        json!([])
    );
    let why = refusal(&mut test, "get_IK_limits", json!(["elbow"]));
    assert_eq!(why, "there is no joint `elbow`; there are: a, b, c");
    let why = refusal(&mut test, "place_IK_target", json!(["hand", [0, 0, 0]]));
    assert_eq!(why, "there is no IK target `hand`; there are: none");
}

#[test]
fn rotations_are_set_at_once_within_the_limits() {
    let (mut test, _) = test_world("()");
    assert_eq!(
        call_service(&mut test, "set_rotation", json!(["b", 7])).status,
        Status::Success
    );
    run(&mut test, 1);
    near(&test, [0.0, 2.0, 0.0]);
    call_service(&mut test, "set_rotations", json!([[0.1, 0.2]]));
    run(&mut test, 1);
    near(&test, [0.1, 0.2, 0.0]);
    call_service(&mut test, "set_rotations", json!([[0.4, 0.5, 0.6, 0.7]]));
    run(&mut test, 1);
    near(&test, [0.4, 0.5, 0.6]);
    let why = refusal(&mut test, "set_translations", json!([[0.1]]));
    assert_eq!(
        why,
        "the joint `a` turns: it cannot be set to a translation"
    );
    refusal(&mut test, "set_rotation", json!(["b", "fast"]));
    refusal(&mut test, "set_rotation", json!([]));
    run(&mut test, 1);
    near(&test, [0.4, 0.5, 0.6]);
}

#[test]
fn rotate_answers_when_all_joints_are_there() {
    let (mut test, _) = test_world("()");
    let one = call(&mut test, "rotate", json!(["a", 0.5, 0.25]));
    run(&mut test, 50);
    near(&test, [0.25, 0.0, 0.0]);
    assert!(one.reply().is_none());
    run(&mut test, 60);
    assert_eq!(one.reply().unwrap().status, Status::Success);
    let many = call(&mut test, "rotate_joints", json!([{"b": -0.4, "c": 0.2}]));
    run(&mut test, 20);
    // 0.4 s at 0.8 rad/s, except for the joint that has arrived.
    near(&test, [0.5, -0.32, 0.2]);
    let other = call(&mut test, "rotate", json!(["a", 0.0]));
    assert_eq!(many.reply().unwrap().status, Status::Preempted);
    run(&mut test, 5);
    morse_api::service::cancel(test.app.world_mut(), other.ticket);
    assert_eq!(other.reply().unwrap().status, Status::Preempted);
    run(&mut test, 50);
    near(&test, [0.42, -0.32, 0.2]);
    for wrong in [json!(["a", 0.1, -1]), json!(["d", 0.1])] {
        refusal(&mut test, "rotate", wrong);
    }
    refusal(&mut test, "translate", json!(["a", 0.1]));
    refusal(&mut test, "translate_joints", json!([{"a": 0.1}]));
    refusal(&mut test, "rotate_joints", json!([{"a": 0.1, "d": 0.1}]));
    run(&mut test, 50);
    near(&test, [0.42, -0.32, 0.2]);
}

#[test]
fn a_trajectory_goes_straight_from_point_to_point() {
    let (mut test, _) = test_world("()");
    let points = json!([{"points": [
        {"positions": [0.1, 0.0, 0.0], "time_from_start": 0.2},
        {"positions": [0.1, 0.4, -0.2], "time_from_start": 1.2},
    ]}]);
    let request = call(&mut test, "trajectory", points);
    run(&mut test, 5);
    near(&test, [0.05, 0.0, 0.0]);
    run(&mut test, 30);
    near(&test, [0.1, 0.2, -0.1]);
    assert!(request.reply().is_none());
    run(&mut test, 27);
    assert_eq!(request.reply().unwrap().status, Status::Success);
    near(&test, [0.1, 0.4, -0.2]);
}

#[test]
fn with_velocities_it_is_a_cubic() {
    let (mut test, _) = test_world("()");
    let points = json!([{"points": [{
        "positions": [1.0, 0.5, 0.0], "velocities": [0.0, 1.0, 0.0], "time_from_start": 1.0,
    }]}]);
    call(&mut test, "trajectory", points);
    run(&mut test, 25);
    // Half of the time: from rest to rest 3s² - 2s³ = 1/2; from rest to 1 rad/s less 1/8 of it.
    near(&test, [0.5, 0.25 - 0.125, 0.0]);
}

#[test]
fn a_trajectory_is_not_interrupted_but_cancelled() {
    let (mut test, _) = test_world("()");
    let points = json!([{"points": [{"positions": [1, 0, 0], "time_from_start": 1}]}]);
    let request = call(&mut test, "trajectory", points);
    run(&mut test, 10);
    assert_eq!(
        call_service(&mut test, "rotate", json!(["a", 0.1])).error,
        Some(ServiceError::Busy {
            component: "rover.arm".to_owned(),
            service: "trajectory".to_owned(),
        })
    );
    run(&mut test, 10);
    near(&test, [0.4, 0.0, 0.0]);
    morse_api::service::cancel(test.app.world_mut(), request.ticket);
    assert_eq!(request.reply().unwrap().status, Status::Preempted);
    run(&mut test, 10);
    near(&test, [0.4, 0.0, 0.0]);
}

#[test]
fn a_trajectory_waits_for_its_start() {
    let (mut test, _) = test_world("()");
    // One tick of 20 ms has passed.
    let points =
        json!([{"starttime": 0.5, "points": [{"positions": [1, 0, 0], "time_from_start": 1}]}]);
    call(&mut test, "trajectory", points);
    run(&mut test, 24);
    near(&test, [0.0, 0.0, 0.0]);
    run(&mut test, 25);
    near(&test, [0.5, 0.0, 0.0]);
}

#[test]
fn a_trajectory_moves_the_named_joints_only() {
    let (mut test, _) = test_world("()");
    let points = json!([{ "joint_names": ["c", "a"], "points": [
        { "positions": [-0.3, 0.2], "time_from_start": 0.5 },
    ]}]);
    let request = call(&mut test, "trajectory", points);
    run(&mut test, 30);
    assert_eq!(request.reply().unwrap().status, Status::Success);
    near(&test, [0.2, 0.0, -0.3]);
    let state = call(&mut test, "get_positions", json!([]));
    let state = state.reply().unwrap().value;
    assert_eq!(state["names"], json!(["a", "b", "c"]));
    assert_eq!(state["set_points"], json!([0.2, 0.0, -0.3]));
    let twice = json!([{ "joint_names": ["a", "a"], "points": [] }]);
    let why = refusal(&mut test, "trajectory", twice);
    assert!(why.ends_with("the joint `a` is named twice."), "{why}");
    let unknown = json!([{ "joint_names": ["knee"], "points": [] }]);
    let why = refusal(&mut test, "trajectory", unknown);
    assert!(why.contains("`knee`"), "{why}");
}

#[test]
fn wrong_trajectories_are_refused() {
    let (mut test, _) = test_world("()");
    let mut why = |wrong: Json| refusal(&mut test, "trajectory", json!([wrong]));
    assert_eq!(
        why(json!({"points": [{"time_from_start": 1}]})),
        "Error: invalid trajectory: key 'positions' was expected."
    );
    assert_eq!(
        why(json!({})),
        "Error: invalid trajectory: key 'points' was expected."
    );
    assert!(why(json!({"points": []})).contains("no points"));
    assert!(
        why(json!({"points": [{"positions": [1, 2], "time_from_start": 1}]})).contains("3 finite")
    );
    let point = |time: f64| json!({"positions": [1, 2, 0], "time_from_start": time});
    assert!(why(json!({"points": [point(1.0), point(1.0)]})).contains("must grow"));
    assert!(why(json!({"points": [point(-1.0)]})).contains("must grow"));
    run(&mut test, 10);
    near(&test, [0.0; 3]);
}

#[test]
fn a_command_ends_what_a_request_was_doing() {
    let (mut test, arm) = test_world("()");
    let request = call(&mut test, "rotate", json!(["a", 1.0]));
    run(&mut test, 5);
    test.send(
        arm,
        ArmatureCommand {
            names: vec!["b".to_owned()],
            positions: vec![0.1],
        },
    );
    run(&mut test, 1);
    assert_eq!(request.reply().unwrap().status, Status::Preempted);
}

#[test]
fn settings_are_checked() {
    let (test, arm) = test_world("()");
    let check = |text: &str| morse_testing::settings::<Armature>(text).check(test.app.world(), arm);
    assert!(check("()").is_ok());
    assert!(check(r#"(joints: ["a", "c"])"#).is_ok());
    let problems =
        morse_testing::out_of_range::<Armature>("(rotation_speed: 0, angle_tolerance: -1)");
    assert_eq!(problems, ["angle_tolerance", "rotation_speed"]);
    assert_eq!(
        check(r#"(joints: ["x"])"#).unwrap_err().to_string(),
        "the robot has no joint `x`"
    );
    assert_eq!(
        check(r#"(root: "x")"#).unwrap_err().to_string(),
        "there is no frame `x`"
    );
}
