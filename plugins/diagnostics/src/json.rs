//! Diagnostics as JSON objects, for programs.

use serde::Serialize;

use super::{Diagnostic, Severity, Sources, Span};

#[derive(Serialize)]
struct Report<'a> {
    code: &'a str,
    severity: &'static str,
    message: &'a str,
    #[serde(flatten)]
    location: Option<Location<'a>>,
    labels: Vec<LabelReport<'a>>,
    notes: &'a [String],
    help: &'a [String],
    included_from: Vec<Location<'a>>,
}

#[derive(Serialize)]
struct Location<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
}

#[derive(Serialize)]
struct LabelReport<'a> {
    #[serde(flatten)]
    location: Option<Location<'a>>,
    text: &'a str,
}

/// Returns a diagnostic as a JSON object: `code`, `severity`, `message`, the source position (`file`, `line`, `column`,
/// `end_line`, `end_column`, from 1, columns in characters), `labels` (each a source position with a `text`), `notes`,
/// `help`, and `included_from`, the positions of the include statements, innermost first.
#[must_use]
pub fn to_json(diagnostic: &Diagnostic, sources: &Sources) -> serde_json::Value {
    let span = diagnostic.span();
    let chain = span.map(|span| sources.include_chain(span.source));
    let report = Report {
        code: diagnostic.code,
        severity: match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        message: &diagnostic.message,
        location: span.and_then(|span| located(span, sources)),
        labels: diagnostic
            .labels
            .iter()
            .map(|label| LabelReport {
                location: located(label.span, sources),
                text: &label.text,
            })
            .collect(),
        notes: &diagnostic.notes,
        help: &diagnostic.help,
        included_from: chain
            .unwrap_or_default()
            .into_iter()
            .filter_map(|span| located(span, sources))
            .collect(),
    };
    serde_json::to_value(report).unwrap_or_default()
}

fn located(span: Span, sources: &Sources) -> Option<Location<'_>> {
    let source = sources.get(span.source)?;
    let (line, column) = source.line_and_column(span.start as usize);
    let (end_line, end_column) = source.line_and_column(span.end as usize);
    Some(Location {
        file: source.name(),
        line,
        column,
        end_line,
        end_column,
    })
}
