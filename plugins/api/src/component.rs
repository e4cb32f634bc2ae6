//! Bevy components that every sensor and actuator has: a path, a mount, a schedule.
use bevy::prelude::*;
use nalgebra::{Isometry3, Point3, Vector3};

pub use crate::path::ComponentPath;
use crate::{body::BodyState, state::Stateful};

/// Mount of a component on its body and its robot.
#[derive(Component, Clone, Copy, Debug)]
#[doc(alias("sensor_to_robot_position_3d", "site", "static_transform"))]
pub struct Mount {
    /// The body on which it is mounted.
    pub body: Entity,
    /// The base body of its robot.
    pub robot: Entity,
    /// The frame on which it is mounted: a [`Frame`](crate::frame::Frame), by default that of its body.
    pub frame: Entity,
    /// Pose of the component in the frame of its body.
    pub body_from_component: Isometry3<f64>,
    /// Pose of the component in the frame of the robot, as the simulation file gives it.
    pub robot_from_component: Isometry3<f64>,
}

/// Update rate of a component. Control laws use 1 / frequency, as in MORSE.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[doc(alias("frequency", "rate"))]
pub struct UpdateRate {
    /// Nominal frequency, Hz.
    pub frequency: f64,
}

impl UpdateRate {
    /// Nominal time between two actions, s.
    #[must_use]
    pub fn period(&self) -> f64 {
        1.0 / self.frequency
    }
}

/// True while a component is activated. Services activate and deactivate it.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Active(pub bool);

impl Default for Active {
    fn default() -> Self {
        Self(true)
    }
}

impl Stateful for Active {}

/// True if a component acts in this tick.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[doc(alias("default_action", "frequency"))]
pub struct Due(pub bool);

/// Pose of a component in the world, updated in each tick in which it is due.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
#[doc(alias("PoseStamped", "position_3d", "framepos"))]
pub struct WorldPose(pub Isometry3<f64>);

/// Velocity of a component in the world, in world axes, updated in each tick in which it is due.
#[derive(
    Component, Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize,
)]
#[doc(alias("Twist", "TwistStamped", "framelinvel"))]
pub struct WorldVelocity {
    /// Linear velocity of the component's origin, m/s.
    pub linear: Vector3<f64>,
    /// Angular velocity of the component, rad/s.
    pub angular: Vector3<f64>,
    /// Linear velocity of the centre of mass of the body on which it is mounted, m/s.
    pub center: Vector3<f64>,
    /// Angular velocity of that body, rad/s. It differs from `angular` on a carrier that turns.
    pub turning: Vector3<f64>,
}

impl WorldVelocity {
    /// Returns the velocity of a component at the centre of mass of its body.
    #[must_use]
    pub fn of_point(linear: Vector3<f64>, angular: Vector3<f64>) -> Self {
        Self {
            linear,
            angular,
            center: linear,
            turning: angular,
        }
    }

    /// Returns the velocity of a component that is at a point (world) of a body.
    #[must_use]
    pub fn on(body: &BodyState, point: &Point3<f64>) -> Self {
        Self {
            linear: body.velocity_at(point),
            angular: body.angular_velocity,
            center: body.linear_velocity,
            turning: body.angular_velocity,
        }
    }
}

/// Level of detail of a component's data, for kinds with several levels (see [`crate::fields::Levels`]).
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Level(pub &'static str);

/// The overlays whose services are also available under the path of this component.
#[derive(Component, Clone, Default)]
pub struct Beside(pub Vec<Entity>);

/// Writes pose and velocity of a component.
pub fn stamp(body: &BodyState, mount: &Mount, pose: &mut WorldPose, velocity: &mut WorldVelocity) {
    pose.0 = body.pose * mount.body_from_component;
    *velocity = WorldVelocity::on(body, &pose.0.translation.vector.into());
}
