//! Life cycle of middlewares: start, reload and stop.
use std::{collections::BTreeMap, time::Duration};

use bevy::prelude::*;
use morse_api::{
    kind::Kinds,
    middleware::{ErasedContext, Failure, Gate, Reloaded, Report, Running, Waker, caught},
    tick::Clock,
};
use morse_simulation_file::Simulation;

use super::Pending;
use crate::simulation::settings_text;

/// Contexts of middlewares, by name.
pub type Connections = BTreeMap<String, ErasedContext>;

/// Time for middlewares to stop after another one could not be started.
const LEAVE: Duration = Duration::from_millis(500);

/// The middlewares that have started.
#[derive(Default)]
pub struct Middlewares {
    running: Vec<(String, Box<dyn Running>)>,
    /// A middleware's thread waits for data while one of these exists.
    wakes: Vec<Waker>,
    gate: Gate,
}

impl Middlewares {
    /// Returns an empty list.
    #[must_use]
    pub fn new(wakes: Vec<Waker>, gate: Gate) -> Self {
        Self {
            running: Vec::new(),
            wakes,
            gate,
        }
    }

    /// Returns true if no middleware runs.
    pub(crate) fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    /// Starts all middlewares of a simulation file.
    ///
    /// # Errors
    ///
    /// One of them cannot open a file or port; the others are stopped again, and the world is dropped.
    pub fn start(
        mut self,
        app: App,
        simulation: &Simulation,
        mut connections: Connections,
    ) -> Result<(App, Self), Failure> {
        let kinds = app.world().resource::<Kinds>();
        let started = self.start_each(kinds, simulation, &mut connections);
        if let Err(failure) = started {
            // Threads that have started wait for as long as the world has ports.
            drop(app);
            self.give_up();
            return Err(failure);
        }
        Ok((app, self))
    }

    /// Starts the middlewares that have a context, up to the first failure.
    fn start_each(
        &mut self,
        kinds: &Kinds,
        simulation: &Simulation,
        connections: &mut Connections,
    ) -> Result<(), Failure> {
        for (name, middleware) in &simulation.middlewares {
            let kind = kinds.middlewares.get(middleware.kind.as_str());
            let (Some(kind), Some(context)) = (kind, connections.remove(name.as_str())) else {
                continue;
            };
            let start = || (kind.start)(&middleware.settings.0, context);
            let running = caught(name, start).and_then(|result| result)?;
            self.running.push((name.value.clone(), running));
        }
        Ok(())
    }

    /// Continues with the next world: middlewares whose settings are equal keep their clients, others are stopped, and
    /// started again if the next world has them. `end` ends the old world. Returns the failures; a middleware that fails is
    /// missing from then on.
    pub(crate) fn reload(
        &mut self,
        kinds: &Kinds,
        (before, after): (&Simulation, &Simulation),
        (mut connections, wakes): (Connections, Vec<Waker>),
        end: impl FnOnce(),
    ) -> Vec<Failure> {
        let mut failures = Vec::new();
        let mut leaving = Vec::new();
        let mut staying = Vec::new();
        for (name, mut running) in self.running.drain(..) {
            let is_same = text_of(kinds, before, &name) == text_of(kinds, after, &name);
            let context = connections.remove(&name);
            match (context, is_same) {
                (Some(context), true) => match caught(&name, || running.reload(context)) {
                    Ok(Reloaded::Continues) => {
                        staying.push((name, running));
                        continue;
                    }
                    Ok(Reloaded::Restart(context)) => {
                        connections.insert(name.clone(), *context);
                    }
                    Ok(Reloaded::Failed(failure)) | Err(failure) => failures.push(failure),
                },
                (Some(context), false) => {
                    connections.insert(name.clone(), context);
                }
                (None, _) => {}
            }
            leaving.push((name, running));
        }
        // Threads wait for as long as their world exists.
        self.wakes = wakes;
        end();
        for (name, running) in leaving {
            let stopped = caught(&name, || running.stop()).and_then(|result| result);
            failures.extend(stopped.err());
        }
        self.running = staying;
        while let Err(failure) = self.start_each(kinds, after, &mut connections) {
            failures.push(failure);
        }
        failures
    }

