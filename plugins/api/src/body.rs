//! Rigid bodies as components see them, and the drives by which actuators move them.
use bevy::prelude::*;
use nalgebra::{Isometry3, Matrix3, Point3, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use crate::property::Property;

/// Pose, velocity and mass of a body after the last tick. Written by the physics only.
#[derive(Component, Clone, Copy, Debug)]
#[doc(alias("Odometry", "xpos", "xquat", "cvel"))]
pub struct BodyState {
    /// Pose of the body's frame in the world.
    pub pose: Isometry3<f64>,
    /// Velocity of the centre of mass, world axes, m/s.
    #[doc(alias("Twist", "cvel"))]
    pub linear_velocity: Vector3<f64>,
    /// Angular velocity, world axes, rad/s.
    pub angular_velocity: Vector3<f64>,
    /// Centre of mass in the world, m.
    pub center_of_mass: Point3<f64>,
    /// Mass, kg; infinite for bodies that physics does not move.
    pub mass: f64,
}

impl Default for BodyState {
    fn default() -> Self {
        Self {
            pose: Isometry3::identity(),
            linear_velocity: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
            center_of_mass: Point3::origin(),
            mass: f64::INFINITY,
        }
    }
}

impl BodyState {
    /// Returns the velocity of the body's point that is now at `point` (world), world axes, m/s.
    #[must_use]
    pub fn velocity_at(&self, point: &Point3<f64>) -> Vector3<f64> {
        self.linear_velocity + self.angular_velocity.cross(&(point - self.center_of_mass))
    }
}

/// The acceleration of free fall in the world, m/s².
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
pub struct Gravity(pub Vector3<f64>);

impl Default for Gravity {
    fn default() -> Self {
        Self(Vector3::new(0.0, 0.0, -9.81))
    }
}

/// Inertia of a body about the centre of mass, in the body's axes, kg·m². Present on bodies that forces move; computed from
/// the scene, and constant.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub struct Inertia(pub Matrix3<f64>);

/// Kind of a body: how physics treats it.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BodyKind {
    /// Moved by forces, contacts and joints.
    Dynamic,
    /// Never moves.
    #[default]
    Fixed,
    /// Moves as commanded; pushes dynamic bodies and is not pushed.
    Kinematic,
}

/// Properties of the robot as a whole that motion actuators need. A component of the robot's base body.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Robot {
    /// True if the vertical velocity and the roll and pitch rates of the body stay free when a velocity is commanded.
    #[reflect(@Property("GroundRobot"))]
    pub is_ground_robot: bool,
}

/// Velocity to which an actuator drives its robot by the motors of wheels, from its last action. Physics warns of a robot that
/// misses it for a while. Used for warnings only: no state of the simulation.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub struct IntendedVelocity(pub Option<PlanarVelocity>);

/// Velocity on the ground of the origin of a robot's base, in the axes of the base.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlanarVelocity {
    /// Forward velocity, m/s.
    pub x: f64,
    /// Velocity to the left, m/s.
    pub y: f64,
    /// Angular velocity, to the left, rad/s.
    pub w: f64,
}

impl PlanarVelocity {
    /// Returns the velocity at the origin, given that of a point of the base at `x` and `y`.
    #[must_use]
    pub fn at_origin(self, [x, y]: [f64; 2]) -> Self {
        Self {
            x: self.x + self.w * y,
            y: self.y - self.w * x,
            w: self.w,
        }
    }
}

/// Request of one actuator to the robot's base body (or to the body on which it is mounted). Written by that actuator only.
/// One system applies all drives in path order: wrenches add up; of several actuators that set velocity or pose one drives
/// (see [`Contender`](crate::arbitration::Contender)).
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[doc(alias("Twist", "Wrench", "xfrc_applied"))]
pub enum Drive {
    /// Nothing: the body is left to physics and to the other actuators.
    #[default]
    None,
    /// Sets the velocity of the body's origin, in the axes of the body.
    Velocity {
        /// Linear velocity, m/s.
        linear: Vector3<f64>,
        /// Angular velocity, rad/s.
        angular: Vector3<f64>,
    },
    /// Puts the body at a pose in the world, at rest.
    Pose(Isometry3<f64>),
    /// Turns the body about its origin to an orientation in the world and sets its angular velocity to zero; its position is
    /// left to physics.
    Orientation(UnitQuaternion<f64>),
    /// Moves the body by a displacement in its own axes, without physics (MORSE's `Position` control).
    Displacement(Isometry3<f64>),
    /// A force and a torque at the centre of mass, for one tick, world axes.
    Wrench {
        /// Force, N.
        force: Vector3<f64>,
        /// Torque, N·m.
        torque: Vector3<f64>,
    },
    /// A force and a torque at the centre of mass that turn with the body and last until the actuator changes them, for
    /// example thrust of rotors.
    Thrust {
        /// Force in the axes of the body, N.
        force: Vector3<f64>,
        /// Torque in the axes of the body, N·m.
        torque: Vector3<f64>,
    },
}

impl Drive {
    /// Returns the drive for ticks in which the actuator is not due: a displacement is over, every other drive is held.
    #[must_use]
    pub fn between_actions(self) -> Self {
        if matches!(self, Self::Displacement(_)) {
            Self::None
        } else {
            self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_robot_that_turns_about_a_point_before_its_origin_moves_sideways() {
        let turning = PlanarVelocity {
            x: 0.5,
            y: 0.0,
            w: 2.0,
        };
        let expected = PlanarVelocity {
            x: 0.5,
            y: -0.6,
            w: 2.0,
        };
        assert_eq!(turning.at_origin([0.3, 0.0]), expected);
        assert!((turning.at_origin([0.0, 0.25]).x - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_point_off_the_axis_moves_sideways() {
        let state = BodyState {
            angular_velocity: Vector3::z() * 2.0,
            ..BodyState::default()
        };
        let velocity = state.velocity_at(&Point3::new(1.5, 0.0, 0.0));
        assert!((velocity - Vector3::new(0.0, 3.0, 0.0)).norm() < 1e-12);
    }
}
