//! MORSE's properties, all of them: `get_properties` and `set_property` use the same values, in MORSE's units; and the
//! reasons for missing ones.
#![cfg(test)]
use std::{collections::BTreeMap, path::Path as File};

use morse_api::{body::Robot, kind::Kinds, lighting::Shine, property::Property, service, settings};
use morse_sim::{
    Simulation,
    service::properties::name_of,
    simulation::{kinds, no_extensions},
};
use serde_json::{Value as Json, json};

use super::{answer, refusal, rover_with};
use crate::golden_runs;

const LIST: &str = include_str!("properties.txt");

/// A line of the list.
struct Row<'a> {
    kind: &'a str,
    property: &'a str,
    state: &'a str,
    rest: &'a str,
}

/// Entry of a line for an implemented property.
struct Here<'a> {
    setting: &'a str,
    theirs: Json,
    ours: Json,
}

fn rows() -> Vec<Row<'static>> {
    let lines = LIST
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let words: Vec<&str> = line.splitn(4, ' ').collect();
            let [kind, property, state, rest] = words.as_slice() else {
                panic!("{line}");
            };
            Row {
                kind,
                property,
                state,
                rest,
            }
        })
        .collect()
}

impl<'a> Row<'a> {
    fn here(&self) -> Option<Here<'a>> {
        let words: Vec<&str> = self.rest.split(' ').collect();
        let [setting, theirs, ours] = words.as_slice() else {
            return None;
        };
        let value = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| panic!("{text}"));
        (self.state == "here").then(|| Here {
            setting,
            theirs: value(theirs),
            ours: value(ours),
        })
    }
}

/// Returns a component of each kind in the shipped scenes: kind, scene, path.
fn components() -> BTreeMap<String, (Simulation, Vec<(String, String)>)> {
    let mut seen = std::collections::BTreeSet::new();
    let mut simulations = BTreeMap::new();
    let folder = File::new(env!("CARGO_MANIFEST_DIR")).join("scenes/gallery");
    for scene in golden_runs::scenes() {
        if !scene.starts_with(&folder) {
            continue;
        }
        let mut simulation = golden_runs::open(&scene);
        // None is bound to the ground: some settings require that.
        let world = simulation.world_mut();
        let mut robots = world.query::<&mut Robot>();
        for mut robot in robots.iter_mut(world) {
            robot.is_ground_robot = false;
        }
        let mut own = Vec::new();
        let details = answer(&mut simulation, "simulation", "details", json!([]));
        let robots = details["robots"].as_array().into_iter().flatten();
        for (path, component) in robots.flat_map(|robot| robot["components"].as_object().unwrap()) {
            let kind = component["type"].as_str().unwrap().to_owned();
            if seen.insert(kind.clone()) {
                own.push((kind, path.clone()));
            }
        }
        simulations.insert(scene.to_string_lossy().into_owned(), (simulation, own));
    }
    simulations
}

/// Returns the value of a setting in the form of a simulation file.
fn own_value(simulation: &Simulation, path: &str, setting: &str) -> Json {
    let entity = service::find(simulation.world(), path).unwrap();
    let all = settings::all(simulation.world(), entity).into_iter();
    let mut settings = all.filter(|(field, _)| field.name() == setting);
    settings.next().map(|(_, value)| value).unwrap_or_default()
}

/// Returns the value of a property, which both services report equally.
fn reported(simulation: &mut Simulation, path: &str, property: &str) -> Json {
    let all = answer(simulation, path, "get_properties", json!([]));
    let one = all["properties"][property].as_array();
    let one = one.unwrap_or_else(|| panic!("{path} does not tell {property}: {all}"));
    let configured = answer(simulation, path, "get_configurations", json!([]));
    assert_eq!(configured["configurations"][property], one[0], "{path}");
    one[0].clone()
}

