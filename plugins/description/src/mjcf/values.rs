//! Readers of attribute values.
use std::ops::RangeInclusive;

use morse_diagnostics::{Diagnostic, printable};

use super::codes;
use crate::{problems::Problems, xml::Attribute};

/// Greatest magnitude of a number.
const GREATEST: f64 = 1e15;

/// Sets a value if there is a new one.
pub(super) fn set<T>(value: &mut T, new: Option<T>) {
    if let Some(new) = new {
        *value = new;
    }
}

/// Returns a list of numbers, or reports why there is none.
pub(super) fn numbers(
    attribute: &Attribute,
    count: RangeInclusive<usize>,
    problems: &mut Problems,
) -> Option<Vec<f64>> {
    let mut numbers = Vec::new();
    let wanted = match (*count.start(), *count.end()) {
        (1, 1) => "one number".to_owned(),
        (least, most) if least == most => format!("{least} numbers"),
        (least, most) => format!("{least} to {most} numbers"),
    };
    let name = &attribute.name;
    let mut refuse = |message: String, help: &str| {
        let problem = Diagnostic::error(codes::BAD_NUMBER, message);
        problems.push(
            problem
                .at(attribute.value_span, format!("expected {wanted}"))
                .help(help),
        );
    };
    for word in attribute.value.split_whitespace() {
        match word.parse::<f64>() {
            Ok(number) if number.abs() <= GREATEST => numbers.push(number),
            Ok(_) => {
                let message = format!("{} in `{name}` is too large", printable(word));
                refuse(message, "lengths are in metres, masses in kilograms");
                return None;
            }
            Err(_) => {
                let message = format!("`{}` in `{name}` is not a number", printable(word));
                refuse(message, "numbers have a point, and blanks between them");
                return None;
            }
        }
    }
    if count.contains(&numbers.len()) {
        return Some(numbers);
    }
    let message = format!("`{name}` has {} numbers", numbers.len());
    refuse(message, "numbers have blanks between them");
    None
}

/// Returns a number.
pub(super) fn number(attribute: &Attribute, problems: &mut Problems) -> Option<f64> {
    numbers(attribute, 1..=1, problems)?.first().copied()
}

/// Returns the meaning of a word.
pub(super) fn word<T: Copy>(
    attribute: &Attribute,
    words: &[(&str, T)],
    problems: &mut Problems,
) -> Option<T> {
    let found = words.iter().find(|(word, _)| *word == attribute.value);
    if let Some((_, meaning)) = found {
        return Some(*meaning);
    }
    let (shown, name) = (printable(&attribute.value), &attribute.name);
    let problem = Diagnostic::error(codes::BAD_WORD, format!("`{shown}` is no `{name}`"))
        .at(attribute.value_span, "this word")
        .suggest(&attribute.value, words.iter().map(|(word, _)| *word));
    let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    problems.push(match problem.help.is_empty() {
        true => problem.help(format!("known words: {}", known.join(", "))),
        false => problem,
    });
    None
}

/// Returns the meaning of `true` or `false`.
pub(super) fn truth(attribute: &Attribute, problems: &mut Problems) -> Option<bool> {
    word(attribute, &[("true", true), ("false", false)], problems)
}

/// Returns the warning about an attribute that an element does not have.
pub(super) fn unknown_attribute(of: &str, attribute: &Attribute, known: &[&str]) -> Diagnostic {
    let message = format!("`<{of}>` has no attribute `{}`", printable(&attribute.name));
    let problem = Diagnostic::warning(codes::UNKNOWN_ATTRIBUTE, message)
        .at(attribute.span, "not read")
        .suggest(&attribute.name, known.iter().copied());
    match problem.help.is_empty() {
        true => problem.help("remove it, or check its spelling"),
        false => problem,
    }
}
