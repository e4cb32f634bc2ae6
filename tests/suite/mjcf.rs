//! Models of MuJoCo: the resulting scenes, and error messages.
//!
//! `tests/golden/mjcf` contains bad models and, beside each, the expected text, as for robot descriptions of ROS.
#![cfg(test)]
use std::path::{Path, PathBuf};

use morse_sim::{
    Simulation,
    scene::{
        load::{LoadOptions, Loaded, load},
        mjcf::codes,
        model::{Joint, Scene},
    },
    simulation::no_extensions,
};
use nalgebra::{Isometry3, Matrix3, Quaternion, UnitQuaternion, Vector3};

use crate::urdf::messages::{explained, with_ending};

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn arm() -> Loaded {
    let loaded = load(&tests().join("data/mjcf/arm.xml"), &LoadOptions::default());
    let loaded = loaded.unwrap_or_else(|failed| panic!("{failed}"));
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    loaded
}

/// Name, position, rotation (w, x, y, z), mass, centre of mass and inertia (xx, yy, zz, xy, xz, yz, about the centre, in the
/// axes of the body) of the bodies of the model.
type Body = (&'static str, [f64; 3], [f64; 4], f64, [f64; 3], [f64; 6]);

/// Values of MuJoCo 4.0.0 for `pan` = 0.4, `tilt` = −0.3, `slide` = 0.05, with the coupled joint where the coupling has it.
#[rustfmt::skip]
const BODIES: [Body; 5] = [
    ("base", [0.1, 0.2, 0.5], [0.965925826289, 0.0, 0.0, 0.258819045103], 2.51327412287, [0.0, 0.0, 0.0],
        [0.00837758040957, 0.00837758040957, 0.0125663706144, 0.0, 0.0, 0.0]),
    ("upper", [0.135844471761, 0.220000951859, 0.636616851917], [0.864621277723, 0.230458517947, -0.200790262815, 0.398750784291],
        1.73747803152, [0.141366797319, 0.0, 0.0620501959784],
        [0.00299185446404, 0.0181824155757, 0.0164142289675, 0.0, -0.00334309613165, 0.0]),
    ("lower", [0.275114231715, 0.331123911969, 0.918928547758], [0.329420185061, 0.0209786243901, -0.304938937256, 0.893338952212],
        0.7, [0.01, 0.02, 0.03],
        [0.00333207756233, 0.0033687534626, 0.00229916897507, 0.00047135734072, -0.000624930747922, -0.000136288088643]),
    ("finger", [0.224629046905, 0.399241160319, 0.900582229005], [0.785432305814, 0.193489823302, -0.236621103062, 0.538208356353],
        0.256, [0.0, 0.05, 0.0],
        [0.000770092398112, 0.000728169788148, 0.000344937813741, 0.000136738270427, -0.000252346839255, 0.00029397815017]),
    ("ball", [1.0, 0.0, 0.2], [1.0, 0.0, 0.0, 0.0], 0.2, [0.0, 0.0, 0.0], [0.0008, 0.0008, 0.0008, 0.0, 0.0, 0.0]),
];

fn value(variable: &str) -> f64 {
    match variable {
        "pan" => 0.4,
        "tilt" => -0.3,
        "slide" => 0.05,
        _ => 0.0,
    }
}

#[test]
fn bodies_are_where_mujoco_has_them() {
    let scene = arm().scene;
    assert_eq!(
        Vec::from_iter(scene.variables()),
        ["pan", "slide", "tilt"],
        "the follower has no variable"
    );
    let poses = scene.absolute_poses(value);
    let pose = |name: &str| poses[scene.frame_index(name).unwrap_or_else(|| panic!("{name}"))];
    for (name, place, [w, x, y, z], ..) in BODIES {
        let expected = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
        let found = pose(name);
        let apart = (found.translation.vector - Vector3::from(place)).norm();
        assert!(apart < 1e-9, "{name}: {found}");
        assert!(found.rotation.angle_to(&expected) < 1e-9, "{name}: {found}");
    }
    let tip = Vector3::new(0.29991071743, 0.343232780986, 0.87723310931);
    assert!((pose("tip").translation.vector - tip).norm() < 1e-9);
    let tilt = scene
        .frames()
        .iter()
        .find_map(|frame| frame.joint.axis().filter(|axis| axis.variable == "tilt"));
    let limits = tilt.and_then(|axis| axis.limits.position).unwrap();
    assert!(
        (limits[0] + 90_f64.to_radians()).abs() < 1e-12
            && (limits[1] - 60_f64.to_radians()).abs() < 1e-12
    );
}

/// Mass, first moment and inertia about the origin of a body.
type Moments = (f64, Vector3<f64>, Matrix3<f64>);

/// Adds the masses of a frame and of all that is fixed to it.
fn gather(scene: &Scene, name: &str, body_from_frame: Isometry3<f64>, sum: &mut Moments) {
    let frame = scene.frame(name).unwrap();
    let mass = frame.mass.unwrap_or(0.0);
    let center = body_from_frame * nalgebra::Point3::from(frame.center_of_mass.unwrap_or_default());
    let [xx, yy, zz, xy, xz, yz] = frame.inertia.unwrap_or_default();
    let own = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
    let turn = body_from_frame.rotation.to_rotation_matrix();
    let about = |at: Vector3<f64>| Matrix3::identity() * at.norm_squared() - at * at.transpose();
    sum.0 += mass;
    sum.1 += center.coords * mass;
    sum.2 += turn.matrix() * own * turn.matrix().transpose() + about(center.coords) * mass;
    for child in scene.children(Some(name)) {
        if matches!(child.joint, Joint::Fixed) {
            gather(scene, &child.name, body_from_frame * child.pose, sum);
        }
    }
}

#[test]
fn masses_are_those_of_mujoco() {
    let scene = arm().scene;
    for (name, _, _, mass, center, inertia) in BODIES {
        let mut sum = (0.0, Vector3::zeros(), Matrix3::zeros());
        gather(&scene, name, Isometry3::identity(), &mut sum);
        assert!((sum.0 - mass).abs() < 1e-9, "{name}: {}", sum.0);
        let found = sum.1 / sum.0;
        assert!(
            (found - Vector3::from(center)).norm() < 1e-9,
            "{name}: {found}"
        );
        let about = Matrix3::identity() * found.norm_squared() - found * found.transpose();
        let moments = sum.2 - about * sum.0;
        let places = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
        for (place, expected) in places.into_iter().zip(inertia) {
            assert!(
                (moments[place] - expected).abs() < 1e-9,
                "{name} {place:?}: {moments}"
            );
        }
    }
}

#[test]
fn only_geoms_collide_that_collide_in_mujoco() {
    let scene = arm().scene;
    let allowed = scene.allowed_collisions();
    let geom = |body: &str| {
        let mut frames = scene
            .children(Some(body))
            .filter(|frame| !frame.geometry.is_empty());
        frames.next().unwrap().name.clone()
    };
    let [base, upper, finger] = ["base", "upper", "finger"].map(geom);
    let may = |one: &str, other: &str| {
        let (one, other) = (one.to_owned(), other.to_owned());
        let pair = (one.clone().min(other.clone()), one.max(other));
        !allowed.contains(&pair)
    };
    assert!(!may(&upper, "box"), "a body and the one that carries it");
    assert!(!may(&finger, "box"), "excluded");
    assert!(may(&upper, &base), "the base does not move, as the world");
    assert!(may(&upper, "floor") && may("box", &base));
}

#[test]
fn a_model_runs_as_a_scene_and_as_a_robot() {
    let text = r#"Simulation(scene: "arm.xml", joints: { "tilt": (stiffness: 200, damping: 20, position: 0.2) })"#;
    let data = tests().join("data/mjcf");
    let mut simulation =
        Simulation::parse(text, &data, &no_extensions).unwrap_or_else(|error| panic!("{error}"));
    simulation.run(60).unwrap();
    let ball = simulation.body("ball").unwrap().pose.translation.z;
    assert!((ball - 0.1).abs() < 5e-3, "it lies on the floor: {ball}");
    // Two robots stand where they are put.
    let text = r#"Simulation(robots: {
        "a": (model: "arm.xml", at: (translation: (0, 0, 0))), "b": (model: "arm.xml", at: (translation: (5, 0, 0))),
    })"#;
    let mut simulation =
        Simulation::parse(text, &data, &no_extensions).unwrap_or_else(|error| panic!("{error}"));
    simulation.run(60).unwrap();
    let base = |name: &str| {
        simulation
            .body(name)
            .map(|body| body.pose.translation.vector)
    };
    let frames = simulation.paths();
    assert!(frames.contains(&"b.upper".to_owned()), "{frames:?}");
    assert!(base("a.ball").is_some() && base("b.ball").is_some_and(|ball| ball.x > 5.5));
}

