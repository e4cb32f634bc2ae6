//! A program of a user, outside this workspace, with its own sensor in one file.
#![cfg(test)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// Returns a profile with which crates from registries are shared with the suite's build. Our crates are compiled once more,
/// without the optimiser, since Cargo distinguishes them by workspace.
fn profile(root: &Path) -> String {
    let read = |path: PathBuf| fs::read_to_string(path).expect("a manifest");
    let own = read(root.join("Cargo.toml"));
    let start = own.find("[profile.dev.package.").expect("dependencies");
    let end = own.find("[profile.release]").expect("the next profile");
    let mut profile = format!(
        "[profile.dev]\nopt-level = 0\ndebug = 0\n{}",
        own[start..end]
            .lines()
            .filter(|line| !line.starts_with("morse_"))
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    );
    let plugins = fs::read_dir(root.join("plugins")).expect("a folder");
    let plugins = plugins.map(|plugin| plugin.expect("an entry").path().join("Cargo.toml"));
    let plugins = plugins.filter(|manifest| manifest.exists()).map(read);
    for ours in plugins.chain([own.clone()]) {
        let mut lines = ours.lines();
        let name = lines.find_map(|line| line.strip_prefix("name = "));
        let name = name.expect("a name");
        profile += &format!("[profile.dev.package.{name}]\nopt-level = 0\n");
    }
    profile
}

/// Builds a program beside this one and returns its folder.
pub(crate) fn build(manifest: &Path) -> PathBuf {
    cargo(manifest, &["build"]);
    folder()
}

/// Returns the folder of build results.
pub(crate) fn folder() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_morse-sim"));
    program.parent().expect("a folder").to_owned()
}

/// Runs Cargo on a crate beside this one, without warnings, and returns its output. Crates compiled for the suite are
/// reused, nothing is downloaded. It runs at low priority, since concurrent tests use running simulators.
pub(crate) fn cargo(manifest: &Path, arguments: &[&str]) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let room = tempfile::tempdir().expect("a directory");
    let config = room.path().join("profile.toml");
    fs::write(&config, profile(root)).expect("a profile");
    // Exactly the versions that the simulator was tested with.
    fs::copy(
        root.join("Cargo.lock"),
        manifest.with_file_name("Cargo.lock"),
    )
    .expect("a lock file");
    let (command, others) = arguments.split_first().expect("a command");
    let folder = folder();
    let target = folder.parent().expect("the directory of builds");
    let built = Command::new("nice")
        .args(["-n", "19", env!("CARGO"), command, "--offline", "--quiet"])
        .arg("--config")
        .arg(&config)
        .arg("--manifest-path")
        .arg(manifest)
        .arg("--target-dir")
        .arg(target)
        .args(others)
        .output()
        .expect("cargo runs");
    let errors = String::from_utf8_lossy(&built.stderr);
    let said = String::from_utf8_lossy(&built.stdout);
    assert!(built.status.success(), "{said}{errors}");
    assert!(!errors.contains("warning"), "{errors}");
    said.into_owned()
}

#[track_caller]
fn result(output: &Output) -> String {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_sensor_of_ones_own_is_like_the_others() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/external");
    let program = build(&folder.join("Cargo.toml")).join("my-sim");
    let room = tempfile::tempdir().expect("a directory");
    for file in ["lean.ron", "floor.robray", "plank.robray"] {
        fs::copy(folder.join(file), room.path().join(file)).expect("a file");
    }
    let run = |arguments: &[&str]| {
        let output = Command::new(&program)
            .args(arguments)
            .current_dir(room.path())
            .output();
        output.expect("the program runs")
    };
    assert!(
        result(&run(&["list", "sensors"]))
            .lines()
            .any(|line| line.starts_with("tilt "))
    );
    let description = result(&run(&["describe", "tilt"]));
    for text in [
        "tilt (sensor)",
        "limit",
        "angle",
        "rad",
        "True if the limit is passed.",
    ] {
        assert!(
            description.contains(text),
            "{text} is not in:\n{description}"
        );
    }
    let first = result(&run(&["lean.ron", "--until", "2s"]));
    let csv = fs::read_to_string(room.path().join("out/plank.tilt.csv")).expect("a log");
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!((rows.len(), rows[0]), (21, "timestamp;angle;over"));
    assert!(
        rows[1].ends_with(";False") && rows[20].ends_with(";True"),
        "it falls:\n{csv}"
    );
    let second = result(&run(&["lean.ron", "--until", "2s"]));
    assert_eq!(first.lines().nth(1), second.lines().nth(1), "the same hash");
    let refused = run(&["lean.ron", "--set", "robots.plank.sensors.tilt.limits=2"]);
    let err = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        refused.status.code() == Some(2) && err.contains("did you mean") && err.contains("limit"),
        "{err}"
    );
}
