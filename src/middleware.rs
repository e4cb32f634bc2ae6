//! Middlewares of a simulation: their registration, and the requests of their clients; `life_cycle`: their start and end. The
//! only file that names their crates.
mod life_cycle;

use std::time::Duration;

use bevy::prelude::*;
use crossbeam_channel::Receiver;
use morse_api::{
    kind::Kinds,
    log::{CommandLog, LogEntry, LoggedAction},
    middleware::{Request, RequestMessage, TakeReply, Waker},
    motion::MotionMode,
    sensor::{Exported, LostObserver},
    service::{self, Call, Reply, ServiceError},
    tick::{Clock, Inputs},
};

pub use life_cycle::{Connections, Middlewares};

/// Controllers as objects, for programs with their own.
pub use morse_openr as openr;
/// The window, in programs that have one: `--view` adds it to a run.
#[cfg(feature = "viewer")]
pub(crate) use morse_viewer as viewer;

/// Adds every built-in middleware, and the channel for requests.
pub fn plugin(app: &mut App) {
    morse_openr::plugin(app);
    morse_ros2::plugin(app);
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
    wakes.notify(0);
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
    fn notify(&self, tick: u64) {
        self.0.iter().for_each(|wake| wake.end_readings(tick));
    }
}

fn end_readings(wakes: Option<Res<Wakes>>, clock: Res<Clock>) {
    if let Some(wakes) = wakes {
        wakes.notify(clock.tick);
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

    /// Returns a receiver of the channel of requests.
    pub(crate) fn messages(&self) -> Option<Receiver<RequestMessage>> {
        self.messages.clone()
    }

    /// Takes over the requests of the world before a reload that wait for a tick or are under way.
    pub(crate) fn take_over(&mut self, old: &mut Self) {
        self.acting.append(&mut old.acting);
        self.calls.append(&mut old.calls);
        self.answer();
    }

    /// Returns true if there is nothing to serve and nothing to answer.
    fn is_idle(&self) -> bool {
        let has_messages = self.messages.as_ref().is_some_and(|it| !it.is_empty());
        !has_messages && self.acting.is_empty() && self.calls.is_empty()
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
    if pending.is_idle() {
        return;
    }
    let waited = std::mem::take(&mut pending.acting);
    let Some(messages) = pending.messages.clone() else {
        return;
    };
    // Requests that arrive from now on belong to the next tick.
    let arrived = messages.len();
    let tick = world.resource::<Clock>().tick;
    for message in waited.into_iter().chain(messages.try_iter().take(arrived)) {
        if tick <= 1 && requests_data(world, &message) {
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
                if (waits && is_request) || (begins && requests_data(world, &message)) {
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

/// Forwards the replies that are available.
pub(crate) fn answer(world: &mut World) {
    world.resource_mut::<Pending>().answer();
}

/// Answers the requests that waited for a reset, and those that wait for ticks before which time was reset.
pub(crate) fn release(world: &mut World) {
    service::release(world);
    world.resource_mut::<Pending>().answer();
}

/// Returns true if a message requests data of a sensor that has not measured yet.
fn requests_data(world: &World, message: &RequestMessage) -> bool {
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
    for (index, message) in acting.into_iter().enumerate() {
        if index < served {
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
