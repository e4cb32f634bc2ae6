//! Announcements of the node to the machines in `ROS_STATIC_PEERS`.
//!
//! `RustDDS` announces a node by multicast, and to the ports of the first nodes of this machine. One of these ports is taken
//! here: announcements that arrive there are sent on, as they are, to the ports of the first nodes of the other machines. These
//! answer to the addresses in the announcement.
use std::{
    io::ErrorKind,
    net::{IpAddr, Ipv4Addr, SocketAddr, SocketAddrV4, ToSocketAddrs as _, UdpSocket},
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

/// Number of nodes of this machine to which `RustDDS` announces a node.
const OWN_NODES: u16 = 12;
/// Number of nodes of another machine to which announcements are sent.
const MOST_NODES: u16 = 32;
/// Interval at which the end is noticed at the latest.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Number of intervals after which the last announcement is sent again. `RustDDS` makes one in ten seconds, too few for nodes
/// that start later.
const REPEAT_POLLS: u32 = 8;
/// First bytes of a message of DDS.
const MARK: &[u8] = b"RTPS";
/// Field of a message with the identity of the sender.
const SENDER: std::ops::Range<usize> = 8..20;

/// Returns the port on which a node expects announcements, by its number on its machine (the protocol RTPS, section 9.6.2).
fn port(domain: u16, node: u16) -> u16 {
    7400 + 250 * domain + 10 + 2 * node
}

/// Returns the addresses in a list with semicolons between, and warnings about names that have none.
pub(crate) fn addresses(list: &str) -> (Vec<Ipv4Addr>, Vec<String>) {
    let (mut peers, mut warnings) = (Vec::new(), Vec::new());
    for name in list
        .split(';')
        .map(str::trim)
        .filter(|name| !name.is_empty())
    {
        let resolved = (name, 0).to_socket_addrs();
        let addresses = resolved.into_iter().flatten();
        let address = addresses
            .into_iter()
            .find_map(|address| match address.ip() {
                IpAddr::V4(address) => Some(address),
                IpAddr::V6(_) => None,
            });
        match address {
            Some(address) => peers.push(address),
            None => warnings.push(format!(
                "ROS_STATIC_PEERS: `{name}` is no IPv4 address, and no name of one: nodes there are not found"
            )),
        }
    }
    peers.sort_unstable();
    peers.dedup();
    (peers, warnings)
}

/// Returns the addresses of this machine in the networks of other machines.
pub(crate) fn own_addresses(peers: &[Ipv4Addr]) -> Vec<IpAddr> {
    let own = peers.iter().filter_map(|peer| {
        // Nothing is sent: the system only selects a network.
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
        socket.connect((*peer, 7400)).ok()?;
        Some(socket.local_addr().ok()?.ip())
    });
    let mut own: Vec<IpAddr> = own.collect();
    own.sort_unstable();
    own.dedup();
    own
}

/// Sender of the announcements.
pub(crate) struct StaticPeers {
    socket: UdpSocket,
    peers: Vec<SocketAddr>,
}

impl StaticPeers {
    /// Opens the port, before the node announces itself for the first time; `None` without other machines.
    ///
    /// # Errors
    ///
    /// The ports on which announcements arrive are taken.
    pub(crate) fn new(domain: u16, peers: &[Ipv4Addr]) -> Result<Option<Self>, String> {
        if peers.is_empty() {
            return Ok(None);
        }
        let failed = |why: std::io::Error| format!("ROS_STATIC_PEERS: no port is free: {why}");
        // The highest one: nodes take the lowest ones.
        let mut ports = (0..OWN_NODES).rev().map(|node| port(domain, node));
        let bind = |port| UdpSocket::bind((Ipv4Addr::LOCALHOST, port));
        let socket = ports.find_map(|port| bind(port).ok());
        let socket = match socket {
            Some(socket) => socket,
            None => bind(port(domain, OWN_NODES - 1)).map_err(failed)?,
        };
        socket
            .set_read_timeout(Some(POLL_INTERVAL))
            .map_err(failed)?;
        let peers = peers.iter().flat_map(|peer| {
            (0..MOST_NODES).map(|node| SocketAddrV4::new(*peer, port(domain, node)).into())
        });
        Ok(Some(Self {
            peers: peers.collect(),
            socket,
        }))
    }

    /// Sends the announcements of a node on until it is stopped.
    ///
    /// # Errors
    ///
    /// The system cannot receive or send datagrams.
    pub(crate) fn run(&self, guid: [u8; 16], stopped: &AtomicBool) -> std::io::Result<()> {
        // A socket of the loopback address reaches no other machine.
        let out = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        let mut datagram = vec![0; 1 << 16];
        let mut last = Vec::new();
        let mut polls = 0;
        while !stopped.load(Ordering::Acquire) {
            match self.socket.recv(&mut datagram) {
                Ok(length) => {
                    let message = &datagram[..length];
                    if !message.starts_with(MARK) || message.get(SENDER) != guid.get(..12) {
                        continue;
                    }
                    last.clear();
                    last.extend_from_slice(message);
                }
                Err(why) if is_passing(why.kind()) => {
                    polls += 1;
                    if polls < REPEAT_POLLS || last.is_empty() {
                        continue;
                    }
                }
                Err(why) => return Err(why),
            }
            polls = 0;
            for peer in &self.peers {
                // A machine that cannot be reached may be there for the next announcement.
                out.send_to(&last, peer).ok();
            }
        }
        Ok(())
    }
}

/// Returns true for errors after which the next datagram may arrive.
fn is_passing(kind: ErrorKind) -> bool {
    use ErrorKind::{ConnectionRefused, Interrupted, TimedOut, WouldBlock};
    matches!(
        kind,
        WouldBlock | TimedOut | Interrupted | ConnectionRefused
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_addresses_and_names() {
        let (peers, warnings) = addresses("10.0.0.2; localhost;;10.0.0.2; ::1");
        assert_eq!(peers, [Ipv4Addr::new(10, 0, 0, 2), Ipv4Addr::LOCALHOST]);
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].contains("`::1`"));
    }

    #[test]
    fn ports_are_those_of_the_protocol() {
        assert_eq!((port(0, 0), port(0, 1), port(1, 0)), (7410, 7412, 7660));
    }
}
