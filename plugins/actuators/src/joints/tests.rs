//! Commands of joints by position, velocity and effort, with and without a duration.
use morse_api::service::Status;
use morse_testing::TestWorld;
use serde_json::json;

use super::*;

fn test_world(text: &str) -> (TestWorld, Entity) {
    let mut test = TestWorld::new(60.0, plugin, BodyState::default());
    test.joints(&["rover.pan", "rover.tilt", "rover.lift"]);
    let joints = test.actuator::<Joints>("rover.motors", text, Isometry3::identity());
    test.step(BodyState::default());
    (test, joints)
}

fn targets(test: &TestWorld) -> Vec<JointTarget> {
    let joints = &test.get::<RobotJoints>(test.robot).0;
    joints
        .iter()
        .map(|&joint| *test.get::<JointTarget>(joint))
        .collect()
}

fn command(names: &[&str], positions: &[f64], velocities: &[f64]) -> JointsCommand {
    JointsCommand {
        names: names.iter().map(|&name| name.to_owned()).collect(),
        positions: positions.to_vec(),
        velocities: velocities.to_vec(),
        ..JointsCommand::default()
    }
}

fn effort(name: &str, effort: f64) -> JointsCommand {
    JointsCommand {
        efforts: vec![effort],
        ..command(&[name], &[], &[])
    }
}

#[test]
fn named_joints_are_moved_and_the_others_left() {
    let (mut test, joints) = test_world("()");
    use JointTarget::{Effort, Free, Position, Velocity};
    test.send(joints, effort("lift", 3.0));
    test.step(BodyState::default());
    assert_eq!(targets(&test), [Free, Free, Effort(3.0)]);
    test.send(joints, command(&["tilt", "pan"], &[0.5, 9.0], &[]));
    test.step(BodyState::default());
    // Nine is beyond the limit.
    assert_eq!(targets(&test), [Position(2.0), Position(0.5), Effort(3.0)]);
    test.send(joints, command(&["pan"], &[], &[0.1]));
    test.step(BodyState::default());
    assert_eq!(targets(&test), [Velocity(0.1), Position(0.5), Effort(3.0)]);
    test.send(joints, command(&[], &[0.1, 0.2, 0.3], &[]));
    test.step(BodyState::default());
    assert_eq!(
        targets(&test),
        [Position(0.1), Position(0.2), Position(0.3)]
    );
}

#[test]
fn positions_are_reached_in_the_time_of_the_command() {
    let (mut test, joints) = test_world("()");
    use JointTarget::{Free, Position, Velocity};
    let pan = |duration: f64, position: f64| JointsCommand {
        duration,
        ..command(&["pan"], &[position], &[])
    };
    test.send(joints, pan(3.0 / 60.0, 0.6));
    let mut reached = Vec::new();
    for _ in 0..4 {
        test.step(BodyState::default());
        let Position(position) = targets(&test)[0] else {
            panic!("a position");
        };
        reached.push(position);
    }
    let expected = [0.2, 0.4, 0.6, 0.6];
    let pairs = reached.iter().zip(expected);
    assert!(
        pairs
            .clone()
            .all(|(is, expected)| (is - expected).abs() < 1e-12),
        "{reached:?}"
    );
    // A new command continues from the set point, and a command of another actuator ends the motion.
    test.send(joints, pan(1.0, 0.0));
    test.step(BodyState::default());
    assert_eq!(
        targets(&test),
        [Position(0.6 + (0.0 - 0.6) * (1.0 / 60.0)), Free, Free]
    );
    let pan_joint = test.get::<RobotJoints>(test.robot).0[0];
    test.app
        .world_mut()
        .entity_mut(pan_joint)
        .insert(Velocity(0.1));
    test.step(BodyState::default());
    assert_eq!(targets(&test)[0], Velocity(0.1));
    test.send(joints, pan(-1.0, 0.0));
    test.step(BodyState::default());
    let said = test.app.world_mut().resource_mut::<Warnings>().take();
    assert!(
        said[0].contains("invalid `duration` -1 of a command"),
        "{said:?}"
    );
}

