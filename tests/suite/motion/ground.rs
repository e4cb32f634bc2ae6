//! Robots on ground that moves, that carries nothing, and whose own links touch one another.
use morse_sim::{Simulation, simulation::no_extensions};

use super::{Test, actuator};

/// A floor without friction, and a board of 100 kg on it.
const BOARD: &str = "
frame floor { translation [0, 0, -0.5]; geometry { shape box; dimension [100, 100, 1]; friction 0; } }
frame board { translation [0, 0, 0.05]; mass 100; geometry { shape box; dimension [8, 4, 0.1]; friction 0.8; } }
";

/// A floor, and nothing else.
const ICE: &str = "frame floor { translation [0, 0, -0.5]; geometry { shape box; dimension [100, 100, 1]; friction 0; } }";

fn build(scene: &str, (robot, motion): (&str, &str), rate: f64, height: f64) -> Test {
    let room = tempfile::tempdir().expect("a directory");
    std::fs::write(room.path().join("ground.robray"), scene).expect("written");
    let board = if scene == BOARD {
        "\"board\": (frame: \"board\", base: dynamic),"
    } else {
        ""
    };
    let text = format!(
        "Simulation(scene: \"ground.robray\", environment: (rate: {rate}), robots: {{ {board} \"rover\": (\
         model: \"robots/{robot}.robray\", at: (translation: (0, 0, {height})), {motion}) }})",
    );
    let simulation = Simulation::parse(&text, room.path(), &no_extensions);
    Test {
        simulation: simulation.unwrap_or_else(|error| panic!("{error}\n{text}")),
        slope: 0.0,
    }
}

/// Returns the momentum of all bodies along x, N·s.
fn momentum(test: &Test) -> f64 {
    let names = test.simulation.scene().bodies.keys();
    let bodies = names.filter_map(|name| test.simulation.body(name));
    let moving = bodies.filter(|body| body.mass.is_finite());
    moving.map(|body| body.mass * body.linear_velocity.x).sum()
}

/// A robot that drives on a board without friction below it pushes the board back: the momentum of both stays zero, and the
/// robot has its commanded velocity relative to the board.
#[test]
fn a_board_gets_the_opposite_impulse() {
    for (robot, kind, height) in [
        ("pioneer3dx", "v_omega", 0.1),
        ("pioneer3dx", "v_omega_diff", 0.1),
        ("segway_rmp400", "v_omega", 0.1),
        ("atrv", "v_omega", 0.2),
        ("jido", "xy_omega", 0.1),
    ] {
        for rate in [60.0, 240.0] {
            let start = if kind == "xy_omega" {
                "x: 0.5"
            } else {
                "v: 0.5"
            };
            let mut test = build(BOARD, (robot, &actuator(kind, start)), rate, height);
            test.run(3.0);
            let board = *test.simulation.body("board").expect("a board");
            let along = test.body().linear_velocity.x - board.linear_velocity.x;
            let total = momentum(&test);
            println!(
                "{robot} {kind} {rate} Hz: {along} m/s, board {}, {total} N·s",
                board.linear_velocity.x
            );
            assert!(
                board.linear_velocity.x < -0.003,
                "{robot}, {kind}: {board:?}"
            );
            assert!(
                (along / 0.5 - 1.0).abs() < 1e-2,
                "{robot}, {kind}: {along} m/s"
            );
            assert!(
                total.abs() < 1e-3 + 0.01 * 100.0 * -board.linear_velocity.x,
                "{robot}, {kind}: {total} N·s"
            );
        }
    }
}

/// The limp arms of a PR2 lie on its chassis: that contact carries no weight of the robot, and does not drive it.
#[test]
fn a_contact_of_a_robot_with_itself_drives_nothing() {
    let mut test = build(ICE, ("pr2", &actuator("v_omega", "v: 0.5")), 60.0, 0.0);
    test.run(4.0);
    let total = momentum(&test);
    println!("{total} N·s");
    assert!(total.abs() < 0.5, "{total} N·s");
    assert!(test.body().linear_velocity.x.abs() < 0.02);
}

/// A robot whose motors turn its wheels gets the warning about a missed command too.
#[test]
fn wheels_that_spin_on_ice_are_reported() {
    for robot in ["pioneer3dx", "segway_rmp400"] {
        let mut test = build(ICE, (robot, &actuator("v_omega_diff", "v: 0.5")), 60.0, 0.0);
        test.run(3.0);
        let warnings = test.simulation.take_warnings();
        assert!(
            warnings
                .iter()
                .any(|text| text.contains("does not move as commanded")
                    && text.contains("motors are too weak")),
            "{robot}: {warnings:?}"
        );
    }
}

/// Returns true if a robot on a platform that moves gets the warning about a missed command.
fn is_warned_on_platform(
    (robot, motion): (&str, &str),
    (joint, mode): (&str, &str),
    friction: f64,
) -> bool {
    let room = tempfile::tempdir().expect("a directory");
    let axis = if joint == "prismatic" {
        "1, 0, 0"
    } else {
        "0, 0, 1"
    };
    let scene = format!(
        "frame base {{ frame platform {{ translation [0, 0, -0.05]; type {joint}; axis [{axis}]; variable q; mass 2000; \
         geometry {{ shape box; dimension [30, 30, 0.1]; friction {friction}; }} }} }}"
    );
    std::fs::write(room.path().join("ground.robray"), scene).expect("written");
    let text = format!(
        "Simulation(scene: \"ground.robray\", robots: {{ \"platform\": (frame: \"base\", base: fixed, \
         joints: {{ \"q\": (mode: {mode}) }}, actuators: {{ \"m\": (kind: \"joints\", start: (velocities: [0.4])) }}), \
         \"rover\": (model: \"robots/{robot}.robray\", at: (translation: (1, 0, 0.1)), {motion}) }})"
    );
    let simulation = Simulation::parse(&text, room.path(), &no_extensions);
    let mut simulation = simulation.unwrap_or_else(|error| panic!("{error}\n{text}"));
    simulation.run(300).expect("it runs");
    let warnings = simulation.take_warnings();
    let is_miss = |text: &String| text.contains("does not move as commanded");
    warnings.iter().any(is_miss)
}

/// Commands are velocities relative to the ground on which a robot stands.
#[test]
fn a_robot_on_a_platform_that_moves_is_not_warned() {
    let robots = [
        ("atrv", actuator("v_omega", "v: 0.3, w: 0.1")),
        ("atrv", actuator("v_omega", "v: 0")),
        ("pioneer3dx", actuator("v_omega_diff", "v: 0.3")),
    ];
    for (robot, motion) in &robots {
        for joint in [
            ("prismatic", "dynamic"),
            ("prismatic", "kinematic"),
            ("revolute", "kinematic"),
        ] {
            let is_warned = is_warned_on_platform((robot, motion), joint, 0.8);
            assert!(!is_warned, "{robot}, {motion}, {joint:?}");
        }
    }
    // On ice it stays behind.
    let (robot, motion) = &robots[0];
    assert!(is_warned_on_platform(
        (robot, motion),
        ("prismatic", "kinematic"),
        0.0
    ));
}
