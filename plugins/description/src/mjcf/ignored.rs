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
const UNSUPPORTED: &[&str] = &["light", "composite", "flexcomp", "attach", "plugin"];

/// Assets that are read.
const ASSETS: &[&str] = &["mesh", "hfield", "texture", "material"];

/// Assets that MuJoCo has and the simulator lacks.
const UNSUPPORTED_ASSETS: &[&str] = &["skin", "model"];

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
                "tendon" => ignored.tendons(section, problems),
                "asset" => ignored.assets(section, problems),
                "deformable" | "custom" | "extension" => {
                    if section.elements().next().is_some() {
                        ignored.count(&section.name, section.span);
                    }
                }
                "contact" => section
                    .named("pair")
                    .for_each(|pair| ignored.count("pair", pair.span)),
                "equality" => {
                    let known = ["joint", "tendon", "connect", "weld"];
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

    fn assets(&mut self, section: &Element, problems: &mut Problems) {
        for child in section.elements() {
            match child.name.as_str() {
                name if ASSETS.contains(&name) => {}
                name if UNSUPPORTED_ASSETS.contains(&name) => self.count(name, child.span),
                _ => problems.push(unknown(section, child, ASSETS)),
            }
        }
    }

    /// Counts the tendons that run along sites and geoms.
    fn tendons(&mut self, section: &Element, problems: &mut Problems) {
        for child in section.elements() {
            match child.name.as_str() {
                "fixed" => {}
                "spatial" => self.count("spatial", child.span),
                _ => problems.push(unknown(section, child, &["fixed", "spatial"])),
            }
        }
    }

    fn count(&mut self, name: &str, span: Span) {
        self.0.entry(name.to_owned()).or_insert((0, span)).0 += 1;
    }
}

/// Returns the remedy for an element that is not taken.
fn help(name: &str) -> &'static str {
    match name {
        "light" => "the scene is lit by the simulator",
        "skin" => "the geoms of the groups 0 to 3 are drawn in its stead",
        "model" => "write out the bodies that the model has",
        "spatial" => "write a tendon as a sum of joint positions: `<fixed>`",
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
