//! Conversion of a description to a scene: links become frames, joints become their joints.

mod components;
mod contacts;
mod joints;
mod mass;
mod pieces;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use morse_diagnostics::{Diagnostic, Span, printable};
use morse_scene::model::{self, Frame, Origin, Scene};
use nalgebra::Isometry3;

use super::{
    codes,
    document::{Body, Document, Kind, WORLD},
    ignored::Said,
    tree::{self, Tree},
};
use crate::{
    components::friction_rule,
    mjcf::Surface,
    names::Names,
    packages::Packages,
    problems::Problems,
    urdf::{Asset, Assets, Root},
};

/// Name of the frame of the world.
const WORLD_NAME: &str = "world";

/// Maximum number of frames.
const MOST_FRAMES: usize = 100_000;

/// State of the conversion.
pub(super) struct Builder<'a, 'e> {
    pub(super) document: &'a Document<'e>,
    pub(super) tree: &'a Tree,
    pub(super) packages: &'a Packages,
    /// Reads the heights of an image.
    pub(super) surface: fn(&Path) -> Result<Surface, String>,
    /// Directories whose files may be read.
    pub(super) allowed: &'a [PathBuf],
    /// True if a required mesh that is missing is an error.
    pub(super) simulated: bool,
    /// True if the description is one model.
    pub(super) is_single: bool,
    pub(super) root: Root,
    /// True if sensors and plugins become a simulation file.
    pub(super) has_components: bool,
    /// Fields of the environment of the simulation file.
    pub(super) environment: Vec<String>,
    /// True if the world has a position on Earth.
    pub(super) has_origin: bool,
    pub(super) problems: &'a mut Problems,
    pub(super) said: &'a mut Said,
}

/// Frames that were created.
struct Frames<'a> {
    names: Names,
    frames: Vec<Frame>,
    /// Frame of each link.
    links: BTreeMap<usize, String>,
    /// Collisions of each link, by their names, and their frames.
    collisions: BTreeMap<usize, Vec<(String, String)>>,
    /// Frames with collisions.
    touchable: Vec<contacts::Touchable>,
    /// Files by the directories of the descriptions.
    assets: BTreeMap<PathBuf, Assets<'a>>,
    /// Outermost models without visuals, whose collisions are drawn.
    undrawn: BTreeSet<usize>,
    /// Roots of the trees of links, by their outermost models.
    roots: BTreeMap<usize, Vec<usize>>,
    /// Frames of the outermost models, by their indices.
    bases: BTreeMap<usize, components::Base>,
    /// Inertial properties of the links that move.
    weights: BTreeMap<usize, mass::Weight>,
    /// Links with a mass of zero that are fixed.
    immovable: BTreeSet<usize>,
}

