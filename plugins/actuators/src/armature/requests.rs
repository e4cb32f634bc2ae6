//! Services of an armature that concern its joints.
use std::collections::BTreeMap;

use morse_api::{
    joint::JointState,
    prelude::*,
    service::{NoArguments, Status},
};
use morse_kinematics::{Chain, Joint};
use serde_json::{Value as Json, json};

use super::{ArmMotion, Armature};
use crate::trajectory::{Wanted, no_joint};

/// Adds the services.
pub(super) fn add(app: &mut App) {
    let reads: [(_, _, fn(&mut World, Entity, NoArguments) -> _); 3] = [
        (
            "get_positions",
            "Returns `names`, `positions` and `set_points` of the joints, from root to tip, rad or m.",
            get_positions,
        ),
        (
            "get_joints",
            "The names of the joints, from root to tip.",
            get_joints,
        ),
        (
            "get_dofs",
            "Returns for each joint whether it moves along or about x, y and z; for an oblique axis, the nearest one.",
            get_dofs,
        ),
    ];
    for (name, docs, handler) in reads {
        app.add_service::<Armature>(Service::new(name, docs, handler).read_only());
    }
    app.add_service::<Armature>(
        Service::new(
            "get_IK_limits",
            "The lowest and highest position of a joint, rad or m; -π and π, or null, without a limit.",
            limits,
        )
        .read_only(),
    )
    .add_service::<Armature>(Service::new(
        "set_rotation",
        "Sets the angle of a revolute joint at once; a joint with a motor moves there as fast as the motor can.",
        |world, arm, one: Angle| put(world, arm, true, &[(one.joint, one.angle)]),
    ))
    .add_service::<Armature>(Service::new(
        "set_translation",
        "Sets the position of a prismatic joint at once; a joint with a motor moves there as fast as the motor can.",
        |world, arm, one: Length| put(world, arm, false, &[(one.joint, one.translation)]),
    ))
    .add_service::<Armature>(Service::new(
        "set_rotations",
        "As `set_rotation`, for the first joints from the root on.",
        |world, arm, all: Angles| put_all(world, arm, true, &all.angles),
    ))
    .add_service::<Armature>(Service::new(
        "set_translations",
        "As `set_translation`, for the first joints from the root on.",
        |world, arm, all: Lengths| put_all(world, arm, false, &all.translations),
    ));
    add_async(app);
}

fn add_async(app: &mut App) {
    app.add_service::<Armature>(
        Service::new(
            "rotate",
            "Rotates a joint to an angle; answered when all joints are at their goals.",
            |world, arm, one: Rotate| go(world, arm, true, &[(one.joint, one.angle)], one.speed),
        )
        .interruptible(interrupt),
    )
    .add_service::<Armature>(
        Service::new(
            "translate",
            "Moves a prismatic joint to a position; answered when all joints are at their goals.",
            |world, arm, one: Translate| {
                go(
                    world,
                    arm,
                    false,
                    &[(one.joint, one.translation)],
                    one.speed,
                )
            },
        )
        .interruptible(interrupt),
    )
    .add_service::<Armature>(
        Service::new(
            "rotate_joints",
            "Rotates several joints to angles; see `rotate`.",
            |world, arm, all: RotateAll| go(world, arm, true, &list(all.angles), all.speed),
        )
        .interruptible(interrupt),
    )
    .add_service::<Armature>(
        Service::new(
            "translate_joints",
            "Moves several prismatic joints to positions; see `translate`.",
            |world, arm, all: TranslateAll| {
                go(world, arm, false, &list(all.translations), all.speed)
            },
        )
        .interruptible(interrupt),
    )
    .add_service::<Armature>(
        Service::new(
            "trajectory",
            "Follows a trajectory: linear between points, or cubic if points have velocities.",
            trajectory,
        )
        .cancellable(interrupt),
    );
}

/// Arguments of `get_IK_limits`.
#[derive(Reflect, Deserialize)]
struct Name {
    /// Name of the joint.
    joint: String,
}

/// Arguments of `set_rotation`.
#[derive(Reflect, Deserialize)]
struct Angle {
    /// Name of the joint.
    joint: String,
    /// Angle, rad.
    angle: f64,
}

/// Arguments of `set_translation`.
#[derive(Reflect, Deserialize)]
struct Length {
    /// Name of the joint.
    joint: String,
    /// Position, m.
    translation: f64,
}

