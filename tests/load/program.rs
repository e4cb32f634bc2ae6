//! The program on a simulation file, as a process of its own: its ports, its memory, its output.
use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    thread::JoinHandle,
    time::Duration,
};

use serde_json::Value as Json;

use super::{client::Client, wait_for};

/// A simulation file, and arguments of the program.
#[derive(Clone, Default)]
pub(crate) struct Scene {
    /// The text of the file; the name of a file if it ends in `.ron`.
    pub(crate) text: String,
    pub(crate) arguments: Vec<String>,
}

impl Scene {
    pub(crate) fn of(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            arguments: Vec::new(),
        }
    }

    /// Sets a value in the file.
    pub(crate) fn set(&mut self, value: &str) {
        self.arguments
            .extend(["--set".to_owned(), value.to_owned()]);
    }

    fn command(&self, folder: &Path) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_morse-sim"));
        if self.text.ends_with(".ron") {
            command.arg(&self.text);
        } else {
            fs::write(folder.join("main.ron"), &self.text).expect("a writable folder");
            command.arg("main.ron");
        }
        command
            .args(&self.arguments)
            .arg("--json")
            .current_dir(folder);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Returns the state hash of a run of a number of ticks without observers.
    pub(crate) fn hash_after(&self, steps: u64) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let steps = ["--steps".to_owned(), steps.to_string()];
        let output = self
            .command(folder.path())
            .args(steps)
            .output()
            .expect("the program runs");
        let summary: Json = serde_json::from_slice(&output.stdout).expect("a summary");
        text(&summary, "state_hash")
    }
}

fn text(summary: &Json, name: &str) -> String {
    summary
        .get(name)
        .and_then(Json::as_str)
        .unwrap_or_default()
        .to_owned()
}

/// Resources of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Holds {
    pub(crate) files: usize,
    pub(crate) threads: usize,
    /// Resident memory, bytes.
    pub(crate) memory: u64,
}

/// The running program.
pub(crate) struct Program {
    pub(crate) child: Child,
    _folder: tempfile::TempDir,
    ports: BTreeMap<String, u16>,
    said: Arc<Mutex<Vec<String>>>,
    ear: JoinHandle<()>,
}

/// Result of a finished run.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) steps: u64,
    pub(crate) hash: String,
    pub(crate) said: Vec<String>,
}

impl Program {
    /// Starts the program, in real time unless the arguments override that, and waits for its ports.
    pub(crate) fn start(scene: &Scene) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = scene.command(folder.path());
        let mut child = command
            .args(["--port-file", "ports.json"])
            .spawn()
            .expect("the program runs");
        let said = Arc::<Mutex<Vec<String>>>::default();
        let (lines, read) = (
            BufReader::new(child.stderr.take().expect("its errors")),
            said.clone(),
        );
        let ear = std::thread::Builder::new()
            .name("ear".to_owned())
            .spawn(move || {
                for line in lines.lines().map_while(Result::ok) {
                    read.lock().expect("no panic").push(line);
                }
            });
        let file = folder.path().join("ports.json");
        let is_there = wait_for(Duration::from_secs(60), || file.exists());
        assert!(
            is_there,
            "it does not begin: {:?}",
            said.lock().expect("no panic")
        );
        let ports: Json =
            serde_json::from_slice(&fs::read(&file).expect("its ports")).expect("its ports");
        let ports = ports.as_array().into_iter().flatten().filter_map(|port| {
            let number = u16::try_from(port["port"].as_u64()?).ok()?;
            Some((port["what"].as_str()?.to_owned(), number))
        });
        Self {
            ports: ports.collect(),
            child,
            _folder: folder,
            said,
            ear: ear.expect("a thread"),
        }
    }

    pub(crate) fn ports(&self) -> &BTreeMap<String, u16> {
        &self.ports
    }

    pub(crate) fn connect(&self, what: &str) -> Client {
        let port = self
            .ports
            .get(what)
            .unwrap_or_else(|| panic!("no port for {what}: {:?}", self.ports));
        Client::new(*port).unwrap_or_else(|why| panic!("{what}: {why}"))
    }

    /// Waits for some ticks: the first ones allocate the memory that all later ones reuse.
    pub(crate) fn warm_up(&self) {
        let mut client = self.connect("requests");
        let is_warm = || client.time().is_ok_and(|time| time > 0.2);
        assert!(
            wait_for(Duration::from_secs(20), is_warm),
            "no ticks: {:?}",
            self.said()
        );
    }

    /// Returns the lines on its error output so far.
    pub(crate) fn said(&self) -> Vec<String> {
        self.said.lock().expect("no panic").clone()
    }

    /// Returns its resources, as reported by Linux; zero elsewhere.
    pub(crate) fn holds(&self) -> Holds {
        let folder = format!("/proc/{}", self.child.id());
        let count =
            |name: &str| fs::read_dir(format!("{folder}/{name}")).map_or(0, Iterator::count);
        let status = fs::read_to_string(format!("{folder}/status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        Holds {
            files: count("fd"),
            threads: count("task"),
            memory: kib.unwrap_or(0) * 1024,
        }
    }

    /// Terminates the program by a request, and waits for its end.
    pub(crate) fn end(self) -> Ended {
        let id = self.child.id().to_string();
        let status = Command::new("kill")
            .args(["-TERM", &id])
            .status()
            .expect("kill");
        assert!(status.success());
        self.wait()
    }

    /// Waits for its end.
    pub(crate) fn wait(self) -> Ended {
        let output = self.child.wait_with_output().expect("it ends");
        self.ear.join().expect("no panic");
        let summary: Json = serde_json::from_slice(&output.stdout).unwrap_or_default();
        Ended {
            code: output.status.code(),
            steps: summary["steps"].as_u64().unwrap_or(0),
            hash: text(&summary, "state_hash"),
            said: self.said.lock().expect("no panic").clone(),
        }
    }

    /// Returns true if it has ended by itself.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_some())
    }
}
