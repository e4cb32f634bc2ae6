//! Extreme values within their ranges are simulated without failure, in the scenes that contain all kinds.
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};

use bevy::prelude::World;
use morse_api::{
    component::Level,
    kind::{About, ErasedSettings, Kinds},
    memory::MemoryBudget,
    random::Random,
    settings,
};
use morse_sim::{
    Simulation,
    simulation::{
        BuildError, kinds,
        load::{Options, Plan, load, parse},
        no_extensions,
    },
};
use morse_simulation_file::{Spanned, model};
use serde_json::Value as Json;

use super::{Family, extremes, leaves::leaves, number};

/// Maximum memory of a sensor that is run, B. A sensor with more is not run, but must be refused by a budget of this size.
const MOST: u64 = 2 << 20;
const TICKS: u64 = 12;

/// Settings of a component with one number at an extreme.
struct Variant {
    name: String,
    settings: ErasedSettings,
}

/// Returns the settings with each number at each extreme of its range; the others are unchanged.
fn variants(about: &About, given: &model::Settings) -> Vec<Variant> {
    let usual: BTreeMap<_, _> = settings::defaults(*about)
        .into_iter()
        .map(|(field, value)| (field.name(), value))
        .collect();
    let changed = settings::of(*about, &given.0).into_iter();
    let changed = changed.filter(|(field, value)| usual.get(field.name()) != Some(value));
    let mut base: serde_json::Map<String, Json> = changed
        .map(|(field, value)| (field.name().to_owned(), value))
        .collect();
    // Small pictures are sufficient for the other settings.
    for side in ["width", "height"]
        .iter()
        .filter(|side| usual.contains_key(**side))
    {
        base.insert((*side).to_string(), 16.into());
    }
    let mut variants = Vec::new();
    for leaf in leaves(about.settings) {
        for extreme in extremes(&leaf) {
            if !extreme.is_finite() || leaf.range.is_some_and(|range| !range.contains(extreme)) {
                continue;
            }
            let mut all = base.clone();
            let old = all.get(leaf.field()).cloned().unwrap_or_default();
            let value = leaf.put(&old, &number(&leaf, extreme));
            all.insert(leaf.field().to_owned(), value);
            let all = Json::Object(all);
            let mut source = <dyn erased_serde::Deserializer<'_>>::erase(&all);
            if let Ok(settings) = (about.read)(&mut source) {
                let name = format!("{} {extreme:e}", leaf.name());
                variants.push(Variant { name, settings });
            }
        }
    }
    variants
}

/// Returns the maximum memory of a sensor with these settings.
fn memory(kinds: &Kinds, word: &str, settings: &ErasedSettings) -> u64 {
    let kind = kinds.sensors[word];
    let mut world = World::new();
    let mut entity = world.spawn_empty();
    let level = kind.levels.first().copied().unwrap_or_default();
    (kind.insert)(&mut entity, settings, Level(level), Random::new(0, "", ""));
    let entity = entity.id();
    (kind.memory)(&world, entity)
}

/// Builds and runs a plan. Components that refuse their settings are left out; returns their number.
fn run(mut plan: Plan, what: &str) -> usize {
    let mut left_out = 0;
    loop {
        let error = match Simulation::build(plan.clone(), &no_extensions) {
            Ok(mut simulation) => {
                simulation.run(TICKS).expect("no observer");
                return left_out;
            }
            Err(BuildError::Scene(report)) => report,
            Err(error) => panic!("{what}: {error}"),
        };
        let report = error.to_json();
        let before = left_out;
        for problem in report.as_array().expect("a list") {
            assert_eq!(
                problem["severity"] == "error",
                problem["code"] == "simulation::cannot-work",
                "{error}"
            );
            let message = problem["message"].as_str().unwrap_or_default();
            for (robot, components) in &mut plan.simulation.robots {
                let is_fine = |name: &Spanned<String>| {
                    !message.contains(&format!("`{}.{}`", robot.value, name.value))
                };
                let count = components.sensors.len() + components.actuators.len();
                components.sensors.retain(|name, _| is_fine(name));
                components.actuators.retain(|name, _| is_fine(name));
                left_out += count - components.sensors.len() - components.actuators.len();
            }
        }
        assert!(left_out > before, "{what}: {error}");
    }
}

