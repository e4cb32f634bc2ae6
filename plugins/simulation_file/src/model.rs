//! Content of a simulation file, as plain data: SI units, radians, and a span wherever a name or a
//! number can still turn out to be wrong.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

pub use morse_api::motion::{MotionMode, RestitutionRule, TimeStrategy};
use morse_scene::locked::Locked;
use nalgebra::{Isometry3, Vector3};

pub use super::environment::{Environment, Origin, View, Water};
pub use super::on::{CountedFrom, On};
use super::span::Spanned;

/// A map of the file: sorted by name, each name with its place.
pub type Named<T> = BTreeMap<Spanned<String>, T>;

/// A whole simulation file.
#[derive(Clone, Debug, Default)]
pub struct Simulation {
    /// The scene file, relative to the simulation file.
    pub scene: Option<Spanned<String>>,
    /// Time, gravity and the numerical settings.
    pub environment: Environment,
    /// Properties of the scene's bodies, by frame.
    pub bodies: Named<Body>,
    /// Properties of the scene's joints, by configuration variable.
    pub joints: Named<Joint>,
    /// Things that components know by name and property, by frame.
    pub objects: Named<Object>,
    /// Parts of space.
    pub zones: Named<Zone>,
    /// The robots, with their components.
    pub robots: Named<Robot>,
    /// Middlewares that readings and commands travel through.
    pub middlewares: Named<Middleware>,
}

/// Source of a body's motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BodyKind {
    /// Forces.
    #[default]
    Dynamic,
    /// None: it never moves.
    Fixed,
    /// Commands, and nothing stops it.
    Kinematic,
}

/// Properties of a body of the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Source of its motion; dynamic unless given. A robot on it must not say otherwise.
    pub kind: Option<Spanned<BodyKind>>,
    /// In kg, instead of the scene's.
    pub mass: Option<Spanned<f64>>,
    /// Coefficient of friction.
    pub friction: Option<f64>,
    /// Coefficient of restitution, 0 to 1.
    pub restitution: Option<f64>,
    /// At the start, in m/s.
    pub linear_velocity: Option<Vector3<f64>>,
    /// At the start, in rad/s.
    pub angular_velocity: Option<Vector3<f64>>,
    /// In 1/s.
    pub linear_damping: f64,
    /// In 1/s.
    pub angular_damping: f64,
    /// True if gravity acts on it.
    pub gravity: bool,
    /// Axes that it does not move on.
    pub locked: Locked,
    /// True if it may sleep while at rest; without an answer, if nothing actuates it.
    pub can_sleep: Option<bool>,
    /// Coefficient of drag times area along each axis of the body, in m².
    pub drag_area: Option<Vector3<f64>>,
}

impl Default for Body {
    fn default() -> Self {
        Self {
            kind: None,
            mass: None,
            friction: None,
            restitution: None,
            linear_velocity: None,
            angular_velocity: None,
            linear_damping: 0.0,
            angular_damping: 0.0,
            gravity: true,
            locked: Locked::default(),
            can_sleep: None,
            drag_area: None,
        }
    }
}

/// Space that a commanded velocity concerns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Locomotion {
    /// The plane: vertical speed, roll and pitch are left to gravity and the ground.
    #[default]
    Ground,
    /// All of space: while it is commanded, the robot neither falls nor tilts of itself.
    Free,
}

/// Source of a joint's motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JointMode {
    /// Forces and its motor.
    #[default]
    Dynamic,
    /// Its target, whatever the forces.
    Kinematic,
}

/// Properties of a joint; positions are in rad or m, as the joint's type demands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Joint {
    /// Source of its motion.
    pub mode: Option<JointMode>,
    /// At the start, in rad or m.
    pub position: Option<f64>,
    /// The motor's target speed, in rad/s or m/s.
    pub velocity: Option<f64>,
    /// Of the motor's spring, in N·m/rad or N/m.
    pub stiffness: Option<f64>,
    /// Of the motor, in N·m·s/rad or N·s/m.
    pub damping: Option<f64>,
    /// The motor's limit, in N·m or N.
    pub max_effort: Option<f64>,
    /// True if the motor carries the weight of what hangs on the joint.
    pub gravity_compensation: Option<bool>,
    /// True if positions that are commanded tick by tick are interpolated within the tick; the default.
    pub interpolate: Option<bool>,
    /// Inertia of the motor's rotor as the joint feels it, in kg·m² or kg.
    pub armature: Option<f64>,
    /// Greatest dry friction, in N·m or N.
    pub dry_friction: Option<f64>,
}

