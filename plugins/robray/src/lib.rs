//! The `.robray` scene language: text to model and back.
//!
//! [`load`] reads a file with all it includes, [`parse_str`] a text; [`write`](write()) turns a
//! scene into text, and [`format`](format()) tidies a text without changing what it says.

pub mod codes;
mod evaluate;
mod format;
mod inclusion;
mod lexer;
mod parser;
mod problems;
mod syntax;
mod write;

use std::path::{Path, PathBuf};

pub use format::format;
pub use inclusion::{Included, Inclusions, NotFound};
pub use write::write;

use morse_diagnostics::{Diagnostic, Failed, Sources};
use morse_scene::{model::Scene, shipped::Shipped};

/// Options for reading a scene.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Take warnings for errors.
    pub strict: bool,
    /// Refuse what amino, the language's first implementation, does not know: joint limits, mass,
    /// friction and the like.
    pub strict_amino: bool,
    /// Directories whose files may be shown in messages and used as meshes, besides the directory of
    /// the scene and the current one.
    pub allow_paths: &'a [PathBuf],
    /// Files that the program carries in itself: what is not found on the disk is looked for here.
    pub shipped: Shipped,
    /// Do not look whether meshes exist.
    pub skip_mesh_check: bool,
    /// The scene is to be simulated: what the language allows and no simulation can bear, such as a negative
    /// radius or a missing mesh, is an error instead of a warning.
    pub simulated: bool,
    /// Files that were read before and may be shown together with these.
    pub sources: &'a Sources,
}

/// A scene that was read.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Content of the file and all it includes.
    pub scene: Scene,
    /// Warnings about what is probably not meant.
    pub warnings: Vec<Diagnostic>,
    /// The files, for showing the warnings.
    pub sources: Sources,
}

/// Reads a scene file and all it includes.
///
/// # Errors
///
/// All that is wrong with the files, in one pass.
pub fn load(
    path: &Path,
    options: Options<'_>,
    inclusions: &mut dyn Inclusions,
) -> Result<Loaded, Box<Failed>> {
    evaluate::load_file(path, options, inclusions)
}

/// Reads a scene from a text. `name` is what messages call it; includes and meshes are looked for
/// from `directory`.
///
/// # Errors
///
/// All that is wrong with the text, in one pass.
pub fn parse_str(
    text: &str,
    name: &str,
    directory: &Path,
    options: Options<'_>,
    inclusions: &mut dyn Inclusions,
) -> Result<Loaded, Box<Failed>> {
    evaluate::load_text(text, name, directory, options, inclusions)
}
