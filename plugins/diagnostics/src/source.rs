//! Source files of a load, and spans in them.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Index of a file in a [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(u32);

/// A range of bytes in a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub source: SourceId,
    /// First byte.
    pub start: u32,
    /// Byte after the last; equal to `start` for a position between two characters.
    pub end: u32,
}

impl Span {
    /// Returns the span of a byte range. Offsets beyond 4 GiB, which no reader accepts, are cut.
    #[must_use]
    pub fn new(source: SourceId, range: Range<usize>) -> Self {
        let cut = |offset| u32::try_from(offset).unwrap_or(u32::MAX);
        Self {
            source,
            start: cut(range.start),
            end: cut(range.end),
        }
    }

    /// Returns the span as a range of bytes.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns the span from the start of this one to the end of `last`.
    #[must_use]
    pub fn to(self, last: Self) -> Self {
        Self {
            end: last.end.max(self.start),
            ..self
        }
    }
}

/// A source file that was read.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: Arc<str>,
    included_at: Option<Span>,
    quotable: bool,
    /// Numbers of lines and characters before every [`MARK_DISTANCE`] bytes. Computed at the first query of a position.
    marks: OnceLock<Vec<Mark>>,
}

/// Distance of two marks, bytes.
const MARK_DISTANCE: usize = 4096;

#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    newlines: usize,
    letters: usize,
}

impl Mark {
    fn after(self, text: &[u8]) -> Self {
        // A UTF-8 continuation byte does not start a character.
        let starts = text.iter().filter(|byte| (**byte & 0xC0) != 0x80).count();
        Self {
            newlines: self.newlines + text.iter().filter(|byte| **byte == b'\n').count(),
            letters: self.letters + starts,
        }
    }
}

impl Source {
    /// Returns the name of the file in messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the text of the file.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the span of the statement that included the file.
    #[must_use]
    pub fn included_at(&self) -> Option<Span> {
        self.included_at
    }

    /// Returns true if messages may quote the text.
    #[must_use]
    pub fn is_quotable(&self) -> bool {
        self.quotable
    }

    /// Returns the text of a span; empty if the span is not in this file.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// Returns line and column of an offset, from 1, columns in characters. An offset beyond the end of the text counts as
    /// its end.
    #[must_use]
    pub fn line_and_column(&self, offset: usize) -> (usize, usize) {
        let before = self.before(offset);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let here = self.mark(before.len());
        let column = here.letters - self.mark(line_start).letters + 1;
        (here.newlines + 1, column)
    }

    /// Returns the numbers of lines and characters before an offset.
    fn mark(&self, offset: usize) -> Mark {
        let bytes = self.text.as_bytes();
        let marks = self.marks.get_or_init(|| {
            let mut marks = vec![Mark::default()];
            let mut mark = Mark::default();
            for block in bytes.chunks(MARK_DISTANCE) {
                mark = mark.after(block);
                marks.push(mark);
            }
            marks
        });
        let block = offset / MARK_DISTANCE;
        let rest = bytes.get(block * MARK_DISTANCE..offset).unwrap_or_default();
        let mark = marks.get(block).copied().unwrap_or_default();
        mark.after(rest)
    }

    /// Returns the text before an offset, or before the character that contains the offset.
    pub(super) fn before(&self, offset: usize) -> &str {
        let mut end = offset.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        self.text.get(..end).unwrap_or_default()
    }
}

/// All source files of a load, in the order in which they were read; the first is the requested file.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<Source>,
}

impl Sources {
    /// Adds a file whose text messages may quote.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> SourceId {
        self.push(name.into(), text.into(), None, true)
    }

    /// Adds a file that another file includes. Messages never quote the text of a file that is not `quotable`.
    pub fn add_included(
        &mut self,
        name: impl Into<String>,
        text: impl Into<Arc<str>>,
        included_at: Span,
        quotable: bool,
    ) -> SourceId {
        self.push(name.into(), text.into(), Some(included_at), quotable)
    }

    fn push(
        &mut self,
        name: String,
        text: Arc<str>,
        included_at: Option<Span>,
        quotable: bool,
    ) -> SourceId {
        let id = SourceId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        self.files.push(Source {
            name,
            text,
            included_at,
            quotable,
            marks: OnceLock::new(),
        });
        id
    }

    /// Adds files of another load. Spans in them remain valid if as many files are before them as there.
    pub fn extend<'a>(&mut self, files: impl IntoIterator<Item = &'a Source>) {
        self.files.extend(files.into_iter().cloned());
    }

    /// Returns a file by its identifier.
    #[must_use]
    pub fn get(&self, id: SourceId) -> Option<&Source> {
        self.files.get(id.0 as usize)
    }

    /// Returns the identifiers of the files, in the order in which they were read.
    pub fn ids(&self) -> impl Iterator<Item = SourceId> + use<> {
        let count = u32::try_from(self.files.len()).unwrap_or(u32::MAX);
        (0..count).map(SourceId)
    }

    /// Returns the files, in the order in which they were read.
    pub fn iter(&self) -> impl Iterator<Item = &Source> {
        self.files.iter()
    }

    /// Returns file, line and column of the start of a span.
    #[must_use]
    pub fn position(&self, span: Span) -> Option<(&str, usize, usize)> {
        let source = self.get(span.source)?;
        let (line, column) = source.line_and_column(span.start as usize);
        Some((source.name(), line, column))
    }

    /// Returns the spans of the include statements that led to a file, innermost first.
    #[must_use]
    pub fn include_chain(&self, id: SourceId) -> Vec<Span> {
        let mut chain = Vec::new();
        let mut next = self.get(id).and_then(Source::included_at);
        while let Some(span) = next {
            chain.push(span);
            next = self.get(span.source).and_then(Source::included_at);
        }
        chain
    }
}

/// Returns the number of blanks before an offset of a text, or `None` if other text precedes the offset on its line.
pub fn indent(text: &str, offset: usize) -> Option<usize> {
    let before = text.as_bytes().get(..offset)?;
    let blanks = before
        .iter()
        .rev()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count();
    let line = before.len() - blanks;
    let is_first = line == 0 || before.get(line - 1) == Some(&b'\n');
    is_first.then_some(blanks)
}
