//! Sensors of motion on robots that move at constant rates: exact at every tick rate, every frequency and every lever arm.

use morse_sim::{Simulation, simulation::no_extensions};
use nalgebra::Vector3;
use serde_json::{Value as Json, json};

/// Off the centre, and rotated.
const MOUNT: &str = "mount: (translation: (1, 0, 0))";

/// Returns a shipped robot with commands `v` (m/s) and `w` (rad/s), and sensors of a frequency.
fn open(robot: &str, base: &str, (rate, frequency): (f64, f64), (v, w): (f64, f64)) -> Simulation {
    let sensor = |name: &str, more: &str| {
        format!(r#""{name}": (kind: {more}, frequency: {frequency}, {MOUNT}),"#)
    };
    let sensors = [
        sensor("imu", r#""imu""#),
        sensor("poses", r#""imu", computation_mode: position"#),
        sensor("accelerometer", r#""accelerometer""#),
        sensor("velocity", r#""velocity""#),
        sensor("odometry", r#""odometry""#),
        sensor("attitude", r#""attitude""#),
    ];
    let text = format!(
        r#"Simulation(
    environment: (rate: {rate}, gravity: (0, 0, -9.81)),
    robots: {{ "rover": (model: "robots/{robot}.robray", {base}, at: (translation: (3, -4, 5), rpy: (0, 0, 0.7)),
        sensors: {{ {} }}, actuators: {{ "motion": (kind: "v_omega", start: (v: {v}, w: {w})) }}) }},
)"#,
        sensors.concat()
    );
    Simulation::parse(&text, "scenes", &no_extensions)
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn data(simulation: &mut Simulation, sensor: &str) -> Json {
    let call = simulation.call(&format!("rover.{sensor}"), "get_local_data", &json!([]));
    call.reply().expect("at once").value
}

fn vector(value: &Json) -> Vector3<f64> {
    let entry = |index: usize| value[index].as_f64().unwrap_or_else(|| panic!("{value}"));
    Vector3::new(entry(0), entry(1), entry(2))
}

/// Checks a circle at constant rates, from r = 1 m ahead of the robot's origin.
fn check(robot: &str, base: &str, clock: (f64, f64), (v, w): (f64, f64), gravity: f64) {
    let mut simulation = open(robot, base, clock, (v, w));
    let seconds = 2.0_f64.max(4.0 / clock.1);
    simulation
        .run((seconds * clock.0) as u64)
        .expect("nobody is in lockstep");
    let what = format!("{robot}, {base}, {clock:?}, v {v}, w {w}");
    // In the axes of the sensor: v = (v, ω r, 0), a = (-ω² r, v ω, 0).
    let linear = Vector3::new(v, w, 0.0);
    let acceleration = Vector3::new(-w * w, v * w, 0.0);
    let felt = acceleration + Vector3::z() * gravity;
    let scale = acceleration.norm().max(1.0);
    for (sensor, field, expected, tolerance) in [
        ("imu", "linear_acceleration", felt, 1e-3 * scale),
        ("poses", "linear_acceleration", felt, 1e-3 * scale),
        ("accelerometer", "acceleration", acceleration, 1e-3 * scale),
        ("accelerometer", "velocity", linear, 1e-5 * scale),
        ("velocity", "linear_velocity", linear, 1e-5 * scale),
        ("attitude", "angular_velocity", Vector3::z() * w, 1e-5),
    ] {
        let actual = vector(&data(&mut simulation, sensor)[field]);
        let off = (actual - expected).norm();
        assert!(off < tolerance, "{what}, {sensor} {field}: {actual:?}");
    }
    let odometry = data(&mut simulation, "odometry");
    for (field, expected) in [("vx", v), ("vy", w), ("wz", w)] {
        let velocity = odometry[field].as_f64().expect("a number");
        assert!(
            (velocity - expected).abs() < 1e-5 * scale,
            "{what}, {field}: {velocity}"
        );
    }
    if clock.0 == clock.1 {
        // From r ahead, on a circle about a point that is v / ω to the left of the origin.
        let turn = w * (seconds * clock.0).floor() / clock.0;
        let (sin, cos) = libm::sincos(turn);
        let radius = v / w;
        let expected = [cos + radius * sin - 1.0, sin + radius * (1.0 - cos)];
        for (field, expected) in ["x", "y"].into_iter().zip(expected) {
            let coordinate = odometry[field].as_f64().expect("a number");
            assert!(
                (coordinate - expected).abs() < 1e-4,
                "{what}, {field}: {coordinate}, {expected}"
            );
        }
    }
}

/// Rates of ticks and frequencies of sensors, Hz.
const CLOCKS: [(f64, f64); 7] = [
    (60.0, 60.0),
    (60.0, 25.0),
    (60.0, 10.0),
    (50.0, 7.0),
    (10.0, 10.0),
    (240.0, 240.0),
    (1000.0, 60.0),
];

#[test]
fn a_robot_that_spins_feels_the_way_to_its_axis_alone() {
    for clock in CLOCKS {
        check("atrv", "base: kinematic", clock, (0.0, 6.0), 9.81);
    }
}

#[test]
fn a_robot_on_a_circle_moves_ahead_and_feels_its_centre() {
    for robot in ["atrv", "pioneer3dx", "quadrotor", "submarine"] {
        for clock in CLOCKS {
            check(robot, "base: kinematic", clock, (1.5, -2.0), 9.81);
        }
    }
}

#[test]
fn a_robot_that_flies_as_it_is_told_does_so_exactly() {
    for robot in ["quadrotor", "submarine"] {
        for clock in CLOCKS {
            check(
                robot,
                "base: dynamic, locomotion: free",
                clock,
                (1.5, -2.0),
                9.81,
            );
        }
    }
}

/// Rates up to the highest that is accepted, Hz.
const HIGH_RATES: [f64; 7] = [60.0, 240.0, 1000.0, 5000.0, 10_000.0, 20_000.0, 100_000.0];

/// A base that spins by itself, without gravity and command, or by command: nothing is felt 1 m from the axis but the way to it.
#[test]
fn a_spinning_base_feels_no_rounding_at_high_rates() {
    for (robot, base, is_told) in [
        ("atrv", "base: kinematic", true),
        ("quadrotor", "base: dynamic, locomotion: free", true),
        ("quadrotor", "base: dynamic, locomotion: free", false),
        ("atrv", "base: dynamic, locomotion: free", false),
    ] {
        // A ground robot turns about the vertical.
        let tilt = if base.ends_with("free") {
            "0.3, -0.2"
        } else {
            "0, 0"
        };
        for rate in HIGH_RATES {
            let text = format!(
                r#"Simulation(
    environment: (rate: {rate}, gravity: (0, 0, 0)),
    robots: {{ "rover": (model: "robots/{robot}.robray", {base}, at: (translation: (3, -4, 5), rpy: ({tilt}, 0.7)),
        sensors: {{ "imu": (kind: "imu", frequency: {rate}, {MOUNT}) }},
        actuators: {{ "motion": (kind: "v_omega", start: (w: 6)) }}) }},
)"#
            );
            let mut simulation = Simulation::parse(&text, "scenes", &no_extensions)
                .unwrap_or_else(|error| panic!("{error}\n{text}"));
            simulation.run(4).expect("nobody is in lockstep");
            if !is_told {
                simulation.call("rover.motion", "deactivate", &json!([]));
            }
            simulation
                .run((rate / 20.0) as u64)
                .expect("nobody is in lockstep");
            let mut worst = 0.0_f64;
            for _ in 0..200 {
                simulation.step().expect("nobody is in lockstep");
                let felt = vector(&data(&mut simulation, "imu")["linear_acceleration"]);
                worst = worst.max((felt + Vector3::x() * 36.0).norm());
            }
            let case = format!("{robot}, {base}, commanded {is_told}, {rate} Hz");
            assert!(worst < 1e-3, "{case}: {worst} m/s² off");
        }
    }
}

/// Robots that stand, drive ahead or turn on the ground: an IMU shows gravity, and on a Pioneer the way to the middle of its
/// wheels, 0.045 m ahead.
#[test]
fn robots_on_the_ground_feel_no_tremble() {
    for (robot, kind, ahead) in [
        ("pioneer3dx", "v_omega_diff", 0.045),
        ("patrolbot", "v_omega_diff", 0.0),
        ("segway_rmp400", "v_omega_diff", 0.0),
        ("atrv", "v_omega", 0.0),
        ("b21", "v_omega", 0.0),
        ("jido", "v_omega", 0.0),
    ] {
        for (v, w) in [(0.0, 0.0), (0.5, 0.0), (0.0, 1.0)] {
            for rate in [60.0, 240.0, 1000.0, 5000.0] {
                let text = format!(
                    r#"Simulation(
    scene: "environments/empty.robray", environment: (rate: {rate}, gravity: (0, 0, -9.81)),
    robots: {{ "rover": (model: "robots/{robot}.robray",
        sensors: {{ "imu": (kind: "imu", frequency: {rate}) }},
        actuators: {{ "motion": (kind: "{kind}", start: (v: {v}, w: {w})) }}) }},
)"#
                );
                let mut simulation = Simulation::parse(&text, "scenes", &no_extensions)
                    .unwrap_or_else(|error| panic!("{error}\n{text}"));
                simulation
                    .run((0.5 * rate) as u64)
                    .expect("nobody is in lockstep");
                let expected = Vector3::new(w * w * ahead, 0.0, 9.81);
                let mut worst = 0.0_f64;
                for _ in 0..100 {
                    simulation.step().expect("nobody is in lockstep");
                    let felt = vector(&data(&mut simulation, "imu")["linear_acceleration"]);
                    worst = worst.max((felt - expected).norm());
                }
                println!("{robot}, v {v}, w {w}, {rate} Hz: {worst} m/s² off");
                assert!(
                    worst < 0.05,
                    "{robot}, v {v}, w {w}, {rate} Hz: {worst} m/s² off"
                );
            }
        }
    }
}
