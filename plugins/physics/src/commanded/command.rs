//! Commanded velocity of a robot.
use bevy_rapier3d::rapier::prelude::RigidBody;
use morse_api::body::BodyKind;
use morse_mechanisms::Motion;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use super::arc;
use crate::{
    convert,
    engine::{BodyRow, EngineItem},
    held,
};

/// Turning rate from which a driven robot counts as turning, rad/s.
const TURNING: f64 = 1e-3;

/// A velocity that is commanded to a body in this tick.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Command {
    /// Velocity of the body's origin, body axes, m/s.
    pub(crate) linear: Vector3<f64>,
    /// Angular velocity, body axes, rad/s.
    pub(crate) angular: Vector3<f64>,
    pub(crate) is_ground_robot: bool,
    /// True if contacts with the ground drive the body; otherwise its velocity is set.
    pub(crate) rolls: bool,
    /// True if the command differs from that of the previous tick.
    pub(crate) is_new: bool,
}

impl Command {
    /// Returns true if the command wakes the body; a body at rest with an unchanged command may sleep.
    pub(crate) fn wakes(&self) -> bool {
        self.is_new || self.linear.amax() > 0.0 || self.angular.amax() > 0.0
    }

    pub(super) fn turns(&self) -> bool {
        self.angular.z.abs() > TURNING
    }

    pub(super) fn times(&self, share: f64) -> Self {
        Self {
            linear: self.linear * share,
            angular: self.angular * share,
            ..*self
        }
    }

    /// Returns the velocity along x and y (m/s) and about z (rad/s), body axes.
    pub(crate) fn planar(&self) -> Vector3<f64> {
        Vector3::new(self.linear.x, self.linear.y, self.angular.z)
    }

    /// Returns the velocity of the body's origin, world axes.
    pub(crate) fn in_world(&self, rotation: &UnitQuaternion<f64>) -> Motion {
        Motion {
            angular: rotation * self.angular,
            linear: rotation * self.linear,
        }
    }

    /// Returns the velocity of the body's origin, world axes, for a body that moves with these itself.
    pub(super) fn velocities(
        &self,
        pose: &Isometry3<f64>,
        own_linear: &Vector3<f64>,
        own_angular: &Vector3<f64>,
    ) -> (Vector3<f64>, Vector3<f64>) {
        let mut linear = pose.rotation * self.linear;
        let mut angular = pose.rotation * self.angular;
        if self.is_ground_robot {
            linear.z = own_linear.z;
            angular.x = own_angular.x;
            angular.y = own_angular.y;
        }
        (linear, angular)
    }

    /// Sets the velocity of the body. A ground robot keeps its vertical velocity and its roll and pitch rates, which gravity
    /// and the ground determine.
    ///
    /// With a length of the `step` (s), the velocity is the mean on the body's arc in that step.
    pub(super) fn impose(&self, engine: &mut EngineItem<'_, '_>, row: &BodyRow, step: Option<f64>) {
        let body_poses = &mut *engine.body_poses;
        let Some(body) = engine.bodies.bodies.get_mut(row.handle) else {
            return;
        };
        let (linear, angular) = self.start(body, &body_poses.of(body), row);
        let linear = step.map_or(linear, |step| arc::mean(&linear, &angular, step));
        body_poses.set_velocities(body, [held::allowed(row, linear), angular], self.wakes());
    }

    /// Returns the commanded velocity at the present orientation: of the centre of mass, and the angular velocity; world
    /// axes.
    pub(super) fn start(
        &self,
        body: &RigidBody,
        pose: &Isometry3<f64>,
        row: &BodyRow,
    ) -> (Vector3<f64>, Vector3<f64>) {
        let arm = pose.rotation * convert::vector(body.local_center_of_mass());
        let (own_linear, own_angular) = if row.kind == BodyKind::Kinematic {
            (Vector3::zeros(), Vector3::zeros())
        } else {
            let angular = convert::vector(body.angvel());
            (
                convert::vector(body.linvel()) - angular.cross(&arm),
                angular,
            )
        };
        let (linear, angular) = self.velocities(pose, &own_linear, &own_angular);
        let angular = held::allowed_turn(row, angular);
        (linear + angular.cross(&arm), angular)
    }

    /// Returns true if only the command moves the body.
    pub(super) fn is_alone(&self, row: &BodyRow) -> bool {
        row.kind == BodyKind::Kinematic || !self.is_ground_robot
    }
}
