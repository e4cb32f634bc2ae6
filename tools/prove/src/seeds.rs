//! D10: each seed yields a different run, and noise has its declared standard deviation.
use std::collections::BTreeMap;

use morse_api::{
    component::ComponentPath,
    fields::to_json,
    kind::{KindOf, Kinds},
    state::InPathOrder,
};
use serde_json::Value as Json;

use super::{
    Figure, Figures,
    bench::{Bench, step},
};
use morse_sim::simulation::Simulation;

/// Ticks of a run with a seed.
const TICKS: u64 = 3;

/// Fields with their declared standard deviation.
const DECLARED: [(&str, &str, &[f64]); 5] = [
    ("rover.pose", "x", &[0.1]),
    ("rover.pose", "z", &[0.3]),
    ("rover.gps", "x", &[0.5]),
    ("rover.imu", "angular_velocity", &[0.01, 0.01, 0.01]),
    ("rover.imu", "linear_acceleration", &[0.05, 0.05, 0.05]),
];

const WORLD: &str = r#"Simulation(
    environment: (rate: 100, gravity: (0, 0, 0), origin: (latitude: 43.6, longitude: 1.4333, altitude: 135)),
    robots: { "rover": (model: "robots/fake_robot.robray", base: kinematic, sensors: {
        "pose": (kind: "pose", modifiers: [(kind: "position_noise", sigma: (0.1, 0.2, 0.3))]),
        "gps": (kind: "gps", level: simple, modifiers: [(kind: "gps_noise", sigma: (0.5, 0.5, 1))]),
        "imu": (kind: "imu", modifiers: [(kind: "imu_noise", gyro_sigma: 0.01, accel_sigma: 0.05)]),
    }) },
)"#;

pub(super) fn check(bench: &Bench) -> Figures {
    let mut figures = vec![apart(bench)?];
    figures.extend(noise(bench)?);
    Ok(figures)
}

fn apart(bench: &Bench) -> Result<Figure, String> {
    let count = bench.size.seeds;
    let mut seeds: BTreeMap<u128, u64> = BTreeMap::new();
    let mut twins = Vec::new();
    for seed in 1..=count {
        let mut simulation = bench.build(bench.parse(WORLD, seed)?)?;
        for _ in 0..TICKS {
            step(&mut simulation)?;
        }
        if let Some(twin) = seeds.insert(simulation.state_hash(), seed) {
            twins.push(format!("seeds {twin} and {seed} have one hash"));
        }
    }
    Ok(Figure {
        figure: format!("seeds 1 to {count}, {TICKS} ticks"),
        target: format!("{count} hashes"),
        measured: format!("{} hashes", seeds.len()),
        met: Some(twins.is_empty()),
        notes: twins,
    })
}

/// Sums over the errors of a number.
#[derive(Clone, Debug, Default)]
struct Errors {
    count: f64,
    sum: f64,
    squares: f64,
    /// Sum of the products of each error with the previous one.
    products: f64,
    last: f64,
}

impl Errors {
    fn add(&mut self, error: f64) {
        self.count += 1.0;
        self.sum += error;
        self.squares += error * error;
        self.products += error * self.last;
        self.last = error;
    }

    /// Returns mean, standard deviation and correlation with the previous error, each as a deviation from the expected value
    /// in standard deviations of the estimate, for a normal distribution.
    fn off(&self, sigma: f64) -> [(&'static str, f64); 3] {
        let root = self.count.sqrt();
        let deviation = (self.squares / self.count).sqrt();
        [
            ("mean", self.sum / self.count / (sigma / root)),
            (
                "standard deviation",
                (deviation - sigma) / (sigma / (2.0 * self.count).sqrt()),
            ),
            ("correlation", self.products / self.squares * root),
        ]
    }
}

fn noise(bench: &Bench) -> Figures {
    let count = bench.size.draws;
    let mut simulation = bench.build(bench.parse(WORLD, 20)?)?;
    let mut errors: Vec<Vec<Errors>> = DECLARED
        .iter()
        .map(|(_, _, sigmas)| vec![Errors::default(); sigmas.len()])
        .collect();
    for _ in 0..count {
        step(&mut simulation)?;
        for ((path, field, _), errors) in DECLARED.iter().zip(&mut errors) {
            let differences = difference(&simulation, path, field);
            let differences = differences.ok_or_else(|| format!("`{path}` has no `{field}`"))?;
            for (errors, error) in errors.iter_mut().zip(differences) {
                errors.add(error);
            }
        }
    }
    let figures = DECLARED
        .iter()
        .zip(&errors)
        .map(|((path, field, sigmas), errors)| {
            let mut worst = 0.0_f64;
            let mut wrong = Vec::new();
            for (errors, sigma) in errors.iter().zip(*sigmas) {
                for (what, off) in errors.off(*sigma) {
                    worst = worst.max(off.abs());
                    if off.abs() > MOST {
                        wrong.push(format!("{what}: {off:.1} of its own σ away"));
                    }
                }
            }
            Figure {
                figure: format!(
                    "noise of {path}.{field}, {count} measurements: mean, σ and correlation"
                ),
                target: format!("within {} σ of what is declared", MOST),
                measured: format!("{worst:.2} σ at most"),
                met: Some(wrong.is_empty()),
                notes: wrong,
            }
        });
    Ok(figures.collect())
}

/// Maximum deviation, in standard deviations of the estimate. The seed is constant, so that a check that passed once passes
/// again.
const MOST: f64 = 3.0;

/// Returns the error that the modifiers of a sensor added to a field.
fn difference(simulation: &Simulation, path: &str, field: &str) -> Option<Vec<f64>> {
    let world = simulation.world();
    let order = &world.resource::<InPathOrder>().0;
    let is_it = |path_of: &ComponentPath| &*path_of.0 == path;
    let mut entities = order.iter().copied();
    let entity = entities.find(|&entity| world.get::<ComponentPath>(entity).is_some_and(is_it))?;
    let kind = world.get::<KindOf>(entity)?.0;
    let kind = world.resource::<Kinds>().sensors.get(kind)?;
    let read =
        |data: &dyn bevy::reflect::structs::Struct| Some(numbers(&to_json(data.field(field)?)));
    let local = read((kind.local)(world, entity)?)?;
    let modified = read((kind.modified)(world, entity)?)?;
    let pairs = modified.iter().zip(&local);
    Some(pairs.map(|(modified, local)| modified - local).collect())
}

fn numbers(value: &Json) -> Vec<f64> {
    match value {
        Json::Array(all) => all.iter().filter_map(Json::as_f64).collect(),
        other => other.as_f64().into_iter().collect(),
    }
}
