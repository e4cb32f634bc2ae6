//! Bodies below kinematic joints: posed by forward kinematics, regardless of forces.
use bevy::prelude::*;
use morse_api::{
    body::BodyState,
    joint::{Impedance, JointState, JointTarget},
};
use morse_scene::assembly::JointMode;
use nalgebra::{Isometry3, Point3, Vector3};

use super::{
    PhysicsSettings,
    engine::{BodyRow, Engine, EngineItem, Tables},
    joint_motion::JointMotion,
    suspension::Suspended,
};

/// Moves each kinematic variable towards its target; the bodies follow in the step.
pub(super) fn follow(
    engine: &EngineItem<'_, '_>,
    (settings, tables): (&PhysicsSettings, &Tables),
    motion: &mut JointMotion,
    target: impl Fn(Entity) -> JointTarget,
) {
    let dt = settings.dt();
    for &index in &tables.kinematic {
        let (Some(variable), Some(motion)) = (tables.variables.get(index), motion.0.get_mut(index))
        else {
            continue;
        };
        let from = motion.position;
        if engine.has_lost(tables, variable) {
            (motion.before, motion.velocity) = (from, 0.0);
            continue;
        }
        let [lower, upper] = variable.layout.limits;
        let fastest = variable.layout.max_velocity;
        let farthest = fastest * dt;
        let next = match target(variable.entity) {
            JointTarget::Position(wanted) if wanted.is_finite() => {
                from + (wanted.clamp(lower, upper) - from).clamp(-farthest, farthest)
            }
            JointTarget::Velocity(speed) if speed.is_finite() => {
                from + speed.clamp(-fastest, fastest) * dt
            }
            JointTarget::Jump(wanted) if wanted.is_finite() => wanted,
            JointTarget::Impedance(Impedance { position, .. }) if position.is_finite() => {
                from + (position.clamp(lower, upper) - from).clamp(-farthest, farthest)
            }
            JointTarget::Free
            | JointTarget::Impedance(_)
            | JointTarget::Effort(_)
            | JointTarget::Position(_)
            | JointTarget::Jump(_)
            | JointTarget::Velocity(_) => from,
        };
        let next = next.clamp(lower, upper);
        motion.before = from;
        motion.velocity = (next - from) / dt;
        motion.position = next;
    }
}

/// Bodies with their poses.
pub(super) type Poses = Vec<(usize, Isometry3<f64>)>;

/// Returns the poses of the posed bodies, parents before children, at the fraction `share` of the tick. Bodies that are not
/// posed are at `pose_of`.
pub(super) fn find(
    posed: &mut Poses,
    tables: &Tables,
    motion: &JointMotion,
    share: f64,
    pose_of: impl Fn(usize) -> Isometry3<f64>,
) {
    posed.clear();
    for &index in &tables.posed {
        let row = tables.bodies.get(index);
        let Some(attachment) = row.and_then(|row| row.attachment.as_ref()) else {
            continue;
        };
        let value = motion.0.get(attachment.variable).map_or(0.0, |motion| {
            motion.before + (motion.position - motion.before) * share
        });
        let parent = posed
            .iter()
            .rev()
            .find(|(known, _)| *known == attachment.parent);
        let parent = parent.map_or_else(|| pose_of(attachment.parent), |(_, pose)| *pose);
        posed.push((index, parent * attachment.parent_from_child(value)));
    }
}

/// Sets the velocities of a posed body at the end of a tick, from those of its parent and of its joint. The engine's are those
/// of its last step, from one rounded pose to the next.
pub(super) fn set_velocities(
    row: &BodyRow,
    motion: &JointMotion,
    parent: &BodyState,
    state: &mut BodyState,
) {
    let Some(attachment) = &row.attachment else {
        return;
    };
    let motion = motion.0.get(attachment.variable);
    let speed = motion.map_or(0.0, |motion| motion.velocity) * attachment.travel;
    let axis = parent.pose.rotation * (attachment.parent_from_joint.rotation * attachment.axis);
    let along = axis.into_inner() * speed;
    let (turn, slide) = match attachment.is_angle {
        true => (along, Vector3::zeros()),
        false => (Vector3::zeros(), along),
    };
    // The joint is at the origin of the body.
    let origin = Point3::from(state.pose.translation.vector);
    let arm = origin - parent.center_of_mass;
    let of_origin = parent.linear_velocity + parent.angular_velocity.cross(&arm) + slide;
    state.angular_velocity = parent.angular_velocity + turn;
    let own_arm = state.center_of_mass - origin;
    state.linear_velocity = of_origin + state.angular_velocity.cross(&own_arm);
}

/// Writes kinematic joints, and the bodies below them, as they will be after this tick: in MORSE's order sensors measure
/// before the physics moves them. Their velocities appear a tick later.
pub(super) fn show(
    suspended: Res<Suspended>,
    tables: Res<Tables>,
    motion: Res<JointMotion>,
    engine: Single<Engine>,
    mut poses: Local<Poses>,
    mut states: Query<&mut BodyState>,
    mut joints: Query<&mut JointState>,
) {
    if suspended.0 {
        return;
    }
    for (variable, motion) in tables.variables.iter().zip(&motion.0) {
        if variable.layout.settings.mode == JointMode::Kinematic
            && let Ok(mut state) = joints.get_mut(variable.entity)
        {
            state.position = motion.position;
        }
    }
    let carrier = |index: usize| {
        let row = tables.bodies.get(index);
        let state = row.and_then(|row| states.get(row.entity).ok());
        state.map_or_else(Isometry3::identity, |state| state.pose)
    };
    find(&mut poses, &tables, &motion, 1.0, carrier);
    for &(index, pose) in &*poses {
        let row = tables.bodies.get(index).filter(|row| !engine.is_lost(row));
        if let Some(row) = row
            && let Ok(mut state) = states.get_mut(row.entity)
        {
            let center = state.pose.inverse_transform_point(&state.center_of_mass);
            state.pose = pose;
            state.center_of_mass = pose * center;
        }
    }
}

/// Sets the poses of the posed bodies for the engine's next step.
pub(super) fn lead(
    engine: &mut EngineItem<'_, '_>,
    tables: &Tables,
    motion: &JointMotion,
    [share, substep]: [f64; 2],
    poses: &mut Poses,
) {
    if tables.posed.is_empty() {
        return;
    }
    let (bodies, body_poses) = (&engine.bodies.bodies, &engine.body_poses);
    let expected = |index: usize| {
        let row = tables.bodies.get(index);
        let Some((row, body)) = row.and_then(|row| Some((row, bodies.get(row.handle)?))) else {
            return Isometry3::identity();
        };
        row.still
            .unwrap_or_else(|| body_poses.expected(body, substep))
    };
    let origin = engine.body_poses.origin;
    find(poses, tables, motion, share, expected);
    for (index, pose) in poses {
        let row = tables.bodies.get(*index);
        if let Some(body) = row.and_then(|row| engine.movable(row)) {
            body.set_next_kinematic_position(origin.engine(pose));
        }
    }
}
