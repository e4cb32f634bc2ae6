//! D5: logs, clients, the page and its viewers, the profiler and the pace do not change the results.
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use morse_api::middleware::Failure;
use morse_simulation_file::{
    Family, Spanned, Vocabulary as _,
    model::{Middleware, Output, Settings},
};
use serde_json::{Value as Json, json};

use super::{
    Figure, Figures,
    bench::{Bench, Scene},
    clients::Connection,
};
use morse_sim::{
    cli::{output, serve},
    run::{End, Limits, Pace, Watch, profile::Profiler, run_watched},
    simulation::{
        Simulation,
        kinds::{Kinds, Words},
        load::Plan,
    },
};

/// Timeout of a run.
const TIMEOUT: Duration = Duration::from_secs(300);

/// Minimum wall-clock time for clients, s.
const LOOK: f64 = 0.25;

/// Types of observers.
#[derive(Clone, Copy, Debug, Default)]
struct Onlookers {
    logs: bool,
    clients: bool,
    viewers: bool,
    profiler: bool,
    in_real_time: bool,
}

const NOBODY: Onlookers = Onlookers {
    logs: false,
    clients: false,
    viewers: false,
    profiler: false,
    in_real_time: false,
};

const CASES: [(&str, Onlookers); 6] = [
    (
        "logs",
        Onlookers {
            logs: true,
            ..NOBODY
        },
    ),
    (
        "clients of streams and requests",
        Onlookers {
            clients: true,
            ..NOBODY
        },
    ),
    (
        "the page with viewers",
        Onlookers {
            viewers: true,
            ..NOBODY
        },
    ),
    (
        "the profiler",
        Onlookers {
            profiler: true,
            ..NOBODY
        },
    ),
    (
        "real time",
        Onlookers {
            in_real_time: true,
            ..NOBODY
        },
    ),
    (
        "all of them",
        Onlookers {
            logs: true,
            clients: true,
            viewers: true,
            profiler: true,
            in_real_time: false,
        },
    ),
];

pub(super) fn check(bench: &Bench) -> Figures {
    let figures = bench.scenes.iter().map(|scene| {
        let ticks = scene.ticks(bench.size.short);
        let hashes = bench.undisturbed(scene, ticks)?;
        let usual = hashes.last().copied().unwrap_or_default();
        let mut wrong = Vec::new();
        for (name, onlookers) in CASES {
            match observed(bench, scene, ticks, onlookers) {
                Ok(hash) if hash == format!("{usual:032x}") => {}
                Ok(hash) => wrong.push(format!("{name}: {hash} instead of {usual:032x}")),
                Err(why) => wrong.push(format!("{name}: {why}")),
            }
        }
        let figure = format!(
            "{}: observers ({} clients and viewers each), {ticks} ticks",
            scene.name, bench.size.clients
        );
        Ok(Figure::alike(
            figure,
            "the hash without any",
            wrong,
            CASES.len(),
        ))
    });
    figures.collect()
}

/// Returns the hash of a run with observers.
fn observed(
    bench: &Bench,
    scene: &Scene,
    ticks: u64,
    onlookers: Onlookers,
) -> Result<String, String> {
    let mut plan = bench.plan(scene, 1)?;
    if onlookers.logs {
        let folder = bench.folder.inner("logs")?;
        let logs = ["text", "csv"].map(|form| format!("{form}:{}/{form}", folder.display()));
        output::add(&mut plan, &logs, &bench.kinds).map_err(|report| report.to_string())?;
    }
    if onlookers.clients {
        connect(&mut plan, &bench.kinds, &json!({ "port": 0, "streams": 0 }))?;
    }
    if onlookers.viewers {
        let address = ([127, 0, 0, 1], 0).into();
        serve::add(&mut plan, address, None, &[], &bench.kinds)
            .map_err(|report| report.to_string())?;
    }
    let mut simulation = bench.build(plan)?;
    let clients = Clients::of(&mut simulation, bench.size.clients)?;
    let mut watch = Timing(
        onlookers
            .profiler
            .then(|| Profiler::attach(&mut simulation)),
    );
    let pace = if onlookers.in_real_time {
        Pace::RealTime(1.0)
    } else if onlookers.clients || onlookers.viewers {
        // The observers need some time.
        Pace::RealTime(scene.seconds(ticks) / LOOK)
    } else {
        Pace::Max
    };
    thread::scope(|scope| {
        let heard = clients.start(scope)?;
        let hash = run(simulation, ticks, pace, &mut watch)?;
        heard.are_all_served()?;
        Ok(hash)
    })
}

/// Runs to the end; returns the hash.
pub(super) fn run(
    simulation: Simulation,
    ticks: u64,
    pace: Pace,
    watch: &mut dyn Watch,
) -> Result<String, String> {
    let limits = Limits {
        ticks: Some(ticks),
        pace,
        timeout: Some(TIMEOUT),
        signal: Arc::default(),
        strict: false,
    };
    match run_watched(simulation, &limits, watch, &mut |_| {}) {
        (summary, End::Done) => Ok(summary.state_hash),
        (_, end) => Err(format!("the run ended early: {end:?}")),
    }
}

