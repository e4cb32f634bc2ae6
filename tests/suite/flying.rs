//! A quadrotor of 2 kg in the physics, against closed forms and against the continuous control laws, integrated here by a
//! Runge–Kutta method.
mod model;

use std::f64::consts::{PI, TAU};

use model::Plane;
use morse_api::{
    body::{BodyState, Inertia},
    service::{Reply, Status},
};
use morse_sim::{
    Simulation,
    actuator::{
        quadrotor_dynamic_control::{QuadrotorDynamicControl, QuadrotorDynamicControlCommand},
        rotorcraft_attitude::{RotorcraftAttitude, RotorcraftAttitudeCommand},
        rotorcraft_waypoint::{RotorcraftWaypoint, RotorcraftWaypointCommand},
    },
    simulation::{BuildError, no_extensions},
};
use nalgebra::Vector3;
use serde_json::json;

/// Gravity, m/s².
const G: f64 = 9.81;
/// Mass, kg.
const MASS: f64 = 2.0;
/// Extents, m.
const EXTENT: [f64; 3] = [0.70, 0.70, 0.197];
/// The actuator's path.
const PATH: &str = "quad.flight";

const QUADROTOR: &str = "
frame base {
  mass 2;
  geometry { shape box; dimension [0.70, 0.70, 0.197]; }
}
";

/// Returns a quadrotor in free space, with one actuator.
fn build(rate: f64, at: &str, base: &str, actuator: &str) -> Result<Simulation, BuildError> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("quad.robray"), QUADROTOR).expect("a file");
    let text = format!(
        r#"Simulation(
            environment: (rate: {rate:?}),
            robots: {{ "quad": (
                model: "quad.robray", base: {base}, at: ({at}),
                actuators: {{ "flight": ({actuator}) }},
            ) }},
        )"#
    );
    Simulation::parse(&text, folder.path(), &no_extensions)
}

fn quad(rate: f64, at: &str, actuator: &str) -> Simulation {
    build(rate, at, "dynamic", actuator).unwrap_or_else(|error| panic!("{error}"))
}

fn body(simulation: &Simulation) -> BodyState {
    *simulation.body("quad").expect("the quadrotor")
}

fn position(simulation: &Simulation) -> Vector3<f64> {
    body(simulation).pose.translation.vector
}

/// Returns roll, pitch and yaw, rad.
fn angles(simulation: &Simulation) -> [f64; 3] {
    let (roll, pitch, yaw) = body(simulation).pose.rotation.euler_angles();
    [roll, pitch, yaw]
}

/// Returns the moments of inertia of a homogeneous box about x (equal to y) and about z, kg·m².
fn moments() -> [f64; 2] {
    let [x, y, z] = EXTENT;
    [MASS / 12.0 * (y * y + z * z), MASS / 12.0 * (x * x + y * y)]
}

fn call(simulation: &mut Simulation, service: &str, arguments: serde_json::Value) -> Reply {
    let call = simulation.call(PATH, service, &arguments);
    call.reply().expect("an answer at once")
}

