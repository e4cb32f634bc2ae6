//! Requests of clients to the program that runs the simulation.
use std::time::Duration;

use morse_api::{
    component::ComponentPath, middleware::RequestSender, tick::Clock, warning::Warnings,
    world_view::Viewers,
};

use super::Simulation;
use crate::{
    middleware,
    service::{Reset, RunRequests, time::Pacing},
    simulation::install::world_view::Paced,
};

impl Simulation {
    /// Returns a sender of requests, for any thread; they are served in the next tick.
    #[must_use]
    pub fn requests(&self) -> RequestSender {
        self.requests.clone()
    }

    /// Waits for requests between two ticks up to the given time, and answers requests that only read; requests that act are
    /// served in the next tick.
    pub fn serve(&mut self, at_most: Duration) {
        let never = crossbeam_channel::never();
        middleware::serve_between(self.apps.main.world_mut(), at_most, &never, false);
    }

    /// Like [`Simulation::serve`], while the run is held and no tick is scheduled: also serves requests that act on the run
    /// as a whole, such as a reset, and publishes the state to viewers.
    pub fn rest(&mut self, at_most: Duration) {
        middleware::serve_at_rest(self.apps.main.world_mut(), at_most);
        self.apply_reset_request();
        self.apply_requested_changes();
        let world = self.apps.main.world();
        if let Some(viewers) = world.get_resource::<Viewers>() {
            viewers.show(world.resource::<Clock>(), world);
        }
    }

    /// Returns true if a middleware holds the simulation, so that each tick needs its permit.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.middlewares.gate().is_held()
    }

    /// Returns true if the next tick may begin. While a middleware holds the simulation, waits for its permit up to the
    /// given time, and answers requests as [`Simulation::serve`] does.
    pub fn may_step(&mut self, at_most: Duration) -> bool {
        let gate = self.middlewares.gate().clone();
        !gate.is_held()
            || middleware::serve_between(self.apps.main.world_mut(), at_most, gate.permits(), true)
    }

    /// Resets to the start, if a client requested it.
    pub(super) fn apply_reset_request(&mut self) {
        let run_requests = self.apps.main.world_mut().get_resource_mut::<RunRequests>();
        let Some(reset) = run_requests.and_then(|mut run_requests| run_requests.reset.take())
        else {
            return;
        };
        let start = match reset {
            Reset::Bodies => self.first.as_ref().or(self.start.as_ref()),
            Reset::All => self.start.as_ref(),
        };
        let done = match (reset, start) {
            // Nothing has moved yet.
            (_, None) => Ok(()),
            (Reset::Bodies, Some(start)) => {
                start.restore_only(self.apps.main.world_mut(), morse_physics::STATE)
            }
            (Reset::All, Some(_)) => self.reset(),
        };
        if reset == Reset::All {
            middleware::release(self.apps.main.world_mut());
        }
        if let (Err(error), Some(mut warnings)) = (
            done,
            self.apps.main.world_mut().get_resource_mut::<Warnings>(),
        ) {
            let name = ComponentPath("simulation".into());
            warnings.add(&name, &format!("it could not be reset: {error}"));
        }
    }

    /// Returns the requests of clients to the run since the last call: its end, and a pace.
    pub fn run_requests(&mut self) -> RunRequests {
        let run_requests = self.apps.main.world_mut().get_resource_mut::<RunRequests>();
        run_requests.map_or_else(RunRequests::default, |mut run_requests| {
            let reset = run_requests.reset;
            let asked = std::mem::take(&mut *run_requests);
            run_requests.reset = reset;
            asked
        })
    }

    /// Publishes the pace to viewers: whether the run is held, and the factor of simulated to real time.
    pub fn set_pace(&mut self, held: bool, factor: f64) {
        if let Some(paced) = self.apps.main.world().get_resource::<Paced>() {
            paced.0.set(held, factor);
        }
    }

    /// Publishes the lag behind the wall clock to clients.
    pub fn set_pacing(&mut self, pacing: Pacing) {
        self.apps.main.world_mut().insert_resource(pacing);
    }
}
