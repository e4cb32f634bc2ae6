//! Services of an armature that concern the targets of its inverse kinematics.
use std::collections::BTreeSet;

use morse_api::{
    angles::from_yaw_pitch_roll,
    prelude::*,
    service::{NoArguments, Status},
    state::Stateful,
};
use morse_kinematics::{Chain, Tip};
use serde_json::Value as Json;

use super::{
    ArmMotion, Armature, Convention,
    reach::{Reach, Target},
    requests::components_of,
};

/// Poses of the targets of an arm in the world while it does not follow them; only with [`Convention::Morse`]. They have the
/// axes of the arm's tip. Part of the state.
#[derive(Component, Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Stands(Vec<Isometry3<f64>>);

impl Stateful for Stands {}

impl Stands {
    /// Returns the initial poses. MORSE creates the targets of an arm before it places the arm, and they stay there; targets
    /// with names of their own belong to models, which are placed together with their targets.
    pub(super) fn at_start(world: &World, settings: &Armature, chain: &Chain) -> Self {
        let stand = |tip: &Tip| {
            let rest = tip.root_from_tip_at_rest();
            if !settings.targets.contains_key(last_joint(chain, tip)) {
                return rest;
            }
            let base = world.get::<BodyState>(tip.base);
            base.map_or(rest, |base| base.pose * tip.base_from_root * rest)
        };
        Self(chain.tips.iter().map(stand).collect())
    }

    /// Stores the poses of the targets that the arm follows.
    pub(super) fn keep(&mut self, reach: &Reach) {
        for (tip, stand) in self.0.iter_mut().enumerate() {
            if let Some(target) = reach.target(tip) {
                *stand = target.now;
            }
        }
    }
}

/// Adds the services.
pub(super) fn add(app: &mut App) {
    app.add_service::<Armature>(
        Service::new(
            "list_IK_targets",
            "Returns the names of the targets: `ik_target.ARMATURE.JOINT`, one for the last joint before each tip, or \
             the name in the settings.",
            list,
        )
        .read_only(),
    )
    .add_service::<Armature>(Service::new(
        "place_IK_target",
        "Sets the position of a target; the arm follows as fast as its joints allow.",
        place_target,
    ))
    .add_service::<Armature>(
        Service::new(
            "move_IK_target",
            "Moves a target in a straight line; answered when the arm has followed.",
            go,
        )
        .interruptible(interrupt),
    );
}

/// Arguments of `place_IK_target`.
#[derive(Reflect, Deserialize)]
struct Placement {
    /// Name of the target.
    name: String,
    /// Translation along the world's axes, m.
    translation: [f64; 3],
    /// Roll, pitch and yaw about the world's axes, rad; by default the orientation stays.
    #[serde(default)]
    euler_rotation: Option<[f64; 3]>,
    /// True if both are relative to the pose of the target (the default).
    #[serde(default)]
    relative: Option<bool>,
}

/// Arguments of `move_IK_target`.
#[derive(Reflect, Deserialize)]
struct Go {
    /// Name of the target.
    name: String,
    /// Translation along the world's axes, m.
    translation: [f64; 3],
    /// Roll, pitch and yaw about the world's axes, rad; by default the orientation stays.
    #[serde(default)]
    euler_rotation: Option<[f64; 3]>,
    /// True if both are relative to the pose of the target (the default).
    #[serde(default)]
    relative: Option<bool>,
    /// Linear speed, m/s; by default that of the settings.
    #[serde(default)]
    linear_speed: Option<f64>,
    /// Angular speed, rad/s; by default that of the settings.
    #[serde(default)]
    radial_speed: Option<f64>,
}

/// Returns the last joint before a tip.
fn last_joint<'c>(chain: &'c Chain, tip: &'c Tip) -> &'c String {
    let mut joints = tip.links.iter().rev();
    let last = joints.find_map(|link| chain.joints.get(link.joint?));
    last.map_or(&tip.name, |joint| &joint.name)
}

/// Returns the names of the targets, without the name of the armature.
fn short_names<'c>(settings: &'c Armature, chain: &'c Chain) -> impl Iterator<Item = &'c String> {
    chain.tips.iter().map(|tip| {
        let last = last_joint(chain, tip);
        settings.targets.get(last).unwrap_or(last)
    })
}

/// Checks that all names belong to existing targets, and that names are unique.
pub(super) fn check(settings: &Armature, chain: &Chain) -> Result<(), CheckError> {
    let ends: BTreeSet<&String> = chain
        .tips
        .iter()
        .map(|tip| last_joint(chain, tip))
        .collect();
    if let Some(joint) = settings.targets.keys().find(|joint| !ends.contains(joint)) {
        let ends: Vec<&str> = ends.iter().map(|end| end.as_str()).collect();
        return Err(CheckError::unmet(format!(
            "`targets` names `{joint}`, which is not the last joint before an end; these are: {}",
            ends.join(", ")
        )));
    }
    let mut seen = BTreeSet::new();
    match short_names(settings, chain).find(|name| !seen.insert(*name)) {
        Some(twice) => Err(CheckError::setting(format!(
            "two `targets` are called `{twice}`"
        ))),
        None => Ok(()),
    }
}

