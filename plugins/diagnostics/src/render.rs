//! Diagnostics as text for people, in the layout of compiler messages: source excerpts with underlined spans.

use std::fmt::Write as _;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::{Diagnostic, Label, Severity, Source, Sources, is_printable};

/// Maximum length of a source line that is quoted; of a longer line only the position is shown.
const LONGEST_LINE: usize = 1_000;
/// Maximum distance, in lines, between spans that share one excerpt.
const FAR_APART: usize = 20;
/// Maximum number of include statements that are shown of a chain.
const LONGEST_CHAIN: usize = 8;

/// Style of the output: with or without colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// No colours: for files, tests and `NO_COLOR`.
    #[default]
    Plain,
    /// Colours, for terminals.
    Colored,
}

/// Formats a diagnostic as text of several lines, with a line break at the end.
#[must_use]
pub fn render(diagnostic: &Diagnostic, sources: &Sources, style: Style) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level
        .primary_title(clean(&diagnostic.message))
        .id(diagnostic.code);
    let mut group = Group::with_title(title);
    for excerpt in excerpts(&diagnostic.labels, sources) {
        group = excerpt.add_to(group);
    }
    let chain = diagnostic.span().map(|span| chain(span.source, sources));
    for note in chain.unwrap_or_default().iter().chain(&diagnostic.notes) {
        group = group.element(Level::NOTE.message(clean(note)));
    }
    for help in &diagnostic.help {
        group = group.element(Level::HELP.message(clean(help)));
    }
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Colored => Renderer::styled().hyperlink(false),
    };
    let mut text = renderer.render(&[group]);
    text.push('\n');
    text
}

/// Formats a diagnostic in one line: `file:line:column: message; help`.
#[must_use]
pub fn one_line(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let position = diagnostic
        .span()
        .and_then(|span| sources.position(span))
        .map(|(file, line, column)| format!("{file}:{line}:{column}: "));
    let helps = diagnostic.help.iter().map(|help| format!("; {help}"));
    let text = [position.unwrap_or_default(), diagnostic.message.clone()];
    clean(&text.into_iter().chain(helps).collect::<String>())
}

/// Returns the include statements that lead to the file of the first label, innermost first.
fn chain(source: super::SourceId, sources: &Sources) -> Vec<String> {
    let spans = sources.include_chain(source);
    let left_out = spans.len().saturating_sub(LONGEST_CHAIN);
    let mut lines: Vec<String> = spans
        .into_iter()
        .take(LONGEST_CHAIN)
        .filter_map(|span| sources.position(span))
        .map(|(file, line, column)| format!("included from {file}:{line}:{column}"))
        .collect();
    if left_out > 0 {
        lines.push(format!("and {left_out} more inclusions above"));
    }
    lines
}

/// Consecutive lines of a file, with the spans to underline in them.
struct Excerpt {
    path: String,
    first_line: usize,
    column: usize,
    /// Text of the lines; empty if it must not or cannot be shown.
    text: String,
    marks: Vec<Mark>,
}

struct Mark {
    range: std::ops::Range<usize>,
    text: String,
    primary: bool,
}

