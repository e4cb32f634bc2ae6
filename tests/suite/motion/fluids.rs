//! Floating, sinking, and falling against drag.

use morse_sim::{Simulation, simulation::no_extensions};
use nalgebra::Vector3;

use super::G;

/// Returns a simulation of one body, `thing`, and nothing else.
fn world(environment: &str, frame: &str, fields: &str) -> Simulation {
    let room = tempfile::tempdir().expect("a directory");
    std::fs::write(room.path().join("thing.robray"), frame).expect("written");
    let text =
        format!("Simulation(scene: \"thing.robray\", environment: ({environment}), {fields})");
    Simulation::parse(&text, room.path(), &no_extensions).unwrap_or_else(|error| panic!("{error}"))
}

fn run(simulation: &mut Simulation, seconds: f64) -> Vector3<f64> {
    let ticks = (seconds * simulation.clock().rate).round() as u64;
    simulation.run(ticks).expect("nobody is in lockstep");
    let thing = simulation.body("thing").expect("there is one");
    thing.pose.translation.vector
}

fn geometry(shape: &str) -> String {
    format!("frame thing {{ geometry {{ {shape} }} }}")
}

#[test]
fn what_floats_displaces_its_weight() {
    // A box of 0.4 m height: 30 % of the density of water, 30 % of its height under water. Half a ball.
    // A cylinder that stands upright, heavy at the bottom: 70 %.
    let upright = "frame thing { mass 4.398230; center_of_mass [0, 0, 0.05]; inertia [0.1, 0.1, 0.02, 0, 0, 0]; \
                   geometry { shape cylinder; radius 0.1; height 0.2; } }";
    for (frame, expected) in [
        (
            geometry("shape box; dimension [1, 0.8, 0.4]; density 300;"),
            1.5 + 0.2 - 0.3 * 0.4,
        ),
        (geometry("shape sphere; radius 0.25; density 500;"), 1.5),
        (upright.to_owned(), 1.5 - 0.7 * 0.2),
    ] {
        let mut simulation = world(
            "water: (level: 1.5, linear_damping: 4, angular_damping: 4)",
            &frame,
            "bodies: { \"thing\": () }",
        );
        let z = run(&mut simulation, 40.0).z;
        println!("floats at {z}, expected {expected}");
        // One per cent of the smallest draught.
        assert!(
            (z - expected).abs() < 1.2e-3,
            "{z} instead of {expected}: {frame}"
        );
        let rest = run(&mut simulation, 1.0);
        assert_eq!(run(&mut simulation, 5.0), rest, "it rests");
    }
}

#[test]
fn a_box_bobs_with_the_period_of_its_draught() {
    // T = 2π √(d / g) for a draught d, without damping.
    let frame = geometry("shape box; dimension [1, 1, 0.4]; density 500;");
    let mut simulation = world(
        "rate: 240, water: (linear_damping: 0, angular_damping: 0)",
        &frame,
        "bodies: { \"thing\": (linear_velocity: (0, 0, 0.1)) }",
    );
    let mut crossings = Vec::new();
    let (mut before, mut highest): (f64, f64) = (-1.0, 0.0);
    for tick in 1..=2400 {
        let z = run(&mut simulation, 1.0 / 240.0).z;
        if before < 0.0 && z >= 0.0 {
            crossings.push((f64::from(tick) + z / (before - z)) / 240.0);
        }
        before = z;
        if tick > 1200 {
            highest = highest.max(z);
        }
    }
    let count = crossings.len() - 1;
    let period = (crossings[count] - crossings[0]) / count as f64;
    let expected = std::f64::consts::TAU * libm::sqrt(0.2 / G);
    println!("period {period} expected {expected}, amplitude {highest}");
    assert!(
        (period / expected - 1.0).abs() < 5e-3,
        "{period} instead of {expected}"
    );
    let amplitude = 0.1 * libm::sqrt(0.2 / G);
    assert!(
        (highest / amplitude - 1.0).abs() < 0.02,
        "{highest} instead of {amplitude}"
    );
}

