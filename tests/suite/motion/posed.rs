//! A body whose pose is set has the velocity of its poses, however they are set: kinds of motion against kinds of sensors,
//! by formula.

use bevy::reflect::structs::DynamicStruct;
use morse_api::body::Gravity;
use morse_sim::{Simulation, simulation::no_extensions};
use nalgebra::{UnitQuaternion, Vector3};
use serde_json::{Value as Json, json};

/// Speed, m/s.
const SPEED: f64 = 2.0;
/// Tick rate, Hz.
const RATE: f64 = 60.0;

const BOX: &str = "frame base { frame hull { translation [0.1, 0, 0.15]; mass 20;
    geometry { shape box; dimension [0.8, 0.6, 0.3]; } }
  frame mast { translation [0.3, 0, 0.3]; type revolute; axis [0, 0, 1]; mass 1;
    geometry { shape box; dimension [0.1, 0.1, 0.1]; } } }";

const SENSORS: &str = r#"
    "gps": (kind: "gps", level: extended), "odometry": (kind: "odometry"), "imu": (kind: "imu"),
    "velocity": (kind: "velocity"), "attitude": (kind: "attitude"), "airspeed": (kind: "airspeed"),
    "accelerometer": (kind: "accelerometer"),
    "on_mast": (kind: "velocity", mount: (frame: "mast", translation: (-0.3, 0, -0.3))),
"#;

/// Method by which a robot is moved.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// An actuator of this kind with these settings, which receives the velocity as a command.
    Drive(&'static str, &'static str),
    /// A `teleport` that receives a pose after each number of ticks.
    Teleport(u32),
    /// The service `set_object_position` in each tick.
    Service,
}

/// Methods, with the kinds of base that they move.
const WAYS: [(Way, &[&str]); 7] = [
    (
        Way::Drive("v_omega", "control: velocity,"),
        &["kinematic", "dynamic"],
    ),
    (
        Way::Drive("v_omega", "control: position,"),
        &["kinematic", "dynamic", "fixed"],
    ),
    (
        Way::Drive("v_omega", "control: position, frequency: 10,"),
        &["kinematic", "fixed"],
    ),
    (Way::Drive("xy_omega", "control: position,"), &["kinematic"]),
    (Way::Teleport(1), &["kinematic", "dynamic", "fixed"]),
    (Way::Teleport(6), &["kinematic", "fixed"]),
    (Way::Service, &["kinematic"]),
];

impl Way {
    /// True if the pose changes in each tick, so that acceleration can be measured.
    fn is_smooth(self) -> bool {
        !matches!(
            self,
            Self::Teleport(6) | Self::Drive(_, "control: position, frequency: 10,")
        )
    }

