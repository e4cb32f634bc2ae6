//! Simulation files: the meaning of valid files, and the errors of invalid ones.

mod hostile;
mod vocabulary;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use morse_sim::scene::{
    diagnostic::{Diagnostic, Sources, Style, render},
    model::{Frame, Joint as SceneJoint, JointAxis, Scene},
    simulation::{
        Assets, FileLocation, Files, Loaded, Spanned, check as check_simulation, load,
        model::{BodyKind, Form, MotionMode, Policy, Property},
    },
};
use vocabulary::{Band, Camera, Format, Gps, GpsNoise, Socket, TextOutput, Toy};

fn scene() -> Scene {
    let mut scene = Scene::default();
    let hinge = |variable: &str| SceneJoint::Revolute(JointAxis::new([0.0, 0.0, 1.0], variable));
    for frame in [
        Frame::new("table"),
        Frame::new("crate_1").under("table"),
        Frame::new("door").joined(hinge("door_hinge")),
        Frame::new("rover.base"),
        Frame::new("rover.wrist")
            .under("rover.base")
            .joined(hinge("rover.shoulder")),
    ] {
        scene.add_frame(frame).expect("unique names");
    }
    scene
}

fn read(text: &str, set: &[&str]) -> (Loaded, Sources) {
    let mut sources = Sources::default();
    let set: Vec<String> = set.iter().map(ToString::to_string).collect();
    let loaded = load("test.ron", text.as_bytes(), &set, &Toy, &mut sources);
    (loaded, sources)
}

/// Returns the simulation of a valid text.
fn good(text: &str, set: &[&str]) -> Loaded {
    let (loaded, sources) = read(text, set);
    assert!(loaded.is_fine(), "{}", shown(&loaded.diagnostics, &sources));
    let problems = check_simulation(&loaded.simulation, &scene(), &Toy);
    assert!(problems.is_empty(), "{}", shown(&problems, &sources));
    loaded
}

fn shown(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        let rendered = render(diagnostic, sources, Style::Plain);
        // Expected texts are stored without trailing blanks.
        for line in rendered.lines() {
            writeln!(text, "{}", line.trim_end()).expect("text grows");
        }
    }
    text
}

/// Compares the messages about a file with the expected ones. `UPDATE_GOLDEN=1` writes the expected text instead. Lines `//
/// --set …` at the start of the file are arguments.
fn check(path: &Path) -> Result<(), String> {
    let bytes = fs::read(path).expect("a readable file");
    let text = String::from_utf8_lossy(&bytes);
    let set: Vec<String> = text
        .lines()
        .map_while(|line| line.strip_prefix("// --set "))
        .map(str::to_owned)
        .collect();
    let name = path.file_name().expect("a file").to_string_lossy();
    let mut sources = Sources::default();
    let loaded = load(&name, &bytes, &set, &Toy, &mut sources);
    let mut diagnostics = loaded.diagnostics;
    diagnostics.extend(check_simulation(&loaded.simulation, &scene(), &Toy));
    let messages = shown(&diagnostics, &sources);
    let expectation = path.with_extension("txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&expectation, &messages).expect("a writable directory");
    }
    let expected = fs::read_to_string(&expectation).unwrap_or_default();
    if messages != expected || messages.is_empty() {
        return Err(format!(
            "--- {name}: expected\n{expected}--- found\n{messages}"
        ));
    }
    Ok(())
}

#[test]
fn bad_files_are_explained() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/simulation");
    let mut paths: Vec<PathBuf> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ron"))
        .collect();
    paths.sort();
    assert!(paths.len() >= 35, "only {} files", paths.len());
    let failures: Vec<String> = paths.iter().filter_map(|path| check(path).err()).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

