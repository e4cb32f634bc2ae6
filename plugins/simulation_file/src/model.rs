//! Content of a simulation file, as plain data: SI units, radians, and a span for each name and number that later checks may
//! refuse.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

pub use morse_api::motion::{CombinationRule, MotionMode, TimeStrategy};
use morse_scene::locked::Locked;
pub use morse_scene::model::ClosureKind;
use nalgebra::{Isometry3, Vector3};

pub use super::drawn::Drawn;
pub use super::environment::{Environment, Origin, View, Water};
pub use super::on::{CountedFrom, On};
use super::span::Spanned;

/// A map of the file: sorted by name, each name with its span.
pub type Named<T> = BTreeMap<Spanned<String>, T>;

/// Content of a simulation file.
#[derive(Clone, Debug, Default)]
pub struct Simulation {
    /// Path of the scene file, relative to the simulation file.
    pub scene: Option<Spanned<String>>,
    /// Further scene files that are merged into the scene, by the prefix of their frames and joint variables.
    pub scenes: Named<Part>,
    /// Time, gravity and the solver settings.
    pub environment: Environment,
    /// Properties of the scene's bodies, by frame.
    pub bodies: Named<Body>,
    /// Properties of the scene's joints, by configuration variable.
    pub joints: Named<Joint>,
    /// Loop closures of the scene and of robots.
    pub closures: Named<Closure>,
    /// Objects that components identify by name and properties, by frame.
    pub objects: Named<Object>,
    /// Zones of the scene.
    pub zones: Named<Zone>,
    /// Robots with their components.
    pub robots: Named<Robot>,
    /// Middlewares that transport readings and commands.
    pub middlewares: Named<Middleware>,
    /// Values that were drawn from ranges.
    pub drawn: Vec<Drawn>,
}

/// Kind of a body: how its motion is determined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BodyKind {
    /// Forces move the body.
    #[default]
    Dynamic,
    /// The body never moves.
    Fixed,
    /// Commands move the body, regardless of obstacles.
    Kinematic,
}

/// A constraint between two frames that closes a loop of joints, or connects two mechanisms.
#[derive(Clone, Debug, PartialEq)]
pub struct Closure {
    /// Directions that are constrained.
    pub kind: ClosureKind,
    /// Names of the two frames; those of a robot's model begin with its name and a dot.
    pub frames: [Spanned<String>; 2],
}

/// Properties of a body of the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Kind of the body; dynamic by default. It must agree with the base kind of a robot on the same frame.
    pub kind: Option<Spanned<BodyKind>>,
    /// Mass, kg; replaces the scene's.
    pub mass: Option<Spanned<f64>>,
    /// Coefficient of friction.
    pub friction: Option<f64>,
    /// Coefficient of restitution, 0 to 1.
    pub restitution: Option<f64>,
    /// Initial velocity, m/s.
    pub linear_velocity: Option<Vector3<f64>>,
    /// Initial angular velocity, rad/s.
    pub angular_velocity: Option<Vector3<f64>>,
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

/// Degrees of freedom that a commanded velocity controls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Locomotion {
    /// Motion in the plane: vertical velocity, roll and pitch follow from gravity and the ground.
    #[default]
    Ground,
    /// Motion in space: under a commanded velocity the robot neither falls nor tilts by itself.
    Free,
}

/// Source of the motion of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JointMode {
    /// By forces and the joint's motor.
    #[default]
    Dynamic,
    /// By its target, regardless of forces.
    Kinematic,
}

/// Settings of a joint; positions in rad or m, depending on the joint's type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Joint {
    /// Source of the joint's motion.
    pub mode: Option<JointMode>,
    /// Initial position, rad or m.
    pub position: Option<f64>,
    /// Position that a motor with stiffness holds, rad or m; the initial one by default.
    pub target: Option<f64>,
    /// Target velocity of the motor, rad/s or m/s.
    pub velocity: Option<f64>,
    /// Stiffness of the motor's spring, N·m/rad or N/m.
    pub stiffness: Option<f64>,
    /// Damping of the motor, N·m·s/rad or N·s/m.
    pub damping: Option<f64>,
    /// Maximum effort of the motor, N·m or N.
    pub max_effort: Option<f64>,
    /// True if the motor compensates the weight of the bodies below the joint.
    pub gravity_compensation: Option<bool>,
    /// True if positions that are commanded tick by tick are interpolated within the tick; true by default.
    pub interpolate: Option<bool>,
    /// Armature: inertia of the motor's rotor reflected to the joint, kg·m² or kg.
    pub armature: Option<f64>,
    /// Maximum dry friction, N·m or N.
    pub dry_friction: Option<f64>,
}

