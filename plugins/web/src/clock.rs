//! The clock of time limits.
use std::time::Instant;

#[expect(
    clippy::disallowed_methods,
    reason = "the time limits of viewers are real time"
)]
pub(crate) fn now() -> Instant {
    Instant::now()
}
