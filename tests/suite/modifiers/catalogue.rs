//! Every modifier on every sensor that it fits, and the faults on every sensor with data to modify.
//!
//! The sensors are those of the shipped scenes. Beside each sensor there are copies of it, each with one modifier.
use std::collections::{BTreeMap, BTreeSet};

use morse_api::{
    fields::{Fields, data_to_json},
    kind::{Described, Kinds},
    service::find,
};
use morse_sim::{
    Simulation,
    scene::simulation::model::{Modifier, Origin, Robot, Sensor, Settings},
    simulation::{
        kinds,
        load::{Options, load},
        no_extensions,
    },
};
use serde_json::Value as Json;

use super::fits;
use crate::golden_runs::scenes;

/// Modifiers with required settings.
const SETTINGS: [(&str, &str); 4] = [
    ("saturation", r#"{ "max": 1 }"#),
    ("spike", r#"{ "probability": 1, "size": 3 }"#),
    ("bias_jump", r#"{ "size": 3 }"#),
    ("freeze", r#"{ "from": 0.095 }"#),
];
/// Time from which on `freeze` repeats the data, s: just before ticks of all rates.
const FROZEN: f64 = 0.095;
/// Sensors without a field.
const EMPTY: [&str; 2] = ["clock", "stereo_unit"];
/// Sensors without numeric measurements: flags, and names of objects.
const NUMBERLESS: [&str; 4] = ["clock", "collision", "segmentation_camera", "stereo_unit"];

/// A sensor with copies.
struct Original {
    kind: String,
    path: String,
    /// The modifiers of its copies, which also name the copies.
    modifiers: Vec<&'static str>,
}

/// Returns a modifier as read from a simulation file.
fn modifier(kinds: &Kinds, word: &str) -> Modifier {
    let known = SETTINGS.iter().find(|(known, _)| *known == word);
    let text = known.map_or("{}", |(_, text)| *text);
    let mut source = serde_json::Deserializer::from_str(text);
    let read = kinds.modifiers[word].about.read;
    let settings = read(&mut <dyn erased_serde::Deserializer>::erase(&mut source));
    Modifier {
        kind: word.to_owned().into(),
        settings: Settings(settings.expect("settings")),
    }
}

/// Returns a shipped scene with copies of the sensors of kinds that no previous scene has.
fn with_copies(
    scene: &std::path::Path,
    words: &[&'static str],
    done: &mut BTreeSet<String>,
) -> Option<(Simulation, Vec<Original>)> {
    let kinds = kinds(&no_extensions);
    let mut plan =
        load(scene, &Options::default(), &kinds).unwrap_or_else(|report| panic!("{report}"));
    plan.simulation.disconnect();
    let origin = Origin {
        latitude: 43.6,
        longitude: 1.4333,
        altitude: 135.0,
        angle_against_north: 90.0,
    };
    plan.simulation.environment.origin.get_or_insert(origin);
    let mut originals = Vec::new();
    // Robots with `repeat` have other names.
    let single = |robot: &&mut Robot| robot.repeat.is_none();
    let robots = plan.simulation.robots.iter_mut();
    for (robot_name, robot) in robots.filter(|(_, robot)| single(robot)) {
        let mut copies = BTreeMap::new();
        for (name, sensor) in &mut robot.sensors {
            let kind = sensor.component.kind.value.clone();
            if !done.insert(kind.clone()) {
                continue;
            }
            sensor.component.modifiers.clear();
            let level = sensor
                .component
                .level
                .as_ref()
                .map(|level| level.value.as_str());
            let level = level.or(kinds.sensors[kind.as_str()].levels.first().copied());
            let fitting = words
                .iter()
                .copied()
                .filter(|word| fits(&kinds, word, &kind, level));
            let modifiers: Vec<&str> = fitting.collect();
            for word in &modifiers {
                let mut copy: Sensor = sensor.clone();
                copy.component.modifiers.push(modifier(&kinds, word));
                copies.insert(format!("{}_{word}", name.value).into(), copy);
            }
            originals.push(Original {
                path: format!("{}.{}", robot_name.value, name.value),
                kind,
                modifiers,
            });
        }
        robot.sensors.extend(copies);
    }
    if originals.is_empty() {
        return None;
    }
    let simulation = Simulation::build(plan, &no_extensions);
    Some((
        simulation.unwrap_or_else(|error| panic!("{error}")),
        originals,
    ))
}

/// Returns the exported data of a sensor.
fn data(simulation: &Simulation, path: &str) -> Json {
    let data = simulation
        .read_any(path)
        .unwrap_or_else(|error| panic!("{error}"));
    let world = simulation.world();
    let entity = find(world, path).expect("a sensor");
    let fields: &Fields = &world.get::<Described>(entity).expect("a sensor").0.fields;
    data_to_json(fields, data)
}

#[test]
fn every_modifier_runs_on_every_sensor_that_it_fits() {
    let words: Vec<&str> = kinds(&no_extensions).modifiers.keys().copied().collect();
    let mut done = BTreeSet::new();
    let mut used = BTreeSet::new();
    for scene in scenes() {
        let Some((mut simulation, originals)) = with_copies(&scene, &words, &mut done) else {
            continue;
        };
        simulation.run(2).expect("two ticks");
        used.extend(
            originals
                .into_iter()
                .flat_map(|original| original.modifiers),
        );
    }
    let missing: Vec<&&str> = words.iter().filter(|word| !used.contains(*word)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let known = kinds(&no_extensions);
    let kinds: Vec<&&str> = known
        .sensors
        .keys()
        .filter(|kind| !done.contains(**kind))
        .collect();
    assert!(kinds.is_empty(), "no scene has {kinds:?}");
}

#[test]
fn faults_spoil_every_sensor_that_measures() {
    let mut done = BTreeSet::new();
    let mut wrong = Vec::new();
    let mut moving = 0;
    for scene in scenes() {
        let words = ["bias_jump", "freeze", "spike"];
        let Some((mut simulation, originals)) = with_copies(&scene, &words, &mut done) else {
            continue;
        };
        // Up to the last tick before the data freeze.
        while simulation.seconds() + simulation.clock().dt() < FROZEN {
            simulation.step().expect("a tick");
        }
        let before = originals.iter();
        let early: Vec<Json> = before
            .map(|sensor| data(&simulation, &sensor.path))
            .collect();
        while simulation.seconds() < 0.55 {
            simulation.step().expect("a tick");
        }
        for (original, early) in originals.iter().zip(&early) {
            let Original {
                kind,
                path,
                modifiers,
            } = original;
            let kind = kind.as_str();
            let expected: &[&str] = match (EMPTY.contains(&kind), NUMBERLESS.contains(&kind)) {
                (true, _) => &[],
                (_, true) => &["freeze"],
                _ => &words,
            };
            assert_eq!(modifiers, expected, "{kind}");
            let truth = data(&simulation, path);
            moving += u32::from(truth != *early && !expected.is_empty());
            for word in modifiers {
                let modified = data(&simulation, &format!("{path}_{word}"));
                let is_right = match *word {
                    "freeze" => modified == *early,
                    _ => modified != truth,
                };
                if !is_right {
                    wrong.push(format!(
                        "{word} on {kind}: {modified:.300}\ntruth {truth:.300}\nbefore {early:.300}"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(moving > 20, "only {moving} sensors see a change");
}
