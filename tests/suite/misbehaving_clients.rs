//! Misbehaving clients. Each test is a check of a server. The program has to pass it, and its state afterwards is that of an
//! undisturbed run. Each check also has to fail for a server with the corresponding weakness: the program behind a proxy
//! that has it.
#![cfg(test)]
mod f14_lockstep_peer;
mod f1_killed;
mod f2_never_reads;
mod f3_slow_and_strange;
mod f4_endless_line;
mod f5_malformed;
mod f6_no_number;
mod proxy;

use std::time::Duration;

use crate::load::{
    client::{Client, NoLine},
    program::{Program, Scene},
};
use proxy::{Proxy, Weakness};

/// A rover on sockets. Slow clients are detected soon.
const ROVER: &str = r#"Simulation(
    scene: "environments/empty.robray",
    environment: (rate: 50),
    robots: { "rover": (
        model: "robots/atrv.robray", at: (translation: (0, 0, 0.1)), services: ["socket"],
        sensors: { "pose": (kind: "pose", outputs: { "socket": () }, services: ["socket"]) },
        actuators: { "motion": (kind: "v_omega", start: (v: 0.4, w: 0.6), inputs: { "socket": () }, services: ["socket"]) },
    ) },
    middlewares: { "socket": (kind: "socket", port: 0, streams: 0, line_timeout: 1) },
)"#;

/// The server under test: the program, and possibly a proxy.
struct Server {
    program: Program,
    proxy: Option<Proxy>,
}

impl Server {
    fn start(scene: &Scene, weakness: Option<Weakness>) -> Self {
        let program = Program::start(scene);
        let proxy = weakness.map(|weakness| Proxy::start(program.ports(), weakness));
        Self { program, proxy }
    }

    fn connect(&self, what: &str) -> Result<Client, String> {
        Client::new(self.port(what))
    }

    fn port(&self, what: &str) -> u16 {
        match &self.proxy {
            Some(proxy) => proxy.port(what),
            None => self.program.ports()[what],
        }
    }

    /// Returns its memory, bytes.
    fn memory(&self) -> u64 {
        let kept = self.proxy.as_ref().map_or(0, Proxy::kept);
        self.program.holds().memory + kept
    }

    /// Returns true if it has printed a line with all these words.
    fn has_said(&self, words: &[&str]) -> bool {
        let said = self.program.said();
        said.iter()
            .any(|line| words.iter().all(|word| line.contains(word)))
    }

    /// Checks that it still answers.
    fn answers(&self) -> Result<(), String> {
        let reply = self
            .connect("requests")?
            .ask("alive", "simulation list_robots")?;
        ensure(reply.starts_with("SUCCESS ["), || reply)
    }
}

type Check = fn(&Server) -> Result<(), String>;

fn ensure(holds: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why()) }
}

/// Checks that the program passes, and that its state is that of a run without clients.
fn survives(scene: &Scene, check: Check) {
    let server = Server::start(scene, None);
    if let Err(why) = check(&server) {
        panic!("{why}\n{:?}", server.program.said());
    }
    let ended = server.program.end();
    assert_eq!(ended.code, Some(143), "{:?}", ended.said);
    assert!(ended.steps > 0);
    assert_eq!(
        ended.hash,
        scene.hash_after(ended.steps),
        "after {} ticks",
        ended.steps
    );
}

/// Checks that a server with this weakness does not pass.
fn notices(scene: &Scene, weakness: Weakness, check: Check) {
    let server = Server::start(scene, Some(weakness));
    let verdict = check(&server);
    server.program.end();
    assert!(verdict.is_err(), "{weakness:?} was not noticed");
}

/// A client that receives poses and misses none.
struct Bystander {
    client: Client,
    last: Option<i64>,
    heard: usize,
}

impl Bystander {
    fn of(server: &Server) -> Result<Self, String> {
        let client = server.connect("rover.pose")?;
        Ok(Self {
            client,
            last: None,
            heard: 0,
        })
    }

    /// Receives the available records, and waits for a minimum number of them.
    fn listen(&mut self, at_least: usize) -> Result<(), String> {
        let wanted = self.heard + at_least;
        loop {
            let wait = if self.heard < wanted {
                Duration::from_secs(5)
            } else {
                Duration::ZERO
            };
            match self.client.line_within(wait) {
                Ok(line) => self.read(&line)?,
                Err(NoLine::Silence) if wait.is_zero() => return Ok(()),
                Err(why) => return Err(format!("a bystander hears nothing more: {why:?}")),
            }
        }
    }

    fn read(&mut self, line: &str) -> Result<(), String> {
        let record: serde_json::Value = serde_json::from_str(line)
            .map_err(|error| format!("a bystander got `{line}`: {error}"))?;
        let tick = record["timestamp"]
            .as_f64()
            .map(|time| (time * 50.0).round() as i64);
        let is_next = self.last.is_none_or(|last| tick == Some(last + 1));
        ensure(is_next, || {
            format!("a bystander got {tick:?} after {:?}", self.last)
        })?;
        (self.last, self.heard) = (tick, self.heard + 1);
        Ok(())
    }
}
