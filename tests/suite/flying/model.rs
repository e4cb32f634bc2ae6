//! The continuous control laws of a rotorcraft in one plane, with an integrator.
use super::{G, MASS};

/// State of the continuous model in the x-z plane: position, velocity, pitch and its rate.
#[derive(Clone, Copy)]
pub(super) struct Plane {
    pub(super) x: f64,
    pub(super) z: f64,
    pub(super) vx: f64,
    pub(super) vz: f64,
    pub(super) pitch: f64,
    pub(super) rate: f64,
}

impl Plane {
    pub(super) const REST: Self = Self {
        x: 0.0,
        z: 0.0,
        vx: 0.0,
        vz: 0.0,
        pitch: 0.0,
        rate: 0.0,
    };

    fn plus(self, slope: &Self, time: f64) -> Self {
        Self {
            x: self.x + slope.x * time,
            z: self.z + slope.z * time,
            vx: self.vx + slope.vx * time,
            vz: self.vz + slope.vz * time,
            pitch: self.pitch + slope.pitch * time,
            rate: self.rate + slope.rate * time,
        }
    }

    /// Returns the state after a step of the Runge–Kutta method.
    pub(super) fn step(self, slope: impl Fn(&Self) -> Self, time: f64) -> Self {
        let one = slope(&self);
        let two = slope(&self.plus(&one, time / 2.0));
        let three = slope(&self.plus(&two, time / 2.0));
        let four = slope(&self.plus(&three, time));
        self.plus(&one, time / 6.0)
            .plus(&two, time / 3.0)
            .plus(&three, time / 3.0)
            .plus(&four, time / 6.0)
    }

    /// Returns the time derivative of the state, with a thrust beyond the weight, a commanded pitch and its rate.
    fn slope(&self, climb: f64, wanted: impl Fn(f64, f64) -> (f64, f64)) -> Self {
        let (sin, cos) = libm::sincos(self.pitch);
        let thrust = (MASS * G / cos.max(0.75) + climb).max(0.0);
        let (ahead, up) = (thrust * sin / MASS, thrust * cos / MASS - G);
        // The rate of `ahead`; the feedback of vertical velocity is 8 in both laws.
        let thrust_rate = if cos > 0.75 {
            MASS * G * sin * self.rate / (cos * cos)
        } else {
            0.0
        } - 8.0 * up;
        let jerk = (thrust_rate * sin + thrust * cos * self.rate) / MASS;
        let (lean, lean_rate) = wanted(ahead, jerk);
        let most = 30.0_f64.to_radians();
        let is_free = lean.abs() < most;
        let error = lean.clamp(-most, most) - self.pitch;
        let error_rate = if is_free { lean_rate } else { 0.0 } - self.rate;
        let turn = (9.7 * error + 2.0 * error_rate) * thrust / (MASS * G);
        Self {
            x: self.vx,
            z: self.vz,
            vx: ahead,
            vz: up,
            pitch: self.rate,
            rate: turn,
        }
    }

    /// The waypoint law towards (goal, 0, height).
    pub(super) fn towards(&self, goal: f64, height: f64) -> Self {
        let (p, d) = (6.0_f64.to_radians(), 8.0_f64.to_radians());
        let climb = 8.0 * (height - self.z) - 8.0 * self.vz;
        let (x, vx) = (self.x, self.vx);
        self.slope(climb, |ahead, _| {
            (p * (goal - x) - d * vx, -p * vx - d * ahead)
        })
    }

    /// The velocity law for a forward velocity.
    pub(super) fn at_speed(&self, speed: f64) -> Self {
        let (vx, climb) = (self.vx, -8.0 * self.vz);
        self.slope(climb, |ahead, jerk| {
            (0.2 * (speed - vx) - 0.8 * ahead, -0.2 * ahead - 0.8 * jerk)
        })
    }
}