fn names(world: &World, arm: Entity) -> Result<Vec<String>, ServiceError> {
    let (settings, chain, _) = components_of(world, arm)?;
    let path = world
        .get::<ComponentPath>(arm)
        .map_or("", ComponentPath::as_str);
    let names = short_names(settings, chain).map(|name| format!("ik_target.{path}.{name}"));
    Ok(names.collect())
}

fn list(world: &mut World, arm: Entity, _: NoArguments) -> Result<Outcome, ServiceError> {
    Ok(Outcome::Done(names(world, arm)?.into()))
}

fn place_target(
    world: &mut World,
    arm: Entity,
    placement: Placement,
) -> Result<Outcome, ServiceError> {
    let wish = Go {
        name: placement.name,
        translation: placement.translation,
        euler_rotation: placement.euler_rotation,
        relative: placement.relative,
        linear_speed: None,
        radial_speed: None,
    };
    let (tip, mut target) = target(world, arm, &wish)?;
    target.now = target.goal;
    set(world, arm, tip, target);
    if let Some(mut task) = world.get_mut::<Task>(arm) {
        task.end(Status::Preempted, Json::Null);
    }
    Ok(Outcome::NOTHING)
}

fn go(world: &mut World, arm: Entity, wish: Go) -> Result<Outcome, ServiceError> {
    let (tip, target) = target(world, arm, &wish)?;
    set(world, arm, tip, target);
    Ok(Outcome::Pending)
}

fn set(world: &mut World, arm: Entity, tip: usize, target: Target) {
    if let Some(mut motion) = world.get_mut::<ArmMotion>(arm) {
        motion.trajectory = None;
        motion.reach.set(tip, target);
    }
    if let Some(stand) = world
        .get_mut::<Stands>(arm)
        .as_mut()
        .and_then(|stands| stands.0.get_mut(tip))
    {
        *stand = target.now;
    }
}

/// Returns the tip of a request, and its target.
fn target(world: &World, arm: Entity, wish: &Go) -> Result<(usize, Target), ServiceError> {
    let (settings, _, motion) = components_of(world, arm)?;
    let tip = tip(world, arm, &wish.name)?;
    let turns = wish.euler_rotation.iter().flatten();
    if !wish
        .translation
        .iter()
        .chain(turns)
        .all(|number| number.is_finite())
    {
        return Err(ServiceError::Failed(
            "translation and euler_rotation must be finite numbers".to_owned(),
        ));
    }
    let linear_speed = speed(wish.linear_speed, settings.ik_linear_speed)?;
    let radial_speed = speed(wish.radial_speed, settings.ik_rotation_speed)?;
    let old = motion.reach.target(tip);
    let stands = world.get::<Stands>(arm);
    let now = match (old, stands.and_then(|stands| stands.0.get(tip))) {
        (Some(old), _) => old.now,
        (None, Some(stand)) => *stand,
        (None, None) => end(world, arm, tip)?,
    };
    let turn = wish
        .euler_rotation
        .map(|[roll, pitch, yaw]| from_yaw_pitch_roll([yaw, pitch, roll]));
    let mut goal = now;
    let translation = Vector3::from(wish.translation);
    if wish.relative.unwrap_or(true) {
        goal.translation.vector += translation;
        goal.rotation = turn.map_or(now.rotation, |turn| turn * now.rotation);
    } else {
        goal.translation.vector = translation;
        let target_from_tip = settings.convention.tip_from_target().inverse();
        goal.rotation = turn.map_or(now.rotation, |turn| turn * target_from_tip);
    }
    let target = Target {
        now,
        goal,
        turns: settings.convention == Convention::Morse
            || turn.is_some()
            || old.is_some_and(|old| old.turns),
        linear_speed,
        radial_speed,
    };
    Ok((tip, target))
}

/// Returns the tip whose target has a name.
fn tip(world: &World, arm: Entity, name: &str) -> Result<usize, ServiceError> {
    let names = names(world, arm)?;
    let index = names.iter().position(|known| known == name);
    index.ok_or_else(|| {
        let known = if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        };
        ServiceError::Failed(format!(
            "there is no IK target `{name}`; there are: {known}"
        ))
    })
}

fn speed(given: Option<f64>, own: f64) -> Result<f64, ServiceError> {
    let speed = given.unwrap_or(own);
    if speed.is_finite() && speed > 0.0 {
        Ok(speed)
    } else {
        Err(ServiceError::Failed(format!(
            "invalid speed `{speed}`: it must be positive"
        )))
    }
}

/// Returns the pose of a tip for the current set points of the joints.
fn end(world: &World, arm: Entity, tip: usize) -> Result<Isometry3<f64>, ServiceError> {
    let (_, chain, motion) = components_of(world, arm)?;
    let pose = chain.tips.get(tip).and_then(|tip| {
        let base = world.get::<BodyState>(tip.base)?;
        Some(base.pose * tip.base_from_tip(&motion.set_points))
    });
    pose.ok_or_else(|| ServiceError::Failed("the arm is nowhere".to_owned()))
}

/// Ends a request early: the targets stay at their current poses.
fn interrupt(world: &mut World, arm: Entity) {
    if let Some(mut motion) = world.get_mut::<ArmMotion>(arm) {
        motion.reach.stop();
    }
}
