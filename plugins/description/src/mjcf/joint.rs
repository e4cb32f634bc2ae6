//! Joints of a body.
use std::collections::BTreeMap;

use morse_diagnostics::Diagnostic;
use morse_scene::model::{Joint, JointAxis, Limits};
use nalgebra::{Isometry3, Vector3};

use super::{codes, compiler::Compiler, item::Item};
use crate::problems::Problems;

pub(super) const ATTRIBUTES: &[&str] = &[
    "type",
    "pos",
    "axis",
    "range",
    "limited",
    "damping",
    "frictionloss",
    "armature",
    "stiffness",
    "springref",
    "ref",
    "actuatorfrcrange",
    "actuatorfrclimited",
];

/// Attributes of MuJoCo's solver and of its viewer.
pub(super) const WITHOUT_EFFECT: &[&str] = &[
    "group",
    "margin",
    "user",
    "solreflimit",
    "solimplimit",
    "solreffriction",
    "solimpfriction",
    "springdamper",
    "actuatorgravcomp",
];

/// Type of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Hinge,
    Slide,
    Ball,
    Free,
}

/// A joint with one axis.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    /// Position of the joint in the body, m.
    pub(super) position: Vector3<f64>,
    pub(super) joint: Joint,
}

/// Coupling of a joint with another one: `motion = ratio · variable of the leader + constant`.
#[derive(Clone, Debug)]
pub(super) struct Coupling {
    pub(super) leader: String,
    pub(super) constant: f64,
    pub(super) ratio: f64,
}

const KINDS: [(&str, Kind); 4] = [
    ("hinge", Kind::Hinge),
    ("slide", Kind::Slide),
    ("ball", Kind::Ball),
    ("free", Kind::Free),
];

pub(super) fn kind(item: &Item<'_, '_>, problems: &mut Problems) -> Kind {
    if item.element.name == "freejoint" {
        return Kind::Free;
    }
    item.word("type", &KINDS, problems).unwrap_or(Kind::Hinge)
}

/// Reads a joint whose variable has a name. A ball joint is three hinges about the axes of the body, one after the other.
pub(super) fn axes(
    item: &Item<'_, '_>,
    (kind, variable): (Kind, &str),
    placed: &Isometry3<f64>,
    compiler: &Compiler,
    couplings: &BTreeMap<String, Coupling>,
    problems: &mut Problems,
) -> Vec<Axis> {
    let position = item.vector("pos", problems).unwrap_or_default();
    let position = (placed * nalgebra::Point3::from(position)).coords;
    let damping = first(item, "damping", problems);
    let dry_friction = item.number("frictionloss", problems);
    let armature = item.number("armature", problems);
    let read = |axis: Vector3<f64>, variable: String| JointAxis {
        damping,
        dry_friction,
        armature,
        ..JointAxis::new((placed.rotation * axis).into(), variable)
    };
    if kind == Kind::Ball {
        let letters = [
            ("x", Vector3::x()),
            ("y", Vector3::y()),
            ("z", Vector3::z()),
        ];
        let axes = letters.map(|(letter, axis)| Axis {
            position,
            joint: Joint::Revolute(read(axis, format!("{variable}.{letter}"))),
        });
        return axes.into();
    }
    let written = item.vector("axis", problems).unwrap_or_else(Vector3::z);
    let Some(direction) = written.try_normalize(1e-12) else {
        let span = item
            .attribute("axis")
            .map_or(item.span(), |axis| axis.value_span);
        let problem = Diagnostic::error(codes::JOINT, "the axis has the length zero");
        let problem = problem.at(span, "no direction");
        problems.push(problem.help("give the axis a direction, for example `axis=\"0 0 1\"`"));
        return Vec::new();
    };
    let unit = match kind {
        Kind::Hinge => compiler.angle,
        _ => 1.0,
    };
    let mut axis = read(direction, variable.to_owned());
    axis.limits = limits(item, unit, compiler, problems);
    let start = unit * item.number("ref", problems).unwrap_or_default();
    axis.offset = 0.0 - start;
    if let Some(coupling) = couplings.get(variable) {
        follow(&mut axis, coupling);
    }
    let joint = match kind {
        Kind::Slide => Joint::Prismatic(axis),
        _ => Joint::Revolute(axis),
    };
    vec![Axis { position, joint }]
}

/// Returns the first of some numbers: newer versions of MuJoCo accept several coefficients.
fn first(item: &Item<'_, '_>, name: &str, problems: &mut Problems) -> Option<f64> {
    item.numbers(name, 1..=3, problems)?.first().copied()
}

fn limits(item: &Item<'_, '_>, unit: f64, compiler: &Compiler, problems: &mut Problems) -> Limits {
    let range = item.numbers("range", 2..=2, problems);
    let force = item.numbers("actuatorfrcrange", 2..=2, problems);
    let mut is_limited = |name: &str, has_range: bool| {
        let words = [("true", Some(true)), ("false", Some(false)), ("auto", None)];
        let written = item.word(name, &words, problems).flatten();
        written.unwrap_or(has_range && compiler.auto_limits)
    };
    let position = range
        .filter(|_| is_limited("limited", true))
        .map(|range| [range[0] * unit, range[1] * unit]);
    let effort = force
        .filter(|_| is_limited("actuatorfrclimited", true))
        .map(|range| range[0].abs().max(range[1].abs()));
    if let Some([lower, upper]) = position
        && lower > upper
    {
        let span = item
            .attribute("range")
            .map_or(item.span(), |range| range.value_span);
        let problem = Diagnostic::error(codes::JOINT, "the limits are crossed");
        let problem = problem.at(span, "the first number is the greater one");
        problems.push(problem.help("exchange the numbers"));
    }
    Limits {
        position,
        effort,
        velocity: None,
    }
}

/// Makes a joint follow another one.
fn follow(axis: &mut JointAxis, coupling: &Coupling) {
    let Coupling {
        leader,
        constant,
        ratio,
    } = coupling;
    // The coupling is that of motions from the start: `ref` of the joint itself has no part in it.
    axis.variable.clone_from(leader);
    axis.axis *= ratio.signum();
    axis.offset = constant / ratio;
    axis.ratio = Some(ratio.abs()).filter(|ratio| *ratio != 1.0);
    axis.limits = Limits::default();
    // As they act on the leader.
    axis.damping = axis.damping.map(|damping| damping * ratio * ratio);
    axis.dry_friction = axis.dry_friction.map(|friction| friction * ratio.abs());
    axis.armature = axis.armature.map(|armature| armature * ratio * ratio);
}
