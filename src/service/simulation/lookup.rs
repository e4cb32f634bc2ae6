//! Frames and robots by name, and their poses.
use bevy::prelude::{Entity, World};
use morse_api::{body::BodyState, service::ServiceError};
use nalgebra::Isometry3;

use crate::spawn::{Frame, Spawned};

/// Returns the pose of a frame in the world.
pub(super) fn pose(world: &World, entity: Entity) -> Option<Isometry3<f64>> {
    let frame = world.get::<Frame>(entity)?;
    let body = world.get::<BodyState>(frame.body)?;
    Some(body.pose * frame.body_from_frame)
}

/// Returns the frame or the robot of that name.
pub(super) fn body(world: &World, name: &str) -> Result<Entity, ServiceError> {
    let spawned = world.get_resource::<Spawned>();
    let object = spawned.and_then(|spawned| {
        let robot = || spawned.robots.get(name);
        spawned.frames.get(name).or_else(robot).copied()
    });
    object.ok_or_else(|| {
        ServiceError::Failed(format!("Object '{name}' does not appear in the scene."))
    })
}
