//! Requests of clients to whoever runs the simulation.
use std::time::Duration;

use morse_api::{
    component::Path, middleware::RequestSender, tick::Clock, warning::Warnings, world_view::Viewers,
};

use super::Simulation;
use crate::{
    middleware,
    service::{Reset, RunRequests, time::Pacing},
    simulation::install::world_view::Paced,
};

impl Simulation {
    /// The way in for requests, for any thread; they are served in the next tick.
    #[must_use]
    pub fn requests(&self) -> RequestSender {
        self.requests.clone()
    }

    /// Between two ticks, waits at most so long for requests, and answers those that only read; what acts
    /// is served in the next tick.
    pub fn serve(&mut self, at_most: Duration) {
        let never = crossbeam_channel::never();
        middleware::serve_between(self.app.world_mut(), at_most, &never, false);
    }

    /// The same while the run is held and no tick is to come: what acts on the run as a whole, such as a
    /// reset, is served too, and who looks on is shown what is there.
    pub fn rest(&mut self, at_most: Duration) {
        middleware::serve_at_rest(self.app.world_mut(), at_most);
        self.apply_reset_request();
        let world = self.app.world();
        if let Some(viewers) = world.get_resource::<Viewers>() {
            viewers.show(world.resource::<Clock>(), |body| world.get(body));
        }
    }

    /// Tells whether a middleware holds the simulation back, so that each tick needs its permit.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.middlewares.gate().is_held()
    }

    /// Tells whether the next tick may begin. While a middleware holds the simulation back, this waits for its
    /// permit, at most so long, and answers requests as [`Simulation::serve`] does.
    pub fn may_step(&mut self, at_most: Duration) -> bool {
        let gate = self.middlewares.gate().clone();
        !gate.is_held()
            || middleware::serve_between(self.app.world_mut(), at_most, gate.permits(), true)
    }

    /// Goes back to the start, if a client asked for it.
    pub(super) fn apply_reset_request(&mut self) {
        let run_requests = self.app.world_mut().get_resource_mut::<RunRequests>();
        let Some(reset) = run_requests.and_then(|mut run_requests| run_requests.reset.take())
        else {
            return;
        };
        let done = match (reset, &self.start) {
            // Nothing has moved yet.
            (_, None) => Ok(()),
            (Reset::Bodies, Some(start)) => {
                start.restore_only(self.app.world_mut(), morse_physics::STATE)
            }
            (Reset::All, Some(_)) => self.reset(),
        };
        if reset == Reset::All {
            middleware::release(self.app.world_mut());
        }
        if let (Err(error), Some(mut warnings)) =
            (done, self.app.world_mut().get_resource_mut::<Warnings>())
        {
            let name = Path("simulation".into());
            warnings.add(&name, &format!("it could not be reset: {error}"));
        }
    }

    /// Requests of clients to whoever runs the simulation since this was last asked: to end the run,
    /// and a pace.
    pub fn run_requests(&mut self) -> RunRequests {
        let run_requests = self.app.world_mut().get_resource_mut::<RunRequests>();
        run_requests.map_or_else(RunRequests::default, |mut run_requests| {
            let reset = run_requests.reset;
            let asked = std::mem::take(&mut *run_requests);
            run_requests.reset = reset;
            asked
        })
    }

    /// Tells who looks on how time passes: whether the run is held, and how many simulated seconds are to
    /// pass in a second.
    pub fn tell_pace(&mut self, held: bool, factor: f64) {
        if let Some(paced) = self.app.world().get_resource::<Paced>() {
            paced.0.tell(held, factor);
        }
    }

    /// Tells clients who ask how the run keeps up with the wall clock.
    pub fn tell_pacing(&mut self, pacing: Pacing) {
        self.app.world_mut().insert_resource(pacing);
    }
}
