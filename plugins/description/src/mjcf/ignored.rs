//! Warnings about elements that the simulator has no counterpart for, once for each kind.

use std::collections::BTreeMap;

use morse_diagnostics::{Diagnostic, Span, printable};

use super::codes;
use crate::{problems::Problems, xml::Element};

/// Sections of a model that are read, or that concern MuJoCo's solver and viewer only.
const SECTIONS: &[&str] = &[
    "compiler",
    "option",
    "size",
    "visual",
    "statistic",
    "default",
    "asset",
    "worldbody",
    "contact",
    "equality",
    "actuator",
    "sensor",
    "keyframe",
    "tendon",
    "deformable",
    "custom",
    "extension",
    "include",
];

/// Elements of bodies that are read.
const IN_BODIES: &[&str] = &[
    "body",
    "frame",
    "joint",
    "freejoint",
    "geom",
    "site",
    "camera",
    "inertial",
];

/// Elements of bodies that MuJoCo has and the simulator lacks.
const UNSUPPORTED: &[&str] = &[
    "light",
    "composite",
    "flexcomp",
    "replicate",
    "attach",
    "plugin",
];

/// Counter of elements that are not taken.
#[derive(Debug, Default)]
pub(super) struct Ignored(BTreeMap<String, (usize, Span)>);

impl Ignored {
    /// Reports the elements of a model that are not taken, and unknown ones.
    pub(super) fn report(root: &Element, problems: &mut Problems) {
        let mut ignored = Self::default();
        for section in root.elements() {
            match section.name.as_str() {
                "worldbody" => ignored.bodies(section, problems),
                "tendon" | "deformable" | "custom" | "extension" => {
                    if section.elements().next().is_some() {
                        ignored.count(&section.name, section.span);
                    }
                }
                "option" => options(section, problems),
                "contact" => section
                    .named("pair")
                    .for_each(|pair| ignored.count("pair", pair.span)),
                "equality" => {
                    let known = ["joint", "connect", "weld"];
                    let others = section.elements();
                    others
                        .filter(|other| !known.contains(&other.name.as_str()))
                        .for_each(|other| ignored.count(&other.name, other.span));
                }
                name if SECTIONS.contains(&name) => {}
                _ => problems.push(unknown(root, section, SECTIONS)),
            }
        }
        for (name, (count, span)) in ignored.0 {
            let message = match count {
                1 => format!("`<{name}>` is not read"),
                count => format!("{count} elements `<{name}>` are not read"),
            };
            let diagnostic = Diagnostic::warning(codes::IGNORED, message);
            problems.push(diagnostic.at(span, "left out").help(help(&name)));
        }
    }

    fn bodies(&mut self, body: &Element, problems: &mut Problems) {
        for child in body.elements() {
            match child.name.as_str() {
                "body" | "frame" => self.bodies(child, problems),
                name if IN_BODIES.contains(&name) => {}
                name if UNSUPPORTED.contains(&name) => self.count(name, child.span),
                _ => problems.push(unknown(body, child, IN_BODIES)),
            }
        }
    }

    fn count(&mut self, name: &str, span: Span) {
        self.0.entry(name.to_owned()).or_insert((0, span)).0 += 1;
    }
}

/// Reports options that change the motion, other than those of the solver.
fn options(section: &Element, problems: &mut Problems) {
    let number = |text: &str| text.parse::<f64>().unwrap_or(f64::NAN);
    let differs = |text: &str, usual: &[f64]| {
        let found = text.split_whitespace().map(number);
        !found.eq(usual.iter().copied())
    };
    let usual: [(&str, &[f64], &str); 4] = [
        (
            "gravity",
            &[0.0, 0.0, -9.81],
            "set it in a simulation file: `environment: (gravity: (0, 0, -1.62))`",
        ),
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
    for (name, value, help) in usual {
        let written = section.attribute(name);
        if let Some(written) = written.filter(|written| differs(&written.value, value)) {
            let diagnostic = Diagnostic::warning(
                codes::IGNORED,
                format!("`{name}` of `<option>` is not read"),
            )
            .at(written.span, "left out");
            problems.push(diagnostic.help(help));
        }
    }
    let flags = section.named("flag").flat_map(|flag| &flag.attributes);
    let disabled = flags.filter(|flag| {
        [
            "gravity",
            "contact",
            "limit",
            "equality",
            "actuation",
            "passive",
            "constraint",
        ]
        .contains(&flag.name.as_str())
            && flag.value.trim() == "disable"
    });
    for flag in disabled {
        let message = format!("`{}` of `<flag>` is not switched off", flag.name);
        let diagnostic = Diagnostic::warning(codes::IGNORED, message).at(flag.span, "left out");
        problems
            .push(diagnostic.help("change the elements that it concerns, or the simulation file"));
    }
}

/// Returns the remedy for an element that is not taken.
fn help(name: &str) -> &'static str {
    match name {
        "light" => "the scene is lit by the simulator",
        "tendon" => "couple joints by `<equality><joint joint1=\"a\" joint2=\"b\"/></equality>`",
        "pair" => "select contacts by `contype` and `conaffinity`",
        _ => "remove it, or write out the bodies that it makes",
    }
}

fn unknown(of: &Element, child: &Element, known: &[&str]) -> Diagnostic {
    let [name, of] = [&child.name, &of.name].map(|name| printable(name));
    let message = format!("`<{of}>` has no element `<{name}>`");
    let diagnostic = Diagnostic::warning(codes::UNKNOWN_ELEMENT, message)
        .at(child.span, "not read")
        .suggest(&child.name, known.iter().copied());
    match diagnostic.help.is_empty() {
        true => diagnostic.help(format!("remove it; known elements: {}", known.join(", "))),
        false => diagnostic,
    }
}
