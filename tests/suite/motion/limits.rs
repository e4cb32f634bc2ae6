//! Maximum commanded velocities of a robot: commands beyond them are refused with the reason, and the robot continues.

use morse_api::service::Status;
use morse_sim::{
    Simulation,
    actuator::v_omega::{VOmega, VOmegaCommand},
    simulation::no_extensions,
};
use serde_json::json;

fn open(robot: &str, fields: &str, start: &str) -> Result<Simulation, String> {
    let text = format!(
        r#"Simulation(scene: "environments/empty.robray",
            robots: {{ "rover": (model: "robots/{robot}.robray", at: (translation: (0, 0, 0.1)), {fields}
                actuators: {{ "motion": (kind: "v_omega", {start}) }}) }})"#
    );
    Simulation::parse(&text, "scenes", &no_extensions).map_err(|error| error.to_string())
}

#[test]
fn speeds_beyond_the_limits_are_refused_with_the_reason() {
    let mut simulation = open("atrv", "", "start: (v: 0.5)").expect("a simulation");
    simulation.run(60).expect("a run");
    let refused = simulation
        .command::<VOmega>("rover.motion", VOmegaCommand { v: 1e4, w: 0.0 })
        .expect_err("far too fast");
    assert_eq!(
        refused.to_string(),
        "`rover.motion`: 10000 in `v` is out of range: -100 to 100 m/s"
    );
    let call = simulation.call("rover.motion", "set_speed", &json!([0.5, 1e5]));
    let reply = call.reply().expect("at once");
    assert_eq!(reply.status, Status::Failed);
    let why = reply.error.expect("a reason").to_string();
    assert!(why.contains("`w`") && why.contains("100 rad/s"), "{why}");
    // The previous command remains in effect.
    simulation.run(60).expect("a run");
    let body = simulation.body("rover").expect("a robot");
    assert!((body.linear_velocity.x - 0.5).abs() < 5e-3, "{body:?}");
}

#[test]
fn the_limits_are_the_robots_own() {
    let fields = "max_speed: 2, max_turning_rate: 1,";
    let error = open("atrv", fields, "start: (v: 3)")
        .map(drop)
        .expect_err("too fast");
    assert!(error.contains("-2 to 2 m/s"), "{error}");
    let simulation = open("atrv", fields, "start: (v: 2, w: -1)").expect("a simulation");
    for (v, w, is_taken) in [(2.0, 1.0, true), (2.01, 0.0, false), (0.0, -1.01, false)] {
        let sent = simulation.command::<VOmega>("rover.motion", VOmegaCommand { v, w });
        assert_eq!(sent.is_ok(), is_taken, "{v}, {w}: {sent:?}");
    }
    let fast = open("atrv", "max_speed: 5000,", "start: (v: 4999)");
    assert!(fast.is_ok());
}

/// With commands at the limits no robot is lost.
#[test]
fn no_robot_is_lost_at_the_limits() {
    for robot in [
        "atrv",
        "b21",
        "jido",
        "morsy",
        "patrolbot",
        "pioneer3dx",
        "pr2",
        "quadrotor",
        "rmax",
        "segway_rmp400",
        "submarine",
        "hummer",
    ] {
        for (v, w) in [(100.0, 100.0), (100.0, 0.0), (0.0, -100.0)] {
            let mut simulation =
                open(robot, "", &format!("start: (v: {v}, w: {w})")).expect("a simulation");
            simulation.run(120).expect("a run");
            assert_eq!(simulation.lost_bodies(), [], "{robot}, {v}, {w}");
            let stop = VOmegaCommand::default();
            let sent: Result<(), _> = simulation.command::<VOmega>("rover.motion", stop);
            assert!(sent.is_ok());
            simulation.run(60).expect("a run");
            assert_eq!(simulation.lost_bodies(), [], "{robot}, {v}, {w}");
        }
    }
}

/// A robot with wheels of 0.1 m, 0.4 m apart, that turn by 8 rad/s at most.
fn on_wheels(fields: &str, actuator: &str) -> Result<Simulation, String> {
    let room = tempfile::tempdir().expect("a directory");
    let limited = "type revolute; limit_velocity 8;";
    let model = super::DUO.replace("type revolute;", limited);
    std::fs::write(room.path().join("duo.robray"), model).expect("written");
    let text = format!(
        r#"Simulation(scene: "environments/empty.robray", robots: {{ "rover": (model: "duo.robray", {fields}
            actuators: {{ "motion": ({actuator}) }}) }})"#
    );
    Simulation::parse(&text, room.path(), &no_extensions).map_err(|error| error.to_string())
}

/// 8 rad/s at 0.1 m are 0.8 m/s, and 4 rad/s on the spot; what the file says counts for more.
#[test]
fn wheels_of_the_model_limit_a_robot() {
    for kind in ["v_omega", "v_omega_diff"] {
        let start = |v: f64, w: f64| format!("kind: \"{kind}\", start: (v: {v}, w: {w})");
        for (fields, command, range) in [
            ("", (0.81, 0.0), Some("-0.8 to 0.8 m/s")),
            ("", (0.79, 3.99), None),
            ("", (0.0, 4.01), Some("-4 to 4 rad/s")),
            ("max_speed: 0.5,", (0.6, 0.0), Some("-0.5 to 0.5 m/s")),
            ("max_speed: 2, max_turning_rate: 9,", (1.9, 8.0), None),
        ] {
            let opened = on_wheels(fields, &start(command.0, command.1)).map(drop);
            let error = opened.err();
            assert_eq!(error.is_some(), range.is_some(), "{command:?}: {error:?}");
            if let (Some(error), Some(range)) = (error, range) {
                assert!(error.contains(range), "{error}");
            }
        }
    }
}

/// Settings that are speeds hold to the limits at the start and later; so do requests.
#[test]
fn speeds_in_settings_hold_to_the_limits() {
    for (kind, name) in [
        ("waypoint", "speed"),
        ("destination", "speed"),
        ("orientation", "speed"),
        ("keyboard", "speed"),
    ] {
        let fields = "max_speed: 2, max_turning_rate: 2,";
        let open = |speed: f64| on_wheels(fields, &format!("kind: \"{kind}\", {name}: {speed}"));
        let error = open(2.1).map(drop).expect_err("too fast");
        assert!(error.contains("`speed` is 2.1 "), "{kind}: {error}");
        assert!(
            error.contains("2 m/s at most") || error.contains("2 rad/s at most"),
            "{error}"
        );
        let mut simulation = open(2.0).unwrap_or_else(|error| panic!("{kind}: {error}"));
        simulation.run(2).expect("a run");
        let call = simulation.call("rover.motion", "set_property", &json!([name, 2.1]));
        let reply = call.reply().expect("at once");
        assert_eq!(reply.status, Status::Failed, "{kind}: {:?}", reply.value);
        let why = reply.error.expect("a reason").to_string();
        assert!(why.contains("2.1"), "{kind}: {why}");
    }
    let actuator = "kind: \"waypoint\", speed: 0.5";
    let mut simulation = on_wheels("", actuator).expect("a simulation");
    simulation.run(2).expect("a run");
    let call = simulation.call("rover.motion", "goto", &json!([9.0, 0.0, 0.0, 0.5, 0.9]));
    let reply = call.reply().expect("at once");
    assert_eq!(reply.status, Status::Failed);
    let why = reply.error.expect("a reason").to_string();
    assert!(why.contains("`speed`") && why.contains("m/s"), "{why}");
    // An infinite speed of an orientation is a jump.
    assert!(on_wheels("", "kind: \"orientation\"").is_ok());
}
