//! Compiled scenes (`.msc`): a scene after evaluation, with its meshes, convex hulls and images, in one file.
//!
//! The file is mapped into memory read-only, so that processes share it, and is checked completely before it is used: a
//! damaged, truncated or newer file is refused. [`encode`] returns the content of such a file, [`open`] reads one; the paths of
//! meshes and images in its scene lead into the [`Archive`]. The hashes of all sources are in the file: [`changed`] returns
//! those that differ on the disk.
//!
//! The layout is: [`header`] (magic number, version, lengths, and a hash of everything), a directory in the format of
//! `postcard`, and the numbers of the meshes and the contents of files as plain little-endian arrays. Numbers are copied from
//! the mapped file when a mesh is used; no bytes of the file are reinterpreted as structures.

mod archive;
mod content;
pub mod header;
mod record;
#[cfg(test)]
mod tests;

use std::{fs, io, path::Path, sync::Arc};

pub use archive::Archive;
pub use content::{Content, Source, move_paths};
pub use header::hash;
use morse_scene::model::Scene;

/// Reason why a compiled scene is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompiledError {
    /// The operating system refused.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file does not begin as a compiled scene.
    #[error("it is no compiled scene")]
    Foreign,
    /// The file has another version.
    #[error("it has the format {version}, and this program reads {known}: compile the scene again")]
    Version {
        /// Version of the file.
        version: u32,
        /// Version that is read.
        known: u32,
    },
    /// The file is incomplete or was changed.
    #[error("it is damaged ({0}): compile the scene again")]
    Damaged(&'static str),
    /// The scene in the file is invalid.
    #[error("its scene is invalid ({0}): compile the scene again")]
    Invalid(String),
}

/// A compiled scene that was opened.
#[derive(Debug)]
pub struct Opened {
    /// The scene. The paths of its meshes and images lead into the archive.
    pub scene: Scene,
    /// Files from which the scene was compiled.
    pub sources: Vec<Source>,
}

/// Returns the content of a compiled scene's file.
///
/// # Errors
///
/// The content is too large.
pub fn encode(content: &Content) -> Result<Vec<u8>, CompiledError> {
    record::encode(content)
}

/// Opens a compiled scene, which stays mapped into memory until the program ends.
///
/// # Errors
///
/// The file cannot be read, or is damaged, of another version, or invalid.
pub fn open(path: &Path) -> Result<Opened, CompiledError> {
    let (archive, scene, sources) = Archive::map(path)?;
    let identifier = archive.identifier();
    let scene = content::resolved(scene, &identifier)?;
    morse_geometry::archive::open(&identifier, || Arc::new(archive));
    Ok(Opened { scene, sources })
}

/// Returns the sources of a compiled scene that are missing or have changed since; their paths are relative to `directory`.
#[must_use]
pub fn changed(sources: &[Source], directory: &Path) -> Vec<String> {
    let is_same = |source: &&Source| {
        let bytes = fs::read(directory.join(&source.path));
        bytes.is_ok_and(|bytes| hash(&bytes) == source.hash)
    };
    let changed = sources.iter().filter(|source| !is_same(source));
    changed.map(|source| source.path.clone()).collect()
}
