//! Texts of open files, which replace the contents of these files on the disk.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::read_bytes;

/// Texts of files that are open in an editor, by canonical path. Readers use them instead of the contents on the disk.
#[derive(Clone, Debug, Default)]
pub struct Overlay {
    texts: Arc<BTreeMap<PathBuf, Arc<str>>>,
}

impl Overlay {
    /// Sets the text of a file.
    pub fn set(&mut self, path: &Path, text: impl Into<Arc<str>>) {
        Arc::make_mut(&mut self.texts).insert(real_path(path), text.into());
    }

    /// Removes the text of a file: its content on the disk counts again.
    pub fn remove(&mut self, path: &Path) {
        Arc::make_mut(&mut self.texts).remove(&real_path(path));
    }

    /// Returns the canonical path and the text of a file, if it is open.
    #[must_use]
    pub fn get(&self, path: &Path) -> Option<(PathBuf, Arc<str>)> {
        if self.texts.is_empty() {
            return None;
        }
        let path = real_path(path);
        let text = Arc::clone(self.texts.get(&path)?);
        Some((path, text))
    }

    /// Returns true if no file is open.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Returns true if the file is open, or exists on the disk.
    #[must_use]
    pub fn has_file(&self, path: &Path) -> bool {
        self.get(path).is_some() || path.is_file()
    }

    /// Returns the content of a file, as [`read_bytes`], or its text if it is open.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`read_bytes`].
    pub fn read_bytes(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self.get(path) {
            Some((_, text)) => Ok(text.as_bytes().to_vec()),
            None => read_bytes(path),
        }
    }
}

/// Returns the canonical path of a file. For a file that does not exist, it is the name in the canonical path of the
/// directory.
#[must_use]
pub fn real_path(path: &Path) -> PathBuf {
    if let Ok(path) = path.canonicalize() {
        return path;
    }
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    match (absolute.parent(), absolute.file_name()) {
        (Some(directory), Some(name)) => match directory.canonicalize() {
            Ok(directory) => directory.join(name),
            Err(_) => absolute,
        },
        _ => absolute,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_texts_replace_those_on_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "disk").unwrap();
        let mut overlay = Overlay::default();
        assert_eq!(overlay.read_bytes(&path).unwrap(), b"disk");
        overlay.set(&path, "editor");
        let indirect = folder.path().join(".").join("a.txt");
        assert_eq!(overlay.read_bytes(&indirect).unwrap(), b"editor");
        overlay.remove(&path);
        assert_eq!(overlay.read_bytes(&path).unwrap(), b"disk");
    }

    #[test]
    fn a_file_that_was_never_saved_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new.txt");
        let mut overlay = Overlay::default();
        assert!(!overlay.has_file(&path));
        overlay.set(&path, "editor");
        assert!(overlay.has_file(&path));
        assert_eq!(overlay.read_bytes(&path).unwrap(), b"editor");
    }
}
