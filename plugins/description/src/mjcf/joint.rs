//! Reader of joints.

use morse_diagnostics::{Diagnostic, Span};
use morse_scene::{bounds::Bounds, model::Limits};
use nalgebra::Vector3;

use super::{codes, compiler::Settings, fields};
use crate::{problems::Problems, xml::Element};

/// Attributes of `<joint>`.
const KNOWN: &[&str] = &[
    "name",
    "class",
    "type",
    "group",
    "pos",
    "axis",
    "springdamper",
    "limited",
    "actuatorfrclimited",
    "solreflimit",
    "solimplimit",
    "solreffriction",
    "solimpfriction",
    "stiffness",
    "range",
    "actuatorfrcrange",
    "actuatorgravcomp",
    "margin",
    "ref",
    "springref",
    "armature",
    "damping",
    "frictionloss",
    "user",
];

/// Type of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Free,
    Ball,
    Slide,
    Hinge,
}

/// A joint with the attributes of its class.
#[derive(Clone, Debug)]
pub(super) struct Joint {
    pub(super) name: Option<String>,
    pub(super) kind: Kind,
    /// Position in the frame of the body, m.
    pub(super) anchor: Vector3<f64>,
    /// Axis of unit length in the frame of the body.
    pub(super) axis: Vector3<f64>,
    pub(super) limits: Limits,
    pub(super) damping: Option<f64>,
    pub(super) friction: Option<f64>,
    pub(super) armature: Option<f64>,
    /// Position of the joint in the pose of the file, rad or m.
    pub(super) reference: f64,
    /// Stiffness, N·m/rad or N/m, and rest position, rad or m, of a spring that acts on the joint.
    pub(super) spring: Option<[f64; 2]>,
    /// Rest position of the springs, rad or m.
    pub(super) rest: f64,
    /// Time constant, s, and damping ratio of a spring whose stiffness and damping follow from the inertia.
    pub(super) spring_damper: Option<[f64; 2]>,
    /// True if actuators compensate the weights that the joint carries.
    pub(super) by_actuators: bool,
    /// True if the limits of the effort differ in magnitude.
    pub(super) is_lopsided: bool,
    pub(super) span: Span,
}

/// Reads a joint.
pub(super) fn read(
    element: &Element,
    settings: &Settings,
    problems: &mut Problems,
) -> Option<Joint> {
    if element.name == "joint" {
        fields::check(element, KNOWN, problems);
    }
    let kind = kind(element, problems);
    let unit = if kind == Kind::Hinge {
        settings.angle
    } else {
        1.0
    };
    let axis = axis(element, problems)?;
    let effort = limited(
        element,
        ["actuatorfrclimited", "actuatorfrcrange"],
        settings,
        problems,
    );
    let limits = Limits {
        position: limited(element, ["limited", "range"], settings, problems)
            .map(|range| range.map(|end| end * unit)),
        velocity: None,
        effort: effort.map(|[lower, upper]| upper.abs().max(lower.abs())),
    };
    let reference = fields::number(element, "ref", fields::POSITION, problems).unwrap_or(0.0);
    let [damping, friction, armature, stiffness] = passive(element, settings, problems);
    if kind == Kind::Free {
        report_free(element, &[damping, friction, armature, stiffness], problems);
    }
    let rest = fields::number(element, "springref", fields::POSITION, problems).unwrap_or(0.0);
    Some(Joint {
        name: fields::name(element, "name", problems),
        kind,
        anchor: fields::array::<3>(element, "pos", fields::POSITION, problems)
            .map(Vector3::from)
            .unwrap_or_default(),
        axis,
        limits,
        damping,
        friction,
        armature,
        reference: reference * unit,
        spring: stiffness.map(|stiffness| [stiffness, rest * unit]),
        rest: rest * unit,
        spring_damper: spring_damper(element, problems),
        by_actuators: fields::flag(element, "actuatorgravcomp", problems) == Some(true),
        is_lopsided: effort.is_some_and(|[lower, upper]| lower + upper != 0.0),
        span: element.span,
    })
}

