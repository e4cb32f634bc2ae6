//! Joints as components see them: one entity a configuration variable.
use bevy::prelude::*;
use nalgebra::{Isometry3, Point3, Quaternion, UnitQuaternion, UnitVector3, Vector3};
use serde::{Deserialize, Serialize};

use crate::{component::Path, state::Stateful};

/// Name and kind of a configuration variable. Its entity also has [`JointState`] and [`JointTarget`].
#[derive(Component, Clone, Debug)]
pub struct JointVariable {
    /// The variable's full name, such as `arm.s0`.
    pub name: String,
    /// True if it is an angle (rad); otherwise it is a length (m).
    pub is_angle: bool,
    /// Lowest and highest position (rad or m); infinite where there is no limit.
    pub limits: [f64; 2],
    /// Greatest speed (rad/s or m/s); infinite where there is no limit.
    pub max_velocity: f64,
    /// Greatest effort (N·m or N); infinite where there is no limit.
    pub max_effort: f64,
}

impl JointVariable {
    /// The name that the robot has for it: without the robot's own name, where that is a prefix.
    #[must_use]
    pub fn short_name(&self, robot: Option<&Path>) -> &str {
        let stripped = robot.and_then(|robot| {
            let rest = self.name.strip_prefix(robot.as_str())?;
            rest.strip_prefix('.')
        });
        stripped.unwrap_or(&self.name)
    }
}

/// Position, velocity and effort of a variable, after the last tick. Written by the physics alone.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub struct JointState {
    /// rad or m, without the joint's offset, continuous over full turns.
    pub position: f64,
    /// rad/s or m/s.
    pub velocity: f64,
    /// Effort of the motor in the last tick, N·m or N.
    pub effort: f64,
}

/// Target of a variable, until it is given another one. Written by actuators.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum JointTarget {
    /// No motor: the joint swings freely (damping aside).
    #[default]
    Free,
    /// Reach and hold a position, rad or m.
    Position(f64),
    /// The same; a kinematic joint is there at once, whatever its greatest speed.
    Jump(f64),
    /// Reach and hold a speed, rad/s or m/s.
    Velocity(f64),
    /// Exert an effort, N·m or N.
    Effort(f64),
}

/// Place of a variable's first joint on its robot, and reach of what it moves. On the variable's entity;
/// measured once, as things stand at the start.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub struct JointPlace {
    /// The joint in the frame of the robot's base, or of the world without a robot, m.
    pub at: Point3<f64>,
    /// Direction of its axis there.
    pub axis: Vector3<f64>,
    /// Greatest distance of the solids of the body below the joint from the axis, m: the radius of a wheel.
    pub reach: f64,
    /// Where the solids that reach so far begin and end along the axis, from the joint, m: the edges of a tyre.
    pub tread: [f64; 2],
}

/// The variables that belong to a robot, in the scene's order: that in which the frames are declared; in a robot description
/// each joint before those below it, and side by side in the order of the file. On the robot's base body.
#[derive(Component, Clone, Debug, Default)]
pub struct RobotJoints(pub Vec<Entity>);

/// A joint between two bodies. On the entity of the body below it, whose origin is at the joint.
#[derive(Component, Clone, Copy, Debug)]
pub struct BodyJoint {
    /// The body above it.
    pub parent: Entity,
    /// The configuration variable that moves it.
    pub variable: Entity,
    /// Its pose, and the motion that it allows.
    pub shape: JointShape,
}

/// Pose of a joint on the body above it, and the motion that it allows the one below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointShape {
    /// Pose of the joint at zero in the frame of the body above it.
    pub parent_from_joint: Isometry3<f64>,
    /// Direction of the axis, in joint axes.
    pub axis: UnitVector3<f64>,
    /// True if it turns; otherwise it slides.
    pub is_angle: bool,
    /// Travel for one unit of the variable, m; turn, where the joint turns, rad.
    pub travel: f64,
    /// Added to the variable.
    pub offset: f64,
}

impl JointShape {
    /// Pose of the body below in the frame of the one above, for a value of the variable.
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

/// The rotation by an angle about an axis, with `libm`'s sine and cosine.
#[must_use]
pub fn rotation_about(axis: &UnitVector3<f64>, angle: f64) -> UnitQuaternion<f64> {
    let (sin, cos) = libm::sincos(angle / 2.0);
    let imaginary = axis.into_inner() * sin;
    UnitQuaternion::new_unchecked(Quaternion::from_parts(cos, imaginary))
}

/// The angles of a pan-tilt unit that is not in the scene. Written by the unit alone; it is state.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PanTilt {
    /// To the left, rad.
    pub pan: f64,
    /// Downwards, rad.
    pub tilt: f64,
}

impl Stateful for PanTilt {}

/// The variables of pan and tilt of a unit that is in the scene, whose angles are theirs.
#[derive(Component, Clone, Copy, Debug)]
pub struct PanTiltJoints(pub [Entity; 2]);
