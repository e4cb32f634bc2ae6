//! Controls a robot's joints by their motors: positions, velocities, or efforts; `following`: trajectories.
mod command;
mod following;

use bevy::prelude::Local;
use morse_api::{
    command::{Earlier, Received, give},
    joint::{Impedance, JointState, JointTarget, JointVariable, RobotJoints},
    names::fits_any,
    prelude::*,
    service::Status,
    state::Stateful,
    warning::Warnings,
};

pub use command::JointsCommand;
use following::Following;

/// Controls the motors of a robot's joints. For MORSE's `Armature`, with its services and inverse kinematics, see the kind
/// `armature`.
///
/// A command applies to the joints that it names, once; the target of a joint is kept until it is changed, by this actuator
/// or another. All commands of a tick apply, to each joint the last one that names it. A command ends a trajectory.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[reflect(@Example(r#"model: "arms/kuka_lwr.robray", base: fixed,
actuators: { "joints": (kind: "joints", start: (names: ["kuka_2"], positions: [0.3])) }"#))]
#[require(Motors, Interpolations, Following, Task, Earlier<JointsCommand>)]
pub struct Joints {
    /// Names of the controlled joints; `*` stands for any text. By default all joints of the robot.
    pub joints: Vec<String>,
}

/// Running motions of joints to positions.
#[derive(Component, Clone, Debug, Default, Serialize, Deserialize)]
struct Interpolations(Vec<Interpolation>);

impl Stateful for Interpolations {}

/// Motion of a joint to a position in a given time.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Interpolation {
    /// Index of the joint among those of the actuator.
    motor: usize,
    from: f64,
    to: f64,
    /// Time since the command, and duration of the motion, s.
    passed: f64,
    duration: f64,
    /// Last target of the joint.
    target: JointTarget,
}

/// Controlled joints, by name. Derived from the scene and the settings, so not state.
#[derive(Component, Default)]
struct Motors(Vec<Motor>);

struct Motor {
    name: String,
    limits: [f64; 2],
    joint: Entity,
}

impl Actuator for Joints {
    const KIND: &'static str = "joints";
    const HAS_DRIVE: bool = false;
    type Command = JointsCommand;

    fn check(&self, world: &World, actuator: Entity) -> Result<(), CheckError> {
        let robot = world.get::<Mount>(actuator).map(|mount| mount.robot);
        let joints = robot.and_then(|robot| world.get::<RobotJoints>(robot));
        let path = robot.and_then(|robot| world.get::<ComponentPath>(robot));
        let motors = joints.map_or(Vec::new(), |joints| {
            select(&self.joints, path, joints, |joint| world.get(joint))
        });
        if motors.is_empty() {
            return Err(CheckError::unmet(if self.joints.is_empty() {
                "the robot has no joints".to_owned()
            } else {
                format!("the robot has no joint `{}`", self.joints.join("` or `"))
            }));
        }
        let start = world.get::<JointsCommand>(actuator);
        start.map_or(Ok(()), |start| {
            plan(&motors, start, &mut Vec::new()).map_err(CheckError::Setting)
        })
    }
}

pub(super) fn plugin(app: &mut App) {
    app.init_resource::<Warnings>()
        .register_state::<Interpolations>()
        .register_state::<Following>()
        .register_state::<Task>()
        .register_state::<Earlier<JointsCommand>>()
        .add_actuator::<Joints, _>(default_action)
        .add_systems(Startup, begin)
        .add_service::<Joints>(Service::new(
            "set",
            "Sends one joint to a position, within its limits.",
            set,
        ));
    following::add(app);
}

/// Looks up the joints once.
fn begin(
    variables: Query<&JointVariable>,
    robots: Query<(Option<&ComponentPath>, &RobotJoints)>,
    mut actuators: Query<(&Joints, &Mount, &mut Motors)>,
) {
    for (settings, mount, mut motors) in &mut actuators {
        if let Ok((robot, joints)) = robots.get(mount.robot) {
            motors.0 = select(&settings.joints, robot, joints, |joint| {
                variables.get(joint).ok()
            });
        }
    }
}

