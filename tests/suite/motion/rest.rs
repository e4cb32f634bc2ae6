//! A robot that stands, stands.

use serde_json::json;

use super::{Arena, DUO, SLED, actuator};

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
        let from = test.place().x;
        test.send("set_speed", &json!([0.5, 0.0]));
        test.run(2.0);
        let speed = (test.place().x - from) / 2.0;
        println!("{kind} starts: {speed}");
        assert!((speed - 0.5).abs() < 0.03, "{kind}: {speed}");
    }
}
