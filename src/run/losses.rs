//! Bodies that physics lost on the way.
use morse_physics::lost_body::LostBody;

use crate::simulation::Simulation;

/// Bodies that the physics lost in a run.
#[derive(Default)]
pub(super) struct Losses {
    pub(super) all: Vec<LostBody>,
    /// Number of them that the simulation told of.
    told: usize,
}

impl Losses {
    /// Notes what was lost since it last looked, and tells the first of that.
    pub(super) fn look(&mut self, simulation: &Simulation) -> Option<String> {
        let lost = simulation.lost_bodies();
        // There are fewer after a reset.
        let new = lost.get(self.told..).unwrap_or_default();
        self.told = lost.len();
        self.all.extend_from_slice(new);
        new.first().map(ToString::to_string)
    }
}
