//! Services of a PR2 itself, in addition to those of its arms: MORSE's `PR2`.
use morse_api::{
    joint::{JointState, JointVariable, RobotJoints},
    kind::KindOf,
    object::Objects,
    overlay::{AddOverlay as _, Over, Overlay},
    prelude::*,
    service::{NoArguments, find, pass_on, service_of},
    state::InPathOrder,
};
use serde_json::json;

use crate::grasping::{EndEffector, GraspArguments, Grasped};

/// The kind of actuator that corresponds to MORSE's armature.
const ARMATURE: &str = "armature";

/// Services that set the position of a joint, of actuators that can move the torso.
const MOVERS: [&str; 2] = ["set_translation", "set"];

/// Adds services for the torso of a PR2, its armatures, and a hand.
///
/// On the robot itself: with `overlays: { "services": (kind: "pr2") }` the robot answers `pr2 set_torso [0.2]`. MORSE's
/// torso moved at once; here it moves as fast as the lift allows, 13 mm/s, unless its joint is kinematic.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[reflect(@Example(r#"model: "robots/pr2.robray", base: kinematic,
actuators: { "torso": (kind: "armature", joints: ["torso_lift_joint"]) },
overlays: { "services": (kind: "pr2") }"#))]
#[require(Grasped)]
pub struct Pr2 {
    /// Actuator that moves the torso: an `armature`, or `joints`.
    pub torso: String,
    /// Joint that lifts the torso; 0 is 0.790675 m above the ground.
    pub lift: String,
    /// Frame of the hand.
    pub hand: String,
    /// Maximum distance of an object from the hand.
    #[reflect(@Unit("m"), @ValueRange(0.0, 1000.0))]
    pub distance: f64,
}

impl Default for Pr2 {
    fn default() -> Self {
        Self {
            torso: "torso".to_owned(),
            lift: "torso_lift_joint".to_owned(),
            hand: "r_gripper_tool_frame".to_owned(),
            distance: 5.0,
        }
    }
}

impl Overlay for Pr2 {
    const KIND: &'static str = "pr2";
    const OVER_ROBOT: bool = true;

    fn install(&self, world: &mut World, overlay: Entity) -> Result<(), CheckError> {
        let robot = robot(world, overlay)?;
        lift(world, overlay, &self.lift)?;
        mover(world, overlay, &self.torso)?;
        EndEffector::at(world, robot, &self.hand)?;
        Ok(())
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_overlay::<Pr2>()
        .init_resource::<Objects>()
        .register_state::<Grasped>()
        .add_service::<Pr2>(
            Service::new(
                "get_armatures",
                "The paths of the robot's armatures.",
                get_armatures,
            )
            .returns("a list of paths")
            .read_only(),
        )
        .add_service::<Pr2>(Service::new(
            "set_torso",
            "Moves the torso to a height; answered at once.",
            set_torso,
        ))
        .add_service::<Pr2>(
            Service::new("get_torso", "Returns the height of the torso above its lowest position, m.", get_torso)
                .returns("m")
                .read_only(),
        )
        .add_service::<Pr2>(
            Service::new(
                "get_torso_minmax",
                "Returns the lowest and highest position of the torso.",
                get_torso_minmax,
            )
            .returns("two numbers, m")
            .read_only(),
        )
        .add_service::<Pr2>(
            Service::new(
                "grasp",
                "Takes the graspable object with a name, or the nearest one without a name; or releases it.",
                grasp,
            )
            .returns("name of the taken object, `true` if an object was released, otherwise nothing"),
        );
}

/// Returns the robot that has the overlay.
fn robot(world: &World, overlay: Entity) -> Result<Entity, CheckError> {
    let Some(Over(path)) = world.get(overlay) else {
        return Err(CheckError::unmet("this overlay has no component"));
    };
    find(world, path.as_str())
        .ok_or_else(|| CheckError::unmet(format!("there is no robot `{path}`")))
}

/// Returns the joint that lifts the torso, and its entity.
fn lift<'w>(
    world: &'w World,
    overlay: Entity,
    name: &str,
) -> Result<(Entity, &'w JointVariable), CheckError> {
    let robot = robot(world, overlay)?;
    let path = world.get::<ComponentPath>(robot);
    let joints = world.get::<RobotJoints>(robot);
    let mut variables = joints
        .iter()
        .flat_map(|joints| &joints.0)
        .filter_map(|&joint| Some((joint, world.get::<JointVariable>(joint)?)));
    variables
        .find(|(_, variable)| variable.short_name(path) == name)
        .ok_or_else(|| {
            CheckError::unmet(format!(
                "the robot has no joint `{name}`: say another one as `lift`"
            ))
        })
}

