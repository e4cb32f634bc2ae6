//! Thread of the server: one poll for all clients.
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use morse_api::{
    command::CommandSender,
    middleware::{Failure, Gate, RequestSender, Successor, Wake},
    port::Observer,
    reading::Reading,
    service::Reply,
};
use morse_server::{
    clock::now,
    event_loop::{self, EventLoop, Events, Source, TcpListener},
    requests::Requests,
};

use crate::{
    Encoder, Socket,
    connection::{Connection, Role},
    discovery::Directory,
    image::ImageEncoding,
    pr2, python,
};

/// Poll interval without events, at which timeouts of clients are checked.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Delay of replies after readings where their order is defined: a client of both receives the readings first.
const GRACE: Duration = Duration::from_millis(1);
/// Maximum number of stored warnings; further ones are counted.
const MOST_WARNINGS: usize = 64;
/// Time in which clients can receive the rest when the simulation ends.
pub(crate) const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Reply to a client.
pub(crate) struct Answer {
    pub(crate) connection: usize,
    /// The client's id of the request.
    pub(crate) id: String,
    /// True for the list of all components, to which the streams are added.
    pub(crate) is_details: bool,
    pub(crate) reply: Reply,
}

/// Report of the running thread: warnings, and the loss of the client that controls the ticks.
#[derive(Default)]
pub(crate) struct ThreadReport {
    pub(crate) failure: Option<Failure>,
    warnings: Vec<String>,
    /// Number of warnings beyond the stored ones.
    more: u64,
}

impl ThreadReport {
    /// Stores a warning. The memory is bounded, whatever a client does.
    pub(crate) fn warn(&mut self, text: String) {
        if self.warnings.len() < MOST_WARNINGS {
            self.warnings.push(text);
        } else {
            self.more += 1;
        }
    }

    pub(crate) fn take_warnings(&mut self) -> Vec<String> {
        let mut warnings = std::mem::take(&mut self.warnings);
        let more = std::mem::take(&mut self.more);
        if more > 0 {
            warnings.push(format!("... and {more} more like these"));
        }
        warnings
    }
}

/// Stream of a sensor.
pub(crate) struct Output {
    /// Encoding of images.
    image: ImageEncoding,
    pub(crate) observer: Observer,
    pub(crate) encoder: Encoder,
    pub(crate) clients: Vec<usize>,
}

/// State of the server's thread.
pub(crate) struct Server {
    pub(crate) settings: Socket,
    pub(crate) event_loop: EventLoop,
    /// Role of the connections of each listener.
    pub(crate) roles: Vec<Role>,
    /// Listeners with clients that could not be accepted.
    pub(crate) crowded: BTreeSet<usize>,
    pub(crate) connections: BTreeMap<usize, Connection>,
    /// Clients with more bytes than were read in a row.
    pub(crate) busy: BTreeSet<usize>,
    pub(crate) outputs: Vec<Output>,
    /// Readings of a tick that is not complete yet, with the indices of their outputs.
    early: Vec<(usize, Reading)>,
    /// Command senders of the actuators' streams.
    pub(crate) inputs: Vec<CommandSender>,
    pub(crate) directory: Directory,
    pub(crate) requests: Requests<Answer>,
    /// Replies to be sent after the readings of their tick.
    later: Vec<Answer>,
    /// Time at which the readings of the last complete tick were sent.
    last_readings: Option<Instant>,
    /// Clients whose next request the simulation could not accept yet.
    pub(crate) held_up: BTreeSet<usize>,
    pub(crate) wake: Wake,
    next: Successor<World>,
    pub(crate) gate: Gate,
    pub(crate) last_permit: Instant,
    last_look: Instant,
    report: Arc<Mutex<ThreadReport>>,
}

/// Arguments of the constructor of a server.
pub(crate) struct ServerOptions {
    pub(crate) settings: Socket,
    pub(crate) world: World,
    pub(crate) next: Successor<World>,
    pub(crate) requests: RequestSender,
    pub(crate) gate: Gate,
    pub(crate) report: Arc<Mutex<ThreadReport>>,
}

/// Connections to a world.
pub(crate) struct World {
    /// Ports that are opened for this world.
    pub(crate) listeners: Vec<TcpListener>,
    /// Role of the connections of each listener, also of those that were opened for earlier worlds.
    pub(crate) roles: Vec<Role>,
    pub(crate) outputs: Vec<(Observer, Encoder, ImageEncoding, u16)>,
    pub(crate) inputs: Vec<(CommandSender, u16)>,
    pub(crate) services: Vec<String>,
    pub(crate) wake: Wake,
}

impl World {
    fn directory(&self, time_sync: bool) -> Directory {
        let outputs = self.outputs.iter();
        let carried = outputs.map(|(observer, _, _, port)| (observer.info.path.clone(), *port));
        let inputs = self.inputs.iter();
        let commanded = inputs.map(|(sender, port)| (sender.info.path.clone(), *port));
        Directory {
            streams: carried.chain(commanded).collect(),
            services: self.services.iter().cloned().collect(),
            time_sync,
        }
    }
}

