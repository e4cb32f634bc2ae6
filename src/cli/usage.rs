//! Wrong arguments of the command line.

/// Reason why an argument is not accepted, with the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(String);

impl From<String> for UsageError {
    fn from(reason: String) -> Self {
        Self(reason)
    }
}

impl From<&str> for UsageError {
    fn from(reason: &str) -> Self {
        Self(reason.to_owned())
    }
}
