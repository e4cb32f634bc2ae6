//! Drives of bodies: one system applies the drives of all actuators, in path order.
mod last;

use bevy::prelude::*;
use morse_api::{
    arbitration::{Contender, Created},
    body::{BodyKind, BodyState, Drive, Robot},
    component::{Active, ComponentPath, Due, Mount, UpdateRate},
    motion::MotionMode,
    tick::Clock,
    warning::Warnings,
};
use nalgebra::{Isometry3, Vector3};

use super::{
    PhysicsSettings,
    arbitration::{Claim, Claims},
    commanded::{Command, Commanded},
    convert,
    engine::{BodyIndex, BodyRow, Engine, EngineItem, Tables},
    in_order::InOrder,
    posed::Puts,
    suspension::Suspended,
    trees::Trees,
};
use last::Last;

/// Query of an actuator for its drive.
type Driver<'a> = (
    &'a Drive,
    &'a Mount,
    Option<&'a Active>,
    Option<&'a Due>,
    Option<&'a UpdateRate>,
    Option<&'a ComponentPath>,
    (Option<&'a mut Contender>, Option<&'a Created>),
);

/// Warning about a drive that is ignored.
const NOT_FINITE: &str = "it drives by what is no finite number, which moves nothing";

/// Actuators that may have begun to drive, and all that compete for a robot.
type ChangedDriver = Or<(Changed<Drive>, With<Contender>)>;

/// Applies the drives of all active actuators: wrenches add up; of several that set velocity or pose of a robot, one drives
/// (see [`Contender`]). Wrenches act on the body on which the actuator is mounted, the others on the robot's base. A velocity
/// and a thrust last until the actuator changes them; all other drives last for the ticks in which the actuator acts.
pub(super) fn apply(
    (suspended, settings): (Res<Suspended>, Res<PhysicsSettings>),
    tables: Res<Tables>,
    (mut order, clock): (InOrder<'_, '_, Drive>, Res<Clock>),
    mut commanded: ResMut<Commanded>,
    (mut engine, mut trees): (Single<Engine>, ResMut<Trees>),
    mut warnings: ResMut<Warnings>,
    (changed, mut drives): (Query<(), ChangedDriver>, Query<Driver<'_>>),
    bodies: Query<(&BodyIndex, Option<&Robot>)>,
    mut states: Query<&mut BodyState>,
    mut memory: Local<Memory>,
) {
    let ((order, is_new_order), memory) = (order.entities_and_change(), &mut *memory);
    memory.is_idle &= !is_new_order && changed.is_empty();
    if suspended.0 {
        return;
    }
    commanded.pushed.clear();
    commanded.out_of_range.clear();
    if memory.is_idle && tables.commandable.is_empty() && commanded.velocities.is_empty() {
        return;
    }
    memory.begin(order, tables.bodies.len());
    let (claims, driven) = (&mut memory.claims, &mut memory.driven);
    for &entity in order {
        let Ok((drive, mount, active, due, rate, path, (mut contender, created))) =
            drives.get_mut(entity)
        else {
            continue;
        };
        memory.is_idle &= *drive == Drive::None;
        let Ok((&BodyIndex(base), robot)) = bodies.get(mount.robot) else {
            continue;
        };
        let is_new = claims.note(base, contender.as_mut().map(Mut::reborrow), clock.tick);
        if active.is_some_and(|active| !active.0) {
            continue;
        }
        let acts = due.is_none_or(|due| due.0);
        if !is_finite(drive) {
            warnings.add(&path.cloned().unwrap_or_default(), NOT_FINITE);
            continue;
        }
        if matches!(drive, Drive::Wrench { .. } | Drive::Thrust { .. }) {
            let carrier = bodies.get(mount.body).ok().map(|(index, _)| index);
            let pushed = push_carrier((drive, acts), carrier, &mut engine, &tables, &states);
            commanded.pushed.extend(pushed);
            continue;
        }
        let is_ground_robot = robot.is_some_and(|robot| robot.is_ground_robot);
        let period = rate.map_or_else(|| settings.dt(), UpdateRate::period);
        if *drive != Drive::None {
            let last = Last::of(drive, acts, is_ground_robot, period);
            let who = (entity, contender.as_deref(), created.copied());
            claims.add(base, Claim::new(who, (is_new, settings.motion), last));
        }
    }
    claims.warn(&mut warnings, |actuator| {
        let path = drives.get(actuator).ok().and_then(|driver| driver.5);
        path.cloned().unwrap_or_default()
    });
    still(&mut engine, &tables);
    let commands = Told {
        commands: claims.winners(settings.motion),
        driven,
        settings: &settings,
    };
    let acted_on = (&mut *engine, &mut *trees);
    commands.carry_out(acted_on, &tables, &mut commanded, &mut states);
    // Driven bodies are sorted by index.
    let is_driven = |index: &usize| driven.binary_search(index).is_ok();
    commanded.velocities.retain(|index, _| is_driven(index));
}

/// Applies a wrench to the body on which its actuator is mounted. Returns the index of the body.
fn push_carrier(
    (drive, acts): (&Drive, bool),
    carrier: Option<&BodyIndex>,
    engine: &mut EngineItem<'_, '_>,
    tables: &Tables,
    states: &Query<&mut BodyState>,
) -> Option<usize> {
    let (body_index, row) = tables.row(carrier)?;
    let [force, torque] = wrench(drive, acts, states.get(row.entity).ok()?)?;
    push(engine, row, &force, &torque);
    Some(body_index)
}

/// Buffers for the claims of a tick.
#[derive(Default)]
pub(super) struct Memory {
    claims: Claims<Last>,
    driven: Vec<usize>,
    /// True if no drive has changed since all of them were [`Drive::None`], and no actuator competes for a robot.
    is_idle: bool,
}

impl Memory {
    /// Removes the claims of the last tick.
    fn begin(&mut self, claimants: &[Entity], bodies: usize) {
        self.is_idle = true;
        self.driven.clear();
        self.claims.clear(claimants, bodies);
    }
}

/// Commands to bodies in this tick by index, and the indices of bodies with a velocity.
struct Told<'a, T> {
    commands: T,
    driven: &'a mut Vec<usize>,
    settings: &'a PhysicsSettings,
}