const PATROL: &str = r#"
// The example of the guide.
Simulation(
    scene: "arena.robray",
    environment: (rate: 100, gravity: (0, 0, -9.81), seed: 7, motion: morse, substeps: 4,
                  origin: (latitude: 43.6, longitude: 1.4333, altitude: 135)),
    bodies: { "crate_1": (kind: dynamic, mass: 2.5, friction: 0.6, linear_velocity: (1, 0, 0),
                           locked: [y, rotation_z]) },
    joints: { "door_hinge": (mode: kinematic, position: 0.5) },
    robots: {
        "rover": (
            model: "rover.robray", base: kinematic, origin: (0, 0, 0.1), locked: [z],
            at: (translation: (10, 8, 0), rpy: (0, 0, 1.5707963267948966)),
            joints: { "shoulder": (stiffness: 10, damping: 1, max_effort: 5) },
            sensors: {
                "gps": (kind: "gps", level: raw, frequency: 10, mount: (translation: (0, 0, 0.5)),
                        antenna: (0, 0, 1), band: both(weight: 2),
                        modifiers: [(kind: "gps_noise", sigma: (0.5, 0.5, 1.0))],
                        outputs: { "socket": (), "log": (format: csv, policy: queue(64)) }),
                "eye": (kind: camera, level: "rgb", frequency: Some(20), active: false, on: "motion",
                        mount: (frame: "wrist", quaternion: (0, 0, 1, 0)), lens: (focal: 0.02),
                        outputs: { "socket": (policy: lockstep(0.5)) }),
            },
            actuators: { "motion": (kind: "v_omega", inputs: ["socket"], services: ["socket"]) },
        ),
    },
    middlewares: { "socket": (kind: "socket", port: 4000), "log": (kind: "text", directory: "out") },
)
"#;

#[test]
fn a_file_means_what_it_says() {
    let simulation = good(PATROL, &[]).simulation;
    assert_eq!(
        simulation.scene.as_deref().map(String::as_str),
        Some("arena.robray")
    );
    assert_eq!(simulation.environment.rate.value, 100.0);
    assert_eq!(simulation.environment.motion, MotionMode::Morse);
    assert_eq!(simulation.environment.origin.unwrap().longitude, 1.4333);
    assert_eq!(simulation.bodies["crate_1"].linear_velocity.unwrap().x, 1.0);
    let locked = simulation.bodies["crate_1"].locked;
    assert_eq!(locked.translation, [false, true, false]);
    assert_eq!(locked.rotation, [false, false, true]);
    let rover = &simulation.robots["rover"];
    assert_eq!(rover.locked.translation, [false, false, true]);
    assert_eq!(rover.origin.unwrap().z, 0.1);
    assert_eq!(rover.base, Some(BodyKind::Kinematic.into()));
    assert_eq!(rover.form, Form::Model("rover.robray".to_owned().into()));
    let ahead = rover.at * nalgebra::Point3::new(1.0, 0.0, 0.0);
    assert!((ahead - nalgebra::Point3::new(10.0, 9.0, 0.0)).norm() < 1e-12);
    let eye = &rover.sensors["eye"];
    assert_eq!(
        eye.component.mount.frame.as_deref().map(String::as_str),
        Some("wrist")
    );
    assert!(!eye.component.active);
    assert_eq!(eye.outputs["socket"].policy, Some(Policy::Lockstep(0.5)));
    assert_eq!(
        rover.sensors["gps"].outputs["log"].policy,
        Some(Policy::Queue(64))
    );
    assert_eq!(rover.sensors["gps"].outputs["socket"].policy, None);
    assert_eq!(rover.actuators["motion"].inputs.len(), 1);
}

#[test]
fn objects_and_zones_mean_what_they_say() {
    let text = r#"Simulation(
        objects: {
            "crate_1": (label: "Crate", graspable: true, properties: { "Fire": 200, "Note": "far" }),
            "table": (description: "oak", type: "Furniture",
                      properties: { "Injured": false, "Requirements": [1, 2.5] }),
        },
        zones: { "charger": (type: "Charging", at: (translation: (2, 0, 1)), size: (0.5, 1, 2)) },
        robots: { "rover": (model: "rover.robray", properties: { "Injured": true }) },
    )"#;
    let simulation = good(text, &["objects.crate_1.properties.Wet=very"]).simulation;
    let of = |name: &str| &simulation.objects[name];
    assert_eq!(of("crate_1").label.as_deref(), Some("Crate"));
    assert!(of("crate_1").graspable && !of("table").graspable);
    assert_eq!(
        (of("crate_1").kind.as_str(), of("table").kind.as_str()),
        ("Object", "Furniture")
    );
    assert_eq!(of("crate_1").properties["Fire"], Property::Number(200.0));
    assert_eq!(
        of("crate_1").properties["Wet"],
        Property::Text("very".into())
    );
    assert_eq!(of("table").properties["Injured"], Property::Flag(false));
    let list = Property::Numbers(vec![1.0, 2.5]);
    assert_eq!(of("table").properties["Requirements"], list);
    let rover = &simulation.robots["rover"].properties;
    assert_eq!(rover["Injured"], Property::Flag(true));
    let zone = &simulation.zones["charger"];
    assert_eq!(zone.kind, "Charging");
    assert_eq!(zone.center, nalgebra::Vector3::new(2.0, 0.0, 1.0));
    assert_eq!(zone.half, nalgebra::Vector3::new(0.5, 1.0, 2.0));
}

