//! Warnings of components for the user while the simulation runs.
use std::sync::{Arc, Mutex, PoisonError};

use bevy::prelude::*;

use crate::component::ComponentPath;

/// Maximum number of warnings that are kept for one reader.
const CAPACITY: usize = 64;

/// Warnings of components about their input, such as a joint that does not exist, and of the physics.
///
/// The program that runs the simulation takes and prints them, and clients read [`Warnings::history`]; they are no state. Each
/// warning is kept once, and at most a few dozen.
#[derive(Resource, Default, Debug)]
pub struct Warnings {
    waiting: Vec<String>,
    history: WarningHistory,
}

/// Warnings since the start of the run, for clients on any thread: the first few dozen, each once.
#[derive(Clone, Default, Debug)]
pub struct WarningHistory(Arc<Mutex<Vec<Arc<str>>>>);

impl WarningHistory {
    /// Returns the warnings from this index on.
    #[must_use]
    pub fn since(&self, number: usize) -> Vec<Arc<str>> {
        let history = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        history.get(number..).unwrap_or_default().to_vec()
    }

    fn add(&self, warning: &str) {
        let mut history = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if history.len() < CAPACITY && history.iter().all(|known| **known != *warning) {
            history.push(warning.into());
        }
    }
}

impl Warnings {
    /// Adds a warning of a component.
    pub fn add(&mut self, component: &ComponentPath, text: &str) {
        self.say(format!("`{component}`: {text}"));
    }

    /// Adds a warning without a component.
    pub fn say(&mut self, warning: String) {
        self.history.add(&warning);
        if self.waiting.len() < CAPACITY && !self.waiting.contains(&warning) {
            self.waiting.push(warning);
        }
    }

    /// Returns the warnings since the start, for clients.
    #[must_use]
    pub fn history(&self) -> WarningHistory {
        self.history.clone()
    }

    /// Returns the warnings since the last call.
    pub fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_see_each_warning_once_and_the_run_each_time() {
        let mut warnings = Warnings::default();
        let history = warnings.history();
        warnings.add(&ComponentPath("rover.arm".into()), "there is no such joint");
        assert_eq!(warnings.take(), ["`rover.arm`: there is no such joint"]);
        warnings.add(&ComponentPath("rover.arm".into()), "there is no such joint");
        warnings.say("a body was lost".to_owned());
        assert_eq!(warnings.take().len(), 2);
        assert_eq!(history.since(0).len(), 2);
        assert_eq!(&*history.since(1)[0], "a body was lost");
        assert_eq!(history.since(2).len() + history.since(9).len(), 0);
        (0..1000).for_each(|number| warnings.say(number.to_string()));
        assert_eq!(history.since(0).len(), CAPACITY);
    }
}
