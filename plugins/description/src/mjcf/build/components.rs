//! Sensors, actuators, springs and keyframes as a simulation file, or as a warning with its entries.

use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};

use morse_diagnostics::{Diagnostic, Span, printable};
use morse_scene::model::{self, Frame, rotation_from_xyzw};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use super::{Builder, WORLD};
use crate::{
    components::{File, Robot, friction_rule, list, mount},
    mjcf::{
        codes,
        joint::Joint,
        keyframe::{self, Start},
        motor::{Motor, Motors},
        option,
        sensor::{self, Component, Object},
    },
    xml::Element,
};

/// A joint with its variables, in the order of MuJoCo's `qpos`.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// Joint as written, with the spring of its `springdamper`.
    pub(super) joint: Joint,
    /// Variables: one of a hinge or slide, three of a ball joint; none of a free joint or a follower.
    pub(super) variables: Vec<String>,
    /// Number of values of the joint in `qpos`.
    pub(super) size: usize,
    /// Frame of the body.
    pub(super) body: String,
}

/// Sensors of one kind on one frame, which are one component.
struct Mounted {
    component: Component,
    name: String,
    noise: Vec<String>,
    span: Span,
}

impl Mounted {
    fn new(component: Component, element: &Element, frame: &str) -> Self {
        let name = element.attribute("name").map(|name| name.value.trim());
        let name = match name.filter(|name| !name.is_empty()) {
            Some(name) => name.to_owned(),
            None => format!("{frame}_{}", component.kind),
        };
        Self {
            name,
            noise: component.noise.iter().cloned().collect(),
            span: element.span,
            component,
        }
    }

    /// Adds the noise of another sensor of the component, which is then named after its frame.
    fn merge(&mut self, other: Self) {
        let (object, kind) = (&self.component.object.name, self.component.kind);
        self.name = match object.contains(kind) {
            true => object.clone(),
            false => format!("{object}_{kind}"),
        };
        self.noise.extend(other.noise);
    }

    /// Returns the entry in a simulation file, at a pose in a frame.
    fn entry(&self, frame: &str, pose: Isometry3<f64>) -> String {
        let turn = Isometry3::from_parts(Translation3::identity(), self.component.turn);
        let mut settings = self.component.settings.clone();
        if !self.noise.is_empty() {
            settings += &format!(", modifiers: [{}]", self.noise.join(", "));
        }
        let mount = mount(frame, pose * turn);
        format!("(kind: \"{}\"{mount}{settings})", self.component.kind)
    }
}

impl Builder<'_, '_> {
    /// Returns the simulation file of the model; empty if there is nothing to write, or if the model does not run alone.
    pub(super) fn components(&mut self, root: &Element) -> String {
        let start = keyframe::read(root, self.problems);
        let positions = self.start(start.as_ref());
        let lists = start
            .as_ref()
            .map_or([&[][..]; 2], |start| [&start.controls, &start.activations]);
        let mut motors = Motors::read(
            root,
            (&self.settings, &self.defaults),
            &self.couplings,
            lists,
            self.problems,
        );
        self.damp(&mut motors);
        if let Some(start) = &start {
            start.check_activations(motors.activation_count, self.problems);
        }
        let is_alone = self.options.is_alone;
        let gravity = option::environment(root, is_alone, self.problems);
        let friction = friction_rule(&self.frames, "greater");
        let mut file = File {
            environment: gravity.into_iter().chain(friction).collect(),
            ..File::default()
        };
        for slot in std::mem::take(&mut self.slots) {
            let motor = slot
                .joint
                .name
                .as_ref()
                .and_then(|name| motors.joints.get(name));
            let motor = motor.map(|(motor, _)| motor);
            for variable in &slot.variables {
                let position = positions.get(variable).copied();
                if let Some(settings) = self.settings(&slot, position, motor) {
                    file.joints.insert(variable.clone(), settings);
                    self.first = self.first.or(Some(slot.joint.span));
                }
            }
            self.variables.push(slot);
        }
        file.weightless = self.weightless(root);
        let mut robots = BTreeMap::new();
        self.motors(&motors, &mut robots);
        self.sensors(root, &motors, &mut robots);
        self.others(&motors.others, "actuator");
        file.robots = self.named_robots(root, robots);
        if is_alone {
            return file.text();
        }
        file.span = self.first;
        file.report(codes::COMPONENT, self.problems);
        String::new()
    }

