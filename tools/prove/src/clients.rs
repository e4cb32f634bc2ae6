//! Clients as observers: of streams, of requests, and as the page of a browser.
use std::{
    io::{ErrorKind, Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

/// Timeout of a client.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A connection, and its unused input.
pub(super) struct Connection {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Connection {
    pub(super) fn open(port: u16) -> Result<Self, String> {
        let open = || {
            let stream = TcpStream::connect(("127.0.0.1", port))?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(TIMEOUT))?;
            Ok(stream)
        };
        let stream = open().map_err(|error: std::io::Error| format!("port {port}: {error}"))?;
        Ok(Self {
            stream,
            read: Vec::new(),
        })
    }

    /// Sends bytes; false if the connection is closed.
    pub(super) fn send(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }

    /// Reads the next bytes; `None` at the end.
    fn fill(&mut self) -> Option<usize> {
        let mut chunk = [0; 16 << 10];
        loop {
            match self.stream.read(&mut chunk) {
                Ok(0) => return None,
                Ok(count) => {
                    self.read.extend(chunk.iter().take(count));
                    return Some(count);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return None,
            }
        }
    }

    /// Returns a number of bytes.
    fn take(&mut self, count: usize) -> Option<Vec<u8>> {
        while self.read.len() < count {
            self.fill()?;
        }
        Some(self.read.drain(..count).collect())
    }

    /// Returns the bytes up to and including a mark.
    fn until(&mut self, mark: &[u8]) -> Option<Vec<u8>> {
        loop {
            let index = self
                .read
                .windows(mark.len())
                .position(|window| window == mark);
            if let Some(index) = index {
                return self.take(index + mark.len());
            }
            self.fill()?;
        }
    }

    /// Reads to the end; returns the number of bytes.
    pub(super) fn drain(mut self) -> usize {
        let mut count = 0;
        while let Some(more) = self.fill() {
            count += more;
            self.read.clear();
        }
        count
    }

    /// Requests the time, and waits for the reply.
    pub(super) fn send_request(&mut self) -> bool {
        self.send(b"id time now\n") && self.until(b"\n").is_some()
    }

    /// Requests the time repeatedly to the end; returns the number of replies.
    pub(super) fn send_all(mut self) -> usize {
        std::iter::from_fn(|| self.send_request().then_some(())).count()
    }

    /// Connects as a viewer.
    pub(super) fn view(&mut self) -> Result<(), String> {
        let hello =
            b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
            Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        let sent = self.send(hello);
        let answer = self.until(b"\r\n\r\n").filter(|_| sent).unwrap_or_default();
        if answer.starts_with(b"HTTP/1.1 101") {
            Ok(())
        } else {
            let answer = String::from_utf8_lossy(&answer).into_owned();
            Err(format!("the page takes no viewer: {answer}"))
        }
    }

    /// Receives and acknowledges frames to the end; returns their number.
    pub(super) fn watch(mut self) -> usize {
        std::iter::from_fn(|| self.see()).count()
    }

    /// Receives one message of the WebSocket (RFC 6455, 5.2).
    fn see(&mut self) -> Option<()> {
        let head = self.take(2)?;
        let length = match head.get(1)? & 0x7f {
            126 => u64::from(u16::from_be_bytes(self.take(2)?.try_into().ok()?)),
            127 => u64::from_be_bytes(self.take(8)?.try_into().ok()?),
            short => u64::from(short),
        };
        let message = self.take(usize::try_from(length).ok()?)?;
        let is_frame = head.first()? & 0x0f == 2;
        if let (true, Some(number)) = (is_frame, message.get(4..8)) {
            let number = u32::from_le_bytes(number.try_into().ok()?);
            let seen = format!("{{\"seen\":{number}}}");
            let length = u8::try_from(seen.len()).ok()?;
            // Clients have to mask their data; a mask of zeros leaves them unchanged.
            let mut bytes = vec![0x81, 0x80 | length, 0, 0, 0, 0];
            bytes.extend(seen.as_bytes());
            self.send(&bytes);
        }
        Some(())
    }
}
