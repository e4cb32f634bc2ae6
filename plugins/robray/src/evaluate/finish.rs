//! Final checks of a load, which require all frames and classes.

use morse_diagnostics::Failed;
use morse_diagnostics::{Diagnostic, printable};

use super::{Loader, Mention, OwnedName};
use crate::{Loaded, codes, index::Analysis};

impl Loader<'_> {
    /// Returns the scene, or the errors of the load.
    pub(super) fn finish(self) -> Result<Loaded, Box<Failed>> {
        let analysis = self.analysis();
        if analysis.failed {
            return Err(Box::new(Failed {
                diagnostics: analysis.diagnostics,
                sources: analysis.sources,
            }));
        }
        Ok(Loaded {
            scene: analysis.scene,
            warnings: analysis.diagnostics,
            sources: analysis.sources,
        })
    }

    /// Returns the scene as far as it could be read, with the errors of the load.
    pub(super) fn analysis(mut self) -> Analysis {
        self.check();
        let failed = self.problems.any_error();
        Analysis {
            scene: self.scene,
            diagnostics: self.problems.finish(&self.sources),
            failed,
            sources: self.sources,
            index: self.index.finish(),
        }
    }

    fn check(&mut self) {
        self.attach_elsewhere();
        self.check_mentions();
        self.check_classes();
        self.check_cycles();
        self.check_range();
        let definitions = &self.definitions;
        self.problems
            .explain_undefined(|name| definitions.get(name).map(|definition| definition.span));
    }

    /// Attaches geometry to the frames that its classes name.
    fn attach_elsewhere(&mut self) {
        for (parent, geometry) in std::mem::take(&mut self.elsewhere) {
            if self.scene.add_geometry(&parent.text, geometry).is_ok() {
                continue;
            }
            let shown = parent.shown();
            let message =
                format!("a geometry belongs to the frame `{shown}`, which does not exist");
            let names = self.scene.frames().iter().map(|frame| frame.name.as_str());
            let diagnostic = Diagnostic::error(codes::UNKNOWN_PARENT, message)
                .at(parent.span, "given by this class")
                .suggest(&parent.text, names)
                .help("a class with a `parent` moves its geometry there: define that frame");
            self.problems.push(diagnostic);
        }
    }

    fn check_mentions(&mut self) {
        for (word, mention) in std::mem::take(&mut self.mentioned) {
            if self.scene.frame(&word.text).is_some() {
                continue;
            }
            if mention != Mention::Closure && !self.problems.reports_warnings() {
                self.problems.skip_warning();
                continue;
            }
            let shown = word.shown();
            let names = self.scene.frames().iter().map(|frame| frame.name.as_str());
            let diagnostic = match mention {
                Mention::Parent => Diagnostic::warning(
                    codes::UNKNOWN_PARENT,
                    format!("there is no parent frame `{shown}`"),
                )
                .at(word.span, "unknown parent")
                .note("the frame is a child of the root until a frame of that name exists")
                .suggest(&word.text, names),
                Mention::AllowedPair => Diagnostic::warning(
                    codes::UNKNOWN_FRAME,
                    format!("there is no frame `{shown}` to allow a collision with"),
                )
                .at(word.span, "unknown frame")
                .note("names in `allow_collision` are taken as they are, not looked up")
                .suggest(&word.text, names),
                Mention::Closure => Diagnostic::error(
                    codes::UNKNOWN_FRAME,
                    format!("there is no frame `{shown}` to connect"),
                )
                .at(word.span, "unknown frame")
                .suggest(&word.text, names),
            };
            self.problems.push(with_remedy(
                diagnostic,
                "check the name, or define the frame",
            ));
        }
    }

    fn check_classes(&mut self) {
        for word in std::mem::take(&mut self.missing_classes) {
            if !self.problems.reports_warnings() {
                self.problems.skip_warning();
                continue;
            }
            let shown = word.shown();
            let diagnostic = match self.classes.get(&word.text) {
                Some(class) => Diagnostic::warning(
                    codes::UNKNOWN_CLASS,
                    format!("the class `{shown}` is defined only after this"),
                )
                .at(word.span, "gives its name, but no attributes")
                .at(class.span, "defined here")
                .help("move the class above its first use"),
                None => {
                    let diagnostic = unknown_class(&word);
                    let names = self.classes.keys().map(String::as_str);
                    let help =
                        format!("for a tag without attributes, define `class {shown} {{ }}`");
                    with_remedy(diagnostic.suggest(&word.text, names), &help)
                }
            };
            self.problems.push(diagnostic);
        }
    }

    /// Checks that all poses are finite: finite translations may add up to infinity.
    fn check_range(&mut self) {
        if self.problems.any_error() {
            return;
        }
        let Some(frame) = self.scene.infinite_frame() else {
            return;
        };
        let message = format!("frame `{}` is infinitely far away", printable(&frame.name));
        let mut diagnostic = Diagnostic::error(codes::NOT_FINITE, message);
        if let Some(span) = frame.source.0 {
            diagnostic = diagnostic.at(span, "its position in the root frame is not finite");
        }
        self.problems
            .push(diagnostic.help("check the translations of this frame and of its ancestors"));
    }

    fn check_cycles(&mut self) {
        let mut diagnostics = Vec::new();
        for names in self.scene.cycles() {
            let first = names.first().and_then(|name| self.scene.frame(name));
            let mut shown: Vec<String> = names
                .iter()
                .chain(names.first())
                .map(|name| printable(name))
                .collect();
            if shown.len() > 9 {
                shown.splice(4..shown.len() - 4, ["…".to_owned()]);
            }
            let mut diagnostic = Diagnostic::error(
                codes::PARENT_CYCLE,
                "the parents of these frames form a cycle",
            );
            if let Some(span) = first.and_then(|frame| frame.source.0) {
                diagnostic = diagnostic.at(span, "one of them");
            }
            diagnostics.push(
                diagnostic
                    .note(format!(
                        "each is a child of the next: {}",
                        shown.join(" → ")
                    ))
                    .help("set the parent of one of them to the root or another frame"),
            );
        }
        for diagnostic in diagnostics {
            self.problems.push(diagnostic);
        }
    }
}

fn unknown_class(word: &OwnedName) -> Diagnostic {
    let message = format!("there is no class `{}`", word.shown());
    Diagnostic::warning(codes::UNKNOWN_CLASS, message)
        .at(word.span, "gives its name, but no attributes")
}

/// Adds a help text to a diagnostic without a suggestion.
fn with_remedy(diagnostic: Diagnostic, help: &str) -> Diagnostic {
    if diagnostic.help.is_empty() {
        diagnostic.help(help)
    } else {
        diagnostic
    }
}
