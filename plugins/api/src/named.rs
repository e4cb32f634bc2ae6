//! Numbers with names that the scene defines, such as those of a robot's joints.
use bevy::prelude::*;
use serde::{Deserialize, Serialize};

use crate::attributes::Unit;

/// Numbers, each with a name. A field of this type in local data is exported as one field per name (`{"kuka_1": 0.1,
/// "kuka_2": 0.0}`), in the order of the names; the field's own name is not exported.
#[derive(Reflect, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Named {
    /// Names; constant while the simulation runs.
    #[reflect(@Unit(""))]
    pub names: Vec<String>,
    /// One number per name, in the unit of the field.
    #[reflect(@Unit("that of the field"))]
    pub values: Vec<f64>,
}

impl Named {
    /// Returns these names, each with zero.
    #[must_use]
    pub fn zero(names: Vec<String>) -> Self {
        let values = vec![0.0; names.len()];
        Self { names, values }
    }

    /// Iterates over names and numbers.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        let names = self.names.iter().map(String::as_str);
        names.zip(self.values.iter().copied())
    }

    /// Returns the number of that name.
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

    /// Does not allocate if the names are equal.
    fn clone_from(&mut self, source: &Self) {
        self.names.clone_from(&source.names);
        self.values.clone_from(&source.values);
    }
}
