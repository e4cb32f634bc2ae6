//! Simulation files that readers make of the sensors, motors and plugins of a description.

use std::collections::BTreeMap;

use morse_diagnostics::{Diagnostic, Span, printable};
use morse_scene::model::{DEFAULT_FRICTION, Frame};
use nalgebra::Isometry3;

use crate::{names::Names, problems::Problems};

/// Rate of simulation files by default, Hz.
const RATE: f64 = 60.0;

/// Maximum number of entries in a message.
const MOST_LISTED: usize = 12;

/// Entries of a simulation file for one robot.
#[derive(Debug, Default)]
pub(crate) struct Robot {
    /// Name of the robot.
    pub(crate) name: String,
    /// Frame that is its base.
    pub(crate) frame: String,
    pub(crate) is_fixed: bool,
    pub(crate) names: Names,
    pub(crate) sensors: BTreeMap<String, String>,
    pub(crate) actuators: BTreeMap<String, String>,
    /// Joints that controllers move.
    pub(crate) joints: Vec<String>,
    /// Efforts of joints at the start, N·m or N.
    pub(crate) efforts: BTreeMap<String, f64>,
    /// Source position of the first element.
    pub(crate) span: Option<Span>,
}

impl Robot {
    /// Adds a sensor or an actuator under a free name.
    pub(crate) fn add(&mut self, family: &str, name: &str, entry: String, span: Span) {
        self.span = self.span.or(Some(span));
        let own = self.names.free(&plain(name));
        let entries = match family {
            "sensors" => &mut self.sensors,
            _ => &mut self.actuators,
        };
        entries.insert(own, entry);
    }

    /// Adds the actuator of the joints that controllers move.
    pub(crate) fn finish(&mut self) {
        let mut known = std::collections::BTreeSet::new();
        let joints = std::mem::take(&mut self.joints).into_iter();
        self.joints = joints.filter(|joint| known.insert(joint.clone())).collect();
        if !self.joints.is_empty() {
            self.efforts.retain(|_, effort| *effort != 0.0);
            let efforts: Vec<String> = self.efforts.values().map(f64::to_string).collect();
            let names: Vec<String> = self.efforts.keys().cloned().collect();
            let start = match names.is_empty() {
                true => String::new(),
                false => format!(
                    ", start: (names: [{}], efforts: [{}])",
                    list(&names),
                    efforts.join(", ")
                ),
            };
            let entry = format!(
                "(kind: \"joints\", joints: [{}]{start})",
                list(&self.joints)
            );
            self.actuators.insert(self.names.free("joints"), entry);
        }
    }
}

/// Returns the rule by which a simulator combines the friction of two surfaces, as a field of the environment of a simulation
/// file. Without surfaces of different friction it does not matter.
pub(crate) fn friction_rule(frames: &[Frame], rule: &str) -> Option<String> {
    frictions_differ(frames).then(|| format!("friction_rule: {rule}"))
}

/// Returns true if two surfaces have different coefficients of friction.
pub(crate) fn frictions_differ(frames: &[Frame]) -> bool {
    let geometries = frames.iter().flat_map(|frame| &frame.geometry);
    let solid = geometries.filter(|geometry| geometry.collision);
    let mut frictions = solid.map(|geometry| geometry.friction.unwrap_or(DEFAULT_FRICTION));
    let first = frictions.next();
    frictions.any(|friction| Some(friction) != first)
}

/// Content of a simulation file.
#[derive(Debug, Default)]
pub(crate) struct File {
    /// Fields of the environment.
    pub(crate) environment: Vec<String>,
    /// Settings of joints by their variables, such as `(position: 0.3)`.
    pub(crate) joints: BTreeMap<String, String>,
    /// Frames of bodies without weight.
    pub(crate) weightless: Vec<String>,
    pub(crate) robots: Vec<Robot>,
    /// Source position of the first setting of a joint.
    pub(crate) span: Option<Span>,
}

