//! Collection of the elements of worlds and models, in the order of the file.

use std::collections::BTreeMap;

use morse_diagnostics::{Diagnostic, SourceId, Span, printable};

use super::{Document, Kind, Link, Model, Node, Scope, WORLD};
use crate::{
    problems::Problems,
    sdf::{
        codes,
        fields::{self, Pose, Written},
        include::MERGED,
        joint,
        version::{File, Version},
    },
    xml::Element,
};

/// Maximum number of links, joints, frames and models together.
const MOST_NODES: usize = 100_000;

/// First version that reserves names, and whose models have different names.
const STRICT_NAMES: Version = Version(1, 7);

/// Surroundings of an element.
#[derive(Clone, Copy, Debug)]
struct Around<'a> {
    /// Scope of the names.
    scope: usize,
    /// Node of the model.
    base: usize,
    /// Prefix of the names of frames.
    prefix: &'a str,
    /// The model; `None` in a world.
    model: Option<usize>,
}

impl<'e> Document<'e> {
    /// Collects the content of a world, or of models without a world. `is_single` if the description is one model, whose
    /// names have no prefix.
    pub(in crate::sdf) fn collect(
        world: &'e Element,
        is_single: bool,
        files: &'e BTreeMap<SourceId, File>,
        problems: &mut Problems,
    ) -> Self {
        let mut document = Self {
            files,
            span: world.span,
            is_too_large: false,
            nodes: Vec::new(),
            scopes: vec![Scope::default()],
            models: Vec::new(),
            links: Vec::new(),
            joints: Vec::new(),
            poses: Vec::new(),
            bodies: Vec::new(),
        };
        document.nodes.push(Node {
            kind: Kind::World,
            full: "world".to_owned(),
            scope: 0,
            base: WORLD,
            local: nalgebra::Isometry3::identity(),
            relative_to: None,
            attached_to: None,
            placement: None,
            span: world.span,
        });
        let around = Around {
            scope: 0,
            base: WORLD,
            prefix: "",
            model: None,
        };
        document.content(world, around, is_single, problems);
        document.is_too_large = document.nodes.len() > MOST_NODES;
        if document.is_too_large {
            let message = format!("more than {MOST_NODES} links, joints and frames");
            let diagnostic = Diagnostic::error(codes::TOO_LARGE, message)
                .at(world.span, "too large")
                .help("split the world");
            problems.push(diagnostic);
        }
        document
    }

    fn content(
        &mut self,
        element: &'e Element,
        around: Around<'_>,
        is_single: bool,
        problems: &mut Problems,
    ) {
        for child in element.elements() {
            if self.nodes.len() > MOST_NODES {
                return;
            }
            match child.name.as_str() {
                "model" => self.model(child, around, is_single, problems),
                "link" if around.model.is_some() => self.link(child, around, problems),
                "joint" => self.joint(child, around, problems),
                "frame" => self.frame(child, around, problems),
                _ => {}
            }
        }
    }

    /// Adds a node with the name of an element.
    fn node(
        &mut self,
        kind: Kind,
        (name, pose): (&Written, Pose),
        around: Around<'_>,
        attached_to: Option<Written>,
        span: Span,
        problems: &mut Problems,
    ) -> usize {
        let index = self.nodes.len();
        let is_strict = self.version(span) >= STRICT_NAMES;
        let reserved = name.text.starts_with("__") && name.text.ends_with("__");
        if is_strict && (reserved || name.text == "world") {
            let message = format!("the name `{}` is reserved", printable(&name.text));
            let diagnostic = Diagnostic::error(codes::BAD_NAME, message)
                .at(name.span, "a name of SDF itself")
                .help("rename it");
            problems.push(diagnostic);
        }
        let scope = self.scopes.get_mut(around.scope);
        let same = scope.map(|scope| scope.names.entry(name.text.clone()).or_default());
        if let Some(same) = same {
            let kind_of = std::mem::discriminant(&kind);
            let is_double = |other: &&usize| {
                let other = self.nodes.get(**other).map(|node| node.kind);
                other.is_some_and(|other| std::mem::discriminant(&other) == kind_of)
            };
            if same.iter().any(|other| is_double(&other)) {
                let what = word(kind);
                let message = format!("there are two {what}s `{}`", printable(&name.text));
                let diagnostic = Diagnostic::error(codes::DUPLICATE_NAME, message)
                    .at(name.span, "one of them")
                    .help("rename one of them");
                problems.push(diagnostic);
            }
            same.push(index);
        }
        self.nodes.push(Node {
            kind,
            full: format!("{}{}", around.prefix, name.text),
            scope: around.scope,
            base: around.base,
            local: pose.local,
            relative_to: pose.relative_to,
            attached_to,
            placement: None,
            span,
        });
        index
    }

