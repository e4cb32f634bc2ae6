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
        let target = match node.kind {
            Kind::Model(_) => {
                self.in_scope(scope, &written.text, |kind| matches!(kind, Kind::Link(_)))
            }
            _ => self.find(index, &written.text),
        };
        // A joint with the world as its child is reported with the joints.
        let is_world = matches!(node.kind, Kind::Joint(_)) && written.text == "world";
        if target.is_none() && !is_world {
            let names = self.scopes.get(scope).into_iter();
            let names = names.flat_map(|scope| scope.names.keys().map(String::as_str));
            problems.push(VALUES.unknown(what, (&written.text, written.span), names));
        }
        target
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
            if let Some(target) = self.find(index, &written.text) {
                return target;
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
            let mut node = start;
            let body = loop {
                if let Some(known) = bodies.get(node).copied().flatten() {
                    break known;
                }
                match met.get_mut(node) {
                    Some(seen) if *seen == start => {
                        problems.push(self.cycle(node, "attached to"));
                        break Body::World;
                    }
                    Some(seen) => *seen = start,
                    None => break Body::World,
                }
                chain.push(node);
                match (
                    self.nodes.get(node).map(|node| node.kind),
                    attached.get(node),
                ) {
                    (Some(Kind::Link(link)), _) => break Body::Link(link),
                    (_, Some(Some(next))) => node = *next,
                    _ => break Body::World,
                }
            };
            for node in chain {
                if let Some(own) = bodies.get_mut(node) {
                    *own = Some(body);
                }
            }
        }
        let known_bodies = bodies.into_iter();
        known_bodies
            .map(|body| body.unwrap_or(Body::World))
            .collect()
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
            let mut node = start;
            let mut pose = loop {
                if let Some(known) = poses.get(node).copied().flatten() {
                    break known;
                }
                match met.get_mut(node) {
                    Some(seen) if *seen == start => {
                        problems.push(self.cycle(node, "relative to"));
                        break Isometry3::identity();
                    }
                    Some(seen) => *seen = start,
                    None => break Isometry3::identity(),
                }
                chain.push(node);
                node = relative.get(node).copied().unwrap_or(WORLD);
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
        let target = match node.kind {
            Kind::Model(model) => {
                let scope = self.models.get(model).map_or(0, |model| model.scope);
                self.in_scope(scope, &written.text, |_| true)
            }
            _ => self.in_scope(node.scope, &written.text, |_| true),
        };
        let Some(mut at) = target else {
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use morse_diagnostics::Sources;
    use nalgebra::Vector3;

    use super::*;
    use crate::xml;

    /// Returns the position and the yaw of each node of a world, by name, and the number of errors.
    fn read(content: &str) -> (BTreeMap<String, ([f64; 3], f64)>, usize) {
        let text = format!("<world name='w'>{content}</world>");
        let mut sources = Sources::default();
        let source = sources.add("a.sdf", text.as_str());
        let root = xml::parse(&text, source).unwrap();
        let files = BTreeMap::new();
        let mut problems = Problems::new(false);
        let mut document = Document::collect(&root, false, &files, &mut problems);
        document.resolve(&mut problems);
        let nodes = document.nodes.iter().zip(&document.poses);
        let poses = nodes.map(|(node, pose)| {
            let x = pose.rotation * Vector3::x();
            let yaw = libm::atan2(x.y, x.x);
            (node.full.clone(), (pose.translation.vector.into(), yaw))
        });
        (poses.collect(), problems.finish().len())
    }

    /// Compares position and yaw of a node.
    #[track_caller]
    fn check(content: &str, expected: &[(&str, [f64; 3], f64)]) {
        let (poses, errors) = read(content);
        assert_eq!(errors, 0);
        for (name, position, yaw) in expected {
            let (own, turn) = poses[*name];
            let apart = Vector3::from(own) - Vector3::from(*position);
            assert!(apart.norm() < 1e-12, "{name}: {own:?}");
            assert!((turn - yaw).abs() < 1e-12, "{name}: {turn}");
        }
    }

    const RIGHT: f64 = std::f64::consts::FRAC_PI_2;

    #[test]
    fn poses_follow_the_frames_that_they_name() {
        // b is a quarter turn to the left of a, and c is one metre ahead of b.
        check(
            "<model name='m'><pose>10 0 0 0 0 0</pose><link name='a'><pose>1 0 0 0 0 0</pose></link>\
             <link name='c'><pose relative_to='b'>1 0 0 0 0 0</pose></link>\
             <link name='b'><pose relative_to='a' degrees='true'>0 2 0 0 0 90</pose></link>\
             <frame name='d' attached_to='c'/><frame name='e' attached_to='c'><pose relative_to='__model__'/></frame>\
             <joint name='j' type='fixed'><pose>0 0 1 0 0 0</pose><parent>a</parent><child>c</child></joint></model>",
            &[
                ("m::b", [11.0, 2.0, 0.0], RIGHT),
                ("m::c", [11.0, 3.0, 0.0], RIGHT),
                ("m::d", [11.0, 3.0, 0.0], RIGHT),
                ("m::e", [10.0, 0.0, 0.0], 0.0),
                ("m::j", [11.0, 3.0, 1.0], RIGHT),
            ],
        );
    }

    #[test]
    fn models_are_placed_by_their_placement_frames() {
        // The tip is at (1, 0) + (1, 1) of the outer model: the inner one is turned by a quarter.
        let inner = "<model name='i'><pose degrees='true'>1 0 0 0 0 90</pose><link name='l'/>\
                     <frame name='tip'><pose>1 -1 0 0 0 0</pose></frame></model>";
        check(
            &format!(
                "<frame name='at'><pose>5 5 5 0 0 0</pose></frame>\
                 <model name='m' placement_frame='i::tip'><pose relative_to='at' degrees='true'>0 0 0 0 0 90</pose>{inner}</model>"
            ),
            &[
                ("m::i::tip", [5.0, 5.0, 5.0], RIGHT),
                ("m::i", [4.0, 4.0, 5.0], RIGHT),
                ("m", [3.0, 4.0, 5.0], 0.0),
            ],
        );
    }

    #[test]
    fn names_are_looked_for_in_their_model() {
        let two = "<model name='n'><link name='l'><pose>0 0 1 0 0 0</pose></link></model>";
        // A link of a flattened file has the name of a nested link, and is nearer.
        check(
            &format!(
                "<model name='m'>{two}<link name='n::l'><pose>0 0 7 0 0 0</pose></link>\
                 <link name='k'><pose relative_to='n::l'/></link><link name='o'><pose relative_to='n'/></link></model>{two}\
                 <frame name='f' attached_to='m::n'><pose>0 0 2 0 0 0</pose></frame>"
            ),
            &[
                ("m::k", [0.0, 0.0, 7.0], 0.0),
                ("m::o", [0.0; 3], 0.0),
                ("f", [0.0, 0.0, 2.0], 0.0),
            ],
        );
        assert_eq!(read("<model name='m'><link name='l'><pose relative_to='f'/></link></model><frame name='f'/>").1, 1);
    }

    #[test]
    fn cycles_are_errors_and_end() {
        for cycle in [
            "<link name='a'><pose relative_to='b'/></link><link name='b'><pose relative_to='a'/></link>",
            "<link name='a'/><frame name='f' attached_to='g'/><frame name='g' attached_to='f'/>",
            "<link name='a'><pose relative_to='a'/></link>",
        ] {
            assert!(
                read(&format!("<model name='m'>{cycle}</model>")).1 >= 1,
                "{cycle}"
            );
        }
        let placed = "<model name='m' placement_frame='l'><pose relative_to='m::l'/><link name='l'/></model>";
        assert!(read(placed).1 >= 1);
    }
}
