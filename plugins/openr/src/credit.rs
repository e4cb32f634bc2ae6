//! Credit of a link.
use serde::Serialize;

/// Readiness of an observer at its subject.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Credit {
    /// The observer waits for one message.
    Asserted,
    /// The credit was used, or there has not been any: data are queued.
    #[default]
    Unknown,
    /// The observer requests no data: they are dropped.
    Deasserted,
}