/// A thing that components know by name and property.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// Label for people; its name unless given.
    pub label: Option<String>,
    /// Description for people.
    pub description: String,
    /// Type of the thing.
    pub kind: String,
    /// True if grippers may take it.
    pub graspable: bool,
    /// Further properties.
    pub properties: Properties,
    /// The middlewares through which it answers requests, such as `heal`.
    pub services: Vec<Spanned<String>>,
}

/// Known properties of an object or a robot, by name.
pub type Properties = Named<Property>;

/// Value of a property.
#[derive(Clone, Debug, PartialEq)]
pub enum Property {
    /// `true` or `false`.
    Flag(bool),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// A list of numbers.
    Numbers(Vec<f64>),
}

/// A part of space: a box along the axes of the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Zone {
    /// Purpose of the zone.
    pub kind: String,
    /// Its middle, in the scene, in m.
    pub center: Vector3<f64>,
    /// Half of its sides, in m.
    pub half: Vector3<f64>,
}

/// Model or frame that a robot is made of.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// A scene file, placed at [`Robot::at`], its frames prefixed with the robot's name and a dot.
    Model(Spanned<String>),
    /// A frame that the scene has already.
    Frame(Spanned<String>),
}

/// Scene file that a robot carries, such as an arm: its frames are prefixed with the names of robot and part.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// The scene file.
    pub model: Spanned<String>,
    /// The frame of the robot that it hangs on; the robot's own unless given.
    pub frame: Option<Spanned<String>>,
    /// Its pose there.
    pub at: Isometry3<f64>,
}

/// A robot and its components.
#[derive(Clone, Debug)]
pub struct Robot {
    /// Model or frame that it is made of.
    pub form: Form,
    /// Source of its base's motion. Unless given it is dynamic, or fixed if the model is bolted to a frame `world`.
    pub base: Option<Spanned<BodyKind>>,
    /// Pose at the start, in the scene; for [`Form::Frame`] against the frame's pose in the scene.
    pub at: Isometry3<f64>,
    /// Point of the model that is the robot's origin, in m; not for [`Form::Frame`].
    pub origin: Option<Vector3<f64>>,
    /// Many instead of one.
    pub repeat: Option<Repeat>,
    /// Further models that it carries, by name.
    pub parts: Named<Part>,
    /// Its joints, by the variable's name inside the model.
    pub joints: Named<Joint>,
    /// Of the base, in kg.
    pub mass: Option<Spanned<f64>>,
    /// Coefficient of friction of all its bodies.
    pub friction: Option<f64>,
    /// Further properties that components can know.
    pub properties: Properties,
    /// Space that a velocity commanded to it concerns.
    pub locomotion: Locomotion,
    /// True if gravity acts on its bodies.
    pub gravity: bool,
    /// Axes that its base does not move on.
    pub locked: Locked,
    /// Of the base, in 1/s.
    pub linear_damping: Option<f64>,
    /// Of the base, in 1/s.
    pub angular_damping: Option<f64>,
    /// Of the base: coefficient of drag times area along each of its axes, in m².
    pub drag_area: Option<Vector3<f64>>,
    /// Greatest speed that a command may ask of it, along any axis, in m/s; 100 unless given.
    pub max_speed: Option<f64>,
    /// Greatest turning rate that a command may ask of it, about any axis, in rad/s; 100 unless given.
    pub max_turning_rate: Option<f64>,
    /// Sensors that it perceives with.
    pub sensors: Named<Sensor>,
    /// Actuators that it acts with.
    pub actuators: Named<Actuator>,
    /// Services over those of its components.
    pub overlays: Named<Overlay>,
    /// The middlewares through which the robot itself answers requests.
    pub services: Vec<Spanned<String>>,
}

/// Copies of a robot, named `name_1` to `name_n`.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeat {
    /// Number of copies.
    pub count: Spanned<u32>,
    /// Arrangement of the copies, seen from [`Robot::at`].
    pub pattern: Pattern,
}

