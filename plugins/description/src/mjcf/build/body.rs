//! Conversion of bodies, their joints, sites and cameras.

use morse_diagnostics::Diagnostic;
use morse_scene::model::{self, Frame};
use nalgebra::{Isometry3, Translation3, Vector3};

use super::{Body, Builder, WORLD, components::Slot};
use crate::{
    mjcf::{
        codes, fields, geom,
        joint::{self, Joint, Kind},
        pose::pose,
        solid::Solid,
    },
    problems::Problems,
    xml::{Attribute, Element},
};

/// Mass of the links between several joints of a body, kg.
const BETWEEN: f64 = 1e-9;

impl Builder<'_, '_> {
    /// Converts the content of a body or of a `<frame>` in it, with the pose of the latter. Returns the solids of the geoms.
    pub(super) fn content(
        &mut self,
        element: &Element,
        body: &str,
        offset: Isometry3<f64>,
        class: Option<&Attribute>,
    ) -> Vec<Solid> {
        let class = element.attribute("childclass").or(class);
        let mut solids = Vec::new();
        let has_looks = self.has_looks(element, class);
        for child in element.elements() {
            match child.name.as_str() {
                "body" => self.body(child, body, offset, class),
                "frame" => {
                    let inner = offset * pose(child, &self.settings, self.problems);
                    solids.extend(self.content(child, body, inner, class));
                }
                "geom" => {
                    let merged = self.merged(child, class);
                    let geom = geom::read(&merged, &self.settings, self.problems);
                    solids.extend(geom.and_then(|geom| self.geom(geom, body, offset, has_looks)));
                }
                "site" | "camera" if !(self.fixes_root && body == WORLD) => {
                    self.mark(child, body, offset, class);
                }
                _ => {}
            }
        }
        solids
    }

    /// True if a body has meshes that are drawn and have no contacts, in a group of their own.
    fn has_looks(&self, element: &Element, class: Option<&Attribute>) -> bool {
        let mut geoms = element.named("geom");
        geoms.any(|child| {
            // Mistakes are reported where the geom is read.
            let mut unread = Problems::new(false);
            let merged = self.defaults.merged(child, class, &mut unread);
            let text = |name: &str| merged.attribute(name).map_or("", |one| one.value.trim());
            text("type") == "mesh"
                && text("contype") == "0"
                && text("conaffinity") == "0"
                && ["1", "2"].contains(&text("group"))
        })
    }

    /// Converts a site or camera with a name to a frame.
    fn mark(
        &mut self,
        element: &Element,
        body: &str,
        offset: Isometry3<f64>,
        class: Option<&Attribute>,
    ) {
        let merged = self.merged(element, class);
        let Some(name) = fields::name(&merged, "name", self.problems) else {
            return;
        };
        let mut at = pose(&merged, &self.settings, self.problems);
        if let Some(ends) = fields::array::<6>(&merged, "fromto", fields::POSITION, self.problems) {
            let [a, b, c, d, e, f] = ends;
            let (from, to) = (Vector3::new(a, b, c), Vector3::new(d, e, f));
            let turn = crate::shapes::turned_z(from - to);
            at = Isometry3::from_parts(((from + to) / 2.0).into(), turn);
        }
        let is_taken = self.names.contains(&name);
        let own = match is_taken {
            true => self.free(&format!("{name}-{}", element.name)),
            false => self.free(&name),
        };
        let kind = if element.name == "site" {
            "site"
        } else {
            "camera"
        };
        self.marks.insert((kind, name), own.clone());
        let mut frame = Frame::new(own).under(body);
        frame.pose = offset * at;
        frame.mass = Some(0.0);
        self.push(frame, element.span);
    }

    fn body(
        &mut self,
        element: &Element,
        parent: &str,
        offset: Isometry3<f64>,
        class: Option<&Attribute>,
    ) {
        let name = fields::name(element, "name", self.problems);
        let name = name.unwrap_or_else(|| self.free(&format!("{parent}-body")));
        let class = element.attribute("childclass").or(class);
        let at = offset * pose(element, &self.settings, self.problems);
        let joints = self.joints(element, class);
        let above = self.bodies.get(parent).cloned();
        let (above, base) = above.map_or((WORLD.to_owned(), Isometry3::identity()), |above| {
            (above.head, above.pose)
        });
        let head = match joints.is_empty() {
            true => above.clone(),
            false => name.clone(),
        };
        let own = Body {
            pose: base * at,
            head: head.clone(),
            above,
        };
        self.bodies.insert(name.clone(), own);
        let index = self.frames.len();
        self.chain(&name, parent, at, &joints, element);
        let index = (index..self.frames.len()).rev().find(|index| {
            let frame = self.frames.get(*index);
            frame.is_some_and(|frame| frame.name == name)
        });
        let solids = self.content(element, &name, Isometry3::identity(), class);
        let solid = self.inertia(element, &solids);
        let mass = solid.map_or(0.0, |solid| solid.mass);
        self.weigh(element, &head, mass);
        let group = self.groups.entry(head).or_insert((0.0, element.span));
        group.0 += mass;
        let frame = index.and_then(|index| self.frames.get_mut(index));
        if let (Some(frame), Some(solid)) = (frame, solid) {
            frame.mass = Some(solid.mass);
            frame.center_of_mass = Some(solid.center);
            frame.inertia = Some(solid.moments());
        }
    }

