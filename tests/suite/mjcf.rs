//! Models of MuJoCo: the resulting scenes against MuJoCo's own numbers, and error messages; `components`: what runs with
//! them.
//!
//! `tests/data/mjcf/mujoco.json` is written by `reference.py` beside it; `tests/robots/compare_mjcf.py` compares every model
//! that can be installed.
#![cfg(test)]
mod actuated;
pub(crate) mod components;
mod copies;
mod couplings;
mod springs;

use std::collections::BTreeMap;

use morse_sim::scene::{
    load::{LoadOptions, Loaded, load, parse_str},
    mjcf::codes,
    model::{Joint, Scene, Shape},
};
use nalgebra::{Isometry3, Quaternion, UnitQuaternion, Vector3};
use serde_json::Value;

use crate::golden_messages::{check, explained, in_project, messages, show_all, with_ending};

fn arm() -> Loaded {
    let loaded = load(
        &in_project("tests/data/mjcf/arm.xml"),
        &LoadOptions::default(),
    );
    loaded.unwrap_or_else(|failed| panic!("{failed}"))
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap().iter();
    list.map(|number| number.as_f64().unwrap()).collect()
}

fn pose(numbers: &[f64]) -> Isometry3<f64> {
    let [x, y, z, i, j, k, w] = numbers.try_into().unwrap();
    let rotation = UnitQuaternion::new_normalize(Quaternion::new(w, i, j, k));
    Isometry3::from_parts(Vector3::new(x, y, z).into(), rotation)
}

