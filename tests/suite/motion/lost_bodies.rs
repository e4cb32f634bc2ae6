//! Runs that fail say so, and lose nothing of what they logged.

use std::sync::{Arc, atomic::AtomicUsize};

use bevy::prelude::*;
use morse_api::tick::{Clock, Tick};
use morse_sim::{
    Simulation,
    physics::place::place,
    run::{End, Limits, Pace, run},
    simulation::no_extensions,
};
use nalgebra::Isometry3;

fn limits(ticks: u64) -> Limits {
    Limits {
        ticks: Some(ticks),
        pace: Pace::Max,
        signal: Arc::new(AtomicUsize::new(0)),
    }
}

const SCENE: &str = "frame ball { geometry { shape sphere; radius 0.1; density 500; } }";

/// A ball that logs its pose, in a world with this gravity.
fn text(gravity: &str) -> String {
    format!(
        "Simulation(scene: \"ball.robray\", environment: (gravity: {gravity}), \
         robots: {{ \"ball\": (frame: \"ball\", \
         sensors: {{ \"pose\": (kind: \"pose\", outputs: {{ \"log\": (format: csv) }}) }}) }}, \
         middlewares: {{ \"log\": (kind: \"text\", directory: \"out\") }})"
    )
}

#[test]
fn a_body_that_is_lost_ends_the_run_with_code_4() {
    let room = tempfile::tempdir().expect("a directory");
    std::fs::write(room.path().join("ball.robray"), SCENE).expect("written");
    std::fs::write(room.path().join("ball.ron"), text("(0, 0, -1e39)")).expect("written");
    let ran = assert_cmd::Command::new(env!("CARGO_BIN_EXE_morse-sim"))
        .args(["ball.ron", "--steps", "100"])
        .current_dir(room.path())
        .output()
        .expect("the program runs");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(4), "{said}");
    assert!(said.contains("`ball`") && said.contains("tick 1"), "{said}");
    let ticks = String::from_utf8_lossy(&ran.stdout);
    assert!(ticks.starts_with("1 ticks"), "{ticks}");
    let log = std::fs::read_to_string(room.path().join("out/ball.pose.csv")).expect("a log");
    assert_eq!(log.lines().count(), 2, "a heading and one reading: {log}");
}

fn panics_in_the_third_tick(clock: Res<Clock>) {
    assert!(clock.tick < 3, "out of order");
}

#[test]
fn a_part_that_panics_ends_the_run_and_not_the_program() {
    let simulation = Simulation::parse("Simulation()", ".", &|app| {
        app.add_systems(FixedUpdate, panics_in_the_third_tick.in_set(Tick::Physics));
    })
    .expect("it is built");
    let (summary, end) = run(simulation, &limits(10), &mut |_| {});
    let End::SimulationFailed(why) = end else {
        panic!("{end:?}")
    };
    assert!(
        why.contains("tick 3") && why.contains("out of order"),
        "{why}"
    );
    assert!(summary.steps <= 3);
}

#[test]
fn going_back_heals_a_fault() {
    let room = tempfile::tempdir().expect("a directory");
    std::fs::write(room.path().join("ball.robray"), SCENE).expect("written");
    let text = "Simulation(scene: \"ball.robray\", robots: { \"ball\": (frame: \"ball\") })";
    let mut simulation = Simulation::parse(text, room.path(), &no_extensions).expect("it is built");
    simulation.run(5).expect("nobody is in lockstep");
    assert_eq!(simulation.lost_body(), None);
    let ball = simulation.scene().bodies["ball"];
    let far = Isometry3::translation(1e12, 0.0, 0.0);
    place(simulation.world_mut(), ball, &far).expect("it moves");
    simulation.run(1).expect("nobody is in lockstep");
    assert_eq!(simulation.lost_body().map(|lost| lost.tick), Some(6));
    simulation.reset().expect("all state can be saved");
    simulation.run(5).expect("nobody is in lockstep");
    assert_eq!(simulation.lost_body(), None);
}