/// An object that components identify by name and properties.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// Label for people; by default the name.
    pub label: Option<String>,
    /// Description for people.
    pub description: String,
    /// Type of the object.
    pub kind: String,
    /// True if grippers can grasp the object.
    pub graspable: bool,
    /// Further properties.
    pub properties: Properties,
    /// Middlewares that offer the services of the object, such as `heal`.
    pub services: Vec<Spanned<String>>,
}

/// Properties of an object or a robot, by name.
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

/// A zone: a box of space along the axes of the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Zone {
    /// Purpose of the zone.
    pub kind: String,
    /// Centre of the zone in the scene, m.
    pub center: Vector3<f64>,
    /// Half side lengths, m.
    pub half: Vector3<f64>,
}

/// Model or frame of a robot.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// A scene file, mounted at [`Robot::at`]; its frames have the robot's name and a dot as a prefix.
    Model(Spanned<String>),
    /// A frame of the scene.
    Frame(Spanned<String>),
}

/// A further scene file that is mounted on a robot or in the scene, such as an arm; its frames have the names of robot and
/// part as a prefix.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// Path of the scene file.
    pub model: Spanned<String>,
    /// Frame of the robot or of the scene on which the part is mounted; by default the robot's own frame, or the root.
    pub frame: Option<Spanned<String>>,
    /// Pose of the part in that frame.
    pub at: Isometry3<f64>,
}

/// A robot and its components.
#[derive(Clone, Debug)]
pub struct Robot {
    /// Model or frame of the robot.
    pub form: Form,
    /// Kind of the base; dynamic by default, or fixed if the model is attached to a frame `world`.
    pub base: Option<Spanned<BodyKind>>,
    /// Initial pose in the scene; for [`Form::Frame`] relative to the pose of the frame in the scene.
    pub at: Isometry3<f64>,
    /// Point of the model that is the origin of the robot, m; not for [`Form::Frame`].
    pub origin: Option<Vector3<f64>>,
    /// Copies of the robot.
    pub repeat: Option<Repeat>,
    /// Further models that are mounted on the robot, by name.
    pub parts: Named<Part>,
    /// Joints, by the name of the variable in the model.
    pub joints: Named<Joint>,
    /// Mass of the base, kg.
    pub mass: Option<Spanned<f64>>,
    /// Coefficient of friction of all bodies of the robot, except their geometry without friction.
    pub friction: Option<f64>,
    /// Further properties that components can read.
    pub properties: Properties,
    /// Degrees of freedom that a commanded velocity controls.
    pub locomotion: Locomotion,
    /// True if gravity acts on the bodies of the robot.
    pub gravity: bool,
    /// Axes along or about which the base does not move.
    pub locked: Locked,
    /// Linear damping of the base, 1/s.
    pub linear_damping: Option<f64>,
    /// Angular damping of the base, 1/s.
    pub angular_damping: Option<f64>,
    /// Coefficient of drag times area along each axis of the base, m².
    pub drag_area: Option<Vector3<f64>>,
    /// Maximum speed along any axis that a command may request, m/s; 100 by default.
    pub max_speed: Option<f64>,
    /// Maximum turning rate about any axis that a command may request, rad/s; 100 by default.
    pub max_turning_rate: Option<f64>,
    /// Sensors of the robot.
    pub sensors: Named<Sensor>,
    /// Actuators of the robot.
    pub actuators: Named<Actuator>,
    /// Overlays: services on top of those of components.
    pub overlays: Named<Overlay>,
    /// Middlewares that offer the services of the robot itself.
    pub services: Vec<Spanned<String>>,
}

/// Copies of a robot, named `name_1` to `name_n`.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeat {
    /// Number of copies.
    pub count: Spanned<u32>,
    /// Arrangement of the copies, relative to [`Robot::at`].
    pub pattern: Pattern,
}

