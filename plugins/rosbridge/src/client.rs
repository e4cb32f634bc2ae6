//! A client: a connection that shakes hands, and then speaks WebSocket.
use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use morse_server::{
    access::ProgramAccess,
    event_loop::TcpStream,
    websocket::{self, Channel},
};
use serde_json::Value as Json;
use tungstenite::{
    Error, HandshakeError, Message, Utf8Bytes, WebSocket,
    handshake::{MidHandshake, server::ServerHandshake},
    protocol::frame::coding::CloseCode,
};

/// The longest message that is heard, bytes.
const LONGEST_MESSAGE: usize = 1 << 20;
/// Messages that are longer, bytes, are sent to one client after the other, with others in between.
const LONG: usize = 16 << 10;
/// Messages that are heard at once; then others have their turn.
const MOST_AT_ONCE: usize = 64;

type Shaking = MidHandshake<ServerHandshake<TcpStream, ProgramAccess>>;

enum Socket {
    Shaking(Box<Shaking>),
    Speaking(Box<Channel<TcpStream>>),
    Gone,
}

/// Subscriptions of a client to one topic.
#[derive(Default)]
pub(crate) struct Subscription {
    pub(crate) each: Vec<One>,
    next: Option<Instant>,
}

/// One subscription to a topic.
pub(crate) struct One {
    /// The client's name for it.
    pub(crate) id: Json,
    /// Time between messages.
    pub(crate) interval: Duration,
    /// True if the client writes the topic without its first slash, and expects it so.
    pub(crate) is_bare: bool,
}

/// A message for subscribers, in both spellings of its topic.
pub(crate) struct Published {
    text: Utf8Bytes,
    bare: Option<Utf8Bytes>,
}

/// Beginning of a message, up to the first slash of its topic.
const BEGINNING: &str = r#"{"op":"publish","topic":""#;

impl Published {
    /// Makes a message on a topic, whose name has letters, digits, underscores and slashes alone or is written as JSON.
    pub(crate) fn new(topic: &str, message: &dyn erased_serde::Serialize) -> Self {
        let message = serde_json::to_string(message).unwrap_or_default();
        let topic = Json::from(topic).to_string();
        let topic = topic.strip_prefix('"').unwrap_or_default();
        Self {
            text: format!(r#"{BEGINNING}{topic},"msg":{message}}}"#).into(),
            bare: None,
        }
    }

    /// The text, with the topic in one of its spellings.
    pub(crate) fn text(&mut self, is_bare: bool) -> Utf8Bytes {
        if !is_bare {
            return self.text.clone();
        }
        let bare = self.bare.get_or_insert_with(|| {
            let rest = self.text.get(BEGINNING.len() + 1..).unwrap_or_default();
            format!("{BEGINNING}{rest}").into()
        });
        bare.clone()
    }
}

pub(crate) struct Client {
    socket: Socket,
    pub(crate) since: Instant,
    /// Topics that it listens to.
    pub(crate) subscriptions: BTreeMap<String, Subscription>,
    /// True if the topics that it listens to have changed.
    pub(crate) has_news: bool,
    /// Types of the topics that it has advertised.
    pub(crate) advertised: BTreeMap<String, String>,
    /// Calls that were not answered yet.
    pub(crate) under_way: u32,
    /// Long messages by topic and spelling, the newest of each: clients take turns with them.
    waiting: BTreeMap<(String, bool), Utf8Bytes>,
}

/// Outcome of hearing.
pub(crate) enum Heard {
    /// A message.
    Text(Utf8Bytes),
    /// Nothing more for now.
    Silence,
    /// There may be more, after others had their turn.
    Enough,
    /// It has gone.
    Gone,
}

impl Client {
    pub(crate) fn new(stream: TcpStream, access: ProgramAccess, now: Instant) -> Self {
        let config = websocket::config(LONGEST_MESSAGE, 16 << 10);
        let mut client = Self {
            socket: Socket::Gone,
            since: now,
            subscriptions: BTreeMap::new(),
            has_news: false,
            advertised: BTreeMap::new(),
            under_way: 0,
            waiting: BTreeMap::new(),
        };
        client.shaken(tungstenite::accept_hdr_with_config(
            stream,
            access,
            Some(config),
        ));
        client
    }

    fn shaken(
        &mut self,
        outcome: Result<
            WebSocket<TcpStream>,
            HandshakeError<ServerHandshake<TcpStream, ProgramAccess>>,
        >,
    ) {
        self.socket = match outcome {
            Ok(socket) => Socket::Speaking(Box::new(Channel::new(socket))),
            Err(HandshakeError::Interrupted(shaking)) => Socket::Shaking(Box::new(shaking)),
            // It was told why, if it asked at all.
            Err(HandshakeError::Failure(_)) => Socket::Gone,
        };
    }

