//! Sensors and plugins as a simulation file, which runs with the description, or as warnings with what to write.

use std::collections::{BTreeMap, BTreeSet};

use morse_diagnostics::{Diagnostic, Severity, Span, printable};
use morse_scene::bounds::Bounds;
use nalgebra::{Isometry3, UnitQuaternion};

use super::{Builder, Frames};
use crate::{
    components::{File, Robot, frequency, list, mount},
    sdf::{
        codes,
        document::{Body, Kind, Link},
        fields::{self, VALUES, Written},
        joint,
        plugin::{self, Plugin, Vehicle},
        sensor,
    },
    xml::Element,
};

/// Frame of an outermost model that carries all its links.
#[derive(Clone, Debug)]
pub(super) struct Base {
    pub(super) frame: String,
    pub(super) is_fixed: bool,
    /// Root of the tree of its links.
    pub(super) root: usize,
}

impl Builder<'_, '_> {
    /// Returns the simulation file with the sensors and actuators of all models; empty if there are none.
    pub(super) fn components(&mut self, frames: &Frames<'_>) -> String {
        let mut robots: BTreeMap<usize, Robot> = BTreeMap::new();
        let document = self.document;
        for (index, link) in document.links.iter().enumerate() {
            for element in link.element.named("sensor") {
                let pose = self.pose(element, link);
                self.sensor(element, (index, pose), self.has_origin, frames, &mut robots);
            }
        }
        for joint in &document.joints {
            let Body::Link(link) = document.body(joint.node) else {
                continue;
            };
            for element in &joint.sensors {
                let own = document.links.get(link).map(|own| document.pose(own.node));
                let of_joint = own.map(|own| own.inv_mul(&document.pose(joint.node)));
                let pose = self.sensor_of_joint(element, of_joint.unwrap_or_default());
                self.sensor(element, (link, pose), self.has_origin, frames, &mut robots);
            }
        }
        for (index, model) in document.models.iter().enumerate() {
            for element in model.element.named("plugin") {
                self.plugin(element, index, frames, &mut robots);
            }
        }
        robots.values_mut().for_each(Robot::finish);
        let based = robots.into_iter().filter_map(|(top, robot)| {
            let base = frames.bases.get(&top)?;
            Some(Robot {
                name: base.frame.clone(),
                frame: base.frame.clone(),
                is_fixed: base.is_fixed,
                ..robot
            })
        });
        let robots = based.collect();
        let (joints, span) = self.springs();
        let file = File {
            environment: std::mem::take(&mut self.environment),
            joints,
            robots,
            span,
            ..File::default()
        };
        if self.has_components {
            return file.text();
        }
        file.report(codes::COMPONENT, self.problems);
        String::new()
    }

    /// Returns the settings of joints with a spring or an initial position, and the position of the first in its file.
    fn springs(&self) -> (BTreeMap<String, String>, Option<Span>) {
        let (mut settings_by_axis, mut first) = (BTreeMap::new(), None);
        for joint in &self.document.joints {
            let name = self.full(joint.node);
            let words: &[&str] = match joint.kind {
                joint::Kind::Revolute
                | joint::Kind::Continuous
                | joint::Kind::Prismatic
                | joint::Kind::Screw => &[""],
                joint::Kind::Universal => &[".axis", ".axis2"],
                joint::Kind::Fixed | joint::Kind::Gearbox | joint::Kind::Ball => &[],
            };
            for (axis, word) in joint.axes.iter().zip(words) {
                let is_own = axis.mimic.is_none();
                let mut settings = Vec::new();
                if axis.initial != 0.0 {
                    settings.push(format!("position: {}", axis.initial));
                }
                if let Some([stiffness, rest]) = axis.spring {
                    settings.push(format!(
                        "target: {rest}, stiffness: {stiffness}, damping: 0"
                    ));
                }
                if is_own && !settings.is_empty() {
                    first = first.or(Some(axis.span));
                    settings_by_axis.insert(
                        format!("{name}{word}"),
                        format!("({})", settings.join(", ")),
                    );
                }
            }
        }
        (settings_by_axis, first)
    }

