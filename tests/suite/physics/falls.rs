//! Free fall is exact at every rate, independent of the engine's rounding; and falls of boxes onto their edges.

use std::fmt::Write as _;

use morse_sim::{Simulation, sensor::imu::ImuData, simulation::no_extensions};
use nalgebra::Vector3;

/// Throws a ball that falls for 2 s, with a spin (rad/s) and an IMU off its centre; returns the error of its displacement
/// (m), and the acceleration of the IMU minus that of the spin (m/s²).
fn fall(rate: f64, spin: f64) -> (f64, f64) {
    let folder = tempfile::tempdir().expect("a folder");
    let scene =
        "frame ball { translation [0, 0, 100]; mass 2; geometry { shape sphere; radius 0.2; } }";
    std::fs::write(folder.path().join("ball.robray"), scene).expect("written");
    let text = format!(
        r#"Simulation(scene: "ball.robray", environment: (rate: {rate}),
            bodies: {{ "ball": (kind: dynamic, linear_velocity: (3, -2, 5), angular_velocity: (0, 0, {spin})) }},
            robots: {{ "ball": (frame: "ball", sensors: {{
                "imu": (kind: "imu", mount: (translation: (0.5, 0, 0))) }}) }})"#
    );
    let mut simulation = Simulation::parse(&text, folder.path(), &no_extensions)
        .unwrap_or_else(|error| panic!("{error}"));
    let mut worst = 0.0_f64;
    let ticks = (2.0 * rate) as u64;
    for _ in 0..ticks {
        simulation.run(1).expect("nobody is in lockstep");
        let data = simulation.read::<ImuData>("ball.imu").expect("data");
        let off = Vector3::from(data.linear_acceleration) + Vector3::x() * (spin * spin * 0.5);
        worst = worst.max(off.norm());
    }
    let position = simulation
        .body("ball")
        .expect("a ball")
        .pose
        .translation
        .vector;
    let time = ticks as f64 / rate;
    let formula =
        Vector3::new(3.0, -2.0, 5.0) * time + Vector3::z() * (100.0 - 9.81 / 2.0 * time * time);
    ((position - formula).norm(), worst)
}

#[test]
fn a_fall_is_as_the_formula_has_it_at_every_rate() {
    for rate in [10.0, 60.0, 240.0, 1000.0, 20_000.0] {
        let (way, felt) = fall(rate, 0.0);
        assert!(way < 1e-5, "{rate} Hz: {way} m off");
        assert!(felt < 1e-5, "{rate} Hz: {felt} m/s²");
    }
}

/// Angular velocities are in single precision.
#[test]
fn a_fall_with_a_spin_is_as_the_formula_has_it_up_to_a_kilohertz() {
    for rate in [10.0, 60.0, 240.0, 1000.0] {
        let (way, felt) = fall(rate, 2.0);
        assert!(way < 1e-5, "{rate} Hz: {way} m off");
        assert!(felt < 0.01, "{rate} Hz: {felt} m/s²");
    }
}

/// Cubes with a side of 0.1 m and a mass of 0.4 kg fall 1 cm onto edges and corners, and tip over. Where the impulse of an
/// impact remained for the substep after it, they gained up to 2 mJ in a step, at any rate.
#[test]
fn boxes_that_tip_over_gain_no_energy() {
    const BOXES: usize = 12;
    for rate in [240, 480, 960] {
        let (mut boxes, mut kinds) = (String::new(), String::new());
        for number in 0..BOXES {
            let lean = 0.3 + 0.05 * number as f64;
            let (sin, cos) = libm::sincos(lean);
            let (height, roll) = (0.05 * (sin + cos) + 0.0105, 3 * (number % 3));
            writeln!(
                boxes,
                "frame box_{number} {{ translation [{number}, 0, {height}]; rpy [0, {}, {roll}]; mass 0.4;
                 geometry {{ shape box; dimension [0.1, 0.1, 0.1]; friction 0.5; }} }}",
                lean.to_degrees()
            )
            .expect("text");
            write!(kinds, "\"box_{number}\": (kind: dynamic), ").expect("text");
        }
        let folder = tempfile::tempdir().expect("a folder");
        let floor = "frame floor { translation [0, 0, -0.5]; geometry { shape box; dimension [40, 40, 1]; friction 0.8; } }";
        std::fs::write(
            folder.path().join("boxes.robray"),
            floor.to_owned() + &boxes,
        )
        .expect("written");
        let text = format!(
            "Simulation(scene: \"boxes.robray\", environment: (rate: {rate}), bodies: {{ {kinds} }})"
        );
        let mut simulation = Simulation::parse(&text, folder.path(), &no_extensions)
            .unwrap_or_else(|error| panic!("{error}"));
        let energies = |simulation: &Simulation| -> Vec<f64> {
            let bodies = (0..BOXES).filter_map(|number| simulation.body(&format!("box_{number}")));
            let energies = bodies.map(|body| {
                let spin = body.angular_velocity.norm_squared() * 0.1 * 0.1 / 6.0;
                let kinetic = (body.linear_velocity.norm_squared() + spin) / 2.0;
                0.4 * (kinetic + 9.81 * body.center_of_mass.z)
            });
            energies.collect()
        };
        let mut before = energies(&simulation);
        assert_eq!(before.len(), BOXES);
        let first: f64 = before.iter().sum();
        for tick in 0..rate {
            simulation.run(1).expect("nobody is in lockstep");
            let after = energies(&simulation);
            for (number, (before, after)) in before.iter().zip(&after).enumerate() {
                let gained = after - before;
                assert!(
                    gained < 5e-4,
                    "{rate} Hz, tick {tick}, box {number}: {gained} J"
                );
            }
            before = after;
        }
        let lost = first - before.iter().sum::<f64>();
        assert!(lost > 0.5, "they have come to rest: {lost} J");
    }
}
