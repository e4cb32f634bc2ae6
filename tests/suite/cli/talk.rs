//! Output of a run: its summary, progress, messages, and their number.
use std::process::Command;

use serde_json::Value as Json;

use super::{Room, binary};

fn json(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn the_summary_says_what_was_run_and_why_it_ended() {
    let room = Room::new();
    let ran = room
        .run(&["quiet.ron", "--steps", "30", "--seed", "9", "--json"])
        .with_code(0);
    let summary = json(&ran.out);
    assert_eq!(summary["seed"], 9);
    assert_eq!(summary["end"], "done");
    assert_eq!(summary["exit_code"], 0);
    let files = summary["files"].as_array().expect("files");
    assert_eq!(files, &["quiet.ron", "blocks.robray"]);
    let tick = summary["slowest_tick"]["tick"].as_u64().expect("a tick");
    let time = summary["slowest_tick"]["wall_seconds"].as_f64();
    let wall = summary["wall_seconds"].as_f64();
    assert!((1..=30).contains(&tick), "{summary}");
    assert!(time > Some(0.0) && time <= wall, "{summary}");
    assert!(summary["rtf_min"].as_f64() > Some(0.0), "{summary}");

    let text = room.run(&["quiet.ron", "--steps", "30"]).with_code(0).out;
    for word in [
        "all ticks were made",
        "seed 0",
        "slowest tick",
        "files: quiet.ron, blocks.robray",
    ] {
        assert!(text.contains(word), "no `{word}` in:\n{text}");
    }
}

#[test]
fn the_slowest_second_is_told() {
    let room = Room::new();
    let ran = room
        .run(&["quiet.ron", "--until", "2s", "--rtf", "1", "--json"])
        .with_code(0);
    let summary = json(&ran.out);
    let (mean, least) = (summary["rtf"].as_f64(), summary["rtf_min"].as_f64());
    assert!(
        least > Some(0.0) && least <= mean.map(|mean| mean * 1.05),
        "{summary}"
    );
}

#[test]
fn a_run_that_takes_too_long_is_124() {
    let room = Room::new();
    let arguments = [
        "quiet.ron",
        "--rtf",
        "1",
        "--until",
        "60s",
        "--timeout",
        "300ms",
    ];
    let ran = room.run(&arguments).with_code(124);
    assert!(ran.err.contains("longer than 0.3 s"), "{}", ran.err);
    assert!(ran.out.contains("end: timeout"), "{}", ran.out);
    let ran = room
        .run(&[&arguments[..], &["--json"]].concat())
        .with_code(124);
    let summary = json(&ran.out);
    assert_eq!(
        (&summary["end"], &summary["exit_code"]),
        (&"timeout".into(), &124.into())
    );
    assert!(summary["steps"].as_u64() > Some(0) && summary["wall_seconds"].as_f64() < Some(5.0));
    // A run that is paused, or waits, also ends at its time limit.
    let ran = room
        .run(&["quiet.ron", "--rtf", "0.001", "--timeout", "300ms"])
        .with_code(124);
    assert!(ran.err.contains("--timeout"), "{}", ran.err);
}

#[test]
fn what_keeps_a_run_from_beginning_is_json_too() {
    let room = Room::new();
    room.write("bad.ron", "Simulation(scen: \"blocks.robray\")");
    let ran = room.run(&["bad.ron", "--json"]).with_code(2);
    let failure = json(&ran.out);
    assert_eq!(
        (&failure["end"], &failure["exit_code"]),
        (&"not_begun".into(), &2.into())
    );
    let first = &failure["diagnostics"][0];
    assert_eq!(first["code"], "simulation::unknown-field", "{failure}");
    assert!(ran.err.contains("bad.ron:1:12"), "{}", ran.err);
    for (arguments, code, word) in [
        (&["missing.ron", "--json"][..], 2, "1 error found"),
        (
            &["quiet.ron", "--json", "--output", "csv:/proc/none"],
            3,
            "/proc/none",
        ),
        (&["quiet.ron", "--json", "--follow", "blok"], 2, "--follow"),
        (
            &["quiet.ron", "--json", "--log", "/proc/none"],
            3,
            "/proc/none",
        ),
    ] {
        let ran = room.run(arguments).with_code(code);
        let failure = json(&ran.out);
        assert_eq!(failure["exit_code"], code, "{failure}");
        let error = failure["error"].as_str().unwrap_or_default();
        assert!(error.contains(word), "{failure}");
    }
}

/// A rover with two actuators that are commanded in one tick, which causes a warning.
const RIVALS: &str = r#"Simulation(
    robots: { "rover": (
        model: "robots/atrv.robray",
        actuators: {
            "motion": (kind: "v_omega", start: (v: 1)),
            "patrol": (kind: "waypoint", start: (x: 5)),
        },
    ) },
)"#;

