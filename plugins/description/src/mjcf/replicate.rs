//! Copies that `<replicate>` makes of its content, and of what refers to it.
//!
//! As in MuJoCo, copy i is turned by i times the angles, each copy is displaced along the axes of the one before it, and names
//! get the separator and the number of the copy. Elements outside the world that refer to a copied name move to the end of
//! their section, once for each copy.

use std::collections::BTreeSet;

use morse_diagnostics::{Diagnostic, Span};
use morse_scene::bounds::Bounds;
use nalgebra::Vector3;

use super::{codes, compiler::Settings, fields, pose};
use crate::{
    problems::Problems,
    xml::{Attribute, Content, Element},
};

/// Largest number of elements that all copies together have.
const MOST: usize = 200_000;

/// Attributes of `<replicate>`.
const KNOWN: &[&str] = &["count", "sep", "offset", "euler", "childclass"];

/// Attributes that name elements of bodies, or tendons.
const REFERENCES: &[&str] = &[
    "body",
    "body1",
    "body2",
    "joint",
    "joint1",
    "joint2",
    "site",
    "site1",
    "site2",
    "geom",
    "geom1",
    "geom2",
    "camera",
    "tendon",
    "tendon1",
    "tendon2",
    "objname",
    "refname",
    "target",
    "refsite",
    "slidersite",
    "cranksite",
    "jointinparent",
    "sidesite",
];

/// Sections whose elements refer to bodies; tendons first, since others refer to them.
const SECTIONS: &[&str] = &["tendon", "actuator", "sensor", "equality", "contact"];

/// Copied names, and the suffixes of the copies.
struct Copied {
    names: BTreeSet<String>,
    suffixes: Vec<String>,
}

/// State of the expansion.
struct Copier<'a> {
    settings: Settings,
    problems: &'a mut Problems,
    /// Number of elements that can still be made.
    room: usize,
    /// Inner copies before outer ones.
    done: Vec<Copied>,
}

/// Replaces all `<replicate>` elements of a model by frames with their content.
pub(super) fn expand(root: &mut Element, problems: &mut Problems) {
    // Mistakes in the settings are reported when they are read for the bodies.
    let settings = Settings::read(root, &mut Problems::new(false));
    let mut copier = Copier {
        settings,
        problems,
        room: MOST,
        done: Vec::new(),
    };
    for section in sections(root, "worldbody") {
        copier.children(section);
    }
    let Copier {
        mut done, mut room, ..
    } = copier;
    let mut is_full = None;
    for copied in &mut done {
        for name in SECTIONS {
            for section in sections(root, name) {
                if !refer(section, copied, &mut room) {
                    is_full = Some(section.span);
                }
            }
        }
    }
    if let Some(span) = is_full {
        problems.push(too_large(span));
    }
}

fn sections<'a>(root: &'a mut Element, name: &'a str) -> impl Iterator<Item = &'a mut Element> {
    root.content
        .iter_mut()
        .filter_map(move |content| match content {
            Content::Element(element) if element.name == name => Some(element),
            _ => None,
        })
}

