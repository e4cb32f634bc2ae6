//! Conversion of a model to a scene: bodies become frames, in the order of the file.

mod body;
mod closures;
mod components;
mod contacts;
mod heights;
mod mass;
mod shape;
mod springs;
mod weight;

use std::collections::{BTreeMap, BTreeSet};

use morse_diagnostics::{Diagnostic, Span, printable};
use morse_scene::model::{Frame, Origin, Scene};
use nalgebra::Isometry3;

use super::{
    Options, codes, compiler::Settings, coupling::Couplings, defaults::Defaults, looks::Looks,
};
use crate::{
    names::Names,
    problems::Problems,
    urdf::{Assets, Root},
    xml::{Attribute, Element},
};

/// Name of the frame of the world.
const WORLD: &str = "world";

/// Maximum number of frames.
const MOST_FRAMES: usize = 50_000;

/// Creates the scene of a model, and the simulation file of its sensors and actuators.
pub(super) fn build(
    root: &Element,
    options: Options,
    assets: &mut Assets<'_>,
    problems: &mut Problems,
) -> (Scene, String) {
    let settings = Settings::read(root, problems);
    let defaults = Defaults::read(root, problems);
    let looks = Looks::read(root, &settings, &defaults, problems);
    let couplings = Couplings::read(root, &settings, &defaults, problems);
    let mut builder = Builder {
        settings,
        defaults,
        looks,
        couplings,
        options,
        names: Names::default(),
        bodies: BTreeMap::new(),
        geoms: Vec::new(),
        groups: BTreeMap::new(),
        weights: BTreeMap::new(),
        said: BTreeSet::new(),
        frames: Vec::new(),
        marks: BTreeMap::new(),
        slots: Vec::new(),
        variables: Vec::new(),
        axes: BTreeMap::new(),
        parents: BTreeMap::new(),
        first: None,
        fixes_root: false,
        assets,
        problems,
    };
    builder.names.insert(WORLD);
    builder.reserve(root);
    builder.world(root);
    builder.weigh_model();
    builder.remember();
    builder.simplify_friction();
    builder.damped_springs();
    let components = builder.components(root);
    let mut scene = Scene::default();
    let frames = std::mem::take(&mut builder.frames);
    for frame in frames {
        let span = frame.source.0.unwrap_or(root.span);
        if let Err(error) = scene.add_frame(frame) {
            let diagnostic = Diagnostic::error(codes::BAD_NAME, error.to_string())
                .at(span, "described here")
                .help("change the name or the number");
            builder.problems.push(diagnostic);
        }
    }
    builder.disable_collisions_of_bodies(root, &mut scene);
    builder.close_loops(root, &mut scene);
    (scene, components)
}

/// State of the conversion.
struct Builder<'a, 'f> {
    settings: Settings,
    defaults: Defaults,
    looks: Looks,
    couplings: Couplings,
    options: Options,
    /// Names of frames.
    names: Names,
    /// Bodies by their names.
    bodies: BTreeMap<String, Body>,
    /// Frames with collision geometry.
    geoms: Vec<contacts::Touchable>,
    /// Mass of each group of bodies without joints between them, by its first body, and the span of that.
    groups: BTreeMap<String, (f64, Span)>,
    /// Compensated weights of these groups.
    weights: weight::Weights,
    /// Approximations that were reported.
    said: BTreeSet<&'static str>,
    frames: Vec<Frame>,
    /// Frames of named sites, cameras and geoms, by their kinds and names.
    marks: BTreeMap<(&'static str, String), String>,
    /// Joints in the order of the bodies.
    slots: Vec<components::Slot>,
    /// Joints whose settings are written.
    variables: Vec<components::Slot>,
    /// Frames of the axes of joints, by the names of these.
    axes: BTreeMap<String, String>,
    /// Parents of frames by their names.
    parents: BTreeMap<String, Option<String>>,
    /// Source position of the first joint with settings.
    first: Option<Span>,
    /// True if the first body, which is free, is fixed to the base of a robot.
    fixes_root: bool,
    assets: &'a mut Assets<'f>,
    problems: &'a mut Problems,
}

/// A body whose frame was created.
#[derive(Clone, Debug)]
struct Body {
    /// Pose in the world in the pose of the file.
    pose: Isometry3<f64>,
    /// First body of the group of bodies without joints between them.
    head: String,
    /// First body of the parent's group.
    above: String,
}

impl Builder<'_, '_> {
    /// Reserves the names of all bodies, so that bodies keep their names.
    fn reserve(&mut self, root: &Element) {
        let mut open: Vec<&Element> = root.named("worldbody").collect();
        while let Some(element) = open.pop() {
            for child in element.elements() {
                if !["body", "frame"].contains(&child.name.as_str()) {
                    continue;
                }
                open.push(child);
                let name = child.attribute("name").map(|name| name.value.trim());
                let Some(name) = name.filter(|name| !name.is_empty() && child.name == "body")
                else {
                    continue;
                };
                if !self.names.insert(name) {
                    let message = format!("there are two bodies `{}`", printable(name));
                    let diagnostic = Diagnostic::error(codes::DUPLICATE_NAME, message)
                        .at(child.span, "one of them")
                        .help("rename one of them; the world is a body, too");
                    self.problems.push(diagnostic);
                }
            }
        }
    }

    /// Converts the world with all its bodies.
    fn world(&mut self, root: &Element) {
        let worlds = || root.named("worldbody");
        let first = worlds()
            .flat_map(Element::elements)
            .find(|child| child.name == "body");
        let is_free = |child: &Element| {
            let kind = child.attribute("type").map(|kind| kind.value.trim());
            child.name == "freejoint" || (child.name == "joint" && kind == Some("free"))
        };
        self.fixes_root = self.options.root == Root::Fixed
            && first.is_some_and(|body| body.elements().any(is_free));
        let body = Body {
            pose: Isometry3::identity(),
            head: WORLD.to_owned(),
            above: WORLD.to_owned(),
        };
        self.bodies.insert(WORLD.to_owned(), body);
        if !self.fixes_root {
            self.frames.push(Frame::new(WORLD));
        }
        for world in worlds() {
            self.content(world, WORLD, Isometry3::identity(), None);
        }
    }

    /// Returns a frame name that is not taken.
    fn free(&mut self, name: &str) -> String {
        self.names.free(name)
    }

    /// Adds a frame, up to the maximum number.
    fn push(&mut self, mut frame: Frame, span: Span) {
        frame.source = Origin(Some(span));
        if self.frames.len() == MOST_FRAMES {
            let message = format!("this model has more than {MOST_FRAMES} frames");
            let diagnostic = Diagnostic::error(codes::TOO_LARGE, message)
                .at(span, "too large")
                .help("use fewer geoms and sites");
            self.problems.push(diagnostic);
        }
        if self.frames.len() <= MOST_FRAMES {
            self.frames.push(frame);
        }
    }

    /// Warns of an approximation, once.
    fn approximate(&mut self, message: &'static str, span: Span, help: &'static str) {
        if self.said.insert(message) {
            let diagnostic = Diagnostic::warning(codes::APPROXIMATION, message);
            self.problems
                .push(diagnostic.at(span, "here first").help(help));
        }
    }

    /// Returns an element with the attributes of its class.
    fn merged(&mut self, element: &Element, class: Option<&Attribute>) -> Element {
        self.defaults.merged(element, class, self.problems)
    }
}
