//! Connection of a client, with buffers for received and queued bytes.
use std::{
    collections::{BTreeMap, VecDeque},
    io::{ErrorKind, Read as _, Write as _},
    net::Shutdown,
    sync::Arc,
    time::Instant,
};

use morse_server::event_loop::TcpStream;

/// Maximum number of queued bytes per client.
const MOST_WAITING: usize = 8 << 20;
/// Maximum number of queued records per client.
const MOST_RECORDS: usize = 1024;
/// Bytes per read.
const CHUNK: usize = 16 << 10;
/// Maximum number of reads in a row.
const CHUNKS: usize = 16;

/// Purpose of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Requests and replies.
    Requests,
    /// Readings of the sensor at this index.
    Readings(usize),
    /// Commands for the actuator at this index.
    Commands(usize),
    /// Permits for ticks.
    Sync,
    /// Nothing: the component of the port was removed by a reload.
    Removed,
}

/// Outcome of a read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// All bytes have been read.
    All,
    /// More bytes are available, in the socket or in the buffer.
    More,
    /// The client has ended its sending direction.
    End,
    /// The client has disconnected.
    Gone,
}

/// A connected client.
pub(crate) struct Connection {
    pub(crate) stream: TcpStream,
    pub(crate) role: Role,
    input: Vec<u8>,
    /// Number of bytes of `input` that were returned as lines.
    taken: usize,
    output: VecDeque<Arc<[u8]>>,
    /// Number of bytes of the first record that were sent.
    sent: usize,
    waiting: usize,
    /// True once the client is served according to its role.
    pub(crate) is_admitted: bool,
    /// True once the client has presented a token or completed a line: it keeps its connection when connections are scarce.
    pub(crate) is_known: bool,
    /// Last complete tick at the time of connection, if commands are accepted from the tick after the next one.
    pub(crate) since: Option<u64>,
    /// True if the connection is closed once everything is sent.
    pub(crate) is_closing: bool,
    /// True if the client accepts no more bytes at the moment.
    pub(crate) is_full: bool,
    /// True if the client has been dismissed: its further input is ignored.
    pub(crate) is_dismissed: bool,
    /// Time at which the connection is closed in any case.
    pub(crate) leaves: Option<Instant>,
    /// Time of the start of the line that is not complete yet.
    pub(crate) begun: Option<Instant>,
    /// Unanswered requests: the client's id, and the simulation's number. Of two requests with the same id, the newer one.
    pub(crate) under_way: BTreeMap<String, u64>,
    /// Number of unanswered requests.
    pub(crate) unanswered: usize,
    /// Number of records that were dropped since the client is slow.
    pub(crate) dropped: u64,
}

impl Connection {
    pub(crate) fn new(stream: TcpStream, role: Role, is_admitted: bool) -> Self {
        Self {
            stream,
            role,
            input: Vec::new(),
            taken: 0,
            output: VecDeque::new(),
            sent: 0,
            waiting: 0,
            is_admitted,
            is_known: false,
            since: None,
            is_closing: false,
            is_full: false,
            is_dismissed: false,
            leaves: None,
            begun: None,
            under_way: BTreeMap::new(),
            unanswered: 0,
            dropped: 0,
        }
    }

