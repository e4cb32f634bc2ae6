//! Errors of components that cannot work with their settings or at their mount.

/// Reason why a component cannot work, and how to correct it, as a message for the user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// A setting is invalid; the text says which value is valid.
    #[error("{0}")]
    Setting(String),
    /// The robot, the scene or the simulation lacks something; the text says how to provide it.
    #[error("{0}")]
    Unmet(String),
}

impl CheckError {
    /// Returns the error of an invalid setting.
    #[must_use]
    pub fn setting(why: impl Into<String>) -> Self {
        Self::Setting(why.into())
    }

    /// Returns the error of an unmet requirement.
    #[must_use]
    pub fn unmet(why: impl Into<String>) -> Self {
        Self::Unmet(why.into())
    }
}
