//! A client that exchanges lines over TCP, as MORSE's clients do.
use std::{
    io::{ErrorKind, Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

use super::now;

/// Timeout of a line.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(20);

/// A client.
pub(crate) struct Client {
    pub(crate) stream: TcpStream,
    read: Vec<u8>,
    /// Number of bytes of `read` that were returned.
    taken: usize,
}

/// Reason for which no line is returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoLine {
    /// Timeout.
    Silence,
    /// The peer has closed the connection; contains the incomplete last line.
    Closed(String),
}

impl Client {
    pub(crate) fn new(port: u16) -> Result<Self, String> {
        let stream = TcpStream::connect(("127.0.0.1", port))
            .map_err(|error| format!("port {port}: {error}"))?;
        stream
            .set_nodelay(true)
            .map_err(|error| error.to_string())?;
        let (read, taken) = (Vec::new(), 0);
        Ok(Self {
            stream,
            read,
            taken,
        })
    }

    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) -> Result<(), String> {
        let sent = self.stream.write_all(bytes.as_ref());
        sent.map_err(|error| format!("it cannot be sent: {error}"))
    }

    /// Returns the next line, without its end.
    pub(crate) fn line_within(&mut self, at_most: Duration) -> Result<String, NoLine> {
        let end = now() + at_most;
        let mut searched = self.taken;
        loop {
            let rest = self.read.get(searched..).unwrap_or_default();
            if let Some(length) = rest.iter().position(|&byte| byte == b'\n') {
                let line = self
                    .read
                    .get(self.taken..searched + length)
                    .unwrap_or_default();
                let line = String::from_utf8_lossy(line).into_owned();
                self.taken = searched + length + 1;
                return Ok(line);
            }
            self.read.drain(..self.taken);
            self.taken = 0;
            searched = self.read.len();
            let left = end.saturating_duration_since(now());
            if left.is_zero() {
                return Err(NoLine::Silence);
            }
            self.fill(left)?;
        }
    }

    fn fill(&mut self, at_most: Duration) -> Result<(), NoLine> {
        self.stream.set_read_timeout(Some(at_most)).ok();
        let mut chunk = [0; 16 << 10];
        match self.stream.read(&mut chunk) {
            Ok(count) if count > 0 => {
                self.read.extend(chunk.iter().take(count));
                Ok(())
            }
            Err(error) if [ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&error.kind()) => {
                Err(NoLine::Silence)
            }
            Ok(_) | Err(_) => Err(NoLine::Closed(
                String::from_utf8_lossy(&self.read).into_owned(),
            )),
        }
    }

    pub(crate) fn line(&mut self) -> Result<String, String> {
        self.line_within(TIMEOUT)
            .map_err(|why| format!("no line: {why:?}"))
    }

    /// Sends a request and waits for its reply; returns the reply without the id.
    pub(crate) fn ask(&mut self, id: &str, request: &str) -> Result<String, String> {
        self.send(format!("{id} {request}\n"))?;
        let line = self.line().map_err(|why| format!("`{request}`: {why}"))?;
        let reply = line
            .strip_prefix(id)
            .and_then(|rest| rest.strip_prefix(' '));
        reply
            .map(str::to_owned)
            .ok_or_else(|| format!("`{request}` got the reply `{line}`"))
    }

    /// Returns the simulated time, s. At the very start a reply has no value.
    pub(crate) fn time(&mut self) -> Result<f64, String> {
        let reply = self.ask("now", "time now")?;
        let value = reply
            .strip_prefix("SUCCESS")
            .ok_or_else(|| reply.clone())?
            .trim();
        if value.is_empty() {
            return Ok(0.0);
        }
        value.parse().map_err(|_no_number| reply)
    }
}
