//! Clock for timeouts and rates of clients. It is the real time; the simulation does not depend on it.
use std::time::Instant;

/// Returns the current time.
#[must_use]
#[expect(
    clippy::disallowed_methods,
    reason = "time limits and rates of clients are in real time"
)]
pub fn now() -> Instant {
    Instant::now()
}
