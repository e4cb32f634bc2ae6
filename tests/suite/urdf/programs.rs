//! Descriptions on the command line: checked, inspected, run, drawn, and robots of simulation files.
use std::path::Path;

use assert_cmd::Command;
use morse_sim::{
    Simulation,
    simulation::{
        kinds,
        load::{self, Options},
        no_extensions,
    },
};
use serde_json::Value;

use super::data;

fn program(folder: &Path, words: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::cargo_bin("morse-sim")
        .unwrap()
        .current_dir(folder)
        .env_remove("ROS_PACKAGE_PATH")
        .env_remove("AMENT_PREFIX_PATH")
        .args(words)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn a_description_is_checked_inspected_run_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["arm.urdf", "rover.urdf"] {
        let path = data().join(name).display().to_string();
        let (code, out, err) = program(folder.path(), &["check", &path]);
        assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
        assert!(out.contains(": fine ("), "{out}");
        let (code, out, _) = program(folder.path(), &["inspect", "--json", &path]);
        let scene: Value = serde_json::from_str(&out).unwrap();
        assert!(code == Some(0) && scene["frames"].as_array().unwrap().len() >= 6);
        let (code, out, err) = program(folder.path(), &[&path, "--steps", "30", "--json"]);
        assert_eq!(code, Some(0), "{out}{err}");
        let words = ["render", &path, "-o", "out.png", "--size", "64x48"];
        let (code, _, err) = program(folder.path(), &words);
        assert_eq!(code, Some(0), "{err}");
        assert!(folder.path().join("out.png").is_file());
    }
}

/// Writes a description in `here` with a mesh that exists in packages in `given` and below `ros`, and a mesh that does not
/// exist.
fn packages() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    write("given/there.obj", tetrahedron);
    write(
        "ros/deep/robot/package.xml",
        "<package><name>robot</name></package>",
    );
    write("ros/deep/robot/there.obj", tetrahedron);
    write("ament/share/robot/there.obj", tetrahedron);
    let link = |name: &str, what: &str| {
        format!("<{what}><geometry><mesh filename=\"package://robot/{name}\"/></geometry></{what}>")
    };
    let [there, missing] = [
        link("there.obj", "collision"),
        link("missing.obj", "visual"),
    ];
    write(
        "here/r.urdf",
        &format!("<robot name=\"r\"><link name=\"a\">{there}{missing}</link></robot>"),
    );
    folder
}

#[test]
fn packages_are_found_through_the_environment() {
    let folder = packages();
    for (variable, value, file) in [
        ("ROS_PACKAGE_PATH", "ros", "ros/deep/robot/there.obj"),
        ("AMENT_PREFIX_PATH", "ament", "ament/share/robot/there.obj"),
    ] {
        let output = Command::cargo_bin("morse-sim")
            .unwrap()
            .current_dir(folder.path().join("here"))
            .env_remove("ROS_PACKAGE_PATH")
            .env_remove("AMENT_PREFIX_PATH")
            .env(variable, folder.path().join(value))
            .args(["check", "r.urdf"])
            .output()
            .unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        assert!(out.contains(file), "{out}");
    }
}

#[test]
fn check_lists_every_mesh_and_where_it_was_looked_for() {
    let folder = packages();
    let here = folder.path().join("here");
    let (code, out, err) = program(&here, &["check", "r.urdf"]);
    assert_eq!(code, Some(2), "{out}");
    assert!(
        out.contains("mesh package://robot/there.obj: missing"),
        "{out}"
    );
    assert!(err.contains("--package robot=DIRECTORY"), "{err}");
    let named = ["check", "r.urdf", "--package", "robot=../given"];
    let (code, out, err) = program(&here, &named);
    assert_eq!(code, Some(0), "{err}");
    assert!(
        out.contains("mesh package://robot/there.obj: ../given/there.obj"),
        "{out}"
    );
    assert!(
        out.contains("mesh package://robot/missing.obj: missing"),
        "{out}"
    );
    assert!(err.contains("looked for `../given/missing.obj`"), "{err}");
    let (code, out, _) = program(&here, &["check", "--json", named[2], named[3], "r.urdf"]);
    let report: Value = serde_json::from_str(&out).unwrap();
    let assets = &report["files"][0]["assets"];
    assert_eq!(
        (code, &assets[0]["found"]),
        (Some(0), &"../given/there.obj".into())
    );
    assert_eq!(assets[1]["looked_for"][0], "../given/missing.obj");
    let (code, _, err) = program(&here, &["check", "r.urdf", "--package", "robot"]);
    assert!(code == Some(2) && err.contains("NAME=DIRECTORY"), "{err}");
}

