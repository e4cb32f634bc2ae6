//! Index of the robots of an assembly by frame.

use std::collections::BTreeMap;

use nalgebra::Vector3;

use super::{Assembly, RobotBase};
use crate::model::{Frame, Joint, JointAxis};

/// Robots of an assembly, indexed by frame to avoid a search through all of them.
pub(super) struct Robots<'a> {
    /// Path and settings of the robot whose base is this frame.
    bases: BTreeMap<&'a str, (&'a str, &'a RobotBase)>,
    /// Path of the robot to which a frame belongs.
    of: BTreeMap<&'a str, &'a str>,
}

impl<'a> Robots<'a> {
    pub(super) fn of(assembly: &'a Assembly) -> Self {
        let mut bases = BTreeMap::new();
        for (path, robot) in &assembly.robots {
            // If two robots have the same base frame, the first one is used.
            bases
                .entry(robot.frame.as_str())
                .or_insert((path.as_str(), robot));
        }
        let mut of = BTreeMap::new();
        if bases.is_empty() {
            return Self { bases, of };
        }
        for frame in assembly.scene.parents_first() {
            let own = bases.get(frame.name.as_str()).map(|(path, _)| *path);
            let parent = frame.parent.as_deref();
            let robot = own.or_else(|| of.get(parent?).copied());
            of.extend(robot.map(|robot| (frame.name.as_str(), robot)));
        }
        Self { bases, of }
    }

    /// Returns the robot whose base is this frame.
    pub(super) fn based_on(&self, frame: &str) -> Option<&'a RobotBase> {
        self.bases.get(frame).map(|(_, robot)| *robot)
    }

    /// Returns the path of the robot to which a frame belongs.
    pub(super) fn of_frame(&self, frame: &str) -> Option<&'a str> {
        self.of.get(frame).copied()
    }

    /// Returns true if a frame moves relative to its parent or to the root.
    pub(super) fn has_joint(&self, frame: &Frame) -> bool {
        let moves = match &frame.joint {
            Joint::Fixed | Joint::Floating => false,
            Joint::Revolute(_) => true,
            Joint::Prismatic(axis) => !is_still(axis),
        };
        moves && self.based_on(&frame.name).is_none()
    }
}

/// Returns true if the axis permits no motion.
pub(super) fn is_still(axis: &JointAxis) -> bool {
    axis.axis == Vector3::zeros()
}
