//! The clock of time limits and rates of clients. It runs in real time, and nothing that is simulated depends on it.
use std::time::Instant;

/// Returns the present time.
#[must_use]
#[expect(
    clippy::disallowed_methods,
    reason = "time limits and rates of clients are in real time"
)]
pub fn now() -> Instant {
    Instant::now()
}
