//! Limits of a run, its end, and what is said of it then.
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
    /// As fast as the machine can.
    Max,
    /// This many simulated seconds a second.
    RealTime(f64),
}

/// Conditions for the end of a run, and its pace.
#[derive(Clone, Debug)]
pub struct Limits {
    /// So many ticks; without it, until it is stopped.
    pub ticks: Option<u64>,
    /// Speed of simulated time.
    pub pace: Pace,
    /// Time by the wall clock after which the run is given up.
    pub timeout: Option<Duration>,
    /// The number of the signal that asks for the end, or 0.
    pub signal: Arc<AtomicUsize>,
    /// True if the run ends when the physics loses a body; otherwise everything else goes on.
    pub strict: bool,
}

/// Reason for the end of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// The last tick was made.
    Done,
    /// A client asked for it.
    Asked,
    /// A signal of this number asked for it.
    Signal(usize),
    /// The time by the wall clock is up, after so many seconds.
    TimedOut(f64),
    /// A middleware lost what it needs.
    Failure(Failure),
    /// The observer of a lockstep port is lost.
    LockstepLost(LockstepLost),
    /// The simulation itself failed: a part of the program panicked, or the physics lost a body in a strict run.
    SimulationFailed(String),
}

/// Summary of a run, said at its end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Ticks that were made.
    pub steps: u64,
    /// Simulated time, s.
    pub sim_seconds: f64,
    /// Time it took, s.
    pub wall_seconds: f64,
    /// Simulated seconds a second.
    pub rtf: f64,
    /// The same over the slowest second of the run; shorter runs have one speed.
    pub rtf_min: f64,
    /// The tick that took longest; none was made, perhaps.
    pub slowest_tick: Option<SlowestTick>,
    /// The state hash, 32 hexadecimal digits.
    pub state_hash: String,
    /// Readings that did not reach an observer, because it was slow.
    pub drops: u64,
    /// Time that the ticks took by the wall clock, without what is between them, s.
    #[serde(skip)]
    pub tick_seconds: f64,
    /// Bodies that the physics lost on the way, also those that a reset has healed since.
    pub lost: Vec<LostBody>,
    /// Reports of middlewares that have one, by their names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub middlewares: BTreeMap<String, Json>,
    /// The same for people.
    #[serde(skip)]
    pub reports: BTreeMap<String, String>,
}
