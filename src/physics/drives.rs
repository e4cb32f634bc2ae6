//! What actuators ask of bodies: one system applies all drives, in path order.

use std::collections::BTreeMap;

use bevy::prelude::*;
use bevy_rapier3d::rapier::prelude::RigidBody;
use morse_api::{
    body::{BodyKind, BodyState, Drive, Robot},
    component::{Active, Due, Mount},
    state::InPathOrder,
};
use nalgebra::{Isometry3, Vector3};

use super::{
    Motion, Settings, convert,
    engine::{BodyIndex, BodyRow, Engine, EngineItem, Tables},
};

/// A velocity that a body was told to have in this tick.
#[derive(Clone, Copy, Debug)]
pub(super) struct Command {
    /// Of the body's origin, body axes, m/s.
    linear: Vector3<f64>,
    /// Body axes, rad/s.
    angular: Vector3<f64>,
    is_ground_robot: bool,
}

/// The bodies that are driven in this tick, and those that are pushed. Made anew each tick.
#[derive(Resource, Default)]
pub struct Commanded {
    velocities: BTreeMap<usize, Command>,
    pub(super) pushed: Vec<usize>,
}

impl Commanded {
    /// Whether a velocity is commanded to this body.
    pub(super) fn drives(&self, body: usize) -> bool {
        self.velocities.contains_key(&body)
    }

    /// Sets the commanded velocities again, at the start of every step of the engine.
    pub(super) fn impose(&self, engine: &mut EngineItem<'_, '_>, tables: &Tables) {
        for (place, command) in &self.velocities {
            let row = tables.bodies.get(*place);
            let body = row.and_then(|row| engine.bodies.bodies.get_mut(row.handle));
            if let (Some(row), Some(body)) = (row, body) {
                command.impose(body, row.kind);
            }
        }
    }

    /// Ends what lasts for one tick only.
    pub(super) fn release(&self, engine: &mut EngineItem<'_, '_>, tables: &Tables) {
        for place in self.pushed.iter().chain(self.velocities.keys()) {
            let row = tables.bodies.get(*place);
            let body = row.and_then(|row| engine.bodies.bodies.get_mut(row.handle));
            if let (Some(row), Some(body)) = (row, body) {
                body.reset_forces(false);
                body.reset_torques(false);
                body.set_gravity_scale(if row.gravity { 1.0 } else { 0.0 }, false);
            }
        }
    }
}

impl Command {
    /// Gives the body this velocity. A ground robot keeps its own vertical speed, roll and pitch
    /// rates: gravity and the ground give those.
    fn impose(&self, body: &mut RigidBody, kind: BodyKind) {
        let pose = convert::isometry(body.position());
        let arm = convert::vector(body.center_of_mass()) - pose.translation.vector;
        let (own_linear, own_angular) = if kind == BodyKind::Kinematic {
            (Vector3::zeros(), Vector3::zeros())
        } else {
            let angular = convert::vector(body.angvel());
            (
                convert::vector(body.linvel()) - angular.cross(&arm),
                angular,
            )
        };
        let mut linear = pose.rotation * self.linear;
        let mut angular = pose.rotation * self.angular;
        if self.is_ground_robot {
            linear.z = own_linear.z;
            angular.x = own_angular.x;
            angular.y = own_angular.y;
        }
        body.set_linvel(convert::vec3(&(linear + angular.cross(&arm))), true);
        body.set_angvel(convert::vec3(&angular), true);
    }
}

/// What a body was told last.
enum Last {
    Velocity(Command),
    Pose(Isometry3<f64>),
    Displacement(Isometry3<f64>),
}

