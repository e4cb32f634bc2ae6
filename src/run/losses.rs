//! Bodies that the physics loses in a run.
use morse_physics::lost_body::LostBody;

use crate::simulation::Simulation;

/// Bodies that the physics lost in a run.
#[derive(Default)]
pub(super) struct Losses {
    pub(super) all: Vec<LostBody>,
    /// Number of losses that the simulation has reported.
    reported: usize,
}

impl Losses {
    /// Records new losses, and returns a warning about the first of them.
    pub(super) fn look(&mut self, simulation: &Simulation) -> Option<String> {
        let lost = simulation.lost_bodies();
        // There are fewer after a reset.
        let new = lost.get(self.reported..).unwrap_or_default();
        self.reported = lost.len();
        self.all.extend_from_slice(new);
        new.first().map(ToString::to_string)
    }
}
