//! A robot at rest stays at rest.

use serde_json::json;

use super::{Arena, DUO, SLED, actuator};

/// Below this speed, m/s, a robot has stopped.
const STOPPED: f64 = 2e-3;

#[test]
fn two_seconds_after_it_stopped_no_bit_moves() {
    for (kind, model) in [("v_omega", SLED), ("v_omega_diff", DUO)] {
        for slope in [0.0, 0.15] {
            let mut test = Arena {
                model,
                robot: &actuator(kind, "v: 0.5"),
                slope,
                ..Arena::default()
            }
            .build();
            test.run(2.0);
            test.send("stop", &json!([]));
            let mut ticks = 0;
            while test.body().linear_velocity.norm() > STOPPED {
                test.run(1.0 / 60.0);
                ticks += 1;
                assert!(ticks < 90, "{kind} on {slope} does not stop");
            }
            test.run(2.0);
            let stopped = test.body().pose;
            let mut moved: f64 = 0.0;
            for _ in 0..300 {
                test.run(1.0 / 60.0);
                let pose = test.body().pose;
                let off = (pose.translation.vector - stopped.translation.vector).norm();
                moved = moved.max(off + pose.rotation.angle_to(&stopped.rotation));
            }
            println!("{kind} on {slope}: {moved}");
            assert_eq!(test.body().pose, stopped, "{kind} on {slope}: {moved}");
        }
    }
}

#[test]
fn a_robot_that_is_told_nothing_stands_as_still() {
    for slope in [0.0, 0.15] {
        let mut test = Arena {
            slope,
            ..Arena::default()
        }
        .build();
        test.run(2.0);
        let stopped = test.body().pose;
        test.run(5.0);
        assert_eq!(test.body().pose, stopped);
    }
}

#[test]
fn a_robot_that_stood_for_long_starts_at_once() {
    for (kind, model) in [("v_omega", SLED), ("v_omega_diff", DUO)] {
        let mut test = Arena {
            model,
            robot: &actuator(kind, ""),
            ..Arena::default()
        }
        .build();
        test.run(10.0);
        let from = test.position_on_slope().x;
        test.send("set_speed", &json!([0.5, 0.0]));
        test.run(2.0);
        let speed = (test.position_on_slope().x - from) / 2.0;
        println!("{kind} starts: {speed}");
        assert!((speed - 0.5).abs() < 0.03, "{kind}: {speed}");
    }
}

#[test]
fn what_carries_a_sleeping_robot_wakes_it() {
    let room = tempfile::tempdir().expect("a directory");
    let slab = "frame ferry { geometry { shape box; dimension [4, 4, 0.2]; } }\n\
                frame rover { translation [0, 0, 0.2]; mass 20;\n\
                geometry { shape box; dimension [0.4, 0.4, 0.2]; } }";
    std::fs::write(room.path().join("ferry.robray"), slab).expect("written");
    let text = "Simulation(scene: \"ferry.robray\", robots: { \
        \"ferry\": (frame: \"ferry\", base: kinematic, \
            actuators: { \"motion\": (kind: \"xy_omega\") }), \
        \"rover\": (frame: \"rover\", actuators: { \"motion\": (kind: \"v_omega\", active: false) }) })";
    let mut simulation =
        morse_sim::Simulation::parse(text, room.path(), &morse_sim::simulation::no_extensions)
            .unwrap_or_else(|error| panic!("{error}"));
    simulation.run(600).expect("nobody is in lockstep");
    let mut message = bevy::reflect::structs::DynamicStruct::default();
    message.insert("x", 0.5);
    let sent = simulation.command_any("ferry.motion", Box::new(message));
    sent.expect("a command");
    simulation.run(240).expect("nobody is in lockstep");
    let x = |name: &str| {
        let body = simulation.body(name).expect("there is one");
        body.pose.translation.x
    };
    assert!((x("ferry") - 2.0).abs() < 0.02, "{}", x("ferry"));
    // It slips until friction has accelerated it: v² / 2 μ g behind.
    assert!((x("ferry") - x("rover")).abs() < 0.05, "{}", x("rover"));
}
