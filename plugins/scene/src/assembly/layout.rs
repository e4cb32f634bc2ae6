//! Division of a scene into bodies and the joints between them, as plain data without an engine and without entities.

use std::collections::BTreeMap;

pub use morse_api::joint::rotation_about;
use morse_api::{body::BodyKind, joint::JointShape};
use morse_diagnostics::{Diagnostic, printable};
use nalgebra::{Isometry3, UnitVector3};

use super::{
    Assembly, BodySettings, ClosureLayout, JointMode, JointSettings, check,
    frame_poses::poses_in_bodies,
    robots::{Robots, is_still},
    shared,
};
use crate::model::{Frame, Joint, JointAxis};

/// Bodies and joints of a scene. All lists are sorted by name.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// All frames.
    pub frames: Vec<FrameLayout>,
    /// All bodies, by the name of their head frame.
    pub bodies: Vec<BodyLayout>,
    /// All configuration variables.
    pub variables: Vec<VariableLayout>,
    /// All loop closures, in the order of the scene.
    pub closures: Vec<ClosureLayout>,
    /// Warnings about settings that are probably unintended.
    pub warnings: Vec<Diagnostic>,
}

/// A frame and the body to which it belongs.
#[derive(Clone, Debug)]
pub struct FrameLayout {
    /// Name of the frame.
    pub name: String,
    /// Index of the frame in the scene's frames.
    pub in_scene: usize,
    /// Index of the parent frame in [`Layout::frames`].
    pub parent: Option<usize>,
    /// Index of the body in [`Layout::bodies`].
    pub body: usize,
    /// Pose of the frame in the frame of its body.
    pub body_from_frame: Isometry3<f64>,
}

/// A maximal group of frames that are fixed to each other.
#[derive(Clone, Debug)]
pub struct BodyLayout {
    /// Index in [`Layout::frames`] of the head frame, which gives the body its name and axes.
    pub head: usize,
    /// Indices in [`Layout::frames`] of all frames of the group, sorted.
    pub frames: Vec<usize>,
    /// Kind of the body: how its motion is determined.
    pub kind: BodyKind,
    /// Settings of the body.
    pub settings: BodySettings,
    /// Initial pose in the world.
    pub pose: Isometry3<f64>,
    /// Path of the robot to which the body belongs.
    pub robot: Option<String>,
    /// Friction coefficient of that robot's geometry, except geometry without friction.
    pub robot_friction: Option<f64>,
    /// Joint between the body and its parent body.
    pub attachment: Option<Attachment>,
    /// True if a joint or an actuator may move the body, so that it must not sleep.
    pub actuated: bool,
}

/// A joint between two bodies.
#[derive(Clone, Debug)]
pub struct Attachment {
    /// Index of the parent body in [`Layout::bodies`].
    pub parent: usize,
    /// Pose of the joint at position zero in the frame of the parent body. The joint is at the origin of the child body.
    pub parent_from_joint: Isometry3<f64>,
    /// Direction of the joint axis, in joint axes.
    pub axis: UnitVector3<f64>,
    /// True for a revolute joint, false for a prismatic one.
    pub is_angle: bool,
    /// Displacement of the joint per unit of the variable, m or rad.
    pub travel: f64,
    /// Index of the variable in [`Layout::variables`].
    pub variable: usize,
    /// Offset that is added to the variable.
    pub offset: f64,
    /// Viscous damping, N·m·s/rad or N·s/m.
    pub damping: f64,
    /// Maximum dry friction, N·m or N.
    pub dry_friction: f64,
    /// Armature: inertia of the rotor reflected to the joint, kg·m² or kg.
    pub armature: f64,
}

impl Attachment {
    /// Returns the pose of the child body in the frame of its parent for a value of the variable.
    #[must_use]
    pub fn parent_from_child(&self, value: f64) -> Isometry3<f64> {
        self.shape().parent_from_child(value)
    }

    /// Returns the pose of the joint and the motion that it permits.
    #[must_use]
    pub fn shape(&self) -> JointShape {
        JointShape {
            parent_from_joint: self.parent_from_joint,
            axis: self.axis,
            is_angle: self.is_angle,
            travel: self.travel,
            offset: self.offset,
        }
    }
}

/// A configuration variable: the coordinate of one joint or of several that move together.
#[derive(Clone, Debug)]
pub struct VariableLayout {
    /// Name of the variable.
    pub name: String,
    /// True if the variable is an angle.
    pub is_angle: bool,
    /// Lower and upper position limit; infinite without a limit.
    pub limits: [f64; 2],
    /// Maximum speed; infinite without a limit.
    pub max_velocity: f64,
    /// Maximum effort; infinite without a limit.
    pub max_effort: f64,
    /// Settings of the variable's joints; the position is within the limits.
    pub settings: JointSettings,
    /// Indices in [`Layout::bodies`] of the child bodies of the variable's joints.
    pub bodies: Vec<usize>,
    /// Path of the robot to which the variable belongs.
    pub robot: Option<String>,
    /// Index in the scene of the first frame with the variable; the joints of a robot are ordered by it.
    pub declared: usize,
}