impl Server {
    pub(crate) fn new(options: ServerOptions) -> std::io::Result<Self> {
        let ServerOptions {
            settings,
            world,
            next,
            requests,
            gate,
            report,
        } = options;
        let event_loop = EventLoop::new(Vec::new(), &world.wake)?;
        // Replaced by that of the world.
        let (_, wake) = Wake::new();
        let mut server = Self {
            settings,
            requests: Requests::new(requests, event_loop.notifier()),
            event_loop,
            roles: Vec::new(),
            crowded: BTreeSet::new(),
            connections: BTreeMap::new(),
            busy: BTreeSet::new(),
            outputs: Vec::new(),
            early: Vec::new(),
            inputs: Vec::new(),
            directory: Directory::default(),
            later: Vec::new(),
            last_readings: None,
            held_up: BTreeSet::new(),
            wake,
            next,
            gate,
            last_permit: now(),
            last_look: now(),
            report,
        };
        server.enter(world)?;
        Ok(server)
    }

    /// Sets the connections to a world.
    fn enter(&mut self, world: World) -> std::io::Result<()> {
        self.directory = world.directory(self.settings.time_sync);
        for listener in world.listeners {
            self.event_loop.add_listener(listener)?;
        }
        self.roles = world.roles;
        let outputs = world.outputs.into_iter();
        let outputs = outputs.map(|(observer, encoder, image, _)| Output {
            image,
            observer,
            encoder,
            clients: Vec::new(),
        });
        self.outputs = outputs.collect();
        self.inputs = world.inputs.into_iter().map(|(sender, _)| sender).collect();
        self.event_loop.follow(&world.wake);
        self.wake = world.wake;
        Ok(())
    }

    /// Continues with another world. Clients of a stream stay connected if its component still exists.
    fn change_world(&mut self, next: World) -> Result<(), Failure> {
        self.pass_on();
        let old = std::mem::take(&mut self.roles);
        let tokens: Vec<usize> = self.connections.keys().copied().collect();
        let is_same =
            |one: Role, other: Role| std::mem::discriminant(&one) == std::mem::discriminant(&other);
        for token in tokens {
            let Some(role) = self.connections.get(&token).map(|known| known.role) else {
                continue;
            };
            let listener = old.iter().position(|known| *known == role);
            let now = listener.and_then(|listener| next.roles.get(listener).copied());
            match now.filter(|now| is_same(*now, role)) {
                Some(now) => {
                    if let Some(connection) = self.connections.get_mut(&token) {
                        connection.role = now;
                    }
                }
                None => self.close(token),
            }
        }
        self.enter(next).map_err(|error| {
            Failure::Environment(format!("a port cannot be served after a reload: {error}"))
        })?;
        for (token, connection) in &self.connections {
            if let (Role::Readings(index), true) = (connection.role, connection.is_admitted)
                && let Some(output) = self.outputs.get_mut(index)
            {
                output.clients.push(*token);
                output.observer.stay_ready();
            }
        }
        Ok(())
    }

    /// Serves until the simulation ends.
    ///
    /// # Errors
    ///
    /// The operating system can no longer wait for clients.
    pub(crate) fn run(&mut self) -> Result<(), Failure> {
        let mut events = event_loop::events();
        loop {
            match self.next.take_over(&self.wake) {
                Some(Some(next)) => self.change_world(next)?,
                Some(None) => break,
                None => {}
            }
            let wait = match (self.busy.is_empty(), self.later.is_empty()) {
                (true, true) => POLL_INTERVAL,
                (true, false) => GRACE,
                (false, _) => Duration::ZERO,
            };
            self.event_loop.wait(&mut events, wait).map_err(|error| {
                Failure::Environment(format!("waiting for sockets failed: {error}"))
            })?;
            for event in &events {
                match self.event_loop.source(event) {
                    Source::Notifier => {}
                    Source::Listener(listener) => self.accept(listener),
                    Source::Connection(token) => self.event(token, event.is_writable()),
                }
            }
            for token in std::mem::take(&mut self.busy) {
                self.read_or_close(token);
            }
            self.pass_on();
            self.look_around();
        }
        self.take_leave(&mut events);
        Ok(())
    }

    fn event(&mut self, token: usize, is_writable: bool) {
        if is_writable
            && let Some(connection) = self.connections.get_mut(&token)
            && !connection.flush()
        {
            self.close(token);
        }
        self.read_or_close(token);
    }

