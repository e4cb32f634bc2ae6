//! MORSE's socket protocol: requests and replies on one port, and a port for each stream of readings or commands, all as
//! lines of text over TCP.
//!
//! - [`request`]: lines of requests and replies; [`python`]: JSON in Python's format, `pr2`: a special format;
//! - [`image`]: images and points as text;
//! - `connection`: a client; [`mod@command`]: conversion of a line of JSON to a command;
//! - `server`: the thread, with one poll for all `clients`; `dispatch`: processing of requests; `discovery`: list of streams
//!   and components, with the names of [`classes`]; `words`: replies with MORSE's texts;
//! - this file: settings, and the ports.
pub mod classes;
mod clients;
pub mod command;
mod connection;
mod discovery;
mod dispatch;
pub mod image;
mod pr2;
pub mod python;
pub mod request;
mod server;
mod words;

use std::{
    io::ErrorKind,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
};

use bevy::prelude::{App, Reflect};
use morse_api::{
    fields::Unit,
    middleware::{
        AddMiddleware as _, ErasedContext, Failure, Middleware, MiddlewareContext, Obstacle,
        Prospect, Reloaded, Running, Successor, Weight, Worker,
    },
    port::Policy,
    range::ValueRange,
};
use morse_server::{
    access::{self, AccessError, TokenForm},
    event_loop::{TcpListener, listen},
};
use serde::Deserialize;

use crate::{
    connection::Role,
    image::ImageEncoding,
    server::{Server, ServerOptions, ThreadReport, World},
};

/// Requests, readings and commands as lines of text over TCP, in the protocol of MORSE's clients.
///
/// Requests (`id component service [arguments]`) are sent to one port. Each sensor with an output and each actuator with an
/// input has its own port, which `simulation get_stream_port` returns. A sensor sends one JSON object per reading and line;
/// an actuator accepts one JSON object per line, and missing fields keep their values.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Socket {
    /// Port for requests; 0 for any free port.
    #[reflect(@ValueRange(0.0, 65_535.0))]
    pub port: u16,
    /// First port for streams; each stream uses the next free one. 0 for any free ports.
    #[reflect(@ValueRange(0.0, 65_535.0))]
    pub streams: u16,
    /// IP address to listen at. With the default, only this machine can connect; any other address requires a token.
    pub listen: String,
    /// Token that each client must send first, as a line `token …`; none by default.
    pub token: Option<String>,
    /// Maximum number of clients. If it is reached, or if clients without a token or a first line use three quarters of it,
    /// the oldest of these is disconnected; if there are none, the new client is refused.
    #[reflect(@ValueRange(1.0, 65_535.0))]
    pub max_clients: u32,
    /// Maximum length of a line. A client with a longer line is disconnected, with a message.
    #[reflect(@Unit("B"), @ValueRange(64.0, 67_108_864.0))]
    pub longest_line: u32,
    /// Timeout for the rest of a line that a client has begun, and for the token; then the client is disconnected. 0 for no
    /// limit.
    #[reflect(@Unit("s"), @ValueRange(0.0, 86_400.0))]
    pub line_timeout: f64,
    /// True if a client at the sync port controls the ticks: while it is connected, each tick waits until the client has
    /// sent some bytes.
    pub time_sync: bool,
    /// Sync port; 0 for any free port.
    #[reflect(@ValueRange(0.0, 65_535.0))]
    pub sync_port: u16,
    /// Timeout of the client at the sync port, after which the run ends; 0 for no limit.
    #[reflect(@Unit("s"), @ValueRange(0.0, 86_400.0))]
    pub sync_timeout: f64,
}

impl Default for Socket {
    fn default() -> Self {
        Self {
            port: 4000,
            streams: 60000,
            listen: "127.0.0.1".to_owned(),
            token: None,
            max_clients: 512,
            longest_line: 1 << 20,
            line_timeout: 30.0,
            time_sync: false,
            sync_port: 6000,
            sync_timeout: 5.0,
        }
    }
}

impl Socket {
    /// Returns the address to listen at, if the settings are valid.
    fn address(&self) -> Result<IpAddr, AccessError> {
        access::address(&self.listen, self.token.as_deref(), TokenForm::Line)
    }

    /// Returns true if a token is correct. The duration does not depend on the position of a difference.
    fn admits(&self, given: &[u8]) -> bool {
        let token = self.token.as_ref();
        token.is_none_or(|token| access::is_token(token, given))
    }
}

/// Stream of one sensor or actuator.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Stream {
    /// Port of the stream; the next free one by default.
    #[reflect(@ValueRange(0.0, 65_535.0))]
    pub port: Option<u16>,
    /// Encoding of colour images.
    pub image: ImageEncoding,
    /// Encoding of readings; commands are always fields.
    pub encoder: Encoder,
}

