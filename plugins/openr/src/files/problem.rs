//! Lines of a file, and the collection of its diagnostics.
use morse_diagnostics::{Collector, Diagnostic, SourceId, Span, nearest, printable};

/// Maximum size of a file, bytes.
pub const LARGEST_FILE: usize = 1 << 20;
/// Maximum number of reported errors, and of warnings, per file.
const MOST_PROBLEMS: usize = 20;
/// Code of all diagnostics of a stick.
pub(crate) const CODE: &str = "openr::stick";

/// Valid contents of a file, and its problems.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed<T> {
    /// Valid contents of the file.
    pub value: T,
    /// Problems, in the order of their lines.
    pub problems: Vec<Diagnostic>,
}

impl<T> Parsed<T> {
    /// Returns true if any problem is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(Diagnostic::is_error)
    }
}

/// Problems of a file that is being parsed.
pub(super) struct Problems {
    source: SourceId,
    collector: Collector,
}

/// Line of a file: its offset in the text, bytes, and its text without the line end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Line<'a> {
    pub(super) offset: usize,
    pub(super) text: &'a str,
}

impl Problems {
    pub(super) fn new(source: SourceId) -> Self {
        Self {
            source,
            collector: Collector::new(MOST_PROBLEMS),
        }
    }

    /// Returns the lines of a text; none if the text is too large.
    pub(super) fn lines<'t>(&mut self, text: &'t str) -> impl Iterator<Item = Line<'t>> + use<'t> {
        let is_fine = text.len() <= LARGEST_FILE;
        if !is_fine {
            let message = format!("the file has {} bytes: too many", text.len());
            let help = format!("{LARGEST_FILE} are read");
            self.error(Line::default(), "", message, help);
        }
        let text = if is_fine { text } else { "" };
        let mut next = 0;
        text.split_inclusive('\n').map(move |line| {
            let offset = next;
            next += line.len();
            Line {
                offset,
                text: line.trim_end_matches(['\r', '\n']),
            }
        })
    }

    /// Adds an error at a fragment of a line.
    pub(super) fn error(
        &mut self,
        line: Line<'_>,
        fragment: &str,
        message: String,
        help: impl Into<Option<String>>,
    ) {
        self.add(
            line,
            fragment,
            Diagnostic::error(CODE, message),
            help.into(),
        );
    }

    /// Adds a warning at a fragment of a line.
    pub(super) fn warning(
        &mut self,
        line: Line<'_>,
        fragment: &str,
        message: String,
        help: impl Into<Option<String>>,
    ) {
        self.add(
            line,
            fragment,
            Diagnostic::warning(CODE, message),
            help.into(),
        );
    }

    /// Returns the span of a fragment of a line.
    pub(super) fn span(&self, line: Line<'_>, fragment: &str) -> Span {
        let offset = line.text.find(fragment);
        let length = if offset.is_some() { fragment.len() } else { 0 };
        let start = line.offset + offset.unwrap_or(0);
        Span::new(self.source, start..start + length)
    }

    fn add(&mut self, line: Line<'_>, fragment: &str, problem: Diagnostic, help: Option<String>) {
        let problem = problem.at(self.span(line, fragment), "");
        self.collector.push(match help {
            Some(help) => problem.help(help),
            None => problem,
        });
    }

    pub(super) fn with<T>(self, value: T) -> Parsed<T> {
        Parsed {
            value,
            problems: self.collector.into_kept(),
        }
    }
}

/// Returns text from a file for a message: in backticks, without control characters, of limited length.
pub(super) fn quoted(text: &str) -> String {
    format!("`{}`", printable(text))
}

/// Suggests the most similar word of a list for an unknown one.
pub(super) fn suggestion(word: &str, known: &[&str]) -> Option<String> {
    let near = nearest(word, known.iter().copied())?;
    Some(format!("did you mean `{near}`?"))
}

/// Runs a parser on a text, for tests, and returns its result with its problems in one line each.
#[cfg(test)]
pub(crate) fn parse_as<T>(
    file: &str,
    text: &str,
    parse: impl FnOnce(SourceId, &str) -> Parsed<T>,
) -> (Parsed<T>, Vec<String>) {
    let mut sources = morse_diagnostics::Sources::default();
    let source = sources.add(file, text);
    let parsed = parse(source, text);
    let problems = parsed.problems.iter();
    let lines = problems.map(|problem| morse_diagnostics::one_line(problem, &sources));
    let lines = lines.collect();
    (parsed, lines)
}
