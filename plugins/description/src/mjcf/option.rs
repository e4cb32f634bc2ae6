//! Reader of `<option>`: gravity, and warnings about options that change the motion and have no counterpart.

use morse_diagnostics::{Diagnostic, Span};
use morse_scene::bounds::Bounds;

use super::{codes, fields};
use crate::{problems::Problems, xml::Element};

/// Gravity of MuJoCo and of the simulator, m/s².
const USUAL: [f64; 3] = [0.0, 0.0, -9.81];

/// Range of the components of gravity in a simulation file, m/s².
const GRAVITY: Bounds = Bounds::within(1e3);

/// Flags that change the motion, and are not read.
const FLAGS: &[&str] = &["contact", "limit", "equality", "actuation", "constraint"];

/// Forces and actuators that are switched off.
#[derive(Clone, Debug, Default)]
pub(super) struct Switches {
    /// True without springs of joints and tendons.
    pub(super) no_springs: bool,
    /// True without damping of joints and tendons.
    pub(super) no_dampers: bool,
    /// True without dry friction of joints and tendons.
    pub(super) no_friction: bool,
    /// Groups of actuators that exert no forces.
    groups: Vec<f64>,
}

impl Switches {
    /// Reads the flags and the groups of actuators of a model; later ones take precedence.
    pub(super) fn read(root: &Element, problems: &mut Problems) -> Self {
        let mut switches = Self::default();
        for section in root.named("option") {
            let groups = Bounds::between(0.0, 30.0);
            let name = "actuatorgroupdisable";
            let groups = fields::numbers(section, name, [0, 31], groups, problems);
            switches.groups = groups.unwrap_or(switches.groups);
            for flag in section.named("flag") {
                let mut is_off = |name: &str| {
                    let word = fields::word(flag, name, &["enable", "disable"], problems)?;
                    Some(word == "disable")
                };
                // Until MuJoCo 3.3, one flag switched off springs and dampers.
                let both = is_off("passive");
                let [springs, dampers] = ["spring", "damper"].map(|name| is_off(name).or(both));
                switches.no_springs = springs.unwrap_or(switches.no_springs);
                switches.no_dampers = dampers.unwrap_or(switches.no_dampers);
                switches.no_friction = is_off("frictionloss").unwrap_or(switches.no_friction);
            }
        }
        switches
    }

    /// True if an actuator, with the attributes of its class, exerts no forces.
    pub(super) fn disable(&self, actuator: &Element) -> bool {
        let group = actuator.attribute("group");
        let group = group.map_or(Ok(0.0), |group| group.value.trim().parse());
        group.is_ok_and(|group: f64| self.groups.contains(&group))
    }
}

/// Options that change the motion: name, usual value and remedy.
const OTHERS: [(&str, &[f64], &str); 3] = [
    (
        "wind",
        &[0.0; 3],
        "the simulator has no wind: push the bodies by an actuator",
    ),
    (
        "density",
        &[0.0],
        "set the fluid in a simulation file: `environment: (air_density: 1.2)`",
    ),
    (
        "viscosity",
        &[0.0],
        "set the damping of bodies in a simulation file: `linear_damping`",
    ),
];

/// Returns the gravity as a field of the environment of a simulation file, if it is not the usual one. A model that does not
/// run alone (`is_taken` is false) has no environment: its gravity is reported.
pub(super) fn environment(
    root: &Element,
    is_taken: bool,
    problems: &mut Problems,
) -> Option<String> {
    for section in root.named("option") {
        report(section, problems);
    }
    let ([x, y, z], span) = gravity(root, problems)?;
    let field = format!("gravity: ({x}, {y}, {z})");
    if is_taken {
        return Some(field);
    }
    let diagnostic = Diagnostic::warning(codes::IGNORED, "the gravity of the model is not read");
    let help = format!("set it in a simulation file: `environment: ({field})`");
    problems.push(diagnostic.at(span, "left out").help(help));
    None
}

/// Returns the gravity of a model, m/s², and where it is written, if it is not the usual one. Of several values the last one
/// applies, as in MuJoCo; the flag switches gravity off.
fn gravity(root: &Element, problems: &mut Problems) -> Option<([f64; 3], Span)> {
    let mut last = None;
    let mut switch = None;
    for section in root.named("option") {
        if let Some(written) = section.attribute("gravity") {
            let read = fields::array(section, "gravity", GRAVITY, problems);
            last = read.map(|gravity| (gravity, written.span)).or(last);
        }
        for flag in section.named("flag") {
            let known = ["enable", "disable"];
            if let Some(word) = fields::word(flag, "gravity", &known, problems) {
                let span = flag
                    .attribute("gravity")
                    .map_or(flag.span, |flag| flag.span);
                switch = Some(span).filter(|_| word == "disable");
            }
        }
    }
    match switch {
        Some(span) => Some(([0.0; 3], span)),
        None => last.filter(|(gravity, _)| !gravity.iter().eq(&USUAL)),
    }
}

/// Reports the options and flags of a section that are not taken.
fn report(section: &Element, problems: &mut Problems) {
    let differs = |text: &str, usual: &[f64]| {
        let numbers = text.split_whitespace();
        !numbers
            .map(|word| word.parse().unwrap_or(f64::NAN))
            .eq(usual.iter().copied())
    };
    for (name, usual, help) in OTHERS {
        let written = section.attribute(name);
        if let Some(written) = written.filter(|written| differs(&written.value, usual)) {
            let message = format!("`{name}` of `<option>` is not read");
            let diagnostic = Diagnostic::warning(codes::IGNORED, message);
            problems.push(diagnostic.at(written.span, "left out").help(help));
        }
    }
    let flags = section.named("flag").flat_map(|flag| &flag.attributes);
    let disabled =
        flags.filter(|flag| FLAGS.contains(&flag.name.as_str()) && flag.value.trim() == "disable");
    for flag in section.named("flag") {
        let written = flag.attribute("override");
        if let Some(written) = written.filter(|written| written.value.trim() == "enable") {
            let message = "contact settings of `<option>` do not override those of the geoms";
            let diagnostic = Diagnostic::warning(codes::IGNORED, message);
            let help = "write the friction into the default class: `<geom friction=\"0.8\"/>`";
            problems.push(diagnostic.at(written.span, "left out").help(help));
        }
    }
    for flag in disabled {
        let message = format!("`{}` of `<flag>` is not switched off", flag.name);
        let diagnostic = Diagnostic::warning(codes::IGNORED, message).at(flag.span, "left out");
        problems
            .push(diagnostic.help("change the elements that it concerns, or the simulation file"));
    }
}
