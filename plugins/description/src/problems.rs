//! Diagnostics of one description, up to a limit and in the order of the text.

use morse_diagnostics::{Collector, Diagnostic};

use crate::codes;

/// Maximum number of errors, and of warnings, that are kept.
const MOST: usize = 100;

/// Collector of diagnostics.
#[derive(Debug)]
pub(crate) struct Problems(Collector);

impl Problems {
    /// Returns an empty collection; if `strict`, warnings become errors.
    pub(crate) fn new(strict: bool) -> Self {
        Self(Collector::new(MOST).strict(strict))
    }

    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    /// Returns true if there is an error.
    pub(crate) fn any_error(&self) -> bool {
        self.0.any_error()
    }

    /// Returns the diagnostics to show.
    pub(crate) fn finish(self) -> Vec<Diagnostic> {
        self.0.finish(codes::AND_MORE)
    }
}
