//! Contact, force–torque and foot sensors against weights, levers, friction and Newton's law.
mod held;
mod moving;

use morse_sim::{
    Simulation,
    sensor::{contact::ContactData, foot_switch::FootSwitchData, force_torque::ForceTorqueData},
    simulation::no_extensions,
};
use nalgebra::Vector3;

/// Gravity, m/s².
const G: f64 = 9.81;

/// Returns a simulation of a scene and the remaining text of its file, at a rate in Hz.
fn simulation(rate: u32, scene: &str, settings: &str) -> Simulation {
    try_simulation(rate, scene, settings).unwrap_or_else(|error| panic!("{error}"))
}

fn try_simulation(rate: u32, scene: &str, settings: &str) -> Result<Simulation, String> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("scene.robray"), scene).expect("a file");
    let text =
        format!("Simulation(scene: \"scene.robray\", environment: (rate: {rate}), {settings})");
    Simulation::parse(&text, folder.path(), &no_extensions).map_err(|error| error.to_string())
}

fn run(simulation: &mut Simulation, seconds: f64) {
    let ticks = seconds * simulation.clock().rate;
    simulation.run(ticks.round() as u64).expect("ticks");
}

fn contact(simulation: &Simulation, path: &str) -> ContactData {
    simulation
        .read::<ContactData>(path)
        .expect("a contact sensor")
        .clone()
}

/// Returns force and torque of a force–torque sensor.
fn wrench(simulation: &Simulation, path: &str) -> [Vector3<f64>; 2] {
    let data = simulation
        .read::<ForceTorqueData>(path)
        .expect("a force–torque sensor");
    [data.force.into(), data.torque.into()]
}

#[track_caller]
fn near(vector: Vector3<f64>, expected: Vector3<f64>, tolerance: f64) {
    let error = (vector - expected).norm();
    assert!(error < tolerance, "{vector:?} instead of {expected:?}");
}

/// A scale with a crate of 2 kg at (0.2, 0.1) on its plate.
const SCALE: &str = "
frame plate { translation [0, 0, 0.1]; geometry { shape box; dimension [1, 1, 0.1]; friction 0.5; } }
frame crate { type floating; translation [0.2, 0.1, 0.25]; mass 2; geometry { shape box; dimension [0.2, 0.2, 0.2]; friction 0.5; } }
";

const SCALE_SENSORS: &str = r#"robots: { "scale": (frame: "plate", base: fixed, sensors: {
    "touch": (kind: "contact"), "nobody": (kind: "contact", ignore: ["cra*"]),
    "light": (kind: "foot_switch", threshold: 15), "heavy": (kind: "foot_switch", threshold: 25) }) }"#;

#[test]
fn a_scale_weighs_what_stands_on_it() {
    for rate in [60, 240, 1000] {
        let mut simulation = simulation(rate, SCALE, SCALE_SENSORS);
        run(&mut simulation, 1.0);
        let weight = 2.0 * G;
        let measured = contact(&simulation, "scale.touch");
        near(measured.force.into(), Vector3::new(0.0, 0.0, -weight), 1e-4);
        // The torque of the weight, (0.2, 0.1) × (0, 0, -w).
        near(
            measured.torque.into(),
            Vector3::new(-0.1, 0.2, 0.0) * weight,
            1e-3,
        );
        assert_eq!(
            (measured.points.len(), measured.objects.len()),
            (4, 4),
            "{measured:?}"
        );
        assert!(
            measured.objects.iter().all(|name| name == "crate"),
            "{measured:?}"
        );
        assert!(
            measured.parts.iter().all(|name| name == "plate"),
            "{measured:?}"
        );
        for (point, normal) in measured.points.iter().zip(&measured.normals) {
            // The upper side of the plate, 5 cm above its origin, at the corners of the crate.
            let corner = Vector3::from(*point) - Vector3::new(0.2, 0.1, 0.05);
            let [x, y, z] = [corner.x.abs(), corner.y.abs(), corner.z.abs()];
            assert!(
                (x - 0.1).abs() < 1e-4 && (y - 0.1).abs() < 1e-4 && z < 2e-4,
                "{point:?}"
            );
            near((*normal).into(), -Vector3::z(), 1e-3);
        }
        assert!(
            measured
                .depths
                .iter()
                .all(|depth| (0.0..3e-4).contains(depth)),
            "{measured:?}"
        );
        assert!(!contact(&simulation, "scale.nobody").contact);
        for (path, is_closed) in [("scale.light", true), ("scale.heavy", false)] {
            let data = simulation.read::<FootSwitchData>(path).expect("a switch");
            assert_eq!(data.contact, is_closed, "{rate} Hz: {data:?}");
            assert!((data.force - weight).abs() < 1e-4, "{rate} Hz: {data:?}");
        }
        // Minutes later it has not fallen asleep, with a force of zero.
        run(&mut simulation, 20.0);
        near(
            contact(&simulation, "scale.touch").force.into(),
            Vector3::new(0.0, 0.0, -weight),
            1e-4,
        );
    }
}

