//! Layers and allowed references: crates by Cargo's metadata, components and words by the contents of the files.
use std::{collections::BTreeMap, process::Command};

use morse_sim::{actuator, modifier, overlay, sensor};
use serde_json::Value as Json;

use super::{
    Source, assert_clean,
    code::{Named, Token, paths, tokens},
    files::plugin_crates,
    root, rust, sources,
};

/// Each crate with the crates of ours that it may depend on, and those that its tests may. The program may depend on all.
const CRATES: [(&str, &[&str], &[&str]); 26] = [
    ("morse_api", &["morse_mechanisms"], &["morse_testing"]),
    ("morse_testing", &["morse_api"], &[]),
    ("morse_geodesy", &["morse_api"], &[]),
    ("morse_kinematics", &["morse_api"], &[]),
    ("morse_mechanisms", &[], &[]),
    ("morse_sensors", OF_COMPONENTS, &["morse_testing"]),
    ("morse_actuators", OF_COMPONENTS, &["morse_testing"]),
    (
        "morse_modifiers",
        &["morse_api", "morse_geodesy"],
        // They require some sensor's data to modify.
        &["morse_actuators", "morse_sensors", "morse_testing"],
    ),
    ("morse_diagnostics", &[], &[]),
    ("morse_scene", &["morse_api", "morse_diagnostics"], &[]),
    (
        "morse_description",
        &[
            "morse_api",
            "morse_diagnostics",
            // Inertias that joints feel, for the springs of MuJoCo.
            "morse_mechanisms",
            "morse_scene",
        ],
        &[],
    ),
    ("morse_robray", LANGUAGE, &[]),
    ("morse_simulation_file", LANGUAGE, &[]),
    ("morse_compiled", &["morse_geometry", "morse_scene"], &[]),
    (
        "morse_lsp",
        &[
            "morse_diagnostics",
            "morse_robray",
            "morse_scene",
            "morse_simulation_file",
        ],
        &[],
    ),
    (
        "morse_geometry",
        &["morse_api", "morse_scene"],
        &["morse_testing"],
    ),
    ("morse_physics", PHYSICS, &[]),
    ("morse_render", WORLD, &["morse_testing"]),
    ("morse_openr", &["morse_api", "morse_diagnostics"], &[]),
    ("morse_ros", &["morse_api"], &[]),
    ("morse_ros2", &["morse_api", "morse_ros"], &[]),
    (
        "morse_rosbridge",
        &["morse_api", "morse_ros", "morse_server"],
        &[],
    ),
    ("morse_server", &["morse_api"], &[]),
    ("morse_socket", SERVER, &[]),
    ("morse_text", &["morse_api"], &[]),
    ("morse_web", SERVER, &[]),
];

const OF_COMPONENTS: &[&str] = &[
    "morse_api",
    "morse_geodesy",
    "morse_kinematics",
    "morse_mechanisms",
];
const SERVER: &[&str] = &["morse_api", "morse_server"];
/// Languages are independent of each other.
const LANGUAGE: &[&str] = &["morse_api", "morse_diagnostics", "morse_scene"];
const WORLD: &[&str] = &[
    "morse_api",
    "morse_diagnostics",
    "morse_geometry",
    "morse_scene",
];
const PHYSICS: &[&str] = &[
    "morse_api",
    "morse_diagnostics",
    "morse_geometry",
    "morse_mechanisms",
    "morse_scene",
];

/// Programs, which may depend on all crates.
const PROGRAMS: [&str; 6] = [
    "morse-sim",
    "morse_bench",
    "morse_bodies",
    "morse_grammar",
    "morse_prove",
    "morse_python",
];

/// In programs with the window.
const VIEWER: (&str, &[&str], &[&str]) = ("morse_viewer", &["morse_api"], &[]);

/// The crate that only one of ours may depend on.
const ENGINE: (&str, &str) = ("bevy_rapier3d", "morse_physics");
/// Crates of plain data and languages, which do not depend on Bevy themselves.
const PLAIN: [&str; 5] = [
    "morse_description",
    "morse_diagnostics",
    "morse_robray",
    "morse_scene",
    "morse_simulation_file",
];

/// Folders of the code that runs in the tick.
const IN_THE_TICK: [&str; 15] = [
    "plugins/api",
    "plugins/actuators",
    "plugins/description",
    "plugins/diagnostics",
    "plugins/geodesy",
    "plugins/geometry",
    "plugins/kinematics",
    "plugins/mechanisms",
    "plugins/modifiers",
    "plugins/physics",
    "plugins/render",
    "plugins/robray",
    "plugins/scene",
    "plugins/sensors",
    "plugins/simulation_file",
];

/// Dependencies of all crates of the workspace: name, and true if only tests need it.
type Dependencies = BTreeMap<String, Vec<(String, bool)>>;

