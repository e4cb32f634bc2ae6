//! Diagnostics of one description, up to a limit and in the order of the text.

use morse_diagnostics::{Diagnostic, Severity};

/// Code of the note that further diagnostics were omitted.
const AND_MORE: &str = "urdf::and-more";

/// Maximum number of errors, and of warnings, that are kept.
const MOST: usize = 100;

/// Collector of diagnostics.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    kept: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
    strict: bool,
}

impl Problems {
    /// Returns an empty collection; if `strict`, warnings become errors.
    pub(crate) fn new(strict: bool) -> Self {
        Self {
            strict,
            ..Self::default()
        }
    }

    pub(crate) fn push(&mut self, mut diagnostic: Diagnostic) {
        if self.strict {
            diagnostic.severity = Severity::Error;
        }
        let count = match diagnostic.severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        *count += 1;
        if *count <= MOST {
            self.kept.push(diagnostic);
        }
    }

    /// Returns true if there is an error.
    pub(crate) fn any_error(&self) -> bool {
        self.errors > 0
    }

    /// Returns the diagnostics to show.
    pub(crate) fn finish(self) -> Vec<Diagnostic> {
        let mut shown = self.kept;
        shown.sort_by_key(Diagnostic::place);
        if self.errors > MOST {
            let message = format!("{} more errors are not shown", self.errors - MOST);
            shown.push(Diagnostic::error(AND_MORE, message).help("correct these first"));
        }
        if self.warnings > MOST {
            let message = format!("{} more warnings are not shown", self.warnings - MOST);
            shown.push(Diagnostic::warning(AND_MORE, message));
        }
        shown
    }
}
