//! `morse-sim new`: crates that build, pass their tests and run at once; and refusals.
#![cfg(test)]
use std::{fs, path::Path, process::Command};

use crate::external;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Calls the program in a folder; returns its exit code, and its output.
fn new(room: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_morse-sim"))
        .arg("new")
        .args(arguments)
        .current_dir(room)
        .output()
        .expect("the program runs");
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    (output.status.code(), said.into_owned())
}

#[test]
fn new_crates_are_built_and_tested() {
    let room = tempfile::tempdir().expect("a directory");
    let morse = root().to_string_lossy();
    for (family, word, log) in [
        ("sensor", "wind_vane", "rover.wind_vane.csv"),
        ("actuator", "tail", ""),
        ("modifier", "off_scale", "rover.pose.csv"),
    ] {
        let (code, said) = new(room.path(), &[family, word, "--morse", &morse]);
        assert_eq!(code, Some(0), "{said}");
        let folder = room.path().join(word);
        let manifest = folder.join("Cargo.toml");
        let tested = external::cargo(&manifest, &["test", "--lib", "--examples"]);
        assert!(tested.contains("test result: ok. 2 passed"), "{tested}");
        external::cargo(&manifest, &["build", "--example", "sim"]);
        let ran = Command::new(external::folder().join("examples/sim"))
            .args([&format!("examples/{word}.ron"), "--until", "1s"])
            .current_dir(&folder)
            .output()
            .expect("the program runs");
        let errors = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success() && errors.is_empty(), "{errors}");
        assert!(
            log.is_empty() || folder.join("out").join(log).is_file(),
            "{log}"
        );
    }
}

#[test]
fn what_is_there_is_not_written_over() {
    let room = tempfile::tempdir().expect("a directory");
    fs::create_dir(room.path().join("tilt")).unwrap();
    fs::write(room.path().join("tilt/kept"), "").unwrap();
    for (arguments, words) in [
        (
            &["sensor", "tilt"][..],
            "already exists, and is not overwritten",
        ),
        (&["sensor", "gps"], "the kind `gps` already exists"),
        (&["modifier", "Off-Scale"], "did you mean `off_scale`?"),
        (&["sensor", "serde"], "how about `my_serde`?"),
        (&["sensor", "../up"], "invalid name"),
        (
            &["sensor", "vane", "--morse", "tilt"],
            "`tilt` is not the repository of morse-sim",
        ),
        (&["sockt", "vane"], "sensor"),
        (&["sensor"], "NAME"),
    ] {
        let (code, said) = new(room.path(), arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
    let left: Vec<_> = fs::read_dir(room.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(fs::read_dir(room.path().join("tilt")).unwrap().count(), 1);
}

#[test]
fn a_folder_that_cannot_be_written_is_3() {
    let (code, said) = new(Path::new("/proc"), &["sensor", "vane"]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("cannot be written"), "{said}");
}

/// Outside of the repository the manifest names the crates of the registry; inside of it, the local crates.
#[test]
fn the_simulator_is_named() {
    let room = tempfile::tempdir().expect("a directory");
    assert_eq!(new(room.path(), &["sensor", "vane"]).0, Some(0));
    let manifest = fs::read_to_string(room.path().join("vane/Cargo.toml")).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    for package in ["morse_api", "morse_testing", "morse-sim"] {
        assert!(
            manifest.contains(&format!("{package} = \"{version}\"")),
            "{manifest}"
        );
    }
    let inside = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    if inside.path().starts_with(root()) {
        assert_eq!(new(inside.path(), &["sensor", "vane"]).0, Some(0));
        let manifest = fs::read_to_string(inside.path().join("vane/Cargo.toml")).unwrap();
        let api = root().join("plugins/api");
        assert!(manifest.contains(&*api.to_string_lossy()), "{manifest}");
    }
}

#[test]
fn the_guide_shows_the_manifest() {
    let room = tempfile::tempdir().expect("a directory");
    let morse = root().to_string_lossy();
    assert_eq!(
        new(room.path(), &["sensor", "variometer", "--morse", &morse]).0,
        Some(0)
    );
    let manifest = fs::read_to_string(room.path().join("variometer/Cargo.toml")).unwrap();
    let shown = manifest.replace(&*morse, "../morse-sim");
    let guide = fs::read_to_string(root().join("src/docs/write_a_sensor.md")).unwrap();
    assert!(
        guide.contains(&format!("```toml\n{shown}```\n")),
        "the guide should show\n{shown}"
    );
}

/// Names in the guide's tables and rules, so that the file of a component needs one `use`.
#[test]
fn the_prelude_has_what_the_guide_names() {
    let guide = fs::read_to_string(root().join("src/docs/write_a_sensor.md")).unwrap();
    let api = fs::read_to_string(root().join("plugins/api/src/lib.rs")).unwrap();
    let (_, prelude) = api.split_once("pub mod prelude {").expect("a prelude");
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        words.map(str::to_owned).collect()
    };
    let known = words(prelude);
    let rows = guide.lines().filter(|line| line.starts_with("| `"));
    let attributes = guide.split("#[reflect(").skip(1);
    let attributes =
        attributes.flat_map(|rest| rest.lines().next().unwrap_or_default().split('@').skip(1));
    let first = |text: &str| words(text).into_iter().next().unwrap_or_default();
    let named: Vec<String> = rows
        .flat_map(|row| words(row.split('`').nth(1).unwrap()))
        .chain(attributes.map(first))
        .filter(|word| word.starts_with(|letter: char| letter.is_ascii_uppercase()))
        .collect();
    let missing: Vec<_> = named.iter().filter(|word| !known.contains(word)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(named.len() > 12, "{named:?}");
    let program = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    assert!(
        program.contains("pub use morse_api::prelude::*;"),
        "the two preludes are one"
    );
}
