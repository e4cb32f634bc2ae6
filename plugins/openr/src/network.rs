//! Endpoints of the network of objects: TCP and UDP on loopback, as those of the robot's IP stack.
//!
//! A robot has the loopback address of its `ETHER_IP`, see [`loopback_of`], so that several robots can use the same ports.
//!
//! A call creates an operation, which is complete later: then an extra entry of the object is called with a [`Completion`]. The
//! system object `ip_stack` polls the operations in each frame of 8 ms. Calls take time from the object that makes them, and
//! only from it; data take the time of a wireless network.
use std::{
    collections::BTreeMap,
    io::{ErrorKind, Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket},
};

use crate::{region::Region, status::Status};

/// Time for which the creation of an endpoint blocks its object, ns.
pub const CREATION: u64 = 4_000_000;
/// Processor time of each other call, ns.
pub const CALL: u64 = 100_000;
/// Time of a byte in the network of 11 Mbit/s, ns.
const BYTE: u64 = 727;

/// Maximum number of endpoints.
const MOST_ENDPOINTS: usize = 64;
/// Maximum number of bytes of one operation.
pub const MOST_BYTES: usize = 65_536;

/// Protocol of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// A stream of bytes.
    Tcp,
    /// Datagrams.
    Udp,
}

/// Operation of an endpoint.
#[derive(Clone, Debug)]
pub enum Operation {
    /// Waits for a connection to a port of the robot (TCP).
    Listen(u16),
    /// Receives the datagrams for a port of the robot (UDP).
    Bind(u16),
    /// Connects to another program (TCP).
    Connect(Remote),
    /// Sends data; a datagram to another program (UDP).
    Send(Region, Option<Remote>),
    /// Receives data, up to a number of bytes.
    Receive(usize),
}

/// Address of another program: a port of this machine, or of a robot with an address of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remote {
    /// Address of a robot, as in its `ETHER_IP`; `None` for this machine, 127.0.0.1.
    pub address: Option<Ipv4Addr>,
    /// Port.
    pub port: u16,
}

impl From<u16> for Remote {
    fn from(port: u16) -> Self {
        Self {
            address: None,
            port,
        }
    }
}

impl From<SocketAddr> for Remote {
    fn from(address: SocketAddr) -> Self {
        Self {
            address: match address {
                SocketAddr::V4(address) => Some(*address.ip()),
                SocketAddr::V6(_) => None,
            },
            port: address.port(),
        }
    }
}

impl Remote {
    /// Returns the address on loopback.
    fn socket(self) -> (Ipv4Addr, u16) {
        let address = self.address.map_or(Ipv4Addr::LOCALHOST, loopback_of);
        (address, self.port)
    }
}

/// Returns the loopback address that stands for an address of a robot: 127, and the last three numbers of the address. Robots
/// of a simulation are not on the network of its machine.
#[must_use]
pub fn loopback_of(address: Ipv4Addr) -> Ipv4Addr {
    let [_, b, c, d] = address.octets();
    Ipv4Addr::new(127, b, c, d)
}

/// Completion of an operation: the payload of the entry that was given with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Number of the endpoint.
    pub endpoint: u32,
    /// Received data, empty for other operations and at the end of a stream; or the reason of a failure.
    pub result: Result<Vec<u8>, String>,
    /// Sender of a datagram.
    pub from: Option<SocketAddr>,
}

#[derive(Debug)]
enum Socket {
    Idle(Protocol),
    Listening(TcpListener),
    Stream(TcpStream),
    Datagrams(UdpSocket),
}

#[derive(Debug)]
struct Endpoint {
    socket: Socket,
    pending: Vec<Pending>,
}

/// Operation that is not complete.
#[derive(Debug)]
struct Pending {
    object: usize,
    entry: usize,
    operation: Operation,
    /// Number of bytes that have been sent.
    sent: usize,
    /// Time from which it can be complete, ns.
    due: u64,
}

/// Endpoints of all objects.
#[derive(Debug)]
pub(crate) struct Network {
    /// Address of the robot.
    address: Ipv4Addr,
    last: u32,
    endpoints: BTreeMap<u32, Endpoint>,
}

impl Default for Network {
    fn default() -> Self {
        Self::new(Ipv4Addr::LOCALHOST)
    }
}

impl Network {
    /// Returns a network without endpoints, of a robot with a loopback address.
    pub(crate) fn new(address: Ipv4Addr) -> Self {
        Self {
            address,
            last: 0,
            endpoints: BTreeMap::new(),
        }
    }

    pub(crate) fn create(&mut self, protocol: Protocol) -> Result<u32, Status> {
        if self.endpoints.len() >= MOST_ENDPOINTS {
            return Err(Status::NO_MEMORY);
        }
        self.last += 1;
        let endpoint = Endpoint {
            socket: Socket::Idle(protocol),
            pending: Vec::new(),
        };
        self.endpoints.insert(self.last, endpoint);
        Ok(self.last)
    }

    /// Closes an endpoint; its operations are dropped.
    pub(crate) fn close(&mut self, endpoint: u32) -> Result<(), Status> {
        let removed = self.endpoints.remove(&endpoint);
        removed.map(drop).ok_or(Status::NOT_FOUND)
    }

