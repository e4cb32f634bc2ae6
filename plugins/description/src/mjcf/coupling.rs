//! Couplings of joints: followers by equality constraints, and what actuators and tendons add to joints.
//!
//! Constraints are linear in the deviations of joints from the pose of the file: x = q − q₀. A constraint between two joints
//! that follow none makes one of them a follower of the other.

mod constraint;
mod drive;
mod effort;

use std::collections::{BTreeMap, BTreeSet};

use morse_diagnostics::{Diagnostic, printable};
use morse_scene::model::{self, JointAxis, Limits};

use effort::Effort;

use super::{
    codes,
    compiler::Settings,
    defaults::Defaults,
    joint::{self, Joint, Kind},
    tendon::Tendon,
};
use crate::{
    problems::Problems,
    xml::{Attribute, Element},
};

/// A joint whose deviation is `offset + ratio · x` for the deviation x of a joint that follows none.
#[derive(Clone, Debug)]
struct Follower {
    leader: String,
    offset: f64,
    ratio: f64,
}

/// Length of a tendon, or position of a joint, as a linear function of a joint that follows none: `base + slope · q`.
#[derive(Clone, Debug)]
pub(super) struct Length {
    /// Name of the joint.
    pub(super) joint: String,
    pub(super) base: f64,
    pub(super) slope: f64,
}

/// Limits, springs and friction that followers and tendons add to a joint.
#[derive(Clone, Copy, Debug, Default)]
struct Addition {
    /// Limits of the position.
    range: Option<[f64; 2]>,
    /// True if limits were left out that share no position with `range`.
    excludes: bool,
    stiffness: f64,
    /// Sum of stiffness times rest position.
    pull: f64,
    damping: f64,
    friction: f64,
    armature: f64,
}

/// Actuators, tendons and equality constraints, by the names of the joints.
#[derive(Debug, Default)]
pub(super) struct Couplings {
    /// Named joints.
    joints: BTreeMap<String, Joint>,
    tendons: BTreeMap<String, Tendon>,
    followers: BTreeMap<String, Follower>,
    additions: BTreeMap<String, Addition>,
    efforts: BTreeMap<String, Effort>,
}

impl Couplings {
    /// Reads the actuators, the fixed tendons, and the equality constraints between joints.
    pub(super) fn read(
        root: &Element,
        settings: &Settings,
        defaults: &Defaults,
        problems: &mut Problems,
    ) -> Self {
        let joints = named_joints(root, settings, defaults, problems);
        let tendons = Tendon::read_all(root, settings, defaults, &joints, problems);
        let mut couplings = Self {
            joints,
            tendons,
            ..Self::default()
        };
        couplings.constraints(root, defaults, problems);
        couplings.followers();
        couplings.tendons(problems);
        couplings.report_ranges(problems);
        for element in root.named("actuator").flat_map(Element::elements) {
            let element = defaults.merged(element, None, problems);
            couplings.actuator(&element, settings, problems);
        }
        couplings.report_efforts(problems);
        couplings
    }

    /// Returns true if a joint follows another one.
    pub(super) fn follows(&self, joint: &str) -> bool {
        self.followers.contains_key(joint)
    }

    /// Returns stiffness and rest position of the springs of a joint, of its tendons and of its followers.
    pub(super) fn spring(&self, joint: &str, own: Option<[f64; 2]>) -> Option<[f64; 2]> {
        let Some(added) = self.additions.get(joint).filter(|one| one.stiffness > 0.0) else {
            return own;
        };
        let [stiffness, rest] = own.unwrap_or_default();
        let sum = stiffness + added.stiffness;
        Some([sum, (stiffness * rest + added.pull) / sum])
    }

    /// Returns the limits of a joint, within those of its tendons and followers.
    fn range(&self, joint: &str, own: Option<[f64; 2]>) -> Option<[f64; 2]> {
        let added = self.additions.get(joint).and_then(|added| added.range);
        intersection(own, added)
    }

