//! Middlewares: threads of their own that carry readings out, and commands and requests in.
mod offers;
mod prospect;
mod register;
mod worker;

use std::{
    net::SocketAddr,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use bevy::reflect::Typed;
use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

pub use offers::Offers;
pub use prospect::{Examine, Obstacle, Outlook, Prospect, Weight};
pub use register::AddMiddleware;
pub use worker::{Worker, caught};

pub use crate::wake::{Awake, Wake, Waker};
use crate::{
    about::ErasedSettings,
    command::CommandSender,
    port::{Observer, OutputPort, Policy, port},
    reading::SensorInfo,
    service::Reply,
    world_view::WorldView,
};

/// A kind of middleware. The type itself holds the settings of one instance.
pub trait Middleware: DeserializeOwned + Typed + Clone + Send + Sync + 'static {
    /// The word for it in simulation files.
    const KIND: &'static str;
    /// The settings of each output.
    type Output: DeserializeOwned + Typed + Clone + Send + Sync;
    /// The settings of each input.
    type Input: DeserializeOwned + Typed + Clone + Send + Sync;
    /// The policy of outputs that do not name one.
    const DEFAULT_POLICY: Policy = Policy::Latest;
    /// True if it looks on: it is shown the whole world and all sensors, without being named there.
    const VIEWS_WORLD: bool = false;

    /// Finds out what will keep it from starting, or what is probably not meant. It opens no port and writes nothing.
    fn check(&self, _: &Prospect<'_, Self::Output, Self::Input>) -> Vec<Obstacle> {
        Vec::new()
    }

    /// Tells at which addresses it is going to listen, so that two middlewares at one are found before they start.
    fn listens(&self, _: &Prospect<'_, Self::Output, Self::Input>) -> Vec<SocketAddr> {
        Vec::new()
    }

    /// Opens what it needs (files, ports) and starts its thread.
    ///
    /// # Errors
    ///
    /// What it needs cannot be had; the message names it.
    fn start(
        &self,
        context: MiddlewareContext<Self::Output, Self::Input>,
    ) -> Result<Box<dyn Running>, Failure>;
}

/// Connections of a middleware to the simulation.
pub struct MiddlewareContext<O, I> {
    /// Its name in the simulation file.
    pub name: String,
    /// Directory of the simulation file: paths in settings are relative to it, see [`MiddlewareContext::path`].
    pub directory: PathBuf,
    /// The sensors whose readings it carries, in path order; in MORSE's motion the one first that was created last.
    pub outputs: Vec<(Observer, O)>,
    /// The actuators that it commands, in path order.
    pub inputs: Vec<(CommandSender, I)>,
    /// The components whose services it offers, in path order.
    pub services: Vec<String>,
    /// Requests to the simulation.
    pub requests: RequestSender,
    /// Tells when readings may have arrived, and when the simulation has ended.
    pub wake: Wake,
    /// Holds the simulation back, tick by tick.
    pub gate: Gate,
    /// The world, for kinds that look on.
    pub world_view: Option<WorldView>,
    /// Things that the program hands to its middlewares.
    pub offers: Offers,
}

impl<O, I> MiddlewareContext<O, I> {
    /// Finds the file that a setting names.
    #[must_use]
    pub fn path(&self, written: &str) -> PathBuf {
        self.directory.join(written)
    }
}

/// Holds a simulation back: while anybody is at it, each tick needs a permit.
#[derive(Clone)]
pub struct Gate {
    holders: Arc<AtomicU64>,
    permits: (Sender<()>, Receiver<()>),
}

impl Default for Gate {
    fn default() -> Self {
        Self {
            holders: Arc::default(),
            permits: bounded(1024),
        }
    }
}

impl Gate {
    /// From now on each tick needs a permit.
    pub fn hold(&self) {
        self.holders.fetch_add(1, Ordering::AcqRel);
    }

    /// Ends what [`Gate::hold`] began; the last one to leave opens the gate.
    pub fn leave(&self) {
        if self.holders.fetch_sub(1, Ordering::AcqRel) == 1 {
            while self.permits.1.try_recv().is_ok() {}
            // Whoever waits at the gate looks again.
            self.permit();
        }
    }

    /// Lets one tick through.
    pub fn permit(&self) {
        self.permits.0.try_send(()).ok();
    }

    /// Tells whether anybody is at the gate.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.holders.load(Ordering::Acquire) > 0
    }

    /// Channel on which permits arrive, one a tick.
    #[must_use]
    pub fn permits(&self) -> &Receiver<()> {
        &self.permits.1
    }
}

/// A middleware at work.
pub trait Running: Send {
    /// Failure since it was last asked, if there was any: the run ends with it.
    fn failure(&mut self) -> Option<Failure>;