/// Returns the joints of a robot that match the patterns, in the scene's order.
fn select<'a>(
    patterns: &[String],
    robot: Option<&ComponentPath>,
    joints: &RobotJoints,
    variable: impl Fn(Entity) -> Option<&'a JointVariable>,
) -> Vec<Motor> {
    let motor = |&joint: &Entity| {
        let variable = variable(joint)?;
        let name = variable.short_name(robot);
        let is_meant = patterns.is_empty() || fits_any(patterns, name);
        let limits = variable.limits;
        is_meant.then(|| Motor {
            name: name.to_owned(),
            limits,
            joint,
        })
    };
    joints.0.iter().filter_map(motor).collect()
}

fn default_action(
    clock: Res<Clock>,
    mut warnings: ResMut<Warnings>,
    mut joints: Query<(&mut JointTarget, &JointState)>,
    mut buffers: Local<[Vec<Wanted>; 2]>,
    mut actuators: Query<
        (
            (&Due, &UpdateRate, &ComponentPath, &Motors),
            (&mut Following, &mut Task),
            &mut Interpolations,
            (&mut JointsCommand, &mut Received<JointsCommand>),
            &mut Earlier<JointsCommand>,
        ),
        With<Joints>,
    >,
) {
    for (
        (due, rate, path, motors),
        (mut following, mut task),
        mut interpolations,
        (mut command, mut received),
        mut earlier,
    ) in &mut actuators
    {
        if !due.0 {
            continue;
        }
        if !command.is_empty() || !earlier.commands().is_empty() {
            let [all, own] = &mut *buffers;
            let commands = earlier.commands().iter().chain([&*command]);
            for command in commands.filter(|command| !command.is_empty()) {
                match plan(&motors.0, command, own) {
                    Ok(()) => {
                        all.retain(|before| own.iter().all(|wanted| wanted.motor != before.motor));
                        all.append(own);
                        following.0 = None;
                        task.end(Status::Preempted, serde_json::Value::Null);
                    }
                    Err(mistake) => warnings.add(path, &mistake),
                }
            }
            aim(all, motors, &mut interpolations, &mut joints);
            // The commands were applied: the next one is not merged into them.
            command.clear();
            received.0.clear();
            earlier.clear();
        }
        interpolations.0.retain_mut(|interpolation| {
            let joint = motors.0.get(interpolation.motor).map(|motor| motor.joint);
            let target = joint.and_then(|joint| joints.get_mut(joint).ok());
            target.is_some_and(|(mut target, _)| interpolation.go_on(&mut target, rate.period()))
        });
        if let Some((status, value)) = following.advance(&clock, motors, &mut joints) {
            task.end(status, value);
        }
    }
}

/// Target of a joint.
struct Wanted {
    /// Index of the joint among those of the actuator.
    motor: usize,
    target: JointTarget,
    /// Duration of the motion to it, s.
    duration: f64,
}

/// Sets the targets of joints, or starts their motions.
fn aim(
    targets: &mut Vec<Wanted>,
    motors: &Motors,
    interpolations: &mut Interpolations,
    joints: &mut Query<(&mut JointTarget, &JointState)>,
) {
    for wanted in targets.drain(..) {
        let motor = wanted.motor;
        interpolations
            .0
            .retain(|interpolation| interpolation.motor != motor);
        let Ok((mut target, state)) = joints.get_mut(motors.0[motor].joint) else {
            continue;
        };
        match Interpolation::new((&*target, state), &wanted) {
            Some(interpolation) => {
                *target = interpolation.target;
                interpolations.0.push(interpolation);
            }
            None => *target = wanted.target,
        }
    }
}

impl Interpolation {
    /// Returns the motion of a joint from its target and state to the commanded target; `None` if it has no duration.
    fn new((target, state): (&JointTarget, &JointState), wanted: &Wanted) -> Option<Self> {
        let duration = wanted.duration;
        let to = set_point(&wanted.target).filter(|to| duration > 0.0 && to.is_finite())?;
        let from = match target {
            JointTarget::Position(from) | JointTarget::Jump(from) => *from,
            JointTarget::Impedance(before) => before.position,
            JointTarget::Free | JointTarget::Velocity(_) | JointTarget::Effort(_) => state.position,
        };
        Some(Self {
            motor: wanted.motor,
            from,
            to,
            passed: 0.0,
            duration,
            target: moved(wanted.target, from),
        })
    }

