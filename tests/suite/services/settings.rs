//! The settings of components during the simulation.
#![cfg(test)]
use morse_sim::{Simulation, sensor::laser::LaserScannerData, simulation::no_extensions};
use serde_json::json;

use super::{answer, refusal, rover_with};

const COMPONENTS: &str = r#"
    sensors: {
        "scan": (kind: "laser_scanner", mount: (translation: (0.1, 0.2, 0.8), rpy: (0, 0, 1.5707963267948966))),
        "touch": (kind: "collision"),
        "gps": (kind: "gps"),
        "imu": (kind: "imu"),
        "both": (kind: "compound", sensors: ["gps", "imu"]),
    },
    actuators: { "motion": (kind: "v_omega", start: (v: 1, w: 0)) },
"#;

fn rover() -> Simulation {
    rover_with(COMPONENTS, "", &no_extensions)
}

fn rays(simulation: &Simulation) -> usize {
    let data = simulation.read::<LaserScannerData>("rover.scan").unwrap();
    data.range_list.len()
}

#[test]
fn settings_are_told_with_value_type_and_meaning() {
    let mut simulation = rover();
    let reported = answer(&mut simulation, "rover.scan", "get_properties", json!([]));
    let range = &reported["properties"]["laser_range"];
    assert_eq!(
        *range,
        json!([30.0, "float", "Range of the rays. (m)", "laser_range"])
    );
    let docs = "Angle between the first and the last ray of a layer. (deg)";
    assert_eq!(
        reported["properties"]["scan_window"],
        json!([180.0, "float", docs, "scan_window"])
    );
    let reported = answer(&mut simulation, "rover.motion", "get_properties", json!([]));
    let control = &reported["properties"]["ControlType"];
    assert_eq!(
        [&control[0], &control[1], &control[3]],
        ["Velocity", "string", "control"]
    );
    // Settings that MORSE does not have use their own names.
    let reported = answer(&mut simulation, "rover.touch", "get_properties", json!([]));
    assert_eq!(reported["properties"]["ignore"][1], "list");
}

#[test]
fn the_pose_on_the_robot_is_told() {
    let mut simulation = rover();
    let reported = answer(
        &mut simulation,
        "rover.scan",
        "get_configurations",
        json!([]),
    );
    let reported = &reported["configurations"];
    assert_eq!(reported["layers"], 1);
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let pose = &reported["object_to_robot"];
    for (index, expected) in [0.1, 0.2, 0.8].into_iter().enumerate() {
        assert!((number(&pose["translation"][index]) - expected).abs() < 1e-9);
    }
    // A quarter turn to the left maps x to y, and y to minus x.
    let turn = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    for (row, numbers) in turn.iter().enumerate() {
        for (column, expected) in numbers.iter().enumerate() {
            assert!((number(&pose["rotation"][row][column]) - expected).abs() < 1e-9);
        }
    }
}

#[test]
fn a_setting_that_is_changed_acts_from_then_on() {
    let mut simulation = rover();
    simulation.step().unwrap();
    assert_eq!(rays(&simulation), 181);
    answer(
        &mut simulation,
        "rover.scan",
        "set_property",
        json!(["scan_window", 90]),
    );
    simulation.step().unwrap();
    assert_eq!(rays(&simulation), 91);
    answer(
        &mut simulation,
        "rover.motion",
        "set_property",
        json!(["control", "position"]),
    );
    let reported = answer(&mut simulation, "rover.motion", "get_properties", json!([]));
    assert_eq!(reported["properties"]["ControlType"][0], "Position");
}

#[test]
fn a_setting_is_checked_as_in_a_file_and_stays_if_it_is_refused() {
    let mut simulation = rover();
    let mut refused = |path: &str, name: &str, value: serde_json::Value, expected: &str| {
        let why = refusal(&mut simulation, path, "set_property", json!([name, value]));
        assert!(why.contains(expected), "{why}");
    };
    refused(
        "rover.scan",
        "resolution",
        json!(-1),
        "`rover.scan`, resolution: -0.017453292519943295 is out of range: 1e-5 to 6.3 rad",
    );
    refused("rover.scan", "resolution", json!("fine"), "resolution");
    refused("rover.scan", "laser_range", json!(null), "laser_range");
    refused(
        "rover.scan",
        "range",
        json!(3),
        "Property range does not exist for object rover.scan",
    );
    refused("rover.motion", "control", json!("sideways"), "control");
    refused("rover.motion", "ControlType", json!("Sideways"), "Sideways");
    refused("rover.touch", "ignore", json!("ground, 7"), "ignore");
    let at_load = "looked at when the simulation is loaded";
    refused("rover.both", "sensors", json!("rover.gps"), at_load);
    refused("rover.imu", "date", json!(2020), at_load);
    refused("rover.gps", "level", json!("raw"), at_load);
    let reported = answer(&mut simulation, "rover.scan", "get_properties", json!([]));
    assert_eq!(reported["properties"]["laser_range"][0], 30.0);
    simulation.step().unwrap();
    assert_eq!(rays(&simulation), 181);
}

#[test]
fn a_changed_setting_is_state() {
    let mut simulation = rover();
    simulation.hash_every_tick();
    let mut other = rover();
    other.hash_every_tick();
    simulation.step().unwrap();
    other.step().unwrap();
    assert_eq!(simulation.state_hash(), other.state_hash());
    answer(
        &mut simulation,
        "rover.scan",
        "set_property",
        json!(["layers", 3]),
    );
    simulation.run(3).unwrap();
    other.run(3).unwrap();
    assert_eq!(rays(&simulation), 3 * 181);
    assert_ne!(simulation.state_hash(), other.state_hash());
    // Another simulation of the same files restores it, ...
    let saved = simulation.snapshot().unwrap();
    other.restore(&saved).unwrap();
    simulation.run(5).unwrap();
    other.run(5).unwrap();
    assert_eq!(simulation.state_hash(), other.state_hash());
    assert_eq!(rays(&other), 3 * 181);
    // ... and a reset undoes it.
    simulation.reset().unwrap();
    simulation.step().unwrap();
    assert_eq!(rays(&simulation), 181);
}
