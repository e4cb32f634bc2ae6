//! A served simulation, and a minimal viewer of it.
use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};

use morse_sim::{
    Simulation,
    run::{End, Limits, Pace, Summary, run},
    simulation::{Extensions, no_extensions},
};
use serde_json::{Value as Json, json};
use tungstenite::{Message, WebSocket, client::IntoClientRequest as _};

/// A simulation on a thread of its own.
pub(crate) struct Served {
    pub(crate) port: u16,
    signal: Arc<AtomicUsize>,
    thread: Option<JoinHandle<(Summary, End)>>,
}

impl Served {
    pub(crate) fn new(text: &str, pace: Pace) -> Self {
        Self::with(text, pace, None, &no_extensions)
    }

    pub(crate) fn with(
        text: &str,
        pace: Pace,
        ticks: Option<u64>,
        extensions: &'static (dyn Fn(&mut bevy::prelude::App) + Sync),
    ) -> Self {
        let (send, port) = crossbeam_channel::bounded(1);
        let signal = Arc::new(AtomicUsize::new(0));
        let limits = Limits {
            ticks,
            timeout: None,
            pace,
            signal: signal.clone(),
            strict: false,
        };
        let text = text.to_owned();
        let thread = std::thread::Builder::new().spawn(move || {
            let extensions: Extensions = extensions;
            let mut simulation = Simulation::parse(&text, "scenes", extensions)
                .unwrap_or_else(|error| panic!("{error}"));
            simulation.hash_every_tick();
            let ports = simulation.ports();
            let page = ports
                .iter()
                .find(|(_, what, _)| ["page", "rosbridge"].contains(&what.as_str()));
            send.send(page.map_or(0, |page| page.2)).unwrap();
            run(simulation, &limits, &mut |_| {})
        });
        Self {
            port: port.recv_timeout(Duration::from_secs(120)).unwrap(),
            signal,
            thread: thread.ok(),
        }
    }

    /// Returns the page or rosbridge of another process, by its port.
    pub(crate) fn at(port: u16) -> Self {
        Self {
            port,
            signal: Arc::default(),
            thread: None,
        }
    }

    /// Sends some bytes, and reads until the connection ends.
    pub(super) fn exchange(&self, bytes: &[u8]) -> String {
        let mut stream = self.stream();
        stream.write_all(bytes).unwrap();
        let mut answer = Vec::new();
        // The connection may end with a reset, after the answer.
        stream.read_to_end(&mut answer).ok();
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Requests a page; returns the status and the body.
    pub(super) fn get(&self, path: &str, headers: &str) -> (u16, String) {
        let host = if headers.contains("Host:") {
            ""
        } else {
            "Host: localhost\r\n"
        };
        let answer =
            self.exchange(format!("GET {path} HTTP/1.1\r\n{host}{headers}\r\n").as_bytes());
        let status = answer
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        let (_, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
        (status.unwrap_or(0), body.to_owned())
    }

    pub(crate) fn scene(&self) -> Json {
        let (status, body) = self.get("/scene.json", "");
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap()
    }

    pub(crate) fn stream(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        stream.set_nodelay(true).unwrap();
        stream
    }

    pub(crate) fn viewer(&self) -> Viewer {
        let address = format!("ws://localhost:{}/ws", self.port);
        let request = address.into_client_request().unwrap();
        let (socket, _) = tungstenite::client(request, self.stream()).unwrap();
        Viewer {
            socket,
            replies: Vec::new(),
            warnings: Vec::new(),
            changes: 0,
            next: 1,
        }
    }

    pub(crate) fn end(mut self) -> (Summary, End) {
        self.signal.store(15, Ordering::Relaxed);
        self.finish()
    }

    /// Waits for the end.
    pub(crate) fn finish(&mut self) -> (Summary, End) {
        self.thread.take().unwrap().join().unwrap()
    }
}

/// The fields of a frame that tests read.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(super) number: u32,
    pub(super) is_held: bool,
    pub(super) tick: f64,
    pub(super) factor: f32,
    /// Bodies that moved, by index, and their positions.
    pub(crate) moved: Vec<(usize, [f32; 3])>,
    /// Lamps that changed, by index, and their brightness.
    pub(super) lamps: Vec<(usize, f32)>,
    /// Sensors by index, the time of measurement, and the bytes of the fields.
    pub(super) readings: Vec<(usize, f64, Vec<u8>)>,
    pub(super) length: usize,
}

impl Frame {
    fn read(bytes: &[u8]) -> Self {
        assert_eq!(bytes[0], 2, "the form of frames");
        let mut rest = &bytes[32..];
        let mut frame = Self {
            number: u32::from_le_bytes(bytes[4..8].try_into().unwrap()),
            is_held: bytes[1] == 1,
            tick: f64::from_le_bytes(bytes[8..16].try_into().unwrap()),
            factor: f32::from_le_bytes(bytes[24..28].try_into().unwrap()),
            moved: Vec::new(),
            lamps: Vec::new(),
            readings: Vec::new(),
            length: bytes.len(),
        };
        let mut body = 0;
        for _ in 0..length(&mut rest) {
            body += length(&mut rest);
            let pose = take(&mut rest, 20);
            let coordinate =
                |offset: usize| f32::from_le_bytes(pose[offset..offset + 4].try_into().unwrap());
            frame
                .moved
                .push((body, [coordinate(0), coordinate(4), coordinate(8)]));
            body += 1;
        }
        let mut lamp = 0;
        for _ in 0..length(&mut rest) {
            lamp += length(&mut rest);
            let state = take(&mut rest, 15);
            let shine = f32::from_le_bytes(state[3..7].try_into().unwrap());
            frame.lamps.push((lamp, shine));
            lamp += 1;
        }
        for _ in 0..length(&mut rest) {
            let sensor = length(&mut rest);
            let count = length(&mut rest);
            let reading = take(&mut rest, count);
            let seconds = f64::from_le_bytes(reading[..8].try_into().unwrap());
            frame
                .readings
                .push((sensor, seconds, reading[8..].to_vec()));
        }
        assert!(rest.is_empty(), "all was read");
        frame
    }
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, left) = rest.split_at(count);
    *rest = left;
    taken
}

