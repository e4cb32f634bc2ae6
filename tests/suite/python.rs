//! The Python packages: builder scripts, the launcher, the client, and MORSE's own test harness where it is available.
#![cfg(test)]

use std::{
    collections::BTreeSet,
    fs,
    io::{Read as _, Seek as _},
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    sync::OnceLock,
    thread,
    time::Duration,
};

use nix::{
    sys::signal::{self, Signal},
    unistd::Pid,
};

use crate::{external, require};

/// Returns true if a sufficiently new Python is installed.
pub(crate) fn has_python() -> bool {
    let version = "import sys; sys.exit(sys.version_info < (3, 9))";
    Command::new("python3")
        .args(["-c", version])
        .stdout(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

pub(crate) const NO_PYTHON: &str = "there is no python3 of 3.9 or later";

/// Builds the native core of the Python package with the profile of the suite, and returns the library. All packages that
/// `cargo test` builds are selected, so that dependencies have the same features and are not compiled again.
fn native() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let folder = external::folder();
        let mut build = Command::new("nice");
        build
            .args(["-n", "19", env!("CARGO"), "build", "--locked", "--quiet"])
            .args(["--workspace", "--exclude", "morse_viewer", "--lib"])
            .arg("--target-dir")
            .arg(folder.parent().expect("the directory of builds"))
            .current_dir(env!("CARGO_MANIFEST_DIR"));
        let (status, errors) = finish(build);
        assert!(status.is_some_and(|status| status.success()), "{errors}");
        folder.with_file_name("debug").join(LIBRARY_NAME)
    })
}

/// Name of the library that Cargo makes of the native core.
const LIBRARY_NAME: &str = if cfg!(target_os = "macos") {
    "lib_native.dylib"
} else {
    "lib_native.so"
};

/// Runs the Python tests of a folder; `what` names their requirement. A minimum number of tests has to exist, including
/// tests that are skipped with a reason.
pub(crate) fn unittests(what: &str, folder: &str, arguments: &[&str], least: u32) {
    if !has_python() {
        require::left_out(what, NO_PYTHON);
        return;
    }
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python-morse");
    let mut python = Command::new("python3");
    if what == "python" {
        python.env("MORSE_NATIVE", native());
    }
    python
        .args(["-m", "unittest", "discover", "--verbose"])
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder))
        .env("MORSE_SIM", env!("CARGO_BIN_EXE_morse-sim"))
        .env("MORSE_CACHE", cache)
        // A folder's own simulator is looked for there, where other tests build.
        .env_remove("CARGO_TARGET_DIR")
        .env("PYTHONDONTWRITEBYTECODE", "1");
    let (status, said) = finish(python);
    eprintln!("{said}");
    let Some(status) = status else {
        panic!("the Python tests did not end within {LIMIT:?}:\n{said}");
    };
    let skipped = said
        .lines()
        .filter_map(|line| line.split_once(" ... skipped "));
    for why in skipped.map(|(_, why)| why).collect::<BTreeSet<_>>() {
        require::say(why.trim_matches(['\'', '"']));
    }
    assert!(status.success(), "{said}");
    // A test that is tried again shows the report of its first attempt.
    let count = said
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("Ran ")?.split(' ').next()?.parse().ok());
    assert!(count.is_some_and(|count: u32| count >= least), "{said}");
}

/// Time limit of a folder's tests, and of a build.
const LIMIT: Duration = Duration::from_secs(1800);

/// Time between two looks at whether they have ended.
const PAUSE: Duration = Duration::from_millis(50);

/// Runs a command in a process group of its own and returns its status, none if it exceeds the time limit, and its
/// standard error. The group is killed at the end: a process that a test leaves behind neither keeps a pipe open, which
/// would block the suite, nor disturbs other tests.
fn finish(mut command: Command) -> (Option<ExitStatus>, String) {
    let mut log = tempfile::tempfile().expect("a file");
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log.try_clone().expect("a second handle"))
        .process_group(0)
        .spawn()
        .expect("the command runs");
    let mut status = None;
    for _ in 0..LIMIT.as_millis() / PAUSE.as_millis() {
        status = child.try_wait().expect("a status");
        if status.is_some() {
            break;
        }
        thread::sleep(PAUSE);
    }
    let group = Pid::from_raw(child.id().try_into().expect("a process"));
    // Fails if nothing of the group is left.
    signal::killpg(group, Signal::SIGKILL).ok();
    if status.is_none() {
        child.wait().expect("a status");
    }
    let mut said = Vec::new();
    log.rewind().expect("a position");
    log.read_to_end(&mut said).expect("what was written");
    (status, String::from_utf8_lossy(&said).into_owned())
}

#[test]
fn a_process_that_is_left_behind_blocks_nothing() {
    let mut command = Command::new("sh");
    command.args(["-c", "echo ended >&2; sleep 1000 & exit 3"]);
    let (status, said) = finish(command);
    assert_eq!(
        (status.and_then(|it| it.code()), said.as_str()),
        (Some(3), "ended\n")
    );
}

#[test]
fn python_tests() {
    unittests("python", "plugins/python", &["-s", "tests", "-t", "."], 46);
}

/// Runs the launcher, in its own home directory.
fn morse(home: &Path, arguments: &[&str]) -> String {
    let launcher = Path::new(env!("CARGO_MANIFEST_DIR")).join("plugins/python/bin/morse");
    let output = Command::new("python3")
        .arg(launcher)
        .args(arguments)
        .current_dir(home)
        .env("HOME", home)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("python3 runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{errors}");
    said
}

#[test]
fn components_that_morse_adds_are_built_and_work() {
    if !has_python() {
        require::left_out("python", NO_PYTHON);
        return;
    }
    let home = tempfile::tempdir().expect("a directory");
    let home = home.path();
    for arguments in [
        ["create", "place"].as_slice(),
        &["add", "sensor", "nose", "place"],
        &["add", "actuator", "my_tail", "place"],
    ] {
        morse(home, arguments);
    }
    let manifest = home.join("place/simulator/Cargo.toml");
    let program = external::build(&manifest).join("place-sim");
    let script = r#"
import sys
sys.path.insert(0, "place/src")
from morse.builder import *
from place.builder.actuators.my_tail import My_tail
from place.builder.sensors.nose import Nose

robot = ATRV()
nose = Nose()
nose.properties(floor=-1.0)
nose.translate(z=0.5)
robot.append(nose)
tail = My_tail()
tail.add_stream("socket")
robot.append(tail)
pose = Pose()
robot.append(pose)
env = Environment("empty")
env.configure_stream_manager("socket", port=0, streams=0)
"#;
    fs::write(home.join("script.py"), script).unwrap();
    morse(home, &["migrate", "script.py"]);
    let ran = Command::new(program)
        .args(["script.ron", "--until", "2s", "--output", "csv:out"])
        .args(["--set", "robots.robot.actuators.tail.start=(speed: 1)"])
        .current_dir(home)
        .output()
        .expect("the program runs");
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{errors}");
    let last = |name: &str| -> Vec<f64> {
        let csv = fs::read_to_string(home.join("out").join(name)).expect("a log");
        let line = csv.lines().last().expect("a line").to_owned();
        line.split(';')
            .map(|field| field.parse().unwrap())
            .collect()
    };
    // The robot's origin rests at 0.1 m, the sensor is mounted half a metre above, and measures from -1 m.
    assert!((last("robot.nose.csv")[1] - 1.6).abs() < 0.05);
    // Two seconds at 1 m/s, minus the loss by friction.
    assert!((last("robot.pose.csv")[1] - 1.94).abs() < 0.1);
}
