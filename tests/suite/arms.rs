//! Arms: joints with and without motors, inverse kinematics; pan-tilt units and components on them.
mod attached;
mod base;
mod kinematics;
mod order;
mod speeds;
mod units;

use std::path::Path;

use morse_api::service::{Call, Reply, Status};
use morse_sim::{
    Simulation,
    actuator::armature::{Armature, ArmatureCommand},
    sensor::{armature_pose::ArmaturePoseData, pose::PoseData},
    simulation::no_extensions,
};
use nalgebra::Vector3;
use serde_json::{Value as Json, json};

fn open(scene: &str, rate: u32, robot: &str) -> Simulation {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("scene.robray"), scene).expect("a file");
    let text = format!(
        r#"Simulation(scene: "scene.robray", environment: (rate: {rate}, seed: 3), robots: {{ {robot} }})"#
    );
    parse(&text, folder.path())
}

fn parse(text: &str, folder: &Path) -> Simulation {
    Simulation::parse(text, folder, &no_extensions).unwrap_or_else(|error| panic!("{error}"))
}

fn point(pose: &PoseData) -> Vector3<f64> {
    Vector3::new(pose.x, pose.y, pose.z)
}

fn at(simulation: &Simulation, path: &str) -> Vector3<f64> {
    point(simulation.read::<PoseData>(path).expect("a pose"))
}

fn finish(simulation: &mut Simulation, path: &str, service: &str, arguments: Json) -> Reply {
    let call = simulation.call(path, service, &arguments);
    wait(simulation, &call)
}

fn wait(simulation: &mut Simulation, call: &Call) -> Reply {
    for _ in 0..5000 {
        if let Some(reply) = call.reply() {
            return reply;
        }
        simulation.step().expect("a tick");
    }
    panic!("no answer");
}

fn arm(mode: &str) -> Simulation {
    let joints: Vec<String> = (1..=7)
        .map(|n| format!(r#""kuka_{n}": (mode: {mode})"#))
        .collect();
    let text = format!(
        r#"Simulation(environment: (rate: 120, seed: 3), robots: {{
            "kuka": (model: "arms/kuka_lwr.robray", base: fixed, joints: {{ {} }},
                sensors: {{
                    "tool": (kind: "pose", on: "motors"),
                    "joints": (kind: "armature_pose", on: "motors"),
                }},
                actuators: {{ "motors": (kind: "armature") }}),
        }})"#,
        joints.join(", ")
    );
    let mut simulation = parse(&text, Path::new("."));
    // Joint positions are measured in each tick.
    simulation.step().expect("a tick");
    simulation
}

fn joints(simulation: &Simulation) -> Vec<f64> {
    let data = simulation
        .read::<ArmaturePoseData>("kuka.joints")
        .expect("a sensor");
    data.joints.values.clone()
}

#[test]
fn a_kinematic_arm_is_where_it_is_set() {
    let mut simulation = arm("kinematic");
    let names = finish(&mut simulation, "kuka.motors", "get_joints", json!([])).value;
    assert_eq!(
        names,
        json!([
            "kuka_1", "kuka_2", "kuka_3", "kuka_4", "kuka_5", "kuka_6", "kuka_7"
        ])
    );
    let half = -std::f64::consts::FRAC_PI_2;
    finish(
        &mut simulation,
        "kuka.motors",
        "set_rotation",
        json!(["kuka_2", half]),
    );
    simulation.step().unwrap();
    // MORSE: the second joint at -90° moves the tip to +x, 1 m from the shoulder.
    let tip = at(&simulation, "kuka.tool");
    assert!(
        (tip - Vector3::new(1.0, 0.0, 0.3105)).norm() < 1e-6,
        "{tip}"
    );
    let lengths = finish(
        &mut simulation,
        "kuka.joints",
        "get_joints_length",
        json!([]),
    )
    .value;
    assert!((lengths["kuka_1"].as_f64().unwrap() - 0.3105).abs() < 1e-12);
    assert!((lengths["kuka_7"].as_f64().unwrap() - 0.132).abs() < 1e-12);
    let state = finish(&mut simulation, "kuka.joints", "get_state", json!([])).value;
    assert_eq!(state["kuka_2"], json!(half));
    let record = finish(&mut simulation, "kuka.joints", "get_local_data", json!([])).value;
    assert_eq!(record["kuka_2"], json!(half), "{record}");
    // 0.8 rad at 0.8 rad/s.
    let before = simulation.tick();
    let reply = finish(
        &mut simulation,
        "kuka.motors",
        "rotate",
        json!(["kuka_1", 0.8]),
    );
    assert_eq!(reply.status, Status::Success);
    let ticks = simulation.tick() - before;
    assert!((118..=124).contains(&ticks), "{ticks}");
}

