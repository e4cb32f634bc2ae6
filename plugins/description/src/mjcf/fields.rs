//! Reader of attributes: numbers, keywords and names, with diagnostics at their values.

use morse_diagnostics::{Diagnostic, printable};
use morse_scene::{bounds::Bounds, model::LONGEST_NAME};

use super::codes;
use crate::{
    problems::Problems,
    xml::{Attribute, Element},
};

/// Range of positions, m, and of most other numbers.
pub(super) const PLACE: Bounds = Bounds::within(1e8);

/// Range of forces, dampings and similar coefficients.
pub(super) const EFFORT: Bounds = Bounds::between(0.0, 1e12);

/// Returns between `least` and `most` numbers of an attribute, if it is present and valid.
pub(super) fn numbers(
    element: &Element,
    name: &str,
    [least, most]: [usize; 2],
    bounds: Bounds,
    problems: &mut Problems,
) -> Option<Vec<f64>> {
    let written = element.attribute(name)?;
    let mut numbers = Vec::new();
    let wanted = wanted(least, most);
    for word in written.value.split_whitespace() {
        match word.parse::<f64>() {
            Ok(number) if number.is_finite() => numbers.push(number),
            _ => {
                let message = format!("`{}` is not a finite number", printable(word));
                let diagnostic = Diagnostic::error(codes::BAD_NUMBER, message)
                    .at(written.value_span, format!("expected {wanted}"))
                    .help("numbers have a point, and blanks between them, no commas");
                problems.push(diagnostic);
                return None;
            }
        }
    }
    if numbers.len() < least || numbers.len() > most {
        let message = format!("`{name}` has {wanted}, not {}", numbers.len());
        let example = vec!["0.5"; least.max(1)].join(" ");
        let diagnostic = Diagnostic::error(codes::BAD_NUMBER, message)
            .at(written.value_span, format!("expected {wanted}"))
            .help(format!("for example `{name}=\"{example}\"`"));
        problems.push(diagnostic);
        return None;
    }
    if let Some(number) = bounds.violation(&numbers) {
        let shown = morse_api::range::ValueRange::shown(number);
        let message = format!("`{name}` must be {bounds}, not {shown}");
        let diagnostic = Diagnostic::error(codes::OUT_OF_RANGE, message)
            .at(written.value_span, "out of range")
            .help("lengths are in metres, masses in kilograms, angles in degrees unless `<compiler angle=\"radian\"/>` is set");
        problems.push(diagnostic);
        return None;
    }
    Some(numbers)
}

fn wanted(least: usize, most: usize) -> String {
    match (least, most) {
        (1, 1) => "one number".to_owned(),
        (least, most) if least == most => format!("{least} numbers"),
        (least, most) => format!("{least} to {most} numbers"),
    }
}

/// Returns an array of numbers, if the attribute is present and valid.
pub(super) fn array<const N: usize>(
    element: &Element,
    name: &str,
    bounds: Bounds,
    problems: &mut Problems,
) -> Option<[f64; N]> {
    let numbers = numbers(element, name, [N, N], bounds, problems)?;
    numbers.try_into().ok()
}

/// Returns a number, if the attribute is present and valid.
pub(super) fn number(
    element: &Element,
    name: &str,
    bounds: Bounds,
    problems: &mut Problems,
) -> Option<f64> {
    array::<1>(element, name, bounds, problems).map(|[number]| number)
}

/// Returns one of the known keywords, if the attribute is present.
pub(super) fn word<'k>(
    element: &Element,
    name: &str,
    known: &[&'k str],
    problems: &mut Problems,
) -> Option<&'k str> {
    let written = element.attribute(name)?;
    let text = written.value.trim();
    let found = known.iter().find(|word| **word == text);
    if found.is_none() {
        let message = format!("`{}` is no value of `{name}`", printable(text));
        let diagnostic = Diagnostic::error(codes::BAD_WORD, message)
            .at(written.value_span, "unknown")
            .suggest(text, known.iter().copied());
        problems.push(match diagnostic.help.is_empty() {
            true => diagnostic.help(format!("known values: {}", known.join(", "))),
            false => diagnostic,
        });
    }
    found.copied()
}

/// Returns a truth value, if the attribute is `true` or `false`; `None` for `auto`.
pub(super) fn flag(element: &Element, name: &str, problems: &mut Problems) -> Option<bool> {
    match word(element, name, &["true", "false", "auto"], problems) {
        Some("true") => Some(true),
        Some("false") => Some(false),
        _ => None,
    }
}

/// Returns a name that a scene can represent, if the attribute is present. As in MuJoCo, an empty name is none.
pub(super) fn name(element: &Element, attribute: &str, problems: &mut Problems) -> Option<String> {
    let written = element.attribute(attribute)?;
    let text = written.value.trim();
    let objection = if text.is_empty() {
        return None;
    } else if text.contains(['"', '\0']) {
        "it holds a quote"
    } else if text.len() > LONGEST_NAME {
        "it is too long"
    } else {
        return Some(text.to_owned());
    };
    let message = format!("this cannot be a name: {objection}");
    let diagnostic = Diagnostic::error(codes::BAD_NAME, message)
        .at(written.span, "this name")
        .help(format!("for example `{attribute}=\"arm\"`"));
    problems.push(diagnostic);
    None
}

/// Returns a required attribute.
pub(super) fn needed<'e>(
    element: &'e Element,
    name: &str,
    example: &str,
    problems: &mut Problems,
) -> Option<&'e Attribute> {
    let found = element.attribute(name);
    if found.is_none() {
        let of = printable(&element.name);
        let message = format!("`<{of}>` has no `{name}`");
        let diagnostic = Diagnostic::error(codes::MISSING_ATTRIBUTE, message)
            .at(element.span, format!("`{name}` is missing"))
            .help(format!("add it, for example `{name}=\"{example}\"`"));
        problems.push(diagnostic);
    }
    found
}

/// Warns of attributes that an element does not have.
pub(super) fn check(element: &Element, known: &[&str], problems: &mut Problems) {
    for attribute in &element.attributes {
        if known.contains(&attribute.name.as_str()) || attribute.name.contains(':') {
            continue;
        }
        let [name, of] = [&attribute.name, &element.name].map(|name| printable(name));
        let message = format!("`<{of}>` has no attribute `{name}`");
        let diagnostic = Diagnostic::warning(codes::UNKNOWN_ATTRIBUTE, message)
            .at(attribute.span, "not read")
            .suggest(&attribute.name, known.iter().copied());
        problems.push(match diagnostic.help.is_empty() {
            true => diagnostic.help(format!("remove it; known attributes: {}", known.join(", "))),
            false => diagnostic,
        });
    }
}

/// Reports a name to which no element belongs.
pub(super) fn unknown<'a>(
    what: &str,
    written: &Attribute,
    known: impl IntoIterator<Item = &'a str>,
    problems: &mut Problems,
) {
    let text = written.value.trim();
    let message = format!("there is no {what} `{}`", printable(text));
    let diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, message)
        .at(written.value_span, "named here")
        .suggest(text, known);
    problems.push(match diagnostic.help.is_empty() {
        true => diagnostic.help(format!("name a {what} of this model")),
        false => diagnostic,
    });
}
