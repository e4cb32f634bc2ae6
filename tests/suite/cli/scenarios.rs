//! `morse-sim test`: verdicts, many runs, and the files that are kept of failed runs.
use std::{path::Path, process::Command};

use serde_json::Value as Json;

use super::{Ran, Room, binary};

/// The block falls, and its pose is measured with noise.
const NOISY: &str = r#"Simulation(
    scene: "blocks.robray",
    environment: (seed: 4),
    robots: {
        "block": (frame: "block", base: dynamic, sensors: {
            "pose": (kind: "pose"),
            "seen": (kind: "pose", modifiers: [(kind: "pose_noise", position_sigma: (0.1, 0.1, 0.1))]),
        }),
        "rover": (
            model: "robots/atrv.robray", base: dynamic, at: (translation: (0, 20, 0)),
            sensors: { "pose": (kind: "pose") },
            actuators: { "motion": (kind: "v_omega") },
        ),
    },
)"#;

const PASSES: &str = r#"Scenario(
    simulation: "noisy.ron", length: 1,
    conditions: {
        "falls": reach(when: "block.pose.z < 0.2"),
        "is on the floor": stay(when: "block.pose.z == 0.15", tolerance: 0.01, from: 0.9),
    },
)"#;

const FAILS: &str = r#"Scenario(
    simulation: "noisy.ron", length: 1,
    conditions: {
        "falls": reach(when: "block.pose.z < 0.2"),
        "flies": never(when: "block.pose.z < 0.5"),
    },
)"#;

/// With some seeds the noise exceeds the initial height.
const CHANCE: &str = r#"Scenario(
    simulation: "noisy.ron", length: 0.2,
    conditions: { "is seen low": never(when: "block.seen.z > 1.13") },
)"#;

fn room() -> Room {
    let room = Room::new();
    room.write("noisy.ron", NOISY)
        .write("passes.ron", PASSES)
        .write("fails.ron", FAILS)
        .write("chance.ron", CHANCE);
    room
}

