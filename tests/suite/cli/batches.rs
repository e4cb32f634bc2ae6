//! `morse-sim batch`: grids and samples of runs, and tables that are continued after a kill.
use std::{
    collections::BTreeSet,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use serde_json::Value as Json;

use super::{Room, binary};

const FALL: &str = r#"Simulation(
    scene: "blocks.robray",
    environment: (seed: 4),
    robots: { "block": (frame: "block", base: dynamic, mass: between(1, 2), sensors: {
        "pose": (kind: "pose"),
        "seen": (kind: "pose", modifiers: [(kind: "pose_noise", position_sigma: (0.1, 0.1, 0.1))]),
    }) },
)"#;

/// With some seeds the noise exceeds the initial height.
const CHANCE: &str = r#"Scenario(
    simulation: "fall.ron", length: 0.2,
    conditions: { "is seen low": never(when: "block.seen.z > 1.13") },
)"#;

const GRID: &str = r#"Batch(
    scenario: "chance.ron", seeds: "1..6",
    grid: { "environment.rate": [60, 120] },
    record: { "height": "block.pose.z", "way": "distance(block, (0, 0, 0))" },
)"#;

const DRAWN: &str = r#"Batch(
    simulation: "fall.ron", length: 0.3,
    sample: (count: 40, seed: 2, values: { "environment.gravity": between((-1, 0, -10), (1, 0, -5)) }),
    record: { "x": "block.pose.x" },
)"#;

fn room() -> Room {
    let room = Room::new();
    room.write("fall.ron", FALL)
        .write("chance.ron", CHANCE)
        .write("grid.ron", GRID)
        .write("drawn.ron", DRAWN);
    room
}

fn rows(text: &str) -> Vec<Json> {
    let rows = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")));
    rows.collect()
}

/// Returns the arguments of a command for a shell, without the program's name.
fn arguments(command: &str) -> Vec<String> {
    assert!(!command.contains('\''), "no quotes are needed: {command}");
    command.split(' ').skip(1).map(str::to_owned).collect()
}

#[test]
fn every_combination_has_a_row_that_its_command_repeats() {
    let room = room();
    let ran = room.run(&["batch", "grid.ron"]).with_code(0);
    assert_eq!(ran.err, "");
    let text = room.read("grid.jsonl");
    let rows = rows(&text);
    assert_eq!(rows.len(), 12);
    let outcome = |wanted: &str| rows.iter().filter(|row| row["outcome"] == wanted).count();
    let (passed, failed) = (outcome("passed"), outcome("failed"));
    assert!(passed > 0 && failed > 0 && passed + failed == 12, "{text}");
    let said = format!("12 runs: {passed} passed, {failed} failed: grid.jsonl\n");
    assert_eq!(ran.out, said);
    for (number, row) in rows.iter().enumerate() {
        assert_eq!(row["run"], number);
        assert_eq!(row["seed"], number % 6 + 1);
        let rate = if number < 6 { 60 } else { 120 };
        assert_eq!(row["set"][0], format!("environment.rate={rate}"));
        let mass = &row["drawn"]["robots.block.mass"];
        let number_of = mass.as_str().unwrap().parse::<f64>().unwrap();
        assert!((1.0..=2.0).contains(&number_of), "{row}");
        for (other, seed) in rows.iter().zip((1..=6).cycle()) {
            let is_same = &other["drawn"]["robots.block.mass"] == mass;
            assert_eq!(is_same, row["seed"] == seed, "{row} and {other}");
        }
        let is_low = row["outcome"] == "passed";
        assert_eq!(row["conditions"]["is seen low"], is_low);
        let (height, way) = (&row["values"]["height"], &row["values"]["way"]);
        assert!(way.as_f64().unwrap() >= height.as_f64().unwrap(), "{row}");
        if is_low {
            assert_eq!(row["steps"], rate / 5);
        }
    }
    // The command of a row makes the same run.
    for row in [&rows[0], &rows[7]] {
        let mut command = arguments(row["repeat"].as_str().unwrap());
        command.push("--json".to_owned());
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        let ran = room.run(&command);
        let result: Json = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(
            result["runs"][0]["summary"]["state_hash"],
            row["state_hash"]
        );
    }
    let one = room.run(&["batch", "grid.ron", "--run", "7"]).with_code(0);
    assert_eq!(one.out.trim_end(), text.lines().nth(7).unwrap());
    // The number of simultaneous runs changes nothing, and rows that are there are not made again.
    room.run(&["batch", "grid.ron", "-j", "1", "-o", "one.jsonl"]);
    assert_eq!(room.read("one.jsonl"), text);
    let ran = room.run(&["batch", "grid.ron"]).with_code(0);
    let said = "0 runs: 0 passed, 0 failed; 12 were there already: grid.jsonl\n";
    assert_eq!(ran.out, said);
}

