//! Reader of joints and their axes.

use morse_diagnostics::{Diagnostic, Span, printable};
use morse_scene::{bounds::Bounds, model::Limits};
use nalgebra::Vector3;

use super::{
    codes,
    fields::{self, VALUES, Written},
    version::Version,
};
use crate::{problems::Problems, values::Value, xml::Element};

/// Limit above which a joint is unlimited, as in SDF.
const UNLIMITED: f64 = 1e9;

/// Range of positions of joints, rad or m.
const POSITIONS: Bounds = Bounds::within(1e4);

/// Range of damping, friction and similar coefficients.
const EFFORT: Bounds = Bounds::between(0.0, 1e12);

/// Last version in which axes are in the frame of the model.
const AXES_OF_MODELS: Version = Version(1, 4);

/// Type of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Fixed,
    Revolute,
    Continuous,
    Prismatic,
    /// Two hinges.
    Universal,
    Ball,
    Screw,
    /// A coupling of two joints.
    Gearbox,
}

/// Types by their keywords.
const KINDS: [(&str, Kind); 9] = [
    ("fixed", Kind::Fixed),
    ("revolute", Kind::Revolute),
    ("continuous", Kind::Continuous),
    ("prismatic", Kind::Prismatic),
    ("universal", Kind::Universal),
    ("revolute2", Kind::Universal),
    ("ball", Kind::Ball),
    ("screw", Kind::Screw),
    ("gearbox", Kind::Gearbox),
];

/// A joint.
#[derive(Clone, Debug)]
pub(super) struct Joint<'e> {
    /// Node of the joint.
    pub(super) node: usize,
    pub(super) kind: Kind,
    pub(super) parent: Written,
    pub(super) child: Written,
    /// One axis, or two of a universal joint.
    pub(super) axes: Vec<Axis>,
    pub(super) sensors: Vec<&'e Element>,
    pub(super) span: Span,
}

/// An axis of a joint.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    /// Direction in the frame in which it is expressed.
    pub(super) direction: Vector3<f64>,
    pub(super) expressed_in: Option<Written>,
    pub(super) limits: Limits,
    pub(super) damping: Option<f64>,
    pub(super) friction: Option<f64>,
    /// Stiffness, N·m/rad or N/m, and rest position, rad or m, of a spring on the axis.
    pub(super) spring: Option<[f64; 2]>,
    /// Initial position, rad or m.
    pub(super) initial: f64,
    pub(super) span: Span,
    pub(super) mimic: Option<Mimic>,
}

/// Coupling of an axis with another joint.
#[derive(Clone, Debug)]
pub(super) struct Mimic {
    pub(super) joint: Written,
    pub(super) multiplier: f64,
    /// Position of the axis while the other joint is at zero.
    pub(super) offset: f64,
}

/// Reads a joint. Its node is set later.
pub(super) fn read<'e>(
    element: &'e Element,
    version: Version,
    problems: &mut Problems,
) -> Option<Joint<'e>> {
    let kind = kind(element, problems);
    let parent = end(element, "parent", problems);
    let child = end(element, "child", problems);
    let kind = kind?;
    let mut axes = Vec::new();
    if !matches!(kind, Kind::Fixed | Kind::Ball | Kind::Gearbox) {
        let names: &[&str] = match kind {
            Kind::Universal => &["axis", "axis2"],
            _ => &["axis"],
        };
        for name in names {
            let example = format!("<{name}><xyz>0 0 1</xyz></{name}>");
            let axis_element = fields::needed(element, name, &example, problems)?;
            let mut axis = axis(axis_element, version, problems)?;
            if kind == Kind::Continuous {
                axis.limits.position = None;
            }
            axes.push(axis);
        }
    }
    Some(Joint {
        node: 0,
        kind,
        parent: parent?,
        child: child?,
        axes,
        sensors: element.named("sensor").collect(),
        span: element.span,
    })
}

fn kind(element: &Element, problems: &mut Problems) -> Option<Kind> {
    let Some(written) = element.attribute("type") else {
        let diagnostic = Diagnostic::error(codes::MISSING_ATTRIBUTE, "`<joint>` has no `type`")
            .at(element.span, "`type` is missing")
            .help("add it, for example `type=\"revolute\"`");
        problems.push(diagnostic);
        return None;
    };
    let value = Value {
        name: "type",
        text: &written.value,
        span: written.value_span,
        is_text: false,
    };
    let known = KINDS.map(|(word, _)| word);
    let word = VALUES.word(value, &known, problems)?;
    let entry = KINDS.iter().find(|(known, _)| *known == word);
    entry.map(|(_, kind)| *kind)
}

/// Returns the parent or child of a joint.
fn end(element: &Element, name: &str, problems: &mut Problems) -> Option<Written> {
    let example = format!("<{name}>arm</{name}>");
    let child = fields::needed(element, name, &example, problems)?;
    let mut written = fields::written(child);
    if written.text.is_empty() {
        // A form of some old files.
        written = fields::named(child, "link").unwrap_or(written);
    }
    if written.text.is_empty() {
        let message = format!("`<{name}>` names no link");
        let diagnostic = Diagnostic::error(codes::MISSING_ELEMENT, message)
            .at(child.span, "empty")
            .help(format!("for example `{example}`"));
        problems.push(diagnostic);
        return None;
    }
    Some(written)
}