    fn sensor(
        &mut self,
        element: &Element,
        (link, pose): (usize, Isometry3<f64>),
        has_origin: bool,
        frames: &Frames<'_>,
        robots: &mut BTreeMap<usize, Robot>,
    ) {
        let Some(name) = fields::name(element, self.problems) else {
            return;
        };
        let component = match sensor::read(element, has_origin, self.problems) {
            Ok(component) => component,
            Err(help) => {
                let kind = element
                    .attribute("type")
                    .map_or("", |kind| kind.value.trim());
                let what = format!("the sensor `{}` of type `{}`", name.text, printable(kind));
                self.not_taken(&what, element.span, help.to_owned());
                return;
            }
        };
        if let Some([message, help]) = component.approximation {
            self.said
                .approximate(message, element.span, help, self.problems);
        }
        let mut settings = component.settings;
        if component.kind == "contact" {
            settings = self.counted(link, &component.collisions, frames) + &settings;
        }
        let rate = fields::number(
            element,
            "update_rate",
            Bounds::between(0.0, 1e9),
            self.problems,
        );
        settings += &rate.map_or(String::new(), frequency);
        let frame = frames.links.get(&link).map_or("", String::as_str);
        let mount = mount(frame, pose * component.pose);
        let entry = format!("(kind: \"{}\"{mount}{settings})", component.kind);
        self.entry(
            "sensors",
            &name.text,
            entry,
            (link, element.span),
            frames,
            robots,
        );
    }

    /// Returns the pose of a sensor of a joint in the child link. A wrench is about the origin of the joint, by default in the
    /// axes of the child.
    fn sensor_of_joint(&mut self, element: &Element, joint: Isometry3<f64>) -> Isometry3<f64> {
        let own = element.named("force_torque").next();
        let axes = own.and_then(|own| own.named("frame").next());
        let rotation = match axes.is_some_and(|axes| axes.text() == "sensor") {
            true => joint.rotation * fields::pose(element, self.problems).local.rotation,
            false => UnitQuaternion::identity(),
        };
        Isometry3::from_parts(joint.translation, rotation)
    }

    /// Returns the setting `parts` of a contact sensor: the frames of the collisions that it names, or of all collisions of its
    /// link. The body of the link includes other links that are fixed to it.
    fn counted(&mut self, link: usize, named: &[Written], frames: &Frames<'_>) -> String {
        let own = frames.collisions.get(&link).map_or(&[][..], Vec::as_slice);
        for name in named {
            let known = own.iter().map(|(name, _)| name.as_str());
            if known.clone().all(|own| own != last(&name.text)) {
                let text = (name.text.as_str(), name.span);
                let mut diagnostic = VALUES.unknown("collision", text, known);
                diagnostic.severity = Severity::Warning;
                self.problems.push(diagnostic);
            }
        }
        let is_named = |own: &str| named.iter().any(|name| last(&name.text) == own);
        let counted = own
            .iter()
            .filter(|(name, _)| named.is_empty() || is_named(name));
        let counted: BTreeSet<String> = counted.map(|(_, frame)| frame.clone()).collect();
        let counted: Vec<String> = counted.into_iter().collect();
        match counted.is_empty() {
            true => String::new(),
            false => format!(", parts: [{}]", list(&counted)),
        }
    }

    /// Adds an entry to the robot of a link.
    fn entry(
        &mut self,
        family: &'static str,
        name: &str,
        entry: String,
        (link, span): (usize, Span),
        frames: &Frames<'_>,
        robots: &mut BTreeMap<usize, Robot>,
    ) {
        let top = self.document.links.get(link).map(|link| self.top(link));
        let base = top.and_then(|top| frames.bases.get(&top));
        let carried = base.is_some_and(|base| base.root == self.tree.root(link));
        let Some(top) = top.filter(|_| carried) else {
            let what = match family {
                "sensors" => format!("the sensor `{}`", printable(name)),
                _ => format!("the plugin `{}`", printable(name)),
            };
            let help = "connect its link by joints with the first link of the model".to_owned();
            self.not_taken(&what, span, help);
            return;
        };
        let robot = robots.entry(top).or_default();
        robot.add(family, name, entry, span);
    }

