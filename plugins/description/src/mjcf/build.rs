//! Conversion of the bodies of a model to the frames of a scene.
use std::collections::{BTreeMap, BTreeSet};

use morse_diagnostics::{Diagnostic, Span, printable};
use morse_scene::model::{Frame, Joint, Origin, Scene};
use nalgebra::{Isometry3, Vector3};

use super::{
    assets::Library,
    codes,
    collisions::{Collisions, WORLD},
    compiler::{Compiler, shift},
    defaults::{Classes, MAIN},
    geom::{self, Context, geom},
    inertial,
    item::{Item, ORIENTATION},
    joint::{self, Coupling, Kind},
    names::Names,
};
use crate::{
    problems::Problems,
    urdf::{Assets, Root},
    xml::Element,
};

/// Mass (kg) and moment of inertia (kg·m²) of a link between two joints of one body.
const BETWEEN: (f64, f64) = (1e-6, 1e-9);

const BODY: &[&str] = &[
    "pos",
    "quat",
    "axisangle",
    "euler",
    "xyaxes",
    "zaxis",
    "childclass",
];
const BODY_WITHOUT_EFFECT: &[&str] = &["user", "gravcomp", "sleep"];
const SITE_WITHOUT_EFFECT: &[&str] = &[
    "type", "size", "rgba", "material", "group", "fromto", "user",
];
const CAMERA_WITHOUT_EFFECT: &[&str] = &[
    "mode",
    "target",
    "fovy",
    "ipd",
    "resolution",
    "focal",
    "focalpixel",
    "principal",
    "principalpixel",
    "sensorsize",
    "user",
    "orthographic",
    "projection",
    "output",
];

/// Builder of a scene.
pub(super) struct Builder<'a, 'c, 'f> {
    pub(super) compiler: &'c Compiler,
    pub(super) classes: &'c Classes<'a>,
    pub(super) library: &'c Library,
    pub(super) couplings: &'c BTreeMap<String, Coupling>,
    pub(super) assets: &'c mut Assets<'f>,
    pub(super) problems: &'c mut Problems,
    pub(super) root: Root,
    pub(super) scene: Scene,
    /// Poses of bodies in the world at the start.
    pub(super) poses: BTreeMap<String, Isometry3<f64>>,
    pub(super) sites: BTreeSet<String>,
    /// Variables of joints with names.
    pub(super) variables: BTreeSet<String>,
    names: Names,
    pub(super) collisions: Collisions,
    /// Elements that were reported as not read.
    reported: BTreeSet<String>,
}

/// Place at which the children of an element are.
#[derive(Clone)]
struct Site<'a> {
    /// Frame of the body; `None` in the world.
    frame: Option<String>,
    /// Index of the body.
    body: usize,
    /// Pose of the element in the body.
    pose: Isometry3<f64>,
    /// Pose of the body in the world.
    world: Isometry3<f64>,
    childclass: &'a str,
}

