//! Conversion of a robot description to a scene: links become frames, joints become their joints.

mod looks;
mod mass;
mod motion;

use std::collections::{BTreeMap, BTreeSet};

use morse_diagnostics::{Diagnostic, Span};
use morse_scene::model::{self, Frame, Geometry, MeshFile, Origin, Scene, SceneError, Shape};
use nalgebra::Isometry3;

use super::{
    assets::Assets,
    codes,
    robot::{Joint, Kind, Link, Piece, Robot},
    tree::Tree,
};
use crate::problems::Problems;

/// Name of a root link that represents the world.
pub(super) const WORLD: &str = "world";

/// Maximum number of frames with collision geometry, since the scene stores their pairs.
const MOST_TOUCHABLE: usize = 600;

/// Attachment of the root link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Root {
    /// Free, unless the root link is called `world`.
    #[default]
    Free,
    /// Fixed to its mounting point.
    Fixed,
}

/// Creates the scene of a robot.
pub(super) fn build(
    robot: &Robot,
    tree: &Tree<'_>,
    root: Root,
    joint_frames: bool,
    assets: &mut Assets<'_>,
    problems: &mut Problems,
) -> Scene {
    let pieces = robot.links.iter().flat_map(|link| &link.pieces);
    let mut builder = Builder {
        robot,
        tree,
        has_looks: pieces.clone().any(|piece| piece.is_visual),
        weightless: mass::weightless(tree),
        taken: robot
            .links
            .iter()
            .map(|link| link.name.text.clone())
            .collect(),
        is_bolted: false,
        touchable: Vec::new(),
        scene: Scene::default(),
        assets,
        problems,
    };
    if !joint_frames {
        builder.bolt();
    }
    for (link, joint) in &tree.links {
        builder.link(link, *joint, root);
    }
    builder.disable_collisions_of_links();
    if joint_frames {
        builder.joint_frames();
    }
    builder.scene
}

struct Builder<'a, 'f> {
    robot: &'a Robot,
    tree: &'a Tree<'a>,
    /// True if the robot has visual geometry; otherwise the collision geometry is drawn.
    has_looks: bool,
    /// Links of bodies without any mass.
    weightless: BTreeSet<&'a str>,
    taken: BTreeSet<String>,
    /// True if the root link is attached to a frame that represents the world.
    is_bolted: bool,
    /// Frames with collision geometry.
    touchable: Vec<String>,
    scene: Scene,
    assets: &'a mut Assets<'f>,
    problems: &'a mut Problems,
}

impl Builder<'_, '_> {
    /// Attaches a root link with an explicit mass of zero to a frame that represents the world: it is immovable, as in
    /// Bullet.
    fn bolt(&mut self) {
        let Some((link, None)) = self.tree.links.first() else {
            return;
        };
        let name = &link.name.text;
        let Some(inertial) = link.inertial.as_ref().filter(|own| own.mass <= 0.0) else {
            return;
        };
        if self.taken.contains(WORLD) || !self.weightless.contains(name.as_str()) {
            return;
        }
        let message = format!("the base is immovable: its mass is {}", inertial.mass);
        self.problems.push(
            Diagnostic::warning(codes::IMMOVABLE, message)
                .at(inertial.span, "a body without mass cannot be moved by forces")
                .help("give the link a mass above 0, or leave `<inertial>` out to have it computed from the collisions"),
        );
        self.taken.insert(WORLD.to_owned());
        let added = self.scene.add_frame(Frame::new(WORLD));
        self.refuse(added, inertial.span);
        self.is_bolted = true;
    }

    fn link(&mut self, link: &Link, joint: Option<&Joint>, root: Root) {
        let mut frame = Frame::new(&*link.name.text);
        frame.source = Origin(Some(link.name.span));
        match joint {
            None if self.is_bolted => frame.parent = Some(WORLD.to_owned()),
            None if root == Root::Free && link.name.text != WORLD => {
                frame.joint = model::Joint::Floating;
            }
            None => {}
            Some(joint) => {
                frame.pose = joint.origin;
                frame.parent = Some(joint.parent.text.clone());
                match joint.kind {
                    Kind::Fixed => {}
                    Kind::Floating => frame.joint = model::Joint::Floating,
                    Kind::Planar => self.planar(joint, &mut frame),
                    Kind::Spherical => self.spherical(joint, &mut frame),
                    Kind::Revolute | Kind::Continuous | Kind::Prismatic => {
                        motion::moves(joint, self.tree, &mut frame, self.problems);
                    }
                }
            }
        }
        let is_weightless = self.weightless.contains(link.name.text.as_str());
        mass::weigh(link, is_weightless, &mut frame, self.problems);
        let mut beside = Vec::new();
        let mut counts: BTreeMap<bool, usize> = BTreeMap::new();
        for piece in &link.pieces {
            let Some(geometry) = self.geometry(link, piece) else {
                continue;
            };
            let count = counts.entry(piece.is_visual).or_default();
            *count += 1;
            if piece.origin == Isometry3::identity() {
                frame.geometry.push(geometry);
                continue;
            }
            let name = self.free_name(&link.name.text, piece.is_visual, *count);
            let mut own = Frame::new(name).under(&*link.name.text);
            own.pose = piece.origin;
            own.mass = (!is_weightless && !piece.is_visual).then_some(0.0);
            own.geometry.push(geometry);
            own.source = Origin(Some(piece.span));
            beside.push(own);
        }
        for frame in [frame].into_iter().chain(beside) {
            if frame.geometry.iter().any(|geometry| geometry.collision) {
                self.touchable.push(frame.name.clone());
            }
            let span = frame.source.0.unwrap_or(link.name.span);
            let added = self.scene.add_frame(frame);
            self.refuse(added, span);
        }
    }