#[test]
fn settings_have_the_types_of_their_kinds() {
    let simulation = good(PATROL, &[]).simulation;
    let rover = &simulation.robots["rover"];
    let gps = &rover.sensors["gps"];
    let settings: &Gps = gps.component.settings.get().unwrap();
    let expected = Gps {
        antenna: [0.0, 0.0, 1.0],
        band: Band::Both { weight: 2.0 },
        ..Gps::default()
    };
    assert_eq!(*settings, expected);
    let noise: &GpsNoise = gps.component.modifiers[0].settings.get().unwrap();
    assert_eq!(noise.sigma, (0.5, 0.5, 1.0));
    let log: &TextOutput = gps.outputs["log"].settings.get().unwrap();
    assert_eq!(log.format, Format::Csv);
    let socket: &Socket = simulation.middlewares["socket"].settings.get().unwrap();
    assert_eq!(socket.port, 4000);
    // A kind that requests common fields receives them, too.
    let camera: &Camera = rover.sensors["eye"].component.settings.get().unwrap();
    assert_eq!((camera.level.as_str(), camera.frequency), ("rgb", 20.0));
    assert_eq!(camera.lens.focal, Some(0.02));
}

#[test]
fn the_shortest_file_has_the_defaults() {
    for text in [
        "Simulation()",
        "()",
        "\u{FEFF}Simulation(\r\n)\r\n",
        "#![enable(implicit_some)]\n()",
    ] {
        let environment = good(text, &[]).simulation.environment;
        assert_eq!(environment.rate.value, 60.0);
        assert_eq!(environment.gravity.z, -9.81);
        assert_eq!(
            (environment.substeps, environment.solver_iterations),
            (2, 4)
        );
        assert_eq!(environment.contact_frequency, 120.0);
    }
}

#[test]
fn whatever_is_accepted_is_ron() {
    let options =
        ron::Options::default().with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
    for text in [
        PATROL,
        "Simulation()",
        "()",
        "(environment: (seed: 0x1F, rate: 1_000.5,),)",
    ] {
        good(text, &[]);
        options.from_str::<serde::de::IgnoredAny>(text).unwrap();
    }
}

#[test]
fn arguments_replace_and_add_values() {
    let set = [
        "environment.seed=9",
        "environment.gravity.2=-1.62",
        "environment.solver_iterations=8",
        "scene=other/place.robray",
        "bodies.table=(kind: fixed)",
        "robots.rover.sensors.gps.frequency=5",
        "robots.rover.sensors.gps.label=front",
        "robots.rover.sensors.gps.modifiers.0.sigma=(1, 1, 1)",
        "robots.rover.sensors.gps.outputs.socket.policy=queue(3)",
        "robots.rover.base=fixed",
    ];
    let simulation = good(PATROL, &set).simulation;
    assert_eq!(simulation.environment.seed, 9);
    assert_eq!(simulation.environment.gravity.z, -1.62);
    assert_eq!(simulation.environment.solver_iterations, 8);
    assert_eq!(simulation.scene.unwrap().value, "other/place.robray");
    assert_eq!(
        simulation.bodies["table"].kind,
        Some(BodyKind::Fixed.into())
    );
    let rover = &simulation.robots["rover"];
    assert_eq!(rover.base, Some(BodyKind::Fixed.into()));
    let gps = &rover.sensors["gps"];
    assert_eq!(gps.component.frequency.unwrap().value, 5.0);
    assert_eq!(gps.component.settings.get::<Gps>().unwrap().label, "front");
    let noise: &GpsNoise = gps.component.modifiers[0].settings.get().unwrap();
    assert_eq!(noise.sigma, (1.0, 1.0, 1.0));
    assert_eq!(gps.outputs["socket"].policy, Some(Policy::Queue(3)));
}

#[test]
fn arguments_reach_names_with_dots_and_fields_that_are_not_there() {
    let text = r#"(joints: { "rover.shoulder": (position: 1) })"#;
    let simulation = good(text, &["joints.rover.shoulder.position=2"]).simulation;
    assert_eq!(simulation.joints["rover.shoulder"].position, Some(2.0));
    let simulation = good("()", &["environment.origin.latitude=45", "bodies.table=()"]).simulation;
    assert_eq!(simulation.environment.origin.unwrap().latitude, 45.0);
    assert!(simulation.bodies.contains_key("table"));
}