fn json(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_test_that_passes_is_0_and_one_that_fails_1() {
    let room = room();
    let ran = room.run(&["test", "passes.ron"]).with_code(0);
    assert_eq!(
        ran.out,
        "PASS passes.ron seed 4: 1.000 s\n1 run: 1 passed, 0 failed\n"
    );
    assert_eq!(ran.err, "");
    assert!(!room.path().join("out").exists(), "nothing is kept of it");
    let ran = room.run(&["test", "passes.ron", "fails.ron"]).with_code(1);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert!(lines[0].starts_with("PASS passes.ron"), "{}", ran.out);
    for word in [
        "FAIL fails.ron seed 4: ",
        "flies: `block.pose.z < 0.5`: it is true: block.pose.z = 0.4",
        "(tick ",
    ] {
        assert!(lines[1].contains(word), "no `{word}` in {}", lines[1]);
    }
    assert_eq!(lines[2], "  repeat: morse-sim test fails.ron");
    assert_eq!(lines[3], "  kept: out/failed/2-fails");
    assert_eq!(lines[4], "2 runs: 1 passed, 1 failed");
}

#[test]
fn logs_and_summary_of_a_failed_run_are_kept() {
    let room = room();
    room.run(&["test", "fails.ron", "--seeds", "3", "--keep", "bad"])
        .with_code(1);
    let summary = json(&room.read("bad/1-fails/summary.json"));
    assert_eq!(
        (&summary["outcome"], &summary["seed"]),
        (&"failed".into(), &3.into())
    );
    let steps = summary["summary"]["steps"].as_u64().expect("steps");
    let log = room.read("bad/1-fails/log/block.seen.csv");
    assert_eq!(log.lines().count() as u64, steps + 1, "a line a tick");
    assert!(
        room.read("bad/1-fails/messages.txt")
            .contains("FAIL fails.ron seed 3")
    );
    // The logs are those of a separate run with the same seed.
    let steps = steps.to_string();
    room.run(&[
        "noisy.ron",
        "--seed",
        "3",
        "--steps",
        &steps,
        "--output",
        "csv:log",
    ])
    .with_code(0);
    assert_eq!(room.read("log/block.seen.csv"), log);
    // Files of an earlier test are removed.
    room.write("bad/1-fails/log/older.csv", "");
    room.run(&["test", "fails.ron", "--keep", "bad"])
        .with_code(1);
    assert!(!room.path().join("bad/1-fails/log/older.csv").exists());
}

/// Returns the lines of the failed runs and, for each, the command below it.
fn failures(out: &str) -> Vec<(&str, &str)> {
    let lines: Vec<&str> = out.lines().collect();
    let pairs = lines.windows(2).filter(|pair| pair[0].starts_with("FAIL"));
    pairs
        .map(|pair| {
            let command = pair[1].strip_prefix("  repeat: ");
            (pair[0], command.expect("the command that repeats it"))
        })
        .collect()
}

/// Runs a printed command in a shell.
fn in_shell(room: &Room, command: &str) -> Ran {
    let folder = binary();
    let folder = folder.parent().expect("a folder").display().to_string();
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("bash")
        .args(["-c", command])
        .current_dir(room.path())
        .env("PATH", format!("{folder}:{path}"))
        .output()
        .expect("bash");
    Ran::of(&output)
}

#[test]
fn many_seeds_and_values_are_run_and_failures_repeat() {
    let room = room();
    let gravity = "environment.gravity=(0, 0, -9.81),(0, 0, -1)";
    let name = "environment.name=\"it's\"";
    let arguments = [
        "test",
        "chance.ron",
        "--seeds",
        "1..12",
        "--sweep",
        gravity,
        "--set",
        name,
    ];
    let ran = room.run(&arguments).with_code(1);
    let failed = failures(&ran.out);
    let passed = ran
        .out
        .lines()
        .filter(|line| line.starts_with("PASS"))
        .count();
    assert_eq!(failed.len() + passed, 24, "{}", ran.out);
    assert!(failed.len() >= 3 && passed >= 3, "{}", ran.out);
    // Results are in the order of the runs, whatever the number of threads.
    let alone = [&arguments[..], &["--jobs", "1"]].concat();
    let many = [&arguments[..], &["--jobs", "4"]].concat();
    assert_eq!(room.run(&alone).with_code(1).out, ran.out);
    assert_eq!(room.run(&many).with_code(1).out, ran.out);
    for (line, command) in [failed[0], failed[failed.len() - 1]] {
        assert!(
            command.contains("--seed ") && command.contains(" --set '"),
            "{command}"
        );
        let again = in_shell(&room, command).with_code(1);
        assert_eq!(again.out.lines().next(), Some(line), "{command}");
    }
}

#[test]
fn results_are_json_and_junit() {
    let room = room();
    let arguments = [
        "test",
        "passes.ron",
        "chance.ron",
        "--seeds",
        "1..8",
        "--json",
        "--junit",
        "junit.xml",
    ];
    let ran = room.run(&arguments).with_code(1);
    let result = json(&ran.out);
    let runs = result["runs"].as_array().expect("runs");
    assert_eq!((runs.len(), &result["ok"]), (16, &false.into()));
    let with = |outcome: &str| runs.iter().filter(|run| run["outcome"] == outcome).count() as u64;
    assert_eq!(result["passed"], with("passed"));
    assert_eq!(result["failed"], with("failed"));
    let first = &runs[0]["conditions"][0];
    assert_eq!(
        (&first["name"], &first["passed"]),
        (&"falls".into(), &true.into())
    );
    assert!(first["tick"].as_u64() > Some(10), "{first}");
    assert!(runs[0]["summary"]["state_hash"].is_string());

    let report = quick_junit::Report::deserialize_from_str(&room.read("junit.xml"));
    let report = report.expect("JUnit's XML");
    let suites = &report.test_suites;
    assert_eq!(
        suites
            .iter()
            .map(|suite| suite.name.as_str())
            .collect::<Vec<_>>(),
        ["passes.ron", "chance.ron"]
    );
    assert_eq!((report.tests, report.failures as u64), (16, with("failed")));
    for (run, test) in runs
        .iter()
        .zip(suites.iter().flat_map(|suite| &suite.test_cases))
    {
        assert_eq!(test.name.as_str(), format!("seed {}", run["seed"]));
        let quick_junit::TestCaseStatus::NonSuccess {
            message,
            description,
            ..
        } = &test.status
        else {
            assert_eq!(run["outcome"], "passed");
            continue;
        };
        assert_eq!(run["outcome"], "failed");
        assert!(message.as_ref().expect("why").contains("block.seen.z = "));
        let repeat = run["repeat"].as_str().expect("a command");
        assert!(description.as_ref().expect("more").contains(repeat));
    }
}

#[test]
fn commands_are_given_at_their_times() {
    let room = room();
    room.write(
        "drives.ron",
        r#"Scenario(
    simulation: "noisy.ron", length: 3, set: ["robots.rover.at.translation=(0, 20, 0.1)", "environment.gravity=(0, 0, 0)"],
    commands: [(at: 2, to: "rover.motion", command: (v: 0)), (at: 1, to: "rover.motion", command: (v: 1))],
    conditions: {
        "waits": never(when: "rover.pose.x > 0.001", until: 1),
        "drives": reach(when: "rover.pose.x > 0.5", before: 2),
        "stops": within(value: "rover.pose.x", of: 1, tolerance: 0.2),
    },
)"#,
    );
    room.run(&["test", "drives.ron"]).with_code(0);
}

