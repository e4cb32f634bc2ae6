//! Moves the joints of an arm: to positions, along trajectories, or so that its end reaches a pose (MORSE's
//! `Armature`; its `KukaLWR` is this actuator on the model of that arm).
//!
//! - `motion`: where the joints are to go;
//! - `trajectory`: through which points, at which times;
//! - `reach`: inverse kinematics;
//! - `torque`: efforts by the dynamics of the arm;
//! - `requests`, `targets`: the services;
//! - here: settings, command, and what happens in a tick.
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
mod trajectory;

use motion::ArmMotion;
use targets::Stands;
use torque::{Course, Surroundings, Torque};

/// Moves joints to their goals, each at a constant speed and none past its limits, and holds them there.
///
/// Joints are ordered from root to tip. What is `on` the armature sits on the frame at its end.
///
/// Requests and commands take from each other: a joint command ends what inverse kinematics, a trajectory or
/// another request was doing. Differences from MORSE: no joint swings about its goal, since the last step
/// ends there; a trajectory whose points have velocities is followed by cubic curves, one without by straight
/// lines as in MORSE, which ignored velocities; a target of inverse kinematics goes straight at the given
/// speed, where MORSE's had that speed along each axis; `move_IK_target` waits for the arm, not only for the
/// target, and fails where that is out of reach (not with `convention: morse`); a target that was never given an
/// orientation asks for a position alone (with `convention: morse`, for the orientation that it has from the start).
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[reflect(@Example(r#"model: "arms/kuka_lwr.robray", base: fixed,
actuators: { "armature": (kind: "armature") }"#))]
#[require(Arm, Chain, ArmMotion, Carrier, RestingPlate, Task)]
pub struct Armature {
    /// Names of the joints; `*` stands for any text. None: all of the robot.
    pub joints: Vec<String>,
    /// Only joints of this frame and below it, unless empty. Where it is one of a part of the robot, such as
    /// `left.kuka_base`, joints go by the names that they have in that part.
    pub root: String,
    /// The frame at the arm's end; if empty, the last one behind the last joint; of several one without
    /// geometry, and the farthest from the joint.
    pub tip: String,
    /// Distance from its goal within which a sliding joint, or the arm's end, has arrived.
    #[reflect(@Unit("m"), @Range(1e-9, 100.0), @Property("DistanceTolerance"))]
    pub distance_tolerance: f64,
    /// Angle from its goal within which a turning joint, or the arm's end, has arrived.
    #[reflect(@Unit("rad"), @Range(1e-9, 6.3), @Property("AngleTolerance"))]
    pub angle_tolerance: f64,
    /// Speed of turning joints where a request does not say.
    #[reflect(@Unit("rad/s"), @Range(1e-6, 1e4), @Property("RotationSpeed"))]
    pub rotation_speed: f64,
    /// Speed of sliding joints where a request does not say.
    #[reflect(@Unit("m/s"), @Range(1e-6, 1e4), @Property("LinearSpeed"))]
    pub linear_speed: f64,
    /// Turning speed of the targets of inverse kinematics where a request does not say.
    #[reflect(@Unit("rad/s"), @Range(1e-6, 1e4), @Property("IKRotationSpeed"))]
    pub ik_rotation_speed: f64,
    /// Speed of the targets of inverse kinematics where a request does not say.
    #[reflect(@Unit("m/s"), @Range(1e-6, 1e4), @Property("IKLinearSpeed"))]
    pub ik_linear_speed: f64,
    /// Greatest speed of any joint that follows a target, besides the joint's own limit.
    #[reflect(@Unit("rad/s or m/s"), @Range(1e-6, 1e4))]
    pub ik_joint_speed: f64,
    /// Way in which the joints are brought to where they are to be.
    pub control: Control,
    /// Of computed torque: acceleration for each radian or metre that a joint is off.
    #[reflect(@Unit("1/s²"), @Range(0.0, 1e8))]
    pub proportional_gain: f64,
    /// Of computed torque: acceleration for each rad/s or m/s that a joint is off.
    #[reflect(@Unit("1/s"), @Range(0.0, 1e5))]
    pub derivative_gain: f64,
    /// Meaning of the targets of inverse kinematics.
    pub convention: Convention,
    /// Names of the targets of inverse kinematics, by the last joint before each end; otherwise that joint's name:
    /// `{ "neck_pitch": "head" }`.
    pub targets: BTreeMap<String, String>,
}

/// Way in which joints are brought to where they are to be.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Control {
    /// Each joint's motor pulls towards it, with the stiffness and damping that the robot's `joints` give it.
    #[default]
    Position,
    /// Motors exert what the dynamics of the arm say, `M(q)·(q̈d + kd·ė + kp·e) + h(q, q̇)`, up to their greatest efforts; all
    /// joints are dynamic. What the arm holds or touches is not in that; the gains are there for it.
    ComputedTorque,
}

/// Meaning of the targets of inverse kinematics.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Convention {
    /// They have the axes of the arm's end; joints follow as fast as they may; out of reach is a failure.
    #[default]
    Tip,
    /// As in MORSE, they have the axes of a bone: y along the arm, z to the left of one that stands upright. Joints
    /// follow at once, and a target that is out of reach is as good as one that the arm has reached. They are there from
    /// the start, where the arm's end would be if the arm rested at the origin of the world; targets with names of their
    /// own, where it is. They stay where they were put, and their orientation always counts, a radian as much as 1.5 m.
    Morse,
}

impl Convention {
    /// Metres that count as much as a radian.
    fn metres_per_radian(self) -> f64 {
        match self {
            Self::Tip => METRES_PER_RADIAN,
            Self::Morse => 1.5,
        }
    }

    /// The axes of a target in those of the arm's end.
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

/// Positions that joints are to reach. A command concerns the joints that it names, once; the others stay at
/// what they were told.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ArmatureCommand {
    /// The joints, by the names that the robot has for them; none: from root to tip.
    #[reflect(@Unit(""))]
    pub names: Vec<String>,
    /// A position for each of them, brought within its limits.
    #[reflect(@Unit("rad or m"))]
    pub positions: Vec<f64>,
}

impl Stateful for ArmatureCommand {}

impl ArmatureCommand {
    /// Forgets it, keeping its memory.
    fn clear(&mut self) {
        self.names.clear();
        self.positions.clear();
    }

    /// Calls back with each joint's place and position.
    ///
    /// # Errors
    ///
    /// What is wrong with it; the command is to have no effect then.
    fn plan(&self, chain: &Chain, mut goal: impl FnMut(usize, f64)) -> Result<(), String> {
        if !self.names.is_empty() && self.names.len() != self.positions.len() {
            return Err("a command has not one position for each name".to_owned());
        }
        if self.positions.len() > chain.joints.len() {
            return Err(format!(
                "{} positions for {} joints",
                self.positions.len(),
                chain.joints.len()
            ));
        }
        let unknown = |name: &&String| chain.place(name).is_none();
        if let Some(name) = self.names.iter().find(unknown) {
            return Err(motion::no_joint(chain, name));
        }
        for (at, &position) in self.positions.iter().enumerate() {
            let name = self.names.get(at);
            if let Some(at) = name.map_or(Some(at), |name| chain.place(name)) {
                goal(at, position);
            }
        }
        Ok(())
    }
}

/// Memory for calculations: no state.
#[derive(Component, Default)]
struct Arm {
    solver: Solver,
    goals: Vec<Goal>,
    /// Positions of the joints that the solver wants.
    wanted: Vec<f64>,
    /// Measured positions of the joints.
    measured: Vec<f64>,
}

impl Actuator for Armature {
    const KIND: &'static str = "armature";
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

impl Armature {
    /// Speed of a joint where a request does not say.
    fn speed(&self, is_angle: bool) -> f64 {
        if is_angle {
            self.rotation_speed
        } else {
            self.linear_speed
        }
    }

    /// Distance or angle from its goal to which a joint must come.
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

/// Finds the joints, once. They hold what the scene tells them, or else where they are.
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
        (&Due, &Active, &Path),
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
            // It was obeyed: the next command is not to be merged into it.
            command.clear();
            received.0.clear();
        }
        if !active.0 {
            if let Some((_, course)) = &mut torque {
                // Efforts that nobody looks after would carry the joints away: their motors hold them.
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
