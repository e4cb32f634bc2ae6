//! Motion of springs without damping, compared with MuJoCo.
use std::collections::BTreeMap;

use morse_sim::{Simulation, sensor::joint_state::JointStateData};

use crate::golden_messages::in_project;

/// A simulation of the model, with the settings of its joints that a warning lists.
const WORLD: &str = r#"Simulation(
    environment: (rate: RATE),
    robots: { "it": (
        model: "springs.xml", base: fixed, sensors: { "joints": (kind: "joint_state") },
        joints: {
            "shoulder": (position: 0.5, target: 0.3, stiffness: 20, damping: 0),
            "elbow": (position: -0.3, target: 0, stiffness: 5, damping: 0),
            "wrist": (position: 0.02, target: 0, stiffness: 100, damping: 0),
            "slider": (position: 0.2, target: 0, stiffness: 40, damping: 0),
            "pendulum": (position: 0.4),
        },
    ) },
)"#;

/// Returns the greatest deviation of a position from MuJoCo's after three seconds, rad or m.
fn deviation(rate: u32) -> f64 {
    let expected = std::fs::read_to_string(in_project("tests/data/mjcf/springs.json")).unwrap();
    let expected: BTreeMap<String, [f64; 2]> = serde_json::from_str(&expected).unwrap();
    let made = tempfile::tempdir().unwrap();
    let model = in_project("tests/data/mjcf/springs.xml");
    std::fs::copy(model, made.path().join("springs.xml")).unwrap();
    let path = made.path().join("world.ron");
    std::fs::write(&path, WORLD.replace("RATE", &rate.to_string())).unwrap();
    let mut simulation = Simulation::load(&path).unwrap();
    simulation.run(u64::from(3 * rate)).unwrap();
    let state = simulation.read::<JointStateData>("it.joints").unwrap();
    assert_eq!(state.names.len(), expected.len());
    let joints = state.names.iter().zip(&state.positions);
    joints.fold(0.0, |most: f64, (name, position)| {
        most.max((position - expected[name][0]).abs())
    })
}

/// The step is of second order: a quarter of its length has a sixteenth of the error.
#[test]
fn springs_without_damping_move_as_in_mujoco() {
    let [coarse, fine] = [250, 1000].map(deviation);
    assert!(fine < 5e-4, "{fine}");
    assert!((coarse / fine - 16.0).abs() < 2.0, "{coarse} and {fine}");
}
