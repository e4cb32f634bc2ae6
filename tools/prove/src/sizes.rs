//! Amounts of work: the promised figures, and smaller ones for shorter checks.

/// Amounts of work of one proof.
#[derive(Debug)]
pub(super) struct Size {
    pub(super) name: &'static str,
    /// Simulated duration of the runs of fresh processes, s.
    pub(super) long: f64,
    /// Simulated duration of all other runs, s.
    pub(super) short: f64,
    /// Number of fresh processes per scene.
    pub(super) processes: usize,
    /// True if runs are also made next to busy loops, which takes long on a machine under load.
    pub(super) beside_load: bool,
    /// Number of simultaneous clients.
    pub(super) clients: usize,
    /// Number of resets, and of snapshots, per scene.
    pub(super) resets: usize,
    /// Number of runs with a client that controls the ticks, for each method.
    pub(super) held: usize,
    /// Maximum delay of such a client, ms.
    pub(super) patience: f64,
    /// Ticks of such a run.
    pub(super) held_ticks: u64,
    /// Number of worlds with other sensors and robots.
    pub(super) others: usize,
    pub(super) seeds: u64,
    /// Number of measurements whose noise is checked.
    pub(super) draws: u64,
}

/// Amounts for the tests of this program.
pub(super) const SMALLEST: Size = Size {
    name: "smallest",
    long: 0.2,
    short: 0.2,
    processes: 3,
    beside_load: false,
    clients: 3,
    resets: 8,
    held: 2,
    patience: 12.0,
    held_ticks: 8,
    others: 4,
    seeds: 20,
    draws: 1000,
};

/// Amounts for less than two minutes on two processors.
pub(super) const QUICK: Size = Size {
    name: "quick",
    long: 2.0,
    short: 0.5,
    processes: 5,
    beside_load: true,
    clients: 8,
    resets: 50,
    held: 3,
    patience: 20.0,
    held_ticks: 20,
    others: 25,
    seeds: 500,
    draws: 20_000,
};

/// About a quarter of the promised amounts.
pub(super) const STANDARD: Size = Size {
    name: "standard",
    long: 10.0,
    short: 2.0,
    processes: 25,
    beside_load: true,
    clients: 20,
    resets: 250,
    held: 10,
    patience: 50.0,
    held_ticks: 60,
    others: 50,
    seeds: 2500,
    draws: 100_000,
};

/// All promised amounts.
pub(super) const RELEASE: Size = Size {
    name: "release",
    long: 20.0,
    short: 5.0,
    processes: 100,
    beside_load: true,
    clients: 50,
    resets: 1000,
    held: 20,
    patience: 50.0,
    held_ticks: 120,
    others: 50,
    seeds: 10_000,
    draws: 1_000_000,
};
