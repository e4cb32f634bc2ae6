//! D9: the data of a sensor do not depend on which other sensors and robots exist, nor on their order.
use std::{collections::BTreeMap, fmt::Write as _};

use bevy::reflect::structs::Struct;
use morse_api::{fields, random::Random, state::StateHasher};

use super::{
    Figure, Figures,
    bench::{Bench, Scene, step},
};
use morse_sim::simulation::{Simulation, load::Plan};

/// Simulated duration of the runs of the world in this file, s.
const LENGTH: u64 = 60;

/// Sensors of the tested rover, with noise of several kinds.
const KEPT: [(&str, &str); 5] = [
    (
        "gps",
        r#"kind: "gps", level: raw, frequency: 10, modifiers: [(kind: "gps_noise", sigma: (0.5, 0.5, 1))]"#,
    ),
    (
        "imu",
        r#"kind: "imu", modifiers: [(kind: "imu_noise", gyro_sigma: 0.01, accel_sigma: 0.05)]"#,
    ),
    (
        "odometry",
        r#"kind: "odometry", frequency: 20, modifiers: [(kind: "gaussian", sigma: 0.01)]"#,
    ),
    (
        "pose",
        r#"kind: "pose", frequency: 30, modifiers: [(kind: "position_noise", sigma: (0.1, 0.1, 0.1))]"#,
    ),
    (
        "turns",
        r#"kind: "gyroscope", frequency: 30, modifiers: [(kind: "random_walk", sigma: 0.1), (kind: "dropout", probability: 0.2)]"#,
    ),
];

/// Sensors that are added and removed.
const OTHERS: [&str; 6] = [
    r#"kind: "pose", modifiers: [(kind: "gaussian", sigma: 0.1)]"#,
    r#"kind: "velocity", frequency: 15, modifiers: [(kind: "bias", sigma: 0.05)]"#,
    r#"kind: "imu", frequency: 20, modifiers: [(kind: "imu_noise")]"#,
    r#"kind: "gps", level: raw, frequency: 5, modifiers: [(kind: "gps_noise")]"#,
    r#"kind: "laser_scanner", frequency: 5, mount: (translation: (0.45, 0, 0.5)), modifiers: [(kind: "gaussian", sigma: 0.02)]"#,
    r#"kind: "odometry", frequency: 10, modifiers: [(kind: "odometry_noise", factor: 1.05)]"#,
];

pub(super) fn check(bench: &Bench) -> Figures {
    let mut figures = vec![worlds(bench)?];
    for scene in &bench.scenes {
        figures.push(without(bench, scene)?);
    }
    Ok(figures)
}

/// Hash of all readings of each sensor.
type Readings = BTreeMap<String, u128>;

/// Runs, and hashes the data of the sensors with these paths, tick by tick.
fn record(mut simulation: Simulation, ticks: u64, paths: &[String]) -> Result<Readings, String> {
    let mut chains: Readings = paths.iter().map(|path| (path.clone(), 0)).collect();
    let mut hasher = StateHasher::default();
    for _ in 0..ticks {
        step(&mut simulation)?;
        for (path, chain) in &mut chains {
            hasher.bytes(&chain.to_le_bytes());
            // Before its first measurement a sensor has no data.
            if let Ok(reading) = simulation.read_any(path) {
                add(&mut hasher, reading);
            }
            *chain = hasher.finish();
        }
    }
    Ok(chains)
}

fn add(hasher: &mut StateHasher, reading: &dyn Struct) {
    for (_, value) in reading.iter_fields() {
        fields::hash(value, hasher);
    }
}

/// Returns the sensors whose data differ.
fn differing(usual: &Readings, other: &Readings) -> Vec<String> {
    let differing = usual
        .iter()
        .filter(|(path, hash)| other.get(*path) != Some(*hash));
    differing.map(|(path, _)| path.clone()).collect()
}

fn worlds(bench: &Bench) -> Result<Figure, String> {
    let paths = KEPT.map(|(name, _)| format!("rover.{name}"));
    let read = |text: &str| -> Result<Readings, String> {
        record(bench.build(bench.parse(text, 5)?)?, LENGTH, &paths)
    };
    let usual = read(&world(None))?;
    let count = bench.size.others;
    let mut wrong = Vec::new();
    for number in 1..=count {
        let mut random = Random::new(number as u64, "world", "others");
        let differing = differing(&usual, &read(&world(Some(&mut random)))?);
        if !differing.is_empty() {
            wrong.push(format!("world {number}: {}", differing.join(", ")));
        }
    }
    let figure = format!(
        "a rover with 5 noisy sensors: worlds with other sensors and robots, {LENGTH} ticks"
    );
    Ok(Figure::alike(figure, "the same readings", wrong, count))
}

