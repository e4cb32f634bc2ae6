//! Simulations that change their thread.
use std::thread;

use morse_sim::Simulation;

use super::{WORLD, parse, spawn};

#[test]
fn a_simulation_can_change_its_thread_between_two_ticks() {
    // The kinds of the guest's components are new in this world, so that their systems begin on the other threads.
    let changed = |mut simulation: Simulation| {
        spawn(&mut simulation, "guest");
        simulation.run(30).unwrap();
        simulation
    };
    let mut alone = changed(parse(WORLD));
    alone.delete("guest").unwrap();
    alone.run(30).unwrap();
    let simulation = thread::spawn(|| parse(WORLD)).join().unwrap();
    let mut simulation = thread::spawn(move || changed(simulation)).join().unwrap();
    simulation.delete("guest").unwrap();
    simulation.run(30).unwrap();
    assert_eq!(simulation.state_hash(), alone.state_hash());
}
