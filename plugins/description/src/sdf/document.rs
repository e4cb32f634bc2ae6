//! Links, joints, frames and models of a description, with the names of their scopes.

mod collect;
mod graph;

use std::collections::BTreeMap;

use morse_diagnostics::{Diagnostic, SourceId, Span};
use nalgebra::Isometry3;

pub(super) use graph::Body;

use super::{
    codes,
    fields::Written,
    joint::Joint,
    version::{File, Version},
};
use crate::{problems::Problems, xml::Element};

/// Index of the node of the world.
pub(super) const WORLD: usize = 0;

/// Content of a description.
#[derive(Debug)]
pub(super) struct Document<'e> {
    /// Versions and directories of the files.
    pub(super) files: &'e BTreeMap<SourceId, File>,
    /// Source position of the world.
    pub(super) span: Span,
    /// True if the rest of the description was not collected.
    pub(super) is_too_large: bool,
    pub(super) nodes: Vec<Node>,
    pub(super) scopes: Vec<Scope>,
    pub(super) models: Vec<Model<'e>>,
    pub(super) links: Vec<Link<'e>>,
    pub(super) joints: Vec<Joint<'e>>,
    /// Pose of each node in the world.
    pub(super) poses: Vec<Isometry3<f64>>,
    /// Link to which each node is attached.
    pub(super) bodies: Vec<Body>,
}

/// An element with a pose and a name.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// Name with the names of the models around it.
    pub(super) full: String,
    /// Scope in which names of the element are searched.
    pub(super) scope: usize,
    /// Node of the model around it.
    pub(super) base: usize,
    /// Pose in the frame to which it is relative.
    pub(super) local: Isometry3<f64>,
    pub(super) relative_to: Option<Written>,
    /// Frame to which a `<frame>` is attached, child of a joint, canonical link of a model.
    pub(super) attached_to: Option<Written>,
    /// Frame of a model that is at the pose of the model.
    pub(super) placement: Option<Written>,
    pub(super) span: Span,
}

/// Kind of a node, with the index of its element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    World,
    Model(usize),
    Link(usize),
    Joint(usize),
    Frame,
}

/// Names of one model.
#[derive(Debug, Default)]
pub(super) struct Scope {
    /// Nodes by their names, in the order of the file.
    pub(super) names: BTreeMap<String, Vec<usize>>,
    /// Last number that was appended to the name of a model.
    doubles: BTreeMap<String, usize>,
}

/// A model.
#[derive(Debug)]
pub(super) struct Model<'e> {
    pub(super) element: &'e Element,
    pub(super) node: usize,
    /// Scope of its content.
    pub(super) scope: usize,
    /// Outermost model around it.
    pub(super) top: usize,
    pub(super) is_static: bool,
    /// True if its links collide with each other.
    pub(super) self_collide: bool,
    /// First link, or that of its first model.
    pub(super) first_link: Option<usize>,
}

/// A link.
#[derive(Debug)]
pub(super) struct Link<'e> {
    pub(super) element: &'e Element,
    pub(super) node: usize,
    pub(super) model: usize,
    pub(super) self_collide: bool,
}

impl Document<'_> {
    /// Sets the pose of the first model to the identity; reports a pose that is another one.
    pub(super) fn drop_pose(&mut self, problems: &mut Problems) {
        let Some(model) = self.models.first() else {
            return;
        };
        let (node, element) = (model.node, model.element);
        let Some(node) = self.nodes.get_mut(node) else {
            return;
        };
        let dropped = std::mem::take(&mut node.local);
        let [x, y, z]: [f64; 3] = dropped.translation.vector.into();
        let (roll, pitch, yaw) = dropped.rotation.euler_angles();
        // Zero has one sign.
        let [roll, pitch, yaw] = [roll, pitch, yaw].map(|angle| angle + 0.0);
        if dropped.translation.vector.norm() > 0.0 || dropped.rotation.angle() > 0.0 {
            let span = element.named("pose").next();
            let span = span.map_or(element.span, |pose| pose.span);
            let diagnostic =
                Diagnostic::warning(codes::IGNORED, "the pose of the model is not read")
                    .at(span, "where the model is used determines its pose")
                    .help(format!(
                        "write it into the simulation file: `at: (translation: ({x}, {y}, {z}), rpy: ({roll}, {pitch}, {yaw}))`"
                    ));
            problems.push(diagnostic);
        }
    }

    /// Returns the version of the file of an element.
    pub(super) fn version(&self, span: Span) -> Version {
        let file = self.files.get(&span.source);
        file.map_or(super::version::NEWEST, |file| file.version)
    }

    /// Returns the node with a name, as it is seen from another node.
    pub(super) fn find(&self, from: usize, name: &str) -> Option<usize> {
        let node = self.nodes.get(from)?;
        match name {
            "__model__" => Some(node.base),
            "world" | "__world__" | "__root__" if node.scope == 0 => Some(WORLD),
            name => self.in_scope(node.scope, name, |_| true),
        }
    }

    /// Returns the first node of a kind with a name, which may begin with the names of models: `model::link`.
    pub(super) fn in_scope(
        &self,
        scope: usize,
        name: &str,
        is_kind: fn(Kind) -> bool,
    ) -> Option<usize> {
        let of = |name: &str, is_kind: fn(Kind) -> bool| {
            let all = self.scopes.get(scope)?.names.get(name)?.iter();
            let mut all = all.filter(|node| {
                self.nodes
                    .get(**node)
                    .is_some_and(|node| is_kind(node.kind))
            });
            all.next().copied()
        };
        if let Some(node) = of(name, is_kind) {
            return Some(node);
        }
        for (at, _) in name.match_indices("::") {
            let (model, rest) = (name.get(..at)?, name.get(at + 2..)?);
            let inner = of(model, |kind| matches!(kind, Kind::Model(_)));
            let Some(node) = inner else { continue };
            let Some(Kind::Model(index)) = self.nodes.get(node).map(|node| node.kind) else {
                continue;
            };
            if rest == "__model__" {
                return Some(node);
            }
            let scope = self.models.get(index)?.scope;
            if let Some(node) = self.in_scope(scope, rest, is_kind) {
                return Some(node);
            }
        }
        None
    }

    /// Returns the names of a scope, for suggestions.
    pub(super) fn names(&self, from: usize) -> impl Iterator<Item = &str> {
        let scope = self.nodes.get(from).map_or(0, |node| node.scope);
        let scope = self.scopes.get(scope);
        scope
            .into_iter()
            .flat_map(|scope| scope.names.keys().map(String::as_str))
    }

    /// Returns the pose of a node in the world.
    pub(super) fn pose(&self, node: usize) -> Isometry3<f64> {
        self.poses.get(node).copied().unwrap_or_default()
    }

    /// Returns the link to which a node is attached.
    pub(super) fn body(&self, node: usize) -> Body {
        self.bodies.get(node).copied().unwrap_or(Body::World)
    }
}
