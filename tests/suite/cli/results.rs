//! Results that cannot be written: every command reports it.
use std::{
    collections::BTreeSet,
    fs::File,
    io::Write as _,
    process::{Command, Stdio},
};

use super::{Ran, Room, binary};

/// Commands that print results, each with valid arguments and, if needed, its stdin.
const PRINTING: [(&[&str], &str); 24] = [
    (&["--help"], ""),
    (&["--version"], ""),
    (&["help", "run"], ""),
    (&["quiet.ron", "--steps", "1"], ""),
    (&["run", "quiet.ron", "--steps", "1", "--json"], ""),
    (&["run", "missing.ron", "--json"], ""),
    (&["test", "quiet.test.ron"], ""),
    (&["test", "quiet.test.ron", "--json"], ""),
    (&["batch", "quiet.batch.ron"], ""),
    (&["check", "quiet.ron"], ""),
    (&["check", "quiet.ron", "--json"], ""),
    (&["inspect", "quiet.ron"], ""),
    (&["inspect", "quiet.ron", "--json"], ""),
    (&["list", "sensors"], ""),
    (&["list", "robots", "--json"], ""),
    (&["list", "services"], ""),
    (&["describe", "gps"], ""),
    (&["describe", "gps", "--json"], ""),
    (&["compile", "untidy.robray"], ""),
    (&["convert", "untidy.robray", "-", "--to", "urdf"], ""),
    (&["fmt", "-"], "frame a { }"),
    (&["fmt", "--check", "untidy.robray"], ""),
    (&["completions", "bash"], ""),
    (&["man", "run"], ""),
];

/// Commands that print nothing.
const SILENT: [&str; 3] = ["lsp", "new", "render"];

const SCENARIO: &str =
    r#"Scenario(length: 0.1, conditions: { "is there": stay(when: "block.pose.z > 0") })"#;

const BATCH: &str = r#"Batch(scenario: "quiet.test.ron")"#;

fn call(room: &Room, arguments: &[&str], stdin: &str, stdout: impl Into<Stdio>) -> Ran {
    let mut child = Command::new(binary())
        .args(arguments)
        .current_dir(room.path())
        .stdin(Stdio::piped())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(stdin.as_bytes()).expect("it listens");
    drop(input);
    Ran::of(&child.wait_with_output().expect("it ends"))
}

fn room() -> Room {
    let room = Room::new();
    room.write("quiet.test.ron", SCENARIO)
        .write("quiet.batch.ron", BATCH)
        .write("untidy.robray", "frame   a{}");
    room
}

#[cfg(target_os = "linux")]
#[test]
fn results_that_are_lost_are_3() {
    let room = room();
    for (arguments, stdin) in PRINTING {
        let fine = call(&room, arguments, stdin, Stdio::piped());
        assert!(!fine.out.is_empty(), "{arguments:?} prints nothing");
        let full = File::options().write(true).open("/dev/full").expect("it");
        let ran = call(&room, arguments, stdin, full);
        assert_eq!(ran.code, 3, "{arguments:?}: {}", ran.err);
        assert!(
            ran.err.contains("cannot be written") && ran.err.contains("No space left"),
            "{arguments:?}: {}",
            ran.err
        );
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let room = room();
    for (arguments, stdin) in PRINTING {
        let before = call(&room, arguments, stdin, Stdio::piped()).code;
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let ran = call(&room, arguments, stdin, writer);
        assert_eq!(ran.code, before, "{arguments:?}: {}", ran.err);
        assert!(!ran.err.contains("panicked"), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn every_command_is_looked_at() {
    let help = Room::new().run(&["--help"]).with_code(0).out;
    let (_, commands) = help.split_once("Commands:\n").expect("a list of commands");
    let (commands, _) = commands.split_once("\n\n").expect("its end");
    let names = commands
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    let tried: BTreeSet<&str> = PRINTING
        .iter()
        .map(|(arguments, _)| arguments[0])
        .chain(SILENT)
        .collect();
    let missing: Vec<&str> = names.filter(|name| !tried.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}\n{help}");
}