/// Encoding of readings.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Encoder {
    /// Time and fields, in order.
    #[default]
    Fields,
    /// Time and the position of each joint of a PR2 by name, 0 for joints that were not measured: MORSE's
    /// `PR2JointStatePublisher`. For sensors that report joints, alone or in a compound.
    Pr2JointState,
}

/// Registers the kind `socket`.
pub fn plugin(app: &mut App) {
    app.add_middleware::<Socket>();
}

impl Middleware for Socket {
    const KIND: &'static str = "socket";
    const DEFAULT_POLICY: Policy = Policy::Queue(256);
    type Output = Stream;
    type Input = Stream;

    fn check(&self, _: &Prospect<'_, Stream, Stream>) -> Vec<Obstacle> {
        let why = self.address().err();
        why.map(|why| Obstacle::new(Weight::Settings, why.to_string()))
            .into_iter()
            .collect()
    }

    fn listens(&self, prospect: &Prospect<'_, Stream, Stream>) -> Vec<SocketAddr> {
        let Ok(address) = self.address() else {
            return Vec::new();
        };
        let outputs = prospect.outputs.iter().map(|(_, stream)| stream.port);
        let inputs = prospect.inputs.iter().map(|(_, stream)| stream.port);
        let sync = self.time_sync.then_some(self.sync_port);
        let ports = [Some(self.port), sync].into_iter();
        let ports = ports.chain(outputs).chain(inputs).flatten();
        ports.map(|port| SocketAddr::new(address, port)).collect()
    }

    fn start(
        &self,
        context: MiddlewareContext<Stream, Stream>,
    ) -> Result<Box<dyn Running>, Failure> {
        let mut ports = Ports::new(self, context.name.clone())?;
        ports.open("requests", self.port, Role::Requests)?;
        if self.time_sync {
            ports.open("sync", self.sync_port, Role::Sync)?;
        }
        ports.open_streams(&context)?;
        let report = Arc::new(Mutex::new(ThreadReport::default()));
        let (name, next) = (context.name.clone(), Successor::default());
        let options = ServerOptions {
            settings: self.clone(),
            requests: context.requests.clone(),
            gate: context.gate.clone(),
            world: ports.world(context),
            next: next.clone(),
            report: report.clone(),
        };
        let server = Server::new(options).map_err(|error| {
            Failure::Environment(format!(
                "`{name}`: its server could not be started: {error}"
            ))
        })?;
        Ok(Box::new(Serving {
            worker: Worker::spawn(Self::KIND, &name, server, Server::run)?,
            settings: self.clone(),
            roles: ports.roles,
            ports: ports.names,
            next,
            report,
        }))
    }
}

/// State of the opening of the ports of one middleware.
struct Ports<'a> {
    settings: &'a Socket,
    name: String,
    address: IpAddr,
    /// Port at which the search for the next free one begins.
    next: u16,
    /// Ports that were opened.
    listeners: Vec<TcpListener>,
    /// Role of each port; ports of earlier worlds come first.
    roles: Vec<Role>,
    /// Name and number of each port.
    names: Vec<(String, u16)>,
}

impl<'a> Ports<'a> {
    fn new(settings: &'a Socket, name: String) -> Result<Self, Failure> {
        let address = settings
            .address()
            .map_err(|why| Failure::Environment(format!("`{name}`: {why}")))?;
        Ok(Self {
            settings,
            name,
            address,
            next: settings.streams,
            listeners: Vec::new(),
            roles: Vec::new(),
            names: Vec::new(),
        })
    }

    /// Returns the connections to a world.
    fn world(&mut self, context: MiddlewareContext<Stream, Stream>) -> World {
        let outputs = context.outputs.into_iter().enumerate();
        let inputs = context.inputs.into_iter().enumerate();
        World {
            outputs: outputs
                .map(|(index, (observer, stream))| {
                    let port = self.port_of(Role::Readings(index));
                    (observer, stream.encoder, stream.image, port)
                })
                .collect(),
            inputs: inputs
                .map(|(index, (sender, _))| (sender, self.port_of(Role::Commands(index))))
                .collect(),
            listeners: std::mem::take(&mut self.listeners),
            roles: self.roles.clone(),
            services: context.services,
            wake: context.wake,
        }
    }

