//! Who may name whom.
use super::{
    Source, assert_clean,
    code::{Named, Token, paths, tokens},
    files::plugin_crates,
    rust, sources,
};

/// Folders whose parts know neither each other nor what is above them.
const PARTS: [&str; 4] = ["sensor", "actuator", "modifier", "overlay"];

/// What a part may not name.
const ABOVE: [&str; 8] = [
    "scene",
    "middleware",
    "run",
    "simulation",
    "load",
    "install",
    "cli",
    "kinds",
];

/// Languages and plain data, which know no engine.
const PLAIN: [&str; 4] = ["model", "robray", "simulation", "diagnostic"];

fn complaint(file: &Source, line: usize, text: &str) -> String {
    format!("{}:{line}: {text}", file.path)
}

/// The module that a file is: `src/sensor/gps/noise.rs` is `sensor`, `gps`, `noise`.
fn module(path: &str) -> Vec<String> {
    let path = path
        .strip_prefix("src/")
        .unwrap_or(path)
        .trim_end_matches(".rs")
        .trim_end_matches("/mod");
    path.split('/').map(str::to_owned).collect()
}

/// A path from the crate's root, where it is one of this crate's.
fn resolved(file: &Source, named: &Named) -> Option<Vec<String>> {
    let supers = named
        .path
        .iter()
        .take_while(|segment| *segment == "super")
        .count();
    if named.path.first().is_some_and(|first| first == "crate") {
        return Some(named.path[1..].to_vec());
    }
    let own = module(&file.path);
    let up = supers
        .checked_sub(named.depth)
        .filter(|&up| supers > 0 && up <= own.len())?;
    Some([&own[..own.len() - up], &named.path[supers..]].concat())
}

/// Parts that name a sibling, or something above them.
fn parts(file: &Source) -> Vec<String> {
    let own = module(&file.path);
    let is_part = own
        .first()
        .is_some_and(|folder| PARTS.contains(&folder.as_str()))
        && own.len() > 1;
    if !is_part {
        return Vec::new();
    }
    let mut found = Vec::new();
    for named in paths(&tokens(&file.text)) {
        let Some(path) = resolved(file, &named) else {
            continue;
        };
        let [first, rest @ ..] = path.as_slice() else {
            continue;
        };
        if ABOVE.contains(&first.as_str()) {
            found.push(complaint(
                file,
                named.line,
                &format!("a part must not name `crate::{}`", path.join("::")),
            ));
        }
        // The tests of a modifier need some sensor's data to modify.
        let is_test = named.depth > 0 || own.last().is_some_and(|name| name == "tests");
        let is_sibling = PARTS.contains(&first.as_str())
            && (*first == own[0] || !is_test)
            && rest
                .first()
                .is_some_and(|name| (first, name) != (&own[0], &own[1]) && name != "*");
        if is_sibling {
            found.push(complaint(
                file,
                named.line,
                &format!("a part must not name another: `{}`", path.join("::")),
            ));
        }
    }
    found
}

/// Words that occur in a file where they may not.
fn words(file: &Source, is_forbidden: impl Fn(&str) -> bool, why: &str) -> Vec<String> {
    let is_used = |token: &&Token| is_forbidden(&token.text);
    tokens(&file.text)
        .iter()
        .filter(is_used)
        .map(|token| complaint(file, token.line, &format!("`{}`: {why}", token.text)))
        .collect()
}

fn plain_data(file: &Source) -> Vec<String> {
    let own = module(&file.path);
    let is_plain = own.len() > 1 && own[0] == "scene" && PLAIN.contains(&own[1].as_str());
    if is_plain {
        words(
            file,
            |word| word.starts_with("bevy"),
            "plain data knows no engine",
        )
    } else {
        Vec::new()
    }
}

fn physics(file: &Source) -> Vec<String> {
    if file.path.starts_with("src/physics/") {
        return Vec::new();
    }
    let engines = ["rapier", "bevy_rapier3d", "rapier3d", "parry3d"];
    words(
        file,
        |word| engines.contains(&word),
        "the engine is named in src/physics only",
    )
}

fn wall_clock(file: &Source) -> Vec<String> {
    if file.path == "src/run.rs" {
        return Vec::new();
    }
    words(
        file,
        |word| ["Instant", "SystemTime"].contains(&word),
        "the wall clock is read in src/run.rs only",
    )
}

fn middlewares(crates: &[String]) -> impl Fn(&Source) -> Vec<String> {
    let crates: Vec<String> = crates
        .iter()
        .filter(|name| *name != "morse_api")
        .cloned()
        .collect();
    move |file| {
        if file.path == "src/middleware.rs" {
            return Vec::new();
        }
        words(
            file,
            |word| crates.iter().any(|name| name == word),
            "middlewares are named in src/middleware.rs only",
        )
    }
}