    /// Returns the maximum effort of the motors and the spring of a joint; `None` without limit or spring.
    pub(super) fn sprung(&self, name: &str, joint: &Joint) -> Option<f64> {
        let [stiffness, rest] = self.spring(name, joint.spring)?;
        let motors = self.effort(name, joint.limits.effort)?;
        let far = std::f64::consts::PI;
        let limits = self.range(name, joint.limits.position);
        let ends = limits.unwrap_or([rest - far, rest + far]);
        let travel = ends.map(|end| (end - rest).abs());
        Some(motors + stiffness * travel[0].max(travel[1]))
    }

    /// Returns the joint of a frame, with a variable of this name.
    pub(super) fn model(&self, joint: &Joint, variable: &str) -> model::Joint {
        let axis = self.applied(JointAxis {
            offset: -joint.reference,
            limits: joint.limits,
            damping: joint.damping,
            dry_friction: joint.friction,
            armature: joint.armature,
            ..JointAxis::new(joint.axis.into(), variable)
        });
        match joint.kind {
            Kind::Slide => model::Joint::Prismatic(axis),
            _ => model::Joint::Revolute(axis),
        }
    }

    /// Returns an axis with what followers, tendons and motors add to it. The axis of a follower moves with its leader.
    fn applied(&self, mut axis: JointAxis) -> JointAxis {
        if let Some(follower) = self.followers.get(&axis.variable) {
            let leader = self.joints.get(&follower.leader);
            return follower.follow(axis, leader.map_or(0.0, |leader| leader.reference));
        }
        let name = axis.variable.as_str();
        axis.limits.position = self.range(name, axis.limits.position);
        axis.limits.effort = self.effort(name, axis.limits.effort);
        if let Some(added) = self.additions.get(name) {
            let sum = |own: Option<f64>, more: f64| match more > 0.0 {
                true => Some(own.unwrap_or(0.0) + more),
                false => own,
            };
            axis.damping = sum(axis.damping, added.damping);
            axis.dry_friction = sum(axis.dry_friction, added.friction);
            axis.armature = sum(axis.armature, added.armature);
        }
        axis
    }

    /// Reports joints whose range shares no position with those of their followers and tendons.
    fn report_ranges(&self, problems: &mut Problems) {
        for (name, added) in &self.additions {
            let Some(joint) = self.joints.get(name) else {
                continue;
            };
            if added.excludes || are_apart(joint.limits.position, added.range) {
                let name = printable(name);
                let message = format!(
                    "no position of `{name}` is within the ranges of its followers and tendons"
                );
                let diagnostic = Diagnostic::warning(codes::APPROXIMATION, message)
                    .at(joint.span, "simulated with the first of the ranges")
                    .help("write ranges that overlap");
                problems.push(diagnostic);
            }
        }
    }

    /// Adds the limits and springs of followers to their leaders.
    fn followers(&mut self) {
        for name in self.followers.keys() {
            let Some((joint, length)) = self.joints.get(name).zip(self.position(name)) else {
                continue;
            };
            let added = self.additions.entry(length.joint.clone()).or_default();
            added.limit(joint.limits.position, &length);
            if let Some([stiffness, rest]) = joint.spring {
                added.spring(stiffness, rest, &length);
            }
        }
    }

    /// Adds the limits and the passive forces of tendons to their joints. A tendon that several joints move independently
    /// is reported.
    fn tendons(&mut self, problems: &mut Problems) {
        for tendon in self.tendons.values() {
            let sum = self.reduced(&tendon.terms);
            if sum.leaders.len() > 1 && tendon.has_forces() {
                let name = printable(&tendon.name);
                let count = sum.leaders.len();
                let message =
                    format!("the tendon `{name}` is not read: its {count} joints are independent");
                let diagnostic = Diagnostic::warning(codes::IGNORED, message)
                    .at(tendon.span, "left out")
                    .help("give its joints ranges, springs and damping of their own");
                problems.push(diagnostic);
            }
            let Some(length) = self.length(tendon) else {
                continue;
            };
            let at_start = tendon.at_start(&self.joints);
            let added = self.additions.entry(length.joint.clone()).or_default();
            added.limit(tendon.range, &length);
            let rest = tendon.rest.unwrap_or([at_start; 2]);
            let [lower, upper] = rest;
            if tendon.stiffness > 0.0 && lower < upper {
                let name = printable(&tendon.name);
                let message = format!("the spring of the tendon `{name}` is slack in a range");
                let diagnostic = Diagnostic::warning(codes::APPROXIMATION, message)
                    .at(tendon.span, "simulated with its rest in the middle")
                    .help("write one number as `springlength`");
                problems.push(diagnostic);
            }
            added.spring(tendon.stiffness, f64::midpoint(lower, upper), &length);
            added.damping += tendon.damping * length.slope * length.slope;
            added.friction += tendon.friction * length.slope.abs();
            added.armature += tendon.armature * length.slope * length.slope;
        }
    }
}