    /// Returns the start positions of all variables that do not start at zero, and puts free bodies where they start.
    fn start(&mut self, start: Option<&Start>) -> BTreeMap<String, f64> {
        let mut positions = BTreeMap::new();
        let total = self.slots.iter().map(|slot| slot.size).sum::<usize>();
        let given = start.filter(|start| !start.positions.is_empty());
        if let Some(start) = given.filter(|start| start.positions.len() != total) {
            start.refuse(total, self.problems);
            return positions;
        }
        let mut poses = BTreeMap::new();
        let mut index = 0;
        for slot in &self.slots {
            let own = given.and_then(|start| start.positions.get(index..index + slot.size));
            index += slot.size;
            match (slot.variables.as_slice(), own) {
                ([variable], own) => {
                    let position = own.and_then(|own| own.first().copied());
                    positions.insert(variable.clone(), position.unwrap_or(slot.joint.reference));
                }
                (variables @ [_, _, _], Some([w, x, y, z])) => {
                    let turn = rotation_from_xyzw([*x, *y, *z, *w]).unwrap_or_default();
                    let angles = three_angles(&turn);
                    positions.extend(variables.iter().cloned().zip(angles));
                }
                ([], Some([x, y, z, w, i, j, k])) => {
                    let turn = rotation_from_xyzw([*i, *j, *k, *w]).unwrap_or_default();
                    let at = Translation3::new(*x, *y, *z);
                    poses.insert(slot.body.clone(), Isometry3::from_parts(at, turn));
                }
                _ => {}
            }
        }
        let free = self.frames.iter_mut();
        for frame in free.filter(|frame| frame.joint == model::Joint::Floating) {
            let pose = poses.get(&frame.name).filter(|_| self.options.is_alone);
            frame.pose = pose.copied().unwrap_or(frame.pose);
        }
        positions.retain(|_, position| *position != 0.0);
        positions
    }

    /// Adds the joints of all motors to their robots.
    fn motors(&mut self, motors: &Motors, robots: &mut BTreeMap<String, Robot>) {
        for (name, (motor, span)) in &motors.joints {
            let slot = self
                .variables
                .iter()
                .find(|slot| slot.joint.name.as_ref() == Some(name));
            let Some(slot) = slot.cloned() else { continue };
            let root = self.root(&slot.body);
            let robot = robots.entry(root).or_default();
            robot.span = robot.span.or(Some(*span));
            let spring = self.couplings.spring(name, slot.joint.spring);
            if slot.variables.len() > 1 && *motor != Motor::default() {
                let help = "command its three hinges by the actuator `joints`";
                let message = "the gear of an actuator of a ball joint is not read";
                self.approximate(message, *span, help);
            } else if motor.is_constant() && spring.is_none() {
                let efforts = slot.variables.iter().cloned();
                robot
                    .efforts
                    .extend(efforts.map(|name| (name, motor.force)));
            }
            robot.joints.extend(slot.variables);
        }
    }