    fn model(
        &mut self,
        element: &'e Element,
        around: Around<'_>,
        is_single: bool,
        problems: &mut Problems,
    ) {
        let Some(mut name) = fields::name(element, problems) else {
            return;
        };
        let is_merged = element.attribute(MERGED).is_some() && around.model.is_some();
        if is_merged {
            // The name of SDF for the frame of a model that is merged.
            name.text = format!("_merged__{}__model__", name.text);
        } else if self.version(element.span) < STRICT_NAMES {
            self.rename(&mut name, around, problems);
        }
        let index = self.models.len();
        let kind = match is_merged {
            true => Kind::Frame,
            false => Kind::Model(index),
        };
        let pose = fields::pose(element, problems);
        let canonical = fields::named(element, "canonical_link").filter(|_| !is_merged);
        let node = self.node(
            kind,
            (&name, pose),
            around,
            canonical,
            element.span,
            problems,
        );
        if let Some(own) = self.nodes.get_mut(node) {
            own.placement = fields::named(element, "placement_frame");
        }
        if is_merged {
            let inside = Around {
                base: node,
                ..around
            };
            self.content(element, inside, false, problems);
            return;
        }
        let prefix = match is_single && around.model.is_none() {
            true => String::new(),
            false => format!("{}{}::", around.prefix, name.text),
        };
        let inside = Around {
            scope: self.open(element, node, around, problems),
            base: node,
            prefix: &prefix,
            model: Some(index),
        };
        self.content(element, inside, false, problems);
        let first = self.models.get(index).and_then(|model| model.first_link);
        let outer = around.model.and_then(|outer| self.models.get_mut(outer));
        if let Some(outer) = outer {
            outer.first_link = outer.first_link.or(first);
        }
    }

    /// Adds a model without content, and returns its scope.
    fn open(
        &mut self,
        element: &'e Element,
        node: usize,
        around: Around<'_>,
        problems: &mut Problems,
    ) -> usize {
        let outer = around.model.and_then(|outer| self.models.get(outer));
        let usual = (self.models.len(), false);
        let (top, above) = outer.map_or(usual, |outer| (outer.top, outer.is_static));
        let mut flag = |name| fields::flag(element, name, problems).unwrap_or(false);
        let scope = self.scopes.len();
        self.scopes.push(Scope::default());
        self.models.push(Model {
            element,
            node,
            scope,
            top,
            is_static: flag("static") || above,
            self_collide: flag("self_collide"),
            first_link: None,
        });
        scope
    }

    /// Appends a number to the name of a model that another one has, which old versions allow.
    fn rename(&mut self, name: &mut Written, around: Around<'_>, problems: &mut Problems) {
        let Some(scope) = self.scopes.get_mut(around.scope) else {
            return;
        };
        if !scope.names.contains_key(&name.text) {
            return;
        }
        let number = scope.doubles.entry(name.text.clone()).or_insert(1);
        let free = loop {
            *number += 1;
            let free = format!("{}-{number}", name.text);
            if !scope.names.contains_key(&free) {
                break free;
            }
        };
        let message = format!("there are two models `{}`", printable(&name.text));
        let diagnostic = Diagnostic::warning(codes::DUPLICATE_NAME, message)
            .at(
                name.span,
                format!("this one is called `{}`", printable(&free)),
            )
            .help("rename it");
        problems.push(diagnostic);
        name.text = free;
    }

    fn link(&mut self, element: &'e Element, around: Around<'_>, problems: &mut Problems) {
        let (Some(name), Some(model)) = (fields::name(element, problems), around.model) else {
            return;
        };
        let index = self.links.len();
        let pose = fields::pose(element, problems);
        let kind = Kind::Link(index);
        let node = self.node(kind, (&name, pose), around, None, element.span, problems);
        let own = fields::flag(element, "self_collide", problems);
        let Some(model) = self.models.get_mut(model) else {
            return;
        };
        // Links come before the models in a model.
        let is_direct = model.first_link.is_some_and(|first| {
            let first = self.links.get(first);
            first.is_some_and(|first| Some(first.model) == around.model)
        });
        if !is_direct {
            model.first_link = Some(index);
        }
        let self_collide = own.unwrap_or(model.self_collide);
        self.links.push(Link {
            element,
            node,
            model: around.model.unwrap_or_default(),
            self_collide,
        });
    }

    fn frame(&mut self, element: &'e Element, around: Around<'_>, problems: &mut Problems) {
        let Some(name) = fields::name(element, problems) else {
            return;
        };
        let pose = fields::pose(element, problems);
        let attached_to = fields::named(element, "attached_to");
        self.node(
            Kind::Frame,
            (&name, pose),
            around,
            attached_to,
            element.span,
            problems,
        );
    }

    fn joint(&mut self, element: &'e Element, around: Around<'_>, problems: &mut Problems) {
        let Some(name) = fields::name(element, problems) else {
            return;
        };
        let version = self.version(element.span);
        let Some(mut joint) = joint::read(element, version, problems) else {
            return;
        };
        let pose = fields::pose(element, problems);
        let child = Some(joint.child.clone());
        let kind = Kind::Joint(self.joints.len());
        let node = self.node(kind, (&name, pose), around, child, element.span, problems);
        joint.node = node;
        self.joints.push(joint);
    }
}

/// Returns the name of a kind of elements.
fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::World => "world",
        Kind::Model(_) => "model",
        Kind::Link(_) => "link",
        Kind::Joint(_) => "joint",
        Kind::Frame => "frame",
    }
}
