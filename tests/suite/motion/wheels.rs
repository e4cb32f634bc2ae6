//! Driven wheels: commanded speeds, stops without oscillation, holding on slopes, far from the origin.
use serde_json::json;

use super::{Arena, DUO, Test, actuator};

/// Returns tyres that are as round as balls: wide tyres scrub along their edges when they turn.
fn round() -> String {
    DUO.replace(
        "shape cylinder; radius 0.1; height 0.04;",
        "shape sphere; radius 0.1;",
    )
    .replace("translation [0, -0.02, 0]; mass", "mass")
}

fn rover(start: &str, slope: f64) -> Test {
    Arena {
        model: &round(),
        robot: &actuator("v_omega_diff", start),
        slope,
        ..Arena::default()
    }
    .build()
}

#[test]
fn wheels_drive_as_fast_as_they_are_told() {
    for speed in [0.02, 0.1, 0.5, 1.5] {
        let mut test = rover(&format!("v: {speed}"), 0.0);
        test.run(2.0);
        let from = test.position_on_slope();
        test.run(4.0);
        let way = test.position_on_slope() - from;
        println!("{speed} m/s: {} {}", way.x / 4.0, way.y);
        // A rolling wheel of 0.1 m penetrates the ground by a tenth of a millimetre.
        assert!((way.x / 4.0 / speed - 1.0).abs() < 1e-3, "{speed}: {way}");
        assert!(way.y.abs() < 2e-3 * way.x, "{speed}: {way}");
    }
}

#[test]
fn wheels_turn_as_fast_as_they_are_told() {
    for (v, w) in [(0.0, 0.5), (0.5, 0.5), (1.0, -0.3)] {
        let mut test = rover(&format!("v: {v}, w: {w}"), 0.0);
        test.run(2.0);
        let from = test.yaw();
        test.run(2.0);
        let rate = morse_api::angles::normalized(test.yaw() - from) / 2.0;
        println!("{v} m/s, {w} rad/s: {rate}");
        assert!((rate / w - 1.0).abs() < 1e-3, "{v}, {w}: {rate}");
    }
}

#[test]
fn what_stops_on_wheels_does_not_swing() {
    for speed in [0.2, 1.0] {
        let mut test = rover(&format!("v: {speed}"), 0.0);
        test.run(3.0);
        test.send("stop", &json!([]));
        test.run(1.0);
        let there = test.position_on_slope();
        let mut swing: f64 = 0.0;
        for _ in 0..180 {
            test.run(1.0 / 60.0);
            swing = swing.max((test.position_on_slope() - there).norm());
        }
        println!("{speed} m/s: swings by {swing}");
        assert!(swing < 1e-4, "{speed}: {swing} m");
    }
}

#[test]
fn wheels_hold_on_a_slope() {
    let mut test = rover("", 10_f64.to_radians());
    test.run(1.0);
    let from = test.position_on_slope();
    test.run(10.0);
    let crept = (test.position_on_slope() - from).norm();
    println!("crept by {crept} m");
    assert!(crept < 1e-3, "{crept} m");
}
