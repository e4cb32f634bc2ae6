//! The `.robray` scene language: text to model and back.
//!
//! [`load`] reads a file with all it includes, [`parse_str`] a text; [`write`](write()) turns a
//! scene into text, and [`format`](format()) tidies a text without changing what it says.

pub mod codes;
mod evaluate;
mod format;
mod lexer;
mod parser;
mod problems;
mod shipped;
mod syntax;
mod write;

use std::fmt;
use std::path::{Path, PathBuf};

pub use format::format;
pub use write::write;

use super::diagnostic::{Diagnostic, Sources, Style, render};
use super::{model::Scene, urdf};
pub use shipped::Shipped;

/// Options for reading a scene.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Take warnings for errors.
    pub strict: bool,
    /// Refuse what amino, the language's first implementation, does not know: joint limits, mass,
    /// friction and the like.
    pub strict_amino: bool,
    /// Directories whose files may be shown in messages and used as meshes, besides the directory of
    /// the scene and the current one.
    pub allow_paths: Vec<PathBuf>,
    /// Files that the program carries in itself: what is not found on the disk is looked for here.
    pub shipped: Shipped,
    /// Do not look whether meshes exist.
    pub skip_mesh_check: bool,
    /// The scene is to be simulated: what the language allows and no simulation can bear, such as a negative
    /// radius or a missing mesh, is an error instead of a warning.
    pub simulated: bool,
    /// Files that were read before and may be shown together with these.
    pub sources: Sources,
    /// Options for robot descriptions, which a scene can include.
    pub urdf: urdf::Options,
}

impl LoadOptions {
    /// Options that readers of all formats share.
    #[must_use]
    pub fn circumstances(&self) -> urdf::Circumstances<'_> {
        urdf::Circumstances {
            strict: self.strict,
            simulated: self.simulated,
            allow_paths: &self.allow_paths,
        }
    }
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
    /// Meshes and images of robot descriptions.
    pub assets: Vec<urdf::Asset>,
}

/// Failure to read a scene.
#[derive(Clone, Debug)]
pub struct Failed {
    /// Errors and warnings, in the order they were found; at least one error.
    pub diagnostics: Vec<Diagnostic>,
    /// The files, for showing them.
    pub sources: Sources,
}

impl fmt::Display for Failed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for diagnostic in &self.diagnostics {
            writeln!(
                formatter,
                "{}",
                render(diagnostic, &self.sources, Style::Plain)
            )?;
        }
        Ok(())
    }
}

impl std::error::Error for Failed {}

/// Reads a scene file and all it includes.
///
/// # Errors
///
/// All that is wrong with the files, in one pass.
pub fn load(path: &Path, options: &LoadOptions) -> Result<Loaded, Box<Failed>> {
    evaluate::load_file(path, options)
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
    options: &LoadOptions,
) -> Result<Loaded, Box<Failed>> {
    evaluate::load_text(text, name, directory, options)
}
