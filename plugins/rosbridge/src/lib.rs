//! A server of rosbridge v2: clients of ROS in browsers, in Python or anywhere else see every sensor as a topic of the usual
//! type, command every actuator, and call services, over WebSocket and without ROS.
//!
//! - here: settings, and the way in and out;
//! - `server`: the one thread, with one poll for all; `client`: a connection;
//! - `operations`: what clients ask for; `graph`: the topics and services that there are; `rosapi`: questions about them;
//!   `calls`: services on their way.
mod calls;
mod client;
mod graph;
mod operations;
mod rosapi;
mod server;

use std::{
    net::{IpAddr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use bevy::prelude::{App, Reflect};
use morse_api::{
    middleware::{
        AddMiddleware as _, Failure, Middleware, MiddlewareContext, Obstacle, Prospect, Running,
        Weight, Worker,
    },
    range::Range,
};
use morse_server::{
    access::{self, AccessError, ProgramAccess, TokenForm},
    event_loop,
};
use serde::Deserialize;

use crate::server::{Bell, Server, ServerOptions};

/// Topics and services for clients of rosbridge (roslibpy, roslibjs, Foxglove), in the messages of ROS 2 and without ROS.
///
/// It shows all sensors and takes commands for all actuators, which need not name it: `rover.scan` is the topic
/// `/rover/scan`. Services are those of components that name it, and of the simulation: `/simulation/reset`.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rosbridge {
    /// The port; 0 takes a free one.
    #[reflect(@Range(0.0, 65_535.0))]
    pub port: u16,
    /// The address to listen at. Other machines reach the simulation only at another one than the default,
    /// and then a token is needed.
    pub listen: String,
    /// Token that clients have to know: they open `ws://…/?token=…`. Without it, none is needed.
    pub token: Option<String>,
    /// Pages of other machines that may talk to it, such as `http://robots.example`. Pages of this machine may.
    pub origins: Vec<String>,
    /// More clients than these are turned away.
    #[reflect(@Range(1.0, 65_535.0))]
    pub max_clients: u32,
}

impl Default for Rosbridge {
    fn default() -> Self {
        Self {
            port: 9090,
            listen: "127.0.0.1".to_owned(),
            token: None,
            origins: Vec::new(),
            max_clients: 64,
        }
    }
}

/// Nothing has to be said of a sensor or actuator.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Nothing {}

/// Makes the kind `rosbridge` known.
pub fn plugin(app: &mut App) {
    app.add_middleware::<Rosbridge>();
}

impl Middleware for Rosbridge {
    const KIND: &'static str = "rosbridge";
    const VIEWS_WORLD: bool = true;
    type Output = Nothing;
    type Input = Nothing;

    fn check(&self, _: &Prospect<'_, Nothing, Nothing>) -> Vec<Obstacle> {
        let why = self.address().err();
        why.map(|why| Obstacle::new(Weight::Settings, why.to_string()))
            .into_iter()
            .collect()
    }

    fn listens(&self, _: &Prospect<'_, Nothing, Nothing>) -> Vec<SocketAddr> {
        let address = self.address();
        address.map_or_else(
            |_| Vec::new(),
            |address| vec![SocketAddr::new(address, self.port)],
        )
    }

    fn start(
        &self,
        context: MiddlewareContext<Nothing, Nothing>,
    ) -> Result<Box<dyn Running>, Failure> {
        let name = context.name;
        let failed = |why: String| Failure::Environment(format!("`{name}`: {why}"));
        let address = self.address().map_err(|why| failed(why.to_string()))?;
        let wanted = SocketAddr::new(address, self.port);
        let (listener, at) = event_loop::listen(wanted)
            .map_err(|error| failed(format!("cannot listen at {wanted}: {error}")))?;
        let view = context.world_view;
        let view = view.ok_or_else(|| failed("there is nothing to look at".to_owned()))?;
        let nanos = Arc::new(AtomicU64::new(0));
        let options = ServerOptions {
            access: ProgramAccess {
                token: self.token.clone(),
                origins: self.origins.clone(),
            },
            max_clients: self.max_clients as usize,
            listener,
            sensors: view.sensors,
            actuators: view.actuators,
            services: context.services,
            requests: context.requests,
            wake: context.wake,
            nanos: nanos.clone(),
        };
        let server = Server::new(options)
            .map_err(|error| failed(format!("its server could not be started: {error}")))?;
        let bell = server.bell();
        let worker = Worker::spawn(Self::KIND, &name, server, Server::run)?;
        Ok(Box::new(Serving {
            worker,
            at,
            nanos,
            bell,
        }))
    }
}

impl Rosbridge {
    /// Finds the address to listen at, if the settings make sense.
    fn address(&self) -> Result<IpAddr, AccessError> {
        access::address(&self.listen, self.token.as_deref(), TokenForm::Address)
    }
}

/// The thread at work.
struct Serving {
    worker: Worker,
    at: SocketAddr,
    nanos: Arc<AtomicU64>,
    bell: Bell,
}

impl Running for Serving {
    fn failure(&mut self) -> Option<Failure> {
        self.worker.failure()
    }

    fn notices(&self) -> Vec<String> {
        vec![format!(
            "clients of rosbridge are served at ws://{}",
            self.at
        )]
    }

    fn tick(&mut self, nanos: u64) {
        self.nanos.store(nanos, Ordering::Relaxed);
        self.bell.ring();
    }

    fn restart(&mut self, nanos: u64) {
        self.nanos.store(nanos, Ordering::Relaxed);
        self.bell.ring();
    }

    fn ports(&self) -> Vec<(String, u16)> {
        vec![("rosbridge".to_owned(), self.at.port())]
    }

    fn stop(self: Box<Self>) -> Result<(), Failure> {
        self.worker.stop()
    }
}