fn plan(scene: &str, kinds: &Kinds) -> Plan {
    let options = Options::default();
    let plan = if scene == HANDS {
        parse(HANDS, Path::new("."), &options, kinds)
    } else {
        load(&Path::new("scenes/gallery").join(scene), &options, kinds)
    };
    let mut plan = plan.unwrap_or_else(|report| panic!("{report}"));
    plan.simulation.disconnect();
    plan
}

/// Runs copies of all sensors, each with one number of its own, or of one of its modifiers, at an extreme.
fn sensors(scene: &str, kinds: &Kinds, tried: &mut Tried) {
    let mut plan = plan(scene, kinds);
    let (mut count, mut large) = (0, Vec::new());
    for components in plan.simulation.robots.values_mut() {
        let mut copies = model::Named::new();
        for (name, sensor) in &components.sensors {
            let word = sensor.component.kind.as_str();
            let mut add = |copy: model::Sensor, what: &str| {
                count += 1;
                let settings = &copy.component.settings.0;
                if memory(kinds, word, settings) > MOST {
                    large.push((word.to_owned(), what.to_owned(), settings.clone()));
                } else {
                    let name = format!("{}_{count} {what}", name.value).replace('.', "_");
                    copies.insert(Spanned::from(name), copy);
                }
            };
            let about = kinds.sensors[word].about;
            tried.words.insert(word.to_owned());
            for variant in variants(&about, &sensor.component.settings) {
                let mut copy = sensor.clone();
                copy.component.settings = model::Settings(variant.settings);
                add(copy, &variant.name);
            }
            for (index, modifier) in sensor.component.modifiers.iter().enumerate() {
                let about = kinds.modifiers[modifier.kind.as_str()].about;
                tried.words.insert(modifier.kind.value.clone());
                for variant in variants(&about, &modifier.settings) {
                    let mut copy = sensor.clone();
                    copy.component.modifiers[index].settings = model::Settings(variant.settings);
                    add(copy, &format!("{} {}", modifier.kind.value, variant.name));
                }
            }
        }
        components.sensors.extend(copies);
    }
    for (word, what, settings) in large {
        refused_by_the_budget(&word, &what, settings);
    }
    tried.left_out += run(plan, scene);
    tried.count += count;
}

/// Checks that a small budget refuses a sensor with much memory.
fn refused_by_the_budget(word: &str, what: &str, settings: Arc<dyn std::any::Any + Send + Sync>) {
    let text = format!(
        "Simulation(scene: \"boxes.robray\", robots: {{ \"r\": (model: \"robots/atrv.robray\", \
         sensors: {{ \"big\": (kind: \"{word}\") }}) }})"
    );
    let options = Options {
        memory: MemoryBudget(MOST),
        ..Options::default()
    };
    let plan = parse(&text, Path::new("scenes"), &options, &kinds(&no_extensions));
    let mut plan = plan.unwrap_or_else(|report| panic!("{report}"));
    for sensor in plan
        .simulation
        .robots
        .values_mut()
        .flat_map(|robot| robot.sensors.values_mut())
    {
        sensor.component.settings = model::Settings(settings.clone());
    }
    let error = Simulation::build(plan, &no_extensions)
        .err()
        .map(|error| error.to_string());
    let error = error.unwrap_or_else(|| panic!("{word} {what} is not refused"));
    assert!(
        error.contains("`r.big`: it would take") && error.contains("--memory"),
        "{error}"
    );
}

