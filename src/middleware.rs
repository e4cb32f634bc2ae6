//! The middlewares of a simulation: which there are, and their life. The only file that names their crates.
use std::sync::{Arc, atomic::Ordering};

use bevy::prelude::*;
use crossbeam_channel::{Receiver, Sender};
use morse_api::{
    kind::Kinds,
    middleware::{Ask, Failure, Request, Running},
    reading::SensorInfo,
    sensor::{LostObserver, Outputs},
    service::{self, Call, Reply},
    state::InPathOrder,
    tick::{Inputs, Tick},
};

use crate::{install::Connections, scene::simulation::Simulation};

/// Adds every built-in middleware, and the way in for requests.
pub fn plugin(app: &mut App) {
    morse_text::plugin(app);
    app.init_resource::<Pending>()
        .init_resource::<LostObserver>()
        .add_systems(FixedUpdate, serve_requests.in_set(Inputs::Requests))
        .add_systems(
            FixedUpdate,
            answer.in_set(Tick::Export).after(service::complete),
        );
}

/// The way in for requests, and the requests that are not yet answered.
#[derive(Resource, Default)]
pub struct Pending {
    asks: Option<Receiver<Ask>>,
    calls: Vec<(u64, Call, Sender<Reply>)>,
}

impl Pending {
    /// Requests come from here.
    pub fn listen(&mut self, asks: Receiver<Ask>) {
        self.asks = Some(asks);
    }

    /// Passes on the replies that are there. A client that has gone misses its own.
    fn answer(&mut self) {
        self.calls
            .retain(|(_, call, client)| call.reply().map(|reply| client.try_send(reply)).is_none());
    }
}

/// Serves what arrived since the last tick, in the order in which it arrived.
fn serve_requests(world: &mut World) {
    let Some(asks) = world.resource::<Pending>().asks.clone() else {
        return;
    };
    for ask in asks.try_iter() {
        match ask {
            Ask::Serve(Request {
                component,
                service,
                arguments,
                id,
                reply,
            }) => {
                let call = service::call(world, &component, &service, &arguments);
                world
                    .resource_mut::<Pending>()
                    .calls
                    .push((id, call, reply));
            }
            Ask::Cancel(id) => {
                let ticket = world
                    .resource::<Pending>()
                    .calls
                    .iter()
                    .find(|(known, ..)| *known == id)
                    .map(|(_, call, _)| call.ticket);
                if let Some(ticket) = ticket {
                    service::cancel(world, ticket);
                }
            }
        }
    }
    world.resource_mut::<Pending>().answer();
}

/// Passes on the replies of what ended in this tick.
fn answer(mut pending: ResMut<Pending>) {
    pending.answer();
}

/// The middlewares at work.
#[derive(Default)]
pub struct Middlewares {
    running: Vec<(String, Box<dyn Running>)>,
    /// As long as one of these lives, the middleware's thread waits for more.
    wakes: Vec<Sender<()>>,
}

impl Middlewares {
    /// Starts all middlewares of a simulation file.
    ///
    /// # Errors
    ///
    /// One of them cannot have what it needs; the others are stopped again.
    pub fn start(
        kinds: &Kinds,
        simulation: &Simulation,
        mut connections: Connections,
        wakes: Vec<Sender<()>>,
    ) -> Result<Self, Failure> {
        let mut started = Self {
            running: Vec::new(),
            wakes,
        };
        for (name, middleware) in &simulation.middlewares {
            let kind = kinds.middlewares.get(middleware.kind.as_str());
            let (Some(kind), Some(plugs)) = (kind, connections.remove(name.as_str())) else {
                continue;
            };
            match (kind.start)(&middleware.settings.0, plugs) {
                Ok(running) => started.running.push((name.value.clone(), running)),
                Err(failure) => {
                    // The first failure is the one to tell.
                    started.stop().ok();
                    return Err(failure);
                }
            }
        }
        Ok(started)
    }

    /// What went wrong with any of them since they were last asked.
    pub fn failure(&mut self) -> Option<Failure> {
        self.running
            .iter_mut()
            .find_map(|(_, running)| running.failure())
    }

    /// Stops all of them, once the tick's ends of their ports are closed, and waits until everything they
    /// were given is delivered.
    ///
    /// # Errors
    ///
    /// The first of their failures.
    pub fn stop(&mut self) -> Result<(), Failure> {
        self.wakes.clear();
        let ended = self.running.drain(..).map(|(_, running)| running.stop());
        ended.fold(Ok(()), Result::and)
    }
}

/// Closes the tick's ends of all ports; returns what each of them lost, in path order.
pub(crate) fn close_ports(world: &mut World) -> Vec<(Arc<SensorInfo>, u64, u64)> {
    let mut losses = Vec::new();
    for entity in world.resource::<InPathOrder>().0.clone() {
        let Some(mut outputs) = world.get_mut::<Outputs>(entity) else {
            continue;
        };
        for port in outputs.0.drain(..) {
            let dropped = port.losses.dropped.load(Ordering::Relaxed);
            let unready = port.losses.unready.load(Ordering::Relaxed);
            losses.push((port.info.clone(), dropped, unready));
        }
    }
    losses
}