impl File {
    /// Returns the text of the file; empty if it has no content.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        if !self.environment.is_empty() {
            text += &format!("    environment: ({}),\n", self.environment.join(", "));
        }
        if !self.joints.is_empty() {
            text += "    joints: {\n";
            for (name, settings) in &self.joints {
                text += &format!("        {}: {settings},\n", quoted(name));
            }
            text += "    },\n";
        }
        if !self.weightless.is_empty() {
            text += "    bodies: {\n";
            for name in &self.weightless {
                text += &format!("        {}: (gravity: false),\n", quoted(name));
            }
            text += "    },\n";
        }
        let mut names = Names::default();
        let robots: Vec<String> = self.robots.iter().map(|one| one.text(&mut names)).collect();
        if !robots.is_empty() {
            text += &format!("    robots: {{\n{}    }},\n", robots.concat());
        }
        match text.is_empty() {
            true => text,
            false => format!("Simulation(\n{text})\n"),
        }
    }

    /// Warns of the sensors, actuators and joints that belong into the simulation file, with their entries.
    pub(crate) fn report(&self, code: &'static str, problems: &mut Problems) {
        let mut notes = Vec::new();
        for robot in &self.robots {
            let name = printable(&robot.frame);
            for (family, entries) in [("sensors", &robot.sensors), ("actuators", &robot.actuators)]
            {
                let each = entries.iter();
                notes.extend(
                    each.map(|(key, entry)| {
                        format!("`{name}`, {family}: {}: {entry}", quoted(key))
                    }),
                );
            }
        }
        let joints = self.joints.iter();
        notes.extend(joints.map(|(name, entry)| format!("joints: {}: {entry}", quoted(name))));
        let weightless = self.weightless.iter();
        notes.extend(weightless.map(|name| format!("bodies: {}: (gravity: false)", quoted(name))));
        let of_robot = self.robots.iter().find_map(|robot| robot.span);
        let Some(span) = of_robot.or(self.span) else {
            return;
        };
        let what = match (self.joints.is_empty(), self.weightless.is_empty()) {
            (true, true) => ["a sensor or plugin", "sensors and plugins"],
            (false, true) => [
                "a setting of a joint",
                "sensors, actuators and settings of joints",
            ],
            (_, false) => [
                "a setting of a joint or a body",
                "sensors, actuators and settings of joints and bodies",
            ],
        };
        let message = match notes.len() {
            1 => format!("{} is not read", what[0]),
            count => format!("{count} {} are not read", what[1]),
        };
        let mut diagnostic = Diagnostic::warning(code, message)
            .at(span, "the first of them")
            .help(
                "write those that you need into the simulation file; without one, all of them run",
            );
        for note in notes.into_iter().take(MOST_LISTED) {
            diagnostic = diagnostic.note(note);
        }
        problems.push(diagnostic);
    }
}

impl Robot {
    fn text(&self, names: &mut Names) -> String {
        let fixed = if self.is_fixed { ", base: fixed" } else { "" };
        let name = names.free(&plain(&self.name));
        let [name, frame] = [&name, &self.frame].map(|name| quoted(name));
        let mut text = format!("        {name}: (frame: {frame}{fixed},\n");
        for (family, entries) in [("sensors", &self.sensors), ("actuators", &self.actuators)] {
            if entries.is_empty() {
                continue;
            }
            text += &format!("            {family}: {{\n");
            for (name, entry) in entries {
                text += &format!("                {}: {entry},\n", quoted(name));
            }
            text += "            },\n";
        }
        text + "        ),\n"
    }
}

/// Returns the frequency of a component as a setting, for a rate in Hz; empty for each tick.
pub(crate) fn frequency(rate: f64) -> String {
    // A component acts every few ticks.
    let ticks = (RATE / rate).round().max(1.0);
    match rate > 0.0 && ticks > 1.0 {
        true => format!(", frequency: {}", RATE / ticks),
        false => String::new(),
    }
}

/// Returns the mount of a component on a frame, with a comma before it.
pub(crate) fn mount(frame: &str, pose: Isometry3<f64>) -> String {
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

/// Returns a modifier that adds noise of a standard deviation to a field.
pub(crate) fn gaussian(field: &str, sigma: f64) -> String {
    format!("(kind: \"gaussian\", fields: [\"{field}\"], sigma: {sigma})")
}

/// Returns a name that can be a segment of a dotted path.
pub(crate) fn plain(name: &str) -> String {
    let letter = |letter: char| match letter == '.' || letter.is_control() {
        true => '_',
        false => letter,
    };
    name.chars().map(letter).collect()
}

/// Returns names in quotes, separated by commas.
pub(crate) fn list(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    names.join(", ")
}

/// Returns a text as it is written in a simulation file.
pub(crate) fn quoted(name: &str) -> String {
    let name = name.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{name}\"")
}
