//! Reader of the plugins of models: the component of a simulation file that does the same.

use morse_scene::bounds::Bounds;

use super::fields::{self, Written};
use crate::{problems::Problems, xml::Element};

/// Component of a plugin.
#[derive(Clone, Debug)]
pub(super) enum Plugin {
    /// A sensor of all joints.
    JointState,
    /// An actuator of joints.
    Joints(Vec<Written>),
    /// A vehicle: kind, settings with the joints of each, and other settings, each with a comma before it.
    Vehicle(&'static str, Vec<(&'static str, Vec<Written>)>, String),
}

/// Returns the component of a plugin; `None` if there is none.
pub(super) fn read(element: &Element, problems: &mut Problems) -> Option<Plugin> {
    let words = ["filename", "name"].map(|name| {
        let written = element.attribute(name);
        let written = written.map_or("", |written| written.value.as_str());
        written.to_ascii_lowercase().replace(['-', '_'], "")
    });
    let is = |word: &str| words.iter().any(|own| own.contains(word));
    if is("diffdrive") {
        Some(drive(element, problems))
    } else if is("ackermann") {
        Some(car(element, problems))
    } else if is("jointstatepublisher") {
        Some(Plugin::JointState)
    } else if is("jointpositioncontroller")
        || is("jointtrajectorycontroller")
        || is("jointcontroller")
    {
        Some(Plugin::Joints(joints(element, &["joint_name"])))
    } else {
        None
    }
}

fn joints(element: &Element, names: &[&str]) -> Vec<Written> {
    let all = element.elements();
    all.filter(|child| names.contains(&child.name.as_str()))
        .map(fields::written)
        .collect()
}

/// Returns the radius of the wheels as a setting.
fn radius(element: &Element, problems: &mut Problems) -> String {
    let bounds = Bounds::between(1e-3, 100.0);
    let mut number = |name| fields::number(element, name, bounds, problems);
    let radius = number("wheel_radius");
    let diameter = number("wheel_diameter").or_else(|| number("wheelDiameter"));
    let radius = radius.or(diameter.map(|diameter| diameter / 2.0));
    radius.map_or(String::new(), |radius| format!(", wheel_radius: {radius}"))
}

fn drive(element: &Element, problems: &mut Problems) -> Plugin {
    let mut settings = radius(element, problems);
    let bounds = Bounds::between(1e-3, 1000.0);
    let mut number = |name| fields::number(element, name, bounds, problems);
    let apart = number("wheel_separation").or_else(|| number("wheelSeparation"));
    if let Some(apart) = apart {
        settings += &format!(", fix_turning_speed: {apart}");
    }
    let sides = vec![
        ("left", joints(element, &["left_joint", "leftJoint"])),
        ("right", joints(element, &["right_joint", "rightJoint"])),
    ];
    Plugin::Vehicle("v_omega_diff", sides, settings)
}

fn car(element: &Element, problems: &mut Problems) -> Plugin {
    let mut settings = radius(element, problems);
    let bounds = Bounds::between(1e-3, 1.575);
    if let Some(most) = fields::number(element, "steering_limit", bounds, problems) {
        settings += &format!(", max_steering_angle: {most}");
    }
    let lists = vec![
        ("driven", joints(element, &["left_joint", "right_joint"])),
        ("steer_left", joints(element, &["left_steering_joint"])),
        ("steer_right", joints(element, &["right_steering_joint"])),
    ];
    Plugin::Vehicle("ackermann", lists, settings)
}
