//! Diagnostics of input files: code, source spans, cause and remedy, in one type for all languages.
//!
//! A reader collects [`Diagnostic`]s while it reads (see [`Collector`]), so that one pass reports all errors of a load. [`render()`] formats
//! them for a terminal, [`to_json`] for programs.

mod collector;
mod json;
mod overlay;
mod read;
mod render;
pub mod report;
mod source;
mod suggest;

pub use collector::Collector;
pub use json::to_json;
pub use overlay::{Overlay, real_path};
pub use read::{LARGEST_FILE, read_bytes};
pub use render::{Style, one_line, render};
pub use report::{Failed, Report};
pub use source::{Source, SourceId, Sources, Span, indent};
pub use suggest::{nearest, nearest_file};

/// Error or warning about an input file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable identifier of the kind of diagnostic, for programs and for the documentation: `robray::unknown-attribute`.
    pub code: &'static str,
    /// Severity: whether the file can still be used.
    pub severity: Severity,
    /// Description of the problem, in one line.
    pub message: String,
    /// Source spans in files; the diagnostic is reported at the first one.
    pub labels: Vec<Label>,
    /// Causes and background information.
    pub notes: Vec<String>,
    /// Remedies.
    pub help: Vec<String>,
}

/// Severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The file can be used; something in it is probably unintended.
    Warning,
    /// The file cannot be used.
    Error,
}

/// A source span with an explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Span of the text that is underlined.
    pub span: Span,
    /// Explanation of the span; may be empty.
    pub text: String,
}

impl Diagnostic {
    /// Returns an error without a span.
    #[must_use]
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, message)
    }

    /// Returns a warning without a span.
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

    /// Adds a span; the diagnostic is reported at the first one.
    #[must_use]
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// Adds a cause.
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

    /// Adds "did you mean" if one of the known names is close to the written one.
    #[must_use]
    pub fn suggest<'a>(self, written: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        match nearest(written, known) {
            Some(name) => self.help(format!("did you mean `{}`?", printable(name))),
            None => self,
        }
    }

    /// Returns the name that a "did you mean" proposes instead of the text at [`Diagnostic::span`], if there is exactly one
    /// proposal.
    #[must_use]
    pub fn suggestion(&self) -> Option<&str> {
        let mut proposals = self.help.iter().filter_map(|help| {
            let (_, rest) = help.split_once("did you mean `")?;
            rest.split_once("`?").map(|(name, _)| name)
        });
        let first = proposals.next()?;
        // A name that was cut or escaped is not the name itself.
        let is_whole = !first.contains(['…', '`']) && !first.contains("\\u{");
        (is_whole && proposals.next().is_none()).then_some(first)
    }

    /// Returns true if the diagnostic prevents the use of the file.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Returns the span at which the diagnostic is reported.
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        self.labels.first().map(|label| label.span)
    }
}

/// Maximum length of a name in a message, characters; longer names are cut.
const LONGEST_SHOWN: usize = 60;

/// Maximum length of a path in a message, characters; longer paths are cut.
const LONGEST_PATH_SHOWN: usize = 240;

/// Returns a name in a form that is safe on a terminal: without control characters, and of limited length.
#[must_use]
pub fn printable(name: &str) -> String {
    shortened(name, LONGEST_SHOWN)
}

/// Returns a path in a form that is safe on a terminal.
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

/// Returns true if a character can be shown safely. Control characters could send commands to the terminal; directional
/// marks could make a line read differently from its content.
fn is_printable(letter: char) -> bool {
    !letter.is_control()
        && !matches!(
            letter,
            '\u{061C}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}'
        )
}
