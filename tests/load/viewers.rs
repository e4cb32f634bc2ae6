//! Cost of viewers in browsers to the simulation.
use std::{
    fs,
    net::TcpStream,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

use serde_json::json;
use tungstenite::{Message, client::IntoClientRequest as _};

use super::load::{
    now,
    program::{Program, Scene},
    side_by_side, wait_for,
};

/// Cost of a run with a number of viewers.
#[derive(Clone, Copy, Default)]
pub(crate) struct Cost {
    /// Processor time of the simulation's thread, ms per tick.
    pub(crate) tick: f64,
    /// Number of frames that all viewers received.
    pub(crate) frames: u64,
}

/// Runs the fleet in real time, for a duration, with a number of viewers, each of another robot. The tick rate is 60 Hz.
pub(crate) fn measure(viewers: usize, length: Duration) -> Cost {
    let mut scene = Scene::of(concat!(env!("CARGO_MANIFEST_DIR"), "/scenes/fleet.ron"));
    let arguments = ["--rtf", "1", "--serve", "127.0.0.1:0"].map(str::to_owned);
    scene.arguments.extend(arguments);
    let program = Program::start(&scene);
    let port = *program.ports().get("page").expect("the page");
    let (is_over, frames) = (AtomicBool::new(false), AtomicU64::new(0));
    let mut cost = Cost::default();
    let measured = std::sync::Mutex::new(&mut cost);
    side_by_side(viewers + 1, |number| {
        if number < viewers {
            look_on(port, number + 1, &is_over, &frames);
            return;
        }
        let all_are_there = || viewers == 0 || frames.load(Ordering::Relaxed) > 10 * viewers as u64;
        wait_for(Duration::from_secs(20), all_are_there);
        let (seen, used, start) = (frames.load(Ordering::Relaxed), works(&program), now());
        std::thread::sleep(length);
        let ticks = 60.0 * start.elapsed().as_secs_f64();
        **measured.lock().expect("no panic") = Cost {
            tick: (works(&program) - used) / ticks * 1e3,
            frames: frames.load(Ordering::Relaxed) - seen,
        };
        is_over.store(true, Ordering::Relaxed);
    });
    program.end();
    cost
}

/// Receives all frames.
fn look_on(port: u16, robot: usize, is_over: &AtomicBool, frames: &AtomicU64) {
    let stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    let address = format!("ws://localhost:{port}/ws");
    let request = address.into_client_request().expect("an address");
    let (mut socket, _) = tungstenite::client(request, stream).expect("a viewer's place");
    let mut say = json!({ "watch": [format!("rover_{robot}.pose")] });
    while !is_over.load(Ordering::Relaxed) {
        socket
            .send(Message::text(say.to_string()))
            .expect("a connection");
        let frame = std::iter::from_fn(|| socket.read().ok()).find_map(|message| match message {
            Message::Binary(bytes) => bytes.get(4..8)?.try_into().ok(),
            _ => None,
        });
        say = json!({ "seen": u32::from_le_bytes(frame.expect("a frame")) });
        frames.fetch_add(1, Ordering::Relaxed);
    }
}

/// Returns the processor time of the simulation's thread, which is the main one, s; as reported by Linux, zero elsewhere.
fn works(program: &Program) -> f64 {
    let process = program.child.id();
    let stat = fs::read_to_string(format!("/proc/{process}/task/{process}/schedstat"));
    let nanos = stat
        .ok()
        .and_then(|stat| stat.split(' ').next()?.parse().ok());
    nanos.unwrap_or(0.0) / 1e9
}