    fn open(self, base: &str) -> Simulation {
        let actuator = match self {
            Self::Drive(kind, settings) => format!(r#""motion": (kind: "{kind}", {settings})"#),
            Self::Teleport(_) => r#""motion": (kind: "teleport")"#.to_owned(),
            Self::Service => String::new(),
        };
        let room = tempfile::tempdir().expect("a directory");
        std::fs::write(room.path().join("box.robray"), BOX).expect("written");
        // A body that forces move would fall.
        let falls = base == "dynamic" && matches!(self, Self::Drive(..));
        let gravity = if falls { 0.0 } else { -9.81 };
        let text = format!(
            r#"Simulation(
    environment: (gravity: (0, 0, {gravity}), origin: (latitude: 43.6, longitude: 1.4333, altitude: 135)),
    robots: {{ "rover": (model: "box.robray", base: {base}, at: (translation: (3, -4, 5)), joints: {{ "mast": (mode: kinematic) }},
        sensors: {{ {SENSORS} }}, actuators: {{ {actuator} }}) }},
)"#
        );
        Simulation::parse(&text, room.path(), &no_extensions)
            .unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    /// Moves the robot by one tick.
    fn step(self, simulation: &mut Simulation, tick: u32, turning: f64) {
        match self {
            Self::Drive(kind, _) if tick == 1 => {
                let ahead = if kind == "xy_omega" { "x" } else { "v" };
                command(simulation, &[(ahead, SPEED), ("w", turning)]);
            }
            Self::Teleport(every) if (tick - 1).is_multiple_of(every) => {
                // Pose at which the robot has to be when it is this far behind the future poses.
                let ([x, y, z], yaw) = pose_at(tick + every - 1, turning);
                command(simulation, &[("x", x), ("y", y), ("z", z), ("yaw", yaw)]);
            }
            Self::Service => {
                let (at, yaw) = pose_at(tick, turning);
                let arguments = json!(["rover", at, [0.0, 0.0, yaw]]);
                let call = simulation.call("simulation", "set_object_position", &arguments);
                assert_eq!(call.reply().expect("at once").value, Json::Null);
            }
            Self::Drive(..) | Self::Teleport(_) => {}
        }
        simulation.run(1).expect("nobody is in lockstep");
    }
}

fn command(simulation: &Simulation, fields: &[(&str, f64)]) {
    let mut message = DynamicStruct::default();
    for (name, value) in fields {
        message.insert(*name, *value);
    }
    let sent = simulation.command_any("rover.motion", Box::new(message));
    sent.expect("a command");
}

/// Returns the pose after a number of ticks on a straight line, or on a circle to the left.
fn pose_at(tick: u32, turning: f64) -> ([f64; 3], f64) {
    let time = f64::from(tick) / RATE;
    let yaw = turning * time;
    if turning == 0.0 {
        return ([3.0 + SPEED * time, -4.0, 5.0], yaw);
    }
    let radius = SPEED / turning;
    let (sin, cos) = libm::sincos(yaw);
    ([3.0 + radius * sin, -4.0 + radius * (1.0 - cos), 5.0], yaw)
}

fn data(simulation: &mut Simulation, sensor: &str) -> Json {
    let call = simulation.call(&format!("rover.{sensor}"), "get_local_data", &json!([]));
    call.reply().expect("at once").value
}

fn vector(value: &Json) -> Vector3<f64> {
    let entry = |index: usize| value[index].as_f64().unwrap_or_else(|| panic!("{value}"));
    Vector3::new(entry(0), entry(1), entry(2))
}

/// Vectors that sensors measure: each with its sensor and field, the value, and the tolerance.
type Told = (&'static str, &'static str, Vector3<f64>, f64);

/// Compares all sensors with a forward motion at 2 m/s and a turning rate to the left (rad/s).
fn check(simulation: &mut Simulation, turning: f64, is_smooth: bool, what: &str) {
    let yaw = {
        let pose = simulation.body("rover").expect("a robot").pose;
        let nose = pose.rotation * Vector3::x();
        libm::atan2(nose.y, nose.x)
    };
    let reported = reported(simulation, turning, is_smooth, yaw);
    for (sensor, field, expected, tolerance) in reported {
        let actual = vector(&data(simulation, sensor)[field]);
        let error = (actual - expected).norm();
        assert!(
            error < tolerance,
            "{what}, {sensor} {field}: {actual:?} instead of {expected:?}"
        );
    }
    let numbers = [
        ("odometry", "vx", SPEED, 0.07),
        ("odometry", "wz", turning, 2e-3),
        (
            "airspeed",
            "diff_pressure",
            0.5 * 1.225 * SPEED * SPEED,
            0.05,
        ),
        (
            "gps",
            "heading",
            (90.0 - yaw.to_degrees()).rem_euclid(360.0),
            0.01,
        ),
    ];
    for (sensor, field, expected, tolerance) in numbers {
        let actual = data(simulation, sensor)[field].as_f64().expect("a number");
        assert!(
            (actual - expected).abs() < tolerance,
            "{what}, {sensor} {field}: {actual} instead of {expected}"
        );
    }
}

fn reported(simulation: &Simulation, turning: f64, is_smooth: bool, yaw: f64) -> Vec<Told> {
    let gravity = -simulation.world().resource::<Gravity>().0;
    let (ahead, spin) = (Vector3::x() * SPEED, Vector3::z() * turning);
    let world = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), yaw) * ahead;
    // A velocity between two poses is half a tick late, or half a period of poses.
    let late = if is_smooth { 1.1 } else { 8.0 } * SPEED * turning / RATE + 2e-3;
    let mut reported = vec![
        ("velocity", "linear_velocity", ahead, late),
        ("velocity", "angular_velocity", spin, 2e-3),
        ("velocity", "world_linear_velocity", world, late),
        ("on_mast", "linear_velocity", ahead, late),
        ("on_mast", "angular_velocity", spin, 2e-3),
        ("attitude", "angular_velocity", spin, 2e-3),
        ("imu", "angular_velocity", spin, 2e-3),
        ("gps", "velocity", world, late + 1e-4),
    ];
    if is_smooth {
        // v² / r, to the left.
        let centripetal = Vector3::y() * SPEED * turning;
        reported.push(("accelerometer", "acceleration", centripetal, 0.05));
        reported.push(("imu", "linear_acceleration", centripetal + gravity, 0.05));
    }
    reported
}

