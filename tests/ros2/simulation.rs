//! Services of `simulation_interfaces`: state, steps, reset, and entities that are added, moved and removed.
#![cfg(test)]
use std::{collections::BTreeMap, path::Path, process::Command};

use serde_json::{Value as Json, json};

use crate::peer::{Program, domain, python};

const WORLD: &str = r#"Simulation(
    scene: "environments/boxes.robray",
    robots: { "rover": (model: "robots/atrv.robray", base: kinematic, sensors: { "pose": (kind: "pose") }) },
    middlewares: { "ros": (kind: "ros2") },
)"#;

const BALL: &str = r#"<robot name="ball"><link name="ball"><inertial><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><sphere radius="0.2"/></geometry></collision></link></robot>"#;

#[test]
fn nodes_control_the_simulation_by_the_standard_interfaces() {
    let Some(python) = python() else { return };
    let domain = domain();
    let mut program = Program::start(WORLD, domain);
    let directory = program.directory.path().to_owned();
    std::fs::write(directory.join("a ball.urdf"), BALL).unwrap();
    let called = Command::new(python)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ros2/simulation.py"))
        .env("ROS_DOMAIN_ID", domain.to_string())
        .env("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        .output()
        .unwrap();
    let [stdout, stderr] =
        [called.stdout, called.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(called.status.success(), "{stdout}{stderr}");
    let lines = stdout.lines().map(|line| {
        let line: Json = serde_json::from_str(line).unwrap();
        (line["step"].as_str().unwrap().to_owned(), line)
    });
    let steps: BTreeMap<String, Json> = lines.collect();
    // The node ended the run.
    program.wait();
    check_state(&steps);
    check_worlds(&steps["worlds"], &directory);
    check_spawned(&steps);
    check_entities(&steps);
    check_steps(&steps);
    check_states(&steps["states"]);
    let scout = &steps["scout"];
    assert_eq!(scout["result"][0], 1, "{scout}");
    assert_eq!(scout["odometry"], 0.5, "{scout}");
    assert!(scout["moved"].as_f64() > Some(-8.9), "{scout}");
    assert_eq!(scout["wrong"][0], 106, "{scout}");
    assert!(scout["wrong"][1].as_str().unwrap().contains("`eyes`"));
}

fn check_worlds(worlds: &Json, directory: &Path) {
    let uri = format!("file://{}/world.ron", directory.display());
    assert_eq!(worlds["current"], json!([1, "boxes", uri]), "{worlds}");
    for (service, remedy) in [
        ("load", "start morse-sim with the other file"),
        ("unload", "STATE_QUITTING"),
        ("available", "morse-sim list scenes"),
    ] {
        let answer = &worlds[service];
        // RESULT_FEATURE_UNSUPPORTED.
        assert_eq!(answer[0], 0, "{worlds}");
        assert!(answer[1].as_str().unwrap().contains(remedy), "{worlds}");
    }
    assert_eq!(worlds["same"], true, "{worlds}");
}

fn check_steps(steps: &BTreeMap<String, Json>) {
    let stepped = &steps["stepped"];
    // STATUS_SUCCEEDED and RESULT_OK.
    let simulated = &stepped["simulated"];
    assert_eq!(
        (&simulated[0], &simulated[1], &simulated[2]),
        (&json!(true), &json!(4), &json!(1)),
        "{stepped}"
    );
    let taken = stepped["taken"].as_f64().unwrap();
    assert!((taken - 0.5).abs() < 1e-6, "{stepped}");
    let cancelled = &stepped["cancelled"];
    assert_eq!(cancelled[1], 5, "STATUS_CANCELED: {stepped}");
    let made = cancelled[3][0].as_u64().unwrap();
    assert!(made > 0, "{stepped}");
    assert_eq!(cancelled[3][1].as_u64(), Some(1_000_000_000_000 - made));
    assert_eq!(stepped["stands"], true, "no step after the cancellation");
    // STATUS_ABORTED and RESULT_OPERATION_FAILED.
    assert_eq!(steps["played"]["refused"], json!([true, 6, 4, []]));
}

fn check_states(states: &Json) {
    assert_eq!(states["flies"][0], 1, "{states}");
    assert_eq!(states["entities"], json!(["ball_1"]));
    let number = |name: &str| states[name].as_f64().unwrap();
    assert!((number("vx") - 2.0).abs() < 1e-3, "{states}");
    assert!((number("turning") - 0.5).abs() < 1e-3, "{states}");
    assert!(number("x") > 50.2 && number("x") < 60.0, "{states}");
    assert_eq!(states["near"], json!(["ball_1"]));
    assert_eq!((&states["hull"], &states["nobody"]), (&json!(0), &json!(2)));
    let bounds = &states["bounds"];
    assert_eq!(bounds[0], 1);
    for axis in 0..3 {
        let corner = |corner: usize| bounds[corner][axis].as_f64().unwrap();
        assert!((corner(1) - 0.2).abs() < 1e-9 && (corner(2) + 0.2).abs() < 1e-9);
    }
}

fn check_state(steps: &BTreeMap<String, Json>) {
    let features = steps["features"]["features"].as_array().unwrap();
    for feature in [0, 1, 5, 6, 9, 10, 11, 20, 26, 31, 32, 33, 44] {
        assert!(features.contains(&json!(feature)), "{feature}");
    }
    // Worlds are neither loaded nor listed.
    for feature in [40, 41, 42, 43, 45] {
        assert!(!features.contains(&json!(feature)), "{feature}");
    }
    assert_eq!(steps["features"]["formats"][0], "urdf");
    let paused = &steps["paused"];
    assert_eq!(
        (&paused["pause"], &paused["again"]),
        (&json!(1), &json!(101))
    );
    assert_eq!(
        (&paused["held"], &paused["steps"][0]),
        (&json!(2), &json!(1))
    );
    let stepped = paused["stepped"].as_f64().unwrap();
    assert!((stepped - 1.0).abs() < 1e-6, "{paused}");
    let played = &steps["played"];
    assert_eq!((&played["play"], &played["state"]), (&json!(1), &json!(1)));
    // RESULT_OPERATION_FAILED.
    assert_eq!(played["running"], 4, "steps need a paused simulation");
    let reset = &steps["reset"];
    assert_eq!(
        (&reset["result"][0], &reset["time_alone"]),
        (&json!(1), &json!(0))
    );
    let time = |name: &str| reset[name].as_f64().unwrap();
    assert!(time("after") < time("before"), "{reset}");
    assert_eq!(reset["left"], json!(["rover"]), "spawned robots are gone");
}

fn check_spawned(steps: &BTreeMap<String, Json>) {
    let spawned = &steps["spawned"];
    assert_eq!(
        (&spawned["result"], &spawned["name"]),
        (&json!(1), &json!("ball")),
        "{spawned}"
    );
    assert_eq!(spawned["state"], 2, "the simulation is still paused");
    let at = |value: &Json, index: usize| value[index].as_f64().unwrap();
    let position = &spawned["position"];
    assert_eq!(
        (at(position, 0), at(position, 1), at(position, 2)),
        (1.0, 2.0, 1.0)
    );
    let more = &steps["more"];
    assert_eq!(
        (&more["twice"], &more["renamed"]),
        (&json!(101), &json!("ball_1"))
    );
    assert_eq!(more["wrong"][0], 106);
    let why = more["wrong"][1].as_str().unwrap();
    assert!(
        why.contains(".urdf:1:"),
        "the error has its position: {why}"
    );
    assert_eq!(
        (&more["nothing"], &more["name"]),
        (&json!(104), &json!(102))
    );
    assert_eq!((&more["web"], &more["format"]), (&json!(104), &json!(103)));
    assert_eq!((&more["file"], &more["escaped"]), (&json!(1), &json!(1)));
}

fn check_entities(steps: &BTreeMap<String, Json>) {
    let entities = &steps["entities"];
    assert_eq!(
        entities["robots"],
        json!(["ball", "ball_1", "box", "car", "rover"])
    );
    assert_eq!(entities["some"], json!(["ball_1"]));
    let every = entities["every"].as_array().unwrap();
    assert!(
        every.contains(&json!("RedBox")) && every.contains(&json!("rover")),
        "{entities}"
    );
    assert!(
        every
            .iter()
            .all(|name| !name.as_str().unwrap().contains('.')),
        "{entities}"
    );
    assert_eq!(
        (&entities["info"], &entities["box"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(
        (&entities["nobody"], &entities["invalid"]),
        (&json!(2), &json!(4))
    );
    let moved = &steps["moved"];
    assert_eq!(moved["set"][0], 1, "{moved}");
    let position = moved["position"].as_array().unwrap();
    assert_eq!(position[..3], [json!(1), json!(0.0), json!(-3.0)]);
    assert!(position[3].as_f64().unwrap() > 7.0, "{moved}");
    assert_eq!(
        (&moved["accelerated"], &moved["nobody"], &moved["unknown"]),
        (&json!(0), &json!(2), &json!(2))
    );
    let kinematic = &moved["kinematic"];
    assert_eq!(kinematic[0], 4, "{moved}");
    assert!(
        kinematic[1]
            .as_str()
            .unwrap()
            .contains("not moved by forces")
    );
    let fallen = &steps["played"]["fallen"];
    let number = |index: usize| fallen[index].as_f64().unwrap();
    // v² = 2 g (z0 - z).
    let (drop, speed) = (8.0 - number(3), number(4));
    assert!(
        drop > 0.1 && (speed * speed - 2.0 * 9.81 * drop).abs() < 0.1 * speed * speed + 0.5,
        "{fallen}"
    );
    let deleted = &steps["deleted"];
    assert_eq!(
        (&deleted["result"], &deleted["again"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(
        deleted["left"],
        json!(["ball_1", "box", "car", "rover", "scout"])
    );
}