#[test]
fn an_arm_with_motors_holds_itself_up_and_follows() {
    let mut simulation = arm("dynamic");
    simulation.run(120).unwrap();
    assert!(joints(&simulation).iter().all(|angle| angle.abs() < 0.01));
    let wanted = [0.5, -0.6, -0.3, 0.9, 0.2, -0.7, 0.4];
    let all: serde_json::Map<String, Json> = (1..=7)
        .map(|n| (format!("kuka_{n}"), wanted[n - 1].into()))
        .collect();
    let reply = finish(
        &mut simulation,
        "kuka.motors",
        "rotate_joints",
        json!([all, 0.5]),
    );
    assert_eq!(reply.status, Status::Success);
    for (angle, wanted) in joints(&simulation).iter().zip(wanted) {
        assert!((angle - wanted).abs() < 0.011, "{angle}, not {wanted}");
    }
    // Cubic from rest to rest: half way at half time.
    let points = json!([{"points": [{"positions": [0, 0, 0, 0, 0, 0, 0], "velocities": [0, 0, 0, 0, 0, 0, 0], "time_from_start": 2}]}]);
    let call = simulation.call("kuka.motors", "trajectory", &points);
    simulation.run(120).unwrap();
    for (angle, wanted) in joints(&simulation).iter().zip(wanted) {
        assert!(
            (angle - wanted / 2.0).abs() < 0.03,
            "{angle}, not {}",
            wanted / 2.0
        );
    }
    assert_eq!(wait(&mut simulation, &call).status, Status::Success);
    simulation
        .command::<Armature>(
            "kuka.motors",
            ArmatureCommand {
                names: vec!["kuka_4".to_owned()],
                positions: vec![0.3],
            },
        )
        .unwrap();
    simulation.run(120).unwrap();
    assert!((joints(&simulation)[3] - 0.3).abs() < 0.01);
}

/// Name of the arm's only target.
const TARGET: &str = "ik_target.kuka.motors.kuka_7";

/// Moves the target; returns the reply, and the largest displacement of any joint in a tick.
fn reach(simulation: &mut Simulation, arguments: Json) -> (Reply, f64) {
    let call = simulation.call("kuka.motors", "move_IK_target", &arguments);
    let mut longest = 0.0_f64;
    for _ in 0..5000 {
        if let Some(reply) = call.reply() {
            return (reply, longest);
        }
        let before = joints(simulation);
        simulation.step().expect("a tick");
        let now = joints(simulation);
        let steps = before.iter().zip(&now).map(|(a, b)| (a - b).abs());
        longest = steps.fold(longest, f64::max);
        for (index, angle) in now.iter().enumerate() {
            let limit = if index % 2 == 0 { 2.967 } else { 2.094 };
            assert!(angle.abs() <= limit + 1e-3, "{now:?}");
        }
    }
    panic!("no answer");
}