pub(super) fn length(rest: &mut &[u8]) -> usize {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = usize::from(take(rest, 1)[0]);
        value |= (byte & 0x7f) << shift;
        if byte < 0x80 {
            return value;
        }
        shift += 7;
    }
}

/// A viewer that uses the page's protocol.
pub(crate) struct Viewer {
    pub(super) socket: WebSocket<TcpStream>,
    replies: Vec<Json>,
    /// Warnings that it has received.
    pub(crate) warnings: Vec<String>,
    /// Number of changes of the scene that it has been notified of.
    pub(crate) changes: usize,
    next: u64,
}

impl Viewer {
    pub(super) fn say(&mut self, what: &Json) {
        self.socket.send(Message::text(what.to_string())).unwrap();
    }

    pub(crate) fn watch(&mut self, paths: &[&str]) {
        self.say(&json!({ "watch": paths }));
    }

    /// Returns the next frame, without an acknowledgement.
    pub(super) fn frame(&mut self) -> Frame {
        loop {
            match self.socket.read().unwrap() {
                Message::Binary(bytes) => return Frame::read(&bytes),
                Message::Text(text) => self.note(&text),
                _ => {}
            }
        }
    }

    fn note(&mut self, text: &str) {
        let said: Json = serde_json::from_str(text).unwrap();
        if said["scene"] == "changed" {
            self.changes += 1;
            // As the page does once it has loaded the scene.
            self.watch(&[]);
            return;
        }
        match said["warning"].as_str() {
            Some(warning) => self.warnings.push(warning.to_owned()),
            None => self.replies.push(said["reply"].clone()),
        }
    }

    /// Returns all frames up to the end of the connection, without acknowledgements.
    pub(super) fn rest(&mut self) -> Vec<Frame> {
        let mut frames = Vec::new();
        while let Ok(message) = self.socket.read() {
            if let Message::Binary(bytes) = message {
                frames.push(Frame::read(&bytes));
            }
        }
        frames
    }

    /// Returns the next frame, and acknowledges it.
    pub(crate) fn see(&mut self) -> Frame {
        let frame = self.frame();
        self.say(&json!({ "seen": frame.number }));
        frame
    }

    /// Receives frames until one satisfies a predicate.
    pub(crate) fn until(&mut self, mut is_it: impl FnMut(&Frame) -> bool) -> Frame {
        for _ in 0..2000 {
            let frame = self.see();
            if is_it(&frame) {
                return frame;
            }
        }
        panic!("no such frame");
    }

    /// Calls a service, and receives frames until the reply.
    pub(super) fn call(&mut self, component: &str, service: &str, arguments: &Json) -> Json {
        let id = self.next;
        self.next += 1;
        self.say(&json!({ "call": {
            "id": id, "component": component, "service": service, "arguments": arguments,
        } }));
        loop {
            if let Some(index) = self.replies.iter().position(|reply| reply["id"] == id) {
                return self.replies.remove(index);
            }
            match self.socket.read().unwrap() {
                Message::Binary(bytes) => {
                    let frame = Frame::read(&bytes);
                    self.say(&json!({ "seen": frame.number }));
                }
                Message::Text(text) => self.note(&text),
                _ => {}
            }
        }
    }

    /// Returns the reason in the final close frame.
    pub(super) fn last_words(&mut self) -> String {
        loop {
            match self.socket.read() {
                Ok(Message::Close(Some(frame))) => return frame.reason.to_string(),
                Ok(_) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }

    /// Returns the code of the final close frame; 0 if the connection ends without one.
    pub(super) fn farewell(&mut self) -> u16 {
        loop {
            match self.socket.read() {
                Ok(Message::Close(Some(frame))) => return frame.code.into(),
                Ok(_) => {}
                Err(_) => return 0,
            }
        }
    }
}
