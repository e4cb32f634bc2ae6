//! Velocities of the joints of shipped arms, against the commanded ones.
use std::path::Path;

use morse_sim::{
    actuator::joints::{Joints, JointsCommand},
    sensor::joint_state::JointStateData,
};

use super::parse;

/// Duration of the motion, s.
const SECONDS: f64 = 0.5;

/// All joints turn at once. Their motors reach their maximum effort while the arm starts, which takes up to 20 ms.
#[test]
fn joints_of_arms_turn_as_fast_as_commanded() {
    for (model, count) in [("kuka_lwr", 7), ("pa10", 6)] {
        for rate in [60, 120, 240] {
            for speed in [1.0, -0.6] {
                let text = format!(
                    r#"Simulation(environment: (rate: {rate}), robots: {{ "arm": (
                        model: "arms/{model}.robray", base: fixed,
                        sensors: {{ "state": (kind: "joint_state") }}, actuators: {{ "motors": (kind: "joints") }},
                    ) }})"#
                );
                let mut simulation = parse(&text, Path::new("."));
                let command = JointsCommand {
                    velocities: vec![speed; count],
                    ..JointsCommand::default()
                };
                simulation.command::<Joints>("arm.motors", command).unwrap();
                simulation.run((SECONDS * f64::from(rate)) as u64).unwrap();
                let state = simulation.read::<JointStateData>("arm.state").unwrap();
                for (position, velocity) in state.positions.iter().zip(&state.velocities) {
                    assert!(
                        (position - speed * SECONDS).abs() < 0.03
                            && (velocity - speed).abs() < 0.01,
                        "{model} at {rate} Hz with {speed} rad/s: {:?} rad, {:?} rad/s",
                        state.positions,
                        state.velocities
                    );
                }
            }
        }
    }
}
