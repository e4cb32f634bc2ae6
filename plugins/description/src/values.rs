//! Parser of the values of descriptions: numbers, keywords and names, with diagnostics of the format's codes.

use morse_diagnostics::{Diagnostic, Span, printable};
use morse_scene::{bounds::Bounds, model::LONGEST_NAME};

use crate::problems::Problems;

/// Codes of the diagnostics of a format, and the units of its numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Codes {
    pub(crate) bad_number: &'static str,
    pub(crate) out_of_range: &'static str,
    pub(crate) bad_word: &'static str,
    pub(crate) bad_name: &'static str,
    pub(crate) unknown_name: &'static str,
    /// Remedy for a number out of range: the units of the format.
    pub(crate) units: &'static str,
}

/// A value as it is written in a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'a> {
    /// Name of the attribute or element.
    pub(crate) name: &'a str,
    pub(crate) text: &'a str,
    pub(crate) span: Span,
    /// True for the text of an element, false for an attribute.
    pub(crate) is_text: bool,
}

impl Value<'_> {
    /// Returns an example of the attribute or element, as it is written in a file.
    pub(crate) fn example(&self, value: &str) -> String {
        let name = self.name;
        match self.is_text {
            true => format!("for example `<{name}>{value}</{name}>`"),
            false => format!("for example `{name}=\"{value}\"`"),
        }
    }
}

impl Codes {
    /// Returns between `least` and `most` numbers, if the value is valid.
    pub(crate) fn numbers(
        &self,
        value: Value<'_>,
        [least, most]: [usize; 2],
        bounds: Bounds,
        problems: &mut Problems,
    ) -> Option<Vec<f64>> {
        let mut numbers = Vec::new();
        let expected_count = expected_count(least, most);
        for word in value.text.split_whitespace() {
            match word.parse::<f64>() {
                Ok(number) if number.is_finite() => numbers.push(number),
                _ => {
                    let message = format!("`{}` is not a finite number", printable(word));
                    let diagnostic = Diagnostic::error(self.bad_number, message)
                        .at(value.span, format!("expected {expected_count}"))
                        .help("numbers have a point, and blanks between them, no commas");
                    problems.push(diagnostic);
                    return None;
                }
            }
        }
        let name = value.name;
        if numbers.len() < least || numbers.len() > most {
            let message = format!("`{name}` has {expected_count}, not {}", numbers.len());
            let example = vec!["0.5"; least.max(1)].join(" ");
            let diagnostic = Diagnostic::error(self.bad_number, message)
                .at(value.span, format!("expected {expected_count}"))
                .help(value.example(&example));
            problems.push(diagnostic);
            return None;
        }
        if let Some(number) = bounds.violation(&numbers) {
            let shown = morse_api::range::ValueRange::shown(number);
            let message = format!("`{name}` must be {bounds}, not {shown}");
            let diagnostic = Diagnostic::error(self.out_of_range, message)
                .at(value.span, "out of range")
                .help(self.units);
            problems.push(diagnostic);
            return None;
        }
        Some(numbers)
    }

    /// Returns one of the known keywords.
    pub(crate) fn word<'k>(
        &self,
        value: Value<'_>,
        known: &[&'k str],
        problems: &mut Problems,
    ) -> Option<&'k str> {
        let text = value.text.trim();
        let entry = known.iter().find(|word| **word == text);
        if entry.is_none() {
            let message = format!("`{}` is no value of `{}`", printable(text), value.name);
            let diagnostic = Diagnostic::error(self.bad_word, message)
                .at(value.span, "unknown")
                .suggest(text, known.iter().copied());
            problems.push(match diagnostic.help.is_empty() {
                true => diagnostic.help(format!("known values: {}", known.join(", "))),
                false => diagnostic,
            });
        }
        entry.copied()
    }

    /// Returns a name that a scene can represent; `None` if it is empty.
    pub(crate) fn name(
        &self,
        value: Value<'_>,
        example: &str,
        problems: &mut Problems,
    ) -> Option<String> {
        let text = value.text.trim();
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
        let diagnostic = Diagnostic::error(self.bad_name, message)
            .at(value.span, "this name")
            .help(value.example(example));
        problems.push(diagnostic);
        None
    }

    /// Returns the error that no element has a name.
    pub(crate) fn unknown<'a>(
        &self,
        what: &str,
        (text, span): (&str, Span),
        known: impl IntoIterator<Item = &'a str>,
    ) -> Diagnostic {
        let message = format!("there is no {what} `{}`", printable(text));
        let diagnostic = Diagnostic::error(self.unknown_name, message)
            .at(span, "named here")
            .suggest(text, known);
        match diagnostic.help.is_empty() {
            true => diagnostic.help(format!("name a {what} of this model")),
            false => diagnostic,
        }
    }
}

fn expected_count(least: usize, most: usize) -> String {
    match (least, most) {
        (1, 1) => "one number".to_owned(),
        (least, most) if least == most => format!("{least} numbers"),
        (least, most) => format!("{least} to {most} numbers"),
    }
}
