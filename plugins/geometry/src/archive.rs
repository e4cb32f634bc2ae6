//! Archives: files that contain meshes, hulls and other files of a scene. Paths below [`ROOT`] name their contents.
//!
//! An archive stays open until the program ends, so that the paths in a scene stay valid.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

use crate::triangles::Triangles;

/// Virtual directory of all archives; below it each has a directory with its identifier.
pub const ROOT: &str = "compiled:";

/// A convex hull: its vertices (m), and three indices of them per triangle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hull {
    /// Vertices, m.
    pub vertices: Vec<[f32; 3]>,
    /// Triangles, counterclockwise from outside.
    pub faces: Vec<[u32; 3]>,
}

/// Contents of an archive, by their names.
pub trait Archive: Send + Sync {
    /// Returns the content of a file.
    fn file(&self, name: &str) -> Option<Cow<'_, [u8]>>;

    /// Returns a mesh.
    fn mesh(&self, name: &str) -> Option<Triangles>;

    /// Returns the convex hull of a mesh at a scale.
    fn hull(&self, name: &str, scale: f64) -> Option<Hull>;
}

/// Open archives by identifier.
static OPEN: RwLock<BTreeMap<String, Arc<dyn Archive>>> = RwLock::new(BTreeMap::new());

/// Opens an archive. Its identifier depends on its content only, so that an archive that is open already stays.
pub fn open(identifier: &str, archive: impl FnOnce() -> Arc<dyn Archive>) {
    let mut open = OPEN.write().unwrap_or_else(PoisonError::into_inner);
    open.entry(identifier.to_owned()).or_insert_with(archive);
}

/// Returns the path of a file in an archive.
#[must_use]
pub fn path(identifier: &str, name: &str) -> PathBuf {
    Path::new(ROOT).join(identifier).join(name)
}

/// Returns the archive to which a path belongs, and the name of the file in it; `None` for paths of the disk.
pub(crate) fn find(path: &Path) -> Option<(Arc<dyn Archive>, String)> {
    let inner = path.strip_prefix(ROOT).ok()?;
    let mut segments = inner.iter();
    let identifier = segments.next()?.to_str()?;
    let names: Option<Vec<&str>> = segments.map(|segment| segment.to_str()).collect();
    let name = names?.join("/");
    let open = OPEN.read().unwrap_or_else(PoisonError::into_inner);
    Some((Arc::clone(open.get(identifier)?), name))
}

/// Returns the precomputed hull of a mesh at a scale.
#[must_use]
pub fn hull(path: &Path, scale: f64) -> Option<Hull> {
    let (archive, name) = find(path)?;
    archive.hull(&name, scale)
}
