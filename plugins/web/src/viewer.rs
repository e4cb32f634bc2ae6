//! WebSocket connection of a viewer. A frame is sent only if the viewer has acknowledged earlier ones (flow control); a
//! viewer that does not acknowledge misses frames.
use std::{
    io::{Cursor, ErrorKind, Read, Write},
    time::Instant,
};

use morse_server::{
    clock::now,
    event_loop::TcpStream,
    websocket::{self, Channel},
};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use tungstenite::{
    Bytes, Error, Message, WebSocket,
    protocol::{Role, frame::coding::CloseCode},
};

use crate::{frames::View, watch::Watch};

/// Maximum length of a received message, bytes.
pub(crate) const LONGEST_MESSAGE: usize = 64 << 10;
/// Maximum number of frames that are not acknowledged.
const MOST_UNSEEN: usize = 2;
/// Maximum number of messages that are read in a row; then other viewers follow.
const MOST_AT_ONCE: usize = 64;
/// Maximum number of messages per second.
const FLOOD: u32 = 2000;

/// Message of a viewer.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Said {
    /// Acknowledges the frame of this number and earlier ones.
    Seen(u32),
    /// Subscribes to the readings of these sensors, and no others.
    Watch(Vec<String>),
    /// Subscribes to the graphs of these middlewares, and no others.
    Graphs(Vec<String>),
    /// Calls a service.
    Call(Call),
}

/// Call of a service.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Call {
    pub(crate) id: u64,
    pub(crate) component: String,
    pub(crate) service: String,
    #[serde(default)]
    pub(crate) arguments: Json,
}

/// Outcome of hearing.
#[derive(Debug)]
pub(crate) enum Heard {
    /// A message was received.
    Said(Said),
    /// No more messages for now.
    Silence,
    /// There may be more messages, after other viewers had their turn.
    Enough,
    /// The viewer was dismissed with a reason, or is closing the connection.
    Leaves,
    /// The connection is closed.
    Gone,
}

pub(crate) struct Viewer<S = TcpStream> {
    socket: Channel<S>,
    pub(crate) view: View,
    /// Numbers of the frames that are not acknowledged.
    unseen: Vec<u32>,
    /// True until the viewer has loaded the scene after a change: it then subscribes again.
    lacks_scene: bool,
    /// Number of unanswered calls.
    pub(crate) under_way: u32,
    /// Number of warnings that were sent to it.
    warned: usize,
    /// Time of the last message.
    pub(crate) heard: Instant,
    second: Instant,
    in_second: u32,
    at_once: usize,
}

impl<S: Read + Write> Viewer<S> {
    pub(crate) fn new(stream: S, rest: Vec<u8>, now: Instant) -> Self {
        let config = websocket::config(LONGEST_MESSAGE, 4 << 10);
        let socket = WebSocket::from_partially_read(stream, rest, Role::Server, Some(config));
        Self {
            socket: Channel::new(socket),
            view: View::default(),
            unseen: Vec::new(),
            lacks_scene: false,
            under_way: 0,
            warned: 0,
            heard: now,
            second: now,
            in_second: 0,
            at_once: 0,
        }
    }

    /// Returns true if a frame can be sent.
    pub(crate) fn is_ready(&self) -> bool {
        !self.lacks_scene && self.unseen.len() < MOST_UNSEEN && !self.socket.is_full()
    }

    /// Discards everything that refers to the old world.
    pub(crate) fn change_world(&mut self) {
        self.view = View::default();
        self.unseen.clear();
        self.warned = 0;
        self.lacks_scene = true;
    }

    /// Records that the viewer has the present scene.
    pub(crate) fn has_scene(&mut self) {
        self.lacks_scene = false;
    }