/// Applies the drives of all active actuators: wrenches add up; of velocities, poses and displacements
/// the last one wins. Wrenches act on the body that carries the actuator, the others on the robot's
/// base. A velocity and a thrust stand until the actuator asks otherwise; the rest is for the ticks in
/// which the actuator acts.
pub(super) fn apply(
    settings: Res<Settings>,
    tables: Res<Tables>,
    order: Option<Res<InPathOrder>>,
    mut commanded: ResMut<Commanded>,
    mut engine: Single<Engine>,
    drives: Query<(&Drive, &Mount, Option<&Active>, Option<&Due>)>,
    bodies: Query<(&BodyIndex, Option<&Robot>)>,
    mut states: Query<&mut BodyState>,
) {
    commanded.velocities.clear();
    commanded.pushed.clear();
    let mut told: BTreeMap<usize, Last> = BTreeMap::new();
    for &entity in order.iter().flat_map(|order| &order.0) {
        let Ok((drive, mount, active, due)) = drives.get(entity) else {
            continue;
        };
        if active.is_some_and(|active| !active.0) {
            continue;
        }
        let acts = due.is_none_or(|due| due.0);
        if !is_finite(drive) {
            continue;
        }
        let Ok((&BodyIndex(base), robot)) = bodies.get(mount.robot) else {
            continue;
        };
        match *drive {
            Drive::Velocity { linear, angular } => {
                let is_ground_robot = robot.is_some_and(|robot| robot.is_ground_robot);
                let command = Command {
                    linear,
                    angular,
                    is_ground_robot,
                };
                told.insert(base, Last::Velocity(command));
            }
            Drive::Pose(pose) if acts => {
                told.insert(base, Last::Pose(pose));
            }
            Drive::Displacement(displacement) if acts => {
                told.insert(base, Last::Displacement(displacement));
            }
            Drive::Wrench { .. } | Drive::Thrust { .. } => {
                let carrier = bodies.get(mount.body).ok();
                if let Some((place, row)) = tables.row(carrier.map(|(index, _)| index))
                    && let Ok(state) = states.get(row.entity)
                    && let Some([force, torque]) = wrench(drive, acts, state)
                {
                    push(&mut engine, row, &force, &torque);
                    commanded.pushed.push(place);
                }
            }
            Drive::None | Drive::Pose(_) | Drive::Displacement(_) => {}
        }
    }
    still(&mut engine, &tables);
    for (place, last) in told {
        let Some(row) = tables.bodies.get(place) else {
            continue;
        };
        match last {
            Last::Velocity(command) => {
                float(&mut engine, row, &command, settings.motion);
                commanded.velocities.insert(place, command);
            }
            Last::Pose(pose) => put(&mut engine, row, &mut states, |_| pose, true),
            Last::Displacement(by) => put(&mut engine, row, &mut states, |pose| pose * by, false),
        }
    }
}

/// The force and the torque of a drive in this tick, world axes.
fn wrench(drive: &Drive, acts: bool, carrier: &BodyState) -> Option<[Vector3<f64>; 2]> {
    match *drive {
        Drive::Wrench { force, torque } => acts.then_some([force, torque]),
        Drive::Thrust { force, torque } => {
            Some([force, torque].map(|part| carrier.pose.rotation * part))
        }
        _ => None,
    }
}

/// A command that is not a number moves nothing; the engine would take the body out of the world.
fn is_finite(drive: &Drive) -> bool {
    let finite = |vector: &Vector3<f64>| vector.iter().all(|part| part.is_finite());
    match drive {
        Drive::None => true,
        Drive::Velocity {
            linear: one,
            angular: two,
        }
        | Drive::Wrench {
            force: one,
            torque: two,
        }
        | Drive::Thrust {
            force: one,
            torque: two,
        } => finite(one) && finite(two),
        Drive::Pose(pose) | Drive::Displacement(pose) => {
            finite(&pose.translation.vector) && pose.rotation.coords.iter().all(|x| x.is_finite())
        }
    }
}

/// A kinematic body moves for as long as it is told to.
fn still(engine: &mut EngineItem<'_, '_>, tables: &Tables) {
    for row in &tables.bodies {
        if row.kind == BodyKind::Kinematic
            && !row.is_posed
            && let Some(body) = engine.bodies.bodies.get_mut(row.handle)
        {
            body.set_linvel(default(), false);
            body.set_angvel(default(), false);
        }
    }
}

/// A velocity commanded to what is no ground robot includes the vertical one: it does not fall.
fn float(engine: &mut EngineItem<'_, '_>, row: &BodyRow, command: &Command, motion: Motion) {
    if !command.is_ground_robot
        && motion == Motion::Default
        && let Some(body) = engine.bodies.bodies.get_mut(row.handle)
    {
        body.set_gravity_scale(0.0, true);
    }
}

pub(super) fn push(
    engine: &mut EngineItem<'_, '_>,
    row: &BodyRow,
    force: &Vector3<f64>,
    torque: &Vector3<f64>,
) {
    if let Some(body) = engine.bodies.bodies.get_mut(row.handle) {
        body.add_force(convert::vec3(force), true);
        body.add_torque(convert::vec3(torque), true);
    }
}

fn put(
    engine: &mut EngineItem<'_, '_>,
    row: &BodyRow,
    states: &mut Query<&mut BodyState>,
    pose: impl Fn(Isometry3<f64>) -> Isometry3<f64>,
    at_rest: bool,
) {
    let (Some(body), Ok(mut state)) = (
        engine.bodies.bodies.get_mut(row.handle),
        states.get_mut(row.entity),
    ) else {
        return;
    };
    state.pose = pose(state.pose);
    body.set_position(convert::pose(&state.pose), true);
    if at_rest {
        body.set_linvel(default(), true);
        body.set_angvel(default(), true);
    }
}
