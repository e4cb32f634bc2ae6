//! Conversions between the numbers of this program (f64) and of the engine (f32).

use bevy::math::{Quat, Vec3};
use bevy::prelude::Transform;
use bevy_rapier3d::rapier::{math::Pose, prelude::LockedAxes};
use morse_scene::locked::Locked;
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};

/// Converts a vector to the engine's type.
pub(super) fn vec3(vector: &Vector3<f64>) -> Vec3 {
    Vec3::new(vector.x as f32, vector.y as f32, vector.z as f32)
}

/// Converts a rotation to the engine's type, normalised in f32.
pub(super) fn quat(rotation: &UnitQuaternion<f64>) -> Quat {
    let [x, y, z, w] = rotation.coords.map(|coordinate| coordinate as f32).into();
    Quat::from_xyzw(x, y, z, w).normalize()
}

/// Converts a pose to the engine's type.
pub(super) fn pose(pose: &Isometry3<f64>) -> Pose {
    Pose::from_parts(vec3(&pose.translation.vector), quat(&pose.rotation))
}

/// Converts locked axes to the engine's type.
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

/// Relative rounding error of the engine.
const SHARE: f64 = 4.0 * f32::EPSILON as f64;

/// Returns true if two poses relative to the engine's origin differ by rounding only.
pub(super) fn is_rounding(one: &Isometry3<f64>, other: &Isometry3<f64>) -> bool {
    let scale = one.translation.vector.amax().max(1.0);
    are_near(one, other, SHARE * scale)
}

/// Returns true if two poses differ by less than a micrometre.
pub(super) fn is_same(one: &Isometry3<f64>, other: &Isometry3<f64>) -> bool {
    are_near(one, other, SHARE)
}

fn are_near(one: &Isometry3<f64>, other: &Isometry3<f64>, max_distance: f64) -> bool {
    let apart = one.translation.vector - other.translation.vector;
    apart.amax() <= max_distance && one.rotation.angle_to(&other.rotation) <= 4.0 * SHARE
}

/// Converts a vector from the engine's type.
pub(super) fn vector(vector: Vec3) -> Vector3<f64> {
    Vector3::new(
        f64::from(vector.x),
        f64::from(vector.y),
        f64::from(vector.z),
    )
}

/// Converts a point from the engine's type.
pub(super) fn point(point: Vec3) -> Point3<f64> {
    vector(point).into()
}

/// Converts a rotation from the engine's type.
pub(super) fn rotation(rotation: Quat) -> UnitQuaternion<f64> {
    let [x, y, z, w] = rotation.to_array().map(f64::from);
    UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z))
}

/// Converts a pose from the engine's type.
pub(super) fn isometry(pose: &Pose) -> Isometry3<f64> {
    Isometry3::from_parts(
        Translation3::from(vector(pose.translation)),
        rotation(pose.rotation),
    )
}

/// Converts a pose to Bevy's type, for rendering only.
pub fn transform(pose: &Isometry3<f64>) -> Transform {
    Transform {
        translation: vec3(&pose.translation.vector),
        rotation: quat(&pose.rotation),
        scale: Vec3::ONE,
    }
}