impl<'a, 'c, 'f> Builder<'a, 'c, 'f> {
    pub(super) fn new(
        (compiler, classes): (&'c Compiler, &'c Classes<'a>),
        (library, couplings): (&'c Library, &'c BTreeMap<String, Coupling>),
        root: Root,
        assets: &'c mut Assets<'f>,
        problems: &'c mut Problems,
    ) -> Self {
        Self {
            compiler,
            classes,
            library,
            couplings,
            assets,
            problems,
            root,
            scene: Scene::default(),
            poses: BTreeMap::new(),
            sites: BTreeSet::new(),
            variables: BTreeSet::new(),
            names: Names::default(),
            collisions: Collisions::default(),
            reported: BTreeSet::new(),
        }
    }

    /// Reads the sections `<worldbody>`.
    pub(super) fn worldbodies(&mut self, root: &'a Element) {
        let all: Vec<&Element> = root.named("worldbody").collect();
        let mut site = Site {
            frame: None,
            body: 0,
            pose: Isometry3::identity(),
            world: Isometry3::identity(),
            childclass: MAIN,
        };
        let is_mounted = self.root == Root::Fixed;
        if is_mounted && !is_one_free_body(&all) {
            // A robot with this frame is fixed by default.
            self.add(Frame::new(WORLD), root.span);
            site.frame = Some(WORLD.to_owned());
        }
        // Geoms and sites may have the names of bodies, which come first.
        for world in &all {
            self.names.reserve(world);
        }
        for world in all {
            self.children(world, &site, true);
        }
    }

    /// Reads the children of a body or of a `<frame>`. The geoms have a mass if `weighs`.
    fn children(&mut self, element: &'a Element, site: &Site<'a>, weighs: bool) {
        for child in element.elements() {
            match child.name.as_str() {
                "body" => self.body(child, site),
                "geom" => self.geom(child, site, weighs),
                "site" => self.site(child, site, ("site", &[], SITE_WITHOUT_EFFECT)),
                "camera" => self.site(child, site, ("camera", &[], CAMERA_WITHOUT_EFFECT)),
                "frame" => {
                    let inner = self.within(child, site);
                    self.children(child, &inner, weighs);
                }
                "joint" | "freejoint" | "inertial" if site.body > 0 => {}
                "light" => {}
                "joint" | "freejoint" | "inertial" => {
                    let message = format!("the world has no `<{}>`", child.name);
                    let problem = Diagnostic::error(codes::JOINT, message).at(child.span, "here");
                    self.problems.push(problem.help("put it into a `<body>`"));
                }
                name => self.unread(name, child),
            }
        }
    }

    /// Reports an element that is not read, once for each name.
    fn unread(&mut self, name: &str, element: &Element) {
        if !self.reported.insert(name.to_owned()) {
            return;
        }
        let problem = super::unread(name, element, super::BODY_ELEMENTS);
        self.problems.push(problem);
    }

    /// Returns the place in a `<frame>`.
    fn within(&mut self, element: &'a Element, site: &Site<'a>) -> Site<'a> {
        let item = self.item((element, "frame"), site.childclass, (BODY, &[]));
        let pose = item.pose(self.compiler, self.problems);
        Site {
            pose: site.pose * pose,
            childclass: self.childclass(element, site),
            ..site.clone()
        }
    }

