//! Controls the joints of an arm: to positions, along trajectories, or so that its tip reaches a pose (MORSE's `Armature`;
//! its `KukaLWR` is this actuator on the model of that arm).
//!
//! - `motion`: goals and set points of the joints;
//! - `reach`: inverse kinematics;
//! - `torque`: computed torque control;
//! - `requests`, `targets`: the services;
//! - this file: settings, command, and the action in a tick.
use std::{
    collections::BTreeMap,
    f64::consts::{FRAC_PI_2, PI},
};

use bevy::prelude::IntoScheduleConfigs as _;
use morse_api::{
    angles::from_yaw_pitch_roll,
    carrier::{Bind, Carrier, CarrierBody, RestingPlate},
    command::Received,
    component::Active,
    joint::{JointState, JointTarget},
    mechanism::Mechanisms,
    prelude::*,
    service::Status,
    state::Stateful,
    warning::Warnings,
};
use morse_kinematics::{
    Chain, Goal, METRES_PER_RADIAN, Solver,
    chain::{self, Choice, OnJoints},
};

mod motion;
mod reach;
mod requests;
mod targets;
mod torque;

use crate::trajectory::{self, Joints};
use motion::ArmMotion;
use targets::Stands;
use torque::{Course, Surroundings, Torque};

/// Moves joints to their goals, each at a constant speed and within its limits, and holds them there.
///
/// Joints are ordered from root to tip. Components `on` the armature are mounted on the frame at its tip.
///
/// Requests and commands replace each other: a joint command ends inverse kinematics, a trajectory or another request.
/// Differences from MORSE: joints do not oscillate about their goals, since the last step ends there; a trajectory with
/// velocities is interpolated by cubic curves, one without by straight lines as in MORSE, which ignored velocities; a target
/// of inverse kinematics moves in a straight line at the given speed, while MORSE's had that speed along each axis;
/// `move_IK_target` waits for the arm, not only for the target, and fails if the target is out of reach (except with
/// `convention: morse`); a target without an orientation requests a position alone (with `convention: morse`, the
/// orientation that it has from the start).
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[reflect(@Example(r#"model: "arms/kuka_lwr.robray", base: fixed,
actuators: { "armature": (kind: "armature") }"#))]
#[require(Arm, Chain, ArmMotion, Carrier, RestingPlate, Task)]
pub struct Armature {
    /// Names of the joints; `*` stands for any text. By default all joints of the robot.
    pub joints: Vec<String>,
    /// Frame below which joints are controlled, itself included; no limit if empty. If the frame belongs to a component of
    /// the robot, such as `left.kuka_base`, joints have their names within that component.
    pub root: String,
    /// Frame at the arm's tip; by default the last one behind the last joint, preferring frames without geometry, then the
    /// farthest from the joint.
    pub tip: String,
    /// Distance from its goal within which a prismatic joint, or the arm's tip, has arrived.
    #[reflect(@Unit("m"), @ValueRange(1e-9, 100.0), @Property("DistanceTolerance"))]
    pub distance_tolerance: f64,
    /// Angle from its goal within which a revolute joint, or the arm's tip, has arrived.
    #[reflect(@Unit("rad"), @ValueRange(1e-9, 6.3), @Property("AngleTolerance"))]
    pub angle_tolerance: f64,
    /// Default speed of revolute joints, if a request has none.
    #[reflect(@Unit("rad/s"), @ValueRange(1e-6, 1e4), @Property("RotationSpeed"))]
    pub rotation_speed: f64,
    /// Default speed of prismatic joints, if a request has none.
    #[reflect(@Unit("m/s"), @ValueRange(1e-6, 1e4), @Property("LinearSpeed"))]
    pub linear_speed: f64,
    /// Default angular speed of the targets of inverse kinematics, if a request has none.
    #[reflect(@Unit("rad/s"), @ValueRange(1e-6, 1e4), @Property("IKRotationSpeed"))]
    pub ik_rotation_speed: f64,
    /// Default linear speed of the targets of inverse kinematics, if a request has none.
    #[reflect(@Unit("m/s"), @ValueRange(1e-6, 1e4), @Property("IKLinearSpeed"))]
    pub ik_linear_speed: f64,
    /// Maximum speed of joints that follow a target, in addition to the limit of each joint.
    #[reflect(@Unit("rad/s or m/s"), @ValueRange(1e-6, 1e4))]
    pub ik_joint_speed: f64,
    /// Control of the joints.
    pub control: Control,
    /// Proportional gain of computed torque: acceleration per radian or metre of position error.
    #[reflect(@Unit("1/s²"), @ValueRange(0.0, 1e8))]
    pub proportional_gain: f64,
    /// Derivative gain of computed torque: acceleration per rad/s or m/s of velocity error.
    #[reflect(@Unit("1/s"), @ValueRange(0.0, 1e5))]
    pub derivative_gain: f64,
    /// Convention of the targets of inverse kinematics.
    pub convention: Convention,
    /// Names of the targets of inverse kinematics, by the last joint before each tip: `{ "neck_pitch": "head" }`. The
    /// default is the name of that joint.
    pub targets: BTreeMap<String, String>,
}

/// Control of the joints.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Control {
    /// The motor of each joint controls its position, with the stiffness and damping in the robot's `joints`.
    #[default]
    Position,
    /// Motors exert the efforts of computed torque control, `M(q)·(q̈d + kd·ė + kp·e) + h(q, q̇)`, up to their maximum
    /// efforts; all joints are dynamic. Objects that the arm holds or touches are not part of the model; the gains
    /// compensate for them.
    ComputedTorque,
}

/// Convention of the targets of inverse kinematics.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Convention {
    /// Targets have the axes of the arm's tip; joints follow as fast as their limits allow; a target out of reach is a
    /// failure.
    #[default]
    Tip,
    /// Targets have, as in MORSE, the axes of a bone: y along the arm, z to the left of an upright one. Joints follow at
    /// once, and a target out of reach counts as reached. Targets exist from the start, at the pose that the arm's tip would
    /// have if the arm were at the origin of the world; targets with names of their own, at the actual pose of the tip. They
    /// stay where they are placed, and their orientation always counts, a radian as much as 1.5 m.
    Morse,
}

impl Convention {
    /// Returns the distance in metres with the same weight as a radian.
    fn metres_per_radian(self) -> f64 {
        match self {
            Self::Tip => METRES_PER_RADIAN,
            Self::Morse => 1.5,
        }
    }

    /// Returns the rotation from the axes of the arm's tip to those of a target.
    fn tip_from_target(self) -> UnitQuaternion<f64> {
        match self {
            Self::Tip => UnitQuaternion::identity(),
            Self::Morse => from_yaw_pitch_roll([PI, 0.0, FRAC_PI_2]),
        }
    }
}

impl Default for Armature {
    fn default() -> Self {
        Self {
            joints: Vec::new(),
            root: String::new(),
            tip: String::new(),
            distance_tolerance: 0.005,
            angle_tolerance: 0.01,
            rotation_speed: 0.8,
            linear_speed: 0.05,
            ik_rotation_speed: 0.5,
            ik_linear_speed: 0.5,
            ik_joint_speed: 2.0,
            control: Control::Position,
            proportional_gain: 400.0,
            derivative_gain: 40.0,
            convention: Convention::Tip,
            targets: BTreeMap::new(),
        }
    }
}

/// Positions that joints are to reach. A command applies to the joints that it names, once; the others keep their previous
/// targets.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ArmatureCommand {
    /// Names of the joints within the robot; if empty, all joints from root to tip.
    #[reflect(@Unit(""))]
    pub names: Vec<String>,
    /// Positions of these joints, clamped to their limits.
    #[reflect(@Unit("rad or m"))]
    pub positions: Vec<f64>,
}