/// Returns a world with the rover, and with other random sensors and robots if there is a generator.
fn world(random: Option<&mut Random>) -> String {
    let mut sensors: Vec<(String, &str)> = KEPT.map(|(name, text)| (name.to_owned(), text)).into();
    let mut robots = String::new();
    if let Some(random) = random {
        for number in 0..below(random, 6) {
            // Named before and after the other ones.
            let first = if below(random, 2) == 0 { "a" } else { "z" };
            let index = below(random, sensors.len() + 1);
            let kind = OTHERS.get(below(random, OTHERS.len())).copied();
            sensors.insert(
                index,
                (format!("{first}{number}"), kind.unwrap_or_default()),
            );
        }
        for number in 0..below(random, 4) {
            let first = if below(random, 2) == 0 {
                "alpha"
            } else {
                "zulu"
            };
            let (x, y) = (-12 + 6 * number as i64, 15);
            let kind = OTHERS.get(below(random, OTHERS.len())).copied();
            let kind = kind.unwrap_or_default();
            writeln!(
                robots,
                r#""{first}{number}": (model: "robots/atrv.robray", at: (translation: ({x}, {y}, 0.1)),
                    sensors: {{ "eye": ({kind}) }},
                    actuators: {{ "motion": (kind: "v_omega", start: (v: 0.3, w: 0.4)) }}),"#
            )
            .ok();
        }
        // In random order.
        for index in (1..sensors.len()).rev() {
            sensors.swap(index, below(random, index + 1));
        }
    }
    let mut text = String::new();
    for (name, kind) in sensors {
        writeln!(text, r#""{name}": ({kind}),"#).ok();
    }
    format!(
        r#"Simulation(
            scene: "environments/empty.robray",
            environment: (rate: 60, origin: (latitude: 43.6, longitude: 1.4333, altitude: 135)),
            robots: {{
                {robots}
                "rover": (model: "robots/atrv.robray", at: (translation: (0, -10, 0.1)), sensors: {{ {text} }},
                    actuators: {{ "motion": (kind: "v_omega", start: (v: 0.5, w: 0.2)) }}),
            }},
        )"#
    )
}

/// Returns a random number below another one.
fn below(random: &mut Random, end: usize) -> usize {
    ((random.uniform() * end as f64) as usize).min(end.saturating_sub(1))
}

/// Removes about half of the sensors of a scene at a time: the data of the others do not change.
fn without(bench: &Bench, scene: &Scene) -> Result<Figure, String> {
    let ticks = scene.ticks(bench.size.short);
    let plan = bench.plan(scene, 1)?;
    let usual = record(bench.build(plan.clone())?, ticks, &sensors(&plan))?;
    let count = (bench.size.others / 5).max(2);
    let (mut wrong, mut made) = (Vec::new(), 0);
    for number in 1..=count {
        let mut random = Random::new(number as u64, &scene.name, "without");
        let mut fewer = plan.clone();
        for robot in fewer.simulation.robots.values_mut() {
            robot.sensors.retain(|_, _| below(&mut random, 2) == 0);
        }
        let left = sensors(&fewer);
        // A world cannot be built if a sensor requires another one that has been removed.
        let Ok(simulation) = bench.build(fewer) else {
            continue;
        };
        made += 1;
        let other = record(simulation, ticks, &left)?;
        let usual = usual.iter().filter(|(path, _)| left.contains(*path));
        let usual = usual.map(|(path, hash)| (path.clone(), *hash)).collect();
        let differing = differing(&usual, &other);
        if !differing.is_empty() {
            wrong.push(format!("choice {number}: {}", differing.join(", ")));
        }
    }
    let figure = format!("{}: without half of its sensors, {ticks} ticks", scene.name);
    let mut figure = Figure::alike(figure, "the same readings", wrong, made);
    if made == 0 {
        // All sensors require each other.
        figure.met = None;
    }
    Ok(figure)
}

fn sensors(plan: &Plan) -> Vec<String> {
    let mut paths = Vec::new();
    for instance in plan.simulation.expand() {
        let names = instance.robot.sensors.keys();
        paths.extend(names.map(|name| format!("{}.{}", instance.name, name.value)));
    }
    paths
}
