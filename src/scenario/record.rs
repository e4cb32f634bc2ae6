//! Data that are recorded at the end of a run.
use morse_api::fields::dynamic::number_to_json;
use morse_simulation_file::Term;
use serde_json::Value as Json;

use super::{
    probe::{BindError, Probe},
    value::Scalar,
};
use crate::simulation::Simulation;

/// A value of a simulation, with names resolved.
pub(crate) struct Record {
    name: String,
    probe: Probe,
}

impl Record {
    /// Resolves the names of a term.
    ///
    /// # Errors
    ///
    /// The simulation has no such data.
    pub(crate) fn new(simulation: &Simulation, name: &str, term: &Term) -> Result<Self, BindError> {
        Ok(Self {
            name: name.to_owned(),
            probe: Probe::new(simulation, term)?,
        })
    }

    /// Returns name and value in this tick; null if there is none.
    pub(crate) fn read(&self, simulation: &Simulation) -> (String, Json) {
        let value = match self.probe.read(simulation.world()) {
            Ok(Scalar::Number(number)) => number_to_json(number),
            Ok(Scalar::Flag(flag)) => flag.into(),
            Ok(Scalar::Text(text)) => text.into(),
            Err(_) => Json::Null,
        };
        (self.name.clone(), value)
    }
}