fn person(targets: &str) -> Result<Simulation, String> {
    let trunk = ["spine_yaw", "spine_pitch", "neck_yaw", "neck_pitch"].map(str::to_owned);
    let sides = [
        "shoulder_pitch",
        "shoulder_roll",
        "shoulder_yaw",
        "elbow",
        "wrist",
        "hip_pitch",
        "hip_roll",
        "hip_yaw",
        "knee",
        "ankle",
    ];
    let sides = sides
        .iter()
        .flat_map(|joint| ["left", "right"].map(|side| format!("{joint}_{side}")));
    let joints: String = trunk
        .into_iter()
        .chain(sides)
        .map(|joint| format!(r#""{joint}": (mode: kinematic),"#))
        .collect();
    let text = format!(
        r#"Simulation(robots: {{ "human": (
            model: "robots/human.robray", base: kinematic,
            joints: {{ {joints} }},
            sensors: {{ "hand": (kind: "pose", mount: (frame: "hand_left")) }},
            actuators: {{ "skeleton": (kind: "armature", {targets}) }},
        ) }})"#
    );
    Simulation::parse(&text, "scenes", &no_extensions).map_err(|error| error.to_string())
}

#[test]
fn targets_may_have_names_of_their_own() {
    let named =
        r#"targets: { "neck_pitch": "head", "wrist_left": "wrist_L", "ankle_left": "foot_L" }"#;
    let mut simulation = person(named).unwrap();
    let reported = finish(
        &mut simulation,
        "human.skeleton",
        "list_IK_targets",
        json!([]),
    )
    .value;
    let mut reported: Vec<&str> = reported
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    reported.sort_unstable();
    let names = ["ankle_right", "foot_L", "head", "wrist_L", "wrist_right"];
    assert_eq!(
        reported,
        names.map(|name| format!("ik_target.human.skeleton.{name}"))
    );
    simulation.step().unwrap();
    let hand = |simulation: &Simulation| at(simulation, "human.hand");
    let before = hand(&simulation);
    let arguments = json!(["ik_target.human.skeleton.wrist_L", [0.1, 0.0, 0.1]]);
    let reply = finish(
        &mut simulation,
        "human.skeleton",
        "move_IK_target",
        arguments,
    );
    assert_eq!(reply.status, Status::Success, "{reply:?}");
    let went = hand(&simulation) - before;
    assert!((went - Vector3::new(0.1, 0.0, 0.1)).norm() < 0.01, "{went}");
    let wrong = person(r#"targets: { "elbow_left": "elbow_L" }"#)
        .map(drop)
        .unwrap_err();
    assert!(
        wrong.contains("`elbow_left`, which is not the last joint before an end")
            && wrong.contains("ankle_left, ankle_right, neck_pitch, wrist_left, wrist_right"),
        "{wrong}"
    );
    let twice = r#"targets: { "wrist_left": "wrist", "wrist_right": "wrist" }"#;
    let twice = person(twice).map(drop).unwrap_err();
    assert!(
        twice.contains("two `targets` are called `wrist`"),
        "{twice}"
    );
}

#[test]
fn the_end_of_a_kinematic_arm_goes_straight_to_its_target() {
    let mut simulation = arm("kinematic");
    let names = finish(&mut simulation, "kuka.motors", "list_IK_targets", json!([])).value;
    assert_eq!(names, json!([TARGET]));
    let (reply, longest) = reach(
        &mut simulation,
        json!([TARGET, [0.5, 0.2, 0.6], null, false]),
    );
    assert_eq!(reply.status, Status::Success, "{reply:?}");
    assert!(longest <= 2.0 / 120.0 + 1e-9, "{longest}");
    let there = at(&simulation, "kuka.tool");
    assert!(
        (there - Vector3::new(0.5, 0.2, 0.6)).norm() < 0.005,
        "{there}"
    );
    // Now the arm is bent: 0.2 m at 0.1 m/s on a straight line, with constant orientation.
    simulation.run(60).unwrap();
    let begin = at(&simulation, "kuka.tool");
    let started = simulation.tick();
    let call = simulation.call(
        "kuka.motors",
        "move_IK_target",
        &json!([TARGET, [0, -0.2, 0], null, true, 0.1]),
    );
    simulation.run(120).unwrap();
    let middle = at(&simulation, "kuka.tool") - begin;
    assert!(
        (middle - Vector3::new(0.0, -0.1, 0.0)).norm() < 0.002,
        "{middle}"
    );
    assert_eq!(wait(&mut simulation, &call).status, Status::Success);
    let seconds = (simulation.tick() - started) as f64 / 120.0;
    assert!((seconds - 2.0).abs() < 0.1, "{seconds}");
    // A pose: pointing along +x, which is 90° about y from upright.
    let half = std::f64::consts::FRAC_PI_2;
    let (reply, longest) = reach(
        &mut simulation,
        json!([TARGET, [0.6, 0.1, 0.5], [0, half, 0], false, 0.5, 1.0]),
    );
    assert_eq!(reply.status, Status::Success, "{reply:?}");
    assert!(longest <= 2.0 / 120.0 + 1e-9, "{longest}");
    simulation.run(60).unwrap();
    let there = simulation.read::<PoseData>("kuka.tool").unwrap();
    assert!(
        (point(there) - Vector3::new(0.6, 0.1, 0.5)).norm() < 1e-4,
        "{there:?}"
    );
    assert!((there.pitch - half).abs() < 1e-3, "{there:?}");
}

#[test]
fn out_of_reach_the_arm_points_at_its_target_and_rests() {
    let mut simulation = arm("kinematic");
    let target = Vector3::new(1.2, 0.9, 0.3105);
    let (reply, _) = reach(
        &mut simulation,
        json!([TARGET, [target.x, target.y, target.z], null, false, 2]),
    );
    assert_eq!(reply.status, Status::Failed);
    let why = reply.value.as_str().unwrap();
    assert!(
        why.contains("out of reach") && why.contains("0.500 m"),
        "{why}"
    );
    // 1 m from the shoulder towards a point at a distance of 1.5 m.
    simulation.run(120).unwrap();
    let tip = at(&simulation, "kuka.tool");
    assert!(
        (tip - Vector3::new(0.8, 0.6, 0.3105)).norm() < 1e-3,
        "{tip}"
    );
    let before = joints(&simulation);
    simulation.run(60).unwrap();
    let moved = joints(&simulation)
        .iter()
        .zip(&before)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    assert!(moved < 1e-6, "{moved}");
    // A joint command releases the target.
    let reply = finish(
        &mut simulation,
        "kuka.motors",
        "rotate_joints",
        json!([{"kuka_2": 0.0}, 2.0]),
    );
    assert_eq!(reply.status, Status::Success);
    assert!(joints(&simulation)[1].abs() < 0.01);
}

#[test]
fn the_end_of_an_arm_with_motors_follows_a_placed_target() {
    let mut simulation = arm("dynamic");
    let half = std::f64::consts::FRAC_PI_2;
    finish(
        &mut simulation,
        "kuka.motors",
        "place_IK_target",
        json!([TARGET, [0.6, -0.2, 0.4], [0, half, 0], false]),
    );
    simulation.run(600).unwrap();
    let tool = simulation.read::<PoseData>("kuka.tool").unwrap();
    assert!(
        (point(tool) - Vector3::new(0.6, -0.2, 0.4)).norm() < 0.005,
        "{tool:?}"
    );
    assert!((tool.pitch - half).abs() < 0.01, "{tool:?}");
}

#[test]
fn arms_move_the_same_way_twice_and_after_a_restore() {
    let run = |simulation: &mut Simulation| {
        simulation.call(
            "kuka.motors",
            "move_IK_target",
            &json!([TARGET, [0.5, 0.2, 0.6], [0, 1, 0], false]),
        );
        simulation.run(40).unwrap();
        let saved = simulation.snapshot().unwrap();
        simulation.run(60).unwrap();
        (saved, simulation.state_hash())
    };
    let (mut one, mut other) = (arm("dynamic"), arm("dynamic"));
    one.hash_every_tick();
    other.hash_every_tick();
    let (saved, hash) = run(&mut one);
    assert_eq!(run(&mut other).1, hash);
    one.run(30).unwrap();
    one.restore(&saved).unwrap();
    one.run(60).unwrap();
    assert_eq!(one.state_hash(), hash);
}
