//! Pan-tilt unit: rotates the components on it about two axes (MORSE's `PTU`).
//!
//! - [`aim`]: computes the angles for looking at a point;
//! - `requests`: the services;
//! - this file: settings, command, and the motion.
use std::f64::consts::PI;

use bevy::prelude::IntoScheduleConfigs as _;
use morse_api::{
    angles::normalized,
    carrier::{Bind, Carrier, CarrierBody},
    command::Received,
    component::Active,
    joint::{
        BodyJoint, JointState, JointTarget, JointVariable, PanTilt, PanTiltJoints, RobotJoints,
    },
    prelude::*,
    service::Status,
    state::{InPathOrder, Stateful},
};
use morse_kinematics::approach;
use nalgebra::UnitVector3;

pub mod aim;
mod requests;

use aim::Axes;

/// Rotates its head left and right (pan), and up and down (tilt). Components `on` it rotate with the head.
///
/// Without the settings `pan` and `tilt`, the unit has no model in the scene: its head is at the mount, pan rotates about
/// its z axis and then tilt about the panned y axis, positive downwards, and angles are wrapped to [-π, π), so that it never
/// makes a full turn. With them, it controls two joints of the robot, where tilt is a child of pan, and components `on` it
/// are mounted on the body below tilt.
///
/// Each axis moves at the speed until it is at its goal. MORSE's axes moved by whole steps of speed / frequency until they
/// were within the tolerance, and could oscillate about the goal; here the last step ends at the goal. As in MORSE the
/// shorter direction is not preferred: from 3 to -3 rad the unit turns back through 0.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Head, PanTilt, Carrier, Task)]
pub struct Ptu {
    /// Speed of both axes.
    #[reflect(@Unit("rad/s"), @ValueRange(0.0, 1e4), @Property("Speed"))]
    pub speed: f64,
    /// Angle from the goals within which a request is complete.
    #[reflect(@Unit("rad"), @ValueRange(0.0, 6.3), @Property("Tolerance"))]
    pub tolerance: f64,
    /// True if only services move the unit, and commands are ignored.
    #[reflect(@Property("Manual"))]
    pub manual: bool,
    /// Position of the tilt axis in the frame that pan rotates, for a unit without joints.
    #[reflect(@Unit("m"), @ValueRange(-1000.0, 1000.0))]
    pub tilt_at: [f64; 3],
    /// Name of the robot's pan joint, within the robot.
    pub pan: String,
    /// Name of the robot's tilt joint, within the robot.
    pub tilt: String,
}

impl Default for Ptu {
    fn default() -> Self {
        Self {
            speed: 1.0,
            tolerance: 0.01,
            manual: false,
            tilt_at: [0.0; 3],
            pan: String::new(),
            tilt: String::new(),
        }
    }
}

/// Angles to rotate to, kept until the next command.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PtuCommand {
    /// Angle to the left.
    #[reflect(@Unit("rad"))]
    pub pan: f64,
    /// Angle downwards.
    #[reflect(@Unit("rad"))]
    pub tilt: f64,
}

impl Stateful for PtuCommand {}

/// Goals and set points of the axes. Part of the state.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Head {
    /// Pan and tilt, rad.
    goals: [f64; 2],
    set_points: [f64; 2],
}

impl Stateful for Head {}

/// Joints that a unit controls. Derived from the scene and the settings, so not state.
#[derive(Component, Clone, Copy, Debug)]
struct Driven {
    /// Variables of pan and tilt.
    joints: [Entity; 2],
    limits: [[f64; 2]; 2],
    /// Body that carries the pan joint.
    base: Entity,
    /// Body below tilt.
    head: Entity,
    axes: Axes,
}

impl Ptu {
    /// Returns the axes of a unit without joints.
    fn virtual_axes(&self) -> Axes {
        Axes {
            base_from_pan: Isometry3::identity(),
            pan_axis: Vector3::z_axis(),
            pan_from_tilt: Isometry3::translation(
                self.tilt_at[0],
                self.tilt_at[1],
                self.tilt_at[2],
            ),
            tilt_axis: Vector3::y_axis(),
            offsets: [0.0; 2],
        }
    }