/// Arguments of `set_rotations`.
#[derive(Reflect, Deserialize)]
struct Angles {
    /// Angles of the first joints from the root on, rad; further angles are ignored.
    angles: Vec<f64>,
}

/// Arguments of `set_translations`.
#[derive(Reflect, Deserialize)]
struct Lengths {
    /// Positions of the first joints from the root on, m; further positions are ignored.
    translations: Vec<f64>,
}

/// Arguments of `rotate`.
#[derive(Reflect, Deserialize)]
struct Rotate {
    /// Name of the joint.
    joint: String,
    /// Angle, rad.
    angle: f64,
    /// Speed, rad/s; by default that of the settings.
    #[serde(default)]
    speed: Option<f64>,
}

/// Arguments of `translate`.
#[derive(Reflect, Deserialize)]
struct Translate {
    /// Name of the joint.
    joint: String,
    /// Position, m.
    translation: f64,
    /// Speed, m/s; by default that of the settings.
    #[serde(default)]
    speed: Option<f64>,
}

/// Arguments of `rotate_joints`.
#[derive(Reflect, Deserialize)]
struct RotateAll {
    /// Angle of each joint, by its name, rad.
    angles: BTreeMap<String, f64>,
    /// Speed, rad/s; by default that of the settings.
    #[serde(default)]
    speed: Option<f64>,
}

/// Arguments of `translate_joints`.
#[derive(Reflect, Deserialize)]
struct TranslateAll {
    /// Position of each joint, by its name, m.
    translations: BTreeMap<String, f64>,
    /// Speed, m/s; by default that of the settings.
    #[serde(default)]
    speed: Option<f64>,
}

/// Arguments of `trajectory`.
#[derive(Reflect, Deserialize)]
struct Follow {
    /// Points of the trajectory over time.
    trajectory: Wanted,
}

fn list(named: BTreeMap<String, f64>) -> Vec<(String, f64)> {
    named.into_iter().collect()
}

/// Returns the components of an armature that a service needs.
pub(super) fn components_of(
    world: &World,
    arm: Entity,
) -> Result<(&Armature, &Chain, &ArmMotion), ServiceError> {
    let settings = world.get::<Armature>(arm);
    let components = settings
        .zip(world.get::<Chain>(arm))
        .zip(world.get::<ArmMotion>(arm));
    let components = components.map(|((settings, chain), motion)| (settings, chain, motion));
    components.ok_or_else(|| ServiceError::Failed("this armature has no joints".to_owned()))
}

fn get_joints(world: &mut World, arm: Entity, _: NoArguments) -> Result<Outcome, ServiceError> {
    let (_, chain, _) = components_of(world, arm)?;
    Ok(Outcome::Done(chain.names().into()))
}

fn get_positions(world: &mut World, arm: Entity, _: NoArguments) -> Result<Outcome, ServiceError> {
    let (_, chain, motion) = components_of(world, arm)?;
    let position = |joint: &Joint| {
        world
            .get::<JointState>(joint.variable)
            .map(|state| state.position)
    };
    let positions: Vec<Option<f64>> = chain.joints.iter().map(position).collect();
    Ok(Outcome::Done(json!({
        "names": chain.names(),
        "positions": positions,
        "set_points": motion.set_points,
    })))
}

fn get_dofs(world: &mut World, arm: Entity, _: NoArguments) -> Result<Outcome, ServiceError> {
    let (_, chain, _) = components_of(world, arm)?;
    let free = |joint: &Joint| {
        let axes = [0, 1, 2].map(|axis| axis == joint.free_axis);
        (joint.name.clone(), json!(axes))
    };
    let dofs = chain.joints.iter().map(free).collect();
    Ok(Outcome::Done(Json::Object(dofs)))
}

fn limits(world: &mut World, arm: Entity, Name { joint }: Name) -> Result<Outcome, ServiceError> {
    let (_, chain, _) = components_of(world, arm)?;
    let joint = chain
        .joints
        .iter()
        .find(|known| known.name == joint)
        .ok_or_else(|| ServiceError::Failed(no_joint(chain, &joint)))?;
    let [lower, upper] = joint.limits;
    let free = if joint.is_angle {
        std::f64::consts::PI
    } else {
        f64::INFINITY
    };
    let finite = |limit: f64| {
        if limit.is_finite() {
            limit
        } else {
            free.copysign(limit)
        }
    };
    Ok(Outcome::Done(json!([finite(lower), finite(upper)])))
}

