//! Tests of the network of objects and of the power: completions, charges, and observers.
use std::{
    io::{Read as _, Write as _},
    net::{Ipv4Addr, TcpListener, TcpStream, UdpSocket},
    time::Duration,
};

use super::*;
use crate::{
    body::comm::{self, CommSettings},
    ip_stack,
    network::{self, CALL, CREATION, Completion, Network, Operation, Protocol},
    platform::Platform,
    power::{PowerStatus, bit},
};

/// Object that echoes what arrives at an endpoint, and notes completions.
struct Echo {
    protocol: Protocol,
    port: u16,
    endpoint: u32,
    notes: Notes,
}

impl Echo {
    const BEGUN: usize = 0;
    const RECEIVED: usize = 1;
    const SENT: usize = 2;

    fn object(protocol: Protocol, port: u16, notes: &Notes) -> ObjectInstance {
        let interface = Interface::new("Echo")
            .extra("Begun")
            .extra("Received")
            .extra("Sent");
        let notes = notes.clone();
        ObjectInstance::new(
            interface,
            Self {
                protocol,
                port,
                endpoint: 0,
                notes,
            },
        )
    }
}

impl Object for Echo {
    fn do_start(&mut self, context: &mut Context<'_>, _: SystemEvent) -> Status {
        self.endpoint = context.create_endpoint(self.protocol).expect("an endpoint");
        let begin = match self.protocol {
            Protocol::Tcp => Operation::Listen(self.port),
            Protocol::Udp => Operation::Bind(self.port),
        };
        let begun = context.start_operation(self.endpoint, &begin, Self::BEGUN);
        begun.err().unwrap_or(Status::SUCCESS)
    }

