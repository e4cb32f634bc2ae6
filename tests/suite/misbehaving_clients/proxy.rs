//! Proxy between a server and its clients that forwards everything, except for one weakness.
use std::{
    collections::BTreeMap,
    io::{Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
};

/// Faults of the proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weakness {
    /// A client that disconnects in the middle of a line makes the others lose data in flight.
    LosesForOthers,
    /// Stores all data that a client does not read.
    KeepsEverything,
    /// Serves one client at a time: a client that does not read delays the others.
    WaitsForTheSlow,
    /// Never disconnects a client.
    SendsNobodyAway,
    /// Collects a line up to its end, without a limit.
    CollectsWholeLines,
    /// Does not answer invalid text.
    IsSilentOnBadText,
    /// Accepts anything as a number.
    TakesAnythingForNumbers,
    /// Does not detect the disconnection of a client.
    MissesTheEnd,
}

/// The proxy, with a port for each port of the server. Its threads end with the connections.
pub(super) struct Proxy {
    ports: BTreeMap<String, u16>,
    shared: Arc<Shared>,
}

struct Shared {
    weakness: Weakness,
    /// Number of stored bytes.
    kept: AtomicU64,
    /// Number of clients that disconnected in the middle of a line.
    cut: AtomicU64,
    /// Connections that are never closed.
    forgotten: Mutex<Vec<TcpStream>>,
    /// Serialises the forwarding.
    turn: Mutex<()>,
}

impl Proxy {
    pub(super) fn start(ports: &BTreeMap<String, u16>, weakness: Weakness) -> Self {
        let shared = Arc::new(Shared {
            weakness,
            kept: AtomicU64::new(0),
            cut: AtomicU64::new(0),
            forgotten: Mutex::default(),
            turn: Mutex::default(),
        });
        let open = |(what, port): (&String, &u16)| {
            let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
            let own = listener.local_addr().expect("its address").port();
            let (port, shared) = (*port, shared.clone());
            thread(move || {
                for client in listener.incoming().map_while(Result::ok) {
                    let Ok(server) = TcpStream::connect(("127.0.0.1", port)) else {
                        return;
                    };
                    join(client, server, &shared);
                }
            });
            (what.clone(), own)
        };
        Self {
            ports: ports.iter().map(open).collect(),
            shared,
        }
    }

    pub(super) fn port(&self, what: &str) -> u16 {
        self.ports[what]
    }

    /// Returns the number of stored bytes.
    pub(super) fn kept(&self) -> u64 {
        self.shared.kept.load(Ordering::Relaxed)
    }
}

fn thread(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new()
        .name("proxy".to_owned())
        .spawn(work)
        .expect("a thread");
}

/// Forwards data in both directions.
fn join(client: TcpStream, server: TcpStream, shared: &Arc<Shared>) {
    let (Ok(client_too), Ok(server_too)) = (client.try_clone(), server.try_clone()) else {
        return;
    };
    let (to, from) = (shared.clone(), shared.clone());
    thread(move || to_server(client, server, &to));
    thread(move || to_client(server_too, client_too, &from));
}

fn to_server(mut client: TcpStream, mut server: TcpStream, shared: &Shared) {
    let by_lines = [
        Weakness::CollectsWholeLines,
        Weakness::IsSilentOnBadText,
        Weakness::TakesAnythingForNumbers,
    ];
    let by_lines = by_lines.contains(&shared.weakness);
    let (mut chunk, mut line, mut last) = ([0; 16 << 10], Vec::new(), b'\n');
    while let Ok(count @ 1..) = client.read(&mut chunk) {
        let read = &chunk[..count];
        last = read[count - 1];
        let written = if by_lines {
            read.split_inclusive(|&byte| byte == b'\n')
                .try_for_each(|piece| {
                    line.extend(piece);
                    shared.kept.store(line.len() as u64, Ordering::Relaxed);
                    if line.ends_with(b"\n") {
                        server.write_all(&changed(std::mem::take(&mut line), shared))
                    } else {
                        Ok(())
                    }
                })
        } else {
            server.write_all(read)
        };
        if written.is_err() {
            break;
        }
    }
    if last != b'\n' {
        shared.cut.fetch_add(1, Ordering::Relaxed);
    }
    if shared.weakness == Weakness::MissesTheEnd {
        shared.forgotten.lock().expect("no panic").push(server);
    } else {
        server.shutdown(Shutdown::Both).ok();
    }
}

/// Returns a complete line in the form in which the server receives it.
fn changed(line: Vec<u8>, shared: &Shared) -> Vec<u8> {
    match (shared.weakness, String::from_utf8(line)) {
        (Weakness::IsSilentOnBadText, Err(_)) => Vec::new(),
        (_, Err(bad)) => bad.into_bytes(),
        (Weakness::TakesAnythingForNumbers, Ok(text)) => text.replace("NaN", "0.0").into_bytes(),
        (_, Ok(text)) => text.into_bytes(),
    }
}

fn to_client(mut server: TcpStream, client: TcpStream, shared: &Arc<Shared>) {
    let Ok(mut taker) = client.try_clone() else {
        return;
    };
    // Unbounded on purpose.
    let (send, receive) = mpsc::channel::<Vec<u8>>();
    let keeper = shared.clone();
    thread(move || {
        for bytes in receive {
            let written = taker.write_all(&bytes);
            keeper.kept.fetch_sub(bytes.len() as u64, Ordering::Relaxed);
            if written.is_err() {
                return;
            }
        }
    });
    let (mut chunk, mut seen) = ([0; 16 << 10], 0);
    let mut direct = client;
    while let Ok(count @ 1..) = server.read(&mut chunk) {
        let cut = shared.cut.load(Ordering::Relaxed);
        let loses = shared.weakness == Weakness::LosesForOthers && cut != seen;
        seen = cut;
        if loses {
            continue;
        }
        let is_sent = if shared.weakness == Weakness::KeepsEverything {
            shared.kept.fetch_add(count as u64, Ordering::Relaxed);
            send.send(chunk[..count].to_vec()).is_ok()
        } else if shared.weakness == Weakness::WaitsForTheSlow {
            let turn = shared.turn.lock().expect("no panic");
            let written = direct.write_all(&chunk[..count]).is_ok();
            drop(turn);
            written
        } else {
            direct.write_all(&chunk[..count]).is_ok()
        };
        if !is_sent {
            break;
        }
    }
    if shared.weakness == Weakness::SendsNobodyAway {
        shared.forgotten.lock().expect("no panic").push(direct);
    } else {
        direct.shutdown(Shutdown::Both).ok();
    }
}
