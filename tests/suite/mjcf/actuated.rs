//! Motion of an arm under its actuators, compared with MuJoCo's.
//!
//! `tests/data/mjcf/actuated.py` has the models, and writes the positions by MuJoCo to `actuated.json`.

use std::collections::BTreeMap;

use morse_sim::{
    Simulation,
    sensor::joint_state::JointStateData,
    simulation::{load::Options, no_extensions},
};
use serde::Deserialize;

use crate::golden_messages::in_project;

/// Rate of the simulation, Hz.
const RATE: u32 = 2000;

/// A model, and the position of its joint after one second by MuJoCo, rad.
#[derive(Deserialize)]
struct Case {
    model: String,
    position: f64,
}

/// Returns the position of the joint after one second, rad, and the warnings.
fn simulated(model: &str) -> (f64, String) {
    let made = tempfile::tempdir().unwrap();
    let path = made.path().join("model.xml");
    std::fs::write(&path, model).unwrap();
    let options = Options {
        set: vec![format!("environment.rate={RATE}")],
        ..Options::default()
    };
    let mut simulation = Simulation::load_with(&path, &options, &no_extensions).unwrap();
    simulation.run(u64::from(RATE)).unwrap();
    let state = simulation.read::<JointStateData>("m.joint_state").unwrap();
    (state.positions[0], simulation.warnings().to_string())
}

#[test]
fn arms_move_by_their_actuators_as_in_mujoco() {
    let cases = std::fs::read_to_string(in_project("tests/data/mjcf/actuated.json")).unwrap();
    let cases: BTreeMap<String, Case> = serde_json::from_str(&cases).unwrap();
    assert!(cases.len() >= 12);
    for (name, case) in cases {
        let (position, warnings) = simulated(&case.model);
        // MuJoCo's limits of positions give way by some milliradians.
        let error = (position - case.position).abs();
        assert!(
            error < 3e-3,
            "{name}: {position}, not {}\n{warnings}",
            case.position
        );
        // These differ from MuJoCo for other controls.
        let differs = [
            "motor at the lesser limit",
            "integrated control at rest",
            "inherited range of the activation",
        ];
        let is_warned = differs.contains(&name.as_str());
        assert_eq!(is_warned, !warnings.is_empty(), "{name}: {warnings}");
    }
}
