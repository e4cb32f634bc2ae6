//! Assembly of a scene with the settings of its bodies, joints and robots: the complete description of a physical world, as
//! plain data.
//!
//! Readers of files, programs and tests create assemblies; the program spawns the world from one.

mod ancestry;
mod check;
mod closures;
mod frame_poses;
pub mod layout;
mod robots;
mod shared;

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use morse_api::{body::BodyKind, joint::JointTarget};
use nalgebra::Vector3;

pub use closures::ClosureLayout;
pub use layout::{
    Attachment, BodyLayout, FrameLayout, Layout, VariableLayout, layout, rotation_about,
};

use crate::{
    locked::Locked,
    model::{Frame, Scene},
};

/// A scene with its bodies, joints and robots. Settings that name a frame or variable which the scene lacks are errors when
/// the world is spawned, with suggestions.
#[derive(Clone, Debug, Default)]
pub struct Assembly {
    /// Frames and geometry; the models of robots are already mounted.
    pub scene: Scene,
    /// Settings of bodies, by frame. A fixed frame with an entry here is a body of its own, free of its parent, and its
    /// fixed descendants move with it. A frame with a joint keeps its joint.
    pub bodies: BTreeMap<String, BodySettings>,
    /// Settings of joints, by configuration variable.
    pub joints: BTreeMap<String, JointSettings>,
    /// Robots, by path.
    pub robots: BTreeMap<String, RobotBase>,
}

/// Name of the frame to which joints at the root are attached.
pub const WORLD: &str = "world";

impl Assembly {
    /// Returns the assembly with a body for the world if joints are attached to the root, since a joint connects two bodies.
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
        // Neither call can fail: the name is free, and the frames belong to this scene.
        anchored.scene.add_frame(Frame::new(world.as_str())).ok();
        for frame in hanging {
            let frame = frame.clone().under(world.as_str());
            anchored.scene.replace_frame(frame).ok();
        }
        Cow::Owned(anchored)
    }
}

impl Assembly {
    /// Removes a frame with its descendants, and the settings and robots of the removed frames. Returns the names of the
    /// removed frames; empty if there is no such frame.
    pub fn remove(&mut self, frame: &str) -> BTreeSet<String> {
        let removed = self.scene.family(frame);
        if removed.is_empty() {
            return removed;
        }
        self.scene.remove_frames(&removed);
        let variables = self.scene.variables();
        self.joints
            .retain(|variable, _| variables.contains(variable.as_str()));
        self.bodies.retain(|frame, _| !removed.contains(frame));
        self.robots
            .retain(|_, robot| !removed.contains(&robot.frame));
        removed
    }

    /// Adds the settings and robots of another assembly, whose scene already contains that of this one.
    pub fn extend(&mut self, other: Self) {
        self.scene = other.scene;
        self.bodies.extend(other.bodies);
        self.joints.extend(other.joints);
        self.robots.extend(other.robots);
    }

    /// Makes every joint without settings hold its start position.
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
                // Contradictory limits are reported by another check.
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

/// Physical settings of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct BodySettings {
    /// Kind of the body: how its motion is determined.
    pub kind: BodyKind,
    /// Mass, kg; replaces the mass that frames and geometry give.
    pub mass: Option<f64>,
    /// Coulomb friction coefficient of all geometry of the body.
    pub friction: Option<f64>,
    /// Coefficient of restitution of all geometry of the body, 0 to 1.
    pub restitution: Option<f64>,
    /// Initial velocity of the frame's origin, world axes, m/s.
    pub linear_velocity: Vector3<f64>,
    /// Initial angular velocity, world axes, rad/s.
    pub angular_velocity: Vector3<f64>,
    /// Linear damping, 1/s.
    pub linear_damping: f64,
    /// Angular damping, 1/s.
    pub angular_damping: f64,
    /// True if gravity acts on the body.
    pub gravity: bool,
    /// Axes along or about which the body does not move.
    pub locked: Locked,
    /// True if the body may sleep while at rest; by default, true unless the body is actuated.
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

/// Source of the motion of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JointMode {
    /// By forces, limits and the joint's motor.
    #[default]
    Dynamic,
    /// By its target, regardless of forces.
    Kinematic,
}

/// Settings of the joints of one configuration variable.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointSettings {
    /// Source of the joint's motion.
    pub mode: JointMode,
    /// Initial position, rad or m; clamped to the limits.
    pub position: f64,
    /// Target until an actuator sets another one.
    pub target: JointTarget,
    /// Stiffness of the motor's spring, N·m/rad or N/m. A motor with neither stiffness nor damping is as stiff as required.
    pub stiffness: Option<f64>,
    /// Damping of the motor, N·m·s/rad or N·s/m; critical for the stiffness if only that is given.
    pub damping: Option<f64>,
    /// Maximum effort of the motor, N·m or N; by default the limit in the scene.
    pub max_effort: Option<f64>,
    /// True if the motor additionally compensates the weight of the bodies below the joint.
    pub gravity_compensation: bool,
    /// True if positions that are commanded tick by tick are interpolated within the tick; true by default.
    pub interpolate: Option<bool>,
    /// Armature: inertia of the motor's rotor reflected to the joint, kg·m² or kg; by default the value in the scene.
    pub armature: Option<f64>,
    /// Maximum dry friction, N·m or N; by default the value in the scene.
    pub dry_friction: Option<f64>,
}

/// Physical settings of a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotBase {
    /// Base frame: the ancestor of all frames of the robot.
    pub frame: String,
    /// Kind of the base: how its motion is determined.
    pub kind: BodyKind,
    /// True if vertical velocity, roll rate and pitch rate stay free when a velocity is commanded.
    pub is_ground_robot: bool,
    /// Mass of the base, kg; replaces the mass that frames and geometry give.
    pub mass: Option<f64>,
    /// Coulomb friction coefficient of all geometry of the robot, except geometry without friction.
    pub friction: Option<f64>,
    /// True if gravity acts on the robot's bodies.
    pub gravity: bool,
    /// Axes along or about which the base does not move.
    pub locked: Locked,
    /// Linear damping of the base, 1/s.
    pub linear_damping: Option<f64>,
    /// Angular damping of the base, 1/s.
    pub angular_damping: Option<f64>,
    /// Coefficient of drag times area along each axis of the base, m².
    pub drag_area: Option<Vector3<f64>>,
}

impl RobotBase {
    /// Returns a ground robot whose base is this frame.
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
