//! Hands of humans: MORSE's service of `Human`.
use morse_api::{
    component::ComponentPath,
    object::Objects,
    overlay::{AddOverlay as _, Over, Overlay},
    prelude::*,
    service::find,
};

use crate::grasping::{EndEffector, GraspArguments, Grasped};

/// Adds a service by which a human takes objects by name.
///
/// On the robot itself: `overlays: { "hands": (kind: "human") }` makes `human grasp [true, "cup"]` a request. MORSE's human
/// took objects near a hand that had no name, so that it never took any; here the hand has one. An object keeps its pose
/// relative to the hand, as with `gripper`.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[reflect(@Example(r#"model: "robots/human.robray", base: kinematic,
overlays: { "hands": (kind: "human") }"#))]
#[require(Grasped)]
pub struct Human {
    /// Frame of the hand.
    pub hand: String,
    /// Maximum distance of an object from the hand.
    #[reflect(@Unit("m"), @ValueRange(0.0, 1000.0))]
    pub distance: f64,
}

impl Default for Human {
    fn default() -> Self {
        Self {
            hand: "hand_right".to_owned(),
            distance: 5.0,
        }
    }
}

impl Overlay for Human {
    const KIND: &'static str = "human";
    const OVER_ROBOT: bool = true;

    fn install(&self, world: &mut World, overlay: Entity) -> Result<(), CheckError> {
        hand(world, overlay, &self.hand).map(drop)
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_overlay::<Human>()
        .init_resource::<Objects>()
        .register_state::<Grasped>()
        .add_service::<Human>(
            Service::new(
                "grasp",
                "Takes the graspable object with a name, or the nearest one without a name; or releases it.",
                grasp,
            )
            .returns("name of the taken object, `true` if an object was released, otherwise nothing"),
        );
}

fn grasp(
    world: &mut World,
    overlay: Entity,
    wanted: GraspArguments,
) -> Result<Outcome, ServiceError> {
    let Some(Human {
        hand: name,
        distance,
    }) = world.get(overlay).cloned()
    else {
        return Ok(Outcome::NOTHING);
    };
    let hand = hand(world, overlay, &name).map_err(ServiceError::failed)?;
    hand.grasp(world, overlay, wanted, distance)
}

/// Returns the hand, which is a frame of the robot that has the overlay.
fn hand(world: &World, overlay: Entity, name: &str) -> Result<EndEffector, CheckError> {
    let robot = world
        .get::<Over>(overlay)
        .and_then(|Over(robot)| find(world, ComponentPath::as_str(robot)));
    let robot = robot.ok_or_else(|| CheckError::unmet("there is no robot below"))?;
    Ok(EndEffector::at(world, robot, name)?)
}
