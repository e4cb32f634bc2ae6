//! Component of a simulation file that a sensor becomes.

use nalgebra::Isometry3;

use super::fields::Written;

/// A component of a simulation file.
#[derive(Clone, Debug)]
pub(crate) struct Component {
    pub(crate) kind: &'static str,
    /// Settings after the kind, each with a comma before it.
    pub(crate) settings: String,
    /// Pose of the component in the frame of the sensor.
    pub(crate) pose: Isometry3<f64>,
    /// Difference of the component from the sensor, and its remedy.
    pub(crate) approximation: Option<[&'static str; 2]>,
    /// Collisions whose contacts a sensor counts, as it names them; all of the link if empty.
    pub(crate) collisions: Vec<Written>,
}

impl Component {
    pub(super) fn set(&mut self, name: &str, value: &str) {
        self.settings += &format!(", {name}: {value}");
    }

    /// Adds a modifier, after all other settings.
    pub(super) fn modifier(&mut self, modifier: &str) {
        let others = self.settings.strip_suffix(']');
        match others.filter(|others| others.contains(", modifiers: [")) {
            Some(others) => self.settings = format!("{others}, {modifier}]"),
            None => self.settings += &format!(", modifiers: [{modifier}]"),
        }
    }
}