#[track_caller]
fn assert_same(actual: &Json, expected: &Json, what: &str) {
    let is_same = match (actual.as_f64(), expected.as_f64()) {
        (Some(one), Some(other)) => one.to_bits() == other.to_bits(),
        _ => {
            let plain = |json: &Json| json.to_string().replace(' ', "");
            plain(actual) == plain(expected)
        }
    };
    assert!(is_same, "{what}: {actual}, not {expected}");
}

/// Checks that setting and reading are inverse, in MORSE's form and in our own.
fn check(simulation: &mut Simulation, path: &str, row: &Row<'_>, here: &Here<'_>) {
    let what = format!("{path} {}", row.property);
    let before = own_value(simulation, path, here.setting);
    let first = reported(simulation, path, row.property);
    let set = |simulation: &mut Simulation, name: &str, value: &Json| {
        answer(simulation, path, "set_property", json!([name, value]));
    };
    set(simulation, row.property, &first);
    assert_same(&own_value(simulation, path, here.setting), &before, &what);
    set(simulation, row.property, &here.theirs);
    assert_same(
        &own_value(simulation, path, here.setting),
        &here.ours,
        &what,
    );
    assert_same(
        &reported(simulation, path, row.property),
        &here.theirs,
        &what,
    );
    set(simulation, row.property, &first);
    assert_same(&reported(simulation, path, row.property), &first, &what);
    if here.setting != row.property {
        set(simulation, here.setting, &here.ours);
        assert_same(
            &reported(simulation, path, row.property),
            &here.theirs,
            &what,
        );
        set(simulation, here.setting, &before);
        assert_same(&own_value(simulation, path, here.setting), &before, &what);
    }
}

#[test]
fn every_property_is_told_and_taken_as_in_morse() {
    let mut left: BTreeMap<&str, Vec<Row<'_>>> = BTreeMap::new();
    for row in rows() {
        assert!(!row.rest.is_empty());
        left.entry(row.kind).or_default().push(row);
    }
    let left_robots = left.remove("(robot)");
    assert!(left_robots.is_some());
    for (scene, (mut simulation, own)) in components() {
        simulation.step().unwrap();
        for (kind, path) in own {
            let rows = left.remove(kind.as_str()).unwrap_or_default();
            for row in &rows {
                let all = answer(&mut simulation, &path, "get_properties", json!([]));
                match (row.state, row.here()) {
                    ("here", Some(here)) => check(&mut simulation, &path, row, &here),
                    ("fixed", None) => {
                        let value = all["properties"][row.property][0].clone();
                        let arguments = json!([row.property, value]);
                        let why = refusal(&mut simulation, &path, "set_property", arguments);
                        assert!(why.contains("when the simulation is loaded"), "{why}");
                    }
                    ("never" | "elsewhere", None) => {
                        assert!(all["properties"].get(row.property).is_none(), "{path}");
                    }
                    _ => panic!("{} {}: {}", row.kind, row.property, row.state),
                }
            }
        }
        // The simulation continues with any value.
        simulation
            .run(3)
            .unwrap_or_else(|lost| panic!("{scene}: {lost}"));
    }
    let left: Vec<&str> = left.into_keys().collect();
    assert_eq!(left, ["human", "victim"], "no scene has them as components");
}

#[test]
fn no_property_is_missing_in_the_list() {
    let kinds: Kinds = kinds(&no_extensions);
    let sensors = kinds.sensors.iter().map(|(word, kind)| (*word, kind.about));
    let actuators = kinds
        .actuators
        .iter()
        .map(|(word, kind)| (*word, kind.about));
    let rows = rows();
    let mut count = 0;
    for (kind, about) in sensors.chain(actuators) {
        for (field, _) in settings::defaults(about) {
            let name = name_of(field);
            if field.get_attribute::<Property>().is_none() {
                continue;
            }
            count += 1;
            let row = rows
                .iter()
                .find(|row| row.kind == kind && row.property == name);
            let row = row.unwrap_or_else(|| panic!("{kind} {name} is not in the list"));
            assert!(["here", "fixed"].contains(&row.state), "{kind} {name}");
        }
    }
    let reported = rows
        .iter()
        .filter(|row| row.kind != "(robot)" && ["here", "fixed"].contains(&row.state));
    assert_eq!(count, reported.count());
}

