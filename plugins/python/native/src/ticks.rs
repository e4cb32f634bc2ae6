//! Ticks of a simulation, until a signal.
use std::sync::atomic::{AtomicBool, Ordering};

use morse_sim::Simulation;

use crate::failure::Failure;

/// Advances by some ticks. Returns the number of ticks that were made, which is lower if the call was stopped.
pub(crate) fn advance(
    simulation: &mut Simulation,
    ticks: u64,
    stop: &AtomicBool,
) -> Result<u64, Failure> {
    for made in 0..ticks {
        if stop.load(Ordering::Relaxed) {
            return Ok(made);
        }
        simulation.step().map_err(Failure::environment)?;
    }
    match simulation.failure() {
        Some(failure) => Err(Failure::environment(failure)),
        None => Ok(ticks),
    }
}
