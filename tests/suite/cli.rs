//! End-to-end tests of the program: exit codes, stdout and stderr, files, signals.
mod batches;
mod beside;
mod catalogue;
mod checked;
mod compiled;
mod contradictions;
mod files;
mod merged;
mod pictures;
mod profile;
mod results;
mod scenarios;
mod shell;
mod signals;
mod starting;
mod talk;
mod textures;
mod without_effect;

use std::path::{Path, PathBuf};

use assert_cmd::Command;

/// A scene with two blocks that fall, without any output.
const QUIET: &str = r#"Simulation(
    scene: "blocks.robray",
    robots: { "block": (frame: "block", sensors: { "pose": (kind: "pose") }) },
)"#;

const BLOCKS: &str = "frame floor { geometry { shape box; dimension [4, 4, 0.2]; } }\n\
    frame block { translation [0, 0, 1]; geometry { shape box; dimension [0.1, 0.1, 0.1]; density 500; } }\n";

/// A working directory.
struct Room(tempfile::TempDir);

/// Exit code and output of a run.
struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl Room {
    fn new() -> Self {
        let room = Self(tempfile::tempdir().expect("a directory"));
        room.write("blocks.robray", BLOCKS)
            .write("quiet.ron", QUIET);
        room
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) -> &Self {
        std::fs::write(self.path().join(name), text).expect("a file");
        self
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).expect("a readable file")
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let output = program()
            .args(arguments)
            .current_dir(self.path())
            .output()
            .expect("the program runs");
        Ran::of(&output)
    }
}

impl Ran {
    fn of(output: &std::process::Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            code: output.status.code().unwrap_or(-1),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }

    #[track_caller]
    fn with_code(self, code: i32) -> Self {
        assert_eq!(
            self.code, code,
            "stdout:\n{}\nstderr:\n{}",
            self.out, self.err
        );
        self
    }

    /// Checks that stderr contains all of these texts, and that stdout is empty.
    #[track_caller]
    fn with_errors(self, words: &[&str]) {
        assert_eq!(
            self.out, "",
            "results go to stdout, everything else to stderr"
        );
        for word in words {
            assert!(self.err.contains(word), "`{word}` is not in:\n{}", self.err);
        }
    }
}

fn program() -> Command {
    let mut command = Command::new(binary());
    command.env_remove("NO_COLOR");
    command
}

fn binary() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_morse-sim"))
}

#[test]
fn a_fine_run_says_what_it_did() {
    let room = Room::new();
    let ran = room.run(&["quiet.ron", "--until", "500ms"]).with_code(0);
    assert!(
        ran.out.starts_with("30 ticks, 0.500 s simulated in "),
        "{}",
        ran.out
    );
    assert!(
        ran.out.lines().any(|line| line
            .strip_prefix("state ")
            .is_some_and(|hash| hash.len() == 32)),
        "{}",
        ran.out
    );
    assert_eq!(ran.err, "");
    assert_eq!(
        room.run(&["run", "quiet.ron", "--steps", "30"])
            .with_code(0)
            .out
            .lines()
            .nth(1),
        ran.out.lines().nth(1)
    );
}

#[test]
fn the_summary_has_these_keys() {
    let ran = Room::new()
        .run(&["quiet.ron", "--steps", "30", "--json"])
        .with_code(0);
    let summary: serde_json::Value = serde_json::from_str(&ran.out).expect("one JSON object");
    let mut keys: Vec<&str> = summary
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect();
    keys.sort_unstable();
    assert_eq!(
        keys,
        [
            "drops",
            "end",
            "exit_code",
            "files",
            "lost",
            "rtf",
            "rtf_min",
            "seed",
            "sim_seconds",
            "slowest_tick",
            "state_hash",
            "steps",
            "wall_seconds"
        ]
    );
    assert_eq!(
        (
            summary["steps"].as_u64(),
            summary["sim_seconds"].as_f64(),
            summary["drops"].as_u64()
        ),
        (Some(30), Some(0.5), Some(0))
    );
    assert_eq!(summary["lost"], serde_json::json!([]));
    assert!(
        ran.out
            .starts_with("{\"steps\":30,\"sim_seconds\":0.5,\"wall_seconds\":"),
        "{}",
        ran.out
    );
}