    /// Returns the joints that the settings name, if any.
    fn joints(&self, world: &World, actuator: Entity) -> Result<Option<Driven>, CheckError> {
        if self.pan.is_empty() && self.tilt.is_empty() {
            return Ok(None);
        }
        let robot = world.get::<Mount>(actuator).map(|mount| mount.robot);
        let robot = robot.ok_or_else(|| CheckError::unmet("it has no robot"))?;
        let find = |name: &str| {
            let path = world.get::<ComponentPath>(robot);
            let own = world.get::<RobotJoints>(robot);
            let own = own.map_or(&[][..], |own| own.0.as_slice());
            let named = |&&entity: &&Entity| {
                let variable = world.get::<JointVariable>(entity);
                variable.is_some_and(|variable| variable.short_name(path) == name)
            };
            let variable = *own
                .iter()
                .find(named)
                .ok_or_else(|| CheckError::unmet(format!("the robot has no joint `{name}`")))?;
            let bodies = world.get_resource::<InPathOrder>();
            let bodies = bodies.map_or(&[][..], |bodies| bodies.0.as_slice());
            let below = bodies.iter().find_map(|&body| {
                let joint = world.get::<BodyJoint>(body)?;
                (joint.variable == variable && joint.shape.is_angle).then_some((body, *joint))
            });
            let (body, joint) =
                below.ok_or_else(|| CheckError::unmet(format!("`{name}` does not turn")))?;
            let limits = world
                .get::<JointVariable>(variable)
                .map_or([f64::NEG_INFINITY, f64::INFINITY], |about| about.limits);
            Ok::<_, CheckError>((variable, limits, body, joint))
        };
        let (pan, pan_limits, turret, pan_joint) = find(&self.pan)?;
        let (tilt, tilt_limits, head, tilt_joint) = find(&self.tilt)?;
        if tilt_joint.parent != turret {
            return Err(CheckError::unmet(format!(
                "the joint `{}` is not a child of `{}`",
                self.tilt, self.pan
            )));
        }
        Ok(Some(Driven {
            joints: [pan, tilt],
            limits: [pan_limits, tilt_limits],
            base: pan_joint.parent,
            head,
            axes: Axes {
                base_from_pan: pan_joint.shape.parent_from_joint,
                pan_axis: pan_joint.shape.axis,
                pan_from_tilt: tilt_joint.shape.parent_from_joint,
                tilt_axis: tilt_joint.shape.axis,
                offsets: [pan_joint.shape.offset, tilt_joint.shape.offset],
            },
        }))
    }
}

impl Actuator for Ptu {
    const KIND: &'static str = "ptu";
    const HAS_DRIVE: bool = false;
    const MORSE_CLASS: Option<&'static str> = Some("PTU");
    type Command = PtuCommand;

