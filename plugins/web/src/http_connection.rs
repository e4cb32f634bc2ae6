//! HTTP connections: with a request, and closing.
use std::{
    io::{ErrorKind, Read as _, Write as _},
    net::Shutdown,
    time::Instant,
};

use morse_server::event_loop::TcpStream;

use crate::http::{self, Answer, Heard, read};

/// Bytes per read.
const CHUNK: usize = 4 << 10;
/// Maximum number of bytes that are discarded on closing, so that the last response arrives.
const MOST_SWALLOWED: usize = 4 << 20;

/// Connection with one HTTP request, which gets one response.
pub(crate) struct HttpConnection {
    pub(crate) stream: TcpStream,
    pub(crate) since: Instant,
    input: Vec<u8>,
    output: Vec<u8>,
    sent: usize,
}

/// State of a connection.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ConnectionState {
    /// The connection stays open.
    Stays,
    /// The last response was sent.
    Leaves,
    /// The connection is closed.
    Gone,
}

impl HttpConnection {
    pub(crate) fn new(stream: TcpStream, since: Instant) -> Self {
        Self {
            stream,
            since,
            input: Vec::new(),
            output: Vec::new(),
            sent: 0,
        }
    }

    /// Reads until there is a complete request; `None` if the connection is closed.
    pub(crate) fn read_messages(&mut self) -> Option<Heard> {
        let mut chunk = [0; CHUNK];
        loop {
            match self.stream.read(&mut chunk) {
                Ok(0) => return None,
                Ok(count) => self.input.extend(chunk.iter().take(count)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Some(Heard::More),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => return None,
            }
            let heard = read(&self.input);
            if heard != Heard::More {
                return Some(heard);
            }
        }
    }

    pub(crate) fn is_answered(&self) -> bool {
        !self.output.is_empty()
    }

    /// Sends the response.
    pub(crate) fn answer(&mut self, answer: Vec<u8>) -> ConnectionState {
        self.output = answer;
        self.flush()
    }

    /// Sends the rest of the response.
    pub(crate) fn flush(&mut self) -> ConnectionState {
        if self.output.is_empty() {
            return ConnectionState::Stays;
        }
        while let Some(rest) = self.output.get(self.sent..).filter(|rest| !rest.is_empty()) {
            match self.stream.write(rest) {
                Ok(0) => return ConnectionState::Gone,
                Ok(count) => self.sent += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    return ConnectionState::Stays;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return ConnectionState::Gone,
            }
        }
        ConnectionState::Leaves
    }

    /// Returns the stream, and the bytes that were read beyond the first `length` ones.
    pub(crate) fn into_rest(mut self, length: usize) -> (TcpStream, Vec<u8>) {
        let rest = self.input.split_off(length.min(self.input.len()));
        (self.stream, rest)
    }
}

/// Connection after the last response. If it were closed with unread bytes, the response could be lost.
pub(crate) struct ClosingConnection {
    stream: TcpStream,
    pub(crate) since: Instant,
    swallowed: usize,
}

impl ClosingConnection {
    pub(crate) fn new(stream: TcpStream, since: Instant) -> Self {
        stream.shutdown(Shutdown::Write).ok();
        Self {
            stream,
            since,
            swallowed: 0,
        }
    }

    pub(crate) fn read_messages(&mut self) -> ConnectionState {
        let mut chunk = [0; CHUNK];
        while self.swallowed < MOST_SWALLOWED {
            match self.stream.read(&mut chunk) {
                Ok(0) => return ConnectionState::Gone,
                Ok(count) => self.swallowed += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    return ConnectionState::Stays;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return ConnectionState::Gone,
            }
        }
        ConnectionState::Gone
    }
}

/// Returns the response to a connection for which there is no room.
pub(crate) fn too_many() -> Vec<u8> {
    http::line(Answer {
        status: http::BUSY,
        text: "too many connections",
    })
}
