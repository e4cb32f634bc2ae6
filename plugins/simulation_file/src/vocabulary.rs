//! Interface for the kinds that a simulation file may name. The program implements it; this crate contains no kinds.

use std::any::Any;
use std::sync::Arc;

/// Family of kinds to which a word belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// A kind of sensor.
    Sensor,
    /// A kind of actuator.
    Actuator,
    /// A kind of modifier.
    Modifier,
    /// A kind of overlay.
    Overlay,
    /// A kind of middleware.
    Middleware,
    /// Settings of outputs for a kind of middleware; the word is the middleware's.
    Output,
    /// Settings of inputs for a kind of middleware; the word is the middleware's.
    Input,
    /// Command of a kind of actuator; the word is the actuator's.
    Command,
}

impl Family {
    /// Families whose words are values of `kind`.
    pub const KINDS: [Self; 5] = [
        Self::Sensor,
        Self::Actuator,
        Self::Modifier,
        Self::Overlay,
        Self::Middleware,
    ];

    /// Returns the name of the family in messages.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Sensor => "sensor",
            Self::Actuator => "actuator",
            Self::Modifier => "modifier",
            Self::Overlay => "overlay",
            Self::Middleware => "middleware",
            Self::Output => "output",
            Self::Input => "input",
            Self::Command => "command",
        }
    }
}

/// Error in settings that could be deserialized.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Path from the settings to the value: names of fields, indices of lists, keys of maps.
    pub path: Vec<String>,
    /// Error message: "-1 is out of range: 0 to 10 m".
    pub message: String,
    /// Valid values: "0 to 10 m".
    pub wanted: String,
}

/// Kinds that a simulation file may name, and the deserialization of their settings.
pub trait Vocabulary {
    /// Returns the words of a family, for look-ups and suggestions.
    fn words(&self, family: Family) -> Vec<&str>;

    /// Reads the settings of a kind. `word` is one of [`Vocabulary::words`].
    ///
    /// The deserializer supports `deserialize_struct`, and reports fields that the type does not declare. It passes a common
    /// field (`level`, `frequency`, `mount`, …) only to a type that declares a field of that name. Messages of the type
    /// itself (`serde::de::Error::custom`) are shown unchanged, at the value that was being read.
    ///
    /// # Errors
    ///
    /// Returns the errors of the settings' `Deserialize` implementation.
    fn read(
        &self,
        family: Family,
        word: &str,
        settings: &mut dyn erased_serde::Deserializer<'_>,
    ) -> Result<Arc<dyn Any + Send + Sync>, erased_serde::Error>;

    /// Returns errors in settings that could be deserialized, such as numbers that are out of range.
    fn faults(
        &self,
        _family: Family,
        _word: &str,
        _settings: &Arc<dyn Any + Send + Sync>,
    ) -> Vec<Fault> {
        Vec::new()
    }

    /// Returns the levels of a kind, the default one first; empty if it has none.
    fn levels(&self, family: Family, word: &str) -> Vec<&str>;

    /// Returns true if a kind of overlay belongs to a robot itself instead of a component.
    fn lies_over_robot(&self, _word: &str) -> bool {
        false
    }
}

/// An empty vocabulary, for simulations without components.
impl Vocabulary for () {
    fn words(&self, _: Family) -> Vec<&str> {
        Vec::new()
    }

    fn read(
        &self,
        family: Family,
        word: &str,
        _: &mut dyn erased_serde::Deserializer<'_>,
    ) -> Result<Arc<dyn Any + Send + Sync>, erased_serde::Error> {
        let noun = family.noun();
        Err(serde::de::Error::custom(format!("unknown {noun} `{word}`")))
    }

    fn levels(&self, _: Family, _: &str) -> Vec<&str> {
        Vec::new()
    }
}
