//! Interface for files in other languages that a scene includes. Language crates do not depend on each other: the crate that
//! combines them implements [`Inclusions`].

use std::path::{Path, PathBuf};

use morse_diagnostics::{Diagnostic, Sources};
use morse_scene::model::Scene;

/// Reader of files in other languages.
pub trait Inclusions {
    /// Reads a file and adds it, and every file that it includes, to `sources`. The root of its scene becomes a child of the
    /// including scene's root.
    fn read(&mut self, path: &Path, sources: &mut Sources) -> Included;

    /// Resolves a path `package://NAME/path` that occurs in a file of `directory`.
    ///
    /// # Errors
    ///
    /// Returns the reason, and the paths that were tried.
    fn find(&self, written: &str, directory: &Path) -> Result<PathBuf, NotFound>;
}

/// Result of reading a file in another language.
#[derive(Clone, Debug, Default)]
pub struct Included {
    /// Scene of the file; `None` after an error.
    pub scene: Option<Scene>,
    /// Errors and warnings, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reason why no file was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotFound {
    /// Reason, in one line.
    pub reason: String,
    /// Paths that were tried, in order.
    pub looked: Vec<PathBuf>,
}
