//! Files and options of a simulation.
use std::path::PathBuf;

use morse_sim::simulation::{
    BuildError, Simulation, kinds,
    load::{self, Options},
    no_extensions,
};
use pyo3::prelude::*;

/// Files and options of a simulation.
#[derive(Clone, Debug, FromPyObject)]
pub(crate) struct Source {
    #[pyo3(item)]
    path: Option<PathBuf>,
    #[pyo3(item)]
    text: Option<String>,
    #[pyo3(item)]
    directory: PathBuf,
    #[pyo3(item)]
    seed: Option<u64>,
    #[pyo3(item)]
    set: Vec<String>,
    #[pyo3(item)]
    threads: usize,
    #[pyo3(item)]
    outputs: bool,
}

impl Source {
    /// Returns the same files with another seed, and with further values.
    pub(crate) fn with(mut self, seed: u64, set: Vec<String>) -> Self {
        self.seed = Some(seed);
        self.set.extend(set);
        self
    }

    /// Builds the simulation.
    pub(crate) fn build(&self) -> Result<Simulation, BuildError> {
        let options = Options {
            seed: self.seed,
            set: self.set.clone(),
            threads: self.threads,
            ..Options::default()
        };
        let kinds = kinds(&no_extensions);
        let mut plan = match (&self.path, &self.text) {
            (Some(path), _) => load::load(path, &options, &kinds)?,
            (None, text) => load::parse(
                text.as_deref().unwrap_or_default(),
                &self.directory,
                &options,
                &kinds,
            )?,
        };
        if !self.outputs {
            plan.simulation.disconnect();
        }
        Simulation::build(plan, &no_extensions)
    }
}
