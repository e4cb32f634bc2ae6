//! From what a joint is asked to do to the motor of its tree.
use morse_api::joint::JointTarget;
use morse_mechanisms::step::Motor;

use super::engine::VariableRow;

/// Rate at which a motor without gains of its own comes to its position, 1/s.
const STIFF_RATE: f64 = 100.0;

impl VariableRow {
    /// The motor that does what is asked for, given the position of the variable, the set point of the tick before and the
    /// length of a tick; and its set point now, where it has one.
    pub(super) fn motor(
        &self,
        target: JointTarget,
        position: f64,
        set_point: Option<f64>,
        dt: f64,
    ) -> (Motor, Option<f64>) {
        let [lower, upper] = self.layout.limits;
        let fastest = self.layout.max_velocity;
        let motor = Motor {
            max_effort: self.layout.max_effort,
            compensates: self.layout.settings.gravity_compensation,
            ..Motor::default()
        };
        match target {
            JointTarget::Position(wanted) | JointTarget::Jump(wanted) if wanted.is_finite() => {
                let from = set_point.unwrap_or(position);
                let wanted = wanted.clamp(lower, upper);
                let next = from + (wanted - from).clamp(-fastest * dt, fastest * dt);
                // On its way, the speed goes with the position; where it jumps, there is none.
                let speed = if fastest.is_finite() && next != wanted {
                    (next - from) / dt
                } else {
                    0.0
                };
                let rate = self.rate(next - position);
                (self.towards(next, speed, rate, motor), Some(next))
            }
            JointTarget::Velocity(wanted) if wanted.is_finite() => {
                let wanted = wanted.clamp(-fastest, fastest);
                let ends = [(lower - position) / dt, (upper - position) / dt];
                let speed = wanted.clamp(ends[0].min(0.0), ends[1].max(0.0));
                let motor = Motor {
                    stiff: self.gains.is_none().then_some(0.0),
                    damping: self.gains.map_or(0.0, |[_, damping]| damping),
                    speed,
                    ..motor
                };
                (motor, None)
            }
            JointTarget::Effort(effort) if effort.is_finite() => {
                let most = motor.max_effort;
                let effort = effort.clamp(-most, most);
                (Motor { effort, ..motor }, None)
            }
            JointTarget::Free
            | JointTarget::Position(_)
            | JointTarget::Jump(_)
            | JointTarget::Velocity(_)
            | JointTarget::Effort(_)
                if motor.compensates =>
            {
                (motor, None)
            }
            JointTarget::Free
            | JointTarget::Position(_)
            | JointTarget::Jump(_)
            | JointTarget::Velocity(_)
            | JointTarget::Effort(_) => (Motor::default(), None),
        }
    }

    /// Rate at which a motor without gains of its own comes nearer, 1/s: so that half of its effort can stop it in time,
    /// whatever hangs on it.
    fn rate(&self, way: f64) -> f64 {
        let brake = 0.5 * self.layout.max_effort / self.inertia;
        if way == 0.0 || !brake.is_finite() {
            return STIFF_RATE;
        }
        STIFF_RATE.min(libm::sqrt(2.0 * brake / way.abs()))
    }

    /// A motor that pulls towards a position and goes with a speed.
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
