//! Collection of the diagnostics of a load, up to a limit.

use crate::{Diagnostic, Severity};

/// Collector of diagnostics. It keeps a limited number of errors, and as many warnings, and counts the rest.
#[derive(Debug)]
pub struct Collector {
    kept: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
    most: usize,
    strict: bool,
}

impl Collector {
    /// Returns a collector that keeps at most this number of errors, and of warnings.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self {
            kept: Vec::new(),
            errors: 0,
            warnings: 0,
            most,
            strict: false,
        }
    }

    /// If `strict`, warnings become errors.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Adds a diagnostic. Returns its index if it is kept.
    pub fn push(&mut self, mut diagnostic: Diagnostic) -> Option<usize> {
        if self.strict {
            diagnostic.severity = Severity::Error;
        }
        let count = match diagnostic.severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        *count += 1;
        (*count <= self.most).then(|| {
            self.kept.push(diagnostic);
            self.kept.len() - 1
        })
    }

    /// Counts a warning that is not created, since the limit is reached.
    pub fn skip_warning(&mut self) {
        if self.strict {
            self.errors += 1;
        } else {
            self.warnings += 1;
        }
    }

    /// Returns the number of errors, with those that were not kept.
    #[must_use]
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Returns the number of warnings, with those that were not kept.
    #[must_use]
    pub fn warnings(&self) -> usize {
        self.warnings
    }

    /// Returns true if there is an error.
    #[must_use]
    pub fn any_error(&self) -> bool {
        self.errors > 0
    }

    /// Returns a kept diagnostic, to add to it.
    pub fn get_mut(&mut self, index: usize) -> Option<&mut Diagnostic> {
        self.kept.get_mut(index)
    }

    /// Returns the kept diagnostics, in the order of their detection.
    #[must_use]
    pub fn into_kept(self) -> Vec<Diagnostic> {
        self.kept
    }

    /// Returns the kept diagnostics in the order of the text, and at the end how many more there are.
    #[must_use]
    pub fn finish(self, and_more: &'static str) -> Vec<Diagnostic> {
        let mut shown = self.kept;
        shown.sort_by_key(Diagnostic::span);
        if self.errors > self.most {
            let message = format!("{} more errors are not shown", self.errors - self.most);
            shown.push(Diagnostic::error(and_more, message).help("correct these first"));
        }
        if self.warnings > self.most {
            let message = format!("{} more warnings are not shown", self.warnings - self.most);
            shown.push(Diagnostic::warning(and_more, message));
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_the_limit_is_counted() {
        let mut collector = Collector::new(2);
        let pushed = (0..4).map(|_| collector.push(Diagnostic::warning("a", "b")));
        assert_eq!(pushed.collect::<Vec<_>>(), [Some(0), Some(1), None, None]);
        assert_eq!(collector.push(Diagnostic::error("a", "c")), Some(2));
        assert!(collector.any_error());
        let shown = collector.finish("and-more");
        let shown: Vec<&str> = shown.iter().map(|shown| shown.message.as_str()).collect();
        assert_eq!(shown, ["b", "b", "c", "2 more warnings are not shown"]);
    }

    #[test]
    fn warnings_are_errors_if_that_is_strict() {
        let mut collector = Collector::new(1).strict(true);
        collector.push(Diagnostic::warning("a", "b"));
        collector.skip_warning();
        assert_eq!((collector.errors(), collector.warnings()), (2, 0));
        let shown = collector.finish("and-more");
        assert!(shown.iter().all(Diagnostic::is_error));
    }
}
