//! Joints as components see them: one entity per configuration variable.
use bevy::prelude::*;
use nalgebra::{Isometry3, Point3, Quaternion, UnitQuaternion, UnitVector3, Vector3};
use serde::{Deserialize, Serialize};

use crate::{component::ComponentPath, names::short_name, state::Stateful};

/// Name and kind of a configuration variable. Its entity also has [`JointState`] and [`JointTarget`].
#[derive(Component, Clone, Debug)]
pub struct JointVariable {
    /// The variable's full name, such as `arm.s0`.
    pub name: String,
    /// True if it is an angle (rad); otherwise it is a length (m).
    pub is_angle: bool,
    /// Minimum and maximum position (rad or m); infinite where there is no limit.
    pub limits: [f64; 2],
    /// Maximum speed (rad/s or m/s); infinite where there is no limit.
    pub max_velocity: f64,
    /// Maximum effort (N·m or N); infinite where there is no limit.
    pub max_effort: f64,
}

impl JointVariable {
    /// Returns the variable's name without the prefix of the robot's name.
    #[must_use]
    pub fn short_name(&self, robot: Option<&ComponentPath>) -> &str {
        short_name(&self.name, robot)
    }
}

/// Position, velocity and effort of a variable after the last tick. Written by the physics only.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
#[doc(alias("qpos", "qvel"))]
pub struct JointState {
    /// Position, rad or m, without the joint's offset, continuous over full turns.
    #[doc(alias("qpos"))]
    pub position: f64,
    /// Velocity, rad/s or m/s.
    #[doc(alias("qvel"))]
    pub velocity: f64,
    /// Effort of the motor in the last tick, N·m or N.
    #[doc(alias("qfrc_actuator", "torque"))]
    pub effort: f64,
}

/// Target of a variable, in force until the next one. Written by actuators.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[doc(alias("ctrl"))]
pub enum JointTarget {
    /// No motor: the joint swings freely (damping aside).
    #[default]
    Free,
    /// Reach and hold a position, rad or m.
    Position(f64),
    /// Like `Position`, but a kinematic joint reaches it at once, regardless of its maximum speed.
    Jump(f64),
    /// Reach and hold a velocity, rad/s or m/s.
    Velocity(f64),
    /// Exert an effort, N·m or N.
    Effort(f64),
    /// Pull towards a position as a spring and a damper do; a kinematic joint moves to the position.
    Impedance(Impedance),
}

/// Target of an impedance control. The effort is `stiffness·(position − q) + damping·(velocity − v) + effort`, limited to the
/// maximum of the motor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Impedance {
    /// Position, rad or m.
    pub position: f64,
    /// Velocity, rad/s or m/s.
    pub velocity: f64,
    /// Stiffness, N·m/rad or N/m, 0 or more.
    pub stiffness: f64,
    /// Damping, N·m·s/rad or N·s/m, 0 or more.
    pub damping: f64,
    /// Additional effort, N·m or N.
    pub effort: f64,
}

impl Impedance {
    /// Returns true if all numbers are finite, and stiffness and damping not negative.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let numbers = [self.position, self.velocity, self.effort];
        let gains = [self.stiffness, self.damping];
        numbers
            .iter()
            .chain(&gains)
            .all(|number| number.is_finite())
            && gains.iter().all(|gain| *gain >= 0.0)
    }
}

/// Position of a variable's first joint on its robot, and extent of the body that it moves. A component of the variable's
/// entity; computed once, from the poses at the start.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub struct JointLocation {
    /// Position of the joint in the frame of the robot's base, or of the world without a robot, m.
    pub position: Point3<f64>,
    /// Direction of the joint's axis in that frame.
    pub axis: Vector3<f64>,
    /// Greatest distance of the solids of the child body from the axis, m: the radius of a wheel.
    pub radius: f64,
    /// Interval along the axis, relative to the joint, of the solids at that distance, m: the width of a tyre.
    pub tread: [f64; 2],
}

/// The variables of a robot in the order in which the scene declares their frames. In a robot description each joint comes
/// before its descendants, and siblings are in the order of the file. A component of the robot's base body.
#[derive(Component, Clone, Debug, Default)]
pub struct RobotJoints(pub Vec<Entity>);

/// A joint between two bodies. A component of the child body, whose origin is at the joint.
#[derive(Component, Clone, Copy, Debug)]
pub struct BodyJoint {
    /// The parent body.
    pub parent: Entity,
    /// The configuration variable that moves it.
    pub variable: Entity,
    /// Pose of the joint, and the motion that it allows.
    pub shape: JointShape,
}

/// Pose of a joint on the parent body, and the motion that it allows the child body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointShape {
    /// Pose of the joint at position zero in the frame of the parent body.
    pub parent_from_joint: Isometry3<f64>,
    /// Direction of the axis, in joint axes.
    pub axis: UnitVector3<f64>,
    /// True for a revolute joint; false for a prismatic joint.
    pub is_angle: bool,
    /// Travel per unit of the variable: m for a prismatic joint, rad for a revolute joint.
    pub travel: f64,
    /// Offset that is added to the variable.
    pub offset: f64,
}

impl JointShape {
    /// Returns the pose of the child body in the frame of the parent body, for a value of the variable.
    #[must_use]
    pub fn parent_from_child(&self, value: f64) -> Isometry3<f64> {
        let moved = value + self.offset;
        let mut pose = self.parent_from_joint;
        if self.is_angle {
            return pose * rotation_about(&self.axis, moved * self.travel);
        }
        let along = pose.rotation * self.axis.into_inner();
        pose.translation.vector += along * (moved * self.travel);
        pose
    }
}

/// Returns the rotation by an angle about an axis, with `libm`'s sine and cosine.
#[must_use]
pub fn rotation_about(axis: &UnitVector3<f64>, angle: f64) -> UnitQuaternion<f64> {
    let (sin, cos) = libm::sincos(angle / 2.0);
    let imaginary = axis.into_inner() * sin;
    UnitQuaternion::new_unchecked(Quaternion::from_parts(cos, imaginary))
}

/// Angles of a pan-tilt unit that is not in the scene. Written by the unit only; it is state.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PanTilt {
    /// Pan, to the left, rad.
    pub pan: f64,
    /// Tilt, downwards, rad.
    pub tilt: f64,
}

impl Stateful for PanTilt {}

/// Variables for pan and tilt of a unit that is in the scene.
#[derive(Component, Clone, Copy, Debug)]
pub struct PanTiltJoints(pub [Entity; 2]);
