//! Pan-tilt units, in the scene or not: components on them move with them.
use morse_api::service::Status;
use morse_sim::{
    Simulation,
    actuator::ptu::{Ptu, PtuCommand},
    sensor::{pose::PoseData, ptu_posture::PtuPostureData, velocity::VelocityData},
    simulation::no_extensions,
};
use nalgebra::Vector3;
use serde_json::json;

use super::{at, finish, open, parse, point};

/// A turret on a box, with a pan joint and a tilt joint.
const TURRET: &str = "
frame base {
  geometry { shape box; dimension [0.4, 0.4, 0.4]; }
  frame neck { type revolute; axis [0, 0, 1]; translation [0, 0, 0.5]; mass 1; inertia [0.01, 0.01, 0.01, 0, 0, 0];
    frame head { type revolute; axis [0, 1, 0]; translation [0.1, 0, 0.2]; limit_position [-1, 1]; mass 1; inertia [0.01, 0.01, 0.01, 0, 0, 0]; }
  }
}
";

/// Returns a fixed box with a pan-tilt unit, a second one on it, and a camera on that.
fn towers() -> Simulation {
    open(
        "frame base { geometry { shape box; dimension [0.4, 0.4, 0.4]; } }",
        100,
        r#""tower": (frame: "base", base: fixed, at: (translation: (1, 2, 0)),
            sensors: {
                "eye": (kind: "pose", on: "upper", mount: (translation: (1, 0, 0))),
                "speed": (kind: "velocity", computation_mode: velocity, on: "upper", mount: (translation: (1, 0, 0))),
                "lower_posture": (kind: "ptu_posture", on: "lower"),
                "still": (kind: "pose", mount: (translation: (1, 0, 0))),
            },
            actuators: {
                "lower": (kind: "ptu", speed: 0.5, mount: (translation: (0, 0, 1))),
                "upper": (kind: "ptu", speed: 1, on: "lower", mount: (translation: (2, 0, 0))),
            })"#,
    )
}

#[test]
fn an_eye_on_a_unit_on_a_unit_moves_with_both() {
    let mut simulation = towers();
    simulation.run(1).unwrap();
    let origin = at(&simulation, "tower.still") - Vector3::x();
    assert!((at(&simulation, "tower.eye") - origin - Vector3::new(3.0, 0.0, 1.0)).norm() < 1e-9);
    for (path, pan, tilt) in [("tower.lower", 1.0, 0.0), ("tower.upper", 2.0, 0.0)] {
        let command = PtuCommand { pan, tilt };
        simulation.command::<Ptu>(path, command).unwrap();
    }
    simulation.run(60).unwrap();
    // 0.6 s at 0.5 and at 1 rad/s: a planar arm of two links, 2 m and 1 m.
    let (q1, q2) = (0.3_f64, 0.6_f64);
    let expected = Vector3::new(
        2.0 * libm::cos(q1) + libm::cos(q1 + q2),
        2.0 * libm::sin(q1) + libm::sin(q1 + q2),
        1.0,
    );
    assert!((at(&simulation, "tower.eye") - origin - expected).norm() < 1e-9);
    let data = simulation.read::<VelocityData>("tower.speed").unwrap();
    let velocity = Vector3::from(data.world_linear_velocity);
    let expected = Vector3::new(
        -2.0 * 0.5 * libm::sin(q1) - 1.5 * libm::sin(q1 + q2),
        2.0 * 0.5 * libm::cos(q1) + 1.5 * libm::cos(q1 + q2),
        0.0,
    );
    assert!((velocity - expected).norm() < 1e-9, "{velocity} {expected}");
    assert!((data.angular_velocity[2] - 1.5).abs() < 1e-9);
    let posture = simulation
        .read::<PtuPostureData>("tower.lower_posture")
        .unwrap();
    assert!((posture.pan - 0.3).abs() < 1e-9, "{posture:?}");
    // The immovable sensor has not moved.
    assert_eq!(at(&simulation, "tower.still") - Vector3::x(), origin);
}