#[test]
fn drawn_values_are_those_of_the_run() {
    let room = room();
    room.run(&["batch", "drawn.ron"]).with_code(0);
    let rows = rows(&room.read("drawn.jsonl"));
    assert_eq!(rows.len(), 40);
    let mut hashes = BTreeSet::new();
    for row in &rows {
        hashes.insert(row["state_hash"].as_str().unwrap());
        let gravity = row["set"][0].as_str().unwrap();
        let gravity = gravity.strip_prefix("environment.gravity=(").unwrap();
        let across: f64 = gravity.split(',').next().unwrap().parse().unwrap();
        // 0.3 s of constant acceleration.
        let expected = across * 0.3 * 0.3 / 2.0;
        let x = row["values"]["x"].as_f64().unwrap();
        assert!((x - expected).abs() < 1e-5, "{row}");
    }
    assert_eq!(hashes.len(), 40);
    let command = rows[3]["repeat"].as_str().unwrap();
    let ran = Command::new("sh")
        .args([
            "-c",
            &format!("\"$0\" {} --json", command.split_once(' ').unwrap().1),
        ])
        .arg(binary())
        .current_dir(room.path())
        .output()
        .unwrap();
    let summary: Json = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(summary["state_hash"], rows[3]["state_hash"], "{command}");
}

#[test]
fn a_killed_batch_is_continued_and_no_run_is_made_twice() {
    let room = room();
    room.run(&["batch", "drawn.ron", "-o", "whole.jsonl"])
        .with_code(0);
    let mut killed = 0;
    loop {
        let mut running = Command::new(binary())
            .args(["batch", "drawn.ron", "-j", "2", "-o", "killed.jsonl"])
            .current_dir(room.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let path = room.path().join("killed.jsonl");
        let before = std::fs::read(&path).map_or(0, |rows| rows.len());
        // Killed as soon as there are further rows, at most three times.
        while killed < 3 && running.try_wait().unwrap().is_none() {
            let now = std::fs::read(&path).map_or(0, |rows| rows.len());
            if now > before + 300 {
                running.kill().unwrap();
                break;
            }
            thread::sleep(Duration::from_millis(1));
        }
        if running.wait().unwrap().success() {
            break;
        }
        killed += 1;
    }
    assert!(killed > 0, "it was too fast to be killed");
    assert_eq!(room.read("killed.jsonl"), room.read("whole.jsonl"));
    // A line that was cut.
    let text = room.read("whole.jsonl");
    room.write("cut.jsonl", &text[..text.len() - 9]);
    let ran = room
        .run(&["batch", "drawn.ron", "-o", "cut.jsonl"])
        .with_code(0);
    assert!(
        ran.err.contains("the last row of the table was incomplete"),
        "{}",
        ran.err
    );
    assert!(
        ran.out
            .starts_with("1 run: 1 passed, 0 failed; 39 were there"),
        "{}",
        ran.out
    );
    assert_eq!(room.read("cut.jsonl"), text);
}

#[test]
fn tables_of_other_files_and_mistakes_are_refused() {
    let room = room();
    room.run(&["batch", "drawn.ron"]).with_code(0);
    let text = room.read("drawn.jsonl");
    room.write("fall.ron", &FALL.replace("seed: 4", "seed: 5"));
    let ran = room.run(&["batch", "drawn.ron"]).with_code(3);
    assert!(
        ran.err
            .contains("`drawn.jsonl`:1: this is a row of another batch"),
        "{}",
        ran.err
    );
    assert_eq!(room.read("drawn.jsonl"), text);
    for (name, content, code, word) in [
        (
            "a.ron",
            GRID.replace("block.pose.z", "block.pose.q"),
            2,
            "a.ron:4:25",
        ),
        ("b.ron", GRID.replace("1..6", "6..1"), 2, "b.ron:2:36"),
        (
            "c.ron",
            GRID.replace("chance.ron", "no.ron"),
            2,
            "cannot read `no.ron`",
        ),
        (
            "d.ron",
            GRID.replace("environment.rate", "environment.rat"),
            2,
            "did you mean `rate`",
        ),
        ("e.ron", DRAWN.replace("fall.ron", "no.ron"), 2, "no.ron"),
        (
            "f.ron",
            CHANCE.to_owned(),
            2,
            "this is a scenario, not a batch",
        ),
    ] {
        room.write(name, &content);
        let ran = room.run(&["batch", name]).with_code(code);
        assert!(ran.err.contains(word), "{name}: {word}: {}", ran.err);
    }
    let ran = room.run(&["batch", "grid.ron", "--run", "12"]).with_code(2);
    assert!(ran.err.contains("`--run` is from 0 to 11"), "{}", ran.err);
    // A value that only some runs refuse is an error of these rows.
    room.write("half.ron", &GRID.replace("[60, 120]", "[60, -1]"));
    let ran = room.run(&["batch", "half.ron"]).with_code(4);
    assert!(ran.out.contains("6 with an error"), "{}", ran.out);
    let rows = rows(&room.read("half.jsonl"));
    let refused = rows[6]["error"].as_str().unwrap();
    assert!(refused.contains("`rate` must be"), "{refused}");
}