    /// Adds an operation of an object, whose entry is called on completion.
    pub(crate) fn add(
        &mut self,
        endpoint: u32,
        operation: Operation,
        (object, entry): (usize, usize),
        now: u64,
    ) -> Result<(), Status> {
        let bytes = match &operation {
            Operation::Send(region, _) => region.bytes().len(),
            Operation::Receive(most) => *most,
            _ => 0,
        };
        if bytes > MOST_BYTES {
            return Err(Status::INVALID_ARG);
        }
        let sent = matches!(operation, Operation::Send(..));
        let endpoint = self.endpoints.get_mut(&endpoint).ok_or(Status::NOT_FOUND)?;
        endpoint.pending.push(Pending {
            object,
            entry,
            sent: 0,
            due: now + if sent { bytes as u64 * BYTE } else { 0 },
            operation,
        });
        Ok(())
    }

    /// Polls all operations; returns the completions, each with its object and entry.
    pub(crate) fn poll(&mut self, now: u64) -> Vec<(usize, usize, Completion)> {
        let mut complete = Vec::new();
        let own = self.address;
        for (&number, endpoint) in &mut self.endpoints {
            let Endpoint { socket, pending } = endpoint;
            // Operations of one kind are completed in their order.
            let mut waits = [false; 2];
            pending.retain_mut(|pending| {
                let is_receive = usize::from(matches!(pending.operation, Operation::Receive(_)));
                if waits[is_receive] || now < pending.due {
                    waits[is_receive] = true;
                    return true;
                }
                let Some((result, from)) = socket.try_complete(own, pending) else {
                    waits[is_receive] = true;
                    return true;
                };
                let completion = Completion {
                    endpoint: number,
                    result,
                    from,
                };
                complete.push((pending.object, pending.entry, completion));
                false
            });
        }
        complete
    }
}

/// Result of an operation, with the sender of a datagram.
type Outcome = (Result<Vec<u8>, String>, Option<SocketAddr>);

fn done(result: Result<Vec<u8>, std::io::Error>) -> Option<Outcome> {
    match result {
        Err(why) if why.kind() == ErrorKind::WouldBlock => None,
        other => Some((other.map_err(|why| why.to_string()), None)),
    }
}

fn misused(what: &str) -> Option<Outcome> {
    Some((Err(format!("the endpoint cannot {what} now")), None))
}

impl Socket {
    /// Tries to complete an operation; `None` if it has to wait.
    fn try_complete(&mut self, own: Ipv4Addr, pending: &mut Pending) -> Option<Outcome> {
        match &pending.operation {
            Operation::Listen(port) => self.listen((own, *port)),
            Operation::Bind(port) => self.bind((own, *port)),
            Operation::Connect(to) => self.connect(*to),
            Operation::Send(region, to) => self.send(region.bytes(), *to, &mut pending.sent),
            Operation::Receive(most) => self.receive(*most),
        }
    }

    fn listen(&mut self, at: (Ipv4Addr, u16)) -> Option<Outcome> {
        if let Self::Idle(Protocol::Tcp) = self {
            let listener = TcpListener::bind(at);
            let listener = listener.and_then(|listener| {
                listener.set_nonblocking(true)?;
                Ok(listener)
            });
            match listener {
                Ok(listener) => *self = Self::Listening(listener),
                Err(why) => return done(Err(why)),
            }
        }
        let Self::Listening(listener) = self else {
            return misused("listen");
        };
        match listener.accept() {
            Ok((stream, _)) => self.start(stream),
            Err(why) => done(Err(why)),
        }
    }

    fn connect(&mut self, to: Remote) -> Option<Outcome> {
        let Self::Idle(Protocol::Tcp) = self else {
            return misused("connect");
        };
        match TcpStream::connect(to.socket()) {
            Ok(stream) => self.start(stream),
            Err(why) => done(Err(why)),
        }
    }

    fn start(&mut self, stream: TcpStream) -> Option<Outcome> {
        let result = stream.set_nonblocking(true).map(|()| Vec::new());
        *self = Self::Stream(stream);
        done(result)
    }

    fn bind(&mut self, at: (Ipv4Addr, u16)) -> Option<Outcome> {
        let Self::Idle(Protocol::Udp) = self else {
            return misused("bind");
        };
        let socket = UdpSocket::bind(at);
        let socket = socket.and_then(|socket| {
            socket.set_nonblocking(true)?;
            Ok(socket)
        });
        match socket {
            Ok(socket) => {
                *self = Self::Datagrams(socket);
                done(Ok(Vec::new()))
            }
            Err(why) => done(Err(why)),
        }
    }

    fn send(&mut self, bytes: &[u8], to: Option<Remote>, sent: &mut usize) -> Option<Outcome> {
        match (self, to) {
            (Self::Stream(stream), None) => {
                while *sent < bytes.len() {
                    match stream.write(&bytes[*sent..]) {
                        Ok(count) => *sent += count,
                        Err(why) => return done(Err(why)),
                    }
                }
                done(Ok(Vec::new()))
            }
            (Self::Datagrams(socket), Some(to)) => {
                let sent = socket.send_to(bytes, to.socket());
                done(sent.map(|_| Vec::new()))
            }
            _ => misused("send"),
        }
    }

    fn receive(&mut self, most: usize) -> Option<Outcome> {
        let mut bytes = vec![0; most];
        match self {
            Self::Stream(stream) => {
                let read = stream.read(&mut bytes);
                done(read.map(|count| {
                    bytes.truncate(count);
                    bytes
                }))
            }
            Self::Datagrams(socket) => match socket.recv_from(&mut bytes) {
                Ok((count, from)) => {
                    bytes.truncate(count);
                    Some((Ok(bytes), Some(from)))
                }
                Err(why) => done(Err(why)),
            },
            _ => misused("receive"),
        }
    }
}
