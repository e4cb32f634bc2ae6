//! Motors of trees from the targets of joints.
use morse_api::joint::{Impedance, JointTarget};
use morse_mechanisms::step::Motor;
use morse_scene::assembly::{JointMode, VariableLayout};

/// Rate at which a motor without gains approaches its target position, 1/s.
const STIFF_RATE: f64 = 100.0;

/// Part of the maximum velocity by which a motor without gains may exceed it.
const OVERSPEED: f64 = 0.01;

/// Settings of a variable's motor. Those of all variables are side by side in memory: most motors change in each tick.
pub(super) struct MotorSettings {
    /// Lower and upper position limit, rad or m.
    pub limits: [f64; 2],
    /// Maximum velocity, rad/s or m/s.
    pub max_velocity: f64,
    /// Maximum effort, N·m or N.
    pub max_effort: f64,
    /// Stiffness and damping, N·m/rad and N·m·s/rad, or N/m and N·s/m; `None` for a stiff motor.
    pub gains: Option<[f64; 2]>,
    /// Acceleration with which half of the maximum effort brakes the maximum load, rad/s² or m/s².
    pub brake: f64,
    /// True if it compensates the weight of the links on the joint.
    pub compensates: bool,
    /// True if target positions that move evenly are interpolated.
    pub interpolates: bool,
    /// True if forces do not move the joint, which then has no motor.
    pub is_kinematic: bool,
}

impl MotorSettings {
    /// Returns the settings of a variable, given stiffness and damping, if they are given, and its maximum load, kg·m² or kg.
    pub(super) fn new(variable: &VariableLayout, gains: Option<[f64; 2]>, load: f64) -> Self {
        let settings = &variable.settings;
        Self {
            limits: variable.limits,
            max_velocity: variable.max_velocity,
            max_effort: variable.max_effort,
            gains,
            brake: 0.5 * variable.max_effort / load,
            compensates: settings.gravity_compensation,
            interpolates: settings.interpolate.unwrap_or(true),
            is_kinematic: settings.mode == JointMode::Kinematic,
        }
    }

    /// Returns the motor for a target, given the position and velocity of the variable, the target position and its velocity in the
    /// previous tick, and the length of a tick; and the present target position, with its velocity since the previous tick and
    /// the change of it.
    ///
    /// A target position that moves evenly from tick to tick is interpolated within the tick, with its velocity fed forward;
    /// otherwise the motor would stop and start in each tick. A target position that jumps is applied at once, without a
    /// velocity. A motor without gains that would exceed the maximum velocity on its way, since its load held it back, has a
    /// target velocity until it has caught up.
    pub(super) fn motor(
        &self,
        target: &JointTarget,
        [position, velocity]: [f64; 2],
        (set_point, before): (Option<f64>, [f64; 2]),
        dt: f64,
    ) -> (Motor, Option<(f64, [f64; 2])>) {
        let [lower, upper] = self.limits;
        let fastest = self.max_velocity;
        let motor = Motor {
            max_effort: self.max_effort,
            compensates: self.compensates,
            ..Motor::default()
        };
        match *target {
            JointTarget::Position(wanted) | JointTarget::Jump(wanted) if wanted.is_finite() => {
                // A spring may have its rest position beyond the limits: it pushes the joint against them.
                let reached = match self.gains {
                    Some(_) => wanted,
                    None => wanted.clamp(lower, upper),
                };
                let before = (set_point, before);
                self.approach(reached, [position, velocity], before, (dt, motor))
            }
            JointTarget::Velocity(wanted) if wanted.is_finite() => {
                let wanted = wanted.clamp(-fastest, fastest);
                let ends = [(lower - position) / dt, (upper - position) / dt];
                let speed = wanted.clamp(ends[0].min(0.0), ends[1].max(0.0));
                (self.turning(speed, motor), None)
            }
            JointTarget::Effort(effort) if effort.is_finite() => {
                let most = motor.max_effort;
                let effort = effort.clamp(-most, most);
                (Motor { effort, ..motor }, None)
            }
            JointTarget::Impedance(target) if target.is_valid() => {
                self.spring(target, position, (set_point, before), (dt, motor))
            }
            JointTarget::Free
            | JointTarget::Impedance(_)
            | JointTarget::Position(_)
            | JointTarget::Jump(_)
            | JointTarget::Velocity(_)
            | JointTarget::Effort(_) => {
                let carries = motor.compensates;
                (if carries { motor } else { Motor::default() }, None)
            }
        }
    }

