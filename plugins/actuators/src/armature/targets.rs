//! The services of an armature that concern the targets of its inverse kinematics.
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
    requests::parts,
};

/// Poses in the world at which the targets of an arm stand while it does not follow them; only with
/// [`Convention::Morse`]. They have the axes of the arm's end. It is state.
#[derive(Component, Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Stands(Vec<Isometry3<f64>>);

impl Stateful for Stands {}

impl Stands {
    /// MORSE makes the targets of an arm before it puts the arm somewhere, and they stay there; those with names of
    /// their own are parts of models, which were put somewhere with their targets.
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

    /// Takes over where the targets are that the arm follows.
    pub(super) fn keep(&mut self, reach: &Reach) {
        for (tip, stand) in self.0.iter_mut().enumerate() {
            if let Some(target) = reach.target(tip) {
                *stand = target.now;
            }
        }
    }
}

/// Offers them.
pub(super) fn add(app: &mut App) {
    app.add_service::<Armature>(
        Service::new(
            "list_IK_targets",
            "The names of the targets: `ik_target.ARMATURE.JOINT`, one for the last joint before each end, or what the \
             settings call it.",
            list,
        )
        .read_only(),
    )
    .add_service::<Armature>(Service::new(
        "place_IK_target",
        "Puts a target at a place of the world; the arm follows as fast as its joints may.",
        place,
    ))
    .add_service::<Armature>(
        Service::new(
            "move_IK_target",
            "Moves a target straight to a place of the world, and answers when the arm has followed.",
            go,
        )
        .interruptible(interrupt),
    );
}

/// Arguments of `place_IK_target`.
#[derive(Reflect, Deserialize)]
struct Place {
    /// The target.
    name: String,
    /// Along the world's axes, m.
    translation: [f64; 3],
    /// Roll, pitch and yaw about the world's axes, rad; the orientation stays unless given.
    #[serde(default)]
    euler_rotation: Option<[f64; 3]>,
    /// True if both are counted from the pose of the target; true unless given.
    #[serde(default)]
    relative: Option<bool>,
}

/// Arguments of `move_IK_target`.
#[derive(Reflect, Deserialize)]
struct Go {
    /// The target.
    name: String,
    /// Along the world's axes, m.
    translation: [f64; 3],
    /// Roll, pitch and yaw about the world's axes, rad; the orientation stays unless given.
    #[serde(default)]
    euler_rotation: Option<[f64; 3]>,
    /// True if both are counted from the pose of the target; true unless given.
    #[serde(default)]
    relative: Option<bool>,
    /// m/s; that of the settings unless given.
    #[serde(default)]
    linear_speed: Option<f64>,
    /// rad/s; that of the settings unless given.
    #[serde(default)]
    radial_speed: Option<f64>,
}

/// The last joint before an end.
fn last_joint<'c>(chain: &'c Chain, tip: &'c Tip) -> &'c String {
    let mut joints = tip.links.iter().rev();
    let last = joints.find_map(|link| chain.joints.get(link.joint?));
    last.map_or(&tip.name, |joint| &joint.name)
}

/// Names of the targets, without the name of the armature.
fn short_names<'c>(settings: &'c Armature, chain: &'c Chain) -> impl Iterator<Item = &'c String> {
    chain.tips.iter().map(|tip| {
        let last = last_joint(chain, tip);
        settings.targets.get(last).unwrap_or(last)
    })
}

/// Checks that names were given to targets that there are, and that no two have the same.
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
    let (settings, chain, _) = parts(world, arm)?;
    let path = world.get::<Path>(arm).map_or("", Path::as_str);
    let names = short_names(settings, chain).map(|name| format!("ik_target.{path}.{name}"));
    Ok(names.collect())
}

fn list(world: &mut World, arm: Entity, _: NoArguments) -> Result<Outcome, ServiceError> {
    Ok(Outcome::Done(names(world, arm)?.into()))
}

fn place(world: &mut World, arm: Entity, at: Place) -> Result<Outcome, ServiceError> {
    let wish = Go {
        name: at.name,
        translation: at.translation,
        euler_rotation: at.euler_rotation,
        relative: at.relative,
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

/// The tip that a wish concerns, and its target.
fn target(world: &World, arm: Entity, wish: &Go) -> Result<(usize, Target), ServiceError> {
    let (settings, _, motion) = parts(world, arm)?;
    let at = tip(world, arm, &wish.name)?;
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
    let old = motion.reach.target(at);
    let stands = world.get::<Stands>(arm);
    let now = match (old, stands.and_then(|stands| stands.0.get(at))) {
        (Some(old), _) => old.now,
        (None, Some(stand)) => *stand,
        (None, None) => end(world, arm, at)?,
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
    Ok((at, target))
}

/// The tip whose target has that name.
fn tip(world: &World, arm: Entity, name: &str) -> Result<usize, ServiceError> {
    let names = names(world, arm)?;
    let at = names.iter().position(|known| known == name);
    at.ok_or_else(|| {
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
            "`{speed}` is no speed: it must be positive"
        )))
    }
}

/// Pose of a tip, as far as the joints have been told to go.
fn end(world: &World, arm: Entity, tip: usize) -> Result<Isometry3<f64>, ServiceError> {
    let (_, chain, motion) = parts(world, arm)?;
    let place = chain.tips.get(tip).and_then(|tip| {
        let base = world.get::<BodyState>(tip.base)?;
        Some(base.pose * tip.base_from_tip(&motion.set_points))
    });
    place.ok_or_else(|| ServiceError::Failed("the arm is nowhere".to_owned()))
}

/// A request ends on the way: the targets stay where they are.
fn interrupt(world: &mut World, arm: Entity) {
    if let Some(mut motion) = world.get_mut::<ArmMotion>(arm) {
        motion.reach.stop();
    }
}
