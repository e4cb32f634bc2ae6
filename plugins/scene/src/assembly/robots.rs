//! The robots of an assembly by frame.

use std::collections::BTreeMap;

use nalgebra::Vector3;

use super::{Assembly, RobotBase};
use crate::model::{Frame, Joint, JointAxis};

/// The robots of an assembly by frame, so that nobody has to look through all of them.
pub(super) struct Robots<'a> {
    /// Path and base of the robot whose base is this frame.
    bases: BTreeMap<&'a str, (&'a str, &'a RobotBase)>,
    /// Path of the robot that a frame hangs on, for frames of robots.
    of: BTreeMap<&'a str, &'a str>,
}

impl<'a> Robots<'a> {
    pub(super) fn of(assembly: &'a Assembly) -> Self {
        let mut bases = BTreeMap::new();
        for (path, robot) in &assembly.robots {
            // Of two robots on one frame, the first one counts.
            bases
                .entry(robot.frame.as_str())
                .or_insert((path.as_str(), robot));
        }
        let mut of = BTreeMap::new();
        for frame in assembly.scene.parents_first() {
            let own = bases.get(frame.name.as_str()).map(|(path, _)| *path);
            let parent = frame.parent.as_deref();
            let robot = own.or_else(|| of.get(parent?).copied());
            of.extend(robot.map(|robot| (frame.name.as_str(), robot)));
        }
        Self { bases, of }
    }

    /// The robot whose base a frame is.
    pub(super) fn based_on(&self, frame: &str) -> Option<&'a RobotBase> {
        self.bases.get(frame).map(|(_, robot)| *robot)
    }

    /// Path of the robot whose base a frame hangs on.
    pub(super) fn of_frame(&self, frame: &str) -> Option<&'a str> {
        self.of.get(frame).copied()
    }

    /// Tells whether a frame moves on what it hangs on, be it the root.
    pub(super) fn has_joint(&self, frame: &Frame) -> bool {
        let moves = match &frame.joint {
            Joint::Fixed | Joint::Floating => false,
            Joint::Revolute(_) => true,
            Joint::Prismatic(axis) => !is_still(axis),
        };
        moves && self.based_on(&frame.name).is_none()
    }
}

/// Tells whether an axis moves nothing.
pub(super) fn is_still(axis: &JointAxis) -> bool {
    axis.axis == Vector3::zeros()
}
