//! D6: a reset equals a fresh start, a restored snapshot continues as the original, a fork runs as its origin, and snapshots
//! are the same bytes.
use morse_api::random::Random;
use serde_json::Value as Json;

use super::{
    Figure, Figures,
    bench::{Bench, Scene, step},
};
use morse_sim::simulation::{Simulation, state::Snapshot};

/// Maximum number of ticks between two resets.
const STRETCH: u64 = 40;

pub(super) fn check(bench: &Bench) -> Figures {
    let mut figures = Vec::new();
    for scene in &bench.scenes {
        let ticks = scene.ticks(bench.size.short);
        let hashes = bench.undisturbed(scene, ticks)?;
        figures.push(resets(bench, scene, &hashes)?);
        figures.push(restored(bench, scene, &hashes)?);
        figures.push(forks(bench, scene, &hashes)?);
        figures.push(bytes(bench, scene, ticks)?);
    }
    Ok(figures)
}

/// Returns a random number of ticks from 1 to `most`.
fn some(random: &mut Random, most: u64) -> u64 {
    1 + (random.uniform() * most as f64) as u64
}

fn last(hashes: &[u128]) -> u64 {
    hashes.len() as u64 - 1
}

fn is_on_track(simulation: &Simulation, hashes: &[u128]) -> bool {
    let known = usize::try_from(simulation.tick()).ok();
    let known = known.and_then(|tick| hashes.get(tick));
    known == Some(&simulation.state_hash())
}

/// Continues for a number of ticks, or to the end; returns the first tick whose hash differs.
fn follow(simulation: &mut Simulation, hashes: &[u128], ticks: u64) -> Result<Option<u64>, String> {
    let end = (simulation.tick() + ticks).min(last(hashes));
    while simulation.tick() < end {
        step(simulation)?;
        if !is_on_track(simulation, hashes) {
            return Ok(Some(simulation.tick()));
        }
    }
    Ok(None)
}

fn resets(bench: &Bench, scene: &Scene, hashes: &[u128]) -> Result<Figure, String> {
    let count = bench.size.resets;
    let mut random = Random::new(1, &scene.name, "resets");
    let mut simulation = bench.open(scene)?;
    let mut wrong = Vec::new();
    let most = last(hashes).min(STRETCH);
    for number in 1..=count {
        for _ in 0..some(&mut random, most) {
            step(&mut simulation)?;
        }
        let before = simulation.tick();
        simulation.reset().map_err(|error| error.to_string())?;
        let parted = follow(&mut simulation, hashes, most)?;
        if let Some(tick) = parted {
            wrong.push(format!(
                "reset {number}, after tick {before}: another tick {tick}"
            ));
        }
    }
    let figure = format!("{}: resets after 1 to {most} ticks and more", scene.name);
    Ok(Figure::alike(figure, "as a fresh start", wrong, count))
}

fn restored(bench: &Bench, scene: &Scene, hashes: &[u128]) -> Result<Figure, String> {
    let count = bench.size.resets;
    let mut random = Random::new(2, &scene.name, "snapshots");
    let mut simulation = bench.open(scene)?;
    let start = simulation.snapshot().map_err(|error| error.to_string())?;
    let mut wrong = Vec::new();
    let stretch = (last(hashes) / 3).clamp(1, STRETCH);
    for number in 1..=count {
        if simulation.tick() + 2 * stretch > last(hashes) {
            simulation
                .restore(&start)
                .map_err(|error| error.to_string())?;
        }
        follow(&mut simulation, hashes, some(&mut random, stretch))?;
        let at = simulation.tick();
        let snapshot = through_text(&simulation)?;
        for _ in 0..some(&mut random, stretch) {
            step(&mut simulation)?;
        }
        simulation
            .restore(&snapshot)
            .map_err(|error| error.to_string())?;
        let parted = match simulation.tick() == at && is_on_track(&simulation, hashes) {
            true => follow(&mut simulation, hashes, stretch)?,
            false => Some(at),
        };
        if let Some(tick) = parted {
            wrong.push(format!(
                "snapshot {number}, of tick {at}: another tick {tick}"
            ));
            // From here on all hashes would differ.
            simulation = bench.open(scene)?;
        }
    }
    let figure = format!("{}: snapshots of random ticks restored", scene.name);
    Ok(Figure::alike(figure, "as if uninterrupted", wrong, count))
}

/// Returns a snapshot that was written and read again.
fn through_text(simulation: &Simulation) -> Result<Snapshot, String> {
    let snapshot = simulation.snapshot().map_err(|error| error.to_string())?;
    let text = serde_json::to_string(&snapshot).map_err(|error| error.to_string())?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

fn forks(bench: &Bench, scene: &Scene, hashes: &[u128]) -> Result<Figure, String> {
    let count = (bench.size.resets / 10).max(2);
    let mut random = Random::new(3, &scene.name, "forks");
    let mut wrong = Vec::new();
    for number in 1..=count {
        let mut origin = bench.open(scene)?;
        for _ in 0..some(&mut random, last(hashes) - 1) {
            step(&mut origin)?;
        }
        let at = origin.tick();
        let mut fork = bench.open(scene)?;
        let snapshot = through_text(&origin)?;
        fork.restore(&snapshot).map_err(|error| error.to_string())?;
        let paths = origin.paths();
        for _ in 0..last(hashes) - at {
            intervene(&mut random, &paths, [&mut origin, &mut fork]);
            step(&mut origin)?;
            step(&mut fork)?;
            if origin.state_hash() != fork.state_hash() {
                let tick = origin.tick();
                wrong.push(format!("fork {number}, at tick {at}: another tick {tick}"));
                break;
            }
        }
    }
    let figure = format!(
        "{}: forks into a second world, with equal input",
        scene.name
    );
    Ok(Figure::alike(
        figure,
        "as its origin, each tick",
        wrong,
        count,
    ))
}

/// Occasionally switches a component on or off, in both worlds: the external inputs are the same.
fn intervene(random: &mut Random, paths: &[String], worlds: [&mut Simulation; 2]) {
    let service = if random.uniform() < 0.5 {
        "activate"
    } else {
        "deactivate"
    };
    let index = some(random, paths.len() as u64) - 1;
    let path = usize::try_from(index)
        .ok()
        .and_then(|index| paths.get(index));
    if let (Some(path), true) = (path, random.uniform() < 0.3) {
        for world in worlds {
            // Bodies and joints cannot be switched, and return an error.
            world.call(path, service, &Json::Null);
        }
    }
}

fn bytes(bench: &Bench, scene: &Scene, ticks: u64) -> Result<Figure, String> {
    let snapshot = |threads| -> Result<String, String> {
        let mut simulation = bench.build(bench.plan(scene, threads)?)?;
        for _ in 0..ticks {
            step(&mut simulation)?;
        }
        let snapshot = simulation.snapshot().map_err(|error| error.to_string())?;
        serde_json::to_string(&snapshot).map_err(|error| error.to_string())
    };
    let one = snapshot(1)?;
    let threads = [2, 3, 4];
    let mut wrong = Vec::new();
    for threads in threads {
        if snapshot(threads)? != one {
            wrong.push(format!("{threads} threads: other bytes"));
        }
    }
    let figure = format!("{}: snapshots with 2 to 4 threads", scene.name);
    Ok(Figure::alike(
        figure,
        "the bytes of 1 thread",
        wrong,
        threads.len(),
    ))
}
