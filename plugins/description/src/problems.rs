//! Diagnostics of one description, up to a limit and in the order of the text.

use std::collections::{BTreeMap, btree_map::Entry};

use morse_diagnostics::{Collector, Diagnostic, Span};

use crate::codes;

/// Maximum number of errors, and of warnings, that are kept.
const MOST: usize = 100;

/// Ends of the codes of problems that a generator of descriptions repeats at each link or joint.
const REPEATED: [&str; 2] = ["::unknown-attribute", "::unknown-element"];

/// Collector of diagnostics.
#[derive(Debug)]
pub(crate) struct Problems {
    collector: Collector,
    /// Unknown attributes and elements by their messages: the span of the first, and the number of further ones.
    repeated: BTreeMap<String, (Span, usize)>,
}

impl Problems {
    /// Returns an empty collection; if `strict`, warnings become errors.
    pub(crate) fn new(strict: bool) -> Self {
        Self {
            collector: Collector::new(MOST).strict(strict),
            repeated: BTreeMap::new(),
        }
    }

    /// Adds a diagnostic. Unknown attributes and elements with equal messages are counted, and shown once.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        if REPEATED.iter().any(|end| diagnostic.code.ends_with(end))
            && let Some(label) = diagnostic.labels.first()
        {
            match self.repeated.entry(diagnostic.message.clone()) {
                Entry::Occupied(mut first) => {
                    first.get_mut().1 += 1;
                    return;
                }
                Entry::Vacant(entry) => entry.insert((label.span, 0)),
            };
        }
        self.collector.push(diagnostic);
    }

    /// Returns true if there is an error.
    pub(crate) fn any_error(&self) -> bool {
        self.collector.any_error()
    }

    /// Returns the diagnostics to show.
    pub(crate) fn finish(self) -> Vec<Diagnostic> {
        let mut all = self.collector.finish(codes::AND_MORE);
        for diagnostic in &mut all {
            let first = diagnostic.labels.first().map(|label| label.span);
            match self.repeated.get(&diagnostic.message) {
                Some(&(span, more @ 1..)) if first == Some(span) => {
                    diagnostic.notes.push(format!("{more} more like this"));
                }
                _ => {}
            }
        }
        all
    }
}
