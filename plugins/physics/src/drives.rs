//! Drives of bodies, as actuators ask for them: one system applies them all, in path order.
mod arc;
mod last;

use std::collections::BTreeMap;

use bevy::{math::Vec3, prelude::*};
use bevy_rapier3d::rapier::prelude::RigidBody;
use morse_api::{
    body::{BodyKind, BodyState, Drive, Robot},
    component::{Active, Due, Mount, Path, UpdateRate},
    motion::MotionMode,
    rival::{Created, Rival},
    state::InPathOrder,
    tick::Clock,
    warning::Warnings,
};
use nalgebra::{Isometry3, Vector3};
use serde::{Deserialize, Serialize};

use super::{
    PhysicsSettings, convert,
    engine::{BodyIndex, BodyRow, Engine, EngineItem, Tables},
    held,
    posed::{PosedMotions, Puts},
    rivals::{Claim, Claims},
};
use last::Last;

/// m/s and rad/s: a robot that is as near as this to what it was told to do has grip, and does it exactly.
/// One that is further off slips, and only friction brings it back.
const GRIP: f64 = 2e-3;

/// Share of its velocities that a ground robot keeps while it turns, in MORSE's motion.
///
/// There friction took its share of a drive, three hundredths at 1 m/s, but half of it from a turn: a robot stood on
/// a few points close together, whatever its size. The engine here would brake a turn by the whole footprint.
pub(super) const TURNING_SHARE: f64 = 0.985;

/// rad/s, from which a driven robot turns.
const TURNING: f64 = 1e-3;

/// A velocity that a body was told to have in this tick.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Command {
    /// Of the body's origin, body axes, m/s.
    linear: Vector3<f64>,
    /// Body axes, rad/s.
    angular: Vector3<f64>,
    is_ground_robot: bool,
    /// True if it was told something else before.
    is_new: bool,
}

/// The bodies that are driven in this tick, and those that are pushed.
#[derive(Resource, Default)]
pub struct Commanded {
    /// By body; what was told in the tick before tells whether a command is new, so these are state.
    pub(super) velocities: BTreeMap<usize, Command>,
    pub(super) pushed: Vec<usize>,
    /// Bodies that were put somewhere past physics, lately.
    pub(super) posed: PosedMotions,
    /// Bodies that were to be put where the physics cannot bear them.
    pub(super) unbearable: Vec<usize>,
}

impl Commanded {
    /// Tells whether a velocity is commanded to this body.
    pub(super) fn drives(&self, body: usize) -> bool {
        self.velocities.contains_key(&body)
    }

    /// The velocity that a driven body is to have where it touches something, if it can keep it by
    /// friction; and whether it turns, which takes friction away.
    pub(super) fn wanted_at(&self, place: usize, body: &RigidBody, point: Vec3) -> Option<Vec3> {
        let command = self.velocities.get(&place)?;
        let wanted = command.wanted(body);
        let arm = point - body.center_of_mass();
        Some(wanted.0 + wanted.1.cross(arm))
    }

    /// Tells whether a driven body is a ground robot, whose height is left to physics.
    pub(super) fn keeps_to_ground(&self, place: usize) -> bool {
        let command = self.velocities.get(&place);
        command.is_some_and(|command| command.is_ground_robot)
    }

    /// Tells whether a driven body is told to turn on the ground.
    pub(super) fn turns(&self, place: usize) -> bool {
        let command = self.velocities.get(&place);
        command.is_some_and(Command::turns)
    }

    /// The ground robots that are told to turn, which they do without friction.
    pub(super) fn turning(&self) -> impl Iterator<Item = usize> {
        let all = self.velocities.iter();
        let turning = all.filter(|(_, command)| command.is_ground_robot && command.turns());
        turning.map(|(place, _)| *place)
    }

