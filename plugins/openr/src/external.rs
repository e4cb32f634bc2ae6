//! Objects in separate processes, on a loopback socket.
//!
//! A frame is a length of four bytes, big-endian, followed by that number of bytes of JSON. For each message the host sends
//! one frame and waits for one: the calls of the object in their order, and its status. The guide's page "Controllers as
//! objects" documents the fields.
use std::{
    io::{Read as _, Write as _},
    net::{Ipv4Addr, TcpListener, TcpStream},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use data_encoding::BASE64;
use serde::Deserialize;
use serde_json::{Value as Json, json};

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
/// Maximum number of calls in one answer.
const MOST_CALLS: usize = 4096;
/// Interval of polling for the connection of the process.
const PAUSE: Duration = Duration::from_millis(5);

/// Connection to a process.
pub(crate) struct Peer {
    stream: TcpStream,
}

/// Answer of a process to a message.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
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
                return Ok(Self { stream });
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

    fn ask(&mut self, message: &Json) -> Result<Answer, String> {
        let bytes = message.to_string().into_bytes();
        let length = u32::try_from(bytes.len()).map_err(|_long| "too long a message")?;
        let mut frame = length.to_be_bytes().to_vec();
        frame.extend(bytes);
        let lost = |why: std::io::Error| format!("{LOST}: {why}");
        self.stream.write_all(&frame).map_err(lost)?;
        let mut length = [0; 4];
        self.stream.read_exact(&mut length).map_err(lost)?;
        let length = u32::from_be_bytes(length) as usize;
        if length > LONGEST_FRAME {
            return Err(format!(
                "its process sent a frame of {length} bytes: too long"
            ));
        }
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes).map_err(lost)?;
        let answer: Answer = serde_json::from_slice(&bytes)
            .map_err(|why| format!("its process sent no answer: {why}"))?;
        if answer.calls.len() > MOST_CALLS {
            return Err(format!("its process made more than {MOST_CALLS} calls"));
        }
        Ok(answer)
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
            peer.ask(message)
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
                let subject = place(subjects, &service)?;
                context.set_data(subject, region(data)?)
            }
            Call::Notify(service) => context.notify_observers(place(subjects, &service)?),
            Call::AssertReady(service) => context.assert_ready(place(observers, &service)?),
            Call::DeassertReady(service) => context.deassert_ready(place(observers, &service)?),
            Call::WakeAfter(nanos, entry) => {
                let place = extras.iter().position(|name| *name == entry);
                let place = place.ok_or_else(|| format!("there is no entry `{entry}`"))?;
                context.wake_after(nanos, place);
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

fn place(services: &[Service], name: &str) -> Result<usize, String> {
    let mut names = services.iter().map(|service| &service.name.service);
    let place = names.position(|known| known == name);
    place.ok_or_else(|| format!("there is no service `{name}` on that side"))
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

fn service(services: &[Service], place: usize) -> &str {
    services.get(place).map_or("", |known| &known.name.service)
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
mod tests {
    use super::*;
    use crate::{lockstep::Lockstep, lockstep::Rules, object_runner::Part};

    /// Returns the fault of an object whose process answers with these bytes, and its log.
    fn outcome(answer: &[u8]) -> (String, String) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let at = listener.local_addr().expect("an address");
        let mut process = TcpStream::connect(at).expect("a connection");
        let (stream, _) = listener.accept().expect("a connection");
        let limit = Duration::from_millis(300);
        stream.set_read_timeout(Some(limit)).expect("a limit");
        process.write_all(answer).expect("an answer");
        let interface = Interface::new("Far").subject("Out", "d");
        let peer = Arc::new(Mutex::new(Peer { stream }));
        let object = External::new(interface.clone(), peer);
        let part = Part::new(interface, object);
        let mut system = Lockstep::boot(vec![part], &[], Rules::default());
        let faults = system.take_faults();
        let log = system.take_log();
        let fault = faults.first().map(ToString::to_string);
        let line = log.first().map(|line| line.text.clone());
        (fault.unwrap_or_default(), line.unwrap_or_default())
    }

    fn framed(text: &str) -> Vec<u8> {
        let length = u32::try_from(text.len()).expect("short");
        let mut frame = length.to_be_bytes().to_vec();
        frame.extend(text.as_bytes());
        frame
    }

    #[test]
    fn a_process_that_makes_no_sense_or_is_silent_is_a_fault_of_its_object() {
        for (answer, fault, line) in [
            (framed("{}"), "", ""),
            (
                framed(r#"{"calls": [{"notify": "Oot"}]}"#),
                "",
                "no service `Oot`",
            ),
            (framed(r#"{"status": 2}"#), "returned FAIL (2)", ""),
            (framed("[1"), "gave up: its process sent no answer", ""),
            (
                framed(r#"{"calls": [{"shout": 1}]}"#),
                "unknown variant `shout`",
                "",
            ),
            (vec![0xff; 8], "too long", ""),
            (vec![0, 0], "gave up: its process is lost", ""),
            (
                framed(r#"{"calls": [{"set_data": ["Out", {"base64": "?"}]}]}"#),
                "",
                "invalid base64",
            ),
        ] {
            let (reported, logged) = outcome(&answer);
            assert!(
                reported.contains(fault) && reported.is_empty() == fault.is_empty(),
                "{reported}"
            );
            assert!(
                logged.contains(line) && logged.is_empty() == line.is_empty(),
                "{logged}"
            );
        }
    }

    #[test]
    fn a_process_that_does_not_come_is_waited_for_so_long() {
        let why = Peer::wait(0, Duration::from_millis(20)).err();
        assert!(why.is_some_and(|why| why.contains("no process has connected")));
    }
}
