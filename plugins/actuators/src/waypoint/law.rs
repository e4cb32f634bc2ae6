//! Control law of a waypoint actuator: returns the velocity for a goal.
use morse_api::prelude::*;

use super::{Waypoint, WaypointCommand, radar::Radar};

/// Result of one action of a waypoint actuator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step {
    /// Leaves the robot to other actuators.
    Leave,
    /// Stops before the goal.
    Halt,
    /// Stops at the goal.
    Arrive,
    /// Drives on.
    Go {
        /// Velocity in the actuator's axes, m/s.
        linear: Vector3<f64>,
        /// Angular velocity about z, to the left, rad/s.
        turn: f64,
    },
}

/// Inputs of the control law.
pub(super) struct Law<'a> {
    pub(super) settings: &'a Waypoint,
    pub(super) command: WaypointCommand,
    pub(super) pose: &'a Isometry3<f64>,
    /// Period of the action, s.
    pub(super) period: f64,
    pub(super) radar: &'a Radar<'a>,
}

/// Displacement to the goal, seen from the actuator.
pub(super) struct Course {
    /// Distance to the goal, m; along the ground unless heights count.
    pub(super) distance: f64,
    /// Distance along the ground, m.
    level_distance: f64,
    /// Direction of the goal in the actuator's axes.
    direction: Vector3<f64>,
}

/// Heading error above which the robot turns on the spot, rad.
const TURN_ON_THE_SPOT: f64 = std::f64::consts::FRAC_PI_3;

impl Law<'_> {
    /// Returns the displacement to the goal.
    pub(super) fn course(&self) -> Course {
        let goal = Vector3::new(self.command.x, self.command.y, self.command.z);
        let mut offset = goal - self.pose.translation.vector;
        let level_distance = libm::hypot(offset.x, offset.y);
        if !self.settings.free_z {
            offset.z = 0.0;
        }
        let distance = offset.norm();
        let direction = if distance > 0.0 {
            offset / distance
        } else {
            Vector3::x()
        };
        Course {
            distance,
            level_distance,
            direction: self.pose.rotation.inverse() * direction,
        }
    }

    /// Returns the velocity for a displacement, limited so that the robot overshoots neither the goal nor its direction
    /// within one period.
    pub(super) fn go(&self, course: &Course) -> Step {
        let speed = self.command.speed;
        let step = speed * self.period;
        let error = self.heading_error(course);
        let forward = if error.abs() >= TURN_ON_THE_SPOT {
            0.0
        } else if course.distance < step {
            course.distance / self.period
        } else {
            speed
        };
        // MORSE's rate: the rate in rad/s is half the speed in m/s.
        let full_turn = speed / 2.0;
        let turn = if let Some(aside) = self.aside(course, forward) {
            aside * full_turn
        } else if error.abs() < self.settings.angle_tolerance {
            0.0
        } else if error.abs() < step {
            error / self.period / 2.0
        } else {
            full_turn * error.signum()
        };
        let linear = if self.settings.free_z {
            let ahead = (forward * course.direction.x).abs();
            Vector3::new(ahead, 0.0, forward * course.direction.z)
        } else {
            Vector3::x() * forward
        };
        Step::Go { linear, turn }
    }

    /// Returns the angle from the actuator's x axis to the goal, to the left, rad; `None` close to the goal, where a small
    /// position error would cause a large heading error.
    fn heading_error(&self, course: &Course) -> f64 {
        if course.level_distance > self.command.tolerance / 2.0 {
            libm::atan2(course.direction.y, course.direction.x)
        } else {
            0.0
        }
    }

    /// Returns the side to which an obstacle is avoided: 1 is left, -1 right.
    fn aside(&self, course: &Course, forward: f64) -> Option<f64> {
        let is_near_goal = course.distance + self.command.tolerance <= self.settings.radar_range;
        if !self.settings.obstacle_avoidance || forward <= 0.0 || is_near_goal {
            None
        } else if self.radar.sees(-1.0) {
            Some(1.0)
        } else if self.radar.sees(1.0) {
            Some(-1.0)
        } else {
            None
        }
    }
}
