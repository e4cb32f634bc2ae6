//! Pose and velocity of a link in the world.
use morse_api::body::BodyState;
use morse_mechanisms::{Pose, Workspace};
use nalgebra::{Isometry3, Point3, Vector3};

use super::isometry;

/// Pose and velocity of a link in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkState {
    pub(super) pose: Isometry3<f64>,
    center_of_mass: Point3<f64>,
    /// Velocity of the centre of mass, and angular velocity.
    velocity: [Vector3<f64>; 2],
}

impl LinkState {
    /// Returns the state of a link with this centre of mass, in its axes, m.
    pub(super) fn of(
        work: &Workspace,
        link: usize,
        base_pose: &Pose,
        center: &Vector3<f64>,
    ) -> Self {
        let pose = *base_pose * work.pose_of(link);
        Self::new(&pose, center, velocity(work, link, base_pose, center))
    }

    /// Returns the state of a link with this pose, centre of mass in its axes (m), velocity of the centre of mass, and angular
    /// velocity, world axes.
    #[inline]
    pub(super) fn new(pose: &Pose, center: &Vector3<f64>, velocity: [Vector3<f64>; 2]) -> Self {
        let pose = isometry(pose);
        Self {
            pose,
            center_of_mass: pose * Point3::from(*center),
            velocity,
        }
    }

    /// Writes this state to that of a body.
    pub(crate) const fn write(&self, state: &mut BodyState) {
        state.pose = self.pose;
        state.center_of_mass = self.center_of_mass;
        [state.linear_velocity, state.angular_velocity] = self.velocity;
    }
}

/// Returns the velocity of a link's centre of mass, and its angular velocity, world axes.
pub(super) fn velocity(
    work: &Workspace,
    link: usize,
    base_pose: &Pose,
    center: &Vector3<f64>,
) -> [Vector3<f64>; 2] {
    work.velocity_at(link, center)
        .map(|velocity| base_pose.rotation * velocity)
}