    fn check(&self, world: &World, actuator: Entity) -> Result<(), CheckError> {
        self.joints(world, actuator).map(drop)
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_actuator::<Ptu, _>(default_action)
        .register_state::<Head>()
        .register_state::<PanTilt>()
        .register_state::<Carrier>()
        .register_state::<Task>()
        .add_systems(bevy::prelude::PreStartup, bind.in_set(Bind))
        .add_systems(Startup, begin);
    requests::add(app);
}

/// Looks up the joints once.
fn bind(world: &mut World) {
    let units: Vec<(Entity, Ptu)> = world
        .query::<(Entity, &Ptu)>()
        .iter(world)
        .map(|(entity, settings)| (entity, settings.clone()))
        .collect();
    for (entity, settings) in units {
        if let Ok(Some(driven)) = settings.joints(world, entity) {
            let on = CarrierBody {
                body: driven.head,
                body_from_plate: Isometry3::identity(),
            };
            let joints = PanTiltJoints(driven.joints);
            world.entity_mut(entity).insert((driven, joints, on));
        }
    }
}

/// A unit without a first command keeps its angles.
fn begin(
    states: Query<&JointState>,
    mut units: Query<(
        &Ptu,
        &mut PtuCommand,
        &mut Received<PtuCommand>,
        &mut Head,
        &mut PanTilt,
        &mut Carrier,
        Option<&Driven>,
    )>,
) {
    for (settings, mut command, mut received, mut head, mut angles, mut plate, driven) in &mut units
    {
        let stands = driven.map_or([0.0; 2], |driven| {
            driven
                .joints
                .map(|joint| states.get(joint).map_or(0.0, |state| state.position))
        });
        if *command == PtuCommand::default() {
            [command.pan, command.tilt] = stands;
            received.0 = *command;
        }
        head.set_points = stands;
        head.goals = goals(&command, driven);
        *angles = PanTilt {
            pan: stands[0],
            tilt: stands[1],
        };
        if driven.is_none() {
            *plate = plate_at(settings, stands, [0.0; 2]);
        }
    }
}

/// Returns the goals of a command, clamped to the joints' limits or wrapped to a turn.
fn goals(command: &PtuCommand, driven: Option<&Driven>) -> [f64; 2] {
    let wanted = [command.pan, command.tilt];
    let Some(driven) = driven else {
        // An angle that is within a turn is returned unchanged, without rounding.
        return wanted.map(|angle| {
            if angle.abs() < PI {
                angle
            } else {
                normalized(angle)
            }
        });
    };
    let [pan, tilt] = driven.limits;
    [(wanted[0], pan), (wanted[1], tilt)].map(|(goal, [lower, upper])| goal.max(lower).min(upper))
}

/// Returns the plate of a unit without joints.
fn plate_at(settings: &Ptu, angles: [f64; 2], rates: [f64; 2]) -> Carrier {
    let axes = settings.virtual_axes();
    let [pan, tilt] = rates;
    let panned = axes.base_from_pan * axes.pan_turn(angles[0]);
    let plate = panned * axes.pan_from_tilt * axes.tilt_turn(angles[1]);
    let turning: Vector3<f64> = axes.pan_axis.into_inner() * pan;
    let tilting = panned.rotation * UnitVector3::into_inner(axes.tilt_axis) * tilt;
    Carrier {
        plate,
        linear: turning.cross(&plate.translation.vector),
        angular: turning + tilting,
    }
}

fn default_action(
    clock: Res<Clock>,
    states: Query<&JointState>,
    mut targets: Query<&mut JointTarget>,
    mut units: Query<(
        &Ptu,
        (&Due, &Active),
        &PtuCommand,
        &mut Head,
        &mut PanTilt,
        &mut Carrier,
        &mut Task,
        Option<&Driven>,
    )>,
) {
    let dt = clock.dt();
    for (settings, (due, active), command, mut head, mut angles, mut plate, mut task, driven) in
        &mut units
    {
        if due.0 && !settings.manual {
            head.goals = goals(command, driven);
        }
        // The axes move evenly in each tick, whatever the frequency of the commands.
        let before = head.set_points;
        if active.0 {
            let goals = head.goals;
            for (point, goal) in std::iter::zip(&mut head.set_points, goals) {
                *point = approach(*point, goal, settings.speed * dt);
            }
        }
        let now = if let Some(driven) = driven {
            for (&joint, point) in driven.joints.iter().zip(head.set_points) {
                if let Ok(mut target) = targets.get_mut(joint)
                    && active.0
                {
                    *target = JointTarget::Position(point);
                }
            }
            let position = |joint| states.get(joint).map_or(0.0, |state| state.position);
            driven.joints.map(position)
        } else {
            let rates = [0, 1].map(|axis: usize| (head.set_points[axis] - before[axis]) / dt);
            *plate = plate_at(settings, head.set_points, rates);
            head.set_points
        };
        *angles = PanTilt {
            pan: now[0],
            tilt: now[1],
        };
        let is_there = std::iter::zip(now, head.goals)
            .all(|(angle, goal)| (angle - goal).abs() <= settings.tolerance);
        if due.0 && is_there && task.is_running() {
            task.end(Status::Success, serde_json::Value::Null);
        }
    }
}

#[cfg(test)]
mod tests;
