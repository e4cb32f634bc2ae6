//! SIGINT and SIGTERM end a run that has no end, and its files are whole.
#![cfg(unix)]

use std::{
    process::{Child, Command, Stdio},
    time::Duration,
};

use super::{Ran, Room, binary, files::whole_records};

/// Runs in real time until it is told to stop.
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

/// Waits until the log has grown, so that the run is surely under way.
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
