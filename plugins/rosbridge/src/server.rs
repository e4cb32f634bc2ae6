//! The one thread: a poll for all clients.
use std::{
    collections::{BTreeMap, BTreeSet},
    io::ErrorKind,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use mio::{Events, Interest, Poll, Token, Waker, net::TcpListener};
use morse_api::{
    command::CommandSender,
    middleware::{Failure, RequestSender, Wake},
    port::Observer,
};
use morse_ros::{
    frames,
    messages::{Clock, Time},
    topics::Sample,
};
use tungstenite::{Utf8Bytes, protocol::frame::coding::CloseCode};

use crate::{
    admission::Admission,
    calls::{Calls, Notifier},
    client::{Client, Heard},
    clock::now,
    graph::{CLOCK, Graph, Source, TF},
    operations::{Scope, carry_out, published},
};

const LISTENER: Token = Token(0);
const WAKER: Token = Token(1);
/// Time after which it looks for who says nothing, when nothing happens.
const BEAT: Duration = Duration::from_millis(500);
/// The clock is told at most a hundred times a second.
const CLOCK_BEAT: Duration = Duration::from_millis(10);
/// Time after which a client has to go that has not come in.
const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) struct ServerOptions {
    pub(crate) admission: Admission,
    pub(crate) max_clients: usize,
    pub(crate) listener: TcpListener,
    pub(crate) sensors: Vec<Observer>,
    pub(crate) actuators: Vec<CommandSender>,
    pub(crate) services: Vec<String>,
    pub(crate) requests: RequestSender,
    pub(crate) wake: Wake,
    pub(crate) nanos: Arc<AtomicU64>,
}

pub(crate) struct Server {
    admission: Admission,
    max_clients: usize,
    listener: TcpListener,
    poll: Poll,
    notifier: Arc<Notifier>,
    wake: Wake,
    graph: Graph,
    calls: Calls,
    clients: BTreeMap<usize, Client>,
    /// Clients that may have said more than was heard.
    unheard: BTreeSet<usize>,
    next: usize,
    nanos: Arc<AtomicU64>,
    /// Time that `/clock` told last, and when.
    told: Option<(u64, Instant)>,
}

impl Server {
    pub(crate) fn new(options: ServerOptions) -> std::io::Result<Self> {
        let poll = Poll::new()?;
        let mut listener = options.listener;
        poll.registry()
            .register(&mut listener, LISTENER, Interest::READABLE)?;
        let notifier = Arc::new(Notifier::new(Waker::new(poll.registry(), WAKER)?));
        let notified = notifier.clone();
        options.wake.also_call(move || notified.notify());
        Ok(Self {
            admission: options.admission,
            max_clients: options.max_clients,
            listener,
            poll,
            calls: Calls::new(options.requests, notifier.clone()),
            notifier,
            wake: options.wake,
            graph: Graph::new(options.sensors, options.actuators, options.services),
            clients: BTreeMap::new(),
            unheard: BTreeSet::new(),
            next: 2,
            nanos: options.nanos,
            told: None,
        })
    }

    pub(crate) fn run(&mut self) -> Result<(), Failure> {
        let mut events = Events::with_capacity(256);
        while !self.wake.is_over() {
            if let Err(error) = self.poll.poll(&mut events, Some(self.rest()))
                && error.kind() != ErrorKind::Interrupted
            {
                let why = format!("rosbridge cannot wait for clients: {error}");
                return Err(Failure::Environment(why));
            }
            self.notifier.heard();
            for number in std::mem::take(&mut self.unheard) {
                self.hear(number);
            }
            for event in &events {
                match event.token() {
                    LISTENER => self.accept(),
                    WAKER => {}
                    Token(number) => {
                        if let Some(client) = self.clients.get_mut(&number) {
                            client.go_on();
                        }
                        self.hear(number);
                    }
                }
            }
            self.pass_on();
            self.tidy();
        }
        // The last readings are told before the end.
        self.pass_on();
        for client in self.clients.values_mut() {
            client.dismiss(CloseCode::Away, "the simulation has ended");
        }
        Ok(())
    }

    fn rest(&self) -> Duration {
        if !self.unheard.is_empty() {
            return Duration::ZERO;
        }
        let is_clocked = self
            .clients
            .values()
            .any(|client| client.subscriptions.contains_key(CLOCK));
        if is_clocked { CLOCK_BEAT } else { BEAT }
    }