impl Stateful for ArmatureCommand {}

impl ArmatureCommand {
    /// Clears the command, and keeps its memory.
    fn clear(&mut self) {
        self.names.clear();
        self.positions.clear();
    }

    /// Calls a function with the index and position of each joint.
    ///
    /// # Errors
    ///
    /// The error in the command, which then has no effect.
    fn plan(&self, chain: &Chain, mut goal: impl FnMut(usize, f64)) -> Result<(), String> {
        if !self.names.is_empty() && self.names.len() != self.positions.len() {
            return Err("the number of positions differs from the number of names".to_owned());
        }
        if self.positions.len() > chain.joints.len() {
            return Err(format!(
                "{} positions for {} joints",
                self.positions.len(),
                chain.joints.len()
            ));
        }
        let unknown = |name: &&String| chain.index(name).is_none();
        if let Some(name) = self.names.iter().find(unknown) {
            return Err(trajectory::no_joint(chain, name));
        }
        for (index, &position) in self.positions.iter().enumerate() {
            let name = self.names.get(index);
            if let Some(index) = name.map_or(Some(index), |name| chain.index(name)) {
                goal(index, position);
            }
        }
        Ok(())
    }
}

/// Workspace of the calculations, not state.
#[derive(Component, Default)]
struct Arm {
    solver: Solver,
    goals: Vec<Goal>,
    /// Joint positions of the solver.
    wanted: Vec<f64>,
    /// Measured positions of the joints.
    measured: Vec<f64>,
}

impl Actuator for Armature {
    const KIND: &'static str = "armature";
    const HAS_DRIVE: bool = false;
    const MORSE_CLASS: Option<&'static str> = Some("Armature");
    type Command = ArmatureCommand;

    fn check(&self, world: &World, actuator: Entity) -> Result<(), CheckError> {
        let chain = self.chain(world, actuator)?;
        targets::check(self, &chain)?;
        torque::check(self, world, &chain)?;
        let start = world.get::<ArmatureCommand>(actuator);
        start.map_or(Ok(()), |start| {
            let planned = start.plan(&chain, |_, _| ());
            planned.map_err(CheckError::Setting)
        })
    }
}

impl OnJoints for Armature {
    fn chain(&self, world: &World, actuator: Entity) -> Result<Chain, CheckError> {
        let choice = Choice {
            joints: &self.joints,
            root: &self.root,
            tip: &self.tip,
        };
        Chain::around(world, actuator, choice)
    }
}