#[test]
fn components_know_the_bodys_inertia() {
    let simulation = quad(60.0, "", r#"kind: "rotorcraft_waypoint""#);
    let entity = morse_api::service::find(simulation.world(), "quad").expect("the body");
    let inertia = simulation
        .world()
        .get::<Inertia>(entity)
        .expect("an inertia");
    let [across, upright] = moments();
    let expected = Vector3::new(across, across, upright);
    assert!(
        (inertia.0.diagonal() - expected).norm() < 1e-6,
        "{inertia:?}"
    );
    let rest = inertia.0 - nalgebra::Matrix3::from_diagonal(&inertia.0.diagonal());
    assert!(rest.amax() < 1e-9);
}

#[test]
fn an_attitude_settles_as_a_critically_damped_system_does() {
    // Full thrust, so that the gains are 100/s² and 20/s: a natural frequency of 10 rad/s.
    let start = "thrust: 1, roll: 0.0";
    let actuator = format!(r#"kind: "rotorcraft_attitude", start: ({start})"#);
    let mut simulation = quad(1000.0, "rpy: (0.2, -0.1, 0)", &actuator);
    let mut worst = 0.0_f64;
    for tick in 1..=1000_u32 {
        simulation.step().expect("a tick");
        let time = f64::from(tick) / 1000.0;
        let expected = (1.0 + 10.0 * time) * libm::exp(-10.0 * time);
        let [roll, pitch, _] = angles(&simulation);
        worst = worst.max((roll / 0.2 - expected).abs());
        worst = worst.max((pitch / -0.1 - expected).abs());
    }
    println!("attitude from rest: {worst}");
    assert!(worst < 0.02, "{worst}");
}

#[test]
fn a_step_of_attitude_overshoots_as_the_law_says() {
    let mut simulation = quad(
        1000.0,
        "",
        r#"kind: "rotorcraft_attitude", start: (thrust: 1)"#,
    );
    simulation.run(10).expect("ticks");
    let command = RotorcraftAttitudeCommand {
        roll: 0.1,
        pitch: 0.05,
        yaw: 0.0,
        thrust: 1.0,
    };
    simulation
        .command::<RotorcraftAttitude>(PATH, command)
        .expect("an actuator");
    let mut worst = 0.0_f64;
    for tick in 1..=1000_u32 {
        simulation.step().expect("a tick");
        let time = f64::from(tick) / 1000.0;
        // (20 s + 100) / (s + 10)²: the derivative acts on the error, so a step of the command causes an impulse.
        let expected = 1.0 - (1.0 - 10.0 * time) * libm::exp(-10.0 * time);
        let [roll, pitch, _] = angles(&simulation);
        worst = worst.max((roll / 0.1 - expected).abs());
        // Nose up is a rotation about -y.
        worst = worst.max((pitch / -0.05 - expected).abs());
    }
    println!("attitude step: {worst}");
    assert!(worst < 0.02, "{worst}");
}

#[test]
fn at_the_thrust_of_its_weight_it_hovers_and_turns_at_the_rate() {
    let thrust = MASS * G / 40.0;
    let actuator = format!(r#"kind: "rotorcraft_attitude", start: (thrust: {thrust:?}, yaw: 0.5)"#);
    let mut simulation = quad(60.0, "rpy: (0, 0, 1)", &actuator);
    simulation.run(600).expect("ticks");
    let drift = position(&simulation);
    println!("hover by attitude: {drift:?}");
    assert!(drift.norm() < 0.01, "{drift}");
    let rate = body(&simulation).angular_velocity;
    assert!((rate - Vector3::z() * -0.5).norm() < 0.002, "{rate}");
}

#[test]
fn a_slow_actuator_holds_its_thrust_between_its_actions() {
    let thrust = MASS * G / 40.0;
    let actuator = format!(
        r#"kind: "rotorcraft_attitude", frequency: 50, start: (thrust: {thrust:?}, roll: 0.01)"#
    );
    let mut simulation = quad(500.0, "", &actuator);
    simulation.run(1000).expect("ticks");
    // After it has rolled, gravity accelerates it to the right by g·0.01 for 2 s, minus the time of the roll.
    let point = position(&simulation);
    println!("slow actuator: {point:?}");
    assert!(point.z.abs() < 0.01, "{point}");
    assert!((-0.2..-0.15).contains(&point.y), "{point}");
}

#[test]
fn the_way_to_a_waypoint_is_that_of_the_continuous_law() {
    let mut simulation = quad(500.0, "", r#"kind: "rotorcraft_waypoint""#);
    // A tick to measure its pose.
    simulation.step().expect("a tick");
    let reply = call(&mut simulation, "setdest", json!([4.0, 0.0, 0.0, 0.0]));
    assert_eq!((reply.status, reply.value), (Status::Success, json!(true)));
    let mut model = Plane::REST;
    // The step of the command is a step of pitch as well: its derivative causes an impulse of 2·P·4 m.
    model.rate = 2.0 * 6.0_f64.to_radians() * 4.0;
    let (mut worst, mut farthest) = (0.0_f64, 0.0_f64);
    for _ in 0..5000 {
        simulation.step().expect("a tick");
        for _ in 0..4 {
            model = model.step(|state| state.towards(4.0, 0.0), 0.0005);
        }
        let point = position(&simulation);
        worst = worst.max(libm::hypot(point.x - model.x, point.z - model.z));
        farthest = farthest.max(point.x);
    }
    println!("waypoint: {worst} m off, up to {farthest} m");
    assert!(worst < 0.02 * 4.0, "{worst}");
    assert!((model.x - 4.0).abs() < 0.02, "{}", model.x);
}

#[test]
fn a_waypoint_five_metres_away_is_reached_and_held() {
    let mut simulation = quad(
        60.0,
        "translation: (1, 2, 3), rpy: (0, 0, 0.5)",
        r#"kind: "rotorcraft_waypoint""#,
    );
    simulation.run(120).expect("ticks");
    let drift = position(&simulation) - Vector3::new(1.0, 2.0, 3.0);
    assert!(drift.norm() < 1e-3, "it hovers where it starts: {drift}");
    let goal = Vector3::new(4.0, 6.0, 4.0);
    let way = simulation.call(PATH, "goto", &json!([4.0, 6.0, 4.0, -2.0, 0.1]));
    let status = |simulation: &mut Simulation| call(simulation, "get_status", json!([])).value;
    assert_eq!(status(&mut simulation), "Transit");
    let mut overshoot = 0.0_f64;
    let direction = Vector3::new(0.6, 0.8, 0.0);
    let mut arrived = None;
    for tick in 1..=900_u32 {
        simulation.step().expect("a tick");
        overshoot = overshoot.max((position(&simulation) - goal).dot(&direction));
        if arrived.is_none() && way.reply().is_some_and(|reply| reply.value == "Arrived") {
            arrived = Some(f64::from(tick) / 60.0);
        }
    }
    let time = arrived.expect("it arrives");
    println!("5 m in {time} s, overshoot {overshoot} m");
    // Without the lag of the bank angle the system would have 1.01 rad/s and a damping ratio of 0.68, which overshoots by
    // 5.6 %; the lag reduces the damping a little.
    assert!(time < 8.0 && overshoot < 0.07 * 5.0, "{time} {overshoot}");
    let rest = position(&simulation) - goal;
    assert!(rest.norm() < 0.02, "{rest}");
    let [roll, pitch, yaw] = angles(&simulation);
    assert!(roll.abs() + pitch.abs() + (yaw + 2.0).abs() < 0.01, "{yaw}");
    assert_eq!(status(&mut simulation), "Arrived");
}

#[test]
fn a_height_settles_as_a_critically_damped_system_does() {
    let mut simulation = quad(500.0, "", r#"kind: "rotorcraft_waypoint""#);
    simulation.step().expect("a tick");
    let command = RotorcraftWaypointCommand {
        z: 1.0,
        ..RotorcraftWaypointCommand::default()
    };
    simulation
        .command::<RotorcraftWaypoint>(PATH, command)
        .expect("an actuator");
    let mut worst = 0.0_f64;
    for tick in 1..=2500_u32 {
        simulation.step().expect("a tick");
        // 8/m = 4/s² and 8/m = 4/s: a natural frequency of 2 rad/s.
        let time = f64::from(tick) / 500.0;
        let expected = 1.0 - (1.0 + 2.0 * time) * libm::exp(-2.0 * time);
        worst = worst.max((position(&simulation).z - expected).abs());
    }
    println!("height: {worst}");
    assert!(worst < 0.01, "{worst}");
}

#[test]
fn a_velocity_is_reached_as_by_the_continuous_law() {
    let mut simulation = quad(500.0, "", r#"kind: "rotorcraft_velocity""#);
    simulation.step().expect("a tick");
    let reply = call(&mut simulation, "setvel", json!([1.5, 0.0, 0.0, 0.0]));
    assert_eq!((reply.status, reply.value), (Status::Success, json!(true)));
    let mut model = Plane::REST;
    // The step of the command causes an impulse, as above.
    model.rate = 2.0 * 0.2 * 1.5;
    let mut worst = 0.0_f64;
    for _ in 0..10_000 {
        simulation.step().expect("a tick");
        for _ in 0..4 {
            model = model.step(|state| state.at_speed(1.5), 0.0005);
        }
        let speed = body(&simulation).linear_velocity;
        worst = worst.max(libm::hypot(speed.x - model.vx, speed.z - model.vz));
    }
    println!("velocity: {worst} m/s off, {} in the end", model.vx);
    assert!(worst < 0.02 * 1.5, "{worst}");
}

#[test]
fn a_velocity_is_held_in_the_axes_of_the_heading() {
    let mut simulation = quad(
        60.0,
        "rpy: (0, 0, 2)",
        r#"kind: "rotorcraft_velocity", start: (vx: 1, vy: 0.5, vz: 0.25)"#,
    );
    simulation.run(60 * 40).expect("ticks");
    let velocity = body(&simulation).linear_velocity;
    let (sin, cos) = libm::sincos(2.0);
    let expected = Vector3::new(cos - 0.5 * sin, sin + 0.5 * cos, 0.25);
    println!("velocity: {velocity:?} instead of {expected:?}");
    assert!((velocity - expected).norm() < 0.02 * expected.norm());
    let [_, _, yaw] = angles(&simulation);
    assert!((yaw - 2.0).abs() < 0.01, "{yaw}");
    let reply = call(&mut simulation, "setvel", json!([1.0, 0.5, 0.25, 0.3]));
    assert_eq!(reply.value, json!(false), "it has this velocity already");
    simulation.run(300).expect("ticks");
    let rate = body(&simulation).angular_velocity.z;
    assert!((rate + 0.3).abs() < 0.02 * 0.3, "clockwise: {rate}");
}

/// Returns the quadrotor after a time with these squares of its engine speeds, in units of the hover value.
fn engines(shares: [f64; 4], configuration: &str, ticks: u64) -> BodyState {
    let actuator = format!(r#"kind: "quadrotor_dynamic_control", configuration: {configuration}"#);
    let mut simulation = quad(1000.0, "", &actuator);
    let hover = MASS * G / (4.0 * 9.169e-6);
    let command = QuadrotorDynamicControlCommand {
        engines: shares.map(|share| libm::sqrt(share * hover)),
    };
    simulation
        .command::<QuadrotorDynamicControl>(PATH, command)
        .expect("an actuator");
    simulation.run(ticks).expect("ticks");
    body(&simulation)
}

#[test]
fn equal_engines_hover_and_unequal_ones_turn() {
    let [across, upright] = moments();
    let hover = MASS * G / 4.0;
    let state = engines([1.0; 4], "plus", 5000);
    let drift = state.pose.translation.vector;
    println!("engines: {drift:?}");
    assert!(
        drift.norm() < 0.01 && state.angular_velocity.norm() < 1e-6,
        "{drift}"
    );
    // 0.1 s of a tenth more on one pair and a tenth less on the other, in rad/s.
    let yaw = 4.0 * 0.1 * hover / 9.169e-6 * 2.4e-7 / upright * 0.1;
    let rate = engines([0.9, 1.1, 0.9, 1.1], "plus", 100).angular_velocity;
    assert!(
        (rate - Vector3::z() * yaw).norm() < 0.001 * yaw,
        "{rate} {yaw}"
    );
    let tilt = 2.0 * 0.01 * hover * 0.18 / across * 0.1;
    let rate = engines([1.0, 0.99, 1.0, 1.01], "plus", 100).angular_velocity;
    assert!(
        (rate - Vector3::x() * tilt).norm() < 0.001 * tilt,
        "{rate} {tilt}"
    );
    let tilt = 4.0 * 0.01 * hover * 0.18 / across * 0.1 / std::f64::consts::SQRT_2;
    let rate = engines([0.99, 0.99, 1.01, 1.01], "x", 100).angular_velocity;
    assert!(
        (rate - Vector3::y() * tilt).norm() < 0.001 * tilt,
        "{rate} {tilt}"
    );
}

#[test]
fn a_stabilized_quadrotor_flies_past_physics() {
    let mut simulation = build(
        60.0,
        "translation: (0, 0, 2), rpy: (0, 0, 1)",
        "kinematic",
        r#"kind: "stabilized_quadrotor""#,
    )
    .unwrap_or_else(|error| panic!("{error}"));
    simulation.run(60).expect("ticks");
    assert!((position(&simulation) - Vector3::z() * 2.0).norm() < 1e-5);
    call(&mut simulation, "set_cons", json!([0.0, 0.0, 0.1, 3.0]));
    simulation.run(300).expect("ticks");
    let [_, _, before] = angles(&simulation);
    simulation.run(60).expect("ticks");
    let [roll, pitch, yaw] = angles(&simulation);
    let turn = (yaw - before + PI).rem_euclid(TAU) - PI;
    assert!((turn + 10.0 * 0.1 / 1.4).abs() < 1e-3, "{yaw} {before}");
    assert!(roll.abs() + pitch.abs() < 1e-5);
    assert!((position(&simulation) - Vector3::z() * 3.0).norm() < 1e-3);
}

#[test]
fn what_cannot_fly_is_told_how_to() {
    let error = |base: &str, actuator: &str| match build(60.0, "", base, actuator) {
        Ok(_) => panic!("no error"),
        Err(error) => error.to_string(),
    };
    for kind in ["attitude", "velocity", "waypoint"] {
        let text = error("kinematic", &format!(r#"kind: "rotorcraft_{kind}""#));
        assert!(text.contains("base: dynamic"), "{text}");
    }
    let text = error("fixed", r#"kind: "quadrotor_dynamic_control""#);
    assert!(text.contains("base: dynamic"), "{text}");
    let text = error("dynamic", r#"kind: "stabilized_quadrotor""#);
    assert!(text.contains("base: kinematic"), "{text}");
    let text = error(
        "dynamic",
        r#"kind: "rotorcraft_velocity", max_bank_angle: 2"#,
    );
    assert!(text.contains("max_bank_angle"), "{text}");
    let text = error("dynamic", r#"kind: "rotorcraft_attitude", yaw_p_gain: -1"#);
    assert!(text.contains("yaw_p_gain"), "{text}");
}

#[test]
fn every_flight_is_the_same_twice_and_after_a_snapshot() {
    let flights = [
        (
            "dynamic",
            r#"kind: "rotorcraft_attitude", start: (thrust: 0.5, roll: 0.1, yaw: 0.3)"#,
        ),
        (
            "dynamic",
            r#"kind: "rotorcraft_velocity", start: (vx: 1, vyaw: 0.3)"#,
        ),
        (
            "dynamic",
            r#"kind: "rotorcraft_waypoint", start: (x: 2, y: 1, z: 1)"#,
        ),
        (
            "dynamic",
            r#"kind: "quadrotor_dynamic_control", start: (engines: (700, 710, 720, 730))"#,
        ),
        (
            "kinematic",
            r#"kind: "stabilized_quadrotor", start: (theta_c: 0.1, psi_c: 0.1, h_c: 1)"#,
        ),
    ];
    for (base, actuator) in flights {
        let build = || {
            let mut simulation = build(60.0, "rpy: (0.1, 0.2, 0.3)", base, actuator)
                .unwrap_or_else(|error| panic!("{error}"));
            simulation.hash_every_tick();
            simulation
        };
        let (mut one, mut two) = (build(), build());
        one.run(30).expect("ticks");
        let snapshot = one.snapshot().expect("a snapshot");
        one.run(30).expect("ticks");
        let hash = one.state_hash();
        two.run(60).expect("ticks");
        assert_eq!(two.state_hash(), hash, "{actuator}");
        two.restore(&snapshot).expect("the same simulation");
        two.run(30).expect("ticks");
        assert_eq!(two.state_hash(), hash, "{actuator}, restored");
        two.reset().expect("a start");
        two.run(60).expect("ticks");
        assert_eq!(two.state_hash(), hash, "{actuator}, reset");
    }
}
