//! Middlewares of a simulation: their registration and life cycle. The only file that names their crates.
use std::{collections::BTreeMap, time::Duration};

use bevy::prelude::*;
use crossbeam_channel::Receiver;
use morse_api::{
    kind::Kinds,
    log::{CommandLog, LogEntry, LoggedAction},
    middleware::{
        ErasedContext, Failure, Gate, Report, Request, RequestMessage, Running, TakeReply, Waker,
        caught,
    },
    motion::MotionMode,
    sensor::{Exported, LostObserver},
    service::{self, Call, Reply, ServiceError},
    tick::{Clock, Inputs},
};
use morse_simulation_file::Simulation;

/// Controllers as objects, for programs with their own.
pub use morse_openr as openr;
/// The window, in programs that have one: `--view` adds it to a run.
#[cfg(feature = "viewer")]
pub(crate) use morse_viewer as viewer;

/// Adds every built-in middleware, and the channel for requests.
pub fn plugin(app: &mut App) {
    morse_openr::plugin(app);
    morse_rosbridge::plugin(app);
    morse_socket::plugin(app);
    morse_text::plugin(app);
    morse_web::plugin(app);
    #[cfg(feature = "viewer")]
    viewer::gpu::plugin(app);
    app.init_resource::<Pending>()
        .init_resource::<LostObserver>()
        .add_systems(FixedUpdate, serve_requests.in_set(Inputs::Requests));
}

/// In MORSE's motion, notifies middlewares when all readings of a tick are complete, so that their output is ordered.
pub(crate) fn keep_order(app: &mut App, wakes: &[Waker]) {
    if !is_morse(app.world()) {
        return;
    }
    let wakes = Wakes(wakes.to_vec());
    wakes.tell(0);
    app.insert_resource(wakes).add_systems(
        FixedUpdate,
        end_readings.in_set(Inputs::Requests).before(serve_requests),
    );
}

fn is_morse(world: &World) -> bool {
    let motion = world.get_resource::<MotionMode>();
    motion.is_some_and(|motion| motion.is_morse())
}

/// Middlewares that are notified when all readings of a tick are complete.
#[derive(Resource)]
pub(crate) struct Wakes(Vec<Waker>);

impl Wakes {
    fn tell(&self, tick: u64) {
        self.0.iter().for_each(|wake| wake.end_readings(tick));
    }
}

fn end_readings(wakes: Option<Res<Wakes>>, clock: Res<Clock>) {
    if let Some(wakes) = wakes {
        wakes.tell(clock.tick);
    }
}

/// Channel for requests, and the requests that have not been answered.
#[derive(Resource, Default)]
pub struct Pending {
    messages: Option<Receiver<RequestMessage>>,
    /// Requests that act; they wait for the tick.
    acting: Vec<RequestMessage>,
    calls: Vec<Answering>,
}

/// A request that was served, and may not have been answered.
struct Answering {
    id: u64,
    call: Call,
    reply: Option<TakeReply>,
}

impl Answering {
    /// Forwards the reply, if it is available. Returns true if it is not.
    fn waits(&mut self) -> bool {
        let Some(reply) = self.call.reply() else {
            return true;
        };
        if let Some(take) = self.reply.take() {
            take(reply);
        }
        false
    }
}

impl Pending {
    /// Sets the channel from which requests are received.
    pub fn listen(&mut self, messages: Receiver<RequestMessage>) {
        self.messages = Some(messages);
    }

    fn answer(&mut self) {
        self.calls.retain_mut(Answering::waits);
    }
}

/// Maximum number of requests that wait for a tick.
const MOST_WAITING: usize = 4096;
/// Maximum number of requests that are served at a time between two ticks, so that the next tick is not delayed.
const MOST_AT_ONCE: usize = 64;

/// Serves the requests that arrived since the last tick, in arrival order.
fn serve_requests(world: &mut World) {
    let mut pending = world.resource_mut::<Pending>();
    let waited = std::mem::take(&mut pending.acting);
    let Some(messages) = pending.messages.clone() else {
        return;
    };
    // Requests that arrive from now on belong to the next tick.
    let arrived = messages.len();
    let tick = world.resource::<Clock>().tick;
    for message in waited.into_iter().chain(messages.try_iter().take(arrived)) {
        if tick <= 1 && asks_for_data(world, &message) {
            keep(world, message);
            continue;
        }
        note(world, &message, tick);
        serve(world, message);
    }
    world.resource_mut::<Pending>().answer();
}

/// Appends a request that acts to the log, if there is one.
fn note(world: &mut World, message: &RequestMessage, tick: u64) {
    if !world.contains_resource::<CommandLog>() {
        return;
    }
    let action = match message {
        RequestMessage::Serve(request)
            if !is_read_only(world, &request.component, &request.service) =>
        {
            LoggedAction::Request {
                id: request.id,
                component: request.component.clone(),
                service: request.service.clone(),
                arguments: request.arguments.clone(),
            }
        }
        RequestMessage::Cancel(id) => LoggedAction::Cancel(*id),
        RequestMessage::Serve(_) | RequestMessage::Look(_) => return,
    };
    let mut log = world.resource_mut::<CommandLog>();
    log.0.push(LogEntry { tick, action });
}

