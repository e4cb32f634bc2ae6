//! Stamps of readings: times and poses of sensors.
use bevy::ecs::entity::Entity;
use nalgebra::Isometry3;

use crate::{
    body::BodyState,
    component::{Mount, WorldPose},
    kind::Described,
    reading::Stamp,
    tick::Clock,
};

/// Mount, pose and description of a sensor.
pub(crate) type Placed = (&'static Mount, &'static WorldPose, &'static Described);

/// Returns the time of a measurement, and the poses of robot and sensor.
pub(crate) fn stamp<'a>(
    clock: &Clock,
    (mount, pose, described): (&Mount, &WorldPose, &Described),
    body: impl FnOnce(Entity) -> Option<&'a BodyState>,
) -> Stamp {
    let robot_pose = body(mount.robot).map_or_else(Isometry3::identity, |robot| robot.pose);
    let is_moving = described.0.is_moving;
    Stamp {
        tick: clock.tick,
        nanos: clock.nanos(),
        robot_pose,
        robot_from_sensor: is_moving.then(|| robot_pose.inv_mul(&pose.0)),
    }
}
