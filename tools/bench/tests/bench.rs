//! `morse-bench`: each scene passes its check and prints its figures; wrong arguments are explained.
#[path = "../../../tests/suite/require.rs"]
mod require;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
};

use morse_sim::Simulation;
use serde_json::Value as Json;

/// Root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A working directory.
struct Room(tempfile::TempDir);

/// Exit code and output of a run.
struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Room {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory"))
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.path().join(name)).expect("a readable file")
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let output = Command::new(env!("CARGO_BIN_EXE_morse-bench"))
            .args(arguments)
            .current_dir(self.0.path())
            .output()
            .expect("the program runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ran {
            code: output.status.code(),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }
}

impl Ran {
    #[track_caller]
    fn with_code(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.out, self.err);
        self
    }

    /// Checks that stderr contains all of these texts, and that stdout is empty.
    #[track_caller]
    fn with_errors(self, words: &[&str]) {
        assert_eq!(self.out, "");
        for word in words {
            assert!(self.err.contains(word), "{word}: {}", self.err);
        }
    }
}

/// Figures that programs for other simulators print as well.
const FIELDS: [&str; 20] = [
    "peer",
    "scene",
    "n",
    "sim_seconds",
    "wall_seconds",
    "rtf",
    "steps",
    "rays_per_s",
    "body_steps_per_s",
    "version",
    "body_ticks_per_s",
    "cpu_seconds",
    "threads",
    "substeps",
    "sleep",
    "variant",
    "load_seconds",
    "frames_per_s",
    "check",
    "max_rss_mb",
];

/// Each scene in its smallest useful size: arguments, its name, its ticks, and the numbers of its check.
const SCENES: [(&[&str], &str, Option<u64>, &[&str]); 9] = [
    (
        &["S1", "--n", "12", "--seconds", "0.5"],
        "stack",
        Some(30),
        &["standing", "columns", "top_z", "equal_accuracy"],
    ),
    (
        &["lidar_fleet", "--n", "6", "--seconds", "0.3"],
        "lidar_fleet",
        Some(18),
        &[
            "scan_bad_beams",
            "scan_beams_checked",
            "scan_median_err",
            "scan_ray_mismatches",
            "pose_error",
        ],
    ),
    (
        &["s3", "--n", "2", "--seconds", "0.5"],
        "arm",
        Some(120),
        &["max_tracking_err_rad", "max_speed_rad_s"],
    ),
    (
        &["S4", "--n", "9", "--seconds", "0.5"],
        "falling_meshes",
        Some(30),
        &["inside", "of", "mean_z"],
    ),
    (
        &["S5", "--n", "30"],
        "load",
        Some(1),
        &["boxes", "of", "fallen_m"],
    ),
    (
        &["S6", "--n", "3", "--seconds", "50ms", "--threads", "2"],
        "camera",
        None,
        &["wrong_depths", "depths_checked", "median_depth", "rgb_mean"],
    ),
    (
        &["S7", "--n", "9", "--seconds", "0.5"],
        "tray",
        Some(30),
        &["largest_shift_m", "tray_rad"],
    ),
    (
        &["S8", "--n", "4", "--seconds", "0.1"],
        "sweep",
        Some(24),
        &["swept", "of", "position_rad", "lowest_m"],
    ),
    (
        &["S9", "--n", "200"],
        "chain",
        Some(1),
        &["first_m", "last_m"],
    ),
];

