//! Agreement of `check` with `run`: the same errors before the first tick, word for word.
use std::time::Duration;

use super::{Ran, Room, program};

/// A tetrahedron.
const MESH: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/// Returns a simulation file with one robot of this model, and other fields.
fn robot(model: &str, rest: &str) -> String {
    format!("Simulation(robots: {{ \"r\": (model: \"{model}\", {rest}) }})")
}

/// A wrong file: its name, its text, and a word of the error.
type Wrong = (&'static str, String, &'static str);

/// Returns scenes with mistakes.
fn wrong_scenes() -> Vec<Wrong> {
    let shape = |shape: &str| format!("frame a {{ geometry {{ {shape} }} }}");
    let cycle = "frame a { parent b; } frame b { parent a; }";
    let bounce = "shape sphere; radius 1; restitution 9;";
    let outside = "mesh \"/usr/share/a.stl\";";
    vec![
        (
            "syntax.robray",
            "frame a { size 1; }".to_owned(),
            "unknown-attribute",
        ),
        (
            "range.robray",
            shape("shape sphere; radius -1;"),
            "out-of-range",
        ),
        ("box.robray", shape("shape box;"), "missing-attribute"),
        ("bounce.robray", shape(bounce), "out-of-range"),
        (
            "missing.robray",
            shape("mesh \"non.obj\";"),
            "mean `none.obj`",
        ),
        ("broken.robray", shape("mesh \"none.obj\";"), "scene::mesh"),
        ("outside.robray", shape(outside), "mesh-outside"),
        ("cycle.robray", cycle.to_owned(), "parent-cycle"),
        (
            "include.robray",
            "include \"mesh.robra\"".to_owned(),
            "mean `mesh.robray`",
        ),
    ]
}

/// Returns simulation files with mistakes of their own.
fn wrong_simulations() -> Vec<Wrong> {
    let file = |fields: &str| format!("Simulation({fields})");
    let many = "repeat: (count: 1000000, pattern: line((1, 0, 0)))";
    vec![
        (
            "rate.ron",
            file("environment: (rate: 1e-20)"),
            "out-of-range",
        ),
        (
            "open.ron",
            "Simulation(environment: (rate: 60)".to_owned(),
            "unclosed",
        ),
        (
            "scene.ron",
            file("scene: \"mseh.robray\""),
            "mean `mesh.robray`",
        ),
        ("model.ron", robot("mesch.robray", ""), "mean `mesh.robray`"),
        ("many.ron", robot("mesh.robray", many), "out-of-range"),
        ("empty.ron", String::new(), "empty"),
    ]
}

/// Returns simulation files with invalid components, on a robot with a mesh.
fn wrong_components() -> Vec<Wrong> {
    let sensor = |sensor: &str| robot("mesh.robray", &format!("sensors: {{ \"s\": ({sensor}) }}"));
    let actuator = |actuator: &str| {
        robot(
            "mesh.robray",
            &format!("actuators: {{ \"a\": ({actuator}) }}"),
        )
    };
    let misfit = "kind: \"pose\", modifiers: [(kind: \"imu_noise\")]";
    let field = "kind: \"pose\", modifiers: [(kind: \"gaussian\", fields: [\"zz\"])]";
    let height = "kind: \"waypoint\", free_z: true";
    vec![
        ("kind.ron", sensor("kind: \"gsp\""), "unknown-kind"),
        ("misfit.ron", sensor(misfit), "it fits: imu"),
        (
            "field.ron",
            sensor(field),
            "it fits no kind with these settings",
        ),
        ("work.ron", actuator("kind: \"ackermann\""), "cannot-work"),
        ("height.ron", actuator(height), "locomotion: free"),
    ]
}

fn room() -> Room {
    let room = Room::new();
    room.write("mesh.obj", MESH).write("none.obj", "").write(
        "mesh.robray",
        "frame base { geometry { mesh \"mesh.obj\"; density 500; } }",
    );
    room
}

/// Returns the errors of a check and of a run.
fn both(room: &Room, arguments: &[&str]) -> [Ran; 2] {
    [["check"].as_slice(), &["run", "--steps", "1"]].map(|command| {
        let output = program()
            .args(command)
            .args(arguments)
            .current_dir(room.path())
            .timeout(Duration::from_secs(60))
            .output()
            .expect("the program runs");
        let mut ran = Ran::of(&output);
        let is_end = |line: &&str| line.ends_with("nothing was run");
        ran.err = ran
            .err
            .lines()
            .filter(|line| !is_end(line))
            .map(|line| format!("{line}\n"))
            .collect();
        ran
    })
}

#[test]
fn check_and_run_find_the_same_errors() {
    let room = room();
    let wrong = [wrong_scenes(), wrong_simulations(), wrong_components()];
    for (name, text, word) in wrong.concat() {
        room.write(name, &text);
        let [checked, ran] = both(&room, &[name]);
        assert_eq!(
            (checked.code, ran.code),
            (2, 2),
            "{name}:\n{}\n{}",
            checked.err,
            ran.err
        );
        assert_eq!(checked.err, ran.err, "{name}");
        assert!(
            checked.err.contains(word),
            "{name}: no `{word}` in\n{}",
            checked.err
        );
    }
}

#[test]
fn the_simulation_file_beside_a_scene_is_checked_with_it() {
    let room = room();
    room.write("pair.robray", "frame a {}");
    for ran in both(&room, &["pair.robray"]) {
        ran.with_code(0);
    }
    room.write("pair.ron", "Simulation(bodies: { \"b\": () })");
    let [checked, ran] = both(&room, &["pair.robray"]);
    assert_eq!((checked.code, ran.code), (2, 2));
    assert_eq!(checked.err, ran.err);
}

#[test]
fn warnings_of_any_origin_are_errors_where_that_is_asked_for() {
    let room = room();
    let falls = "frame a { type floating; geometry { shape sphere; radius 1; } }";
    for (name, text) in [
        ("mass.robray", falls),
        ("parent.robray", "frame a { parent nowhere; }"),
        (
            "color.robray",
            "frame a { geometry { shape sphere; radius 1; color [192, 192, 192]; } }",
        ),
    ] {
        room.write(name, text);
        let [checked, ran] = both(&room, &[name]).map(|ran| ran.with_code(0));
        assert!(
            checked.err.starts_with("warning[") && checked.err == ran.err,
            "{name}: {}",
            ran.err
        );
        let [checked, ran] = both(&room, &["--strict", name]).map(|ran| ran.with_code(2));
        assert!(
            checked.err.starts_with("error[") && checked.err == ran.err,
            "{name}: {}",
            ran.err
        );
    }
}

#[test]
#[cfg(unix)]
fn what_is_no_regular_file_is_not_waited_for() {
    let room = room();
    for name in ["pipe.ron", "pipe.robray"] {
        let made = std::process::Command::new("mkfifo")
            .arg(room.path().join(name))
            .status();
        assert!(made.expect("mkfifo runs").success());
        for ran in both(&room, &[name]) {
            let ran = ran.with_code(2);
            assert!(ran.err.contains("not a regular file"), "{}", ran.err);
        }
    }
}
