//! Descriptions of robots, as ROS's tools read them.
use std::sync::Arc;

use bevy::prelude::Resource;
use nalgebra::Isometry3;

/// Writer of a description; `None` if there is no robot of the name.
type Write = dyn Fn(&str) -> Option<RobotDescription> + Send + Sync;

/// Descriptions of the robots of a world. Each is written when it is requested.
#[derive(Resource, Clone)]
pub struct RobotDescriptions(Arc<Write>);

impl RobotDescriptions {
    /// Returns descriptions that a function writes, given the path of a robot.
    pub fn new(write: impl Fn(&str) -> Option<RobotDescription> + Send + Sync + 'static) -> Self {
        Self(Arc::new(write))
    }

    /// Returns the description of a robot; `None` if there is no robot of this path.
    #[must_use]
    pub fn of(&self, robot: &str) -> Option<RobotDescription> {
        (self.0)(robot)
    }
}

impl Default for RobotDescriptions {
    fn default() -> Self {
        Self::new(|_| None)
    }
}

/// Description of a robot.
#[derive(Clone, Debug, Default)]
pub struct RobotDescription {
    /// The robot in URDF. Its root link is the base of the robot.
    pub urdf: String,
    /// Links of the description, in its order.
    pub links: Vec<LinkInfo>,
}

/// A link of a description.
#[derive(Clone, Debug)]
pub struct LinkInfo {
    /// Name in the description; that of the root is `base_link`.
    pub name: String,
    /// Index of the parent; `None` for the root.
    pub parent: Option<usize>,
    /// Pose in the parent, with the joint at position zero.
    pub parent_from_link: Isometry3<f64>,
    /// True if the link does not move relative to its parent.
    pub is_fixed: bool,
    /// Name of the frame in [`Scenery::frames`](super::Scenery::frames).
    pub frame: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_written_by_the_path_of_the_robot() {
        let descriptions = RobotDescriptions::new(|robot| {
            let urdf = robot.to_owned();
            let links = Vec::new();
            (robot == "rover").then_some(RobotDescription { urdf, links })
        });
        let urdf = |robot| descriptions.of(robot).map(|description| description.urdf);
        assert_eq!(urdf("rover").as_deref(), Some("rover"));
        assert!(urdf("arm").is_none());
        assert!(RobotDescriptions::default().of("rover").is_none());
    }
}