    fn childclass(&mut self, element: &'a Element, site: &Site<'a>) -> &'a str {
        let own = element.attribute("childclass");
        self.classes.check(own, self.problems);
        own.map_or(site.childclass, |own| &own.value)
    }

    fn item(
        &mut self,
        element: (&'a Element, &'static str),
        childclass: &'a str,
        known: (&[&str], &[&str]),
    ) -> Item<'a, 'c> {
        Item::new(element, childclass, self.classes, known, self.problems)
    }

    fn body(&mut self, element: &'a Element, site: &Site<'a>) {
        let item = self.item(
            (element, "body"),
            site.childclass,
            (BODY, &[BODY_WITHOUT_EFFECT, &["mocap"]].concat()),
        );
        let written = item.pose(self.compiler, self.problems);
        let number = self.collisions.count();
        let name = self.named(&item, || format!("body-{number}"));
        let childclass = self.childclass(element, site);
        if geom::is_true(&item, "mocap", self.problems) {
            self.unread("mocap", element);
        }
        let joints = self.joints(element, childclass, (&name, site));
        let pose = site.pose * written;
        let world = site.world * pose;
        self.poses.insert(name.clone(), world);
        let is_free = matches!(joints.last(), Some((_, Joint::Floating, _)));
        let number = self
            .collisions
            .add_body(&name, site.body, !joints.is_empty());
        let inner = Site {
            frame: Some(name.clone()),
            body: number,
            pose: Isometry3::identity(),
            world,
            childclass,
        };
        let own = element.named("inertial").next();
        let own = own.filter(|_| self.compiler.inertia_from_geoms != Some(true));
        let weighs = own.is_none() && self.compiler.inertia_from_geoms != Some(false);
        let mut frame = self.chain(
            (&name, item.span()),
            (pose, site.frame.clone()),
            joints,
            is_free,
        );
        match own {
            Some(inertial) => {
                let item = self.item((inertial, "inertial"), MAIN, (inertial::ATTRIBUTES, &[]));
                inertial::weigh(&item, self.compiler, &mut frame, self.problems);
            }
            // The geoms are frames of their own.
            None => frame.mass = Some(0.0),
        }
        self.add(frame, item.span());
        self.children(element, &inner, weighs);
    }

    /// Adds the frames of all joints of a body but the last one. Returns the frame of the body.
    fn chain(
        &mut self,
        (name, span): (&str, Span),
        (pose, parent): (Isometry3<f64>, Option<String>),
        joints: Vec<(String, Joint, Vector3<f64>)>,
        is_free: bool,
    ) -> Frame {
        let mut frame = Frame::new(name);
        frame.source = Origin(Some(span));
        frame.parent = parent;
        frame.pose = pose;
        if is_free {
            // A robot with a model is free itself.
            if self.root == Root::Free || frame.parent.is_some() {
                frame.joint = Joint::Floating;
            }
            return frame;
        }
        let count = joints.len();
        let mut last = Vector3::zeros();
        for (index, (variable, joint, position)) in joints.into_iter().enumerate() {
            let before = shift(position - last);
            if index + 1 == count && position == Vector3::zeros() {
                frame.pose *= before;
                frame.joint = joint;
                return frame;
            }
            let name = self.names.free(&format!("{variable}-joint"));
            let mut between = Frame::new(name.as_str());
            between.source = frame.source;
            between.parent = frame.parent.take();
            between.pose = frame.pose * before;
            between.joint = joint;
            // The frame of the last joint is a part of the body.
            let is_alone = index + 1 < count;
            between.mass = Some(if is_alone { BETWEEN.0 } else { 0.0 });
            if is_alone {
                let moment = BETWEEN.1;
                between.inertia = Some([moment, moment, moment, 0.0, 0.0, 0.0]);
            }
            self.add(between, span);
            frame.parent = Some(name);
            frame.pose = Isometry3::identity();
            last = position;
        }
        frame.pose *= shift(-last);
        frame
    }

    /// Reads the joints of a body: name of the variable, joint, and position in the body. A free joint is the only one.
    fn joints(
        &mut self,
        element: &'a Element,
        childclass: &'a str,
        (body, site): (&str, &Site<'a>),
    ) -> Vec<(String, Joint, Vector3<f64>)> {
        let mut joints = Vec::new();
        let is_joint = |child: &&Element| ["joint", "freejoint"].contains(&child.name.as_str());
        for (number, child) in element.elements().filter(is_joint).enumerate() {
            let known = (joint::ATTRIBUTES, joint::WITHOUT_EFFECT);
            let item = Item::new(
                (child, "joint"),
                childclass,
                self.classes,
                (known.0, &[known.1, &["align"]].concat()),
                self.problems,
            );
            let kind = joint::kind(&item, self.problems);
            if kind == Kind::Free {
                if site.body > 0 {
                    let message = "a free joint is for bodies of the world";
                    let problem = Diagnostic::error(codes::JOINT, message);
                    let problem = problem.at(child.span, "this body is inside another one");
                    self.problems
                        .push(problem.help("move the body to `<worldbody>`, or use another joint"));
                }
                return vec![(String::new(), Joint::Floating, Vector3::zeros())];
            }
            let variable = match item.text("name") {
                Some(name) => name.to_owned(),
                None => format!("{body}-joint-{number}"),
            };
            if !self.variables.insert(variable.clone()) {
                self.duplicate("joint", &variable, child.span);
            }
            self.tell_of_springs(&item);
            let axes = joint::axes(
                &item,
                (kind, &variable),
                &Isometry3::identity(),
                self.compiler,
                self.couplings,
                self.problems,
            );
            let named = axes.into_iter().map(|axis| {
                let own = axis.joint.axis().map(|axis| axis.variable.clone());
                (own.unwrap_or_default(), axis.joint, axis.position)
            });
            joints.extend(named);
        }
        joints
    }

    /// Reports springs, which the scene does not have.
    fn tell_of_springs(&mut self, item: &Item<'_, '_>) {
        let stiffness = item.number("stiffness", self.problems).unwrap_or(0.0);
        if stiffness != 0.0 && self.reported.insert("stiffness".to_owned()) {
            let problem = Diagnostic::warning(codes::NOT_TAKEN, "springs of joints are not read")
                .at(item.span(), "the first one");
            self.problems.push(problem.help(
                "give the joint a motor in the simulation file: `joints: { \"…\": (stiffness: …, damping: …) }`",
            ));
        }
    }

    fn geom(&mut self, element: &'a Element, site: &Site<'a>, weighs: bool) {
        let item = self.item(
            (element, "geom"),
            site.childclass,
            (geom::ATTRIBUTES, geom::WITHOUT_EFFECT),
        );
        let body = self.collisions.name(site.body).to_owned();
        let number = self.scene.frames().len();
        let name = self.free_name(&item, || format!("{body}-geom-{number}"));
        let mut context = Context {
            library: self.library,
            compiler: self.compiler,
            assets: self.assets,
            problems: self.problems,
        };
        let parent = site.frame.as_deref();
        let weighs = weighs && site.body > 0;
        let Some(mut made) = geom(&item, (name, parent), (&site.pose, weighs), &mut context) else {
            return;
        };
        if site.body == 0 {
            // The world does not move.
            made.frame.mass = None;
            made.frame.inertia = None;
            made.frame.center_of_mass = None;
            for geometry in &mut made.frame.geometry {
                geometry.density = None;
            }
        }
        if let Some(filter) = made.filter {
            self.collisions
                .add_geom(&made.frame.name, site.body, filter);
        }
        self.add(made.frame, item.span());
    }

    /// Adds a named frame without geometry.
    fn site(
        &mut self,
        element: &'a Element,
        site: &Site<'a>,
        (kind, known, without_effect): (&'static str, &[&str], &[&str]),
    ) {
        let known = [known, &["pos"], &ORIENTATION].concat();
        let item = self.item((element, kind), site.childclass, (&known, without_effect));
        let Some(name) = item.element.attribute("name") else {
            return;
        };
        let taken = self.names.free(&name.value);
        if kind == "site" {
            self.sites.insert(taken.clone());
        }
        let mut frame = Frame::new(taken);
        frame.parent.clone_from(&site.frame);
        frame.pose = site.pose * item.pose(self.compiler, self.problems);
        frame.mass = (site.body > 0).then_some(0.0);
        frame.source = Origin(Some(element.span));
        self.add(frame, element.span);
    }

    /// Returns the name of a body, which no other body has.
    fn named(&mut self, item: &Item<'_, '_>, usual: impl FnOnce() -> String) -> String {
        let Some(name) = item.element.attribute("name") else {
            return self.names.free(&usual());
        };
        if self.poses.contains_key(&name.value) {
            self.duplicate("body", &name.value, name.value_span);
        }
        self.names.take(&name.value);
        name.value.clone()
    }

    /// Returns the name of a geom, which differs from those of bodies and sites if that is necessary.
    fn free_name(&mut self, item: &Item<'_, '_>, usual: impl FnOnce() -> String) -> String {
        match item.element.attribute("name") {
            Some(name) => self.names.free(&name.value),
            None => self.names.free(&usual()),
        }
    }

    fn duplicate(&mut self, noun: &str, name: &str, span: Span) {
        let message = format!("two elements `{noun}` are called `{}`", printable(name));
        let problem = Diagnostic::error(codes::DUPLICATE_NAME, message).at(span, "again");
        self.problems.push(problem.help("give it another name"));
    }

    fn add(&mut self, frame: Frame, span: Span) {
        if let Err(error) = self.scene.add_frame(frame) {
            let problem = Diagnostic::error(codes::BAD_NAME, error.to_string());
            let problem = problem.at(span, "described here");
            self.problems
                .push(problem.help("change the name or the number"));
        }
    }
}

/// Returns true if a model consists of one body with a free joint, and maybe of a floor and lights.
fn is_one_free_body(worlds: &[&Element]) -> bool {
    let mut bodies = worlds.iter().flat_map(|world| world.named("body"));
    let is_free = |joint: &Element| {
        let kind = joint.attribute("type").map(|kind| kind.value.as_str());
        joint.name == "freejoint" || (joint.name == "joint" && kind == Some("free"))
    };
    match (bodies.next(), bodies.next()) {
        (Some(only), None) => only.elements().any(is_free),
        _ => false,
    }
}