/// Returns the index of a revolute or prismatic joint, and the position if it is a number.
fn joint_index(
    chain: &Chain,
    turns: bool,
    name: &str,
    position: f64,
) -> Result<usize, ServiceError> {
    let index = chain.index(name);
    let index = index.ok_or_else(|| ServiceError::Failed(no_joint(chain, name)))?;
    if !position.is_finite() {
        return Err(ServiceError::Failed(format!(
            "invalid position `{position}` of `{name}`: expected a finite number"
        )));
    }
    match chain.joints.get(index).map(|joint| joint.is_angle) {
        Some(true) if !turns => Err(ServiceError::Failed(format!(
            "the joint `{name}` turns: it cannot be set to a translation"
        ))),
        Some(false) if turns => Err(ServiceError::Failed(format!(
            "the joint `{name}` slides: it cannot be set to a rotation"
        ))),
        _ => Ok(index),
    }
}

fn joint_indices(
    chain: &Chain,
    turns: bool,
    wanted: &[(String, f64)],
) -> Result<Vec<(usize, f64)>, ServiceError> {
    let each = |(name, position): &(String, f64)| {
        joint_index(chain, turns, name, *position).map(|index| (index, *position))
    };
    wanted.iter().map(each).collect()
}

/// Moves the first joints to positions at once.
fn put_all(
    world: &mut World,
    arm: Entity,
    turns: bool,
    positions: &[f64],
) -> Result<Outcome, ServiceError> {
    let (_, chain, _) = components_of(world, arm)?;
    let named: Vec<(String, f64)> = chain
        .names()
        .into_iter()
        .zip(positions.iter().copied())
        .collect();
    put(world, arm, turns, &named)
}

/// Moves joints to positions at once. Any other motion of the arm ends.
fn put(
    world: &mut World,
    arm: Entity,
    turns: bool,
    wanted: &[(String, f64)],
) -> Result<Outcome, ServiceError> {
    let (settings, chain, motion) = components_of(world, arm)?;
    let wanted = joint_indices(chain, turns, wanted)?;
    let mut motion = motion.clone();
    motion.halt();
    for (index, position) in wanted {
        motion.go(chain, index, position, settings.speed(turns));
        if let (Some(point), Some(goal)) =
            (motion.set_points.get_mut(index), motion.goals.get(index))
        {
            *point = *goal;
        }
    }
    motion.jumps = true;
    world.entity_mut(arm).insert(motion);
    if let Some(mut task) = world.get_mut::<Task>(arm) {
        task.end(Status::Preempted, Json::Null);
    }
    Ok(Outcome::NOTHING)
}

/// Moves joints to positions at a speed.
fn go(
    world: &mut World,
    arm: Entity,
    turns: bool,
    wanted: &[(String, f64)],
    speed: Option<f64>,
) -> Result<Outcome, ServiceError> {
    let (settings, chain, motion) = components_of(world, arm)?;
    let wanted = joint_indices(chain, turns, wanted)?;
    let speed = speed.unwrap_or_else(|| settings.speed(turns));
    if !(speed.is_finite() && speed > 0.0) {
        return Err(ServiceError::Failed(format!(
            "invalid speed `{speed}`: it must be positive"
        )));
    }
    let mut motion = motion.clone();
    if motion.trajectory.is_some() || motion.reach.is_active() {
        motion.halt();
    }
    for (index, position) in wanted {
        motion.go(chain, index, position, speed);
    }
    world.entity_mut(arm).insert(motion);
    Ok(Outcome::Pending)
}

fn trajectory(world: &mut World, arm: Entity, wanted: Follow) -> Result<Outcome, ServiceError> {
    let (_, chain, motion) = components_of(world, arm)?;
    let trajectory =
        wanted
            .trajectory
            .read(&motion.set_points, chain, world.resource::<Clock>())?;
    let mut motion = motion.clone();
    motion.halt();
    motion.trajectory = Some(trajectory);
    world.entity_mut(arm).insert(motion);
    Ok(Outcome::Pending)
}

/// Ends a request early: the joints stay at their current positions.
fn interrupt(world: &mut World, arm: Entity) {
    if let Some(mut motion) = world.get_mut::<ArmMotion>(arm) {
        motion.halt();
    }
}
