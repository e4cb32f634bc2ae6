//! Servo of a joint: gains, and the effort of its motor.
//!
//! The controller is `duty = P·e + I·Σe − D·Δq`, limited to ±512, and the motor's effort is `stall·(duty/512 − v/v₀)`: that of
//! a direct-current motor with the speed v₀ without load. A gain is a byte divided by 2^(16 − shift).
//!
//! **Assumptions**: Sony published neither the law nor its units. Here e and q are in units of the angle sensor, 4096 per
//! turn, and the controller runs each millisecond. Stall efforts are those of the models, which are estimates.
use std::f64::consts::TAU;

/// Millionths per unit: values are integers in µrad, µm, µm/s² and µN.
pub const MICRO: f64 = 1e6;

/// Units of the angle sensor per radian.
const COUNTS: f64 = 4096.0 / TAU;

/// Angle sensor at the position zero.
const MIDDLE: f64 = 2048.0;

/// Samples of the controller per second, and per frame of 8 ms.
const SAMPLES: f64 = 1000.0;
const SAMPLES_PER_FRAME: f64 = 8.0;

/// Greatest duty of the motor.
pub const LARGEST_DUTY: f64 = 512.0;

/// Gains of a servo: proportional, integral and derivative, with the shift of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gains {
    /// Gains: 0 to 63, 0 to 9 and 0 to 31 on the robot.
    pub gains: [u8; 3],
    /// Shifts, 0 to 16.
    pub shifts: [u8; 3],
}

/// Shifts of all joints of the ERS-7 and ERS-210.
pub const SHIFTS: [u8; 3] = [0x0e, 0x02, 0x0f];

impl Gains {
    /// Returns gains with the usual shifts.
    #[must_use]
    pub const fn new(gains: [u8; 3]) -> Self {
        Self {
            gains,
            shifts: SHIFTS,
        }
    }

    /// Returns true if no shift exceeds 16.
    #[must_use]
    pub fn is_valid(self) -> bool {
        self.shifts.iter().all(|shift| *shift <= 16)
    }

    fn factor(self, term: usize) -> f64 {
        let divisor = 1_u32 << (16 - u32::from(self.shifts[term].min(16)));
        f64::from(self.gains[term]) / f64::from(divisor)
    }
}

/// Motor of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// Effort at rest with full duty, N·m.
    pub stall: f64,
    /// Speed without load at full duty, rad/s.
    pub speed: f64,
}

impl Motor {
    /// Returns stiffness, N·m/rad, and damping, N·m·s/rad, of a servo.
    #[must_use]
    pub fn impedance(self, gains: Gains) -> [f64; 2] {
        let effort = self.stall / LARGEST_DUTY;
        let derivative = effort * gains.factor(2) * COUNTS / SAMPLES;
        [
            effort * gains.factor(0) * COUNTS,
            self.stall / self.speed + derivative,
        ]
    }

    /// Returns the duty of the motor for an effort, N·m, and a velocity, rad/s.
    #[must_use]
    pub fn duty(self, effort: f64, velocity: f64) -> i16 {
        let duty = LARGEST_DUTY * (effort / self.stall + velocity / self.speed);
        duty.round().clamp(-LARGEST_DUTY, LARGEST_DUTY) as i16
    }

    /// Returns the integral term after a frame, as an effort, N·m, from the term before and the error, rad.
    #[must_use]
    pub fn integrate(self, before: f64, gains: Gains, error: f64) -> f64 {
        let duty = gains.factor(1) * error * COUNTS * SAMPLES_PER_FRAME;
        let added = before + duty * self.stall / LARGEST_DUTY;
        added.clamp(-self.stall, self.stall)
    }
}

/// Returns the value of the angle sensor at an angle, µrad.
#[must_use]
pub fn angle_signal(angle: i32) -> u16 {
    let counts = MIDDLE + f64::from(angle) / MICRO * COUNTS;
    counts.round().clamp(0.0, 4095.0) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_are_bytes_shifted() {
        // Standard gains of the first leg joint: 7, 8/16384 and 1/2.
        let gains = Gains::new([0x1c, 0x08, 0x01]);
        let factors: Vec<f64> = (0..3).map(|term| gains.factor(term)).collect();
        assert_eq!(factors, [7.0, 8.0 / 16384.0, 0.5]);
        let motor = Motor {
            stall: 4.0,
            speed: 5.0,
        };
        // An error of 512 / 7 units of 1/4096 turn makes the full duty.
        let [stiffness, damping] = motor.impedance(gains);
        assert!((stiffness * 512.0 / 7.0 / 4096.0 * TAU - 4.0).abs() < 1e-12);
        // At rest with the speed without load, braking takes the stall effort, and the derivative term 0.3 %.
        let derivative = 0.5 * 5.0 * 4096.0 / TAU / 1000.0 / 512.0;
        assert!((damping * 5.0 / 4.0 - 1.0 - derivative).abs() < 1e-12);
        assert_eq!(motor.impedance(Gains::new([0; 3])), [0.0, 0.8]);
        assert_eq!(
            [
                motor.duty(2.0, 0.0),
                motor.duty(-9.0, 0.0),
                motor.duty(0.0, 2.5)
            ],
            [256, -512, 256]
        );
        // One unit of error, a frame: 8 samples of 8/16384.
        let added = motor.integrate(0.0, gains, TAU / 4096.0) * 512.0 / 4.0;
        assert!((added - 8.0 * 8.0 / 16384.0).abs() < 1e-12);
        assert_eq!(motor.integrate(4.0, gains, 1e9), 4.0);
        assert_eq!([angle_signal(0), angle_signal(-4_000_000)], [2048, 0]);
    }
}
