//! Reader of joints, and of what actuators and equality constraints add to them.

use std::collections::BTreeMap;

use morse_diagnostics::{Diagnostic, Span, printable};
use morse_scene::{
    bounds::Bounds,
    model::{self, JointAxis, Limits},
};
use nalgebra::Vector3;

use super::{codes, compiler::Settings, defaults::Defaults, fields};
use crate::{
    problems::Problems,
    xml::{Attribute, Element},
};

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

/// Minimum magnitude of the ratio of a coupled joint.
const SMALLEST_RATIO: f64 = 1e-6;

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
    limits: Limits,
    damping: Option<f64>,
    friction: Option<f64>,
    armature: Option<f64>,
    /// Position of the joint in the pose of the file, rad or m.
    pub(super) reference: f64,
    /// Stiffness, N·m/rad or N/m, and rest position, rad or m, of a spring that acts on the joint.
    pub(super) spring: Option<[f64; 2]>,
    /// True if a spring acts on the joint whose stiffness follows from the inertia.
    pub(super) has_unknown_spring: bool,
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
    let axis = fields::array::<3>(element, "axis", fields::PLACE, problems);
    let axis = Vector3::from(axis.unwrap_or([0.0, 0.0, 1.0]));
    let Some(axis) = axis.try_normalize(1e-14) else {
        let span = element
            .attribute("axis")
            .map_or(element.span, |axis| axis.value_span);
        let diagnostic = Diagnostic::error(codes::JOINT, "the axis of a joint must not be zero")
            .at(span, "zero")
            .help("for example `axis=\"0 0 1\"`");
        problems.push(diagnostic);
        return None;
    };
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
    let reference = fields::number(element, "ref", fields::PLACE, problems).unwrap_or(0.0);
    let mut positive = |name| {
        let number = fields::numbers(element, name, [1, 3], fields::EFFORT, problems)?;
        number.first().copied().filter(|number| *number > 0.0)
    };
    let (damping, friction) = (positive("damping"), positive("frictionloss"));
    let (armature, stiffness) = (positive("armature"), positive("stiffness"));
    let rest = fields::number(element, "springref", fields::PLACE, problems).unwrap_or(0.0);
    Some(Joint {
        name: fields::name(element, "name", problems),
        kind,
        anchor: fields::array::<3>(element, "pos", fields::PLACE, problems)
            .map(Vector3::from)
            .unwrap_or_default(),
        axis,
        limits,
        damping,
        friction,
        armature,
        reference: reference * unit,
        spring: stiffness.map(|stiffness| [stiffness, rest * unit]),
        has_unknown_spring: is_damped_spring(element, problems),
        span: element.span,
    })
}