    /// Sets the commanded velocities again, at the start of every step of the engine; `is_first` of a
    /// tick. `holds`: in MORSE's motion they are set whether the robot slips or not.
    pub(super) fn impose(
        &self,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        is_first: bool,
        settings: &PhysicsSettings,
    ) {
        let motion = settings.motion;
        for (place, command) in &self.velocities {
            let row = tables.bodies.get(*place);
            let body = row.and_then(|row| engine.movable(row));
            let (Some(row), Some(body)) = (row, body) else {
                continue;
            };
            if body.is_sleeping() && !command.wakes() {
                continue;
            }
            let is_due = match motion {
                MotionMode::Morse => is_first,
                MotionMode::Default => {
                    let is_new = command.is_new && is_first;
                    is_new || row.kind != BodyKind::Dynamic || command.has_grip(body)
                }
            };
            if is_due {
                let is_braked =
                    motion == MotionMode::Morse && command.is_ground_robot && command.turns();
                let share = if is_braked { TURNING_SHARE } else { 1.0 };
                let is_on_arc = !motion.is_morse() && command.is_alone(row);
                let step = is_on_arc.then(|| settings.substep());
                command.times(share).impose(body, row, step);
            }
        }
    }

    /// Holds a body that was put somewhere, until the end of the tick.
    fn hold(&mut self, engine: &mut EngineItem<'_, '_>, place: usize, row: &BodyRow) {
        if let Some(body) = engine.movable(row) {
            held::hold(body);
            self.pushed.push(place);
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
                held::release(body, row);
                body.set_linear_damping(row.damping[0]);
                body.set_angular_damping(row.damping[1]);
            }
        }
    }
}

impl Command {
    /// Tells whether the body has to be awake; one that stands as it was told before may sleep.
    fn wakes(&self) -> bool {
        self.is_new || self.linear.amax() > 0.0 || self.angular.amax() > 0.0
    }

    fn turns(&self) -> bool {
        self.angular.z.abs() > TURNING
    }

    fn times(&self, share: f64) -> Self {
        Self {
            linear: self.linear * share,
            angular: self.angular * share,
            ..*self
        }
    }

    /// Tells whether the body does what it was told, or must since nothing else makes it.
    fn has_grip(&self, body: &RigidBody) -> bool {
        if !self.is_ground_robot || self.turns() {
            return true;
        }
        let (linear, angular) = self.wanted(body);
        let off = (linear - body.linvel()).length() + (angular - body.angvel()).length();
        f64::from(off) < GRIP
    }

    /// The velocity of the body's centre of mass, and its angular velocity, as they are to be.
    fn wanted(&self, body: &RigidBody) -> (Vec3, Vec3) {
        let pose = convert::isometry(body.position());
        let arm = convert::vector(body.center_of_mass()) - pose.translation.vector;
        let own_angular = convert::vector(body.angvel());
        let own_linear = convert::vector(body.linvel()) - own_angular.cross(&arm);
        let (linear, angular) = self.velocities(&pose, &own_linear, &own_angular);
        (
            convert::vec3(&(linear + angular.cross(&arm))),
            convert::vec3(&angular),
        )
    }

    /// Of the body's origin, world axes, for a body that moves with these itself.
    fn velocities(
        &self,
        pose: &Isometry3<f64>,
        own_linear: &Vector3<f64>,
        own_angular: &Vector3<f64>,
    ) -> (Vector3<f64>, Vector3<f64>) {
        let mut linear = pose.rotation * self.linear;
        let mut angular = pose.rotation * self.angular;
        if self.is_ground_robot {
            linear.z = own_linear.z;
            angular.x = own_angular.x;
            angular.y = own_angular.y;
        }
        (linear, angular)
    }

