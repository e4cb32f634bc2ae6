//! Regression test of every shipped scene: the readings of all sensors and the poses of all bodies after a while, to four
//! decimals.
//!
//! After an intended change, `UPDATE_GOLDEN=1 cargo test` writes `tests/golden/runs` again; review the difference.
#![cfg(test)]

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use morse_api::{
    body::BodyKind,
    fields::{Value, to_json, view},
    kind::{Described, Kinds},
    samples::AnySamples,
};
use morse_sim::{
    Simulation,
    simulation::{
        kinds,
        load::{Options, load},
        no_extensions,
    },
};
use serde_json::Value as Json;

/// Longer lists are summarised.
const LONGEST_LIST: usize = 12;
/// For scenes with many robots the first lines are sufficient.
const MOST_LINES: usize = 60;

/// Returns all simulation files below `scenes`, sorted.
pub(crate) fn scenes() -> Vec<PathBuf> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ron") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Returns a shipped scene without its middlewares.
pub(crate) fn open(scene: &Path) -> Simulation {
    let mut plan = load(scene, &Options::default(), &kinds(&no_extensions))
        .unwrap_or_else(|report| panic!("{report}"));
    plan.simulation.disconnect();
    Simulation::build(plan, &no_extensions).unwrap_or_else(|error| panic!("{error}"))
}

fn rounded(number: f64) -> Json {
    // Adding zero removes the sign of a negative zero.
    ((number * 1e4).round() / 1e4 + 0.0).into()
}

/// Rounds to four decimals, and summarises long lists of numbers.
fn short(value: Json) -> Json {
    match value {
        Json::Number(number) if number.is_f64() => rounded(number.as_f64().unwrap_or_default()),
        Json::Array(items) if items.len() > LONGEST_LIST => {
            let numbers = items.iter().filter_map(Json::as_f64);
            let least = numbers.clone().fold(f64::INFINITY, f64::min);
            let sum: f64 = numbers.sum();
            if least.is_finite() {
                serde_json::json!({ "items": items.len(), "least": rounded(least), "sum": rounded(sum) })
            } else {
                serde_json::json!({ "items": items.len() })
            }
        }
        Json::Array(items) => items.into_iter().map(short).collect(),
        Json::Object(fields) => Json::Object(
            fields
                .into_iter()
                .map(|(name, value)| (name, short(value)))
                .collect(),
        ),
        other => other,
    }
}

/// Summarises pixels and points: their number, and the mean of the finite ones.
fn summed_up(samples: &dyn AnySamples) -> Json {
    let bytes = samples.bytes();
    let numbers: Vec<f64> = match samples.number() {
        "u8" => bytes.iter().map(|&byte| f64::from(byte)).collect(),
        "u16" => {
            let pairs = bytes.as_chunks::<2>().0.iter();
            pairs
                .map(|pair| f64::from(u16::from_ne_bytes(*pair)))
                .collect()
        }
        "f32" => {
            let quads = bytes.as_chunks::<4>().0.iter();
            quads
                .map(|quad| f64::from(f32::from_ne_bytes(*quad)))
                .collect()
        }
        other => panic!("{other}"),
    };
    let finite: Vec<f64> = numbers
        .into_iter()
        .filter(|number| number.is_finite())
        .collect();
    let mean = finite.iter().sum::<f64>() / finite.len().max(1) as f64;
    let rounded = (mean * 100.0).round() / 100.0;
    serde_json::json!({ "items": samples.count(), "finite": finite.len(), "mean": rounded + 0.0 })
}

fn tell_bodies(simulation: &Simulation, out: &mut String) {
    for (name, &entity) in &simulation.scene().bodies {
        if simulation.world().get::<BodyKind>(entity) == Some(&BodyKind::Fixed) {
            continue;
        }
        let pose = simulation.body(name).unwrap().pose;
        let numbers = pose
            .translation
            .vector
            .iter()
            .chain(pose.rotation.coords.iter());
        let numbers: Vec<String> = numbers.map(|&number| rounded(number).to_string()).collect();
        writeln!(out, "body {name}: {}", numbers.join(" ")).unwrap();
    }
}

fn tell_sensors(simulation: &Simulation, out: &mut String) {
    let world = simulation.world();
    let kinds = world.resource::<Kinds>();
    for path in simulation.paths() {
        let Some(entity) = morse_api::service::find(world, &path) else {
            continue;
        };
        let Some(described) = world.get::<Described>(entity) else {
            continue;
        };
        let kind = kinds.sensors[described.0.kind];
        let Some(data) = (kind.modified)(world, entity) else {
            writeln!(out, "{path}: nothing yet").unwrap();
            continue;
        };
        let fields = described.0.fields.0.iter().map(|field| {
            let value = data.field_at(field.index).unwrap();
            let value = match view(value) {
                Value::Samples(samples) => summed_up(samples),
                _ => short(to_json(value)),
            };
            format!("{} {value}", field.name)
        });
        let fields: Vec<String> = fields.collect();
        writeln!(out, "{path}: {}", fields.join(", ")).unwrap();
    }
}

#[test]
fn every_scene_ends_where_it_did() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/runs");
    let updates = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut wrong = Vec::new();
    let mut names = std::collections::BTreeSet::new();
    for scene in scenes() {
        let is_new = names.insert(scene.file_stem().map(ToOwned::to_owned));
        assert!(is_new, "two scenes are called {}", scene.display());
        let mut simulation = open(&scene);
        let seconds = match simulation.scene().bodies.len() {
            0..=40 => 3.0,
            41..=150 => 0.2,
            _ => 0.1,
        };
        let ticks = (seconds * simulation.clock().rate) as u64;
        simulation.run(ticks).expect("no observer to be lost");
        let mut state = format!("after {ticks} ticks\n");
        tell_bodies(&simulation, &mut state);
        tell_sensors(&simulation, &mut state);
        let state: String = state
            .lines()
            .take(MOST_LINES)
            .map(|line| format!("{line}\n"))
            .collect();
        let name = scene.file_stem().unwrap().to_string_lossy();
        let file = golden.join(format!("{name}.txt"));
        if updates {
            fs::create_dir_all(&golden).unwrap();
            fs::write(&file, &state).unwrap();
        }
        let expected = fs::read_to_string(&file).unwrap_or_default();
        if state != expected {
            wrong.push(format!("{name}\nexpected:\n{expected}found:\n{state}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_kind_is_at_work_in_a_scene() {
    let mut used = std::collections::BTreeSet::new();
    for scene in scenes() {
        let text = fs::read_to_string(scene).unwrap();
        let sections = text.split("kind: \"").skip(1);
        used.extend(sections.filter_map(|rest| rest.split('"').next().map(str::to_owned)));
    }
    let kinds = kinds(&no_extensions);
    let words = kinds
        .sensors
        .keys()
        .chain(kinds.actuators.keys())
        .chain(kinds.modifiers.keys());
    let idle: Vec<&&str> = words.filter(|word| !used.contains(**word)).collect();
    assert!(idle.is_empty(), "no scene shows {idle:?}");
}
