//! Messages of commands: trajectories of joints, joysticks and cars.
use serde::{Deserialize, Serialize};

use super::{Definition, Header, Message, Transform, Twist};

messages! {
    /// A span of time.
    "builtin_interfaces" Duration {
        /// Whole seconds.
        sec: i32,
        /// Nanoseconds in addition to `sec`.
        nanosec: u32,
    }
    /// State of the joints of a trajectory at one time.
    "trajectory_msgs" JointTrajectoryPoint {
        /// Positions, rad or m.
        positions: Vec<f64>,
        /// Velocities, rad/s or m/s.
        velocities: Vec<f64>,
        /// Accelerations, rad/s² or m/s².
        accelerations: Vec<f64>,
        /// Efforts, N·m or N.
        effort: Vec<f64>,
        /// Time since the start.
        time_from_start: Duration,
    }
    /// Positions of joints over time.
    "trajectory_msgs" JointTrajectory {
        /// Start; zero for at once.
        header: Header,
        /// Names of the joints, in the order of the numbers of the points.
        joint_names: Vec<String>,
        /// Points, ordered by time.
        points: Vec<JointTrajectoryPoint>,
    }
    /// State of joints with several degrees of freedom at one time.
    "trajectory_msgs" MultiDOFJointTrajectoryPoint {
        /// Poses.
        transforms: Vec<Transform>,
        /// Velocities.
        velocities: Vec<Twist>,
        /// Accelerations.
        accelerations: Vec<Twist>,
        /// Time since the start.
        time_from_start: Duration,
    }
    /// Poses of joints with several degrees of freedom over time.
    "trajectory_msgs" MultiDOFJointTrajectory {
        /// Start.
        header: Header,
        /// Names of the joints.
        joint_names: Vec<String>,
        /// Points, ordered by time.
        points: Vec<MultiDOFJointTrajectoryPoint>,
    }
    /// Steering angle and speed of a car.
    "ackermann_msgs" AckermannDrive {
        /// Angle of a wheel in the middle between the steered ones, to the left, rad.
        steering_angle: f32,
        /// Speed of steering, rad/s; not used.
        steering_angle_velocity: f32,
        /// Velocity of the middle between the driven wheels, m/s.
        speed: f32,
        /// Acceleration, m/s²; not used.
        acceleration: f32,
        /// Jerk, m/s³; not used.
        jerk: f32,
    }
    /// Steering angle and speed of a car at a time.
    "ackermann_msgs" AckermannDriveStamped {
        /// Time stamp and frame.
        header: Header,
        /// The command.
        drive: AckermannDrive,
    }
    /// Deflections and buttons of a joystick.
    "sensor_msgs" Joy {
        /// Time stamp and frame.
        header: Header,
        /// Deflections, -1 to 1: to the left, forward, and further ones.
        axes: Vec<f32>,
        /// States of the buttons: 1 if pressed.
        buttons: Vec<i32>,
    }
}

impl Duration {
    /// Returns a number of nanoseconds.
    #[must_use]
    pub fn of_nanos(nanos: u64) -> Self {
        Self {
            sec: i32::try_from(nanos / 1_000_000_000).unwrap_or(i32::MAX),
            nanosec: (nanos % 1_000_000_000) as u32,
        }
    }

    /// Returns the number of seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        f64::from(self.sec) + f64::from(self.nanosec) * 1e-9
    }
}