impl<T: Iterator<Item = (usize, Last)>> Told<'_, T> {
    fn carry_out(
        self,
        (engine, trees): (&mut EngineItem<'_, '_>, &mut Trees),
        tables: &Tables,
        commanded: &mut Commanded,
        states: &mut Query<&mut BodyState>,
    ) {
        let Self {
            commands,
            driven,
            settings,
        } = self;
        for (body_index, last) in commands {
            let Some(row) = tables.bodies.get(body_index) else {
                continue;
            };
            if !matches!(last, Last::Velocity(_)) {
                trees.surface(body_index, engine, tables);
            }
            let mut puts = Puts {
                settings,
                tables,
                motions: &mut commanded.posed,
                out_of_range: &mut commanded.out_of_range,
                body_index,
                row,
            };
            match last {
                Last::Velocity(command) => {
                    let known = (tables, settings);
                    drive(
                        commanded,
                        (engine, trees),
                        known,
                        (body_index, row),
                        command,
                    );
                    driven.push(body_index);
                }
                Last::Pose(pose) => {
                    puts.put(engine, states, |_| pose, None);
                    if settings.motion.is_morse() {
                        commanded.hold(engine, body_index, row);
                    } else if let Some(body) = engine.movable(row) {
                        body.set_linvel(default(), true);
                        body.set_angvel(default(), true);
                        // The body stays at this pose until the end of the tick.
                        body.set_gravity_scale(0.0, false);
                        commanded.pushed.push(body_index);
                    }
                }
                Last::Orientation(turned) => {
                    let to = |pose: Isometry3<f64>| Isometry3::from_parts(pose.translation, turned);
                    puts.put(engine, states, to, None);
                    if settings.motion.is_morse() {
                        commanded.hold(engine, body_index, row);
                    } else if let Some(body) = engine.movable(row) {
                        body.set_angvel(default(), true);
                    }
                }
                Last::Displacement { by, period } => {
                    puts.put(engine, states, |pose| pose * by, Some((&by, period)));
                }
            }
        }
    }
}

