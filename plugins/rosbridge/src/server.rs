//! Thread of the server: one poll for all clients; `publishing`: messages to them.
mod publishing;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use morse_api::{
    command::CommandSender,
    middleware::{Failure, RequestSender, Successor, Wake},
    port::Observer,
    world_view::{PoseObserver, WorldView},
};
use morse_ros::links::RobotLinks;
use morse_server::{
    access::ProgramAccess,
    clock::now,
    event_loop::{self, Accepted, EventLoop, Source as EventSource, TcpListener},
    notifier::Notifier,
    requests::Requests,
};
use tungstenite::protocol::frame::coding::CloseCode;

use crate::{
    client::{Client, Received},
    encoding::relayed,
    graph::{CLOCK, Graph, TF},
    hub::Hub,
    operations::{Scope, carry_out},
    outbox::Answer,
};

/// Poll interval without events, at which timeouts of clients are checked.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Poll interval while actions are carried out, or clients wait for other clients.
const HUB_INTERVAL: Duration = Duration::from_millis(50);
/// Minimum interval of the messages on `/clock`.
const CLOCK_INTERVAL: Duration = Duration::from_millis(10);
/// Time slice for long messages; then readings and short messages follow.
const SLICE: Duration = Duration::from_millis(4);
/// Timeout of the handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

pub(crate) struct ServerOptions {
    pub(crate) access: ProgramAccess,
    pub(crate) max_clients: usize,
    pub(crate) listener: TcpListener,
    pub(crate) world: World,
    pub(crate) next: Successor<World>,
    pub(crate) requests: RequestSender,
    pub(crate) nanos: Arc<AtomicU64>,
}

/// Connections to a world.
pub(crate) struct World {
    pub(crate) sensors: Vec<Observer>,
    pub(crate) actuators: Vec<CommandSender>,
    pub(crate) services: Vec<String>,
    pub(crate) links: RobotLinks,
    pub(crate) poses: PoseObserver,
    pub(crate) wake: Wake,
}

impl World {
    pub(crate) fn new(view: WorldView, services: Vec<String>, wake: Wake) -> Self {
        Self {
            links: RobotLinks::new(&view),
            sensors: view.sensors,
            actuators: view.actuators,
            services,
            poses: view.poses,
            wake,
        }
    }
}

/// Wakes the server once per tick, while clients are subscribed to data of ticks.
#[derive(Clone)]
pub(crate) struct Bell {
    notifier: Arc<Notifier>,
    is_enabled: Arc<AtomicBool>,
}

impl Bell {
    /// Notifies the server that all readings of a tick are available.
    pub(crate) fn ring(&self) {
        if self.is_enabled.load(Ordering::Acquire) {
            self.notifier.notify();
        }
    }
}

pub(crate) struct Server {
    access: ProgramAccess,
    max_clients: usize,
    event_loop: EventLoop,
    bell: Bell,
    wake: Wake,
    next: Successor<World>,
    graph: Graph,
    poses: PoseObserver,
    calls: Requests<Answer>,
    /// Services, actions, parameters and frames of clients.
    hub: Hub,
    clients: BTreeMap<usize, Client>,
    /// Clients with more messages than were read in a row.
    unread: BTreeSet<usize>,
    /// Client that is next to receive a long message.
    turn: usize,
    /// True if there are long messages to send.
    has_waiting: bool,
    nanos: Arc<AtomicU64>,
    /// Last time that was published on `/clock`, and when.
    reported: Option<(u64, Instant)>,
}

impl Server {
    pub(crate) fn new(options: ServerOptions) -> std::io::Result<Self> {
        let World {
            sensors,
            actuators,
            services,
            links,
            poses,
            wake,
        } = options.world;
        let event_loop = EventLoop::new(vec![options.listener], &wake)?;
        let notifier = event_loop.notifier();
        let mut server = Self {
            access: options.access,
            max_clients: options.max_clients,
            event_loop,
            calls: Requests::new(options.requests, notifier.clone()),
            bell: Bell {
                notifier,
                is_enabled: Arc::default(),
            },
            wake,
            next: options.next,
            graph: Graph::new(sensors, actuators, services, links),
            poses,
            hub: Hub::default(),
            clients: BTreeMap::new(),
            unread: BTreeSet::new(),
            turn: 0,
            has_waiting: false,
            nanos: options.nanos,
            reported: None,
        };
        server.offer_actions();
        Ok(server)
    }

    /// Offers the actions of the actuators of the present world.
    fn offer_actions(&mut self) {
        let actuators: Vec<&CommandSender> =
            self.graph.sinks.values().map(|sink| &sink.sender).collect();
        let Hub {
            actions, outbox, ..
        } = &mut self.hub;
        actions.change_world(&actuators, outbox);
    }

    pub(crate) fn run(&mut self) -> Result<(), Failure> {
        let mut events = event_loop::events();
        loop {
            match self.next.take_over(&self.wake) {
                Some(Some(next)) => self.change_world(next),
                Some(None) => break,
                None => {}
            }
            let rest = self.rest();
            self.event_loop.wait(&mut events, rest).map_err(|error| {
                Failure::Environment(format!("rosbridge cannot wait for clients: {error}"))
            })?;
            for number in std::mem::take(&mut self.unread) {
                self.read_messages(number);
            }
            for event in &events {
                match self.event_loop.source(event) {
                    EventSource::Listener(_) => self.accept(),
                    EventSource::Notifier => {}
                    EventSource::Connection(number) => {
                        if let Some(client) = self.clients.get_mut(&number) {
                            client.go_on();
                        }
                        self.read_messages(number);
                    }
                }
            }
            self.publish_pending();
            self.send_waiting();
            self.remove_closed_clients();
        }
        // The last readings are sent before the end.
        self.publish_pending();
        while self.send_waiting() {}
        for client in self.clients.values_mut() {
            client.dismiss(CloseCode::Away, "the simulation has ended");
        }
        Ok(())
    }

