//! Mistakes in settings: serde passes errors up without their place, so each is noted where it
//! happens.

use std::cell::RefCell;
use std::fmt;

use morse_diagnostics::{Diagnostic, Span};
use serde::de::{self, Expected, Unexpected};

use crate::problem::{Wording as _, error, quoted};

/// Errors that were found while settings were read.
#[derive(Debug, Default)]
pub(super) struct Trace {
    problems: RefCell<Vec<Diagnostic>>,
    first: RefCell<Option<Located>>,
}

/// An error, where it happened, in which field, and what stood there.
#[derive(Clone, Debug)]
pub(super) struct Located {
    pub(super) span: Span,
    pub(super) field: String,
    pub(super) found: String,
    pub(super) error: SettingsError,
    pub(super) help: Option<String>,
}

/// An error, as serde tells it.
#[derive(Clone, Debug)]
pub(super) enum SettingsError {
    /// Something else was wanted.
    Wanted(String),
    /// A field is not there.
    Missing(&'static str),
    /// A variant is not one of the known ones.
    Variant(String, &'static [&'static str]),
    /// In the words of the kind.
    Other(String),
}

impl Trace {
    /// Notes a mistake that does not stop the reading.
    pub(super) fn push(&self, problem: Diagnostic) {
        self.problems.borrow_mut().push(problem);
    }

    /// Notes the innermost place of an error.
    pub(super) fn note(&self, located: impl FnOnce() -> Located) {
        self.first.borrow_mut().get_or_insert_with(located);
    }

    pub(super) fn into_parts(self) -> (Vec<Diagnostic>, Option<Located>) {
        (self.problems.into_inner(), self.first.into_inner())
    }
}

impl SettingsError {
    /// A failure that did not come through the deserializer.
    pub(super) fn other(span: Span, failure: &dyn fmt::Display) -> Located {
        Located {
            span,
            field: String::new(),
            found: String::new(),
            error: Self::Other(failure.to_string()),
            help: None,
        }
    }
}

impl Located {
    /// Tells whether this is only the consequence of leaving out a field that was wrong.
    pub(super) fn is_missing_one_of(&self, left_out: &[String]) -> bool {
        matches!(&self.error, SettingsError::Missing(name) if left_out.iter().any(|other| other == name))
    }

    /// As it is shown; `word` is the kind whose settings these are.
    pub(super) fn worded(self, word: &str) -> Diagnostic {
        let field = quoted(&self.field);
        let problem = match &self.error {
            SettingsError::Wanted(wanted) => {
                let message = format!("{field} wants {wanted}, found {}", self.found);
                error("simulation::wrong-type", self.span, message)
                    .label(format!("expected {wanted}"))
            }
            SettingsError::Missing(name) => {
                let (name, of) = (quoted(name), quoted(word));
                let message = format!("{of} is missing its field {name}");
                error("simulation::missing-field", self.span, message).help(format!(
                    "add {}",
                    quoted(&format!("{}: …", name.trim_matches('`')))
                ))
            }
            SettingsError::Variant(variant, known) => {
                let message = format!("{} is not a value of {field}", quoted(variant));
                error("simulation::unknown-word", self.span, message)
                    .known(variant, known.iter().copied())
            }
            SettingsError::Other(text) => {
                let text = text.trim_end_matches('.');
                error(
                    "simulation::bad-setting",
                    self.span,
                    format!("{field}: {text}"),
                )
            }
        };
        match self.help {
            Some(help) => problem.help(help),
            None => problem,
        }
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wanted(wanted) => write!(f, "wants {wanted}"),
            Self::Missing(name) => write!(f, "missing field `{name}`"),
            Self::Variant(name, _) => write!(f, "unknown value `{name}`"),
            Self::Other(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for SettingsError {}

impl de::Error for SettingsError {
    fn custom<T: fmt::Display>(text: T) -> Self {
        Self::Other(text.to_string())
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::Wanted(wanted(&expected.to_string()))
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::Wanted(wanted(&expected.to_string()))
    }

    fn invalid_length(_: usize, expected: &dyn Expected) -> Self {
        Self::Wanted(wanted(&expected.to_string()))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::Variant(variant.to_owned(), expected)
    }

    fn missing_field(field: &'static str) -> Self {
        Self::Missing(field)
    }
}

/// Expectation of a type, in words that do not need Rust.
fn wanted(expected: &str) -> String {
    let words = match expected {
        "f32" | "f64" => "a number",
        "i8" => "a whole number from -128 to 127",
        "i16" => "a whole number from -32768 to 32767",
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "i32" | "i64" | "i128" | "isize" => "a whole number",
        "u32" | "u64" | "u128" | "usize" => "a whole number, 0 or more",
        "a boolean" => "`true` or `false`",
        "a string" => "a text in quotes",
        "a character" => "a character in single quotes",
        "a sequence" => "a list `[ ]`",
        "a map" => "a map `{ }`",
        "unit" => "`()`",
        _ if expected.starts_with("struct ") => "named fields in `( )`",
        _ => expected,
    };
    words.to_owned()
}