#[test]
fn threads_and_pace_do_not_change_the_state() {
    let room = Room::new();
    let state = |arguments: &[&str]| {
        let ran = room
            .run(&[&["quiet.ron", "--steps", "12", "--json"], arguments].concat())
            .with_code(0);
        serde_json::from_str::<serde_json::Value>(&ran.out).expect("JSON")["state_hash"].clone()
    };
    let expected = state(&[]);
    assert_eq!(state(&["--threads", "4"]), expected);
    assert_eq!(state(&["--rtf", "1"]), expected);
    assert_eq!(state(&["--rtf", "max", "--output", "csv:log"]), expected);
    assert_ne!(
        state(&["--set", "environment.gravity=(0, 0, -9.8)"]),
        expected
    );
}

#[test]
fn wrong_arguments_are_2() {
    let room = Room::new();
    room.run(&[]).with_code(2).with_errors(&["FILE", "Usage"]);
    room.run(&["quiet.ron", "--step", "3"])
        .with_code(2)
        .with_errors(&["--step", "--steps"]);
    room.run(&["quiet.ron", "--rtf", "fast"])
        .with_code(2)
        .with_errors(&["max", "0.5"]);
    room.run(&["quiet.ron", "--until", "3 parsecs"])
        .with_code(2)
        .with_errors(&["ms, s, min, h"]);
    room.run(&["quiet.ron", "--steps", "1", "--until", "1s"])
        .with_code(2)
        .with_errors(&["cannot be used with"]);
    room.run(&["chek"])
        .with_code(2)
        .with_errors(&["did you mean", "check"]);
    room.run(&["quiet.ron", "--output", "cvs:log"])
        .with_code(2)
        .with_errors(&["csv:DIRECTORY"]);
    room.run(&["quiet.ron", "--output", "csv:"])
        .with_code(2)
        .with_errors(&["csv:DIRECTORY"]);
    room.run(&["quiet.ron", "--steps", "1", "--screenshot", "a.bmp"])
        .with_code(2)
        .with_errors(&["`--screenshot a.bmp`: the extension must be `.png`"]);
    room.run(&["chekc", "quiet.ron"])
        .with_code(2)
        .with_errors(&["no command and no file `chekc`", "`morse-sim check`"]);
    room.run(&["quiet.ron", "quiet.ron"])
        .with_code(2)
        .with_errors(&["cannot be used with"]);
    room.run(&["quiet.ron", "--set", "environment.rat=3"])
        .with_code(2)
        .with_errors(&["rate"]);
}

#[test]
fn help_and_version_are_results() {
    let room = Room::new();
    let help = room.run(&["--help"]).with_code(0);
    for word in [
        "check",
        "convert",
        "inspect",
        "list",
        "describe",
        "fmt",
        "lsp",
        "render",
        "test",
        "completions",
        "man",
        "--progress",
        "--video",
        "--until",
        "Exit codes",
    ] {
        assert!(help.out.contains(word), "{word}: {}", help.out);
    }
    for later in ["replay", "--record"] {
        assert!(
            !help.out.contains(later),
            "{later} is not there yet: {}",
            help.out
        );
    }
    assert!(
        room.run(&["--version"])
            .with_code(0)
            .out
            .starts_with("morse-sim ")
    );
}

#[test]
fn what_cannot_be_read_is_2() {
    let room = Room::new();
    room.write("bad.ron", "Simulation(\n    scen: \"blocks.robray\",\n    robots: { \"b\": (frame: \"block\", sensors: { \"s\": (kind: \"pos\") }) },\n)");
    room.run(&["bad.ron"]).with_code(2).with_errors(&[
        "bad.ron:2:5",
        "`scene`",
        "bad.ron:3:",
        "`pose`",
        "nothing was run",
    ]);
    room.run(&["missing.ron"])
        .with_code(2)
        .with_errors(&["missing.ron", "No such file"]);
    room.run(&["missing.robray"])
        .with_code(2)
        .with_errors(&["missing.robray"]);
    room.write("robot.sdf", "<sdf/>")
        .run(&["robot.sdf"])
        .with_code(2)
        .with_errors(&["robot.sdf:1:1", "there is no world and no model"]);
    room.write("loop.robray", "frame a { parent b; } frame b { parent a; }");
    room.run(&["loop.robray"])
        .with_code(2)
        .with_errors(&["cycle", "loop.robray:1:"]);
}

#[test]
fn colours_are_for_terminals() {
    let room = Room::new();
    room.write("bad.ron", "Simulation(nonsense: 1)");
    for color in [None, Some("1")] {
        let mut command = program();
        command
            .args(["bad.ron"])
            .current_dir(room.path())
            .env("CLICOLOR_FORCE", "0");
        if let Some(value) = color {
            command.env("NO_COLOR", value);
        }
        let ran = Ran::of(&command.output().expect("the program runs")).with_code(2);
        assert!(!ran.err.contains('\u{1b}'), "{}", ran.err);
    }
}
