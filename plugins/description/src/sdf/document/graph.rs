//! Poses of the nodes in the world, and the links to which they are attached.

use std::collections::BTreeSet;

use morse_diagnostics::{Diagnostic, printable};
use nalgebra::Isometry3;

use super::{Document, Kind, WORLD};
use crate::{
    problems::Problems,
    sdf::{codes, fields::VALUES},
};

/// Rigid thing to which a node is attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sdf) enum Body {
    World,
    Link(usize),
}

impl Document<'_> {
    /// Computes poses and bodies of all nodes.
    pub(in crate::sdf) fn resolve(&mut self, problems: &mut Problems) {
        let attached: Vec<Option<usize>> = (0..self.nodes.len())
            .map(|node| self.attachment(node, problems))
            .collect();
        self.bodies = self.follow_attachments(&attached, problems);
        let relative: Vec<usize> = (0..self.nodes.len())
            .map(|node| self.reference(node, &attached, problems))
            .collect();
        self.poses = self.follow_references(&relative, problems);
    }

    /// Returns the node to which a node is attached; `None` for links, for the world, and after an error.
    fn attachment(&self, index: usize, problems: &mut Problems) -> Option<usize> {
        let node = self.nodes.get(index)?;
        let (scope, what) = match node.kind {
            Kind::World | Kind::Link(_) => return None,
            Kind::Model(model) => (self.models.get(model)?.scope, "link"),
            Kind::Joint(_) => (node.scope, "link"),
            Kind::Frame => (node.scope, "frame"),
        };
        let Some(written) = &node.attached_to else {
            return match node.kind {
                Kind::Model(model) => {
                    let model = self.models.get(model)?;
                    let first = model.first_link.and_then(|first| self.links.get(first));
                    first.map(|link| link.node)
                }
                _ => Some(node.base),
            };
        };
        let found = match node.kind {
            Kind::Model(_) => {
                self.in_scope(scope, &written.text, |kind| matches!(kind, Kind::Link(_)))
            }
            _ => self.find(index, &written.text),
        };
        // A joint with the world as its child is reported with the joints.
        let is_world = matches!(node.kind, Kind::Joint(_)) && written.text == "world";
        if found.is_none() && !is_world {
            let names = self.scopes.get(scope).into_iter();
            let names = names.flat_map(|scope| scope.names.keys().map(String::as_str));
            problems.push(VALUES.unknown(what, (&written.text, written.span), names));
        }
        found
    }

    /// Returns the node to which the pose of a node is relative.
    fn reference(
        &self,
        index: usize,
        attached: &[Option<usize>],
        problems: &mut Problems,
    ) -> usize {
        let Some(node) = self.nodes.get(index) else {
            return WORLD;
        };
        if let Some(written) = &node.relative_to {
            if let Some(found) = self.find(index, &written.text) {
                return found;
            }
            let names = self.names(index);
            problems.push(VALUES.unknown("frame", (&written.text, written.span), names));
            return node.base;
        }
        let attached = attached.get(index).copied().flatten();
        match node.kind {
            Kind::Joint(_) => attached.unwrap_or(node.base),
            Kind::Frame if node.attached_to.is_some() => attached.unwrap_or(node.base),
            Kind::Frame | Kind::World | Kind::Model(_) | Kind::Link(_) => node.base,
        }
    }

    /// Returns the body of each node.
    fn follow_attachments(&self, attached: &[Option<usize>], problems: &mut Problems) -> Vec<Body> {
        let count = self.nodes.len();
        let mut bodies: Vec<Option<Body>> = vec![None; count];
        // Start of the chain in which a node was met.
        let mut met = vec![usize::MAX; count];
        for start in 0..count {
            let mut chain = Vec::new();
            let mut at = start;
            let body = loop {
                if let Some(known) = bodies.get(at).copied().flatten() {
                    break known;
                }
                match met.get_mut(at) {
                    Some(seen) if *seen == start => {
                        problems.push(self.cycle(at, "attached to"));
                        break Body::World;
                    }
                    Some(seen) => *seen = start,
                    None => break Body::World,
                }
                chain.push(at);
                match (self.nodes.get(at).map(|node| node.kind), attached.get(at)) {
                    (Some(Kind::Link(link)), _) => break Body::Link(link),
                    (_, Some(Some(next))) => at = *next,
                    _ => break Body::World,
                }
            };
            for node in chain {
                if let Some(own) = bodies.get_mut(node) {
                    *own = Some(body);
                }
            }
        }
        let found = bodies.into_iter();
        found.map(|body| body.unwrap_or(Body::World)).collect()
    }

    /// Returns the pose of each node in the world.
    fn follow_references(
        &self,
        relative: &[usize],
        problems: &mut Problems,
    ) -> Vec<Isometry3<f64>> {
        let count = self.nodes.len();
        let mut poses: Vec<Option<Isometry3<f64>>> = vec![None; count];
        if let Some(world) = poses.first_mut() {
            *world = Some(Isometry3::identity());
        }
        // Start of the chain in which a node was met.
        let mut met = vec![usize::MAX; count];
        for start in 1..count {
            let mut chain = Vec::new();
            let mut at = start;
            let mut pose = loop {
                if let Some(known) = poses.get(at).copied().flatten() {
                    break known;
                }
                match met.get_mut(at) {
                    Some(seen) if *seen == start => {
                        problems.push(self.cycle(at, "relative to"));
                        break Isometry3::identity();
                    }
                    Some(seen) => *seen = start,
                    None => break Isometry3::identity(),
                }
                chain.push(at);
                at = relative.get(at).copied().unwrap_or(WORLD);
            };
            while let Some(node) = chain.pop() {
                pose *= self.local(node, relative, problems);
                if let Some(own) = poses.get_mut(node) {
                    *own = Some(pose);
                }
            }
        }
        poses.into_iter().map(Option::unwrap_or_default).collect()
    }

    /// Returns the pose of a node in the frame to which it is relative. The placement frame of a model is at its pose.
    fn local(&self, index: usize, relative: &[usize], problems: &mut Problems) -> Isometry3<f64> {
        let Some(node) = self.nodes.get(index) else {
            return Isometry3::identity();
        };
        let Some(written) = &node.placement else {
            return node.local;
        };
        let found = match node.kind {
            Kind::Model(model) => {
                let scope = self.models.get(model).map_or(0, |model| model.scope);
                self.in_scope(scope, &written.text, |_| true)
            }
            _ => self.in_scope(node.scope, &written.text, |_| true),
        };
        let Some(mut at) = found else {
            let names = self.models.iter().find(|model| model.node == index);
            let names = names
                .and_then(|model| self.scopes.get(model.scope))
                .into_iter();
            let names = names.flat_map(|scope| scope.names.keys().map(String::as_str));
            problems.push(VALUES.unknown("frame", (&written.text, written.span), names));
            return node.local;
        };
        let mut placed = Isometry3::identity();
        let mut visited = BTreeSet::new();
        // Faults of models inside are reported where their poses are computed.
        let mut silent = Problems::new(false);
        while at != index {
            if at == WORLD || !visited.insert(at) {
                problems.push(self.cycle(index, "placed by"));
                return node.local;
            }
            let Some(inner) = self.nodes.get(at) else {
                break;
            };
            // Models inside may have placement frames themselves.
            let own = match inner.placement {
                Some(_) => self.local(at, relative, &mut silent),
                None => inner.local,
            };
            placed = own * placed;
            at = relative.get(at).copied().unwrap_or(WORLD);
        }
        node.local * placed.inverse()
    }

    fn cycle(&self, index: usize, how: &str) -> Diagnostic {
        let node = self.nodes.get(index);
        let name = node.map_or("", |node| node.full.as_str());
        let message = format!("`{}` is {how} itself", printable(name));
        let diagnostic = Diagnostic::error(codes::CYCLE, message)
            .help("let one of the frames be relative to its model, or attached to a link");
        match node {
            Some(node) => diagnostic.at(node.span, "part of a cycle"),
            None => diagnostic,
        }
    }
}
