//! Files that a run writes, and errors where it cannot.
use std::process::Command;

use super::{Ran, Room, binary};

/// Returns the blocks, logged in both formats.
fn logged(directory: &str) -> String {
    format!(
        r#"Simulation(
    scene: "blocks.robray",
    robots: {{
        "block": (frame: "block", sensors: {{
            "pose": (kind: "pose", outputs: {{ "log": () }}),
            "again": (kind: "pose", frequency: 10, outputs: {{ "log": (format: csv) }}),
        }}),
    }},
    middlewares: {{ "log": (kind: "text", directory: "{directory}") }},
)"#
    )
}

/// Returns records of MORSE's format, each of which must be complete.
#[track_caller]
pub(super) fn whole_records(text: &str) -> usize {
    let (_, records) = text.split_once("\n\n").expect("a head");
    assert!(
        text.ends_with("\n\n"),
        "ends in half a record: {:?}",
        &text[text.len().saturating_sub(80)..]
    );
    let mut count = 0;
    for (number, record) in records.split_terminator("\n\n").enumerate() {
        let lines: Vec<&str> = record.lines().collect();
        assert!(lines[0].starts_with("==> Data at x, y, z: ["), "{record}");
        assert!(
            lines[0].contains(&format!("| index {number} | time ")),
            "{record}"
        );
        assert_eq!(lines.len(), 8, "{record}");
        assert!(lines[7].starts_with("\troll = "), "{record}");
        count += 1;
    }
    count
}

#[test]
fn every_reading_is_logged() {
    let room = Room::new();
    room.write("log.ron", &logged("out"));
    room.run(&["log.ron", "--until", "2s"]).with_code(0);
    assert_eq!(whole_records(&room.read("out/block.pose.txt")), 120);
    let csv = room.read("out/block.again.csv");
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(
        (rows.len(), rows[0]),
        (21, "timestamp;x;y;z;yaw;pitch;roll")
    );
    assert!(rows.iter().all(|row| row.split(';').count() == 7), "{csv}");
    let again = Room::new();
    again
        .write("log.ron", &logged("out"))
        .run(&["log.ron", "--until", "2s"])
        .with_code(0);
    assert_eq!(
        again.read("out/block.pose.txt"),
        room.read("out/block.pose.txt"),
        "the same bytes twice"
    );
}

#[test]
fn output_may_be_asked_for_on_the_command_line() {
    let room = Room::new();
    room.run(&[
        "quiet.ron",
        "--steps",
        "5",
        "--output",
        "text:a",
        "--output",
        "csv:b",
    ])
    .with_code(0);
    assert_eq!(whole_records(&room.read("a/block.pose.txt")), 5);
    assert_eq!(room.read("b/block.pose.csv").lines().count(), 6);
}

