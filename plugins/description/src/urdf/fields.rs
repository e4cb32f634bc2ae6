//! Reader of the attributes and children of one element; each is read once, and the remaining ones are reported.

use morse_diagnostics::{Diagnostic, printable};
use morse_scene::{bounds::Bounds, model::rotation_from_rpy};
use nalgebra::{Isometry3, Vector3};

use super::{codes, repair, robot::Name};
use crate::{
    problems::Problems,
    xml::{Attribute, Element},
};

/// Range of positions, m.
pub(super) const POSITION: Bounds = Bounds::within(1e8);

/// Range of angles, rad.
const ANGLE: Bounds = Bounds::within(1e6);

/// A full turn, with a tolerance for rounded numbers, rad.
const TURN: f64 = std::f64::consts::TAU + 0.01;

/// Reader of the attributes and children of an element.
pub(super) struct Fields<'a, 'p> {
    pub(super) element: &'a Element,
    pub(super) problems: &'p mut Problems,
}

impl<'a, 'p> Fields<'a, 'p> {
    /// Reads an element that may have these attributes and children; warns of others.
    pub(super) fn new(
        element: &'a Element,
        attributes: &[&str],
        elements: &[&str],
        problems: &'p mut Problems,
    ) -> Self {
        for attribute in &element.attributes {
            // Attributes of other namespaces are for other programs.
            if !attribute.name.contains(':') && !attributes.contains(&attribute.name.as_str()) {
                problems.push(unknown_attribute(element, attribute, attributes));
            }
        }
        for child in element.elements() {
            if !child.name.contains(':') && !elements.contains(&child.name.as_str()) {
                problems.push(unknown_element(element, child, elements));
            }
        }
        Self { element, problems }
    }