    fn accept(&mut self) {
        loop {
            let mut stream = match self.listener.accept() {
                Ok((stream, _)) => stream,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                // Too many open files, say: the client waits until others have gone.
                Err(_) => return,
            };
            if self.clients.len() >= self.max_clients {
                continue;
            }
            stream.set_nodelay(true).ok();
            let number = self.next;
            self.next += 1;
            let interest = Interest::READABLE | Interest::WRITABLE;
            if self
                .poll
                .registry()
                .register(&mut stream, Token(number), interest)
                .is_ok()
            {
                let client = Client::new(stream, self.admission.clone(), now());
                self.clients.insert(number, client);
                // What was sent at once may have been there before it was registered.
                self.hear(number);
            }
        }
    }

    /// Deals with what a client says.
    fn hear(&mut self, number: usize) {
        let (mut count, mut has_news) = (0, false);
        let nanos = self.nanos.load(Ordering::Relaxed);
        while let Some(client) = self.clients.get_mut(&number) {
            match client.hear(count) {
                Heard::Text(text) => {
                    let scope = Scope {
                        graph: &self.graph,
                        calls: &self.calls,
                        nanos,
                        number,
                    };
                    if let Some((topic, text)) = carry_out(&scope, client, &text) {
                        self.relay(&topic, text);
                    }
                    let client = self.clients.get_mut(&number);
                    has_news |= client.is_some_and(|client| std::mem::take(&mut client.has_news));
                }
                Heard::Silence => break,
                Heard::Enough => {
                    self.unheard.insert(number);
                    break;
                }
                Heard::Gone => {
                    self.clients.remove(&number);
                    has_news = true;
                }
            }
            count += 1;
        }
        if has_news {
            self.ask();
        }
    }

    /// Sensors measure for who listens, and for nobody else.
    fn ask(&self) {
        for source in &self.graph.sources {
            let is_heard = self.clients.values().any(|client| {
                let hears = |topic: &str| client.subscriptions.contains_key(topic);
                source.topics.iter().any(|topic| hears(&topic.name))
                    || (source.moves_base && hears(TF))
            });
            if is_heard {
                source.observer.stay_ready();
            } else {
                source.observer.deassert_ready();
            }
        }
    }

    /// Tells all who listen to a topic.
    fn relay(&mut self, topic: &str, text: String) {
        let (text, now) = (Utf8Bytes::from(text), now());
        for client in self.clients.values_mut() {
            if client.wants(topic, now) {
                client.tell(text.clone());
            }
        }
    }

    /// Passes on answers, readings and the time.
    fn pass_on(&mut self) {
        for (number, text) in self.calls.answers() {
            if let Some(client) = self.clients.get_mut(&number) {
                client.under_way = client.under_way.saturating_sub(1);
                client.tell(text);
            }
        }
        let now = now();
        for source in &self.graph.sources {
            while let Some(reading) = source.observer.try_recv() {
                let sample = Sample {
                    info: &source.observer.info,
                    reading: &reading,
                };
                tell_reading(&mut self.clients, source, &sample, now);
            }
        }
        self.tell_time(now);
    }

    fn tell_time(&mut self, now: Instant) {
        let nanos = self.nanos.load(Ordering::Relaxed);
        let is_new = self
            .told
            .is_none_or(|(told, at)| told != nanos && now >= at + CLOCK_BEAT);
        if is_new {
            self.told = Some((nanos, now));
            let message = Clock {
                clock: Time::of_nanos(nanos),
            };
            tell(&mut self.clients, CLOCK, now, || published(CLOCK, &message));
        }
    }

    /// Lets those go who have gone, and those who do not come in.
    fn tidy(&mut self) {
        let now = now();
        let before = self.clients.len();
        self.clients.retain(|_, client| {
            let is_late = !client.is_in() && now.duration_since(client.since) > PATIENCE;
            !client.is_gone() && !is_late
        });
        if self.clients.len() != before {
            self.ask();
        }
    }
}

/// Tells a reading on all topics of its sensor.
fn tell_reading(
    clients: &mut BTreeMap<usize, Client>,
    source: &Source,
    sample: &Sample<'_>,
    now: Instant,
) {
    for topic in &source.topics {
        tell(clients, &topic.name, now, || {
            published(&topic.name, &(topic.make)(sample))
        });
    }
    if source.moves_base {
        tell(clients, TF, now, || published(TF, &frames::base(sample)));
    }
}

/// Tells all who want a message of a topic; it is made once, if anybody does.
fn tell(
    clients: &mut BTreeMap<usize, Client>,
    topic: &str,
    now: Instant,
    make: impl Fn() -> String,
) {
    let mut made: Option<Utf8Bytes> = None;
    for client in clients.values_mut() {
        if client.wants(topic, now) {
            let text = made.get_or_insert_with(|| make().into());
            client.tell(text.clone());
        }
    }
}