/// Returns true if a joint has a spring of a time constant, for which both numbers must be positive.
fn is_damped_spring(element: &Element, problems: &mut Problems) -> bool {
    let both = fields::array::<2>(element, "springdamper", fields::EFFORT, problems);
    both.is_some_and(|both| both.iter().all(|number| *number > 0.0))
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
fn limited(
    element: &Element,
    [flag, range]: [&str; 2],
    settings: &Settings,
    problems: &mut Problems,
) -> Option<[f64; 2]> {
    let applies = fields::flag(element, flag, problems);
    let written: [f64; 2] = fields::array(element, range, Bounds::within(1e12), problems)?;
    if !applies.unwrap_or(settings.limits) {
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

impl Joint {
    /// Returns the maximum effort of the motors and the spring of a joint; `None` without limit or spring.
    pub(super) fn sprung(&self, name: &str, couplings: &Couplings) -> Option<f64> {
        let [stiffness, rest] = self.spring?;
        let motors = couplings.efforts.get(name)?;
        let far = std::f64::consts::PI;
        let ends = self.limits.position.unwrap_or([rest - far, rest + far]);
        let travel = ends.map(|end| (end - rest).abs());
        Some(motors + stiffness * travel[0].max(travel[1]))
    }

    /// Returns the joint of a frame, with a variable of this name.
    pub(super) fn model(&self, variable: &str, couplings: &Couplings) -> model::Joint {
        let mut axis = JointAxis {
            offset: -self.reference,
            limits: self.limits,
            damping: self.damping,
            dry_friction: self.friction,
            armature: self.armature,
            ..JointAxis::new(self.axis.into(), variable)
        };
        if let Some(effort) = couplings.efforts.get(variable) {
            axis.limits.effort = Some(axis.limits.effort.map_or(*effort, |own| own.min(*effort)));
        }
        if let Some(follower) = couplings.followers.get(variable) {
            axis = follower.follow(axis);
        }
        match self.kind {
            Kind::Slide => model::Joint::Prismatic(axis),
            _ => model::Joint::Revolute(axis),
        }
    }
}

/// A joint whose position is a linear function of another joint's.
#[derive(Clone, Debug)]
pub(super) struct Follower {
    leader: String,
    /// Position of the leader in the pose of the file.
    reference: f64,
    offset: f64,
    ratio: f64,
}

impl Follower {
    fn follow(&self, axis: JointAxis) -> JointAxis {
        let ratio = self.ratio.abs();
        JointAxis {
            axis: axis.axis * self.ratio.signum(),
            variable: self.leader.clone(),
            offset: self.offset / self.ratio - self.reference,
            ratio: Some(ratio).filter(|ratio| *ratio != 1.0),
            // The leader's limits and motor act on both joints.
            limits: Limits::default(),
            damping: axis.damping.map(|damping| damping * ratio * ratio),
            dry_friction: axis.dry_friction.map(|friction| friction * ratio),
            ..axis
        }
    }
}

/// Forces of actuators and equality constraints, by the names of the joints.
#[derive(Debug, Default)]
pub(super) struct Couplings {
    efforts: BTreeMap<String, f64>,
    followers: BTreeMap<String, Follower>,
}

impl Couplings {
    /// Returns true if a joint follows another one.
    pub(super) fn follows(&self, joint: &str) -> bool {
        self.followers.contains_key(joint)
    }

    /// Reads the actuators and the equality constraints between joints. `references` has the position of each named joint
    /// in the pose of the file.
    pub(super) fn read(
        root: &Element,
        settings: &Settings,
        defaults: &Defaults,
        references: &BTreeMap<String, f64>,
        problems: &mut Problems,
    ) -> Self {
        let mut couplings = Self::default();
        for element in root.named("actuator").flat_map(Element::elements) {
            let element = defaults.merged(element, None, problems);
            couplings.actuator(&element, settings, references, problems);
        }
        for element in root.named("equality").flat_map(|all| all.named("joint")) {
            let element = defaults.merged(element, None, problems);
            couplings.equality(&element, references, problems);
        }
        couplings
    }

    /// Limits the effort of a joint to that of its actuator.
    fn actuator(
        &mut self,
        element: &Element,
        settings: &Settings,
        references: &BTreeMap<String, f64>,
        problems: &mut Problems,
    ) {
        let Some(joint) = element.attribute("joint") else {
            return;
        };
        let name = joint.value.trim();
        if !references.contains_key(name) {
            let known = references.keys().map(String::as_str);
            fields::unknown("joint", joint, known, problems);
            return;
        }
        let gear = fields::numbers(element, "gear", [1, 6], fields::PLACE, problems);
        let gear = gear.and_then(|gear| gear.first().copied()).unwrap_or(1.0);
        let mut force = limited(element, ["forcelimited", "forcerange"], settings, problems);
        if force.is_none() && element.name == "motor" {
            force = limited(element, ["ctrllimited", "ctrlrange"], settings, problems);
        }
        let Some([lower, upper]) = force else { return };
        let effort = lower.abs().max(upper.abs()) * gear.abs();
        if effort > 0.0 {
            *self.efforts.entry(name.to_owned()).or_default() += effort;
        }
    }

    fn equality(
        &mut self,
        element: &Element,
        references: &BTreeMap<String, f64>,
        problems: &mut Problems,
    ) {
        if fields::flag(element, "active", problems) == Some(false) {
            return;
        }
        let known = |written: &Attribute, problems: &mut Problems| {
            let found = references.get_key_value(written.value.trim());
            if found.is_none() {
                fields::unknown(
                    "joint",
                    written,
                    references.keys().map(String::as_str),
                    problems,
                );
            }
            found.map(|(name, reference)| (name.clone(), *reference))
        };
        let one = fields::needed(element, "joint1", "finger", problems);
        let other = element.attribute("joint2");
        let follower = one.and_then(|one| known(one, problems));
        let leader = other.and_then(|other| known(other, problems));
        let bounds = Bounds::within(1e6);
        let coefficients = fields::numbers(element, "polycoef", [1, 5], bounds, problems);
        let coefficients = coefficients.unwrap_or_else(|| vec![0.0, 1.0]);
        let ratio = coefficients.get(1).copied().unwrap_or(1.0);
        let is_linear = coefficients.iter().skip(2).all(|factor| *factor == 0.0);
        let (Some((follower, _)), Some((leader, reference))) = (&follower, &leader) else {
            if other.is_none() {
                problems.push(left_out(element, "a joint without `joint2` is not locked"));
            }
            return;
        };
        let is_chain = follower == leader
            || self.followers.contains_key(leader)
            || self
                .followers
                .values()
                .any(|known| known.leader == *follower);
        if !is_linear || ratio.abs() < SMALLEST_RATIO || is_chain {
            let message = format!(
                "`{}` does not follow `{}`",
                printable(follower),
                printable(leader)
            );
            problems.push(left_out(element, &message));
            return;
        }
        let known = Follower {
            leader: leader.clone(),
            reference: *reference,
            offset: coefficients.first().copied().unwrap_or(0.0),
            ratio,
        };
        self.followers.insert(follower.clone(), known);
    }
}

fn left_out(element: &Element, message: &str) -> Diagnostic {
    Diagnostic::warning(codes::IGNORED, message)
        .at(element.span, "left out")
        .help("joints follow a linear function of a joint that follows none: `polycoef=\"0 1\"`")
}

/// Returns the position of each named joint in the pose of the file.
pub(super) fn references(
    root: &Element,
    settings: &Settings,
    defaults: &Defaults,
    problems: &mut Problems,
) -> BTreeMap<String, f64> {
    let mut found = BTreeMap::new();
    // Faults of attributes are reported where the joints are read.
    let mut silent = Problems::new(false);
    let bodies = root.named("worldbody").map(|body| (body, None));
    let mut open: Vec<(&Element, Option<&Attribute>)> = bodies.collect();
    while let Some((element, class)) = open.pop() {
        let class = element.attribute("childclass").or(class);
        for child in element.elements() {
            if ["body", "frame"].contains(&child.name.as_str()) {
                open.push((child, class));
            }
            if !["joint", "freejoint"].contains(&child.name.as_str()) {
                continue;
            }
            let merged = defaults.merged(child, class, &mut silent);
            let joint = read(&merged, settings, &mut silent);
            let Some((name, joint)) = joint.and_then(|joint| Some((joint.name.clone()?, joint)))
            else {
                continue;
            };
            let message = format!("there are two joints `{}`", printable(&name));
            if found.insert(name, joint.reference).is_some() {
                let diagnostic = Diagnostic::error(codes::DUPLICATE_NAME, message)
                    .at(child.span, "one of them")
                    .help("rename one of them");
                problems.push(diagnostic);
            }
        }
    }
    found
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