    /// Adds the sensors to their robots.
    fn sensors(&mut self, root: &Element, motors: &Motors, robots: &mut BTreeMap<String, Robot>) {
        let mut others: BTreeMap<String, (usize, Span)> = BTreeMap::new();
        let mut mounted: BTreeMap<(String, &str), Mounted> = BTreeMap::new();
        let mut joints: BTreeMap<String, (Vec<String>, Span)> = BTreeMap::new();
        for element in root.named("sensor").flat_map(Element::elements) {
            let Some(component) = sensor::read(element, self.problems) else {
                let other = others.entry(element.name.clone());
                other.or_insert((0, element.span)).0 += 1;
                continue;
            };
            if component.kind == "joint_state" {
                if let Some(slot) = self.sensed(&component.object, motors) {
                    let of = joints.entry(self.root(&slot.body));
                    let of = of.or_insert_with(|| (Vec::new(), element.span));
                    of.0.extend(slot.variables);
                }
                continue;
            }
            let Some(frame) = self.frame_of(&component.object) else {
                continue;
            };
            let own = Mounted::new(component, element, &frame);
            match mounted.entry((frame, own.component.kind)) {
                Entry::Vacant(entry) => {
                    entry.insert(own);
                }
                Entry::Occupied(mut entry) => entry.get_mut().merge(own),
            }
        }
        for ((frame, kind), mounted) in mounted {
            let (mut body, mut pose) = (frame.clone(), Isometry3::identity());
            if kind == "force_torque" {
                (body, pose) = self.body_of(&frame);
                if self.is_free(&body) {
                    let other = others.entry("force of a free body".to_owned());
                    other.or_insert((0, mounted.span)).0 += 1;
                    continue;
                }
            }
            let robot = robots.entry(self.root(&frame)).or_default();
            let entry = mounted.entry(&body, pose);
            robot.add("sensors", &mounted.name, entry, mounted.span);
        }
        for (root, (names, span)) in joints {
            let mut known = BTreeSet::new();
            let names = names.into_iter();
            let names: Vec<String> = names.filter(|name| known.insert(name.clone())).collect();
            let entry = format!("(kind: \"joint_state\", joints: [{}])", list(&names));
            let robot = robots.entry(root).or_default();
            robot.add("sensors", "joint_state", entry, span);
        }
        self.others(&others, "sensor");
    }

    /// Returns the joint of a sensor, which names it or its actuator.
    fn sensed(&mut self, object: &Object, motors: &Motors) -> Option<Slot> {
        let joint = match object.kind {
            "actuator" => motors.names.get(&object.name).cloned(),
            _ => Some(object.name.clone()),
        };
        let own = self.variables.iter();
        let slot = own.filter(|_| joint.is_some());
        let slot = slot
            .into_iter()
            .find(|slot| slot.joint.name == joint)
            .cloned();
        if slot.is_none() {
            let known: Vec<&str> = match object.kind {
                "actuator" => motors.names.keys().map(String::as_str).collect(),
                _ => self
                    .variables
                    .iter()
                    .filter_map(|slot| slot.joint.name.as_deref())
                    .collect(),
            };
            self.problems.push(missing(object, &known));
        }
        slot
    }

    /// Returns the frame of an object.
    fn frame_of(&mut self, object: &Object) -> Option<String> {
        let frame_name = match object.kind {
            "body" => self
                .bodies
                .contains_key(&object.name)
                .then(|| object.name.clone()),
            kind => self.marks.get(&(kind, object.name.clone())).cloned(),
        };
        if frame_name.is_none() {
            let marks = self.marks.keys();
            let marks = marks.filter(|(kind, _)| *kind == object.kind);
            let known: Vec<&str> = match object.kind {
                "body" => self.bodies.keys().map(String::as_str).collect(),
                _ => marks.map(|(_, name)| name.as_str()).collect(),
            };
            self.problems.push(missing(object, &known));
        }
        // The world has no frame beside a robot on a base.
        frame_name.filter(|frame| !(self.fixes_root && frame == WORLD))
    }

    /// Returns the body that carries the frame of a site, and the pose of the site in it.
    fn body_of(&self, site: &str) -> (String, Isometry3<f64>) {
        let (mut name, mut pose) = (site.to_owned(), Isometry3::identity());
        // Each step leads to an earlier frame.
        for _ in 0..=self.frames.len() {
            let frame = self.frames.iter().find(|frame| frame.name == name);
            let Some(frame) = frame.filter(|_| !self.bodies.contains_key(&name)) else {
                break;
            };
            let Some(parent) = &frame.parent else { break };
            pose = frame.pose * pose;
            name.clone_from(parent);
        }
        (name, pose)
    }

    /// Returns true for the frame of a free body.
    fn is_free(&self, name: &str) -> bool {
        let mut frames = self.frames.iter();
        frames.any(|frame| frame.name == name && frame.joint == model::Joint::Floating)
    }

    /// Returns the root of a frame.
    fn root(&self, frame: &str) -> String {
        let mut frame = frame;
        // Each step leads to an earlier frame.
        for _ in 0..=self.frames.len() {
            match self.parents.get(frame) {
                Some(Some(parent)) => frame = parent,
                _ => break,
            }
        }
        frame.to_owned()
    }

