//! Reader of the texts and attributes of elements, with diagnostics at their values.

use morse_diagnostics::{Diagnostic, Span, printable};
use morse_scene::{bounds::Bounds, model::rotation_from_rpy, model::rotation_from_xyzw};
use nalgebra::{Isometry3, Vector3};

use super::codes;
use crate::{
    problems::Problems,
    values::{Codes, Value},
    xml::{Attribute, Content, Element},
};

/// Range of positions, m, and of most other numbers.
pub(crate) const POSITION: Bounds = Bounds::within(1e8);

/// Range of lengths of shapes, m.
pub(super) const SIZE: Bounds = Bounds::between(1e-6, 1e7);

/// Codes and units of SDF.
pub(crate) const VALUES: Codes = Codes {
    bad_number: codes::BAD_NUMBER,
    out_of_range: codes::OUT_OF_RANGE,
    bad_word: codes::BAD_WORD,
    bad_name: codes::BAD_NAME,
    unknown_name: codes::UNKNOWN_NAME,
    units: "lengths are in metres, masses in kilograms, angles in radians",
};

/// A name or file name as it is written in a file.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// Returns the text of an element with its span; the element's span if the text is empty.
pub(crate) fn written(element: &Element) -> Written {
    let text = element.text();
    let span = element.content.iter().find_map(|content| match content {
        Content::Text(text, span) if !text.trim().is_empty() => Some(trimmed(text, *span)),
        Content::Text(..) | Content::Element(_) => None,
    });
    Written {
        text,
        span: span.unwrap_or(element.span),
    }
}

/// Returns the span of a text without the blanks around it.
fn trimmed(text: &str, span: Span) -> Span {
    let range = span.range();
    // References such as `&lt;` are longer in the file.
    if range.len() != text.len() {
        return span;
    }
    let start = range.start + (text.len() - text.trim_start().len());
    Span::new(span.source, start..start + text.trim().len())
}

/// Returns the value of an attribute as a name.
pub(super) fn named(element: &Element, attribute: &str) -> Option<Written> {
    let attribute = element.attribute(attribute)?;
    let text = attribute.value.trim();
    (!text.is_empty()).then(|| Written {
        text: text.to_owned(),
        span: attribute.value_span,
    })
}

/// Returns the text of a child element as a name, if it is not empty.
pub(super) fn child_name(
    element: &Element,
    name: &str,
    problems: &mut Problems,
) -> Option<Written> {
    let written = written(only(element, name, problems)?);
    (!written.text.is_empty()).then_some(written)
}

/// Returns the child element with this name, which may occur once.
pub(super) fn only<'e>(
    element: &'e Element,
    name: &'e str,
    problems: &mut Problems,
) -> Option<&'e Element> {
    let mut all = element.named(name);
    let first = all.next()?;
    if let Some(second) = all.next() {
        let message = format!("duplicate `<{name}>`");
        let diagnostic = Diagnostic::warning(codes::DUPLICATE_ELEMENT, message)
            .at(second.span, "this one is ignored")
            .at(first.span, "the first one is used")
            .help("remove one of them");
        problems.push(diagnostic);
    }
    Some(first)
}

/// Returns a required child element.
pub(super) fn needed<'e>(
    element: &'e Element,
    name: &'e str,
    example: &str,
    problems: &mut Problems,
) -> Option<&'e Element> {
    let child = only(element, name, problems);
    if child.is_none() {
        let of = printable(&element.name);
        let message = format!("`<{of}>` has no `<{name}>`");
        let diagnostic = Diagnostic::error(codes::MISSING_ELEMENT, message)
            .at(element.span, format!("`<{name}>` is missing"))
            .help(format!("add it, for example `{example}`"));
        problems.push(diagnostic);
    }
    child
}

/// Returns the required name of an element.
pub(super) fn name(element: &Element, problems: &mut Problems) -> Option<Written> {
    let example = match element.name.as_str() {
        "joint" => "elbow",
        "link" => "arm",
        _ => "robot",
    };
    let Some(attribute) = element.attribute("name") else {
        let of = printable(&element.name);
        let message = format!("`<{of}>` has no `name`");
        let diagnostic = Diagnostic::error(codes::MISSING_ATTRIBUTE, message)
            .at(element.span, "`name` is missing")
            .help(format!("add it, for example `name=\"{example}\"`"));
        problems.push(diagnostic);
        return None;
    };
    let value = of_attribute(attribute);
    if attribute.value.trim().is_empty() {
        let diagnostic = Diagnostic::error(codes::BAD_NAME, "a name must not be empty")
            .at(attribute.span, "empty")
            .help(value.example(example));
        problems.push(diagnostic);
        return None;
    }
    let text = VALUES.name(value, example, problems)?;
    Some(Written {
        text,
        span: attribute.value_span,
    })
}