impl<'a> Builder<'a, '_> {
    /// Creates the scene, with its files and the simulation file of its sensors and plugins.
    pub(super) fn build(mut self) -> (Scene, Vec<Asset>, String) {
        let mut frames = Frames {
            names: Names::default(),
            frames: Vec::new(),
            links: BTreeMap::new(),
            collisions: BTreeMap::new(),
            touchable: Vec::new(),
            assets: BTreeMap::new(),
            undrawn: self.undrawn(),
            roots: self.roots(),
            bases: BTreeMap::new(),
            weights: BTreeMap::new(),
            immovable: BTreeSet::new(),
        };
        for link in &self.document.links {
            frames.names.insert(self.full(link.node));
        }
        self.weigh(&mut frames);
        let mut marks = Vec::new();
        for index in 0..self.document.models.len() {
            let is_top = self
                .document
                .models
                .get(index)
                .is_some_and(|model| model.top == index);
            if is_top && !self.model(index, &mut frames) {
                marks.push(index);
            }
        }
        self.marks(&marks, &mut frames);
        let mut scene = Scene::default();
        // After an error a frame that is refused is a consequence of it.
        let is_sound = !self.problems.any_error();
        for frame in std::mem::take(&mut frames.frames) {
            let span = frame.source.0;
            if let Err(error) = scene.add_frame(frame)
                && is_sound
            {
                let mut diagnostic = Diagnostic::error(codes::BAD_NAME, error.to_string())
                    .help("change the name or the number");
                if let Some(span) = span {
                    diagnostic = diagnostic.at(span, "described here");
                }
                self.problems.push(diagnostic);
            }
        }
        self.disable_collisions_of_links(&frames, &mut scene);
        self.close_loops(&mut frames, &mut scene);
        self.environment
            .extend(friction_rule(scene.frames(), "smaller"));
        let mut geometries = scene.frames().iter().flat_map(|frame| &frame.geometry);
        if geometries.any(|geometry| geometry.restitution.is_some_and(|number| number > 0.0)) {
            self.environment
                .push("restitution_rule: product".to_owned());
        }
        let components = self.components(&frames);
        let assets = frames.assets.into_values();
        let assets = assets.flat_map(|assets| assets.list).collect();
        (scene, assets, components)
    }

    /// Returns the roots of the trees of links, by their outermost models.
    fn roots(&self) -> BTreeMap<usize, Vec<usize>> {
        let mut roots: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (index, link) in self.document.links.iter().enumerate() {
            if self.tree.root(index) == index {
                roots.entry(self.top(link)).or_default().push(index);
            }
        }
        roots
    }

    /// Returns the name of a node with the names of the models around it.
    fn full(&self, node: usize) -> &'a str {
        let node = self.document.nodes.get(node);
        node.map_or("", |node| node.full.as_str())
    }

    fn span(&self, node: usize) -> Span {
        let node = self.document.nodes.get(node);
        node.map_or(self.document.span, |node| node.span)
    }

    /// Adds the frame of an outermost model with all trees of its links. Returns false if the model is attached to another
    /// one, or has no links.
    fn model(&mut self, index: usize, frames: &mut Frames<'a>) -> bool {
        let document = self.document;
        let Some(model) = document.models.get(index) else {
            return false;
        };
        let canonical = match document.body(model.node) {
            Body::Link(link) => Some(self.tree.root(link)),
            Body::World => None,
        };
        if canonical.is_none() && !model.is_static {
            let name = printable(self.full(model.node));
            let diagnostic = Diagnostic::warning(codes::NO_LINKS, format!("`{name}` has no links"))
                .at(self.span(model.node), "only its frames are taken")
                .help("add `<link name=\"base\"/>`");
            self.problems.push(diagnostic);
        }
        let is_own = |link: usize| {
            let link = document.links.get(link);
            let model = link.and_then(|link| document.models.get(link.model));
            model.is_some_and(|model| model.top == index)
        };
        let roots = frames.roots.remove(&index).unwrap_or_default();
        let base = canonical.filter(|root| is_own(*root));
        let mut above = None;
        if let Some(base) = base {
            above = Some(self.base(index, base, frames));
        }
        for root in roots {
            let is_base = Some(root) == base;
            let is_held = matches!(self.tree.parents.get(root), Some(Some(_)));
            let under = above
                .clone()
                .filter(|(_, is_fixed)| is_base || (is_held && *is_fixed));
            self.links(root, under.map(|(name, _)| name), model.node, frames);
        }
        base.is_some()
    }

    /// Adds the frame of a model, above the root of its canonical link. Returns its name, and true if it is fixed.
    fn base(&mut self, index: usize, root: usize, frames: &mut Frames<'a>) -> (String, bool) {
        let Some(model) = self.document.models.get(index) else {
            return (String::new(), false);
        };
        let is_held = matches!(self.tree.parents.get(root), Some(Some((_, Body::World))));
        let is_bolted = model.is_static || is_held || frames.immovable.contains(&root);
        let is_fixed = is_bolted || (self.root == Root::Fixed && self.is_single);
        let name = self.model_name(model.node, frames);
        let mut frame = Frame::new(&*name);
        frame.pose = self.document.pose(model.node);
        if is_bolted && self.is_single && frames.names.insert(WORLD_NAME) {
            self.push(Frame::new(WORLD_NAME), model.node, frames);
            frame.parent = Some(WORLD_NAME.to_owned());
        }
        if !is_fixed {
            frame.joint = model::Joint::Floating;
            frame.mass = Some(0.0);
        }
        self.push(frame, model.node, frames);
        let base = components::Base {
            frame: name.clone(),
            is_fixed,
            root,
        };
        frames.bases.insert(index, base);
        (name, is_fixed)
    }

    /// Returns the name of the frame of a model: its own, unless a link has it.
    fn model_name(&self, node: usize, frames: &mut Frames<'a>) -> String {
        let full = self.full(node);
        match frames.names.contains(full) {
            true => frames.names.free(&format!("{full}::__model__")),
            false => frames.names.free(full),
        }
    }

    /// Adds a tree of links, whose root is attached to a frame or free. `model` is the node of the model.
    fn links(&mut self, root: usize, under: Option<String>, model: usize, frames: &mut Frames<'a>) {
        let mut open = vec![root];
        while let Some(index) = open.pop() {
            let Some(link) = self.document.links.get(index) else {
                continue;
            };
            let own = self.tree.parents.get(index).copied().flatten();
            match own {
                Some((joint, Body::Link(parent))) => {
                    let node = self
                        .document
                        .links
                        .get(parent)
                        .map_or(WORLD, |link| link.node);
                    let under = frames.links.get(&parent).cloned();
                    self.joined(index, joint, (under, node), frames);
                }
                Some((joint, Body::World)) => {
                    let node = under.as_ref().map_or(WORLD, |_| model);
                    self.joined(index, joint, (under.clone(), node), frames);
                }
                None => {
                    let name = self.full(link.node);
                    let mut frame = Frame::new(name);
                    frame.pose = self.document.pose(link.node);
                    let is_fixed =
                        tree::is_static(self.document, index) || frames.immovable.contains(&index);
                    match &under {
                        Some(under) => {
                            frame.pose = self.document.pose(model).inv_mul(&frame.pose);
                            if let Some(own) = self.relative_to_model(link.node, model) {
                                frame.pose = own;
                            }
                            frame.parent = Some(under.clone());
                        }
                        None if !is_fixed => frame.joint = model::Joint::Floating,
                        None => {}
                    }
                    self.finish(frame, index, frames);
                }
            }
            let children = self.tree.children.get(index).into_iter().flatten();
            open.extend(children.rev().copied());
        }
    }

    /// Returns the pose that a link has in its model, without rounding errors of the pose of the model.
    fn relative_to_model(&self, link: usize, model: usize) -> Option<Isometry3<f64>> {
        let node = self.document.nodes.get(link)?;
        (node.base == model && node.relative_to.is_none()).then_some(node.local)
    }

    /// Adds the frames of nested models, of models without own links, and of `<frame>` elements.
    fn marks(&mut self, unplaced: &[usize], frames: &mut Frames<'a>) {
        let document = self.document;
        for index in 0..document.nodes.len() {
            let Some(node) = document.nodes.get(index) else {
                continue;
            };
            let is_marked = match node.kind {
                Kind::Frame => true,
                Kind::Model(model) => {
                    let is_top = document
                        .models
                        .get(model)
                        .is_none_or(|own| own.top == model);
                    !is_top || unplaced.contains(&model)
                }
                Kind::World | Kind::Link(_) | Kind::Joint(_) => false,
            };
            if !is_marked {
                continue;
            }
            let name = match node.kind {
                Kind::Model(_) => self.model_name(index, frames),
                _ => frames.names.free(&node.full),
            };
            let mut frame = Frame::new(name);
            frame.pose = document.pose(index);
            if let Body::Link(link) = document.body(index)
                && let Some(own) = document.links.get(link)
            {
                frame.parent = frames.links.get(&link).cloned();
                frame.pose = document.pose(own.node).inv_mul(&frame.pose);
                frame.mass = (!tree::is_static(document, link)).then_some(0.0);
            }
            self.push(frame, index, frames);
        }
    }

    /// Adds a frame, up to the maximum number.
    fn push(&mut self, frame: Frame, node: usize, frames: &mut Frames<'a>) {
        let span = self.span(node);
        self.push_at(frame, span, frames);
    }

    fn push_at(&mut self, mut frame: Frame, span: Span, frames: &mut Frames<'a>) {
        frame.source = Origin(Some(span));
        if frames.frames.len() == MOST_FRAMES {
            let message = format!("this description has more than {MOST_FRAMES} frames");
            let diagnostic = Diagnostic::error(codes::TOO_LARGE, message)
                .at(span, "too large")
                .help("use fewer links and collisions");
            self.problems.push(diagnostic);
        }
        if frames.frames.len() <= MOST_FRAMES {
            frames.frames.push(frame);
        }
    }
}
