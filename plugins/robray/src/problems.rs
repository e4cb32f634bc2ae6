//! Diagnostics of a load: collected without repetition, up to a limit.

use std::collections::BTreeSet;

use morse_diagnostics::{Collector, Diagnostic, Sources, Span};

use super::codes;

/// Maximum number of errors, and of warnings, that are kept.
const MOST: usize = 100;

#[derive(Debug)]
pub(super) struct Problems {
    collector: Collector,
    seen: BTreeSet<(&'static str, Span)>,
    stopped: bool,
    /// Index of each diagnostic about a name that was undefined when it was used, and the name.
    undefined: Vec<(usize, String)>,
}

impl Problems {
    /// Returns an empty collection; if `strict`, warnings become errors.
    pub(super) fn new(strict: bool) -> Self {
        Self {
            collector: Collector::new(MOST).strict(strict),
            seen: BTreeSet::new(),
            stopped: false,
            undefined: Vec::new(),
        }
    }

    /// Adds a diagnostic, unless the same code was reported at the same position: a file that is included twice is reported
    /// once. Returns its index if it is kept.
    pub(super) fn push(&mut self, diagnostic: Diagnostic) -> Option<usize> {
        let key = diagnostic.span().map(|span| (diagnostic.code, span));
        if key.is_some_and(|key| !self.seen.insert(key)) {
            return None;
        }
        let index = self.collector.push(diagnostic);
        if let (None, Some(key)) = (index, key) {
            // Only diagnostics that are shown have to be remembered.
            self.seen.remove(&key);
        }
        index
    }

    /// Adds a diagnostic, as [`Problems::push`], about a name whose definition may follow.
    pub(super) fn push_undefined(&mut self, diagnostic: Diagnostic, name: &str) {
        if let Some(index) = self.push(diagnostic) {
            self.undefined.push((index, name.to_owned()));
        }
    }

    /// Adds the definition's span to diagnostics about names that were defined after their use.
    pub(super) fn explain_undefined(&mut self, defined: impl Fn(&str) -> Option<Span>) {
        for (index, name) in self.undefined.drain(..) {
            if let Some(span) = defined(&name)
                && let Some(diagnostic) = self.collector.get_mut(index)
            {
                diagnostic.help = vec!["move the `def` above its first use".into()];
                let labelled = diagnostic.clone().at(span, "defined only here");
                *diagnostic = labelled;
            }
        }
    }

    /// Counts a warning that is not created, since the limit is reached.
    pub(super) fn skip_warning(&mut self) {
        self.collector.skip_warning();
    }

    /// Stops the load.
    pub(super) fn stop(&mut self) {
        self.stopped = true;
    }

    /// Returns true if the load must stop.
    pub(super) fn is_full(&self) -> bool {
        self.collector.errors() > MOST || self.stopped
    }

    /// Returns true if another warning would be shown.
    pub(super) fn reports_warnings(&self) -> bool {
        self.collector.warnings() < MOST && !self.is_full()
    }

    /// Returns true if there is an error.
    pub(super) fn any_error(&self) -> bool {
        self.collector.any_error()
    }

    /// Returns the diagnostics to show, in the order of their detection, without text of files that must not be quoted.
    pub(super) fn finish(self, sources: &Sources) -> Vec<Diagnostic> {
        let mut shown = Vec::new();
        let mut hidden: Vec<(Span, usize)> = Vec::new();
        let (errors, warnings) = (self.collector.errors(), self.collector.warnings());
        for diagnostic in self.collector.into_kept() {
            let secret = diagnostic
                .labels
                .iter()
                .map(|label| label.span.source)
                .find(|id| sources.get(*id).is_some_and(|file| !file.is_quotable()));
            let span = secret.and_then(|id| {
                // Reported at the first including file whose text may be shown.
                let mut chain = sources.include_chain(id).into_iter();
                chain.find(|span| {
                    sources
                        .get(span.source)
                        .is_some_and(morse_diagnostics::Source::is_quotable)
                })
            });
            match span {
                None => shown.push(diagnostic),
                Some(_) if !diagnostic.is_error() => {}
                Some(span) => match hidden.iter_mut().find(|(known, _)| *known == span) {
                    Some((_, count)) => *count += 1,
                    None => hidden.push((span, 1)),
                },
            }
        }
        // Diagnostics of the final checks are sorted to their source positions.
        shown.sort_by_key(Diagnostic::span);
        shown.extend(hidden.into_iter().map(|(span, count)| hint(span, count)));
        if errors > MOST {
            let message = format!("stopped after {MOST} errors");
            shown.push(Diagnostic::error(codes::AND_MORE, message).help("correct these first"));
        }
        if warnings > MOST {
            let more = warnings - MOST;
            shown.push(Diagnostic::warning(
                codes::AND_MORE,
                format!("{more} more warnings are not shown"),
            ));
        }
        shown
    }
}

fn hint(span: Span, count: usize) -> Diagnostic {
    let errors = if count == 1 { "an error" } else { "errors" };
    Diagnostic::error(
        codes::HIDDEN,
        format!("this file has {errors}, but its text may not be shown"),
    )
    .at(span, "included here")
    .note("it lies outside the scene's directory, the current directory and the shipped assets")
    .help("if you trust it, allow its directory: `--allow-path DIRECTORY`")
}