    /// Warnings since it was last asked: a command that was refused, say.
    fn warnings(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// Notices for the user at the start: where to look, say.
    fn notices(&self) -> Vec<String> {
        Vec::new()
    }

    /// Does its part of each tick, after all else of it and on the simulation's thread: for those that have no thread of their
    /// own. `nanos` is the simulated time.
    fn tick(&mut self, _nanos: u64) {}

    /// The simulation went back to the start, or to another state of that time: what it keeps is of no use any more.
    fn restart(&mut self, _nanos: u64) {}

    /// Report at the end of a run, if it has one.
    fn report(&self) -> Option<Report> {
        None
    }

    /// The ports that it listens on, by what they are for: `requests`, `rover.gps`.
    fn ports(&self) -> Vec<(String, u16)> {
        Vec::new()
    }

    /// Waits for it to finish what it has been given, now that nothing more will come.
    ///
    /// # Errors
    ///
    /// What it was given could not all be delivered.
    fn stop(self: Box<Self>) -> Result<(), Failure>;
}

/// Report of a middleware at the end of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// For programs.
    pub json: Json,
    /// For people: some lines.
    pub text: String,
}

/// The environment failed a middleware: a port, a file, the disk, a peer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// An output, a port or the disk.
    #[error("{0}")]
    Environment(String),
    /// A peer that the run depends on is gone.
    #[error("{0}")]
    PeerLost(String),
}

/// Type-erased settings of outputs and inputs, and the ends of their ports.
pub type ErasedContext = MiddlewareContext<ErasedSettings, ErasedSettings>;

/// Starts a middleware from erased settings.
pub type Start = fn(&ErasedSettings, ErasedContext) -> Result<Box<dyn Running>, Failure>;

/// A request on its way to the simulation.
pub struct Request {
    /// Component path, such as `rover.motion`.
    pub component: String,
    /// Service name.
    pub service: String,
    /// Arguments: an array, an object of names, or null.
    pub arguments: Json,
    /// Number by which its sender may cancel it.
    pub id: u64,
    /// Takes the reply, on the simulation's thread.
    pub reply: TakeReply,
}

/// Function that takes a reply. It is dropped uncalled if the simulation ends first.
pub type TakeReply = Box<dyn FnOnce(Reply) + Send + Sync>;

/// Message of a client to the simulation.
pub enum RequestMessage {
    /// Serve this.
    Serve(Request),
    /// Cancel the request of that number.
    Cancel(u64),
    /// Offer what this port's sensor measured last, whether it is due or not.
    Look(OutputPort),
}

/// The way in for requests, for any number of threads.
#[derive(Clone)]
pub struct RequestSender {
    sender: Sender<RequestMessage>,
    next: Arc<AtomicU64>,
}

impl RequestSender {
    /// Makes the two ends of the way in.
    #[must_use]
    pub fn new() -> (Self, Receiver<RequestMessage>) {
        let (sender, receiver) = bounded(1024);
        (
            Self {
                sender,
                next: Arc::new(AtomicU64::new(1)),
            },
            receiver,
        )
    }

    /// Sends a request and returns its number; `reply` takes the reply, on the simulation's thread, so it
    /// should only pass it on.
    ///
    /// # Errors
    ///
    /// Too many requests are waiting, or the simulation has ended.
    pub fn send(
        &self,
        component: &str,
        service: &str,
        arguments: Json,
        reply: impl FnOnce(Reply) + Send + Sync + 'static,
    ) -> Result<u64, Failure> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let request = Request {
            component: component.to_owned(),
            service: service.to_owned(),
            arguments,
            id,
            reply: Box::new(reply),
        };
        self.post(RequestMessage::Serve(request)).map(|()| id)
    }

    /// Cancels a request.
    ///
    /// # Errors
    ///
    /// Too many requests are waiting, or the simulation has ended.
    pub fn cancel(&self, id: u64) -> Result<(), Failure> {
        self.post(RequestMessage::Cancel(id))
    }

    /// Asks for what a sensor measured last, whether it is due or not; also while the run is held. The
    /// observer gets this one reading.
    ///
    /// # Errors
    ///
    /// Too many requests are waiting, or the simulation has ended.
    pub fn look(&self, sensor: Arc<SensorInfo>) -> Result<Observer, Failure> {
        let (tick_end, observer) = port(sensor, Policy::Latest, None);
        observer.assert_ready();
        self.post(RequestMessage::Look(tick_end)).map(|()| observer)
    }

    fn post(&self, message: RequestMessage) -> Result<(), Failure> {
        self.sender.try_send(message).map_err(|error| match error {
            TrySendError::Full(_) => {
                Failure::Environment("too many requests are waiting".to_owned())
            }
            TrySendError::Disconnected(_) => {
                Failure::PeerLost("the simulation has ended".to_owned())
            }
        })
    }
}
