//! Signals and time limits end a run, also in the middle of a load or a tick, and its files are complete.
#![cfg(unix)]

use std::{
    process::{Child, Command, Stdio},
    time::Duration,
};

use super::{
    Ran, Room, binary,
    files::whole_records,
    starting::{ended, start},
};
use crate::require::say;

/// Runs in real time until it is stopped.
fn endless(room: &Room, arguments: &[&str]) -> Child {
    let mut command = Command::new(binary());
    command
        .args(["quiet.ron", "--output", "text:out", "--json"])
        .args(arguments);
    command
        .current_dir(room.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn().expect("the program runs")
}

fn send(signal: &str, child: &Child) {
    let status = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status()
        .expect("kill");
    assert!(status.success());
}

/// Waits until the log has grown, which implies that the run has begun.
fn wait_for_records(room: &Room) {
    let path = room.path().join("out/block.pose.txt");
    for _ in 0..600 {
        if std::fs::metadata(&path).is_ok_and(|file| file.len() > 2000) {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("nothing was logged in half a minute");
}

fn ends(signal: &str, code: i32, arguments: &[&str]) {
    let room = Room::new();
    let child = endless(&room, arguments);
    wait_for_records(&room);
    send(signal, &child);
    let ran = Ran::of(&child.wait_with_output().expect("it ends")).with_code(code);
    let summary: serde_json::Value = serde_json::from_str(&ran.out).expect("a summary");
    let records = whole_records(&room.read("out/block.pose.txt"));
    assert_eq!(
        summary["steps"].as_u64(),
        Some(records as u64),
        "every tick is in the log"
    );
}

#[test]
fn an_interrupted_run_is_130() {
    ends("-INT", 130, &[]);
}

#[test]
fn a_terminated_run_is_143() {
    ends("-TERM", 143, &["--rtf", "2"]);
}

#[test]
fn a_run_at_full_speed_ends_as_well() {
    ends("-INT", 130, &["--steps", "100000000"]);
}

#[test]
fn a_killed_run_leaves_whole_records() {
    let room = Room::new();
    let mut child = endless(&room, &[]);
    wait_for_records(&room);
    send("-KILL", &child);
    assert_eq!(child.wait().expect("it ends").code(), None);
    let text = room.read("out/block.pose.txt");
    assert!(whole_records(&text) > 5);
    assert!(text.ends_with("\n\n"), "a record ends with an empty line");
}

/// Writes a chain of 40 000 links, which takes far longer to load than the tests wait.
fn long_chain(room: &Room) {
    let shape = "geometry { shape box; dimension [0.05, 0.05, 0.05]; }";
    let links = (1..40_000).map(|link| {
        let parent = link - 1;
        format!("frame l{link} {{ parent l{parent}; type revolute; axis [0, 1, 0]; variable q{link}; translation [0.06, 0, 0]; mass 0.1; {shape} }}\n")
    });
    let links: String = links.collect();
    room.write("chain.robray", &format!("frame l0 {{ {shape} }}\n{links}"));
}

/// Far more than the end of a program takes.
const SOON: Duration = Duration::from_secs(40);

#[test]
fn a_program_that_reads_or_calculates_for_long_ends_in_time() {
    let room = Room::new();
    long_chain(&room);
    let run = ["chain.robray", "--steps", "1", "--json"];
    let child = start(room.path(), &[&run[..], &["--timeout", "500ms"]].concat());
    let ran = ended(child, SOON).with_code(124);
    assert!(
        ran.err.contains("timeout after 0.5 s (`--timeout`)"),
        "{}",
        ran.err
    );
    let object: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(object["exit_code"], 124, "{object}");
    for (signal, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        if signal == "-HUP" && ignores_hang_ups() {
            say("the tests were told to outlive their terminal");
            continue;
        }
        let child = start(room.path(), &run);
        // Long enough to install the signal handlers, and far too short for the chain.
        std::thread::sleep(Duration::from_secs(3));
        send(signal, &child);
        let ran = ended(child, SOON).with_code(code);
        let object: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
        assert_eq!(object["exit_code"], code, "{object}");
    }
}

/// A log on a pipe that is open but never read: the writer blocks, and the tick waits for the writer.
fn stuck(arguments: &[&str]) -> (Room, Child, Child) {
    let room = Room::new();
    std::fs::create_dir(room.path().join("out")).expect("a directory");
    let pipe = room.path().join("out/block.pose.txt");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    let mut reader = Command::new("sh");
    reader.args(["-c", "exec 3< out/block.pose.txt; exec sleep 100"]);
    let reader = reader.current_dir(room.path()).spawn().expect("a reader");
    let run = ["quiet.ron", "--steps", "1000000", "--output", "text:out"];
    let child = start(room.path(), &[&run[..], arguments].concat());
    (room, child, reader)
}

#[test]
fn a_tick_that_waits_for_long_ends_in_time() {
    for (signals, arguments, code) in [
        (&[][..], &["--timeout", "1s"][..], 124),
        (&["-TERM"], &[], 143),
        (&["-INT", "-INT"], &[], 130),
    ] {
        let (_room, child, mut reader) = stuck(arguments);
        for signal in signals {
            std::thread::sleep(Duration::from_secs(1));
            send(signal, &child);
        }
        let ran = ended(child, SOON).with_code(code);
        reader.kill().expect("it can be ended");
        reader.wait().expect("it ends");
        let is_told = ran.err.contains("took too long");
        assert!(is_told || signals.len() > 1, "{}", ran.err);
    }
}

/// Returns true if this process, and so those that it starts, ignores hang-ups, as below `nohup`.
fn ignores_hang_ups() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let mask = lines.find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & 1 == 1)
}

#[test]
fn a_closed_terminal_ends_a_run_unless_it_was_told_to_outlive_it() {
    if ignores_hang_ups() {
        say("the tests were told to outlive their terminal");
    } else {
        ends("-HUP", 129, &[]);
    }
    let room = Room::new();
    let mut command = Command::new("nohup");
    command
        .arg(binary())
        .args(["quiet.ron", "--output", "text:out"]);
    command.current_dir(room.path());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the program runs");
    wait_for_records(&room);
    send("-HUP", &child);
    std::thread::sleep(Duration::from_millis(500));
    assert!(child.try_wait().expect("a child").is_none(), "it goes on");
    send("-TERM", &child);
    assert_eq!(child.wait().expect("it ends").code(), Some(143));
}
