//! Sensors and plugins as a simulation file, which runs with the description, or as warnings with what to write.

use std::collections::BTreeMap;

use morse_diagnostics::{Diagnostic, Span, printable};
use morse_scene::bounds::Bounds;
use nalgebra::{Isometry3, Translation3};

use super::{Builder, Frames};
use crate::{
    names::Names,
    sdf::{
        codes,
        document::{Body, Kind, Link},
        fields::{self, VALUES, Written, quoted},
        plugin::{self, Plugin},
        sensor,
    },
    xml::Element,
};

/// Rate of simulation files by default, Hz.
const RATE: f64 = 60.0;

/// Frame of an outermost model that carries all its links.
#[derive(Clone, Debug)]
pub(super) struct Base {
    pub(super) frame: String,
    pub(super) is_fixed: bool,
    /// Root of the tree of its links.
    pub(super) root: usize,
}

/// Maximum number of entries in a message.
const MOST_LISTED: usize = 12;

/// Entries of the simulation file for one robot.
#[derive(Debug, Default)]
struct Robot {
    names: Names,
    sensors: BTreeMap<String, String>,
    actuators: BTreeMap<String, String>,
    /// Joints that controllers move.
    joints: Vec<String>,
    /// Source position of the first element.
    span: Option<Span>,
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
                let here = Isometry3::identity();
                self.sensor(element, (link, here), self.has_origin, frames, &mut robots);
            }
        }
        for (index, model) in document.models.iter().enumerate() {
            for element in model.element.named("plugin") {
                self.plugin(element, index, frames, &mut robots);
            }
        }
        for robot in robots.values_mut().filter(|robot| !robot.joints.is_empty()) {
            let entry = format!("(kind: \"joints\", joints: [{}])", list(&robot.joints));
            robot.actuators.insert(robot.names.free("joints"), entry);
        }
        if self.has_components {
            return self.simulation(robots, frames);
        }
        self.report(&robots, frames);
        String::new()
    }

    /// Returns the text of the simulation file.
    fn simulation(&self, robots: BTreeMap<usize, Robot>, frames: &Frames<'_>) -> String {
        let mut text = String::new();
        if !self.environment.is_empty() {
            text += &format!("    environment: ({}),\n", self.environment.join(", "));
        }
        let mut names = Names::default();
        let mut all = String::new();
        for (top, robot) in robots {
            let Some(base) = frames.bases.get(&top) else {
                continue;
            };
            let fixed = if base.is_fixed { ", base: fixed" } else { "" };
            let name = names.free(&plain(&base.frame));
            all += &format!(
                "        {}: (frame: {}{fixed},\n",
                quoted(&name),
                quoted(&base.frame)
            );
            for (family, entries) in [("sensors", robot.sensors), ("actuators", robot.actuators)] {
                if entries.is_empty() {
                    continue;
                }
                all += &format!("            {family}: {{\n");
                for (name, entry) in entries {
                    all += &format!("                {}: {entry},\n", quoted(&name));
                }
                all += "            },\n";
            }
            all += "        ),\n";
        }
        if !all.is_empty() {
            text += &format!("    robots: {{\n{all}    }},\n");
        }
        match text.is_empty() {
            true => text,
            false => format!("Simulation(\n{text})\n"),
        }
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
        let rate = fields::number(
            element,
            "update_rate",
            Bounds::between(0.0, 1e9),
            self.problems,
        );
        if let Some(rate) = rate.filter(|rate| *rate > 0.0) {
            // A component acts every few ticks.
            let ticks = (RATE / rate).round().max(1.0);
            if ticks > 1.0 {
                settings += &format!(", frequency: {}", RATE / ticks);
            }
        }
        let turn = Isometry3::from_parts(Translation3::identity(), component.turn);
        let mount = mount(frames.links.get(&link), pose * turn);
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
        robot.span = robot.span.or(Some(span));
        let own = robot.names.free(&plain(name));
        let entries = match family {
            "sensors" => &mut robot.sensors,
            _ => &mut robot.actuators,
        };
        entries.insert(own, entry);
    }

    /// Warns of the sensors and plugins that belong into the simulation file, with their entries.
    fn report(&mut self, robots: &BTreeMap<usize, Robot>, frames: &Frames<'_>) {
        let mut notes = Vec::new();
        for (top, robot) in robots {
            let name = frames.bases.get(top).map_or("", |base| &base.frame);
            for (family, entries) in [("sensors", &robot.sensors), ("actuators", &robot.actuators)]
            {
                let each = entries.iter();
                notes.extend(each.map(|(key, entry)| {
                    format!("`{}`, {family}: {}: {entry}", printable(name), quoted(key))
                }));
            }
        }
        let Some(span) = robots.values().find_map(|robot| robot.span) else {
            return;
        };
        let message = match notes.len() {
            1 => "a sensor or plugin is not read".to_owned(),
            count => format!("{count} sensors and plugins are not read"),
        };
        let mut diagnostic = Diagnostic::warning(codes::COMPONENT, message)
            .at(span, "the first of them")
            .help(
                "write those that you need into the simulation file; without one, all of them run",
            );
        for note in notes.into_iter().take(MOST_LISTED) {
            diagnostic = diagnostic.note(note);
        }
        self.problems.push(diagnostic);
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
            Plugin::Vehicle(kind, lists, settings) => {
                let mut entry = format!("(kind: \"{kind}\"");
                for (setting, names) in lists {
                    let names = self.variables(&names, model);
                    entry += &format!(", {setting}: [{}]", list(&names));
                }
                entry += &format!("{settings})");
                self.entry("actuators", "drive", entry, at, frames, robots);
            }
        }
    }

    /// Returns the variables of joints of a model.
    fn variables(&mut self, names: &[Written], model: usize) -> Vec<String> {
        let document = self.document;
        let scope = document.models.get(model).map_or(0, |model| model.scope);
        let mut found = Vec::new();
        for name in names {
            let is_joint = |kind| matches!(kind, Kind::Joint(_));
            match document.in_scope(scope, &name.text, is_joint) {
                Some(node) => found.push(self.full(node).to_owned()),
                None => {
                    let scope = document.scopes.get(scope).into_iter();
                    let known = scope.flat_map(|scope| scope.names.keys().map(String::as_str));
                    let text = (name.text.as_str(), name.span);
                    self.problems.push(VALUES.unknown("joint", text, known));
                }
            }
        }
        found
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

/// Returns the mount of a component on a frame.
fn mount(frame: Option<&String>, pose: Isometry3<f64>) -> String {
    let frame = frame.map_or("", String::as_str);
    let mut mount = format!(", mount: (frame: {}", quoted(frame));
    let [x, y, z]: [f64; 3] = pose.translation.vector.into();
    if pose.translation.vector.norm() > 0.0 {
        mount += &format!(", translation: ({x}, {y}, {z})");
    }
    let turn = pose.rotation.coords;
    if pose.rotation.angle() > 0.0 {
        let [i, j, k, w] = [turn.x, turn.y, turn.z, turn.w];
        mount += &format!(", quaternion: ({i}, {j}, {k}, {w})");
    }
    mount + ")"
}

/// Returns a name that can be a part of a dotted path.
fn plain(name: &str) -> String {
    let letter = |letter: char| match letter == '.' || letter.is_control() {
        true => '_',
        false => letter,
    };
    name.chars().map(letter).collect()
}

fn list(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    names.join(", ")
}
