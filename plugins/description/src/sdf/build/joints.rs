//! Conversion of joints, and of joints that close loops.

use morse_diagnostics::{Diagnostic, printable};
use morse_scene::model::{self, ClosureKind, Frame, JointAxis, LoopClosure, Origin, Scene};
use nalgebra::{Isometry3, Vector3};

use super::{Builder, Frames};
use crate::sdf::{
    codes,
    document::{self, Body, WORLD},
    fields::VALUES,
    joint::{Axis, Joint, Kind},
};

/// Mass of the links between several axes of a joint, kg.
const BETWEEN: f64 = 1e-9;

/// Distance below which the frames of a joint and its child coincide, m.
const NEAR: f64 = 1e-12;

/// Minimum magnitude of the ratio of a coupled joint.
const SMALLEST_RATIO: f64 = 1e-6;

/// Maximum number of joints of which each follows the next.
const MOST_FOLLOWED: usize = 100;

/// Leader of a coupled joint: `position = multiplier · leader + offset`.
struct Leader {
    variable: String,
    multiplier: f64,
    offset: f64,
}

impl<'a> Builder<'a, '_> {
    /// Adds the frames of a joint and of its child below a parent: the name of its frame, and its node.
    pub(super) fn joined(
        &mut self,
        link: usize,
        joint: usize,
        (under, parent): (Option<String>, usize),
        frames: &mut Frames<'a>,
    ) {
        let document = self.document;
        let (Some(own), Some(joint)) = (document.links.get(link), document.joints.get(joint))
        else {
            return;
        };
        let [parent, at, child] = [parent, joint.node, own.node].map(|node| document.pose(node));
        let steps = self.steps(joint);
        let mut frame = Frame::new(self.full(own.node));
        if steps.is_empty() {
            frame.parent = under;
            frame.pose = parent.inv_mul(&child);
            self.finish(frame, link, frames);
            return;
        }
        let mut within = at.inv_mul(&child);
        let is_near = within.translation.vector.norm() < NEAR;
        if is_near {
            within.translation.vector = Vector3::zeros();
        }
        let mut under = under;
        let mut carried = parent.inv_mul(&at);
        let last = steps.len() - 1;
        for (number, (step, wanted)) in steps.into_iter().enumerate() {
            if number == last && is_near {
                frame.parent = under;
                frame.pose = carried * within;
                frame.joint = turned(step, &within);
                self.finish(frame, link, frames);
                return;
            }
            let name = frames.names.free(&wanted);
            let mut between = Frame::new(&*name);
            between.parent = under;
            between.pose = carried;
            between.joint = step;
            between.mass = Some(if number == last { 0.0 } else { BETWEEN });
            if number != last {
                between.inertia = Some([BETWEEN, BETWEEN, BETWEEN, 0.0, 0.0, 0.0]);
            }
            self.push_at(between, joint.span, frames);
            under = Some(name);
            carried = Isometry3::identity();
        }
        frame.parent = under;
        frame.pose = within;
        self.finish(frame, link, frames);
    }

    /// Returns the joint of each single axis in the frame of the joint, and the name of its frame.
    fn steps(&mut self, joint: &Joint<'_>) -> Vec<(model::Joint, String)> {
        let name = self.full(joint.node);
        let mut axes = Vec::new();
        for axis in &joint.axes {
            axes.push(self.axis(joint, axis));
        }
        let single = |axes: Vec<JointAxis>, kind: fn(JointAxis) -> model::Joint| {
            let axes = axes.into_iter();
            axes.map(|axis| (kind(axis), name.to_owned())).collect()
        };
        match joint.kind {
            Kind::Fixed | Kind::Gearbox => Vec::new(),
            Kind::Revolute | Kind::Continuous => single(axes, model::Joint::Revolute),
            Kind::Prismatic => single(axes, model::Joint::Prismatic),
            Kind::Screw => {
                let message = "a screw joint becomes a hinge: it does not advance";
                let help = "couple a prismatic joint with it by `<mimic>`";
                self.said
                    .approximate(message, joint.span, help, self.problems);
                single(axes, model::Joint::Revolute)
            }
            Kind::Universal => {
                let named = axes.into_iter().zip(["axis", "axis2"]);
                let each = named.map(|(axis, word)| {
                    let name = format!("{name}.{word}");
                    let axis = JointAxis {
                        variable: name.clone(),
                        ..axis
                    };
                    (model::Joint::Revolute(axis), name)
                });
                each.collect()
            }
            Kind::Ball => {
                let message = "a ball joint becomes three hinges";
                let help = "they are singular at 90° of the second one; keep away from it";
                self.said
                    .approximate(message, joint.span, help, self.problems);
                let axes = [
                    ('x', Vector3::x()),
                    ('y', Vector3::y()),
                    ('z', Vector3::z()),
                ];
                let each = axes.map(|(letter, axis)| {
                    let name = format!("{name}.{letter}");
                    let axis = JointAxis::new(axis.into(), &*name);
                    (model::Joint::Revolute(axis), name)
                });
                each.into()
            }
        }
    }

    /// Returns an axis in the frame of its joint.
    fn axis(&mut self, joint: &Joint<'_>, axis: &Axis) -> JointAxis {
        let mut direction = axis.direction;
        if let Some(written) = &axis.expressed_in {
            match self.document.find(joint.node, &written.text) {
                Some(frame) => {
                    let frame = self.document.pose(frame).rotation;
                    let own = self.document.pose(joint.node).rotation;
                    direction = own.inverse() * (frame * direction);
                }
                None => {
                    let names = self.document.names(joint.node);
                    let text = (written.text.as_str(), written.span);
                    self.problems.push(VALUES.unknown("frame", text, names));
                }
            }
        }
        let own = JointAxis {
            limits: axis.limits,
            damping: axis.damping,
            dry_friction: axis.friction,
            ..JointAxis::new(direction.into(), self.full(joint.node))
        };
        match self.leader(joint, axis) {
            Some(leader) => leader.follow(own),
            None => own,
        }
    }

    /// Returns the joint that an axis follows, over all joints between.
    fn leader(&mut self, joint: &Joint<'_>, axis: &Axis) -> Option<Leader> {
        axis.mimic.as_ref()?;
        let mut leader = Leader {
            variable: String::new(),
            multiplier: 1.0,
            offset: 0.0,
        };
        let (mut from, mut at) = (joint, axis);
        for _ in 0..MOST_FOLLOWED {
            let Some(mimic) = &at.mimic else {
                leader.variable = self.full(from.node).to_owned();
                let is_sound = leader.multiplier.abs() >= SMALLEST_RATIO;
                if !is_sound {
                    self.refuse(axis, "its multiplier is zero");
                }
                return is_sound.then_some(leader);
            };
            let scope = self.document.nodes.get(from.node)?.scope;
            let is_joint = |kind| matches!(kind, document::Kind::Joint(_));
            let node = self.document.in_scope(scope, &mimic.joint.text, is_joint);
            let node = node.and_then(|node| self.document.nodes.get(node));
            let Some(document::Kind::Joint(next)) = node.map(|node| node.kind) else {
                let names = self.document.names(from.node);
                let text = (mimic.joint.text.as_str(), mimic.joint.span);
                let diagnostic = VALUES.unknown("joint", text, names);
                if std::ptr::eq(from, joint) {
                    self.problems.push(diagnostic);
                }
                return None;
            };
            leader.offset += leader.multiplier * mimic.offset;
            leader.multiplier *= mimic.multiplier;
            from = self.document.joints.get(next)?;
            match from.axes.as_slice() {
                [only] => at = only,
                _ => {
                    self.refuse(axis, "joints follow a joint with one axis");
                    return None;
                }
            }
        }
        self.refuse(axis, "these joints follow each other, or too many joints");
        None
    }

    /// Warns that a coupling is left out.
    fn refuse(&mut self, axis: &Axis, why: &str) {
        let Some(mimic) = &axis.mimic else { return };
        let message = format!("`{}` is not followed: {why}", printable(&mimic.joint.text));
        let diagnostic = Diagnostic::warning(codes::IGNORED, message)
            .at(mimic.joint.span, "left out")
            .help("name a revolute or prismatic joint that follows none");
        self.problems.push(diagnostic);
    }

    /// Adds loop closures for the joints that close loops, where the scene has them.
    pub(super) fn close_loops(&mut self, frames: &mut Frames<'a>, scene: &mut Scene) {
        let document = self.document;
        for (index, ends) in &self.tree.closures {
            let Some(joint) = document.joints.get(*index) else {
                continue;
            };
            let kind = match joint.kind {
                Kind::Fixed => ClosureKind::Weld,
                Kind::Ball | Kind::Revolute | Kind::Continuous => ClosureKind::Connect,
                Kind::Prismatic | Kind::Universal | Kind::Screw | Kind::Gearbox => {
                    self.problems.push(no_closure(joint));
                    continue;
                }
            };
            let name = self.full(joint.node);
            let mut names = Vec::new();
            for (end, body) in ["parent", "child"].into_iter().zip(ends) {
                let own = frames.names.free(&format!("{name}-{end}"));
                let mut frame = Frame::new(&*own);
                frame.pose = document.pose(joint.node);
                if let Body::Link(link) = body {
                    let node = document.links.get(*link).map_or(WORLD, |link| link.node);
                    frame.parent = frames.links.get(link).cloned();
                    frame.pose = document.pose(node).inv_mul(&frame.pose);
                    frame.mass = Some(0.0);
                }
                frame.source = Origin(Some(joint.span));
                if let Err(error) = scene.add_frame(frame) {
                    let diagnostic = Diagnostic::error(codes::BAD_NAME, error.to_string());
                    let diagnostic = diagnostic.at(joint.span, "described here");
                    self.problems
                        .push(diagnostic.help("change the name or the number"));
                }
                names.push(own);
            }
            if let Ok(frames) = names.try_into() {
                scene.add_closure(LoopClosure {
                    kind,
                    frames,
                    source: Origin(Some(joint.span)),
                });
            }
        }
    }
}

