//! Interface to the program, which combines the languages and contains the kinds of components.

use std::path::{Path, PathBuf};

use morse_diagnostics::{Overlay, report::Report};
use morse_robray::Analysis;

/// The functions of the program that the server requires. The texts in the overlay replace those of files on the disk.
pub trait Program: Sync {
    /// Checks a scene or simulation file: all errors and warnings of the command `check`.
    fn check(&self, path: &Path, overlay: &Overlay, depth: Depth) -> Checked;

    /// Reads a scene for queries of names and values.
    fn analyse(&self, path: &Path, overlay: &Overlay) -> Analysis;

    /// Returns the documentation of an attribute or shape of the scene language, as Markdown.
    fn scene_docs(&self, name: &str) -> Option<String>;

    /// Returns the names of the embedded files.
    fn embedded(&self) -> Vec<&'static str>;

    /// Returns a copy of an embedded file on the disk, which an editor can show.
    fn copy_of_embedded(&self, path: &Path) -> Option<PathBuf>;
}

/// Extent of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Reads the files.
    Read,
    /// Also builds the simulation without running it.
    Build,
}

/// Result of a check.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// Errors and warnings.
    pub report: Report,
    /// Names of all files that were read.
    pub files: Vec<String>,
}
