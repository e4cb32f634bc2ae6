//! `bench`: each scene passes its check and says its figures; wrong arguments are explained.
use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::Room;

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

/// Each scene with as little of it as shows something: arguments, its name, its ticks, and the numbers of its check.
const SCENES: [(&[&str], &str, Option<u64>, &[&str]); 6] = [
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
];

#[test]
fn each_scene_passes_its_check_and_says_its_figures() {
    let room = Room::new();
    for (arguments, name, ticks, facts) in SCENES {
        let ran = room.run(&[&["bench", "--json"], arguments].concat());
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
    let arguments = ["bench", "S2", "--n", "4", "--seconds", "0.3", "--json"];
    let ran = Room::new().run(&arguments).with_code(0);
    let figures: Json = serde_json::from_str(&ran.out).expect("one object");
    let number = |field: &str| figures[field].as_f64().expect("a number");
    let rays = number("rays_per_s") * number("wall_seconds");
    assert!((rays / (3.0 * 4.0 * 360.0) - 1.0).abs() < 0.01, "{rays}");
}

#[test]
fn files_of_the_scenes_are_whole() {
    let room = Room::new();
    let arguments = [
        "bench",
        "s1",
        "--n",
        "3",
        "--seconds",
        "0.1",
        "--keep",
        "kept",
    ];
    let ran = room.run(&arguments).with_code(0);
    assert!(
        ran.out.starts_with("S1 stack, n 3: 0.100 s simulated in ")
            && ran
                .out
                .contains("; check passed: standing 1, columns 1, top_z "),
        "{}",
        ran.out
    );
    let checked = room.run(&["check", "--strict", "kept/S1.ron", "kept/S1.robray"]);
    checked.with_code(0);
    assert_eq!(
        room.read("kept/S1.robray").matches("frame cube_").count(),
        3
    );
}

#[test]
fn wrong_arguments_are_explained() {
    let room = Room::new();
    for (arguments, words) in [
        (&["bench", "S7"][..], &["S7", "S1", "all"][..]),
        (&["bench", "S2", "--n", "0"], &["1..=100000"]),
        (&["bench", "S2", "--n", "9999"], &["room for 1500 robots"]),
        (&["bench", "S5", "--seconds", "3"], &["S5", "`--seconds`"]),
        (&["bench", "S5", "--substeps", "3"], &["S5", "`--substeps`"]),
        (&["bench", "S1", "--seconds", "0"], &["0.001", "seconds"]),
        (&["bench", "S1", "--threads", "999999"], &["999999 threads"]),
    ] {
        room.run(arguments).with_code(2).with_errors(words);
    }
    room.write("taken", "");
    room.run(&["bench", "S1", "--keep", "taken"])
        .with_code(3)
        .with_errors(&["`taken` cannot be written"]);
}