    /// Returns the child element with this name, which may occur once.
    pub(super) fn only(&mut self, name: &str) -> Option<&'a Element> {
        let mut all = self.element.elements().filter(|one| one.name == name);
        let first = all.next()?;
        if let Some(second) = all.next() {
            let message = format!("duplicate `<{name}>`");
            let diagnostic = Diagnostic::warning(codes::DUPLICATE_ELEMENT, message)
                .at(second.span, "this one is ignored")
                .at(first.span, "the first one is used")
                .help("remove one of them");
            self.problems.push(diagnostic);
        }
        Some(first)
    }

    /// Returns a required child element.
    pub(super) fn needed(&mut self, name: &str, example: &str) -> Option<&'a Element> {
        let child = self.only(name);
        if child.is_none() {
            let of = printable(&self.element.name);
            let message = format!("`<{of}>` has no `<{name}>`");
            let diagnostic = Diagnostic::error(codes::MISSING_ELEMENT, message)
                .at(self.element.span, format!("`<{name}>` is missing"))
                .help(format!("add it, for example `{example}`"));
            self.problems.push(diagnostic);
        }
        child
    }

    /// Returns a required attribute.
    pub(super) fn attribute(&mut self, name: &str, example: &str) -> Option<&'a Attribute> {
        let attribute = self.element.attribute(name);
        if attribute.is_none() {
            let of = printable(&self.element.name);
            let message = format!("`<{of}>` has no `{name}`");
            let diagnostic = Diagnostic::error(codes::MISSING_ATTRIBUTE, message)
                .at(self.element.span, format!("`{name}` is missing"))
                .help(format!("add it, for example `{name}=\"{example}\"`"));
            self.problems.push(diagnostic);
        }
        attribute
    }

    /// Warns of the absence of an attribute.
    pub(super) fn expect(&mut self, name: &str, example: &str) {
        if self.element.attribute(name).is_none() {
            let of = printable(&self.element.name);
            let message = format!("`<{of}>` has no `{name}`");
            let diagnostic = Diagnostic::warning(codes::MISSING_ATTRIBUTE, message)
                .at(self.element.span, format!("`{name}` is missing"))
                .help(format!("add it, for example `{name}=\"{example}\"`"));
            self.problems.push(diagnostic);
        }
    }

    /// Returns a required name that must not be empty.
    pub(super) fn name(&mut self, attribute: &str, example: &str) -> Option<Name> {
        let written = self.attribute(attribute, example)?;
        let text = written.value.trim();
        let span = written.value_span;
        let objection = if text.is_empty() {
            Some("it is empty")
        } else if text.contains(['"', '\0']) {
            Some("it holds a quote")
        } else if text.len() > morse_scene::model::LONGEST_NAME {
            Some("it is too long")
        } else {
            None
        };
        if let Some(objection) = objection {
            let message = format!("this cannot be a name: {objection}");
            let diagnostic = Diagnostic::error(codes::BAD_NAME, message)
                .at(written.span, "this name")
                .help(format!("for example `{attribute}=\"{example}\"`"));
            self.problems.push(diagnostic);
            return None;
        }
        Some(Name {
            text: text.to_owned(),
            span,
        })
    }

    /// Returns an array of numbers, if the attribute is present and valid.
    pub(super) fn numbers<const N: usize>(
        &mut self,
        attribute: &str,
        bounds: Bounds,
    ) -> Option<[f64; N]> {
        let written = self.element.attribute(attribute)?;
        let (text, repairs) = repair::numbers(&written.value, N);
        for repair in repairs {
            self.problems
                .push(repair.into_diagnostic(attribute, written, N));
        }
        match parse(&text, N, bounds) {
            Ok(numbers) => numbers.try_into().ok(),
            Err(problem) => {
                self.problems
                    .push(problem.into_diagnostic(attribute, written, N));
                None
            }
        }
    }

    /// Returns a number, if the attribute is present and valid.
    pub(super) fn number(&mut self, attribute: &str, bounds: Bounds) -> Option<f64> {
        self.numbers::<1>(attribute, bounds).map(|[number]| number)
    }

    /// Returns a required number.
    pub(super) fn needed_number(
        &mut self,
        attribute: &str,
        bounds: Bounds,
        example: &str,
    ) -> Option<f64> {
        self.attribute(attribute, example)?;
        self.number(attribute, bounds)
    }

    /// Returns the pose of the element's `<origin>`; the identity by default.
    pub(super) fn origin(&mut self) -> Isometry3<f64> {
        let Some(element) = self.only("origin") else {
            return Isometry3::identity();
        };
        let known = ["xyz", "rpy", "quat_xyzw"];
        let mut origin = Fields::new(element, &known, &[], self.problems);
        let position = origin.numbers::<3>("xyz", POSITION).unwrap_or_default();
        let turned = origin.numbers::<4>("quat_xyzw", Bounds::within(1e6));
        let rotation = match turned.and_then(morse_scene::model::rotation_from_xyzw) {
            Some(rotation) => rotation,
            None => {
                let angles = origin.numbers::<3>("rpy", ANGLE).unwrap_or_default();
                origin.doubt_angles("rpy", &angles);
                let [roll, pitch, yaw] = angles;
                rotation_from_rpy(roll, pitch, yaw)
            }
        };
        Isometry3::from_parts(Vector3::from(position).into(), rotation)
    }
}

impl Fields<'_, '_> {
    /// Warns of angles that are probably in degrees.
    fn doubt_angles(&mut self, name: &str, angles: &[f64]) {
        let doubtful = angles.iter().find(|angle| angle.abs() > TURN);
        let (Some(angle), Some(written)) = (doubtful, self.element.attribute(name)) else {
            return;
        };
        let message = format!("{angle} rad is more than a full turn");
        let radians = (angle.to_radians() * 1e4).round() / 1e4;
        let diagnostic = Diagnostic::warning(codes::DEGREES, message)
            .at(written.value_span, "angles are in radians");
        let help = format!("if degrees were meant, write {radians} instead of {angle}");
        self.problems.push(diagnostic.help(help));
    }
}

/// Error in a list of numbers.
enum Fault {
    Count(usize),
    Word(String),
    NotFinite(String),
    Range(f64, Bounds),
}