impl Excerpt {
    fn add_to(self, group: Group<'_>) -> Group<'_> {
        if self.text.is_empty() {
            let origin = Origin::path(self.path).line(self.first_line);
            let group = group.element(origin.char_column(self.column));
            return self
                .marks
                .into_iter()
                .filter(|mark| !mark.text.is_empty())
                .fold(group, |group, mark| {
                    group.element(Level::NOTE.message(mark.text))
                });
        }
        let annotations = self.marks.into_iter().map(|mark| {
            let kind = if mark.primary {
                AnnotationKind::Primary
            } else {
                AnnotationKind::Context
            };
            let label = Some(mark.text).filter(|text| !text.is_empty());
            kind.span(mark.range).label(label)
        });
        let snippet = Snippet::source(self.text)
            .line_start(self.first_line)
            .path(self.path);
        group.element(snippet.annotations(annotations))
    }
}

/// Groups the spans of a diagnostic into excerpts: spans of the same file that are close together share one.
fn excerpts(labels: &[Label], sources: &Sources) -> Vec<Excerpt> {
    let mut groups: Vec<(usize, Vec<(usize, &Label)>)> = Vec::new();
    for (number, label) in labels.iter().enumerate() {
        let Some((_, line, _)) = sources.position(label.span) else {
            continue;
        };
        let near = groups.iter_mut().find(|(first, members)| {
            first.abs_diff(line) <= FAR_APART
                && members
                    .iter()
                    .all(|(_, member)| member.span.source == label.span.source)
        });
        match near {
            Some((_, members)) => members.push((number, label)),
            None => groups.push((line, vec![(number, label)])),
        }
    }
    groups
        .iter()
        .filter_map(|(_, members)| excerpt(members, sources))
        .collect()
}

fn excerpt(members: &[(usize, &Label)], sources: &Sources) -> Option<Excerpt> {
    let (_, first) = members.first()?;
    let source = sources.get(first.span.source)?;
    let start = members.iter().map(|(_, label)| label.span.start).min()? as usize;
    let end = members.iter().map(|(_, label)| marked(label, source).end);
    let lines = whole_lines(source, start..end.max()?);
    let shown = source.text().get(lines.clone()).unwrap_or_default();
    let too_long = shown.lines().any(|line| line.len() > LONGEST_LINE);
    let hidden = too_long || !source.is_quotable();
    let (mut line, mut column) = source.line_and_column(first.span.start as usize);
    if !hidden {
        (line, column) = source.line_and_column(lines.start);
    }
    let mut text = String::new();
    let mut offsets = Vec::new();
    if !hidden {
        (text, offsets) = cleaned_with_offsets(shown);
    }
    let at = |offset: usize| {
        let into = offset.saturating_sub(lines.start);
        let index = offsets.partition_point(|(old, _)| *old < into);
        offsets.get(index).map_or(text.len(), |(_, new)| *new)
    };
    let marks = members
        .iter()
        .map(|(number, label)| {
            let range = marked(label, source);
            Mark {
                range: at(range.start)..at(range.end),
                text: clean(&label.text),
                primary: *number == 0,
            }
        })
        .collect();
    if !hidden && text.is_empty() {
        text.push('\n');
    }
    Some(Excerpt {
        path: clean(source.name()),
        first_line: line,
        column,
        text,
        marks,
    })
}

/// Returns the range to underline; of a span over several lines, only the part in its first line.
fn marked(label: &Label, source: &Source) -> std::ops::Range<usize> {
    let start = source.before(label.span.start as usize).len();
    let end = source.before(label.span.end as usize).len().max(start);
    let text = source.text().get(start..end).unwrap_or_default();
    let first_line = text.lines().next().unwrap_or_default();
    start..start + first_line.trim_end().len()
}

/// Extends a range to whole lines, without the last line break. A line that is too long to be shown is cut just beyond the
/// limit.
fn whole_lines(source: &Source, range: std::ops::Range<usize>) -> std::ops::Range<usize> {
    let text = source.text().as_bytes();
    let end = range.end.max(range.start).min(text.len());
    let newline = |byte: &u8| *byte == b'\n';
    let before = text.get(..range.start).unwrap_or_default();
    let length = before.iter().rev().take(LONGEST_LINE + 1).position(newline);
    let start = match length {
        Some(length) => range.start - length,
        None => range.start.saturating_sub(LONGEST_LINE + 1),
    };
    let after = text.get(end..).unwrap_or_default();
    let length = after.iter().take(LONGEST_LINE + 1).position(newline);
    let end = match length {
        Some(length) => end + length,
        None => text.len().min(end + LONGEST_LINE + 1),
    };
    source.before(start).len()..source.before(end).len()
}

/// Returns the text with every character that must not reach a terminal replaced, and the offset of each of its characters
/// before and after the replacement.
fn cleaned_with_offsets(text: &str) -> (String, Vec<(usize, usize)>) {
    let mut cleaned = String::with_capacity(text.len());
    let mut offsets = Vec::new();
    for (offset, letter) in text.char_indices() {
        if letter == '\r'
            && text
                .get(offset + 1..)
                .is_none_or(|rest| rest.is_empty() || rest.starts_with('\n'))
        {
            continue;
        }
        offsets.push((offset, cleaned.len()));
        cleaned.push(match letter {
            '\n' | '\t' => letter,
            _ if is_printable(letter) => letter,
            _ => '\u{FFFD}',
        });
    }
    (cleaned, offsets)
}

/// Returns a message with its control characters escaped.
fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_printable(letter) || letter == '\n' {
            cleaned.push(letter);
        } else {
            // Writing to a string cannot fail.
            let _unfailing = write!(cleaned, "{}", letter.escape_unicode());
        }
    }
    cleaned
}