/// Arrangement of copies.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// Row by row: `columns` along x, then the next row along y.
    Grid {
        /// Copies in a row.
        columns: u32,
        /// Between columns and between rows, in m.
        spacing: [f64; 2],
    },
    /// One after the other.
    Line {
        /// From one to the next, in m.
        step: Vector3<f64>,
    },
    /// Evenly around a circle about z, the first on the x axis, each facing away from the centre.
    Circle {
        /// In m.
        radius: f64,
    },
    /// One by one.
    Poses(Vec<Isometry3<f64>>),
}

/// Fields that sensors and actuators have in common.
#[derive(Clone, Debug)]
pub struct Component {
    /// The word of the vocabulary.
    pub kind: Spanned<String>,
    /// Level of idealisation; the kind's first level unless given.
    pub level: Option<Spanned<String>>,
    /// In Hz; that of the kind, or else every tick, unless given.
    pub frequency: Option<Spanned<f64>>,
    /// True if it acts from the start.
    pub active: bool,
    /// Frame and pose of its mount.
    pub mount: Mount,
    /// The component of the same robot that carries it.
    pub on: Option<On>,
    /// Modifiers of its data, in this order.
    pub modifiers: Vec<Modifier>,
    /// The middlewares through which it answers requests.
    pub services: Vec<Spanned<String>>,
    /// The kind's own settings.
    pub settings: Settings,
}

/// A sensor of a robot.
#[derive(Clone, Debug)]
pub struct Sensor {
    /// Fields that it shares with actuators.
    pub component: Component,
    /// Outputs of its readings, by middleware.
    pub outputs: Named<Output>,
}

/// An actuator of a robot.
#[derive(Clone, Debug)]
pub struct Actuator {
    /// Fields that it shares with sensors.
    pub component: Component,
    /// Command at the start, until somebody gives it another one.
    pub start: Option<Settings>,
    /// Inputs of its commands, by middleware.
    pub inputs: Named<Input>,
}

/// Services over those of a component, or of a robot.
#[derive(Clone, Debug)]
pub struct Overlay {
    /// The word of the vocabulary.
    pub kind: Spanned<String>,
    /// The component of the same robot that it lies over, or another overlay; the robot itself if none.
    pub of: Option<Spanned<String>>,
    /// True if its services are found under the path of that component (or robot), too.
    pub beside: bool,
    /// The middlewares through which it answers requests.
    pub services: Vec<Spanned<String>>,
    /// The kind's own settings.
    pub settings: Settings,
}

/// Frame and pose of a component's mount.
#[derive(Clone, Debug, PartialEq)]
pub struct Mount {
    /// The pose of the component in the frame that carries it.
    pub pose: Isometry3<f64>,
    /// A frame of the robot; its base, or the component it is `on`, unless given.
    pub frame: Option<Spanned<String>>,
}

impl Default for Mount {
    fn default() -> Self {
        Self {
            pose: Isometry3::identity(),
            frame: None,
        }
    }
}

/// One step between what is measured and what is exported, or between a command and what is done.
#[derive(Clone, Debug)]
pub struct Modifier {
    /// The word of the vocabulary.
    pub kind: Spanned<String>,
    /// The kind's own settings.
    pub settings: Settings,
}

/// A sensor's way through a middleware.
#[derive(Clone, Debug)]
pub struct Output {
    /// Policy for when the other side is slow; the middleware's own policy unless given.
    pub policy: Option<Policy>,
    /// Settings of this output, of the middleware's kind.
    pub settings: Settings,
}

/// An actuator's way through a middleware.
#[derive(Clone, Debug)]
pub struct Input {
    /// Settings of this input, of the middleware's kind.
    pub settings: Settings,
}

/// Treatment of readings when the other side is slow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Policy {
    /// The newest reading replaces the one that waits.
    #[default]
    Latest,
    /// So many wait; then the oldest is dropped.
    Queue(u32),
    /// The tick waits, at most so many seconds.
    Lockstep(f64),
}

/// Middleware that readings and commands travel through.
#[derive(Clone, Debug)]
pub struct Middleware {
    /// The word of the vocabulary.
    pub kind: Spanned<String>,
    /// The kind's own settings.
    pub settings: Settings,
}

/// Settings of a kind, of a type that only the kind knows.
#[derive(Clone)]
pub struct Settings(pub Arc<dyn Any + Send + Sync>);

impl Settings {
    /// The settings, for who knows their type.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

/// No settings: what is left where reading them failed.
impl Default for Settings {
    fn default() -> Self {
        Self(Arc::new(()))
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Settings")
    }
}