#[test]
fn quiet_runs_say_only_errors() {
    let room = Room::new();
    room.write("contenders.ron", RIVALS);
    let loud = room.run(&["contenders.ron", "--steps", "3"]).with_code(0);
    assert!(loud.err.contains("in the same tick") && !loud.out.is_empty());
    let quiet = room
        .run(&["contenders.ron", "--steps", "3", "-q"])
        .with_code(0);
    assert_eq!((quiet.out.as_str(), quiet.err.as_str()), ("", ""));
    let quiet = room
        .run(&["contenders.ron", "--steps", "3", "-q", "--json"])
        .with_code(0);
    assert_eq!(json(&quiet.out)["steps"], 3);
    room.write("bad.ron", "Simulation(scen: \"blocks.robray\")")
        .run(&["bad.ron", "-q"])
        .with_code(2)
        .with_errors(&["bad.ron:1:12", "nothing was run"]);
    room.run(&["contenders.ron", "-q", "--timeout", "100ms"])
        .with_code(124)
        .with_errors(&["--timeout"]);
}

#[test]
fn verbose_runs_say_more() {
    let room = Room::new();
    let ran = room.run(&["quiet.ron", "--steps", "3", "-v"]).with_code(0);
    for word in [
        "files: quiet.ron, blocks.robray",
        "seed 0, 60 ticks a second",
    ] {
        assert!(ran.err.contains(word), "no `{word}` in:\n{}", ran.err);
    }
    room.run(&["quiet.ron", "-v", "-q"])
        .with_code(2)
        .with_errors(&["cannot be used with"]);
}

#[test]
fn everything_that_is_said_is_logged() {
    let room = Room::new();
    room.write("contenders.ron", RIVALS);
    let arguments = ["contenders.ron", "--steps", "3", "-q", "--log", "run.log"];
    room.run(&arguments).with_code(0);
    let log = room.read("run.log");
    for word in [
        "`rover.motion`: it was commanded in the same tick as `rover.patrol`",
        "files: contenders.ron",
        "3 ticks, 0.050 s",
        "state ",
    ] {
        assert!(log.contains(word), "no `{word}` in:\n{log}");
    }
    room.run(&[
        "contenders.ron",
        "-q",
        "--timeout",
        "2s",
        "--log",
        "run.log",
    ])
    .with_code(124);
    let log = room.read("run.log");
    assert!(log.contains("error: the run took longer"), "{log}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_log_that_is_lost_is_3() {
    Room::new()
        .run(&["quiet.ron", "--steps", "3", "-q", "--log", "/dev/full"])
        .with_code(3)
        .with_errors(&["/dev/full", "No space left"]);
}

#[test]
fn progress_is_told_as_lines() {
    let room = Room::new();
    let arguments = ["quiet.ron", "--rtf", "1", "--until", "2500ms", "--progress"];
    let ran = room
        .run(&[&arguments[..], &["plain"]].concat())
        .with_code(0);
    let lines: Vec<&str> = ran.err.lines().collect();
    assert!((1..=3).contains(&lines.len()), "{lines:?}");
    assert!(
        lines
            .iter()
            .all(|line| line.contains(" s of 2.5 s simulated, ")
                && line.contains(" times real time, ")
                && line.ends_with(" s left")),
        "{lines:?}"
    );
    let ran = room.run(&[&arguments[..], &["json"]].concat()).with_code(0);
    let mut steps = 0;
    for line in ran.err.lines() {
        let progress = json(line);
        let now = progress["steps"].as_u64().expect("a number");
        assert!(now > steps && progress["of_steps"] == 150, "{line}");
        steps = now;
    }
    assert!(steps >= 50, "{}", ran.err);
    for form in ["none", "auto"] {
        // A bar outside of a terminal would be useless.
        let ran = room.run(&[&arguments[..], &[form]].concat()).with_code(0);
        assert_eq!(ran.err, "", "{form}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_has_a_bar() {
    let room = Room::new();
    let on_terminal = |more: &str| {
        let line = format!(
            "{} quiet.ron --rtf 1 --until 1500ms {more} > summary",
            binary().display()
        );
        let output = Command::new("script")
            .args(["--quiet", "--return", "--command", &line, "/dev/null"])
            .current_dir(room.path())
            .env("TERM", "xterm")
            .output()
            .expect("script, of bsdutils");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let seen = on_terminal("");
    assert!(
        seen.contains(" s of 1.5 s simulated, ") && seen.contains('%'),
        "{seen:?}"
    );
    assert!(room.read("summary").starts_with("90 ticks"));
    assert_eq!(on_terminal("-q"), "");
    assert_eq!(on_terminal("--progress none"), "");
}
