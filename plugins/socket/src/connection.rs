//! One client: what it sent and was not read yet, what it is sent and did not take yet.
use std::{
    collections::{BTreeMap, VecDeque},
    io::{ErrorKind, Read as _, Write as _},
    sync::Arc,
};

use mio::net::TcpStream;

/// The longest line that a client may send.
pub(crate) const LONGEST_LINE: usize = 1 << 20;
/// Of what a client did not take, this many bytes are kept.
const MOST_WAITING: usize = 8 << 20;
/// Of what a client did not take, this many records are kept.
const MOST_RECORDS: usize = 1024;
/// What is read at once.
const CHUNK: usize = 16 << 10;

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Requests and replies.
    Requests,
    /// Readings of the sensor at this place.
    Readings(usize),
    /// Commands for the actuator at this place.
    Commands(usize),
    /// Permits for ticks.
    Sync,
}

/// How a read ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// There may be lines now; the socket is drained.
    Lines,
    /// There are lines now, and more in the socket.
    More,
    /// The client has gone, or has to.
    Gone(Option<&'static str>),
}

/// A connected client.
pub(crate) struct Connection {
    pub(crate) stream: TcpStream,
    pub(crate) role: Role,
    input: Vec<u8>,
    /// Bytes of `input` that were given out as lines.
    taken: usize,
    output: VecDeque<Arc<[u8]>>,
    /// Bytes of the first record that were sent.
    sent: usize,
    waiting: usize,
    /// Whether it may do what it came for.
    pub(crate) is_admitted: bool,
    /// It is closed once everything was sent.
    pub(crate) is_closing: bool,
    /// It cannot be sent more at the moment.
    pub(crate) is_full: bool,
    /// Requests under way: the client's id, and the simulation's.
    pub(crate) under_way: BTreeMap<String, u64>,
    /// Records that it did not get, since it is slow.
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
            is_closing: false,
            is_full: false,
            under_way: BTreeMap::new(),
            dropped: 0,
        }
    }

    /// Reads what there is, up to a limit: a client that sends without end does not keep the others waiting.
    pub(crate) fn hear(&mut self) -> Heard {
        let mut chunk = [0; CHUNK];
        loop {
            if self.input.len() - self.taken > LONGEST_LINE {
                return self.overlong();
            }
            match self.stream.read(&mut chunk) {
                Ok(0) => return Heard::Gone(None),
                Ok(count) => self.input.extend(chunk.iter().take(count)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Heard::Lines,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Heard::Gone(None),
            }
        }
    }

    /// A buffer this full holds lines, or a line that is too long.
    fn overlong(&self) -> Heard {
        let rest = self.input.get(self.taken..).unwrap_or_default();
        if rest.contains(&b'\n') {
            Heard::More
        } else {
            Heard::Gone(Some("a line is longer than 1 MiB"))
        }
    }

    /// The next whole line, without its end.
    pub(crate) fn next_line(&mut self) -> Option<Vec<u8>> {
        let rest = self.input.get(self.taken..).unwrap_or_default();
        let end = rest.iter().position(|&byte| byte == b'\n');
        let Some(end) = end else {
            self.input.drain(..self.taken);
            self.taken = 0;
            return None;
        };
        let line = rest.get(..end).unwrap_or_default().to_vec();
        self.taken += end + 1;
        Some(line)
    }

    /// Puts a line back: it could not be dealt with yet.
    pub(crate) fn put_back(&mut self, line: &[u8]) {
        self.taken -= line.len() + 1;
    }

    /// Whether any bytes arrived since this was last asked; they are thrown away.
    pub(crate) fn swallow(&mut self) -> bool {
        let any = !self.input.is_empty();
        self.input.clear();
        self.taken = 0;
        any
    }

    /// Sends a record whole, or, if the client is too slow, not at all.
    pub(crate) fn record(&mut self, record: &Arc<[u8]>) {
        if self.output.len() >= MOST_RECORDS || self.waiting + record.len() > MOST_WAITING {
            self.dropped += 1;
        } else {
            self.say(record.clone());
        }
    }

    /// Sends a reply.
    pub(crate) fn say(&mut self, bytes: Arc<[u8]>) {
        self.waiting += bytes.len();
        self.output.push_back(bytes);
    }

    /// Whether a client takes its replies too slowly to be served further.
    pub(crate) fn is_choked(&self) -> bool {
        self.waiting > MOST_WAITING
    }

    /// Sends what the client takes now. Returns false when it has gone, or is done.
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
        !self.is_closing
    }

    /// Whether everything was sent.
    pub(crate) fn is_drained(&self) -> bool {
        self.output.is_empty()
    }
}
