//! Joints between bodies: their motors before a tick, their positions after it.
//!
//! Motors are written into the joint set itself, and only when they change: each access makes the
//! engine collect its joints anew.
use bevy::prelude::*;
use bevy_rapier3d::rapier::{dynamics::RigidBodySet, prelude::RigidBody};
use morse_api::joint::{JointState, JointTarget};
use morse_scene::assembly::JointMode;
use nalgebra::{Isometry3, Vector3};
use serde::{Deserialize, Serialize};

use super::{
    PhysicsSettings, convert,
    drives::{Commanded, push},
    engine::{Engine, EngineItem, JOINT_ITERATIONS, JointRow, Tables, VariableRow},
    motor::{self, Order},
};

/// Motion of the joints of one variable; state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct VariableMotion {
    /// Of each joint, in units of the variable, continuous over full turns.
    pub positions: Vec<f64>,
    /// Of the first joint.
    pub velocity: f64,
    /// Of all motors together.
    pub effort: f64,
    /// Position that the motor pulls towards, while it has a target.
    pub set_point: Option<f64>,
    /// Offset that a stiff motor adds to its set point until the joint is where it is to be.
    pub trim: f64,
    /// Position of a posed variable before this tick.
    pub before: f64,
}

impl VariableMotion {
    /// Of the first joint.
    pub(super) fn position(&self) -> f64 {
        self.positions.first().copied().unwrap_or(0.0)
    }
}

/// Motion of all variables, in the order of the tables; state.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct JointMotion(pub Vec<VariableMotion>);

/// Turns the variables' targets into motors.
pub(super) fn apply(
    settings: Res<PhysicsSettings>,
    tables: Res<Tables>,
    mut motion: ResMut<JointMotion>,
    mut commanded: ResMut<Commanded>,
    mut engine: Single<Engine>,
    targets: Query<&JointTarget>,
) {
    let dt = settings.dt();
    for (variable, motion) in tables.variables.iter().zip(&mut motion.0) {
        if variable.layout.settings.mode == JointMode::Kinematic {
            continue;
        }
        if engine.has_lost(&tables, variable) {
            continue;
        }
        let target = targets.get(variable.entity).copied().unwrap_or_default();
        let order = variable.order(target, motion.position(), motion.set_point, dt);
        motion.set_point = order.set_point;
        motion.trim = variable.trim(&order, motion);
        if let Some(lead) = variable.joints.first() {
            let position = motion.position();
            let order = Order {
                set_point: order.set_point.map(|point| point + motion.trim),
                ..order
            };
            command(&mut engine, variable, lead, &order, position);
            exert(
                &mut engine,
                &tables,
                lead,
                order.effort,
                &mut commanded.pushed,
            );
        }
        // The others follow the first one, whoever moves it.
        let next = motion.position() + motion.velocity * dt;
        let follow = Order {
            set_point: Some(next),
            speed: motion.velocity,
            ..Order::default()
        };
        for (joint, position) in variable.joints.iter().zip(&motion.positions).skip(1) {
            command(&mut engine, variable, joint, &follow, *position);
        }
    }
}

fn command(
    engine: &mut EngineItem<'_, '_>,
    variable: &VariableRow,
    joint: &JointRow,
    order: &Order,
    position: f64,
) {
    let axis = motor::axis_of(variable.layout.is_angle);
    let new = joint.motor(variable, order, position);
    let limits = joint.limits(variable, position);
    let joints = &mut engine.joints.impulse_joints;
    let Some(handle) = joint.handle else {
        return;
    };
    let has_changed = joints.get(handle).is_some_and(|current| {
        let data = &current.data;
        motor::differs(data, axis, &new) || motor::limits_differ(data, axis, limits)
    });
    if has_changed && let Some(current) = joints.get_mut(handle, true) {
        motor::equip(&mut current.data, axis, &new, limits);
    }
}

/// Exerts an effort on the body below a joint, and the opposite on the one above.
fn exert(
    engine: &mut EngineItem<'_, '_>,
    tables: &Tables,
    joint: &JointRow,
    effort: f64,
    pushed: &mut Vec<usize>,
) {
    let (Some(child), Some(parent)) = (
        tables.bodies.get(joint.child),
        tables.bodies.get(joint.parent),
    ) else {
        return;
    };
    let Some(below) = engine.bodies.bodies.get(child.handle) else {
        return;
    };
    if effort == 0.0 {
        return;
    }
    let axis = convert::rotation(*below.rotation()) * (joint.child_from_axes * Vector3::x());
    let along = axis * (effort / joint.travel);
    let at = convert::vector(below.translation());
    for (place, row, sign) in [(joint.child, child, 1.0), (joint.parent, parent, -1.0)] {
        let Some(body) = engine.bodies.bodies.get(row.handle) else {
            continue;
        };
        let (force, torque) = if joint.is_angle {
            (Vector3::zeros(), along * sign)
        } else {
            let arm = at - convert::vector(body.center_of_mass());
            (along * sign, arm.cross(&(along * sign)))
        };
        push(engine, row, &force, &torque);
        pushed.push(place);
    }
}

