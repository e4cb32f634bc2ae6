//! Ranges of the numbers of bodies, joints and robots: those of a simulation file, and those of assemblies that programs
//! make.

use morse_api::range::Range;
use morse_diagnostics::{Diagnostic, printable};

use crate::bounds::Bounds;

/// A field of the file that holds one number or several.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// Place in the file, as `--set` names it; `*` stands for a name of the user's.
    pub path: &'static str,
    /// Range of each of its numbers.
    pub bounds: Bounds,
    /// Remedy for a number that is out of range.
    pub help: &'static str,
}

impl Number {
    /// The field's own name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.path.rsplit('.').next().unwrap_or_default()
    }
}

/// Declares numbers, and a list of them in the same order.
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

/// Angles, and positions of joints, rad or m.
pub const TURN: Bounds = Bounds::within(1e6);
/// Parts of colours.
pub const UNIT: Bounds = Bounds::between(0.0, 1.0);
/// Shares of a speed that are lost in a second.
pub const DAMPING: Bounds = Bounds::between(0.0, 1e6);
/// Efforts, and what makes them.
const EFFORT: Bounds = Bounds::between(0.0, 1e12);
/// kg.
const MASS: Bounds = Bounds::between(1e-9, 1e9);
/// Coulomb coefficients.
const FRICTION: Bounds = Bounds::between(0.0, 1e6);
/// m².
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

/// Returns the error of a number that is out of its range; `path` is that of its field.
#[must_use]
pub fn violation(field: &Number, path: &str, number: f64) -> Option<Diagnostic> {
    (!field.bounds.contains(number)).then(|| {
        let (path, range, number) = (printable(path), field.bounds, Range::shown(number));
        let message = format!("`{path}` must be {range}, not {number}");
        Diagnostic::error("simulation::out-of-range", message).help(field.help)
    })
}
