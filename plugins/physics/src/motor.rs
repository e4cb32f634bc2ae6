//! From what a joint is asked to do to a motor of the engine.

use std::f64::consts::{PI, TAU};

use bevy_rapier3d::rapier::{
    dynamics::{GenericJoint, JointAxesMask, JointAxis, MotorModel},
    prelude::JointMotor,
};
use morse_api::joint::JointTarget;

use super::{
    engine::{JointRow, VariableRow},
    joints::VariableMotion,
};

/// Greatest lead or lag of a motor's set point over its joint, rad. The engine measures angles within
/// a turn: beyond half of one it would take the other way round.
const LONGEST_LEAD: f64 = 1.5;

/// As [`LONGEST_LEAD`], for the set point of a speed, which a blocked joint would wind up.
const SPEED_LEAD: f64 = 1.2;

/// Frequency of a motor that holds a speed, as a share of that of one that holds a position: the wheels
/// of a robot, which move much more than themselves, would else slip and stick.
const SPEED_GAIN: f64 = 0.4;

/// Share of the spring that such a motor keeps: with all of it, a robot would swing to and fro on its wheels when it
/// stops, since it weighs much more than they do.
const SPEED_SPRING: f64 = 0.1;

/// Distance from its limit within which a joint of more than a turn lets the engine see the limit, rad.
const LIMIT_WINDOW: f64 = 1.0;

/// Share of the error that a stiff motor's trim takes up in a tick.
const TRIM: f64 = 0.03;

/// The furthest that a stiff motor is trimmed, rad or m.
const MOST_TRIM: f64 = 0.1;

/// Error of a joint that has arrived, but for the trim, rad or m.
const NEAR: f64 = 0.05;

/// Order to the motors of one variable for one tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Order {
    /// Position to pull towards, in units of the variable; `None` for no spring.
    pub set_point: Option<f64>,
    /// Speed that goes with it.
    pub speed: f64,
    /// To be exerted besides, N·m or N.
    pub effort: f64,
    /// True if it is a speed that is to be held.
    pub holds_speed: bool,
}

impl VariableRow {
    /// Derives the order to the motors from a target, given the position of the variable and its set point.
    pub(super) fn order(
        &self,
        target: JointTarget,
        position: f64,
        set_point: Option<f64>,
        dt: f64,
    ) -> Order {
        let [lower, upper] = self.layout.limits;
        let fastest = self.layout.max_velocity;
        let from = set_point.unwrap_or(position);
        match target {
            JointTarget::Position(wanted) | JointTarget::Jump(wanted) if wanted.is_finite() => {
                let wanted = wanted.clamp(lower, upper);
                let next = from + (wanted - from).clamp(-fastest * dt, fastest * dt);
                let is_on_its_way = fastest.is_finite() && next != wanted;
                let speed = if is_on_its_way {
                    (next - from) / dt
                } else {
                    0.0
                };
                Order {
                    set_point: Some(next),
                    speed,
                    ..Order::default()
                }
            }
            JointTarget::Velocity(wanted) if wanted.is_finite() => {
                let wanted = wanted.clamp(-fastest, fastest);
                let lead = if self.layout.is_angle {
                    SPEED_LEAD
                } else {
                    f64::INFINITY
                };
                let next = (from + wanted * dt).clamp(position - lead, position + lead);
                let speed = if next < lower || next > upper {
                    0.0
                } else {
                    wanted
                };
                Order {
                    set_point: Some(next.clamp(lower, upper)),
                    speed,
                    holds_speed: true,
                    ..Order::default()
                }
            }
            JointTarget::Effort(wanted) if wanted.is_finite() => {
                let most = self.layout.max_effort;
                Order {
                    effort: wanted.clamp(-most, most),
                    ..Order::default()
                }
            }
            JointTarget::Free
            | JointTarget::Position(_)
            | JointTarget::Jump(_)
            | JointTarget::Velocity(_)
            | JointTarget::Effort(_) => Order::default(),
        }
    }
}

impl VariableRow {
    /// The integral part of a servo, for motors that were not given a spring of their own: it takes
    /// away what gravity and the engine's iterations leave of the error. A motor at its limit, or a
    /// joint on its way, is not trimmed.
    pub(super) fn trim(&self, order: &Order, motion: &VariableMotion) -> f64 {
        let (Some(set_point), None) = (order.set_point, self.layout.settings.stiffness) else {
            return 0.0;
        };
        let error = set_point - motion.position();
        let is_limited = motion.effort.abs() >= 0.99 * self.layout.max_effort;
        let is_moving = error.abs() > NEAR || order.speed != 0.0;
        if is_limited || is_moving || order.holds_speed {
            return motion.trim;
        }
        (motion.trim + TRIM * error).clamp(-MOST_TRIM, MOST_TRIM)
    }
}

