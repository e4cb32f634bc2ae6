//! Text logs of a simulation in the same process: contents of the files during the run, and columns of vectors.
#![cfg(test)]
use std::{fs, path::Path, time::Duration};

use morse_sim::{
    prelude::*,
    simulation::{Simulation, keep, no_extensions},
};

/// Speeds of eight wheels.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Wheels {}

/// One measurement.
#[derive(Component, Reflect, Clone, Debug, Default, Serialize, Deserialize)]
struct WheelsData {
    /// Speeds.
    #[reflect(@Unit("rad/s"))]
    speeds: [f64; 8],
    /// Turns of some of them.
    #[reflect(@Unit(""))]
    turns: [u32; 2],
    /// Load.
    #[reflect(@Unit("kg"))]
    load: f64,
}

impl Sensor for Wheels {
    const KIND: &'static str = "wheels";
    type Data = WheelsData;
}

fn plugin(app: &mut App) {
    app.add_sensor::<Wheels, _>(|mut sensors: Query<(&Wheels, &mut WheelsData)>| {
        for (_, mut data) in &mut sensors {
            for (index, speed) in data.speeds.iter_mut().enumerate() {
                *speed = index as f64 + 0.5;
            }
            data.turns = [7, 8];
        }
    });
}

fn text(directory: &Path, sensor: &str) -> String {
    format!(
        r#"Simulation(
            robots: {{ "rover": (model: "robots/atrv.robray", sensors: {{ {sensor} }}) }},
            middlewares: {{ "log": (kind: "text", directory: "{}") }},
        )"#,
        directory.display()
    )
}

#[test]
fn vectors_of_any_length_have_a_column_for_each_number() {
    let folder = tempfile::tempdir().unwrap();
    let sensor = r#""wheels": (kind: "wheels", outputs: { "log": (format: csv) })"#;
    let text = text(folder.path(), sensor);
    let extensions = |app: &mut App| {
        app.add_plugins(plugin);
    };
    let mut simulation = Simulation::parse(&text, ".", keep(extensions)).unwrap();
    simulation.run(2).unwrap();
    simulation.finish().1.unwrap();
    let csv = fs::read_to_string(folder.path().join("rover.wheels.csv")).unwrap();
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(
        rows[0],
        "timestamp;speeds[0];speeds[1];speeds[2];speeds[3];speeds[4];speeds[5];speeds[6];speeds[7];\
         turns[0];turns[1];load"
    );
    assert_eq!(rows.len(), 3);
    for row in &rows[1..] {
        let (_, values) = row.split_once(';').unwrap();
        assert_eq!(values, "0.5;1.5;2.5;3.5;4.5;5.5;6.5;7.5;7;8;0.0");
    }
}

#[test]
fn a_log_has_its_head_before_the_first_tick_and_readings_soon_after_they_were_measured() {
    let folder = tempfile::tempdir().unwrap();
    let sensor = r#""a": (kind: "pose", outputs: { "log": () }), "b": (kind: "pose", outputs: { "log": (format: csv) })"#;
    let text = text(folder.path(), sensor);
    let mut simulation = Simulation::parse(&text, ".", &no_extensions).unwrap();
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(read("rover.a.txt").starts_with("ROBOT: rover\n"));
    assert_eq!(read("rover.b.csv"), "timestamp;x;y;z;yaw;pitch;roll\n");
    simulation.run(10).unwrap();
    // Nothing else is written from now on: the flush interval alone writes the readings to the disk.
    let is_there = || {
        let records = read("rover.a.txt").matches("==> ").count();
        records == 10 && read("rover.b.csv").lines().count() == 11
    };
    for _ in 0..250 {
        if is_there() {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(is_there(), "{}", read("rover.b.csv"));
    simulation.finish().1.unwrap();
}

#[test]
fn a_csv_log_is_marked_where_time_goes_back() {
    let room = tempfile::tempdir().unwrap();
    let text = format!(
        r#"Simulation(
            robots: {{ "rover": (model: "robots/atrv.robray", base: kinematic, sensors: {{
                "pose": (kind: "pose", outputs: {{ "log": (format: csv) }}),
            }}) }},
            middlewares: {{ "log": (kind: "text", directory: "{}") }},
        )"#,
        room.path().display()
    );
    let simulation = Simulation::parse(&text, ".", &no_extensions);
    let mut simulation = simulation.unwrap();
    simulation.run(3).unwrap();
    simulation.reset().unwrap();
    simulation.run(2).unwrap();
    simulation.finish().1.unwrap();
    let log = fs::read_to_string(room.path().join("rover.pose.csv")).unwrap();
    let marks: Vec<bool> = log
        .lines()
        .skip(1)
        .map(|line| line.starts_with('#'))
        .collect();
    assert_eq!(marks, [false, false, false, true, false, false], "{log}");
}
