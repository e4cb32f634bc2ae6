//! Warnings of components for the user while the simulation runs.
use std::sync::{Arc, Mutex, PoisonError};

use bevy::prelude::*;

use crate::component::Path;

/// The most warnings that are kept for one reader.
const CAPACITY: usize = 64;

/// Warnings of components about their input, such as a joint that does not exist, and of the physics.
///
/// Whoever runs the simulation takes and prints them, and clients look at [`Warnings::told`]; they are not state.
/// Nothing is kept twice, nor more than a few dozen.
#[derive(Resource, Default, Debug)]
pub struct Warnings {
    waiting: Vec<String>,
    told: Told,
}

/// Warnings since the start of the run, for clients on any thread: the first few dozen, each once.
#[derive(Clone, Default, Debug)]
pub struct Told(Arc<Mutex<Vec<Arc<str>>>>);

impl Told {
    /// The warnings from this one on, counted from 0.
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
    /// Warns in the name of a component.
    pub fn add(&mut self, component: &Path, text: &str) {
        self.say(format!("`{component}`: {text}"));
    }

    /// Warns in nobody's name.
    pub fn say(&mut self, warning: String) {
        self.told.add(&warning);
        if self.waiting.len() < CAPACITY && !self.waiting.contains(&warning) {
            self.waiting.push(warning);
        }
    }

    /// The warnings since the start, as clients see them.
    #[must_use]
    pub fn told(&self) -> Told {
        self.told.clone()
    }

    /// The warnings since the last time.
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
