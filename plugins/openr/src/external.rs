//! Objects in separate processes, on a loopback socket.
//!
//! A frame is a length of four bytes, big-endian, followed by that number of bytes of JSON. For each message the host sends
//! one frame and waits for one: the calls of the object in their order, and its status. Before, the process may send
//! requests, each of which is answered at once: see `requests`. The guide's page "Controllers as objects" documents the
//! fields.
mod requests;

use std::{
    io::{ErrorKind, Read as _, Write as _},
    net::{Ipv4Addr, TcpListener, TcpStream},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use data_encoding::BASE64;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use self::requests::Request;
use crate::{
    context::{Context, Level},
    message::{ConnectionEvent, NotifyEvent, Payload, ReadyEvent, SystemEvent},
    object::Object,
    region::Region,
    service::{Interface, Service},
    status::Status,
};

/// Prefix of the reason for the fault of an object whose process is lost.
pub(crate) const LOST: &str = "its process is lost";

/// Maximum length of a frame, bytes.
pub const LONGEST_FRAME: usize = 16 << 20;
/// Maximum number of calls in one answer, and of requests before it.
const MOST_CALLS: usize = 4096;
/// Interval of polling for the connection of the process.
const PAUSE: Duration = Duration::from_millis(5);

/// Connection to a process.
pub(crate) struct Peer {
    stream: TcpStream,
    /// Timeout for an answer.
    limit: Duration,
}

/// Answer of a process to a message, or a request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    #[serde(default)]
    request: Option<Request>,
    #[serde(default)]
    calls: Vec<Call>,
    #[serde(default)]
    status: u32,
}

/// Call by a process.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Call {
    SetData(String, Data),
    Notify(String),
    AssertReady(String),
    DeassertReady(String),
    WakeAfter(u64, String),
    Spend(u64),
    Block(u64),
    Log(String),
}

/// Data as text, or as base64 if they are not text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Data {
    Text(String),
    Bytes { base64: String },
}

impl Peer {
    /// Waits for a process to connect to a port, up to a time limit.
    ///
    /// # Errors
    ///
    /// The port is not available, or no process has connected.
    pub(crate) fn wait(port: u16, limit: Duration) -> Result<Self, String> {
        let failed = |why: std::io::Error| format!("cannot listen at 127.0.0.1:{port}: {why}");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let mut waited = Duration::ZERO;
        loop {
            if let Ok((stream, _)) = listener.accept() {
                let of_stream = |why| format!("the process at port {port}: {why}");
                stream.set_nonblocking(false).map_err(of_stream)?;
                stream.set_nodelay(true).map_err(of_stream)?;
                stream.set_read_timeout(Some(limit)).map_err(of_stream)?;
                stream.set_write_timeout(Some(limit)).map_err(of_stream)?;
                return Ok(Self { stream, limit });
            }
            if waited >= limit {
                return Err(format!(
                    "no process has connected to 127.0.0.1:{port} within {limit:?}"
                ));
            }
            std::thread::sleep(PAUSE);
            waited += PAUSE;
        }
    }

    /// Sends a message, answers the requests of the process, and returns its answer.
    fn exchange(
        &mut self,
        message: &Json,
        mut perform: impl FnMut(Request) -> Json,
    ) -> Result<Answer, String> {
        self.send(message)?;
        for _ in 0..=MOST_CALLS {
            let mut answer = self.receive()?;
            match answer.request.take() {
                Some(request) => self.send(&perform(request))?,
                None => return Ok(answer),
            }
        }
        Err(format!(
            "its process made more than {MOST_CALLS} requests for one message"
        ))
    }

    /// Returns the text of an error of the connection.
    fn lost(&self, why: &std::io::Error) -> String {
        match why.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => {
                format!("{LOST}: no answer within {:?}", self.limit)
            }
            ErrorKind::UnexpectedEof => format!("{LOST}: it has closed the connection"),
            _ => format!("{LOST}: {why}"),
        }
    }

    fn send(&mut self, message: &Json) -> Result<(), String> {
        let bytes = message.to_string().into_bytes();
        let length = u32::try_from(bytes.len()).map_err(|_long| "too long a message")?;
        let mut frame = length.to_be_bytes().to_vec();
        frame.extend(bytes);
        let sent = self.stream.write_all(&frame);
        sent.map_err(|why| self.lost(&why))
    }

    fn receive(&mut self) -> Result<Answer, String> {
        let mut length = [0; 4];
        self.read(&mut length)?;
        let length = u32::from_be_bytes(length) as usize;
        if length > LONGEST_FRAME {
            return Err(format!(
                "its process sent a frame of {length} bytes: too long"
            ));
        }
        let mut bytes = vec![0; length];
        self.read(&mut bytes)?;
        let answer: Answer = serde_json::from_slice(&bytes)
            .map_err(|why| format!("its process sent no answer: {why}"))?;
        if answer.calls.len() > MOST_CALLS {
            return Err(format!("its process made more than {MOST_CALLS} calls"));
        }
        Ok(answer)
    }

    fn read(&mut self, bytes: &mut [u8]) -> Result<(), String> {
        let read = self.stream.read_exact(bytes);
        read.map_err(|why| self.lost(&why))
    }
}

/// Object in a separate process.
pub(crate) struct External {
    interface: Interface,
    peer: Arc<Mutex<Peer>>,
}

