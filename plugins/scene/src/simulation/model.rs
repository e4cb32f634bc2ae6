//! What a simulation file says, as plain data: SI units, radians, and a span wherever a name or a
//! number can still turn out to be wrong.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use morse_api::lighting::Lighting;
use nalgebra::{Isometry3, Vector3};

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
    /// What readings and commands travel through.
    pub middlewares: Named<Middleware>,
}

/// Time, gravity, the numerical settings and the light.
#[derive(Clone, Debug, PartialEq)]
pub struct Environment {
    /// What clients are told it is called; what the scene is called unless given.
    pub name: Option<String>,
    /// Ticks a second, in Hz.
    pub rate: Spanned<f64>,
    /// In m/s².
    pub gravity: Vector3<f64>,
    /// Where all randomness starts.
    pub seed: u64,
    /// Where on Earth the scene lies.
    pub origin: Option<Origin>,
    /// How commanded speeds are reached.
    pub motion: MotionMode,
    /// Steps of the physics engine a tick.
    pub substeps: u32,
    /// Natural frequency of contacts, in Hz: the higher, the stiffer.
    pub contact_frequency: f64,
    /// Iterations of the physics engine's solver a substep.
    pub solver_iterations: u32,
    /// In kg/m³; felt by what has a drag area.
    pub air_density: f64,
    /// Water below a level, if there is any.
    pub water: Option<Water>,
    /// What pictures are lit by.
    pub light: Lighting,
}

impl Default for Environment {
    fn default() -> Self {
        Self {
            name: None,
            rate: 60.0.into(),
            gravity: Vector3::new(0.0, 0.0, -9.81),
            seed: 0,
            origin: None,
            motion: MotionMode::Default,
            substeps: 2,
            contact_frequency: 120.0,
            solver_iterations: 4,
            air_density: 1.225,
            water: None,
            light: Lighting::default(),
        }
    }
}

/// Water at rest, everywhere below a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Water {
    /// Height of the surface, in m.
    pub level: f64,
    /// In kg/m³.
    pub density: f64,
    /// Of what is wholly in it, in 1/s.
    pub linear_damping: f64,
    /// Of what is wholly in it, in 1/s.
    pub angular_damping: f64,
}

impl Default for Water {
    fn default() -> Self {
        Self {
            level: 0.0,
            density: 1000.0,
            linear_damping: 0.5,
            angular_damping: 0.5,
        }
    }
}

/// Where on Earth the origin of the scene lies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Origin {
    /// In degrees, north positive.
    pub latitude: f64,
    /// In degrees, east positive.
    pub longitude: f64,
    /// Above the WGS 84 ellipsoid, in m.
    pub altitude: f64,
    /// The angle of the scene's x axis from north, in degrees, clockwise; 90, that is east, unless
    /// given.
    pub angle_against_north: f64,
}

/// How commanded speeds are reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MotionMode {
    /// The commanded speed is reached and held.
    #[default]
    Default,
    /// As in MORSE: the velocity is set once a period, and friction acts in between.
    Morse,
}

/// Who moves a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BodyKind {
    /// Forces do.
    #[default]
    Dynamic,
    /// Nobody does.
    Fixed,
    /// Commands do, and nothing stops it.
    Kinematic,
}

/// Properties of a body of the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Who moves it.
    pub kind: BodyKind,
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
    /// Does gravity act on it?
    pub gravity: bool,
    /// May it sleep while at rest? Without an answer: when nothing actuates it.
    pub can_sleep: Option<bool>,
    /// Coefficient of drag times area along each axis of the body, in m².
    pub drag_area: Option<Vector3<f64>>,
}

impl Default for Body {
    fn default() -> Self {
        Self {
            kind: BodyKind::Dynamic,
            mass: None,
            friction: None,
            restitution: None,
            linear_velocity: None,
            angular_velocity: None,
            linear_damping: 0.0,
            angular_damping: 0.0,
            gravity: true,
            can_sleep: None,
            drag_area: None,
        }
    }
}

/// What a commanded velocity concerns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Locomotion {
    /// The plane: vertical speed, roll and pitch are left to gravity and the ground.
    #[default]
    Ground,
    /// All of space: while it is commanded, the robot neither falls nor tilts of itself.
    Free,
}

/// Who moves a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JointMode {
    /// Forces and its motor do.
    #[default]
    Dynamic,
    /// It is posed, whatever the forces.
    Kinematic,
}

/// Properties of a joint; positions are in rad or m, as the joint's type demands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Joint {
    /// Who moves it.
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
}

/// A thing that components know by name and property.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// What people call it; its name unless given.
    pub label: Option<String>,
    /// What people say about it.
    pub description: String,
    /// What sort of thing it is.
    pub kind: String,
    /// May grippers take it?
    pub graspable: bool,
    /// What else is known of it.
    pub properties: Properties,
    /// The middlewares through which it answers requests, such as `heal`.
    pub services: Vec<Spanned<String>>,
}