fn dependencies() -> Dependencies {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let metadata: Json = serde_json::from_slice(&output.stdout).expect("metadata");
    let list = |of: &Json, field: &str| of[field].as_array().cloned().unwrap_or_default();
    let text = |of: &Json, field: &str| of[field].as_str().unwrap_or_default().to_owned();
    let packages = list(&metadata, "packages").into_iter().map(|package| {
        let needs = list(&package, "dependencies");
        let needs = needs
            .iter()
            .map(|need| (text(need, "name"), text(need, "kind") == "dev"));
        (text(&package, "name"), needs.collect())
    });
    packages.collect()
}

/// Returns dependencies that are not in the table, and crates that are in only one of the two.
fn crates(all: &Dependencies) -> Vec<String> {
    let mut violations = Vec::new();
    for (name, needs) in all
        .iter()
        .filter(|(name, _)| !PROGRAMS.contains(&name.as_str()))
    {
        let row = CRATES.iter().chain([&VIEWER]).find(|row| row.0 == name);
        let Some((_, normal, of_tests)) = row else {
            violations.push(format!("`{name}` is not in the table"));
            continue;
        };
        for (other, is_dev) in needs {
            let is_ours = other.starts_with("morse");
            let may =
                normal.contains(&other.as_str()) || (*is_dev && of_tests.contains(&other.as_str()));
            if is_ours && !may {
                violations.push(format!("`{name}` may not depend on `{other}`"));
            }
            if other == ENGINE.0 && name != ENGINE.1 {
                violations.push(format!("`{name}` may not depend on the engine"));
            }
            if other == "bevy" && PLAIN.contains(&name.as_str()) {
                violations.push(format!("`{name}` is plain data and knows no `{other}`"));
            }
        }
    }
    let missing = CRATES.iter().filter(|(name, ..)| !all.contains_key(*name));
    violations.extend(missing.map(|(name, ..)| format!("there is no crate `{name}`")));
    violations
}

fn violation(file: &Source, line: usize, text: &str) -> String {
    format!("{}:{line}: {text}", file.path)
}

/// The lists of components, and the folders of their files.
const LISTS: [(&str, &[&str]); 4] = [
    ("plugins/actuators/src/overlay", overlay::FILES),
    ("plugins/actuators/src", actuator::FILES),
    ("plugins/modifiers/src", modifier::FILES),
    ("plugins/sensors/src", sensor::FILES),
];

/// Returns components that name another one of their list.
fn components(file: &Source) -> Vec<String> {
    let list = LISTS.iter().find_map(|(folder, list)| {
        let rest = file.path.strip_prefix(folder)?.strip_prefix('/')?;
        Some((*folder, *list, rest.trim_end_matches(".rs")))
    });
    let Some((folder, list, rest)) = list else {
        return Vec::new();
    };
    let own: Vec<&str> = rest.split('/').collect();
    if !list.contains(&own[0]) {
        return Vec::new();
    }
    let above: Vec<&str> = folder.split('/').skip(3).collect();
    let mut violations = Vec::new();
    for named in paths(&tokens(&file.text)) {
        let Some(path) = resolved(&[&above, own.as_slice()].concat(), &named) else {
            continue;
        };
        let within = path
            .strip_prefix(above.as_slice())
            .or(path.strip_prefix(&["overlay"]));
        let sibling = within.and_then(|rest| rest.first());
        if sibling.is_some_and(|name| *name != own[0] && list.contains(name)) {
            let text = format!("a component must not name another: `{}`", path.join("::"));
            violations.push(violation(file, named.line, &text));
        }
    }
    violations
}

/// Returns a path from the crate's root, if it belongs to this crate.
pub(super) fn resolved<'a>(own: &[&'a str], named: &'a Named) -> Option<Vec<&'a str>> {
    let segments: Vec<&str> = named.path.iter().map(String::as_str).collect();
    if segments.first() == Some(&"crate") {
        return Some(segments[1..].to_vec());
    }
    let supers = segments
        .iter()
        .take_while(|segment| **segment == "super")
        .count();
    let up = supers
        .checked_sub(named.depth)
        .filter(|&up| supers > 0 && up <= own.len())?;
    Some([&own[..own.len() - up], &segments[supers..]].concat())
}

/// Returns words that occur in a file where they are not allowed.
fn words(file: &Source, is_forbidden: impl Fn(&str) -> bool, why: &str) -> Vec<String> {
    let is_used = |token: &&Token| is_forbidden(&token.text);
    tokens(&file.text)
        .iter()
        .filter(is_used)
        .map(|token| violation(file, token.line, &format!("`{}`: {why}", token.text)))
        .collect()
}

fn engine(file: &Source) -> Vec<String> {
    if file.path.starts_with("plugins/physics/") {
        return Vec::new();
    }
    let engines = ["rapier", "bevy_rapier3d", "rapier3d", "parry3d"];
    words(
        file,
        |word| engines.contains(&word),
        "the engine is named in plugins/physics only",
    )
}

