//! Servos of the joints: targets from commands, measurements, and the commands to the motors.
use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::{CommSettings, effector::FrameCommands, pacing::Pacing};
use crate::{
    body::{
        coupled::least_j2,
        primitives::{Kind, MICRO, Robot},
        servo::{Gains, Motor, angle_signal},
        vectors::Value,
    },
    prelude::*,
};

/// Angle of a raised ear, µrad: 15 degrees.
const EAR_UP: i32 = 261_799;

/// Gains of the plunger of an ear.
const EAR_GAINS: Gains = Gains::new([8, 0, 4]);

/// Number of frames for which a joint with a high duty is taken as jammed: one second.
const JAM_FRAMES: u32 = 125;

/// Joints of a robot.
pub(super) struct Joints {
    robot: &'static Robot,
    is_guarded: bool,
    jam_duty: Option<u16>,
    states: BTreeMap<u32, JointServo>,
}

/// State of one joint.
#[derive(Clone, Copy, Debug, Default)]
struct JointServo {
    /// Commanded angle, µrad, and that of the frame before.
    target: Option<i32>,
    target_before: Option<i32>,
    measured: Option<Measured>,
    /// Integral term, N·m.
    integral: f64,
    /// Last command to the motor.
    drive: Option<Drive>,
    /// Number of successive frames with a duty that indicates a jam.
    jammed: u32,
}

/// Measured state of a joint.
#[derive(Clone, Copy, Debug)]
struct Measured {
    /// Angle, µrad.
    angle: i32,
    /// Velocity, rad/s.
    velocity: f64,
    /// Effort of the motor, N·m.
    effort: f64,
}

/// Command to a motor: an impedance.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Drive {
    position: f64,
    stiffness: f64,
    damping: f64,
    effort: f64,
}

impl Joints {
    pub(super) fn new(settings: &CommSettings) -> Self {
        let joints = settings.robot.ids();
        let joints = joints.filter(|(_, primitive)| primitive.kind.joint().is_some());
        Self {
            robot: settings.robot,
            is_guarded: settings.is_guarded,
            jam_duty: settings.jam_duty,
            states: joints.map(|(id, _)| (id, JointServo::default())).collect(),
        }
    }

    /// Stores the measured state of the joints.
    pub(super) fn measure(&mut self, json: &Json) {
        let list = |name: &str| {
            let list = json.get(name).and_then(Json::as_array);
            list.map_or(&[][..], Vec::as_slice)
        };
        let [positions, velocities, efforts] = ["positions", "velocities", "efforts"].map(list);
        for (index, name) in list("names").iter().enumerate() {
            let number = |list: &[Json]| list.get(index).and_then(Json::as_f64);
            let id = name.as_str().and_then(|name| self.robot.joint(name));
            let state = id.and_then(|id| self.states.get_mut(&id));
            if let (Some(state), Some(position)) = (state, number(positions)) {
                state.measured = Some(Measured {
                    angle: (position * MICRO).round() as i32,
                    velocity: number(velocities).unwrap_or(0.0),
                    effort: number(efforts).unwrap_or(0.0),
                });
            }
        }
    }

    /// Sets the targets of the joints in the commands of a frame.
    pub(super) fn command(&mut self, commands: &FrameCommands) {
        let mut targets = BTreeMap::new();
        for (&id, command) in commands {
            let kind = self.robot.primitive(id).map(|known| known.kind);
            targets.extend(kind.and_then(|kind| Some((id, target(kind, command.value)?))));
        }
        if self.is_guarded {
            self.guard(&mut targets);
        }
        for (id, target) in targets {
            self.states.entry(id).or_default().target = Some(target);
        }
    }

    /// Limits the second joints of moving legs to the angles that the first joints allow.
    pub(super) fn guard(&self, targets: &mut BTreeMap<u32, i32>) {
        for &(joints, is_front) in self.robot.coupled_legs {
            let [Some(first), Some(second)] = joints.map(|name| self.robot.joint(name)) else {
                continue;
            };
            if !targets.contains_key(&first) && !targets.contains_key(&second) {
                continue;
            }
            let before = |id: u32| self.states.get(&id).and_then(|state| state.target);
            let of = |id: u32| targets.get(&id).copied().or_else(|| before(id));
            let degrees = f64::from(of(first).unwrap_or(0)) / MICRO;
            let least = f64::from(least_j2(is_front, degrees.to_degrees()));
            let least = (least.to_radians() * MICRO).round() as i32;
            if of(second).is_some_and(|target| target < least) {
                targets.insert(second, least);
            }
        }
    }