/// Takes a commanded velocity of a body for this tick.
fn drive(
    commanded: &mut Commanded,
    (engine, trees): (&mut EngineItem<'_, '_>, &mut Trees),
    (tables, settings): (&Tables, &PhysicsSettings),
    (body_index, row): (usize, &BodyRow),
    command: Command,
) {
    // The command of the previous tick.
    let last = commanded.velocities.get(&body_index).map(|last| Command {
        is_new: false,
        ..*last
    });
    let rolls = command.is_ground_robot && rolls(engine, tables, body_index, settings);
    let command = Command { rolls, ..command };
    let is_new = last != Some(command);
    let command = Command { is_new, ..command };
    if !rolls {
        trees.surface(body_index, engine, tables);
    }
    let is_clear = trees.is_clear_of(body_index);
    hold(engine, row, (&command, is_clear), settings.motion);
    commanded.velocities.insert(body_index, command);
}

/// Returns true if contacts with the ground drive a ground robot: a dynamic base with weight that does not swim, and with
/// geometry to stand on. False in MORSE's motion.
fn rolls(
    engine: &EngineItem<'_, '_>,
    tables: &Tables,
    body_index: usize,
    settings: &PhysicsSettings,
) -> bool {
    let row = tables.bodies.get(body_index);
    let is_heavy = row.is_some_and(|row| row.kind == BodyKind::Dynamic && row.gravity)
        && settings.gravity != [0.0; 3];
    let stands = |(_, row): (usize, &BodyRow)| {
        let body = engine.bodies.bodies.get(row.handle);
        body.is_some_and(|body| !body.colliders().is_empty())
    };
    let swims = || {
        let pose = row.and_then(|row| engine.bodies.bodies.get(row.handle));
        let height = pose.map(|body| engine.body_poses.of(body).translation.z);
        settings
            .water
            .zip(height)
            .is_some_and(|(water, height)| height < water.level)
    };
    settings.motion == MotionMode::Default
        && is_heavy
        && !swims()
        && tables.robot_of(body_index).any(stands)
}

/// Returns the force and the torque of a drive in this tick, world axes.
fn wrench(drive: &Drive, acts: bool, carrier: &BodyState) -> Option<[Vector3<f64>; 2]> {
    match *drive {
        Drive::Wrench { force, torque } => acts.then_some([force, torque]),
        Drive::Thrust { force, torque } => {
            Some([force, torque].map(|vector| carrier.pose.rotation * vector))
        }
        _ => None,
    }
}

/// Ignores a command that is not finite; the engine would remove the body.
fn is_finite(drive: &Drive) -> bool {
    let finite = |vector: &Vector3<f64>| vector.iter().all(|coordinate| coordinate.is_finite());
    match drive {
        Drive::None => true,
        Drive::Orientation(turned) => turned
            .coords
            .iter()
            .all(|coordinate| coordinate.is_finite()),
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

/// Stops kinematic bodies without a command.
fn still(engine: &mut EngineItem<'_, '_>, tables: &Tables) {
    for index in &tables.commandable {
        if let Some(row) = tables.bodies.get(*index)
            && let Some(body) = engine.movable(row)
        {
            body.set_linvel(default(), false);
            body.set_angvel(default(), false);
        }
    }
}

/// Protects the commanded velocity from gravity and damping. A commanded velocity of a body that is no ground robot includes
/// the vertical one: the body does not fall.
///
/// The base of a robot with nothing near it sleeps in the engine, which does not move it.
fn hold(
    engine: &mut EngineItem<'_, '_>,
    row: &BodyRow,
    (command, is_clear): (&Command, bool),
    motion: MotionMode,
) {
    if is_clear && row.damping == [0.0; 2] {
        return;
    }
    let Some(body) = engine.movable(row) else {
        return;
    };
    if motion == MotionMode::Default {
        body.set_linear_damping(0.0);
        body.set_angular_damping(0.0);
        if command.rolls && command.wakes() && !is_clear {
            body.wake_up(true);
        }
    }
    if !command.is_ground_robot {
        body.set_gravity_scale(0.0, false);
    }
}

pub(super) fn push(
    engine: &mut EngineItem<'_, '_>,
    row: &BodyRow,
    force: &Vector3<f64>,
    torque: &Vector3<f64>,
) {
    if let Some(body) = engine.movable(row) {
        let wakes = force.amax() > 0.0 || torque.amax() > 0.0;
        body.add_force(convert::vec3(force), wakes);
        body.add_torque(convert::vec3(torque), wakes);
    }
}
