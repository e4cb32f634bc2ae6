//! Files and options of a simulation.
use std::{
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
};

use morse_api::kind::Kinds;
use morse_sim::{
    cli::serve,
    scene::known::KnownScenes,
    simulation::{
        BuildError, Simulation,
        load::{self, Options, Plan},
    },
};
use pyo3::prelude::*;

use crate::kinds::extensions_and_kinds;

/// Origins of notebooks on this machine, which may contain the page.
const NOTEBOOKS: [&str; 4] = [
    "http://localhost:*",
    "http://127.0.0.1:*",
    "https://localhost:*",
    "https://127.0.0.1:*",
];

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
    /// True to serve the page at a free port of this machine.
    #[pyo3(item)]
    page: bool,
}

impl Source {
    /// Returns the same files with another seed, and with further values.
    pub(crate) fn with(mut self, seed: u64, set: Vec<String>) -> Self {
        self.seed = Some(seed);
        self.set.extend(set);
        self
    }

    /// Builds the simulation.
    pub(crate) fn build(&self, scenes: &KnownScenes) -> Result<Simulation, BuildError> {
        let (extensions, kinds) = extensions_and_kinds();
        Simulation::build(self.plan(&kinds, scenes)?, extensions)
    }

    /// Reads the files, except scenes that are known.
    pub(crate) fn plan(&self, kinds: &Kinds, scenes: &KnownScenes) -> Result<Plan, BuildError> {
        let options = Options {
            seed: self.seed,
            set: self.set.clone(),
            threads: self.threads,
            scenes: scenes.clone(),
            ..Options::default()
        };
        let mut plan = match (&self.path, &self.text) {
            (Some(path), _) => load::load(path, &options, kinds)?,
            (None, text) => load::parse(
                text.as_deref().unwrap_or_default(),
                &self.directory,
                &options,
                kinds,
            )?,
        };
        if !self.outputs {
            plan.simulation.disconnect();
        }
        if self.page {
            let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
            serve::add(&mut plan, address, None, &NOTEBOOKS, kinds)?;
        }
        Ok(plan)
    }
}
