//! Repair of lists of numbers that other programs read: punctuation, numbers too many, and substitutions with a default.

use std::borrow::Cow;

use morse_diagnostics::Diagnostic;

use super::codes;
use crate::xml::Attribute;

/// A repair of a list of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repair {
    /// Punctuation after numbers was removed.
    Punctuation,
    /// The default of `$(optenv NAME DEFAULT)` was taken.
    Default,
    /// Numbers after the last required one were left out.
    Many,
}

/// Returns a list of `count` numbers without what other programs leave out, and the repairs.
pub(super) fn numbers(text: &str, count: usize) -> (Cow<'_, str>, Vec<Repair>) {
    let mut repairs = Vec::new();
    let mut text = Cow::Borrowed(text);
    while let Some((name, rest)) = text.split_once("$(optenv") {
        let Some((inside, after)) = rest.split_once(')') else {
            break;
        };
        let default = inside.trim().split_once(char::is_whitespace);
        let Some((_, default)) = default else { break };
        text = Cow::Owned(format!("{name} {default} {after}"));
        repairs.push(Repair::Default);
    }
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    if words.iter().any(|word| !is_number(word)) {
        let trimmed = words.iter().map(|word| match is_number(word) {
            true => *word,
            false => word.trim_end_matches([',', ';', '.']),
        });
        let without: Vec<&str> = trimmed.collect();
        if without.iter().all(|word| is_number(word)) {
            words = without;
            repairs.push(Repair::Punctuation);
        }
    }
    if count >= 3 && words.len() > count && words.iter().all(|word| is_number(word)) {
        words.truncate(count);
        repairs.push(Repair::Many);
    }
    repairs.dedup();
    match repairs.is_empty() {
        true => (text, repairs),
        false => (Cow::Owned(words.join(" ")), repairs),
    }
}

impl Repair {
    pub(super) fn into_diagnostic(
        self,
        name: &str,
        written: &Attribute,
        count: usize,
    ) -> Diagnostic {
        let (message, label, help) = match self {
            Self::Punctuation => (
                format!("`{name}` has punctuation after its numbers"),
                "read as blanks".to_owned(),
                "write only blanks between the numbers",
            ),
            Self::Default => (
                format!("`{name}` has a substitution of ROS: its default is taken"),
                "the environment is not read".to_owned(),
                "rename the file to `.urdf.xacro`, or write the numbers",
            ),
            Self::Many => (
                format!("`{name}` has more than {count} numbers"),
                format!("the first {count} are read"),
                "remove the others",
            ),
        };
        let diagnostic = Diagnostic::warning(codes::BAD_NUMBER, message);
        diagnostic.at(written.value_span, label).help(help)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_repaired_or_left_alone() {
        let cases: [(&str, usize, &str, &[Repair]); 9] = [
            ("1 2 3", 3, "1 2 3", &[]),
            ("1, 2, 3,", 3, "1 2 3", &[Repair::Punctuation]),
            ("1. -1.57. 3;", 3, "1. -1.57 3", &[Repair::Punctuation]),
            ("1,2,3", 3, "1,2,3", &[]),
            ("1 2 3 4", 3, "1 2 3", &[Repair::Many]),
            ("1 2", 1, "1 2", &[]),
            ("1 2 3 x", 3, "1 2 3 x", &[]),
            ("$(optenv A 1 2 3)", 3, "1 2 3", &[Repair::Default]),
            ("$(optenv A) 1", 3, "$(optenv A) 1", &[]),
        ];
        for (text, count, expected, repairs) in cases {
            let (repaired, own) = numbers(text, count);
            assert_eq!((&*repaired, own.as_slice()), (expected, repairs), "{text}");
        }
    }
}
