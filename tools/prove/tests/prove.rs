//! `morse-prove`: its checks pass, and each check detects the defects that are planted for it.
use std::{process::Command, thread};

use serde_json::Value as Json;

/// Small scenes for most checks; contacts, and a rover with noise among boxes.
const DROP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/drop.ron");
const PATROL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/patrol.ron");

/// Exit code, output, and the report.
struct Proved {
    code: Option<i32>,
    said: String,
    report: Json,
}

/// Runs one check on a scene, with a planted defect or without.
fn prove(check: &str, scene: &str, plants: Option<&str>) -> Proved {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_morse-prove"));
    command.args(["--smallest", "--only", check, scene]);
    if let Some(plants) = plants {
        command.args(["--plant", plants]);
    }
    let output = command.current_dir(folder.path()).output();
    let output = output.expect("the program runs");
    let report = std::fs::read(folder.path().join("PROOF.json")).unwrap_or_default();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Proved {
        code: output.status.code(),
        said: text(&output.stdout) + &text(&output.stderr),
        report: serde_json::from_slice(&report).unwrap_or_default(),
    }
}

/// Each check, a scene for it, and defects that it has to detect.
const CHECKS: [(&str, &str, &[&str]); 8] = [
    ("D1", DROP, &["hash-order", "wall-clock"]),
    ("D2", DROP, &[]),
    ("D5", PATROL, &["listeners"]),
    ("D6", PATROL, &["hidden-state"]),
    ("D8", DROP, &["patience"]),
    ("D9", PATROL, &["shared-noise"]),
    ("D10", DROP, &["ignored-seed", "biased-noise"]),
    ("D11", DROP, &["two-orders"]),
];

#[test]
fn each_check_is_met_and_misses_what_is_planted() {
    let cases: Vec<(&str, &str, Option<&str>)> = CHECKS
        .into_iter()
        .flat_map(|(check, scene, plants)| {
            let plants = plants.iter().copied().map(Some);
            plants.chain([None]).map(move |plant| (check, scene, plant))
        })
        .collect();
    let wrong_of = |half: usize| {
        let own = cases.iter().skip(half).step_by(2);
        own.filter_map(|&(check, scene, plant)| {
            let proved = prove(check, scene, plant);
            let expected = Some(i32::from(plant.is_some()));
            let said = &proved.said;
            (proved.code != expected)
                .then(|| format!("{check} with {plant:?}: {:?}\n{said}", proved.code))
        })
        .collect::<Vec<_>>()
    };
    let wrong = thread::scope(|scope| {
        let other = thread::Builder::new().spawn_scoped(scope, || wrong_of(1));
        let own = wrong_of(0);
        [own, other.expect("a thread").join().expect("no panic")].concat()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_of_the_surroundings_finds_its_defect() {
    let plants = "thread-sum,processors,variables,directory";
    let proved = prove("D2", DROP, Some(plants));
    assert_eq!(proved.code, Some(1), "{}", proved.said);
    let notes = proved.report["findings"][0]["notes"].clone();
    let notes = notes.as_array().cloned().unwrap_or_default();
    let find = |name: &str| {
        let mut notes = notes.iter().filter_map(Json::as_str);
        notes.find(|note| note.trim_start_matches("left out: ").starts_with(name))
    };
    let expected = [
        "2 threads",
        "3 threads",
        "one processor",
        "no environment",
        "TZ=",
        "LC_ALL=",
        "PADDING=",
        "another working directory",
    ];
    for name in expected {
        assert!(find(name).is_some(), "`{name}` differs: {notes:?}");
    }
    // Comparisons that the defect does not affect still pass.
    assert_eq!(find("1 threads"), None, "{notes:?}");
    assert_eq!(find("lowest priority"), None, "{notes:?}");
}

#[test]
fn the_report_says_what_was_measured_on_what() {
    let proved = prove("d11,D10", DROP, None);
    assert_eq!(proved.code, Some(0), "{}", proved.said);
    let report = &proved.report;
    assert_eq!(report["met"], true);
    assert_eq!(report["size"], "smallest");
    assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
    for name in ["commit", "date", "cpu", "build", "system"] {
        assert!(report[name].as_str() > Some(""), "{name}: {report}");
    }
    let findings = report["findings"].as_array().expect("findings");
    assert!(findings.len() > 3, "{report}");
    for finding in findings {
        for name in ["check", "figure", "target", "measured"] {
            assert!(finding[name].as_str() > Some(""), "{name}: {finding}");
        }
        assert_eq!(finding["met"], true);
        let figure = finding["figure"].as_str().unwrap_or_default();
        assert!(proved.said.contains(figure), "{figure}: {}", proved.said);
    }
    let checks: Vec<&Json> = findings.iter().map(|finding| &finding["check"]).collect();
    assert_eq!(checks.first().copied(), Some(&Json::from("D10")));
    assert_eq!(checks.last().copied(), Some(&Json::from("D11")));
}

#[test]
fn what_cannot_be_read_is_no_verdict() {
    let proved = prove("D11", "nowhere.ron", None);
    assert_eq!(proved.code, Some(2), "{}", proved.said);
    assert!(proved.said.contains("nowhere.ron"), "{}", proved.said);
}
