//! Warnings of components for the user while the simulation runs.
use std::sync::{Arc, Mutex, PoisonError};

use bevy::prelude::*;

use crate::component::Path;

/// Maximum number of warnings that are kept for one reader.
const CAPACITY: usize = 64;

/// Warnings of components about their input, such as a joint that does not exist, and of the physics.
///
/// The program that runs the simulation takes and prints them, and clients read [`Warnings::told`]; they are no state. Each
/// warning is kept once, and at most a few dozen.
#[derive(Resource, Default, Debug)]
pub struct Warnings {
    waiting: Vec<String>,
    told: Told,
}

/// Warnings since the start of the run, for clients on any thread: the first few dozen, each once.
#[derive(Clone, Default, Debug)]
pub struct Told(Arc<Mutex<Vec<Arc<str>>>>);

impl Told {
    /// Returns the warnings from this index on.
    #[must_use]
    pub fn since(&self, number: usize) -> Vec<Arc<str>> {
        let told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.get(number..).unwrap_or_default().to_vec()
    }

    fn add(&self, warning: &str) {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() < CAPACITY && told.iter().all(|known| **known != *warning) {
            told.push(warning.into());
        }
    }
}

impl Warnings {
    /// Adds a warning of a component.
    pub fn add(&mut self, component: &Path, text: &str) {
        self.say(format!("`{component}`: {text}"));
    }

    /// Adds a warning without a component.
    pub fn say(&mut self, warning: String) {
        self.told.add(&warning);
        if self.waiting.len() < CAPACITY && !self.waiting.contains(&warning) {
            self.waiting.push(warning);
        }
    }

    /// Returns the warnings since the start, for clients.
    #[must_use]
    pub fn told(&self) -> Told {
        self.told.clone()
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
        let told = warnings.told();
        warnings.add(&Path("rover.arm".into()), "there is no such joint");
        assert_eq!(warnings.take(), ["`rover.arm`: there is no such joint"]);
        warnings.add(&Path("rover.arm".into()), "there is no such joint");
        warnings.say("a body was lost".to_owned());
        assert_eq!(warnings.take().len(), 2);
        assert_eq!(told.since(0).len(), 2);
        assert_eq!(&*told.since(1)[0], "a body was lost");
        assert_eq!(told.since(2).len() + told.since(9).len(), 0);
        (0..1000).for_each(|number| warnings.say(number.to_string()));
        assert_eq!(told.since(0).len(), CAPACITY);
    }
}
