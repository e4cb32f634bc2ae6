//! Files in other languages that a scene includes. Languages do not import each other: whoever joins them implements
//! [`Inclusions`].

use std::path::{Path, PathBuf};

use morse_diagnostics::{Diagnostic, Sources};
use morse_scene::model::Scene;

/// Reader of files in other languages.
pub trait Inclusions {
    /// Reads a file, whose root hangs on the scene's. It is added to `sources`, and so is every file that it includes.
    fn read(&mut self, path: &Path, sources: &mut Sources) -> Included;

    /// Finds the file of `package://NAME/path`, which is named in a file of `directory`.
    ///
    /// # Errors
    ///
    /// The reason, and the paths that were tried.
    fn find(&self, written: &str, directory: &Path) -> Result<PathBuf, NotFound>;
}

/// A file in another language that was read.
#[derive(Clone, Debug, Default)]
pub struct Included {
    /// Its content; nothing where there is an error.
    pub scene: Option<Scene>,
    /// Errors and warnings, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reason why there is no file for a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotFound {
    /// The reason, in one line.
    pub reason: String,
    /// Paths that were tried, in their order.
    pub looked: Vec<PathBuf>,
}
