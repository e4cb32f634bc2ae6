//! Names of kinds in simulation files, with their settings, data, levels and docs.
use bevy::reflect::TypeInfo;
pub use morse_api::kind::Kinds;
use morse_api::{
    kind::{About, ErasedSettings},
    range::Violation,
};
use morse_simulation_file::vocabulary::{Family, Fault, Vocabulary};

/// All registered kinds, as a vocabulary for the reader of simulation files.
pub struct Words<'a>(pub &'a Kinds);

impl Words<'_> {
    /// Returns the settings of a word.
    pub(crate) fn about(&self, family: Family, word: &str) -> Option<About> {
        let kinds = self.0;
        match family {
            Family::Sensor => kinds.sensors.get(word).map(|kind| kind.about),
            Family::Actuator => kinds.actuators.get(word).map(|kind| kind.about),
            Family::Modifier => kinds.modifiers.get(word).map(|kind| kind.about),
            Family::Overlay => kinds.overlays.get(word).map(|kind| kind.about),
            Family::Middleware => kinds.middlewares.get(word).map(|kind| kind.about),
            Family::Output => kinds.middlewares.get(word).map(|kind| kind.output),
            Family::Input => kinds.middlewares.get(word).map(|kind| kind.input),
            Family::Command => kinds.actuators.get(word).map(|kind| kind.command_about),
        }
    }
}

impl Vocabulary for Words<'_> {
    fn words(&self, family: Family) -> Vec<&str> {
        match family {
            Family::Sensor => self.0.sensors.keys().copied().collect(),
            Family::Actuator | Family::Command => self.0.actuators.keys().copied().collect(),
            Family::Modifier => self.0.modifiers.keys().copied().collect(),
            Family::Overlay => self.0.overlays.keys().copied().collect(),
            Family::Middleware | Family::Output | Family::Input => {
                self.0.middlewares.keys().copied().collect()
            }
        }
    }

    fn read(
        &self,
        family: Family,
        word: &str,
        settings: &mut dyn erased_serde::Deserializer<'_>,
    ) -> Result<ErasedSettings, erased_serde::Error> {
        let about = self.about(family, word);
        let about = about.ok_or_else(|| {
            serde::de::Error::custom(format!("unknown {} `{word}`", family.noun()))
        })?;
        (about.read)(settings)
    }

    fn faults(&self, family: Family, word: &str, settings: &ErasedSettings) -> Vec<Fault> {
        // The initial command of an actuator is checked against its ranges when it is given.
        let about = self.about(family, word);
        let about = about.filter(|_| family != Family::Command);
        let violations = about.map_or(Vec::new(), |about| about.violations(settings));
        let fault = |violation: Violation| Fault {
            message: violation.to_string(),
            wanted: violation.wanted(),
            path: violation.path,
        };
        violations.into_iter().map(fault).collect()
    }

    fn levels(&self, family: Family, word: &str) -> Vec<&str> {
        match family {
            Family::Sensor => self
                .0
                .sensors
                .get(word)
                .map_or(Vec::new(), |kind| kind.levels.to_vec()),
            _ => Vec::new(),
        }
    }

    fn lies_over_robot(&self, word: &str) -> bool {
        let overlay = self.0.overlays.get(word);
        overlay.is_some_and(|kind| kind.over_robot)
    }
}

/// Returns the first paragraph of a type's docs.
#[must_use]
pub fn summary(info: &TypeInfo) -> String {
    let docs = info.docs().unwrap_or_default();
    let paragraph = docs.split("\n\n").next().unwrap_or_default();
    paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
}