#[test]
fn mistakes_move_nothing_and_are_said() {
    let (mut test, joints) = test_world("()");
    test.send(joints, command(&["pan", "elbow"], &[0.5, 0.5], &[]));
    test.step(BodyState::default());
    test.send(joints, command(&["pan", "tilt"], &[0.5], &[]));
    test.step(BodyState::default());
    assert_eq!(targets(&test), [JointTarget::Free; 3]);
    let said = test.app.world_mut().resource_mut::<Warnings>().take();
    assert_eq!(said.len(), 2);
    assert_eq!(
        said[0],
        "`rover.motors`: there is no joint `elbow`; there are: pan, tilt, lift"
    );
}

#[test]
fn all_commands_of_a_tick_apply() {
    use JointTarget::{Effort, Position, Velocity};
    let (mut test, joints) = test_world("()");
    let set = test.call("rover.motors", "set", json!(["pan", 0.25]));
    test.send(joints, command(&["tilt"], &[0.5], &[]));
    test.send(joints, command(&["tilt", "lift"], &[], &[0.1, 0.2]));
    test.send(joints, effort("lift", 3.0));
    test.send(joints, command(&["elbow"], &[1.0], &[]));
    test.step(BodyState::default());
    assert_eq!(set.reply().unwrap().status, Status::Success);
    assert_eq!(targets(&test), [Position(0.25), Velocity(0.1), Effort(3.0)]);
    assert_eq!(
        test.get::<Earlier<JointsCommand>>(joints).commands(),
        [],
        "each acts once"
    );
    // Of two commands for a joint the last one applies, from the set point before both.
    test.send(joints, command(&["pan"], &[2.0], &[]));
    test.send(
        joints,
        JointsCommand {
            duration: 2.0 / 60.0,
            ..command(&["pan"], &[0.75], &[])
        },
    );
    test.step(BodyState::default());
    assert_eq!(targets(&test)[0], Position(0.5));
}

#[test]
fn requests_that_wait_are_few() {
    let (mut test, joints) = test_world("()");
    for _ in 0..200 {
        test.call("rover.motors", "set", json!(["pan", 0.25]));
    }
    test.app.world_mut().entity_mut(joints).remove::<Due>();
    test.step(BodyState::default());
    let waiting = test.get::<Earlier<JointsCommand>>(joints).commands().len();
    assert!(0 < waiting && waiting <= 64, "{waiting}");
}

#[test]
fn requests_move_one_joint_each() {
    let (mut test, _) = test_world("()");
    let mut set = |name: &str, value: f64| {
        test.call("rover.motors", "set", json!([name, value]))
            .reply()
            .unwrap()
    };
    assert_eq!(set("pan", 0.25).status, Status::Success);
    assert_eq!(set("tilt", -3.0).status, Status::Success);
    assert_eq!(set("elbow", 0.0).status, Status::Failed);
    test.step(BodyState::default());
    use JointTarget::{Free, Position};
    assert_eq!(targets(&test), [Position(0.25), Position(-2.0), Free]);
}