/// Connects all sensors to a socket.
pub(super) fn connect(plan: &mut Plan, kinds: &Kinds, settings: &Json) -> Result<(), String> {
    let read = |family, settings: Json| {
        let mut settings = <dyn erased_serde::Deserializer>::erase(settings);
        let read = Words(kinds).read(family, "socket", &mut settings);
        read.map(Settings).map_err(|error| error.to_string())
    };
    let name = Spanned::from("prove".to_owned());
    let middleware = Middleware {
        kind: Spanned::from("socket".to_owned()),
        settings: read(Family::Middleware, settings.clone())?,
    };
    plan.simulation.middlewares.insert(name.clone(), middleware);
    let output = read(Family::Output, json!({}))?;
    for robot in plan.simulation.robots.values_mut() {
        for sensor in robot.sensors.values_mut() {
            let output = Output {
                policy: None,
                settings: output.clone(),
            };
            sensor.outputs.insert(name.clone(), output);
        }
    }
    Ok(())
}

/// Returns the number of a port, by its purpose.
pub(super) fn port(simulation: &Simulation, what: &str) -> Option<u16> {
    let ports = simulation.ports();
    let port = ports.iter().find(|(_, known, _)| known == what);
    port.map(|(_, _, port)| *port)
}

/// Connected clients that have not started.
struct Clients {
    streams: Vec<Connection>,
    asking: Vec<Connection>,
    viewers: Vec<Connection>,
}

impl Clients {
    /// Connects to the open ports.
    fn of(simulation: &mut Simulation, count: usize) -> Result<Self, String> {
        let ports = simulation.ports();
        let named = |name: &str| ports.iter().find(|(_, what, _)| what == name);
        let open = |port: u16| (0..count.min(4)).map(|_| Connection::open(port)).collect();
        let is_stream = |what: &str| !["requests", "page", "sync"].contains(&what);
        let streams = ports.iter().filter(|(_, what, _)| is_stream(what));
        // Several clients per stream, if there are few streams.
        let streams = streams
            .cycle()
            .take(count)
            .map(|port| Connection::open(port.2));
        let mut clients = Self {
            streams: streams.collect::<Result<_, _>>()?,
            asking: named("requests").map_or(Ok(Vec::new()), |port| open(port.2))?,
            viewers: named("page").map_or(Ok(Vec::new()), |port| open(port.2))?,
        };
        for viewer in &mut clients.viewers {
            viewer.view()?;
        }
        if !clients.asking.is_empty() {
            clients.greet(simulation);
        }
        Ok(clients)
    }

    /// Waits until the clients have been accepted: a reply shows that all earlier clients have been, too.
    fn greet(&mut self, simulation: &mut Simulation) {
        let is_answered = AtomicBool::new(false);
        thread::scope(|scope| {
            let greeting = thread::Builder::new().name("greeting".to_owned());
            let greeted = greeting.spawn_scoped(scope, || {
                for client in &mut self.asking {
                    client.send_request();
                }
                is_answered.store(true, Ordering::Release);
            });
            while greeted.is_ok() && !is_answered.load(Ordering::Acquire) {
                simulation.serve(Duration::from_millis(1));
            }
        });
    }

    fn start<'s>(self, scope: &'s thread::Scope<'s, '_>) -> Result<Heard<'s>, String> {
        let mut heard = Heard::default();
        for connection in self.streams {
            heard.spawn(scope, "stream", move || connection.drain())?;
        }
        for connection in self.asking {
            heard.spawn(scope, "requests", move || connection.send_all())?;
        }
        for connection in self.viewers {
            heard.spawn(scope, "viewer", move || connection.watch())?;
        }
        Ok(heard)
    }
}

/// Running clients: each returns the amount of data that it received.
#[derive(Default)]
struct Heard<'s>(Vec<(&'static str, thread::ScopedJoinHandle<'s, usize>)>);

impl<'s> Heard<'s> {
    fn spawn(
        &mut self,
        scope: &'s thread::Scope<'s, '_>,
        name: &'static str,
        work: impl FnOnce() -> usize + Send + 's,
    ) -> Result<(), String> {
        let thread = thread::Builder::new().name(name.to_owned());
        let thread = thread.spawn_scoped(scope, work);
        self.0
            .push((name, thread.map_err(|error| error.to_string())?));
        Ok(())
    }

    /// Checks that all types of clients received data; otherwise the check would prove nothing.
    fn are_all_served(self) -> Result<(), String> {
        let heard: Vec<(&str, usize)> = self
            .0
            .into_iter()
            .map(|(name, thread)| (name, thread.join().unwrap_or(0)))
            .collect();
        for name in ["stream", "requests", "viewer"] {
            let mut own = heard.iter().filter(|(known, _)| *known == name);
            let count: usize = own.clone().map(|(_, count)| count).sum();
            if own.next().is_some() && count == 0 {
                return Err(format!("no client of the sort {name} heard anything"));
            }
        }
        Ok(())
    }
}

/// A profiler without other observers.
struct Timing(Option<Profiler>);

impl Watch for Timing {
    fn tick(&mut self, _: &mut Simulation) -> Result<(), Failure> {
        Ok(())
    }

    fn end(&mut self, simulation: &mut Simulation) -> Result<(), Failure> {
        if let Some(profiler) = &self.0 {
            drop(profiler.read(simulation));
        }
        Ok(())
    }
}