impl External {
    pub(crate) fn new(interface: Interface, peer: Arc<Mutex<Peer>>) -> Self {
        Self { interface, peer }
    }

    /// Sends a message to the process, and executes its calls.
    fn pass(&self, context: &mut Context<'_>, message: &Json) -> Status {
        let answer = {
            let mut peer = self.peer.lock().unwrap_or_else(PoisonError::into_inner);
            peer.exchange(message, |request| {
                requests::perform(context, &self.interface.extras, request)
            })
        };
        let answer = match answer {
            Ok(answer) => answer,
            Err(why) => {
                context.fail(&why);
                return Status::FAIL;
            }
        };
        for call in answer.calls {
            if let Err(why) = self.call(context, call) {
                context.log(Level::Error, &why);
            }
        }
        Status(answer.status)
    }

    fn call(&self, context: &mut Context<'_>, call: Call) -> Result<(), String> {
        let Interface {
            subjects,
            observers,
            extras,
            ..
        } = &self.interface;
        let status = match call {
            Call::SetData(service, data) => {
                let subject = index_of(subjects, &service)?;
                context.set_data(subject, region(data)?)
            }
            Call::Notify(service) => context.notify_observers(index_of(subjects, &service)?),
            Call::AssertReady(service) => context.assert_ready(index_of(observers, &service)?),
            Call::DeassertReady(service) => context.deassert_ready(index_of(observers, &service)?),
            Call::WakeAfter(nanos, entry) => {
                let index = extras.iter().position(|name| *name == entry);
                let index = index.ok_or_else(|| format!("there is no entry `{entry}`"))?;
                context.wake_after(nanos, index);
                Status::SUCCESS
            }
            Call::Spend(nanos) => {
                context.spend(nanos);
                Status::SUCCESS
            }
            Call::Block(nanos) => {
                context.block(nanos);
                Status::SUCCESS
            }
            Call::Log(text) => {
                context.log(Level::Warning, &text);
                Status::SUCCESS
            }
        };
        if status.is_success() {
            Ok(())
        } else {
            Err(format!("a call of its process failed: {status}"))
        }
    }

    fn step(&self, context: &mut Context<'_>, entry: &str) -> Status {
        self.pass(context, &json!({ "entry": entry }))
    }
}

fn index_of(services: &[Service], name: &str) -> Result<usize, String> {
    let mut names = services.iter().map(|service| &service.name.service);
    let index = names.position(|known| known == name);
    index.ok_or_else(|| format!("there is no service `{name}` on that side"))
}

fn region(data: Data) -> Result<Region, String> {
    match data {
        Data::Text(text) => Ok(text.as_str().into()),
        Data::Bytes { base64 } => {
            let bytes = BASE64.decode(base64.as_bytes());
            let bytes = bytes.map_err(|why| format!("invalid base64 data: {why}"))?;
            Ok(bytes.into())
        }
    }
}

fn data(region: &Region) -> Json {
    match std::str::from_utf8(region.bytes()) {
        Ok(text) => text.into(),
        Err(_) => json!({ "base64": BASE64.encode(region.bytes()) }),
    }
}

fn service(services: &[Service], index: usize) -> &str {
    services.get(index).map_or("", |known| &known.name.service)
}

impl Object for External {
    fn do_init(&mut self, context: &mut Context<'_>, _: SystemEvent) -> Status {
        self.step(context, "init")
    }

    fn do_start(&mut self, context: &mut Context<'_>, _: SystemEvent) -> Status {
        self.step(context, "start")
    }

    fn do_stop(&mut self, context: &mut Context<'_>, _: SystemEvent) -> Status {
        self.step(context, "stop")
    }

    fn do_destroy(&mut self, context: &mut Context<'_>, _: SystemEvent) -> Status {
        self.step(context, "destroy")
    }

    fn control(&mut self, context: &mut Context<'_>, event: &ConnectionEvent) -> Status {
        let service = service(&self.interface.subjects, event.index);
        let message = json!({
            "entry": "control", "service": service, "is_new": event.is_new, "other": event.other.to_string(),
        });
        self.pass(context, &message)
    }

    fn connect(&mut self, context: &mut Context<'_>, event: &ConnectionEvent) -> Status {
        let service = service(&self.interface.observers, event.index);
        let message = json!({
            "entry": "connect", "service": service, "is_new": event.is_new, "other": event.other.to_string(),
        });
        self.pass(context, &message)
    }

    fn ready(&mut self, context: &mut Context<'_>, event: ReadyEvent) {
        let service = service(&self.interface.subjects, event.subject);
        let message = json!({
            "entry": "ready", "service": service, "link": event.link, "is_assert": event.is_assert,
            "time": context.now(),
        });
        self.pass(context, &message);
    }

    fn notify(&mut self, context: &mut Context<'_>, event: &NotifyEvent) {
        let service = service(&self.interface.observers, event.observer);
        let data: Vec<Json> = event.data.iter().map(data).collect();
        let message = json!({
            "entry": "notify", "service": service, "sender": event.sender, "data": data, "time": context.now(),
        });
        self.pass(context, &message);
    }

    fn extra(&mut self, context: &mut Context<'_>, entry: usize, _: &Payload) {
        let extra = self.interface.extras.get(entry);
        let message = json!({ "entry": "extra", "service": extra, "time": context.now() });
        self.pass(context, &message);
    }
}

#[cfg(test)]
mod tests;