#[test]
fn nothing_is_touched_in_the_air() {
    let mut simulation = simulation(240, &SCALE.replace("0.1, 0.25]", "0.1, 2]"), SCALE_SENSORS);
    run(&mut simulation, 0.2);
    assert_eq!(contact(&simulation, "scale.touch"), ContactData::default());
}

/// A crate on a plate that is inclined by an angle: friction holds it up to μ = tan(angle), and is μ·N beyond.
#[test]
fn friction_is_measured_up_to_its_limit() {
    for (angle, friction, holds) in [(0.3_f64, 0.5, true), (0.6, 0.5, false), (0.0, 0.5, true)] {
        let (sin, cos) = (libm::sin(angle), libm::cos(angle));
        let scene = format!(
            "frame plate {{ rpy [0, {angle}, 0]; geometry {{ shape box; dimension [20, 2, 0.2]; friction {friction}; }} }}
             frame crate {{ type floating; rpy [0, {angle}, 0]; translation [{}, 0, {}]; mass 3;
               geometry {{ shape box; dimension [0.2, 0.2, 0.1]; friction {friction}; }} }}",
            0.15 * sin,
            0.15 * cos,
        );
        let sensors = r#"robots: { "plate": (frame: "plate", base: fixed, sensors: { "touch": (kind: "contact") }) }"#;
        let mut simulation = simulation(240, &scene, sensors);
        run(&mut simulation, 0.5);
        let force = Vector3::from(contact(&simulation, "plate.touch").force);
        // In the plate's axes: along the slope, and into it.
        let normal = 3.0 * G * cos;
        let along = if holds {
            3.0 * G * sin
        } else {
            friction * normal
        };
        near(force, Vector3::new(along, 0.0, -normal), 2e-2);
    }
}

#[test]
fn sensors_at_poses_that_measure_nothing_are_refused() {
    let scene = "frame body { type floating; mass 1; geometry { shape box; dimension [0.2, 0.2, 0.2]; }
        frame bumper { translation [0.2, 0, 0]; mass 0.2; geometry { shape box; dimension [0.1, 0.2, 0.1]; } } }";
    for (base, sensor, expected) in [
        (
            "dynamic",
            r#"kind: "force_torque""#,
            "which no other part carries",
        ),
        (
            "kinematic",
            r#"kind: "force_torque", mount: (frame: "bumper")"#,
            "regardless of forces",
        ),
        (
            "dynamic",
            r#"kind: "contact", parts: ["bump"]"#,
            "no frame `bump` with a geometry; it has: body, bumper",
        ),
        (
            "dynamic",
            r#"kind: "foot_switch", threshold: 2, release: 3"#,
            "must not exceed `threshold`",
        ),
        (
            "dynamic",
            r#"kind: "foot_switch", threshold: -2"#,
            "threshold",
        ),
    ] {
        let settings = format!(
            r#"robots: {{ "robot": (frame: "body", base: {base}, sensors: {{ "sensor": ({sensor}) }}) }}"#
        );
        let error = try_simulation(240, scene, &settings).err().expect(expected);
        assert!(error.contains(expected), "{expected}: {error}");
    }
}
