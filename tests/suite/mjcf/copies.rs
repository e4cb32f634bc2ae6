//! Copies of `<replicate>`, shells, and masses of meshes, compared with MuJoCo.
//!
//! `tests/data/mjcf/masses.json` is written by `masses.py` beside it.
use std::collections::BTreeMap;

use morse_sim::scene::{
    load::{LoadOptions, Loaded, load},
    model::Scene,
};
use serde_json::Value;

use super::{numbers, pose};
use crate::golden_messages::{in_project, messages};

fn model(name: &str, is_alone: bool) -> Loaded {
    let options = LoadOptions {
        is_alone,
        ..LoadOptions::default()
    };
    let path = in_project(&format!("tests/data/mjcf/{name}.xml"));
    load(&path, &options).unwrap_or_else(|failed| panic!("{failed}"))
}

fn reference(name: &str) -> Value {
    let text = std::fs::read_to_string(in_project("tests/data/mjcf/masses.json")).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()[name].clone()
}

fn compare(scene: &Scene, expected: &Value) -> usize {
    let poses = scene.absolute_poses_at(&BTreeMap::new());
    let bodies = expected["bodies"].as_object().unwrap();
    for (name, body) in bodies {
        let apart = poses[name.as_str()].inv_mul(&pose(&numbers(&body["pose"])));
        assert!(apart.translation.vector.norm() < 1e-9, "{name}: {apart}");
        assert!(apart.rotation.angle() < 1e-7, "{name}: {apart}");
        let frame = scene.frame(name).unwrap();
        let mass = body["mass"].as_f64().unwrap();
        let center: [f64; 3] = frame.center_of_mass.unwrap().into();
        let own = [&[frame.mass.unwrap()][..], &center, &frame.inertia.unwrap()].concat();
        let other = [
            vec![mass],
            numbers(&body["center"]),
            numbers(&body["inertia"]),
        ]
        .concat();
        for (own, other) in own.iter().zip(&other) {
            // Vertices of meshes have single precision.
            assert!(
                (own - other).abs() < 3e-7 * mass.max(1.0),
                "{name}: {own}, not {other}"
            );
        }
    }
    bodies.len()
}

#[test]
fn shells_hulls_and_surfaces_have_the_masses_of_mujoco() {
    let loaded = model("masses", false);
    assert_eq!(compare(&loaded.scene, &reference("masses")), 10);
}

#[test]
fn copies_are_where_mujoco_has_them_and_keep_what_refers_to_them() {
    let loaded = model("copies", true);
    let expected = reference("copies");
    assert_eq!(compare(&loaded.scene, &expected), 23);
    assert_eq!(expected["actuators"].as_array().unwrap().len(), 22);
    assert_eq!(loaded.scene.variables().len(), 22);
    for index in 0..11 {
        for outer in 0..2 {
            let name = format!("\"j-{index:02}_{outer}\"");
            // One among the joints of the actuator, one among those of the sensor.
            assert_eq!(
                loaded.components.matches(&name).count(),
                2,
                "{}",
                loaded.components
            );
        }
    }
    // None of the copies touches the body, as MuJoCo's exclusions say.
    assert_eq!(expected["excludes"], 22);
    let pairs = loaded.scene.allowed_collisions();
    let is_apart = |name: &str| pairs.contains(&(name.to_owned(), "top-geom".to_owned()));
    assert!(is_apart("g-00_0") && is_apart("g-10_1"), "{pairs:?}");
}

#[test]
fn copies_of_copies_have_a_limit() {
    let made = tempfile::tempdir().unwrap();
    let path = made.path().join("bomb.xml");
    let mut text = "<geom size='1'/>".to_owned();
    for _ in 0..8 {
        text = format!("<replicate count='1000'>{text}</replicate>");
    }
    std::fs::write(
        &path,
        format!("<mujoco><worldbody>{text}</worldbody></mujoco>"),
    )
    .unwrap();
    let shown = messages(&path);
    assert!(
        shown.contains("`<replicate>` makes more than 200000 elements"),
        "{shown}"
    );
}
