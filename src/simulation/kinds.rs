//! Names of kinds in simulation files, with their settings, data, levels and docs.
use std::borrow::Borrow;

use bevy::reflect::TypeInfo;
pub use morse_api::kind::Kinds;
use morse_api::{
    kind::{About, ErasedSettings},
    range::Violation,
};
use morse_simulation_file::vocabulary::{Family, Fault, Vocabulary};

/// [`Kinds`], or what collects them when they are first needed.
pub type AnyKinds = dyn Borrow<Kinds>;

/// All registered kinds, as a vocabulary for the reader of simulation files.
pub struct Words<'a>(pub &'a AnyKinds);

impl Words<'_> {
    fn kinds(&self) -> &Kinds {
        self.0.borrow()
    }

    /// Returns the settings of a word.
    pub(crate) fn about(&self, family: Family, word: &str) -> Option<About> {
        let kinds = self.kinds();
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
        let kinds = self.kinds();
        match family {
            Family::Sensor => kinds.sensors.keys().copied().collect(),
            Family::Actuator | Family::Command => kinds.actuators.keys().copied().collect(),
            Family::Modifier => kinds.modifiers.keys().copied().collect(),
            Family::Overlay => kinds.overlays.keys().copied().collect(),
            Family::Middleware | Family::Output | Family::Input => {
                kinds.middlewares.keys().copied().collect()
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
            Family::Sensor => {
                let kind = self.kinds().sensors.get(word);
                kind.map_or(Vec::new(), |kind| kind.levels.to_vec())
            }
            _ => Vec::new(),
        }
    }

    fn lies_over_robot(&self, word: &str) -> bool {
        let overlay = self.kinds().overlays.get(word);
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
