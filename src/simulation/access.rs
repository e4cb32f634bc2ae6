//! Reasons why a component cannot be read or commanded.
use morse_api::command::BadCommand;

/// Reason for the refusal of a command or a question.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum AccessError {
    /// No component has that path.
    #[error("there is no component `{path}`{}", near.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoComponent {
        /// Path that was asked for.
        path: String,
        /// The nearest path that there is.
        near: Option<String>,
    },
    /// The component is of another kind.
    #[error("`{path}` does not hold `{asked}`")]
    OtherKind {
        /// The component.
        path: String,
        /// The Rust type that was asked for.
        asked: &'static str,
    },
    /// The sensor has no data yet: it was not due, or its modifiers kept back what it measured.
    #[error("`{path}` has exported nothing yet; read it after its first measurement")]
    NothingYet {
        /// The sensor.
        path: String,
    },
    /// The command cannot be taken.
    #[error(transparent)]
    Command(#[from] BadCommand),
}