fn serve(world: &mut World, message: RequestMessage) {
    match message {
        RequestMessage::Serve(request) => {
            let Request {
                component, service, ..
            } = &request;
            let call = service::call(world, component, service, &request.arguments);
            let mut answering = Answering {
                id: request.id,
                call,
                reply: Some(request.reply),
            };
            if answering.waits() {
                world.resource_mut::<Pending>().calls.push(answering);
            }
        }
        RequestMessage::Cancel(id) => {
            let calls = &world.resource::<Pending>().calls;
            let call = calls.iter().find(|answering| answering.id == id);
            if let Some(ticket) = call.map(|answering| answering.call.ticket) {
                service::cancel(world, ticket);
            }
        }
        RequestMessage::Look(port) => {
            let kind = service::find(world, &port.info.path)
                .zip(world.resource::<Kinds>().sensors.get(port.info.kind));
            if let Some((sensor, kind)) = kind {
                (kind.offer)(world, sensor, &port);
            }
        }
    }
}

/// Waits for requests between two ticks, until a timeout or a message on `go`. Requests that only read the world at rest are
/// answered at once, so that clients do not wait for the tick; requests that act wait for the tick. Returns true if `go`
/// received a message.
///
/// Before the first tick, requests for data wait for them, unless the run `is_held`: then there may be no tick before the
/// answer. In MORSE's motion every request waits for the tick, unless the run is held.
pub(crate) fn serve_between(
    world: &mut World,
    at_most: Duration,
    go: &Receiver<()>,
    is_held: bool,
) -> bool {
    let Some(messages) = world.resource::<Pending>().messages.clone() else {
        return go.recv_timeout(at_most).is_ok();
    };
    crossbeam_channel::select! {
        recv(go) -> permit => permit.is_ok(),
        recv(messages) -> message => {
            let begins = !is_held && world.resource::<Clock>().tick == 0;
            let waits = !is_held && is_morse(world);
            for message in message.into_iter().chain(messages.try_iter()).take(MOST_AT_ONCE) {
                let is_request = matches!(message, RequestMessage::Serve(_));
                if (waits && is_request) || (begins && asks_for_data(world, &message)) {
                    keep(world, message);
                } else {
                    answer_or_keep(world, message);
                }
            }
            false
        }
        default(at_most) => false,
    }
}

fn answer_or_keep(world: &mut World, message: RequestMessage) {
    if only_reads(world, &message) {
        serve(world, message);
    } else {
        keep(world, message);
    }
}

fn only_reads(world: &World, message: &RequestMessage) -> bool {
    match message {
        RequestMessage::Serve(request) => is_read_only(world, &request.component, &request.service),
        RequestMessage::Cancel(_) => false,
        RequestMessage::Look(_) => true,
    }
}

/// Answers the requests that waited for a reset, and those that wait for ticks before which time was reset.
pub(crate) fn release(world: &mut World) {
    service::release(world);
    world.resource_mut::<Pending>().answer();
}

/// Returns true if a message requests data of a sensor that has not measured yet.
fn asks_for_data(world: &World, message: &RequestMessage) -> bool {
    let path = match message {
        RequestMessage::Serve(request) => &*request.component,
        RequestMessage::Look(port) => &*port.info.path,
        RequestMessage::Cancel(_) => return false,
    };
    let exported = service::find(world, path).and_then(|entity| world.get::<Exported>(entity));
    exported.is_some_and(|exported| exported.0 == 0) && only_reads(world, message)
}

/// Stores a message for the next tick.
fn keep(world: &mut World, message: RequestMessage) {
    let acting = &mut world.resource_mut::<Pending>().acting;
    if acting.len() < MOST_WAITING {
        acting.push(message);
    } else if let RequestMessage::Serve(request) = message {
        let why = "too many requests are waiting for the next tick";
        (request.reply)(Reply::failed(ServiceError::failed(why)));
    }
}

/// Waits for requests as [`serve_between`] does while a run is held and no tick is scheduled, and serves requests that act
/// on the run as a whole, after all requests that arrived before them.
pub(crate) fn serve_at_rest(world: &mut World, at_most: Duration) {
    serve_between(world, at_most, &crossbeam_channel::never(), true);
    let acting = std::mem::take(&mut world.resource_mut::<Pending>().acting);
    let last = acting
        .iter()
        .rposition(|message| is_at_rest(world, message));
    let served = last.map_or(0, |last| last + 1);
    let next = world.resource::<Clock>().tick + 1;
    for (place, message) in acting.into_iter().enumerate() {
        if place < served {
            note(world, &message, next);
            serve(world, message);
        } else {
            world.resource_mut::<Pending>().acting.push(message);
        }
    }
}

fn is_at_rest(world: &World, message: &RequestMessage) -> bool {
    let RequestMessage::Serve(request) = message else {
        return false;
    };
    service::registered(world, &request.component, &request.service)
        .is_some_and(|service| service.at_rest)
}

/// Returns true if a service does not change the world. A service that does not exist does not.
fn is_read_only(world: &World, component: &str, service: &str) -> bool {
    service::registered(world, component, service).is_none_or(|service| !service.acts)
}

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

    /// Starts all middlewares of a simulation file.
    ///
    /// # Errors
    ///
    /// One of them cannot open a file or port; the others are stopped again, and the world is dropped.
    pub fn start(
        mut self,
        app: App,
        simulation: &Simulation,
        connections: Connections,
    ) -> Result<(App, Self), Failure> {
        let kinds = app.world().resource::<Kinds>();
        let started = self.start_each(kinds, simulation, connections);
        if let Err(failure) = started {
            // Threads that have started wait for as long as the world has ports.
            drop(app);
            self.give_up();
            return Err(failure);
        }
        Ok((app, self))
    }

    fn start_each(
        &mut self,
        kinds: &Kinds,
        simulation: &Simulation,
        mut connections: Connections,
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
