//! Middlewares: threads that export readings, and import commands and requests.
mod offers;
mod prospect;
mod register;
mod successor;
mod worker;

use std::{
    net::SocketAddr,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use bevy::reflect::{Reflect, Typed};
use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value as Json;

pub use offers::Offers;
pub use prospect::{Examine, Obstacle, Outlook, Prospect, Weight};
pub use register::AddMiddleware;
pub use successor::{Reloaded, Successor};
pub use worker::{Worker, caught};

pub use crate::wake::{Awake, Wake, Waker};
use crate::{
    about::ErasedSettings,
    command::CommandSender,
    port::{Observer, OutputPort, Policy, port},
    reading::SensorInfo,
    service::Reply,
    world_view::{GraphExchange, WorldView},
};

/// A kind of middleware. The type itself holds the settings of one instance.
///
/// ```
/// use morse_api::{kind::Kinds, middleware::*, prelude::*, port::Observer};
///
/// /// Counts the readings of its outputs.
/// #[derive(Reflect, Clone, Debug, Default, Deserialize)]
/// #[serde(default, deny_unknown_fields)]
/// struct Counter {}
///
/// impl Middleware for Counter {
///     const KIND: &'static str = "counter";
///     type Output = Counter;
///     type Input = Counter;
///
///     fn start(&self, context: MiddlewareContext<Counter, Counter>) -> Result<Box<dyn Running>, Failure> {
///         let observers: Vec<Observer> = context.outputs.into_iter().map(|(end, _)| end).collect();
///         observers.iter().for_each(Observer::stay_ready);
///         Ok(Box::new(Counting { observers, count: 0 }))
///     }
/// }
///
/// struct Counting {
///     observers: Vec<Observer>,
///     count: usize,
/// }
///
/// impl Running for Counting {
///     fn failure(&mut self) -> Option<Failure> {
///         None
///     }
///
///     fn tick(&mut self, _nanos: u64) {
///         let readings = self.observers.iter().flat_map(|observer| std::iter::from_fn(|| observer.try_recv()));
///         self.count += readings.count();
///     }
///
///     fn report(&self) -> Option<Report> {
///         let text = format!("{} readings", self.count);
///         Some(Report { json: self.count.into(), text })
///     }
///
///     fn stop(self: Box<Self>) -> Result<(), Failure> {
///         Ok(())
///     }
/// }
///
/// let mut app = App::new();
/// app.add_middleware::<Counter>();
/// assert!(app.world().resource::<Kinds>().middlewares.contains_key("counter"));
/// ```
#[doc(alias("datastream", "transport", "bridge"))]
pub trait Middleware: DeserializeOwned + Typed + Clone + Send + Sync + 'static {
    /// Name of the kind in simulation files.
    const KIND: &'static str;
    /// Settings of each output.
    type Output: DeserializeOwned + Typed + Clone + Send + Sync;
    /// Settings of each input.
    type Input: DeserializeOwned + Typed + Clone + Send + Sync;
    /// Policy of outputs without a policy, and of the sensors that it views.
    const DEFAULT_POLICY: Policy = Policy::Latest;
    /// True if it displays the world: it then receives views of the whole world and of all sensors, without being named
    /// there.
    const VIEWS_WORLD: bool = false;
    /// True if it runs objects, and publishes their graph for viewers, see [`MiddlewareContext::graph`].
    const RUNS_OBJECTS: bool = false;

    /// Returns the reasons why it cannot start, and warnings about settings that are probably mistakes. It opens no port and
    /// writes nothing.
    fn check(&self, _: &Prospect<'_, Self::Output, Self::Input>) -> Vec<Obstacle> {
        Vec::new()
    }

    /// Returns the addresses on which it is going to listen, so that two middlewares on one address are detected before they
    /// start.
    fn listens(&self, _: &Prospect<'_, Self::Output, Self::Input>) -> Vec<SocketAddr> {
        Vec::new()
    }

    /// Opens files and ports, and starts the thread.
    ///
    /// # Errors
    ///
    /// A file or port cannot be opened; the message names it.
    fn start(
        &self,
        context: MiddlewareContext<Self::Output, Self::Input>,
    ) -> Result<Box<dyn Running>, Failure>;
}

/// Empty settings, for the outputs and inputs of middlewares that need none.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Nothing {}