impl JointRow {
    /// The motor of this joint that carries out an order.
    pub(super) fn motor(&self, variable: &VariableRow, order: &Order, position: f64) -> JointMotor {
        let most = variable.layout.max_effort / self.travel;
        let Some(set_point) = order.set_point else {
            return JointMotor {
                damping: self.passive_damping as f32,
                model: MotorModel::ForceBased,
                ..JointMotor::default()
            };
        };
        let is_angle = variable.layout.is_angle;
        let lead = if is_angle {
            LONGEST_LEAD
        } else {
            f64::INFINITY
        };
        let near = set_point.clamp(position - lead, position + lead);
        let measured = (near - self.zero) * self.travel;
        let settings = &variable.layout.settings;
        let is_own = settings.stiffness.is_some() || settings.damping.is_some();
        let (gain, spring) = if order.holds_speed && !is_own {
            (SPEED_GAIN, SPEED_SPRING)
        } else {
            (1.0, 1.0)
        };
        // Without its own motor, the joint would still brake: k·e + d·(v₀ - v) - b·v as one spring.
        let own_damping = self.damping * gain;
        let damping = own_damping + self.passive_damping;
        let share = if damping > 0.0 {
            own_damping / damping
        } else {
            0.0
        };
        JointMotor {
            target_pos: if is_angle {
                wrapped(measured)
            } else {
                measured
            } as f32,
            target_vel: (order.speed * self.travel * share) as f32,
            stiffness: (self.stiffness * gain * gain * spring) as f32,
            damping: damping as f32,
            max_force: if most.is_finite() {
                most as f32
            } else {
                f32::MAX
            },
            model: MotorModel::ForceBased,
            ..JointMotor::default()
        }
    }

    /// The limits that the engine is to see, in its own measure, if any.
    pub(super) fn limits(&self, variable: &VariableRow, position: f64) -> Option<[f32; 2]> {
        let [lower, upper] = variable.layout.limits;
        let measure = |value: f64| ((value - self.zero) * self.travel) as f32;
        if lower == f64::NEG_INFINITY && upper == f64::INFINITY {
            return None;
        }
        if !variable.layout.is_angle {
            let bound = |value: f64, none: f32| {
                if value.is_finite() {
                    measure(value)
                } else {
                    none
                }
            };
            return Some([bound(lower, -f32::MAX), bound(upper, f32::MAX)]);
        }
        if upper - lower < TAU - LIMIT_WINDOW {
            return Some([measure(lower), measure(upper)]);
        }
        if position < lower + LIMIT_WINDOW {
            return Some([measure(lower), measure(lower + 2.0 * LIMIT_WINDOW)]);
        }
        let is_near = position > upper - LIMIT_WINDOW;
        is_near.then(|| [measure(upper - 2.0 * LIMIT_WINDOW), measure(upper)])
    }
}

/// The engine's axis of a joint.
pub(super) fn axis_of(is_angle: bool) -> JointAxis {
    if is_angle {
        JointAxis::AngX
    } else {
        JointAxis::LinX
    }
}

/// Tells whether a joint has another motor than this one.
pub(super) fn differs(joint: &GenericJoint, axis: JointAxis, motor: &JointMotor) -> bool {
    let is_on = joint.motor_axes.contains(JointAxesMask::from(axis));
    let current = joint.motors.get(axis as usize);
    let same = current.is_some_and(|current| {
        JointMotor {
            impulse: 0.0,
            ..*current
        } == JointMotor {
            impulse: 0.0,
            ..*motor
        }
    });
    !(is_on && same)
}

/// Tells whether a joint has other limits than these.
pub(super) fn limits_differ(
    joint: &GenericJoint,
    axis: JointAxis,
    limits: Option<[f32; 2]>,
) -> bool {
    let current = joint.limits(axis).map(|limits| [limits.min, limits.max]);
    current != limits
}

/// Gives a joint its motor and limits; the motor keeps the impulse it exerted last.
pub(super) fn equip(
    joint: &mut GenericJoint,
    axis: JointAxis,
    motor: &JointMotor,
    limits: Option<[f32; 2]>,
) {
    if let Some(slot) = joint.motors.get_mut(axis as usize) {
        *slot = JointMotor {
            impulse: slot.impulse,
            ..*motor
        };
    }
    joint.motor_axes.set(
        JointAxesMask::from(axis),
        motor.stiffness > 0.0 || motor.damping > 0.0,
    );
    match limits {
        Some(limits) => {
            joint.set_limits(axis, limits);
        }
        None => joint.limit_axes.remove(JointAxesMask::from(axis)),
    }
}

/// An angle within half a turn of zero.
pub(super) fn wrapped(angle: f64) -> f64 {
    angle - TAU * libm::round(angle / TAU)
}

/// The value nearest to `near` that is the same angle as `angle`.
pub(super) fn unwrapped(angle: f64, near: f64) -> f64 {
    debug_assert!(
        angle.abs() <= PI + 1e-3,
        "the engine measures within a turn"
    );
    near + wrapped(angle - near)
}
