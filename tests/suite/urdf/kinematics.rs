//! Kinematics and masses against those of Pinocchio 4.1 for the same descriptions (`tests/data/urdf/pinocchio.json`);
//! `tests/robots/compare.py` does it for every robot that can be installed.
use std::collections::BTreeMap;

use morse_sim::scene::model::{Frame, Scene};
use nalgebra::{Isometry3, Matrix3, Point3, Quaternion, UnitQuaternion, Vector3};
use serde_json::Value;

use super::{data, fine};

/// Tolerance in metres, in radians, and relative.
const TOLERANCE: f64 = 1e-9;

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap().iter();
    list.map(|number| number.as_f64().unwrap()).collect()
}

fn pose(numbers: &[f64]) -> Isometry3<f64> {
    let [x, y, z, i, j, k, w] = numbers.try_into().unwrap();
    let rotation = UnitQuaternion::new_normalize(Quaternion::new(w, i, j, k));
    Isometry3::from_parts(Vector3::new(x, y, z).into(), rotation)
}

/// Returns mass, centre of mass and inertia about it of all frames together.
fn whole(
    scene: &Scene,
    poses: &BTreeMap<&str, Isometry3<f64>>,
) -> (f64, Vector3<f64>, Matrix3<f64>) {
    let body = |frame: &Frame| {
        let mass = frame.mass.filter(|mass| *mass > 0.0)?;
        let pose = poses[frame.name.as_str()];
        let center = Point3::from(frame.center_of_mass.unwrap_or_default());
        let [xx, yy, zz, xy, xz, yz] = frame.inertia.unwrap();
        let own = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        let turn = pose.rotation.to_rotation_matrix();
        let own = turn.matrix() * own * turn.matrix().transpose();
        Some((mass, (pose * center).coords, own))
    };
    let bodies: Vec<_> = scene.frames().iter().filter_map(body).collect();
    let mass: f64 = bodies.iter().map(|(mass, ..)| mass).sum();
    let center: Vector3<f64> = bodies.iter().map(|(mass, center, _)| center * *mass).sum();
    let center = center / mass;
    let inertia = bodies.iter().map(|(mass, at, own)| {
        let arm = at - center;
        own + (Matrix3::identity() * arm.norm_squared() - arm * arm.transpose()) * *mass
    });
    (mass, center, inertia.sum())
}

#[test]
fn links_and_masses_are_where_pinocchio_has_them() {
    let text = std::fs::read_to_string(data().join("pinocchio.json")).unwrap();
    let cases: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert!(cases.len() >= 8);
    for case in cases {
        let file = case["file"].as_str().unwrap();
        let scene = fine(file);
        let at = case["at"].as_object().unwrap();
        let values: BTreeMap<String, f64> = at
            .iter()
            .map(|(name, value)| (name.clone(), value.as_f64().unwrap()))
            .collect();
        let known: Vec<&String> = values.keys().collect();
        assert!(scene.variables().iter().eq(known.iter()), "{file}");
        let poses = scene.absolute_poses_at(&values);
        let links = case["links"].as_object().unwrap();
        assert!(links.len() >= 6, "{file}");
        for (link, expected) in links {
            let apart = poses[link.as_str()].inv_mul(&pose(&numbers(expected)));
            let gap = apart.translation.vector.norm().max(apart.rotation.angle());
            // The angle of a small rotation is the square root of a small number.
            assert!(gap < 1e-7, "{file} {link} {values:?}: {gap}");
            assert!(apart.translation.vector.norm() < TOLERANCE, "{file} {link}");
        }
        let (mass, center, inertia) = whole(&scene, &poses);
        assert!((mass - case["mass"].as_f64().unwrap()).abs() < TOLERANCE);
        let expected = Vector3::from_vec(numbers(&case["center"]));
        assert!((center - expected).norm() < TOLERANCE, "{file} {center}");
        let [xx, yy, zz, xy, xz, yz] = numbers(&case["inertia"]).try_into().unwrap();
        let expected = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        assert!((inertia - expected).norm() < TOLERANCE, "{file} {inertia}");
    }
}
