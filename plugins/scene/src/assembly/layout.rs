//! Division of a scene into bodies, sources of their motion, and joints between them. No engine, no entity.

use std::collections::BTreeMap;

pub use morse_api::joint::rotation_about;
use morse_api::{body::BodyKind, joint::JointShape};
use morse_diagnostics::{Diagnostic, printable};
use nalgebra::{Isometry3, UnitVector3};

use super::{
    Assembly, BodySettings, JointMode, JointSettings, check,
    robots::{Robots, is_still},
    shared,
};
use crate::model::{Frame, Joint, JointAxis};

/// A scene as bodies and joints. Everything is in the order of paths: sorted by name.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// All frames.
    pub frames: Vec<FramePlace>,
    /// All bodies, by the name of their head frame.
    pub bodies: Vec<BodyLayout>,
    /// All configuration variables.
    pub variables: Vec<VariableLayout>,
    /// Warnings about what is probably not meant.
    pub warnings: Vec<Diagnostic>,
}

/// A frame and the body it belongs to.
#[derive(Clone, Debug)]
pub struct FramePlace {
    /// Of the frame.
    pub name: String,
    /// Its place in the scene's frames.
    pub in_scene: usize,
    /// The frame it hangs on, as a place in [`Layout::frames`].
    pub parent: Option<usize>,
    /// Its body, as a place in [`Layout::bodies`].
    pub body: usize,
    /// Pose of the frame in the frame of its body.
    pub body_from_frame: Isometry3<f64>,
}

/// A maximal group of frames that are fixed to each other.
#[derive(Clone, Debug)]
pub struct BodyLayout {
    /// The frame that gives the body its name and its axes, as a place in [`Layout::frames`].
    pub head: usize,
    /// All frames of the group, sorted, as places in [`Layout::frames`].
    pub frames: Vec<usize>,
    /// Source of its motion.
    pub kind: BodyKind,
    /// Settings of the body.
    pub settings: BodySettings,
    /// Pose at the start.
    pub pose: Isometry3<f64>,
    /// The robot it belongs to, by path.
    pub robot: Option<String>,
    /// The joint between it and another body.
    pub attachment: Option<Attachment>,
    /// True if a joint or an actuator may move it, so that it must not sleep.
    pub actuated: bool,
}

/// A joint between two bodies.
#[derive(Clone, Debug)]
pub struct Attachment {
    /// The body on the other side, as a place in [`Layout::bodies`].
    pub parent: usize,
    /// Pose of the joint at zero in the frame of that body. The joint is at the origin of this body.
    pub parent_from_joint: Isometry3<f64>,
    /// Direction of the axis, in joint axes.
    pub axis: UnitVector3<f64>,
    /// True if it turns; otherwise it slides.
    pub is_angle: bool,
    /// Travel for one unit of the variable, m; turn, where the joint turns, rad.
    pub travel: f64,
    /// The variable, as a place in [`Layout::variables`].
    pub variable: usize,
    /// Added to the variable.
    pub offset: f64,
    /// Viscous damping, N·m·s/rad or N·s/m.
    pub damping: f64,
    /// Greatest dry friction, N·m or N.
    pub dry_friction: f64,
    /// Inertia of the rotor as the joint feels it, kg·m² or kg.
    pub armature: f64,
}

impl Attachment {
    /// Pose of the child in the parent's frame, for a value of the variable.
    #[must_use]
    pub fn parent_from_child(&self, value: f64) -> Isometry3<f64> {
        self.shape().parent_from_child(value)
    }

    /// Pose of the joint, and the motion it allows.
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

/// A configuration variable: one joint or several that move together.
#[derive(Clone, Debug)]
pub struct VariableLayout {
    /// Of the variable.
    pub name: String,
    /// True if it is an angle.
    pub is_angle: bool,
    /// Lowest and highest position; infinite where there is no limit.
    pub limits: [f64; 2],
    /// Greatest speed; infinite where there is no limit.
    pub max_velocity: f64,
    /// Greatest effort; infinite where there is no limit.
    pub max_effort: f64,
    /// Settings of its joints; the position is within the limits.
    pub settings: JointSettings,
    /// The bodies below its joints, as places in [`Layout::bodies`].
    pub bodies: Vec<usize>,
    /// The robot it belongs to, by path.
    pub robot: Option<String>,
    /// Place of its first frame in the scene, by which a robot's joints are ordered.
    pub declared: usize,
}

/// Finds the bodies and joints of an assembly.
///
/// # Errors
///
/// When settings name what the scene does not have, or contradict it: all of them in one pass.
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
        head_of: BTreeMap::new(),
        place_of: BTreeMap::new(),
    };
    builder.group();
    builder.make_bodies();
    builder.attach();
    builder.mark_actuated();
    let torn = shared::between_mechanisms(&builder.layout, &assembly.scene);
    if torn.is_empty() {
        Ok(builder.layout)
    } else {
        Err(torn)
    }
}

struct Builder<'a> {
    assembly: &'a Assembly,
    robots: Robots<'a>,
    layout: Layout,
    /// The head frame of each frame's group.
    head_of: BTreeMap<&'a str, &'a str>,
    /// The place of each body, by the name of its head.
    place_of: BTreeMap<&'a str, usize>,
}

impl<'a> Builder<'a> {
    fn group(&mut self) {
        for frame in self.assembly.scene.parents_first() {
            let parent = self.assembly.scene.parent_of(frame);
            let head = match parent.and_then(|parent| self.head_of.get(parent.name.as_str())) {
                Some(head) if is_fixed_to_parent(self.assembly, &self.robots, frame) => head,
                _ => frame.name.as_str(),
            };
            self.head_of.insert(&frame.name, head);
        }
        let heads = self.head_of.iter().filter(|(name, head)| name == head);
        self.place_of = heads
            .enumerate()
            .map(|(at, (name, _))| (*name, at))
            .collect();
    }