fn axis(element: &Element, version: Version, problems: &mut Problems) -> Option<Axis> {
    let xyz = fields::only(element, "xyz", problems);
    let direction = match xyz {
        Some(xyz) => fields::numbers(xyz, [3, 3], fields::POSITION, problems)?,
        None => vec![0.0, 0.0, 1.0],
    };
    let direction: [f64; 3] = direction.try_into().ok()?;
    let Some(direction) = Vector3::from(direction).try_normalize(1e-14) else {
        let span = xyz.map_or(element.span, |xyz| fields::written(xyz).span);
        let diagnostic = Diagnostic::error(codes::JOINT, "the axis of a joint must not be zero")
            .at(span, "zero")
            .help("for example `<xyz>0 0 1</xyz>`");
        problems.push(diagnostic);
        return None;
    };
    let in_model = fields::flag(element, "use_parent_model_frame", problems);
    let is_in_model = in_model.unwrap_or(version <= AXES_OF_MODELS);
    let model = is_in_model.then(|| Written {
        text: "__model__".to_owned(),
        span: element.span,
    });
    let expressed_in = xyz.and_then(|xyz| fields::named(xyz, "expressed_in"));
    let dynamics = fields::only(element, "dynamics", problems);
    let mut positive = |name: &str| {
        let number = fields::number(dynamics?, name, EFFORT, problems);
        number.filter(|number| *number > 0.0)
    };
    let (damping, friction) = (positive("damping"), positive("friction"));
    let stiffness = positive("spring_stiffness");
    let mut position = |of: Option<&Element>, name: &str| {
        let number = of.and_then(|of| fields::number(of, name, POSITIONS, problems));
        number.unwrap_or(0.0)
    };
    let rest = position(dynamics, "spring_reference");
    let initial = position(Some(element), "initial_position");
    Some(Axis {
        direction,
        expressed_in: expressed_in.or(model),
        limits: limits(element, problems),
        damping,
        friction,
        spring: stiffness.map(|stiffness| [stiffness, rest]),
        initial,
        span: element.span,
        mimic: fields::only(element, "mimic", problems)
            .and_then(|mimic| read_mimic(mimic, problems)),
    })
}

/// Reads the limits of an axis.
fn limits(element: &Element, problems: &mut Problems) -> Limits {
    let Some(limit) = fields::only(element, "limit", problems) else {
        return Limits::default();
    };
    let lower = bound(limit, "lower", problems).unwrap_or(f64::NEG_INFINITY);
    let upper = bound(limit, "upper", problems).unwrap_or(f64::INFINITY);
    if lower > upper {
        let diagnostic = Diagnostic::error(codes::CROSSED_LIMITS, "the limits are crossed")
            .at(limit.span, format!("{lower} is above {upper}"))
            .help("write the smaller number into `<lower>`");
        problems.push(diagnostic);
        return Limits::default();
    }
    let is_free = lower <= -UNLIMITED && upper >= UNLIMITED;
    let position = (!is_free).then_some([lower.max(-UNLIMITED), upper.min(UNLIMITED)]);
    // A negative limit is none.
    let mut positive = |name| {
        let number = bound(limit, name, problems)?;
        (0.0..UNLIMITED).contains(&number).then_some(number)
    };
    Limits {
        position,
        velocity: positive("velocity").filter(|velocity| *velocity > 0.0),
        effort: positive("effort"),
    }
}

/// Returns a number that may be infinite.
fn bound(element: &Element, name: &str, problems: &mut Problems) -> Option<f64> {
    let child = fields::only(element, name, problems)?;
    match child.text().parse::<f64>() {
        Ok(number) if !number.is_nan() => Some(number),
        _ => {
            let numbers = fields::numbers(child, [1, 1], Bounds::ANY, problems)?;
            numbers.first().copied()
        }
    }
}

fn read_mimic(element: &Element, problems: &mut Problems) -> Option<Mimic> {
    let Some(joint) = fields::named(element, "joint") else {
        let diagnostic = Diagnostic::error(codes::MISSING_ATTRIBUTE, "`<mimic>` has no `joint`")
            .at(element.span, "`joint` is missing")
            .help("name the joint to follow: `joint=\"finger\"`");
        problems.push(diagnostic);
        return None;
    };
    let mut number = |name, usual| {
        let bounds = Bounds::within(1e6);
        fields::number(element, name, bounds, problems).unwrap_or(usual)
    };
    let multiplier = number("multiplier", 1.0);
    let (offset, reference) = (number("offset", 0.0), number("reference", 0.0));
    Some(Mimic {
        joint,
        multiplier,
        offset: offset - multiplier * reference,
    })
}

impl Joint<'_> {
    /// Returns the error that the joint connects a link with itself.
    pub(super) fn connects_itself(&self) -> Diagnostic {
        let message = format!(
            "a joint connects `{}` with itself",
            printable(&self.child.text)
        );
        Diagnostic::error(codes::JOINT, message)
            .at(self.child.span, "the same as the parent")
            .help("name another link as `<parent>` or `<child>`")
    }
}