    /// Gives the body this velocity. A ground robot keeps its own vertical speed, roll and pitch
    /// rates: gravity and the ground give those.
    ///
    /// With a length of the `step` (s), it is the mean velocity of the body on its arc in that step.
    fn impose(&self, body: &mut RigidBody, row: &BodyRow, step: Option<f64>) {
        let (linear, angular) = self.start(body, row);
        let linear = step.map_or(linear, |step| arc::mean(&linear, &angular, step));
        let wakes = self.wakes();
        body.set_linvel(convert::vec3(&held::allowed(row, linear)), wakes);
        body.set_angvel(convert::vec3(&angular), wakes);
    }

    /// Velocity that the body is to have as it lies now: of its centre of mass, and about it; world axes.
    fn start(&self, body: &RigidBody, row: &BodyRow) -> (Vector3<f64>, Vector3<f64>) {
        let pose = convert::isometry(body.position());
        let arm = convert::vector(body.center_of_mass()) - pose.translation.vector;
        let (own_linear, own_angular) = if row.kind == BodyKind::Kinematic {
            (Vector3::zeros(), Vector3::zeros())
        } else {
            let angular = convert::vector(body.angvel());
            (
                convert::vector(body.linvel()) - angular.cross(&arm),
                angular,
            )
        };
        let (linear, angular) = self.velocities(&pose, &own_linear, &own_angular);
        let angular = held::allowed_turn(row, angular);
        (linear + angular.cross(&arm), angular)
    }

    /// Tells whether nothing but the command moves the body.
    fn is_alone(&self, row: &BodyRow) -> bool {
        row.kind == BodyKind::Kinematic || !self.is_ground_robot
    }
}

/// An actuator, as far as its drive depends on it.
type Driver<'a> = (
    &'a Drive,
    &'a Mount,
    Option<&'a Active>,
    Option<&'a Due>,
    Option<&'a UpdateRate>,
    Option<&'a Path>,
    (Option<&'a mut Rival>, Option<&'a Created>),
);

/// Applies the drives of all active actuators: wrenches add up; of several that set velocity or pose of a robot,
/// one drives (see [`Rival`]). Wrenches act on the body that carries the actuator, the others on the robot's
/// base. A velocity and a thrust stand until the actuator asks otherwise; the rest is for the ticks in
/// which the actuator acts.
pub(super) fn apply(
    settings: Res<PhysicsSettings>,
    tables: Res<Tables>,
    (order, clock): (Option<Res<InPathOrder>>, Res<Clock>),
    mut commanded: ResMut<Commanded>,
    mut engine: Single<Engine>,
    mut warnings: ResMut<Warnings>,
    mut drives: Query<Driver<'_>>,
    bodies: Query<(&BodyIndex, Option<&Robot>)>,
    mut states: Query<&mut BodyState>,
    mut memory: Local<Memory>,
) {
    commanded.pushed.clear();
    commanded.unbearable.clear();
    let Memory { claims, driven } = &mut *memory;
    claims.clear(tables.bodies.len());
    driven.clear();
    for &entity in order.iter().flat_map(|order| &order.0) {
        let Ok((drive, mount, active, due, rate, path, (mut rival, created))) =
            drives.get_mut(entity)
        else {
            continue;
        };
        let Ok((&BodyIndex(base), robot)) = bodies.get(mount.robot) else {
            continue;
        };
        let is_new = claims.note(base, rival.as_mut().map(Mut::reborrow), clock.tick);
        if active.is_some_and(|active| !active.0) {
            continue;
        }
        let acts = due.is_none_or(|due| due.0);
        if !is_finite(drive) {
            let path = path.cloned().unwrap_or_default();
            warnings.add(
                &path,
                "it drives by what is no finite number, which moves nothing",
            );
            continue;
        }
        if matches!(drive, Drive::Wrench { .. } | Drive::Thrust { .. }) {
            let carrier = bodies.get(mount.body).ok();
            if let Some((place, row)) = tables.row(carrier.map(|(index, _)| index))
                && let Ok(state) = states.get(row.entity)
                && let Some([force, torque]) = wrench(drive, acts, state)
            {
                push(&mut engine, row, &force, &torque);
                commanded.pushed.push(place);
            }
            continue;
        }
        let is_ground_robot = robot.is_some_and(|robot| robot.is_ground_robot);
        let period = rate.map_or_else(|| settings.dt(), UpdateRate::period);
        if *drive != Drive::None {
            let last = Last::of(drive, acts, is_ground_robot, period);
            let who = (entity, rival.as_deref(), created.copied());
            claims.add(base, Claim::new(who, (is_new, settings.motion), last));
        }
    }
    claims.warn(&mut warnings, |actuator| {
        let path = drives.get(actuator).ok().and_then(|driver| driver.5);
        path.cloned().unwrap_or_default()
    });
    still(&mut engine, &tables);
    let told = Told {
        told: claims.told(settings.motion),
        driven,
        settings: &settings,
    };
    told.carry_out(&mut engine, &tables, &mut commanded, &mut states);
    // Driven bodies are noted by growing place.
    let is_driven = |place: &usize| driven.binary_search(place).is_ok();
    commanded.velocities.retain(|place, _| is_driven(place));
}