/// Returns the path of the actuator that moves the torso, and its service.
fn mover(world: &World, overlay: Entity, name: &str) -> Result<(String, &'static str), CheckError> {
    let own = world
        .get::<ComponentPath>(overlay)
        .map_or("", ComponentPath::as_str);
    let robot = own.rsplit_once('.').map_or("", |(robot, _)| robot);
    let path = format!("{robot}.{name}");
    let actuator = find(world, &path);
    let mut actuators_by_kind = MOVERS.into_iter();
    let service = actuators_by_kind
        .find(|service| actuator.is_some_and(|at| service_of(world, at, service).is_some()))
        .ok_or_else(|| {
            CheckError::unmet(format!(
                "`{path}` is no `armature`, nor `joints`: say what moves the torso as `torso`"
            ))
        })?;
    Ok((path, service))
}

fn settings(world: &World, overlay: Entity) -> Result<Pr2, ServiceError> {
    let settings = world.get::<Pr2>(overlay).cloned();
    settings.ok_or_else(|| ServiceError::Failed("this is no PR2".to_owned()))
}

fn get_armatures(
    world: &mut World,
    overlay: Entity,
    _: NoArguments,
) -> Result<Outcome, ServiceError> {
    let robot = robot(world, overlay).map_err(ServiceError::failed)?;
    let all = world.get_resource::<InPathOrder>();
    let is_armature = |entity: &&Entity| {
        let kind = world.get::<KindOf>(**entity);
        let mount = world.get::<Mount>(**entity);
        kind.is_some_and(|kind| kind.0 == ARMATURE) && mount.is_some_and(|at| at.robot == robot)
    };
    let armatures = all.iter().flat_map(|all| &all.0).filter(is_armature);
    let paths = armatures.filter_map(|&entity| world.get::<ComponentPath>(entity));
    Ok(Outcome::Done(paths.map(ComponentPath::as_str).collect()))
}

/// Arguments of `set_torso`.
#[derive(Reflect, Deserialize)]
struct SetTorso {
    /// Height above the lowest position, m.
    height: f64,
}

fn set_torso(
    world: &mut World,
    overlay: Entity,
    SetTorso { height }: SetTorso,
) -> Result<Outcome, ServiceError> {
    let Pr2 {
        torso, lift: name, ..
    } = settings(world, overlay)?;
    let (_, variable) = lift(world, overlay, &name).map_err(ServiceError::failed)?;
    let [lowest, highest] = variable.limits;
    if !(lowest..=highest).contains(&height) {
        return Err(ServiceError::Failed(format!(
            "the torso goes from {lowest} m to {highest} m, not to {height} m"
        )));
    }
    let (path, service) = mover(world, overlay, &torso).map_err(ServiceError::failed)?;
    pass_on(world, &path, service, &json!([name, height]))
}

fn get_torso(world: &mut World, overlay: Entity, _: NoArguments) -> Result<Outcome, ServiceError> {
    let name = settings(world, overlay)?.lift;
    let (joint, _) = lift(world, overlay, &name).map_err(ServiceError::failed)?;
    let state = world.get::<JointState>(joint);
    Ok(Outcome::Done(json!(state.map(|state| state.position))))
}

fn get_torso_minmax(
    world: &mut World,
    overlay: Entity,
    _: NoArguments,
) -> Result<Outcome, ServiceError> {
    let name = settings(world, overlay)?.lift;
    let (_, variable) = lift(world, overlay, &name).map_err(ServiceError::failed)?;
    Ok(Outcome::Done(json!(variable.limits)))
}

fn grasp(
    world: &mut World,
    overlay: Entity,
    wanted: GraspArguments,
) -> Result<Outcome, ServiceError> {
    let Pr2 { hand, distance, .. } = settings(world, overlay)?;
    let robot = robot(world, overlay).map_err(ServiceError::failed)?;
    let hand = EndEffector::at(world, robot, &hand).map_err(ServiceError::failed)?;
    hand.grasp(world, overlay, wanted, distance)
}