/// Runs the actuators and overlays of a scene repeatedly, each time with another extreme.
fn actuators(scene: &str, kinds: &Kinds, tried: &mut Tried) {
    let plan = plan(scene, kinds);
    let mut all: BTreeMap<(String, String), Vec<Variant>> = BTreeMap::new();
    for (robot, components) in &plan.simulation.robots {
        for (name, actuator) in &components.actuators {
            let about = kinds.actuators[actuator.component.kind.as_str()].about;
            tried.words.insert(actuator.component.kind.value.clone());
            let variants = variants(&about, &actuator.component.settings);
            all.insert((robot.value.clone(), name.value.clone()), variants);
        }
        for (name, overlay) in &components.overlays {
            let about = kinds.overlays[overlay.kind.as_str()].about;
            tried.words.insert(overlay.kind.value.clone());
            let variants = variants(&about, &overlay.settings);
            all.insert((robot.value.clone(), name.value.clone()), variants);
        }
    }
    let rounds = all.values().map(Vec::len).max().unwrap_or(0);
    for round in 0..rounds {
        let mut plan = plan.clone();
        let mut what = format!("{scene}:");
        for (robot, components) in &mut plan.simulation.robots {
            let variant = |name: &str| {
                let variants = all.get(&(robot.value.clone(), name.to_owned()))?;
                variants.get(round)
            };
            for (name, actuator) in &mut components.actuators {
                if let Some(variant) = variant(&name.value) {
                    what += &format!(" {} {};", name.value, variant.name);
                    actuator.component.settings = model::Settings(variant.settings.clone());
                }
            }
            for (name, overlay) in &mut components.overlays {
                if let Some(variant) = variant(&name.value) {
                    what += &format!(" {} {};", name.value, variant.name);
                    overlay.settings = model::Settings(variant.settings.clone());
                }
            }
        }
        // Shown if the run panics.
        println!("{what}");
        tried.left_out += run(plan, &what);
    }
    tried.count += all.values().map(Vec::len).sum::<usize>();
}

/// The overlays over whole robots, which the gallery does not contain.
const HANDS: &str = r#"Simulation(
    scene: "environments/empty.robray",
    robots: {
        "pr2": (
            model: "robots/pr2.robray", base: kinematic,
            actuators: { "torso": (kind: "armature", joints: ["torso_lift_joint"]) },
            overlays: { "hands": (kind: "pr2") },
        ),
        "eve": (model: "robots/human.robray", base: kinematic, overlays: { "hands": (kind: "human") }),
    },
)"#;

const SCENES: [&str; 10] = [
    HANDS,
    "air_and_water.ron",
    "arms.ron",
    "cameras.ron",
    "earth.ron",
    "ground.ron",
    "lasers.ron",
    "noise.ron",
    "things.ron",
    "touch.ron",
];

/// Tested settings.
#[derive(Default)]
struct Tried {
    /// Kinds with tested settings.
    words: BTreeSet<String>,
    count: usize,
    /// Number of components that refused their settings, for example in combination with other settings.
    left_out: usize,
}

impl Tried {
    /// Checks that every kind with numbers was tested, and that few refused values within their ranges.
    fn is_enough(&self, families: [Family; 2], kinds: &Kinds) {
        let missing = super::abouts(kinds)
            .into_iter()
            .filter(|(family, word, about)| {
                families.contains(family)
                    && !leaves(about.settings).is_empty()
                    && !self.words.contains(*word)
            });
        let missing: Vec<_> = missing.map(|(_, word, _)| word).collect();
        assert!(missing.is_empty(), "{missing:?}");
        assert!(
            self.count > 200 && self.left_out * 5 < self.count,
            "{} tried, {} left out",
            self.count,
            self.left_out
        );
    }
}

#[test]
fn sensors_and_modifiers_bear_what_is_within() {
    let (kinds, mut tried) = (kinds(&no_extensions), Tried::default());
    for scene in SCENES {
        sensors(scene, &kinds, &mut tried);
    }
    tried.is_enough([Family::Sensor, Family::Modifier], &kinds);
}

#[test]
fn actuators_and_overlays_bear_what_is_within() {
    let (kinds, mut tried) = (kinds(&no_extensions), Tried::default());
    for scene in SCENES {
        actuators(scene, &kinds, &mut tried);
    }
    tried.is_enough([Family::Actuator, Family::Overlay], &kinds);
}
