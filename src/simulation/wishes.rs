//! What clients ask of whoever runs the simulation.
use morse_api::{complaint::Complaints, component::Path};

use super::Simulation;
use crate::{
    physics,
    service::{Reset, Wishes, time::Pacing},
};

impl Simulation {
    /// Goes back to the start, if a client asked for it.
    pub(super) fn grant_reset(&mut self) {
        let wishes = self.app.world_mut().get_resource_mut::<Wishes>();
        let Some(reset) = wishes.and_then(|mut wishes| wishes.reset.take()) else {
            return;
        };
        let done = match (reset, &self.start) {
            // Nothing has moved yet.
            (_, None) => Ok(()),
            (Reset::Bodies, Some(start)) => {
                start.restore_only(self.app.world_mut(), physics::STATE)
            }
            (Reset::All, Some(_)) => self.reset(),
        };
        if let (Err(error), Some(mut complaints)) =
            (done, self.app.world_mut().get_resource_mut::<Complaints>())
        {
            let name = Path("simulation".into());
            complaints.add(&name, &format!("it could not be reset: {error}"));
        }
    }

    /// What clients have asked of whoever runs the simulation since this was last asked: to end the run,
    /// and a pace.
    pub fn wishes(&mut self) -> Wishes {
        let wishes = self.app.world_mut().get_resource_mut::<Wishes>();
        wishes.map_or_else(Wishes::default, |mut wishes| {
            let reset = wishes.reset;
            let asked = std::mem::take(&mut *wishes);
            wishes.reset = reset;
            asked
        })
    }

    /// Tells clients who ask how the run keeps up with the wall clock.
    pub fn tell_pacing(&mut self, pacing: Pacing) {
        self.app.world_mut().insert_resource(pacing);
    }

    /// Whether a middleware holds the simulation back, so that each tick needs its permit.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.middlewares.gate().is_held()
    }
}