fn reference() -> Value {
    let text = std::fs::read_to_string(in_project("tests/data/mjcf/mujoco.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn bodies_are_where_mujoco_has_them() {
    let scene = arm().scene;
    let reference = reference();
    let cases = reference["cases"].as_array().unwrap();
    assert!(cases.len() >= 5);
    for case in cases {
        let at = case["at"].as_object().unwrap().iter();
        let values: BTreeMap<String, f64> = at
            .map(|(name, value)| (name.clone(), value.as_f64().unwrap()))
            .collect();
        assert!(scene.variables().iter().eq(values.keys()), "{values:?}");
        let poses = scene.absolute_poses_at(&values);
        let expected = case["poses"].as_object().unwrap();
        assert!(expected.len() >= 8);
        for (body, expected) in expected {
            let apart = poses[body.as_str()].inv_mul(&pose(&numbers(expected)));
            assert!(apart.translation.vector.norm() < 1e-9, "{body}: {apart}");
            assert!(apart.rotation.angle() < 1e-7, "{body}: {apart}");
        }
    }
}

#[test]
fn masses_and_inertias_are_those_of_mujoco() {
    let scene = arm().scene;
    let reference = reference();
    for (name, expected) in reference["bodies"].as_object().unwrap() {
        let frame = scene.frame(name).unwrap();
        let near = |own: &[f64], expected: &[f64], what: &str| {
            assert_eq!(own.len(), expected.len());
            for (own, expected) in own.iter().zip(expected) {
                // Vertices of meshes have single precision.
                assert!(
                    (own - expected).abs() < 1e-7,
                    "{name} {what}: {own} {expected}"
                );
            }
        };
        let mass = expected["mass"].as_f64().unwrap();
        near(&[frame.mass.unwrap()], &[mass], "mass");
        let center: [f64; 3] = frame.center_of_mass.unwrap().into();
        near(&center, &numbers(&expected["center"]), "centre");
        near(
            &frame.inertia.unwrap(),
            &numbers(&expected["inertia"]),
            "inertia",
        );
    }
}

#[test]
fn joints_and_geoms_have_their_settings() {
    let scene = arm().scene;
    let axis = |frame: &str| scene.frame(frame).unwrap().joint.axis().unwrap().clone();
    let yaw = axis("yaw");
    assert_eq!(yaw.variable, "yaw");
    assert_eq!((yaw.armature, yaw.damping), (Some(0.01), Some(0.5)));
    let [lower, upper] = yaw.limits.position.unwrap();
    assert!((upper - std::f64::consts::FRAC_PI_2).abs() < 1e-12 && lower == -upper);
    assert_eq!(axis("slide").dry_friction, Some(0.2));
    assert_eq!(axis("fore").limits.effort, Some(20.0));
    let thumb = axis("wrist-body");
    assert_eq!(
        (thumb.variable.as_str(), thumb.ratio),
        ("finger", Some(0.5))
    );
    assert_eq!(scene.frame("ball").unwrap().joint, Joint::Floating);
    let geometry = |frame: &str| scene.frame(frame).unwrap().geometry[0].clone();
    let floor = geometry("floor");
    assert_eq!(
        floor.shape,
        Shape::Box {
            dimension: [4.0, 4.0, 1.0]
        }
    );
    assert_eq!(
        (floor.checker, floor.pattern_size),
        (Some([0.1, 0.2, 0.3]), Some(0.25))
    );
    assert_eq!(geometry("tube").friction, Some(0.7));
    assert!(!geometry("wrist-geom").visual && geometry("wrist-geom").collision);
    let apart = |one: &str, other: &str| {
        let pair = [one, other].map(str::to_owned);
        let [one, other] = pair;
        let pair = if one <= other {
            (one, other)
        } else {
            (other, one)
        };
        scene.allowed_collisions().contains(&pair)
    };
    // The parent, an excluded pair, bits that do not match, and the world, which has no children.
    assert!(apart("fore-geom", "tube") && apart("base-geom", "fore-geom"));
    assert!(apart("ball-geom", "floor") && !apart("base-geom", "floor"));
    // The base is part of the world.
    assert!(!apart("tube", "finger-geom") && !apart("base-geom", "tube"));
}

#[test]
fn meshes_and_heights_may_be_written_into_the_model() {
    let made = tempfile::tempdir().unwrap();
    let path = made.path().join("inline.xml");
    let text = "<mujoco><asset>\
        <mesh name='corner' vertex='0 0 0  1 0 0  0 1 0  0 0 1' scale='2 2 2'/>\
        <mesh name='sheet' vertex='0 0 0  1 0 0  0 1 0  0 0 1' face='0 2 1  0 1 3  0 3 2  1 2 3'/>\
        <hfield name='hill' nrow='2' ncol='3' size='3 2 1 0.1' elevation='1 2 3 4 5 6'/></asset>\
        <worldbody><geom type='hfield' hfield='hill'/><geom type='mesh' mesh='sheet' contype='0' conaffinity='0'/>\
        <body name='b' pos='0 0 3'><freejoint/><geom name='g' type='mesh' mesh='corner'/></body></worldbody></mujoco>";
    std::fs::write(&path, text).unwrap();
    let loaded = load(&path, &LoadOptions::default()).unwrap();
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    // A corner of a cube, of water: 2³/6 m³.
    let mass = loaded.scene.frame("b").unwrap().mass.unwrap();
    assert!((mass - 8000.0 / 6.0).abs() < 1e-2, "{mass}");
    let mesh = |frame: &str| {
        let frame = loaded.scene.frame(frame).unwrap();
        let Shape::Mesh(file) = &frame.geometry[0].shape else {
            panic!("a mesh");
        };
        let mesh = morse_sim::geometry::mesh::read(&file.resolved).unwrap();
        (mesh, frame.pose.translation.z)
    };
    let (hill, height) = mesh("world-geom");
    // MuJoCo has the first row at the greatest y, and heights from 0 to 1.
    let near =
        |vertex: &[f32; 3], x: f32, y: f32| (vertex[0] - x).abs() + (vertex[1] - y).abs() < 1e-5;
    for (x, y, expected) in [
        (-3.0, 2.0, 0.0),
        (3.0, 2.0, 0.4),
        (-3.0, -2.0, 0.6),
        (3.0, -2.0, 1.0),
    ] {
        let own = hill
            .vertices
            .iter()
            .find(|vertex| near(vertex, x, y))
            .unwrap();
        assert!(
            (f64::from(own[2]) + height - expected).abs() < 1e-6,
            "{own:?}"
        );
    }
    assert_eq!(mesh("world-geom-2").0.faces.len(), 4);
}

#[test]
fn binary_heights_begin_at_the_least_y() {
    let made = tempfile::tempdir().unwrap();
    let mut bytes = Vec::new();
    bytes.extend([2_i32, 3].iter().flat_map(|count| count.to_le_bytes()));
    let heights = [0.0_f32, 1.0, 2.0, 3.0, 4.0, 5.0];
    bytes.extend(heights.iter().flat_map(|height| height.to_le_bytes()));
    std::fs::write(made.path().join("hills.bin"), &bytes).unwrap();
    let path = made.path().join("hills.xml");
    let text = "<mujoco><asset><hfield name='hills' file='hills.bin' size='1 1 1 0.1'/></asset>\
        <worldbody><geom type='hfield' hfield='hills'/></worldbody></mujoco>";
    std::fs::write(&path, text).unwrap();
    let scene = load(&path, &LoadOptions::default()).unwrap().scene;
    let frame = scene.frame("world-geom").unwrap();
    let Shape::Mesh(file) = &frame.geometry[0].shape else {
        panic!("a mesh");
    };
    let mesh = morse_sim::geometry::mesh::read(&file.resolved).unwrap();
    // The heights that MuJoCo's rays meet at the corners.
    for (x, y, expected) in [
        (-1.0, -1.0, 0.0),
        (1.0, -1.0, 0.4),
        (-1.0, 1.0, 0.6),
        (1.0, 1.0, 1.0),
    ] {
        let mut corners = mesh.vertices.iter();
        let corner = corners.find(|own| (own[0] - x).abs() + (own[1] - y).abs() < 1e-6);
        let height = f64::from(corner.unwrap()[2]) + frame.pose.translation.z;
        assert!((height - expected).abs() < 1e-6, "{height} at {x} {y}");
    }
    // Damaged files are refused with the reason.
    for damage in [
        &[][..],
        &bytes[..7],
        &bytes[..31],
        &[&bytes[..], &[0]].concat(),
        &[&[0, 0, 0, 0][..], &bytes[4..]].concat(),
        &[&[255; 8][..], &bytes[8..]].concat(),
        &[&[255, 255, 255, 127][..], &bytes[4..]].concat(),
        &[&bytes[..8], &[255; 24]].concat(),
    ] {
        std::fs::write(made.path().join("hills.bin"), damage).unwrap();
        let failed = load(&path, &LoadOptions::default())
            .unwrap_err()
            .to_string();
        assert!(
            failed.contains("the height field `hills.bin` is not read"),
            "{failed}"
        );
    }
}

/// Skins cover bodies whose geoms MuJoCo does not draw.
#[test]
fn bodies_under_a_skin_are_drawn() {
    let made = tempfile::tempdir().unwrap();
    let path = made.path().join("skin.xml");
    let load_with = |assets: &str| {
        let text = format!(
            "<mujoco><asset>{assets}</asset><worldbody><body name='b'><geom name='hit' size='0.1' group='3'/>\
             <geom name='mark' size='0.1' group='4'/></body></worldbody></mujoco>"
        );
        std::fs::write(&path, text).unwrap();
        let loaded = load(&path, &LoadOptions::default()).unwrap();
        let warnings = loaded.warnings.iter().map(|one| one.message.clone());
        let visual = |name: &str| loaded.scene.frame(name).unwrap().geometry[0].visual;
        (
            visual("hit"),
            visual("mark"),
            warnings.collect::<Vec<String>>(),
        )
    };
    assert_eq!(load_with(""), (false, false, Vec::new()));
    let (hit, mark, warnings) = load_with("<skin name='fur' file='fur.skn'/><fur/>");
    assert_eq!((hit, mark), (true, false));
    let expected = ["`<skin>` is not read", "`<asset>` has no element `<fur>`"];
    assert_eq!(warnings, expected);
}

#[test]
fn contacts_do_not_hide_the_looks_of_a_body() {
    let made = tempfile::tempdir().unwrap();
    let path = made.path().join("looks.xml");
    let text = "<mujoco><asset><mesh name='m' vertex='0 0 0  1 0 0  0 1 0  0 0 1'/></asset>\
        <default><default class='visual'><geom type='mesh' contype='0' conaffinity='0' group='1'/></default></default>\
        <worldbody><body name='b'><geom name='hit' size='0.1'/><geom name='look' class='visual' mesh='m'/></body>\
        <body name='c'><geom name='own' size='0.1'/></body></worldbody></mujoco>";
    std::fs::write(&path, text).unwrap();
    let scene = load(&path, &LoadOptions::default()).unwrap().scene;
    let drawn = |name: &str| scene.frame(name).unwrap().geometry[0].visual;
    assert_eq!(
        [drawn("hit"), drawn("look"), drawn("own")],
        [false, true, true]
    );
}

#[test]
fn loops_close_at_sites_with_names_of_bodies() {
    let made = tempfile::tempdir().unwrap();
    let path = made.path().join("loop.xml");
    let body = |name: &str, y: f64| {
        format!(
            "<body name='{name}' pos='0 {y} 1'><joint type='slide' axis='1 0 0'/><geom size='0.1'/>\
             <site name='{name}' pos='0.3 0 0'/></body>"
        )
    };
    let text = format!(
        "<mujoco><worldbody>{}{}</worldbody>\
         <equality><connect site1='left' site2='right'/></equality></mujoco>",
        body("left", 0.5),
        body("right", -0.5),
    );
    std::fs::write(&path, text).unwrap();
    let scene = load(&path, &LoadOptions::default()).unwrap().scene;
    let [closure] = scene.closures() else {
        panic!("{:?}", scene.closures());
    };
    for (frame, body) in closure.frames.iter().zip(["left", "right"]) {
        let frame = scene.frame(frame).unwrap();
        assert_eq!(frame.parent.as_deref(), Some(body));
        assert!((frame.pose.translation.x - 0.3).abs() < 1e-12);
    }
}

#[test]
fn scenes_and_robots_include_models() {
    let text = "include \"arm.xml\"\nframe tool { parent wrist; translation [0, 0, 0.1]; }";
    let directory = in_project("tests/data/mjcf");
    let loaded = parse_str(text, "scene.robray", &directory, &LoadOptions::default());
    let scene: Scene = loaded.unwrap_or_else(|failed| panic!("{failed}")).scene;
    assert_eq!(
        scene.frame("tool").unwrap().parent.as_deref(),
        Some("wrist")
    );
}

#[test]
fn every_bad_model_is_explained() {
    let golden = in_project("tests/golden/mjcf");
    let files = with_ending(&golden, "xml");
    assert!(files.len() >= 18, "{} bad files", files.len());
    explained(&files);
    let made = tempfile::tempdir().unwrap();
    let nested = |inside: &str| {
        format!(
            "{}{inside}{}",
            "<body>\n".repeat(150),
            "</body>\n".repeat(150)
        )
    };
    let file = |name: &str, text: String| std::fs::write(made.path().join(name), text).unwrap();
    let outer = nested("<include file=\"inner.xml\"/>\n");
    file(
        "outer.xml",
        format!("<mujoco><worldbody>\n{outer}</worldbody></mujoco>\n"),
    );
    file(
        "inner.xml",
        format!("<mujocoinclude>\n{}</mujocoinclude>\n", nested("")),
    );
    let messages = messages(&made.path().join("outer.xml"));
    check(&golden.join("made_deep.txt"), &messages).unwrap();
}

#[test]
fn every_code_has_a_golden_text() {
    show_all(&[in_project("tests/golden/mjcf")], codes::ALL);
}

/// Loads the arm with pieces of its text removed, doubled, or replaced by hostile values.
#[test]
fn damaged_models_are_read_or_refused() {
    let data = in_project("tests/data/mjcf");
    let made = tempfile::tempdir().unwrap();
    for name in ["classes.xml", "wedge.obj"] {
        std::fs::copy(data.join(name), made.path().join(name)).unwrap();
    }
    let text = std::fs::read_to_string(data.join("arm.xml")).unwrap();
    let values = [
        "-1", "1e308", "0 0 0", "nan", "", "world", "arm arm", "&#0;", "0",
    ];
    let starts: Vec<usize> = text.match_indices("=\"").map(|(at, _)| at + 2).collect();
    let path = made.path().join("arm.xml");
    let mut refused = 0;
    for (number, start) in starts.iter().enumerate() {
        let (before, rest) = text.split_at(*start);
        let end = rest.find('"').unwrap();
        for (turn, value) in values.iter().enumerate() {
            let mut damaged = format!("{before}{value}{}", &rest[end..]);
            if (number + turn) % 5 == 0 {
                damaged.truncate(*start);
            }
            std::fs::write(&path, damaged).unwrap();
            refused += usize::from(load(&path, &LoadOptions::default()).is_err());
        }
    }
    assert!(
        starts.len() > 100 && refused > 300,
        "{refused} of {}",
        starts.len()
    );
}

#[test]
fn many_geoms_without_names_are_read_in_time() {
    let geoms = "<geom size=\"0.1\" contype=\"0\" conaffinity=\"0\"/>\n".repeat(20_000);
    let made = tempfile::tempdir().unwrap();
    let path = made.path().join("many.xml");
    std::fs::write(
        &path,
        format!("<mujoco><worldbody>{geoms}</worldbody></mujoco>"),
    )
    .unwrap();
    let loaded = load(&path, &LoadOptions::default());
    let scene = loaded.unwrap_or_else(|failed| panic!("{failed}")).scene;
    assert_eq!(scene.frames().len(), 20_001);
    assert!(scene.frame("world-geom-20000").is_some());
}