fn of_attribute(attribute: &Attribute) -> Value<'_> {
    Value {
        name: &attribute.name,
        text: &attribute.value,
        span: attribute.value_span,
        is_text: false,
    }
}

/// Returns between `least` and `most` numbers of the text of an element, if they are valid.
pub(crate) fn numbers(
    element: &Element,
    [least, most]: [usize; 2],
    bounds: Bounds,
    problems: &mut Problems,
) -> Option<Vec<f64>> {
    let written = written(element);
    let value = Value {
        name: &element.name,
        text: &written.text,
        span: written.span,
        is_text: true,
    };
    VALUES.numbers(value, [least, most], bounds, problems)
}

/// Returns the numbers of a child element, if it is present and valid.
pub(super) fn array<const N: usize>(
    element: &Element,
    name: &str,
    bounds: Bounds,
    problems: &mut Problems,
) -> Option<[f64; N]> {
    let child = only(element, name, problems)?;
    let numbers = numbers(child, [N, N], bounds, problems)?;
    numbers.try_into().ok()
}

/// Returns the number of a child element, if it is present and valid.
pub(crate) fn number(
    element: &Element,
    name: &str,
    bounds: Bounds,
    problems: &mut Problems,
) -> Option<f64> {
    array::<1>(element, name, bounds, problems).map(|[number]| number)
}

/// Returns the truth value of a child element, if it is present and valid.
pub(super) fn flag(element: &Element, name: &str, problems: &mut Problems) -> Option<bool> {
    let child = only(element, name, problems)?;
    let written = written(child);
    let value = Value {
        name,
        text: &written.text,
        span: written.span,
        is_text: true,
    };
    let known = ["true", "false", "1", "0", "True", "False"];
    let word = VALUES.word(value, &known, problems)?;
    Some(["true", "True", "1"].contains(&word))
}

/// A `<pose>`, with the name of the frame to which it is relative.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pose {
    pub(crate) local: Isometry3<f64>,
    pub(crate) relative_to: Option<Written>,
}

/// Returns the pose of an element; the identity by default.
pub(crate) fn pose(element: &Element, problems: &mut Problems) -> Pose {
    let Some(pose) = only(element, "pose", problems) else {
        return Pose::default();
    };
    // Until version 1.6 the attribute was called `frame`.
    let relative_to = named(pose, "relative_to").or_else(|| named(pose, "frame"));
    let local = transform(pose, problems).unwrap_or_default();
    Pose { local, relative_to }
}

/// Returns the transform that a `<pose>` writes.
fn transform(pose: &Element, problems: &mut Problems) -> Option<Isometry3<f64>> {
    let written = written(pose);
    if written.text.is_empty() {
        return Some(Isometry3::identity());
    }
    let word = |attribute: &Attribute, known: &[&'static str], problems: &mut Problems| {
        VALUES.word(of_attribute(attribute), known, problems)
    };
    let format = pose.attribute("rotation_format");
    let format = format.and_then(|format| word(format, &["euler_rpy", "quat_xyzw"], problems));
    let degrees = pose.attribute("degrees");
    let degrees = degrees.and_then(|flag| word(flag, &["true", "false", "1", "0"], problems));
    let unit = match degrees {
        Some("true" | "1") => std::f64::consts::PI / 180.0,
        _ => 1.0,
    };
    if format == Some("quat_xyzw") {
        let all = numbers(pose, [7, 7], POSITION, problems)?;
        let [x, y, z, i, j, k, w] = all.try_into().ok()?;
        let Some(rotation) = rotation_from_xyzw([i, j, k, w]) else {
            let diagnostic = Diagnostic::error(codes::OUT_OF_RANGE, "the quaternion is zero")
                .at(written.span, "no rotation")
                .help("for example `<pose rotation_format=\"quat_xyzw\">1 0 0 0 0 0 1</pose>`");
            problems.push(diagnostic);
            return None;
        };
        return Some(Isometry3::from_parts(
            Vector3::new(x, y, z).into(),
            rotation,
        ));
    }
    let all = numbers(pose, [6, 6], POSITION, problems)?;
    let [x, y, z, roll, pitch, yaw] = all.try_into().ok()?;
    let rotation = rotation_from_rpy(roll * unit, pitch * unit, yaw * unit);
    Some(Isometry3::from_parts(
        Vector3::new(x, y, z).into(),
        rotation,
    ))
}
