//! D8: the delays of clients that control the ticks do not change the results.
use std::{thread, time::Duration};

use morse_api::{port::Policy, random::Random};
use serde_json::json;

use super::{
    Figure, Figures,
    bench::{Bench, Scene},
    clients::Connection,
    observers::{connect, port, run},
};
use morse_sim::{
    run::{Pace, clock::Stopwatch},
    simulation::Simulation,
};

/// Timeout of a client.
const TIMEOUT: Duration = Duration::from_secs(30);

pub(super) fn check(bench: &Bench) -> Figures {
    let ticks = bench.size.held_ticks;
    let mut figures = Vec::new();
    for scene in &bench.scenes {
        let usual = bench.undisturbed(scene, ticks)?.pop();
        let usual = format!("{:032x}", usual.unwrap_or_default());
        let procedures: [(&str, Procedure); 2] = [
            ("a client at the sync port", by_permits),
            ("an observer in lockstep", by_readings),
        ];
        for (name, procedure) in procedures {
            let mut wrong = Vec::new();
            for number in 1..=bench.size.held {
                let random = Random::new(number as u64, &scene.name, name);
                let delays = Delays {
                    random,
                    most: bench.size.patience,
                };
                let Some(Held { hash, is_held }) = procedure(bench, scene, ticks, delays)? else {
                    continue;
                };
                if hash != usual {
                    wrong.push(format!("run {number}: {hash} instead of {usual}"));
                }
                if !is_held {
                    wrong.push(format!("run {number}: the ticks did not wait"));
                }
            }
            let most = bench.size.patience;
            let figure = format!(
                "{}: {name} that answers within 0 to {most} ms, {ticks} ticks",
                scene.name
            );
            figures.push(Figure::alike(
                figure,
                "the hash without any",
                wrong,
                bench.size.held,
            ));
        }
    }
    Ok(figures)
}

/// A run that a client controlled.
struct Held {
    hash: String,
    /// True if the ticks waited for the client.
    is_held: bool,
}

/// Makes a run that a client controls; `None` if that is not possible.
type Procedure = fn(&Bench, &Scene, u64, Delays) -> Result<Option<Held>, String>;

/// Random delays of a client.
struct Delays {
    random: Random,
    /// Maximum delay, ms.
    most: f64,
}

impl Delays {
    /// Waits for a random delay.
    fn wait(&mut self) {
        let seconds = self.random.uniform() * self.most * 1e-3;
        thread::sleep(Duration::from_secs_f64(seconds));
    }
}

fn by_permits(
    bench: &Bench,
    scene: &Scene,
    ticks: u64,
    mut delays: Delays,
) -> Result<Option<Held>, String> {
    let least = 0.25 * ticks as f64 * 0.5e-3 * delays.most;
    let mut plan = bench.plan(scene, 1)?;
    let settings = json!({ "port": 0, "streams": 0, "time_sync": true, "sync_port": 0 });
    connect(&mut plan, &bench.kinds, &settings)?;
    let mut simulation = bench.build(plan)?;
    let sync = port(&simulation, "sync").ok_or("there is no sync port")?;
    let mut client = Connection::open(sync)?;
    let held = || {
        simulation.serve(Duration::from_millis(1));
        simulation.is_held()
    };
    if !std::iter::repeat_with(held).take(5000).any(|held| held) {
        return Err("the client at the sync port does not hold the ticks".to_owned());
    }
    thread::scope(|scope| {
        // Two permits that arrive together count as one, so permits are sent until the connection is closed.
        let permits = move || {
            while client.send(b"x") {
                delays.wait();
            }
        };
        let thread = thread::Builder::new().name("permits".to_owned());
        let thread = thread.spawn_scoped(scope, permits);
        thread.map_err(|error| error.to_string())?;
        let watch = Stopwatch::start();
        let hash = run(simulation, ticks, Pace::Max, &mut ())?;
        let is_held = watch.seconds() >= least;
        Ok(Some(Held { hash, is_held }))
    })
}

fn by_readings(
    bench: &Bench,
    scene: &Scene,
    ticks: u64,
    mut delays: Delays,
) -> Result<Option<Held>, String> {
    let mut simulation = bench.open(scene)?;
    let Some(sensor) = first_sensor(&mut simulation) else {
        return Ok(None);
    };
    let observer = simulation.observe(&sensor, Policy::Lockstep(TIMEOUT));
    let observer = observer.map_err(|error| error.to_string())?;
    thread::scope(|scope| {
        let look = move || {
            loop {
                delays.wait();
                observer.assert_ready();
                if observer.recv().is_none() {
                    return observer.drops() == (0, 0);
                }
            }
        };
        let thread = thread::Builder::new().name("lockstep".to_owned());
        let thread = thread.spawn_scoped(scope, look);
        let thread = thread.map_err(|error| error.to_string())?;
        let hash = run(simulation, ticks, Pace::Max, &mut ())?;
        // Every reading waited until it was requested.
        let is_held = thread.join().map_err(|_panic| "the observer panicked")?;
        Ok(Some(Held { hash, is_held }))
    })
}

fn first_sensor(simulation: &mut Simulation) -> Option<String> {
    let paths = simulation.paths();
    let is_sensor = |path: &String| simulation.observe(path, Policy::Latest).is_ok();
    paths.into_iter().find(is_sensor)
}