/// Returns the bodies and joints of an assembly.
///
/// # Errors
///
/// Returns all settings that name a frame or variable which the scene lacks, and all contradictory settings, in one pass.
pub fn layout(assembly: &Assembly) -> Result<Layout, Vec<Diagnostic>> {
    let mut warnings = check::check(assembly)?;
    let robots = Robots::of(assembly);
    let variables = variables(assembly, &robots, &mut warnings)?;
    let mut builder = Builder {
        assembly,
        robots,
        layout: Layout {
            variables,
            warnings,
            ..Layout::default()
        },
        heads: Vec::new(),
        ranks: Vec::new(),
        bodies: Vec::new(),
    };
    builder.group();
    builder.make_bodies();
    builder.attach();
    builder.mark_actuated();
    let mut layout = builder.layout;
    let mut errors = shared::between_mechanisms(&layout, &assembly.scene);
    errors.extend(layout.close(&assembly.scene));
    if errors.is_empty() {
        Ok(layout)
    } else {
        Err(errors)
    }
}

struct Builder<'a> {
    assembly: &'a Assembly,
    robots: Robots<'a>,
    layout: Layout,
    /// Index in the scene of the head frame of each frame's group. This list and the next ones are in the order of the
    /// scene's frames.
    heads: Vec<usize>,
    /// Index of each frame in [`Layout::frames`].
    ranks: Vec<usize>,
    /// Index of each frame's body in [`Layout::bodies`].
    bodies: Vec<usize>,
}