/// Returns the names and positions of the robots of a file.
fn placed(repeat: &str) -> Vec<(String, [f64; 3])> {
    let text = format!(
        r#"(robots: {{ "r": (model: "r.robray", at: (translation: (10, 0, 0)), repeat: {repeat}) }})"#
    );
    let simulation = good(&text, &[]).simulation;
    let rounded = |value: f64| (value * 1e9).round() / 1e9 + 0.0;
    simulation
        .expand()
        .into_iter()
        .map(|instance| {
            let at = instance.at.translation;
            (instance.name, [rounded(at.x), rounded(at.y), rounded(at.z)])
        })
        .collect()
}

#[test]
fn patterns_arrange_copies() {
    let named = |positions: &[[f64; 3]]| -> Vec<(String, [f64; 3])> {
        positions
            .iter()
            .zip(1..)
            .map(|(position, number)| (format!("r_{number}"), *position))
            .collect()
    };
    let row = named(&[[10.0, 0.0, 0.0], [10.0, 0.0, 2.0], [10.0, 0.0, 4.0]]);
    assert_eq!(placed("(count: 3, pattern: line((0, 0, 2)))"), row);
    let square = named(&[
        [10.0, 0.0, 0.0],
        [12.0, 0.0, 0.0],
        [10.0, 3.0, 0.0],
        [12.0, 3.0, 0.0],
    ]);
    assert_eq!(placed("(count: 4, pattern: grid(spacing: (2, 3)))"), square);
    assert_eq!(
        placed("(count: 4, pattern: grid(columns: 2, spacing: (2, 3)))"),
        square
    );
    let ring = named(&[
        [13.0, 0.0, 0.0],
        [10.0, 3.0, 0.0],
        [7.0, 0.0, 0.0],
        [10.0, -3.0, 0.0],
    ]);
    assert_eq!(placed("(count: 4, pattern: circle(radius: 3))"), ring);
    let two = named(&[[10.0, 5.0, 0.0], [10.0, 0.0, 0.0]]);
    assert_eq!(
        placed("(pattern: poses([(translation: (0, 5, 0)), ()]))"),
        two
    );
}

#[test]
fn copies_are_in_the_order_of_their_paths() {
    let text = r#"(robots: {
        "a": (model: "r.robray", repeat: (count: 11, pattern: line((1, 0, 0)))),
        "a_12": (model: "r.robray"),
    })"#;
    let simulation = good(text, &[]).simulation;
    let names: Vec<String> = simulation
        .expand()
        .into_iter()
        .map(|instance| instance.name)
        .collect();
    let mut sorted = names.clone();
    sorted.sort();
    assert_eq!(names, sorted);
    assert_eq!(names[..3], ["a_1", "a_10", "a_11"]);
    assert_eq!(names.len(), 12);
}

struct Shipped;

impl Assets for Shipped {
    fn paths(&self) -> Vec<&str> {
        vec!["robots/atrv.robray", "robots/quadrotor.robray"]
    }
}

#[test]
fn files_are_found_next_to_the_simulation_then_among_the_assets() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("scenes");
    fs::create_dir_all(inside.join("sub")).unwrap();
    fs::write(inside.join("sub/arena.robray"), "").unwrap();
    fs::write(folder.path().join("secret.robray"), "").unwrap();
    let find = |path: &str, roots: &[PathBuf]| {
        let files = Files {
            directory: &inside,
            roots,
            assets: &Shipped,
        };
        files.find(&Spanned::from(path.to_owned()))
    };
    let arena = inside.join("sub/arena.robray").canonicalize().unwrap();
    assert_eq!(
        find("sub/arena.robray", &[]).unwrap(),
        FileLocation::Disk(arena.clone())
    );
    assert_eq!(
        find(arena.to_str().unwrap(), &[]).unwrap(),
        FileLocation::Disk(arena)
    );
    let asset = FileLocation::Asset("robots/atrv.robray".to_owned());
    assert_eq!(find("robots/atrv.robray", &[]).unwrap(), asset);
    let code = |path: &str| find(path, &[]).unwrap_err().code;
    assert_eq!(code("../secret.robray"), "simulation::outside");
    assert_eq!(code("/etc/passwd"), "simulation::outside");
    assert_eq!(code("sub"), "simulation::file");
    assert_eq!(code(""), "simulation::file");
    let roots = [folder.path().to_owned()];
    assert!(matches!(
        find("../secret.robray", &roots),
        Ok(FileLocation::Disk(_))
    ));
    let missing = find("robots/atvr.robray", &[]).unwrap_err();
    assert_eq!(missing.help, ["did you mean `robots/atrv.robray`?"]);
}