    /// Accepts waiting clients, and disconnects clients after timeouts; called at each poll interval.
    fn look_around(&mut self) {
        let now = now();
        if now.duration_since(self.last_look) < POLL_INTERVAL {
            return;
        }
        self.last_look = now;
        for listener in std::mem::take(&mut self.crowded) {
            self.accept(listener);
        }
        let limit = limit(self.settings.line_timeout);
        let connections = self.connections.iter();
        let gone =
            connections.filter(|(_, connection)| connection.leaves.is_some_and(|end| end < now));
        for token in gone.map(|(token, _)| *token).collect::<Vec<_>>() {
            self.close(token);
        }
        let late = |begun: Instant| now.duration_since(begun) > limit;
        let connections = self.connections.iter();
        let slow = connections.filter(|(_, connection)| connection.begun.is_some_and(late));
        for token in slow.map(|(token, _)| *token).collect::<Vec<_>>() {
            self.dismiss(token, &format!("timeout: incomplete line after {limit:?}"));
        }
        self.look_after_sync();
    }

    /// Sends readings and replies, and processes postponed requests.
    fn pass_on(&mut self) {
        // The readings of the tick of a reply are in the ports before it, and are sent before it.
        self.later.extend(self.requests.take_replies());
        let whole = self.wake.whole_tick();
        let mut readings = std::mem::take(&mut self.early);
        for (index, output) in self.outputs.iter().enumerate() {
            readings.extend(std::iter::from_fn(|| {
                Some((index, output.observer.try_recv()?))
            }));
        }
        if let Some(whole) = whole {
            readings.sort_by_key(|(index, reading)| (reading.tick, *index));
            let first = readings.partition_point(|(_, reading)| reading.tick <= whole);
            self.early = readings.split_off(first);
            if !readings.is_empty() {
                self.last_readings = Some(now());
            }
        }
        for (index, reading) in readings {
            self.send(index, &reading);
        }
        let last = self.last_readings;
        if last.is_none_or(|last| last.elapsed() >= GRACE) {
            for answer in std::mem::take(&mut self.later) {
                self.answer(answer);
            }
        }
        for token in std::mem::take(&mut self.held_up) {
            self.read_or_close(token);
        }
    }

    /// Sends a reading to the clients of an output.
    fn send(&mut self, index: usize, reading: &Reading) {
        let Some(output) = self.outputs.get(index) else {
            return;
        };
        if output.clients.is_empty() {
            return;
        }
        let info = &output.observer.info;
        let record: Arc<[u8]> = match output.encoder {
            Encoder::Fields => python::record(info, reading, output.image).into(),
            Encoder::Pr2JointState => pr2::record(info, reading).into(),
        };
        let mut gone = Vec::new();
        for client in &output.clients {
            if let Some(connection) = self.connections.get_mut(client) {
                connection.record(&record);
                if !connection.is_full && !connection.flush() {
                    gone.push(*client);
                }
            }
        }
        for client in gone {
            self.close(client);
        }
    }

    fn answer(&mut self, answer: Answer) {
        let Answer {
            connection,
            id,
            is_details,
            mut reply,
        } = answer;
        if let Some(connection) = self.connections.get_mut(&connection) {
            connection.under_way.remove(&id);
            connection.unanswered = connection.unanswered.saturating_sub(1);
        }
        if is_details {
            self.directory.as_morse_tells(&mut reply.value);
        }
        self.say(connection, crate::request::reply_line(&id, &reply));
        // A client whose replies were blocked is read again.
        self.read_or_close(connection);
    }

    /// Ends the run after the timeout of the client that controls the ticks.
    fn look_after_sync(&mut self) {
        let limit = limit(self.settings.sync_timeout);
        if self.gate.is_held() && self.last_permit.elapsed() > limit {
            self.last_permit = now();
            let text = format!("the client at the sync port sent nothing for {limit:?}");
            self.update_report(|report| report.failure = Some(Failure::PeerLost(text)));
        }
    }

    /// Sends the rest to the clients at the end of the simulation, as far as they accept it.
    fn take_leave(&mut self, events: &mut Events) {
        self.pass_on();
        self.last_readings = None;
        self.pass_on();
        let end = now() + CLOSE_TIMEOUT;
        for connection in self.connections.values_mut() {
            connection.is_closing = true;
        }
        loop {
            self.connections
                .retain(|_, connection| connection.flush() && !connection.is_drained());
            let left = end.saturating_duration_since(now());
            if self.connections.is_empty() || left.is_zero() {
                return;
            }
            if self.event_loop.wait(events, left).is_err() {
                return;
            }
        }
    }

    pub(crate) fn update_report(&self, update: impl FnOnce(&mut ThreadReport)) {
        update(&mut locked(&self.report));
    }
}

/// Returns a timeout; `Duration::MAX` for 0.
fn limit(seconds: f64) -> Duration {
    let limit = Duration::try_from_secs_f64(seconds).ok();
    limit
        .filter(|limit| !limit.is_zero())
        .unwrap_or(Duration::MAX)
}

/// Locks a mutex, even if a thread has panicked while it held the lock.
fn locked<T>(lock: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
