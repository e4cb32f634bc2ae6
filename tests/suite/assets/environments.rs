//! Environments: objects have their documented positions, and the ground is solid.
use std::fmt::Write as _;

use morse_sim::{Simulation, scene::assets::SHIPPED, sensor::pose::PoseData};
use nalgebra::Vector3;

use super::{model, simulation, terrain};

fn pose(simulation: &Simulation, path: &str) -> PoseData {
    simulation.read::<PoseData>(path).unwrap().clone()
}

/// Returns the distance ahead of a laser scanner at an angle, m.
fn distance(environment: &str, position: [f64; 3], rpy: [f64; 3]) -> f64 {
    let mut simulation = simulation(&format!(
        r#"Simulation(scene: "environments/{environment}.robray", robots: {{ "eye": (
            model: "robots/fake_robot.robray", base: fixed,
            at: (translation: ({:?}, {:?}, {:?}), rpy: ({:?}, {:?}, {:?})),
            sensors: {{ "scan": (kind: "laser_scanner", laser_range: 50) }},
        ) }})"#,
        position[0], position[1], position[2], rpy[0], rpy[1], rpy[2]
    ));
    simulation.step().unwrap();
    let scan = simulation.read::<morse_sim::sensor::laser_scanner::LaserScannerData>("eye.scan");
    scan.unwrap().range_list[90]
}

const DOWN: [f64; 3] = [0.0, std::f64::consts::FRAC_PI_2, 0.0];

#[test]
fn every_environment_can_be_simulated() {
    let all = SHIPPED.0.iter().map(|(path, _)| *path);
    let all = all.filter(|path| path.starts_with("environments/") && path.ends_with(".robray"));
    let mut count = 0;
    for path in all {
        let mut simulation = simulation(&format!(r#"Simulation(scene: "{path}")"#));
        assert!(
            simulation.warnings().is_empty(),
            "{path}: {}",
            simulation.warnings().render(Default::default())
        );
        simulation.run(5).unwrap();
        count += 1;
    }
    assert_eq!(count, 9);
}

#[test]
fn the_boxes_of_morse_rest_six_centimetres_above_the_floor() {
    let boxes = ["RedBox", "BlueBox", "GreenBox"];
    let kinds = boxes.map(|name| format!(r#""{name}": (kind: dynamic)"#));
    let mut simulation = simulation(&format!(
        r#"Simulation(scene: "environments/boxes_of_morse.robray", bodies: {{ {} }})"#,
        kinds.join(", ")
    ));
    simulation.run(90).unwrap();
    for name in boxes {
        let body = simulation.body(name).unwrap();
        // The middle of a height of 1.8 m.
        let height = body.pose.translation.z;
        assert!((height - 0.96).abs() < 0.005, "{name}: {height}");
        let mass = body.center_of_mass - body.pose.translation.vector;
        assert!(mass.coords.norm() < 1e-5, "{name}: {mass}");
    }
}

#[test]
fn floors_are_at_zero() {
    for environment in [
        "empty",
        "room",
        "boxes",
        "boxes_of_morse",
        "indoors",
        "sandbox",
        "apartment",
        "outdoors",
    ] {
        let height = 3.0 - distance(environment, [-1.0, -0.6, 3.0], DOWN);
        assert!(
            height.abs() < 1e-4,
            "the floor of {environment} is at {height}"
        );
    }
    let bed = distance("water", [0.0, 0.0, -1.0], DOWN);
    assert!((bed - 19.0).abs() < 1e-4, "{bed}");
    let from_above = distance("water", [0.0, 0.0, 1.0], DOWN);
    assert!(
        (from_above - 21.0).abs() < 1e-4,
        "the surface is only drawn: {from_above}"
    );
}

#[test]
fn rooms_have_their_walls() {
    let [east, north, west] =
        [0.0, std::f64::consts::FRAC_PI_2, std::f64::consts::PI].map(|yaw| [0.0, 0.0, yaw]);
    for (environment, position, rpy, expected) in [
        // MORSE's hall: x = -17.71 and y = 14.05.
        ("boxes", [0.0, -10.0, 1.0], west, 17.71),
        ("indoors", [8.0, 0.0, 1.0], north, 14.05),
        // RedBox, 1 m wide at (-7.5, 0).
        ("boxes", [-4.0, 0.3, 1.0], west, 3.0),
        // RedBox, 1 m wide at (-1.47, 1.69).
        ("indoors", [-4.0, 1.69, 0.5], east, 2.03),
        // 18 m of arena: a border of 0.65 m, and the fence above it at its outer edge.
        ("sandbox", [0.0, 0.2, 0.6], east, 9.0),
        ("sandbox", [0.0, 0.2, 1.0], east, 9.0 + 1.4 - 0.1),
        // Out of the entrance, and to the closed door of the bedroom, which is 4 cm thick.
        ("apartment", [-1.0, -0.2, 1.0], west, 50.0),
        ("apartment", [-1.0, 2.0, 1.0], east, 0.98),
    ] {
        let range = distance(environment, position, rpy);
        assert!(
            (range - expected).abs() < 1e-3,
            "{environment} from {position:?}: {range}, expected {expected}"
        );
    }
}

/// A box that slides down follows the wedge's slope: 1.2 m over 5.1 m.
#[test]
fn the_ramp_rises_as_it_should() {
    for (y, expected) in [(-0.6, 0.0), (2.0, 0.6), (3.7, 1.2 * (3.7 + 0.55) / 5.1)] {
        let height = 3.0 - distance("sandbox", [4.5, y, 3.0], DOWN);
        assert!(
            (height - expected).abs() < 1e-3,
            "{height} at {y}, expected {expected}"
        );
    }
}

#[test]
fn balls_bounce_in_the_sandbox() {
    let mut simulation = simulation(
        r#"Simulation(scene: "environments/sandbox.robray", robots: {
            "ball": (model: "objects/ball.robray", at: (translation: (0, 0, 1)), sensors: { "pose": (kind: "pose") }),
        })"#,
    );
    // Falls for sqrt(2/g) = 0.452 s, and rises with the greater of 0.8 and 0 of its speed: 0.8² m.
    let mut highest = f64::NEG_INFINITY;
    for tick in 0..90 {
        simulation.step().unwrap();
        if tick > 30 {
            highest = highest.max(pose(&simulation, "ball.pose").z);
        }
    }
    assert!((highest - 0.64).abs() < 0.05, "{highest}");
}

#[test]
fn doors_of_the_apartment_open_when_pushed() {
    let mut simulation = simulation(
        r#"Simulation(scene: "environments/apartment.robray", robots: { "atrv": (
            model: "robots/atrv.robray", at: (translation: (-1.2, 2, 0.1)),
            sensors: { "pose": (kind: "pose") },
            actuators: { "motion": (kind: "v_omega", start: (v: 0.6)) },
        ) })"#,
    );
    simulation.run(60 * 5).unwrap();
    let at = pose(&simulation, "atrv.pose");
    assert!(at.x > 0.8, "it came through: {at:?}");
    let door = simulation.scene().variables["door_bedroom"];
    let angle = simulation
        .world()
        .get::<morse_api::joint::JointState>(door)
        .unwrap()
        .position;
    assert!(angle.abs() > 0.5 && angle.abs() < 1.76, "{angle}");
}

