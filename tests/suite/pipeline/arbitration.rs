//! Arbitration between several actuators of one robot.
use morse_sim::{
    Simulation,
    actuator::{
        teleport::{Teleport, TeleportCommand},
        v_omega::{VOmega, VOmegaCommand},
    },
    simulation::no_extensions,
};
use serde_json::json;

/// Returns a rover with these actuators.
fn rover(motion: &str, actuators: &str) -> Simulation {
    let text = format!(
        r#"Simulation(
            scene: "boxes.robray",
            environment: (motion: {motion}),
            robots: {{ "rover": (
                model: "robots/atrv.robray", at: (translation: (0, 0, 0.1)),
                actuators: {{ {actuators} }},
            ) }},
        )"#
    );
    Simulation::parse(&text, "scenes", &no_extensions).unwrap_or_else(|error| panic!("{error}"))
}

fn drive(simulation: &Simulation, path: &str, v: f64) {
    let command = VOmegaCommand { v, w: 0.0 };
    simulation
        .command::<VOmega>(path, command)
        .expect("a rover");
}

fn put(simulation: &Simulation, path: &str, x: f64) {
    let command = TeleportCommand {
        x,
        z: 3.0,
        ..TeleportCommand::default()
    };
    simulation
        .command::<Teleport>(path, command)
        .expect("a rover");
}

fn x(simulation: &Simulation) -> f64 {
    simulation
        .body("rover")
        .expect("a rover")
        .pose
        .translation
        .x
}

/// Returns the displacement along x in a second.
fn way(simulation: &mut Simulation) -> f64 {
    let before = x(simulation);
    simulation.run(60).expect("a rover");
    x(simulation) - before
}

fn switch(simulation: &mut Simulation, word: &str, path: &str) {
    let call = simulation.call("simulation", word, &json!([path]));
    assert!(call.reply().is_some());
}

const TWO: &str = r#""b": (kind: "v_omega"), "a": (kind: "v_omega")"#;

/// A rover that `a` drove forwards while `b` had no command; `b` has just been commanded to drive it backwards.
fn two_commanded(motion: &str) -> Simulation {
    let mut simulation = rover(motion, TWO);
    drive(&simulation, "rover.a", 1.0);
    let displacement = way(&mut simulation);
    assert!(
        displacement > 0.4,
        "an actuator without a command drives: {displacement}"
    );
    drive(&simulation, "rover.b", -1.0);
    simulation
}

#[test]
fn the_newest_command_drives() {
    let mut simulation = two_commanded("default");
    let displacement = way(&mut simulation);
    assert!(displacement < -0.4, "{displacement}");
    drive(&simulation, "rover.a", 1.0);
    let displacement = way(&mut simulation);
    assert!(displacement > 0.4, "{displacement}");
    switch(&mut simulation, "deactivate", "rover.a");
    let displacement = way(&mut simulation);
    assert!(displacement < -0.4, "{displacement}");
    assert!(simulation.take_warnings().is_empty());
    assert!(simulation.warnings().is_empty());
}

/// A teleport alone, and one under `motion: morse`, holds the robot from the start; beside another actuator it waits for a
/// command.
#[test]
fn who_was_never_commanded_drives_nothing() {
    let both = r#""m": (kind: "v_omega"), "t": (kind: "teleport")"#;
    let alone = r#""t": (kind: "teleport")"#;
    for (motion, actuators, is_held) in [
        ("default", both, false),
        ("default", alone, true),
        ("morse", both, true),
    ] {
        let mut simulation = rover(motion, actuators);
        // An impulse that accelerates it to 2 m/s.
        let mass = simulation.body("rover").expect("a rover").mass;
        let kick = json!(["rover", [2.0 * mass, 0.0, 0.0]]);
        simulation.call("simulation", "push_object", &kick);
        simulation.run(30).expect("a rover");
        let position = x(&simulation);
        assert_eq!(
            position.abs() < 0.05,
            is_held,
            "{motion}, {actuators}: {position}"
        );
    }
}

#[test]
fn in_the_motion_of_morse_the_first_one_created_drives_until_it_is_deactivated() {
    let mut simulation = two_commanded("morse");
    let displacement = way(&mut simulation);
    assert!(displacement < -0.4, "{displacement}");
    drive(&simulation, "rover.a", 1.0);
    let displacement = way(&mut simulation);
    assert!(
        displacement < -0.4,
        "it is newer, but was created later: {displacement}"
    );
    switch(&mut simulation, "deactivate", "rover.b");
    let displacement = way(&mut simulation);
    assert!(displacement > 0.4, "{displacement}");
    switch(&mut simulation, "activate", "rover.b");
    let displacement = way(&mut simulation);
    assert!(displacement < -0.4, "{displacement}");
    assert!(simulation.take_warnings().is_empty());
}

#[test]
fn two_that_are_commanded_in_one_tick_are_told() {
    for (motion, winner, loser) in [("default", "b", "a"), ("morse", "b", "a")] {
        let mut simulation = rover(motion, TWO);
        drive(&simulation, "rover.a", 1.0);
        drive(&simulation, "rover.b", -1.0);
        let displacement = way(&mut simulation);
        assert!(displacement < -0.4, "{motion}: {displacement}");
        let expected = format!(
            "`rover.{loser}`: it was commanded in the same tick as `rover.{winner}`, which drives the robot"
        );
        assert_eq!(simulation.take_warnings(), [expected]);
        drive(&simulation, "rover.a", 1.0);
        simulation.run(3).unwrap();
        drive(&simulation, "rover.b", 1.0);
        simulation.run(3).unwrap();
        assert!(simulation.take_warnings().is_empty());
    }
}

