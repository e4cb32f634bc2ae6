//! Non-blocking WebSocket: bytes that the peer does not accept are queued, up to a limit.
use std::io::{ErrorKind, Read, Write};

use tungstenite::{
    Error, Message, WebSocket,
    handshake::server::{Callback, ErrorResponse, Request, Response},
    http::StatusCode,
    protocol::{CloseFrame, WebSocketConfig, frame::coding::CloseCode},
};

use crate::access::ProgramAccess;

/// Maximum number of queued bytes.
const MOST_WAITING: usize = 32 << 20;

/// Returns the configuration of a server's socket, for messages up to a length in bytes.
#[must_use]
pub fn config(longest_message: usize, read_buffer: usize) -> WebSocketConfig {
    WebSocketConfig::default()
        .read_buffer_size(read_buffer)
        .write_buffer_size(0)
        .max_write_buffer_size(MOST_WAITING)
        .max_message_size(Some(longest_message))
        .max_frame_size(Some(longest_message))
}

/// WebSocket after the handshake.
#[derive(Debug)]
pub struct Channel<S> {
    socket: WebSocket<S>,
    is_full: bool,
}

impl<S: Read + Write> Channel<S> {
    /// Wraps a socket.
    #[must_use]
    pub fn new(socket: WebSocket<S>) -> Self {
        Self {
            socket,
            is_full: false,
        }
    }

    /// Returns true if the peer accepts no bytes at the moment.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Returns true until the socket is closed from either side.
    #[must_use]
    pub fn can_write(&self) -> bool {
        self.socket.can_write()
    }

    /// Reads the next message; `None` if no complete message is available.
    ///
    /// # Errors
    ///
    /// The socket is closed, or the peer violates the protocol or the limits.
    pub fn read(&mut self) -> Result<Option<Message>, Error> {
        match self.socket.read() {
            Ok(message) => Ok(Some(message)),
            Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Queues a message and sends as much as the peer accepts; false if the connection is closed.
    pub fn send(&mut self, message: Message) -> bool {
        match self.socket.write(message) {
            Ok(()) => self.flush(),
            Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => {
                self.is_full = true;
                true
            }
            Err(_) => false,
        }
    }

    /// Sends as many queued bytes as the peer accepts; false if the connection is closed.
    pub fn flush(&mut self) -> bool {
        match self.socket.flush() {
            Ok(()) => self.is_full = false,
            Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => self.is_full = true,
            Err(_) => return false,
        }
        true
    }

    /// Closes the socket, with a reason for the peer.
    pub fn close(&mut self, code: CloseCode, why: &str) {
        let frame = CloseFrame {
            code,
            reason: why.to_owned().into(),
        };
        // A peer that does not accept the close frame is disconnected as well.
        self.socket.close(Some(frame)).ok();
    }

    /// Returns the underlying stream.
    pub fn into_stream(self) -> S {
        self.socket.into_inner()
    }
}

impl Callback for ProgramAccess {
    fn on_request(self, request: &Request, response: Response) -> Result<Response, ErrorResponse> {
        let query = request.uri().query().unwrap_or_default();
        let origin = request
            .headers()
            .get("Origin")
            .map(|origin| origin.to_str().unwrap_or("?"));
        self.check(query, origin)
            .map(|()| response)
            .map_err(|refusal| {
                let mut refused = ErrorResponse::new(Some(format!("{refusal}\n")));
                *refused.status_mut() = StatusCode::FORBIDDEN;
                refused
            })
    }
}