fn simulated(text: &str, options: &Options) -> Simulation {
    let kinds = kinds(&no_extensions);
    let plan = load::parse(text, &data(), options, &kinds).unwrap();
    Simulation::build(plan, &no_extensions).unwrap()
}

/// Returns the height of a body's origin.
fn height(simulation: &Simulation, body: &str) -> f64 {
    simulation.body(body).unwrap().pose.translation.z
}

#[test]
fn a_robot_of_a_simulation_file_goes_where_it_is_put() {
    let text = r#"Simulation(
        scene: "../../../assets/environments/empty.robray",
        robots: {
            "rover": (
                model: "rover.urdf", at: (translation: (2, 0, 0.02)),
                sensors: {
                    "pose": (kind: "pose", mount: (frame: "scanner")),
                    "joints": (kind: "joint_state"),
                },
                actuators: { "motion": (kind: "v_omega_diff", left: ["left_wheel"], right: ["right_wheel"], start: (v: 0.5)) },
            ),
            "arm": (model: "arm.urdf", at: (translation: (0, 2, 0))),
        },
    )"#;
    let options = Options {
        allow_paths: vec![Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()],
        ..Options::default()
    };
    let mut simulation = simulated(text, &options);
    simulation.run(120).unwrap();
    let way = simulation.body("rover").unwrap().pose.translation.x - 2.0;
    assert!((0.8..1.05).contains(&way), "0.5 m/s for 2 s: {way}");
    // The robot stands on its wheels; its origin is on the ground.
    assert!(
        height(&simulation, "rover").abs() < 0.01,
        "{}",
        height(&simulation, "rover")
    );
    // The root link `world` makes it fixed, though the file contains no such field.
    assert!(height(&simulation, "arm").abs() <= 0.0);
}

#[test]
fn an_arm_holds_its_posture_only_if_asked() {
    let shoulder = |hold: bool| {
        let mut options = Options::default();
        options.descriptions.hold = hold;
        let kinds = kinds(&no_extensions);
        let plan = load::load(&data().join("arm.urdf"), &options, &kinds).unwrap();
        let mut simulation = Simulation::build(plan, &no_extensions).unwrap();
        let before = height(&simulation, "fore_arm");
        simulation.run(60).unwrap();
        (height(&simulation, "fore_arm") - before).abs()
    };
    assert!(shoulder(true) < 1e-3, "{}", shoulder(true));
    assert!(shoulder(false) > 0.05, "{}", shoulder(false));
}

#[test]
fn a_base_of_no_mass_stays_where_it_is() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/urdf/immovable.urdf");
    let file = file.display().to_string();
    let folder = tempfile::tempdir().unwrap();
    let (code, _, err) = program(folder.path(), &["check", &file]);
    assert_eq!(code, Some(0), "{err}");
    assert!(
        err.contains("the base is immovable: its mass is 0"),
        "{err}"
    );
    assert!(!err.contains("water"), "{err}");
    // By itself, and as the model of a robot 2 m up.
    let fell = |simulation: &Simulation, name: &str, height: f64| {
        let at = simulation.body(name).expect("a body").pose;
        (at.translation.z - height).abs() > 1e-9
    };
    let text = format!(
        "Simulation(robots: {{ \"crane\": (model: {file:?}, at: (translation: (0, 0, 2))) }})"
    );
    let mut simulation = Simulation::parse(&text, folder.path(), &no_extensions).unwrap();
    simulation.run(60).unwrap();
    assert!(!fell(&simulation, "crane", 2.0));
    // The boom, without a motor, falls about its joint.
    let boom = simulation.body("crane.boom").expect("a body");
    assert!(boom.angular_velocity.norm() > 0.5 || boom.pose.rotation.angle() > 0.5);
    let kinds = kinds(&no_extensions);
    let plan = load::load(Path::new(&file), &Options::default(), &kinds).unwrap();
    let mut alone = Simulation::build(plan, &no_extensions).unwrap();
    alone.run(60).unwrap();
    assert!(!fell(&alone, "world", 0.0));
}