#[test]
fn a_directory_that_cannot_be_made_is_3() {
    let room = Room::new();
    room.write("taken", "a file")
        .write("log.ron", &logged("taken/out"));
    room.run(&["log.ron", "--steps", "5"])
        .with_code(3)
        .with_errors(&["taken/out", "cannot make the directory"]);
    // The superuser cannot write here either.
    room.write("proc.ron", &logged("/proc/none"));
    room.run(&["proc.ron", "--steps", "5"])
        .with_code(3)
        .with_errors(&["/proc/none"]);
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_3_and_what_was_logged_is_whole() {
    let room = Room::new();
    room.write("log.ron", &logged("out"));
    // A limit of 8 blocks of 1024 bytes for each file.
    let script = format!(
        "ulimit -f 8; exec '{}' log.ron --until 60s --json",
        binary().display()
    );
    let output = Command::new("bash")
        .args(["-c", &script])
        .current_dir(room.path())
        .output()
        .expect("bash");
    let ran = Ran::of(&output).with_code(3);
    assert!(
        ran.err.contains("block.pose.txt") && ran.err.contains("cannot write"),
        "{}",
        ran.err
    );
    let text = room.read("out/block.pose.txt");
    assert!(text.len() <= 8192 && text.len() > 7000, "{}", text.len());
    let records = whole_records(&text);
    assert!(records > 10, "{records}");
    let csv = room.read("out/block.again.csv");
    assert!(
        csv.ends_with('\n') && csv.lines().all(|row| row.split(';').count() == 7),
        "the other file is whole, too: {csv}"
    );
    assert_eq!(
        ran.err.matches("cannot write").count(),
        1,
        "it is said once: {}",
        ran.err
    );
    // It contains as much as the other file had room for.
    let time_of = |row: &str| {
        row.split(';')
            .next()
            .and_then(|time| time.parse::<f64>().ok())
    };
    let last = csv.lines().last().and_then(time_of).expect("a row");
    assert!(
        last >= records as f64 / 60.0 - 0.1,
        "{last} s, {records} records"
    );
    let summary: serde_json::Value =
        serde_json::from_str(&ran.out).expect("the summary of what was run");
    assert!(
        summary["steps"].as_u64().is_some_and(|steps| steps < 3600),
        "the run ended there: {summary}"
    );
}

/// Runs the program with files limited to a number of KiB.
#[cfg(unix)]
fn limited(room: &Room, kilobytes: u32, arguments: &str) -> Ran {
    let script = format!(
        "ulimit -f {kilobytes}; exec '{}' {arguments}",
        binary().display()
    );
    let output = Command::new("bash")
        .args(["-c", &script])
        .current_dir(room.path())
        .output()
        .expect("bash");
    Ran::of(&output)
}

/// Returns the files in the room, without the initial ones.
fn made(room: &Room) -> Vec<String> {
    let entries = std::fs::read_dir(room.path()).expect("a directory");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .filter(|name| !["blocks.robray", "quiet.ron"].contains(&name.as_str()))
        .collect();
    names.sort();
    names
}

#[cfg(unix)]
#[test]
fn half_a_picture_is_no_picture() {
    for arguments in [
        "render quiet.ron -o a.png",
        "quiet.ron --steps 2 --screenshot a.png",
        "quiet.ron --steps 2 --screenshot t=0s:a.png",
    ] {
        let room = Room::new();
        let ran = limited(&room, 1, arguments).with_code(3);
        assert!(
            ran.err.contains("a.png") && ran.err.contains("too large"),
            "{}",
            ran.err
        );
        assert_eq!(made(&room), [""; 0], "{arguments}");
        // The previous file is still there.
        room.write("a.png", "an older picture");
        limited(&room, 1, arguments).with_code(3);
        assert_eq!(made(&room), ["a.png"], "{arguments}");
        assert_eq!(room.read("a.png"), "an older picture");
        limited(&room, 4096, arguments).with_code(0);
        assert_eq!(made(&room), ["a.png"], "{arguments}");
    }
}

#[cfg(unix)]
#[test]
fn a_scene_that_cannot_be_formatted_is_not_lost() {
    let room = Room::new();
    let untidy = "frame   a{ }\n".to_owned() + &"// a comment that is long\n".repeat(200);
    room.write("untidy.robray", &untidy);
    let ran = limited(&room, 1, "fmt untidy.robray").with_code(3);
    assert!(ran.err.contains("untidy.robray"), "{}", ran.err);
    assert_eq!(room.read("untidy.robray"), untidy);
    assert_eq!(made(&room), ["untidy.robray"]);
    limited(&room, 64, "fmt untidy.robray").with_code(0);
    assert_ne!(room.read("untidy.robray"), untidy);
}

#[cfg(target_os = "linux")]
#[test]
fn a_log_without_room_for_its_head_is_3_before_anything_runs() {
    let room = Room::new();
    let onto_full = logged("out").replace("format: csv", "format: csv, file: \"/dev/full\"");
    room.write("log.ron", &onto_full);
    let ran = room.run(&["log.ron", "--steps", "1"]).with_code(3);
    assert!(ran.err.contains("cannot write `/dev/full`"), "{}", ran.err);
    assert_eq!(ran.out, "", "nothing was run");
}

#[test]
fn half_a_film_is_removed() {
    let room = Room::new();
    let run = "ulimit -f 8; exec \"$0\" quiet.ron --until 20s --video out.gif --size 320x240";
    let output = Command::new("sh")
        .args(["-c", run])
        .arg(binary())
        .current_dir(room.path())
        .output()
        .expect("the program runs");
    let ran = Ran::of(&output).with_code(3);
    assert!(
        ran.err.contains("`out.gif` cannot be written"),
        "{}",
        ran.err
    );
    assert!(!room.path().join("out.gif").exists());
}