    fn make_bodies(&mut self) {
        let scene = &self.assembly.scene;
        let variables = &self.layout.variables;
        let poses = scene.absolute_poses(|name| position_of(variables, name));
        let pose_of = |name: &str| {
            let place = scene.frame_index(name);
            place
                .and_then(|place| poses.get(place))
                .copied()
                .unwrap_or_default()
        };
        let places: BTreeMap<&str, usize> = self
            .head_of
            .keys()
            .enumerate()
            .map(|(at, name)| (*name, at))
            .collect();
        for (&name, &head) in &self.head_of {
            let Some(in_scene) = scene.frame_index(name) else {
                continue;
            };
            let frame = scene.frame(name);
            let parent = frame.and_then(|frame| scene.parent_of(frame));
            let at = self.layout.frames.len();
            let body = self.place_of.get(head).copied().unwrap_or_default();
            self.layout.frames.push(FramePlace {
                name: name.to_owned(),
                in_scene,
                parent: parent.and_then(|parent| places.get(parent.name.as_str()).copied()),
                body,
                body_from_frame: pose_of(head).inv_mul(&pose_of(name)),
            });
            if name == head {
                self.layout.bodies.push(self.body(at, name, pose_of(name)));
            }
        }
        for at in 0..self.layout.frames.len() {
            let body = self.layout.frames.get(at).map(|frame| frame.body);
            if let Some(body) = body.and_then(|body| self.layout.bodies.get_mut(body)) {
                body.frames.push(at);
            }
        }
    }

    fn body(&self, head: usize, name: &str, pose: Isometry3<f64>) -> BodyLayout {
        let scene = &self.assembly.scene;
        let robot = self.robots.of_frame(name);
        let based = self.robots.based_on(name);
        let named = self.assembly.bodies.get(name);
        let jointed = scene
            .frame(name)
            .is_some_and(|frame| is_jointed(self.assembly, &self.robots, frame));
        let floats = scene
            .frame(name)
            .is_some_and(|frame| frame.joint == Joint::Floating);
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
        settings.friction = settings
            .friction
            .or(of_robot.and_then(|robot| robot.friction));
        BodyLayout {
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
        for (&head, &place) in &self.place_of {
            let Some(frame) = scene.frame(head) else {
                continue;
            };
            let (true, Some(axis)) = (
                is_jointed(self.assembly, &self.robots, frame),
                frame.joint.axis(),
            ) else {
                continue;
            };
            let Some(parent) = scene.parent_of(frame).map(|parent| parent.name.as_str()) else {
                continue;
            };
            let attachment = self.attachment(frame, axis, parent);
            let variable = self.layout.variables.get_mut(attachment.variable);
            if let Some(variable) = variable {
                variable.bodies.push(place);
            }
            if let Some(body) = self.layout.bodies.get_mut(place) {
                let mode = self.layout.variables.get(attachment.variable);
                if mode.is_some_and(|variable| variable.settings.mode == JointMode::Kinematic) {
                    body.kind = BodyKind::Kinematic;
                }
                body.attachment = Some(attachment);
            }
        }
    }

    fn attachment(&self, frame: &Frame, axis: &JointAxis, parent: &str) -> Attachment {
        let parent_body = self
            .head_of
            .get(parent)
            .and_then(|head| self.place_of.get(head));
        let in_body = self
            .layout
            .frames
            .binary_search_by(|place| place.name.as_str().cmp(parent));
        let body_from_parent = in_body.ok().and_then(|at| self.layout.frames.get(at));
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
                .map(|place| place.body_from_frame * frame.pose)
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

    /// Bodies on either side of a joint are moved by its motor.
    fn mark_actuated(&mut self) {
        let attachments = self.layout.bodies.iter().enumerate();
        let moved: Vec<usize> = attachments
            .filter_map(|(at, body)| Some([at, body.attachment.as_ref()?.parent]))
            .flatten()
            .collect();
        for at in moved {
            if let Some(body) = self.layout.bodies.get_mut(at) {
                body.actuated = true;
            }
        }
    }
}

fn position_of(variables: &[VariableLayout], name: &str) -> f64 {
    let found = variables.binary_search_by(|variable| variable.name.as_str().cmp(name));
    let variable = found.ok().and_then(|at| variables.get(at));
    variable.map_or(0.0, |variable| variable.settings.position)
}

/// Tells whether a frame is one body with its parent.
fn is_fixed_to_parent(assembly: &Assembly, robots: &Robots<'_>, frame: &Frame) -> bool {
    let stands_alone =
        assembly.bodies.contains_key(&frame.name) || robots.based_on(&frame.name).is_some();
    !stands_alone
        && match &frame.joint {
            Joint::Fixed => true,
            Joint::Revolute(_) | Joint::Floating => false,
            // An axis without length moves nothing.
            Joint::Prismatic(axis) => is_still(axis),
        }
}

/// Tells whether a joint connects a frame's body with its parent's.
fn is_jointed(assembly: &Assembly, robots: &Robots<'_>, frame: &Frame) -> bool {
    robots.has_joint(frame) && assembly.scene.parent_of(frame).is_some()
}

fn variables(
    assembly: &Assembly,
    robots: &Robots<'_>,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Vec<VariableLayout>, Vec<Diagnostic>> {
    let mut found: BTreeMap<&str, VariableLayout> = BTreeMap::new();
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
        let entry = found
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
    let mut variables: Vec<VariableLayout> = found.into_values().collect();
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

/// Brings a variable's start within its limits.
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
