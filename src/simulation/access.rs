//! Reasons why a component cannot be read or commanded.
use morse_api::command::BadCommand;

/// Reason why a command or a request for data is refused.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum AccessError {
    /// No component has that path.
    #[error("there is no component `{path}`{}", near.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoComponent {
        /// Requested path.
        path: String,
        /// The nearest existing path.
        near: Option<String>,
    },
    /// The component is of another kind.
    #[error("`{path}` does not hold `{asked}`")]
    OtherKind {
        /// The component.
        path: String,
        /// The requested Rust type.
        asked: &'static str,
    },
    /// The sensor has no data yet: it was not due, or its modifiers withheld its measurements.
    #[error("`{path}` has exported nothing yet; read it after its first measurement")]
    NothingYet {
        /// The sensor.
        path: String,
    },
    /// The actuator refuses the command.
    #[error(transparent)]
    Command(#[from] BadCommand),
}
