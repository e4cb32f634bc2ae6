//! The kinds that a simulation file may name. They are known to the program, not to this folder.

use std::any::Any;
use std::sync::Arc;

/// Family of the kinds that a word may stand for.
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
    /// Settings of each output for a kind of middleware; the word is the middleware's.
    Output,
    /// Settings of each input for a kind of middleware; the word is the middleware's.
    Input,
    /// A command of a kind of actuator; the word is the actuator's.
    Command,
}

impl Family {
    /// Those whose words are written after `kind`.
    pub const KINDS: [Self; 5] = [
        Self::Sensor,
        Self::Actuator,
        Self::Modifier,
        Self::Overlay,
        Self::Middleware,
    ];

    /// As messages name it.
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

/// Mistake in settings that could be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Way to it from the settings: names of fields, places in lists, keys of maps.
    pub path: Vec<String>,
    /// The mistake: "-1 is out of range: 0 to 10 m".
    pub message: String,
    /// The values that would do: "0 to 10 m".
    pub wanted: String,
}

/// The kinds that a simulation file may name, and how their settings are read.
pub trait Vocabulary {
    /// The words of a family, for look-ups and suggestions.
    fn words(&self, family: Family) -> Vec<&str>;

    /// Reads the settings of a kind. `word` is one of [`Vocabulary::words`].
    ///
    /// The deserializer answers `deserialize_struct`. Fields that the type does not declare are
    /// reported by the deserializer itself. The common fields (`level`, `frequency`, `mount`, …)
    /// are held back, unless the type declares a field of that name: then it is given the value too.
    /// Messages that a type makes itself (`serde::de::Error::custom`) are shown as they are, at the
    /// value that was being read.
    ///
    /// # Errors
    ///
    /// Whatever the settings' own `Deserialize` says.
    fn read(
        &self,
        family: Family,
        word: &str,
        settings: &mut dyn erased_serde::Deserializer<'_>,
    ) -> Result<Arc<dyn Any + Send + Sync>, erased_serde::Error>;

    /// Mistakes in settings that could be read, such as numbers that are out of range.
    fn faults(
        &self,
        _family: Family,
        _word: &str,
        _settings: &Arc<dyn Any + Send + Sync>,
    ) -> Vec<Fault> {
        Vec::new()
    }

    /// The levels of a kind, the default one first; empty when it has none.
    fn levels(&self, family: Family, word: &str) -> Vec<&str>;

    /// Tells whether a kind of overlay lies over a robot itself, not over a component.
    fn lies_over_robot(&self, _word: &str) -> bool {
        false
    }
}

/// No kinds at all: for simulations without components.
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
