//! Bodies that are held: on locked axes at all times, and in MORSE's motion by the actuator that poses them.
//!
//! A held robot has neither velocity nor weight: it is at its pose when sensors measure, however deep in the ground that is,
//! and begins to fall when the actuator is deactivated.

use bevy_rapier3d::rapier::prelude::{LockedAxes, RigidBody};
use nalgebra::{Isometry3, Vector3};

use super::{
    convert,
    engine::{BodyRow, EngineItem, Tables},
};

/// Holds a body at its pose until [`release`]: no contact or force moves it. It does not fall asleep, so that it falls at
/// once when it is released.
pub(super) fn hold(body: &mut RigidBody) {
    body.set_linvel(Default::default(), true);
    body.set_angvel(Default::default(), true);
    body.set_gravity_scale(0.0, false);
    body.set_locked_axes(LockedAxes::all(), false);
    body.wake_up(true);
}

/// Releases a body, except on its locked axes.
pub(super) fn release(body: &mut RigidBody, row: &BodyRow) {
    body.set_gravity_scale(row.gravity_scale(), false);
    body.set_locked_axes(row.locked, false);
}

/// Moves the descendants of a body that was moved past physics, such as its wheels.
pub(super) fn carry_jointed(
    engine: &mut EngineItem<'_, '_>,
    tables: &Tables,
    body_index: usize,
    from: &Isometry3<f64>,
    to: &Isometry3<f64>,
) {
    if convert::is_same(from, to) {
        return;
    }
    let by = to * from.inverse();
    for (index, row) in tables.robot_of(body_index) {
        if index == body_index || row.is_posed {
            continue;
        }
        let body_poses = &engine.body_poses;
        let body = engine.bodies.bodies.get(row.handle);
        let Some(pose) = body.map(|body| by * body_poses.of(body)) else {
            continue;
        };
        if engine.is_lost(row) {
            continue;
        }
        engine.put(row.handle, &pose, true);
        if let Some(body) = engine.movable(row) {
            body.set_linvel(Default::default(), true);
            body.set_angvel(Default::default(), true);
        }
    }
}

/// Returns the components of a body's velocity (world axes) that its locks allow.
pub(super) fn allowed(row: &BodyRow, velocity: Vector3<f64>) -> Vector3<f64> {
    const AXES: [LockedAxes; 3] = [
        LockedAxes::TRANSLATION_LOCKED_X,
        LockedAxes::TRANSLATION_LOCKED_Y,
        LockedAxes::TRANSLATION_LOCKED_Z,
    ];
    without(row.locked, AXES, velocity)
}

/// Returns the components of a body's turning rate (world axes) that its locks allow.
pub(super) fn allowed_turn(row: &BodyRow, rate: Vector3<f64>) -> Vector3<f64> {
    const AXES: [LockedAxes; 3] = [
        LockedAxes::ROTATION_LOCKED_X,
        LockedAxes::ROTATION_LOCKED_Y,
        LockedAxes::ROTATION_LOCKED_Z,
    ];
    without(row.locked, AXES, rate)
}

fn without(locked: LockedAxes, axes: [LockedAxes; 3], mut vector: Vector3<f64>) -> Vector3<f64> {
    for (coordinate, axis) in vector.iter_mut().zip(axes) {
        if locked.contains(axis) {
            *coordinate = 0.0;
        }
    }
    vector
}