#[test]
fn every_bad_model_is_explained() {
    let folder = tests().join("golden/mjcf");
    let mut files = with_ending(&folder, "xml");
    files.retain(|file| !file.ends_with("part.xml"));
    assert!(files.len() >= 7, "{} bad files", files.len());
    explained(&files, &folder);
    let texts = with_ending(&folder, "txt").into_iter();
    let texts: String = texts
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let missing: Vec<&&str> = codes::ALL
        .iter()
        .filter(|code| !texts.contains(&format!("[{code}]")) && !code.ends_with("too-large"))
        .collect();
    assert!(missing.is_empty(), "no golden text shows {missing:?}");
}

#[test]
fn damaged_models_are_refused_without_a_panic() {
    let mut random = morse_api::random::Random::new(5, "mjcf", "mutations");
    let text = std::fs::read_to_string(tests().join("data/mjcf/arm.xml")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("damaged.xml");
    let mut below = |count: usize| (random.uniform() * count as f64) as usize;
    let mut read = 0;
    for _ in 0..2_000 {
        let mut words: Vec<&str> = text.split_inclusive([' ', '"', '>']).collect();
        for _ in 0..=below(3) {
            let (from, to) = (below(words.len()), below(words.len()));
            match below(3) {
                0 => words.swap(from, to),
                1 => drop(words.remove(from)),
                _ => words.insert(to, words[from]),
            }
        }
        std::fs::write(&file, words.concat()).unwrap();
        read += usize::from(load(&file, &LoadOptions::default()).is_ok());
    }
    assert!((100..1_900).contains(&read), "{read} of 2000 can be read");
}

#[test]
fn large_models_are_refused_and_explained() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("many.xml");
    let geoms: String = (0..700)
        .map(|number| format!("<body><joint name=\"j{number}\"/><geom size=\"1\"/></body>"))
        .collect();
    std::fs::write(
        &file,
        format!("<mujoco><worldbody>{geoms}</worldbody></mujoco>"),
    )
    .unwrap();
    let failed = load(&file, &LoadOptions::default()).unwrap_err();
    assert!(
        failed
            .diagnostics
            .iter()
            .any(|problem| problem.code == "mjcf::too-large"),
        "{failed}"
    );
    // Endless includes and bombs.
    std::fs::write(&file, "<mujoco><include file=\"many.xml\"/></mujoco>").unwrap();
    let failed = load(&file, &LoadOptions::default()).unwrap_err();
    assert!(failed.to_string().contains("is included again"), "{failed}");
    let deep = "<mujoco><worldbody>".to_owned() + &"<body>".repeat(100_000);
    std::fs::write(&file, deep).unwrap();
    let failed = load(&file, &LoadOptions::default()).unwrap_err();
    assert!(
        failed
            .diagnostics
            .iter()
            .any(|problem| problem.code == "xml::too-deep"),
        "{failed}"
    );
}