#[test]
fn a_posture_needs_a_unit() {
    let text = r#"Simulation(robots: { "a": (model: "robots/atrv.robray", sensors: { "p": (kind: "ptu_posture") }) })"#;
    let Err(error) = Simulation::parse(text, ".", &no_extensions) else {
        panic!("no error");
    };
    assert!(
        error.to_string().contains("on: \"NAME OF THE PTU\""),
        "{error}"
    );
}

#[test]
fn a_restored_unit_goes_on_as_it_did() {
    let mut simulation = towers();
    simulation.hash_every_tick();
    let command = PtuCommand {
        pan: 1.0,
        tilt: 0.5,
    };
    simulation.command::<Ptu>("tower.lower", command).unwrap();
    simulation.run(20).unwrap();
    let saved = simulation.snapshot().unwrap();
    let eye = |simulation: &mut Simulation| {
        simulation.run(30).unwrap();
        (simulation.state_hash(), at(simulation, "tower.eye"))
    };
    let first = eye(&mut simulation);
    simulation.run(50).unwrap();
    simulation.restore(&saved).unwrap();
    assert_eq!(eye(&mut simulation), first);
}

#[test]
fn a_unit_of_two_joints_carries_what_is_on_it() {
    for mode in ["dynamic", "kinematic"] {
        let robot = format!(
            r#""turret": (frame: "base", base: fixed,
                joints: {{ "neck": (mode: {mode}), "head": (mode: {mode}) }},
                sensors: {{
                    "eye": (kind: "pose", on: "unit", mount: (translation: (0.3, 0, 0))),
                    "posture": (kind: "ptu_posture", on: "unit"),
                }},
                actuators: {{ "unit": (kind: "ptu", pan: "neck", tilt: "head") }})"#
        );
        let mut simulation = open(TURRET, 240, &robot);
        let reply = finish(
            &mut simulation,
            "turret.unit",
            "look_at_point",
            json!([2, 1.5, 1.2]),
        );
        assert_eq!(reply.status, Status::Success, "{mode}");
        simulation.run(480).unwrap();
        let eye = simulation.read::<PoseData>("turret.eye").unwrap();
        // The camera is on the line from the head to the point.
        let ahead = Vector3::new(
            libm::cos(eye.yaw) * libm::cos(eye.pitch),
            libm::sin(eye.yaw) * libm::cos(eye.pitch),
            -libm::sin(eye.pitch),
        );
        let way = (Vector3::new(2.0, 1.5, 1.2) - point(eye)).normalize();
        let off = ahead.cross(&way).norm();
        assert!(off < 0.003 && ahead.dot(&way) > 0.0, "{mode}: {off} rad");
        let posture = simulation.read::<PtuPostureData>("turret.posture").unwrap();
        assert!(
            (posture.pan - libm::atan2(1.5, 2.0)).abs() < 0.003,
            "{mode}: {posture:?}"
        );
    }
}

#[test]
fn a_log_has_a_column_for_each_joint() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("scene.robray"), TURRET).expect("a file");
    let logs = folder.path().join("logs");
    let text = format!(
        r#"Simulation(scene: "scene.robray", robots: {{ "turret": (frame: "base", base: fixed,
            joints: {{ "neck": (mode: kinematic, position: 0.5), "head": (mode: kinematic) }},
            sensors: {{
                "table": (kind: "armature_pose", outputs: {{ "log": (format: csv) }}),
                "text": (kind: "armature_pose", outputs: {{ "log": (format: text) }}),
            }}) }},
            middlewares: {{ "log": (kind: "text", directory: "{}") }})"#,
        logs.display()
    );
    let mut simulation = parse(&text, folder.path());
    simulation.run(2).unwrap();
    simulation.finish().1.expect("the files are written");
    let csv = std::fs::read_to_string(logs.join("turret.table.csv")).expect("a log");
    let lines: Vec<&str> = csv.lines().collect();
    // From root to tip, not by name.
    assert_eq!(lines[0], "timestamp;neck;head");
    assert!(lines[1].ends_with(";0.5;0.0") && lines.len() == 3, "{csv}");
    let text = std::fs::read_to_string(logs.join("turret.text.txt")).expect("a log");
    assert!(text.contains("\tneck = 0.5\n\thead = 0.0\n"), "{text}");
}