#[test]
fn each_scene_passes_its_check_and_says_its_figures() {
    let room = Room::new();
    for (arguments, name, ticks, facts) in SCENES {
        let ran = room.run(&[&["--json"], arguments].concat());
        let ran = ran.with_code(0);
        let figures: BTreeMap<String, Json> = serde_json::from_str(&ran.out).expect("one object");
        let mut wanted = FIELDS.to_vec();
        wanted.sort_unstable();
        assert_eq!(figures.keys().collect::<Vec<_>>(), wanted, "{name}");
        let check: Vec<&String> = figures["check"]
            .as_object()
            .expect("facts")
            .keys()
            .collect();
        assert_eq!(check, [&["passed"], facts].concat(), "{name}");
        assert_eq!(figures["check"]["passed"], true, "{name}");
        assert_eq!(figures["scene"], name);
        let steps = figures["steps"].as_u64().expect("a number");
        let substeps = figures["substeps"].as_u64().expect("a number");
        assert!(
            ticks.is_none_or(|ticks| steps == ticks * substeps),
            "{name}: {steps} steps"
        );
        let number = |field: &str| figures[field].as_f64().expect("a number");
        assert!(number("wall_seconds") > 0.0 && number("load_seconds") > 0.0);
        assert_eq!(number("rays_per_s") > 0.0, name == "lidar_fleet", "{name}");
        assert_eq!(number("frames_per_s") > 0.0, name == "camera", "{name}");
    }
}

/// Three scans in 18 ticks, of 360 rays each.
#[test]
fn rays_are_those_that_were_cast() {
    let arguments = ["S2", "--n", "4", "--seconds", "0.3", "--json"];
    let ran = Room::new().run(&arguments).with_code(0);
    let figures: Json = serde_json::from_str(&ran.out).expect("one object");
    let number = |field: &str| figures[field].as_f64().expect("a number");
    let rays = number("rays_per_s") * number("wall_seconds");
    assert!((rays / (3.0 * 4.0 * 360.0) - 1.0).abs() < 0.01, "{rays}");
}

#[test]
fn files_of_the_scenes_are_whole() {
    let room = Room::new();
    let arguments = ["s1", "--n", "3", "--seconds", "0.1", "--keep", "kept"];
    let ran = room.run(&arguments).with_code(0);
    assert!(
        ran.out.starts_with("S1 stack, n 3: 0.100 s simulated in ")
            && ran
                .out
                .contains("; check passed: standing 1, columns 1, top_z "),
        "{}",
        ran.out
    );
    let loaded = Simulation::load(room.0.path().join("kept/S1.ron")).expect("a whole file");
    assert!(loaded.warnings().is_empty(), "{}", loaded.warnings());
    assert_eq!(
        room.read("kept/S1.robray").matches("frame cube_").count(),
        3
    );
}

#[test]
fn wrong_arguments_are_explained() {
    let room = Room::new();
    for (arguments, words) in [
        (&["S10"][..], &["S10", "S1", "all"][..]),
        (&["S2", "--n", "0"], &["1..=100000"]),
        (&["S2", "--n", "9999"], &["room for 1500 robots"]),
        (&["S5", "--seconds", "3"], &["S5", "`--seconds`"]),
        (&["S9", "--n", "1"], &["S9", "two links"]),
        (&["S9", "--seconds", "3"], &["S9", "`--seconds`"]),
        (&["S5", "--substeps", "3"], &["S5", "`--substeps`"]),
        (&["S3", "--fewest"], &["`--fewest`", "S1 and S4"]),
        (&["S1", "--fewest", "--substeps", "3"], &["--substeps"]),
        (&["S1", "--seconds", "0"], &["0.001", "seconds"]),
        (&["S1", "--threads", "999999"], &["999999 threads"]),
    ] {
        room.run(arguments).with_code(2).with_errors(words);
    }
    std::fs::write(room.0.path().join("taken"), "").expect("a file");
    room.run(&["S1", "--keep", "taken"])
        .with_code(3)
        .with_errors(&["`taken` cannot be written"]);
}

