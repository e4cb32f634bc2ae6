//! Takes things and lets them go.
use morse_api::{
    body::BodyState,
    object::{Cone, GRASPABLE, Objects},
    prelude::*,
    service::NoArguments,
    state::Stateful,
};
use serde_json::json;

use crate::physics::grasp::{can_hold, hold, let_go};

/// Takes the nearest graspable thing in a cone along its z axis, when asked to.
///
/// What is `graspable` (or has a property `Graspable`), moves by forces and is held by nobody can be taken. It
/// is then fixed to the gripper's body where it is, with its mass and its contacts, except those with that
/// body; MORSE's grippers hold without physics. Let go, it keeps the gripper's velocity.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Grip)]
pub struct Gripper {
    /// Full opening angle of the cone, below π.
    #[reflect(@Unit("rad"))]
    pub angle: f64,
    /// Length of the cone.
    #[reflect(@Unit("m"))]
    pub distance: f64,
}

impl Default for Gripper {
    fn default() -> Self {
        Self {
            angle: 60.0_f64.to_radians(),
            distance: 0.5,
        }
    }
}

/// What MORSE's grippers are sent, and do not look at; they are asked by services.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GripperCommand {
    /// Not looked at.
    pub grab: bool,
}

impl Stateful for GripperCommand {}

/// The name of what a gripper holds. It is state.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grip(pub Option<String>);

impl Stateful for Grip {}

impl Actuator for Gripper {
    const KIND: &'static str = "gripper";
    type Command = GripperCommand;
}

pub(super) fn plugin(app: &mut App) {
    app.add_actuator::<Gripper, _>(default_action)
        .init_resource::<Objects>()
        .register_state::<Grip>()
        .add_service::<Gripper>(Service::new(
            "grab",
            "Takes the nearest graspable thing, and says its name; nothing if there is none.",
            grab,
        ))
        .add_service::<Gripper>(Service::new(
            "release",
            "Lets go what it holds, and says `true`; nothing if it holds nothing.",
            release,
        ));
}

/// It acts when it is asked to.
fn default_action() {}

fn grab(world: &mut World, entity: Entity, _: NoArguments) -> Result<Outcome, Refused> {
    let is_free = world
        .get::<Grip>(entity)
        .is_none_or(|grip| grip.0.is_none());
    let Some((name, holder, held)) = nearest(world, entity).filter(|_| is_free) else {
        return Ok(Outcome::NOTHING);
    };
    hold(world, holder, held).map_err(|why| {
        let path = world.get::<Path>(entity).cloned().unwrap_or_default();
        Refused(format!("`{path}` cannot hold `{name}`: {why}"))
    })?;
    let reply = Outcome::Done(json!(name));
    world.entity_mut(entity).insert(Grip(Some(name)));
    Ok(reply)
}

/// What would be taken: its name, the body that would hold it, and its own.
fn nearest(world: &World, entity: Entity) -> Option<(String, Entity, Entity)> {
    let settings = world.get::<Gripper>(entity)?;
    let mount = world.get::<Mount>(entity)?;
    let body = world.get::<BodyState>(mount.body)?;
    let to_gripper = (body.pose * mount.body_from_component).inverse();
    let cone = Cone {
        axis: Vector3::z(),
        angle: settings.angle,
        distance: settings.distance,
    };
    let objects = world.get_resource::<Objects>()?.all().iter();
    let within_reach = objects.filter_map(|object| {
        let at = to_gripper * object.pose_in(world)?;
        let fits = object.has(GRASPABLE)
            && object.robot != Some(mount.robot)
            && cone.meets(&at, object)
            && can_hold(world, mount.body, object.body).is_ok();
        fits.then(|| (at.translation.vector.norm(), object))
    });
    let (_, object) = within_reach.min_by(|(one, _), (other, _)| one.total_cmp(other))?;
    Some((object.name.clone(), mount.body, object.body))
}

fn release(world: &mut World, entity: Entity, _: NoArguments) -> Result<Outcome, Refused> {
    let held = world
        .get_mut::<Grip>(entity)
        .and_then(|mut grip| grip.0.take());
    let Some(name) = held else {
        return Ok(Outcome::NOTHING);
    };
    let objects = world.get_resource::<Objects>();
    let held = objects
        .and_then(|objects| objects.get(&name))
        .map(|object| object.body);
    let holder = world.get::<Mount>(entity).map(|mount| mount.body);
    if let (Some(holder), Some(held)) = (holder, held) {
        let_go(world, holder, held);
    }
    Ok(Outcome::Done(json!(true)))
}
