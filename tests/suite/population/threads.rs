//! Simulations that change their thread.
use std::thread;

use morse_sim::Simulation;

use super::{WORLD, parse, spawn};

/// Returns the result of a function on another thread.
fn elsewhere<R: Send + 'static>(function: impl FnOnce() -> R + Send + 'static) -> R {
    let thread = thread::Builder::new().spawn(function).unwrap();
    thread.join().unwrap()
}

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
    let simulation = elsewhere(|| parse(WORLD));
    let mut simulation = elsewhere(move || changed(simulation));
    simulation.delete("guest").unwrap();
    simulation.run(30).unwrap();
    assert_eq!(simulation.state_hash(), alone.state_hash());
}
