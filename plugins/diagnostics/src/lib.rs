//! Diagnostics of files: fault, place, reason and remedy, in one form for every language.
//!
//! A reader collects [`Diagnostic`]s while it reads, so that all errors of a load come in one pass.
//! [`render()`] shows them to people, [`to_json`] to programs.

mod json;
mod read;
mod render;
pub mod report;
mod source;
mod suggest;

pub use json::to_json;
pub use read::{LARGEST_FILE, read_bytes};
pub use render::{Style, render};
pub use report::{Failed, Report};
pub use source::{Source, SourceId, Sources, Span, indent};
pub use suggest::{nearest, nearest_file};

/// Something to tell the author of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Kind of the diagnostic, for programs and for the documentation: `robray::unknown-attribute`.
    pub code: &'static str,
    /// Severity, which tells whether the file can be used all the same.
    pub severity: Severity,
    /// Description of the fault, in one line.
    pub message: String,
    /// Places in files; the first one is the place that is reported.
    pub labels: Vec<Label>,
    /// Reasons, and what else is worth knowing.
    pub notes: Vec<String>,
    /// Remedies.
    pub help: Vec<String>,
}

/// Severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The file can be used; something in it is probably not meant.
    Warning,
    /// The file cannot be used.
    Error,
}

/// A place in a file, with what there is to say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The text that is underlined.
    pub span: Span,
    /// May be empty.
    pub text: String,
}

impl Diagnostic {
    /// An error without a place yet.
    #[must_use]
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, message)
    }

    /// A warning without a place yet.
    #[must_use]
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, message)
    }

    fn new(code: &'static str, severity: Severity, message: impl Into<String>) -> Self {
        Self {
            code,
            severity,
            message: message.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
        }
    }

    /// Adds a place; the first one is where the diagnostic is reported.
    #[must_use]
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// Adds a reason.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds a remedy.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// Adds "did you mean" if one of the known names is near to what was written.
    #[must_use]
    pub fn suggest<'a>(self, written: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        match nearest(written, known) {
            Some(name) => self.help(format!("did you mean `{}`?", printable(name))),
            None => self,
        }
    }

    /// Tells whether this keeps the file from being used.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Place that is reported.
    #[must_use]
    pub fn place(&self) -> Option<Span> {
        self.labels.first().map(|label| label.span)
    }
}

/// Names longer than this are cut when a message shows them.
const LONGEST_SHOWN: usize = 60;

/// As [`LONGEST_SHOWN`], for paths.
const LONGEST_PATH_SHOWN: usize = 240;

/// A name as it may be shown on a terminal: without control characters, and not endlessly long.
#[must_use]
pub fn printable(name: &str) -> String {
    shortened(name, LONGEST_SHOWN)
}

/// A path as it may be shown on a terminal.
#[must_use]
pub fn printable_path(path: &str) -> String {
    shortened(path, LONGEST_PATH_SHOWN)
}

fn shortened(name: &str, longest: usize) -> String {
    let mut shown = String::new();
    for (count, letter) in name.chars().enumerate() {
        if count == longest {
            shown.push('…');
            break;
        }
        if is_printable(letter) {
            shown.push(letter);
        } else {
            shown.extend(letter.escape_unicode());
        }
    }
    shown
}

/// Control characters could drive the terminal; directional marks could make a line read differently
/// from what it is.
fn is_printable(letter: char) -> bool {
    !letter.is_control()
        && !matches!(
            letter,
            '\u{061C}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}'
        )
}