#[test]
fn settings_choose_the_joints() {
    let (mut test, joints) = test_world(r#"(joints: ["*t"])"#);
    let names: Vec<&str> = test
        .get::<Motors>(joints)
        .0
        .iter()
        .map(|motor| motor.name.as_str())
        .collect();
    assert_eq!(names, ["tilt", "lift"]);
    let check =
        |text: &str| morse_testing::settings::<Joints>(text).check(test.app.world(), joints);
    assert!(check("()").is_ok());
    assert!(check(r#"(joints: ["wrist"])"#).is_err());
    give(
        test.app.world_mut(),
        joints,
        command(&["elbow"], &[0.0], &[]),
    )
    .unwrap();
    let settings = morse_testing::settings::<Joints>("()");
    assert!(
        settings.check(test.app.world(), joints).is_err(),
        "a start that names no joint"
    );
}

#[test]
fn impedances_have_all_their_numbers_and_move_in_the_time_of_the_command() {
    let (mut test, joints) = test_world("()");
    let send = |test: &mut TestWorld, change: &dyn Fn(&mut JointsCommand)| {
        let mut wanted = command(&["pan"], &[0.5], &[0.2]);
        wanted.stiffnesses = vec![30.0];
        change(&mut wanted);
        test.send(joints, wanted);
        test.step(BodyState::default());
        targets(test)[0]
    };
    let impedance = |position, damping, effort| {
        JointTarget::Impedance(Impedance {
            position,
            velocity: 0.2,
            stiffness: 30.0,
            damping,
            effort,
        })
    };
    assert_eq!(send(&mut test, &|_| {}), impedance(0.5, 0.0, 0.0));
    let all = |wanted: &mut JointsCommand| {
        wanted.dampings = vec![0.4];
        wanted.efforts = vec![-0.1];
    };
    assert_eq!(send(&mut test, &all), impedance(0.5, 0.4, -0.1));
    // From one set point to the next.
    let slow = |wanted: &mut JointsCommand| {
        wanted.positions = vec![9.0];
        wanted.duration = 2.0 / 60.0;
    };
    assert_eq!(send(&mut test, &slow), impedance(1.25, 0.0, 0.0));
    test.step(BodyState::default());
    assert_eq!(targets(&test)[0], impedance(2.0, 0.0, 0.0), "its limit");
    // Commands without sense are refused.
    let wrong = |change: &dyn Fn(&mut JointsCommand)| {
        let mut wanted = command(&["pan"], &[0.5], &[]);
        wanted.stiffnesses = vec![30.0];
        change(&mut wanted);
        wanted.wrong_gains().unwrap_or_default()
    };
    assert_eq!(wrong(&|_| {}), "");
    assert!(wrong(&|wanted| wanted.positions.clear()).contains("`positions`"));
    assert!(wrong(&|wanted| wanted.stiffnesses = vec![-1.0]).contains("0 or more"));
    assert!(wrong(&|wanted| wanted.dampings = vec![f64::NAN]).contains("0 or more"));
    let without = |wanted: &mut JointsCommand| {
        wanted.dampings = vec![1.0];
        wanted.stiffnesses.clear();
    };
    assert!(wrong(&without).contains("require `stiffnesses`"));
}

#[test]
fn a_trajectory_moves_the_joints_that_it_names() {
    use JointTarget::{Effort, Free, Position};
    let (mut test, joints) = test_world("()");
    test.send(joints, effort("lift", 3.0));
    test.step(BodyState::default());
    let wanted = json!([{ "joint_names": ["tilt"], "points": [
        { "positions": [0.3], "time_from_start": 0.5 },
        // Beyond the limit, 2 rad.
        { "positions": [3.3], "time_from_start": 1.5 },
    ] }]);
    let call = test.call("rover.motors", "trajectory", wanted.clone());
    (0..30).for_each(|_| test.step(BodyState::default()));
    let near = |target: JointTarget, expected: f64| {
        let is_it = matches!(target, Position(position) if (position - expected).abs() < 1e-9);
        assert!(is_it, "{target:?}, not {expected}");
    };
    near(targets(&test)[1], 0.3);
    assert_eq!([targets(&test)[0], targets(&test)[2]], [Free, Effort(3.0)]);
    (0..20).for_each(|_| test.step(BodyState::default()));
    near(targets(&test)[1], 1.3);
    assert!(call.reply().is_none());
    (0..41).for_each(|_| test.step(BodyState::default()));
    near(targets(&test)[1], 2.0);
    assert_eq!(call.reply().unwrap().status, Status::Success);
    let state = test.call("rover.motors", "get_positions", json!([]));
    let state = state.reply().unwrap().value;
    assert_eq!(state["names"], json!(["pan", "tilt", "lift"]));
    assert_eq!(state["set_points"], json!([0.0, 2.0, 0.0]));
    // A command ends it.
    let call = test.call("rover.motors", "trajectory", wanted);
    test.step(BodyState::default());
    test.send(joints, command(&["tilt"], &[0.75], &[]));
    test.step(BodyState::default());
    test.step(BodyState::default());
    assert_eq!(call.reply().unwrap().status, Status::Preempted);
    near(targets(&test)[1], 0.75);
}