    fn extra(&mut self, context: &mut Context<'_>, entry: usize, payload: &Payload) {
        let completion = payload
            .as_ref()
            .and_then(|any| any.downcast_ref::<Completion>());
        let Completion { result, from, .. } = completion.expect("a completion");
        let bytes = match result {
            Ok(bytes) => bytes.clone(),
            Err(why) => {
                self.notes.add(format!("failed: {why}"));
                return;
            }
        };
        self.notes.add(format!("{entry} {}", bytes.len()));
        let next = match entry {
            Self::RECEIVED if bytes.is_empty() => return,
            Self::RECEIVED => {
                let to = from.map(Into::into);
                let send = Operation::Send(bytes.into(), to);
                context.start_operation(self.endpoint, &send, Self::SENT)
            }
            _ => context.start_operation(self.endpoint, &Operation::Receive(100), Self::RECEIVED),
        };
        next.expect("an operation");
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    listener.local_addr().expect("an address").port()
}

/// Advances the objects until a note is there, in real time.
fn until(system: &mut Lockstep, notes: &Notes, note: &str) {
    for _ in 0..2000 {
        let next = system.now() + 8 * MS;
        system.advance(next);
        if notes.count(note) > 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("no `{note}` in {:?}", notes.all());
}

#[test]
fn a_stream_is_echoed() {
    let (port, notes) = (free_port(), Notes::default());
    let mut system = boot(
        vec![
            Echo::object(Protocol::Tcp, port, &notes),
            ip_stack::object(),
        ],
        &[],
    );
    system.advance(20 * MS);
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("a connection");
    until(&mut system, &notes, "0 0");
    stream.write_all(b"Good morning").expect("sent");
    until(&mut system, &notes, "2 0");
    let mut bytes = [0; 12];
    stream.read_exact(&mut bytes).expect("an echo");
    assert_eq!(&bytes, b"Good morning");
    drop(stream);
    until(&mut system, &notes, "1 0");
    assert_eq!(notes.all(), ["0 0", "1 12", "2 0", "1 0"]);
}

#[test]
fn datagrams_are_echoed_to_their_senders() {
    let (port, notes) = (free_port(), Notes::default());
    let mut system = boot(
        vec![
            Echo::object(Protocol::Udp, port, &notes),
            ip_stack::object(),
        ],
        &[],
    );
    until(&mut system, &notes, "0 0");
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a socket");
    let limit = Some(Duration::from_secs(5));
    socket.set_read_timeout(limit).expect("a limit");
    socket
        .send_to(b"ball", (Ipv4Addr::LOCALHOST, port))
        .expect("sent");
    until(&mut system, &notes, "2 0");
    let mut bytes = [0; 10];
    let (count, _) = socket.recv_from(&mut bytes).expect("an echo");
    assert_eq!(&bytes[..count], b"ball");
}

/// Other systems have one address on loopback.
#[cfg(target_os = "linux")]
#[test]
fn robots_with_addresses_of_their_own_use_the_same_port() {
    let port = free_port();
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a socket");
    let limit = Some(Duration::from_secs(5));
    socket.set_read_timeout(limit).expect("a limit");
    let robots = [[10, 0, 1, 100], [10, 0, 1, 101]].map(|own| {
        let notes = Notes::default();
        let at = network::loopback_of(own.into());
        let mut platform = Platform::default();
        platform.network = Network::new(at);
        let objects = vec![
            Echo::object(Protocol::Udp, port, &notes),
            ip_stack::object(),
        ];
        let mut system = Lockstep::boot_on(platform, objects, &[], Rules::default());
        until(&mut system, &notes, "0 0");
        (system, notes, at)
    });
    for (mut system, notes, at) in robots {
        socket.send_to(b"ball", (at, port)).expect("sent");
        until(&mut system, &notes, "2 0");
        let (count, from) = socket.recv_from(&mut [0; 10]).expect("an echo");
        assert_eq!((count, from), (4, (at, port).into()));
    }
}

#[test]
fn calls_are_charged_to_their_object_alone() {
    let notes = Notes::default();
    let (caller, other) = (notes.clone(), notes.clone());
    let client = Scripted::default()
        .start(move |context| {
            let endpoint = context.create_endpoint(Protocol::Tcp).expect("an endpoint");
            let region = Region::new(1000);
            let send = Operation::Send(region, None);
            context
                .start_operation(endpoint, &send, 0)
                .expect("an operation");
            assert_eq!(context.now(), CREATION + CALL);
            let long = Operation::Receive(network::MOST_BYTES + 1);
            let refused = context.start_operation(endpoint, &long, 0);
            assert_eq!(refused, Err(Status::INVALID_ARG));
            let unknown = context.start_operation(99, &Operation::Receive(1), 0);
            assert_eq!(unknown, Err(Status::NOT_FOUND));
            Status::SUCCESS
        })
        .extra(move |context, _| caller.add(format!("done at {} ms", context.now() / MS)));
    let clock = Scripted::default()
        .start(|context| {
            context.wake_after(MS, 0);
            Status::SUCCESS
        })
        .extra(move |context, _| other.add(format!("clock at {} ms", context.now() / MS)));
    let objects = vec![
        ObjectInstance::new(Interface::new("Client").extra("Sent"), client),
        ObjectInstance::new(Interface::new("Clock").extra("Tick"), clock),
        ip_stack::object(),
    ];
    boot(objects, &[]).advance(100 * MS);
    // A thousand bytes take 0.7 ms of the network; an endpoint without connection cannot send.
    assert_eq!(notes.all(), ["clock at 1 ms", "done at 8 ms"]);
}

#[test]
fn the_power_is_observed() {
    let notes = Notes::default();
    let seen = notes.clone();
    struct Watcher(Notes);
    impl Object for Watcher {
        fn do_init(&mut self, context: &mut Context<'_>, _: SystemEvent) -> Status {
            context.observe_power_status(0);
            Status::SUCCESS
        }

        fn do_start(&mut self, context: &mut Context<'_>, _: SystemEvent) -> Status {
            context.wake_after(100 * MS, 1);
            Status::SUCCESS
        }

        fn extra(&mut self, context: &mut Context<'_>, entry: usize, payload: &Payload) {
            if entry == 1 {
                context.set_motor_power(true);
                return;
            }
            let status = payload
                .as_ref()
                .and_then(|any| any.downcast_ref::<PowerStatus>());
            let bits = status.expect("a state").robot_status;
            self.0.add(format!("{} {bits:#x}", context.now() / MS));
        }
    }
    let interface = Interface::new("Watcher").extra("Power").extra("Clock");
    let objects = vec![
        comm::object(&CommSettings::default()),
        ObjectInstance::new(interface, Watcher(seen)),
    ];
    boot(objects, &[]).advance(1000 * MS);
    let full = bit::BATTERY | bit::FULL;
    let expected = [
        format!("8 {full:#x}"),
        format!("104 {:#x}", full | bit::MOTOR_POWER),
    ];
    assert_eq!(notes.all(), expected);
}