/// Connections of a middleware to the simulation.
pub struct MiddlewareContext<O, I> {
    /// Name of the middleware in the simulation file.
    pub name: String,
    /// Directory of the simulation file: paths in settings are relative to it, see [`MiddlewareContext::path`].
    pub directory: PathBuf,
    /// Sensors whose readings it exports, in path order; in MORSE's motion the sensor that was created last comes first.
    pub outputs: Vec<(Observer, O)>,
    /// Actuators that it commands, in path order.
    pub inputs: Vec<(CommandSender, I)>,
    /// Paths of the components whose services it offers, in path order.
    pub services: Vec<String>,
    /// Requests to the simulation.
    pub requests: RequestSender,
    /// Signal that readings may have arrived, and that the simulation has ended.
    pub wake: Wake,
    /// Gate that delays the simulation, tick by tick.
    pub gate: Gate,
    /// View of the world, for kinds that display it.
    pub world_view: Option<WorldView>,
    /// Exchange of the graph of its objects with viewers, for kinds that run objects.
    pub graph: GraphExchange,
    /// Values that the program offers to its middlewares.
    pub offers: Offers,
}

impl<O, I> MiddlewareContext<O, I> {
    /// Returns the path of a file that a setting names.
    #[must_use]
    pub fn path(&self, written: &str) -> PathBuf {
        self.directory.join(written)
    }
}

/// Gate before each tick: while a client holds it, each tick needs a permit.
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
    /// Holds the gate: each tick needs a permit from now on.
    pub fn hold(&self) {
        self.holders.fetch_add(1, Ordering::AcqRel);
    }

    /// Ends [`Gate::hold`]; the last client that leaves opens the gate.
    pub fn leave(&self) {
        if self.holders.fetch_sub(1, Ordering::AcqRel) == 1 {
            while self.permits.1.try_recv().is_ok() {}
            // Threads that wait at the gate check its state again.
            self.permit();
        }
    }

    /// Permits one tick.
    pub fn permit(&self) {
        self.permits.0.try_send(()).ok();
    }

    /// Returns true if a client holds the gate.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.holders.load(Ordering::Acquire) > 0
    }

    /// Returns the channel on which permits arrive, one per tick.
    #[must_use]
    pub fn permits(&self) -> &Receiver<()> {
        &self.permits.1
    }
}

/// A middleware that has started.
pub trait Running: Send {
    /// Returns the failure since the last call, if there was one. The run ends with it.
    fn failure(&mut self) -> Option<Failure>;

    /// Returns the warnings since the last call, for example of refused commands.
    fn warnings(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// Returns notices for the user at the start, for example an address to open.
    fn notices(&self) -> Vec<String> {
        Vec::new()
    }

    /// Called at the end of each tick on the simulation's thread, for middlewares without a thread of their own. `nanos` is
    /// the simulated time.
    fn tick(&mut self, _nanos: u64) {}

    /// Called after the simulation was reset or restored to an earlier state: data of later times are invalid.
    fn restart(&mut self, _nanos: u64) {}

    /// Continues with another world after the files of the simulation have changed: the context has the connections to it,
    /// and the settings of the middleware are equal. The old world ends after this call.
    fn reload(&mut self, context: ErasedContext) -> Reloaded {
        Reloaded::Restart(Box::new(context))
    }

    /// Shows a message of the run to clients, for example the errors of a file that was changed and cannot be loaded.
    fn show_message(&mut self, _text: &str) {}

    /// Returns the report at the end of a run, if there is one.
    fn report(&self) -> Option<Report> {
        None
    }

    /// Returns the ports on which it listens, by purpose: `requests`, `rover.gps`.
    fn ports(&self) -> Vec<(String, u16)> {
        Vec::new()
    }

    /// Waits until everything that it received is delivered; no more data will arrive.
    ///
    /// # Errors
    ///
    /// Some data could not be delivered.
    fn stop(self: Box<Self>) -> Result<(), Failure>;
}

/// Report of a middleware at the end of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Report for programs.
    pub json: Json,
    /// Report for people: some lines of text.
    pub text: String,
}

/// Failure of the environment of a middleware: a port, a file, the disk, a peer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// An output, a port or the disk failed.
    #[error("{0}")]
    Environment(String),
    /// A peer that the run depends on is lost.
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
    /// Number by which the sender can cancel it.
    pub id: u64,
    /// Function that receives the reply, on the simulation's thread.
    pub reply: TakeReply,
}

/// Function that receives a reply. It is dropped without a call if the simulation ends first.
pub type TakeReply = Box<dyn FnOnce(Reply) + Send + Sync>;

/// Message of a client to the simulation.
pub enum RequestMessage {
    /// Serve this request.
    Serve(Request),
    /// Cancel the request of that number.
    Cancel(u64),
    /// Offer the last measurement of this port's sensor, due or not.
    Look(OutputPort),
}

/// Sending end of the channel for requests, for any number of threads.
#[derive(Clone)]
pub struct RequestSender {
    sender: Sender<RequestMessage>,
    next: Arc<AtomicU64>,
}

impl RequestSender {
    /// Returns the two ends of the channel.
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

    /// Sends a request and returns its number. `reply` is called on the simulation's thread, so it should only forward the
    /// reply.
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

    /// Requests the last measurement of a sensor, due or not, also while the run is held. The observer receives this one
    /// reading.
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
