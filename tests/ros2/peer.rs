//! A running program, and nodes of rclpy beside it.
#![cfg(test)]
use std::{
    env,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::atomic::{AtomicU16, Ordering},
};

use serde_json::Value as Json;

use crate::require::left_out;

/// Next domain: tests that run at the same time do not see each other.
static DOMAIN: AtomicU16 = AtomicU16::new(0);

/// Returns a domain of its own for a test.
pub(crate) fn domain() -> u16 {
    // Other runs of the tests on this machine have other domains, mostly.
    let first = (std::process::id() % 150) as u16;
    1 + (first + DOMAIN.fetch_add(1, Ordering::Relaxed)) % 200
}

/// Returns a Python with rclpy of Jazzy; without one the test is skipped.
pub(crate) fn python() -> Option<PathBuf> {
    let python = find("MORSE_ROS2_PYTHON", "ros2-python", Some("python3"));
    if python.is_none() {
        left_out(
            "ros2",
            "there is no Python with rclpy: the middleware `ros2`",
        );
    }
    python
}

/// Returns a Python with rclpy of Kilted; without one the test is skipped.
pub(crate) fn kilted() -> Option<PathBuf> {
    let python = find("MORSE_ROS2_KILTED_PYTHON", "ros2-python-kilted", None);
    if python.is_none() {
        left_out(
            "kilted",
            "there is no Python with rclpy of Kilted: nodes of ROS 2 Kilted",
        );
    }
    python
}

/// Returns the Python that a variable names, that of a directory of the tests, or a further one, if it has rclpy.
fn find(variable: &str, directory: &str, further: Option<&str>) -> Option<PathBuf> {
    let own = Path::new(env!("CARGO_TARGET_TMPDIR")).join(directory);
    let named = env::var_os(variable).map(PathBuf::from);
    let candidates = named
        .into_iter()
        .chain([own.join("bin/python")])
        .chain(further.map(PathBuf::from));
    candidates.into_iter().find(|python| {
        let imports = Command::new(python)
            .args([
                "-c",
                "import rclpy, sensor_msgs, nav_msgs, geometry_msgs, rosgraph_msgs, std_srvs, tf2_msgs, control_msgs",
            ])
            .output();
        imports.is_ok_and(|output| output.status.success())
    })
}

/// A simulation in a program of its own.
pub(crate) struct Program {
    child: Option<Child>,
    /// Directory of the simulation file.
    pub(crate) directory: tempfile::TempDir,
    domain: u16,
}

impl Program {
    /// Starts the program with a simulation file, in real time.
    pub(crate) fn start(file: &str, domain: u16) -> Self {
        Self::with(file, domain, &["--rtf", "1"])
    }

    /// Starts the program with a simulation file and arguments.
    pub(crate) fn with(file: &str, domain: u16, arguments: &[&str]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("world.ron");
        std::fs::write(&path, file).unwrap();
        let mut program = Self {
            child: None,
            directory,
            domain,
        };
        program.restart(arguments);
        program
    }

    /// Starts the program again in the same directory.
    pub(crate) fn restart(&mut self, arguments: &[&str]) {
        assert!(self.child.is_none(), "the program is running");
        let child = Command::new(env!("CARGO_BIN_EXE_morse-sim"))
            .arg(self.directory.path().join("world.ron"))
            .args(arguments)
            .env("ROS_DOMAIN_ID", self.domain.to_string())
            .env_remove("ROS_AUTOMATIC_DISCOVERY_RANGE")
            .env_remove("ROS_DISTRO")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        self.child = Some(child.unwrap());
    }

    /// Interrupts the program, and returns what it printed: stdout and stderr.
    pub(crate) fn end(&mut self) -> (String, String) {
        signal("-INT", self.child.as_ref().unwrap());
        self.wait()
    }

    /// Waits for the end of the program, and returns what it printed: stdout and stderr.
    pub(crate) fn wait(&mut self) -> (String, String) {
        let child = self.child.take().unwrap();
        let Output { stdout, stderr, .. } = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (text(stdout), text(stderr))
    }
}

fn signal(signal: &str, child: &Child) {
    let id = child.id().to_string();
    let status = Command::new("kill").args([signal, &id]).status();
    assert!(status.unwrap().success());
}

impl Drop for Program {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            child.kill().ok();
            child.wait().ok();
        }
    }
}

/// A node of rclpy in a process of its own.
pub(crate) struct Peer(Option<Child>);

impl Peer {
    /// Starts a node, see `peer.py`.
    pub(crate) fn start(python: &Path, domain: u16, wanted: &Json) -> Self {
        Self::with(python, domain, wanted, &[])
    }

    /// Starts a node with variables in its environment.
    pub(crate) fn with(
        python: &Path,
        domain: u16,
        wanted: &Json,
        variables: &[(&str, &str)],
    ) -> Self {
        let child = Command::new(python)
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ros2/peer.py"))
            .arg(wanted.to_string())
            .envs(variables.iter().copied())
            .env("ROS_DOMAIN_ID", domain.to_string())
            .env("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        Self(Some(child.unwrap()))
    }

    /// Halts the process of the node: it neither reads nor answers any more.
    pub(crate) fn halt(&self) {
        signal("-STOP", self.0.as_ref().unwrap());
    }

    /// Waits for the end of the node, and returns what it received.
    pub(crate) fn report(mut self) -> Json {
        let Output {
            stdout,
            stderr,
            status,
        } = self.0.take().unwrap().wait_with_output().unwrap();
        let [stdout, stderr] = [stdout, stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        assert!(status.success(), "{stderr}");
        serde_json::from_str(stdout.lines().last().unwrap_or_default())
            .unwrap_or_else(|why| panic!("{why}: {stdout}\n{stderr}"))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            child.kill().ok();
            child.wait().ok();
        }
    }
}

/// Runs a node to its end, and returns what it received.
pub(crate) fn run_peer(python: &Path, domain: u16, wanted: &Json) -> Json {
    Peer::start(python, domain, wanted).report()
}
