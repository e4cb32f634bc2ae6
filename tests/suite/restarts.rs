//! A simulation that restarts in its world equals a new one, bit for bit.
use std::path::Path;

use morse_sim::{
    Simulation,
    simulation::{
        kinds,
        load::{Options, Plan, load},
        no_extensions,
    },
};

use crate::golden_runs::scenes;

/// Returns a shipped scene with this seed and these values, without middlewares.
fn plan(scene: &Path, seed: u64, set: &[String]) -> Plan {
    let options = Options {
        seed: Some(seed),
        set: set.to_vec(),
        ..Options::default()
    };
    let mut plan = load(scene, &options, &kinds(&no_extensions))
        .unwrap_or_else(|report| panic!("{}: {report}", scene.display()));
    plan.simulation.disconnect();
    plan
}

/// Returns values for other initial poses of robots, and other initial positions of joints.
fn moved(plan: &Plan) -> Vec<String> {
    let robots = plan.simulation.robots.iter();
    let robots = robots.filter(|(name, robot)| !name.contains('.') && robot.repeat.is_none());
    let poses = robots.enumerate().map(|(number, (name, robot))| {
        let step = 0.03 * (number + 1) as f64;
        let [x, y, z] = robot.at.translation.vector.into();
        let (roll, pitch, yaw) = robot.at.rotation.euler_angles();
        format!(
            "robots.{}.at=(translation: ({}, {}, {z}), rpy: ({roll}, {pitch}, {}))",
            name.value,
            x + step,
            y - step,
            yaw + step
        )
    });
    let joints = plan.simulation.joints.iter();
    let joints = joints.filter(|(name, joint)| !name.contains('.') && joint.position.is_some());
    let joints = joints.map(|(name, joint)| {
        let position = joint.position.unwrap_or_default() + 0.01;
        format!("joints.{}.position={position}", name.value)
    });
    poses.take(3).chain(joints.take(2)).collect()
}

/// Returns the hashes of some ticks, and the warnings.
fn hashes(simulation: &mut Simulation, ticks: u64) -> Vec<u128> {
    let mut hashes = vec![simulation.state_hash()];
    for _ in 0..ticks {
        simulation.step().expect("no observer to be lost");
        hashes.push(simulation.state_hash());
    }
    hashes
}

/// Returns the names of the kinds of state that differ.
fn differences(one: &Simulation, other: &Simulation) -> Vec<String> {
    let entries = |simulation: &Simulation| {
        let snapshot = simulation.snapshot().expect("its state has a binary form");
        let all = serde_json::to_value(&snapshot).expect("a snapshot is plain data");
        all["entries"].as_array().cloned().unwrap_or_default()
    };
    let (one, other) = (entries(one), entries(other));
    let pairs = one.iter().zip(&other);
    let different = pairs.filter(|(one, other)| one != other);
    different.map(|(one, _)| one[0].to_string()).collect()
}

fn ticks(scene: &Path) -> u64 {
    match scene.file_stem().and_then(|name| name.to_str()) {
        Some("swarm" | "fleet") => 3,
        _ => 20,
    }
}

/// Restarts a scene that has run, and compares it with a new one. Returns true if the world was kept.
#[track_caller]
fn assert_restarts(scene: &Path, first: &[String], next: &[String]) -> bool {
    let mut restarted = Simulation::build_for_restarts(plan(scene, 1, first), &no_extensions)
        .unwrap_or_else(|error| panic!("{error}"));
    restarted.run(ticks(scene)).expect("no observer to be lost");
    let is_kept = restarted
        .restart(plan(scene, 9, next))
        .unwrap_or_else(|error| panic!("{error}"));
    let mut fresh = Simulation::build(plan(scene, 9, next), &no_extensions)
        .unwrap_or_else(|error| panic!("{error}"));
    let of = format!("{}, {next:?}", scene.display());
    assert_eq!(differences(&restarted, &fresh), [""; 0], "start of {of}");
    let ticks = ticks(scene);
    let [one, other] = [&mut restarted, &mut fresh].map(|each| hashes(each, ticks));
    assert_eq!(differences(&restarted, &fresh), [""; 0], "end of {of}");
    assert_eq!(one, other, "{of}");
    let texts = [&restarted, &fresh].map(|each| each.warnings().to_string());
    assert_eq!(texts[0], texts[1], "{of}");
    is_kept
}

#[test]
fn every_scene_restarts_with_another_seed() {
    let mut kept = 0;
    let scenes = scenes();
    for scene in &scenes {
        kept += usize::from(assert_restarts(scene, &[], &[]));
    }
    println!("{kept} of {} worlds were kept", scenes.len());
    assert!(10 * kept >= 9 * scenes.len(), "{kept} of {}", scenes.len());
}

#[test]
fn every_scene_restarts_at_other_poses() {
    let mut kept = 0;
    let mut count = 0;
    for scene in scenes() {
        let next = moved(&plan(&scene, 1, &[]));
        if !next.is_empty() {
            count += 1;
            kept += usize::from(assert_restarts(&scene, &[], &next));
            // From another start to that of the file.
            assert_restarts(&scene, &next, &[]);
        }
    }
    println!("{kept} of {count} worlds were kept");
    assert!(10 * kept >= 9 * count, "{kept} of {count}");
}