#[test]
fn runs_that_do_not_come_to_their_end_fail() {
    let room = room();
    let endless = FAILS
        .replace("length: 1", "length: 100000")
        .replace("< 0.5", "< -5");
    let endless = endless.replace("length: 100000,", "length: 100000, timeout: 1.5,");
    room.write("endless.ron", &endless.replace("z < 0.2", "z < -9"));
    let ran = room
        .run(&["test", "endless.ron", "--keep", "kept"])
        .with_code(1);
    assert!(ran.out.contains("took longer than 1.5 s"), "{}", ran.out);
    assert!(
        !ran.out.contains("never"),
        "what is undecided is not told: {}",
        ran.out
    );
    let ran = room
        .run(&["test", "endless.ron", "--timeout", "1500ms"])
        .with_code(1);
    assert!(ran.out.contains("took longer than 1.5 s"), "{}", ran.out);
    assert!(
        ran.out
            .contains("repeat: morse-sim test endless.ron --timeout 1.5s")
    );
}

/// A tick that draws 64 million pixels, after one that draws nothing; the other run has its verdict.
#[test]
fn a_tick_that_takes_too_long_fails_its_run_alone() {
    let room = room();
    room.write(
        "slow.ron",
        r#"Simulation(robots: { "rover": (model: "robots/atrv.robray", sensors: {
            "eye": (kind: "video_camera", width: 8000, height: 8000, shadows: true, frequency: 1) }) })"#,
    );
    room.write(
        "slow.test.ron",
        r#"Scenario(length: 1000, timeout: 0.5, conditions: { "on": never(when: "rover.eye.width > 9000") })"#,
    );
    room.write("passes.ron", PASSES);
    for jobs in ["1", "2"] {
        let ran = room
            .run(&["test", "slow.test.ron", "passes.ron", "--jobs", jobs])
            .with_code(1);
        assert!(ran.out.contains("tick 1 took too long"), "{}", ran.out);
        assert!(ran.out.contains("PASS passes.ron"), "{}", ran.out);
        assert!(ran.out.contains("1 passed, 1 failed"), "{}", ran.out);
    }
}

/// Reading 50 000 frames takes longer than the time of the scenario.
#[test]
fn a_simulation_that_takes_too_long_to_build_ends_the_test() {
    let room = room();
    let frames = (0..50_000).map(|at| format!("frame f{at} {{ translation [{at}, 0, 0]; }}\n"));
    room.write("many.robray", &frames.collect::<String>());
    let scenario = PASSES.replace("noisy.ron", "many.robray");
    let scenario = scenario.replace("length: 1,", "length: 1, timeout: 0.05,");
    room.write("many.test.ron", &scenario);
    let ran = room.run(&["test", "many.test.ron"]).with_code(124);
    assert!(ran.err.contains("the time was up (0.05 s)"), "{}", ran.err);
}