#[test]
fn a_robot_is_on_the_ground_or_not() {
    let mut simulation = rover_with(
        r#"actuators: { "motion": (kind: "v_omega", start: (v: 0, w: 0)) },"#,
        "",
        &no_extensions,
    );
    simulation.step().unwrap();
    let reported = |simulation: &mut Simulation| {
        let all = answer(simulation, "rover", "get_properties", json!([]));
        all["properties"]["GroundRobot"][0].clone()
    };
    assert_eq!(reported(&mut simulation), true);
    let height = |simulation: &Simulation| simulation.body("rover").unwrap().pose.translation.z;
    let lift = |simulation: &mut Simulation| {
        let arguments = json!(["rover", [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]]);
        answer(simulation, "simulation", "set_object_position", arguments);
        simulation.run(20).unwrap();
        height(simulation)
    };
    // On the ground the robot keeps its own vertical velocity, so it falls; a flying robot is held by its actuator.
    assert!(lift(&mut simulation) < 1.9);
    for value in [false, true] {
        let arguments = json!(["GroundRobot", value]);
        answer(&mut simulation, "rover", "set_property", arguments);
        assert_eq!(reported(&mut simulation), value);
        let height = lift(&mut simulation);
        assert_eq!(height < 1.9, value, "{height}");
    }
    // A reset undoes the change.
    answer(
        &mut simulation,
        "rover",
        "set_property",
        json!(["GroundRobot", false]),
    );
    simulation.reset().unwrap();
    assert_eq!(reported(&mut simulation), true);
    let why = refusal(
        &mut simulation,
        "rover",
        "set_property",
        json!(["NoGravity", true]),
    );
    assert_eq!(why, "Property NoGravity does not exist for object rover");
}

#[test]
fn a_property_that_is_changed_acts_from_then_on() {
    let components = r#"
        sensors: {
            "near": (kind: "proximity", range: 1, frequency: 60),
            "field": (kind: "magnetometer"),
        },
        actuators: { "lamp": (kind: "light", energy: 3), "horn": (kind: "sound") },
    "#;
    let rest = r#"environment: (origin: (latitude: 43.6, longitude: 1.4333, altitude: 135)),
        objects: { "RedBox": (properties: { "Bait": true }) },"#;
    let mut simulation = rover_with(components, rest, &no_extensions);
    simulation.step().unwrap();
    let mut set = |path: &str, name: &str, value: Json| {
        answer(&mut simulation, path, "set_property", json!([name, value]));
        simulation.run(2).unwrap();
        let data = simulation.call(path, "get_local_data", &json!([])).reply();
        data.map(|reply| reply.value).unwrap_or_default()
    };
    let before = set("rover.field", "date", json!(2016.0));
    let after = set("rover.field", "date", json!(2026.0));
    assert_ne!(before["x"], after["x"], "the field wanders");
    set("rover.near", "Track", json!("Bait"));
    let near = set("rover.near", "Range", json!(100.0));
    assert_eq!(near["near_objects"].as_object().unwrap().len(), 1, "{near}");
    set("rover.lamp", "emit", json!(false));
    set("rover.horn", "mode", json!("pause"));
    assert_eq!(shine(&simulation), 0.0);
    let played = answer(&mut simulation, "rover.horn", "get_playback", json!([]));
    assert_eq!(played["mode"], "pause");
    // A request overrides the settings.
    answer(&mut simulation, "rover.lamp", "toggle", json!([true]));
    simulation.run(2).unwrap();
    assert_eq!(shine(&simulation), 3.0);
}

fn shine(simulation: &Simulation) -> f64 {
    let lamp = service::find(simulation.world(), "rover.lamp").unwrap();
    simulation.world().get::<Shine>(lamp).unwrap().0
}
