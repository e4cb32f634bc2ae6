//! Frames and robots of the scene, looked up by name.
use bevy::prelude::*;
use nalgebra::Isometry3;

pub use crate::path::RobotName;
use crate::{
    body::BodyState,
    component::WorldPose,
    service::{find, find_all},
    state::InPathOrder,
};

/// A frame of the scene. Its entity has the frame's name as its path.
#[derive(Component, Clone, Debug)]
pub struct Frame {
    /// Name of the frame.
    pub name: String,
    /// Entity of the parent frame; `None` for the root.
    pub parent: Option<Entity>,
    /// Entity of the body to which the frame belongs: that of the head frame of its group.
    pub body: Entity,
    /// Pose of the frame in the frame of its body.
    pub body_from_frame: Isometry3<f64>,
    /// True if it has no geometry.
    pub is_bare: bool,
}

/// Returns the present pose of a robot, a frame of the scene or a component in the world. That of a component is from its
/// last action.
#[must_use]
pub fn pose_of(world: &World, name: &str) -> Option<Isometry3<f64>> {
    if let Some(entity) = robot(world, name) {
        return world.get::<BodyState>(entity).map(|body| body.pose);
    }
    let entity = find(world, name)?;
    if let Some(frame) = world.get::<Frame>(entity) {
        let body = world.get::<BodyState>(frame.body)?;
        return Some(body.pose * frame.body_from_frame);
    }
    let body = world.get::<BodyState>(entity).map(|body| body.pose);
    body.or_else(|| world.get::<WorldPose>(entity).map(|pose| pose.0))
}

/// Returns the frame of that name. Frames of a robot are also found without the robot's name.
#[must_use]
pub fn frame<'w>(world: &'w World, robot: &str, name: &str) -> Option<&'w Frame> {
    world.get(frame_entity(world, robot, name)?)
}

/// Returns the entity of a [`frame`].
#[must_use]
pub fn frame_entity(world: &World, robot: &str, name: &str) -> Option<Entity> {
    let is_frame = |entity: &&Entity| world.get::<Frame>(**entity).is_some();
    let find = |path: &str| find_all(world, path).iter().find(is_frame).copied();
    find(&format!("{robot}.{name}")).or_else(|| find(name))
}

fn robot(world: &World, name: &str) -> Option<Entity> {
    let all = &world.get_resource::<InPathOrder>()?.0;
    let is_it = |entity: &&Entity| {
        let robot = world.get::<RobotName>(**entity);
        robot.is_some_and(|robot| *robot.0 == *name)
    };
    all.iter().find(is_it).copied()
}
