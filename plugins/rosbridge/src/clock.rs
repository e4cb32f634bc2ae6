//! The clock of rates and time limits.
use std::time::Instant;

#[expect(
    clippy::disallowed_methods,
    reason = "rates that clients ask for are in real time"
)]
pub(crate) fn now() -> Instant {
    Instant::now()
}