#[test]
fn a_box_that_floats_rights_itself() {
    let frame = geometry("shape box; dimension [1, 1, 0.2]; density 500;");
    let at = "robots: { \"thing\": (frame: \"thing\", at: (rpy: (0.5, 0.3, 0))) }";
    let mut simulation = world("water: ()", &frame, at);
    run(&mut simulation, 60.0);
    let thing = simulation.body("thing").expect("there is one");
    let up = thing.pose.rotation * Vector3::z();
    assert!(up.z > 0.9999, "{up}");
}

#[test]
fn what_falls_reaches_the_speed_at_which_drag_carries_it() {
    // 2 m g = ρ v² A in air; in water, minus the buoyancy.
    let frame = "frame thing { mass 8; geometry { shape sphere; radius 0.1; } }";
    let fields = "bodies: { \"thing\": (drag_area: (0.02, 0.02, 0.02)) }";
    let ball = 4.0 / 3.0 * std::f64::consts::PI * 1e-3;
    for (environment, density, weight) in [
        ("air_density: 1.2", 1.2, 8.0 * G),
        (
            "water: (level: 1000, linear_damping: 0, angular_damping: 0)",
            1000.0,
            (8.0 - 1000.0 * ball) * G,
        ),
    ] {
        let mut simulation = world(environment, frame, fields);
        run(&mut simulation, 60.0);
        let thing = simulation.body("thing").expect("there is one");
        let speed = -thing.linear_velocity.z;
        let expected = libm::sqrt(2.0 * weight / (density * 0.02));
        println!("falls at {speed} expected {expected}");
        assert!(
            (speed / expected - 1.0).abs() < 2e-3,
            "{speed} instead of {expected}"
        );
    }
}

#[test]
fn a_vehicle_without_gravity_hovers_and_one_that_is_free_does_while_it_is_driven() {
    let frame = geometry("shape box; dimension [1, 1, 1]; density 500;");
    let robot = |fields: &str| format!("robots: {{ \"thing\": (frame: \"thing\", {fields}) }}");
    let mut submarine = world(
        "water: (level: 100)",
        &frame,
        &robot("gravity: false, drag_area: (1, 1, 1),"),
    );
    assert_eq!(run(&mut submarine, 5.0), Vector3::zeros());
    let mut diver = world(
        "water: (level: 100)",
        &frame,
        &robot("locomotion: free, actuators: { \"m\": (kind: \"xy_omega\", start: (x: 1)) }"),
    );
    let position = run(&mut diver, 5.0);
    assert!(
        (position - Vector3::new(5.0, 0.0, 0.0)).norm() < 0.01,
        "{position}"
    );
    // A boat floats up while it drives.
    let mut boat = world(
        "water: (level: 100)",
        &frame,
        &robot("actuators: { \"m\": (kind: \"xy_omega\", start: (x: 1)) }"),
    );
    let position = run(&mut boat, 2.0);
    assert!(
        position.z > 10.0 && (position.x - 2.0).abs() < 0.02,
        "{position}"
    );
}

#[test]
fn damping_takes_its_share_of_the_speed() {
    let frame = geometry("shape sphere; radius 0.1; density 500;");
    let robot = "gravity: false, linear_damping: 0.5, mass: 3";
    let push = "actuators: { \"act\": (kind: \"external_force\", start: (force: (3, 0, 0))) }";
    let fields = format!("robots: {{ \"thing\": (frame: \"thing\", {robot}, {push}) }}");
    let mut simulation = world("", &frame, &fields);
    run(&mut simulation, 4.0);
    let thing = simulation.body("thing").expect("there is one");
    // v' = 1 - v / 2: v = 2 (1 - exp(-t / 2)).
    let expected = 2.0 * (1.0 - libm::exp(-2.0));
    let speed = thing.linear_velocity.x;
    assert!(
        (speed / expected - 1.0).abs() < 5e-3,
        "{speed} instead of {expected}"
    );
}
