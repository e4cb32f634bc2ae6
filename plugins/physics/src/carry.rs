//! Copies the motion of kept bodies and joints to another world, after a reload of changed files.

use bevy::{ecs::system::SystemState, prelude::*};
use bevy_rapier3d::plugin::context::RapierRigidBodySet;
use morse_api::{state::Kept, vehicle::Vehicle};

use super::{
    body_poses::BodyPoses,
    engine::{Engine, EngineItem, Tables},
    grasp::Grasps,
    joint_motion::JointMotion,
    pairs::Pairs,
    shown::show_all,
    suspension::Suspended,
    trees::Trees,
};

/// Copies poses and velocities of kept bodies, positions and velocities of kept joints, and the grasps between kept bodies.
/// Contacts are found again; a body that the physics lost begins at its start.
pub(super) fn carry(from: &World, to: &mut World, kept: &Kept) {
    let Some(old) = Old::of(from) else {
        return;
    };
    let Some(tables) = to.get_resource::<Tables>() else {
        return;
    };
    let mut pairs = Pairs::new(old.tables, tables, kept);
    pairs.bodies.retain(|index, _| !old.has_lost(*index));
    if let (Some(grasps), Some(mut here)) = (
        from.get_resource::<Grasps>(),
        to.get_resource_mut::<Grasps>(),
    ) {
        *here = grasps.between(&pairs);
    }
    if let Some(suspended) = from.get_resource::<Suspended>() {
        to.insert_resource(*suspended);
    }
    let mut vehicles = to.query::<&Vehicle>();
    let casts_rays = vehicles.iter(to).next().is_some();
    let mut state: SystemState<(
        Single<Engine>,
        Res<Tables>,
        ResMut<JointMotion>,
        ResMut<Trees>,
    )> = SystemState::new(to);
    let Ok((mut engine, tables, mut motion, mut trees)) = state.get_mut(to) else {
        return;
    };
    for (&index, &next) in &pairs.bodies {
        old.put(index, next, &mut engine, &tables);
    }
    for (&index, &next) in &pairs.variables {
        if let (Some(value), Some(here)) = (old.motion.0.get(index), motion.0.get_mut(next)) {
            here.clone_from(value);
        }
    }
    let state_of = |variable: usize| {
        let known = motion.0.get(variable)?;
        Some([known.position, known.velocity])
    };
    trees.carry(old.trees, &pairs, state_of);
    trees.settle(&mut engine, &tables);
    if casts_rays {
        engine.bound_colliders();
    }
    show_all(to);
}

/// Physics of the old world.
struct Old<'w> {
    tables: &'w Tables,
    bodies: &'w RapierRigidBodySet,
    poses: &'w BodyPoses,
    motion: &'w JointMotion,
    trees: &'w Trees,
}

impl<'w> Old<'w> {
    fn of(world: &'w World) -> Option<Self> {
        let tables = world.get_resource::<Tables>()?;
        Some(Self {
            bodies: world.get(tables.engine?)?,
            poses: world.get(tables.engine?)?,
            motion: world.get_resource()?,
            trees: world.get_resource()?,
            tables,
        })
    }

    /// Returns true if the physics lost a body.
    fn has_lost(&self, index: usize) -> bool {
        let row = self.tables.bodies.get(index);
        let body = row.and_then(|row| self.bodies.bodies.get(row.handle));
        body.is_none_or(|body| !body.is_enabled())
    }

    /// Copies pose and velocity of a body to a body of the new world.
    fn put(&self, index: usize, next: usize, engine: &mut EngineItem<'_, '_>, tables: &Tables) {
        let row = self.tables.bodies.get(index);
        let (Some(body), Some(here)) = (
            row.and_then(|row| self.bodies.bodies.get(row.handle)),
            tables.bodies.get(next),
        ) else {
            return;
        };
        if here.still.is_some() {
            return;
        }
        engine.put(here.handle, &self.poses.of(body), true);
        let velocities = [self.poses.velocity(body), self.poses.angular_velocity(body)];
        if let Some(copy) = engine.bodies.bodies.get_mut(here.handle) {
            engine.body_poses.set_velocities(copy, velocities, true);
        }
    }
}