/// Plugins know the contract, and neither each other nor the simulator.
fn plugins(crates: &[String]) -> impl Fn(&Source) -> Vec<String> {
    let crates: Vec<String> = crates
        .iter()
        .filter(|name| *name != "morse_api")
        .cloned()
        .collect();
    move |file| {
        let folder = file.path.split('/').nth(1).unwrap_or_default();
        let own = format!("morse_{folder}");
        let is_foreign = |word: &str| {
            word == "morse_sim" || (word != own && crates.iter().any(|name| name == word))
        };
        words(file, is_foreign, "a plugin knows the contract crate alone")
    }
}

#[test]
fn parts_know_neither_each_other_nor_what_is_above() {
    assert_clean(&sources(&["src"], &["rs"]), parts);
    let planted = |path, text| parts(&Source::planted(path, text)).len();
    assert_eq!(
        planted("src/sensor/gps.rs", "use crate::{frame, scene::model};"),
        1
    );
    assert_eq!(
        planted("src/sensor/gps.rs", "fn a() { super::pose::measure() }"),
        1
    );
    assert_eq!(
        planted("src/sensor/gps.rs", "use crate::actuator::v_omega::VOmega;"),
        1
    );
    assert_eq!(
        planted(
            "src/modifier/ned.rs",
            "mod tests { use crate::sensor::imu::ImuData; use crate::modifier::gps_noise; }"
        ),
        1
    );
    assert_eq!(
        planted(
            "src/sensor/gps.rs",
            "mod tests { use super::*; use super::super::pose; }"
        ),
        1
    );
    assert_eq!(
        planted(
            "src/sensor/gps/tests.rs",
            "use super::*; use super::super::pose;"
        ),
        1
    );
    assert_eq!(
        planted(
            "src/sensor/gps/tests.rs",
            "use super::pose; use crate::sensor::gps::Gps; use crate::frame::a;"
        ),
        0
    );
    assert_eq!(
        planted(
            "src/sensor/gps.rs",
            "// crate::scene::model\nmod tests { use super::pose; }"
        ),
        0
    );
    assert_eq!(planted("src/load.rs", "use crate::scene::model;"), 0);
}

#[test]
fn scenes_are_plain_data() {
    assert_clean(&sources(&["src/scene"], &["rs"]), plain_data);
    assert_eq!(
        plain_data(&Source::planted(
            "src/scene/model/build.rs",
            "use bevy::prelude::*;"
        ))
        .len(),
        1
    );
    assert_eq!(
        plain_data(&Source::planted(
            "src/scene/diagnostic.rs",
            "fn a(x: bevy_ecs::World) {}"
        ))
        .len(),
        1
    );
    assert_eq!(
        plain_data(&Source::planted("src/scene/model.rs", "//! No bevy here.")).len(),
        0
    );
}

#[test]
fn the_engine_is_named_by_the_physics_only() {
    let everything = sources(&["src", "plugins", "examples"], &["rs"]);
    assert_clean(&everything, physics);
    assert_eq!(
        physics(&Source::planted(
            "src/rays/mod.rs",
            "use bevy_rapier3d::parry::shape::Ball;"
        ))
        .len(),
        1
    );
}

#[test]
fn the_wall_clock_is_read_by_the_runner_only() {
    assert_clean(&sources(&["src"], &["rs"]), wall_clock);
    assert_eq!(
        wall_clock(&Source::planted(
            "src/tick.rs",
            "let t = std::time::Instant::now();"
        ))
        .len(),
        1
    );
}

#[test]
fn middlewares_are_named_in_one_place() {
    let crates = plugin_crates();
    assert!(crates.iter().any(|name| name == "morse_text"), "{crates:?}");
    assert_clean(&sources(&["src"], &["rs"]), middlewares(&crates));
    assert_eq!(
        middlewares(&crates)(&Source::planted("src/cli.rs", "morse_text::plugin(app)")).len(),
        1
    );
    assert_clean(&sources(&["plugins"], &["rs"]), plugins(&crates));
    assert_eq!(
        plugins(&crates)(&Source::planted(
            "plugins/socket/src/lib.rs",
            "use morse_text::record; use morse_sim::cli;"
        ))
        .len(),
        2
    );
    assert_eq!(
        plugins(&crates)(&Source::planted(
            "plugins/text/src/lib.rs",
            "use morse_text::record;"
        ))
        .len(),
        0
    );
}

#[test]
fn every_rust_file_is_looked_at() {
    let all = rust();
    for path in [
        "src/main.rs",
        "src/scene/robray/mod.rs",
        "plugins/api/src/tick.rs",
        "tests/suite/tidy/layers.rs",
    ] {
        assert!(all.iter().any(|file| file.path == path), "{path}");
    }
}