#[test]
fn a_moved_body_has_the_velocity_of_its_poses() {
    for (way, bases) in WAYS {
        for base in bases {
            for turning in [0.0, 0.5] {
                let mut simulation = way.open(base);
                for tick in 1..=90 {
                    way.step(&mut simulation, tick, turning);
                    if tick > 30 {
                        let what = format!("{way:?}, {base}, {turning} rad/s, tick {tick}");
                        check(&mut simulation, turning, way.is_smooth(), &what);
                    }
                }
            }
        }
    }
}

/// A flight at a constant tilt: its model has no drag, so its speed grows linearly.
#[test]
fn a_stabilized_quadrotor_has_the_velocity_of_its_poses() {
    let room = tempfile::tempdir().expect("a directory");
    std::fs::write(room.path().join("box.robray"), BOX).expect("written");
    let text = format!(
        r#"Simulation(
    environment: (origin: (latitude: 43.6, longitude: 1.4333, altitude: 135)),
    robots: {{ "rover": (model: "box.robray", base: kinematic, at: (translation: (3, -4, 5)),
        joints: {{ "mast": (mode: kinematic) }},
        sensors: {{ {SENSORS} }}, actuators: {{ "motion": (kind: "stabilized_quadrotor") }}) }},
)"#
    );
    let mut simulation = Simulation::parse(&text, room.path(), &no_extensions)
        .unwrap_or_else(|error| panic!("{error}"));
    let lean = |lean: f64| {
        [
            ("theta_c", lean),
            ("phi_c", 0.0),
            ("psi_c", 0.0),
            ("h_c", 5.0),
        ]
    };
    command(&simulation, &lean(0.2));
    simulation.run(60).expect("nobody is in lockstep");
    command(&simulation, &lean(0.0));
    simulation.run(240).expect("nobody is in lockstep");
    let from = simulation.body("rover").expect("a robot").pose;
    simulation.run(60).expect("nobody is in lockstep");
    let to = simulation.body("rover").expect("a robot").pose;
    let speed = (to.translation.vector - from.translation.vector).norm();
    assert!(speed > 1.5, "{speed} m/s");
    let velocity = vector(&data(&mut simulation, "velocity")["linear_velocity"]);
    assert!(
        (velocity - Vector3::x() * speed).norm() < 1e-3,
        "{velocity:?}, {speed} m/s"
    );
    let gps = data(&mut simulation, "gps");
    assert!(
        (vector(&gps["velocity"]).norm() - speed).abs() < 1e-3,
        "{gps}"
    );
    assert!(
        (gps["heading"].as_f64().expect("a number") - 90.0).abs() < 1.0,
        "{gps}"
    );
    let rest = vector(&data(&mut simulation, "accelerometer")["acceleration"]);
    assert!(rest.norm() < 1e-2, "{rest:?}");
}