    /// Returns a motor that approaches a position within the limits, at no more than the maximum velocity, and its target
    /// position with its velocities.
    fn approach(
        &self,
        wanted: f64,
        [position, velocity]: [f64; 2],
        (set_point, before): (Option<f64>, [f64; 2]),
        (dt, motor): (f64, Motor),
    ) -> (Motor, Option<(f64, [f64; 2])>) {
        let fastest = self.max_velocity;
        let from = set_point.unwrap_or(position);
        let next = from + (wanted - from).clamp(-fastest * dt, fastest * dt);
        let now = (next - from) / dt;
        let change = now - before[0];
        // At the maximum speed, the velocity is fed forward.
        let is_on_its_way = fastest.is_finite() && next != wanted;
        // Velocities from the beginning to the end of the tick do not exceed the maximum.
        let most = 2.0 * (fastest - now.abs()).max(0.0);
        let ramp = match set_point {
            Some(_) if self.interpolates([now, change], before) => [now, change.clamp(-most, most)],
            _ => [0.0; 2],
        };
        let speed = if is_on_its_way { now } else { ramp[0] };
        let distance = next - position;
        let rate = self.rate(distance);
        let begin = if ramp == [0.0; 2] { next } else { from };
        // At the beginning of the tick, and at its end if the joint goes on as it moves now.
        let lags = [begin - position, distance - velocity * dt];
        let approach = |lag: f64| (speed + rate * lag).abs() + ramp[1].abs() / 2.0;
        let most = fastest * (1.0 + OVERSPEED);
        let is_too_fast = lags.into_iter().any(|lag| approach(lag) > most);
        let motor = if self.gains.is_none() && is_too_fast {
            // It lags behind its set point, and follows at the maximum velocity.
            let speed = distance * rate.min(1.0 / dt);
            self.turning(speed.clamp(-fastest, fastest), motor)
        } else {
            Motor {
                ramp,
                ..self.towards(next, speed, rate, motor)
            }
        };
        (motor, Some((next, [now, change])))
    }

    /// Returns a motor that acts as a spring and a damper, and its target position with its velocities. A target position that
    /// moves evenly is interpolated within the tick; its velocity is that of the target alone.
    fn spring(
        &self,
        target: Impedance,
        position: f64,
        (set_point, before): (Option<f64>, [f64; 2]),
        (dt, motor): (f64, Motor),
    ) -> (Motor, Option<(f64, [f64; 2])>) {
        let [lower, upper] = self.limits;
        let most = motor.max_effort;
        let next = target.position.clamp(lower, upper);
        let speed = (next - set_point.unwrap_or(position)) / dt;
        let now = [speed, speed - before[0]];
        let is_even = set_point.is_some() && self.interpolates(now, before);
        let motor = Motor {
            stiffness: target.stiffness,
            damping: target.damping,
            position: next,
            speed: target.velocity,
            ramp: if is_even { now } else { [0.0; 2] },
            effort: target.effort.clamp(-most, most),
            ..motor
        };
        (motor, Some((next, now)))
    }

    /// Returns true if a target position with these velocities and changes of velocity in two successive ticks is
    /// interpolated.
    fn interpolates(&self, now: [f64; 2], before: [f64; 2]) -> bool {
        self.interpolates && moves_evenly(now, before)
    }

    /// Returns the rate at which a motor without gains approaches its target position, 1/s: such that half of its effort can
    /// stop the load in time.
    fn rate(&self, distance: f64) -> f64 {
        let fastest = 2.0 * self.brake;
        // Division and square root are slow. Rounding leaves a distance that is less than this by a tenth within it.
        let is_close = STIFF_RATE * STIFF_RATE * distance.abs() < 0.9 * fastest;
        if is_close || distance == 0.0 || !self.brake.is_finite() {
            return STIFF_RATE;
        }
        STIFF_RATE.min(libm::sqrt(fastest / distance.abs()))
    }

    /// Returns a motor with a target velocity.
    fn turning(&self, speed: f64, motor: Motor) -> Motor {
        Motor {
            stiff: self.gains.is_none().then_some(0.0),
            damping: self.gains.map_or(0.0, |[_, damping]| damping),
            speed,
            ..motor
        }
    }

    /// Returns a motor with a target position and velocity.
    fn towards(&self, position: f64, speed: f64, rate: f64, motor: Motor) -> Motor {
        let [stiffness, damping] = self.gains.unwrap_or_default();
        Motor {
            stiff: self.gains.is_none().then_some(rate),
            stiffness,
            damping,
            position,
            speed,
            ..motor
        }
    }
}

/// Returns true if a target position with these velocities and changes in two successive ticks moves evenly: its velocity or
/// its acceleration changes by little.
fn moves_evenly([speed, change]: [f64; 2], [speed_before, change_before]: [f64; 2]) -> bool {
    if change.abs() <= 0.5 * speed.abs().min(speed_before.abs()) {
        return true;
    }
    let numbers = [speed, change, speed_before, change_before];
    let most = numbers.map(f64::abs).into_iter().fold(0.0, f64::max);
    (change - change_before).abs() <= 0.5 * most
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns true for each target position but the first that moves evenly.
    fn even(points: impl IntoIterator<Item = f64>) -> Vec<bool> {
        let points: Vec<f64> = points.into_iter().collect();
        let mut before = [0.0; 2];
        let steps = points.windows(2).map(|pair| {
            let speed = pair[1] - pair[0];
            let now = [speed, speed - before[0]];
            let is_even = moves_evenly(now, before);
            before = now;
            is_even
        });
        steps.collect()
    }

    #[test]
    fn jumps_are_told_from_motion() {
        assert_eq!(even([0.0, 1.0, 1.0, 1.0]), [false, false, true]);
        assert_eq!(even([0.0, 1.0, 2.0, 3.0]), [false, true, true]);
        let sine = (0..60).map(|tick| libm::sin(f64::from(tick) * 0.4));
        assert!(even(sine).iter().skip(2).all(|is_even| *is_even));
        // Commands at a fifth of the rate are jumps.
        let seldom = (0..20).map(|tick| f64::from(tick / 5));
        let jumps = even(seldom).iter().filter(|is_even| !**is_even).count();
        assert_eq!(jumps, 6);
    }
}
