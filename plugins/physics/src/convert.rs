//! The border between this program's numbers (f64) and the engine's (f32).

use bevy::math::{Quat, Vec3};
use bevy::prelude::Transform;
use bevy_rapier3d::rapier::{math::Pose, prelude::LockedAxes};
use morse_scene::locked::Locked;
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};

/// A vector for the engine.
pub(super) fn vec3(vector: &Vector3<f64>) -> Vec3 {
    Vec3::new(vector.x as f32, vector.y as f32, vector.z as f32)
}

/// A rotation for the engine: of unit length in f32 as well.
pub(super) fn quat(rotation: &UnitQuaternion<f64>) -> Quat {
    let [x, y, z, w] = rotation.coords.map(|part| part as f32).into();
    Quat::from_xyzw(x, y, z, w).normalize()
}

/// A pose for the engine.
pub(super) fn pose(pose: &Isometry3<f64>) -> Pose {
    Pose::from_parts(vec3(&pose.translation.vector), quat(&pose.rotation))
}

/// Locked axes for the engine.
pub(super) fn axes(locked: &Locked) -> LockedAxes {
    let [x, y, z] = locked.translation;
    let [roll, pitch, yaw] = locked.rotation;
    let mut axes = LockedAxes::empty();
    axes.set(LockedAxes::TRANSLATION_LOCKED_X, x);
    axes.set(LockedAxes::TRANSLATION_LOCKED_Y, y);
    axes.set(LockedAxes::TRANSLATION_LOCKED_Z, z);
    axes.set(LockedAxes::ROTATION_LOCKED_X, roll);
    axes.set(LockedAxes::ROTATION_LOCKED_Y, pitch);
    axes.set(LockedAxes::ROTATION_LOCKED_Z, yaw);
    axes
}

/// Rounding of the engine, as a share.
const SHARE: f64 = 4.0 * f32::EPSILON as f64;

/// Tells whether two poses about the engine's origin differ by no more than its rounding makes them.
pub(super) fn is_rounding(one: &Isometry3<f64>, other: &Isometry3<f64>) -> bool {
    let scale = one.translation.vector.amax().max(1.0);
    are_near(one, other, SHARE * scale)
}

/// Tells whether two poses are the same, but for less than a micrometre.
pub(super) fn is_same(one: &Isometry3<f64>, other: &Isometry3<f64>) -> bool {
    are_near(one, other, SHARE)
}

fn are_near(one: &Isometry3<f64>, other: &Isometry3<f64>, way: f64) -> bool {
    let apart = one.translation.vector - other.translation.vector;
    apart.amax() <= way && one.rotation.angle_to(&other.rotation) <= 4.0 * SHARE
}

/// A vector of the engine.
pub(super) fn vector(vector: Vec3) -> Vector3<f64> {
    Vector3::new(
        f64::from(vector.x),
        f64::from(vector.y),
        f64::from(vector.z),
    )
}

/// A point of the engine.
pub(super) fn point(point: Vec3) -> Point3<f64> {
    vector(point).into()
}

/// A rotation of the engine.
pub(super) fn rotation(rotation: Quat) -> UnitQuaternion<f64> {
    let [x, y, z, w] = rotation.to_array().map(f64::from);
    UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z))
}

/// A pose of the engine.
pub(super) fn isometry(pose: &Pose) -> Isometry3<f64> {
    Isometry3::from_parts(
        Translation3::from(vector(pose.translation)),
        rotation(pose.rotation),
    )
}

/// A pose for Bevy, which draws with it and computes nothing.
pub fn transform(pose: &Isometry3<f64>) -> Transform {
    Transform {
        translation: vec3(&pose.translation.vector),
        rotation: quat(&pose.rotation),
        scale: Vec3::ONE,
    }
}