#[test]
fn teleports_are_used_in_turn() {
    let two = r#"
        "teleport": (kind: "teleport"),
        "other": (kind: "teleport", modifiers: [(kind: "ned")]),
    "#;
    for motion in ["default", "morse"] {
        let mut simulation = rover(motion, two);
        let hangs = |simulation: &Simulation| simulation.body("rover").unwrap().pose.translation;
        simulation.run(10).unwrap();
        if motion == "morse" {
            assert!(x(&simulation).abs() < 1e-6, "held where it began");
        } else {
            let mut alone = rover(motion, "");
            alone.run(10).unwrap();
            // It settles on its wheels by micrometres, to the same bit as one without actuators.
            assert!(x(&simulation) == x(&alone), "nothing moves it");
        }
        put(&simulation, "rover.teleport", 4.0);
        simulation.run(30).unwrap();
        assert!((hangs(&simulation).z - 3.0).abs() < 1e-6);
        assert!((x(&simulation) - 4.0).abs() < 1e-6);
        switch(&mut simulation, "deactivate", "rover.teleport");
        simulation.run(10).unwrap();
        let position = hangs(&simulation);
        assert!(
            position.z < 2.99,
            "the other actuator holds it without a command: {position}"
        );
        assert!((position.x - 4.0).abs() < 0.01, "{position}");
        let command = TeleportCommand {
            y: -2.0,
            z: -1.0,
            ..TeleportCommand::default()
        };
        simulation
            .command::<Teleport>("rover.other", command)
            .unwrap();
        simulation.run(30).unwrap();
        let position = hangs(&simulation);
        assert!(
            (position.x + 2.0).abs() < 1e-6 && (position.z - 1.0).abs() < 1e-6,
            "{position}"
        );
        assert!(simulation.take_warnings().is_empty());
    }
}

#[test]
fn what_is_told_at_the_start_is_a_command() {
    let two = r#"
        "a": (kind: "waypoint", obstacle_avoidance: false, route: [(5, 0, 0)]),
        "b": (kind: "v_omega"),
    "#;
    let mut simulation = rover("default", two);
    assert!(way(&mut simulation) > 0.4, "its route");
    let two = r#""a": (kind: "v_omega", start: (v: 1)), "b": (kind: "v_omega")"#;
    let mut simulation = rover("default", two);
    assert!(way(&mut simulation) > 0.4, "its start");
}

#[test]
fn a_keyboard_takes_over_while_keys_are_pressed() {
    use morse_sim::actuator::keyboard::{Keyboard, KeyboardCommand};
    let two =
        r#""keys": (kind: "keyboard", control: velocity, speed: 2), "motion": (kind: "v_omega")"#;
    let mut simulation = rover("default", two);
    let press = |simulation: &Simulation, keys: &[&str]| {
        let keys = keys.iter().map(ToString::to_string).collect();
        let command = KeyboardCommand { keys };
        simulation
            .command::<Keyboard>("rover.keys", command)
            .unwrap();
    };
    drive(&simulation, "rover.motion", 1.0);
    assert!(way(&mut simulation) > 0.4);
    press(&simulation, &["down"]);
    assert!(way(&mut simulation) < -0.8);
    press(&simulation, &[]);
    // Friction takes 0.6 s to change 2 m/s backwards into 1 m/s forwards.
    simulation.run(40).unwrap();
    assert!(
        way(&mut simulation) > 0.4,
        "it is left to the other one again"
    );
}

#[test]
fn of_two_that_turn_the_wheels_one_does() {
    use morse_sim::actuator::{v_omega_diff::VOmegaDiff, wheels::WheelsCommand};
    let text = r#"Simulation(
        scene: "boxes.robray",
        robots: { "rover": (
            model: "robots/pioneer3dx.robray",
            actuators: { "b": (kind: "v_omega_diff"), "a": (kind: "v_omega_diff") },
        ) },
    )"#;
    let mut simulation = Simulation::parse(text, "scenes", &no_extensions).unwrap();
    let drive = |simulation: &Simulation, path: &str, v: f64| {
        let command = WheelsCommand { v, w: 0.0 };
        simulation.command::<VOmegaDiff>(path, command).unwrap();
    };
    simulation.run(30).unwrap();
    drive(&simulation, "rover.a", 0.5);
    let displacement = way(&mut simulation);
    assert!(
        displacement > 0.15,
        "an actuator without a command turns wheels: {displacement}"
    );
    drive(&simulation, "rover.b", -0.5);
    way(&mut simulation);
    let displacement = way(&mut simulation);
    assert!(displacement < -0.15, "{displacement}");
    switch(&mut simulation, "deactivate", "rover.b");
    way(&mut simulation);
    let displacement = way(&mut simulation);
    assert!(displacement > 0.15, "{displacement}");
}

#[test]
fn the_choice_is_part_of_the_state() {
    let mut simulation = rover("default", TWO);
    simulation.hash_every_tick();
    drive(&simulation, "rover.b", 1.0);
    simulation.run(5).unwrap();
    drive(&simulation, "rover.a", -1.0);
    simulation.run(5).unwrap();
    let snapshot = simulation.snapshot().unwrap();
    simulation.run(20).unwrap();
    let (hash, reached) = (simulation.state_hash(), x(&simulation));
    let mut other = rover("default", TWO);
    other.hash_every_tick();
    other.restore(&snapshot).unwrap();
    other.run(20).unwrap();
    assert_eq!((other.state_hash(), x(&other)), (hash, reached));
}
