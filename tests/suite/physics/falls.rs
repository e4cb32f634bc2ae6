//! Free fall is exact at every rate, independent of the engine's rounding.

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
