//! A minimal program: loads, steps and reads a world.
//!
//! Two blocks fall 0.2 m onto a table. Their poses are read between the ticks; no background thread runs, and no clock is
//! read.
#![expect(clippy::print_stdout, reason = "an example talks")]
use std::error::Error;

use morse_sim::{Simulation, sensor::pose::PoseData};

fn main() -> Result<(), Box<dyn Error>> {
    let mut simulation = Simulation::load("scenes/drop.ron")?;
    println!("  time   block_a");
    while simulation.seconds() < 1.0 {
        simulation.run(6)?;
        let pose = simulation.read::<PoseData>("block_a.pose")?;
        println!("{:4.1} s  {:.3} m", simulation.seconds(), pose.z);
    }
    let pose = simulation.read::<PoseData>("block_a.pose")?;
    assert!(
        (pose.z - 0.77).abs() < 0.005,
        "it lies on the table: {pose:?}"
    );
    Ok(())
}