impl Builder<'_> {
    fn group(&mut self) {
        let scene = &self.assembly.scene;
        let count = scene.frames().len();
        self.heads = (0..count).collect();
        for index in scene.order() {
            let (Some(frame), Some(parent)) =
                (scene.frames().get(index), scene.parent_index(index))
            else {
                continue;
            };
            if is_fixed_to_parent(self.assembly, &self.robots, frame)
                && let Some(head) = self.heads.get(parent).copied()
                && let Some(own) = self.heads.get_mut(index)
            {
                *own = head;
            }
        }
        self.ranks = ranks(count, scene.by_name());
        let is_head = |index: &usize| self.heads.get(*index) == Some(index);
        let of_heads = ranks(count, scene.by_name().filter(is_head));
        let bodies = self.heads.iter().map(|head| of_heads.get(*head).copied());
        self.bodies = bodies.map(Option::unwrap_or_default).collect();
    }

    fn make_bodies(&mut self) {
        let scene = &self.assembly.scene;
        let variables = &self.layout.variables;
        let poses = scene.absolute_poses(|name| position_of(variables, name));
        let in_body = poses_in_bodies(scene, &self.heads, |name| position_of(variables, name));
        self.layout.frames.reserve_exact(self.heads.len());
        let bodies = self.bodies.iter().max().map_or(0, |last| last + 1);
        self.layout.bodies.reserve_exact(bodies);
        for (rank, in_scene) in scene.by_name().enumerate() {
            let (Some(frame), Some(&body)) =
                (scene.frames().get(in_scene), self.bodies.get(in_scene))
            else {
                continue;
            };
            let parent = scene.parent_index(in_scene);
            self.layout.frames.push(FrameLayout {
                name: frame.name.clone(),
                in_scene,
                parent: parent.and_then(|parent| self.ranks.get(parent).copied()),
                body,
                body_from_frame: in_body.get(in_scene).copied().unwrap_or_default(),
            });
            if self.heads.get(in_scene) == Some(&in_scene) {
                let pose = poses.get(in_scene).copied().unwrap_or_default();
                let body = self.body(rank, frame, pose);
                self.layout.bodies.push(body);
            }
        }
        for (index, frame) in self.layout.frames.iter().enumerate() {
            if let Some(body) = self.layout.bodies.get_mut(frame.body) {
                body.frames.push(index);
            }
        }
    }

    fn body(&self, head: usize, frame: &Frame, pose: Isometry3<f64>) -> BodyLayout {
        let name = frame.name.as_str();
        let robot = self.robots.of_frame(name);
        let based = self.robots.based_on(name);
        let named = self.assembly.bodies.get(name);
        let jointed = is_jointed(self.assembly, &self.robots, frame);
        let floats = frame.joint == Joint::Floating;
        let mut settings = named.cloned().unwrap_or_default();
        let kind = match (based, named) {
            (Some(based), _) => based.kind,
            (None, Some(named)) if !jointed => named.kind,
            _ if jointed || floats => BodyKind::Dynamic,
            _ => BodyKind::Fixed,
        };
        if let Some(based) = based {
            settings.mass = settings.mass.or(based.mass);
            settings.linear_damping = based.linear_damping.unwrap_or(settings.linear_damping);
            settings.angular_damping = based.angular_damping.unwrap_or(settings.angular_damping);
            settings.drag_area = based.drag_area.unwrap_or(settings.drag_area);
            settings.locked = settings.locked.and(based.locked);
        }
        let of_robot = robot.and_then(|robot| self.assembly.robots.get(robot));
        settings.gravity &= of_robot.is_none_or(|robot| robot.gravity);
        BodyLayout {
            robot_friction: of_robot.and_then(|robot| robot.friction),
            head,
            frames: Vec::new(),
            kind,
            settings,
            pose,
            robot: robot.map(ToOwned::to_owned),
            attachment: None,
            actuated: based.is_some(),
        }
    }

    fn attach(&mut self) {
        let scene = &self.assembly.scene;
        for index in 0..self.layout.bodies.len() {
            let Some(in_scene) = self.head_of(index) else {
                continue;
            };
            let (Some(frame), Some(parent)) =
                (scene.frames().get(in_scene), scene.parent_index(in_scene))
            else {
                continue;
            };
            let (true, Some(axis)) = (self.robots.has_joint(frame), frame.joint.axis()) else {
                continue;
            };
            let attachment = self.attachment(frame, axis, parent);
            let variable = self.layout.variables.get_mut(attachment.variable);
            if let Some(variable) = variable {
                variable.bodies.push(index);
            }
            if let Some(body) = self.layout.bodies.get_mut(index) {
                let mode = self.layout.variables.get(attachment.variable);
                if mode.is_some_and(|variable| variable.settings.mode == JointMode::Kinematic) {
                    body.kind = BodyKind::Kinematic;
                }
                body.attachment = Some(attachment);
            }
        }
    }

    /// Returns the index in the scene of the head frame of a body.
    fn head_of(&self, body: usize) -> Option<usize> {
        let head = self.layout.bodies.get(body)?.head;
        Some(self.layout.frames.get(head)?.in_scene)
    }

    /// Returns the joint of a frame whose parent is the frame with the index `parent` in the scene.
    fn attachment(&self, frame: &Frame, axis: &JointAxis, parent: usize) -> Attachment {
        let parent_body = self.bodies.get(parent);
        let rank = self.ranks.get(parent);
        let body_from_parent = rank.and_then(|rank| self.layout.frames.get(*rank));
        let is_angle = matches!(frame.joint, Joint::Revolute(_));
        let variable = self
            .layout
            .variables
            .binary_search_by(|known| known.name.as_str().cmp(&axis.variable));
        let gear = axis.gear.unwrap_or(1.0);
        let length = if is_angle { 1.0 } else { axis.axis.norm() };
        Attachment {
            parent: parent_body.copied().unwrap_or_default(),
            parent_from_joint: body_from_parent
                .map(|frame_layout| frame_layout.body_from_frame * frame.pose)
                .unwrap_or(frame.pose),
            axis: UnitVector3::new_normalize(axis.axis),
            is_angle,
            travel: length * axis.ratio.unwrap_or(1.0),
            variable: variable.unwrap_or_default(),
            offset: axis.offset,
            damping: axis.damping.unwrap_or(0.0),
            dry_friction: axis.dry_friction.unwrap_or(0.0),
            armature: axis.armature.unwrap_or(0.0) * gear * gear,
        }
    }

    /// Marks the bodies on both sides of a joint as actuated, since the joint's motor moves both.
    fn mark_actuated(&mut self) {
        let attachments = self.layout.bodies.iter().enumerate();
        let moved: Vec<usize> = attachments
            .filter_map(|(index, body)| Some([index, body.attachment.as_ref()?.parent]))
            .flatten()
            .collect();
        for index in moved {
            if let Some(body) = self.layout.bodies.get_mut(index) {
                body.actuated = true;
            }
        }
    }
}

/// Returns the position of each of `count` indices in a sequence of them; 0 for those that the sequence lacks.
fn ranks(count: usize, sorted: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut ranks = vec![0; count];
    for (rank, index) in sorted.enumerate() {
        if let Some(own) = ranks.get_mut(index) {
            *own = rank;
        }
    }
    ranks
}

fn position_of(variables: &[VariableLayout], name: &str) -> f64 {
    let index = variables.binary_search_by(|variable| variable.name.as_str().cmp(name));
    let variable = index.ok().and_then(|index| variables.get(index));
    variable.map_or(0.0, |variable| variable.settings.position)
}