    /// True once it speaks.
    pub(crate) fn is_in(&self) -> bool {
        matches!(self.socket, Socket::Speaking(_))
    }

    pub(crate) fn is_gone(&self) -> bool {
        matches!(self.socket, Socket::Gone)
    }

    /// Goes on with what waits, now that bytes have come or can go.
    pub(crate) fn go_on(&mut self) {
        match std::mem::replace(&mut self.socket, Socket::Gone) {
            Socket::Shaking(shaking) => self.shaken(shaking.handshake()),
            other => {
                self.socket = other;
                self.flush();
            }
        }
    }

    /// All messages that are there, as long as others need not wait.
    pub(crate) fn hear(&mut self, so_far: usize) -> Heard {
        if so_far >= MOST_AT_ONCE {
            return Heard::Enough;
        }
        loop {
            let Socket::Speaking(socket) = &mut self.socket else {
                return if self.is_gone() {
                    Heard::Gone
                } else {
                    Heard::Silence
                };
            };
            match socket.read() {
                Ok(Some(Message::Text(text))) => return Heard::Text(text),
                Ok(Some(Message::Binary(_))) => {
                    self.dismiss(CloseCode::Unsupported, "messages are text: JSON");
                }
                Ok(Some(_)) => {}
                Ok(None) => return Heard::Silence,
                Err(Error::Capacity(_)) => {
                    self.dismiss(CloseCode::Size, "messages are at most 1 MiB long");
                }
                Err(_) => self.socket = Socket::Gone,
            }
        }
    }

    /// Says goodbye.
    pub(crate) fn dismiss(&mut self, code: CloseCode, why: &'static str) {
        if let Socket::Speaking(socket) = &mut self.socket {
            socket.close(code, why);
            socket.flush();
        }
        self.socket = Socket::Gone;
    }

    /// Tells it something that must not be lost.
    pub(crate) fn tell(&mut self, text: impl Into<Utf8Bytes>) {
        if let Socket::Speaking(socket) = &mut self.socket
            && !socket.send(Message::Text(text.into()))
        {
            self.socket = Socket::Gone;
        }
    }

    /// Sends a message on a topic where it wants one, in the spellings that it uses.
    pub(crate) fn publish(
        &mut self,
        topic: &str,
        now: Instant,
        make: impl FnOnce() -> Published,
        made: &mut Option<Published>,
    ) {
        if !self.wants(topic, now) {
            return;
        }
        let each = self.subscriptions.get(topic).map(|all| &all.each);
        let writes = |bare| each.is_some_and(|each| each.iter().any(|one| one.is_bare == bare));
        let spellings = [false, true].map(writes);
        let message = made.get_or_insert_with(make);
        for (is_bare, is_used) in [false, true].into_iter().zip(spellings) {
            let text = message.text(is_bare);
            if is_used && text.len() > LONG {
                self.waiting.insert((topic.to_owned(), is_bare), text);
            } else if is_used {
                self.tell(text);
            }
        }
    }

    /// Sends one of the long messages that wait; whether another one waits.
    pub(crate) fn hand_out(&mut self) -> bool {
        if self.is_full() {
            // They would be old when it takes them: there will be newer ones.
            self.waiting.clear();
        }
        if let Some((_, text)) = self.waiting.pop_first() {
            self.tell(text);
        }
        !self.waiting.is_empty()
    }

    /// Tells whether it wants a message of a topic now: it listens, has room, and the last one is long enough ago.
    fn wants(&mut self, topic: &str, now: Instant) -> bool {
        let is_full = self.is_full();
        let Some(subscription) = self.subscriptions.get_mut(topic) else {
            return false;
        };
        if is_full || subscription.next.is_some_and(|next| now < next) {
            return false;
        }
        let interval = subscription.each.iter().map(|one| one.interval).min();
        subscription.next = interval
            .filter(|interval| !interval.is_zero())
            .map(|interval| now + interval);
        true
    }

    fn flush(&mut self) {
        if let Socket::Speaking(socket) = &mut self.socket
            && !socket.flush()
        {
            self.socket = Socket::Gone;
        }
    }

    /// True if it takes nothing at the moment.
    fn is_full(&self) -> bool {
        matches!(&self.socket, Socket::Speaking(socket) if socket.is_full())
    }
}
