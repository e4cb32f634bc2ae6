//! The thread: one poll for all clients.
use std::{
    collections::{BTreeMap, BTreeSet},
    io::ErrorKind,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use mio::{Events, Interest, Poll, Token, Waker, net::TcpListener};
use morse_api::{
    command::CommandSender,
    middleware::{Failure, Gate, RequestSender, Wake},
    port::Observer,
    service::Reply,
};

use crate::{
    Socket, command,
    connection::{Connection, Heard, Role},
    discovery,
    image::Image,
    python,
};

/// The token of the waker; listeners and connections follow.
const WAKER: Token = Token(0);
/// How long the thread sleeps where nothing happens.
const BEAT: Duration = Duration::from_millis(250);
/// How long clients have to take what is left when the simulation ends.
const FAREWELL: Duration = Duration::from_secs(2);

/// A reply on its way to a client.
pub(crate) struct Answer {
    pub(crate) connection: usize,
    /// The client's id for the request.
    pub(crate) id: String,
    /// Whether it is the list of all components, to which the streams are added.
    pub(crate) is_details: bool,
    pub(crate) reply: Reply,
}

/// What the thread has to tell.
#[derive(Default)]
pub(crate) struct News {
    pub(crate) failure: Option<Failure>,
    pub(crate) complaints: Vec<String>,
}

/// A sensor's stream.
pub(crate) struct Output {
    /// How images are sent.
    image: Image,
    pub(crate) observer: Observer,
    pub(crate) port: u16,
    clients: Vec<usize>,
}

/// An actuator's stream.
pub(crate) struct Input {
    pub(crate) sender: CommandSender,
    pub(crate) port: u16,
}

/// Everything the thread works with.
pub(crate) struct Server {
    pub(crate) settings: Socket,
    poll: Poll,
    listeners: Vec<(TcpListener, Role)>,
    connections: BTreeMap<usize, Connection>,
    next: usize,
    pub(crate) outputs: Vec<Output>,
    pub(crate) inputs: Vec<Input>,
    pub(crate) services: BTreeSet<String>,
    pub(crate) requests: RequestSender,
    /// Filled by the simulation's thread; at most one for each request under way.
    pub(crate) answers: Arc<Mutex<Vec<Answer>>>,
    /// Clients whose next request the simulation could not take yet.
    pub(crate) held_up: BTreeSet<usize>,
    pub(crate) knock: Arc<Knock>,
    wake: Wake,
    gate: Gate,
    last_permit: Instant,
    news: Arc<Mutex<News>>,
}

/// Wakes the poll, once for all that happens until it looks.
pub(crate) struct Knock {
    waker: Waker,
    is_pending: AtomicBool,
}

impl Knock {
    pub(crate) fn knock(&self) {
        if !self.is_pending.swap(true, Ordering::AcqRel) {
            // A poll that is gone needs no waking.
            self.waker.wake().ok();
        }
    }
}

/// What a server is made of.
pub(crate) struct Parts {
    pub(crate) settings: Socket,
    pub(crate) listeners: Vec<(TcpListener, Role)>,
    pub(crate) outputs: Vec<(Observer, u16, Image)>,
    pub(crate) inputs: Vec<(CommandSender, u16)>,
    pub(crate) services: Vec<String>,
    pub(crate) requests: RequestSender,
    pub(crate) wake: Wake,
    pub(crate) gate: Gate,
    pub(crate) news: Arc<Mutex<News>>,
}

impl Server {
    pub(crate) fn new(parts: Parts) -> std::io::Result<Self> {
        let poll = Poll::new()?;
        let knock = Arc::new(Knock {
            waker: Waker::new(poll.registry(), WAKER)?,
            is_pending: AtomicBool::new(false),
        });
        let mut listeners = parts.listeners;
        for (index, (listener, _)) in listeners.iter_mut().enumerate() {
            poll.registry()
                .register(listener, Token(index + 1), Interest::READABLE)?;
        }
        let hook = knock.clone();
        parts.wake.also_call(move || hook.knock());
        let outputs = parts
            .outputs
            .into_iter()
            .map(|(observer, port, image)| Output {
                image,
                observer,
                port,
                clients: Vec::new(),
            });
        let inputs = parts.inputs.into_iter();
        Ok(Self {
            settings: parts.settings,
            poll,
            next: listeners.len() + 1,
            listeners,
            connections: BTreeMap::new(),
            outputs: outputs.collect(),
            inputs: inputs
                .map(|(sender, port)| Input { sender, port })
                .collect(),
            services: parts.services.into_iter().collect(),
            requests: parts.requests,
            answers: Arc::default(),
            held_up: BTreeSet::new(),
            knock,
            wake: parts.wake,
            gate: parts.gate,
            last_permit: now(),
            news: parts.news,
        })
    }

    /// Serves until the simulation ends.
    pub(crate) fn run(mut self) {
        let mut events = Events::with_capacity(256);
        while !self.wake.is_over() {
            if let Err(error) = self.poll.poll(&mut events, Some(BEAT))
                && error.kind() != ErrorKind::Interrupted
            {
                let text = format!("waiting for sockets failed: {error}");
                self.tell(|news| news.failure = Some(Failure::Environment(text)));
                return;
            }
            // Whoever knocks from here on is heard in the next round.
            self.knock.is_pending.store(false, Ordering::Release);
            for event in &events {
                self.event(event.token(), event.is_writable());
            }
            self.pass_on();
            self.look_after_sync();
        }
        self.take_leave(&mut events);
    }

    fn event(&mut self, token: Token, is_writable: bool) {
        if token == WAKER {
            return;
        }
        if token.0 <= self.listeners.len() {
            self.accept(token.0 - 1);
            return;
        }
        let mut stays = true;
        if is_writable && let Some(connection) = self.connections.get_mut(&token.0) {
            stays = connection.flush();
        }
        stays = stays && self.hear(token.0);
        if !stays {
            self.close(token.0);
        }
    }

    fn accept(&mut self, listener: usize) {
        loop {
            let Some((socket, role)) = self.listeners.get(listener) else {
                return;
            };
            let role = *role;
            let (mut stream, _) = match socket.accept() {
                Ok(accepted) => accepted,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                // Too many open files, say: the client waits in the queue until others have gone.
                Err(_) => return,
            };
            let token = self.next;
            self.next += 1;
            stream.set_nodelay(true).ok();
            let interest = Interest::READABLE | Interest::WRITABLE;
            let registered = self
                .poll
                .registry()
                .register(&mut stream, Token(token), interest);
            if registered.is_err() {
                continue;
            }
            let is_open = self.settings.token.is_none();
            let mut connection = Connection::new(stream, role, is_open);
            if self.connections.len() >= self.settings.max_clients as usize {
                connection.say(Arc::from(&b" FAILED \"too many clients\"\n"[..]));
                connection.flush();
                continue;
            }
            self.connections.insert(token, connection);
            if is_open {
                self.admit(token, role);
            }
            // What the client sent at once may have been there before it was registered.
            if !self.hear(token) {
                self.close(token);
            }
        }
    }

    /// From now on the client gets what it came for.
    fn admit(&mut self, token: usize, role: Role) {
        match role {
            Role::Readings(place) => {
                if let Some(output) = self.outputs.get_mut(place) {
                    output.clients.push(token);
                    output.observer.stay_ready();
                }
            }
            Role::Sync => {
                self.last_permit = now();
                self.gate.hold();
            }
            Role::Requests | Role::Commands(_) => {}
        }
    }

    pub(crate) fn close(&mut self, token: usize) {
        let Some(connection) = self.connections.remove(&token) else {
            return;
        };
        self.held_up.remove(&token);
        match connection.role {
            Role::Readings(place) => {
                if let Some(output) = self.outputs.get_mut(place) {
                    output.clients.retain(|&client| client != token);
                    if output.clients.is_empty() {
                        output.observer.deassert_ready();
                    }
                    if connection.dropped > 0 {
                        let (path, dropped) = (&output.observer.info.path, connection.dropped);
                        let text = format!("`{path}`: a slow client missed {dropped} readings");
                        self.tell(|news| news.complaints.push(text));
                    }
                }
            }
            Role::Sync if connection.is_admitted => self.gate.leave(),
            Role::Sync | Role::Requests | Role::Commands(_) => {}
        }
    }

    /// Reads what a client sent; false when it has gone.
    fn hear(&mut self, token: usize) -> bool {
        loop {
            let Some(connection) = self.connections.get_mut(&token) else {
                return true;
            };
            if connection.is_choked() || connection.is_closing {
                return true;
            }
            let heard = connection.hear();
            if !self.read_lines(token) {
                return false;
            }
            match heard {
                Heard::Lines => return true,
                Heard::More => {
                    if self.held_up.contains(&token) {
                        return true;
                    }
                }
                Heard::Gone(None) => return false,
                Heard::Gone(Some(why)) => {
                    self.say(token, format!(" FAILED \"{why}\"\n").into_bytes());
                    return false;
                }
            }
        }
    }

    /// Deals with the whole lines that a client sent; false when it has to go.
    pub(crate) fn read_lines(&mut self, token: usize) -> bool {
        loop {
            let Some(connection) = self.connections.get_mut(&token) else {
                return true;
            };
            let role = connection.role;
            if role == Role::Sync && connection.is_admitted {
                if connection.swallow() {
                    self.last_permit = now();
                    self.gate.permit();
                }
                return true;
            }
            if connection.is_choked() {
                return true;
            }
            let Some(line) = connection.next_line() else {
                return true;
            };
            if !connection.is_admitted {
                let given = line.trim_ascii().strip_prefix(b"token ");
                if !given.is_some_and(|given| self.settings.admits(given)) {
                    self.say(token, b" FAILED \"the token is wrong\"\n".to_vec());
                    return false;
                }
                connection.is_admitted = true;
                self.admit(token, role);
                continue;
            }
            match role {
                Role::Requests => {
                    if !self.request(token, &line) {
                        return true;
                    }
                }
                Role::Commands(place) => self.command(place, &line),
                // Nothing is expected from who only listens.
                Role::Readings(_) | Role::Sync => {}
            }
        }
    }

    fn command(&self, place: usize, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            return;
        }
        let sent = self
            .inputs
            .get(place)
            .map(|input| command::send(&input.sender, line));
        if let Some(Err(error)) = sent {
            let text = format!("a command was refused: {error}");
            self.tell(|news| news.complaints.push(text));
        }
    }

    pub(crate) fn connection(&mut self, token: usize) -> Option<&mut Connection> {
        self.connections.get_mut(&token)
    }

    /// Sends bytes to a client, as far as it takes them now.
    pub(crate) fn say(&mut self, token: usize, bytes: Vec<u8>) {
        let Some(connection) = self.connections.get_mut(&token) else {
            return;
        };
        connection.say(bytes.into());
        if !connection.flush() {
            self.close(token);
        }
    }

    /// Passes on readings and replies, and goes on with the requests that had to wait.
    fn pass_on(&mut self) {
        for place in 0..self.outputs.len() {
            self.readings(place);
        }
        let answers = std::mem::take(&mut *locked(&self.answers));
        for answer in answers {
            self.answer(answer);
        }
        for token in std::mem::take(&mut self.held_up) {
            if !self.hear(token) {
                self.close(token);
            }
        }
    }

    fn readings(&mut self, place: usize) {
        let Some(output) = self.outputs.get(place) else {
            return;
        };
        let mut gone = Vec::new();
        while let Some(reading) = output.observer.try_recv() {
            if output.clients.is_empty() {
                continue;
            }
            let record = python::record(&output.observer.info, &reading, output.image);
            let record: Arc<[u8]> = record.into();
            for client in &output.clients {
                if let Some(connection) = self.connections.get_mut(client) {
                    connection.record(&record);
                    if !connection.is_full && !connection.flush() {
                        gone.push(*client);
                    }
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
        }
        if is_details {
            discovery::add_streams(&mut reply.value, self);
        }
        self.say(connection, crate::request::reply_line(&id, &reply));
        // A client that was choked by its replies is heard again.
        if !self.hear(connection) {
            self.close(connection);
        }
    }

    /// A client that holds the simulation and says nothing ends the run.
    fn look_after_sync(&mut self) {
        let limit = Duration::from_secs_f64(self.settings.sync_timeout);
        if self.gate.is_held() && !limit.is_zero() && self.last_permit.elapsed() > limit {
            self.last_permit = now();
            let text = format!("the client at the sync port sent nothing for {limit:?}");
            self.tell(|news| news.failure = Some(Failure::PeerLost(text)));
        }
    }

    /// The simulation has ended: clients get what is left, if they take it.
    fn take_leave(mut self, events: &mut Events) {
        self.pass_on();
        let end = now() + FAREWELL;
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
            if self.poll.poll(events, Some(left)).is_err() {
                return;
            }
        }
    }

    fn tell(&self, tell: impl FnOnce(&mut News)) {
        tell(&mut locked(&self.news));
    }
}

/// What a lock holds, whatever became of who held it before.
pub(crate) fn locked<T>(lock: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the time limits of clients are real time"
)]
fn now() -> Instant {
    Instant::now()
}
