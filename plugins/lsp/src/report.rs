//! Conversion of diagnostics to those of the protocol.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Range,
    Uri,
};
use morse_diagnostics::{
    Diagnostic as Problem, Severity, Source, SourceId, Sources, Span, real_path, report::Report,
};
use serde_json::json;

use crate::text::Lines;
use crate::uri;

/// Diagnostics by file.
pub(crate) type ByFile = BTreeMap<PathBuf, Vec<Diagnostic>>;

/// Adds the diagnostics of a check. Those without a position, or in a text that is no file, are reported at the statement
/// that included the text, or else at the start of `root`.
pub(crate) fn add(report: &Report, root: &Path, files: &mut ByFile) {
    let mut converter = Converter::default();
    for (problem, sources) in report.entries() {
        let (path, diagnostic) = converter.converted(problem, sources, root);
        let known = files.entry(path).or_default();
        if !known.contains(&diagnostic) {
            known.push(diagnostic);
        }
    }
}

/// Returns the canonical path of a source, or `None` if it is no file on the disk.
pub(crate) fn path_of(source: &Source) -> Option<PathBuf> {
    path_of_name(source.name())
}

/// Returns the canonical path of a file by its name in messages.
pub(crate) fn path_of_name(name: &str) -> Option<PathBuf> {
    let path = real_path(Path::new(name));
    let is_text =
        name.starts_with("--set") || name.starts_with('<') || name.starts_with("shipped:");
    (!is_text && path.is_absolute()).then_some(path)
}

/// Converter with the lines of the sources so far.
#[derive(Default)]
struct Converter {
    lines: BTreeMap<String, Lines>,
}

impl Converter {
    fn converted(
        &mut self,
        problem: &Problem,
        sources: &Sources,
        root: &Path,
    ) -> (PathBuf, Diagnostic) {
        let located = problem
            .span()
            .and_then(|span| self.file_range(span, sources));
        let (path, range) = located.unwrap_or_else(|| (root.to_owned(), Range::default()));
        let related = problem.labels.iter().skip(1).filter_map(|label| {
            let (path, range) = self.file_range(label.span, sources)?;
            let uri = uri::of_path(&path)?;
            let message = match label.text.as_str() {
                "" => "see also".to_owned(),
                text => text.to_owned(),
            };
            Some(DiagnosticRelatedInformation {
                location: Location { uri, range },
                message,
            })
        });
        let related: Vec<_> = related.collect();
        let diagnostic = Diagnostic {
            range,
            severity: Some(match problem.severity {
                Severity::Error => DiagnosticSeverity::ERROR,
                Severity::Warning => DiagnosticSeverity::WARNING,
            }),
            code: Some(NumberOrString::String(problem.code.to_owned())),
            source: Some("morse-sim".to_owned()),
            message: message(problem),
            related_information: (!related.is_empty()).then_some(related),
            data: replacement(problem).map(|text| json!({ "replacement": text })),
            ..Diagnostic::default()
        };
        (path, diagnostic)
    }

    /// Returns file and range of a span, or of the statement that included its text.
    fn file_range(&mut self, span: Span, sources: &Sources) -> Option<(PathBuf, Range)> {
        let chain = sources.include_chain(span.source);
        [span].into_iter().chain(chain).find_map(|span| {
            let source = sources.get(span.source)?;
            let path = path_of(source)?;
            Some((path, self.range(source, span)))
        })
    }

    fn range(&mut self, source: &Source, span: Span) -> Range {
        let lines = self.lines.entry(source.name().to_owned());
        let lines = lines.or_insert_with(|| Lines::new(source.text()));
        lines.range(source.text(), span.range())
    }
}

/// Returns the text that a diagnostic proposes instead of the one at its position.
fn replacement(problem: &Problem) -> Option<&str> {
    problem.suggestion().or_else(|| {
        let label = problem.labels.first()?;
        let missing = label.text.strip_prefix("add `")?.strip_suffix("` here")?;
        label.span.range().is_empty().then_some(missing)
    })
}

/// Returns the location of a span, if its text is a file on the disk.
pub(crate) fn location(
    span: Span,
    sources: &Sources,
    uri_of: impl Fn(&Path) -> Option<Uri>,
) -> Option<Location> {
    let source = source(span.source, sources)?;
    let uri = uri_of(&path_of(source)?)?;
    let range = Lines::new(source.text()).range(source.text(), span.range());
    Some(Location { uri, range })
}

fn source(id: SourceId, sources: &Sources) -> Option<&Source> {
    sources.get(id)
}

/// Returns the message with the explanation of the span, the notes and the remedies.
fn message(problem: &Problem) -> String {
    let mut text = problem.message.clone();
    if let Some(label) = problem
        .labels
        .first()
        .filter(|label| !label.text.is_empty())
    {
        text.push_str(": ");
        text.push_str(&label.text);
    }
    for note in &problem.notes {
        text.push_str("\nnote: ");
        text.push_str(note);
    }
    for help in &problem.help {
        text.push_str("\nhelp: ");
        text.push_str(help);
    }
    text
}