#[test]
fn what_cannot_be_run_is_2() {
    let room = room();
    for (arguments, word) in [
        (&["test", "missing.ron"][..], "missing.ron"),
        (&["test", "noisy.ron"], "a simulation, not a scenario"),
        (&["passes.ron", "--steps", "1"], "morse-sim test"),
        (&["test", "passes.ron", "--jobs", "0"], "from 1 to"),
        (&["test", "passes.ron", "--jobs", "20000"], "from 1 to"),
        (
            &["test", "passes.ron", "--threads", "20000"],
            "20000 threads",
        ),
        (&["test", "passes.ron", "--seeds", "1..x"], "1..50"),
        (
            &["test", "passes.ron", "--sweep", "a"],
            "environment.rate=60",
        ),
        (
            &["test", "passes.ron", "--sweep", "environment.rat=60,70"],
            "`rate`",
        ),
    ] {
        let ran = room.run(arguments).with_code(2);
        assert!(
            ran.err.contains(word),
            "{arguments:?}: no `{word}` in {}",
            ran.err
        );
        assert_eq!(ran.out, "", "{arguments:?}");
    }
    // One of several runs that cannot be built is an error of its own.
    let ran = room
        .run(&["test", "passes.ron", "--sweep", "environment.rate=60,-1"])
        .with_code(2);
    assert!(
        ran.out.contains("PASS") && ran.out.contains("ERROR passes.ron"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("1 passed, 0 failed, 1 with an error"),
        "{}",
        ran.out
    );
}

#[test]
fn results_that_cannot_be_kept_are_3_or_1() {
    let room = room();
    room.write("taken", "a file");
    let ran = room
        .run(&["test", "passes.ron", "--junit", "taken/junit.xml"])
        .with_code(3);
    assert!(ran.err.contains("junit.xml"), "{}", ran.err);
    let ran = room
        .run(&["test", "fails.ron", "--keep", "taken"])
        .with_code(1);
    assert!(ran.err.contains("cannot be kept"), "{}", ran.err);
}

#[test]
fn a_scenario_lies_beside_its_simulation() {
    let room = room();
    let beside = PASSES.replace("simulation: \"noisy.ron\", ", "");
    room.write("noisy.test.ron", &beside);
    let ran = room.run(&["test", "noisy.test.ron"]).with_code(0);
    assert!(
        ran.out.starts_with("PASS noisy.test.ron seed 4"),
        "{}",
        ran.out
    );
}

#[test]
fn the_shipped_scenarios_pass() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let kept = Room::new();
    let mut count = 0;
    for entry in std::fs::read_dir(root.join("examples/scenarios")).expect("scenarios") {
        let path = entry.expect("an entry").path();
        let output = Command::new(binary())
            .arg("test")
            .arg(path.strip_prefix(root).expect("below the root"))
            .arg("--keep")
            .arg(kept.path().join("failed"))
            .current_dir(root)
            .output()
            .expect("the program runs");
        Ran::of(&output).with_code(0);
        count += 1;
    }
    assert!(count >= 2, "{count} scenarios");
}

#[test]
fn a_scenario_names_its_simulation_from_everywhere() {
    let room = room();
    std::fs::create_dir_all(room.path().join("tests/deep")).expect("a directory");
    let moved = PASSES.replace("noisy.ron", "../noisy.ron");
    room.write("tests/passes.ron", &moved);
    for (directory, file) in [
        ("", "tests/passes.ron"),
        ("tests", "passes.ron"),
        ("tests/deep", "../passes.ron"),
    ] {
        let output = Command::new(binary())
            .args(["test", file])
            .current_dir(room.path().join(directory))
            .output()
            .expect("the program runs");
        Ran::of(&output).with_code(0);
    }
    // A scenario cannot open other files in this way.
    room.write("secret.txt", "Simulation(secret: 1)");
    let file = PASSES.replace("noisy.ron", "../secret.txt");
    room.write("tests/passes.ron", &file);
    let output = Command::new(binary())
        .args(["test", "passes.ron"])
        .current_dir(room.path().join("tests"))
        .output()
        .expect("the program runs");
    let ran = Ran::of(&output).with_code(2);
    ran.with_errors(&["`../secret.txt` lies outside the allowed directories"]);
}