#[test]
fn a_jump_is_no_motion() {
    for way in [Way::Teleport(1), Way::Service] {
        for base in ["kinematic", "dynamic"] {
            let mut simulation = way.open(base);
            let is_falling = base == "dynamic" && way == Way::Service;
            for tick in 1..=60 {
                if tick == 30 && way == Way::Service {
                    let arguments = json!(["rover", [500.0, 0.0, 5.0]]);
                    drop(simulation.call("simulation", "set_object_position", &arguments));
                } else if tick == 30 {
                    command(&simulation, &[("x", 500.0)]);
                }
                simulation.run(1).expect("nobody is in lockstep");
                let speed = vector(&data(&mut simulation, "velocity")["world_linear_velocity"]);
                if is_falling {
                    assert!(
                        speed.xy().norm() < 1e-3,
                        "{way:?}, {base}, {tick}: {speed:?}"
                    );
                } else {
                    assert!(speed.norm() < 1e-3, "{way:?}, {base}, {tick}: {speed:?}");
                }
                let heading = data(&mut simulation, "gps")["heading"].as_f64();
                assert!(heading.is_some_and(f64::is_finite), "{heading:?}");
            }
            let x = simulation
                .body("rover")
                .expect("a robot")
                .pose
                .translation
                .x;
            assert!((x - 500.0).abs() < 1e-3, "{x}");
        }
    }
}

#[test]
fn the_velocity_of_poses_is_state() {
    for way in [
        Way::Teleport(1),
        Way::Teleport(6),
        Way::Drive("v_omega", "control: position,"),
    ] {
        let mut simulation = way.open("kinematic");
        simulation.hash_every_tick();
        (1..=45).for_each(|tick| way.step(&mut simulation, tick, 0.5));
        let snapshot = simulation.snapshot().expect("a snapshot");
        let before = *simulation.body("rover").expect("a robot");
        (46..=90).for_each(|tick| way.step(&mut simulation, tick, 0.5));
        let mut other = way.open("kinematic");
        other.hash_every_tick();
        other.restore(&snapshot).expect("the same files");
        let restored = *other.body("rover").expect("a robot");
        assert_eq!(restored.linear_velocity, before.linear_velocity, "{way:?}");
        assert!(restored.linear_velocity.norm() > 1.9, "{way:?}");
        (46..=90).for_each(|tick| way.step(&mut other, tick, 0.5));
        assert_eq!(other.state_hash(), simulation.state_hash(), "{way:?}");
        // A reset is no motion.
        simulation.reset().expect("it was saved");
        assert_eq!(
            simulation.body("rover").expect("a robot").linear_velocity,
            Vector3::zeros()
        );
    }
}

/// Far above the engine's own limit.
#[test]
fn fast_bodies_fly_as_they_should() {
    for speed in [100.0, 399.0, 401.0, 1000.0, 5000.0] {
        let room = tempfile::tempdir().expect("a directory");
        let ball = "frame ball { translation [0, 0, 100]; mass 2; geometry { shape sphere; radius 0.1; } }";
        std::fs::write(room.path().join("ball.robray"), ball).expect("written");
        let text = format!(
            "Simulation(scene: \"ball.robray\", bodies: {{ \"ball\": (kind: dynamic, \
             linear_velocity: ({speed}, 0, 0)) }})"
        );
        let mut simulation = Simulation::parse(&text, room.path(), &no_extensions)
            .unwrap_or_else(|error| panic!("{error}"));
        simulation.run(120).expect("nobody is in lockstep");
        let ball = simulation.body("ball").expect("a ball");
        let at = ball.pose.translation.vector;
        let expected = Vector3::new(speed * 2.0, 0.0, 100.0 - 9.81 * 2.0);
        assert!(
            (at.x - expected.x).abs() < expected.x * 5e-5,
            "{speed} m/s: {at:?}"
        );
        assert!((at.z - expected.z).abs() < 0.1, "{speed} m/s: {at:?}");
        assert!(
            (ball.linear_velocity.x - speed).abs() < speed * 1e-6,
            "{ball:?}"
        );
        assert!(
            (ball.linear_velocity.z + 9.81 * 2.0).abs() < 1e-2,
            "{ball:?}"
        );
    }
}