    /// Shows a message of the run to clients.
    pub(crate) fn show_message(&mut self, text: &str) {
        let running = self.running.iter_mut();
        running.for_each(|(_, running)| running.show_message(text));
    }

    /// Stops all of them after the world was dropped, without waiting for slow ones: they have no data to deliver.
    fn give_up(mut self) {
        self.wakes.clear();
        let (sender, ended) = crossbeam_channel::bounded::<()>(0);
        for (name, running) in self.running.drain(..) {
            let sender = sender.clone();
            let thread = std::thread::Builder::new().name(format!("stop {name}"));
            // If no thread can be started, the middleware ends by itself.
            let stopping = thread.spawn(move || {
                // The failure to start is the error to report.
                running.stop().ok();
                drop(sender);
            });
            drop(stopping);
        }
        drop(sender);
        // The channel closes when the last of them has ended.
        ended.recv_timeout(LEAVE).ok();
    }

    /// Calls the middlewares that work in the tick, and forwards the replies of services that ended in it: clients that
    /// receive one read the time of that tick.
    pub fn tick(&mut self, world: &mut World) {
        let nanos = world.resource::<Clock>().nanos();
        self.running
            .iter_mut()
            .for_each(|(_, running)| running.tick(nanos));
        world.resource_mut::<Pending>().answer();
    }

    /// Notifies all of them that the simulation was set to another state, of that time.
    pub fn restart(&mut self, nanos: u64) {
        self.running
            .iter_mut()
            .for_each(|(_, running)| running.restart(nanos));
    }

    /// Returns the reports, by name of the middleware.
    pub fn reports(&self) -> BTreeMap<String, Report> {
        let running = self.running.iter();
        let reports = running.filter_map(|(name, running)| Some((name.clone(), running.report()?)));
        reports.collect()
    }

    /// Returns the first failure since the last call.
    pub fn failure(&mut self) -> Option<Failure> {
        self.running
            .iter_mut()
            .find_map(|(_, running)| running.failure())
    }

    /// Returns all warnings since the last call.
    pub fn warnings(&mut self) -> Vec<String> {
        let running = self.running.iter_mut();
        running
            .flat_map(|(_, running)| running.warnings())
            .collect()
    }

    /// Returns notices for the user at the start.
    pub fn notices(&self) -> Vec<String> {
        let running = self.running.iter();
        running.flat_map(|(_, running)| running.notices()).collect()
    }

    /// Returns the gate that clients use to hold the simulation.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// Returns the ports on which they listen: middleware, purpose, number.
    pub fn ports(&self) -> Vec<(String, String, u16)> {
        let mut ports = Vec::new();
        for (name, running) in &self.running {
            let own = running.ports().into_iter();
            ports.extend(own.map(|(what, port)| (name.clone(), what, port)));
        }
        ports
    }

    /// Stops all of them after the tick's ends of their ports were closed, and waits until all data are delivered.
    ///
    /// # Errors
    ///
    /// The first of their failures.
    pub fn stop(&mut self) -> Result<(), Failure> {
        self.wakes.clear();
        let ended = self.running.drain(..).map(|(name, running)| {
            let stop = || running.stop();
            caught(&name, stop).and_then(|result| result)
        });
        ended.fold(Ok(()), Result::and)
    }
}

/// Returns kind and settings of a middleware as text.
fn text_of(kinds: &Kinds, simulation: &Simulation, name: &str) -> Option<(String, String)> {
    let middleware = simulation.middlewares.get(name)?;
    let kind = kinds.middlewares.get(middleware.kind.as_str());
    let settings = settings_text(&middleware.settings, kind.map(|kind| &kind.about));
    Some((middleware.kind.value.clone(), settings))
}
