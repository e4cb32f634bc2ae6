//! Limits of a run, its end, and its summary.
use std::{
    collections::BTreeMap,
    sync::{Arc, atomic::AtomicUsize},
    time::Duration,
};

use morse_api::{middleware::Failure, port::LockstepLost};
use morse_physics::lost_body::LostBody;
use serde::Serialize;
use serde_json::Value as Json;

use super::speed::SlowestTick;

/// Speed at which simulated time passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// No limit: ticks follow each other without waits.
    Max,
    /// This number of simulated seconds per second.
    RealTime(f64),
}

/// Limits of a run, and its pace.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Number of ticks; unlimited by default.
    pub ticks: Option<u64>,
    /// Pace of simulated time.
    pub pace: Pace,
    /// Wall-clock time after which the run is aborted.
    pub timeout: Option<Duration>,
    /// Number of the signal that requests the end, or 0.
    pub signal: Arc<AtomicUsize>,
    /// True if the run ends when the physics loses a body; otherwise it continues without the body.
    pub strict: bool,
}

/// Reason for the end of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// The last tick was made.
    Done,
    /// A client requested it.
    Asked,
    /// A signal with this number requested it.
    Signal(usize),
    /// The time limit was reached, after this number of seconds.
    TimedOut(f64),
    /// A middleware failed.
    Failure(Failure),
    /// The observer of a lockstep port is lost.
    LockstepLost(LockstepLost),
    /// The simulation failed: a component panicked, or the physics lost a body in a strict run.
    SimulationFailed(String),
}

/// Summary of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Number of ticks.
    pub steps: u64,
    /// Simulated time, s.
    pub sim_seconds: f64,
    /// Wall-clock time, s.
    pub wall_seconds: f64,
    /// Simulated seconds per second.
    pub rtf: f64,
    /// Simulated seconds per second over the slowest second of the run; equal to `rtf` for shorter runs.
    pub rtf_min: f64,
    /// The longest tick; `None` without ticks.
    pub slowest_tick: Option<SlowestTick>,
    /// The state hash, 32 hexadecimal digits.
    pub state_hash: String,
    /// Readings that did not reach an observer, because it was slow.
    pub drops: u64,
    /// Wall-clock time of the ticks, without the time between them, s.
    #[serde(skip)]
    pub tick_seconds: f64,
    /// Bodies that the physics lost in the run, including those that a reset has restored since.
    pub lost: Vec<LostBody>,
    /// Reports of middlewares, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub middlewares: BTreeMap<String, Json>,
    /// Reports of middlewares for people, by name.
    #[serde(skip)]
    pub reports: BTreeMap<String, String>,
}