impl Leader {
    /// Returns the axis with the variable of the leader.
    fn follow(&self, axis: JointAxis) -> JointAxis {
        let ratio = self.multiplier.abs();
        JointAxis {
            axis: axis.axis * self.multiplier.signum(),
            variable: self.variable.clone(),
            offset: self.offset / self.multiplier,
            ratio: Some(ratio).filter(|ratio| *ratio != 1.0),
            // The leader's limits and motor act on both joints.
            limits: model::Limits::default(),
            damping: axis.damping.map(|damping| damping * ratio * ratio),
            dry_friction: axis.dry_friction.map(|friction| friction * ratio),
            ..axis
        }
    }
}

/// Returns a joint in the axes of its child.
fn turned(joint: model::Joint, child: &Isometry3<f64>) -> model::Joint {
    let turn = |axis: JointAxis| JointAxis {
        axis: child.rotation.inverse() * axis.axis,
        ..axis
    };
    match joint {
        model::Joint::Revolute(axis) => model::Joint::Revolute(turn(axis)),
        model::Joint::Prismatic(axis) => model::Joint::Prismatic(turn(axis)),
        other @ (model::Joint::Fixed | model::Joint::Floating) => other,
    }
}

fn no_closure(joint: &Joint<'_>) -> Diagnostic {
    let message = match joint.kind {
        Kind::Gearbox => "a gearbox is not simulated",
        _ => "a joint that closes a loop is left out",
    };
    Diagnostic::warning(codes::IGNORED, message)
        .at(joint.span, "left out")
        .help("couple joints by `<mimic>`; ball, revolute and fixed joints can close loops")
}
