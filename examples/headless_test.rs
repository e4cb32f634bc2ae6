//! A controller under test: a program drives a rover to a goal, and a test checks that it arrives.
//!
//! The simulation runs in the test's own thread, as fast as possible, without a display or a network, and two runs give the
//! same bits. `cargo test` runs the test below, `cargo run` its main function.
#![expect(clippy::print_stdout, reason = "an example talks")]
use std::error::Error;

use morse_sim::{
    actuator::v_omega::{VOmega, VOmegaCommand},
    sensor::pose::PoseData,
    simulation::{Simulation, no_extensions},
};

/// The software under test: turns towards the goal, and drives.
fn control(pose: &PoseData, [x, y]: [f64; 2]) -> VOmegaCommand {
    let (dx, dy) = (x - pose.x, y - pose.y);
    let distance = libm::hypot(dx, dy);
    let error = libm::remainder(libm::atan2(dy, dx) - pose.yaw, std::f64::consts::TAU);
    if distance < 0.1 {
        return VOmegaCommand::default();
    }
    let v = if error.abs() < 0.3 {
        distance.min(1.0)
    } else {
        0.0
    };
    VOmegaCommand { v, w: 1.5 * error }
}

const SIMULATION: &str = r#"Simulation(
    scene: "boxes.robray",
    robots: {
        "rover": (
            model: "robots/atrv.robray", base: dynamic, at: (translation: (0, 0, 0.1)),
            sensors: { "pose": (kind: "pose", frequency: 20) },
            actuators: { "motion": (kind: "v_omega") },
        ),
    },
)"#;

/// Drives for a number of seconds; returns the final distance to the goal, and the hash of the whole run.
fn drive(goal: [f64; 2], seconds: f64) -> Result<(f64, u128), Box<dyn Error>> {
    let mut simulation = Simulation::parse(SIMULATION, "scenes", &no_extensions)?;
    simulation.hash_every_tick();
    let mut distance = f64::INFINITY;
    while simulation.seconds() < seconds {
        simulation.run(3)?;
        let pose = simulation.read::<PoseData>("rover.pose")?.clone();
        distance = libm::hypot(goal[0] - pose.x, goal[1] - pose.y);
        if simulation.tick().is_multiple_of(60) {
            println!(
                "{:4.1} s  ({:+.2}, {:+.2})  {distance:.2} m to go",
                simulation.seconds(),
                pose.x,
                pose.y
            );
        }
        simulation.command::<VOmega>("rover.motion", control(&pose, goal))?;
    }
    Ok((distance, simulation.state_hash()))
}

fn main() -> Result<(), Box<dyn Error>> {
    let (distance, hash) = drive([3.0, 4.0], 10.0)?;
    println!("the run's hash is {hash:032x}");
    assert!(distance < 0.15, "it arrives: {distance} m are left");
    Ok(())
}

#[test]
fn the_rover_arrives_and_twice_the_same_way() -> Result<(), Box<dyn Error>> {
    let (distance, hash) = drive([-2.0, 1.0], 8.0)?;
    assert!(distance < 0.15, "{distance}");
    assert_eq!(drive([-2.0, 1.0], 8.0)?.1, hash);
    Ok(())
}