impl Copier<'_> {
    /// Replaces the `<replicate>` elements below an element, the inner ones first.
    fn children(&mut self, element: &mut Element) {
        for content in std::mem::take(&mut element.content) {
            match content {
                Content::Element(mut child) => {
                    self.children(&mut child);
                    match child.name == "replicate" {
                        true => element.content.extend(self.copies(&child)),
                        false => element.content.push(Content::Element(child)),
                    }
                }
                text @ Content::Text(..) => element.content.push(text),
            }
        }
    }

    fn copies(&mut self, element: &Element) -> Vec<Content> {
        fields::check(element, KNOWN, self.problems);
        let Some(count) = self.count(element) else {
            return Vec::new();
        };
        let step = fields::array(element, "offset", fields::POSITION, self.problems);
        let step = Vector3::from(step.unwrap_or_default());
        let any = Bounds::within(1e6);
        let angles = fields::array(element, "euler", any, self.problems).unwrap_or([0.0; 3]);
        let separator = element
            .attribute("sep")
            .map_or("", |sep| sep.value.as_str());
        let mut names = BTreeSet::new();
        let size = collect(element, &mut names);
        if size.saturating_mul(count) > self.room {
            self.problems.push(too_large(element.span));
            return Vec::new();
        }
        self.room -= size * count;
        let digits = count.to_string().len();
        let suffixes: Vec<String> = (0..count)
            .map(|index| format!("{separator}{index:0digits$}"))
            .collect();
        let mut position = Vector3::zeros();
        let mut copies = Vec::with_capacity(count);
        for (index, suffix) in suffixes.iter().enumerate() {
            let turn = pose::euler(angles.map(|angle| angle * index as f64), &self.settings);
            let [x, y, z] = position.into();
            let [i, j, k, w] = turn.coords.into();
            let mut frame = suffixed(element, suffix, &names);
            "frame".clone_into(&mut frame.name);
            frame.attributes.retain(|one| one.name == "childclass");
            frame.attributes.extend([
                written("pos", format!("{x} {y} {z}"), element.span),
                written("quat", format!("{w} {i} {j} {k}"), element.span),
            ]);
            copies.push(Content::Element(frame));
            position += turn * step;
        }
        self.done.push(Copied { names, suffixes });
        copies
    }

    fn count(&mut self, element: &Element) -> Option<usize> {
        let span = fields::needed(element, "count", "3", self.problems)?.value_span;
        let many = Bounds::between(0.0, MOST as f64);
        let count = fields::number(element, "count", many, self.problems)?;
        if count.fract() > 0.0 {
            let diagnostic = Diagnostic::error(codes::BAD_WORD, "`count` is no whole number")
                .at(span, "expected the number of copies")
                .help("for example `count=\"3\"`");
            self.problems.push(diagnostic);
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the range is checked"
        )]
        let count = count as usize;
        Some(count)
    }
}

/// Copies the elements of a section that refer to copied names, after all others. Returns false if there is no room.
fn refer(section: &mut Element, copied: &mut Copied, room: &mut usize) -> bool {
    let (mut kept, mut moved) = (Vec::new(), Vec::new());
    for content in std::mem::take(&mut section.content) {
        match content {
            Content::Element(element) if refers(&element, &copied.names) => moved.push(element),
            content => kept.push(content),
        }
    }
    let size: usize = moved
        .iter()
        .map(|element| 1 + collect(element, &mut BTreeSet::new()))
        .sum();
    let size = size.saturating_mul(copied.suffixes.len());
    let has_room = size <= *room;
    if has_room {
        *room -= size;
        for element in &moved {
            let name = element.attribute("name").map(|name| name.value.clone());
            copied.names.extend(name);
        }
        for suffix in &copied.suffixes {
            let copies = moved
                .iter()
                .map(|element| Content::Element(suffixed(element, suffix, &copied.names)));
            kept.extend(copies);
        }
    }
    section.content = kept;
    has_room
}

fn refers(element: &Element, names: &BTreeSet<String>) -> bool {
    let refers_itself = element
        .attributes
        .iter()
        .any(|one| is_reference(one, names));
    refers_itself || element.elements().any(|child| refers(child, names))
}

fn is_reference(attribute: &Attribute, names: &BTreeSet<String>) -> bool {
    REFERENCES.contains(&attribute.name.as_str()) && names.contains(attribute.value.trim())
}

/// Returns a copy of an element in which names, and references to copied names, have a suffix.
fn suffixed(element: &Element, suffix: &str, names: &BTreeSet<String>) -> Element {
    let mut copy = element.clone();
    for attribute in &mut copy.attributes {
        if attribute.name == "name" || is_reference(attribute, names) {
            attribute.value = format!("{}{suffix}", attribute.value.trim());
        }
    }
    for content in &mut copy.content {
        if let Content::Element(child) = content {
            *child = suffixed(child, suffix, names);
        }
    }
    copy
}

/// Adds the names below an element, and returns the number of elements there.
fn collect(element: &Element, names: &mut BTreeSet<String>) -> usize {
    let mut count = 0;
    for child in element.elements() {
        names.extend(
            child
                .attribute("name")
                .map(|name| name.value.trim().to_owned()),
        );
        count += 1 + collect(child, names);
    }
    count
}

fn written(name: &str, value: String, span: Span) -> Attribute {
    Attribute {
        name: name.to_owned(),
        value,
        span,
        value_span: span,
    }
}

fn too_large(span: Span) -> Diagnostic {
    let message = format!("`<replicate>` makes more than {MOST} elements");
    Diagnostic::error(codes::TOO_LARGE, message)
        .at(span, "too large")
        .help("use fewer copies")
}
