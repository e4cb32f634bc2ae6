//! Commands of drives to the base of their robot in one tick.
use morse_api::body::Drive;
use nalgebra::{Isometry3, UnitQuaternion};

use super::Command;

/// Command to a body in this tick.
pub(super) enum Last {
    Velocity(Command),
    Pose(Isometry3<f64>),
    Orientation(UnitQuaternion<f64>),
    Displacement {
        by: Isometry3<f64>,
        /// Period of the actuator, s.
        period: f64,
    },
}

impl Last {
    /// Returns the command of a drive to the base of its robot; `None` if there is none in this tick.
    pub(super) fn of(
        drive: &Drive,
        acts: bool,
        is_ground_robot: bool,
        period: f64,
    ) -> Option<Self> {
        match *drive {
            Drive::Velocity { linear, angular } => Some(Self::Velocity(Command {
                linear,
                angular,
                is_ground_robot,
                rolls: false,
                is_new: false,
            })),
            Drive::Pose(pose) => acts.then_some(Self::Pose(pose)),
            Drive::Orientation(turned) => acts.then_some(Self::Orientation(turned)),
            Drive::Displacement(by) => acts.then_some(Self::Displacement { by, period }),
            Drive::None | Drive::Wrench { .. } | Drive::Thrust { .. } => None,
        }
    }
}