impl Joints for Chain {
    fn names(&self) -> Vec<String> {
        Self::names(self)
    }

    fn index(&self, name: &str) -> Option<usize> {
        self.index(name)
    }

    fn limited(&self, index: usize, position: f64) -> f64 {
        let joint = self.joints.get(index);
        joint.map_or(position, |joint| joint.limited(position))
    }
}

impl Armature {
    /// Returns the default speed of a joint.
    fn speed(&self, is_angle: bool) -> f64 {
        if is_angle {
            self.rotation_speed
        } else {
            self.linear_speed
        }
    }

    /// Returns the tolerance of a joint: distance or angle from its goal.
    fn tolerance(&self, is_angle: bool) -> f64 {
        if is_angle {
            self.angle_tolerance
        } else {
            self.distance_tolerance
        }
    }
}

pub(super) fn plugin(app: &mut App) {
    app.init_resource::<Warnings>()
        .add_actuator::<Armature, _>(default_action)
        .register_state::<ArmMotion>()
        .register_state::<Course>()
        .register_state::<Stands>()
        .register_state::<Carrier>()
        .register_state::<Task>()
        .add_systems(bevy::prelude::PreStartup, bind.in_set(Bind));
    requests::add(app);
    targets::add(app);
}

/// Looks up the joints once. They hold the positions of the scene, or else their current ones.
fn bind(world: &mut World) {
    for (entity, settings, chain) in chain::all::<Armature>(world) {
        let holds = chain.joints.iter().map(|joint| {
            let target = world.get::<JointTarget>(joint.variable);
            let state = world.get::<JointState>(joint.variable);
            match (target, state) {
                (Some(JointTarget::Position(held)), _) => joint.limited(*held),
                (_, Some(state)) => state.position,
                _ => 0.0,
            }
        });
        let motion = ArmMotion::at(holds.collect(), &settings, &chain);
        let arm = Arm {
            solver: Solver::new(&chain),
            goals: Vec::with_capacity(chain.tips.len()),
            wanted: vec![0.0; chain.joints.len()],
            measured: vec![0.0; chain.joints.len()],
        };
        if let [tip, ..] = chain.tips.as_slice() {
            let on = CarrierBody {
                body: tip.body,
                body_from_plate: tip.body_from_tip,
            };
            let rest = RestingPlate(tip.root_from_tip_at_rest());
            world.entity_mut(entity).insert((on, rest));
        }
        if settings.convention == Convention::Morse {
            let stands = Stands::at_start(world, &settings, &chain);
            world.entity_mut(entity).insert(stands);
        }
        let mechanisms = world.get_resource::<Mechanisms>();
        let mechanisms = mechanisms.filter(|_| settings.control == Control::ComputedTorque);
        if let Some(torque) = mechanisms.and_then(|all| Torque::new(all, &chain)) {
            let mut course = Course::default();
            course.start(&motion.set_points);
            world.entity_mut(entity).insert((torque, course));
        }
        world.entity_mut(entity).insert((chain, arm, motion));
    }
}

fn default_action(
    clock: Res<Clock>,
    mut warnings: ResMut<Warnings>,
    mut surroundings: Surroundings,
    mut armatures: Query<(
        &Armature,
        (&Due, &Active, &ComponentPath),
        &Chain,
        &mut Arm,
        &mut ArmMotion,
        &mut ArmatureCommand,
        &mut Received<ArmatureCommand>,
        &mut Task,
        Option<&mut Stands>,
        Option<(&mut Torque, &mut Course)>,
    )>,
) {
    for (
        settings,
        (due, active, path),
        chain,
        mut arm,
        mut motion,
        mut command,
        mut received,
        mut task,
        stands,
        mut torque,
    ) in &mut armatures
    {
        if due.0 && !command.positions.is_empty() {
            match motion.obey(&command, settings, chain) {
                Ok(()) => task.end(Status::Preempted, serde_json::Value::Null),
                Err(mistake) => warnings.add(path, &mistake),
            }
            // The command was applied: the next one is not merged into it.
            command.clear();
            received.0.clear();
        }
        if !active.0 {
            if let Some((_, course)) = &mut torque {
                // Efforts that are not updated would accelerate the joints: the motors hold them instead.
                course.start(&motion.set_points);
                surroundings.pull(chain, &motion);
            }
            continue;
        }
        for (measured, joint) in arm.measured.iter_mut().zip(&chain.joints) {
            *measured = surroundings.position(joint.variable);
        }
        let pose_of = |body| surroundings.pose_of(body);
        let ended = motion.advance(settings, chain, &mut arm, &clock, pose_of);
        if let Some(mut stands) = stands {
            stands.keep(&motion.reach);
        }
        match torque {
            Some((mut torque, mut course)) => {
                surroundings.exert(
                    settings,
                    chain,
                    &motion,
                    (&mut torque, &mut course),
                    clock.dt(),
                );
            }
            None => surroundings.pull(chain, &motion),
        }
        motion.jumps = false;
        if let Some((status, value)) = ended
            && task.is_running()
        {
            task.end(status, value);
        }
    }
}

#[cfg(test)]
mod tests;