    /// Converts a planar joint to two prismatic joints and a revolute one, with the axis as the normal of the plane.
    fn planar(&mut self, joint: &Joint, frame: &mut Frame) {
        let mut parent = joint.parent.text.clone();
        for (number, (letter, axis)) in motion::plane(joint).into_iter().enumerate() {
            let name = format!("{}-{letter}", joint.name.text);
            let mut slide = Frame::new(self.free(&name)).under(&*parent);
            let variable = format!("{}.{letter}", joint.name.text);
            slide.joint = model::Joint::Prismatic(model::JointAxis::new(axis.into(), variable));
            slide.mass = Some(mass::SLIDE);
            slide.source = Origin(Some(joint.name.span));
            if number == 0 {
                slide.pose = joint.origin;
            }
            parent.clone_from(&slide.name);
            let added = self.scene.add_frame(slide);
            self.refuse(added, joint.name.span);
        }
        let variable = format!("{}.yaw", joint.name.text);
        frame.parent = Some(parent);
        frame.pose = Isometry3::identity();
        let axis = model::JointAxis::new(joint.axis.into(), variable);
        frame.joint = model::Joint::Revolute(axis);
    }

    /// Converts a spherical joint to three hinges about x, y and z.
    fn spherical(&mut self, joint: &Joint, frame: &mut Frame) {
        self.problems.push(
            Diagnostic::warning(codes::SPHERICAL, "a spherical joint becomes three hinges")
                .at(joint.name.span, "this one")
                .help("they are singular at 90° of the second one; keep away from it"),
        );
        let mut parent = joint.parent.text.clone();
        let hinge = |letter: char, axis: [f64; 3]| {
            let variable = format!("{}.{letter}", joint.name.text);
            let axis = model::JointAxis {
                damping: joint.damping,
                dry_friction: joint.friction,
                ..model::JointAxis::new(axis, variable)
            };
            model::Joint::Revolute(axis)
        };
        for (letter, axis) in [('x', [1.0, 0.0, 0.0]), ('y', [0.0, 1.0, 0.0])] {
            let name = format!("{}-{letter}", joint.name.text);
            let mut between = Frame::new(self.free(&name)).under(&*parent);
            between.joint = hinge(letter, axis);
            let light = mass::BETWEEN;
            between.mass = Some(light);
            between.inertia = Some([light, light, light, 0.0, 0.0, 0.0]);
            between.source = Origin(Some(joint.name.span));
            if letter == 'x' {
                between.pose = joint.origin;
            }
            parent.clone_from(&between.name);
            let added = self.scene.add_frame(between);
            self.refuse(added, joint.name.span);
        }
        frame.parent = Some(parent);
        frame.pose = Isometry3::identity();
        frame.joint = hinge('z', [0.0, 0.0, 1.0]);
    }

    fn geometry(&mut self, link: &Link, piece: &Piece) -> Option<Geometry> {
        let mut geometry = Geometry::new(piece.shape.clone());
        geometry.source = Origin(Some(piece.span));
        geometry.visual = piece.is_visual || !self.has_looks;
        geometry.collision = !piece.is_visual;
        [geometry.friction, geometry.restitution] = match piece.is_visual {
            true => [None; 2],
            false => link.contact,
        };
        if let Shape::Mesh(MeshFile { file, resolved }) = &mut geometry.shape {
            let needed = !piece.is_visual;
            *resolved = self
                .assets
                .find("mesh", file, needed, piece.file, self.problems)?;
            geometry.scale = looks::scale(piece, resolved);
        }
        looks::paint(
            link,
            piece,
            self.robot,
            &mut geometry,
            self.assets,
            self.problems,
        );
        Some(geometry)
    }

    fn free_name(&mut self, link: &str, is_visual: bool, count: usize) -> String {
        let what = if is_visual { "visual" } else { "collision" };
        match count {
            1 => self.free(&format!("{link}-{what}")),
            count => self.free(&format!("{link}-{what}-{count}")),
        }
    }

    /// Returns a frame name that is not taken.
    fn free(&mut self, name: &str) -> String {
        let mut free = name.to_owned();
        while !self.taken.insert(free.clone()) {
            free.push('_');
        }
        free
    }

    /// Disables collisions between the links of the robot, as Gazebo and Bullet do by default: the shapes of neighbours
    /// overlap in most descriptions.
    fn disable_collisions_of_links(&mut self) {
        if self.touchable.len() > MOST_TOUCHABLE {
            let message = format!(
                "this robot has {} shapes with collisions, more than {MOST_TOUCHABLE}",
                self.touchable.len()
            );
            let diagnostic = Diagnostic::error(codes::TOO_LARGE, message)
                .at(self.robot.span, "too large")
                .help("use fewer collisions, such as one mesh a link");
            self.problems.push(diagnostic);
            return;
        }
        for (index, one) in self.touchable.iter().enumerate() {
            for other in self.touchable.iter().skip(index + 1) {
                self.scene.allow_collision(&**one, &**other);
            }
        }
    }

    /// Adds frames with the names of the joints, as amino does.
    fn joint_frames(&mut self) {
        for (link, joint) in &self.tree.links {
            let Some(joint) = joint else { continue };
            if self.taken.insert(joint.name.text.clone()) {
                let mut frame = Frame::new(&*joint.name.text).under(&*link.name.text);
                frame.source = Origin(Some(joint.name.span));
                let added = self.scene.add_frame(frame);
                self.refuse(added, joint.name.span);
            }
        }
    }

    fn refuse(&mut self, added: Result<(), SceneError>, span: Span) {
        if let Err(error) = added {
            let diagnostic = Diagnostic::error(codes::BAD_NAME, error.to_string())
                .at(span, "described here")
                .help("change the name or the number");
            self.problems.push(diagnostic);
        }
    }
}