impl Follower {
    /// Returns an axis that moves with a leader, whose position in the pose of the file is `reference`.
    fn follow(&self, axis: JointAxis, reference: f64) -> JointAxis {
        let ratio = self.ratio.abs();
        JointAxis {
            axis: axis.axis * self.ratio.signum(),
            variable: self.leader.clone(),
            offset: self.offset / self.ratio - reference,
            ratio: Some(ratio).filter(|ratio| *ratio != 1.0),
            // The leader's limits and motor act on both joints.
            limits: Limits::default(),
            damping: axis.damping.map(|damping| damping * ratio * ratio),
            dry_friction: axis.dry_friction.map(|friction| friction * ratio),
            armature: axis.armature.map(|armature| armature * ratio * ratio),
            ..axis
        }
    }
}

impl Addition {
    /// Adds the limits of a length.
    fn limit(&mut self, range: Option<[f64; 2]>, length: &Length) {
        let Some(ends) = range else { return };
        let [one, other] = ends.map(|end| (end - length.base) / length.slope);
        let range = Some([one.min(other), one.max(other)]);
        self.excludes |= are_apart(self.range, range);
        self.range = intersection(self.range, range);
    }

    /// Adds a spring with a stiffness and a rest length.
    fn spring(&mut self, stiffness: f64, rest: f64, length: &Length) {
        self.stiffness += stiffness * length.slope * length.slope;
        self.pull += stiffness * (rest - length.base) * length.slope;
    }
}

/// Returns true if no position is within both ranges.
fn are_apart(one: Option<[f64; 2]>, other: Option<[f64; 2]>) -> bool {
    one.zip(other)
        .is_some_and(|([a, b], [c, d])| a.max(c) >= b.min(d))
}

/// Returns the range that two ranges share; the first one if they share none.
fn intersection(one: Option<[f64; 2]>, other: Option<[f64; 2]>) -> Option<[f64; 2]> {
    match (one, other) {
        (Some([a, b]), Some([c, d])) if !are_apart(one, other) => Some([a.max(c), b.min(d)]),
        _ => one.or(other),
    }
}

/// Returns the named joints of a model.
fn named_joints(
    root: &Element,
    settings: &Settings,
    defaults: &Defaults,
    problems: &mut Problems,
) -> BTreeMap<String, Joint> {
    let mut joints = BTreeMap::new();
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
            let joint = joint::read(&merged, settings, &mut silent);
            let Some((name, joint)) = joint.and_then(|joint| Some((joint.name.clone()?, joint)))
            else {
                continue;
            };
            let message = format!("there are two joints `{}`", printable(&name));
            if joints.insert(name, joint).is_some() {
                let diagnostic = Diagnostic::error(codes::DUPLICATE_NAME, message)
                    .at(child.span, "one of them")
                    .help("rename one of them");
                problems.push(diagnostic);
            }
        }
    }
    joints
}

/// Returns the names of the joints that actuators move directly.
fn driven(root: &Element) -> BTreeSet<&str> {
    let actuators = root.named("actuator").flat_map(Element::elements);
    let joints = actuators.filter_map(|actuator| actuator.attribute("joint"));
    joints.map(|joint| joint.value.trim()).collect()
}