    fn plugin(
        &mut self,
        element: &Element,
        model: usize,
        frames: &Frames<'_>,
        robots: &mut BTreeMap<usize, Robot>,
    ) {
        let written = element.attribute("name").or(element.attribute("filename"));
        let name = written.map_or("plugin", |written| written.value.as_str());
        let link = self
            .document
            .models
            .get(model)
            .and_then(|model| model.first_link);
        let (Some(plugin), Some(link)) = (plugin::read(element, self.problems), link) else {
            let what = format!("the plugin `{}`", printable(name));
            let help =
                "`morse-sim list actuators` lists the actuators of simulation files".to_owned();
            self.not_taken(&what, element.span, help);
            return;
        };
        let at = (link, element.span);
        match plugin {
            Plugin::Sensor(kind, settings, body, rate) => {
                let scope = self
                    .document
                    .models
                    .get(model)
                    .map_or(0, |model| model.scope);
                let is_link = |kind| matches!(kind, Kind::Link(_));
                let named = body.and_then(|body| {
                    let node = self.document.in_scope(scope, &body.text, is_link)?;
                    let links = &self.document.links;
                    links.iter().position(|link| link.node == node)
                });
                let link = named.unwrap_or(link);
                let frame = frames.links.get(&link).map_or("", String::as_str);
                let mount = mount(frame, Isometry3::identity());
                let entry = format!("(kind: \"{kind}\"{mount}{settings}{})", frequency(rate));
                let at = (link, element.span);
                self.entry("sensors", name, entry, at, frames, robots);
            }
            Plugin::JointState => {
                let entry = "(kind: \"joint_state\")".to_owned();
                self.entry("sensors", "joint_state", entry, at, frames, robots);
            }
            Plugin::Joints(names) => {
                let names = self.variables(&names, model);
                let top = self.document.links.get(link).map(|link| self.top(link));
                if let Some(top) = top.filter(|top| frames.bases.contains_key(top)) {
                    let robot = robots.entry(top).or_default();
                    robot.span = robot.span.or(Some(element.span));
                    robot.joints.extend(names);
                }
            }
            Plugin::Vehicle(vehicle) => self.vehicle(vehicle, (model, at), frames, robots),
        }
    }

    /// Adds the actuator of a vehicle, and the sensor of its odometry. `at` are a link and the source position.
    fn vehicle(
        &mut self,
        vehicle: Vehicle,
        (model, at): (usize, (usize, Span)),
        frames: &Frames<'_>,
        robots: &mut BTreeMap<usize, Robot>,
    ) {
        let mut entry = format!("(kind: \"{}\"", vehicle.kind);
        for (setting, names) in vehicle.lists {
            let names = self.variables(&names, model);
            entry += &format!(", {setting}: [{}]", list(&names));
        }
        entry += &format!("{})", vehicle.settings);
        self.entry("actuators", "drive", entry, at, frames, robots);
        if let Some(rate) = vehicle.odometry {
            let entry = format!("(kind: \"odometry\"{})", frequency(rate));
            self.entry("sensors", "odometry", entry, at, frames, robots);
        }
    }

    /// Returns the variables of joints of a model.
    fn variables(&mut self, names: &[Written], model: usize) -> Vec<String> {
        let document = self.document;
        let scope = document.models.get(model).map_or(0, |model| model.scope);
        let mut variables = Vec::new();
        for name in names {
            let is_joint = |kind| matches!(kind, Kind::Joint(_));
            match document.in_scope(scope, &name.text, is_joint) {
                Some(node) => variables.push(self.full(node).to_owned()),
                None => {
                    let scope = document.scopes.get(scope).into_iter();
                    let known = scope.flat_map(|scope| scope.names.keys().map(String::as_str));
                    let text = (name.text.as_str(), name.span);
                    self.problems.push(VALUES.unknown("joint", text, known));
                }
            }
        }
        variables
    }

    fn not_taken(&mut self, what: &str, span: Span, help: String) {
        let diagnostic = Diagnostic::warning(codes::COMPONENT, format!("{what} is not read"));
        self.problems
            .push(diagnostic.at(span, "left out").help(help));
    }

    /// Returns the outermost model of a link.
    pub(super) fn top(&self, link: &Link<'_>) -> usize {
        let model = self.document.models.get(link.model);
        model.map_or(link.model, |model| model.top)
    }
}

/// Returns the last name of a scoped one, such as `bumper` of `rover::base::bumper`.
fn last(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}
