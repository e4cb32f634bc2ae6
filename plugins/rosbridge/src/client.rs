//! Client connection: handshake, then WebSocket.
use std::{
    collections::{BTreeMap, BTreeSet},
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

use crate::encoding::{Encoding, Published};

/// Maximum length of a received message, bytes.
const LONGEST_MESSAGE: usize = 1 << 20;
/// Length in bytes from which messages are sent to one client after the other, with short messages in between.
const LONG: usize = 16 << 10;
/// Maximum number of messages that are read in a row; then other clients follow.
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
    /// The client's id of the subscription.
    pub(crate) id: Json,
    /// Minimum interval between messages.
    pub(crate) interval: Duration,
    /// True if the client writes the topic without its first slash, and expects this spelling in messages.
    pub(crate) is_bare: bool,
    /// Form of the messages.
    pub(crate) encoding: Encoding,
}

pub(crate) struct Client {
    socket: Socket,
    pub(crate) since: Instant,
    /// Subscriptions by topic.
    pub(crate) subscriptions: BTreeMap<String, Subscription>,
    /// True if the subscribed topics have changed.
    pub(crate) has_news: bool,
    /// Types of the advertised topics.
    pub(crate) advertised: BTreeMap<String, String>,
    /// Number of unanswered calls.
    pub(crate) under_way: u32,
    /// Latest long message per topic, spelling and encoding; clients receive these in turn.
    waiting: BTreeMap<(String, bool, Encoding), Message>,
}

/// Result of reading.
pub(crate) enum Received {
    /// A message.
    Text(Utf8Bytes),
    /// No more messages for now.
    Nothing,
    /// There may be more messages, after other clients had their turn.
    Enough,
    /// The connection is closed.
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
            // The handshake has already sent the reason.
            Err(HandshakeError::Failure(_)) => Socket::Gone,
        };
    }

    /// Returns true after the handshake.
    pub(crate) fn is_in(&self) -> bool {
        matches!(self.socket, Socket::Speaking(_))
    }

    pub(crate) fn is_gone(&self) -> bool {
        matches!(self.socket, Socket::Gone)
    }

    /// Continues the handshake or the sending when bytes have arrived or can be sent.
    pub(crate) fn go_on(&mut self) {
        match std::mem::replace(&mut self.socket, Socket::Gone) {
            Socket::Shaking(shaking) => self.shaken(shaking.handshake()),
            other => {
                self.socket = other;
                self.flush();
            }
        }
    }

    /// Reads the available messages, up to a limit.
    pub(crate) fn read_messages(&mut self, so_far: usize) -> Received {
        if so_far >= MOST_AT_ONCE {
            return Received::Enough;
        }
        loop {
            let Socket::Speaking(socket) = &mut self.socket else {
                return if self.is_gone() {
                    Received::Gone
                } else {
                    Received::Nothing
                };
            };
            match socket.read() {
                Ok(Some(Message::Text(text))) => return Received::Text(text),
                Ok(Some(Message::Binary(_))) => {
                    self.dismiss(CloseCode::Unsupported, "messages are text: JSON");
                }
                Ok(Some(_)) => {}
                Ok(None) => return Received::Nothing,
                Err(Error::Capacity(_)) => {
                    self.dismiss(CloseCode::Size, "messages are at most 1 MiB long");
                }
                Err(_) => self.socket = Socket::Gone,
            }
        }
    }

    /// Closes the connection, with a reason.
    pub(crate) fn dismiss(&mut self, code: CloseCode, why: &'static str) {
        if let Socket::Speaking(socket) = &mut self.socket {
            socket.close(code, why);
            socket.flush();
        }
        self.socket = Socket::Gone;
    }

    /// Sends a text that must not be lost.
    pub(crate) fn send(&mut self, text: impl Into<Utf8Bytes>) {
        self.send_message(Message::Text(text.into()));
    }

    /// Sends a message that must not be lost.
    pub(crate) fn send_message(&mut self, message: Message) {
        if let Socket::Speaking(socket) = &mut self.socket
            && !socket.send(message)
        {
            self.socket = Socket::Gone;
        }
    }

    /// Sends a message on a subscribed topic, in the spellings and encodings that the client uses.
    pub(crate) fn publish(
        &mut self,
        topic: &str,
        now: Instant,
        make: impl FnOnce() -> Published,
        made: &mut Option<Published>,
    ) {
        if !self.is_due(topic, now) {
            return;
        }
        let each = self.subscriptions.get(topic).map(|all| &all.each);
        let each = each.into_iter().flatten();
        let forms: BTreeSet<(bool, Encoding)> =
            each.map(|one| (one.is_bare, one.encoding)).collect();
        let message = made.get_or_insert_with(make);
        for (is_bare, encoding) in forms {
            match message.encoded(is_bare, encoding) {
                Some(encoded) if encoded.len() > LONG => {
                    let form = (topic.to_owned(), is_bare, encoding);
                    self.waiting.insert(form, encoded);
                }
                Some(encoded) => self.send_message(encoded),
                // Other clients may have published it in a form that this encoding lacks.
                None => {}
            }
        }
    }

    /// Sends one of the long messages; returns true if there are more.
    pub(crate) fn send_waiting(&mut self) -> bool {
        if self.is_full() {
            // They would be outdated once the client can receive them.
            self.waiting.clear();
        }
        if let Some((_, message)) = self.waiting.pop_first() {
            self.send_message(message);
        }
        !self.waiting.is_empty()
    }

    /// Returns true if a message of a topic is to be sent now: the client is subscribed, has room, and the minimum interval
    /// has passed.
    fn is_due(&mut self, topic: &str, now: Instant) -> bool {
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

    /// Returns true if the client accepts no bytes at the moment.
    fn is_full(&self) -> bool {
        matches!(&self.socket, Socket::Speaking(socket) if socket.is_full())
    }
}
