//! Warnings about elements that the simulator has no counterpart for, once for each kind.

use std::collections::{BTreeMap, BTreeSet};

use morse_diagnostics::{Diagnostic, Span, printable};

use super::{
    codes,
    content::{CONTENT, Content},
    light,
};
use crate::{problems::Problems, xml::Element};

/// Counter of elements that are not taken.
#[derive(Debug, Default)]
struct Ignored {
    counts: BTreeMap<(&'static str, String), (usize, Span)>,
    /// True if lights of the world are taken.
    has_lights: bool,
}

/// Reports the elements of a description that are not taken, and unknown ones. `has_lights` if lights of the world are taken.
pub(crate) fn report(root: &Element, has_lights: bool, problems: &mut Problems) {
    let mut ignored = Ignored {
        has_lights,
        ..Ignored::default()
    };
    ignored.walk(root, problems);
    for ((of, name), (count, span)) in ignored.counts {
        let message = match count {
            1 => format!("`<{name}>` of `<{of}>` is not read"),
            count => format!("{count} elements `<{name}>` of `<{of}>` are not read"),
        };
        let diagnostic = Diagnostic::warning(codes::IGNORED, message);
        problems.push(diagnostic.at(span, "left out").help(help(of, &name)));
    }
}

impl Ignored {
    fn walk(&mut self, element: &Element, problems: &mut Problems) {
        let kind = match element.name.as_str() {
            "axis2" => "axis",
            "ray" => "lidar",
            "vertical" => "horizontal",
            name => name,
        };
        let Some(content) = CONTENT.iter().find(|content| content.of == kind) else {
            return;
        };
        for child in element.elements() {
            let name = child.name.as_str();
            if content.read.contains(&name) {
                // An `<image>` of a geometry is another element than that of a camera.
                if content.of != "geometry" {
                    self.walk(child, problems);
                }
            } else if content.left_out.contains(&name) {
                let kind = child.attribute("type").map_or("", |kind| kind.value.trim());
                let is_light = name == "light" && kind_is_taken(content.of, kind);
                let is_taken = is_light && self.has_lights;
                if !is_taken && !is_usual(child) {
                    let key = (content.of, name.to_owned());
                    self.counts.entry(key).or_insert((0, child.span)).0 += 1;
                }
            } else if !content.silent.contains(&name) && !name.contains(':') {
                problems.push(not_known(element, child, content));
            }
        }
    }
}

/// Returns true for lights of a world of the types that are taken.
fn kind_is_taken(of: &str, kind: &str) -> bool {
    ["sdf", "world"].contains(&of) && light::TAKEN.contains(&kind)
}

/// Returns true if an element has the value that the simulator has as well.
fn is_usual(element: &Element) -> bool {
    let text = element.text();
    match element.name.as_str() {
        "plugin" => is_system(element),
        "wind" => {
            let velocity = element.named("linear_velocity").next();
            velocity.is_none_or(|velocity| zeros(&velocity.text()))
        }
        "gravity" => ["1", "true"].contains(&text.as_str()),
        "kinematic" | "triggered" => ["0", "false"].contains(&text.as_str()),
        // Nearer surfaces are inside most scanners.
        "min" => is_below(&text, 0.15),
        "resolution" => text
            .parse::<f64>()
            .is_ok_and(|factor| (factor - 1.0).abs() < 1e-9),
        "frame" => ["child", "sensor"].contains(&text.as_str()),
        "velocity_decay" => element.elements().all(|child| zeros(&child.text())),
        _ => false,
    }
}

/// Returns true if a text is a number of at most `limit`.
fn is_below(text: &str, limit: f64) -> bool {
    text.parse::<f64>().is_ok_and(|number| number <= limit)
}

/// Returns true if all words of a text are zeros.
fn zeros(text: &str) -> bool {
    let mut numbers = text.split_whitespace().map(str::parse::<f64>);
    numbers.all(|number| number.is_ok_and(|number| number.abs() <= 0.0))
}

/// Returns true for a system of Gazebo's own that the simulator has built in: physics, sensors, commands.
fn is_system(plugin: &Element) -> bool {
    let file = plugin.attribute("filename").map(|file| file.value.as_str());
    let systems = [
        "physics",
        "user-commands",
        "scene-broadcaster",
        "sensors",
        "contact",
        "imu",
        "altimeter",
        "magnetometer",
        "navsat",
        "air-pressure",
        "logical-camera",
        "forcetorque",
        "touchplugin",
    ];
    file.is_some_and(|file| {
        let file = file.trim_start_matches("lib").trim_end_matches(".so");
        let own = ["gz-sim-", "ignition-gazebo-"]
            .iter()
            .find_map(|prefix| file.strip_prefix(prefix));
        own.and_then(|own| own.strip_suffix("-system"))
            .is_some_and(|own| systems.contains(&own))
    })
}

/// Returns the remedy for an element that is not taken.
fn help(of: &str, name: &str) -> &'static str {
    match (of, name) {
        ("range", "min") => {
            "rays report nearer surfaces as well: leave them out where the ranges are used"
        }
        ("horizontal", "resolution") => "multiply `<samples>` by it",
        ("camera", "lens") => "set `fov` of the camera in a simulation file",
        ("camera", "triggered") => "images are made at `<update_rate>`",
        ("force_torque", "frame") => {
            "forces are in the axes of the sensor: turn it by its `<pose>`"
        }
        ("world", "plugin") => "the simulator has the usual systems built in",
        (_, "light") => "set the light in a simulation file: `environment: (light: (…))`",
        (_, "actor") => "move a frame by an actuator of a simulation file",
        (_, "gravity") => "set it in a simulation file: `bodies: { \"LINK\": (gravity: false) }`",
        (_, "kinematic") => {
            "set it in a simulation file: `bodies: { \"LINK\": (kind: \"kinematic\") }`"
        }
        (_, "velocity_decay") => {
            "set it in a simulation file: `bodies: { \"LINK\": (linear_damping: 0.1) }`"
        }
        (_, "wind") => "the simulator has no wind: push the bodies by an actuator",
        (_, "gripper") => "grasp by a `gripper` of a simulation file",
        _ => "remove it, or write out what it makes",
    }
}

fn not_known(of: &Element, child: &Element, content: &Content) -> Diagnostic {
    let [name, of] = [&child.name, &of.name].map(|name| printable(name));
    let message = format!("`<{of}>` has no element `<{name}>`");
    let known = content.read.iter().chain(content.left_out).copied();
    let diagnostic = Diagnostic::warning(codes::UNKNOWN_ELEMENT, message)
        .at(child.span, "not read")
        .suggest(&child.name, known);
    match diagnostic.help.is_empty() {
        true => diagnostic.help(format!(
            "remove it; known elements: {}",
            content.read.join(", ")
        )),
        false => diagnostic,
    }
}

/// Approximations that were reported.
#[derive(Debug, Default)]
pub(super) struct Said(BTreeSet<String>);

impl Said {
    /// Warns of an approximation, once.
    pub(super) fn approximate(
        &mut self,
        message: &str,
        span: Span,
        help: &str,
        problems: &mut Problems,
    ) {
        if self.0.insert(message.to_owned()) {
            let diagnostic = Diagnostic::warning(codes::APPROXIMATION, message);
            problems.push(diagnostic.at(span, "here first").help(help));
        }
    }
}