    /// Advances the set point of the joint by a time, s. Returns false if the motion is complete, or another actuator
    /// controls the joint now.
    fn go_on(&mut self, target: &mut JointTarget, period: f64) -> bool {
        if *target != self.target {
            return false;
        }
        self.passed += period;
        // The tolerance allows for rounding of the periods.
        let share = self.passed / self.duration;
        let is_over = share > 1.0 - 1e-9;
        let set_point = if is_over {
            self.to
        } else {
            self.from + (self.to - self.from) * share
        };
        self.target = moved(self.target, set_point);
        *target = self.target;
        !is_over
    }
}

/// Returns the set point of a target, if it has one.
const fn set_point(target: &JointTarget) -> Option<f64> {
    match target {
        JointTarget::Position(position) => Some(*position),
        JointTarget::Impedance(target) => Some(target.position),
        _ => None,
    }
}

/// Returns a target with another set point.
fn moved(target: JointTarget, position: f64) -> JointTarget {
    match target {
        JointTarget::Impedance(target) => JointTarget::Impedance(Impedance { position, ..target }),
        _ => JointTarget::Position(position),
    }
}

/// Sets the targets that a command has for joints; or returns the error in the command.
fn plan(
    motors: &[Motor],
    command: &JointsCommand,
    targets: &mut Vec<Wanted>,
) -> Result<(), String> {
    targets.clear();
    let duration = command.duration;
    if !(duration.is_finite() && duration >= 0.0) {
        return Err(format!(
            "invalid `duration` {duration} of a command: expected a time in s, 0 or more"
        ));
    }
    let count = if command.names.is_empty() {
        motors.len()
    } else {
        command.names.len()
    };
    if !command.fits(count) {
        return Err(format!(
            "each list of a command must be empty or have {count} numbers, one per joint"
        ));
    }
    if let Some(why) = command.wrong_gains() {
        return Err(why.to_owned());
    }
    for index in 0..count {
        let motor_index = match command.names.get(index) {
            Some(name) => find(motors, index, name)?,
            None => index,
        };
        let motor = motors
            .get(motor_index)
            .ok_or("more joints than there are")?;
        let target = command.target(index).map(|target| motor.limited(target));
        targets.extend(target.map(|target| Wanted {
            motor: motor_index,
            target,
            duration,
        }));
    }
    Ok(())
}

/// Returns the index of the motor with a name. Most commands name all joints in order, so the next one is tried first.
fn find(motors: &[Motor], guess: usize, name: &str) -> Result<usize, String> {
    let is_it = |motor: &Motor| motor.name == name;
    let guessed = motors.get(guess).is_some_and(is_it).then_some(guess);
    let index = guessed.or_else(|| motors.iter().position(is_it));
    index.ok_or_else(|| {
        let names: Vec<&str> = motors.iter().map(|motor| motor.name.as_str()).collect();
        format!(
            "there is no joint `{name}`; there are: {}",
            names.join(", ")
        )
    })
}

impl Motor {
    fn limited(&self, target: JointTarget) -> JointTarget {
        let [lowest, highest] = self.limits;
        set_point(&target).map_or(target, |position| {
            moved(target, position.max(lowest).min(highest))
        })
    }
}

/// Arguments of `set`.
#[derive(Reflect, Deserialize)]
struct Set {
    /// Name of the joint.
    name: String,
    /// Position, rad or m.
    value: f64,
}

fn set(
    world: &mut World,
    entity: Entity,
    Set { name, value }: Set,
) -> Result<Outcome, ServiceError> {
    let motors = world.get::<Motors>(entity);
    find(motors.map_or(&[], |motors| &motors.0), 0, &name).map_err(ServiceError::Failed)?;
    if !value.is_finite() {
        return Err(ServiceError::Failed(format!("`{value}` is no position")));
    }
    // All requests and commands of a tick apply.
    let before = world.get::<JointsCommand>(entity).cloned();
    let before = before.filter(|command| !command.is_empty());
    if let Some(mut earlier) = world.get_mut::<Earlier<JointsCommand>>(entity)
        && let Some(mut before) = before
    {
        earlier.add(&mut before);
    }
    let command = JointsCommand {
        names: vec![name],
        positions: vec![value],
        ..JointsCommand::default()
    };
    give(world, entity, command)?;
    Ok(Outcome::NOTHING)
}

#[cfg(test)]
mod tests;
