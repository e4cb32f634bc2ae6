//! The wall clock, for runs and their measurements.
use std::time::{Duration, Instant, SystemTime};

#[expect(
    clippy::disallowed_methods,
    reason = "pacing and measuring runs is what the wall clock is for"
)]
pub(super) fn now() -> Instant {
    Instant::now()
}

/// A stopwatch.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts the stopwatch.
    #[must_use]
    pub fn start() -> Self {
        Self(now())
    }

    /// Time since the start.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }

    /// Time since the start, s.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }

    /// Time since the start, ns.
    #[must_use]
    pub fn nanos(self) -> u64 {
        u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// A time of day, for comparison with the times of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(SystemTime);

impl Moment {
    /// Returns the present time.
    #[expect(
        clippy::disallowed_methods,
        reason = "times of files are compared with the wall clock"
    )]
    pub(crate) fn now() -> Self {
        Self(SystemTime::now())
    }

    /// Returns the time at which a file was changed, if the file system has it.
    pub(crate) fn of_change(about: &std::fs::Metadata) -> Option<Self> {
        about.modified().ok().map(Self)
    }
}

/// Seconds since 1970, UTC.
#[expect(clippy::disallowed_methods, reason = "a report says when it was made")]
#[must_use]
pub fn unix_seconds() -> u64 {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}