    /// Reads available bytes, up to a limit, so that a client that sends without end does not delay others. Lines in the
    /// buffer come first.
    pub(crate) fn read_messages(&mut self) -> Heard {
        if self.rest().contains(&b'\n') {
            return Heard::More;
        }
        let mut chunk = [0; CHUNK];
        for _ in 0..CHUNKS {
            match self.stream.read(&mut chunk) {
                Ok(0) => return Heard::End,
                Ok(count) => self.input.extend(chunk.iter().take(count)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Heard::All,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Heard::Gone,
            }
        }
        Heard::More
    }

    /// Returns the bytes that were read and not returned as lines.
    fn rest(&self) -> &[u8] {
        self.input.get(self.taken..).unwrap_or_default()
    }

    /// Returns the length of the incomplete line, once all lines before it were returned.
    pub(crate) fn unfinished(&self) -> usize {
        let rest = self.rest();
        if rest.contains(&b'\n') { 0 } else { rest.len() }
    }

    /// Returns the next complete line, without its end.
    pub(crate) fn next_line(&mut self) -> Option<Vec<u8>> {
        let rest = self.rest();
        let end = rest.iter().position(|&byte| byte == b'\n');
        let Some(end) = end else {
            self.input.drain(..self.taken);
            self.taken = 0;
            if self.input.len() < CHUNK {
                self.input.shrink_to(CHUNK);
            }
            return None;
        };
        let line = rest.get(..end).unwrap_or_default().to_vec();
        self.taken += end + 1;
        Some(line)
    }

    /// Puts a line back that could not be processed yet.
    pub(crate) fn put_back(&mut self, line: &[u8]) {
        self.taken -= line.len() + 1;
    }

    /// Discards the input; returns true if there was any since the last call.
    pub(crate) fn swallow(&mut self) -> bool {
        let any = !self.input.is_empty();
        self.input.clear();
        self.input.shrink_to(CHUNK);
        self.taken = 0;
        any
    }

    /// Queues a whole record, or drops it if the client is too slow.
    pub(crate) fn record(&mut self, record: &Arc<[u8]>) {
        if self.is_dismissed {
            return;
        }
        if self.output.len() >= MOST_RECORDS || self.waiting + record.len() > MOST_WAITING {
            self.dropped += 1;
        } else {
            self.say(record.clone());
        }
    }

    /// Queues a reply.
    pub(crate) fn say(&mut self, bytes: Arc<[u8]>) {
        self.waiting += bytes.len();
        self.output.push_back(bytes);
    }

    /// Returns true if the client accepts its replies too slowly to be served further.
    pub(crate) fn is_choked(&self) -> bool {
        self.waiting > MOST_WAITING
    }

    /// Sends as much as the client accepts now. Returns false if the connection is closed or complete.
    pub(crate) fn flush(&mut self) -> bool {
        while let Some(first) = self.output.front() {
            let rest = first.get(self.sent..).unwrap_or_default();
            match self.stream.write(rest) {
                Ok(0) => return false,
                Ok(count) => {
                    self.sent += count;
                    self.waiting -= count;
                    if self.sent == first.len() {
                        self.output.pop_front();
                        self.sent = 0;
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.is_full = true;
                    return true;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return false,
            }
        }
        self.is_full = false;
        if self.is_dismissed {
            // The client can still receive the rest and the reason while it is sending.
            self.stream.shutdown(Shutdown::Write).ok();
        }
        let is_done = self.leaves.is_some() && !self.is_dismissed && !self.is_awaiting();
        !self.is_closing && !is_done
    }

    /// Returns true if the client has yet to send a token or a first line. Clients of readings need not send a line, and
    /// dismissed clients need not send anything.
    pub(crate) fn owes_a_line(&self) -> bool {
        let listens = self.is_admitted && matches!(self.role, Role::Readings(_));
        !self.is_known && (self.is_dismissed || !listens)
    }

    /// Sends the message that there is no room, as far as the client accepts it at once.
    pub(crate) fn refuse(&mut self) {
        self.say(Arc::from(&b" FAILED \"too many clients\"\n"[..]));
        self.flush();
    }

    /// Ignores the further input of the client, and sets the time at which the connection is closed.
    pub(crate) fn dismiss(&mut self, leaves: Instant) {
        self.is_dismissed = true;
        self.begun = None;
        self.leaves = Some(leaves);
    }

    /// Returns true if requests of the client are unanswered or output is queued.
    pub(crate) fn is_awaiting(&self) -> bool {
        self.unanswered > 0 || !self.output.is_empty()
    }

    /// Returns true if everything was sent.
    pub(crate) fn is_drained(&self) -> bool {
        self.output.is_empty()
    }
}