/// Returns the axis of a joint, of unit length.
fn axis(element: &Element, problems: &mut Problems) -> Option<Vector3<f64>> {
    let axis = fields::array::<3>(element, "axis", fields::POSITION, problems);
    let axis = Vector3::from(axis.unwrap_or([0.0, 0.0, 1.0])).try_normalize(1e-14);
    if axis.is_none() {
        let span = element
            .attribute("axis")
            .map_or(element.span, |axis| axis.value_span);
        let diagnostic = Diagnostic::error(codes::JOINT, "the axis of a joint must not be zero")
            .at(span, "zero")
            .help("for example `axis=\"0 0 1\"`");
        problems.push(diagnostic);
    }
    axis
}

/// Returns damping, dry friction, armature and stiffness of a joint, unless they are zero or switched off.
fn passive(element: &Element, settings: &Settings, problems: &mut Problems) -> [Option<f64>; 4] {
    let switches = &settings.switches;
    let all = [
        ("damping", switches.no_dampers),
        ("frictionloss", switches.no_friction),
        ("armature", false),
        ("stiffness", switches.no_springs),
    ];
    all.map(|(name, is_off)| {
        let number = fields::linear(element, name, problems);
        number.filter(|number| *number > 0.0 && !is_off)
    })
}

/// Reports the forces with which a free joint resists motion.
fn report_free(joint: &Element, forces: &[Option<f64>], problems: &mut Problems) {
    if forces.iter().all(Option::is_none) {
        return;
    }
    let names = ["damping", "armature", "frictionloss", "stiffness"];
    let mut attributes = joint.attributes.iter();
    let first = attributes.find(|one| names.contains(&one.name.as_str()));
    let span = first.map_or(joint.span, |first| first.span);
    let message = "damping, armature, friction and stiffness of a free joint are not read";
    let diagnostic = Diagnostic::warning(codes::IGNORED, message).at(span, "left out");
    let help = "damp the body in a simulation file: `linear_damping` and `angular_damping`, in 1/s";
    problems.push(diagnostic.help(help));
}

/// Returns the time constant and the damping ratio of a spring; `None` unless both are positive, as in MuJoCo.
fn spring_damper(element: &Element, problems: &mut Problems) -> Option<[f64; 2]> {
    let both: [f64; 2] = fields::array(element, "springdamper", fields::EFFORT, problems)?;
    both.iter().all(|number| *number > 0.0).then_some(both)
}

/// Returns the type of a joint.
fn kind(element: &Element, problems: &mut Problems) -> Kind {
    let words = ["free", "ball", "slide", "hinge"];
    match fields::word(element, "type", &words, problems) {
        _ if element.name == "freejoint" => Kind::Free,
        Some("free") => Kind::Free,
        Some("ball") => Kind::Ball,
        Some("slide") => Kind::Slide,
        _ => Kind::Hinge,
    }
}

/// Returns a range, if it applies.
pub(super) fn limited(
    element: &Element,
    [flag, range]: [&str; 2],
    settings: &Settings,
    problems: &mut Problems,
) -> Option<[f64; 2]> {
    let applies = fields::flag(element, flag, problems);
    let written: [f64; 2] = fields::array(element, range, Bounds::within(1e12), problems)?;
    // As in MuJoCo, a range of zeros is none, unless it is said to apply.
    let is_given = settings.limits && written != [0.0; 2];
    if !applies.unwrap_or(is_given) {
        return None;
    }
    let [lower, upper] = written;
    if lower >= upper {
        let span = element
            .attribute(range)
            .map_or(element.span, |range| range.value_span);
        let message = format!("the limits of `{range}` are crossed");
        let diagnostic = Diagnostic::error(codes::CROSSED_LIMITS, message)
            .at(span, format!("{lower} is not below {upper}"))
            .help("write the lower limit first");
        problems.push(diagnostic);
        return None;
    }
    Some(written)
}

/// Returns the three hinges of a ball joint with their names.
pub(super) fn three(joint: &Joint, name: &str) -> [(String, Joint); 3] {
    let axes = [
        ('x', Vector3::x()),
        ('y', Vector3::y()),
        ('z', Vector3::z()),
    ];
    axes.map(|(letter, axis)| {
        let hinge = Joint {
            kind: Kind::Hinge,
            axis,
            limits: Limits::default(),
            reference: 0.0,
            ..joint.clone()
        };
        (format!("{name}.{letter}"), hinge)
    })
}