fn parse(text: &str, count: usize, bounds: Bounds) -> Result<Vec<f64>, Fault> {
    let mut numbers = Vec::new();
    for word in text.split_whitespace() {
        let Ok(number) = word.parse::<f64>() else {
            return Err(Fault::Word(word.to_owned()));
        };
        if !number.is_finite() {
            return Err(Fault::NotFinite(word.to_owned()));
        }
        numbers.push(number);
    }
    if numbers.len() != count {
        return Err(Fault::Count(numbers.len()));
    }
    match bounds.violation(&numbers) {
        Some(number) => Err(Fault::Range(number, bounds)),
        None => Ok(numbers),
    }
}

impl Fault {
    fn into_diagnostic(self, name: &str, written: &Attribute, count: usize) -> Diagnostic {
        let wanted = match count {
            1 => "one number".to_owned(),
            count => format!("{count} numbers with blanks between them"),
        };
        let example = match count {
            1 => "0.5",
            3 => "0 0 1",
            _ => "0.8 0.8 0.8 1",
        };
        let span = written.value_span;
        let example = format!("for example `{name}=\"{example}\"`");
        match self {
            Self::Count(actual) => {
                let message = format!("`{name}` has {wanted}, not {actual}");
                Diagnostic::error(codes::BAD_NUMBER, message)
                    .at(span, format!("expected {wanted}"))
                    .help(example)
            }
            Self::Word(word) if word.contains("${") || word.contains("$(") => {
                let message = format!("`{}` is a substitution of xacro", printable(&word));
                Diagnostic::error(codes::XACRO, message)
                    .at(span, "not a number")
                    .note("this file is read as plain URDF")
                    .help("rename it to `.urdf.xacro`, or name the file that it was made from")
            }
            Self::Word(word) => {
                let message = format!("`{}` is not a number", printable(&word));
                let diagnostic = Diagnostic::error(codes::BAD_NUMBER, message)
                    .at(span, format!("expected {wanted}"));
                match word.contains(',') {
                    true => {
                        diagnostic.help("numbers have a point, and blanks between them, no commas")
                    }
                    false => diagnostic.help(example),
                }
            }
            Self::NotFinite(word) => {
                let message = format!("`{}` is not finite", printable(&word));
                Diagnostic::error(codes::BAD_NUMBER, message)
                    .at(span, format!("expected {wanted}"))
                    .help(example)
            }
            Self::Range(number, bounds) => {
                let number = morse_api::range::ValueRange::shown(number);
                let message = format!("`{name}` must be {bounds}, not {number}");
                Diagnostic::error(codes::OUT_OF_RANGE, message)
                    .at(span, "out of range")
                    .help("lengths are in metres, angles in radians, masses in kilograms")
            }
        }
    }
}

fn unknown_attribute(of: &Element, attribute: &Attribute, known: &[&str]) -> Diagnostic {
    let [name, of] = [&attribute.name, &of.name].map(|name| printable(name));
    let message = format!("`<{of}>` has no attribute `{name}`");
    let diagnostic = Diagnostic::warning(codes::UNKNOWN_ATTRIBUTE, message)
        .at(attribute.span, "not read")
        .suggest(&attribute.name, known.iter().copied());
    remedy(diagnostic, "attributes", known)
}

fn unknown_element(of: &Element, child: &Element, known: &[&str]) -> Diagnostic {
    let [name, of] = [&child.name, &of.name].map(|name| printable(name));
    let message = format!("`<{of}>` has no element `<{name}>`");
    let diagnostic = Diagnostic::warning(codes::UNKNOWN_ELEMENT, message)
        .at(child.span, "not read")
        .suggest(&child.name, known.iter().copied());
    remedy(diagnostic, "elements", known)
}

/// Adds the known names to a diagnostic, if none is similar enough for a suggestion.
fn remedy(diagnostic: Diagnostic, what: &str, known: &[&str]) -> Diagnostic {
    if !diagnostic.help.is_empty() {
        return diagnostic;
    }
    match known {
        [] => diagnostic.help("remove it"),
        known => diagnostic.help(format!("remove it; known {what}: {}", known.join(", "))),
    }
}
