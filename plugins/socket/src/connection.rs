//! One client: what it sent and was not read yet, what it is sent and did not take yet.
use std::{
    collections::{BTreeMap, VecDeque},
    io::{ErrorKind, Read as _, Write as _},
    net::Shutdown,
    sync::Arc,
    time::Instant,
};

use morse_server::event_loop::TcpStream;

/// Of what a client did not take, this many bytes are kept.
const MOST_WAITING: usize = 8 << 20;
/// Of what a client did not take, this many records are kept.
const MOST_RECORDS: usize = 1024;
/// Bytes that are read at once.
const CHUNK: usize = 16 << 10;
/// So often in one go.
const CHUNKS: usize = 16;

/// Purpose of a connection.
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

/// Outcome of a read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// Nothing more is there.
    All,
    /// There is more, in the socket or before it.
    More,
    /// The client says nothing any more.
    End,
    /// The client has gone.
    Gone,
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
    /// True once it may do what it came for.
    pub(crate) is_admitted: bool,
    /// True once it has shown a token, or finished a line: it keeps its place where there is little room.
    pub(crate) is_known: bool,
    /// The tick after which it came, where its commands are heard from the tick after the next one.
    pub(crate) since: Option<u64>,
    /// It is closed once everything was sent.
    pub(crate) is_closing: bool,
    /// It cannot be sent more at the moment.
    pub(crate) is_full: bool,
    /// It was told to go: what it says now is not heard.
    pub(crate) is_dismissed: bool,
    /// It is closed then, whatever it does.
    pub(crate) leaves: Option<Instant>,
    /// Time at which it began the line that it has not ended yet.
    pub(crate) begun: Option<Instant>,
    /// Requests under way: the client's id, and the simulation's. Of two with one id it is the newer one.
    pub(crate) under_way: BTreeMap<String, u64>,
    /// The number of requests under way.
    pub(crate) unanswered: usize,
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

    /// Reads what there is, up to a limit: a client that sends without end does not keep the others waiting. Lines
    /// that are there already come first.
    pub(crate) fn hear(&mut self) -> Heard {
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

    /// Bytes that were read and not given out.
    fn rest(&self) -> &[u8] {
        self.input.get(self.taken..).unwrap_or_default()
    }

    /// The length of a line that was begun and not ended, once all lines before it were given out.
    pub(crate) fn unfinished(&self) -> usize {
        let rest = self.rest();
        if rest.contains(&b'\n') { 0 } else { rest.len() }
    }

    /// The next whole line, without its end.
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

    /// Puts a line back: it could not be dealt with yet.
    pub(crate) fn put_back(&mut self, line: &[u8]) {
        self.taken -= line.len() + 1;
    }

    /// Tells whether any bytes arrived since this was last asked; they are thrown away.
    pub(crate) fn swallow(&mut self) -> bool {
        let any = !self.input.is_empty();
        self.input.clear();
        self.input.shrink_to(CHUNK);
        self.taken = 0;
        any
    }

    /// Sends a record whole, or, if the client is too slow, not at all.
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

    /// Sends a reply.
    pub(crate) fn say(&mut self, bytes: Arc<[u8]>) {
        self.waiting += bytes.len();
        self.output.push_back(bytes);
    }

    /// Tells whether a client takes its replies too slowly to be served further.
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
        if self.is_dismissed {
            // The client hears the end, and why, while it may still be sending.
            self.stream.shutdown(Shutdown::Write).ok();
        }
        let is_done = self.leaves.is_some() && !self.is_dismissed && !self.is_awaiting();
        !self.is_closing && !is_done
    }

    /// Tells whether it keeps a place and has not yet said what it should: a token, or a first line. Who listens to
    /// readings need not say any, and who was told to go has nothing left to say.
    pub(crate) fn owes_a_line(&self) -> bool {
        let listens = self.is_admitted && matches!(self.role, Role::Readings(_));
        !self.is_known && (self.is_dismissed || !listens)
    }

    /// Tells it that there is no room for it, as far as it takes that at once.
    pub(crate) fn refuse(&mut self) {
        self.say(Arc::from(&b" FAILED \"too many clients\"\n"[..]));
        self.flush();
    }

    /// From now on it is only waited for, until then.
    pub(crate) fn dismiss(&mut self, leaves: Instant) {
        self.is_dismissed = true;
        self.begun = None;
        self.leaves = Some(leaves);
    }

    /// Tells whether it was not told yet all that it asked for.
    pub(crate) fn is_awaiting(&self) -> bool {
        self.unanswered > 0 || !self.output.is_empty()
    }

    /// Tells whether everything was sent.
    pub(crate) fn is_drained(&self) -> bool {
        self.output.is_empty()
    }
}
