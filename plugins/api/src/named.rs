//! Numbers by names that are known only once the scene is loaded: a robot's joints, say.
use bevy::prelude::*;
use serde::{Deserialize, Serialize};

use crate::attributes::Unit;

/// Numbers, each with a name. A field of this type in local data is exported as one field for each name
/// (`{"kuka_1": 0.1, "kuka_2": 0.0}`), in the order of the names; the field's own name is not seen.
#[derive(Reflect, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Named {
    /// The names; they do not change while the simulation runs.
    #[reflect(@Unit(""))]
    pub names: Vec<String>,
    /// A number for each name, in the unit of the field.
    #[reflect(@Unit("that of the field"))]
    pub values: Vec<f64>,
}

impl Named {
    /// These names, each with zero.
    #[must_use]
    pub fn zero(names: Vec<String>) -> Self {
        let values = vec![0.0; names.len()];
        Self { names, values }
    }

    /// Names and numbers.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        let names = self.names.iter().map(String::as_str);
        names.zip(self.values.iter().copied())
    }

    /// The number of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<f64> {
        self.iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }
}

impl Clone for Named {
    fn clone(&self) -> Self {
        Self {
            names: self.names.clone(),
            values: self.values.clone(),
        }
    }

    /// Without allocating, where the names are the same.
    fn clone_from(&mut self, source: &Self) {
        self.names.clone_from(&source.names);
        self.values.clone_from(&source.values);
    }
}
