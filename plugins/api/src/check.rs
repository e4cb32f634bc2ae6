//! Errors of components that cannot work as they are set, or where they stand.

/// Reason why a component cannot work, and what to do about it, for the user to read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// Setting that makes no sense, and one that would.
    #[error("{0}")]
    Setting(String),
    /// Need that the robot, the scene or the simulation does not meet, and how to meet it.
    #[error("{0}")]
    Unmet(String),
}

impl CheckError {
    /// Setting that makes no sense.
    #[must_use]
    pub fn setting(why: impl Into<String>) -> Self {
        Self::Setting(why.into())
    }

    /// Need that is not met.
    #[must_use]
    pub fn unmet(why: impl Into<String>) -> Self {
        Self::Unmet(why.into())
    }
}