fn wall_clock(file: &Source) -> Vec<String> {
    let readers = [
        "src/run.rs",
        "src/run/clock.rs",
        "tools/bench/src/stopwatch.rs",
    ];
    if readers.contains(&file.path.as_str()) {
        return Vec::new();
    }
    words(
        file,
        |word| ["Instant", "SystemTime"].contains(&word),
        "the wall clock is read by the runner, and to measure it by tools/bench/src/stopwatch.rs, only",
    )
}

/// Middlewares are named in one file.
fn middlewares(file: &Source) -> Vec<String> {
    if file.path == "src/middleware.rs" {
        return Vec::new();
    }
    let crates = [
        "morse_openr",
        "morse_rosbridge",
        "morse_socket",
        "morse_text",
        "morse_viewer",
        "morse_web",
    ];
    words(
        file,
        |word| crates.contains(&word),
        "middlewares are named in src/middleware.rs only",
    )
}

#[test]
fn crates_depend_on_what_is_below_them() {
    let all = dependencies();
    let violations = crates(&all);
    assert!(violations.is_empty(), "{}", violations.join("\n"));
    let planted = |name: &str, other: &str, is_dev| {
        let mut all = all.clone();
        let needs = all.entry(name.to_owned()).or_default();
        needs.push((other.to_owned(), is_dev));
        crates(&all).len()
    };
    assert_eq!(planted("morse_sensors", "morse_actuators", false), 1);
    assert_eq!(planted("morse_modifiers", "morse_sensors", true), 0);
    assert_eq!(planted("morse_modifiers", "morse_sensors", false), 1);
    assert_eq!(planted("morse_text", "morse-sim", true), 1);
    assert_eq!(planted("morse_geometry", "bevy_rapier3d", false), 1);
    assert_eq!(planted("morse_scene", "bevy", false), 1);
    assert_eq!(planted("morse_robray", "bevy", false), 1);
    assert_eq!(planted("morse_robray", "morse_description", false), 1);
    assert_eq!(planted("morse_fog", "serde", false), 1);
}

#[test]
fn components_do_not_name_each_other() {
    assert_clean(&sources(&["plugins"], &["rs"]), components);
    let planted = |path: &str, text| {
        let path = format!("plugins/{path}");
        components(&Source::planted(&path, text)).len()
    };
    assert_eq!(
        planted("sensors/src/gps.rs", "fn a() { super::pose::measure() }"),
        1
    );
    assert_eq!(
        planted(
            "sensors/src/gps.rs",
            "use crate::{imu::ImuData, motion::track};"
        ),
        1
    );
    assert_eq!(
        planted("actuators/src/overlay/pr2.rs", "use super::human::b;"),
        1
    );
    assert_eq!(
        planted(
            "actuators/src/overlay/pr2.rs",
            "use crate::overlay::human::b;"
        ),
        1
    );
    assert_eq!(
        planted(
            "sensors/src/gps.rs",
            "mod tests { use super::*; use super::super::pose; }"
        ),
        1
    );
    assert_eq!(
        planted(
            "sensors/src/gps/tests.rs",
            "use super::*; use super::super::pose;"
        ),
        1
    );
    assert_eq!(
        planted(
            "sensors/src/gps/tests.rs",
            "use super::pose; use crate::gps::Gps; use crate::motion::a;"
        ),
        0
    );
    assert_eq!(
        planted(
            "sensors/src/gps.rs",
            "// crate::pose::a\nmod tests { use super::pose; }"
        ),
        0
    );
    assert_eq!(
        planted("sensors/src/laser.rs", "use crate::hokuyo::Hokuyo;"),
        0
    );
}

#[test]
fn the_engine_is_named_by_the_physics_only() {
    assert_clean(
        &sources(&["src", "plugins", "tools", "examples"], &["rs"]),
        engine,
    );
    let planted = Source::planted(
        "plugins/geometry/src/rays.rs",
        "use bevy_rapier3d::parry::shape::Ball;",
    );
    assert_eq!(engine(&planted).len(), 1);
}

#[test]
fn the_wall_clock_is_read_by_the_runner_only() {
    let mut folders = IN_THE_TICK.to_vec();
    folders.extend(["src", "tools"]);
    assert_clean(&sources(&folders, &["rs"]), wall_clock);
    let planted = Source::planted("src/tick.rs", "let t = std::time::Instant::now();");
    assert_eq!(wall_clock(&planted).len(), 1);
}

#[test]
fn middlewares_are_named_in_one_file() {
    let crates = plugin_crates();
    assert!(crates.iter().any(|name| name == "morse_text"), "{crates:?}");
    assert_clean(&sources(&["src"], &["rs"]), middlewares);
    let planted = Source::planted("src/cli.rs", "morse_text::plugin(app)");
    assert_eq!(middlewares(&planted).len(), 1);
}

#[test]
fn every_rust_file_is_looked_at() {
    let all = rust();
    for path in [
        "src/main.rs",
        "plugins/robray/src/lib.rs",
        "plugins/api/src/tick.rs",
        "tests/suite/tidy/layers.rs",
    ] {
        assert!(all.iter().any(|file| file.path == path), "{path}");
    }
}