    /// Reads the joints of a body. A free joint is the only one.
    fn joints(&mut self, element: &Element, class: Option<&Attribute>) -> Vec<Joint> {
        let mut joints = Vec::new();
        for child in element.elements() {
            if !["joint", "freejoint"].contains(&child.name.as_str()) {
                continue;
            }
            let merged = self.merged(child, class);
            joints.extend(joint::read(&merged, &self.settings, self.problems));
        }
        for joint in &joints {
            if joint.kind == Kind::Free && joints.len() > 1 {
                let diagnostic =
                    Diagnostic::error(codes::JOINT, "a free joint is the only one of its body")
                        .at(joint.span, "this body has other joints")
                        .help("remove the other joints, or attach them to a body below");
                self.problems.push(diagnostic);
            }
        }
        joints
    }

    /// Adds the frames of the joints and of the body.
    fn chain(
        &mut self,
        name: &str,
        parent: &str,
        at: Isometry3<f64>,
        joints: &[Joint],
        element: &Element,
    ) {
        let mut frame = Frame::new(name);
        frame.mass = Some(0.0);
        frame.pose = at;
        if let [joint] = joints
            && joint.kind == Kind::Free
        {
            self.slot(joint, name, Vec::new(), 7);
            let is_fixed = self.fixes_root_now(parent);
            if parent != WORLD {
                let diagnostic =
                    Diagnostic::error(codes::JOINT, "only a body of the world can be free")
                        .at(joint.span, "this body is part of another one")
                        .help("move the body to `<worldbody>`");
                self.problems.push(diagnostic);
            }
            if !is_fixed {
                frame.joint = model::Joint::Floating;
            }
            self.push(frame, element.span);
            return;
        }
        let mut under = self.parent_frame(parent);
        // Pose of the body in the frame of the last joint.
        let mut carried = at;
        let steps = self.steps(name, joints);
        for (number, (anchor, joint, wanted)) in steps.iter().enumerate() {
            let is_last = number + 1 == steps.len();
            carried *= Translation3::from(*anchor);
            let is_body = is_last && *anchor == Vector3::zeros();
            let own = match is_body {
                true => name.to_owned(),
                false => self.free(wanted),
            };
            self.axes.insert(wanted.clone(), own.clone());
            let mut link = Frame::new(&*own);
            link.parent.clone_from(&under);
            link.pose = carried;
            link.joint = joint.clone();
            link.mass = Some(if is_last { 0.0 } else { BETWEEN });
            if !is_last {
                link.inertia = Some([BETWEEN, BETWEEN, BETWEEN, 0.0, 0.0, 0.0]);
            }
            self.push(link, element.span);
            if is_body {
                return;
            }
            under = Some(own);
            carried = Translation3::from(-anchor).into();
        }
        frame.parent = under;
        frame.pose = carried;
        self.push(frame, element.span);
    }

    /// Returns true if the free body is the first one of a robot, whose joint is then fixed.
    fn fixes_root_now(&self, parent: &str) -> bool {
        let is_first = !self.frames.iter().any(|frame| frame.parent.is_none());
        self.fixes_root && parent == WORLD && is_first
    }

    /// Returns the parent frame of a body; the world of a robot on a base has no frame.
    fn parent_frame(&self, parent: &str) -> Option<String> {
        (parent != WORLD || !self.fixes_root).then(|| parent.to_owned())
    }

    /// Returns anchor, joint and frame name of each single axis, in order.
    fn steps(&mut self, body: &str, joints: &[Joint]) -> Vec<(Vector3<f64>, model::Joint, String)> {
        let mut steps = Vec::new();
        for (number, joint) in joints.iter().enumerate() {
            let name = joint.name.clone();
            let name = name.unwrap_or_else(|| match number {
                0 => format!("{body}-joint"),
                number => format!("{body}-joint-{}", number + 1),
            });
            match joint.kind {
                Kind::Free => {}
                Kind::Slide => {
                    let axis = self.couplings.model(joint, &name);
                    self.single(joint, body, &name);
                    steps.push((Vector3::zeros(), axis, name));
                }
                Kind::Hinge => {
                    let axis = self.couplings.model(joint, &name);
                    self.single(joint, body, &name);
                    steps.push((joint.anchor, axis, name));
                }
                Kind::Ball => {
                    self.approximate(
                        "a ball joint becomes three hinges",
                        joint.span,
                        "they are singular at 90° of the second one; keep away from it",
                    );
                    if joint.limits.position.is_some() {
                        self.approximate(
                            "the range of a ball joint is not read",
                            joint.span,
                            "replace it by hinges with ranges of their own",
                        );
                    }
                    let three = joint::three(joint, &name);
                    let variables = three.iter().map(|(name, _)| name.clone());
                    self.slot(joint, body, variables.collect(), 4);
                    for (letter, axis) in three {
                        let axis = self.couplings.model(&axis, &letter);
                        steps.push((joint.anchor, axis, letter));
                    }
                }
            }
        }
        steps
    }

    /// Remembers a hinge or slide. One that follows another joint has no variable of its own.
    fn single(&mut self, joint: &Joint, body: &str, name: &str) {
        let is_own = !self.couplings.follows(name);
        let variables = is_own.then(|| name.to_owned());
        self.slot(joint, body, variables.into_iter().collect(), 1);
    }

    /// Remembers a joint with its variables and the number of its positions.
    fn slot(&mut self, joint: &Joint, body: &str, variables: Vec<String>, size: usize) {
        self.slots.push(Slot {
            variables,
            size,
            body: body.to_owned(),
            joint: joint.clone(),
        });
    }
}
