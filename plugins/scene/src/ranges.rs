//! Ranges of the numbers of bodies, joints and robots, in simulation files and in assemblies of programs.

use morse_api::range::ValueRange;
use morse_diagnostics::{Diagnostic, printable};

use crate::bounds::Bounds;

/// A field of the simulation file that contains one number or several.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// Path of the field as in `--set`; `*` stands for a name that the user chooses.
    pub path: &'static str,
    /// Range of each number of the field.
    pub bounds: Bounds,
    /// Remedy for a number that is out of range.
    pub help: &'static str,
}

impl Number {
    /// Returns the name of the field without its path.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.path.rsplit('.').next().unwrap_or_default()
    }
}

/// Declares constants for numbers, and a list of them in the same order.
#[macro_export]
macro_rules! numbers {
    ($(#[$doc:meta])* $list:ident: $($name:ident = $path:literal, $bounds:expr, $help:literal;)+) => {
        $(
            #[doc = concat!("Range of `", $path, "`.")]
            pub const $name: $crate::ranges::Number =
                $crate::ranges::Number { path: $path, bounds: $bounds, help: $help };
        )+

        $(#[$doc])*
        pub const $list: &[$crate::ranges::Number] = &[$($name),+];
    };
}

/// Range of angles and joint positions, rad or m.
pub const TURN: Bounds = Bounds::within(1e6);
/// Range of colour components and other fractions.
pub const UNIT: Bounds = Bounds::between(0.0, 1.0);
/// Range of dampings, 1/s.
pub const DAMPING: Bounds = Bounds::between(0.0, 1e6);
/// Range of efforts, stiffnesses and dampings of motors.
const EFFORT: Bounds = Bounds::between(0.0, 1e12);
/// Range of masses, kg.
const MASS: Bounds = Bounds::between(1e-9, 1e9);
/// Range of Coulomb friction coefficients.
const FRICTION: Bounds = Bounds::between(0.0, 1e6);
/// Range of drag areas, m².
const AREA: Bounds = Bounds::between(0.0, 1e6);

numbers! {
    /// Numbers of bodies and joints, in the order of the file.
    OF_BODIES:
    BODY_MASS = "bodies.*.mass", MASS, "in kg; leave `mass` out to have it computed from the shapes";
    BODY_FRICTION = "bodies.*.friction", FRICTION, "rubber on concrete has about 1";
    RESTITUTION = "bodies.*.restitution", UNIT, "0 does not bounce, 1 loses no energy";
    BODY_LINEAR = "bodies.*.linear_velocity", Bounds::within(1e4), "in m/s";
    BODY_ANGULAR = "bodies.*.angular_velocity", Bounds::within(1e5), "in rad/s";
    BODY_LINEAR_DAMPING = "bodies.*.linear_damping", DAMPING, "in 1/s";
    BODY_ANGULAR_DAMPING = "bodies.*.angular_damping", DAMPING, "in 1/s";
    BODY_DRAG = "bodies.*.drag_area", AREA, "coefficient of drag times area along each axis, in m²";
    JOINT_POSITION = "joints.*.position", TURN, "in rad or m";
    JOINT_TARGET = "joints.*.target", TURN, "in rad or m";
    JOINT_VELOCITY = "joints.*.velocity", Bounds::within(1e5), "in rad/s or m/s";
    JOINT_STIFFNESS = "joints.*.stiffness", EFFORT, "in N·m/rad or N/m";
    JOINT_DAMPING = "joints.*.damping", EFFORT, "in N·m·s/rad or N·s/m";
    JOINT_ARMATURE = "joints.*.armature", EFFORT, "in kg·m² or kg, as the joint feels it";
    JOINT_FRICTION = "joints.*.dry_friction", EFFORT, "in N·m or N";
    JOINT_EFFORT = "joints.*.max_effort", EFFORT, "in N·m or N; leave it out for no limit";
}

numbers! {
    /// Numbers of robots, in the order of the file.
    OF_ROBOTS:
    ROBOT_MASS = "robots.*.mass", MASS, "in kg; leave `mass` out to have it computed from the shapes";
    ROBOT_FRICTION = "robots.*.friction", FRICTION, "rubber on concrete has about 1";
    ROBOT_LINEAR_DAMPING = "robots.*.linear_damping", DAMPING, "in 1/s";
    ROBOT_ANGULAR_DAMPING = "robots.*.angular_damping", DAMPING, "in 1/s";
    ROBOT_DRAG = "robots.*.drag_area", AREA, "coefficient of drag times area along each axis, in m²";
}

/// Returns an error if the number is out of range; `path` is the path of the field in the file.
#[must_use]
pub fn violation(field: &Number, path: &str, number: f64) -> Option<Diagnostic> {
    (!field.bounds.contains(number)).then(|| {
        let (path, range, number) = (printable(path), field.bounds, ValueRange::shown(number));
        let message = format!("`{path}` must be {range}, not {number}");
        Diagnostic::error("simulation::out-of-range", message).help(field.help)
    })
}