    /// Returns the command to the motors whose servos have changed since the last command.
    pub(super) fn drive(&mut self, context: &mut Context<'_>, pacing: Pacing) -> Option<Json> {
        let (mut names, mut drives) = (Vec::new(), Vec::new());
        let mut has_changed = false;
        for (&id, state) in &mut self.states {
            let Some((name, motor)) = self.robot.primitive(id).and_then(|p| motor(p.kind)) else {
                continue;
            };
            let gains = gains(context, id, name.1);
            if gains.is_some() && state.target.is_none() && state.measured.is_none() {
                // The position to hold is not known yet.
                continue;
            }
            let drive = state.next(motor, gains, pacing);
            let is_new = state.drive != Some(drive) && pacing != Pacing::Replaced;
            has_changed |= is_new;
            if is_new || pacing == Pacing::Threads {
                state.drive = Some(drive);
                names.push(name.0);
                drives.push(drive);
            }
            let duty = state.value(motor).duty.unsigned_abs();
            let is_high = self.jam_duty.is_some_and(|limit| duty >= limit);
            state.jammed = if is_high { state.jammed + 1 } else { 0 };
            if state.jammed == JAM_FRAMES {
                let why = format!(
                    "`{}` is jammed, its servo is disabled: {}",
                    name.0,
                    Status::ALERT_JOINT_UNCONTROLLABLE
                );
                context.log(Level::Warning, &why);
                // Ears have no gains, and are left.
                context.disable_joint_gain(Some(id)).ok();
            }
        }
        let list = |of: fn(&Drive) -> f64| drives.iter().map(of).collect::<Vec<f64>>();
        has_changed.then(|| {
            json!({
                "names": names,
                "positions": list(|drive| drive.position),
                "stiffnesses": list(|drive| drive.stiffness),
                "dampings": list(|drive| drive.damping),
                "efforts": list(|drive| drive.effort),
                "duration": pacing.duration(),
            })
        })
    }

    /// Returns the value of a joint in a vector.
    pub(super) fn value(&self, id: u32) -> Value {
        let motor = self.robot.primitive(id).and_then(|known| motor(known.kind));
        let state = self.states.get(&id);
        state
            .zip(motor)
            .map_or_else(Value::default, |(state, (_, motor))| state.value(motor))
    }
}

impl JointServo {
    /// Returns the command to the motor, given the gains of the servo; none without power.
    fn next(&mut self, motor: Motor, gains: Option<Gains>, pacing: Pacing) -> Drive {
        let angle = self.measured.map(|measured| measured.angle);
        if self.target.is_none() && gains.is_some() {
            // A servo without a command holds the position in which it is switched on.
            self.target = angle;
        }
        let target = self.target.or(angle).unwrap_or(0);
        let before = self.target_before.unwrap_or(target);
        self.target_before = self.target;
        let position = pacing.target(f64::from(before), f64::from(target)) / MICRO;
        let Some(gains) = gains else {
            self.integral = 0.0;
            return Drive {
                position,
                stiffness: 0.0,
                damping: 0.0,
                effort: 0.0,
            };
        };
        let error = angle.map_or(0.0, |angle| f64::from(target - angle) / MICRO);
        self.integral = match gains.gains[1] {
            0 => 0.0,
            _ => motor.integrate(self.integral, gains, error),
        };
        let [stiffness, damping] = motor.impedance(gains);
        Drive {
            position,
            stiffness,
            damping,
            effort: self.integral,
        }
    }

    fn value(&self, motor: Motor) -> Value {
        let angle = self.measured.map(|measured| measured.angle);
        let reference = self.target.or(angle).unwrap_or(0);
        Value {
            value: angle.unwrap_or(0),
            signal: angle.map_or(0, angle_signal),
            duty: self.duty(motor),
            reference,
            reference_signal: angle_signal(reference),
        }
    }

    fn duty(&self, motor: Motor) -> i16 {
        let is_driven = self.drive.is_some_and(|drive| drive.damping > 0.0);
        let measured = self.measured.filter(|_| is_driven);
        measured.map_or(0, |state| motor.duty(state.effort, state.velocity))
    }
}

/// Returns the joint of the model that a primitive moves, and true for an ear; and its motor.
fn motor(kind: Kind) -> Option<((&'static str, bool), Motor)> {
    match kind {
        Kind::Joint { name, motor, .. } => Some(((name, false), motor)),
        Kind::Ear { name, motor } => Some(((name, true), motor)),
        _ => None,
    }
}

fn gains(context: &mut Context<'_>, id: u32, is_ear: bool) -> Option<Gains> {
    let gains = context.platform(|platform| match is_ear {
        true => platform.has_motor_power().then_some(EAR_GAINS),
        false => platform.powered_gains(id),
    });
    gains.flatten()
}

/// Returns the angle for a command, µrad, clamped to the limits; `None` if the primitive is no motor.
pub(super) fn target(kind: Kind, value: i32) -> Option<i32> {
    match kind {
        Kind::Joint { range, .. } => {
            let [low, high] = range.map(|degrees| (degrees.to_radians() * MICRO).round() as i32);
            Some(value.clamp(low, high))
        }
        Kind::Ear { .. } => Some(if value == 0 { 0 } else { EAR_UP }),
        _ => None,
    }
}
