//! A scene and what is simulated on it, merged: all that a world is made of, as plain data.
//!
//! Readers make it from files, programs and tests by hand; the program spawns the world from it.

mod check;
pub mod layout;
mod robots;
mod shared;

use std::{borrow::Cow, collections::BTreeMap};

use morse_api::{body::BodyKind, joint::JointTarget};
use nalgebra::Vector3;

pub use layout::{
    Attachment, BodyLayout, FramePlace, Layout, VariableLayout, layout, rotation_about,
};

use crate::{
    locked::Locked,
    model::{Frame, Scene},
};

/// A scene with its bodies, joints and robots. Names that the scene does not have are errors of the
/// spawning, with suggestions.
#[derive(Clone, Debug, Default)]
pub struct Assembly {
    /// The frames and their geometry; robots' models are mounted already.
    pub scene: Scene,
    /// Settings of bodies, by frame. A fixed frame that is named here is a body of its own, free of
    /// its parent; what hangs on it goes with it. A jointed frame keeps its joint.
    pub bodies: BTreeMap<String, BodySettings>,
    /// Settings of joints, by configuration variable.
    pub joints: BTreeMap<String, JointSettings>,
    /// The robots, by path.
    pub robots: BTreeMap<String, RobotBase>,
}

/// The name of the frame that joints at the root turn on.
pub const WORLD: &str = "world";

impl Assembly {
    /// With a body for the world, if joints hang on the root: a joint is between two bodies.
    #[must_use]
    pub fn anchored(&self) -> Cow<'_, Self> {
        let robots = robots::Robots::of(self);
        let hangs =
            |frame: &&Frame| self.scene.parent_of(frame).is_none() && robots.has_joint(frame);
        let hanging: Vec<&Frame> = self.scene.frames().iter().filter(hangs).collect();
        if hanging.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut world = WORLD.to_owned();
        while self.scene.frame(&world).is_some() {
            world.push('_');
        }
        let mut anchored = self.clone();
        // Neither can fail: the name is free, and the frames are of this scene.
        anchored.scene.add_frame(Frame::new(world.as_str())).ok();
        for frame in hanging {
            let frame = frame.clone().under(world.as_str());
            anchored.scene.replace_frame(frame).ok();
        }
        Cow::Owned(anchored)
    }
}

impl Assembly {
    /// Lets every joint that has no settings hold its position at the start.
    pub fn hold(&mut self) {
        let mut limits: BTreeMap<&str, [f64; 2]> = BTreeMap::new();
        for axis in self
            .scene
            .frames()
            .iter()
            .filter_map(|frame| frame.joint.axis())
        {
            let own = axis.limits.position.unwrap_or([f64::MIN, f64::MAX]);
            let all = limits.entry(&axis.variable).or_insert(own);
            *all = [all[0].max(own[0]), all[1].min(own[1])];
        }
        for (variable, [lower, upper]) in limits {
            let known = self.joints.entry(variable.to_owned());
            known.or_insert_with(|| {
                // Limits that exclude each other are told of elsewhere.
                let position = 0.0_f64.max(lower).min(upper);
                JointSettings {
                    position,
                    target: JointTarget::Position(position),
                    ..JointSettings::default()
                }
            });
        }
    }
}

/// Settings of one body.
#[derive(Clone, Debug, PartialEq)]
pub struct BodySettings {
    /// Source of its motion.
    pub kind: BodyKind,
    /// kg, instead of what its frames and geometry give.
    pub mass: Option<f64>,
    /// Coulomb coefficient of all its geometry.
    pub friction: Option<f64>,
    /// Coefficient of restitution of all its geometry, 0 to 1.
    pub restitution: Option<f64>,
    /// Of the frame's origin at the start, world axes, m/s.
    pub linear_velocity: Vector3<f64>,
    /// At the start, world axes, rad/s.
    pub angular_velocity: Vector3<f64>,
    /// 1/s.
    pub linear_damping: f64,
    /// 1/s.
    pub angular_damping: f64,
    /// True if gravity acts on it.
    pub gravity: bool,
    /// Axes that it does not move on.
    pub locked: Locked,
    /// True if it may sleep while at rest; without an answer, if nothing actuates it.
    pub can_sleep: Option<bool>,
    /// Coefficient of drag times area along each axis of the body, m².
    pub drag_area: Vector3<f64>,
}

impl Default for BodySettings {
    fn default() -> Self {
        Self {
            kind: BodyKind::Dynamic,
            mass: None,
            friction: None,
            restitution: None,
            linear_velocity: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
            linear_damping: 0.0,
            angular_damping: 0.0,
            gravity: true,
            locked: Locked::default(),
            can_sleep: None,
            drag_area: Vector3::zeros(),
        }
    }
}

/// Source of a joint's motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JointMode {
    /// Forces, limits and its motor.
    #[default]
    Dynamic,
    /// Its target, whatever the forces.
    Kinematic,
}

/// Settings of the joints of one configuration variable.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointSettings {
    /// Source of its motion.
    pub mode: JointMode,
    /// At the start, rad or m; brought within the limits.
    pub position: f64,
    /// Target until an actuator asks otherwise.
    pub target: JointTarget,
    /// Of the motor's spring, N·m/rad or N/m. A motor with neither stiffness nor damping is as stiff as it has to be.
    pub stiffness: Option<f64>,
    /// Of the motor, N·m·s/rad or N·s/m; critical for the stiffness if only that is given.
    pub damping: Option<f64>,
    /// Greatest effort of the motor, N·m or N; the scene's limit unless given.
    pub max_effort: Option<f64>,
    /// True if the motor carries the weight of what hangs on the joint, whatever else it does.
    pub gravity_compensation: bool,
    /// True if positions that are commanded tick by tick are interpolated within the tick; the default.
    pub interpolate: Option<bool>,
    /// Inertia of the motor's rotor as the joint feels it, kg·m² or kg; the scene's unless given.
    pub armature: Option<f64>,
    /// Greatest dry friction, N·m or N; the scene's unless given.
    pub dry_friction: Option<f64>,
}

/// A robot as physics sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotBase {
    /// The frame that everything of the robot hangs on.
    pub frame: String,
    /// Source of its motion.
    pub kind: BodyKind,
    /// True if it keeps its vertical speed, roll and pitch rates when a velocity is commanded.
    pub is_ground_robot: bool,
    /// Of the base, kg, instead of what its frames and geometry give.
    pub mass: Option<f64>,
    /// Coulomb coefficient of all geometry of the robot.
    pub friction: Option<f64>,
    /// True if gravity acts on the robot's bodies.
    pub gravity: bool,
    /// Axes that the base does not move on.
    pub locked: Locked,
    /// Of the base, 1/s.
    pub linear_damping: Option<f64>,
    /// Of the base, 1/s.
    pub angular_damping: Option<f64>,
    /// Of the base: coefficient of drag times area along each of its axes, m².
    pub drag_area: Option<Vector3<f64>>,
}

impl RobotBase {
    /// A ground robot whose base is this frame.
    #[must_use]
    pub fn new(frame: impl Into<String>, kind: BodyKind) -> Self {
        Self {
            frame: frame.into(),
            kind,
            is_ground_robot: true,
            mass: None,
            friction: None,
            gravity: true,
            locked: Locked::default(),
            linear_damping: None,
            angular_damping: None,
            drag_area: None,
        }
    }
}