    /// Opens a port for each sensor and actuator.
    fn open_streams(&mut self, context: &MiddlewareContext<Stream, Stream>) -> Result<(), Failure> {
        // In the order of the paths, as in MORSE.
        let outputs = context.outputs.iter().enumerate();
        let outputs = outputs.map(|(index, (observer, stream))| {
            (
                observer.info.path.clone(),
                stream.port,
                Role::Readings(index),
            )
        });
        let inputs = context.inputs.iter().enumerate();
        let inputs = inputs.map(|(index, (sender, stream))| {
            (sender.info.path.clone(), stream.port, Role::Commands(index))
        });
        let mut streams: Vec<_> = outputs.chain(inputs).collect();
        streams.sort_by(|(one, ..), (other, ..)| one.cmp(other));
        for (path, port, role) in streams {
            if self.reopen(&path, port, role) {
                continue;
            }
            match port {
                Some(port) => self.open(&path, port, role)?,
                None => self.open_next(&path, role)?,
            }
        }
        Ok(())
    }

    fn open(&mut self, what: &str, port: u16, role: Role) -> Result<(), Failure> {
        let listening = listen(SocketAddr::new(self.address, port));
        let listening = listening.map_err(|error| self.refused(what, port, &error))?;
        self.add(what, listening, role);
        Ok(())
    }

    /// Uses the port that a component had in an earlier world, unless it is to have another one. Returns false if there is
    /// none.
    fn reopen(&mut self, path: &str, wanted: Option<u16>, role: Role) -> bool {
        let is_usable = |port: u16| wanted.is_none_or(|wanted| wanted == 0 || wanted == port);
        let mut known = self.names.iter().zip(&mut self.roles);
        let entry = known.find(|((name, port), known)| {
            name == path && **known == Role::Removed && is_usable(*port)
        });
        match entry {
            Some((_, known)) => {
                *known = role;
                true
            }
            None => false,
        }
    }

    /// Opens the next free port.
    fn open_next(&mut self, what: &str, role: Role) -> Result<(), Failure> {
        if self.settings.streams == 0 {
            return self.open(what, 0, role);
        }
        loop {
            let port = self.next;
            self.next = port.checked_add(1).ok_or_else(|| {
                let (name, first) = (&self.name, self.settings.streams);
                Failure::Environment(format!(
                    "`{name}`: no port from {first} on is free for `{what}`; set `streams` lower"
                ))
            })?;
            match listen(SocketAddr::new(self.address, port)) {
                Ok(listening) => {
                    self.add(what, listening, role);
                    return Ok(());
                }
                Err(error) if error.kind() == ErrorKind::AddrInUse => {}
                Err(error) => return Err(self.refused(what, port, &error)),
            }
        }
    }

    fn add(&mut self, what: &str, (listener, at): (TcpListener, SocketAddr), role: Role) {
        self.names.push((what.to_owned(), at.port()));
        self.roles.push(role);
        self.listeners.push(listener);
    }

    fn refused(&self, what: &str, port: u16, error: &std::io::Error) -> Failure {
        let (name, address) = (&self.name, self.address);
        Failure::Environment(format!(
            "`{name}`: cannot listen at {address}:{port} for `{what}`: {error}"
        ))
    }

    fn port_of(&self, role: Role) -> u16 {
        let mut opened = self.roles.iter().zip(&self.names);
        let entry = opened.find(|(own, _)| **own == role);
        entry.map_or(0, |(_, (_, port))| *port)
    }
}

/// The running thread of the server.
struct Serving {
    worker: Worker,
    settings: Socket,
    roles: Vec<Role>,
    ports: Vec<(String, u16)>,
    next: Successor<World>,
    report: Arc<Mutex<ThreadReport>>,
}

impl Running for Serving {
    fn failure(&mut self) -> Option<Failure> {
        let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        self.worker.failure().or_else(|| report.failure.take())
    }

    fn warnings(&mut self) -> Vec<String> {
        let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        report.take_warnings()
    }

    fn reload(&mut self, context: ErasedContext) -> Reloaded {
        let changed = context.typed().and_then(|context| {
            let mut ports = Ports::new(&self.settings, context.name.clone())?;
            ports.names.clone_from(&self.ports);
            let roles = self.roles.iter().map(|role| match role {
                Role::Readings(_) | Role::Commands(_) => Role::Removed,
                other => *other,
            });
            ports.roles = roles.collect();
            ports.open_streams(&context)?;
            self.next.set(ports.world(context));
            (self.roles, self.ports) = (ports.roles, ports.names);
            Ok(())
        });
        match changed {
            Ok(()) => Reloaded::Continues,
            Err(failure) => Reloaded::Failed(failure),
        }
    }

    fn ports(&self) -> Vec<(String, u16)> {
        let used = self.ports.iter().zip(&self.roles);
        let used = used.filter(|(_, role)| **role != Role::Removed);
        used.map(|(port, _)| port.clone()).collect()
    }

    fn stop(self: Box<Self>) -> Result<(), Failure> {
        self.worker.stop()
    }
}