/// Arrangement of copies.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// A grid: `columns` copies along x, then the next row along y.
    Grid {
        /// Number of copies in a row.
        columns: u32,
        /// Distances between columns and between rows, m.
        spacing: [f64; 2],
    },
    /// A straight line.
    Line {
        /// Displacement from each copy to the next, m.
        step: Vector3<f64>,
    },
    /// Even distribution on a circle about z, the first copy on the x axis, each facing away from the centre.
    Circle {
        /// Radius of the circle, m.
        radius: f64,
    },
    /// Explicit poses of the copies.
    Poses(Vec<Isometry3<f64>>),
}

/// Fields that sensors and actuators share.
#[derive(Clone, Debug)]
pub struct Component {
    /// Kind of the component, by its word in the vocabulary.
    pub kind: Spanned<String>,
    /// Level of idealisation; by default the kind's first level.
    pub level: Option<Spanned<String>>,
    /// Frequency, Hz; by default the kind's, or every tick.
    pub frequency: Option<Spanned<f64>>,
    /// True if the component is active from the start.
    pub active: bool,
    /// Frame and pose of its mount.
    pub mount: Mount,
    /// Component of the same robot that carries this one.
    pub on: Option<On>,
    /// Modifiers of the component's data, in the order of their application.
    pub modifiers: Vec<Modifier>,
    /// Middlewares that offer the services of the component.
    pub services: Vec<Spanned<String>>,
    /// Settings of the kind.
    pub settings: Settings,
}

/// A sensor of a robot.
#[derive(Clone, Debug)]
pub struct Sensor {
    /// Fields that the sensor shares with actuators.
    pub component: Component,
    /// Outputs of the readings, by middleware.
    pub outputs: Named<Output>,
}

/// An actuator of a robot.
#[derive(Clone, Debug)]
pub struct Actuator {
    /// Fields that the actuator shares with sensors.
    pub component: Component,
    /// Initial command, until the first command arrives.
    pub start: Option<Settings>,
    /// Inputs of the commands, by middleware.
    pub inputs: Named<Input>,
}

/// Additional services on top of those of a component or a robot.
#[derive(Clone, Debug)]
pub struct Overlay {
    /// Kind of the overlay, by its word in the vocabulary.
    pub kind: Spanned<String>,
    /// Component or other overlay of the same robot to which the overlay belongs; `None` for the robot itself.
    pub of: Option<Spanned<String>>,
    /// True if the services are also available under the path of that component or robot.
    pub beside: bool,
    /// Middlewares that offer the services of the overlay.
    pub services: Vec<Spanned<String>>,
    /// Settings of the kind.
    pub settings: Settings,
}

/// Frame and pose of a component's mount.
#[derive(Clone, Debug, PartialEq)]
pub struct Mount {
    /// Pose of the component in the frame that carries it.
    pub pose: Isometry3<f64>,
    /// Frame of the robot on which the component is mounted; by default the robot's base, or the component that it is `on`.
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

/// A processing step between a measurement and its output, or between a command and its execution.
#[derive(Clone, Debug)]
pub struct Modifier {
    /// Kind of the modifier, by its word in the vocabulary.
    pub kind: Spanned<String>,
    /// Settings of the kind.
    pub settings: Settings,
}

/// Output of a sensor's readings through a middleware.
#[derive(Clone, Debug)]
pub struct Output {
    /// Policy for slow receivers; by default the middleware's own.
    pub policy: Option<Policy>,
    /// Settings of this output for the middleware's kind.
    pub settings: Settings,
}

/// Input of an actuator's commands through a middleware.
#[derive(Clone, Debug)]
pub struct Input {
    /// Settings of this input for the middleware's kind.
    pub settings: Settings,
}

/// Treatment of readings when the receiver is slow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Policy {
    /// The newest reading replaces the waiting one.
    #[default]
    Latest,
    /// At most this many readings wait; beyond that the oldest is dropped.
    Queue(u32),
    /// The tick waits for the receiver, at most this many seconds.
    Lockstep(f64),
}

/// A middleware that transports readings and commands.
#[derive(Clone, Debug)]
pub struct Middleware {
    /// Kind of the middleware, by its word in the vocabulary.
    pub kind: Spanned<String>,
    /// Settings of the kind.
    pub settings: Settings,
}

/// Settings of a kind, in a type that is private to the kind.
#[derive(Clone)]
pub struct Settings(pub Arc<dyn Any + Send + Sync>);

impl Settings {
    /// Returns the settings if they have this type.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

/// Empty settings, for a component whose settings could not be read.
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
