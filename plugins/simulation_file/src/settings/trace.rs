//! Source spans of errors in settings: serde returns errors without their positions, so each is recorded where it occurs.

use std::cell::RefCell;
use std::fmt;

use morse_diagnostics::{Diagnostic, Span};
use serde::de::{self, Expected, Unexpected};

use crate::problem::{Wording as _, error, quoted};

/// Errors that occurred in the settings so far.
#[derive(Debug, Default)]
pub(super) struct Trace {
    problems: RefCell<Vec<Diagnostic>>,
    first: RefCell<Option<Located>>,
}

/// An error with its span, its field and the value at the span.
#[derive(Clone, Debug)]
pub(super) struct Located {
    pub(super) span: Span,
    pub(super) field: String,
    pub(super) actual: String,
    pub(super) error: SettingsError,
    pub(super) help: Option<String>,
}

/// An error as serde reports it.
#[derive(Clone, Debug)]
pub(super) enum SettingsError {
    /// A value of another type was expected.
    Wanted(String),
    /// A field is absent.
    Missing(&'static str),
    /// A variant is unknown.
    Variant(String, &'static [&'static str]),
    /// An error message of the kind itself.
    Other(String),
}

impl Trace {
    /// Records an error that does not stop the reader.
    pub(super) fn push(&self, problem: Diagnostic) {
        self.problems.borrow_mut().push(problem);
    }

    /// Records the innermost span of an error.
    pub(super) fn note(&self, located: impl FnOnce() -> Located) {
        self.first.borrow_mut().get_or_insert_with(located);
    }

    pub(super) fn into_results(self) -> (Vec<Diagnostic>, Option<Located>) {
        (self.problems.into_inner(), self.first.into_inner())
    }
}

impl SettingsError {
    /// Returns an error that did not occur in the deserializer.
    pub(super) fn other(span: Span, failure: &dyn fmt::Display) -> Located {
        Located {
            span,
            field: String::new(),
            actual: String::new(),
            error: Self::Other(failure.to_string()),
            help: None,
        }
    }
}

impl Located {
    /// Returns true if the error is only a consequence of leaving out an invalid field.
    pub(super) fn is_missing_one_of(&self, left_out: &[String]) -> bool {
        matches!(&self.error, SettingsError::Missing(name) if left_out.iter().any(|other| other == name))
    }

    /// Returns the diagnostic; `word` is the kind to which the settings belong.
    pub(super) fn worded(self, word: &str) -> Diagnostic {
        let field = quoted(&self.field);
        let problem = match &self.error {
            SettingsError::Wanted(wanted) => {
                let message = format!("{field} must be {wanted}, found {}", self.actual);
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
            Self::Wanted(wanted) => write!(f, "must be {wanted}"),
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

/// Returns the expectation of a type in words that do not require knowledge of Rust.
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
