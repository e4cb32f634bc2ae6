//! Access to the engine's bodies for trees.
use bevy::math::Vec3;
use bevy_rapier3d::rapier::prelude::{LockedAxes, RigidBody, RigidBodyType};
use morse_mechanisms::Motion;
use nalgebra::{Isometry3, Vector3};

use crate::{
    convert,
    engine::{BodyRow, EngineItem, Tables},
};

/// Displacement (m) and rotation (rad) below which the pose of a body almost at rest is not written.
const LITTLE: f64 = 2e-5;

/// Returns true if forces move a body.
pub(super) fn moves(body: &RigidBody) -> bool {
    body.is_enabled() && body.body_type() == RigidBodyType::Dynamic
}

/// Returns 1 for each axis on which a body translates and rotates, 0 for locked ones.
pub(super) fn allowed(locked: LockedAxes) -> [Vector3<f64>; 2] {
    let free = |axis: LockedAxes| f64::from(u8::from(!locked.contains(axis)));
    [
        Vector3::new(
            free(LockedAxes::TRANSLATION_LOCKED_X),
            free(LockedAxes::TRANSLATION_LOCKED_Y),
            free(LockedAxes::TRANSLATION_LOCKED_Z),
        ),
        Vector3::new(
            free(LockedAxes::ROTATION_LOCKED_X),
            free(LockedAxes::ROTATION_LOCKED_Y),
            free(LockedAxes::ROTATION_LOCKED_Z),
        ),
    ]
}

/// Returns the velocity of a body at this pose, in its own axes.
pub(super) fn carried(body: &RigidBody, pose: &Isometry3<f64>) -> Motion {
    let turn = pose.rotation.inverse();
    let angular = convert::vector(body.angvel());
    let arm = pose.rotation * convert::vector(body.local_center_of_mass());
    Motion {
        angular: turn * angular,
        linear: turn * (convert::vector(body.linvel()) - angular.cross(&arm)),
    }
}

/// Writes pose and velocities of a body. Writing a pose keeps a body awake for a while, so the pose of a body almost at rest
/// is written only after a minimum displacement; otherwise it would never fall asleep.
pub(super) fn show(
    engine: &mut EngineItem<'_, '_>,
    row: &BodyRow,
    pose: &Isometry3<f64>,
    [linear, angular]: [Vec3; 2],
    rests: bool,
) {
    show_pose(engine, row, pose, rests);
    if let Some(body) = engine.bodies.bodies.get_mut(row.handle) {
        body.set_linvel(linear, false);
        body.set_angvel(angular, false);
    }
}

/// Writes the pose of a body, and leaves its velocities unchanged.
pub(super) fn show_pose(
    engine: &mut EngineItem<'_, '_>,
    row: &BodyRow,
    pose: &Isometry3<f64>,
    rests: bool,
) {
    let body_poses = &mut *engine.body_poses;
    let Some(body) = engine.bodies.bodies.get_mut(row.handle) else {
        return;
    };
    let known = convert::isometry(body.position());
    let wanted = body_poses.origin.local(pose);
    let is_there = if rests {
        let distance = (known.translation.vector - wanted.translation.vector).norm();
        distance < LITTLE && known.rotation.angle_to(&wanted.rotation) < LITTLE
    } else {
        convert::is_rounding(&known, &wanted)
    };
    if is_there {
        body_poses.note(body, pose);
    } else {
        body_poses.put(body, pose, false);
    }
}

pub(super) fn rigid<'a>(
    engine: &'a EngineItem<'_, '_>,
    tables: &Tables,
    body: usize,
) -> Option<&'a RigidBody> {
    engine.bodies.bodies.get(tables.bodies.get(body)?.handle)
}