/// Returns the distance from a point to a triangle, by the nearest of its face, its edges and its corners.
fn to_triangle(point: Vector3<f64>, corners: [[f64; 3]; 3]) -> f64 {
    let [a, b, c] = corners.map(Vector3::from);
    let normal = (b - a).cross(&(c - a)).normalize();
    let edges = [(a, b), (b, c), (c, a)];
    let is_above = edges
        .iter()
        .all(|(from, to)| (to - from).cross(&(point - from)).dot(&normal) >= 0.0);
    if is_above {
        return (point - a).dot(&normal).abs();
    }
    let to_edge = |(from, to): &(Vector3<f64>, Vector3<f64>)| {
        let along = (to - from).dot(&(point - from)) / (to - from).norm_squared();
        (point - from - (to - from) * along.clamp(0.0, 1.0)).norm()
    };
    edges.iter().map(to_edge).fold(f64::INFINITY, f64::min)
}

/// Balls roll down slowly; at any position the nearest triangle is a radius away.
#[test]
fn balls_lie_on_the_terrain() {
    let positions = [
        [0.0, 0.0],
        [14.0, 12.0],
        [-13.0, 17.0],
        [-18.0, -11.0],
        [21.0, -7.0],
        [8.3, 0.4],
        [-24.0, 3.0],
    ];
    let mut scene = "include \"environments/outdoors\"\n".to_owned();
    let mut bodies = String::new();
    for (number, [x, y]) in positions.iter().enumerate() {
        writeln!(
            scene,
            "frame ball_{number} {{ translation [{x:?}, {y:?}, 2.5]; mass 2; geometry {{ shape sphere; radius 0.25; }} }}"
        )
        .unwrap();
        writeln!(
            bodies,
            r#""ball_{number}": (linear_damping: 0.5, angular_damping: 5),"#
        )
        .unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("balls.robray"), scene).unwrap();
    let text = format!(r#"Simulation(scene: "balls.robray", bodies: {{ {bodies} }})"#);
    let mut simulation =
        Simulation::parse(&text, folder.path(), &morse_sim::simulation::no_extensions)
            .unwrap_or_else(|error| panic!("{error}"));
    simulation.run(60 * 4).unwrap();
    for _ in 0..4 {
        simulation.run(15).unwrap();
        for number in 0..positions.len() {
            let at = simulation
                .body(&format!("ball_{number}"))
                .unwrap()
                .pose
                .translation
                .vector;
            let nearest = terrain::triangles()
                .map(|corners| to_triangle(at, corners))
                .fold(f64::INFINITY, f64::min);
            assert!(
                (nearest - 0.25).abs() < 0.01,
                "ball {number} at {at:?} is {nearest} away"
            );
        }
    }
}

/// Rays hit the mesh at its vertices.
#[test]
fn lasers_meet_the_terrain() {
    for (column, row) in [(24, 24), (40, 33), (7, 12), (30, 3)] {
        let [x, y, z] = terrain::vertex(column, row);
        let height = 10.0 - distance("outdoors", [x, y, 10.0], DOWN);
        assert!(
            (height - z).abs() < 1e-3,
            "({x}, {y}): {height}, expected {z}"
        );
    }
    assert!(
        model("environments/outdoors.robray")
            .frame("terrain")
            .is_some()
    );
}
