//! `--profile`: distribution of a run's time.
use serde_json::Value as Json;

use super::Room;

fn summary(room: &Room, arguments: &[&str]) -> Json {
    let ran = room.run(&[arguments, &["--json"]].concat()).with_code(0);
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}", ran.out))
}

/// Returns the sum of the times in a list, µs.
fn sum(of: &Json) -> f64 {
    let costs = of.as_array().into_iter().flatten();
    costs.filter_map(|cost| cost["us"].as_f64()).sum()
}

#[test]
fn a_profile_adds_up_and_changes_no_bit() {
    let room = Room::new();
    let run = [
        concat!(env!("CARGO_MANIFEST_DIR"), "/scenes/patrol.ron"),
        "--until",
        "1s",
        "--hash",
        "every",
    ];
    let plain = summary(&room, &run);
    assert_eq!(plain.get("profile"), None);
    let timed = summary(&room, &[&run[..], &["--profile"]].concat());
    assert_eq!(timed["state_hash"], plain["state_hash"]);
    let profile = &timed["profile"];
    assert_eq!(profile["ticks"], 60);
    let tick = profile["tick_us"].as_f64().expect("a time");
    assert!(tick > 0.0);
    let real_time = profile["real_time_us"].as_f64().expect("a time");
    assert!((real_time - 1e6 / 60.0).abs() < 1e-6, "{real_time}");
    let systems = sum(&profile["systems"]);
    assert!((sum(&profile["phases"]) - systems).abs() < 1e-6 * systems);
    let [between, hashes] = ["between", "hashes"].map(|name| {
        let us = profile[name]["us"].as_f64();
        us.expect("a time")
    });
    assert!(between > 0.0 && hashes > 0.0, "{profile}");
    assert!(
        (systems + between + hashes - tick).abs() < 1e-6 * tick,
        "{profile}"
    );
    let shares = sum(&profile["kinds"]);
    assert!((sum(&profile["components"]) - shares).abs() < 1e-6 * shares);
    let of = |list: &str, name: &str| {
        let costs = profile[list].as_array().into_iter().flatten();
        let mut entries = costs.filter(|cost| cost["name"] == name);
        entries.next().cloned().unwrap_or_default()
    };
    assert_eq!(of("components", "rover.scan")["kind"], "laser_scanner");
    assert_eq!(of("components", "rover.scan")["is_shared"], false);
    assert!(of("phases", "Physics")["us"].as_f64() > Some(0.0));
    assert!(of("middlewares", "text")["us"].as_f64() > Some(0.0));
}

#[test]
fn what_keeps_a_run_from_its_pace_is_named() {
    let room = Room::new();
    let fleet = concat!(env!("CARGO_MANIFEST_DIR"), "/scenes/fleet.ron");
    let run = [fleet, "--steps", "40", "--rtf", "1000", "--profile"];
    let ran = room.run(&run).with_code(0);
    let warning = ran
        .err
        .lines()
        .find(|line| line.starts_with("warning: the run reached"));
    let warning = warning.unwrap_or_else(|| panic!("no warning: {}", ran.err));
    assert!(warning.contains("of 1000 times real time"), "{warning}");
    assert!(
        warning.contains("50 of the kind laser_scanner, such as `rover_1.scan`"),
        "{warning}"
    );
    for words in [
        "profile of 40 ticks",
        "~",
        "rover_1.scan (laser_scanner)",
        "Physics",
    ] {
        assert!(ran.out.contains(words), "no `{words}` in:\n{}", ran.out);
    }
    // A run that reaches its pace prints no hint.
    let run = ["quiet.ron", "--until", "200ms", "--rtf", "0.5", "--profile"];
    assert_eq!(room.run(&run).with_code(0).err, "");
}
