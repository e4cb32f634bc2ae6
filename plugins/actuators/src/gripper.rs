//! Gripper: takes and releases objects.
use morse_api::{
    motion::MotionMode,
    object::{Cone, Objects},
    prelude::*,
    service::NoArguments,
    state::Stateful,
};

use serde_json::json;

use crate::grasping::{EndEffector, Grasped};

/// Takes the nearest graspable object in a cone along its z axis, on request.
///
/// An object can be taken if it is `graspable` (or has a property `Graspable`), is dynamic and is not held. It is then fixed
/// to the gripper's body at its current pose, with its mass and its contacts, except contacts with that body; MORSE's
/// grippers hold without physics. When released, it keeps the gripper's velocity. A gripper that holds an object takes no
/// other, and returns nothing; with `motion: morse`, the name of the held object.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Grasped)]
pub struct Gripper {
    /// Full opening angle of the cone; π is a half-space.
    #[reflect(@Unit("rad"), @ValueRange(0.0, 3.15), @Property("Angle"), @Form::Degrees)]
    pub angle: f64,
    /// Length of the cone.
    #[reflect(@Unit("m"), @ValueRange(0.0, 1000.0), @Property("Distance"))]
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

/// Command of MORSE's grippers, which is ignored; grippers are controlled by services.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GripperCommand {
    /// Ignored.
    pub grab: bool,
}

impl Stateful for GripperCommand {}

impl Actuator for Gripper {
    const KIND: &'static str = "gripper";
    const HAS_DRIVE: bool = false;
    const MORSE_CLASS: Option<&'static str> = Some("Gripper");
    type Command = GripperCommand;
}

pub(super) fn plugin(app: &mut App) {
    app.add_actuator::<Gripper, _>(default_action)
        .init_resource::<Objects>()
        .register_state::<Grasped>()
        .add_service::<Gripper>(Service::new(
            "grab",
            "Takes the nearest graspable object, and returns its name; nothing if there is none. With `motion: \
             morse`, a full gripper returns the name of the held object.",
            grab,
        ))
        .add_service::<Gripper>(Service::new(
            "release",
            "Releases the held object, and returns `true`; nothing if the gripper is empty.",
            release,
        ));
}

/// Does nothing: the gripper acts on requests.
fn default_action() {}

fn grab(world: &mut World, entity: Entity, _: NoArguments) -> Result<Outcome, ServiceError> {
    if let Some(Grasped(Some(held))) = world.get(entity)
        && world.get_resource() == Some(&MotionMode::Morse)
    {
        return Ok(Outcome::Done(json!(held)));
    }
    let (Some(settings), Some(mount)) = (world.get::<Gripper>(entity), world.get::<Mount>(entity))
    else {
        return Ok(Outcome::NOTHING);
    };
    let cone = Cone {
        axis: Vector3::z(),
        angle: settings.angle,
        distance: settings.distance,
    };
    let hand = EndEffector::of(mount);
    hand.grab(world, entity, |at, object| cone.meets(at, object))
}

fn release(world: &mut World, entity: Entity, _: NoArguments) -> Result<Outcome, ServiceError> {
    let hand = world.get::<Mount>(entity).map(EndEffector::of);
    Ok(hand.map_or(Outcome::NOTHING, |hand| hand.release(world, entity)))
}
