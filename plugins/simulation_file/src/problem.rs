//! Collecting what is wrong with a simulation file, and how names are shown in messages.

use std::collections::BTreeSet;

use morse_diagnostics::{Diagnostic, SourceId, Span, nearest, printable};

/// So many names are listed in a message.
const MOST_LISTED: usize = 24;

/// An error at a place.
pub(super) fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, message).at(span, "")
}

/// Wording that messages of simulation files have in common.
pub(super) trait Wording {
    /// Says something at the place that is reported.
    fn label(self, text: impl Into<String>) -> Self;

    /// Lists what is known, and adds "did you mean".
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

/// All that is wrong, each thing once, up to a limit.
#[derive(Debug)]
pub(super) struct Problems {
    list: Vec<Diagnostic>,
    places: BTreeSet<(SourceId, u32, &'static str)>,
    limit: usize,
    is_cut: bool,
}

impl Problems {
    /// Keeps at most so many: a file made to have millions must not cost minutes. In large files it
    /// takes long to find the line of a place, and the name that was meant: there, fewer are kept.
    pub(super) fn new(is_large: bool) -> Self {
        let limit = if is_large { 8 } else { 100 };
        Self {
            list: Vec::new(),
            places: BTreeSet::new(),
            limit,
            is_cut: false,
        }
    }

    pub(super) fn push(&mut self, problem: Diagnostic) {
        if self.is_full() {
            self.is_cut = true;
            return;
        }
        let is_new = problem
            .place()
            .is_none_or(|span| self.places.insert((span.source, span.start, problem.code)));
        if is_new {
            self.list.push(problem);
        }
    }

    /// Would a further problem be left out? Then it need not be looked for.
    pub(super) fn is_full(&self) -> bool {
        self.list.len() >= self.limit
    }

    /// In the order of the text.
    pub(super) fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.list
            .sort_by_key(|problem| problem.place().map(|span| (span.source, span.start)));
        if self.is_cut
            && let Some(last) = self.list.last_mut()
        {
            last.notes
                .push("there are more problems, which are not shown".to_owned());
        }
        self.list
    }
}

/// A name as messages show it: in backticks, without control characters, not too long.
pub(super) fn quoted(name: &str) -> String {
    format!("`{}`", printable(name))
}

/// `a, b, c`, or nothing when there is nothing.
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
