//! Server of the protocol rosbridge v2, over WebSocket and without ROS: ROS clients in browsers, in Python or elsewhere
//! receive each sensor as a topic of the usual type, command each actuator, and call services.
//!
//! - this file: settings, and the interface to the simulation;
//! - `server`: the thread, with one poll for all clients; `client`: a connection;
//! - `operations`: operations of the protocol; `encoding`: forms of messages; `graph`: available topics and services;
//!   `rosapi`: queries about them; `parameters`: values that clients share; `calls`: service calls;
//! - `hub`: state that clients share; `outbox`: messages to them; `broker`: services and actions between clients; `actions`: actions of actuators;
//!   `republisher`: poses of frames.
mod actions;
mod broker;
mod calls;
mod client;
mod encoding;
mod graph;
mod hub;
mod operations;
mod outbox;
mod parameters;
mod republisher;
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
        AddMiddleware as _, ErasedContext, Failure, Middleware, MiddlewareContext, Nothing,
        Obstacle, Prospect, Reloaded, Running, Successor, Weight, Worker,
    },
    range::ValueRange,
    world_view::WorldView,
};
use morse_ros::names;
use morse_server::{
    access::{self, AccessError, ProgramAccess, TokenForm},
    event_loop,
};
use serde::Deserialize;

use crate::server::{Bell, Server, ServerOptions, World};

/// Topics and services for clients of rosbridge (roslibpy, roslibjs, Foxglove), with the messages of ROS 2 and without ROS.
///
/// It publishes all sensors and accepts commands for all actuators, which need not list it: `rover.scan` is the topic
/// `/rover/scan`. It offers the services of components that list it, and of the simulation: `/simulation/reset`.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rosbridge {
    /// Port; 0 for any free port.
    #[reflect(@ValueRange(0.0, 65_535.0))]
    pub port: u16,
    /// IP address to listen at. With the default, only this machine can connect; any other address requires a token.
    pub listen: String,
    /// Token that clients must present: they open `ws://…/?token=…`. None by default.
    pub token: Option<String>,
    /// Origins of pages on other machines that may connect, such as `http://robots.example`. Pages of this machine may
    /// always connect.
    pub origins: Vec<String>,
    /// Maximum number of clients; further ones are refused.
    #[reflect(@ValueRange(1.0, 65_535.0))]
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

/// Registers the kind `rosbridge`.
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
        let view = view.ok_or_else(|| failed("the world contains nothing to show".to_owned()))?;
        let warnings = collisions(&view);
        let (nanos, next) = (Arc::new(AtomicU64::new(0)), Successor::default());
        let options = ServerOptions {
            access: ProgramAccess {
                token: self.token.clone(),
                origins: self.origins.clone(),
            },
            max_clients: self.max_clients as usize,
            listener,
            world: World::new(view, context.services, context.wake),
            next: next.clone(),
            requests: context.requests,
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
            next,
            warnings,
        }))
    }
}

/// Returns warnings about components whose names become one in ROS.
fn collisions(view: &WorldView) -> Vec<String> {
    let sensors = view.sensors.iter().map(|observer| &*observer.info.path);
    let actuators = view.actuators.iter().map(|sender| &*sender.info.path);
    names::collisions(sensors.chain(actuators))
}

impl Rosbridge {
    /// Returns the address to listen at, if the settings are valid.
    fn address(&self) -> Result<IpAddr, AccessError> {
        access::address(&self.listen, self.token.as_deref(), TokenForm::Address)
    }
}

/// The running thread of the server.
struct Serving {
    worker: Worker,
    at: SocketAddr,
    nanos: Arc<AtomicU64>,
    bell: Bell,
    next: Successor<World>,
    /// Warnings since the last call for them.
    warnings: Vec<String>,
}

impl Running for Serving {
    fn failure(&mut self) -> Option<Failure> {
        self.worker.failure()
    }

    fn warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
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

    fn reload(&mut self, mut context: ErasedContext) -> Reloaded {
        let Some(view) = context.world_view.take() else {
            return Reloaded::Restart(Box::new(context));
        };
        self.warnings.extend(collisions(&view));
        self.next
            .set(World::new(view, context.services, context.wake));
        Reloaded::Continues
    }

    fn ports(&self) -> Vec<(String, u16)> {
        vec![("rosbridge".to_owned(), self.at.port())]
    }

    fn stop(self: Box<Self>) -> Result<(), Failure> {
        self.worker.stop()
    }
}
