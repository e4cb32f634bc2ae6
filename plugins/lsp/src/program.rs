//! Interface to the program, which combines the languages and contains the kinds of components.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use morse_diagnostics::{Overlay, Sources, report::Report};
use morse_robray::Analysis;
use morse_scene::model::Scene;
use morse_simulation_file::{Family, Vocabulary};

/// The functions of the program that the server requires. The texts in the overlay replace those of files on the disk.
pub trait Program: Sync {
    /// Checks a scene or simulation file: all errors and warnings of the command `check`.
    fn check(&self, path: &Path, overlay: &Overlay, depth: Depth) -> Checked;

    /// Reads a scene for queries of names and values.
    fn analyse(&self, path: &Path, overlay: &Overlay) -> Analysis;

    /// Returns the documentation of an attribute or shape of the scene language, as Markdown.
    fn scene_docs(&self, name: &str) -> Option<String>;

    /// Builds the scene of a simulation file with all its robots; `None` after errors.
    fn world(&self, path: &Path, overlay: &Overlay) -> Option<World>;

    /// Returns the kinds of components.
    fn vocabulary(&self) -> Box<dyn Vocabulary + '_>;

    /// Returns the documentation of a field of a named value in simulation files, as Markdown.
    fn field_docs(&self, of: &str, name: &str) -> Option<String>;

    /// Returns the documentation of a kind, as Markdown.
    fn kind_docs(&self, family: Family, word: &str) -> Option<String>;

    /// Returns the settings of a kind.
    fn settings(&self, family: Family, word: &str) -> Vec<SettingDocs>;

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

/// Scene of a simulation with its robots; the frames and variables of the robot `rover` begin with `rover.`.
#[derive(Clone, Debug)]
pub struct World {
    /// The scene.
    pub scene: Scene,
    /// Files to which the source positions in the scene refer.
    pub sources: Arc<Sources>,
}

/// Documentation of a setting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettingDocs {
    /// Name of the setting.
    pub name: String,
    /// Documentation, as Markdown.
    pub docs: String,
    /// Words of a setting with a fixed set of them.
    pub words: Vec<String>,
}
