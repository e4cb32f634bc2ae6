//! The shipped scenes behave as documented, and meshes are solid for bodies and for rays.
#![cfg(test)]
use std::{fmt::Write as _, path::Path};

use morse_sim::{
    Simulation,
    sensor::{
        collision::CollisionData, gps::GpsData, joint_state::JointStateData,
        laser::LaserScannerData, pose::PoseData,
    },
    simulation::no_extensions,
};

/// Returns a shipped simulation file, without its logs.
fn shipped(name: &str) -> Simulation {
    let text = std::fs::read_to_string(Path::new("scenes").join(name)).unwrap();
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("middlewares:"));
    let mut quiet: String = lines.flat_map(|line| [line, "\n"]).collect();
    for output in [
        r#", outputs: { "log": () }"#,
        r#", outputs: { "log": (format: csv) }"#,
        r#"outputs: { "log": () },"#,
        r#"outputs: { "log": (format: csv) },"#,
    ] {
        quiet = quiet.replace(output, "");
    }
    parse(&quiet, "scenes")
}

fn parse(text: &str, directory: impl AsRef<Path>) -> Simulation {
    Simulation::parse(text, directory, &no_extensions).unwrap_or_else(|error| panic!("{error}"))
}

fn pose(simulation: &Simulation, path: &str) -> PoseData {
    simulation.read::<PoseData>(path).unwrap().clone()
}

#[test]
fn dropped_blocks_come_to_rest_on_the_table() {
    let mut simulation = shipped("drop.ron");
    simulation.step().unwrap();
    assert!(
        pose(&simulation, "block_a.pose").z > 0.96,
        "they begin 0.2 m above"
    );
    simulation.run(299).unwrap();
    for block in ["block_a.pose", "block_b.pose"] {
        let z = pose(&simulation, block).z;
        // The table is 0.72 m high, half a block 0.05 m.
        assert!((z - 0.77).abs() < 2e-4, "{block} rests at {z}");
    }
    simulation.run(60).unwrap();
    let before = pose(&simulation, "block_a.pose");
    simulation.run(60).unwrap();
    let after = pose(&simulation, "block_a.pose");
    assert!((before.x - after.x).abs() < 1e-4 && (before.yaw - after.yaw).abs() < 1e-2);
}

#[test]
fn the_rover_patrols() {
    let mut simulation = shipped("patrol.ron");
    let route = [[4.0, 0.0], [4.0, 4.0], [-2.0, 4.0], [-2.0, 0.0]];
    let mut next = 0;
    for _ in 0..60 * 60 {
        simulation.step().unwrap();
        let at = pose(&simulation, "rover.pose");
        let [x, y] = route[next % route.len()];
        if libm::hypot(at.x - x, at.y - y) < 0.55 {
            next += 1;
        }
    }
    assert!(next > route.len(), "only {next} waypoints in a minute");
    let at = pose(&simulation, "rover.pose");
    assert!(
        (at.z - 0.1).abs() < 2e-3,
        "the ATRV's origin rests at 0.1 m: {}",
        at.z
    );

    let gps = simulation.read::<GpsData>("rover.gps").unwrap();
    // A degree of latitude is about 111 km; five sigma of the noise are 2.5 m.
    assert!((gps.latitude - 43.6).abs() * 111e3 < 10.0, "{gps:?}");
    assert!((gps.altitude - 135.8).abs() < 5.0, "{gps:?}");
    let scan = simulation.read::<LaserScannerData>("rover.scan").unwrap();
    assert_eq!(scan.range_list.len(), 181);
    assert!(
        scan.range_list.iter().any(|&range| range < 25.0),
        "it sees a wall or a box"
    );
}

#[test]
fn the_arm_reaches_its_posture() {
    let mut simulation = shipped("arm.ron");
    simulation.run(240 * 8).unwrap();
    let joints = simulation.read::<JointStateData>("arm.joints").unwrap();
    let wanted = [
        ("shoulder_twist", 0.5),
        ("shoulder_bend", 0.6),
        ("elbow_twist", -0.3),
        ("elbow_bend", -0.9),
        ("wrist_twist", 0.2),
        ("wrist_bend", 0.7),
        ("hand_twist", 0.4),
    ];
    assert_eq!(joints.names.len(), wanted.len());
    for (name, position) in wanted {
        let index = joints.names.iter().position(|known| known == name).unwrap();
        let error = joints.positions[index] - position;
        assert!(error.abs() < 5e-3, "{name} is {error} rad off");
    }
}

#[test]
fn the_fleet_drives_in_circles() {
    let mut simulation = shipped("fleet.ron");
    // A full circle: 2 pi at 0.8 rad/s.
    let ticks = (std::f64::consts::TAU / 0.8 * 60.0).round() as u64;
    simulation.step().unwrap();
    let start = pose(&simulation, "rover_50.pose");
    simulation.run(ticks / 2).unwrap();
    let half = pose(&simulation, "rover_50.pose");
    let across = libm::hypot(half.x - start.x, half.y - start.y);
    // The diameter is twice the speed over the turning rate.
    assert!((across - 1.25).abs() < 0.03, "{across}");
    assert_eq!(
        simulation
            .paths()
            .iter()
            .filter(|path| path.ends_with(".scan"))
            .count(),
        50
    );
}

