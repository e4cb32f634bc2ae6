//! Ticks of a simulation, until a signal.
use morse_sim::run::Watch as _;

use crate::{failure::Failure, room::Room, stop::Stop};

/// Advances by some ticks, and records films. Returns the number of ticks that were made, which is lower if the call was
/// stopped.
pub(crate) fn advance(room: &mut Room, ticks: u64, stop: &Stop) -> Result<u64, Failure> {
    for made in 0..ticks {
        if stop.is_set() {
            return Ok(made);
        }
        let simulation = &mut room.simulation;
        simulation.step().map_err(Failure::environment)?;
        for film in room.films.values_mut() {
            film.tick(simulation).map_err(Failure::environment)?;
        }
        if let Some(fault) = simulation.take_fault() {
            return Err(Failure::component(fault));
        }
    }
    match room.simulation.failure() {
        Some(failure) => Err(Failure::environment(failure)),
        None => Ok(ticks),
    }
}