/// Returns true if a frame belongs to the same body as its parent.
fn is_fixed_to_parent(assembly: &Assembly, robots: &Robots<'_>, frame: &Frame) -> bool {
    let stands_alone =
        assembly.bodies.contains_key(&frame.name) || robots.based_on(&frame.name).is_some();
    !stands_alone
        && match &frame.joint {
            Joint::Fixed => true,
            Joint::Revolute(_) | Joint::Floating => false,
            // A prismatic joint with a zero axis permits no motion.
            Joint::Prismatic(axis) => is_still(axis),
        }
}

/// Returns true if a joint connects a frame's body with its parent's body.
fn is_jointed(assembly: &Assembly, robots: &Robots<'_>, frame: &Frame) -> bool {
    robots.has_joint(frame) && assembly.scene.parent_of(frame).is_some()
}

fn variables(
    assembly: &Assembly,
    robots: &Robots<'_>,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Vec<VariableLayout>, Vec<Diagnostic>> {
    let mut by_name: BTreeMap<&str, VariableLayout> = BTreeMap::new();
    for frame in assembly.scene.parents_first() {
        let Some(axis) = frame
            .joint
            .axis()
            .filter(|_| is_jointed(assembly, robots, frame))
        else {
            continue;
        };
        let is_angle = matches!(frame.joint, Joint::Revolute(_));
        let in_scene = assembly.scene.frame_index(&frame.name);
        let in_scene = in_scene.unwrap_or(usize::MAX);
        let entry = by_name
            .entry(&axis.variable)
            .or_insert_with(|| VariableLayout {
                name: axis.variable.clone(),
                is_angle,
                limits: [f64::NEG_INFINITY, f64::INFINITY],
                max_velocity: f64::INFINITY,
                max_effort: f64::INFINITY,
                settings: assembly
                    .joints
                    .get(&axis.variable)
                    .copied()
                    .unwrap_or_default(),
                bodies: Vec::new(),
                robot: robots.of_frame(&frame.name).map(ToOwned::to_owned),
                declared: in_scene,
            });
        entry.declared = entry.declared.min(in_scene);
        if let Some([lower, upper]) = axis.limits.position {
            entry.limits = [entry.limits[0].max(lower), entry.limits[1].min(upper)];
        }
        entry.max_velocity = entry
            .max_velocity
            .min(axis.limits.velocity.unwrap_or(f64::INFINITY));
        entry.max_effort = entry
            .max_effort
            .min(axis.limits.effort.unwrap_or(f64::INFINITY));
    }
    let mut variables: Vec<VariableLayout> = by_name.into_values().collect();
    let torn = variables.iter().filter(|variable| {
        let [lower, upper] = variable.limits;
        lower > upper
    });
    let torn: Vec<Diagnostic> = torn.map(limits_exclude_each_other).collect();
    if !torn.is_empty() {
        return Err(torn);
    }
    for variable in &mut variables {
        finish(variable, assembly, warnings);
    }
    Ok(variables)
}

fn limits_exclude_each_other(variable: &VariableLayout) -> Diagnostic {
    let [lower, upper] = variable.limits;
    let message = format!(
        "the joints of the variable `{}` have limits that exclude each other",
        printable(&variable.name)
    );
    Diagnostic::error("scene::limits", message)
        .note(format!("one ends at {upper}, another begins at {lower}"))
        .help("give the joints that move together limits that overlap, or variables of their own")
}

/// Clamps the initial position of a variable to its limits.
fn finish(variable: &mut VariableLayout, assembly: &Assembly, warnings: &mut Vec<Diagnostic>) {
    let [lower, upper] = variable.limits;
    let wanted = variable.settings.position;
    variable.settings.position = wanted.clamp(lower, upper);
    let is_set = assembly.joints.contains_key(&variable.name);
    if is_set && (variable.settings.position - wanted).abs() > 0.0 {
        warnings.push(
            Diagnostic::warning(
                "scene::start-beyond-limit",
                format!("`{}` cannot start at {wanted}", variable.name),
            )
            .note(format!("its limits are {lower} and {upper}"))
            .help(format!(
                "it starts at {} instead",
                variable.settings.position
            )),
        );
    }
    if is_set && variable.is_angle && wanted.abs() > std::f64::consts::TAU + 0.01 {
        let message = format!("`{}` starts at {wanted} rad", printable(&variable.name));
        warnings.push(
            Diagnostic::warning("scene::degrees", message)
                .note("that is more than a full turn: angles are in radians")
                .help(format!(
                    "if degrees were meant, write {:.4}",
                    wanted.to_radians()
                )),
        );
    }
    if let Some(effort) = variable.settings.max_effort {
        variable.max_effort = effort;
    }
}
