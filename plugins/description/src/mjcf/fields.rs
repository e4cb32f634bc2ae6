//! Reader of attributes: numbers, keywords and names, with diagnostics at their values.

use morse_diagnostics::{Diagnostic, Span, printable};
use morse_scene::bounds::Bounds;

use super::codes;
use crate::{
    problems::Problems,
    values::{Codes, Value},
    xml::{Attribute, Element},
};

/// Range of positions, m, and of most other numbers.
pub(super) const POSITION: Bounds = Bounds::within(1e8);

/// Range of forces, dampings and similar coefficients.
pub(super) const EFFORT: Bounds = Bounds::between(0.0, 1e12);

/// Codes and units of MJCF.
const VALUES: Codes = Codes {
    bad_number: codes::BAD_NUMBER,
    out_of_range: codes::OUT_OF_RANGE,
    bad_word: codes::BAD_WORD,
    bad_name: codes::BAD_NAME,
    unknown_name: codes::UNKNOWN_NAME,
    units: "lengths are in metres, masses in kilograms, angles in degrees unless `<compiler angle=\"radian\"/>` is set",
};

/// Returns the value of an attribute.
fn value(written: &Attribute, span: Span) -> Value<'_> {
    Value {
        name: &written.name,
        text: &written.value,
        span,
        is_text: false,
    }
}

/// Returns between `least` and `most` numbers of an attribute, if it is present and valid.
pub(super) fn numbers(
    element: &Element,
    name: &str,
    [least, most]: [usize; 2],
    bounds: Bounds,
    problems: &mut Problems,
) -> Option<Vec<f64>> {
    let written = element.attribute(name)?;
    let value = value(written, written.value_span);
    VALUES.numbers(value, [least, most], bounds, problems)
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

/// Returns the coefficient of a force that is proportional to a position or a velocity. Reports further coefficients: those of
/// its powers.
pub(super) fn linear(element: &Element, name: &str, problems: &mut Problems) -> Option<f64> {
    let all = numbers(element, name, [1, 3], EFFORT, problems)?;
    let (first, powers) = all.split_first()?;
    if powers.iter().any(|power| *power != 0.0) {
        let span = element
            .attribute(name)
            .map_or(element.span, |own| own.value_span);
        let message = format!("`{name}` is read as a coefficient that does not vary");
        let diagnostic = Diagnostic::warning(codes::APPROXIMATION, message)
            .at(span, "the first number is used")
            .help("write one number");
        problems.push(diagnostic);
    }
    Some(*first)
}

/// Returns one of the known keywords, if the attribute is present.
pub(super) fn word<'k>(
    element: &Element,
    name: &str,
    known: &[&'k str],
    problems: &mut Problems,
) -> Option<&'k str> {
    let written = element.attribute(name)?;
    VALUES.word(value(written, written.value_span), known, problems)
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
    VALUES.name(value(written, written.span), "arm", problems)
}

/// Returns a required attribute.
pub(super) fn needed<'e>(
    element: &'e Element,
    name: &str,
    example: &str,
    problems: &mut Problems,
) -> Option<&'e Attribute> {
    let attribute = element.attribute(name);
    if attribute.is_none() {
        let of = printable(&element.name);
        let message = format!("`<{of}>` has no `{name}`");
        let diagnostic = Diagnostic::error(codes::MISSING_ATTRIBUTE, message)
            .at(element.span, format!("`{name}` is missing"))
            .help(format!("add it, for example `{name}=\"{example}\"`"));
        problems.push(diagnostic);
    }
    attribute
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
    let text = (written.value.trim(), written.value_span);
    problems.push(VALUES.unknown(what, text, known));
}