/// Memory for the claims of a tick, which mean nothing in the next one.
#[derive(Default)]
pub(super) struct Memory {
    claims: Claims<Last>,
    driven: Vec<usize>,
}

/// Commands to bodies in this tick, by place, and the bodies among them that get a velocity.
struct Told<'a, T> {
    told: T,
    driven: &'a mut Vec<usize>,
    settings: &'a PhysicsSettings,
}

impl<T: Iterator<Item = (usize, Last)>> Told<'_, T> {
    fn carry_out(
        self,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        commanded: &mut Commanded,
        states: &mut Query<&mut BodyState>,
    ) {
        let Self {
            told,
            driven,
            settings,
        } = self;
        for (place, last) in told {
            let Some(row) = tables.bodies.get(place) else {
                continue;
            };
            let mut puts = Puts {
                settings,
                tables,
                motions: &mut commanded.posed,
                unbearable: &mut commanded.unbearable,
                place,
                row,
            };
            match last {
                Last::Velocity(command) => {
                    // What the tick before left there.
                    let last = commanded.velocities.get(&place).map(|last| Command {
                        is_new: false,
                        ..*last
                    });
                    let is_new = last != Some(command);
                    let command = Command { is_new, ..command };
                    hold(engine, row, &command, settings.motion);
                    commanded.velocities.insert(place, command);
                    driven.push(place);
                }
                Last::Pose(pose) => {
                    puts.put(engine, states, |_| pose, None);
                    if settings.motion.is_morse() {
                        commanded.hold(engine, place, row);
                    } else if let Some(body) = engine.movable(row) {
                        body.set_linvel(default(), true);
                        body.set_angvel(default(), true);
                        // It stays where it is put, until the end of the tick.
                        body.set_gravity_scale(0.0, false);
                        commanded.pushed.push(place);
                    }
                }
                Last::Orientation(turned) => {
                    let to = |pose: Isometry3<f64>| Isometry3::from_parts(pose.translation, turned);
                    puts.put(engine, states, to, None);
                    if settings.motion.is_morse() {
                        commanded.hold(engine, place, row);
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
        Drive::Orientation(turned) => turned.coords.iter().all(|part| part.is_finite()),
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
            && let Some(body) = engine.movable(row)
        {
            body.set_linvel(default(), false);
            body.set_angvel(default(), false);
        }
    }
}

/// The commanded velocity holds against what would change it of itself. One that is commanded to what is
/// no ground robot includes the vertical one: it does not fall.
fn hold(engine: &mut EngineItem<'_, '_>, row: &BodyRow, command: &Command, motion: MotionMode) {
    let Some(body) = engine.movable(row) else {
        return;
    };
    if motion == MotionMode::Default {
        body.set_linear_damping(0.0);
        body.set_angular_damping(0.0);
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
