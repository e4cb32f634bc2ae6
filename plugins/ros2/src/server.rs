//! Thread that serves the requests of nodes: services and actions.
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use crossbeam_channel::{Receiver, bounded};
use morse_api::{command::CommandSender, middleware::Successor};

use crate::{
    actions::{Actions, open_actions},
    opening::Shared,
    services,
    serving::{Calls, Requests, Serve},
    simulation,
};

/// Interval at which requests are looked for.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// All services and actions of a node.
pub(crate) struct Serving {
    shared: Shared,
    services: Vec<Box<dyn Serve>>,
    actions: Actions,
    next: Successor<Vec<CommandSender>>,
    calls: Calls,
    bell: Receiver<()>,
    stopped: Arc<AtomicBool>,
}

impl Serving {
    /// Opens the services, and the actions of actuators. `stopped` ends the thread; `rate` is the number of ticks per second.
    ///
    /// # Errors
    ///
    /// DDS refuses a service.
    pub(crate) fn new(
        shared: &Shared,
        (requests, nanos): (Requests, Arc<AtomicU64>),
        (actuators, next): (Vec<CommandSender>, Successor<Vec<CommandSender>>),
        (stopped, rate): (Arc<AtomicBool>, f64),
    ) -> Result<Self, String> {
        let opening = &mut *shared.lock();
        let mut list = services::open(opening)?;
        list.append(&mut simulation::open(opening, &requests, rate)?);
        let actions = open_actions(opening, &actuators, Actions::new())?;
        let (sender, bell) = bounded(1);
        Ok(Self {
            shared: shared.clone(),
            services: list,
            actions,
            next,
            calls: Calls::new(requests, sender, nanos, opening.notes.clone()),
            bell,
            stopped,
        })
    }

    /// Serves requests until it is stopped.
    pub(crate) fn run(&mut self) {
        while !self.stopped.load(Ordering::Acquire) {
            if let Some(actuators) = self.next.take() {
                self.change_world(&actuators);
            }
            let services = self.services.iter_mut();
            for served in services.chain(self.actions.values_mut()) {
                served.update(&self.calls);
            }
            // An error means that no reply has arrived within the interval.
            self.bell.recv_timeout(POLL_INTERVAL).ok();
        }
    }

    /// Opens the actions of the actuators of another world; equal ones keep their clients.
    fn change_world(&mut self, actuators: &[CommandSender]) {
        let old = std::mem::take(&mut self.actions);
        match open_actions(&mut self.shared.lock(), actuators, old) {
            Ok(actions) => self.actions = actions,
            Err(why) => self
                .calls
                .notes
                .add(format!("some actuators have no actions: {why}")),
        }
    }
}
