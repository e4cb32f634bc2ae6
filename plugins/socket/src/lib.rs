//! MORSE's socket protocol: requests and replies on one port, a port for each stream of readings or
//! commands, all as lines of text over TCP.
//!
//! - [`request`]: the lines of requests and replies; [`python`]: JSON as Python writes it, `pr2`: a special form;
//! - [`image`]: images and points as text;
//! - `connection`: a client; [`mod@command`]: a line of JSON as a command;
//! - `server`: the one thread, with one poll for all `clients`; `dispatch`: what becomes of a request;
//!   `discovery`: what there is, by the names of [`classes`]; `words`: replies in MORSE's words;
//! - here: settings, and the ports.
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
        AddMiddleware as _, Failure, Middleware, MiddlewareContext, Obstacle, Prospect, Running,
        Weight, Worker,
    },
    port::Policy,
    range::Range,
};
use morse_server::{
    access::{self, AccessError, TokenForm},
    event_loop::{TcpListener, listen},
};
use serde::Deserialize;

use crate::{
    connection::Role,
    image::ImageEncoding,
    server::{Server, ServerOptions, ThreadReport},
};

/// Requests, readings and commands as lines of text over TCP, as MORSE's clients speak them.
///
/// Requests (`id component service [arguments]`) go to one port. Each sensor with an output and each
/// actuator with an input has a port of its own, which `simulation get_stream_port` tells: a sensor's
/// readings are a JSON object a line, an actuator takes a JSON object a line, whose missing fields keep
/// their values.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Socket {
    /// The port for requests; 0 takes a free one.
    #[reflect(@Range(0.0, 65_535.0))]
    pub port: u16,
    /// The first port for streams; each takes the next free one. 0 takes any free ones.
    #[reflect(@Range(0.0, 65_535.0))]
    pub streams: u16,
    /// The address to listen at. Other machines reach the simulation only at another one than the default,
    /// and then a token is needed.
    pub listen: String,
    /// Token that each client has to say first, as a line `token …`; without it, none is needed.
    pub token: Option<String>,
    /// Greatest number of clients. Beyond it, and where strangers take three quarters of it, the one goes that has been
    /// there for longest without a token or a first line; without such ones, the new client is turned away.
    #[reflect(@Range(1.0, 65_535.0))]
    pub max_clients: u32,
    /// A client whose line is longer is told so, and sent away.
    #[reflect(@Unit("B"), @Range(64.0, 67_108_864.0))]
    pub longest_line: u32,
    /// A client that begins a line, and has not ended it after so long, is sent away; so is one that has to say a
    /// token and does not. 0 waits for ever.
    #[reflect(@Unit("s"), @Range(0.0, 86_400.0))]
    pub line_timeout: f64,
    /// Lets a client hold the simulation: while it is connected to the sync port, each tick waits
    /// for some bytes of it.
    pub time_sync: bool,
    /// The sync port; 0 takes a free one.
    #[reflect(@Range(0.0, 65_535.0))]
    pub sync_port: u16,
    /// A client at the sync port that says nothing for so long ends the run; 0 waits for ever.
    #[reflect(@Unit("s"), @Range(0.0, 86_400.0))]
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
    /// Finds the address to listen at, if the settings make sense.
    fn address(&self) -> Result<IpAddr, AccessError> {
        access::address(&self.listen, self.token.as_deref(), TokenForm::Line)
    }

    /// Checks whether a token is the right one. It takes as long for a wrong one, wherever it is wrong.
    fn admits(&self, given: &[u8]) -> bool {
        let token = self.token.as_ref();
        token.is_none_or(|token| access::is_token(token, given))
    }
}

/// The stream of one sensor or actuator.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Stream {
    /// Its port; without it, the next free one.
    #[reflect(@Range(0.0, 65_535.0))]
    pub port: Option<u16>,
    /// Encoding of images in colour.
    pub image: ImageEncoding,
    /// Encoding of readings; commands are always fields.
    pub encoder: Encoder,
}

/// Encoding of readings.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Encoder {
    /// Its time and its fields, in order.
    #[default]
    Fields,
    /// Its time and the position of each joint of a PR2 by name, 0 for those that were not measured: MORSE's
    /// `PR2JointStatePublisher`. For sensors that report joints, alone or put together.
    Pr2JointState,
}

/// Makes the kind `socket` known.
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
        let port_of = |role| ports.port_of(role);
        let report = Arc::new(Mutex::new(ThreadReport::default()));
        let outputs = context.outputs.into_iter().enumerate();
        let inputs = context.inputs.into_iter().enumerate();
        let options = ServerOptions {
            settings: self.clone(),
            outputs: outputs
                .map(|(place, (observer, stream))| {
                    let port = port_of(Role::Readings(place));
                    (observer, stream.encoder, stream.image, port)
                })
                .collect(),
            inputs: inputs
                .map(|(place, (sender, _))| (sender, port_of(Role::Commands(place))))
                .collect(),
            listeners: ports.listeners,
            services: context.services,
            requests: context.requests,
            wake: context.wake,
            gate: context.gate,
            report: report.clone(),
        };
        let name = context.name;
        let server = Server::new(options).map_err(|error| {
            Failure::Environment(format!(
                "`{name}`: its server could not be started: {error}"
            ))
        })?;
        Ok(Box::new(Serving {
            worker: Worker::spawn(Self::KIND, &name, server, Server::run)?,
            ports: ports.names,
            report,
        }))
    }
}

/// The ports of one middleware, as they are opened.
struct Ports<'a> {
    settings: &'a Socket,
    name: String,
    address: IpAddr,
    /// Port at which the search for the next free one begins.
    next: u16,
    listeners: Vec<(TcpListener, Role)>,
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
            names: Vec::new(),
        })
    }

    /// A port for each sensor and actuator.
    fn open_streams(&mut self, context: &MiddlewareContext<Stream, Stream>) -> Result<(), Failure> {
        // In the order of their paths, as in MORSE.
        let outputs = context.outputs.iter().enumerate();
        let outputs = outputs.map(|(place, (observer, stream))| {
            (
                observer.info.path.clone(),
                stream.port,
                Role::Readings(place),
            )
        });
        let inputs = context.inputs.iter().enumerate();
        let inputs = inputs.map(|(place, (sender, stream))| {
            (sender.info.path.clone(), stream.port, Role::Commands(place))
        });
        let mut streams: Vec<_> = outputs.chain(inputs).collect();
        streams.sort_by(|(one, ..), (other, ..)| one.cmp(other));
        for (path, port, role) in streams {
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

    /// Opens the next port that is free.
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
        self.listeners.push((listener, role));
    }

    fn refused(&self, what: &str, port: u16, error: &std::io::Error) -> Failure {
        let (name, address) = (&self.name, self.address);
        Failure::Environment(format!(
            "`{name}`: cannot listen at {address}:{port} for `{what}`: {error}"
        ))
    }

    fn port_of(&self, role: Role) -> u16 {
        let opened = self.listeners.iter().zip(&self.names);
        let mut found = opened.filter(|((_, own), _)| *own == role);
        found.next().map_or(0, |(_, (_, port))| *port)
    }
}

/// The thread at work.
struct Serving {
    worker: Worker,
    ports: Vec<(String, u16)>,
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

    fn ports(&self) -> Vec<(String, u16)> {
        self.ports.clone()
    }

    fn stop(self: Box<Self>) -> Result<(), Failure> {
        self.worker.stop()
    }
}
