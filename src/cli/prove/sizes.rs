//! Amounts of work: the figures as promised, and parts of them for less patience.

/// Amounts for one proof.
#[derive(Debug)]
pub(super) struct Size {
    pub(super) name: &'static str,
    /// Simulated length of the runs of fresh processes, s.
    pub(super) long: f64,
    /// Simulated length of all other runs, s.
    pub(super) short: f64,
    /// Fresh processes for each scene.
    pub(super) processes: usize,
    /// True if runs are made beside busy loops, too: on a machine that is busy already they take long.
    pub(super) beside_load: bool,
    /// Clients that look on at the same time.
    pub(super) clients: usize,
    /// Resets, and as many snapshots, for each scene.
    pub(super) resets: usize,
    /// Runs with a client that holds the ticks, for each way to do so.
    pub(super) held: usize,
    /// Longest time that such a client takes for an answer, ms.
    pub(super) patience: f64,
    /// Ticks of such a run.
    pub(super) held_ticks: u64,
    /// Worlds with other sensors and robots.
    pub(super) others: usize,
    pub(super) seeds: u64,
    /// Measurements whose noise is looked at.
    pub(super) draws: u64,
}

/// For the tests of this program.
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

/// Less than two minutes on two processors.
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

/// A quarter of what is promised, or so.
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

/// All that is promised.
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
