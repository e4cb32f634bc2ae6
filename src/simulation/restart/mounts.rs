//! Poses of components, which follow from the initial states of bodies.
use std::sync::Arc;

use bevy::prelude::*;
use morse_api::{
    body::BodyState,
    component::{Mount, WorldPose, WorldVelocity, stamp},
    kind::Described,
};

/// Sets the poses and velocities of all components, as the installation does.
pub(super) fn set_poses(world: &mut World) {
    let mut mounts = world.query_filtered::<Entity, With<Mount>>();
    for entity in mounts.iter(world).collect::<Vec<_>>() {
        let state = |body| world.get::<BodyState>(body).copied();
        let mount = world.get::<Mount>(entity);
        let bodies = mount.and_then(|mount| Some((state(mount.body)?, state(mount.robot)?)));
        if let Some((body, robot)) = bodies {
            set_pose(&mut world.entity_mut(entity), &body, &robot);
        }
    }
}

fn set_pose(entity: &mut EntityWorldMut<'_>, body: &BodyState, robot: &BodyState) {
    let Some(mut mount) = entity.get_mut::<Mount>() else {
        return;
    };
    let on_robot = robot.pose.inverse() * (body.pose * mount.body_from_component);
    mount.robot_from_component = on_robot;
    let (mut pose, mut velocity) = (WorldPose::default(), WorldVelocity::default());
    stamp(body, &mount, &mut pose, &mut velocity);
    entity.insert((pose, velocity));
    if let Some(mut described) = entity.get_mut::<Described>() {
        Arc::make_mut(&mut described.0).robot_from_sensor = on_robot;
    }
}
