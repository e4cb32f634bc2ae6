//! Poses of sensors that move on their robots, and of the bases of robots with any heading.

use morse_sim::run::Pace;
use serde_json::{Value as Json, json};

use super::client::Bridge;
use crate::web::client::Served;

/// An arm whose first joint turns at 0.5 rad/s, with a scanner 2 m from its axis, and a unit that pans at 0.5 rad/s with one on it.
const WORLD: &str = r#"Simulation(
    robots: {
        "crane": (
            model: "arms/kuka_lwr.robray", base: fixed, at: (translation: (3, 4, 0), rpy: (0, 0, 0.5)),
            joints: { "kuka_1": (mode: kinematic, velocity: 0.5) },
            sensors: {
                "scan": (kind: "laser_scanner", scan_window: 0.2, resolution: 0.1, mount: (frame: "kuka_1", translation: (2, 0, 0))),
                "seen": (kind: "laser_scanner", scan_window: 0.2, resolution: 0.1, on: "head"),
                "still": (kind: "pose", mount: (translation: (1, 0, 0))),
            },
            actuators: { "head": (kind: "ptu", speed: 0.5, mount: (translation: (0, 0, 1)), start: (pan: 3)) },
        ),
        "rovers": (
            model: "robots/atrv.robray", base: kinematic, at: (translation: (0, 0, 0.1), rpy: (0, 0, 0.5)),
            repeat: (count: 24, pattern: circle(radius: 20)), sensors: { "odometry": (kind: "odometry") },
        ),
    },
    middlewares: { "bridge": (kind: "rosbridge", port: 0) },
)"#;

fn serve() -> Served {
    Served::new(WORLD, Pace::RealTime(1.0))
}

/// Returns the transform to a frame in a message, with the name of its parent.
fn to<'a>(message: &'a Json, child: &str) -> Option<&'a Json> {
    let mut transforms = message["transforms"].as_array().unwrap().iter();
    transforms.find(|transform| transform["child_frame_id"] == child)
}

#[test]
fn frames_of_sensors_move_with_their_links() {
    let served = serve();
    let mut bridge = Bridge::new(&served);
    for topic in ["/crane/scan", "/crane/seen"] {
        bridge.say(json!({ "op": "subscribe", "topic": topic }));
    }
    for (sensor, [radius, height]) in [("crane/scan", [2.0, 0.0]), ("crane/seen", [0.0, 1.0])] {
        let message = bridge.until("/tf", |message| to(message, sensor).is_some());
        let transform = to(&message, sensor).unwrap();
        assert_eq!(transform["header"]["frame_id"], "crane/base_link");
        let stamp = &transform["header"]["stamp"];
        let number = |value: &Json| value.as_f64().unwrap();
        let time = number(&stamp["sec"]) + number(&stamp["nanosec"]) / 1e9;
        let (sine, cosine) = libm::sincos(0.5 * time);
        let position = &transform["transform"]["translation"];
        for (axis, expected) in [("x", radius * cosine), ("y", radius * sine), ("z", height)] {
            let actual = number(&position[axis]);
            assert!(
                (actual - expected).abs() < 0.02,
                "{sensor} at {time} s: {transform}"
            );
        }
        let turn = 2.0 * libm::asin(number(&transform["transform"]["rotation"]["z"]));
        assert!(
            (turn - 0.5 * time).abs() < 0.02,
            "{sensor} at {time} s: {transform}"
        );
    }
    let fixed = bridge.one("/tf_static");
    assert!(to(&fixed, "crane/still").is_some(), "{fixed}");
    for sensor in ["crane/scan", "crane/seen"] {
        assert!(to(&fixed, sensor).is_none(), "{sensor} in {fixed}");
    }
}

#[test]
fn odometry_moves_the_base_whatever_the_heading() {
    let served = serve();
    let mut bridge = Bridge::new(&served);
    for index in 1..=24 {
        let base = format!("rovers_{index}/base_link");
        let message = bridge.until("/tf", |message| to(message, &base).is_some());
        let transform = to(&message, &base).unwrap();
        assert_eq!(
            transform["header"]["frame_id"],
            format!("rovers_{index}/odom")
        );
    }
}
