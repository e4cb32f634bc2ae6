//! Inclusion of robot descriptions in other languages.

use std::path::{Path, PathBuf};

use morse_diagnostics::{Diagnostic, printable, printable_path};

use super::{File, Loader};
use crate::{codes, syntax::Word};

impl Loader<'_> {
    /// Adds the frames of a robot description. Its root becomes a child of the scene's root; joints become frames too, with
    /// the names that amino gives them.
    pub(super) fn described(&mut self, written: &Word<'_>, path: &Path) {
        if let Err(reason) = self.files.may_read(path) {
            let diagnostic = Diagnostic::error(codes::CANNOT_READ, reason)
                .at(written.span, "not read")
                .note(format!(
                    "looked for `{}`",
                    printable_path(&path.display().to_string())
                ))
                .help("check the path; other directories are allowed by `--allow-path DIRECTORY`");
            self.problems.push(diagnostic);
            return;
        }
        let read = self.inclusions.read(path, &mut self.sources);
        for diagnostic in read.diagnostics {
            self.problems.push(diagnostic);
        }
        let Some(scene) = read.scene else { return };
        if !self.count(scene.frames().len(), written.span) {
            return;
        }
        for frame in scene.frames() {
            let name = frame.name.clone();
            if let Err(error) = self.scene.add_frame(frame.clone()) {
                let mut diagnostic = Diagnostic::error(codes::DUPLICATE_FRAME, error.to_string())
                    .at(written.span, "brings this frame");
                let first = self.scene.frame(&name).and_then(|frame| frame.source.0);
                if let Some(first) = first {
                    diagnostic = diagnostic.at(first, "it is here already");
                }
                self.problems.push(diagnostic.help(
                    "rename the frame; for several robots of a kind, give them a `model` in a simulation file",
                ));
                return;
            }
        }
        for (one, other) in scene.allowed_collisions() {
            self.scene.allow_collision(&**one, &**other);
        }
        for closure in scene.closures() {
            self.scene.add_closure(closure.clone());
        }
    }

    /// Resolves a path `package://NAME/path`.
    pub(super) fn package_path(&mut self, written: &Word<'_>, file: &File) -> Option<PathBuf> {
        let missing = match self.inclusions.find(written.text, &file.directory) {
            Ok(path) => {
                self.files.trust(&path);
                return Some(path);
            }
            Err(missing) => missing,
        };
        let message = format!("cannot include `{}`", written.shown());
        let mut diagnostic =
            Diagnostic::error(codes::CANNOT_READ, message).at(written.span, missing.reason);
        for path in missing.looked.iter().take(8) {
            let path = printable_path(&path.display().to_string());
            diagnostic = diagnostic.note(format!("looked for `{path}`"));
        }
        let name = written.text.split('/').nth(2).unwrap_or_default();
        let name = printable(name);
        self.problems.push(diagnostic.help(format!(
            "set its location with `--package {name}=DIRECTORY`, or set `ROS_PACKAGE_PATH`"
        )));
        None
    }
}