    /// Continues with another world. Clients keep their subscriptions, by topic.
    fn change_world(&mut self, next: World) {
        // The last readings of the old world are sent before those of the new one.
        self.publish_pending();
        self.event_loop.follow(&next.wake);
        self.wake = next.wake;
        self.poses = next.poses;
        self.graph = Graph::new(next.sensors, next.actuators, next.services, next.links);
        self.offer_actions();
        self.hub.republisher.clear();
        self.publish_descriptions();
        self.request_readings();
    }

    fn rest(&self) -> Duration {
        if !self.unread.is_empty() || self.has_waiting {
            return Duration::ZERO;
        }
        let present = self.nanos.load(Ordering::Relaxed);
        let is_behind = self
            .reported
            .is_none_or(|(reported, _)| reported != present);
        let rest = if self.is_subscribed(CLOCK) && is_behind {
            CLOCK_INTERVAL
        } else if self.hub.actions.is_busy() || self.hub.broker.has_limits() {
            HUB_INTERVAL
        } else {
            POLL_INTERVAL
        };
        let frames = self.hub.republisher.rest(now());
        frames.map_or(rest, |frames| frames.min(rest))
    }

    fn is_subscribed(&self, topic: &str) -> bool {
        let mut clients = self.clients.values();
        clients.any(|client| client.subscriptions.contains_key(topic))
    }

    /// Returns the handle that wakes the server after a tick.
    pub(crate) fn bell(&self) -> Bell {
        self.bell.clone()
    }

    fn accept(&mut self) {
        while let Accepted::Connection(number, stream) = self.event_loop.accept(0) {
            if self.clients.len() >= self.max_clients {
                continue;
            }
            let client = Client::new(stream, self.access.clone(), now());
            self.clients.insert(number, client);
            // Bytes that arrived before the registration cause no event.
            self.read_messages(number);
        }
    }

    /// Processes the messages of a client.
    fn read_messages(&mut self, number: usize) {
        let (mut count, mut has_news) = (0, false);
        let nanos = self.nanos.load(Ordering::Relaxed);
        while let Some(client) = self.clients.get_mut(&number) {
            match client.read_messages(count) {
                Received::Text(text) => {
                    let mut scope = Scope {
                        graph: &self.graph,
                        calls: &self.calls,
                        hub: &mut self.hub,
                        nanos,
                        number,
                    };
                    if let Some((topic, message)) = carry_out(&mut scope, client, &text) {
                        self.publish(&topic, || relayed(&message));
                    }
                    let client = self.clients.get_mut(&number);
                    has_news |= client.is_some_and(|client| std::mem::take(&mut client.has_news));
                }
                Received::Nothing => break,
                Received::Enough => {
                    self.unread.insert(number);
                    break;
                }
                Received::Gone => {
                    self.remove_client(number);
                    has_news = true;
                }
            }
            count += 1;
        }
        self.send_outbox();
        if has_news {
            self.request_readings();
        }
    }

    /// Activates the sensors with subscribers, and deactivates all others.
    fn request_readings(&self) {
        let is_republishing = !self.hub.republisher.is_idle();
        let needs_frames = self.is_subscribed(TF) || is_republishing;
        let mut is_any = self.is_subscribed(CLOCK) || needs_frames || self.hub.actions.is_busy();
        for source in &self.graph.sources {
            let mut topics = source.topics.iter();
            let is_subscribed = topics.any(|topic| self.is_subscribed(&topic.name))
                || (source.moves_base && needs_frames)
                || (source.observer.info.is_moving && is_republishing);
            is_any |= is_subscribed;
            if is_subscribed {
                source.observer.stay_ready();
            } else {
                source.observer.deassert_ready();
            }
        }
        self.bell.is_enabled.store(is_any, Ordering::Release);
    }

    /// Sends long messages to some clients, within a time slice, so that they do not delay short messages; returns true if
    /// there are more.
    fn send_waiting(&mut self) -> bool {
        let start = now();
        let first = self.turn;
        let later = self.clients.range(first..).map(|(number, _)| *number);
        let before = self.clients.range(..first).map(|(number, _)| *number);
        let turns: Vec<usize> = later.chain(before).collect();
        self.has_waiting = false;
        for number in turns {
            if start.elapsed() >= SLICE {
                self.turn = number;
                self.has_waiting = true;
                break;
            }
            if let Some(client) = self.clients.get_mut(&number) {
                self.has_waiting |= client.send_waiting();
            }
        }
        self.has_waiting
    }

    /// Removes clients that have disconnected or whose handshake timed out.
    fn remove_closed_clients(&mut self) {
        let now = now();
        let closed = self.clients.iter().filter(|(_, client)| {
            let is_late = !client.is_in() && now.duration_since(client.since) > HANDSHAKE_TIMEOUT;
            client.is_gone() || is_late
        });
        let closed: Vec<usize> = closed.map(|(number, _)| *number).collect();
        for number in &closed {
            self.remove_client(*number);
        }
        if !closed.is_empty() {
            self.request_readings();
        }
    }

    /// Removes a client with everything that it offers and requests.
    fn remove_client(&mut self, number: usize) {
        self.clients.remove(&number);
        let Hub {
            broker,
            republisher,
            outbox,
            ..
        } = &mut self.hub;
        broker.remove_client(number, outbox);
        republisher.remove_client(number);
    }
}
