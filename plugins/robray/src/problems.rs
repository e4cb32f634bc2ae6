//! Diagnostics of a load: collected without repetition, up to a limit.

use std::collections::BTreeSet;

use morse_diagnostics::{Diagnostic, Severity, Sources, Span};

use super::codes;

/// Maximum number of errors, and of warnings, that are kept.
const MOST: usize = 100;

#[derive(Debug, Default)]
pub(super) struct Problems {
    kept: Vec<Diagnostic>,
    seen: BTreeSet<(&'static str, Span)>,
    errors: usize,
    warnings: usize,
    /// True if warnings are errors.
    strict: bool,
    stopped: bool,
    /// Index in `kept` of each use of a name that was undefined at the time.
    undefined: Vec<(usize, String)>,
}

impl Problems {
    pub(super) fn new(strict: bool) -> Self {
        Self {
            strict,
            ..Self::default()
        }
    }

    /// Adds a diagnostic, unless the same code was reported at the same position: a file that is included twice is reported
    /// once.
    pub(super) fn push(&mut self, mut diagnostic: Diagnostic) {
        if let Some(place) = diagnostic.place()
            && !self.seen.insert((diagnostic.code, place))
        {
            return;
        }
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
        } else if let Some(place) = diagnostic.place() {
            // Only diagnostics that are shown have to be remembered.
            self.seen.remove(&(diagnostic.code, place));
        }
    }

    /// Adds a diagnostic, as [`Problems::push`], about a name whose definition may follow.
    pub(super) fn push_undefined(&mut self, diagnostic: Diagnostic, name: &str) {
        let before = self.kept.len();
        self.push(diagnostic);
        if self.kept.len() > before {
            self.undefined.push((before, name.to_owned()));
        }
    }

    /// Adds the definition's span to diagnostics about names that were defined after their use.
    pub(super) fn explain_undefined(&mut self, defined: impl Fn(&str) -> Option<Span>) {
        for (place, name) in self.undefined.drain(..) {
            if let Some(span) = defined(&name)
                && let Some(diagnostic) = self.kept.get_mut(place)
            {
                diagnostic.help = vec!["move the `def` above its first use".into()];
                let labelled = diagnostic.clone().at(span, "defined only here");
                *diagnostic = labelled;
            }
        }
    }

    /// Counts a warning that is not created, since the limit is reached.
    pub(super) fn skip_warning(&mut self) {
        if self.strict {
            self.errors += 1;
        } else {
            self.warnings += 1;
        }
    }

    /// Stops the load.
    pub(super) fn stop(&mut self) {
        self.stopped = true;
    }

    /// Returns true if the load must stop.
    pub(super) fn is_full(&self) -> bool {
        self.errors > MOST || self.stopped
    }

    /// Returns true if another warning would be shown.
    pub(super) fn wants_warnings(&self) -> bool {
        self.warnings < MOST && !self.is_full()
    }

    /// Returns true if there is an error.
    pub(super) fn any_error(&self) -> bool {
        self.errors > 0
    }

    /// Returns the diagnostics to show, in the order of their detection, without text of files that must not be quoted.
    pub(super) fn finish(self, sources: &Sources) -> Vec<Diagnostic> {
        let mut shown = Vec::new();
        let mut hidden: Vec<(Span, usize)> = Vec::new();
        for diagnostic in self.kept {
            let secret = diagnostic
                .labels
                .iter()
                .map(|label| label.span.source)
                .find(|id| sources.get(*id).is_some_and(|file| !file.is_quotable()));
            let place = secret.and_then(|id| {
                // Reported at the first including file whose text may be shown.
                let mut chain = sources.include_chain(id).into_iter();
                chain.find(|span| {
                    sources
                        .get(span.source)
                        .is_some_and(morse_diagnostics::Source::is_quotable)
                })
            });
            match place {
                None => shown.push(diagnostic),
                Some(_) if !diagnostic.is_error() => {}
                Some(place) => match hidden.iter_mut().find(|(known, _)| *known == place) {
                    Some((_, count)) => *count += 1,
                    None => hidden.push((place, 1)),
                },
            }
        }
        // Diagnostics of the final checks are sorted to their source positions.
        shown.sort_by_key(Diagnostic::place);
        shown.extend(hidden.into_iter().map(|(place, count)| hint(place, count)));
        if self.errors > MOST {
            let message = format!("stopped after {MOST} errors");
            shown.push(Diagnostic::error(codes::AND_MORE, message).help("correct these first"));
        }
        if self.warnings > MOST {
            let more = self.warnings - MOST;
            shown.push(Diagnostic::warning(
                codes::AND_MORE,
                format!("{more} more warnings are not shown"),
            ));
        }
        shown
    }
}

fn hint(place: Span, count: usize) -> Diagnostic {
    let errors = if count == 1 { "an error" } else { "errors" };
    Diagnostic::error(
        codes::HIDDEN,
        format!("this file has {errors}, but its text may not be shown"),
    )
    .at(place, "included here")
    .note("it lies outside the scene's directory, the current directory and the shipped assets")
    .help("if you trust it, allow its directory: `--allow-path DIRECTORY`")
}
