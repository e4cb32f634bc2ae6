//! Progress of a run under way.

/// Progress of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Ticks that were made.
    pub steps: u64,
    /// Ticks that will be made, if that is known.
    pub of: Option<u64>,
    /// Simulated time, s.
    pub sim_seconds: f64,
    /// Time since the start, s.
    pub wall_seconds: f64,
}
