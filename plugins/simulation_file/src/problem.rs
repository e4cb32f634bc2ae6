//! Collection of the problems of a simulation file, and the format of names in messages.

use std::collections::BTreeSet;

use morse_diagnostics::{Diagnostic, SourceId, Span, nearest, printable};

/// Maximum number of names in a list of a message.
const MOST_LISTED: usize = 24;

/// Returns an error with a span.
pub(super) fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, message).at(span, "")
}

/// Phrases that messages of simulation files share.
pub(super) trait Wording {
    /// Adds an explanation to the first span.
    fn label(self, text: impl Into<String>) -> Self;

    /// Adds a list of the known names, and "did you mean".
    fn known<'k>(self, word: &str, known: impl IntoIterator<Item = &'k str>) -> Self;
}

impl Wording for Diagnostic {
    fn label(mut self, text: impl Into<String>) -> Self {
        if let Some(label) = self.labels.first_mut() {
            label.text = text.into();
        }
        self
    }

    fn known<'k>(self, word: &str, known: impl IntoIterator<Item = &'k str>) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        let listed = match listing(&known) {
            Some(list) => self.note(format!("known: {list}")),
            None => self,
        };
        match nearest(word, known) {
            Some(near) => listed.help(format!("did you mean {}?", quoted(near))),
            None => listed,
        }
    }
}

/// Problems of a file without repetition, up to a limit.
#[derive(Debug)]
pub(super) struct Problems {
    list: Vec<Diagnostic>,
    reported: BTreeSet<(SourceId, u32, &'static str)>,
    /// Starts of values about which everything has been reported.
    settled: BTreeSet<(SourceId, u32)>,
    limit: usize,
    is_cut: bool,
}

impl Problems {
    /// Limits the number of problems, so that a file with millions of errors does not take minutes. In a large file, line
    /// numbers and suggestions take longer; the limit is lower there.
    pub(super) fn new(is_large: bool) -> Self {
        let limit = if is_large { 8 } else { 100 };
        Self {
            list: Vec::new(),
            reported: BTreeSet::new(),
            settled: BTreeSet::new(),
            limit,
            is_cut: false,
        }
    }

    pub(super) fn push(&mut self, problem: Diagnostic) {
        if self.is_full() {
            self.is_cut = true;
            return;
        }
        let is_new = problem.span().is_none_or(|span| {
            let start = (span.source, span.start);
            !self.settled.contains(&start)
                && self
                    .reported
                    .insert((span.source, span.start, problem.code))
        });
        if is_new {
            self.list.push(problem);
        }
    }

    /// Adds a problem that explains everything about the value at `span`: further ones that begin there are dropped.
    pub(super) fn settle(&mut self, problem: Diagnostic, span: Span) {
        self.push(problem);
        self.settled.insert((span.source, span.start));
    }

    /// Returns true if one of them is an error.
    pub(super) fn has_errors(&self) -> bool {
        self.list.iter().any(Diagnostic::is_error)
    }

    /// Returns true if further problems would be dropped, so that the search for them can stop.
    pub(super) fn is_full(&self) -> bool {
        self.list.len() >= self.limit
    }

    /// Returns the problems in the order of the text.
    pub(super) fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.list
            .sort_by_key(|problem| problem.span().map(|span| (span.source, span.start)));
        if self.is_cut
            && let Some(last) = self.list.last_mut()
        {
            last.notes
                .push("there are more problems, which are not shown".to_owned());
        }
        self.list
    }
}

/// Returns a name for a message: in backticks, without control characters, of limited length.
pub(super) fn quoted(name: &str) -> String {
    format!("`{}`", printable(name))
}

/// Returns `a, b, c`, or `None` for an empty list.
pub(super) fn listing(known: &[&str]) -> Option<String> {
    if known.is_empty() {
        return None;
    }
    let shown: Vec<String> = known
        .iter()
        .take(MOST_LISTED)
        .map(|name| printable(name))
        .collect();
    let list = shown.join(", ");
    if known.len() > MOST_LISTED {
        return Some(format!("{list} and {} more", known.len() - MOST_LISTED));
    }
    Some(list)
}