/// Prints the scenes of the programs for other simulators: for each file and the beginning of its lines, the numbers of
/// these lines.
const PEERS: &str = r#"
import json, scenes
boxes = scenes.arena()
side, positions, turns = scenes.heap(20)
whole = lambda x, y, a, b, yaw: [x, y, 0.5, 0, 0, yaw, 2 * a, 2 * b, 1]
print(json.dumps({
    "S1.robray frame cube_": [[*position, 1] for position in scenes.stack(20)],
    "S2.robray frame box_": [whole(*box) for box in boxes],
    "S2.robray frame robot_": [[x, y, 0, 0, 0, yaw] for x, y, yaw, _ in scenes.robots(20, boxes)],
    "S4.robray frame stone_": [[*position, *turn[1:], turn[0], 1] for position, turn in zip(positions, turns)],
    "hull.obj v ": sorted(scenes.hull()),
    "S5.robray frame box_": [whole(*box) for box in scenes.load(20)],
    "S7.robray frame box_": [[*position, 0.1] for position in scenes.tray(20)],
    "S8.robray frame box_": [[*position, 0.4] for position in scenes.sweep(20)],
}))
"#;

#[test]
fn programs_for_other_simulators_have_the_same_scenes() {
    let mut python = Command::new("python3");
    python
        .args(["-B", "-c", PEERS])
        .current_dir(root().join("tests/bench/peers"))
        .env("PYTHONPATH", ".");
    let Ok(printed) = python.output() else {
        return require::left_out("python", "no python3: scenes of other simulators");
    };
    let said = String::from_utf8_lossy(&printed.stderr);
    assert!(printed.status.success(), "{said}");
    let scenes: BTreeMap<String, Vec<Vec<f64>>> =
        serde_json::from_slice(&printed.stdout).expect("lists of numbers");
    let room = Room::new();
    for scene in ["S1", "S2", "S4", "S5", "S7", "S8"] {
        let arguments = [scene, "--n", "20", "--keep", "kept"];
        let seconds = ["--seconds", "0.1"];
        let more = if scene == "S5" { &[][..] } else { &seconds };
        room.run(&[&arguments, more].concat()).with_code(0);
    }
    assert_eq!(scenes.len(), 8);
    for (what, theirs) in scenes {
        let (file, begin) = what.split_once(' ').expect("a file");
        let text = room.read(&format!("kept/{file}"));
        let lines = text.lines().filter_map(|line| line.strip_prefix(begin));
        let mut ours: Vec<Vec<f64>> = lines.map(numbers).collect();
        if file == "hull.obj" {
            ours.sort_by(|one, other| one.partial_cmp(other).expect("numbers"));
        }
        assert_eq!(ours.len(), theirs.len(), "{what}");
        for (one, other) in ours.iter().zip(&theirs) {
            let same = |(one, other): (&f64, &f64)| (one - other).abs() < 2e-6;
            let is_same = one.len() == other.len() && one.iter().zip(other).all(same);
            assert!(is_same, "{what}: {one:?} and {other:?}");
        }
    }
}

/// Returns the numbers of a line; its name, up to a brace, has none.
fn numbers(line: &str) -> Vec<f64> {
    let body = line.split_once('{').map_or(line, |(_, body)| body);
    body.split([' ', ',', '[', ']', ';'])
        .filter_map(|word| word.parse().ok())
        .collect()
}

#[test]
fn the_comparison_can_be_called() {
    let script = root().join("tests/bench/compare");
    let mut help = Command::new("python3");
    let Ok(help) = help.arg("-B").arg(&script).arg("--help").output() else {
        return require::left_out("python", "no python3: the comparison");
    };
    let text = String::from_utf8_lossy(&help.stdout);
    for option in ["--scenes", "--sizes", "--pairs", "--readme"] {
        assert!(text.contains(option), "{option}: {text}");
    }
    let readme = std::fs::read_to_string(root().join("README.md"));
    let readme = readme.expect("a page");
    let (_, table) = readme.split_once("<!-- bench:begin -->").expect("a mark");
    let (table, _) = table.split_once("<!-- bench:end -->").expect("its end");
    assert!(table.contains("| scene | N | morse-sim | mujoco | ratio |"));
}