/// Reads where the joints are and how they move, after the step.
pub(super) fn read(
    settings: Res<PhysicsSettings>,
    tables: Res<Tables>,
    mut motion: ResMut<JointMotion>,
    engine: Single<Engine>,
    mut states: Query<&mut JointState>,
) {
    for (variable, motion) in tables.variables.iter().zip(&mut motion.0) {
        if engine.has_lost(&tables, variable) {
            (motion.velocity, motion.effort) = (0.0, 0.0);
        } else if variable.layout.settings.mode == JointMode::Dynamic {
            measure(&engine, &tables, &settings, variable, motion);
        }
        if let Ok(mut state) = states.get_mut(variable.entity) {
            *state = JointState {
                position: motion.position(),
                velocity: motion.velocity,
                effort: motion.effort,
            };
        }
    }
}

fn measure(
    engine: &EngineItem<'_, '_>,
    tables: &Tables,
    settings: &PhysicsSettings,
    variable: &VariableRow,
    motion: &mut VariableMotion,
) {
    let bodies = &engine.bodies.bodies;
    motion.effort = 0.0;
    for (at, joint) in variable.joints.iter().enumerate() {
        let Some(position) = motion.positions.get_mut(at) else {
            continue;
        };
        let Some(pair) = joint.bodies(tables, bodies) else {
            continue;
        };
        *position = joint.position(&pair, *position);
        motion.effort += joint.effort(engine, settings);
        if at == 0 {
            motion.velocity = joint.velocity(&pair);
        }
    }
}

/// The body above a joint and the one below.
type Pair<'a> = [&'a RigidBody; 2];

impl JointRow {
    fn bodies<'a>(&self, tables: &Tables, bodies: &'a RigidBodySet) -> Option<Pair<'a>> {
        let body = |at: usize| bodies.get(tables.bodies.get(at)?.handle);
        Some([body(self.parent)?, body(self.child)?])
    }

    /// The joint's axes on both bodies, in the world.
    fn axes(&self, [parent, child]: &Pair<'_>) -> [Isometry3<f64>; 2] {
        let below = convert::isometry(child.position());
        [
            convert::isometry(parent.position()) * self.parent_from_axes,
            below * self.child_from_axes,
        ]
    }

    fn position(&self, pair: &Pair<'_>, near: f64) -> f64 {
        let [above, below] = self.axes(pair);
        let relative = above.inv_mul(&below);
        if self.is_angle {
            let turn = relative.rotation;
            let angle = motor::wrapped(2.0 * libm::atan2(turn.i, turn.w));
            motor::unwrapped(angle, near - self.zero) + self.zero
        } else {
            relative.translation.x / self.travel + self.zero
        }
    }

    fn velocity(&self, pair: &Pair<'_>) -> f64 {
        let [above, below] = self.axes(pair);
        let [parent, child] = pair;
        let axis = above.rotation * Vector3::x();
        let turning = |body: &RigidBody| convert::vector(body.angvel());
        if self.is_angle {
            return axis.dot(&(turning(child) - turning(parent)));
        }
        let at = below.translation.vector;
        let velocity = |body: &RigidBody| {
            let arm = at - convert::vector(body.center_of_mass());
            convert::vector(body.linvel()) + turning(body).cross(&arm)
        };
        axis.dot(&(velocity(child) - velocity(parent))) / self.travel
    }

    /// Effort of the motor in the last step of the engine.
    fn effort(&self, engine: &EngineItem<'_, '_>, settings: &PhysicsSettings) -> f64 {
        let axis = motor::axis_of(self.is_angle);
        let joint = self
            .handle
            .and_then(|handle| engine.joints.impulse_joints.get(handle));
        let impulse = joint
            .and_then(|joint| joint.data.motor(axis))
            .map_or(0.0, |m| m.impulse);
        // The engine starts each solver iteration from zero and keeps the impulse of the last.
        let iterations = settings.moves() + JOINT_ITERATIONS;
        let duration = settings.substep() / f64::from(iterations);
        -f64::from(impulse) / duration * self.travel
    }
}
