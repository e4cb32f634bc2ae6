//! Displacement and odometry of bases, slow and fast, near the origin and at map coordinates, and other quantities with
//! limited single precision there.

use std::fmt::Write as _;

use morse_sim::{Simulation, sensor::odometry::OdometryData, simulation::no_extensions};
use nalgebra::Point3;
use serde_json::{Value as Json, json};

use super::{DUO, SLED};

/// Positions, m.
const POSITIONS: [[f64; 2]; 5] = [
    [0.0, 0.0],
    [100.0, 0.0],
    [1e3, 0.0],
    [2e4, 0.0],
    [500_000.0, 5_400_000.0],
];

/// A position in UTM coordinates, m.
const MAP: [f64; 2] = POSITIONS[4];

/// Duration, s.
const TIME: f64 = 10.0;

/// Opens a scene with a plane of 200 m about a position, and a robot on it.
fn open([x, y]: [f64; 2], rate: u32, model: &str, robot: &str) -> Simulation {
    let room = tempfile::tempdir().expect("a directory");
    let plane = format!(
        "frame plane {{ translation [{x}, {y}, 0]; frame slab {{ translation [0, 0, -0.5]; \
         geometry {{ shape box; dimension [200, 100, 1]; }} }} }}"
    );
    std::fs::write(room.path().join("plane.robray"), plane).expect("written");
    std::fs::write(room.path().join("rover.robray"), model).expect("written");
    let text = format!(
        "Simulation(scene: \"plane.robray\", environment: (rate: {rate}), robots: {{ \"rover\": (\
         model: \"rover.robray\", at: (translation: ({x}, {y}, 0)), \
         sensors: {{ \"odometry\": (kind: \"odometry\") }}, {robot}) }})"
    );
    Simulation::parse(&text, room.path(), &no_extensions)
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Returns an actuator with an initial velocity.
fn driver(kind: &str, settings: &str, speed: f64) -> String {
    format!("actuators: {{ \"motion\": (kind: \"{kind}\", {settings} start: (v: {speed})) }},")
}

fn run(simulation: &mut Simulation, seconds: f64) {
    let ticks = (seconds * simulation.clock().rate).round() as u64;
    simulation.run(ticks).expect("nobody is in lockstep");
}

fn put(simulation: &mut Simulation, at: [f64; 3]) {
    let arguments = json!(["rover", at, [0.0, 0.0, 0.0]]);
    let call = simulation.call("simulation", "set_object_position", &arguments);
    assert_eq!(call.reply().expect("at once").value, Json::Null);
}

fn position(simulation: &Simulation) -> Point3<f64> {
    let body = simulation.body("rover").expect("there is one");
    body.pose.translation.vector.into()
}

fn odometry(simulation: &Simulation) -> f64 {
    let data = simulation.read::<OdometryData>("rover.odometry");
    data.expect("it is there").x
}

/// Returns the displacement of a robot in [`TIME`] and of its odometry, m, after a second of acceleration.
fn ways(simulation: &mut Simulation) -> [f64; 2] {
    run(simulation, 1.0);
    let (from, measured) = (position(simulation), odometry(simulation));
    run(simulation, TIME);
    [
        (position(simulation) - from).x,
        odometry(simulation) - measured,
    ]
}

#[test]
fn bases_go_as_far_as_they_are_told_wherever_they_are() {
    let mut problems = String::new();
    for at in POSITIONS {
        for rate in [60, 240] {
            for speed in [0.02, 0.05, 0.5] {
                for (base, control) in [
                    ("dynamic", "velocity"),
                    ("kinematic", "velocity"),
                    ("kinematic", "position"),
                ] {
                    let motion = driver("v_omega", &format!("control: {control},"), speed);
                    let robot = format!("base: {base}, {motion}");
                    let mut simulation = open(at, rate, SLED, &robot);
                    for way in ways(&mut simulation) {
                        if (way / (speed * TIME) - 1.0).abs() > 1e-3 {
                            let wanted = speed * TIME;
                            writeln!(problems, "{base}, {control}, at {at:?}, {rate} Hz, {speed} m/s: {way} m instead of {wanted}")
                                .expect("written");
                        }
                    }
                }
            }
        }
    }
    assert!(problems.is_empty(), "{problems}");
}

#[test]
fn wheels_roll_as_far_wherever_they_are() {
    for speed in [0.02, 0.5] {
        let ways = POSITIONS.map(|at| {
            let robot = format!("base: dynamic, {}", driver("v_omega_diff", "", speed));
            ways(&mut open(at, 240, DUO, &robot))[0]
        });
        for way in ways {
            // Wheels may slip by one hundredth.
            assert!(
                (way / (speed * TIME) - 1.0).abs() < 1e-2,
                "{speed}: {ways:?}"
            );
        }
    }
}

#[test]
fn bases_turn_as_fast_as_they_are_told() {
    for base in ["dynamic", "kinematic"] {
        for w in [0.02, 0.5] {
            let motion = driver("v_omega", "", 0.0).replace("v: 0", &format!("w: {w}"));
            let mut simulation = open(MAP, 240, SLED, &format!("base: {base}, {motion}"));
            run(&mut simulation, 1.0);
            let turned = |simulation: &Simulation| {
                let data = simulation.read::<OdometryData>("rover.odometry");
                data.expect("it is there").yaw
            };
            let from = turned(&simulation);
            run(&mut simulation, 5.0);
            let share = (turned(&simulation) - from) / (w * 5.0);
            assert!((share - 1.0).abs() < 1e-3, "{base}, {w} rad/s: {share}");
        }
    }
}

/// A robot falls from a metre onto the ground or another body, and lies still there.
#[test]
fn what_falls_rests_on_the_ground_to_the_last_bit() {
    let fall = |at: [f64; 2]| {
        let mut simulation = open(at, 240, SLED, "base: dynamic,");
        put(&mut simulation, [at[0], at[1], 1.0]);
        run(&mut simulation, 0.25);
        let fallen = 1.0 - position(&simulation).z;
        let wanted = 0.5 * 9.81 * 0.25 * 0.25;
        assert!(
            (fallen - wanted).abs() < 1e-6,
            "{at:?}: {fallen}, not {wanted}"
        );
        run(&mut simulation, 5.0);
        let lies = position(&simulation);
        run(&mut simulation, 1.0);
        assert_eq!(lies, position(&simulation), "{at:?}");
        lies.z
    };
    let near = fall(POSITIONS[0]);
    for at in POSITIONS {
        let z = fall(at);
        assert!((z - near).abs() < 5e-5, "{at:?}: {z}, not {near}");
    }
}

/// A robot drives past the point where the engine's origin moves, with a sleeping body behind it.
#[test]
fn the_engines_origin_moves_along() {
    let open = || {
        let room = tempfile::tempdir().expect("a directory");
        let plane = "frame plane { frame slab { translation [300, 0, -0.5]; \
                     geometry { shape box; dimension [900, 100, 1]; } } }";
        std::fs::write(room.path().join("plane.robray"), plane).expect("written");
        std::fs::write(room.path().join("rover.robray"), SLED).expect("written");
        let text = format!(
            "Simulation(scene: \"plane.robray\", robots: {{ \"rover\": (model: \"rover.robray\", \
             at: (translation: (200, 0, 0)), {}) }})",
            driver("v_omega", "", 20.0)
        );
        Simulation::parse(&text, room.path(), &no_extensions)
            .unwrap_or_else(|error| panic!("{error}\n{text}"))
    };
    let mut simulation = open();
    // Friction accelerates it by 4.9 m/s².
    run(&mut simulation, 6.0);
    let mut other = open();
    other
        .restore(&simulation.snapshot().expect("saved"))
        .expect("it fits");
    let mut last = position(&simulation);
    for tick in 0..900 {
        for simulation in [&mut simulation, &mut other] {
            simulation.run(1).expect("nobody is in lockstep");
        }
        let now = position(&simulation);
        assert!(
            ((now - last).x - 20.0 / 60.0).abs() < 1e-5,
            "{tick}: {last} {now}"
        );
        assert!((now - last).yz().norm() < 1e-5, "{tick}: {last} {now}");
        assert_eq!(simulation.state_hash(), other.state_hash(), "{tick}");
        last = now;
    }
    assert!(last.x > 512.0, "{last}");
    // A world in its initial state restores one whose origin has moved.
    let mut late = open();
    late.restore(&simulation.snapshot().expect("saved"))
        .expect("it fits");
    run(&mut late, 1.0);
    run(&mut simulation, 1.0);
    assert_eq!(simulation.state_hash(), late.state_hash());
}

/// The resolution of single precision is half a metre there.
#[test]
fn poses_are_told_as_they_were_given() {
    let mut simulation = open(MAP, 60, SLED, "base: kinematic,");
    let at = [MAP[0] + 0.123_456_789, MAP[1] - 0.000_001_234, 1.0];
    put(&mut simulation, at);
    simulation.run(10).expect("nobody is in lockstep");
    assert_eq!(position(&simulation), Point3::from(at));
}