    /// Returns the next message.
    pub(crate) fn read_messages(&mut self, now: Instant) -> Heard {
        loop {
            if self.at_once >= MOST_AT_ONCE {
                self.at_once = 0;
                return Heard::Enough;
            }
            let message = match self.socket.read() {
                Ok(Some(message)) => message,
                Ok(None) => {
                    self.at_once = 0;
                    return Heard::Silence;
                }
                Err(Error::Capacity(_)) => {
                    return self.dismiss(CloseCode::Size, "messages are at most 64 KiB long");
                }
                Err(Error::Protocol(error)) if self.socket.can_write() => {
                    return self.dismiss(CloseCode::Protocol, &error.to_string());
                }
                Err(Error::Utf8(_)) => {
                    return self.dismiss(CloseCode::Invalid, "invalid UTF-8");
                }
                Err(Error::ConnectionClosed) => return Heard::Leaves,
                Err(_) => return Heard::Gone,
            };
            self.at_once += 1;
            if self.is_flood(now) {
                return self.dismiss(CloseCode::Policy, "too many messages in a second");
            }
            self.heard = now;
            let text = match message {
                Message::Text(text) => text,
                Message::Binary(_) => {
                    return self.dismiss(CloseCode::Unsupported, "messages are text");
                }
                Message::Ping(_) | Message::Pong(_) | Message::Close(_) | Message::Frame(_) => {
                    continue;
                }
            };
            return match serde_json::from_str(&text) {
                Ok(said) => Heard::Said(said),
                Err(error) => {
                    let words = ["NaN", "Infinity"];
                    let why = match words.into_iter().find(|word| text.contains(word)) {
                        Some(word) => format!("{word} is not a valid number in JSON: {error}"),
                        None => error.to_string(),
                    };
                    // Reasons of WebSocket are at most 123 bytes long.
                    let why: String = why.chars().filter(char::is_ascii).take(120).collect();
                    self.dismiss(CloseCode::Policy, &why)
                }
            };
        }
    }

    fn is_flood(&mut self, now: Instant) -> bool {
        if now.duration_since(self.second).as_secs() >= 1 {
            (self.second, self.in_second) = (now, 0);
        }
        self.in_second += 1;
        self.in_second > FLOOD
    }

    /// Closes the connection, with a reason.
    pub(crate) fn dismiss(&mut self, code: CloseCode, why: &str) -> Heard {
        self.socket.close(code, why);
        Heard::Leaves
    }

    /// Acknowledges a frame, and all before it.
    pub(crate) fn seen(&mut self, frame: u32) {
        self.unseen.retain(|unseen| *unseen > frame);
    }

    /// Sends a frame; false if the viewer has disconnected.
    pub(crate) fn show(&mut self, frame: Vec<u8>) -> bool {
        self.unseen.push(self.view.has);
        self.socket.send(Message::Binary(Bytes::from(frame)))
    }

    /// Sends the warnings of the run that were not sent yet; false if the viewer has disconnected.
    pub(crate) fn warn(&mut self, watch: &Watch) -> bool {
        let new = watch.warnings(self.warned);
        self.warned += new.len();
        let texts = new.iter().map(|text| json!({ "warning": &**text }));
        texts
            .into_iter()
            .all(|text| self.send_text(text.to_string()))
    }

    /// Sends a text; false if the viewer has disconnected.
    pub(crate) fn send_text(&mut self, text: String) -> bool {
        self.socket.send(Message::text(text))
    }

    /// Sends a ping; false if the viewer has disconnected.
    pub(crate) fn ping(&mut self) -> bool {
        self.socket.send(Message::Ping(Bytes::new()))
    }

    /// Sends as many queued bytes as the viewer accepts; false if it has disconnected.
    pub(crate) fn flush(&mut self) -> bool {
        self.socket.flush()
    }

    pub(crate) fn into_stream(self) -> S {
        self.socket.into_stream()
    }
}

/// Recorded bytes of a browser; responses are discarded.
struct Recorded<'a>(Cursor<&'a [u8]>);

impl Read for Recorded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self.0.read(buffer)? {
            0 => Err(ErrorKind::WouldBlock.into()),
            count => Ok(count),
        }
    }
}

impl Write for Recorded<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

pub(crate) fn count_valid_messages(bytes: &[u8]) -> usize {
    let now = now();
    let mut viewer = Viewer::new(Recorded(Cursor::new(bytes)), Vec::new(), now);
    let mut count = 0;
    loop {
        match viewer.read_messages(now) {
            Heard::Said(_) => count += 1,
            Heard::Enough => {}
            Heard::Silence | Heard::Leaves | Heard::Gone => return count,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_heard() {
        // Masked with zeros: a complete message, one in two fragments with a ping between them, and an invalid one.
        let masked = |first: u8, text: &str| {
            let mut frame = vec![first, 0x80 | text.len() as u8, 0, 0, 0, 0];
            frame.extend(text.bytes());
            frame
        };
        let whole = masked(0x81, r#"{"seen":1}"#);
        let fragments = [
            masked(0x01, r#"{"watch""#),
            masked(0x89, ""),
            masked(0x80, ":[]}"),
        ];
        assert_eq!(
            count_valid_messages(&[whole.clone(), fragments.concat()].concat()),
            2
        );
        assert_eq!(
            count_valid_messages(&[masked(0x81, "{}"), whole].concat()),
            0
        );
        assert_eq!(count_valid_messages(b""), 0);
    }
}