    /// Returns the robots with their names. The only robot has the name of the model.
    fn named_robots(&self, root: &Element, robots: BTreeMap<String, Robot>) -> Vec<Robot> {
        let model = root.attribute("model").map(|model| model.value.trim());
        let model = model.filter(|model| !model.is_empty() && robots.len() == 1);
        let free: BTreeSet<&str> = self
            .frames
            .iter()
            .filter(|frame| frame.joint == model::Joint::Floating)
            .map(|frame| frame.name.as_str())
            .collect();
        let named = robots.into_iter().map(|(frame, mut robot)| {
            robot.finish();
            let own = if frame == WORLD { "robot" } else { &frame };
            Robot {
                name: model.unwrap_or(own).to_owned(),
                is_fixed: !free.contains(frame.as_str()),
                frame,
                ..robot
            }
        });
        named.collect()
    }

    /// Warns of sensors or actuators of each kind that is not taken.
    fn others(&mut self, others: &BTreeMap<String, (usize, Span)>, what: &str) {
        for (kind, (count, span)) in others {
            let kind = printable(kind);
            let message = match count {
                1 => format!("the {what} `{kind}` is not read"),
                count => format!("{count} {what}s `{kind}` are not read"),
            };
            let help = match what {
                "sensor" => "`morse-sim list sensors` lists the sensors of simulation files",
                _ => "move the joints by motors: `<motor joint=\"JOINT\"/>`",
            };
            let diagnostic = Diagnostic::warning(codes::IGNORED, message);
            self.problems
                .push(diagnostic.at(*span, "left out").help(help));
        }
    }

    /// Returns the settings of a joint in a simulation file, if they differ from the usual ones.
    fn settings(
        &self,
        slot: &Slot,
        position: Option<f64>,
        motor: Option<&Motor>,
    ) -> Option<String> {
        let name = slot.joint.name.as_deref().unwrap_or_default();
        let spring = self.couplings.spring(name, slot.joint.spring);
        let effort = self.couplings.sprung(name, &slot.joint);
        let mut fields = Vec::new();
        if let Some(position) = position {
            fields.push(format!("position: {position}"));
        }
        let motor = motor.copied().unwrap_or_default();
        let [spring, rest] = spring.unwrap_or_default();
        let stiffness = motor.stiffness + spring;
        if stiffness > 0.0 {
            let target = (motor.force + spring * rest) / stiffness;
            if target != position.unwrap_or(0.0) {
                fields.push(format!("target: {target}"));
            }
            fields.push(format!("stiffness: {stiffness}"));
        } else if motor.damping > 0.0 {
            fields.push(format!("velocity: {}", motor.force / motor.damping));
        }
        if let Some(effort) = effort {
            fields.push(format!("max_effort: {effort}"));
        }
        let is_driven = stiffness > 0.0 || motor.damping > 0.0;
        if is_driven && motor.relative_damping == 0.0 {
            fields.push(format!("damping: {}", motor.damping));
        }
        (!fields.is_empty()).then(|| format!("({})", fields.join(", ")))
    }

    /// Remembers the parents of all frames.
    pub(super) fn remember(&mut self) {
        let parent = |frame: &Frame| (frame.name.clone(), frame.parent.clone());
        self.parents = self.frames.iter().map(parent).collect();
    }
}

/// Returns the angles of three hinges about x, y and z, in this order, for a rotation.
fn three_angles(turn: &UnitQuaternion<f64>) -> [f64; 3] {
    let z = turn * Vector3::z();
    let [x, y] = [turn * Vector3::x(), turn * Vector3::y()];
    [
        libm::atan2(-z.y, z.z),
        libm::asin(z.x.clamp(-1.0, 1.0)),
        libm::atan2(-y.x, x.x),
    ]
}

fn missing(object: &Object, known: &[&str]) -> Diagnostic {
    let message = format!("there is no {} `{}`", object.kind, printable(&object.name));
    let diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, message)
        .at(object.span, "named here")
        .suggest(&object.name, known.iter().copied());
    match diagnostic.help.is_empty() {
        true => diagnostic.help("name one of this model"),
        false => diagnostic,
    }
}
