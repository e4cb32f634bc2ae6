//! A simulation, and what belongs to it.
use std::{collections::BTreeMap, mem};

use morse_sim::{
    cli::pictures::Pictures,
    run::Watch as _,
    scene::known::KnownScenes,
    simulation::{
        BuildError, Simulation,
        state::{HashChain, Snapshot},
    },
};

use crate::{
    kinds::{extensions_and_kinds, has_classes},
    link::Link,
    source::Source,
};

/// A simulation, and what belongs to it.
pub(crate) struct Room {
    source: Source,
    /// Scenes of earlier episodes.
    scenes: KnownScenes,
    /// The simulation.
    pub(crate) simulation: Simulation,
    /// Its state at the start, for resets; `None` if the simulation itself keeps it, or if some of it has no binary form.
    pub(crate) start: Option<Snapshot>,
    /// The environment of which it is a part.
    pub(crate) link: Option<Link>,
    /// Films that are being recorded, by their numbers.
    pub(crate) films: BTreeMap<u64, Pictures>,
}

impl Room {
    /// Builds a simulation.
    pub(crate) fn new(source: Source) -> Result<Self, BuildError> {
        let scenes = KnownScenes::kept();
        let simulation = source.build(&scenes)?;
        Ok(Self {
            start: Snapshot::take(simulation.world(), &HashChain::default()).ok(),
            simulation,
            link: None,
            films: BTreeMap::new(),
            source,
            scenes,
        })
    }

    /// Begins again with this seed, and with these values besides the simulation's own ones.
    pub(crate) fn restart(&mut self, seed: u64, set: Vec<String>) -> Result<(), BuildError> {
        let source = self.source.clone().with(seed, set);
        let (extensions, kinds) = extensions_and_kinds();
        let plan = source.plan(&kinds, &self.scenes)?;
        self.link = None;
        for mut film in mem::take(&mut self.films).into_values() {
            // The file ends with the episode; a full disk was reported before.
            film.end(&mut self.simulation).ok();
        }
        if has_classes() {
            // Objects of Python's classes are made anew.
            self.simulation = Simulation::build(plan, extensions)?;
        } else {
            self.simulation.restart(plan)?;
        }
        self.start = None;
        Ok(())
    }
}
