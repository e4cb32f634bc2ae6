//! The `.robray` scene language: parser, evaluation, writer and formatter.
//!
//! For editors, [`analyse`] returns the positions of all names and values, [`outline`](outline()) the blocks of a text, and
//! [`context`](context()) what can be written at a position.
//!
//! [`load`] reads a file with all files that it includes, [`parse_str`] a text; [`write`](write()) converts a scene to text,
//! and [`format`](format()) formats a text without a change of its meaning.

pub mod codes;
mod context;
mod evaluate;
mod format;
mod inclusion;
mod index;
mod lexer;
mod outline;
mod parser;
mod problems;
mod syntax;
mod write;

use std::path::{Path, PathBuf};

pub use context::{Container, Context, Expected, context};
pub use format::format;
pub use inclusion::{Included, Inclusions, NotFound};
pub use index::{Analysis, Declaration, Index, Link, Reference, Setting, Symbol};
pub use outline::{Item, Outline, outline};
pub use write::write;

use morse_diagnostics::{Diagnostic, Failed, Overlay, Sources};
use morse_scene::{model::Scene, shipped::Shipped};

/// Returns all keywords of the language.
pub fn keywords() -> impl Iterator<Item = &'static str> {
    lexer::KEYWORDS.iter().map(|(keyword, _)| *keyword)
}

/// Returns true for keywords, which can be names only in quotes.
#[must_use]
pub fn is_keyword(name: &str) -> bool {
    keywords().any(|keyword| keyword == name)
}

/// Options for reading a scene.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// True if warnings are errors.
    pub strict: bool,
    /// True if extensions are errors: joint limits, mass, friction and other attributes that amino, the language's first
    /// implementation, lacks.
    pub strict_amino: bool,
    /// Directories whose files may be quoted in messages and used as meshes, in addition to the directory of the scene and
    /// the current one.
    pub allow_paths: &'a [PathBuf],
    /// Embedded files, in which files that do not exist on the disk are looked up.
    pub shipped: Shipped,
    /// True if the existence of mesh files is not checked.
    pub skip_mesh_check: bool,
    /// True if the scene will be simulated: values that the language permits and a simulation cannot handle, such as a
    /// negative radius or a missing mesh, are errors instead of warnings.
    pub simulated: bool,
    /// Files that were read before; messages may quote them together with the files of this load.
    pub sources: &'a Sources,
    /// Texts that replace those of files on the disk.
    pub overlay: &'a Overlay,
}

/// Result of a successful load.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Scene of the file and all files that it includes.
    pub scene: Scene,
    /// Warnings about values that are probably unintended.
    pub warnings: Vec<Diagnostic>,
    /// Source files, for the output of the warnings.
    pub sources: Sources,
}

/// Reads a scene file and all files that it includes.
///
/// # Errors
///
/// Returns all errors of the files, in one pass.
pub fn load(
    path: &Path,
    options: Options<'_>,
    inclusions: &mut dyn Inclusions,
) -> Result<Loaded, Box<Failed>> {
    evaluate::load_file(path, options, inclusions)
}

/// Reads a scene file and all files that it includes, for an editor: returns what can be used in spite of errors, and the
/// positions of all names and values.
pub fn analyse(path: &Path, options: Options<'_>, inclusions: &mut dyn Inclusions) -> Analysis {
    evaluate::analyse_file(path, options, inclusions)
}

/// Reads a scene from a text. `name` is its name in messages; paths of includes and meshes are relative to `directory`.
///
/// # Errors
///
/// Returns all errors of the text, in one pass.
pub fn parse_str(
    text: &str,
    name: &str,
    directory: &Path,
    options: Options<'_>,
    inclusions: &mut dyn Inclusions,
) -> Result<Loaded, Box<Failed>> {
    evaluate::load_text(text, name, directory, options, inclusions)
}