#[test]
fn a_collision_is_felt_and_named() {
    let text = r#"Simulation(
        scene: "boxes.robray",
        robots: { "rover": (
            model: "robots/atrv.robray", base: dynamic, at: (translation: (-4, 0, 0.1), rpy: (0, 0, 3.14159265)),
            sensors: { "bumper": (kind: "collision", ignore: ["ground"]) },
            actuators: { "motion": (kind: "v_omega", start: (v: 1, w: 0)) },
        ) },
    )"#;
    let mut simulation = parse(text, "scenes");
    simulation.run(60).unwrap();
    assert!(
        !simulation
            .read::<CollisionData>("rover.bumper")
            .unwrap()
            .collision
    );
    simulation.run(180).unwrap();
    let felt = simulation.read::<CollisionData>("rover.bumper").unwrap();
    assert!(felt.collision, "{felt:?}");
    assert_eq!(felt.objects, "RedBox");
}

/// Returns the twelve triangles of a box with these corners.
fn triangles([x, y, z]: [f64; 3]) -> Vec<[[f64; 3]; 3]> {
    let corner = |n: usize| {
        let sign = |bit: usize| if n & bit == 0 { -1.0 } else { 1.0 };
        [x * sign(1), y * sign(2), z * sign(4)]
    };
    let quads = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let halves = |[a, b, c, d]: [usize; 4]| [[a, b, c], [a, c, d]];
    quads
        .into_iter()
        .flat_map(halves)
        .map(|corners| corners.map(corner))
        .collect()
}

fn stl(half: [f64; 3]) -> String {
    let mut text = "solid box\n".to_owned();
    for corners in triangles(half) {
        text.push_str("facet normal 0 0 0\nouter loop\n");
        for [x, y, z] in corners {
            writeln!(text, "vertex {x} {y} {z}").unwrap();
        }
        text.push_str("endloop\nendfacet\n");
    }
    text + "endsolid box\n"
}

fn binary_stl(half: [f64; 3]) -> Vec<u8> {
    let triangles = triangles(half);
    // A header that looks like that of a text file.
    let mut bytes = b"solid but binary".to_vec();
    bytes.resize(80, b' ');
    bytes.extend(u32::try_from(triangles.len()).unwrap().to_le_bytes());
    for corners in triangles {
        bytes.extend([0; 12]);
        bytes.extend(
            corners
                .iter()
                .flatten()
                .flat_map(|&x| (x as f32).to_le_bytes()),
        );
        bytes.extend([0; 2]);
    }
    bytes
}

fn obj(half: [f64; 3]) -> String {
    let mut text = String::new();
    for [x, y, z] in triangles(half).into_iter().flatten() {
        writeln!(text, "v {x} {y} {z}").unwrap();
    }
    for face in 0..12 {
        writeln!(text, "f {} {} {}", 3 * face + 1, 3 * face + 2, 3 * face + 3).unwrap();
    }
    text
}

#[test]
fn meshes_are_solid_for_bodies_and_rays() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("ground.stl", stl([5.0, 5.0, 0.5]).as_bytes());
    write("brick.stl", &binary_stl([0.2, 0.1, 0.1]));
    write("cube.obj", obj([0.1, 0.1, 0.1]).as_bytes());
    write(
        "scene.robray",
        br#"
            frame ground { translation [0, 0, -0.5]; geometry { mesh "ground.stl"; } }
            frame brick { translation [0, 0, 0.2]; mass 2; geometry { mesh "brick.stl"; } }
            frame cube { translation [1, 0, 0.3]; mass 1; geometry { mesh "cube.obj"; scale 2; } }
            frame lidar { translation [-2, 0, 0.1]; }
        "#,
    );
    let text = r#"Simulation(
        scene: "scene.robray",
        robots: {
            "brick": (frame: "brick", base: dynamic, sensors: { "pose": (kind: "pose") }),
            "cube": (frame: "cube", base: dynamic, sensors: { "pose": (kind: "pose") }),
            "lidar": (frame: "lidar", base: fixed, sensors: { "scan": (kind: "laser_scanner") }),
        },
    )"#;
    let mut simulation = parse(text, folder.path());
    simulation.run(180).unwrap();
    let (brick, cube) = (
        pose(&simulation, "brick.pose"),
        pose(&simulation, "cube.pose"),
    );
    assert!((brick.z - 0.1).abs() < 1e-3, "{brick:?}");
    assert!((cube.z - 0.2).abs() < 1e-3, "it is scaled: {cube:?}");
    let scan = simulation.read::<LaserScannerData>("lidar.scan").unwrap();
    let ahead = scan.range_list[90];
    assert!(
        (ahead - (2.0 - 0.2 + brick.x)).abs() < 2e-3,
        "{ahead} to the brick at {brick:?}"
    );
}
