//! Progress of a run.

/// Progress of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Number of ticks so far.
    pub steps: u64,
    /// Total number of ticks, if limited.
    pub of: Option<u64>,
    /// Simulated time, s.
    pub sim_seconds: f64,
    /// Wall-clock time since the start, s.
    pub wall_seconds: f64,
}
