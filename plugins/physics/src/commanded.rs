//! Commands to bodies in a tick, and their effects on the bodies of the engine.
mod arc;
mod command;

use std::collections::BTreeMap;

use bevy::prelude::*;
use bevy_rapier3d::rapier::prelude::RigidBody;
use morse_api::motion::MotionMode;

pub(super) use command::Command;

use super::{
    PhysicsSettings, convert,
    engine::{BodyRow, EngineItem, Tables},
    held,
    posed::PosedMotions,
};

/// Fraction of its velocity that a ground robot keeps per step while it turns, in MORSE's motion.
///
/// There friction reduced a translation by three hundredths at 1 m/s, and a turn by half: a robot stood on a few contact
/// points close together, whatever its size. The engine here would brake a turn by the whole footprint.
pub(super) const TURNING_SHARE: f64 = 0.985;

/// Commands to bodies in this tick.
#[derive(Resource, Default)]
pub(crate) struct Commanded {
    /// Commanded velocities by body. State, since a command is new if it differs from that of the previous tick.
    pub(super) velocities: BTreeMap<usize, Command>,
    pub(super) pushed: Vec<usize>,
    /// Bodies that were recently moved past physics.
    pub(super) posed: PosedMotions,
    /// Bodies with a commanded pose out of the range of the physics.
    pub(super) out_of_range: Vec<usize>,
}

impl Commanded {
    /// Returns true if a velocity is commanded to this body.
    pub(super) fn drives(&self, body: usize) -> bool {
        self.velocities.contains_key(&body)
    }

    /// Iterates over the robots that contacts with the ground drive, with their commands, by index.
    pub(super) fn of_rolling_robots(&self) -> impl Iterator<Item = (usize, &Command)> {
        let all = self.velocities.iter();
        let rolling = all.filter(|(_, command)| command.rolls);
        rolling.map(|(body_index, command)| (*body_index, command))
    }

    /// Returns true if a driven body is a ground robot, whose height is left to physics.
    pub(super) fn keeps_to_ground(&self, body_index: usize) -> bool {
        let command = self.velocities.get(&body_index);
        command.is_some_and(|command| command.is_ground_robot)
    }

    /// Returns true if a driven body is commanded to turn on the ground.
    pub(super) fn turns(&self, body_index: usize) -> bool {
        let command = self.velocities.get(&body_index);
        command.is_some_and(Command::turns)
    }

    /// Sets the commanded velocities at the start of every step of the engine; in MORSE's motion, of the first step of a
    /// tick (`is_first`). Robots that roll are driven by friction instead.
    pub(super) fn impose(
        &self,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        is_first: bool,
        settings: &PhysicsSettings,
    ) {
        let motion = settings.motion;
        for (body_index, command) in &self.velocities {
            let is_due = match motion {
                MotionMode::Morse => is_first,
                MotionMode::Default => !command.rolls,
            };
            let Some(row) = tables.bodies.get(*body_index).filter(|_| is_due) else {
                continue;
            };
            let body = engine.bodies.bodies.get(row.handle);
            let is_awake = |body: &RigidBody| !body.is_sleeping() || command.wakes();
            if body.is_some_and(|body| body.is_enabled() && is_awake(body)) {
                let is_braked =
                    motion == MotionMode::Morse && command.is_ground_robot && command.turns();
                let share = if is_braked { TURNING_SHARE } else { 1.0 };
                let is_on_arc = !motion.is_morse() && command.is_alone(row);
                let step = is_on_arc.then(|| settings.substep());
                command.times(share).impose(engine, row, step);
            }
        }
    }

    /// Holds a body at its commanded pose until the end of the tick.
    pub(super) fn hold(
        &mut self,
        engine: &mut EngineItem<'_, '_>,
        body_index: usize,
        row: &BodyRow,
    ) {
        if let Some(body) = engine.movable(row) {
            held::hold(body);
            self.pushed.push(body_index);
        }
    }

    /// Ends the effects that last for one tick.
    pub(super) fn release(&self, engine: &mut EngineItem<'_, '_>, tables: &Tables) {
        for body_index in self.pushed.iter().chain(self.velocities.keys()) {
            let row = tables.bodies.get(*body_index);
            // A body that has nothing to release is not accessed: that would count as a change.
            let row = row.filter(|row| {
                let body = engine.bodies.bodies.get(row.handle);
                body.is_some_and(|body| is_to_release(body, row))
            });
            let body = row.and_then(|row| engine.bodies.bodies.get_mut(row.handle));
            if let (Some(row), Some(body)) = (row, body) {
                body.reset_forces(false);
                body.reset_torques(false);
                held::release(body, row);
                body.set_linear_damping(row.damping[0]);
                body.set_angular_damping(row.damping[1]);
            }
        }
    }
}

/// Returns true if a body has forces, or others of the properties that commands change than its own ones.
fn is_to_release(body: &RigidBody, row: &BodyRow) -> bool {
    let damping = [body.linear_damping(), body.angular_damping()];
    body.user_force() != Vec3::ZERO
        || body.user_torque() != Vec3::ZERO
        || damping != row.damping
        || body.locked_axes() != row.locked
        || body.gravity_scale() != row.gravity_scale()
}
