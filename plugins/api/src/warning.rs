//! Warnings of components for the user while the simulation runs.
use bevy::prelude::*;

use crate::component::Path;

/// The most warnings that are kept for one reader.
const CAPACITY: usize = 64;

/// Warnings of components about their input, such as a joint that does not exist.
///
/// Whoever runs the simulation takes and prints them; they are not state. Nothing is kept twice, nor more
/// than a few dozen.
#[derive(Resource, Default, Debug)]
pub struct Warnings {
    waiting: Vec<String>,
}

impl Warnings {
    /// Warns in the name of a component.
    pub fn add(&mut self, component: &Path, text: &str) {
        let warning = format!("`{component}`: {text}");
        if self.waiting.len() < CAPACITY && !self.waiting.contains(&warning) {
            self.waiting.push(warning);
        }
    }

    /// The warnings since the last time.
    pub fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.waiting)
    }
}
