//! Scenarios: conditions over runs, and their verdicts.
//!
//! The command `morse-sim test` runs scenario files; tests in Rust use the same conditions:
//!
//! ```
//! use morse_sim::{Simulation, scenario::{Condition, judge}};
//!
//! let mut simulation = Simulation::load("scenes/drop.ron")?;
//! let conditions = [
//!     ("lands", Condition::reach("block_a.pose.z < 0.78")?.until(1.0)),
//!     ("stays on the table", Condition::never("block_a.pose.z < 0.75")?),
//!     ("rests", Condition::within("block_a.pose.z", "0.77", 1e-3)?),
//! ];
//! for verdict in judge(&mut simulation, conditions, 3.0)? {
//!     assert!(verdict.passed, "{verdict}");
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`Condition`], [`Expression`]: plain data, read from text;
//! - [`Monitor`]: evaluates conditions tick by tick, and returns their [`Verdict`]s;
//! - [`Commands`]: commands that are given at times.
mod commands;
mod monitor;
mod probe;
mod record;
mod value;

pub use commands::{Commands, MisfitCommand};
pub use monitor::{Monitor, Unbound, Verdict};
pub use morse_simulation_file::{Condition, Demand, Expression, ExpressionError, TimedCommand};
pub use probe::BindError;
pub(crate) use record::Record;

use morse_api::port::LockstepLost;

use crate::simulation::Simulation;

/// Reason why a simulation could not be judged.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// A condition does not fit the simulation.
    #[error(transparent)]
    Unbound(#[from] Unbound),
    /// The observer of a lockstep port is lost.
    #[error(transparent)]
    LockstepLost(#[from] LockstepLost),
}

/// Runs a simulation for a simulated time (s), or until all verdicts are decided, and returns the verdicts.
///
/// # Errors
///
/// A condition names data that the simulation does not have, or a lockstep observer was lost.
pub fn judge<N: Into<String>>(
    simulation: &mut Simulation,
    conditions: impl IntoIterator<Item = (N, Condition)>,
    length: f64,
) -> Result<Vec<Verdict>, JudgeError> {
    let conditions = conditions.into_iter();
    let conditions = conditions.map(|(name, condition)| (name.into(), condition));
    let mut monitor = Monitor::new(simulation, conditions)?;
    let ticks = (length * simulation.clock().rate).round() as u64;
    for _ in 0..ticks {
        if monitor.is_decided() {
            break;
        }
        simulation.step()?;
        monitor.look(simulation);
    }
    Ok(monitor.end(simulation))
}