/// What is known of an object or a robot, by the name of the property.
pub type Properties = Named<Property>;

/// What a property is worth.
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
    /// What it is for.
    pub kind: String,
    /// Its middle, in the scene, in m.
    pub center: Vector3<f64>,
    /// Half of its sides, in m.
    pub half: Vector3<f64>,
}

/// What a robot is made of.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// A scene file, placed at [`Robot::at`], its frames prefixed with the robot's name and a dot.
    Model(Spanned<String>),
    /// A frame that the scene has already.
    Frame(Spanned<String>),
}

/// A robot and its components.
#[derive(Clone, Debug)]
pub struct Robot {
    /// What it is made of.
    pub form: Form,
    /// Who moves its base.
    pub base: BodyKind,
    /// Where it starts, in the scene; for [`Form::Frame`] against the frame's pose in the scene.
    pub at: Isometry3<f64>,
    /// Many instead of one.
    pub repeat: Option<Repeat>,
    /// Its joints, by the variable's name inside the model.
    pub joints: Named<Joint>,
    /// Of the base, in kg.
    pub mass: Option<Spanned<f64>>,
    /// Coefficient of friction of all its bodies.
    pub friction: Option<f64>,
    /// What else components can know of it.
    pub properties: Properties,
    /// What a velocity that is commanded to it concerns.
    pub locomotion: Locomotion,
    /// Does gravity act on its bodies?
    pub gravity: bool,
    /// Of the base, in 1/s.
    pub linear_damping: Option<f64>,
    /// Of the base, in 1/s.
    pub angular_damping: Option<f64>,
    /// Of the base: coefficient of drag times area along each of its axes, in m².
    pub drag_area: Option<Vector3<f64>>,
    /// What it perceives with.
    pub sensors: Named<Sensor>,
    /// What it acts with.
    pub actuators: Named<Actuator>,
    /// Services over those of its components.
    pub overlays: Named<Overlay>,
    /// The middlewares through which the robot itself answers requests.
    pub services: Vec<Spanned<String>>,
}

/// Copies of a robot, named `name_1` to `name_n`.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeat {
    /// How many.
    pub count: Spanned<u32>,
    /// Where the copies stand, seen from [`Robot::at`].
    pub pattern: Pattern,
}

/// Where copies stand.
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

/// What sensors and actuators have in common.
#[derive(Clone, Debug)]
pub struct Component {
    /// The word of the vocabulary.
    pub kind: Spanned<String>,
    /// How idealised it is; the kind's first level unless given.
    pub level: Option<Spanned<String>>,
    /// In Hz; that of the kind, or else every tick, unless given.
    pub frequency: Option<Spanned<f64>>,
    /// Does it act from the start?
    pub active: bool,
    /// Where it sits.
    pub mount: Mount,
    /// The component of the same robot that carries it.
    pub on: Option<Spanned<String>>,
    /// What happens to its data, in this order.
    pub modifiers: Vec<Modifier>,
    /// The middlewares through which it answers requests.
    pub services: Vec<Spanned<String>>,
    /// The kind's own settings.
    pub settings: Settings,
}

/// A sensor of a robot.
#[derive(Clone, Debug)]
pub struct Sensor {
    /// What it shares with actuators.
    pub component: Component,
    /// Where its readings go, by middleware.
    pub outputs: Named<Output>,
}

/// An actuator of a robot.
#[derive(Clone, Debug)]
pub struct Actuator {
    /// What it shares with sensors.
    pub component: Component,
    /// What it is told at the start, until somebody tells it otherwise.
    pub start: Option<Settings>,
    /// Where its commands come from, by middleware.
    pub inputs: Named<Input>,
}

/// Services over those of a component, or of a robot.
#[derive(Clone, Debug)]
pub struct Overlay {
    /// The word of the vocabulary.
    pub kind: Spanned<String>,
    /// The component of the same robot that it lies over, or another overlay; the robot itself if none.
    pub of: Option<Spanned<String>>,
    /// Are its services found under the path of that component (or robot), too?
    pub beside: bool,
    /// The middlewares through which it answers requests.
    pub services: Vec<Spanned<String>>,
    /// The kind's own settings.
    pub settings: Settings,
}

/// Where a component sits.
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
    /// What happens when the other side is slow; the middleware's own policy unless given.
    pub policy: Option<Policy>,
    /// What the middleware's kind wants to know about this output.
    pub settings: Settings,
}

/// An actuator's way through a middleware.
#[derive(Clone, Debug)]
pub struct Input {
    /// What the middleware's kind wants to know about this input.
    pub settings: Settings,
}

/// What happens to readings when the other side is slow.
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

/// What readings and commands travel through.
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
